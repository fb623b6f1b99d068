"""Answers in files, for other programs: CSV and Parquet with a row for each set and feature, or the JSON document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.errors import InputError

if TYPE_CHECKING:
    from altsets.evaluation import Evaluation
    from altsets.files.writing import NewFile
    from altsets.result import Result

__all__ = ["OutputFile", "rows_of_evaluation", "rows_of_near_best", "rows_of_result"]

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class OutputFile:
    """Where an answer goes, if the user says so; what is wrong with it is said before anything is computed.

    Attributes
    ----------
    file : NewFile or None
        The file; None if there is none.
    """

    file: NewFile | None

    @classmethod
    def of(
        cls, path: str | None, force: bool, table: str | None = None, report: str | None = None
    ) -> OutputFile:
        """What ``--output`` and ``--force`` say; never the table itself."""
        if path is None:
            if force and report is None:
                raise InputError("--force goes with --output and --report; name a file, or leave it out.")
            return cls(None)
        from altsets.files.writing import ENDINGS, NewFile, require_pyarrow

        file = NewFile(path, f"--output {path}", force, "add --force")
        ending = os.path.splitext(path)[1].lower()
        if ending not in ENDINGS:
            raise InputError(
                f"--output {path}: the ending of the name says what to write; use .csv, .parquet or .json."
            )
        if ending == ".parquet":
            require_pyarrow(f"--output {path}")
        return cls(file.check(table))

    def write(self, rows: Rows, columns: Sequence[str], document: Mapping[str, Any]) -> None:
        """Write an answer, whole or not at all: rows in a table, or a document in JSON, as the ending says."""
        if self.file is not None:
            from altsets.files.writing import encode_answer

            self.file.write(encode_answer(self.file.path, rows, columns, document))


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
