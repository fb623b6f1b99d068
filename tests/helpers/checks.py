"""A request as data, and everything that must hold for its answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from oracle import OWN_CONDITIONS, Numbers, Oracle, grouped, matched, own_condition
from paper_heuristics import greedy_balancing, greedy_depth, greedy_replacement

import altsets
from altsets import Result, Status, constraints, dissimilarity, quality
from altsets.measures import Redundancy
from altsets.problem import Problem
from altsets.search.solving import ENGINES

#: What a family of sets is worth: a sum, a minimum, or all qualities from the worst one up.
Value = tuple[Fraction, ...]
FOUND = (Status.OPTIMAL, Status.FEASIBLE)
#: Engines that try some sets and prove nothing.
LOCAL = ("local-search", "greedy-wrapper")
#: The engine for wide tables, which may end with a gap.
WIDE = "shortlist"

#: Plain names of qualities and constraints, and what the package calls them.
QUALITIES = {"additive": "Additive", "fcbf": "FCBF", "mrmr": "MRMR", "cfs": "CFS", "linear": "LinearFit"}
CONSTRAINTS = {
    "require": "Require",
    "forbid": "Forbid",
    "at_most": "AtMost",
    "at_least": "AtLeast",
    "exclusive": "Exclusive",
    "implies": "Implies",
    "together": "Together",
    "budget": "Budget",
    "linear": "Linear",
    "max_similarity": "MaxSimilarity",
    "custom": "Custom",
    "size": "Size",
    "at_most_sets": "AtMostSets",
    "at_least_sets": "AtLeastSets",
    "reserve": "Reserve",
    "total_budget": "TotalBudget",
}

#: Dissimilarities that a user might write, as text, so that a snippet can hold them. Exact in floats, symmetric.
OWN_DISSIMILARITIES = {
    "hamming": "lambda F, G: min(1.0, len(set(F) ^ set(G)) / 8)",
    "weighted jaccard": (
        "lambda F, G: 1 - sum(1 + j % 3 for j in set(F) & set(G)) / sum(1 + j % 3 for j in set(F) | set(G))"
    ),
    "another first feature": "lambda F, G: float(min(F) != min(G))",
    "far apart": "lambda F, G: min(1.0, abs(sum(F) * len(G) - sum(G) * len(F)) / (4 * len(F) * len(G)))",
}


@cache
def own_dissimilarity(name: str) -> Callable[[Any, Any], float]:
    """The function behind one of these names."""
    function: Callable[[Any, Any], float] = eval(OWN_DISSIMILARITIES[name])
    return function


#: How far bound and objective of a proven answer may lie apart, by the contract; relative to the scale of its problem.
PROVEN = Fraction(1, 10**9)
#: How far sums of a few numbers may be off because of rounding: relative to the scale, and where there is no double.
ROUNDING, SMALLEST = Fraction(1, 10**12), Fraction(math.ulp(0.0))
#: Gaps that count as none on small problems, where proofs are expected; relative to the scale.
SMALL_GAP = Fraction(1, 10**6)


def tolerance(value: float) -> float:
    """How far two objectives of this order may be off."""
    return 1.001e-9 * max(1.0, abs(value))


class GivenPairs(Redundancy):
    """Pairs on demand that are taken from a matrix."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = np.array(matrix)
        self.range, self.has_cheap_rows = (float(self.matrix.min()), float(self.matrix.max())), True
        self._n = len(self.matrix)

    def __getitem__(self, key: Any) -> Any:
        return self.matrix[key]

    def expect(self, order: Any) -> None:
        """Nothing has to be computed."""


def constraint_of(constraint: tuple[Any, ...]) -> constraints.Constraint:
    """A constraint of the package for a plain one."""
    kind, *rest = constraint
    if kind == "custom":
        return constraints.Custom(own_condition(*rest))
    made: constraints.Constraint = getattr(constraints, CONSTRAINTS[kind])(*rest)
    return made


