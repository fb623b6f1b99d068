"""most_different and most_sets: bisection over a monotone question, see docs/internals/search.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.features import whole_number
from altsets.problem import EXACT_TOLERANCE, Dissimilarity, FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Progress, Result
from altsets.search.family_search import LISTED, Bisection, FamilySearch, Taus, least_dissimilarity
from altsets.search.good_sets import Nearness, Requirement, bound_on_number
from altsets.search.run import Run
from altsets.search.solving import problem_of, refuse_chosen_sizes, refuse_further

#: How good a set of ``most_different`` must be by default: the fraction of the best quality that it may lack.
WITHIN = 0.05

#: What must be good enough -> what a search for it maximises.
BY = {"every": "min", "sum": "sum"}

#: Sets that ``most_sets`` looks for at most, unless the user says otherwise.
MAX_SETS = 1000

#: A bound on the number of sets beyond this is not worth printing.
MOST_SHOWN = 1_000_000


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
    n_features : int, default=5
        Features in each set, unless ``constraints.Size`` says otherwise.
    n_alternatives : int, default=3
        Sets to find besides the first one.
    within : float, default=None
        By what part of the best quality a set may fall short of it: quality >= best - within * abs(best). The best is
        that of a single set which keeps to the constraints, of whatever size, and need not differ from ``existing``.
    min_quality : float, default=None
        Instead of ``within``: the quality that a set must have at least.
    by : {"every", "sum"}, default="every"
        Whether every set must be good enough, or their sum: that is, their mean quality.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`. For a function of your own, and for
        :class:`altsets.dissimilarity.Matched` without a threshold, the largest tau is found to 0.001.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well.
    time_limit : float, default=None
        Seconds for the whole call. What was found by then is returned, with a bound.
    callback : callable, default=None
        Called with a :class:`altsets.Progress` now and then; ``best`` and ``bound`` in it are values of tau.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.

    Returns
    -------
    Result
        The sets, and in ``tau`` how different they are. ``objective`` is tau as well, ``bound`` the largest tau that is
        not ruled out; status ``OPTIMAL`` is a proof that no larger tau is possible (where it is found to 0.001:
        none that is larger by that or more). Of the sets that are so different, good ones are taken as far as
        a short search goes; their qualities are not claimed to be the best.

    Raises
    ------
    altsets.errors.InputError
        If both ``within`` and ``min_quality`` are given, a parameter is out of range or contradicts another one, or a
        name is not one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.find : The best sets for a given tau.
    altsets.frontier : Quality for every tau.
    altsets.most_sets : As many sets as there are for a given tau.
    altsets.near_best : How many sets are good enough, however different.

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
    asked = Nearness.of(within, min_quality, WITHIN)
    if by not in BY:
        raise InputError(f"by={by!r} is unknown; choose one of 'every', 'sum'.")
    request = Request(
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=0,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation=BY[by],
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
    )
    run = Run(request.time_limit, callback)
    problem = problem_of(request, quality)
    refuse_further(problem, "most_different()")
    refuse_chosen_sizes(quality, "most_different()")
    with run:
        requirement = Requirement.of(asked, quality, problem, run, engine)
        search = LargestTau(quality, problem, problem, requirement, run, engine)
        return replace(search.solve(), request=request)


def most_sets(
    quality: Quality,
    n_features: int = 5,
    tau: Any = None,
    *,
    min_quality: float | None = None,
    within: float | None = None,
    dissimilarity: str | Dissimilarity = "dice",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    engine: str = "auto",
    max_sets: int = MAX_SETS,
) -> Result:
    """Find as many sets as there are that are good enough and differ enough from each other.

    Parameters
    ----------
    quality : quality object
        What "good" means, as for :func:`altsets.find`.
    n_features : int, default=5
        Features in each set, unless ``constraints.Size`` says otherwise.
    tau : float, fraction or string, default=None
        The least dissimilarity of two sets. No set comes twice: with tau=0, any two sets that are not the same will do.
    min_quality : float, default=None
        The quality that a set must have at least.
    within : float, default=None
        Instead of ``min_quality``: by what part of the best quality a set may fall short of it, as for
        :func:`altsets.most_different`.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
        What tau refers to, as for :func:`altsets.find`.
    constraints : sequence of constraints, default=()
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets, default=()
        Sets (of indices or names) that every new set must differ from as well; they are not counted.
    time_limit : float, default=None
        Seconds for the whole call. What was found by then is returned, with a bound.
    callback : callable, default=None
        Called with a :class:`altsets.Progress` now and then; ``best`` and ``bound`` in it are numbers of sets.
    engine : str, default="auto"
        Force one engine of :func:`altsets.find`.
    max_sets : int, default=1000
        No more sets than this are looked for.

    Returns
    -------
    Result
        The sets. ``objective`` is their number, ``bound`` what no number of such sets exceeds; status ``OPTIMAL`` is
        a proof that there are no more. Which of many such families is returned is not promised; their qualities are
        made better as far as a short search goes.

    Raises
    ------
    altsets.errors.InputError
        If neither or both of ``within`` and ``min_quality`` are given, a parameter is out of range or contradicts
        another one, or a name is not one of the features.
    altsets.errors.UnsupportedError
        If no engine, or not the one that was asked for, solves this kind of request.
    altsets.errors.VerificationError
        If an answer fails the independent check, which is a bug.

    See Also
    --------
    altsets.most_different : The largest tau for a given number of sets.
    altsets.near_best : How many sets are good enough, however different.
    altsets.iterate : One set after the other, the best first.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 8, 8, 7, 7, 2], feature_names=list("abcdefg"))
    >>> result = altsets.most_sets(scores, n_features=2, tau=1, min_quality=15)
    >>> len(result.sets), result.status, min(result.qualities)
    (3, <Status.OPTIMAL: 'optimal'>, 15.0)
    """
    asked = Nearness.of(within, min_quality)
    most = whole_number("max_sets", max_sets, least=1)
    request = Request(
        n_features=n_features,
        n_alternatives=0,
        tau=tau,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation="min",
        constraints=constraints,
        existing=existing,
        engine=engine,
        time_limit=time_limit,
    )
    run = Run(request.time_limit, callback)
    wanted = problem_of(request, quality)
    refuse_further(wanted, "most_sets()")
    refuse_chosen_sizes(quality, "most_sets()")
    problem = without_repeats(wanted)
    with run:
        requirement = Requirement.of(asked, quality, problem, run, engine)
        search = LargestNumber(quality, wanted, problem, requirement, run, engine)
        search.max_sets = most
        return replace(search.solve(), request=request)


def without_repeats(problem: Problem) -> Problem:
    """The same request, in which a set does not differ from itself."""
    if problem.tau is None:
        least: Fraction | int | None = problem.min_difference
    else:
        least = problem.tau
    if least is not None and least <= EXACT_TOLERANCE:
        # Any two sets that differ in one feature, which by Dice counts for at least this much.
        largest = max(problem.k_max, *(len(given) for given in problem.existing), 1)
        return replace(problem, dissimilarity="dice", tau=Fraction(1, 2 * largest), min_difference=None)
    own = problem.dissimilarity
    # Those of altsets find every set equal to itself, and engines know them by their class.
    if not callable(own) or type(own).__module__.startswith("altsets."):
        return problem
    return replace(problem, dissimilarity=_NeverRepeated(own))


@dataclass(frozen=True)
class _NeverRepeated:
    """A user's own dissimilarity, by which no set differs from itself, whether it exists already or not."""

    own: Dissimilarity

    def __call__(self, first: FeatureSet, second: FeatureSet) -> float:
        return 0.0 if first == second else self.own(first, second)


