"""Black boxes with too many sets to evaluate: sets are drawn at random, and say how many of all count."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.search.near_best.families import CONFIDENCE, Estimate
from altsets.search.near_best.sums import Sums, sums_of

#: The chance that an interval misses.
ERROR = 1 - CONFIDENCE


class Draws:
    """Valid sets drawn uniformly, with replacement; the same ones every time."""

    def __init__(self, problem: Problem) -> None:
        self.sums = sums_of(Additive(np.zeros(problem.n_features_in)), problem, relaxed=True) or []
        self._n_sets = [some.n_sets for some in self.sums]
        # Rules about several features are left to chance.
        self._rules = () if problem.rules.only_single else problem.constraints
        self._rng = np.random.default_rng(0)
        self._n_proposed = self._n_valid = 0

    def more(self, n_proposed: int) -> list[FeatureSet]:
        """The valid ones of some more sets of the right sizes."""
        total = sum(self._n_sets)
        if not total:
            return []
        places = self._rng.choice(len(self.sums), n_proposed, p=[number / total for number in self._n_sets])
        proposed = [self._one(self.sums[place]) for place in places.tolist()]
        valid = [chosen for chosen in proposed if all(rule.holds(chosen) for rule in self._rules)]
        self._n_proposed, self._n_valid = self._n_proposed + n_proposed, self._n_valid + len(valid)
        return valid

    def _one(self, sums: Sums) -> FeatureSet:
        places = self._rng.choice(len(sums.features), sums.n_open, replace=False, shuffle=False)
        return sums.set_of(places)

    def estimate(self, n_drawn: int, n_counted: int, *, moved: bool) -> Estimate:
        """How many sets count, given how many of the first draws do; ``moved``: they themselves decided what counts."""
        n_sets = sum(self._n_sets)
        # Two intervals are both right if each of them misses half as often.
        error = ERROR / 2 if self._rules else ERROR
        low, high = share_interval(n_counted, n_drawn, error, any_threshold=moved)
        if self._rules:
            least, most = share_interval(self._n_valid, self._n_proposed, error)
            low, high = low * least, high * most
        interval = math.floor(low * n_sets), min(math.ceil(high * n_sets), n_sets)
        return Estimate(n_drawn, n_counted, interval)


def share_interval(k: int, n: int, error: float, *, any_threshold: bool = False) -> tuple[float, float]:
    """An interval for a share, of which k of n draws were seen, that misses with a chance of at most ``error``.

    It is that of Clopper and Pearson; where ``any_threshold`` may have been chosen after the draws, that of Dvoretzky,
    Kiefer and Wolfowitz, which is wider, but holds for all thresholds at once.
    """
    if any_threshold:
        width = math.sqrt(math.log(2 / error) / (2 * n))
        return max(k / n - width, 0.0), min(k / n + width, 1.0)
    low = float(betaincinv(k, n - k + 1, error / 2)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - error / 2)) if k < n else 1.0
    return low, high