@dataclass(frozen=True)
class Request:
    """What is handed to ``altsets.find``, kept as plain values so that it can be printed and run again.

    ``scores`` are the relevance of the features where the quality has a ``matrix`` as well; ``dissimilarity`` is the
    package's name, one of ``OWN_DISSIMILARITIES``, or "matched" or "grouped" with the arguments in ``likeness``;
    constraints are tuples as the oracle takes them. ``boxed`` hides the numbers in a function of a set.
    """

    scores: tuple[float, ...]
    n_features: int
    n_alternatives: int
    tau: Any = None
    min_difference: int | None = None
    dissimilarity: str = "dice"
    search: str = "sequential"
    aggregation: str = "sum"
    existing: tuple[tuple[int, ...], ...] = ()
    kind: str = "additive"
    matrix: tuple[tuple[float, ...], ...] = ()
    scale: float = 1.0
    min_relevance: float | None = None
    constraints: tuple[tuple[Any, ...], ...] = ()
    likeness: tuple[Any, ...] = ()
    boxed: bool = False
    #: Whether pairs come on demand, as of tables that are too wide for a matrix of them.
    wide: bool = False
    difference: str = "each"
    overlap_penalty: float = 0.0
    min_quality: float | None = None
    max_spread: float | None = None
    within: float | None = None
    #: What ``within`` or ``min_quality`` comes to, for the oracle.
    least: Fraction | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of ``find``, those that differ from its defaults."""
        options: dict[str, Any] = {"n_features": self.n_features, "n_alternatives": self.n_alternatives}
        if self.tau is not None:
            options["tau"] = self.tau
        for name in ("dissimilarity", "search", "aggregation", "existing"):
            options[name] = getattr(self, name)
        if self.min_difference is not None:
            options |= {"tau": self.min_difference, "dissimilarity": "absolute"}
        for name in ("difference", "overlap_penalty", "min_quality", "within"):
            if getattr(self, name) != getattr(Request, name):
                options[name] = getattr(self, name)
        if self.own:
            options["dissimilarity"] = own_dissimilarity(self.dissimilarity)
        elif self.likeness:
            options["dissimilarity"] = getattr(dissimilarity, self.dissimilarity.title())(*self.likeness)
        if self.constraints:
            options["constraints"] = [constraint_of(constraint) for constraint in self.constraints]
        if self.max_spread is not None:
            options["constraints"] = [*options.get("constraints", ()), constraints.Spread(self.max_spread)]
        return options

    @property
    def own(self) -> bool:
        """Whether the dissimilarity is a function of one's own."""
        return self.dissimilarity in OWN_DISSIMILARITIES

    @property
    def _figures(self) -> tuple[list[Any], dict[str, Any]]:
        """What the constructor of the quality is called with."""
        if self.kind == "linear":
            n = len(self.scores)
            return [[list(row[:n]) for row in self.matrix], [list(row[n:]) for row in self.matrix]], {}
        figures: list[Any] = [list(self.scores)]
        if self.kind != "additive":
            figures.append([list(row) for row in self.matrix])
        more = {}
        if self.scale != 1.0:
            more["scale"] = self.scale
        if self.min_relevance is not None:
            more["min_relevance"] = self.min_relevance
        return figures, more

    @property
    def quality(self) -> quality.Quality:
        figures, more = self._figures
        made: quality.Quality = getattr(quality, QUALITIES[self.kind])(*figures, **more)
        if self.wide:
            assert isinstance(made, quality.MRMR | quality.CFS)
            return type(made)(made.relevance, GivenPairs(made.redundancy))
        return quality.BlackBox(made.evaluate, n_features_in=len(self.scores)) if self.boxed else made

    @property
    def problem(self) -> Problem:
        options = {
            name: value for name, value in self.options.items() if name not in ("within", "min_quality")
        }
        if self.search == "simultaneous" and (self.within, self.min_quality) != (None, None):
            # Which engine searches does not depend on how good sets have to be, and in turn not even on whether.
            options["min_quality"] = 0.0
        return Problem.create(len(self.scores), **options)

    @cached_property
    def oracle(self) -> Oracle:
        return Oracle(
            Numbers(self.kind, self.scores, self.matrix, self.scale, self.min_relevance),
            self.n_features,
            tau=self.tau,
            min_difference=self.min_difference,
            dissimilarity=self._by_definition,
            existing=self.existing,
            constraints=self.constraints,
            least=self.least,
        )

    @property
    def _by_definition(self) -> str | Callable[[Any, Any], float]:
        """The dissimilarity as the oracle takes it."""
        if self.own:
            return own_dissimilarity(self.dissimilarity)
        if self.likeness:
            return {"matched": matched, "grouped": grouped}[self.dissimilarity](*self.likeness)
        return self.dissimilarity

    @property
    def exact(self) -> bool:
        return self.search in ("sequential", "simultaneous")

    def engines(self) -> list[str]:
        """The engines that do not decline this request."""
        good, problem = self.quality, self.problem
        return [name for name, engine in ENGINES.items() if engine.declines(good, problem) is None]

    def find(self, **more: Any) -> Result:
        return altsets.find(self.quality, **{**self.options, **more})

    def snippet(self, call: str = "print(altsets.find(good, {}))", **more: Any) -> str:
        """Lines that show the problem again; ``call`` takes the place of the last one."""
        figures, named = self._figures
        given = [repr(figure) for figure in figures] + [f"{name}={value!r}" for name, value in named.items()]
        options = {name: repr(value) for name, value in {**self.options, **more}.items()}
        if self.own:
            options["dissimilarity"] = OWN_DISSIMILARITIES[self.dissimilarity]
        elif self.likeness:
            options["dissimilarity"] = (
                f"dissimilarity.{self.dissimilarity.title()}({', '.join(map(repr, self.likeness))})"
            )
        if self.constraints:
            calls = [
                f"constraints.{CONSTRAINTS[kind]}"
                f"({OWN_CONDITIONS[rest[0]] if kind == 'custom' else ', '.join(map(repr, rest))})"
                for kind, *rest in self.constraints
            ]
            options["constraints"] = f"[{', '.join(calls)}]"
        keywords = ", ".join(f"{name}={text}" for name, text in options.items())
        boxed = f"good = quality.BlackBox(good.evaluate, n_features_in={len(self.scores)})\n"
        return (
            "import altsets; from altsets import constraints, dissimilarity, quality; from fractions import Fraction\n"
            f"good = quality.{QUALITIES[self.kind]}({', '.join(given)})\n"
            f"{boxed if self.boxed else ''}{call.replace('{}', keywords)}"
        )


