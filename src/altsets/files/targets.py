"""Targets of a table in a file that are more than one column: several targets, or times with events (survival)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from altsets.errors import TableError
from altsets.files.columns import Table, as_target, missing_in, refuse_missing_target
from altsets.files.parsing import numbers_in
from altsets.tables.forms import as_columns, as_survival
from altsets.tables.outcomes import Survival
from altsets.wording import list_some, parameter, suggestion


class SurvivalColumns(NamedTuple):
    """The columns of a survival target; ``event`` may name the value that stands for it, as in ``status=dead``."""

    time: str
    event: str


def survival_columns(target: Any, time: str | None, event: str | None) -> SurvivalColumns | None:
    """The columns of a survival target; None if there is another one."""
    if time is None and event is None:
        return None
    if time is None or event is None:
        missing = parameter("event" if event is None else "time")
        raise TableError(f"a survival target has a time and an event; name the column of {missing}, too.")
    if target is not None:
        raise TableError(
            f"{parameter('target', target)} and {parameter('time', time)} contradict each other; leave out one of them."
        )
    return SurvivalColumns(time, event)


def are_several(table: Table, target: str) -> bool:
    """Whether a target names several columns, with commas between them."""
    return target not in table.names and "," in target


def take_targets(
    table: Table, targets: str | SurvivalColumns, drop_missing_target: bool
) -> tuple[Any, Table, list[str]]:
    """Several targets, or events and times, apart from the other columns; and what they are called."""
    value = None
    if isinstance(targets, SurvivalColumns):
        event = targets.event
        if event not in table.names:
            event, _, value = event.partition("=")
            # The name of a column may have the sign itself.
            while event not in table.names and "=" in value:
                more, _, value = value.partition("=")
                event = f"{event}={more}"
            if event not in table.names:
                event, _, value = targets.event.partition("=")
        names, roles = [event, targets.time], ["column of events", "column of times"]
    else:
        names = [name.strip() for name in targets.split(",") if name.strip()]
        roles = ["target column"] * len(names)
    for name, role in zip(names, roles, strict=True):
        if name not in table.names:
            raise unknown_column(table, name, role)
        if name in table.unusable:
            raise TableError(f"{role} {name!r} holds {table.unusable[name]}; choose another one.")
        if names.count(name) > 1:
            raise TableError(f"column {name!r} is named twice; name each column once.")
    for name in names:
        table = with_target(table, name) if drop_missing_target else table
    known = dict(zip(table.names, table.columns, strict=True))
    for name in names:
        refuse_missing_target(known[name], name)
    if isinstance(targets, SurvivalColumns):
        y = as_survival(known[event], known[targets.time], event, targets.time, value or None)
        Survival.of(y, len(y))
    else:
        columns = [
            as_target(known[name], name, is_category=name in table.categories, decimal=table.decimal)
            for name in names
        ]
        y = as_columns(dict(zip(names, columns, strict=True)))
        table = replace(table, notes=(*table.notes, *_survival_hint(names, columns)))
    kept = [place for place, name in enumerate(table.names) if name not in names]
    rest = replace(
        table,
        names=tuple(table.names[place] for place in kept),
        columns=tuple(table.columns[place] for place in kept),
    )
    return y, rest, names


def _survival_hint(names: list[str], columns: list[Any]) -> list[str]:
    """Advice for two targets that look like times and events."""
    events = [column.dtype != object and set(column.tolist()) == {0.0, 1.0} for column in columns]
    times = [column.dtype != object and column.min() >= 0 for column in columns]
    if len(names) != 2 or sum(events) != 1 or not all(times):
        return []
    event, time = names[events.index(True)], names[events.index(False)]
    use = f"{parameter('time', time)} and {parameter('event', event)}"
    return [
        f"{time} and {event} are two targets; if they are the time of an event and whether it happened, use {use} "
        "instead."
    ]


def with_target(table: Table, target: str) -> Table:
    """The rows whose target is known."""
    column = table.columns[table.names.index(target)]
    known = ~missing_in(column)
    if not known.any():
        raise TableError(f"target column {target!r} has no values at all; choose another target.")
    return table if known.all() else replace(table, columns=tuple(column[known] for column in table.columns))


def unknown_column(table: Table, name: str, role: str) -> TableError:
    """What to say of a column that a table does not have."""
    otherwise = f"its columns are: {list_some(table.names)}."
    if numbers_in([table.names]) is not None:
        otherwise = "its first line holds only numbers, so it may lack a header line."
    return TableError(f"{table.source} has no {role} {name!r}; {suggestion(name, table.names, otherwise)}")
