"""The frontier: what difference costs in quality, over tau, the size of sets and their number."""

from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.penalties import PenaltyFrontier, PenaltyPoint
from altsets.search.frontier.points import FrontierPoint, Suggestion
from altsets.search.frontier.sweep import FrontierProgress, frontier, frontier_points

__all__ = [
    "Frontier",
    "FrontierPoint",
    "FrontierProgress",
    "PenaltyFrontier",
    "PenaltyPoint",
    "Suggestion",
    "frontier",
    "frontier_points",
]
