"""The public functions: what users give becomes a request and a quality, and ``search`` answers it in numbers."""

from altsets.verbs.finding import find, iterate

__all__ = ["find", "iterate"]
