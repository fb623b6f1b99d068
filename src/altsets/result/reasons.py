"""Why a request has fewer sets than asked, in words: conditions that conflict, and what may be changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from altsets.constraints import Budget, Constraint, Forbid, Size
from altsets.problem import FeatureSet, Problem
from altsets.wording import counted, join_words, parameter, plural, span

#: Constraints that are named before the rest is counted.
MOST_LISTED = 5

#: Conditions that are no constraint; the last two follow the word "set".
SIZE = "the size"
PRE_FILTER = "within the quality's pre-filter"
CONFLICTS = "without the quality's own conflicts"

#: A constraint, an existing set to differ from, or one of the three above.
Condition = Constraint | FeatureSet | str


@dataclass(frozen=True)
class Conflict:
    """Conditions that no set meets together. Without any one of them some set does, as far as time allowed to tell."""

    constraints: tuple[Constraint, ...]
    #: The sizes of sets, if they take part without being a constraint that takes part.
    sizes: range | None = None
    #: What the quality itself rules out.
    own: tuple[str, ...] = ()
    #: The numbers of the existing sets that take part, out of ``n_existing``.
    existing: tuple[int, ...] = ()
    n_existing: int = 0

    def describe(self, names: Sequence[str]) -> str:
        """One sentence, with the names of the features."""
        several = len(self.constraints) > 1
        shown = len(self.constraints) if len(self.constraints) <= MOST_LISTED + 1 else MOST_LISTED
        words = [constraint.describe(names) for constraint in self.constraints[:shown]]
        if shown < len(self.constraints):
            words.append(f"and {len(self.constraints) - shown} more")
        listed, one = "; ".join(words), self._one_set
        if several and one == "set":
            return f"These constraints clash: {listed}."
        if not words:
            return f"There is no {one}."
        kept = "these constraints" if several else "this constraint"
        return f"No {one} keeps to {kept}: {listed}{self._cheapest}."

    @property
    def _cheapest(self) -> str:
        """What a set costs at least, if only the price of features is in the way."""
        if self.sizes is None or self.own or self.existing or len(self.constraints) != 1:
            return ""
        budget, size = self.constraints[0], self.sizes[0]
        if not isinstance(budget, Budget) or budget.groups is not None:
            return ""
        least = budget.cost(sorted(range(len(budget.costs)), key=budget.costs.__getitem__)[:size])
        return f"; the cheapest {plural(size, 'feature costs', f'{size} features cost')} {least:.6g}"

    @property
    def _one_set(self) -> str:
        """The kind of set that does not exist or keeps to no constraints."""
        words = ["set"]
        if self.sizes is not None:
            words.append(f"of {span(self.sizes)} {plural(self.sizes[-1], 'feature')}")
        words.append(" and ".join(self.own))
        if self.existing:
            words.append(f"that differs enough from {self._which_existing}")
        return " ".join(filter(None, words))

    @property
    def _which_existing(self) -> str:
        if len(self.existing) == self.n_existing:
            return "the existing set" if self.n_existing == 1 else "the existing sets"
        return f"{plural(len(self.existing), 'existing set')} {join_words(list(map(str, self.existing)))}"


def no_other(problem: Problem, n_found: int) -> str:
    """What is proven about the next set, given those found."""
    if n_found == 1:
        return f"No alternative {_needs(problem)}"
    return f"Given the {n_found} sets found, no other set {_needs(problem)}"


def what_to_change(problem: Problem, tau: float | None, size: int | None) -> str:
    """Which parameters leave room for more sets, with a value that is enough where it is known; empty if none does."""
    usable = problem.n_features_in - len(problem.forbidden)
    # Sets of all features are equal; and where one other feature is enough, closer sets are equal, too.
    known = problem.fixed_size and problem.counts_shared
    closer = (
        problem.max_overlap < problem.n_features - 1 if known else bool(problem.tau or problem.min_difference)
    )
    lower = []
    if closer and problem.k_max < usable:
        lower.append(with_value("tau", tau))
    if problem.min_quality is not None and problem.within is None:
        # Smaller sets may be worth less.
        lower.append(parameter("min_quality"))
    elif problem.fixed_size and problem.n_features > 1:
        lower.append(with_value("n_features", size))
    hints = [f"lower {', or '.join(lower)}"] if lower else []
    if not problem.fixed_size and problem.k_min > 1:
        hints.append("allow smaller sets")
    if problem.within is not None:
        hints.append(f"raise {parameter('within')}")
    titles = {parameter(type(one).__name__) for one in restricting(problem)}
    if problem.max_spread is not None:
        titles.add(parameter("Spread"))
    if titles:
        hints.append(f"relax {titles.pop() if len(titles) == 1 else 'a constraint'}")
    return ", or ".join(hints)


def with_value(name: str, value: float | None) -> str:
    return parameter(name) + ("" if value is None else f" to {value:g}")


def restricting(problem: Problem) -> list[Constraint]:
    """The constraints that sets are to keep to, apart from their size and from features that are no candidates."""
    return [one for one in problem.constraints if not isinstance(one, Size | Forbid)]


def _needs(problem: Problem) -> str:
    """What a further set would have to do."""
    clauses = ["keeps to all constraints"] if restricting(problem) else []
    clauses.append("differs enough")
    if problem.min_quality is not None:
        clauses.append(f"has a quality of at least {problem.min_quality:.6g}")
    return join_words(clauses)


def no_single(problem: Problem) -> str:
    """Return the sentence that not even one set exists."""
    change = f"; lower {parameter('min_quality')}" if problem.min_quality is not None else ""
    return f"There is no {_one(problem)}{change}."


def _one(problem: Problem) -> str:
    """One set, and what rules it out."""
    clauses = ["keeps to all constraints"] if restricting(problem) else []
    if problem.min_quality is not None:
        clauses.append(f"has a quality of at least {problem.min_quality:g}")
    if problem.existing:
        clauses.append("differs enough from the existing ones")
    sizes = f"{span([problem.k_min, problem.k_max])} {plural(problem.k_max, 'feature')}"
    # Without any of them, only the quality can rule out every set.
    return f"set of {sizes} that {join_words(clauses) or 'the quality allows'}"


def sets_that(problem: Problem) -> str:
    """Sets as they were asked for, without their number."""
    clauses = ["keep to all constraints"] if restricting(problem) else []
    if problem.min_quality is not None:
        clauses.append(f"have a quality of at least {problem.min_quality:g} each")
    if problem.max_spread is not None:
        clauses.append(f"have qualities within {problem.max_spread:g} of each other")
    if problem.fixed_size and problem.counts_shared:
        most = problem.max_overlap
        clauses.append(f"share at most {counted(most, 'feature')}" if most else "share no feature")
    else:
        clauses.append("differ enough")
    if problem.existing:
        clauses.append(f"differ enough from the existing {plural(len(problem.existing), 'set')}")
    sizes = span([problem.k_min, problem.k_max])
    return f"sets of {sizes} out of {problem.n_features_in} features that {join_words(clauses)}"
