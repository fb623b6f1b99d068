"""Public API: cross-validated scores of sets, and of all points of a frontier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from altsets.arrays import Indices
from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.evaluation._evaluated_frontier import EvaluatedFrontier
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation.folds import (
    Fold,
    FoldScorer,
    Plan,
    Resample,
    evaluate_fold,
    locate_errors,
    search_bootstrap,
)
from altsets.evaluation.setup import EvaluationSettings, Setup, bootstrap_samples
from altsets.evaluation.stability import MOST_RELATED, kinship_of, mean_kinship
from altsets.features import whole_number
from altsets.measures.workers import Task, run_tasks
from altsets.problem import Dissimilarity
from altsets.request import MAX_ITERS, checked_seconds
from altsets.result import Status, StopReason
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.search.frontier.plan import SweepPlan, numbers_in
from altsets.selector import SelectAlternatives, check_frontier, frontier_for

#: Size, number of alternatives, tau.
Place = tuple[int, int, float]


class Points(NamedTuple):
    """The requested points of a frontier."""

    n_features: Any
    n_alternatives: Any
    tau: Any

    def planned(self, plan: Plan) -> SweepPlan:
        """Return the searches; an error if something is wrong with the points."""
        return check_frontier(plan.selector, plan.features, **self._asdict())

    def count_sets(self, plan: Plan) -> int:
        """Return the number of sets of all points."""
        return sum(problem.n_sets for problem in self.planned(plan))


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
    callback: Callable[[float], object] | None = None,
) -> Evaluation:
    """How well feature sets predict rows that neither the search nor the model has seen, and how they compare.

    With a selector, the sets are found anew on the training rows of each fold: sets that were found
    on all rows have seen the test rows, and look better than they are. A dummy model without features (the
    most frequent class, or the mean) is scored in the same folds: what does not beat this baseline is not called good.
    Ctrl-C ends the work and keeps the folds that are done.

    Parameters
    ----------
    what : SelectAlternatives, Pipeline, Result or list of sets
        A selector, which searches in each fold. Or a pipeline with a selector among its steps and a model as the last
        one: all steps and the search are fitted anew in each fold, and set i is what ``alternative=i`` keeps. Or sets
        that stay the same: a result of :func:`altsets.find`, the ``alternatives_`` of a fitted selector, or a list of
        sets of features, by name or index.
    X : table of shape (n_samples, n_features)
        A NumPy array, a frame or a sparse matrix. Your own estimator gets the columns of a set as they are here: a
        frame stays a frame, with its names and types, and a sparse matrix sparse. Models by name get a category as
        columns of 0 and 1.
    y : array-like of shape (n_samples,)
        The target.
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
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never on both sides, if ``cv`` is a number or a splitter that uses groups.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in the search, in fitting and in scoring.
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
    callback : callable, default=None
        Called after each fold and bootstrap sample with the share that is done, from 0 to 1.

    Returns
    -------
    Evaluation
        What was measured: ``summary()``, ``baseline``, ``comparisons``, frames, JSON.

    Raises
    ------
    altsets.errors.InputError
        If the sets, the table, the target, the estimator, a scorer or ``cv`` cannot be used, a number is out of range,
        or ``n_bootstraps`` is given for sets that stay the same.
    KeyboardInterrupt
        If Ctrl-C was pressed before the first fold was done.

    See Also
    --------
    altsets.results.Evaluation : The answer.
    altsets.evaluate_frontier : The same for many values of tau, sizes and numbers of sets.
    altsets.SelectAlternatives : What to evaluate.
    altsets.plots.scores, altsets.plots.stability : Plot the answer.

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
    setup = Setup.of(what, X, y, EvaluationSettings(*scored, task, confidence, margin, n_jobs, random_state))
    plan = setup.plan
    if n_bootstraps and not plan.searches:
        raise InputError(
            "n_bootstraps goes with a SelectAlternatives, or a pipeline with one: sets that are given stay the "
            "same."
        )
    samples = bootstrap_samples(n_bootstraps, plan.target, plan.rows.groups, plan.random_state)
    tasks: list[Task] = [
        *((evaluate_fold, (plan, number, *split)) for number, split in enumerate(setup.splits)),
        *((search_bootstrap, (plan, number, rows)) for number, rows in enumerate(samples)),
    ]
    done = run_tasks(tasks, n_jobs, callback)
    folds = [outcome for outcome in done if isinstance(outcome, Fold)]
    resamples = [outcome for outcome in done if isinstance(outcome, Resample)]
    if not folds:
        # After Ctrl-C, there must be something to return.
        raise KeyboardInterrupt
    evaluation = setup.evaluation(folds, resamples, plan.n_sets)
    about_columns = plan.is_about_columns
    compared = plan.searches and about_columns and len(evaluation.names) <= MOST_RELATED
    return replace(
        evaluation,
        n_bootstraps=n_bootstraps,
        kinship=kinship_of(plan.features, list(evaluation.names), plan.rows.weights) if about_columns else {},
        mean_kinship=mean_kinship(plan.features, plan.rows.weights, plan.random_state) if compared else None,
        elapsed=setup.elapsed,
        provenance=setup.provenance(),
    )


