"""Public API: cross-validated scores of sets, and of all points of a frontier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from altsets.errors import InputError
from altsets.evaluation._evaluations import FIXED, Evaluations
from altsets.evaluation.folds import Resample, evaluate_fold, search_bootstrap
from altsets.evaluation.setup import EvaluationSettings, Setup, bootstrap_samples
from altsets.evaluation.stability import MOST_RELATED, kinship_of, mean_kinship
from altsets.features import whole_number
from altsets.measures.workers import Task, run_tasks
from altsets.result import Frontier


def evaluate(
    what: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    n_repeats: int | str = "auto",
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
    adjust: Any = None,
    callback: Callable[[float], object] | None = None,
) -> Any:
    """How well feature sets predict rows that neither the search nor the model has seen, and how they compare.

    With a selector, the sets are found anew on the training rows of each fold: sets that were found on all rows have
    seen the test rows, and look better than they are. A dummy model without features (the most frequent class, or the
    mean) is scored in the same folds: what does not beat this baseline is not called good. Ctrl-C ends the work and
    keeps the folds that are done; before the first one, it is raised.

    Parameters
    ----------
    what : SelectAlternatives, Pipeline, Result, list of sets or Frontier
        A selector, which searches in each fold. Or a pipeline with a selector among its steps and a model as the last
        one: all steps and the search are fitted anew in each fold, and set i is what ``alternative=i`` keeps. Or sets
        that stay the same: a result of :func:`altsets.find`, the ``alternatives_`` of a fitted selector, or a list of
        sets of features, by name or index. Or a frontier, all points of which are evaluated: a frontier over tau whose
        request names its quality is searched anew in each fold; the sets of others stay the same, with a note.
    X : table of shape (n_samples, n_features)
        A NumPy array, a frame or a sparse matrix. Your own estimator gets the columns of a set as they are here: a
        frame stays a frame, with its names and types, and a sparse matrix sparse. Models by name get a category as
        columns of 0 and 1.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    estimator : estimator, str or None, default=None
        The model to fit to each set, copied for every fit: an object, a class by its full name, or "tree", "forest",
        "boosting", "linear", "neighbors", "svm". None: a decision tree (information gain), or the last step of a
        pipeline. Models by name take missing values: "linear", "neighbors" and "svm" get the median of the training
        rows instead.
    scoring : str, callable, list or dict, default=None
        One scorer of scikit-learn or several. None: Matthews correlation, or R² if the target is numeric.
    cv : int, splitter or iterable of (train, test), default=5
        A number stands for shuffled folds, of each class alike; with ``groups`` they keep groups together.
    n_repeats : int or "auto", default="auto"
        How often to split the rows into ``cv`` folds, each time shuffled anew; only where ``cv`` is a number. More
        repeats make intervals narrower and take longer. "auto": 5 if rows x columns x sets are at most 1,000,000, else
        1.
    groups, sample_weight : array-like of shape (n_samples,), default=None
        Which rows are never on both sides, if ``cv`` is a number or a splitter that uses groups; and how much each row
        counts in the search, in fitting and in scoring.
    pos_label : str, int, float or bool, default=None
        Which of two classes precision, recall, f1 and the like are about. None: 1 or True if it is one of them, else
        the last one in order.
    class_weight : {"balanced"}, default=None
        For models by name: classes count alike, however many rows they have.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target is a class or a number; "auto" asks the selector, then looks at the values.
    confidence : float, default=0.95
        The probability of all intervals.
    margin : float, default=None
        Differences in scores up to this do not matter: a set whose interval lies within is said to predict as well as
        set 0. None: 0.02 for scores of which 1 is the best, and no such claim for others.
    n_bootstraps : int, default=0
        For a selector: on how many bootstrap samples of rows to search as well, to see how stable the sets are. A row
        counts once in a sample, however often it is drawn.
    n_jobs : int, default=None
        How many folds at a time, in processes of their own; -1 for one per processor. joblib's ``parallel_config``
        can say otherwise, also where. No number depends on it.
    random_state : int, default=25
        Seed for shuffled folds, for bootstrap samples, and for models without one.
    adjust : sequence of features, default=None
        Covariates, which every model gets besides the features of a set; the baseline is the model of the covariates
        alone. None: those of the search.
    callback : callable, default=None
        Called after each fold and bootstrap sample with the share that is done, from 0 to 1.

    Returns
    -------
    Evaluation or Evaluations
        What was measured: ``summary()``, ``baseline``, ``comparisons``, frames, JSON. Of a frontier, a sequence with
        one evaluation for each point.

    See Also
    --------
    altsets.results.Evaluation, altsets.results.Evaluations : The answer.
    altsets.frontier : Many values of tau, sizes and numbers of sets, which can be evaluated as well.

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    - Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6,
      65-70.
    - Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. Journal of
      Machine Learning Research 18.
    - Sechidis, K., Papangelou, K., Nogueira, S., Weatherall, J. and Brown, G. (2019). On the stability of feature
      selection in the presence of feature correlations. ECML PKDD.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = altsets.SelectAlternatives("f", n_features=3, n_alternatives=1, tau=1)
    >>> evaluation = altsets.evaluate(selector, X, y)
    >>> evaluation
    Evaluation(2 sets, 25 folds; matthews_corrcoef: 0.830, 0.793; baseline 0.000)
    >>> print(evaluation.comparisons[0].sentence)
    Undecided whether set 1 predicts as well as set 0: difference -0.037, 95 % interval [-0.156, 0.082]; a loss of up to
    0.156 and a gain of up to 0.082 are not excluded.
    """
    n_bootstraps = whole_number("n_bootstraps", n_bootstraps, least=0)
    scored = (estimator, scoring, pos_label, class_weight, cv, n_repeats, groups, sample_weight)
    settings = EvaluationSettings(*scored, task, confidence, margin, n_jobs, random_state, adjust)
    curve = what if isinstance(what, Frontier) else None
    if curve is not None and n_bootstraps:
        raise InputError("n_bootstraps is for one search; leave it out, or give the selector of one point.")
    setup = Setup.of(what, X, y, settings)
    plan = setup.plan
    if n_bootstraps and not plan.searches:
        raise InputError(
            "n_bootstraps goes with a SelectAlternatives, or a pipeline with one: sets that are given stay the same."
        )
    samples = bootstrap_samples(n_bootstraps, plan.target, plan.rows.groups, settings.random_state)
    tasks: list[Task] = [
        *((evaluate_fold, (plan, number, *split)) for number, split in enumerate(setup.splits)),
        *((search_bootstrap, (plan, number, rows)) for number, rows in enumerate(samples)),
    ]
    done = run_tasks(tasks, n_jobs, callback)
    folds = [outcome for outcome in done if isinstance(outcome, list)]
    resamples = [outcome for outcome in done if isinstance(outcome, Resample)]
    if not folds:
        # After Ctrl-C, there must be something to return.
        raise KeyboardInterrupt
    by_point = zip(zip(*folds, strict=True), plan.counts, strict=True)
    evaluations = tuple(setup.evaluation(each, resamples, n_sets) for each, n_sets in by_point)
    if curve is not None:
        return Evaluations(curve, evaluations, () if plan.searches else (FIXED,), **setup.when())
    (evaluation,) = evaluations
    about_columns = list(plan.names) == list(plan.features.feature_names)
    table, weights, mean = plan.features, plan.rows.weights, None
    kinship = kinship_of(table, list(evaluation.names), weights) if about_columns else {}
    if plan.searches and about_columns and len(evaluation.names) <= MOST_RELATED:
        mean = mean_kinship(table, weights, settings.random_state)
    found: dict[str, Any] = {"n_bootstraps": n_bootstraps, "kinship": kinship, "mean_kinship": mean}
    return replace(evaluation, **found, **setup.when())
