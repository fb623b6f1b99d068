"""Answers in files, for other programs: CSV and Parquet with a row for each set and feature, or the JSON document."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError, reason_of

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.result import Result

__all__ = ["OutputFile", "rows_of_evaluation", "rows_of_near_best", "rows_of_result"]

ENDINGS = (".csv", ".parquet", ".json")

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class OutputFile:
    """Where an answer goes, if the user says so; what is wrong with it is said before anything is computed.

    Attributes
    ----------
    path : str or None
        The file; None if there is none.
    force : bool
        Whether it may replace another file.
    """

    path: str | None
    force: bool = False

    @classmethod
    def of(cls, path: str | None, force: bool, table: str | None = None) -> OutputFile:
        """What ``--output`` and ``--force`` say; never the table itself."""
        output = cls(path, force)
        if path is None and force:
            raise InputError("--force goes with --output; name a file, or leave it out.")
        if path is not None:
            output._check(path, table)
        return output

    @property
    def _ending(self) -> str:
        return os.path.splitext(self.path or "")[1].lower()

    def _check(self, path: str, table: str | None) -> None:
        if self._ending not in ENDINGS:
            raise InputError(
                f"--output {path}: the ending of the name says what to write; use .csv, .parquet or .json."
            )
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise InputError(f"--output {path}: there is no folder {folder}; make it first.")
        if os.path.isdir(path):
            raise InputError(f"--output {path} is a folder; name a file.")
        both_there = table is not None and os.path.exists(table) and os.path.exists(path)
        if both_there and os.path.samefile(str(table), path):
            raise InputError(f"--output {path} is the table itself; choose another name.")
        if self._ending == ".parquet":
            from altsets.tables.parquet_tables import require_pyarrow

            require_pyarrow(f"--output {path}")
        self._refuse_to_replace(path)
        try:
            with _beside(path):
                pass
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from error

    def _refuse_to_replace(self, path: str) -> None:
        if os.path.lexists(path) and not self.force:
            raise InputError(
                f"--output {path} exists already; choose another name, or add --force to replace it."
            )

    def write(self, rows: Rows, columns: Sequence[str], document: Mapping[str, Any]) -> None:
        """Write an answer, whole or not at all: rows in a table, or a document in JSON, as the ending says."""
        if self.path is None:
            return
        if self._ending == ".json":
            content = json.dumps(document, indent=2, allow_nan=False).encode() + b"\n"
        elif self._ending == ".csv":
            from altsets.tables.csv_tables import csv_of

            content = csv_of(rows, columns)
        else:
            from altsets.tables.parquet_tables import parquet_of

            content = parquet_of(rows, columns)
        self._refuse_to_replace(self.path)
        try:
            with _beside(self.path) as temporary:
                with open(temporary, "wb") as file:
                    file.write(content)
                # A link stays one, and what it points to is replaced.
                os.replace(temporary, os.path.realpath(self.path))
        except OSError as error:
            raise _unwritable(self.path, error) from error


class _beside:
    """A new file in the same folder, which is gone afterwards unless it was moved away."""

    def __init__(self, path: str) -> None:
        folder, name = os.path.split(os.path.realpath(path))
        self._path = os.path.join(folder, f".{name}.{os.getpid()}.part")

    def __enter__(self) -> str:
        with open(self._path, "xb"):
            pass
        return self._path

    def __exit__(self, *_: object) -> None:
        with suppress(FileNotFoundError):
            os.remove(self._path)


def _unwritable(path: str, error: Exception) -> InputError:
    return InputError(f"--output {path} cannot be written: {reason_of(error)}.")


# --- Rows ---------------------------------------------------------------------------------------------


def rows_of_result(result: Result) -> tuple[Rows, list[str]]:
    """One row for each set and feature, and the columns."""
    rows = []
    for number, names in enumerate(result.named_sets):
        scores = result.scores[number] if result.scores else [None] * len(names)
        for name, score in zip(names, scores, strict=True):
            rows.append(
                {
                    "set": number,
                    "feature": name,
                    "score": score,
                    "quality": result.qualities[number],
                    "status": str(result.statuses[number]),
                }
            )
    return rows, ["set", "feature", "score", "quality", "status"]


def rows_of_near_best(document: Mapping[str, Any]) -> tuple[Rows, list[str]]:
    """One row for each set that is shown and each of its features, and the columns."""
    frequencies = {entry["index"]: entry["frequency"] for entry in document["features"]}
    rows = [
        {"set": number, "feature": name, "frequency": frequencies[index], "quality": entry["quality"]}
        for number, entry in enumerate(document["sets"])
        for name, index in zip(entry["features"], entry["indices"], strict=True)
    ]
    return rows, ["set", "feature", "frequency", "quality"]


def rows_of_evaluation(evaluation: Evaluation) -> tuple[Rows, list[str]]:
    """One row for each fold and set, and the columns."""
    rows = evaluation.score_rows()
    return [{name: _known(value) for name, value in row.items()} for row in rows], list(rows[0])


def _known(value: Any) -> Any:
    """None for numbers that are not known."""
    return None if value != value else value
