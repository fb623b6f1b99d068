"""The public functions: what users give becomes a request and a quality, and ``search`` answers it in numbers."""

from altsets.verbs.finding import find, iterate
from altsets.verbs.nearness import near_best

__all__ = ["find", "iterate", "near_best"]
