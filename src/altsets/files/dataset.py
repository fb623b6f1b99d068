"""Tables from files: read, with the target apart from the features, and both checked.

The format is recognised by the content of a file. Columns that no measure can use are refused in one sentence that
names them and says what to do.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from altsets.errors import InputError, TableError
from altsets.files.cells import cells_in, cells_of, is_hdf5
from altsets.files.columns import (
    Column,
    Table,
    are_times,
    as_target,
    columns_in,
    missing_in,
    refuse_commas,
    refuse_conflicts,
    refuse_missing,
    refuse_missing_target,
    unknown_column,
)
from altsets.files.contents import (
    HEAD,
    PARQUET,
    STANDARD_INPUT,
    as_utf8,
    is_excel,
    read_bytes,
    read_standard_input,
    refuse_markup,
    text_files,
    text_format,
    unpack,
)
from altsets.files.large import read_parts
from altsets.files.parsing import (
    GCT,
    Wanted,
    parse_csv,
    parse_excel,
    parse_parquet,
    turn_gct,
    turn_rows,
    wanted_places,
)
from altsets.files.writing import require_pyarrow
from altsets.measures.large.decoding import kind_of
from altsets.measures.large.table import LargeTable
from altsets.tables.conversion import check_unusable, is_anndata
from altsets.tables.survival import Survival, as_survival
from altsets.tables.target import as_columns
from altsets.wording import counted, list_some, parameter, quote

DEMO_TARGET = "diagnosis"
#: Parameters that not every table has a use for.
MEANT_FOR = {
    "layer": "AnnData files (.h5ad)",
    "raw": "AnnData files (.h5ad)",
    "sheet": "Excel workbooks",
    "transpose": "text files",
    "categorical": "tables in which numbers may be codes",
    "groups": "tables in memory, which models can be fitted to",
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table from a file with the target apart, as :func:`altsets.read_table` returns it.

    Attributes
    ----------
    X : table
        The features, which all functions of altsets take; if they are larger than memory, those that read in passes.
    y : ndarray of shape (n_rows,)
        The target: finite numbers or text. Its name, if the table is larger than memory; None without a target.
    feature_names : tuple of str
        One name for each column of ``X``.
    target_name : str
        The name of the target column; empty without one.
    groups : ndarray of shape (n_rows,) or None
        The column that says which rows belong together, if one was named.
    n_dropped : int
        The number of rows that were left out because their target is missing.
    sha256 : str
        The SHA-256 hash of the file.
    notes : tuple of str
        Sentences on columns that were left out.
    missing : str
        A sentence on what was read as missing values in a text file, such as NA or ?; empty if nothing was.

    See Also
    --------
    altsets.read_table : Makes one.
    altsets.SelectAlternatives : Takes ``X`` and ``y``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("age,dose,ill\\n42,1,yes\\n37,2,no\\n29,2,no\\n")
    >>> data = altsets.read_table(path, "ill")
    >>> data.feature_names, data.target_name, data.y.tolist(), data.n_dropped
    (('age', 'dose'), 'ill', ['yes', 'no', 'no'], 0)
    """

    X: Any
    y: Any
    feature_names: tuple[str, ...]
    target_name: str
    groups: Column | None = None
    n_dropped: int = 0
    sha256: str = ""
    notes: tuple[str, ...] = ()
    missing: str = ""

    @property
    def is_large(self) -> bool:
        """Whether the table is read in passes."""
        return isinstance(self.X, LargeTable)