def disagreements(request: Request, result: Result, oracle: Oracle | None = None) -> list[str]:
    """Everything that is wrong with an answer; compared with the truth if there is an oracle for it.

    Sets are judged by their exact qualities. With the scale of the problem as unit: what is said to be optimal may be
    1e-9 below the optimum and no more, a bound may be 1e-9 below it.
    """
    wrong = _form(request, result) + request.oracle.complaints(result.sets)
    if oracle is not None and not wrong:
        if request.search == "sequential":
            wrong += _sequential(result, oracle)
        elif request.search == "simultaneous":
            wrong += _simultaneous(request, result, oracle)
        else:
            wrong += _heuristic(request, result, oracle)
        wrong += _reason(request, result, oracle)
    return wrong


def _form(request: Request, result: Result) -> list[str]:
    """What needs no truth: validity, qualities, statuses, bounds."""
    wrong = []
    n_found, n_asked = len(result.sets), request.n_alternatives + 1
    oracle = request.oracle
    slack = ROUNDING * oracle.scale + SMALLEST
    values = [] if oracle.complaints(result.sets) else [oracle.exact(chosen) for chosen in result.sets]
    if len(values) == len(result.qualities):
        for chosen, value, claimed in zip(result.sets, values, result.qualities, strict=True):
            if not math.isfinite(claimed) or abs(value - Fraction(claimed)) > slack:
                wrong.append(f"the quality of {chosen} is {float(value)}, not {claimed}")
    elif not oracle.complaints(result.sets):
        wrong.append(f"{len(result.qualities)} qualities of {n_found} sets")
    if len(result.statuses) != n_asked or n_found > n_asked:
        wrong.append(f"{len(result.statuses)} statuses and {n_found} sets for {n_asked} asked")
        return wrong
    wrong += _scores(request, result)
    if any(status not in FOUND for status in result.statuses[:n_found]):
        wrong.append(f"{n_found} sets, but statuses {result.statuses}")
    if any(status in FOUND for status in result.statuses[n_found:]):
        wrong.append(f"only {n_found} sets, but statuses {result.statuses}")
    if n_found < n_asked:
        expected = result.statuses[n_found]
    else:
        expected = Status.FEASIBLE if Status.FEASIBLE in result.statuses else Status.OPTIMAL
    if result.status is not expected:
        wrong.append(f"status {result.status!r} does not follow from {result.statuses}")
    left_out = request.search == "greedy-balancing" and request.least is not None
    if request.search in ("simultaneous", "greedy-balancing") and not left_out:
        if set(result.statuses) != {result.status}:
            wrong.append(f"simultaneous, but statuses {result.statuses}")
        if n_found not in (0, n_asked):
            wrong.append(f"simultaneous, but {n_found} of {n_asked} sets")
    return wrong + _numbers(request, result, values)


