"""Why a request has no answer: a minimal set of conditions that conflict, or a smaller request that is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from altsets.constraints import Constraint, Size
from altsets.constraints.base import UsageRule
from altsets.problem import Problem
from altsets.quality import Form, Quality
from altsets.result import Status
from altsets.result.reasons import (
    CONFLICTS,
    PRE_FILTER,
    SIZE,
    Condition,
    Conflict,
    no_other,
    no_single,
    restricting,
    sets_that,
    what_to_change,
    with_value,
)
from altsets.search.degree_bounds import count_bound
from altsets.search.milp.engine import proven_empty
from altsets.search.run import Run, Stopped
from altsets.search.steps import UsageLimits
from altsets.search.subset.rules import Rules
from altsets.wording import by_interface, counted, parameter, plural

#: Steps (see :attr:`altsets.Result.steps`) for each smaller request that may be possible when the one asked for is not.
PROBE_STEPS = 400
#: Steps to find out which constraints rule each other out, each of which is left out in turn.
CONFLICT_STEPS = 1_000


def find_conflict(quality: Quality, problem: Problem, run: Run) -> Conflict | None:
    """Why not even a single set exists; None if one exists, or if that is not settled in time."""
    # Without constraints and with a quality that rules nothing out, there is nothing to conflict.
    form = quality.form(problem.k_max)
    ruled_out = {PRE_FILTER: form.allowed, CONFLICTS: form.conflicts}
    own = [words for words, features in ruled_out.items() if features is not None]
    if not problem.constraints and not own:
        return None
    sizes: list[Condition] = [c for c in problem.constraints if isinstance(c, Size)]
    size_words: list[Condition] = [] if sizes else [SIZE]
    impossible = partial(_is_impossible, form, problem, run)
    # The most informative for a user first.
    conditions = [*problem.constraints, *size_words, *own]
    if impossible(conditions):
        # There are sets of this size, and single features do not conflict: so it takes both.
        as_few_as_can_be = conditions == [SIZE, CONFLICTS]
        minimal = conditions if as_few_as_can_be else _minimal_conflict(impossible, [], conditions)
        return _conflict_of(problem, minimal)
    if not problem.existing:
        return None
    # How different sets are depends on their sizes, which therefore stay.
    background = [*sizes, SIZE]
    conditions = [*problem.existing, *(c for c in problem.constraints if not isinstance(c, Size)), *own]
    if impossible([*background, *conditions]):
        return _conflict_of(problem, [SIZE, *_minimal_conflict(impossible, background, conditions)])
    return None


def _minimal_conflict(
    impossible: Callable[[Sequence[Condition]], bool],
    background: Sequence[Condition],
    conditions: Sequence[Condition],
    *,
    unknown: bool = False,
) -> list[Condition]:
    """A minimal conflict, earlier conditions preferred (QuickXplain, Junker 2004)."""
    # Background and conditions together are impossible; with ``unknown``, the background may be so alone.
    if unknown and impossible(background):
        return []
    if len(conditions) == 1:
        return list(conditions)
    half = len(conditions) // 2
    first, second = conditions[:half], conditions[half:]
    of_second = _minimal_conflict(impossible, [*background, *first], second, unknown=True)
    of_first = _minimal_conflict(impossible, [*background, *of_second], first, unknown=bool(of_second))
    return [*of_first, *of_second]


def _conflict_of(problem: Problem, conditions: Sequence[Condition]) -> Conflict:
    existing = sorted(problem.existing.index(c) for c in conditions if isinstance(c, tuple))
    return Conflict(
        tuple(c for c in conditions if isinstance(c, Constraint)),
        problem.sizes if SIZE in conditions else None,
        tuple(c for c in (PRE_FILTER, CONFLICTS) if c in conditions),
        tuple(existing),
        len(problem.existing),
    )


def _is_impossible(form: Form, problem: Problem, run: Run, conditions: Sequence[Condition]) -> bool:
    """Whether it is proven that no single set meets these conditions."""
    if run.stopped:
        return False
    constraints = tuple(c for c in conditions if isinstance(c, Constraint))
    existing = tuple(c for c in conditions if isinstance(c, tuple))
    problem = replace(problem, n_alternatives=0, constraints=constraints, existing=existing)
    if SIZE not in conditions and not any(isinstance(c, Size) for c in constraints):
        largest = _largest_needed(problem)
        if largest is None:
            return True
        problem = replace(problem, constraints=(*constraints, Size(1, largest)))
    conflicts = form.conflicts if CONFLICTS in conditions else None
    allowed = form.allowed if PRE_FILTER in conditions else None
    try:
        return proven_empty(problem, run, conflicts=conflicts, allowed=allowed)
    except Stopped:
        return False


def _largest_needed(problem: Problem) -> int | None:
    """The size that required features and groups, with what they need, take at most; None if there is no set."""
    if problem.rules.are_asked or any(budget.each for budget in problem.rules.budgets):
        # More features may bring a sum back within its bounds, or pass a check.
        return problem.n_features_in
    rules = Rules.of(problem, problem.n_features_in)
    if rules is None:
        return None
    size = len(rules.required)
    for count in problem.rules.counts:
        if count.lower:
            most = max(len(rules.needs.get(feature, ())) for feature in count.group)
            size += count.lower * (1 + most)
    # Where nothing is required, a set has some feature, with all that this one needs.
    single = 1 + max(map(len, rules.needs.values()), default=0)
    return min(max(size, single), problem.n_features_in)


def _may_fit_more(problem: Problem, n_found: int) -> bool:
    """Whether counting shared and used features leaves room for another set, chosen together with the others."""
    required = _in_every_set(problem)
    n_sets = n_found + 1
    limits = UsageLimits.of(replace(problem, n_alternatives=n_found)).upper
    uses = sum(limits.get(feature, n_sets) for feature in range(problem.n_features_in))
    if problem.k_min * n_sets > uses:
        return False
    if not (problem.caps_shared and problem.fixed_size):
        return not required
    usable = problem.n_features_in - len(problem.forbidden) - required
    # What every set has is shared by each two, and leaves the less for the rest.
    size, overlap = problem.k_max - required, problem.max_overlap - required
    return min(size, overlap + 1, usable) > 0 and count_bound(usable, size, overlap, n_sets) > n_found


def _in_every_set(problem: Problem) -> int:
    """How many features are required, with all that these need."""
    rules = Rules.of(problem, problem.k_max) if problem.sizes else None
    return 0 if rules is None else len(rules.required)


def _shared_by_all(problem: Problem) -> str:
    """A sentence if required features alone make any two sets too much alike."""
    required = _in_every_set(problem)
    if (
        problem.n_sets < 2
        or not (problem.caps_shared and problem.fixed_size)
        or required <= problem.max_overlap
    ):
        return ""
    size, largest = problem.k_max, problem.k_max - required
    has = f"Every set has the {plural(required, 'required feature', f'{required} required features')}"
    if not largest:
        return f"{has} and no other one, so all sets are the same."
    possible = largest if problem.tau is None else _largest_tau(problem, size, required)
    return (
        f"{has}, so no two differ in more than {largest} of {size} features; ask for "
        f"{parameter('tau', possible)}, or for less."
    )


def _too_few_for_uses(problem: Problem) -> str:
    """A sentence if some feature would have to be in more sets than there are."""
    least = max(UsageLimits.of(problem).lower.values(), default=0)
    if least <= problem.n_sets:
        return ""
    asks = by_interface("AtLeastSets", "--at-least-sets")
    were = f"{counted(problem.n_sets, 'set')} {plural(problem.n_sets, 'was', 'were')} requested"
    more = with_value("n_alternatives", least - 1)
    return (
        f"A feature has to be in {least} new sets ({asks}), and {were}: raise {more}, or lower that number."
    )


#: Solves a problem and says what became of it.
Probe = Callable[[Problem], Status]


def possible_instead(
    problem: Problem, n_found: int, status: Status, probe: Probe, *, free: bool = True
) -> str:
    """One or two sentences: why there are fewer sets than asked, and what is possible, as ``probe`` finds out.

    ``free``: the quality itself rules out no features and no pairs of them.
    """
    if problem.search.startswith("greedy"):
        if n_found and problem.min_quality is not None:
            return (
                f"Only {counted(n_found, 'set')} of this heuristic {plural(n_found, 'has', 'have')} a quality of at "
                f"least {problem.min_quality:.6g}; {parameter('search', 'sequential')} may find more."
            )
        if n_found:
            return (
                f"This heuristic ran out of features: {parameter('n_alternatives', n_found - 1)} is possible."
            )
        return (
            f"This heuristic cannot give so many sets; try {parameter('search', 'simultaneous')} or fewer "
            "alternatives."
        )
    if status is not Status.INFEASIBLE:
        return "More time may help."
    if too_few := _too_few_for_uses(problem):
        return too_few
    alike = _shared_by_all(problem)
    if alike and (n_found or problem.search != "sequential"):
        return alike
    if problem.search != "sequential":
        return _most_possible(problem, probe, free)
    if not n_found:
        return no_single(problem)
    fewer = n_found > 1 and not _needs_many_sets(problem)
    hints = [
        f"{parameter('n_alternatives', n_found - 1)} is possible" if fewer else "",
        what_to_change(problem, *_with_room(problem, free)),
    ]
    if problem.min_quality is None and _may_fit_more(problem, n_found):
        hints.append(f"{parameter('search', 'simultaneous')} may fit in more")
    said = "; ".join(filter(None, hints))
    return f"{no_other(problem, n_found)}{': ' if said else ''}{said}."


def why_no_more(problem: Problem, n_found: int, status: Status) -> str:
    """Why a search for as many sets as there are, one after the other, has ended; and whether there may be more."""
    if status is not Status.INFEASIBLE:
        return "Whether more sets exist is not known."
    # Where any two sets differ enough, all of them were found.
    crowded = bool(problem.rules.joint) or not problem.any_sets_differ_enough
    crowded = crowded and _may_fit_more(problem, n_found)
    more = f"; {parameter('search', 'simultaneous')} may find more" if crowded else ""
    return f"{no_other(problem, n_found)}{more}."


def _most_possible(problem: Problem, probe: Probe, free: bool) -> str:
    """How many simultaneous sets there are, by bisection, where fewer are never harder to find."""
    if problem.n_sets == 1:
        return no_single(problem)
    if _needs_many_sets(problem):
        return f"There are no {problem.n_sets} {sets_that(problem)}."
    possible, too_many, proven = 0, problem.n_sets, True
    if problem.fixed_size and not callable(problem.dissimilarity):
        n_usable = max(problem.n_features_in - len(problem.forbidden), 1)
        too_many = count_bound(n_usable, problem.n_features, problem.max_overlap, too_many - 1) + 1
    refuted = too_many
    while too_many - possible > 1:
        n_sets = (possible + too_many) // 2
        smaller = probe(replace(problem, n_alternatives=n_sets - 1, aggregation="sum", overlap_penalty=0.0))
        if smaller in (Status.OPTIMAL, Status.FEASIBLE):
            possible = n_sets
        else:
            too_many, proven = n_sets, smaller is Status.INFEASIBLE
            refuted = n_sets if proven else refuted
    if refuted == 1:
        return no_single(problem)
    most = f"at most {refuted - 1}" if refuted > 2 else "no two"
    hints = [what_to_change(problem, *_with_room(problem, free))]
    if possible > 1:
        largest = "the largest " * (refuted == possible + 1)
        hints.insert(0, f"{parameter('n_alternatives', possible - 1)} is {largest}possible")
    elif refuted > 2:
        hints.insert(0, f"fewer {parameter('n_alternatives')} may be possible")
    said = "; ".join(filter(None, hints))
    return f"There are {most} {sets_that(problem)}{': ' if said else ''}{said}."


def _needs_many_sets(problem: Problem) -> bool:
    """Whether fewer sets may be harder to find, because some feature must be in several of them."""
    return any(isinstance(rule, UsageRule) and rule.lower for rule in problem.rules.joint)


def _with_room(problem: Problem, free: bool) -> tuple[float | None, int | None]:
    """The largest tau and size with room for more sets, where counting features tells that there are enough."""
    if not (free and _is_counted(problem)):
        return None, None
    usable = problem.n_features_in - len(problem.forbidden)
    return _tau_with_room(problem, usable), _size_with_room(problem, usable)


def _is_counted(problem: Problem) -> bool:
    """Whether counting features alone tells that there are enough sets."""
    limited = problem.min_quality is not None or problem.max_spread is not None
    shared = problem.fixed_size and problem.counts_shared
    return shared and not (problem.existing or limited or restricting(problem))


def _tau_with_room(problem: Problem, usable: int) -> float | None:
    """The largest smaller tau for which each set can differ from the others by features of its own."""
    size = problem.n_features
    differing = (usable - size) // max(problem.n_alternatives, 1)
    if not 0 < differing < size - problem.max_overlap:
        return None
    return differing if problem.tau is None else _largest_tau(problem, size, size - differing)


def _size_with_room(problem: Problem, usable: int) -> int | None:
    """The largest smaller size for which each set can differ from the others by features of its own."""
    for size in range(problem.n_features - 1, 0, -1):
        smaller = replace(problem, n_features=size)
        differing = size - smaller.max_overlap
        # Each set can use ``differing`` features of its own, so one more always fits, also in a sequential search.
        if differing <= size and size + problem.n_alternatives * differing <= usable:
            return size
    return None


def _largest_tau(problem: Problem, size: int, shared: int) -> float:
    """The largest tau of two sets that share so many features, rounded down."""
    whole = size - shared / 2 if problem.dissimilarity == "jaccard" else size
    return math.floor(1e4 * (size - shared) / whole) / 1e4