def read_table(
    path: str | os.PathLike[str],
    target: str | Sequence[str] | None = None,
    *,
    time: str | None = None,
    event: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    groups: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    drop_missing_target: bool = False,
    unusable: str = "error",
    transpose: bool = False,
    layer: str | None = None,
    raw: bool = False,
    max_memory: int | str | None = None,
) -> Dataset:
    """Read a CSV file (also gzipped), a Parquet file, an Excel workbook or an AnnData file, as the command line does.

    CSV: UTF-8 with or without a byte-order mark (or UTF-16 with one, or ``encoding``), a header line, and commas,
    semicolons or tabs between the fields. Empty fields and NA, N/A, NaN, null, None and ? are missing values; true and
    false are 1 and 0. A first column without a name that counts the rows from 0 is the index that pandas writes, and is
    left out.

    AnnData (.h5ad): rows are cells, columns are genes, and the target is a column of ``obs``. A sparse matrix stays
    sparse. GCT (.gct): genes in rows, with samples and their annotations in columns, among them the target.

    Columns of text are categories. What is likely a mistake is refused: dates, numbers with some text among them,
    numbers in a spelling that cannot be read, categories that name single rows.

    A folder of Parquet files is one table; subfolders such as ``year=2024`` are a column. Parquet that takes more than
    ``max_memory`` is read in passes by :class:`altsets.quality.Additive`, ``MRMR``, ``CFS`` and ``FCBF``: ``X`` then
    stands for the table on disk, and ``y`` is the name of the target.

    Parameters
    ----------
    path : path-like
        The file, a folder of Parquet files, or ``"-"`` for standard input. The content decides about the format.
    target : str or sequence of str, default=None
        The name of the target column, or of several (also with commas between them); None without a target, or if it
        is survival.
    time, event : str, default=None
        The columns of a survival target: how long each row was observed, and whether the event happened then (0 or 1,
        or the value in ``event="status=dead"``).
    columns : sequence of str, default=None
        The only columns to read as features, by name or by a pattern such as ``"S004_*"``; all of them by default.
    drop : sequence of str, default=()
        Columns to leave out, by name or by a pattern.
    categorical : sequence of str, default=()
        Columns that are categories whatever they hold, such as codes; by name or by a pattern.
    groups : str, default=None
        The column that says which rows belong together; it is not used as a feature.
    encoding : str, default=None
        The encoding of a text file that is not UTF-8, such as ``"latin-1"`` or ``"cp1252"``.
    decimal : {".", ","}, default=None
        The decimal sign of a text file; None means a point. A comma needs semicolons or tabs between the fields.
    sheet : str, default=None
        The sheet of a workbook; by default the first one.
    drop_missing_target : bool, default=False
        Whether to leave out rows without a target; otherwise they are refused.
    unusable : {"error", "drop"}, default="error"
        Whether to refuse columns that no measure can use, such as dates, or to leave them out and list them in
        ``notes``.
    transpose : bool, default=False
        Whether features, and the target, are the rows of a text file, with their names in the first column.
    layer : str, default=None
        The layer of an AnnData file, in place of ``X``.
    raw : bool, default=False
        Whether to take the matrix and the genes of ``raw`` of an AnnData file.
    max_memory : int or str, default=None
        The most memory that a table may take, in bytes or as ``"2GB"``; a quarter of the machine by default.

    See Also
    --------
    altsets.io.from_anndata : The same for an AnnData object.
    altsets.io.read_scores : Read feature scores that were saved before.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.csv"
    >>> _ = path.write_text("age;town;dose;ill\\n42;Rome;0,5;yes\\n;Oslo;1;no\\n37;Rome;2;no\\n29;Oslo;1,5;yes\\n")
    >>> data = altsets.read_table(path, "ill", decimal=",")
    >>> data.feature_names, data.y.tolist()
    (('age', 'town', 'dose'), ['yes', 'no', 'no', 'yes'])
    >>> altsets.quality.Additive.from_data(data.X, data.y, measure="symmetrical_uncertainty").scores.round(2).tolist()
    [0.4, 0.0, 0.0]
    """
    refuse_half_survival(target, time, event)
    check_unusable(unusable)
    if not isinstance(target, str | None):
        target = ",".join(target)
    how: dict[str, Any] = {"drop": drop, "drop_missing_target": drop_missing_target, "unusable": unusable}
    unused: dict[str, Any] = {"sheet": sheet, "transpose": transpose}
    from_file = str(path) != STANDARD_INPUT
    if from_file and is_hdf5(path):
        refuse_unused(Path(path).name, **unused, categorical=categorical)
        if target is None:
            raise TableError(f"{path} is an AnnData file; name a column of obs as {parameter('target')}.")
        table = cells_in(path, layer, raw, target=target, groups=groups)
        return split_target(table, target, groups=groups, columns=columns, **how)
    refuse_unused(str(path), layer=layer, raw=raw)
    wanted: Wanted | None = None
    if columns is not None:
        also = [*drop, *categorical, *(() if groups is None else (groups,))]
        also += [] if target is None else [target, *target.split(",")]
        also += [] if time is None or event is None else [time, event, event.partition("=")[0]]
        wanted = partial(wanted_places, columns, also)
    how["categorical"] = categorical
    found: Table | LargeTable | None = None
    is_workbook = str(path).lower().endswith(".xlsx")
    require_pyarrow("reading tables from files", "excel" if is_workbook else "tables")
    if from_file and target is not None:
        found = read_parts(Path(path), target, wanted, max_memory=max_memory, **how)
    if found is None:
        with text_files(encoding, decimal):
            found = read_columns(path, **unused, wanted=wanted)
    else:
        refuse_unused(found.source, **unused)
    if isinstance(found, Table):
        return split_target(found, target, time=time, event=event, groups=groups, **how)
    refuse_unused(found.source, groups=groups)
    name, names, notes = found.target_name, tuple(found.names), tuple(found.notes)
    return Dataset(found, name, names, name, n_dropped=found.n_dropped, notes=notes)


