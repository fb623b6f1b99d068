"""Which points a frontier has: what users say about sizes, numbers of sets and tau, checked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from altsets.errors import InputError
from altsets.features import whole_number
from altsets.problem import Problem
from altsets.request import Request
from altsets.search.family_search import Taus
from altsets.wording import by_interface, parameter

#: Points of one frontier: each is a search.
MOST_POINTS = 10_000
#: Steps of tau where dissimilarities have no values of their own, or more than ``MOST_TAUS``.
TAU_STEPS, MOST_TAUS = 10, 100


#: Makes the problem of one point: its size, its number of alternatives and its tau.
Create = Callable[[int, int, Any], Problem]


@dataclass(frozen=True)
class SweepPlan:
    """The problems of a frontier in the order of the search, and sentences about what was asked for and left out."""

    problems: Sequence[Problem]
    notes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        request: Request,
        bind: Callable[[Request], Problem],
        n_features: Any,
        n_alternatives: Any,
        tau: Any,
    ) -> SweepPlan:
        """Check everything before the first search begins; ``bind`` binds a request for one point to the features."""

        def create(size: int, count: int, tau: Any) -> Problem:
            return bind(replace(request, n_features=size, n_alternatives=count, tau=tau))

        sizes = numbers_in("n_features", n_features, least=1)
        counts = numbers_in("n_alternatives", n_alternatives, least=0)
        sizes, notes = _possible(sizes, create)
        given = None if tau is None else _listed("tau", tau)
        problems: list[Problem] = []
        for size in sizes:
            first = create(size, counts[0], 0)
            values = _values(first, given, create, size)
            if len(problems) + len(values) * len(counts) > MOST_POINTS:
                raise InputError(
                    f"this makes more than {MOST_POINTS:,} points, each of which is a search; ask for fewer "
                    "sizes, numbers of sets or values of tau."
                )
            for count in counts:
                # A set alone has nothing to differ from.
                matter = values if count or first.existing else values[:1]
                problems += [replace(first, n_alternatives=count, tau=value) for value in matter]
        return cls(problems, notes)

    def __len__(self) -> int:
        return len(self.problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)


def only_value(name: str, given: Any, curve: str) -> Any:
    """The only size, number of sets or tau of a curve."""
    several = _listed(name, given)
    if len(several) > 1:
        raise InputError(f"a frontier {curve} takes one {parameter(name)}, not {len(several)}.")
    refuse_largest(several)
    return several[0]


def refuse_largest(taus: Sequence[Any]) -> None:
    """Refuse the largest tau, which is no value of a curve."""
    if any(isinstance(value, str) and value == "max" for value in taus):
        find = by_interface("altsets.find()", "altsets find")
        raise InputError(f"{parameter('tau', 'max')} is no point of a frontier; use {find}.")


def numbers_in(name: str, given: Any, least: int) -> list[int]:
    """One whole number or several, ascending, each once."""
    return sorted({whole_number(name, value, least) for value in _listed(name, given)})


def _listed(name: str, given: Any) -> list[Any]:
    """One value or several, as a list."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        return [given]
    most = MOST_POINTS
    # No longer than that: an iterator may never end, and a range may have more values than memory holds.
    values = list(itertools.islice(given, most + 1))
    if not values:
        raise InputError(f"{parameter(name, given)} is empty; give one number or several.")
    if len(values) > most:
        count = f"{len(given):,}" if isinstance(given, Sized) else f"more than {most:,}"
        raise InputError(f"{name} has {count} values; give {most:,} or fewer.")
    return values


def _possible(sizes: list[int], create: Create) -> tuple[list[int], list[str]]:
    """The sizes that sets can have, and a note on those that they cannot."""
    # Refuses what is no quality, and a size that no set can have; with a size constraint, any size is fine.
    first = create(sizes[0], 0, 0)
    if first.rules.sizes:
        if len(sizes) > 1:
            raise InputError(
                f"n_features has {len(sizes)} values, and constraints.Size sets the sizes as well; give one of them."
            )
        return [first.n_features], []
    n = first.n_features_in
    possible = [size for size in sizes if size <= n]
    left_out = sizes[len(possible) :]
    if not left_out:
        return sizes, []
    span = f"{left_out[0]}" if len(left_out) == 1 else f"{left_out[0]} to {left_out[-1]}"
    return possible, [f"There are only {n} features, so sets of {span} were left out."]


def _values(problem: Problem, given: list[Any] | None, create: Create, size: int) -> list[Fraction]:
    """The values of tau at one size, ascending: those that were given, or those that can make a difference."""
    if given is not None:
        refuse_largest(given)
        requests = (create(size, 0, tau).tau for tau in given)
        return sorted({tau for tau in requests if tau is not None})
    taus = Taus.of(problem, TAU_STEPS).values
    if len(taus) > MOST_TAUS:
        taus = [Fraction(step, TAU_STEPS) for step in range(TAU_STEPS + 1)]
    return list(taus)
