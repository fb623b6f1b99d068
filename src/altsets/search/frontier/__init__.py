"""Curves of sets: what difference, shared features, a better worst set or lower costs cost in quality."""

from altsets.search.frontier.answer import Frontier
from altsets.search.frontier.points import FrontierPoint, Suggestion
from altsets.search.frontier.progress import FrontierProgress

__all__ = ["Frontier", "FrontierPoint", "FrontierProgress", "Suggestion"]
