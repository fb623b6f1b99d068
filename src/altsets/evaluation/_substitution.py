"""Which features take each other's place from set to set."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
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


def substitutions(runs: Sequence[Sequence[tuple[int, ...]]]) -> Substitutions:
    """Compare all pairs of sets of each search.

    Nobody knows which feature of B stands for which one of A, so each of A without B shares its place evenly with
    each of B without A: 1 / max(|A without B|, |B without A|). Partners that come back from search to search, or from
    pair to pair, add up.

    Parameters
    ----------
    runs : sequence of sequences of tuples of int
        The sets of each search.

    Examples
    --------
    >>> found = substitutions([[(0, 1), (0, 2)], [(0, 1), (0, 2), (0, 3)]])
    >>> found.shares[1]
    {2: 0.6666666666666666, 3: 0.3333333333333333}
    """
    totals: dict[tuple[int, int], float] = defaultdict(float)
    apart: Counter[int] = Counter()
    n_pairs = 0
    for run in runs:
        for first, second in itertools.combinations(map(set, run), 2):
            n_pairs += 1
            here, there = first - second, second - first
            apart.update(here | there)
            for one, other in itertools.product(here, there):
                weight = 1 / max(len(here), len(there))
                totals[one, other] += weight
                totals[other, one] += weight
    shares: dict[int, dict[int, float]] = {feature: {} for feature in sorted(apart)}
    for (one, other), total in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
        shares[one][other] = total / apart[one]
    weights = {pair: total / n_pairs for pair, total in sorted(totals.items())}
    return Substitutions(weights, shares, n_pairs)
