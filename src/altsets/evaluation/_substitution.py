"""Which features take each other's place from set to set."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Substitutions", "substitutions"]


@dataclass(frozen=True)
class Substitutions:
    """Features that stand where another one is missing.

    Attributes
    ----------
    weights : dict of (int, int) to float
        For two features: how much one takes the place of the other, on average over all pairs of sets. Symmetric.
    shares : dict of int to dict of int to float
        For a feature, those that took its place when one set had it and the other did not: the share of each,
        largest first. The shares add up to 1 where sets have the same size.
    n_pairs : int
        How many pairs of sets were compared.
    """

    weights: dict[tuple[int, int], float]
    shares: dict[int, dict[int, float]]
    n_pairs: int


def substitutions(
    runs: Sequence[Sequence[tuple[int, ...]]], kinship: Mapping[tuple[int, int], float] | None = None
) -> Substitutions:
    """Compare all pairs of sets of each search.

    Each feature of A without B has one partner of B without A, so that partners are as much alike as possible in all.
    Where nothing is known of that, a feature shares its place evenly with all that it could have:
    1 / max(|A without B|, |B without A|). Partners that come back from search to search, or from pair to pair, add up.

    Parameters
    ----------
    runs : sequence of sequences of tuples of int
        The sets of each search.
    kinship : mapping of (int, int) to float, optional
        How much two features are alike, the smaller index first.

    Examples
    --------
    >>> found = substitutions([[(0, 1), (0, 2)], [(0, 1), (0, 2), (0, 3)]])
    >>> found.shares[1]
    {2: 0.6666666666666666, 3: 0.3333333333333333}
    >>> substitutions([[(0, 1), (2, 3)]], {(0, 2): 0.1, (0, 3): 0.9, (1, 2): 0.5, (1, 3): 0.8}).shares[1]
    {2: 1.0}
    """
    totals: dict[tuple[int, int], float] = defaultdict(float)
    apart: Counter[int] = Counter()
    n_pairs = 0
    for run in runs:
        for first, second in itertools.combinations(map(set, run), 2):
            n_pairs += 1
            here, there = sorted(first - second), sorted(second - first)
            apart.update([*here, *there])
            for one, other, weight in _partners(here, there, kinship) if kinship else _all_alike(here, there):
                totals[one, other] += weight
                totals[other, one] += weight
    shares: dict[int, dict[int, float]] = {feature: {} for feature in sorted(apart)}
    for (one, other), total in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
        shares[one][other] = total / apart[one]
    weights = {pair: total / n_pairs for pair, total in sorted(totals.items())}
    return Substitutions(weights, shares, n_pairs)


Partner = tuple[int, int, float]


def _all_alike(here: Sequence[int], there: Sequence[int]) -> list[Partner]:
    return [(one, other, 1 / max(len(here), len(there))) for one, other in itertools.product(here, there)]


def _partners(
    here: Sequence[int], there: Sequence[int], kinship: Mapping[tuple[int, int], float]
) -> list[Partner]:
    from scipy.optimize import linear_sum_assignment

    alike = [[kinship.get((min(one, other), max(one, other)), 0.0) for other in there] for one in here]
    if not here or not there:
        return []
    places = zip(*linear_sum_assignment(alike, maximize=True), strict=True)
    return [(here[row], there[column], 1.0) for row, column in places]
