"""Dual prices: what sets pay for the cuts that they count for, by the duals of one solution of the programme.

A set pays the price of each row in which it counts, which makes prices for features, for pairs of features and for
clique cuts; searches for sets charge for these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from altsets.arrays import Floats
from altsets.search.simultaneous.columns import Element
from altsets.search.simultaneous.cuts import CutPool
from altsets.search.subset.prices import CliqueCuts, DualPrices


class SecantCharge(NamedTuple):
    """What sharing an element costs: by which secants, and the rest of the price, for which there is none."""

    element: Element
    rest: float
    prices: dict[int, float]


class DualPricing:
    """The prices of all cuts by the duals of one solution, in units of quality. Noise below zero is not charged."""

    def __init__(self, pool: CutPool, duals: Floats) -> None:
        self.pool = pool
        self.duals = [max(dual, 0.0) for dual in duals.tolist()]

    @cached_property
    def secant_charges(self) -> list[SecantCharge]:
        """The charges for secants; in total at most those for sharing."""
        charges = []
        for element, secants in self.pool.secants.items():
            prices = {step: self.duals[row] for step, row in secants.items() if self.duals[row] > 0}
            most, total = self.most_charged(len(element)), math.fsum(prices.values())
            if total > most:
                prices = {step: price * (most / total) for step, price in prices.items()}
            if prices:
                charges.append(SecantCharge(element, max(most - total, 0.0), prices))
        return charges

    def most_charged(self, size: int) -> float:
        """What sharing an element of a size costs: the price of the sharing row, and the penalty."""
        price = self.duals[self.pool.sharing[size][0]] if size in self.pool.sharing else 0.0
        return price + self.pool.penalty if size == 1 else price

    @cached_property
    def paid(self) -> float:
        """What all rows cost, used up."""
        pool, duals = self.pool, self.duals
        return math.fsum(
            [
                *(duals[row] for row in pool.packing.values()),
                *(duals[row] for row in pool.cliques.values()),
                *(pool.most_used[place] * duals[row] for place, row in pool.usage.items()),
                *(limit * duals[row] for row, limit in pool.sharing.values()),
                *(
                    price * (step * (step + 1) / 2)
                    for charge in self.secant_charges
                    for step, price in charge.prices.items()
                ),
            ]
        )

    @cached_property
    def prices(self) -> DualPrices:
        """What sets pay for features and pairs."""
        n = self.pool.n_features
        features, pairs = np.zeros(n), None
        for element, price in self._element_prices():
            if len(element) == 1:
                features[element[0]] += price
            elif price > 0:
                pairs = np.zeros((n, n)) if pairs is None else pairs
                pairs[element] += price
                pairs[element[::-1]] += price
        if self.pool.levels is not None:
            return self.pool.levels.prices(DualPrices(features, pairs))
        return DualPrices(features, pairs, self._clique_prices())

    def _clique_prices(self) -> CliqueCuts | None:
        charged = {cut: self.duals[row] for cut, row in self.pool.cliques.items() if self.duals[row] > 0}
        if not charged:
            return None
        members = np.zeros((len(charged), self.pool.n_features), dtype=bool)
        for row, cut in zip(members, charged, strict=True):
            row[list(cut.group)] = True
        least = np.array([cut.least for cut in charged], dtype=np.intc)
        return CliqueCuts(members, least, np.array(list(charged.values())))

    def _element_prices(self) -> Iterable[tuple[Element, float]]:
        for key, row in self.pool.packing.items():
            yield key, self.duals[row]
        for place, row in self.pool.usage.items():
            yield (place,), self.duals[row]
        for charge in self.secant_charges:
            yield charge.element, math.fsum(step * price for step, price in charge.prices.items())
