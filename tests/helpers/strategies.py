"""Hypothesis strategies: numbers of every difficult kind, constraints, and whole requests."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from checks import OWN_DISSIMILARITIES, Request
from hypothesis import strategies as st


def _plain(low: float, high: float) -> st.SearchStrategy[float]:
    # Numbers too small for a quality are refused, which has tests of its own.
    numbers = st.floats(low, high, allow_nan=False, allow_infinity=False)
    return numbers.map(lambda number: number if abs(number) >= 1e-200 else 0.0)


def _lists(elements: st.SearchStrategy[float], n: int) -> st.SearchStrategy[list[float]]:
    return st.lists(elements, min_size=n, max_size=n)


def score_lists(n: int) -> st.SearchStrategy[tuple[float, ...]]:
    """Lists of n scores of every kind that has ever made a search go wrong."""
    whole = st.integers(0, 3).map(float)
    zeros = st.one_of(st.just(0.0), st.just(0.0), st.just(0.0), _plain(0, 1))
    kinds = [
        _lists(_plain(0, 1), n),
        _lists(whole, n),
        _lists(zeros, n),
        _lists(_plain(-1, 0), n),
        _lists(st.integers(-3, 3).map(float), n),
        _plain(-2, 2).map(lambda value: [value] * n),
        st.tuples(_lists(_plain(0, 1), n - 1), st.just(50.0)).map(lambda pair: [*pair[0], pair[1]]),
        _lists(_plain(0, 1).map(lambda value: value * 1e-6), n),
        _lists(_plain(-1, 1).map(lambda value: value * 1e6), n),
        _lists(st.one_of(_plain(-1, 1), st.integers(-2, 2).map(float), _plain(-1000, 1000)), n),
        _lists(st.tuples(whole, st.integers(0, 3)).map(lambda pair: pair[0] + 1e-10 * pair[1]), n),
    ]
    return st.one_of(kinds).flatmap(st.permutations).map(tuple)


def sizes(max_n: int = 10, max_k: int = 5) -> st.SearchStrategy[tuple[int, int]]:
    """Pairs (n, k) with few enough sets for the oracle."""

    def possible(n: int) -> st.SearchStrategy[tuple[int, int]]:
        return st.integers(1, min(n, max_k)).map(lambda k: (n, k))

    return st.integers(1, max_n).flatmap(possible)


def limits(k: int) -> st.SearchStrategy[dict[str, Any]]:
    """How different the sets must be: tau in every form it may be given in, or as a number of features."""
    level = st.integers(0, k)
    return st.one_of(
        level.map(lambda part: {"tau": part / k}),
        level.map(lambda part: {"tau": 1 - (k - part) / k}),
        level.map(lambda part: {"tau": Fraction(part, k)}),
        level.map(lambda part: {"tau": f"{part}/{k}"}),
        st.integers(0, 20).map(lambda part: {"tau": part * 0.05}),
        st.integers(0, 100).map(lambda part: {"tau": str(part / 100)}),
        # Away from every level by more than the tolerance.
        st.integers(0, 997).map(lambda part: {"tau": part / 997}),
        level.map(lambda part: {"min_difference": part}),
    )


@st.composite
def existing_sets(draw: st.DrawFn, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """No, one or two sets that are given already, of any size."""
    sets = []
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        size = draw(st.one_of(st.just(k), st.integers(1, n)))
        sets.append(tuple(sorted(draw(st.permutations(range(n)))[:size])))
    return tuple(sets)


Matrix = tuple[tuple[float, ...], ...]


@st.composite
def redundancies(draw: st.DrawFn, n: int, *, negative: bool) -> Matrix:
    """How much each feature says about each other; symmetric or not, with ties, zeros and near-duplicates."""
    low = -1 if negative else 0
    near = st.tuples(st.booleans(), st.integers(0, 2)).map(lambda pair: pair[0] + 1e-9 * pair[1])
    entries = draw(
        st.sampled_from(
            [
                _plain(low, 1),
                st.integers(3 * low, 3).map(float),
                st.one_of(st.just(0.0), st.just(0.0), _plain(0, 1)),
                near,
                _plain(low, 1).map(lambda value: value * 1e3),
            ]
        )
    )
    rows = draw(st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n))
    if draw(st.booleans()):
        rows = [[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
    return tuple(map(tuple, rows))


@st.composite
def dependencies(draw: st.DrawFn, relevance: tuple[float, ...]) -> Matrix:
    """A matrix for FCBF: each entry below the row's relevance, at it or above."""
    n = len(relevance)
    conflict = st.sampled_from([-1.0, 0.0, 1.0] if draw(st.booleans()) else [-1.0, -1.0, -1.0, -0.5, 0.0])
    steps = draw(st.lists(st.lists(conflict, min_size=n, max_size=n), min_size=n, max_size=n))
    return tuple(
        tuple(value + step * max(1.0, abs(value)) for step in row)
        for value, row in zip(relevance, steps, strict=True)
    )


