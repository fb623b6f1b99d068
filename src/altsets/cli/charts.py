"""Small charts in plain characters: points over a line of numbers, as wide as the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Series", "chart"]

#: Lines and columns of the area with the points; wider ones are no easier to read.
HEIGHT, WIDEST, NARROWEST = 10, 60, 10
#: Where points of several series meet.
SEVERAL = "+"


@dataclass(frozen=True)
class Series:
    """Points that are drawn with one character."""

    mark: str
    xs: Sequence[float]
    ys: Sequence[float]


def chart(series: Sequence[Series], width: int, label: Callable[[float], str], x_name: str) -> list[str]:
    """Lines with the points of all series; numbers of the upright axis are written by ``label``.

    Examples
    --------
    >>> for line in chart([Series("*", [0, 1], [2.0, 1.0])], 24, "{:g}".format, "x")[-4:]:
    ...     print(line)
      |
    1 |                   *
      +--------------------
       0        x         1
    """
    points = [
        (x, y, one.mark) for one in series for x, y in zip(one.xs, one.ys, strict=True) if math.isfinite(y)
    ]
    if not points:
        return []
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    names = [label(high), label(low)]
    margin = max(map(len, names))
    columns = max(min(width - margin - 3, WIDEST), NARROWEST)
    area = [[" "] * columns for _ in range(HEIGHT)]
    for x, y, mark in points:
        column = _place(x, left, right, columns)
        line = HEIGHT - 1 - _place(y, low, high, HEIGHT)
        area[line][column] = mark if area[line][column] in (" ", mark) else SEVERAL
    shown = {0: names[0], HEIGHT - 1: names[1]}
    lines = [
        f"{shown.get(number, ''):>{margin}} |{''.join(line)}".rstrip() for number, line in enumerate(area)
    ]
    lines.append(f"{'':>{margin}} +{'-' * columns}")
    ends = f"{left:g}", f"{right:g}"
    middle = columns - len(ends[0]) - len(ends[1])
    lines.append(f"{'':>{margin}}  {ends[0]}{x_name:^{max(middle, len(x_name) + 2)}}{ends[1]}")
    return lines


def _place(value: float, low: float, high: float, count: int) -> int:
    """Which of so many places from low to high."""
    return round((value - low) / (high - low) * (count - 1)) if high > low else count // 2
