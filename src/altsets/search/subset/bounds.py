"""Bounds on single sets: the simple one, the low-rank bound, and the choice between two node bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.quality import Form
from altsets.search.subset.candidates import (
    LARGEST_SQUARED,
    LINEARISATION_ERROR,
    PER_TERM_ERROR,
    SMALLEST_SQUARED,
)
from altsets.search.subset.kernel_call import LowRankTerms
from altsets.search.subset.limits import PRICING_LIMITS, PricingLimits


def set_bound(form: Form, size: int, features: Indices, base: Indices, pairs: tuple[float, float]) -> float:
    """No set of this size is better: its best features, with pairs that all cost as little as any.

    ``base`` is in every set; ``pairs`` are the least and the largest pair term of all these features.
    """
    linear, n_open = form.linear[features], size - len(base)
    if not n_open:
        linear = linear[:0]
    elif len(features) > n_open:
        linear = np.partition(linear, len(features) - n_open)[len(features) - n_open :]
    terms = [*linear.tolist(), *form.linear[base].tolist()]
    upper, n_pairs = math.fsum(terms), size * (size - 1) // 2
    least, largest = pairs
    if form.ratio:
        # What is negative is best divided by much.
        bound = upper / math.sqrt(size + n_pairs * (least if upper >= 0 else largest))
        return bound + PER_TERM_ERROR * abs(bound) * (size + 4)
    rounding = PER_TERM_ERROR * (math.fsum(map(abs, terms)) + n_pairs * abs(least))
    return upper - n_pairs * least + rounding


def low_rank_terms(pairs: Floats, size: int, limits: PricingLimits = PRICING_LIMITS) -> LowRankTerms | None:
    """The low-rank part of pair terms (symmetric; the diagonal does not count); None if there is nothing in common."""
    n = len(pairs)
    if n < 3 or not SMALLEST_SQUARED < float(np.max(np.abs(pairs))) < LARGEST_SQUARED:
        return None
    terms = pairs.copy()
    np.fill_diagonal(terms, 0.0)
    totals = terms.sum(axis=1)
    common = (totals - totals.sum() / (2 * n - 2)) / (n - 2)
    terms -= common[:, None] + common
    np.fill_diagonal(terms, 0.0)
    # Products of loadings have no negative eigenvalues: a positive one that is no larger than the negative ones are
    # is as likely chance. The diagonal, what a feature would have with itself, is fitted as well, beginning with 0.
    chance, loadings = None, np.zeros((n, 0))
    for _ in range(limits.low_rank_rounds):
        values, vectors = np.linalg.eigh(terms)
        chance = -float(values[0]) if chance is None else chance
        large = values > max(chance, 0.0)
        loadings = vectors[:, large] * np.sqrt(values[large])
        np.fill_diagonal(terms, np.sum(loadings**2, axis=1))
    if not loadings.shape[1]:
        return None
    loadings = np.ascontiguousarray(np.sqrt(limits.low_rank_share) * loadings)
    largest = float(np.max(np.abs(pairs)) + np.max(np.sum(loadings**2, axis=1)) + np.max(np.abs(common)))
    products = common[:, None] + common + loadings @ loadings.T
    return LowRankTerms(common, loadings, products, LINEARISATION_ERROR * size * size * largest)


class BoundChoice:
    """The choice between the plain and the low-rank bound for the searches of one size.

    The first few searches that take long are begun with both (``n_trials`` by now): with the plain bound, then with the
    low-rank one, each for a few nodes, and go on with the one that came further. The low-rank bound is lower, so the
    plain one has to come a good deal further to be preferred.
    """

    def __init__(self, limits: PricingLimits, *, linearised: bool = False, n_trials: int = 0) -> None:
        self._limits = limits
        self.linearised, self.n_trials = linearised, n_trials
        self._trying = False
        self._progress: list[float] = []

    @classmethod
    def settled(cls, limits: PricingLimits, linearised: bool) -> BoundChoice:
        """A choice that is not tried any more."""
        return cls(limits, linearised=linearised, n_trials=limits.n_trials)

    def plan(self, max_nodes: int, possible: bool) -> list[int]:
        """Node limits of the searches to make until one comes to its end; ``note`` follows each that does not."""
        short = self._limits.trial_nodes
        self._trying = possible and max_nodes > short and self.n_trials < self._limits.n_trials
        self._progress = []
        if not self._trying:
            return [max_nodes]
        self.linearised = False
        return [short, short, max_nodes]

    def note(self, progress: float, has_low_rank: Callable[[], bool]) -> None:
        """How far a search has come within its node limit."""
        self._progress.append(progress)
        if not self._trying:
            return
        if len(self._progress) == 1:
            self.linearised = has_low_rank()
        elif len(self._progress) == 2:
            plain, low_rank = self._progress
            enough = max(self._limits.decisive_progress * low_rank, self._limits.least_progress)
            self.linearised = self.linearised and plain <= enough
            self.n_trials += 1

    def applies(self, max_nodes: int) -> bool:
        """Whether a search with so many nodes uses the low-rank bound; it takes a while to prepare."""
        return self.linearised and max_nodes >= self._limits.trial_nodes
