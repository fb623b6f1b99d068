"""Plots of answers: each function takes an answer and returns the Axes that it drew on.

They need matplotlib: ``pip install '.[plots]'``. Without ``ax`` they make a new figure, as large as its content
needs; with it they draw where you want. Plots are readable in print without colours and safe for colour-blind readers.
What doesn't fit is left out, with a note in the plot.

>>> import altsets
>>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
>>> ax = altsets.plots.membership(altsets.find(scores, n_features=2, n_alternatives=2, tau=0.5))
>>> [label.get_text() for label in ax.get_yticklabels()]
['a', 'b', 'c']
>>> ax.figure.savefig("sets.png")  # doctest: +SKIP
"""

from altsets.plots._frontier import frontier, frontier_heat, frontier_scores, frontier_sizes
from altsets.plots._sets import membership, near_best, overlap, quality, scores, stability, stand_ins
from altsets.plots._style import style

__all__ = [
    "frontier",
    "frontier_heat",
    "frontier_scores",
    "frontier_sizes",
    "membership",
    "near_best",
    "overlap",
    "quality",
    "scores",
    "stability",
    "stand_ins",
    "style",
]