def from_anndata(
    adata: Any,
    target: str,
    *,
    layer: str | None = None,
    raw: bool = False,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    drop_missing_target: bool = False,
    unusable: str = "error",
) -> Dataset:
    """Take the matrix of an AnnData object and a column of ``obs`` as the target.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; in memory, or backed by a file. A sparse matrix stays sparse.
    target : str
        The column of ``obs`` to predict, such as ``"cell_type"``.
    layer : str, default=None
        A layer to take in place of ``X``.
    raw : bool, default=False
        Whether to take the matrix and the genes of ``raw``.
    columns, groups : sequence of str and str, default=None
    drop : sequence of str, default=()
    drop_missing_target : bool, default=False
    unusable : {"error", "drop"}, default="error"
        Genes, cells and columns of ``obs``, as in :func:`altsets.read_table`.

    See Also
    --------
    altsets.io.to_anndata : Write the sets into the object.
    altsets.read_table : The same for a file.

    Examples
    --------
    >>> import altsets
    >>> data = altsets.io.from_anndata(adata, "cell_type", layer="counts")  # doctest: +SKIP
    >>> selector = altsets.SelectAlternatives("chi2").fit(data.X, data.y)  # doctest: +SKIP
    """
    if not is_anndata(adata):
        raise TableError(f"adata must be an AnnData object; got a {type(adata).__name__}.")
    how: dict[str, Any] = {"columns": columns, "drop": drop, "drop_missing_target": drop_missing_target}
    table = cells_of(adata, layer, raw, target=target, groups=groups)
    return split_target(table, target, groups=groups, unusable=unusable, **how)


def refuse_unused(source: str, **given: Any) -> None:
    """Refuse parameters that are for another kind of table."""
    for name, value in given.items():
        if value:
            raise TableError(
                f"{parameter(name, value)} is for {MEANT_FOR[name]}, and {source} is none; leave it out."
            )


def read_columns(
    path: str | os.PathLike[str],
    *,
    sheet: str | None = None,
    wanted: Wanted | None = None,
    transpose: bool = False,
) -> Table:
    """Read all columns of a file, or those that are wanted; nothing is decided yet about what they mean."""
    decimal, from_input = text_format().decimal or ".", str(path) == STANDARD_INPUT
    source = "standard input" if from_input else Path(path).name
    raw = read_standard_input() if from_input else read_bytes(Path(path), small=True)
    digest = hashlib.sha256(raw).hexdigest()
    content = unpack(raw, source if from_input else str(path))
    del raw
    is_workbook, is_parquet = is_excel(content), content[:4] == PARQUET
    refuse_unused(
        source, sheet=not is_workbook and sheet, transpose=transpose and (is_workbook or is_parquet)
    )
    if is_workbook:
        table = parse_excel(content, source, sheet, wanted)
    elif is_parquet:
        table = parse_parquet(content, source, wanted)
    else:
        text = as_utf8(content, source)
        refuse_markup(text[:HEAD].decode(errors="ignore"), source)
        if text.startswith(GCT):
            # Genes are in rows by definition.
            table = turn_gct(text, source, wanted)
        elif transpose:
            table = turn_rows(text, source, decimal, wanted)
        else:
            table = parse_csv(text, source, decimal, wanted)
    return replace(table, sha256=digest)


def load_demo() -> Table:
    """The table of ``altsets demo``: 569 breast tumours, 30 measurements, malignant or benign.

    It ships with scikit-learn (Wisconsin diagnostic breast cancer data).
    """
    from sklearn.datasets import load_breast_cancer

    require_pyarrow("the table of the demo")
    import pyarrow as pa

    bunch = load_breast_cancer()
    columns = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
    labels = [str(bunch.target_names[code]) for code in bunch.target]
    return Table(pa.table({**columns, DEMO_TARGET: labels}), "the demo table")


