"""altsets: several feature sets that are all good and truly different from each other.

>>> import altsets
>>> from altsets import quality
>>> result = altsets.find(quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1, tau=1)
>>> result.sets
[(0, 1), (2, 3)]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from altsets import constraints, dissimilarity, errors, measures, plots, quality
    from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint, Evaluation, evaluate, evaluate_frontier
    from altsets.problem import Problem
    from altsets.result import Progress, Result, Status
    from altsets.search.find import find, iterate
    from altsets.search.frontier import Frontier, FrontierPoint, FrontierProgress, frontier, frontier_points
    from altsets.search.most_different import most_different
    from altsets.search.most_sets import most_sets
    from altsets.search.near_best import NearBest, near_best
    from altsets.selector import SelectAlternatives, SelectFeatures

__version__ = "0.1.0"

__all__ = [
    "EvaluatedFrontier",
    "EvaluatedPoint",
    "Evaluation",
    "Frontier",
    "FrontierPoint",
    "FrontierProgress",
    "NearBest",
    "Problem",
    "Progress",
    "Result",
    "SelectAlternatives",
    "SelectFeatures",
    "Status",
    "__version__",
    "constraints",
    "dissimilarity",
    "errors",
    "evaluate",
    "evaluate_frontier",
    "find",
    "frontier",
    "frontier_points",
    "iterate",
    "measures",
    "most_different",
    "most_sets",
    "near_best",
    "plots",
    "quality",
]

# Names are loaded on first use: `altsets --help` must not wait for NumPy or scikit-learn.
_HOMES = {
    "EvaluatedFrontier": "altsets.evaluation",
    "EvaluatedPoint": "altsets.evaluation",
    "Evaluation": "altsets.evaluation",
    "Frontier": "altsets.search.frontier",
    "FrontierPoint": "altsets.search.frontier",
    "FrontierProgress": "altsets.search.frontier",
    "NearBest": "altsets.search.near_best",
    "Problem": "altsets.problem",
    "Progress": "altsets.result",
    "Result": "altsets.result",
    "SelectAlternatives": "altsets.selector",
    "SelectFeatures": "altsets.selector",
    "Status": "altsets.result",
    "evaluate": "altsets.evaluation",
    "evaluate_frontier": "altsets.evaluation",
    "find": "altsets.search.find",
    "frontier": "altsets.search.frontier",
    "frontier_points": "altsets.search.frontier",
    "iterate": "altsets.search.find",
    "most_different": "altsets.search.most_different",
    "most_sets": "altsets.search.most_sets",
    "near_best": "altsets.search.near_best",
}
_ROOMS = ("constraints", "dissimilarity", "errors", "measures", "plots", "quality")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"altsets.{name}")
    raise AttributeError(f"module 'altsets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
