"""Tables from files: read, with the target apart from the features, and both checked.

The format is recognised by the content of a file. Columns that no measure can use are refused in one sentence that
names them and says what to do.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from altsets import machine
from altsets.errors import InputError, MissingExtraError, TableError
from altsets.files.cells import Cells, cells_in, cells_of, is_hdf5
from altsets.files.columns import (
    Column,
    Table,
    are_times,
    as_target,
    matched_columns,
    missing_in,
    refuse_commas,
    refuse_text,
)
from altsets.files.contents import (
    HEAD,
    PARQUET,
    SHARE,
    STANDARD_INPUT,
    as_utf8,
    is_excel,
    read_bytes,
    read_standard_input,
    refuse_large_text,
    refuse_markup,
    text_files,
    text_format,
    unpack,
)
from altsets.files.large import read_parts
from altsets.files.parsing import (
    Wanted,
    is_gct,
    parse_csv,
    parse_excel,
    parse_parquet,
    turn_gct,
    turn_rows,
)
from altsets.files.targets import Targets, refuse_half_survival, unknown_column
from altsets.measures.large.decoding import kind_of
from altsets.measures.large.table import LargeTable
from altsets.tables.conversion import check_unusable, is_anndata, left_out, usable_columns
from altsets.wording import counted, list_some, parameter, quote

DEMO_TARGET = "diagnosis"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table from a file with the target apart, as :func:`altsets.read_table` returns it.

    Attributes
    ----------
    X : table
        The features: finite or missing numbers, and categories. All functions of altsets take it as a table; if it is
        larger than memory, measures that read it in passes do.
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
    sparse. GCT (.gct): genes in rows, with samples and what is known of them in columns, among it the target.

    Columns of text are categories. What is likely a mistake is refused: dates, numbers with some text among them,
    numbers in a spelling that cannot be read, categories that name single rows.

    A folder of Parquet files is one table; subfolders such as ``year=2024`` are a column. Parquet that takes more than
    ``max_memory`` is not read at once: ``X`` then stands for the table on disk, ``y`` is the name of the target, and
    ``from_data`` of :class:`altsets.quality.Additive`, ``MRMR``, ``CFS`` and ``FCBF`` read it in passes.

    Parameters
    ----------
    path : path-like
        The file, a folder of Parquet files, or ``"-"`` for standard input. The content decides about the format, not
        the name.
    target : str or sequence of str, default=None
        The name of the target column, or of several (also with commas between them); None if there is nothing to
        predict, as for ``linear_fit``, or if the target is survival.
    time, event : str, default=None
        The columns of a survival target: how long each row was observed, and whether the event happened then, by 0 and
        1. ``event="status=dead"`` names the value that stands for the event.
    columns : sequence of str, default=None
        The only columns to read as features, by name or by a pattern such as ``"S004_*"``; all of them by default. Of
        a large file, that takes less memory.
    drop : sequence of str, default=()
        Columns to leave out, by name or by a pattern such as ``"S004_*"`` (``?`` is one character).
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
        Whether to refuse columns that no measure can use, such as dates, all of them in one message, or to leave them
        out. ``notes`` of the answer lists what was left out, and why.
    transpose : bool, default=False
        Whether features are the rows of a text file, as genes often are: the first column has their names, the first
        line those of samples, which are not used, and one of the rows is the target.
    layer : str, default=None
        The layer of an AnnData file, in place of ``X``.
    raw : bool, default=False
        Whether to take the matrix and the genes of ``raw`` of an AnnData file.
    max_memory : int or str, default=None
        The most memory that a table may take, in bytes or as ``"2GB"``; a quarter of the machine by default. Larger
        ones are read in passes within this ceiling.

    Returns
    -------
    Dataset
        A record with ``X``, ``y``, ``feature_names``, ``target_name``, ``groups`` and more.

    Raises
    ------
    altsets.errors.TableError
        If the file cannot be read as a table, a column does not exist, no feature is left, a feature is neither
        numeric nor categorical or is infinite, or the target is incomplete or constant.
    altsets.errors.MissingExtraError
        If pyarrow is not installed; for a workbook, openpyxl; for an AnnData file, anndata.

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
    if not isinstance(target, str | None):
        target = ",".join(target)
    check_unusable(unusable)
    from_file = str(path) != STANDARD_INPUT
    unused: dict[str, Any] = {"sheet": sheet, "transpose": transpose or None}
    if from_file and is_hdf5(path):
        _refuse_unused(Path(path).name, "an AnnData file", **unused, categorical=list(categorical) or None)
        if target is None:
            raise TableError(f"{path} is an AnnData file; name a column of obs as {parameter('target')}.")
        return _dataset_of(
            cells_in(path, layer, raw, (target, groups)),
            target,
            columns,
            drop,
            groups,
            drop_missing_target,
            unusable,
        )
    for name, value in (("layer", layer), ("raw", raw)):
        if value:
            raise TableError(
                f"{parameter(name, value)} goes with an AnnData file (.h5ad), which {path} is not; leave it out."
            )
    named = [] if target is None else [target, *target.split(",")]
    named += [] if time is None or event is None else [time, event, event.partition("=")[0]]
    also = frozenset({*named, *drop, *categorical, *([] if groups is None else [groups])})
    wanted = None if columns is None else Wanted(columns, also)
    how: dict[str, Any] = {"drop": drop, "categorical": categorical, "unusable": unusable}
    table: Table | LargeTable | None = None
    if from_file and target is not None:
        table = read_parts(
            Path(path), target, wanted, max_memory=max_memory, drop_missing_target=drop_missing_target, **how
        )
    if table is None:
        with text_files(encoding, decimal):
            table = read_columns(path, sheet=sheet, wanted=wanted, transpose=transpose)
    else:
        _refuse_unused(table.source, "which is Parquet", **unused)
    if isinstance(table, LargeTable):
        _refuse_unused(table.source, "which is read in parts and fits no models", groups=groups)
        name, notes = table.target_name, tuple(table.notes)
        return Dataset(table, name, tuple(table.names), name, n_dropped=table.n_dropped, notes=notes)
    return split_target(
        table, target, time=time, event=event, groups=groups, drop_missing_target=drop_missing_target, **how
    )


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
    columns : sequence of str, default=None
        The only genes to use, by name or by a pattern such as ``"MT-*"``; all of them by default.
    drop : sequence of str, default=()
        Genes to leave out, by name or by a pattern.
    groups : str, default=None
        The column of ``obs`` that says which cells belong together, such as those of one donor.
    drop_missing_target : bool, default=False
        Whether to leave out cells without a target; otherwise they are refused.
    unusable : {"error", "drop"}, default="error"
        Whether to refuse genes with infinite values, or to leave them out.

    Returns
    -------
    Dataset
        A record with ``X``, ``y``, ``feature_names``, ``groups`` and more.

    Raises
    ------
    altsets.errors.TableError
        If there is no such layer, gene or column of ``obs``, names of genes occur twice, or the target is incomplete
        or constant.

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
    cells = cells_of(adata, layer, raw, (target, groups))
    return _dataset_of(cells, target, columns, drop, groups, drop_missing_target, unusable)


def _dataset_of(
    cells: Cells,
    target: str,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    groups: str | None,
    drop_missing_target: bool,
    unusable: str,
) -> Dataset:
    """Cells with a column of ``obs`` as the target."""
    if target == groups:
        raise TableError(f"column {target!r} cannot be both the target and the column of groups.")
    labels = cells.column(target, "target column")
    together = None if groups is None else cells.column(groups, "column of groups")
    missing = missing_in(labels)
    rows = np.flatnonzero(~missing) if drop_missing_target and missing.any() else None
    if rows is not None and not len(rows):
        raise TableError(f"target column {target!r} has no values at all; choose another target.")
    usable = usable_columns(cells.matrix, unusable, cells.genes)
    found, genes = usable.features, list(usable.features.names or ())
    chosen = range(len(genes)) if columns is None else Wanted(columns).among(genes, cells.source)
    left = set(Wanted(drop).among(genes, cells.source)) if drop else set()
    kept = [place for place in chosen if place not in left]
    if not kept:
        raise TableError(f"{cells.source} has no genes left; drop fewer.")
    found = found if len(kept) == len(genes) else found.columns(kept)
    if rows is not None:
        found, labels = found.rows(rows), labels[rows]
        together = None if together is None else together[rows]
    y = as_target(labels, target, is_category=labels.dtype == object)
    notes = tuple(left_out(usable.dropped))
    names = tuple(genes[place] for place in kept)
    together = None if together is None or groups is None else _complete(together, groups)
    n_dropped = 0 if rows is None else len(missing) - len(rows)
    return Dataset(found, y, names, target, together, n_dropped, cells.sha256, notes)


def _refuse_unused(source: str, why: str, **given: Any) -> None:
    """Refuse what a kind of file has no use for."""
    for name, value in given.items():
        if value is not None:
            raise TableError(f"{parameter(name, value)} has no use for {source}, {why}; leave it out.")


def read_columns(
    path: str | os.PathLike[str],
    *,
    sheet: str | None = None,
    wanted: Wanted | None = None,
    transpose: bool = False,
) -> Table:
    """Read all columns of a file, or those that are wanted; nothing is decided yet about what they mean."""
    _require_arrow()
    decimal = text_format().decimal or "."
    from_input = str(path) == STANDARD_INPUT
    if not from_input:
        refuse_large_text(Path(path))
    source = "standard input" if from_input else Path(path).name
    raw = read_standard_input() if from_input else read_bytes(Path(path))
    digest = hashlib.sha256(raw).hexdigest()
    content = unpack(raw, source if from_input else str(path), int(SHARE * machine.memory()))
    del raw
    is_workbook = is_excel(content)
    if sheet is not None and not is_workbook:
        raise TableError(
            f"{source} has no sheets, as it is not an Excel workbook; leave out {parameter('sheet')}."
        )
    if transpose and (is_workbook or content[:4] == PARQUET):
        raise TableError(
            f"{parameter('transpose', True)} goes with text files, and {source} is none; save it as CSV."
        )
    if is_workbook:
        table = parse_excel(content, source, sheet, wanted)
    elif content[:4] == PARQUET:
        table = parse_parquet(content, source, wanted)
    else:
        table = _parse_text(as_utf8(content, source), source, decimal, wanted, transpose)
    return replace(table, sha256=digest)


def _require_arrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("reading tables from files", "pyarrow", "tables") from error


def _parse_text(text: bytes, source: str, decimal: str, wanted: Wanted | None, transpose: bool) -> Table:
    delimiter = None
    head = text[:HEAD].decode(errors="ignore")
    refuse_markup(head, source)
    if is_gct(head):
        # Genes are in rows by definition.
        text, delimiter = turn_gct(text, source), "\t"
    elif transpose:
        text, delimiter = turn_rows(text, source, decimal)
    return parse_csv(text, source, delimiter=delimiter, decimal=decimal, wanted=wanted)


def load_demo() -> Table:
    """The table of ``altsets demo``: 569 breast tumours, 30 measurements, malignant or benign.

    It ships with scikit-learn (Wisconsin diagnostic breast cancer data).
    """
    from sklearn.datasets import load_breast_cancer

    _require_arrow()
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
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    groups: str | None = None,
    drop_missing_target: bool = False,
    unusable: str = "error",
) -> Dataset:
    """Take the target apart from the features, and check that a measure can use both; see :func:`read_table`."""
    targets = Targets.of(table, target, time, event)
    drop, categorical = (matched_columns(table.names, targets.names, given) for given in (drop, categorical))
    asked = [("column to drop", name) for name in drop]
    asked += [("categorical column", name) for name in categorical]
    asked += [] if groups is None else [("column of groups", groups)]
    there = set(table.names)
    for role, name in asked:
        if name not in there:
            raise unknown_column(table, name, role)
    for name in targets.names:
        if name in drop or name == groups:
            other = "dropped" if name in drop else "the column of groups"
            raise TableError(f"column {name!r} cannot be both the target and {other}.")
    n_rows = table.n_rows
    if drop_missing_target:
        table = _rows_with_target(table, targets.names)
    index = [name for name in table.index if name not in {*targets.names, *(name for _, name in asked)}]
    apart = {*targets.names, groups, *drop, *index}
    features = [name for name in table.names if name not in apart]
    if not features:
        besides = f" besides the target {', '.join(map(repr, targets.names))}" if targets.names else ""
        raise TableError(f"{table.source} has no feature columns{besides}.")
    categories = {*table.categories, *categorical}
    columns = {name: table.column(name) for name in targets.names}
    if unusable == "error":
        refuse_commas(table, [name for name in features if name not in categories])
    try:
        y = targets.make(columns, categories, table.decimal)
        usable = usable_columns(
            table.as_features(features, categories),
            unusable,
            check_text=partial(refuse_text, decimal=table.decimal),
        )
    except InputError as error:
        raise TableError(*error.args) from error
    X = replace(usable.features, original=None)
    together = None if groups is None else _complete(table.column(groups), groups)
    notes = (
        *table.notes,
        *targets.notes(columns),
        *(f"Column {name} was left out: it is the index of a frame." for name in index),
        *left_out(usable.dropped),
        *_on_times(table, {*drop, *usable.dropped}),
    )
    return Dataset(
        X,
        y,
        tuple(X.names or ()),
        ", ".join(targets.names),
        together,
        n_rows - table.n_rows,
        table.sha256,
        notes,
        _read_as_missing(table, {*drop, *index, *usable.dropped}),
    )


def _rows_with_target(table: Table, names: Sequence[str]) -> Table:
    """The rows in which all of these columns are known."""
    for name in names:
        known = ~missing_in(table.column(name))
        if not known.any():
            raise TableError(f"target column {name!r} has no values at all; choose another target.")
        if not known.all():
            table = replace(table, frame=table.frame.filter(known))
    return table


def _complete(groups: Column, name: str) -> Column:
    """A column of groups, in which every row must have one."""
    n_missing = int(missing_in(groups).sum())
    if n_missing:
        raise TableError(
            f"column {name!r} says which rows belong together, and has {counted(n_missing, 'missing value')} "
            f"(of {len(groups)}); fill them in, or leave out these rows."
        )
    return groups


def _read_as_missing(table: Table, unused: Collection[str]) -> str:
    """What stands for missing values in a text file, and where: a category called "none" is one only if renamed."""
    said = []
    for text, cells in table.missing.items():
        used = {name: count for name, count in cells.items() if name not in unused}
        if used:
            columns = list_some(list(used), 3, last="and", hide_one=False)
            n_cells = sum(used.values())
            where = f"{quote(text)} in {counted(n_cells, 'cell')}" if text else counted(n_cells, "empty cell")
            said.append(f"{where} of {columns}")
    if not said:
        return ""
    change = (
        "" if not any(table.missing) else " To keep such a text as a value, spell it differently in the file."
    )
    return f"Read as missing: {list_some(said, 4)}.{change}"


def _on_times(table: Table, dropped: Collection[str]) -> list[str]:
    """A note on columns that say when a row was taken: without them, it is easily forgotten that rows have an order."""
    times = [name for name in table.names if name in dropped and _holds_times(table, name)]
    if not times:
        return []
    holds, was = ("holds", "was") if len(times) == 1 else ("hold", "were")
    return [
        f"{list_some(times)} {holds} dates or times and {was} left out, as asked; if rows follow each other in "
        "time, test models on later rows than they were fitted to."
    ]


def _holds_times(table: Table, name: str) -> bool:
    if kind_of(table.frame.column(name).type) not in ("text", "dates"):
        return False
    known = [label for label in table.column(name) if label is not None]
    return bool(known) and are_times(known)