@st.composite
def numbers(draw: st.DrawFn, n: int, kind: str) -> dict[str, Any]:
    """The numbers of one quality."""
    scores = draw(score_lists(n))
    if kind == "additive":
        return {"scores": scores}
    found: dict[str, Any] = {"kind": kind, "scores": scores}
    if kind != "fcbf":
        return {**found, "matrix": draw(redundancies(n, negative=kind == "mrmr"))}
    found["matrix"] = draw(dependencies(scores))
    found["scale"] = draw(st.sampled_from([1.0, 1.0, 0.3]))
    found["min_relevance"] = draw(st.sampled_from([None, None, None, sorted(scores)[n // 3]]))
    return found


@st.composite
def groups(draw: st.DrawFn, n: int, most: int | None = None) -> tuple[int, ...]:
    """Some features, at least one."""
    size = draw(st.integers(1, n if most is None else min(n, most)))
    return tuple(sorted(draw(st.permutations(range(n)))[:size]))


KINDS_OF_CONSTRAINT = (
    "require",
    "forbid",
    "at_most",
    "at_least",
    "exclusive",
    "implies",
    "budget",
    "linear",
    "size",
)


@st.composite
def constraint(
    draw: st.DrawFn, n: int, k: int, kinds: tuple[str, ...] = KINDS_OF_CONSTRAINT
) -> tuple[Any, ...]:
    """One constraint that some sets of k features keep."""
    kind = draw(st.sampled_from(kinds))
    if kind == "require":
        return (kind, draw(groups(n, max(1, k - 1))))
    if kind == "forbid":
        return (kind, draw(groups(n, max(1, n - k))))
    if kind in ("at_most", "at_least"):
        group = draw(groups(n))
        return (kind, draw(st.integers(0, min(k, len(group)))), group)
    if kind == "exclusive":
        return (kind, draw(groups(n, 3)))
    if kind == "implies":
        return (kind, *draw(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    if kind == "budget":
        costs = draw(_lists(st.one_of(st.integers(0, 3).map(float), _plain(0, 1)), n))
        limit = sum(sorted(costs)[:k]) + draw(st.integers(0, 3)) * 0.5
        return (kind, tuple(costs), limit)
    if kind == "linear":
        numbers = draw(_lists(st.one_of(st.integers(-2, 2).map(float), _plain(-1, 1)), n))
        bounds = sorted(draw(st.integers(-k, k)) / 2 for _ in range(2))
        lower, upper = draw(st.sampled_from([bounds, [bounds[0], None], [None, bounds[1]]]))
        return (kind, tuple(numbers), lower, upper)
    k_min, k_max = max(1, k - draw(st.integers(0, 2))), min(n, k + draw(st.integers(0, 1)))
    while sum(comb(n, size) for size in range(k_min, k_max + 1)) > 300 and k_min < k_max:
        k_min, k_max = (k_min + 1, k_max) if k_min < k else (k_min, k_max - 1)
    return (kind, k_min, k_max)


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    searches: tuple[str, ...] = ("sequential", "simultaneous"),
    aggregations: tuple[str, ...] = ("sum", "min"),
    kinds: tuple[str, ...] = ("additive",),
    with_existing: bool = True,
    with_constraints: bool = False,
    with_own: bool = False,
    max_n: int = 9,
    max_k: int = 5,
    max_a: int = 3,
) -> Request:
    """Whole requests, small enough for the oracle; ``with_own``: functions as dissimilarities as well."""
    own = with_own and draw(st.integers(0, 4)) == 0
    n, k = draw(sizes(min(max_n, 7) if own else max_n, max_k))
    limit = draw(limits(k))
    if own and "min_difference" in limit:
        limit = {"tau": limit["min_difference"] / k}
    return Request(
        n_features=k,
        n_alternatives=draw(st.integers(0, max_a)),
        dissimilarity=draw(
            st.sampled_from(list(OWN_DISSIMILARITIES) if own else ["dice", "dice", "jaccard"])
        ),
        search=draw(st.sampled_from(searches)),
        aggregation=draw(st.sampled_from(aggregations)),
        existing=draw(existing_sets(n, k)) if with_existing else (),
        constraints=tuple(draw(st.lists(constraint(n, k), max_size=3))) if with_constraints else (),
        **limit,
        **draw(numbers(n, draw(st.sampled_from(kinds)))),
    )
