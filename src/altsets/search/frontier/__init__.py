"""The frontier: what difference costs in quality, over tau, the size of sets and their number."""

from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.penalties import PenaltyFrontier, PenaltyPoint
from altsets.search.frontier.points import FrontierPoint, ProvenPoint, ProvenPoints, Suggestion, TradeoffCurve
from altsets.search.frontier.sweep import FrontierProgress, frontier

__all__ = [
    "Frontier",
    "FrontierPoint",
    "FrontierProgress",
    "PenaltyFrontier",
    "PenaltyPoint",
    "ProvenPoint",
    "ProvenPoints",
    "Suggestion",
    "TradeoffCurve",
    "frontier",
]
