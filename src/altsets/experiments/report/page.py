"""The report on the study: tables as CSV, figures as PNG and SVG, and one HTML page with everything."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

from altsets.errors import MissingExtraError
from altsets.experiments.report.figures import FIGURES, StudyFigure
from altsets.experiments.report.findings import sentences, side_by_side
from altsets.experiments.report.names import METHODS, method_name
from altsets.experiments.report.page_tables import (
    CLAIMS,
    CONCLUSIONS,
    COVERAGE,
    FINDINGS,
    TABLES,
    Cell,
    PageTable,
    shown,
)
from altsets.experiments.report.published import published
from altsets.experiments.report.runs import Frame, failures_in, sets_in

__all__ = ["write_report"]

#: Bytes of all figures on the page; above, smaller images are taken.
MOST_ON_PAGE = 3_000_000
#: Dots an inch of the PNG files.
DOTS = 200


@dataclass(frozen=True)
class _TableOnPage:
    name: str
    heading: str
    caption: str
    folded: bool
    header: list[Cell]
    rows: list[list[Cell]]
    #: Cells hold sentences rather than names.
    wordy: bool


@dataclass(frozen=True)
class _FigureOnPage:
    name: str
    number: int
    heading: str
    caption: str
    source: str


def write_report(
    frame: Frame,
    folder: str | Path,
    *,
    title: str = "Alternative feature sets: the study, reproduced",
    notes: Sequence[str] = (),
    core_hours: float | None = None,
) -> Path:
    """Write all tables, figures and the page; each file is replaced as a whole.

    Parameters
    ----------
    frame : DataFrame
        Results, one row for each search and set, and one for each task that failed.
    folder : str or Path
        Where to: ``tables/*.csv``, ``figures/*.png``, ``figures/*.svg`` and ``index.html``.
    title : str
        The heading of the page.
    notes : sequence of str
        Sentences on what was run, such as limits that were set; the first lines of the page's first section.
    core_hours : float or None
        Hours of all cores for the whole run, if known.

    Returns
    -------
    Path
        The page.
    """
    folder = Path(folder)
    searches = side_by_side(frame)
    page = {
        "title": title,
        "facts": _facts(frame, core_hours),
        "left_out": [*notes, *_left_out(frame)],
        "failures": _failures(frame),
        "coverage": [_table(one, frame, folder) for one in COVERAGE],
        "tables": [_table(one, frame, folder) for one in TABLES],
        "figures": _figures(frame, folder),
        "claims": [_table(one, frame, folder) for one in CLAIMS],
        "findings": [_table(one, searches, folder) for one in FINDINGS],
        "sentences": sentences(searches),
        "conclusions": _table(CONCLUSIONS, frame, folder),
    }
    path = folder / "index.html"
    _write(path, _rendered(page).encode())
    return path


def _rendered(page: dict[str, Any]) -> str:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("a report on the study", "jinja2", "study") from error
    template = (
        resources.files("altsets.experiments.report").joinpath("report.html").read_text(encoding="utf-8")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(template).render(page) + "\n"


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that there is never half a file under its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _table(one: PageTable, frame: Frame, folder: Path) -> _TableOnPage:
    made = one.make(frame)
    _write(folder / "tables" / f"{one.name}.csv", _csv(made))
    header, rows = shown(made, one.written)
    wordy = any(len(cell.text) > 60 for row in rows for cell in row)
    return _TableOnPage(one.name, one.heading, one.caption, one.folded, header, rows, wordy)


def _csv(table: Frame) -> bytes:
    # Ten digits are more than anything measured has, and hide how sums were rounded.
    text: str = table.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    return text.encode()


def _figures(frame: Frame, folder: Path) -> list[_FigureOnPage]:
    images = [_drawn(one, frame, folder) for one in FIGURES]
    small = sum(len(vector) for vector, _ in images) <= MOST_ON_PAGE
    found = []
    for one, (vector, dots) in zip(FIGURES, images, strict=True):
        kind, content = ("svg+xml", vector) if small else ("png", dots)
        source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        found.append(_FigureOnPage(one.name, one.number, one.heading, one.caption, source))
    return found


def _drawn(one: StudyFigure, frame: Frame, folder: Path) -> tuple[bytes, bytes]:
    numbers = one.numbers(frame)
    _write(folder / "tables" / f"{one.name}.csv", _csv(numbers))
    vector, dots = _images(one.draw(numbers), one.name)
    _write(folder / "figures" / f"{one.name}.svg", vector)
    _write(folder / "figures" / f"{one.name}.png", dots)
    return vector, dots


def _images(figure: Any, name: str) -> tuple[bytes, bytes]:
    from matplotlib import rc_context

    vector, dots = BytesIO(), BytesIO()
    # The same results make the same files: no date, and no names by chance.
    with rc_context({"svg.hashsalt": name}):
        figure.savefig(vector, format="svg", metadata={"Date": None, "Creator": None})
    # The places of all parts are settled by now.
    figure.set_layout_engine("none")
    figure.savefig(dots, format="png", dpi=DOTS, metadata={"Software": None})
    return vector.getvalue(), dots.getvalue()


def _facts(frame: Frame, core_hours: float | None) -> list[tuple[str, str]]:
    sets = sets_in(frame)
    design = published()["design"]
    facts = [
        ("data sets", f"{sets['dataset'].nunique()} of {design['datasets']}"),
        ("folds", f"{sets['fold'].nunique()} of {design['folds']}"),
        ("methods", f"{sets['method'].nunique()} of {len(METHODS)}"),
        ("sets", f"{len(sets):,}"),
        ("failed tasks", f"{len(failures_in(frame)):,}"),
    ]
    if core_hours is not None:
        facts.append(("core-hours (paper: 7,968)", f"{core_hours:,.1f}"))
    return facts


def _left_out(frame: Frame) -> list[str]:
    """What is missing of the paper's design, method by method."""
    design = published()["design"]
    n_tasks = design["datasets"] * design["folds"]
    sets = sets_in(frame)
    tasks = sets[["method", "k", "dataset", "fold"]].drop_duplicates().groupby(["method", "k"]).size()
    said = []
    for method in METHODS:
        for k in design["k"]:
            n_there = int(tasks.get((method, k), 0))
            if n_there < n_tasks:
                said.append(f"{method_name(method)}, k = {k}: {n_there} of {n_tasks} data sets and folds.")
    return said or ["Nothing: all data sets, folds, methods and sizes of the paper's design."]


def _failures(frame: Frame) -> list[tuple[str, ...]]:
    return [
        (
            str(row.dataset),
            f"{row.fold:g}" if row.fold == row.fold else "",
            method_name(row.method),
            str(row.error),
        )
        for row in failures_in(frame).itertuples()
    ]
