"""As many as there are: how many sets that are good enough go together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from altsets.constraints import Constraint
from altsets.features import whole_number
from altsets.problem import EXACT_TOLERANCE, Dissimilarity, FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Progress, Result
from altsets.search.compatibility import any_sets_differ_enough
from altsets.search.families.answer import FamilyClaim, family_result, in_words, none_result
from altsets.search.families.climb import Climb, Step
from altsets.search.families.counting import most_by_counting
from altsets.search.families.decision import LISTED, FamilySearch, at
from altsets.search.families.standard import Asked, Standard
from altsets.search.find import request, run_of, solved

__all__ = ["most_sets"]

#: Sets that are looked for at most, unless a user says otherwise.
MAX_SETS = 1000

#: A larger bound than this on the number of sets tells nobody anything.
MOST_TOLD = 1_000_000


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
    n_features : int
        Features in each set, unless ``constraints.Size`` says otherwise.
    tau : float, fraction or string, default 0.5
        The least dissimilarity of two sets. No set comes twice: with tau=0, any two sets that are not the same will do.
    min_quality : float
        The quality that a set must have at least.
    within : float
        Instead of ``min_quality``: by what part of the best quality a set may fall short of it, as for
        :func:`altsets.most_different`.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable
        What tau refers to, as for :func:`altsets.find`.
    constraints : sequence of constraints
        What every set must keep to; see :mod:`altsets.constraints`.
    existing : sequence of sets
        Sets (of indices or names) that every new set must differ from as well; they are not counted.
    time_limit : float, optional
        Seconds for the whole call. What was found by then is returned, with a bound.
    callback : callable, optional
        Called with a :class:`altsets.Progress` now and then; ``best`` and ``bound`` in it are numbers of sets.
    engine : str
        Force one engine of :func:`altsets.find`.
    max_sets : int
        No more sets than this are looked for.

    Returns
    -------
    Result
        The sets. ``objective`` is their number, ``bound`` what no number of such sets exceeds; status ``OPTIMAL`` is
        a proof that there are no more. Which of many such families is returned is not promised; their qualities are
        made better as far as a short search goes.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 8, 8, 7, 7, 2], feature_names=list("abcdefg"))
    >>> result = altsets.most_sets(scores, n_features=2, tau=1, min_quality=15)
    >>> len(result.sets), result.status, min(result.qualities)
    (3, <Status.OPTIMAL: 'optimal'>, 15.0)
    """
    run = run_of(time_limit, callback)
    asked = Asked.of(within, min_quality)
    most = whole_number("max_sets", max_sets, least=1)
    wanted = request(
        quality,
        n_features=n_features,
        n_alternatives=0,
        tau=tau,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation="min",
        constraints=constraints,
        existing=existing,
    )
    said = {**wanted.parameters(), "goal": "count", "max_sets": most}
    said |= {"within": asked.within, "min_quality": asked.min_quality}
    problem = _each_once(wanted)
    with run:
        standard = Standard.of(asked, quality, problem, run, engine)
        said["quality_needed"] = standard.least if standard.best else None
        if standard.best is None or not standard.is_reached:
            proven = standard.is_impossible
            return none_result(quality, wanted, standard, 1, run, said, proven=proven)
        search = FamilySearch(quality, problem, standard, run, engine)
        largest = _LargestNumber(search, problem, most)
        largest.find()
        n_sets = len(largest.sets)
        said["n_alternatives"] = max(n_sets - 1, 0)
        if not n_sets:
            return none_result(quality, wanted, standard, 1, run, said, proven=largest.climb.refuted <= 1)
        found = at(problem, n_alternatives=n_sets - 1)
        claim = _claim(largest, standard, asked, said["tau"])
        return family_result(quality, found, search.improved(found, largest.sets), claim, run, said)


def _each_once(problem: Problem) -> Problem:
    """The same request, in which no set goes with itself."""
    assert problem.tau is not None
    if problem.tau <= EXACT_TOLERANCE:
        # Any two sets will do that differ in one feature, which by Dice counts for at least this much.
        largest = max(problem.k_max, *(len(given) for given in problem.existing), 1)
        return at(problem, dissimilarity="dice", tau=Fraction(1, 2 * largest))
    own = problem.dissimilarity
    # Those that come with altsets find every set equal to itself, and engines know them by their class.
    if not callable(own) or type(own).__module__.startswith("altsets."):
        return problem
    return at(problem, dissimilarity=_NeverWithItself(own))


