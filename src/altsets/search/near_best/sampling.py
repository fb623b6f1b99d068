"""Black boxes with too many sets to evaluate: sets are drawn at random, and say how many of all count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive
from altsets.search.near_best.families import CONFIDENCE, Estimate
from altsets.search.near_best.sums import NearBestLimits, Sums, sums_of

#: The chance that an interval misses.
ERROR = 1 - CONFIDENCE


@dataclass(frozen=True)
class Draws:
    """Valid sets drawn uniformly, with replacement: ``n_proposed`` sets of the right sizes were drawn for them."""

    sets: list[FeatureSet]
    sums: Sequence[Sums]
    n_proposed: int
    #: How many of these were valid; more than there are ``sets`` if not all were needed.
    n_valid: int

    @property
    def rarely_valid(self) -> bool:
        """Whether so few proposals are valid that they say nothing."""
        return not self.sets

    def estimate(self, n_drawn: int, n_counted: int, *, moved: bool) -> Estimate:
        """How many sets count, given how many of the first draws do; ``moved``: they themselves decided what counts."""
        n_sets = sum(some.n_sets for some in self.sums)
        alone = self.n_valid == self.n_proposed
        # Two intervals are both right if each of them misses half as often.
        low, high = share_interval(n_counted, n_drawn, ERROR if alone else ERROR / 2, any_threshold=moved)
        if not alone:
            least, most = share_interval(self.n_valid, self.n_proposed, ERROR / 2)
            low, high = low * least, high * most
        interval = math.floor(low * n_sets), min(math.ceil(high * n_sets), n_sets)
        return Estimate(n_drawn, n_counted, interval)


def draw_sets(problem: Problem, limits: NearBestLimits) -> Draws:
    """Draw sets of a problem, the same ones every time; none if hardly any set keeps to the constraints."""
    sums = sums_of(Additive(np.zeros(problem.n_features_in)), problem, relaxed=True) or []
    rng = np.random.default_rng(0)
    free = problem.rules.only_single
    n_proposed = limits.n_asked if free else max(limits.n_proposed, limits.n_asked)
    numbers = [some.n_sets for some in sums]
    if not sum(numbers):
        return Draws([], sums, n_proposed, 0)
    chances = [number / sum(numbers) for number in numbers]
    proposed = []
    for place in rng.choice(len(sums), size=n_proposed, p=chances).tolist():
        some = sums[place]
        proposed.append(
            some.set_of(rng.choice(len(some.features), some.n_open, replace=False, shuffle=False))
        )
    rules = () if free else problem.constraints
    valid = [chosen for chosen in proposed if all(rule.holds(chosen) for rule in rules)]
    kept = valid[: limits.n_asked] if len(valid) >= limits.min_kept * n_proposed else []
    return Draws(kept, sums, n_proposed, len(valid))


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
