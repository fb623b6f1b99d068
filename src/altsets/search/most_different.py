"""As different as possible: the largest tau at which sets are still good enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.problem import Dissimilarity, FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Progress, Result
from altsets.search.families.answer import FamilyClaim, family_result, in_words, none_result
from altsets.search.families.climb import Climb, Step
from altsets.search.families.decision import FamilySearch, at
from altsets.search.families.standard import Asked, Standard
from altsets.search.families.taus import Taus, least_dissimilarity
from altsets.search.find import request, run_of

__all__ = ["most_different"]

#: How good a set must be where a user does not say: a part of the best quality that it may lack.
WITHIN = 0.05

#: What must be good enough -> what a search for it maximises.
BY = {"every": "min", "sum": "sum"}


def most_different(
    quality: Quality,
    n_features: int = 5,
    n_alternatives: int = 3,
    *,
    within: float | None = None,
    min_quality: float | None = None,
    by: str = "every",
    dissimilarity: str | Dissimilarity = "dice",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    engine: str = "auto",
) -> Result:
    """Find sets that are as different from each other as they can be while all of them are good enough.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`altsets.find`.
    n_features : int
        Features in each set, unless ``constraints.Size`` says otherwise.
    n_alternatives : int
        Sets to find besides the first one.
    within : float, default 0.05
        By what part of the best quality a set may fall short of it: quality >= best - within * abs(best). The best is
        that of a single set which keeps to the constraints, of whatever size, and need not differ from ``existing``.
    min_quality : float, optional
        Instead of ``within``: the quality that a set must have at least.
    by : {"every", "sum"}
        Whether every set must be good enough, or their sum: that is, their mean quality.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable
        What tau refers to, as for :func:`altsets.find`. For a function of your own, and for
        :class:`altsets.dissimilarity.Matched` without a threshold, the largest tau is found to 0.001.
    constraints : sequence of constraints
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, optional
        Seconds for the whole call. What was found by then is returned, with a bound.
    callback : callable, optional
        Called with a :class:`altsets.Progress` now and then; ``best`` and ``bound`` in it are values of tau.
    engine : str
        Force one engine of :func:`altsets.find`.

    Returns
    -------
    Result
        The sets, and in ``tau`` how different they are. ``objective`` is tau as well, ``bound`` the largest tau that is
        not ruled out; status ``OPTIMAL`` is a proof that no larger tau is possible (where it is found to 0.001:
        none that is larger by that or more). Of the sets that are so different, good ones are taken as far as
        a short search goes; their qualities are not claimed to be the best.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 8, 8, 7, 7, 2], feature_names=list("abcdefg"))
    >>> result = altsets.most_different(scores, n_features=3, n_alternatives=1, within=0.1)
    >>> result.tau, result.named_sets, result.qualities
    (1.0, [('a', 'b', 'e'), ('c', 'd', 'f')], [24.0, 23.0])
    >>> altsets.most_different(scores, n_features=2, n_alternatives=2, within=0.05).tau
    0.5
    """
    run = run_of(time_limit, callback)
    asked = Asked.of(within, min_quality, WITHIN)
    if by not in BY:
        raise InputError(f"by={by!r} is unknown; choose one of 'every', 'sum'.")
    problem = request(
        quality,
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=0,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation=BY[by],
        constraints=constraints,
        existing=existing,
    )
    with run:
        standard = Standard.of(asked, quality, problem, run, engine)
        said = {
            "goal": "tau",
            "by": by,
            "within": asked.within,
            "min_quality": asked.min_quality,
            "quality_needed": standard.least if standard.best else None,
        }
        if standard.best is None or not standard.is_reached:
            proven = standard.is_impossible
            nothing = {**said, "tau": None}
            return none_result(quality, problem, standard, problem.n_sets, run, nothing, proven=proven)
        search = FamilySearch(quality, problem, standard, run, engine)
        largest = _LargestTau(search, problem, [standard.best] * problem.n_sets)
        largest.find()
        claim = _claim(largest, standard, asked, by)
        found = at(problem, tau=largest.tau)
        return family_result(
            quality,
            found,
            search.improved(found, largest.sets),
            claim,
            run,
            {**said, "tau": float(largest.tau)},
        )


@dataclass
class _LargestTau:
    """The search for the largest tau: the sets that are most different so far, and how different others can be."""

    search: FamilySearch
    problem: Problem
    sets: Sequence[FeatureSet]
    tau: Fraction = Fraction(0)
    engine: str = ""
    proof: str = ""
    taus: Taus = field(init=False)
    climb: Climb = field(init=False)

    def __post_init__(self) -> None:
        self.taus = Taus.of(self.problem, self.search.limits)
        top = len(self.taus.values) - 1
        # The best set again and again goes with itself at tau = 0, and perhaps further.
        self.tau = least_dissimilarity(self.problem, self.sets)
        self.climb = Climb(self.taus.reached(self.tau), top + 1, top)
        self.engine = self.search.standard.engine

    def find(self) -> None:
        """Go on until no larger tau is possible, or time is up."""
        self._report()
        run = self.search.run
        self.climb.go(self._attempt, self.search.limits.first_steps, stop=lambda: run.stopped)

    def _attempt(self, level: int, max_steps: float) -> Step:
        decision = self.search.decide(at(self.problem, tau=self.taus.values[level]), max_steps)
        self.engine = decision.engine
        if decision.refuted:
            self.proof = decision.proof
        step = Step(refuted=level if decision.refuted else None)
        if decision.sets:
            self.sets, self.tau = decision.sets, least_dissimilarity(self.problem, decision.sets)
            step = Step(max(level, self.taus.reached(self.tau)))
        self._report()
        return step

    def _report(self) -> None:
        run = self.search.run
        run.sets, run.objective, run.bound = list(self.sets), float(self.tau), float(self.bound)
        run.report()

    @property
    def is_proven(self) -> bool:
        """Whether every larger value of tau is ruled out."""
        return self.climb.reached == min(self.climb.refuted - 1, self.climb.top)

    @property
    def bound(self) -> Fraction:
        """No tau above this is possible."""
        if self.climb.refuted > self.climb.top:
            return Fraction(1)
        # Between values that are not all there are, a smaller one than that which is refuted may be possible.
        return max(self.tau, self.taus.values[self.climb.refuted - (1 if self.taus.every else 0)])


def _claim(largest: _LargestTau, standard: Standard, asked: Asked, by: str) -> FamilyClaim:
    """What is said about the sets."""
    proven, n_sets = largest.is_proven and standard.proven, largest.problem.n_sets
    good = in_words(asked, standard)
    tau, bound = f"{float(largest.tau):.6g}", f"{float(largest.bound):.6g}"
    if n_sets > 1:
        each = "each" if by == "every" else "on average"
        finding = f"{n_sets} sets, {each} {good}, differ by tau = {tau} or more"
    elif largest.problem.existing:
        finding = f"1 set, {good}, differs from the existing ones by tau = {tau} or more"
    else:
        finding = f"1 set, {good}, has none to differ from"
    if proven and largest.bound == largest.tau:
        finding += "; proven that no larger tau is possible"
    elif proven:
        finding += f"; proven that tau = {bound} is not possible"
    elif largest.is_proven:
        finding += "; a better set than the best that was found may rule them out"
    else:
        finding += f"; a larger tau, up to {bound}, is not ruled out"
    proof = largest.proof or ("no larger value exists" if largest.is_proven else "nothing was ruled out")
    proof = proof if standard.proven else standard.proof
    return FamilyClaim(float(largest.tau), float(largest.bound), proven, finding, largest.engine, proof)
