"""The frontier: what difference costs in quality, over tau, the size of sets and their number."""

from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.bend import Suggestion
from altsets.search.frontier.point import FrontierPoint
from altsets.search.frontier.question import frontier, frontier_points
from altsets.search.frontier.sweep import FrontierProgress

__all__ = ["Frontier", "FrontierPoint", "FrontierProgress", "Suggestion", "frontier", "frontier_points"]
