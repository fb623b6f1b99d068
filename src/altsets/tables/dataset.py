"""A table ready for a measure: the target apart from the features, and both checked.

Whatever no measure can use is refused here, in one sentence that names the columns and says what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from altsets.errors import TableError
from altsets.tables.csv_tables import numbers_in
from altsets.tables.feature_matrix import Features, listed
from altsets.tables.file_columns import as_features, as_target, holds_times, missing_in
from altsets.tables.table import Column, Table

__all__ = ["Dataset", "split_target"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table ready for a measure: the features in one form, the target apart.

    Attributes
    ----------
    X : Features
        Finite or missing numbers, and categories.
    y : ndarray of shape (n_rows,)
        Finite numbers or text.
    feature_names : tuple of str
        One for each column of ``X``.
    target_name : str
        The column that ``y`` was.
    groups : ndarray of shape (n_rows,) or None
        Which rows belong together, if a column says so.
    n_dropped : int
        How many rows were left out because their target is missing.
    sha256 : str
        The hash of the file that the table came from.
    notes : tuple of str
        Sentences on columns that were left out.
    """

    X: Features
    y: Column
    feature_names: tuple[str, ...]
    target_name: str
    groups: Column | None = None
    n_dropped: int = 0
    sha256: str = ""
    notes: tuple[str, ...] = ()


def split_target(
    table: Table,
    target: str,
    *,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    groups: str | None = None,
    drop_missing_target: bool = False,
) -> Dataset:
    """Take the target apart from the features, and check that a measure can use both.

    Columns of text are categories. What is likely a mistake is refused: dates, numbers with some text among them,
    numbers in a spelling that cannot be read, categories that name single rows.

    Parameters
    ----------
    table : Table
        What :func:`altsets.tables.files.read_table` returned.
    target : str
        The name of the target column.
    drop : sequence of str
        Columns to leave out.
    categorical : sequence of str
        Columns that are categories whatever they hold, such as codes.
    groups : str, optional
        The column that says which rows belong together; it is no feature.
    drop_missing_target : bool
        Whether to leave out rows without a target; else they are refused.

    Raises
    ------
    TableError
        If a column does not exist, no feature is left, a feature is neither numbers nor categories or is infinite,
        or the target is incomplete or constant.

    Examples
    --------
    >>> from altsets.tables.demo_table import load_demo
    >>> data = split_target(load_demo(), "diagnosis", drop=["mean radius"])
    >>> data.X.values.shape, data.y[:1].tolist()
    ((569, 29), ['malignant'])
    """
    known = dict(zip(table.names, table.columns, strict=True))
    asked = [(target, "target column")]
    asked += [(name, "column to drop") for name in drop]
    asked += [(name, "categorical column") for name in categorical]
    asked += [] if groups is None else [(groups, "column of groups")]
    for name, role in asked:
        if name not in known:
            raise _unknown(table, name, role)
    if target in drop:
        raise TableError(f"column {target!r} cannot be both the target and dropped.")
    if target == groups:
        raise TableError(f"column {target!r} cannot be both the target and the column of groups.")
    whole = table
    if drop_missing_target:
        table = _with_target(table, target)
        known = dict(zip(table.names, table.columns, strict=True))
    left_out = {target, groups, *drop}
    features = [name for name in table.names if name not in left_out]
    if not features:
        raise TableError(f"{table.source} has no feature columns besides the target {target!r}.")
    categories = {**table.categories, **{name: None for name in categorical}}
    y = as_target(known[target], target, is_category=target in categories)
    X = as_features({name: known[name] for name in features}, categories)
    together = None if groups is None else _complete(known[groups], groups)
    notes = (*table.notes, *_on_times({name: known[name] for name in drop}))
    n_dropped = whole.n_rows - table.n_rows
    return Dataset(X, y, tuple(features), target, together, n_dropped, table.sha256, notes)


def _with_target(table: Table, target: str) -> Table:
    """The rows whose target is known."""
    column = table.columns[table.names.index(target)]
    known = ~missing_in(column)
    if not known.any():
        raise TableError(f"target column {target!r} has no values at all; name another column with --target.")
    return table if known.all() else replace(table, columns=tuple(column[known] for column in table.columns))


def _complete(groups: Column, name: str) -> Column:
    """A column of groups, in which every row must have one."""
    n_missing = int(missing_in(groups).sum())
    if n_missing:
        raise TableError(
            f"column {name!r} says which rows belong together, and misses {n_missing} of {len(groups)} values; fill "
            "them in, or leave out these rows."
        )
    return groups


def _on_times(dropped: Mapping[str, Column]) -> list[str]:
    """A note on columns that say when a row was taken: without them, nobody remembers that rows have an order."""
    times = [name for name, column in dropped.items() if holds_times(column)]
    if not times:
        return []
    holds, was = ("holds", "was") if len(times) == 1 else ("hold", "were")
    return [
        f"{listed(times)} {holds} dates or times and {was} left out, as asked; if rows follow each other in time, test "
        "models on later rows than they were fitted to."
    ]


def _unknown(table: Table, name: str, role: str) -> TableError:
    message = f"{table.source} has no {role} {name!r}"
    close = difflib.get_close_matches(name.lower(), [known.lower() for known in table.names], n=3)
    meant = [known for known in table.names if known.lower() in close]
    if meant:
        return TableError(f"{message}; did you mean {' or '.join(map(repr, meant))}?")
    if numbers_in([table.names]) is not None:
        return TableError(f"{message}; its first line holds only numbers, so it may lack a header line.")
    return TableError(f"{message}; its columns are: {listed(table.names)}.")
