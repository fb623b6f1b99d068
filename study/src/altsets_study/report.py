"""The report on the study: tables as CSV, figures as PNG and SVG, and one HTML page with everything."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from altsets_study import claims, conclusions, gains, tables
from altsets_study.figures import FIGURES, StudyFigure
from altsets_study.gains import sentences, side_by_side
from altsets_study.store import write_file
from altsets_study.tables import METHODS, Frame, failures_in, method_name, published, read_json, sets_in

#: How a value that is not there is written.
NOTHING = "—"


def percent(value: float) -> str:
    """Two digits after the point, as in the paper."""
    return f"{value:.2f}"


def seconds(value: float) -> str:
    """Two digits after the point as in the paper, more for short times."""
    if 0 < value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if 0 < value < 0.1 else f"{value:,.2f}"


def printed(value: float) -> str:
    """Two digits after the point, as most numbers of the paper have, none for large ones."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def plain(value: float) -> str:
    """Three digits that matter, never in powers of ten."""
    if abs(value) < 1e-9:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.6f}"


@dataclass(frozen=True)
class PageTable:
    """A table: the name of its file and of its caption, where it comes from, how its numbers are written."""

    name: str
    make: Callable[[Frame], Frame]
    written: Callable[[float], str] = percent
    #: Long ones are folded away on the page.
    folded: bool = False


@dataclass(frozen=True)
class Cell:
    """The content of a cell and its kind: ``text``, ``number`` or ``paper`` (a published number)."""

    text: str
    kind: str


def as_cells(table: Frame, written: Callable[[float], str]) -> tuple[list[Cell], list[list[Cell]]]:
    """The header and the rows of a table as cells."""
    kinds = {column: _kind(table, column) for column in table.columns}
    ways = [printed if str(column).endswith(tables.PAPER) else written for column in kinds]
    header = [
        Cell("paper" if kind == "paper" else str(column).replace("_", " "), kind)
        for column, kind in kinds.items()
    ]
    looks = list(zip(ways, kinds.values(), strict=True))
    rows = [
        [Cell(_text(value, way), kind) for value, (way, kind) in zip(row, looks, strict=True)]
        for row in table.itertuples(index=False, name=None)
    ]
    return header, rows


def _kind(table: Frame, column: str) -> str:
    if str(column).endswith(tables.PAPER) or column == "published":
        return "paper"
    return "number" if table[column].dtype.kind in "iuf" else "text"


def _text(value: Any, written: Callable[[float], str]) -> str:
    if isinstance(value, str):
        return value
    # Missing whole numbers are neither None nor floats.
    if value is None or value != value or str(value) == "<NA>":
        return NOTHING
    return (
        f"{value:,}" if float(value).is_integer() and not isinstance(value, float) else written(float(value))
    )


COVERAGE = (PageTable("coverage", tables.coverage), PageTable("core-hours", tables.core_hours, seconds))
TABLES = (
    PageTable("status-by-search", tables.status_by_search),
    PageTable("status-by-a", tables.status_by_a),
    PageTable("seconds-by-search", tables.seconds_by_search, seconds),
    PageTable("seconds-by-a", tables.seconds_by_a, seconds),
)
CLAIMS = (PageTable("claims", claims.claims, plain), PageTable("correlations", claims.correlations))
#: Made from all searches side by side, rather than from the results themselves.
FINDINGS = tuple(
    PageTable(f"{name}-by-{by}", partial(make, by=["method", "k", by]), plain, folded=True)
    for name, make in (
        ("gains-in-sum", gains.gains_in_sum),
        ("gains-in-worst", gains.gains_in_worst),
        ("shortfalls", gains.shortfalls),
    )
    for by in ("a", "tau")
)
CONCLUSIONS = PageTable("conclusions", conclusions.conclusions)

#: Bytes of all figures on the page; above, smaller images are taken.
MOST_ON_PAGE = 3_000_000
#: Dots an inch of the PNG files.
DOTS = 200


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
    title : str, default="Alternative feature sets: the study, reproduced"
        The heading of the page.
    notes : sequence of str, default=()
        Sentences on what was run, such as limits that were set; the first lines of the page's first section.
    core_hours : float or None, default=None
        Hours of all cores for the whole run, if known.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    altsets.errors.InputError
        If a file cannot be written.

    See Also
    --------
    altsets_study.reproduce : Computes the results.
    altsets_study.Store : Its ``frame()`` has them.

    Examples
    --------
    >>> from altsets_study import Store
    >>> from altsets_study.report import write_report
    >>> write_report(Store("results").frame(), "report")  # doctest: +SKIP
    """
    folder, template = Path(folder), _template()
    searches = side_by_side(frame)
    page = {
        "title": title,
        "facts": _facts(frame, core_hours),
        "left_out": [*notes, *_left_out(frame)],
        "failures": [
            (str(dataset), f"{fold:g}" if fold == fold else "", method_name(method), str(error))
            for dataset, fold, method, error in failures_in(frame).itertuples(index=False)
        ],
        "coverage": [_table(one, frame, folder) for one in COVERAGE],
        "tables": [_table(one, frame, folder) for one in TABLES],
        "figures": _figures(frame, folder),
        "claims": [_table(one, frame, folder) for one in CLAIMS],
        "findings": [_table(one, searches, folder) for one in FINDINGS],
        "sentences": sentences(searches),
        "conclusions": _table(CONCLUSIONS, frame, folder),
    }
    path = folder / "index.html"
    _write(path, f"{template.render(page)}\n".encode())
    return path


def _template() -> Any:
    text = resources.files("altsets_study").joinpath("report.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(text)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content)


def _table(one: PageTable, frame: Frame, folder: Path) -> dict[str, Any]:
    """Write a table as CSV; returns what the page shows of it."""
    made = one.make(frame)
    _write(folder / "tables" / f"{one.name}.csv", _csv(made))
    header, rows = as_cells(made, one.written)
    # Cells hold sentences rather than names.
    wordy = any(len(cell.text) > 60 for row in rows for cell in row)
    about = {"name": one.name, "folded": one.folded, **_caption(one.name)}
    return {**about, "header": header, "rows": rows, "wordy": wordy}


def _caption(name: str) -> dict[str, str]:
    heading, caption = read_json("captions.json")[name]
    return {"heading": heading, "caption": caption}


def _csv(table: Frame) -> bytes:
    # Ten digits are more than anything measured has, and hide how sums were rounded.
    text: str = table.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    return text.encode()


def _figures(frame: Frame, folder: Path) -> list[dict[str, Any]]:
    """Write all figures; returns what the page shows of them."""
    images = [_draw(one, frame, folder) for one in FIGURES]
    small = sum(len(vector) for vector, _ in images) <= MOST_ON_PAGE
    found = []
    for one, (vector, dots) in zip(FIGURES, images, strict=True):
        kind, content = ("svg+xml", vector) if small else ("png", dots)
        source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        found.append({"name": one.name, "number": one.number, "source": source, **_caption(one.name)})
    return found


def _draw(one: StudyFigure, frame: Frame, folder: Path) -> tuple[bytes, bytes]:
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
    """The parts of the paper's design that are missing, method by method."""
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