class LargestTau(FamilySearch):
    """The largest tau at which there are as many sets as asked."""

    tau = Fraction(0)

    def start(self, best: FeatureSet) -> None:
        """The best set again and again goes with itself at tau = 0, and perhaps further."""
        self.taus = Taus.of(self.problem)
        top = len(self.taus.values) - 1
        if not self.problem.is_plain:
            # What sets have to meet together, the best one again and again may not.
            self.levels = Bisection(-1, top + 1, top)
            return
        self.sets = [best] * self.problem.n_sets
        self.tau = least_dissimilarity(self.problem, self.sets)
        self.levels = Bisection(self.taus.reached(self.tau), top + 1, top)
        self.report()

    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level."""
        decision = self.decide(replace(self.problem, tau=self.taus.values[level]), max_steps)
        self.engine = decision.engine
        if decision.refuted:
            self.proof = decision.proof
        reached = None
        if decision.sets:
            self.sets, self.tau = decision.sets, least_dissimilarity(self.problem, decision.sets)
            reached = max(level, self.taus.reached(self.tau))
        self.report()
        return reached, level if decision.refuted else None

    @property
    def solution_problem(self) -> Problem:
        """What the sets found are a solution of."""
        return replace(self.problem, tau=self.tau)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the problem does not hold."""
        by = next(by for by, aggregation in BY.items() if aggregation == self.problem.aggregation)
        return {"goal": "tau", "by": by, "tau": float(self.tau) if self.sets else None}

    @property
    def objective(self) -> Fraction:
        """The value to maximise."""
        return self.tau

    @property
    def bound(self) -> Fraction:
        """The upper bound of the value."""
        refuted = self.levels.refuted
        if refuted > self.levels.top:
            return Fraction(1)
        # Between values that are not all there are, a smaller one than that which is ruled out may be possible.
        return max(self.tau, self.taus.values[refuted - (1 if self.taus.every else 0)])

    @property
    def argument(self) -> str:
        """Why larger levels are ruled out."""
        return self.proof or ("no larger value exists" if self.is_settled else "nothing was ruled out")

    def describe(self) -> str:
        """What was found and proven."""
        return f"{self._subject}; {self._claim}"

    @property
    def _subject(self) -> str:
        problem, good = self.problem, self.requirement.describe()
        tau = f"tau = {float(self.tau):.6g}"
        if problem.n_sets > 1:
            each = "each" if problem.aggregation == "min" else "on average"
            return f"{problem.n_sets} sets, {each} {good}, differ by {tau} or more"
        if problem.existing:
            return f"1 set, {good}, differs from the existing ones by {tau} or more"
        return f"1 set, {good}, has none to differ from"

    @property
    def _claim(self) -> str:
        bound = f"{float(self.bound):.6g}"
        if not self.is_settled:
            return f"a larger tau, up to {bound}, is not ruled out"
        if not self.requirement.proven:
            return "a better set than the best that was found may rule them out"
        if self.bound == self.tau:
            return "proven that no larger tau is possible"
        return f"proven that tau = {bound} is not possible"


