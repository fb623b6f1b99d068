"""Answers in files: rows in CSV or Parquet, JSON documents, and reports with what can be added in a few seconds."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from altsets.cli.printing import Waiting, console_for, say_error
from altsets.cli.searching import Searched
from altsets.errors import AltsetsError, InputError, reason_of

if TYPE_CHECKING:
    from altsets.cli.options import Given
    from altsets.evaluation import Evaluation
    from altsets.files.writing import NewFile, Rows
    from altsets.result import Frontier, NearBest

#: The ending of AnnData files.
CELLS = ".h5ad"
#: Seconds for each thing that is computed for the report alone.
SECONDS = 5.0
#: How far below the best a set may be to count as nearly as good.
WITHIN = 0.05


@dataclass(frozen=True)
class Outputs:
    """The files that an answer goes to, if any: one whose ending decides the format, and a report."""

    file: NewFile | None = None
    page: NewFile | None = None

    @classmethod
    def of(cls, given: Given, *, cells: bool = False) -> Outputs:
        """What options ask for; what is wrong with it is said before anything is computed.

        The table itself is refused. With ``cells``, an answer can also go into a copy of an AnnData file.
        """
        file = None if given.output is None else _output_file(given.output, given, cells)
        page = None if given.report is None else report_page(given.report, given.force)
        return cls(file, page if page is None else page.check(given.table))

    def write(self, rows: Rows, columns: Sequence[str], document: Mapping[str, Any]) -> None:
        """Write an answer, whole or not at all: rows as a table, or a document as JSON."""
        if self.file is not None:
            from altsets.files.writing import encode_answer

            self.file.write(encode_answer(self.file.path, rows, columns, document))

    def write_search(self, searched: Searched, table: str | None, document: Mapping[str, Any]) -> None:
        """Write the sets of a search, also into a copy of their table."""
        if self.file is None or not self.file.path.lower().endswith(CELLS) or table is None:
            from altsets.files.writing import rows_of_result

            self.write(*rows_of_result(searched.result), document)
        elif searched.result.sets:
            from altsets.files.cells import copy_with_answer

            quality = searched.quality
            known = quality.feature_scores
            scores = None if known is None else (list(quality.feature_names), known)
            self.file.make(lambda path: copy_with_answer(table, path, searched.result, scores))

    def report(self, tell: Callable[[str], object] = say_error, **answers: Any) -> None:
        """Write what is known into the report, and tell where it is."""
        if self.page is not None:
            from altsets.report import summarise
            from altsets.report.render import page

            self.page.write(page(summarise(**answers)).encode())
            tell(f"The report is in {self.page.path}; open it in a browser.")

    def report_search(
        self, searched: Searched, evaluation: Evaluation | None = None, notes: Sequence[str] = (), **more: Any
    ) -> None:
        """Report what a search has found, with what else can be known in a few seconds."""
        if self.page is not None:
            beside = extras_of(searched)
            beside["skipped"] = [*notes, *beside.get("skipped", ())]
            answers = {"quality": searched.quality, "evaluation": evaluation, **beside, **more}
            self.report(result=searched.result, **answers)


def _output_file(path: str, given: Given, cells: bool) -> NewFile:
    """The file of ``--output``, whose ending says what to write."""
    from altsets.files.writing import ENDINGS, NewFile, require_pyarrow

    ending = os.path.splitext(path)[1].lower()
    if ending == CELLS and cells:
        from altsets.files.cells import is_hdf5

        if given.table is None or not is_hdf5(given.table):
            raise InputError(
                f"--output {path} is a copy of the table with the sets in it, so the table must be an .h5ad file, "
                "too; use .csv, .parquet or .json."
            )
    elif ending not in ENDINGS:
        raise InputError(
            f"--output {path}: the ending of the name says what to write; use .csv, .parquet or .json."
        )
    if ending == ".parquet":
        require_pyarrow(f"--output {path}")
    return NewFile(path, f"--output {path}", given.force, "add --force").check(given.table)


def report_page(path: str, force: bool) -> NewFile:
    """The file of ``--report``."""
    from altsets.report.render import report_file

    return report_file(path, force=force, called=f"--report {path}", permission="add --force")


# --- Rows ---------------------------------------------------------------------------------------------


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
    # Numbers that are not known are None, not NaN.
    known = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    return known, list(rows[0])


# --- What a report has besides ------------------------------------------------------------------------

SKIPPED = {
    "interrupted": "How many sets are nearly as good, and what difference costs, was not searched.",
    "no form": "How many sets are nearly as good, and what difference costs, is not in this report: a model would have "
    "to be fitted to each of very many sets.",
    "failed": "{what} is not in this report: {why}.",
}


def extras_of(searched: Searched) -> dict[str, Any]:
    """What difference costs and how many sets are nearly as good, as far as a few seconds allow."""
    if not searched.result.sets:
        return {}
    if searched.result.interrupted:
        return {"skipped": [SKIPPED["interrupted"]]}
    if not searched.quality.has_form:
        return {"skipped": [SKIPPED["no form"]]}
    skipped: list[str] = []
    with Waiting(console_for(stderr=True)) as waiting:
        waiting.say("Searching at every tau, for the report")
        frontier = _unless("What difference costs", skipped, lambda: _frontier(searched))
        waiting.say("Counting sets that are nearly as good, for the report")
        near = _unless("How many sets are nearly as good", skipped, lambda: _near_best(searched))
    return {"frontier": frontier, "near_best": near, "skipped": skipped}


def _unless(what: str, skipped: list[str], compute: Callable[[], Any]) -> Any:
    """Compute a part of a report; None and a sentence if that fails or adds nothing, so that it is left out."""
    why = f"{SECONDS:g} s were too short to say more than the sets do"
    try:
        found = compute()
    except KeyboardInterrupt:
        found, why = None, "it was interrupted"
    except AltsetsError as error:
        found, why = None, reason_of(error)
    if found is None:
        skipped.append(SKIPPED["failed"].format(what=what, why=why))
    return found


def _frontier(searched: Searched) -> Frontier | None:
    """What difference costs, from the answer on; None if too little is settled besides it."""
    from altsets.result import StopReason
    from altsets.search.frontier.sweep import by_tau
    from altsets.search.known import same_difference

    result, asked = searched.result, searched.result.parameters
    smallest, largest = asked.get("sizes", (0, 0))
    if smallest < largest:
        raise InputError("sets may have several sizes.")
    if len(result.statuses) == 1:
        raise InputError("one set has nothing to differ from.")
    given = searched.measured
    if "max" in (given.tau, given.n_alternatives):
        raise InputError("a curve has no largest tau or number of sets.")
    request = replace(given.without_tau(), engine="auto", time_limit=SECONDS)
    found = by_tau(request, searched.quality, request.n_features, asked["n_alternatives"], None, known=result)
    # At tau = 0 sets may be equal, which takes no search.
    others = [
        point.result
        for point in found
        if point.tau > 0 and not same_difference(point.result.parameters, asked)
    ]
    settled = [other for other in others if other.stop_reason is StopReason.FINISHED]
    n_missing = (found.n_asked or 0) - len(found)
    return found if settled and 2 * len(settled) >= len(others) + n_missing else None


def _near_best(searched: Searched) -> NearBest | None:
    """The sets that are nearly as good, from the answer on; None if none but the best is known."""
    from altsets.search.good_sets import Nearness
    from altsets.search.near_best.counting import count_near

    request = searched.measured
    if request.existing:
        raise InputError("sets that differ enough from existing ones cannot be counted.")
    alone = request.alone().by_dice(tau=None, engine="auto", time_limit=SECONDS)
    found = count_near(alone, searched.quality, Nearness(WITHIN, None), known=searched.result)
    return found if found.exact or (found.count > 1 and found.n_known != 0) else None
