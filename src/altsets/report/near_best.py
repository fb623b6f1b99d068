"""Nearly as good: how many sets come close to the best one, and what they are made of."""

from __future__ import annotations

from altsets import views
from altsets.report.blocks import Block, column, section, table, text
from altsets.report.charts import bars_chart
from altsets.search.near_best import NearBest

__all__ = ["near_best_section"]

#: The best sets that are listed.
MOST_SETS = 10
#: Bars of a chart.
MOST_BARS = 50


def near_best_section(near: NearBest) -> Block:
    """How many sets are nearly as good as the best one, which features they have, and the best of them."""
    said = text(near.explain())
    if not near.count or near.n_known == 0:
        return section("near-best", "Nearly as good", [said])
    shown = bars_chart(
        "near-best-frequencies",
        "How often a feature is in such a set",
        views.near_best_frequencies(near, most=MOST_BARS),
        "A feature in all sets cannot be replaced; one in few sets is easy to do without.",
        digits=2,
    )
    return section("near-best", "Nearly as good", [said, shown, _features(near), _best(near)])


def _features(near: NearBest) -> Block:
    best = frozenset(near.best_set or ())
    names = near.feature_names
    rows = [
        [names[index], 100 * float(near.frequencies[index]), "yes" if index in best else "no"]
        for index in near.ordered()
    ]
    columns = [column("Feature"), column("% of the sets", "number", 3), column("In the best set")]
    return table("near-best-features", "The features of these sets.", columns, rows, sort=(1, True))


def _best(near: NearBest) -> Block:
    columns = [column("Rank", "number"), column("Features", "names"), column("Quality", "number", 6)]
    sets = near.to_dict(MOST_SETS)["sets"]
    rows = [[rank, entry["features"], entry["quality"]] for rank, entry in enumerate(sets, start=1)]
    return table("near-best-sets", "The best of these sets, the very best first.", columns, rows)
