"""Dual pricing: what the cuts of a solved programme cost sets, and what a solution pays for cuts that it leaves slack.

A set pays the price of each row that it counts for, which makes prices for features and for pairs of features. Where a
row is not used up, a solution falls short of the dual bound by the row's price times the slack, and that falls apart
into a part for each feature (or pair) and a part for each pair of sets, which the clique search spends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from altsets.arrays import Floats, Ints
from altsets.search.packing.cuts import CutPool, Element
from altsets.search.subset.prices import CliqueLevels, DualPrices

#: More than any solution can afford.
IMPOSSIBLE = 1e200


@dataclass(frozen=True)
class SlackCosts:
    """By how much a solution falls short of the bound because rows are not used up.

    Attributes
    ----------
    of_feature, of_pair : int arrays
        Which row of the table is about a feature, or about a pair of features; -1 if none is. As in
        :class:`altsets.search.subset.prices.DualPrices`, by the place of a feature.
    table : float array
        What it costs if 0, 1, 2, ... sets have that feature or pair.
    unshared : float array
        What it costs if two sets share 0, 1, 2, ... features.
    levels : CliqueLevels, optional
        If given, places are those of levels.
    """

    of_feature: Ints
    of_pair: Ints | None
    table: Floats
    unshared: Floats
    levels: CliqueLevels | None = None


class SecantCharge(NamedTuple):
    """What sharing an element costs: by which secants, and the rest of the price, for which there is none."""

    element: Element
    rest: float
    prices: dict[int, float]


class DualPricing:
    """The prices of all cuts by the duals of one solution. Solver noise below zero is not charged.

    Parameters
    ----------
    pool : CutPool
    duals : float array
        One for each row of the programme, in units of quality.
    """

    def __init__(self, pool: CutPool, duals: Floats) -> None:
        self._pool = pool
        self._duals = [max(dual, 0.0) for dual in duals.tolist()]

    @cached_property
    def _secant_charges(self) -> list[SecantCharge]:
        """What is charged for secants: in all no more than for sharing."""
        charges = []
        for element, secants in self._pool.secants.items():
            prices = {step: self._duals[row] for step, row in secants.items() if self._duals[row] > 0}
            most, total = self._duals[self._pool.sharing[len(element)][0]], math.fsum(prices.values())
            if total > most:
                prices = {step: price * (most / total) for step, price in prices.items()}
            if prices:
                charges.append(SecantCharge(element, max(most - total, 0.0), prices))
        return charges

    @cached_property
    def paid(self) -> float:
        """What all rows cost, used up."""
        pool, duals = self._pool, self._duals
        return math.fsum(
            [
                *(duals[row] for row in pool.packing.values()),
                *(limit * duals[row] for row, limit in pool.sharing.values()),
                *(
                    price * (step * (step + 1) / 2)
                    for charge in self._secant_charges
                    for step, price in charge.prices.items()
                ),
            ]
        )

    @cached_property
    def prices(self) -> DualPrices:
        """What sets pay for features and pairs."""
        n = self._pool.n_features
        features, pairs = np.zeros(n), None
        for element, price in self._element_prices():
            if len(element) == 1:
                features[element[0]] += price
            elif price > 0:
                pairs = np.zeros((n, n)) if pairs is None else pairs
                pairs[element] += price
                pairs[element[::-1]] += price
        prices = DualPrices(features, pairs)
        return prices if self._pool.levels is None else self._pool.levels.prices(prices)

    def _element_prices(self) -> Iterable[tuple[Element, float]]:
        for key, row in self._pool.packing.items():
            yield key, self._duals[row]
        for charge in self._secant_charges:
            yield charge.element, math.fsum(step * price for step, price in charge.prices.items())

    # --- Slack ------------------------------------------------------------------------------------------------------

    @cached_property
    def slack_costs(self) -> SlackCosts:
        """The slack of each row at its price, taken apart."""
        tables = self._secant_slack()
        for key, row in self._pool.packing.items():
            if self._duals[row] > 0:
                tables[key] = np.where(self._levels == 0, self._duals[row], 0.0)
        self._leave_none_over(tables)
        return self._numbered(tables)

    @property
    def _levels(self) -> Floats:
        """How often an element may be used in a solution."""
        return np.arange(self._pool.n_sets + 1, dtype=np.float64)

    def _above_secant(self, step: int) -> Floats:
        """How far the parabola d (d - 1) / 2 lies above a secant, by how often an element is used."""
        levels = self._levels
        above: Floats = (levels * (levels - 1) - 2 * step * levels + step * (step + 1)) / 2
        return above

    def _secant_slack(self) -> dict[Element, Floats]:
        pool = self._pool
        tables: dict[Element, Floats] = {}
        sharing = self._duals[pool.sharing[1][0]] if 1 in pool.sharing else 0.0
        if sharing:
            # Pairs that have no secant are too many to be looked at, features are not.
            tables |= {(place,): sharing * self._above_secant(0) for place in range(pool.n_features)}
        for charge in self._secant_charges:
            table = charge.rest * self._above_secant(0)
            for step, price in charge.prices.items():
                table += price * self._above_secant(step)
            tables[charge.element] = table
        return tables

    def _leave_none_over(self, tables: dict[Element, Floats]) -> None:
        """Where disjoint sets need every feature that there is, none may be left over."""
        pool = self._pool
        if pool.max_overlap or pool.n_features > pool.n_sets * pool.k_min:
            return
        for place in range(pool.n_features):
            tables[(place,)] = np.where(self._levels == 0, IMPOSSIBLE, 0.0)

    def _unshared(self) -> Floats:
        """What it costs if two sets share fewer features, or pairs of them, than they may."""
        pool = self._pool
        shared = range(pool.k_max + 1)
        unshared = np.zeros(len(shared))
        for size, (row, _) in pool.sharing.items():
            most = math.comb(pool.max_overlap, size)
            unshared += self._duals[row] * (most - np.array([math.comb(m, size) for m in shared]))
        return np.maximum(unshared, 0.0)

    def _numbered(self, tables: dict[Element, Floats]) -> SlackCosts:
        n = self._pool.n_features
        of_feature = np.full(n, -1, dtype=np.intc)
        of_pair = np.full((n, n), -1, dtype=np.intc) if any(len(key) == 2 for key in tables) else None
        table = np.zeros((len(tables), self._pool.n_sets + 1))
        for number, (key, costs) in enumerate(tables.items()):
            table[number] = costs
            if len(key) == 1:
                of_feature[key[0]] = number
            elif of_pair is not None:
                of_pair[key] = of_pair[key[::-1]] = number
        return SlackCosts(of_feature, of_pair, table, self._unshared(), self._pool.levels)
