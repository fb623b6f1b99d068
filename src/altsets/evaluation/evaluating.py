"""Public API: cross-validated scores of sets, and of all points of a frontier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from altsets.arrays import Indices
from altsets.errors import InputError
from altsets.evaluation._evaluations import FIXED, Evaluations
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
from altsets.problem import FeatureSet
from altsets.result import Result, Status, StopReason
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.selector import SelectAlternatives, check_frontier, frontier_for, selector_for

#: Size, number of alternatives, tau.
Place = tuple[int, int, float]


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
) -> Any:
    """How well feature sets predict rows that neither the search nor the model has seen, and how they compare.

    With a selector, the sets are found anew on the training rows of each fold: sets that were found
    on all rows have seen the test rows, and look better than they are. A dummy model without features (the
    most frequent class, or the mean) is scored in the same folds: what does not beat this baseline is not called good.
    Ctrl-C ends the work and keeps the folds that are done.

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
    Evaluation or Evaluations
        What was measured: ``summary()``, ``baseline``, ``comparisons``, frames, JSON. Of a frontier, a sequence with
        one evaluation for each point.

    Raises
    ------
    altsets.errors.InputError
        If the sets, the table, the target, the estimator, a scorer or ``cv`` cannot be used, a number is out of range,
        or ``n_bootstraps`` is given for sets that stay the same.
    KeyboardInterrupt
        If Ctrl-C was pressed before the first fold was done.

    See Also
    --------
    altsets.results.Evaluation, altsets.results.Evaluations : The answer.
    altsets.frontier : Many values of tau, sizes and numbers of sets, which can be evaluated as well.
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
    settings = EvaluationSettings(*scored, task, confidence, margin, n_jobs, random_state)
    if isinstance(what, Frontier):
        if n_bootstraps:
            raise InputError(
                "n_bootstraps is for one search; leave it out, or give the selector of one point."
            )
        return _evaluate_frontier(what, X, y, settings, callback)
    setup = Setup.of(what, X, y, settings)
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


# --- Frontiers ----------------------------------------------------------------------------------------


def _evaluate_frontier(
    frontier: Frontier,
    X: Any,
    y: Any,
    settings: EvaluationSettings,
    callback: Callable[[float], object] | None,
) -> Evaluations:
    """One evaluation for each point; searched anew in each fold if the request names its quality."""
    selector = _selector_for(frontier) if frontier.points else None
    if selector is None and not any(point.result.sets for point in frontier):
        raise InputError("this frontier has no sets to evaluate; explain() says why.")
    places = tuple(map(_place, frontier))
    tasks: list[Task]
    if selector is None:
        every = _all_sets(frontier)
        setup = Setup.of(every, X, y, settings, lambda _: sum(count + 1 for _, count, _ in places))
        columns = dict(zip(every.sets, setup.plan.sets, strict=True))
        given = [[columns[chosen] for chosen in point.result.sets] for point in frontier]
        tasks = [
            (_score_points, (setup.plan, given, places, number, *split))
            for number, split in enumerate(setup.splits)
        ]
    else:
        setup = Setup.of(selector, X, y, settings, lambda _: sum(count + 1 for _, count, _ in places))
        points = Points.of(frontier, setup.plan, places)
        tasks = [
            (evaluate_points, (setup.plan, points, places, number, *split))
            for number, split in enumerate(setup.splits)
        ]
    folds: list[tuple[Fold, ...]] = run_tasks(tasks, settings.n_jobs, callback)
    if not folds:
        raise KeyboardInterrupt
    evaluations = tuple(
        setup.evaluation([fold[position] for fold in folds], (), count + 1)
        for position, (_, count, _) in enumerate(places)
    )
    notes = (FIXED,) if selector is None else ()
    return Evaluations(frontier, evaluations, notes, setup.elapsed, setup.provenance())


class Points(NamedTuple):
    """What to search for in each fold to have the points of a frontier."""

    n_features: Any
    n_alternatives: Any
    tau: Any

    @classmethod
    def of(cls, frontier: Frontier, plan: Plan, places: Sequence[Place]) -> Points:
        """Every tau that matters, if these are the points; else those that the frontier has, at all sizes."""
        every = cls(frontier.sizes, frontier.counts, None)
        planned = check_frontier(plan.selector, plan.features, **every._asdict())
        known = {(one.n_features, one.n_alternatives, float(one.tau or 0)) for one in planned}
        if known == set(places):
            return every
        return every._replace(tau=sorted({point.tau for point in frontier}))


def _selector_for(frontier: Frontier) -> SelectAlternatives | None:
    """What finds the points of a frontier on other rows; None if its request does not say that."""
    request = frontier.points[0].result.request
    if frontier.by != "tau" or request is None or request.quality is None or request.existing:
        return None
    return selector_for(request, n_features=frontier.sizes[0], n_alternatives=frontier.counts[-1])


def _all_sets(frontier: Frontier) -> Result:
    """A result with the sets of all points, each once."""
    every = {
        chosen: names
        for point in frontier
        for chosen, names in zip(point.result.sets, point.result.texts, strict=True)
    }
    return replace(frontier.points[0].result, sets=list(every), texts=list(every.values()))


def _score_points(
    plan: Plan,
    given: Sequence[Sequence[FeatureSet]],
    places: Sequence[Place],
    number: int,
    train: Indices,
    test: Indices,
) -> tuple[Fold, ...]:
    """One fold of each point with the sets that it has."""
    scorer = FoldScorer(plan, number, train, test)
    return tuple(
        scorer.score(sets, n_sets=count + 1) for sets, (_, count, _) in zip(given, places, strict=True)
    )


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
