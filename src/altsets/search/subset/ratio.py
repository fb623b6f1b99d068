"""The best sets of a ratio N / sqrt(D), by searches with linear terms.

N is a sum over the features of a set, D its size plus a sum over its pairs. Whether a ratio exceeds a threshold is
asked with terms that are sums and too optimistic; the kernel then judges complete sets by their ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from altsets.arrays import Floats, Ints
from altsets.search.subset.encoding import SizeEncoding
from altsets.search.subset.kernel_call import KernelRequest, Objective, RatioTerms
from altsets.search.subset.limits import PricingLimits
from altsets.search.subset.listing import best_distinct
from altsets.search.subset.prices import sum_over_pairs
from altsets.search.subset.rounding import (
    LINEARISATION_ERROR,
    SECANT_ERROR,
    SMALLEST_SQUARED,
    SMALLEST_TOLERANCE,
)

__all__ = ["RatioSearch"]


class RatioSearch:
    """Searches for the ratios of one size.

    Parameters
    ----------
    encoding : SizeEncoding
    reach : float
        No value of N is further from zero.
    limits : PricingLimits
    """

    def __init__(self, encoding: SizeEncoding, reach: float, limits: PricingLimits) -> None:
        self._encoding, self._reach, self._limits = encoding, reach, limits

    def k_best(
        self, request: KernelRequest, count: int, threshold: float, max_nodes: int
    ) -> tuple[Ints, Floats, bool]:
        """The best sets as rows of positions, their ratios, and whether nothing was left out.

        Terms for a threshold hold until it is passed and get the better the higher it is: so begin with short searches.
        """
        rows, values = np.zeros((0, self._encoding.n_open), dtype=np.intc), np.zeros(0)
        nodes = self._limits.first_ratio_nodes
        while True:
            nodes = min(nodes, max_nodes)
            threshold = max(threshold, values[-1]) if len(values) == count else threshold
            found, ratios, finished = [rows], [values], True
            for objective in self.objectives(threshold):
                if len(found) > 1 and request.tick():
                    finished = False
                    break
                more = request.search(objective, count, nodes)
                found.append(more.rows)
                ratios.append(more.values)
                finished = finished and more.bound == -math.inf
            before = rows
            rows, values = best_distinct(np.concatenate(found), np.concatenate(ratios), count)
            changed = not np.array_equal(rows, before)
            if finished or request.tick() or (nodes >= max_nodes and not changed):
                return rows, values, finished
            if not changed:
                nodes *= self._limits.ratio_node_growth

    def objectives(self, threshold: float) -> Iterator[Objective]:
        """Linear objectives that together see every ratio above the threshold."""
        low, high = self._range_of_upper
        # A smaller threshold counts as not positive.
        if threshold < SMALLEST_SQUARED:
            yield self._below_tangent(max(threshold, min(low, 0.0) / math.sqrt(self._encoding.size) - 1.0))
        elif high > threshold * math.sqrt(self._encoding.size):
            yield from self._below_secants(threshold, high)

    @property
    def _range_of_upper(self) -> tuple[float, float]:
        """The least and the largest N of a set, by its linear terms alone."""
        encoding, linear = self._encoding, self._encoding.form.linear
        ordered = np.sort(linear[encoding.features])
        base = math.fsum(linear[encoding.base].tolist())
        lowest = base + math.fsum(ordered[: encoding.n_open].tolist())
        highest = base + math.fsum(ordered[len(ordered) - encoding.n_open :].tolist())
        return lowest, highest

    def _below_tangent(self, threshold: float) -> Objective:
        """For a threshold c that is not positive: N > -|c| sqrt(D), and the root lies below each of its tangents."""
        encoding, form = self._encoding, self._encoding.form
        size, (least, largest) = encoding.size, encoding.pair_range
        # The tangent touches at a D between the least and the largest, which may be anything.
        touch = size + 0.5 * size * (size - 1) * (least + largest) / 2
        slope = max(-threshold, 0.0) / (2 * math.sqrt(touch))
        # N + slope * D > threshold * sqrt(touch) / 2, and D is the size plus the pairs.
        linear_threshold = min(threshold, 0.0) * math.sqrt(touch) / 2 - slope * size
        error = LINEARISATION_ERROR * (abs(linear_threshold) + self._reach + slope * size**2 * largest)
        terms, start = encoding.terms(replace(form, factor=-slope * form.factor))
        ratio = self._ratio_terms((-math.inf, math.inf), threshold)
        return Objective(terms, start, linear_threshold - error, ratio=ratio)

    def _below_secants(self, threshold: float, highest: float) -> Iterator[Objective]:
        """For a positive threshold c: N**2 > c**2 D, and in a window [a, b] of N the square lies below its secant.

        The secant, (a + b) N - a b, is a sum over features.
        """
        encoding, form = self._encoding, self._encoding.form
        edges = np.geomspace(threshold * math.sqrt(encoding.size), highest, self._limits.n_windows + 1)
        # The ends of the range are rounded; nothing is to fall off.
        edges[0] = edges[0] * (1 - SECANT_ERROR)
        edges[-1] = edges[-1] * (1 + SECANT_ERROR) + SMALLEST_TOLERANCE
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            scale = (low + high) / threshold**2
            linear_threshold = low * high / threshold**2 + encoding.size
            error = SECANT_ERROR * (abs(linear_threshold) + scale * highest)
            scaled = replace(form, linear=scale * form.linear)
            terms, start = encoding.terms(scaled, open_pairs=encoding.open_pairs)
            ratio = self._ratio_terms((low, high), threshold)
            yield Objective(terms, start, linear_threshold - error, ratio=ratio)

    def _ratio_terms(self, window: tuple[float, float], threshold: float) -> RatioTerms:
        """How the kernel judges complete sets."""
        encoding, form, base = self._encoding, self._encoding.form, self._encoding.base
        lower = np.zeros(len(encoding.features))
        for feature in base.tolist():
            lower += form.pairs_of(feature)[encoding.features]
        start = math.fsum(form.linear[base].tolist()), encoding.size + sum_over_pairs(form.pairs_among(base))
        upper = np.ascontiguousarray(form.linear[encoding.features])
        return RatioTerms(upper, lower, encoding.open_pairs, start, window, threshold)