def split_target(
    table: Table,
    target: str | None,
    *,
    time: str | None = None,
    event: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    groups: str | None = None,
    drop_missing_target: bool = False,
    unusable: str = "error",
) -> Dataset:
    """Take the target apart from the features, and check that a measure can use both; see :func:`read_table`."""
    targets, value = _target_columns(table, target, time, event)
    # A gene may have the name of a column of obs.
    others, taken = (table.genes, []) if table.genes else (table.names, targets)
    no_features = set() if table.genes else {*targets, groups}
    chosen, drop, categorical = (
        columns_in(given, role, others, table.source, taken)
        for given, role in (
            (others if columns is None else columns, "column to read"),
            (drop, "column to drop"),
            (categorical, "categorical column"),
        )
    )
    if groups is not None and groups not in table.names:
        raise unknown_column(groups, "column of groups", table.names, table.source)
    refuse_conflicts(targets, () if table.genes else drop, groups)
    found, known = {name: table.column(name) for name in targets}, np.ones(table.n_rows, dtype=bool)
    for name, column in found.items() if drop_missing_target else ():
        known &= ~missing_in(column)
        if not known.any():
            raise TableError(f"target column {name!r} has no values at all; choose another target.")
    found = {name: column[known] for name, column in found.items()}
    index = [name for name in table.index if name not in {*targets, *drop, *categorical, groups}]
    unused, categories = {*drop, *index}, {*table.categories, *categorical}
    wanted = {*chosen} - unused - no_features
    features = [name for name in others if name in wanted]
    if not features:
        besides = f" besides the target {', '.join(map(repr, targets))}" if targets else ""
        raise TableError(f"{table.source} has no feature columns{besides}.")
    if unusable == "error":
        refuse_commas(table, [name for name in features if name not in categories])
    try:
        y = _target_of(found, value, table, categories, time is not None)
        usable = table.usable(features, categories, known, unusable)
    except InputError as error:
        raise TableError(*error.args) from error
    together = None if groups is None else table.column(groups)[known]
    if together is not None:
        who = f"column {groups!r} says which rows belong together, and has"
        refuse_missing(together, who, "fill them in, or leave out these rows")
    return Dataset(
        usable.features,
        y,
        tuple(usable.features.names or ()),
        ", ".join(targets),
        together,
        int((~known).sum()),
        table.sha256,
        (
            *table.notes,
            *(_hint_at_survival(found) if time is None else ()),
            *(f"Column {name} was left out: it is the index of a frame." for name in index),
            *usable.notes,
            *_on_times(table, {*drop, *usable.dropped}),
        ),
        _read_as_missing(table, {*unused, *usable.dropped}),
    )


def _read_as_missing(table: Table, unused: Collection[str]) -> str:
    """What stands for missing values in a text file, and where: a category called "none" is one only if renamed."""
    said = []
    for text, cells in table.missing.items():
        names = [name for name in cells if name not in unused]
        n_cells = sum(cells[name] for name in names)
        if names:
            what = f"{quote(text)} in {counted(n_cells, 'cell')}" if text else counted(n_cells, "empty cell")
            said.append(f"{what} of {list_some(names, 3, last='and', hide_one=False)}")
    change = (
        "" if not any(table.missing) else " To keep such a text as a value, spell it differently in the file."
    )
    return f"Read as missing: {list_some(said, 4)}.{change}" if said else ""


def _on_times(table: Table, dropped: Collection[str]) -> list[str]:
    """A note on columns that say when a row was taken: without them, it is easily forgotten that rows have an order."""

    def holds_times(name: str) -> bool:
        if kind_of(table.frame.column(name).type) not in ("text", "dates"):
            return False
        known = [label for label in table.column(name) if label is not None]
        return bool(known) and are_times(known)

    times = [name for name in table.names if name in dropped and holds_times(name)]
    holds, was = ("holds", "was") if len(times) == 1 else ("hold", "were")
    order = "if rows are ordered in time, test models on later rows than they were fitted to."
    return [f"{list_some(times)} {holds} dates or times and {was} dropped; {order}"] if times else []


# --- Targets ------------------------------------------------------------------------------------------


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


def _target_columns(
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


def _target_of(
    columns: Mapping[str, Column],
    value: str | None,
    table: Table,
    categories: Collection[str],
    is_survival: bool,
) -> Any:
    """The target of a column, of several ones, or of an event and a time, checked; None without one."""
    if not is_survival:
        made = {
            name: as_target(column, name, is_category=name in categories, decimal=table.decimal)
            for name, column in columns.items()
        }
        return as_columns(made) if len(made) > 1 else next(iter(made.values()), None)
    for name, column in columns.items():
        refuse_missing_target(column, name)
    (event, happened), (time, times) = columns.items()
    y = as_survival(happened, times, event, time, value)
    Survival.of(y)
    return y


def _hint_at_survival(columns: Mapping[str, Column]) -> list[str]:
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
