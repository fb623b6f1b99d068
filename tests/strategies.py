"""Hypothesis strategies: scores of every difficult kind, and whole requests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from checks import Request
from hypothesis import strategies as st


def _plain(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False, allow_subnormal=False)


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
    """How different the sets must be: tau in every form it may be given in, or min_difference."""
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


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    searches: tuple[str, ...] = ("sequential", "simultaneous"),
    aggregations: tuple[str, ...] = ("sum", "min"),
    with_existing: bool = True,
    max_n: int = 9,
    max_k: int = 5,
    max_a: int = 3,
) -> Request:
    """Whole requests, small enough for the oracle."""
    n, k = draw(sizes(max_n, max_k))
    return Request(
        scores=draw(score_lists(n)),
        n_features=k,
        n_alternatives=draw(st.integers(0, max_a)),
        dissimilarity=draw(st.sampled_from(["dice", "dice", "jaccard"])),
        search=draw(st.sampled_from(searches)),
        aggregation=draw(st.sampled_from(aggregations)),
        existing=draw(existing_sets(n, k)) if with_existing else (),
        **draw(limits(k)),
    )
