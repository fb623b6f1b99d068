"""Public API: sets for a request, together or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from altsets.constraints import AtLeastSets, Constraint
from altsets.errors import InputError, UnsupportedError
from altsets.problem import Dissimilarity
from altsets.result import Progress, Result
from altsets.search.answering import answer, answers_in_turn
from altsets.verbs.asking import asked_of


def find(
    quality: Any,
    n_features: int | float | None = None,
    n_alternatives: int | str = 3,
    tau: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    quality_params: Mapping[str, Any] | None = None,
    adjust: Any = None,
    feature_groups: Any = None,
    unit: str = "feature",
    within: float | None = None,
    min_quality: float | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    difference: str = "each",
    overlap_penalty: float = 0.0,
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    engine: str = "auto",
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> Result:
    """Find feature sets that are all good and truly different from each other.

    Parameters
    ----------
    quality : quality object, array, str, class, estimator or callable
        What "good" means. A quality object: the sum of scores (:class:`altsets.quality.Additive`), or features that say
        much about the target and little about each other (:class:`altsets.quality.MRMR`,
        :class:`altsets.quality.FCBF`, :class:`altsets.quality.CFS`); or how well a model predicts
        (:class:`altsets.quality.Wrapper`), also one that chooses features by itself
        (:class:`altsets.quality.Embedded`), or any function of a set (:class:`altsets.quality.BlackBox`). Or one score
        for each feature, which are added up: an array, a Series or ``{name: score}``.
        Or what is computed from ``X`` and ``y``: a name such as ``"mrmr"``, a
        class, an estimator or a function, as for :class:`altsets.SelectAlternatives`.
    n_features : int or float, default=None
        Features in each set, unless ``constraints.Size`` says otherwise; or a share of all that sets can have, such as
        0.1, rounded down to at least 1. None: 5, or as many as the model chooses if it is one that does
        (:class:`altsets.quality.Embedded`).
    n_alternatives : int or "max", default=3
        Sets to find besides the first one. ``"max"``: as many as there are, up to 1,000, and none of them twice: with
        simultaneous search the largest number, then the best sets of that number (``Result.n_sets_bound``); in
        sequential search until none is left or the next one is not good enough; as many as a heuristic can give. Set a
        time limit.
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets: 0 allows equal sets, 1 asks for sets that share no feature. ``"max"`` with
        ``within`` or ``min_quality``: the largest tau, then the best sets at it; with simultaneous search jointly, in
        sequential search set by set (``Result.tau``, ``Result.tau_bound``). For a function of your own, and for
        :class:`altsets.dissimilarity.Matched` without a threshold, it is found to 0.001.
    X : table of shape (n_samples, n_features), default=None
        The table from which the quality is computed if it is a name, a class, an estimator or a function, and on which
        similarities are measured; all tables that :meth:`altsets.SelectAlternatives.fit` takes.
    y : array-like of shape (n_samples,) or str, default=None
        The target.
    quality_params : dict, default=None
        Options of a quality that is computed from ``X``, such as ``{"estimator": model, "cv": 5}`` for ``"wrapper"``.
    adjust : sequence of features, default=None
        Covariates, such as ``["age", "sex", "batch"]``: columns of ``X`` that are no candidates, and for which scores
        and pairs of features are adjusted. What a linear model of the covariates explains is taken out of each feature
        and of the target: "pearson" becomes the partial correlation, "spearman" that of ranks, "f" the F statistic for
        adding the feature to the covariates, "mutual_info" the information between residuals, "cox" the score
        statistic beside the covariates, and "linear_fit" the share of what the covariates leave unexplained; "mrmr",
        "fcbf" and "cfs" use these. Rows in which a covariate is missing do not count. Other qualities, and tables that
        are sparse or read in passes, do not support it.
    feature_groups : mapping, sequence of sequences of features, Grouped or str, default=None
        Groups of features, such as the columns of one sensor: a mapping from feature to group or from group to
        features, lists of features, or the text that ends the group's name in names of features (``"__"`` for
        ``temp__mean``). A feature that is not listed is a group of its own. ``dissimilarity="groups"`` compares sets by
        groups, and :class:`altsets.constraints.Budget` pays for each group once.
    unit : {"feature", "group"}, default="feature"
        What sets are made of. With ``"group"``, the features of a group of ``feature_groups`` are chosen together or
        not at all, and ``n_features``, ``tau`` and :class:`altsets.constraints.Size` count groups.
    within : float, default=None
        Instead of ``min_quality``: by what part of the best quality a set may fall short of it, such as 0.05. The best
        quality is that of the best single set under the constraints, of whatever size, regardless of existing sets;
        where it is not proven, nothing else is. In sequential search, the first set that is not good enough ends the
        search; of a heuristic, such sets are left out. In sequential search, neither ``within`` nor ``min_quality``
        can be combined with ``overlap_penalty``.
    min_quality : float, default=None
        The least quality of every set.
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched, Grouped or callable, default="dice"
        What tau refers to. With ``"absolute"``, tau is the number of features in which two sets must differ, counted
        from the smaller set, and has to be given. :class:`altsets.dissimilarity.Matched` treats near-copies of
        features as the same; ``"groups"`` compares the groups of ``feature_groups``, and
        :class:`altsets.dissimilarity.Grouped` those that it is given. A function of your own takes two sorted tuples of
        indices and gives a number between 0 and 1, the same both ways round. Two sets go together if it gives at least
        tau, also a set with itself: where that is so, a set may come more than once, as with tau=0.
    difference : {"each", "average"}, default="each"
        Whether a set must differ by tau from each set before it, or from all of them on average, existing ones
        included. ``"average"`` is for sequential search.
    overlap_penalty : float, default=0.0
        What each feature that two sets share costs, in units of quality: the objective is the sum of the qualities
        minus this times the number of shared features, added up over all pairs of sets, existing ones included. In a
        sequential search each set pays for what it shares with those before it. Without
        tau, tau is 0.
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
        One set after the other, each the best given those before; or all sets together; or a heuristic.
    aggregation : {"sum", "min", "leximin"}, default="sum"
        What to maximise over simultaneous sets; with ``"min"`` the sum decides between equal minima as far as it goes.
        ``"leximin"`` makes the worst set as good as possible, then the second worst, and so on.
    constraints : sequence of constraints, default=()
        What every set must keep to, such as ``constraints.Require("age")``; see :mod:`altsets.constraints`. Sets of
        different sizes come from ``constraints.Size(k_min, k_max)``, which replaces n_features. Heuristics take Forbid,
        and ``"greedy-depth"`` also Require, AtMost, AtLeast and Exclusive. Where constraints clash, ``Result.reason``
        names them.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    engine : {"auto", "additive", "enumerate", "milp", "greedy", "shortlist", "exhaustive", "best-first", \
            "local-search", "greedy-wrapper"}, default="auto"
        Force one engine; an engine that can't solve the problem raises. "additive" is the fastest, for additive
        quality, sets of one size and no constraint but Forbid (in sequential search, also those on all sets
        together); "enumerate" takes everything that is exact; "milp" is an integer-programming solver for all that is
        linear (not CFS or your own dissimilarity); "greedy" has the heuristics; "shortlist" is for wide tables, whose
        pairs of features are computed on demand. "auto" takes the first that does not decline. The last four are for
        black boxes: "exhaustive" evaluates every set, which "auto" does if they are no more than ``max_iters``; else
        "local-search" looks for good ones, and "greedy-wrapper" does so as Bach (2023) does; "best-first" is for models
        that choose features themselves.
    time_limit : float, default=None
        Seconds for the whole call, the choice of an engine and all checks included. What was found by then is returned
        with a bound, and ``Result.stop_reason`` is ``"time_limit"``. Each set of a sequential search has its share of
        the time; a set that was not found is constructed greedily and improved by exchanges, and marked as unproven.
        Without a limit, the answer does not depend on how fast the machine is.
    callback : callable, default=None
        Called with a :class:`altsets.results.Progress` now and then. What it raises ends the search.

    Returns
    -------
    Result
        The sets, with a certificate. Ctrl-C ends the search early and returns what was found.

    See Also
    --------
    altsets.iterate : The same sets one after the other, without a number given in advance.
    altsets.frontier : Every tau that matters in one call.
    altsets.SelectAlternatives : From a table to sets, as a scikit-learn estimator.

    References
    ----------
    Bach, J. (2023). Finding optimal diverse feature sets with alternative feature selection. arXiv:2307.11607.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1])
    >>> altsets.find(scores, n_features=3, n_alternatives=2, tau=0.5, search="simultaneous").objective
    54.0
    >>> from altsets import constraints
    >>> with_last = [constraints.Require(5), constraints.Exclusive([0, 1])]
    >>> altsets.find(scores, n_features=3, n_alternatives=0, constraints=with_last).sets
    [(0, 2, 5)]

    A quality by its name is computed from a table:

    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> altsets.find("mrmr", n_features=2, n_alternatives=1, tau=1, X=X, y=y).named_sets
    [('color_intensity', 'proline'), ('magnesium', 'flavanoids')]
    """
    asked = asked_of(
        quality,
        quality_params,
        X,
        y,
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        adjust=adjust,
        feature_groups=feature_groups,
        unit=unit,
        dissimilarity=dissimilarity,
        search=search,
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
        difference=difference,
        overlap_penalty=overlap_penalty,
        min_quality=min_quality,
        within=within,
    )
    return answer(asked.request, asked.quality, measured=asked.measured, callback=callback)


def iterate(
    quality: Any,
    n_features: int | float | None = None,
    n_alternatives: int | str = "max",
    tau: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    quality_params: Mapping[str, Any] | None = None,
    adjust: Any = None,
    feature_groups: Any = None,
    unit: str = "feature",
    within: float | None = None,
    min_quality: float | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    difference: str = "each",
    overlap_penalty: float = 0.0,
    search: str = "sequential",
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    engine: str = "auto",
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> Iterator[Result]:
    """Find sets one after the other, for as long as you like.

    Without ``n_alternatives`` the sets go on until no further one exists, up to 1,000, and none comes twice. Parameters
    are checked when the first set is asked for.

    Parameters
    ----------
    quality : quality object, array, str, class, estimator or callable
    n_features, tau, X, y, quality_params, adjust, feature_groups, min_quality, callback : default=None
        As for :func:`altsets.find`, like all others.
    n_alternatives : int or "max", default="max"
        Sets to find besides the first one; ``"max"`` for all that exist, each of them once.
    within : float, default=None
        By what part of the best quality a set may fall short of it: the first set that is not good enough is the end.
    unit : {"feature", "group"}, default="feature"
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched, Grouped or callable, default="dice"
    difference : {"each", "average"}, default="each"
    overlap_penalty : float, default=0.0
    search : {"sequential"}, default="sequential"
        The only search that gives one set after the other.
    aggregation : {"sum", "min", "leximin"}, default="sum"
        Without effect, as there is one set at a time.
    constraints, existing : sequence, default=()
    engine : str, default="auto"
    time_limit : float, default=None
        Seconds for each set.

    Yields
    ------
    Result
        One set, given the sets before it.

    See Also
    --------
    altsets.find : A given number of sets, or as many as there are, also chosen together.
    altsets.near_best : How many sets are good enough, however different.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> for found in altsets.iterate(quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, tau=1):
    ...     print(found.sets[0], found.qualities[0], found.status)
    (0, 1) 17.0 optimal
    (2, 3) 10.0 optimal
    (4, 5) 3.0 optimal
    """
    if search != "sequential":
        raise InputError("iterate() gives one set after the other; it takes search='sequential' only.")
    asked = asked_of(
        quality,
        quality_params,
        X,
        y,
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        adjust=adjust,
        feature_groups=feature_groups,
        unit=unit,
        dissimilarity=dissimilarity,
        aggregation=aggregation,
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
        difference=difference,
        overlap_penalty=overlap_penalty,
        within=within,
        min_quality=min_quality,
    )
    request = asked.request
    if any(isinstance(one, AtLeastSets) for one in request.constraints):
        raise UnsupportedError(
            "iterate() does not know how many sets there will be, as AtLeastSets needs it; use altsets.find()."
        )
    yield from answers_in_turn(request, asked.quality, asked.measured, callback)
