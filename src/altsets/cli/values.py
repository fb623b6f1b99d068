"""Numbers in options: parsers that say what is wrong with a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def _parser(
    kind: Callable[[str], Any], what: str, is_right: Callable[[Any], bool] = lambda _: True
) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            given = kind(text)
        except ValueError:
            given = None
        if given is None or not is_right(given):
            raise typer.BadParameter(f"{text!r} is not {what}")
        return given

    return parse


whole_number = _parser(int, "a whole number")
number = _parser(float, "a number")
seconds = _parser(float, "a positive number of seconds", lambda given: given > 0)
#: A whole number, or max.
count = _parser(lambda text: text if text == "max" else int(text), "a whole number, or max")


def share(text: str) -> float:
    """Parse a share as a number or in percent: 0.05, 5%."""
    if text.endswith("%"):
        return float(number(text[:-1].rstrip())) / 100
    given = float(number(text))
    if given > 1:
        raise typer.BadParameter(f"{text!r} is more than all of it; write {text}% if you mean percent")
    return given


_part = _parser(share, "a whole number, or a share between 0 and 1", lambda given: 0 < given < 1)


def size(text: str) -> Any:
    """Parse a number of features, or a share of them: 5, 0.1, 10%."""
    return _part(text) if "%" in text or "." in text else whole_number(text)