@dataclass(frozen=True)
class _NeverWithItself:
    """A user's own dissimilarity, but for a set and itself."""

    own: Dissimilarity

    def __call__(self, first: FeatureSet, second: FeatureSet) -> float:
        return 0.0 if first == second else self.own(first, second)


@dataclass
class _LargestNumber:
    """The search for the largest family: the sets so far, and how many there can be."""

    search: FamilySearch
    problem: Problem
    max_sets: int
    sets: Sequence[FeatureSet] = ()
    engine: str = ""
    proof: str = ""
    climb: Climb = field(init=False)

    def __post_init__(self) -> None:
        self.engine, self.proof = self.search.standard.engine, "counting features"
        search, best = self.search, self.search.standard.best
        if best is not None and all(self.problem.compatible(best, given) for given in self.problem.existing):
            self.sets = [best]
        most = most_by_counting(
            search.quality, self.problem, search.standard, search.listed, search.run, search.limits
        )
        self.climb = Climb(len(self.sets), most + 1, min(most, self.max_sets))

    def find(self) -> None:
        """Go on until no larger number is possible, or time is up."""
        self._report()
        run, limits = self.search.run, self.search.limits
        if self.search.listed is not None:
            self._pick(limits.first_steps)
        elif not any_sets_differ_enough(self.problem):
            self._grow()
        self.climb.go(self._attempt, limits.first_steps, doubling=True, stop=lambda: run.stopped)

    def _pick(self, max_steps: float) -> None:
        """As many as a search in the list of all good sets finds."""
        self.engine = "enumerate"
        sets, most = self.search.largest_listed(self.problem, self.climb.top, max_steps)
        if most + 1 < self.climb.refuted:
            self.climb.refuted, self.proof = int(most) + 1, LISTED
        self._take(sets)

    def _grow(self) -> None:
        """One good set after the other, each the best that goes with those before."""
        search, sets = self.search, list(self.sets)
        with search.run.part(search.limits.growth_steps) as part:
            while len(sets) < self.climb.top and not part.stopped:
                one = at(self.problem, existing=(*self.problem.existing, *sets))
                found = solved(search.quality, one, part.part(), search.engine)
                if not found.sets or found.objective < search.standard.least - search.standard.tolerance:
                    break
                sets += found.sets
                self._take(sets)

    def _attempt(self, level: int, max_steps: float) -> Step:
        # In few steps, the list has been searched already.
        listing = max_steps == math.inf
        decision = self.search.decide(at(self.problem, n_alternatives=level - 1), max_steps, listing=listing)
        self.engine = decision.engine
        refuted = level if decision.refuted else math.inf
        refuted = min(refuted, decision.most + 1)
        if refuted < self.climb.refuted:
            self.proof = decision.proof
        if decision.sets:
            self._take(decision.sets)
        reached = len(decision.sets) or None
        return Step(reached, None if refuted == math.inf else int(refuted))

    def _take(self, sets: Sequence[FeatureSet]) -> None:
        if len(sets) > len(self.sets):
            self.sets = list(sets)
            self.climb.reached = max(self.climb.reached, len(sets))
            self._report()

    def _report(self) -> None:
        run = self.search.run
        run.sets, run.objective, run.bound = list(self.sets), float(len(self.sets)), float(self.bound)
        run.report()

    @property
    def bound(self) -> int:
        """There are no more sets than this."""
        return self.climb.refuted - 1


def _claim(largest: _LargestNumber, standard: Standard, asked: Asked, tau: float) -> FamilyClaim:
    """What is said about the sets."""
    n_sets, bound = len(largest.sets), largest.bound
    all_found = n_sets == bound
    proven = all_found and standard.proven
    good = in_words(asked, standard)
    finding = (
        f"1 set {good} found"
        if n_sets == 1
        else f"{n_sets} sets found, each {good}, that differ by tau = {tau:.6g} or more"
    )
    told = f"at most {bound:,} exist" if bound <= MOST_TOLD else "how many there are was not found out"
    limited = not all_found and n_sets >= largest.max_sets
    if proven:
        finding += "; proven that there are no more"
    elif limited:
        finding += f", as many as max_sets={largest.max_sets} allows; {told}"
    else:
        finding += f"; {told}"
    proof = largest.proof if standard.proven else standard.proof
    return FamilyClaim(float(n_sets), float(bound), proven, finding, largest.engine, proof, finished=limited)