def _scores(request: Request, result: Result) -> list[str]:
    """The score of each feature of each set; black boxes have none."""
    unit = request.scale if request.kind == "fcbf" else 1.0
    alone = request.scores
    if request.kind == "linear":
        alone = tuple(request.oracle.value((j,)) for j in range(len(alone)))
    expected = [] if request.boxed else [tuple(alone[j] for j in chosen) for chosen in result.sets]
    slack = float(ROUNDING * request.oracle.scale + SMALLEST)
    same = len(result.scores) == len(expected) and all(
        len(scores) == len(wanted)
        and all(
            abs(score - unit * value) <= slack or score == value
            for score, value in zip(scores, wanted, strict=True)
        )
        for scores, wanted in zip(result.scores, expected, strict=True)
    )
    return [] if same else [f"scores {result.scores} of sets {result.sets} should be {expected}"]


def _numbers(request: Request, result: Result, values: list[Fraction]) -> list[str]:
    wrong = []
    if not result.sets:
        if not math.isnan(result.objective):
            wrong.append(f"no set, but objective {result.objective}")
        # A search that gave up may still know a bound.
        if (result.bound == -math.inf) != (result.status is Status.INFEASIBLE):
            wrong.append(f"no set and {result.status!r}, but bound {result.bound}")
        return wrong
    scale = request.oracle.scale
    lowest = request.aggregation == "min" and request.search in ("simultaneous", "greedy-balancing")
    if values:
        objective = min(values) if lowest else sum(values)
        slack = (ROUNDING * scale + SMALLEST) * len(values)
        if not math.isfinite(result.objective) or abs(Fraction(result.objective) - objective) > slack:
            wrong.append(f"objective {result.objective} should be {float(objective)}")
    if not result.bound >= result.objective:
        wrong.append(f"bound {result.bound} is below the objective {result.objective}")
    if result.gap != result.bound - result.objective:
        wrong.append(f"gap {result.gap} is not bound {result.bound} - objective {result.objective}")
    # Sets that are found one after the other are proven one by one.
    most = PROVEN * scale * (len(result.sets) if request.search == "sequential" else 1) + ROUNDING * scale
    if result.status is Status.OPTIMAL and not result.gap <= most:
        wrong.append(f"optimal, but the gap is {result.gap}")
    return wrong


def _sequential(result: Result, oracle: Oracle) -> list[str]:
    wrong = wrong_in_turn(result, oracle.next_best, lambda chosen, _: oracle.exact(chosen), oracle.scale)
    if _gave_up(result) and oracle.next_best(result.sets) is not None:
        reached = oracle.rest_in_turn(result.sets, len(result.statuses))
        for position in range(len(result.sets)):
            reached += oracle.next_best(result.sets[:position]) or 0
        if result.bound < reached - PROVEN * oracle.scale * len(result.statuses):
            wrong.append(f"bound {result.bound} of a part is below {float(reached)} of all sets")
    return wrong


