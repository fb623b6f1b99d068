"""The order of the phases, from what costs nothing to what may take for ever."""

from __future__ import annotations

from altsets.search.packing import phases
from altsets.search.packing.limits import PackingLimits
from altsets.search.packing.search import Phase

__all__ = ["strategy"]


def strategy(limits: PackingLimits) -> list[Phase]:
    """What a packing search goes through until its incumbent is proven."""
    before: list[Phase] = [
        phases.CountShared(),
        phases.EarlyIncumbent(),
        phases.EnumerateAll(),
        phases.AdditiveRelaxation(),
        phases.FirstIncumbent(),
    ]
    search: list[Phase] = [
        phases.RootBound(),
        phases.ListBelowBound(limits.short_list_sets, limits.short_list_steps),
        # Milliseconds up to here. Prices make lists shorter by orders of magnitude.
        phases.ColumnGeneration(),
        phases.Improve(limits.short_annealing),
        phases.ListBelowBound(limits.priced_list_sets, limits.priced_list_steps, early=True),
        phases.Improve(limits.long_annealing),
        phases.Thresholds(patience=1),
        phases.BranchOnUsage(),
        # All that takes long.
        phases.CliqueCutBound(max_min=False),
        phases.ListBelowBound(limits.long_list_sets, limits.cut_list_steps, only_sum=True),
        phases.BranchOnColumns(max_min=False),
        phases.ImproveUntilVain(),
        phases.CliqueCutBound(max_min=True),
        phases.ListBelowBound(limits.long_list_sets, limits.long_list_steps),
        phases.ListBelowBound(limits.long_list_sets, limits.half_list_steps, all_listed=False),
        *(phases.Thresholds(patience) for patience in limits.threshold_patience),
        phases.BranchOnColumns(max_min=True),
    ]
    return [*before, *search, phases.SolverIncumbent(then=search), phases.SolverOptimum()]
