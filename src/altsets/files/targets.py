"""The target of a table in a file: a column, several ones, or times with events (survival)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from altsets.errors import TableError
from altsets.files.columns import Column, Table, as_target, refuse_missing_target, unknown_column
from altsets.tables.survival import Survival, as_survival
from altsets.tables.target import as_columns
from altsets.wording import parameter


def refuse_half_survival(target: Any, time: str | None, event: str | None) -> None:
    """Refuse a survival target that is incomplete, or beside another one."""
    if time is None and event is None:
        return
    if time is None or event is None:
        missing = parameter("event" if event is None else "time")
        raise TableError(f"a survival target has a time and an event; name the column of {missing}, too.")
    if target is not None:
        raise TableError(
            f"{parameter('target', target)} and {parameter('time', time)} contradict each other; leave out one of them."
        )


def target_columns(
    table: Table, target: str | None, time: str | None, event: str | None
) -> tuple[list[str], str | None]:
    """The columns of a target, of survival the event first; and the value that means it, as in ``status=dead``."""
    value = None
    if time is not None and event is not None:
        # The name of a column may have the sign itself, so the longest one counts.
        ends = [place for place, letter in enumerate(event) if letter == "="]
        if event not in table.names and ends:
            end = next((end for end in reversed(ends) if event[:end] in table.names), ends[0])
            event, value = event[:end], event[end + 1 :] or None
        names, roles = [event, time], ["column of events", "column of times"]
    else:
        names = [] if target is None else [target]
        if target is not None and target not in table.names and "," in target:
            names = [name.strip() for name in target.split(",") if name.strip()]
        roles = ["target column"] * len(names)
    for name, role in zip(names, roles, strict=True):
        if name not in table.names:
            raise unknown_column(name, role, table.names, table.source)
        if names.count(name) > 1:
            raise TableError(f"column {name!r} is named twice; name each column once.")
    return names, value


def survival_of(columns: Mapping[str, Column], value: str | None) -> Any:
    """The target of an event and a time, checked."""
    for name, column in columns.items():
        refuse_missing_target(column, name)
    (event, happened), (time, times) = columns.items()
    y = as_survival(happened, times, event, time, value)
    Survival.of(y, len(y))
    return y


def target_of(columns: Mapping[str, Column], categories: Collection[str], decimal: str) -> Any:
    """The target of a column, or of several ones, checked; None without one."""
    made = {
        name: as_target(column, name, is_category=name in categories, decimal=decimal)
        for name, column in columns.items()
    }
    return as_columns(made) if len(made) > 1 else next(iter(made.values()), None)


def hint_at_survival(columns: Mapping[str, Column]) -> list[str]:
    """Advice for two targets that look like times and events."""
    events = [name for name, column in columns.items() if set(column.tolist()) == {0.0, 1.0}]
    times = [name for name, column in columns.items() if column.dtype != object and column.min() >= 0]
    if len(columns) != 2 or len(times) != 2 or len(events) != 1:
        return []
    (event,), (time,) = events, [name for name in times if name not in events]
    use = f"{parameter('time', time)} and {parameter('event', event)}"
    return [
        f"{time} and {event} are two targets; if they are the time of an event and whether it happened, use {use} "
        "instead."
    ]