def wrong_in_turn(
    result: Result,
    next_best: Callable[[Any], Fraction | None],
    value: Callable[[Any, Any], Fraction],
    scale: Fraction,
    largest: Fraction | None = None,
) -> list[str]:
    """Everything that is wrong with sets found one after the other.

    ``next_best`` has the optimum after some sets, ``value`` what a set is worth after those before it.
    """
    wrong = []
    room, tolerated = Fraction(0), PROVEN * scale
    for position, chosen in enumerate(result.sets):
        before = result.sets[:position]
        best, reached = next_best(before), value(chosen, before)
        assert best is not None  # The set itself is valid.
        room += best
        if result.statuses[position] is Status.OPTIMAL and reached < best - tolerated:
            wrong.append(
                f"set {position} is said to be optimal at {float(reached)}; the optimum is {float(best)}"
            )
        if reached > best:
            wrong.append(f"set {position} has {float(reached)}: the oracle is wrong, which has {float(best)}")
        if result.statuses[position] is Status.FEASIBLE and _too_wide(result, largest or scale):
            wrong.append(f"set {position} was not proven on a small problem (gap {result.gap})")
    if result.sets and result.bound < room - tolerated * len(result.sets):
        wrong.append(f"bound {result.bound} is below the optimum {float(room)} given the sets before each")
    if len(result.sets) < len(result.statuses) and not _gave_up(result):
        best = next_best(result.sets)
        if best is None and result.status is not Status.INFEASIBLE:
            wrong.append(f"{result.status!r}, but it is infeasible")
        if best is not None:
            wrong.append(
                f"{result.status!r} after {len(result.sets)} sets; one of quality {float(best)} exists"
            )
    return wrong


def _gave_up(result: Result) -> bool:
    """Whether nothing is claimed, and it is said why; searches that only ask black boxes may end so at any time."""
    excused = result.stop_reason in ("time_limit", "engine_limit") or result.engine in (*LOCAL, WIDE)
    return result.status is Status.NOT_FOUND and excused


def _too_wide(result: Result, scale: Fraction) -> bool:
    """Small problems are proven, unless somebody set a time limit."""
    excused = result.stop_reason == "time_limit" or result.engine in (*LOCAL, WIDE)
    return result.gap > SMALL_GAP * scale and not excused


def wrong_together(
    result: Result,
    best: Value | None,
    value: Callable[[], Value],
    scale: Fraction,
    largest: Fraction | None = None,
) -> list[str]:
    """Everything that is wrong with sets chosen together; values are compared number by number."""
    tolerated = PROVEN * scale
    if not result.sets and _gave_up(result):
        too_low = best is not None and result.bound < best[0] - tolerated
        return [f"bound {result.bound} is below the optimum {best}"] if too_low else []
    if best is None:
        return [] if result.status is Status.INFEASIBLE else [f"{result.status!r}, but it is infeasible"]
    if not result.sets:
        return [f"{result.status!r}; a solution of objective {float(best[0])} exists"]
    wrong, reached = [], value()
    if reached > best:
        wrong.append(f"{[*map(float, reached)]}: the oracle is wrong, which has {[*map(float, best)]}")
    if result.bound < best[0] - tolerated:
        wrong.append(f"bound {result.bound} is below the optimum {float(best[0])}")
    if result.status is Status.OPTIMAL and _is_less(reached, best, tolerated):
        wrong.append(f"{[*map(float, reached)]} is said to be optimal; the optimum is {[*map(float, best)]}")
    if result.status is Status.FEASIBLE and _too_wide(result, largest or scale):
        wrong.append(f"not proven on a small problem (gap {result.gap}, optimum {float(best[0])})")
    return wrong


def _is_less(value: Value, best: Value, tolerated: Fraction) -> bool:
    """Whether the first numbers that differ are worse; a little more in one may cost more in the next."""
    for one, other in zip(value, best, strict=True):
        if abs(one - other) > tolerated:
            return one < other
        if one > other:
            return False
    return False


