"""The one door: how well do these sets predict?"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError, warn_user
from altsets.evaluation._baseline import kind_of
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._folds import Fold, Plan, Resample, assess, reselect
from altsets.evaluation._inputs import (
    bootstrap_samples,
    given_sets,
    groups_of,
    margin_of,
    scoring_by_name,
    share,
    splits_for,
    splits_in_words,
)
from altsets.evaluation._kinship import MOST_RELATED, kinship_of, mean_kinship
from altsets.evaluation._running import Done, Piece, in_processes
from altsets.features import FeatureNames, whole_number
from altsets.measures.judged_rows import counted_groups
from altsets.measures.metadata import names_for_weights
from altsets.measures.models import Split, fresh_model, table_for
from altsets.measures.scorers import asked_for, positive_of, scorer_for
from altsets.measures.workers import at_a_time, checked_jobs
from altsets.provenance import constraints_by_name, data_of, record
from altsets.quality.given import needs_target
from altsets.selector import SelectAlternatives, check_request
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Target, labels_of, target_of
from altsets.tables.weights import counted, counted_rows

__all__ = ["evaluate"]

#: Characters of a model that texts show as it is written.
LONGEST_MODEL = 80


class _Judge(NamedTuple):
    """Who judges the sets, and how."""

    estimator: Any
    scoring: Any
    pos_label: Any
    class_weight: Any


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
    started = time.perf_counter()
    share("confidence", confidence)
    seed = whole_number("random_state", random_state, least=0)
    n_bootstraps = whole_number("n_bootstraps", n_bootstraps, least=0)
    repeats = whole_number("repeats", repeats, least=1)
    known_margin = margin_of(margin)
    everything = features_of(X)
    kept = counted_rows(sample_weight, everything.n_rows)
    known_groups = groups_of(groups, everything.n_rows)
    plan = _plan(
        what,
        *counted(everything, y, sample_weight),
        _Judge(estimator, scoring, pos_label, class_weight),
        counted_groups(known_groups, kept),
        task,
        seed,
        checked_jobs(n_jobs),
    )
    if n_bootstraps and plan.selector is None:
        raise InputError("n_bootstraps goes with a SelectAlternatives: sets that are given stay the same.")
    splits = splits_for(cv, plan.features, plan.target, known_groups, kept, seed, repeats)
    samples = bootstrap_samples(n_bootstraps, plan.target, plan.groups, seed)
    done = in_processes(_pieces(plan, splits, samples), n_jobs, progress)
    folds, resamples = _outcomes(done)
    _warn_once(done)
    names = _chosen_names(plan.features.feature_names, folds, resamples)
    scorers = plan.scoring.items()
    compared = plan.selector is not None and len(names) <= MOST_RELATED
    return Evaluation(
        folds=folds,
        resamples=resamples,
        n_sets=plan.n_sets,
        names=names,
        scorers=tuple(plan.scoring),
        given=plan.selector is None,
        n_rows=plan.features.n_rows,
        n_features_in=plan.features.n_features,
        n_folds=len(splits),
        n_bootstraps=n_bootstraps,
        confidence=float(confidence),
        margin=known_margin,
        kinship=kinship_of(plan.features, list(names), plan.weights),
        mean_kinship=mean_kinship(plan.features, plan.weights, seed) if compared else None,
        parameters={
            "estimator": _described("tree" if estimator is None else estimator),
            "model": _model_name("tree" if estimator is None else estimator),
            "cv": _described(cv),
            "repeats": repeats,
            "splits": splits_in_words(cv, len(splits), groups, repeats),
            "task": plan.target.task,
            "random_state": seed,
            "ready_made": not plan.rows_matter,
            **_about_classes(plan),
            "baseline": {name: kind_of(scorer, plan.target.is_classes) for name, scorer in scorers},
        },
        elapsed=time.perf_counter() - started,
        provenance=_provenance(what, everything, y, plan.target.task, seed, time.perf_counter() - started),
    )


def _provenance(
    what: Any, features: Features, y: Any, task: str, seed: int, seconds: float
) -> dict[str, Any]:
    """Where the numbers come from: the whole table, as it was given."""
    asked: dict[str, Any] = {"data": data_of(features, y), "task": task, "seed": seed}
    if isinstance(what, SelectAlternatives):
        asked["constraints"] = constraints_by_name(what.constraints, features.feature_names)
    return record(asked, seconds)


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


def _plan(
    what: Any,
    features: Features,
    y: Any,
    weights: Floats | None,
    judge: _Judge,
    groups: npt.NDArray[Any] | None,
    task: str,
    seed: int,
    n_jobs: int | None,
) -> Plan:
    """What all folds have in common; what is wrong with it is said before the first fold."""
    selector = what if isinstance(what, SelectAlternatives) else None
    target = target_of(y, features.n_rows, selector.task if selector and task == "auto" else task)
    sets = () if selector else given_sets(what, features.feature_names)
    labels = labels_of(y, target)
    model = fresh_model(judge.estimator, target.is_classes, seed, judge.class_weight)
    if judge.pos_label is not None:
        positive_of(labels, judge.pos_label, target.is_classes)
    scorers = {
        name: scorer_for(model, scorer, target.is_classes, labels, judge.pos_label)
        for name, scorer in scoring_by_name(judge.scoring, target.is_classes).items()
    }
    if weights is not None:
        names_for_weights(model)
    if selector is not None:
        check_request(selector, features)
    return Plan(
        features,
        target,
        labels,
        weights,
        table_for(judge.estimator, features),
        judge.estimator,
        scorers,
        seed,
        len(sets) if selector is None else int(selector.n_alternatives) + 1,
        None if selector is None else _for_folds(selector, target, n_jobs),
        sets,
        rows_matter=selector is None or needs_target(selector.quality),
        groups=groups,
        class_weight=judge.class_weight,
    )


def _about_classes(plan: Plan) -> dict[str, Any]:
    """The positive class, and the weights of classes, where they play a role."""
    positive = [label for label in map(asked_for, plan.scoring.values()) if label is not None]
    said = {"pos_label": positive[0]} if positive else {}
    return said if plan.class_weight is None else {**said, "class_weight": plan.class_weight}


def _for_folds(selector: SelectAlternatives, target: Target, n_jobs: int | None) -> SelectAlternatives:
    """A copy that takes the target for what it is in the whole table, and does not crowd other processes."""
    from sklearn.base import clone

    copy: SelectAlternatives = clone(selector).set_params(task=target.task)
    if at_a_time(n_jobs) > 1 and copy.n_jobs is None:
        copy.set_params(n_jobs=1)
    return copy


def _chosen_names(
    names: FeatureNames, folds: Sequence[Fold], resamples: Sequence[Resample]
) -> dict[int, str]:
    parts: list[Fold | Resample] = [*folds, *resamples]
    sets = itertools.chain.from_iterable(part.sets for part in parts)
    return {index: names[index] for index in sorted(set(itertools.chain.from_iterable(sets)))}


def _model_name(estimator: Any) -> str:
    """A model in a few words: as it is written if that is short, else by the names of its parts.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> _model_name(LogisticRegression(C=2)), _model_name(make_pipeline(StandardScaler(), LogisticRegression()))
    ('LogisticRegression(C=2)', 'StandardScaler, LogisticRegression')
    """
    if isinstance(estimator, str):
        return estimator
    parts = getattr(estimator, "steps", None)
    if isinstance(parts, list):
        return ", ".join(type(part).__name__ for _, part in parts)
    text = " ".join(repr(estimator).split())
    return text if len(text) <= LONGEST_MODEL else type(estimator).__name__


def _described(value: Any) -> Any:
    """A parameter in one line."""
    if isinstance(value, str | int | np.integer):
        return value if isinstance(value, str) else int(value)
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:200]}..."


def _warn_once(done: Done) -> None:
    for category, message in done.said:
        warn_user(message, category)
