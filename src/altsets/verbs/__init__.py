"""The public functions: what users give becomes a request and a quality, and ``search`` answers it in numbers."""

from altsets.verbs.curves import frontier
from altsets.verbs.exporting import export_model
from altsets.verbs.finding import find, iterate
from altsets.verbs.losing import what_if
from altsets.verbs.nearness import near_best
from altsets.verbs.verification import verify

__all__ = ["export_model", "find", "frontier", "iterate", "near_best", "verify", "what_if"]
