"""The one door: how well do these sets predict?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from altsets.arrays import Indices
from altsets.errors import InputError
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Plan, Resample, assess, reselect
from altsets.evaluation._inputs import bootstrap_samples
from altsets.evaluation._kinship import MOST_RELATED, kinship_of, mean_kinship
from altsets.evaluation._running import Done, Piece, in_processes, warn_once
from altsets.evaluation._setup import Judge, Setup, SplitRows
from altsets.features import whole_number
from altsets.measures.models import Split

__all__ = ["evaluate"]


def evaluate(
    what: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    class_weight: Any = None,
    task: str = "auto",
    confidence: float = 0.95,
    margin: float | None = None,
    n_bootstraps: int = 0,
    n_jobs: int | None = None,
    random_state: int = 25,
    progress: Callable[[float], object] | None = None,
) -> Evaluation:
    """How well feature sets predict rows that neither the search nor the model has seen, and how they compare.

    With a selector, the sets are found anew on the training rows of each fold, as in the paper: sets that were found
    on all rows have seen the test rows, and look better than they are. A model that knows no features (the most
    frequent class, or the mean) is judged in the same folds: what does not beat this baseline is not called good.
    Ctrl-C ends the work and keeps the folds that are done.

    Parameters
    ----------
    what : SelectAlternatives, Result or list of sets
        A selector, which searches in each fold; or sets that stay the same: a result of :func:`altsets.find`, or a
        list of sets of features, by name or index.
    X : table of shape (n_samples, n_features)
        A NumPy array or a frame. Your own estimator gets the columns of a set as they are here: a frame stays a frame,
        with its names and types. Models by name get a category as columns of 0 and 1.
    y : array-like of shape (n_samples,)
        The target.
    estimator : estimator, str or None
        The model that judges, copied for every fit: an object, a class by its full name, or "tree", "forest",
        "boosting", "linear", "neighbors", "svm". None: a decision tree (information gain). Models by name take missing
        values: "linear", "neighbors" and "svm" get the median of the training rows instead.
    scoring : str, callable, list or dict, optional
        One scorer of scikit-learn or several. None: Matthews correlation, or R² if the target is an amount.
    cv : int, splitter or iterable of (train, test)
        A number stands for shuffled folds, of each class alike; with ``groups`` they keep groups together.
    repeats : int
        How often to split the rows into ``cv`` folds, each time shuffled anew; only where ``cv`` is a number.
    groups : array-like of shape (n_samples,), optional
        Rows of one group are never on both sides, if ``cv`` is a number or a splitter that uses groups.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts in the search, in fitting and in scoring.
    pos_label : optional
        Which of two classes precision, recall, f1 and the like are about. None: 1 or True if it is one of them, else
        the last one in order.
    class_weight : {"balanced"}, optional
        For models by name: classes count alike, however many rows they have.
    task : {"auto", "classification", "regression"}
        Whether the target names classes or amounts; "auto" asks the selector, then looks at the values.
    confidence : float
        The probability of all intervals.
    margin : float, optional
        Differences in scores up to this do not matter: a set whose interval lies within is said to predict as well as
        set 0. None: 0.02 for scores of which 1 is the best, and no such claim for others.
    n_bootstraps : int
        For a selector: on how many bootstrap samples of rows to search as well, to see how stable the sets are. A row
        counts once in a sample, however often it is drawn.
    n_jobs : int, optional
        How many folds at a time, in processes of their own; -1 for one per processor. joblib's ``parallel_config``
        can say otherwise, also where. No number depends on it.
    random_state : int
        Seed for shuffled folds, for bootstrap samples, and for models without one.
    progress : callable, optional
        Called after each fold and bootstrap sample with the share that is done, from 0 to 1.

    Returns
    -------
    Evaluation
        What was measured: ``summary()``, ``baseline``, ``comparisons``, frames, JSON.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = altsets.SelectAlternatives("f", n_features=3, n_alternatives=1, tau=1)
    >>> evaluation = altsets.evaluate(selector, X, y)
    >>> evaluation
    Evaluation(2 sets, 5 folds; matthews_corrcoef: 0.845, 0.766; baseline 0.000)
    >>> print(evaluation.comparisons[0].sentence)
    No difference between set 1 and set 0 was shown: difference -0.079, 95 % interval [-0.229, 0.072], so set 1 may
    still be worse by 0.229 or better by 0.072.
    """
    n_bootstraps = whole_number("n_bootstraps", n_bootstraps, least=0)
    setup = Setup.of(
        what,
        X,
        y,
        Judge(estimator, scoring, pos_label, class_weight),
        SplitRows(cv, repeats, groups, sample_weight),
        task=task,
        confidence=confidence,
        margin=margin,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    plan = setup.plan
    if n_bootstraps and plan.selector is None:
        raise InputError("n_bootstraps goes with a SelectAlternatives: sets that are given stay the same.")
    samples = bootstrap_samples(n_bootstraps, plan.target, plan.groups, setup.seed)
    done = in_processes(_pieces(plan, setup.splits, samples), n_jobs, progress)
    folds, resamples = _outcomes(done)
    warn_once(done)
    evaluation = setup.evaluation(folds, resamples, plan.n_sets)
    compared = plan.selector is not None and len(evaluation.names) <= MOST_RELATED
    return replace(
        evaluation,
        n_bootstraps=n_bootstraps,
        kinship=kinship_of(plan.features, list(evaluation.names), plan.weights),
        mean_kinship=mean_kinship(plan.features, plan.weights, setup.seed) if compared else None,
        elapsed=setup.elapsed,
        provenance=setup.provenance(),
    )


def _pieces(plan: Plan, splits: Sequence[Split], samples: Sequence[Indices]) -> list[Piece]:
    """The work: one piece for each fold, and one for each bootstrap sample."""
    pieces: list[Piece] = [(assess, (plan, number, *split)) for number, split in enumerate(splits)]
    return pieces + [(reselect, (plan, number, rows)) for number, rows in enumerate(samples)]


def _outcomes(done: Done) -> tuple[tuple[Fold, ...], tuple[Resample, ...]]:
    """What was measured; after Ctrl-C there must be a fold at least."""
    folds = tuple(outcome for outcome in done.outcomes.values() if isinstance(outcome, Fold))
    resamples = tuple(outcome for outcome in done.outcomes.values() if isinstance(outcome, Resample))
    if not folds:
        raise KeyboardInterrupt
    return folds, resamples