def _simultaneous(request: Request, result: Result, oracle: Oracle) -> list[str]:
    n_sets, combine = request.n_alternatives + 1, sum if request.aggregation == "sum" else min
    values = [oracle.exact(chosen) for chosen in result.sets]
    both = None if request.aggregation == "sum" else oracle.best_min(n_sets)
    best = oracle.best_sum(n_sets) if request.aggregation == "sum" else both and both[0]
    wrong = wrong_together(
        result, None if best is None else (best,), lambda: (Fraction(combine(values)),), oracle.scale
    )
    sees_all = result.engine == "additive" or result.proof == "all sets listed"
    if request.aggregation == "min" and result.status is Status.OPTIMAL and sees_all and not wrong:
        # Among the optima of the minimum, the largest sum is asked for as far as it goes. The solver tries, but its
        # tolerance on rows lets the second stage trade a little of the minimum, and such an answer is not taken;
        # where sets are many, enumeration looks no further than at those it has listed.
        assert both is not None
        if sum(values) < both[1] - n_sets * PROVEN * oracle.scale:
            wrong.append(
                f"sum {float(sum(values))} at the best minimum {float(best)}; {float(both[1])} is possible"
            )
    return wrong


def _reason(request: Request, result: Result, oracle: Oracle) -> list[str]:
    """What is said to be possible instead must be possible, and nothing larger where it is called the largest."""
    if not request.exact:
        return []
    wrong = []
    most = re.search(r"There are (?:at most (\d+)|no two) sets", result.reason)
    if most is not None and oracle.feasible(int(most[1] or 1) + 1):
        wrong.append(f"there are more sets: {result.reason}")
    named = re.search(r"n_alternatives=(\d+) is (the largest )?possible", result.reason)
    if named is None:
        return wrong
    n_sets = int(named[1]) + 1
    if n_sets > request.n_alternatives or not oracle.feasible(n_sets):
        wrong.append(f"{n_sets} sets are not possible: {result.reason}")
    if named[2] and oracle.feasible(n_sets + 1):
        wrong.append(f"{n_sets + 1} sets are possible: {result.reason}")
    return wrong


def _heuristic(request: Request, result: Result, oracle: Oracle) -> list[str]:
    """Heuristics promise valid sets and no more; their values must be those of the paper's pseudo-code."""
    wrong = []
    if not {*result.statuses} <= {Status.FEASIBLE, Status.NOT_FOUND}:
        wrong.append(f"a heuristic says {result.statuses}")
    if result.sets:
        best = (oracle if request.least is None else replace(request, least=None).oracle).next_best()
        assert best is not None
        lowest = request.aggregation == "min" and request.search == "greedy-balancing"
        bound = best if lowest else len(result.sets) * best
        if abs(Fraction(result.bound) - bound) > PROVEN * oracle.scale * len(result.sets):
            wrong.append(f"a heuristic has the bound {result.bound}, not {float(bound)}")
    elif result.bound != math.inf:
        wrong.append(f"a heuristic without sets has the bound {result.bound}")
    # On a table without the forbidden features, which is all that the first two know of constraints.
    groups = [
        rest[-1]
        for kind, *rest in request.constraints
        if kind == "forbid" or (kind, rest[0]) == ("at_most", 0)
    ]
    forbidden = {j for group in groups for j in group}
    left = [j for j in range(len(request.scores)) if j not in forbidden]
    arguments = ([request.scores[j] for j in left], oracle.k_max, request.n_alternatives)
    if request.search == "greedy-replacement":
        sets = greedy_replacement(*arguments, oracle.max_overlap)
    elif request.search == "greedy-balancing":
        sets = greedy_balancing(*arguments, oracle.max_overlap)
    else:
        arguments = (request.scores, oracle.k_max, request.n_alternatives)
        fits = replace(request, least=None).oracle.fits
        left, sets = [*range(len(request.scores))], greedy_depth(*arguments, oracle.compatible, fits)
    expected = [math.fsum(request.scores[left[j]] for j in chosen) for chosen in sets]
    expected = [value for value in expected if request.least is None or value >= request.least]
    if result.stop_reason == "time_limit":
        # As far as it got.
        expected = expected[: len(result.qualities)]
    if len(expected) != len(result.qualities) or any(
        abs(value - other) > tolerance(value) for value, other in zip(expected, result.qualities, strict=True)
    ):
        wrong.append(f"qualities {result.qualities}; the paper's algorithm gives {expected}")
    return wrong
