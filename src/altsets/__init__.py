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

from altsets import display
from altsets.version import __version__

if TYPE_CHECKING:
    from altsets import constraints, dissimilarity, errors, io, measures, plots, quality, results
    from altsets.evaluation import evaluate
    from altsets.files.dataset import read_table
    from altsets.request import Request
    from altsets.result import Result, Status
    from altsets.selector import FallbackEstimator, SelectAlternatives, SelectFeatures, reduced
    from altsets.session import Session
    from altsets.verbs import export_model, find, frontier, iterate, near_best, verify, what_if

__all__ = [
    "FallbackEstimator",
    "Request",
    "Result",
    "SelectAlternatives",
    "SelectFeatures",
    "Session",
    "Status",
    "__version__",
    "constraints",
    "dissimilarity",
    "errors",
    "evaluate",
    "export_model",
    "find",
    "frontier",
    "io",
    "iterate",
    "measures",
    "near_best",
    "plots",
    "quality",
    "read_table",
    "reduced",
    "results",
    "verify",
    "what_if",
]

# Names are loaded on first use: `altsets --help` must not wait for NumPy or scikit-learn.
_MODULES = {
    "evaluation": ("evaluate",),
    "files.dataset": ("read_table",),
    "request": ("Request",),
    "result": ("Result", "Status"),
    "selector": ("FallbackEstimator", "SelectAlternatives", "SelectFeatures", "reduced"),
    "session": ("Session",),
    "verbs": ("export_model", "find", "frontier", "iterate", "near_best", "verify", "what_if"),
}
_HOMES = {name: f"altsets.{module}" for module, names in _MODULES.items() for name in names}
# What answers show themselves with; they stand below it and do not import it.
display.register("report", "altsets.report", "write_report")
display.register("frontier_plot", "altsets.plots", "frontier")
display.register("scores_plot", "altsets.plots", "frontier_scores")
display.register("notebook", "altsets.report.summarise", "in_notebook")
display.register("explorer", "altsets.app.notebook", "explore")
# What they are put to use with.
display.register("columns", "altsets.selector", "SelectFeatures")
display.register("evaluate", "altsets.evaluation", "evaluate")

#: Names that are gone, and the new form.
_REMOVED = {
    **dict.fromkeys(
        ("EvaluatedFrontier", "EvaluatedPoint", "evaluate_frontier"), "altsets.evaluate(frontier, X, y)"
    ),
    "Importance": "altsets.what_if(quality, result, features)",
    "most_different": 'altsets.find(..., tau="max", within=0.05)',
    "most_sets": 'altsets.find(..., n_alternatives="max", within=0.05)',
    **dict.fromkeys(("Balance", "BalancePoint", "balance"), 'altsets.frontier(..., by="balance")'),
    **dict.fromkeys(("PenaltyFrontier", "PenaltyPoint"), 'altsets.frontier(..., by="penalty")'),
    **dict.fromkeys(("Tradeoff", "TradeoffPoint", "tradeoff"), "altsets.frontier(..., against=costs)"),
    "TradeoffProgress": "altsets.results.FrontierProgress",
    "frontier_points": "altsets.frontier(..., callback=...), which gets each point as it comes in",
}

_REMOVED |= {
    name: f"altsets.results.{name}"
    for name in (
        *("Dataset", "Evaluation", "Frontier", "FrontierPoint"),
        *("FrontierProgress", "NearBest", "Progress", "Range", "Verdict", "Verification", "WhatIf"),
    )
}
_REMOVED |= {
    name: f"altsets.io.{name}" for name in ("from_anndata", "read_scores", "survival_target", "to_anndata")
}
_REMOVED["Problem"] = "altsets.Request"

_ROOMS = ("constraints", "dissimilarity", "errors", "io", "measures", "plots", "quality", "results")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"altsets.{name}")
    if name in _REMOVED:
        raise AttributeError(f"altsets.{name} was removed; use {_REMOVED[name]}.")
    raise AttributeError(f"module 'altsets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
