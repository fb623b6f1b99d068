"""The classes of answers and their parts, of points of curves and of progress, to name them in annotations.

Functions return them; none of them is made by hand. :class:`altsets.Result` and :class:`altsets.Status` are at the top.
"""

from altsets.evaluation import (
    Comparison,
    Decision,
    Evaluation,
    Evaluations,
    Fold,
    Resample,
    StabilityIndex,
    Substitutions,
)
from altsets.files.dataset import Dataset
from altsets.result import (
    Frontier,
    FrontierPoint,
    Loss,
    NearBest,
    Progress,
    Range,
    RangeEnd,
    Suggestion,
    Verdict,
    WhatIf,
)
from altsets.search.frontier.progress import FrontierProgress
from altsets.session import SessionComparison, SessionStep
from altsets.verbs.verification import Verification

__all__ = [
    "Comparison",
    "Dataset",
    "Decision",
    "Evaluation",
    "Evaluations",
    "Fold",
    "Frontier",
    "FrontierPoint",
    "FrontierProgress",
    "Loss",
    "NearBest",
    "Progress",
    "Range",
    "RangeEnd",
    "Resample",
    "SessionComparison",
    "SessionStep",
    "StabilityIndex",
    "Substitutions",
    "Suggestion",
    "Verdict",
    "Verification",
    "WhatIf",
]
