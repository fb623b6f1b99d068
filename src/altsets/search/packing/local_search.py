"""Local search: take one set out, put the best one in that goes with the others, as long as that helps."""

from __future__ import annotations

from collections.abc import Sequence

from altsets.problem import FeatureSet
from altsets.search.run import Run
from altsets.search.subset.pricing import PricingOracle
from altsets.search.tolerances import ROUNDED

__all__ = ["local_optimum"]


def local_optimum(
    sets: Sequence[FeatureSet], pricing: PricingOracle, run: Run, max_nodes: int, *, max_min: bool
) -> list[FeatureSet]:
    """Replace sets by their best responses until none is better; each is searched for in so many nodes.

    With ``max_min`` the worst set counts instead of the sum, and is the first to be replaced.
    """
    current, evaluate = list(sets), pricing.quality.evaluate
    unchanged = turn = 0
    while unchanged < len(current) and not run.tick():
        if max_min and unchanged == 0:
            turn = min(range(len(current)), key=lambda number: evaluate(current[number]))
        others = current[:turn] + current[turn + 1 :]
        threshold = evaluate(current[turn]) + ROUNDED * pricing.tolerance
        found = pricing.k_best(1, others=others, threshold=threshold, max_nodes=max_nodes)
        unchanged += 1
        if found.sets:
            current[turn] = found.sets[0]
            unchanged = 0
        turn = (turn + 1) % len(current)
    return current
