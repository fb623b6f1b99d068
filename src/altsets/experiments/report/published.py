"""What the paper printed, as numbers."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["published", "published_number"]


@cache
def published() -> dict[str, Any]:
    """All published figures, by the names in ``published.json``.

    Examples
    --------
    >>> published()["core_hours"]
    7968
    """
    text = (
        resources.files("altsets.experiments.report").joinpath("published.json").read_text(encoding="utf-8")
    )
    figures: dict[str, Any] = json.loads(text)
    return figures


def published_number(*path: str) -> float:
    """One published figure; NaN where the paper printed none.

    Examples
    --------
    >>> published_number("seconds", "mrmr", "seq"), published_number("seconds", "mrmr", "rep")
    (33.59, nan)
    """
    found: Any = published()
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return math.nan if found is None else float(found)
