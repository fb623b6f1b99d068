"""Results: the sets, their quality, and what was proven about them."""

from altsets.result._found import Match, Shortlist
from altsets.result._result import MARK, Result, frame_of, overlap_table
from altsets.result._status import Progress, Status, StopReason, optimality_tolerance, overall_status
from altsets.result._verdict import Verdict

__all__ = [
    "MARK",
    "Match",
    "Progress",
    "Result",
    "Shortlist",
    "Status",
    "StopReason",
    "Verdict",
    "frame_of",
    "optimality_tolerance",
    "overall_status",
    "overlap_table",
]
