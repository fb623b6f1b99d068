"""The target of a table in a file: a column, several ones, or times with events (survival)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from altsets.errors import TableError
from altsets.files.columns import Column, Table, as_target, refuse_missing_target
from altsets.tables.conversion import is_float
from altsets.tables.survival import Survival, as_survival
from altsets.tables.target import as_columns
from altsets.wording import list_some, parameter, suggestion


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


@dataclass(frozen=True)
class Targets:
    """The columns of a target in the order in which they are said, and what is made of them."""

    names: tuple[str, ...] = ()
    #: For survival, of which the event comes first; the value that stands for it, if it is named.
    is_survival: bool = False
    event_value: str | None = None

    @classmethod
    def of(
        cls, table: Table, target: str | None, time: str | None = None, event: str | None = None
    ) -> Targets:
        """Find the columns of a target in a table; ``event`` may name a value, as in ``status=dead``."""
        if time is not None and event is not None:
            name, value = event, ""
            # The name of a column may have the sign itself, so the longest one counts.
            ends = [place for place, letter in enumerate(event) if letter == "="]
            if event not in table.names and ends:
                place = next((end for end in reversed(ends) if event[:end] in table.names), ends[0])
                name, value = event[:place], event[place + 1 :]
            found, roles = cls((name, time), True, value or None), ["column of events", "column of times"]
        else:
            names = [] if target is None else [target]
            if target is not None and target not in table.names and "," in target:
                names = [name.strip() for name in target.split(",") if name.strip()]
            found, roles = cls(tuple(names)), ["target column"] * len(names)
        for name, role in zip(found.names, roles, strict=True):
            if name not in table.names:
                raise unknown_column(table, name, role)
            if found.names.count(name) > 1:
                raise TableError(f"column {name!r} is named twice; name each column once.")
        return found

    def make(self, columns: Mapping[str, Column], categories: Collection[str], decimal: str) -> Any:
        """The target of these columns, checked."""
        if self.is_survival:
            for name in self.names:
                refuse_missing_target(columns[name], name)
            event, time = self.names
            y = as_survival(columns[event], columns[time], event, time, self.event_value)
            Survival.of(y, len(y))
            return y
        made = {
            name: as_target(columns[name], name, is_category=name in categories, decimal=decimal)
            for name in self.names
        }
        return as_columns(made) if len(made) > 1 else next(iter(made.values()), None)

    def notes(self, columns: Mapping[str, Column]) -> list[str]:
        """Advice for two targets that look like times and events."""
        if self.is_survival or len(columns) != 2:
            return []
        events = [name for name, column in columns.items() if set(column.tolist()) == {0.0, 1.0}]
        times = [name for name, column in columns.items() if column.dtype != object and column.min() >= 0]
        if len(times) != 2 or len(events) != 1:
            return []
        (event,), (time,) = events, [name for name in times if name not in events]
        use = f"{parameter('time', time)} and {parameter('event', event)}"
        return [
            f"{time} and {event} are two targets; if they are the time of an event and whether it happened, use {use} "
            "instead."
        ]


def unknown_column(table: Table, name: str, role: str) -> TableError:
    """What to say of a column that a table does not have."""
    otherwise = f"its columns are: {list_some(table.names)}."
    if all(map(is_float, table.names)):
        otherwise = "its first line holds only numbers, so it may lack a header line."
    return TableError(f"{table.source} has no {role} {name!r}; {suggestion(name, table.names, otherwise)}")