class LargestNumber(FamilySearch):
    """The largest number of sets at one tau."""

    doubling = True
    repeat = False
    max_sets = MAX_SETS

    def start(self, best: FeatureSet) -> None:
        """A first solution: from the list of all good sets, or else one set after the other."""
        problem = self.problem
        self.proof = "counting features"
        if problem.is_plain and all(problem.compatible(best, given) for given in problem.existing):
            self.sets = [best]
        most = bound_on_number(self.quality, problem, self.requirement, self.listed, self.run)
        self.levels = Bisection(len(self.sets), most + 1, min(most, self.max_sets))
        self.report()
        if self.listed is not None:
            self._pick()
        elif problem.is_plain and not problem.any_sets_differ_enough:
            self._grow()

    def _pick(self) -> None:
        """As many as the clique search finds in the list of all good sets."""
        self.engine = "enumerate"
        sets, most = self.pick_listed(self.problem, self.levels.top, self.limits.first_steps)
        if most + 1 < self.levels.refuted:
            self.levels.refuted, self.proof = int(most) + 1, LISTED
        self._take(sets)

    def _grow(self) -> None:
        """One good set after the other, each the best that goes with those before."""
        sets = list(self.sets)
        with self.run.part(self.limits.growth_steps) as part:
            while len(sets) < self.levels.top and not part.stopped:
                one = replace(self.problem, existing=(*self.problem.existing, *sets))
                found = self.best_sets(one, part.part())
                good = bool(found.sets) and self.requirement.met_by(found.objective)
                if not good or found.sets[0] in sets:
                    break
                sets += found.sets
                self._take(sets)

    def attempt(self, level: int, max_steps: float) -> tuple[int | None, int | None]:
        """Decide one level."""
        # In few steps, the list has been searched already.
        listing = max_steps == math.inf
        decision = self.decide(replace(self.problem, n_alternatives=level - 1), max_steps, listing=listing)
        self.engine = decision.engine
        refuted = min(level if decision.refuted else math.inf, decision.most + 1)
        if refuted < self.levels.refuted:
            self.proof = decision.proof
        self._take(decision.sets)
        return len(decision.sets) or None, None if refuted == math.inf else int(refuted)

    def _take(self, sets: Sequence[FeatureSet]) -> None:
        if len(sets) > len(self.sets):
            self.sets = list(sets)
            self.levels.reached = max(self.levels.reached, len(sets))
            self.report()

    @property
    def solution_problem(self) -> Problem:
        """What the sets found are a solution of."""
        return replace(self.problem, n_alternatives=len(self.sets) - 1)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the problem does not hold."""
        found = {"n_alternatives": max(len(self.sets) - 1, 0)}
        return {**self.asked.parameters(), "goal": "count", "max_sets": self.max_sets, **found}

    @property
    def objective(self) -> float:
        """The value to maximise."""
        return len(self.sets)

    @property
    def bound(self) -> float:
        """The upper bound of the value."""
        return self.levels.refuted - 1

    @property
    def is_settled(self) -> bool:
        """Whether every larger level is ruled out."""
        return len(self.sets) == self.bound

    @property
    def is_limited(self) -> bool:
        """Whether no more sets than these were looked for."""
        return not self.is_settled and len(self.sets) >= self.max_sets

    def describe(self) -> str:
        """What was found and proven."""
        good, n_sets = self.requirement.describe(), len(self.sets)
        found = f"1 set {good} found"
        if n_sets > 1:
            assert self.asked.tau is not None
            tau = f"{float(self.asked.tau):.6g}"
            found = f"{n_sets} sets found, each {good}, that differ by tau = {tau} or more"
        if self.is_settled and self.requirement.proven:
            return f"{found}; proven that there are no more"
        limited = f", as many as max_sets={self.max_sets} allows" if self.is_limited else ""
        bound = int(self.bound)
        known = f"at most {bound:,} exist" if bound <= MOST_SHOWN else "how many there are was not found out"
        return f"{found}{limited}; {known}"
