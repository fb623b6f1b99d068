"""Numbers in options: parsers that say what is wrong with a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def _parse(kind: Callable[[str], Any], what: str, is_right: Callable[[Any], bool], text: str) -> Any:
    """A number in an option, or why it is none."""
    try:
        given = kind(text)
        if is_right(given):
            return given
    except ValueError:
        pass
    raise typer.BadParameter(f"{text!r} is not {what}")


# Functions, as click asks parsers for their names.
def whole_number(text: str) -> int:
    """Parse a whole number."""
    return int(_parse(int, "a whole number", lambda _: True, text))


def size(text: str) -> int | float:
    """Parse a number of features, or a share of them: 5, 0.1, 10%."""
    if "%" not in text and "." not in text:
        return whole_number(text)
    what = "a whole number, or a share between 0 and 1"
    return float(_parse(share, what, lambda given: 0 < given < 1, text))


def count(text: str) -> int | str:
    """Parse a whole number, or max."""
    return "max" if text == "max" else int(_parse(int, "a whole number, or max", lambda _: True, text))


def number(text: str) -> float:
    """Parse a number."""
    return float(_parse(float, "a number", lambda _: True, text))


def share(text: str) -> float:
    """Parse a share as a number or in percent: 0.05, 5%."""
    if text.endswith("%"):
        return number(text[:-1].rstrip()) / 100
    given = number(text)
    if given > 1:
        raise typer.BadParameter(f"{text!r} is more than all of it; write {text}% if you mean percent")
    return given


def seconds(text: str) -> float:
    """Parse a positive number."""
    return float(_parse(float, "a positive number of seconds", lambda given: given > 0, text))