def evaluate_frontier(
    quality: Any,
    X: Any,
    y: Any,
    n_features: int | Sequence[int] = 5,
    n_alternatives: int | Sequence[int] = 3,
    taus: Any = None,
    *,
    dissimilarity: str | Dissimilarity = "dice",
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    time_limit: float | None = None,
    max_iters: int = MAX_ITERS,
    frontier: Frontier | None = None,
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
    n_jobs: int | None = None,
    random_state: int = 25,
    callback: Callable[[float], object] | None = None,
) -> EvaluatedFrontier:
    """Measure how well sets predict, for every tau that matters and over sizes and numbers of sets.

    In each fold, features are scored on the training rows, all points of the frontier are searched there, and a model
    is fitted to each set and scored on the test rows, as is a dummy model without features (the baseline). So the
    scores of a point are those of ``evaluate(SelectAlternatives(n_features=..., tau=...), X, y)``, for less: the work
    of scoring is done once, searches share theirs, and a set that is found at several points is fitted once. (Where
    several sets are equally good, the searches may pick other ones.) Ctrl-C keeps the folds that are done.

    Parameters
    ----------
    quality : str, estimator, quality class or callable
        What "good" means, as for :class:`altsets.SelectAlternatives`.
    X : table of shape (n_samples, n_features)
        A NumPy array, a frame or a sparse matrix.
    y : array-like of shape (n_samples,)
        The target.
    n_features : int, range or sequence of int, default=5
        Features in each set.
    n_alternatives : int, range or sequence of int, default=3
        Sets to find besides the first one.
    taus : number or sequence of numbers, default=None
        The least dissimilarities of two sets; by default every value that makes a difference, as for
        :func:`altsets.frontier`.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, all at once, or a heuristic.
    aggregation : {"sum", "min"}, default="sum"
        What to maximise over simultaneous sets.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    time_limit : float, default=None
        Seconds for the searches on all rows, and as many for those in each fold.
    max_iters : int, default=1000
        For black boxes only, how long each search goes on, as for :func:`altsets.find`.
    frontier : Frontier, default=None
        The frontier of all rows, if it is there already; else it is searched first.
    estimator : estimator, str or None, default=None
        The model to fit to each set, as for :func:`altsets.evaluate`; None for a decision tree.
    scoring : str, callable, list or dict, default=None
        One scorer of scikit-learn or several. None: Matthews correlation, or R² if the target is numeric.
    cv : int, splitter or iterable of (train, test), default=5
        A number stands for shuffled folds, of each class alike; with ``groups`` they keep groups together.
    n_repeats : int or "auto", default="auto"
        How often to split the rows into ``cv`` folds, each time shuffled anew; only where ``cv`` is a number. More
        repeats make intervals narrower and take longer. "auto": 5 if rows x columns x sets are at most 1,000,000, else
        1.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never on both sides, if ``cv`` is a number or a splitter that uses groups.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in the search, in fitting and in scoring.
    pos_label : str, int, float or bool, default=None
        Which of two classes precision, recall, f1 and the like are about.
    class_weight : {"balanced"}, default=None
        For models by name: classes count alike, however many rows they have.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target is a class or a number; "auto" looks at its values.
    confidence : float, default=0.95
        The probability of all intervals.
    n_jobs : int, default=None
        How many folds at a time, in processes of their own; -1 for one per processor. No number depends on it.
    random_state : int, default=25
        Seed for shuffled folds, and for models without one.
    callback : callable, default=None
        Called after each fold with the share that is done, from 0 to 1.

    Returns
    -------
    EvaluatedFrontier
        The points with their sets, scores, intervals, and the baseline.

    Raises
    ------
    altsets.errors.InputError
        If the table, the target, the estimator, a scorer or ``cv`` cannot be used, a number is out of range, or
        ``frontier`` has other points than were asked for.

    See Also
    --------
    altsets.frontier : The same points without a table, from a quality in numbers.
    altsets.evaluate : One point, with comparisons of its sets, stability and stand-ins.
    altsets.results.EvaluatedFrontier : The answer.
    altsets.plots.frontier_scores : Plot the answer.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = altsets.evaluate_frontier("f", X, y, n_features=3, n_alternatives=1)
    >>> for point in found:
    ...     print(f"{point.tau:.2f} {point.score:.3f}")
    0.00 0.830
    0.33 0.844
    0.67 0.858
    1.00 0.812
    >>> found.baseline
    0.0
    """
    points = Points(n_features, n_alternatives, taus)
    checked_seconds(time_limit)
    selector = SelectAlternatives(
        quality,
        n_features=numbers_in("n_features", n_features, least=1)[0],
        n_alternatives=numbers_in("n_alternatives", n_alternatives, least=0)[-1],
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=constraints,
        task=task,
        max_iters=max_iters,
        time_limit=time_limit,
    )
    scored = (estimator, scoring, pos_label, class_weight, cv, n_repeats, groups, sample_weight)
    settings = EvaluationSettings(*scored, task, confidence, None, n_jobs, random_state)
    setup = Setup.of(selector, X, y, settings, points.count_sets)
    plan = setup.plan
    if frontier is None:
        rows = np.arange(plan.features.n_rows)
        frontier = frontier_for(plan.selector, *plan.on(rows), **points._asdict())
    _check_given(frontier, points.planned(plan))
    places = [_place(point) for point in frontier]
    folds: list[tuple[Fold, ...]] = []
    if frontier.stop_reason is not StopReason.INTERRUPTED:
        tasks: list[Task] = [
            (evaluate_points, (plan, points, places, number, *split))
            for number, split in enumerate(setup.splits)
        ]
        folds = run_tasks(tasks, n_jobs, callback)
    evaluations = tuple(
        setup.evaluation([fold[position] for fold in folds], (), n_alternatives + 1)
        for position, (_, n_alternatives, _) in enumerate(places)
    )
    return EvaluatedFrontier(frontier, evaluations, setup.elapsed, setup.provenance())


