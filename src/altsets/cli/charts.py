"""Points of a curve in plain characters: a line for each with the sets that it has, and a chart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from altsets.cli.printing import (
    NO_SET,
    console_for,
    fail,
    print_json,
    printable,
    say_error,
    show_verdict,
)

#: Points that have a line each; of more, --json has the others.
MOST_LINES = 200
#: Lines and columns of a chart; wider ones are no easier to read.
HEIGHT, WIDEST, NARROWEST = 10, 60, 10
#: Where points of several series meet.
SEVERAL = "+"


def point_lines(
    columns: Mapping[str, str], points: Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]], width: int
) -> list[str]:
    """A line for each point, with the names in its sets below each other; ``columns`` have formats such as ">10"."""
    lines = ["   ".join([*(f"{name:{form}}" for name, form in columns.items()), "Features"])]
    lines.append("-" * max(len(lines[0]), min(width, 60)))
    for cells, named_sets in points[:MOST_LINES]:
        start = "".join(f"{cell:{form}}   " for cell, form in zip(cells, columns.values(), strict=True))
        for number, names in enumerate(named_sets):
            lines.append((" " * len(start) if number else start) + printable(", ".join(names)))
    return lines + more_points(len(points))


def show_points(found: Any, lines: Callable[[int], list[str]], as_json: bool, origin: dict[str, Any]) -> None:
    """Print the points of a trade-off, as ``lines`` that fit or as JSON; end with a status if there are none."""
    if as_json:
        document = found.to_dict()
        document["parameters"] = {**document.get("parameters", {}), **origin}
        print_json(document)
    elif found.points:
        console = console_for()
        show_verdict(found.verdict, console)
        typer.echo()
        console.print("\n".join(lines(console.width)), soft_wrap=True)
    if not found.points:
        fail(found.explain(), NO_SET)
    if as_json and not found.complete:
        say_error(found.explain())


def more_points(count: int) -> list[str]:
    """A line about the points that have none of their own."""
    return [f"{count - MOST_LINES} more points (--json lists all)"] if count > MOST_LINES else []


def wrapped(text: str, width: int) -> list[str]:
    """A paragraph in lines that fit."""
    return textwrap.wrap(printable(text), width, break_on_hyphens=False)


@dataclass(frozen=True)
class Series:
    """Points that are drawn with one character."""

    mark: str
    xs: Sequence[float]
    ys: Sequence[float]


def chart(series: Sequence[Series], width: int, label: Callable[[float], str], x_name: str) -> list[str]:
    """Lines with the points of all series; ``label`` writes the numbers of the vertical axis."""
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
