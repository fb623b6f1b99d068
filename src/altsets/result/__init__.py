"""Answers of all verbs: the sets, their quality, and what was proven about them; in words, as frames and as JSON."""

from altsets.result._counted import Estimate
from altsets.result._elbow import elbow_of
from altsets.result._found import Match, Shortlist
from altsets.result._frontier import Frontier
from altsets.result._near_best import NearBest
from altsets.result._points import FrontierPoint, Suggestion
from altsets.result._range import Range, RangeEnd
from altsets.result._result import MARK, Result, frame_of, overlap_table
from altsets.result._status import Progress, Status, StopReason, optimality_tolerance, overall_status
from altsets.result._verdict import Verdict
from altsets.result._what_if import Loss, WhatIf

__all__ = [
    "MARK",
    "Estimate",
    "Frontier",
    "FrontierPoint",
    "Loss",
    "Match",
    "NearBest",
    "Progress",
    "Range",
    "RangeEnd",
    "Result",
    "Shortlist",
    "Status",
    "StopReason",
    "Suggestion",
    "Verdict",
    "WhatIf",
    "elbow_of",
    "frame_of",
    "optimality_tolerance",
    "overall_status",
    "overlap_table",
]