def evaluate_points(
    plan: Plan, points: Points, places: Sequence[Place], number: int, train: Indices, test: Indices
) -> tuple[Fold, ...]:
    """One fold of each point; the test rows are used for scoring only."""
    with locate_errors(f"fold {number}"):
        frontier = frontier_for(plan.selector, *plan.on(train), **points._asdict())
    if frontier.stop_reason is StopReason.INTERRUPTED:
        # A search returns what it has after Ctrl-C; here that ends the whole evaluation.
        raise KeyboardInterrupt
    found = {_place(point): point.result for point in frontier}
    scorer = FoldScorer(plan, number, train, test)
    folds = []
    for place in places:
        result = found.get(place)
        if result is None:
            # The time limit came first.
            folds.append(scorer.score((), [Status.NOT_FOUND] * (place[1] + 1)))
        else:
            folds.append(scorer.score(result.sets, result.statuses, result.qualities))
    return tuple(folds)


def _place(point: FrontierPoint) -> Place:
    return point.n_features, point.n_alternatives, point.tau


def _check_given(frontier: Frontier, planned: SweepPlan) -> None:
    """Refuse a frontier with other points than the requested ones."""
    sizes = {problem.n_features for problem in planned}
    counts = {problem.n_alternatives for problem in planned}
    if not (sizes.issuperset(frontier.sizes) and counts.issuperset(frontier.counts)):
        raise InputError(
            f"frontier={frontier!r} has other points than the requested ones; give the n_features, "
            "n_alternatives and taus that it was made with."
        )
