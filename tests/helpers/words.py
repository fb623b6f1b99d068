"""Sentences of pages, printed tables and documents, for tables of words."""

from __future__ import annotations

import re


def about(text: str, word: str) -> list[str]:
    """Return the sentences of a text, be it plain, HTML or JSON, that contain a word."""
    parts = re.split(r"(?<=[.!?:])\s+|\n\s*\n|<[^>]*>|\"", text)
    found = (" ".join(part.split()) for part in parts)
    return list(dict.fromkeys(part for part in found if word in part))
