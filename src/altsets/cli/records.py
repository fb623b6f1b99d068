"""What is written down about the answer of a command: its options as given, its data, and what they were taken for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli.sources import Source, TableOptions
from altsets.commands import TABLE

if TYPE_CHECKING:
    from altsets.files.dataset import Dataset

__all__ = ["Record", "known_options", "options_given"]


def options_given(context: typer.Context) -> dict[str, Any]:
    """The options that the user gave, by their long names, as plain values."""
    given = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            given[_name_of(parameter)] = _plain(context.params[parameter.name or ""])
    return given


def known_options(context: typer.Context) -> dict[str, bool]:
    """The long names of all options of a command, and whether each is a flag."""
    parameters = {_name_of(parameter): parameter for parameter in context.command.params}
    return {name: bool(getattr(one, "is_flag", False)) for name, one in parameters.items() if name != TABLE}


def _name_of(parameter: Any) -> str:
    return TABLE if parameter.param_type_name == "argument" else str(max(parameter.opts, key=len))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(value)
    # JSON has no infinite numbers.
    return str(value) if isinstance(value, float) and value in (float("inf"), -float("inf")) else value


class Record:
    """What is known from the start, and the clock."""

    def __init__(self, context: typer.Context) -> None:
        self._started = time.perf_counter()
        self._known = {"command": context.info_name, "options": options_given(context)}

    def of(self, source: Source, table: TableOptions, asked: Mapping[str, Any], task: str) -> dict[str, Any]:
        """The record of a search."""
        from altsets.provenance import DEFAULT_SEED, constraints_by_name

        known: dict[str, Any] = {"data": {"columns": len(source.names)}}
        if source.data is not None:
            known["data"] = table_record(source.data, table)
            known["task"] = _task_of(source.data, task)
        if source.scores_sha256:
            known["data"] |= {"scores_sha256": source.scores_sha256}
        known["constraints"] = constraints_by_name(asked.get("constraints", ()), source.names)
        known["seed"] = DEFAULT_SEED
        return self._whole(known)

    def of_evaluation(
        self, provenance: Mapping[str, Any], data: Dataset, table: TableOptions
    ) -> dict[str, Any]:
        """The record of an evaluation: what it knows itself, and where the table came from."""
        known = {name: provenance[name] for name in ("task", "seed")}
        return self._whole({"data": provenance["data"] | _file_of(data, table), **known})

    def _whole(self, known: Mapping[str, Any]) -> dict[str, Any]:
        from altsets.provenance import record

        return record({**self._known, **known}, time.perf_counter() - self._started)


def table_record(data: Dataset, table: TableOptions) -> dict[str, Any]:
    """The size and the hash of a table, and the file that it came from."""
    from altsets.provenance import data_of

    return data_of(data.X, data.y) | _file_of(data, table)


def _file_of(data: Dataset, table: TableOptions) -> dict[str, Any]:
    dropped = {"dropped_rows": data.n_dropped} if data.n_dropped else {}
    return {"target": data.target_name, "file": table.path, "file_sha256": data.sha256} | dropped


def _task_of(data: Dataset, task: str) -> str:
    from altsets.tables.target import target_of

    return target_of(data.y, len(data.y), task).task
