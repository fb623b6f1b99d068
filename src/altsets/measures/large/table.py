"""A table that is larger than memory, or on a cluster: its columns, its target, and passes over its rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets import machine
from altsets.arrays import Bools
from altsets.errors import InputError, TableError
from altsets.features import FeatureNames
from altsets.measures.large.accumulators import RowSample
from altsets.measures.large.arrow import ArrowRows, open_dataset, read_columns
from altsets.measures.large.dask import TARGET, DaskRows
from altsets.measures.large.decoding import MOST_DISTINCT, Decoder, Look, Step, kind_of, refuse_kind
from altsets.measures.workers import OnProgress, n_threads
from altsets.tables.conversion import leave_out
from altsets.tables.feature_matrix import refuse_categories
from altsets.tables.target import check_task, task_of
from altsets.wording import by_interface, counted, list_some, parameter, suggestion

#: The share of the machine's memory that is used unless another ceiling is given, and the least.
SHARE, LEAST = 0.25, 64_000_000
#: What Python and the packages take of it.
PROGRAM = 200_000_000
#: Rows from which cut points are taken. In a table of no more rows, they are those of all of it.
SAMPLE = 50_000
#: Rows of a batch, at most and at least.
MOST_ROWS, FEWEST_ROWS = 65_536, 1_024
#: Columns that are read together, at least and at most: a pass over more of them takes as much longer.
LEAST_COLUMNS, MOST_COLUMNS = 8, 512
#: How often the numbers of a batch are in memory.
COPIES = 3


@dataclass(frozen=True, eq=False)
class LargeTarget:
    """What is known of a target without its rows.

    ``distinct`` are its different values in order; None if it is numeric and has too many.
    """

    task: str
    distinct: npt.NDArray[Any] | None
    is_text: bool

    @property
    def is_classes(self) -> bool:
        return self.task == "classification"

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """The classes in order; None if the target is numeric."""
        return self.distinct if self.is_classes else None

    @property
    def n_distinct(self) -> int:
        """The number of different values, as far as they were counted."""
        return MOST_DISTINCT if self.distinct is None else len(self.distinct)


class LargeTable:
    """A table whose rows are read in passes, some of them at a time, and its target.

    Measures of :data:`altsets.measures.large.scores.MERGED` take it in place of a table in memory.
    """

    def __init__(
        self,
        rows: ArrowRows | DaskRows,
        target: str,
        *,
        features: Sequence[str] | None = None,
        categorical: Sequence[str] = (),
        max_memory: int | str | None = None,
        drop_missing_target: bool = False,
        unusable: str = "error",
    ) -> None:
        self._rows, self.target_name = rows, target
        #: Bytes for what is read; the ceiling is that of the whole process.
        self.source, self.memory = rows.source, max(memory_of(max_memory) - PROGRAM, LEAST)
        self._drop_missing_target = drop_missing_target
        if target not in rows.types:
            hint = suggestion(target, rows.types, f"its columns are: {list_some(list(rows.types))}.")
            raise TableError(f"{rows.source} has no target column {target!r}; {hint}")
        self._kinds = {name: kind_of(kind) for name, kind in rows.types.items()}
        self._kinds |= {name: "text" for name in categorical if self._kinds[name] == "numbers"}
        if self._kinds[target] not in ("numbers", "text"):
            raise TableError(f"target column {target!r} holds {self._kinds[target]}; choose another target.")
        index = [name for name in self._index() if name != target]
        wanted = list(rows.types) if features is None else list(features)
        named = [name for name in wanted if name != target and (features is not None or name not in index)]
        self.notes = [
            f"Column {name} was left out: it is the index of a frame." for name in index if features is None
        ]
        wrong = {
            name: refuse_kind(name, self._kinds[name], self.source)
            for name in named
            if self._kinds[name] not in ("numbers", "text")
        }
        #: What is wrong with columns that were left out.
        self.dropped, notes = leave_out(wrong, unusable, TableError)
        self.notes += notes
        self.names = [name for name in named if name not in wrong]
        #: With those that were left out.
        self.all_names = FeatureNames.of(named)
        #: What was found out about the columns, for measures that share it.
        self.prepared: dict[Any, Any] = {}
        if not self.names:
            raise TableError(f"{self.source} has no feature columns besides the target {target!r}.")

    def _index(self) -> list[str]:
        known = self._rows.pandas_metadata.get("index_columns", ())
        return [name for name in known if isinstance(name, str) and name in self._rows.types]

    def __repr__(self) -> str:
        return f"LargeTable({self.n_features} columns of {self.source})"

    # --- What is known of it --------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        return len(self.names)

    @property
    def feature_names(self) -> FeatureNames:
        return FeatureNames.of(self.names)

    @property
    def n_rows(self) -> int:
        return int(self.look.n_rows)

    @property
    def n_dropped(self) -> int:
        return int(self.look.n_missing) if self._drop_missing_target else 0

    @cached_property
    def look(self) -> Look:
        """The labels of columns of text and the values of the target, from one pass over these columns."""
        texts = [name for name in self.names if self._kinds[name] == "text"]
        is_text = self._kinds[self.target_name] == "text"
        how = {"is_text": is_text, "drop_missing_target": self._drop_missing_target}
        make = partial(Look, texts, self.target_name, **how)
        step = Step((*texts, self.target_name), _as_read, make)
        found: Look = self._rows.fold(step, self._rows_of(len(texts) + 1))
        if found.n_missing and not self._drop_missing_target:
            raise TableError(
                f"target column {self.target_name!r} has {counted(found.n_missing, 'missing value')} (of "
                f"{found.n_rows:,}); use {parameter('drop_missing_target', True)} to leave out these rows."
            )
        if not found.n_rows:
            named = f"target column {self.target_name!r}"
            raise TableError(f"{named} has no values at all; choose another target.")
        return found

    @cached_property
    def categories(self) -> dict[int, tuple[str, ...]]:
        """The labels of columns of text by the index of the column."""
        texts = self.look.labels
        return {index: self.look.categories(name) for index, name in enumerate(self.names) if name in texts}

    def target(self, task: str = "auto") -> LargeTarget:
        check_task(task)
        look = self.look
        if look.distinct is not None:
            task = task_of(look.distinct, look.n_rows, look.is_text, task)
        elif task == "classification" or look.is_text:
            raise InputError(
                f"the target has more than {MOST_DISTINCT:,} classes, which is too many for a table of this size; "
                "choose another target, or merge classes."
            )
        elif task == "auto" and look.all_whole:
            raise InputError(
                f"the target has more than {MOST_DISTINCT:,} different whole numbers; say what they are with "
                f"{parameter('task', 'regression')}, or choose another target."
            )
        else:
            task = "regression"
        return LargeTarget(task, look.distinct, look.is_text)

    def is_category(self, name: str) -> bool:
        """Whether a column has a type for categories in its file."""
        return str(self._rows.types[name]).startswith("dictionary")

    def label(self, index: int) -> str:
        return self.names[index]

    def labels(self, mask: Bools, most: int = 8) -> str:
        """The names of some columns in a message; only the first ones of many."""
        return list_some([self.names[index] for index in np.flatnonzero(mask)], most)

    def refuse_categories(self, who: str, *, advice: str) -> None:
        """Refuse categories of more than two labels, on behalf of a measure that needs numbers."""
        refuse_categories(self.categories, self.label, who, advice)

    def read(self, names: Sequence[str]) -> Any:
        """Some columns of the rows that count, as an Arrow table in memory."""
        assert isinstance(self._rows, ArrowRows)
        known = self.target_name if self._drop_missing_target else None
        return read_columns(self._rows.dataset, names, self.source, known)

    # --- Passes ---------------------------------------------------------------------------------------

    def fold(
        self,
        make: Callable[[], Any],
        columns: Sequence[int],
        classes: npt.NDArray[Any] | None = None,
        callback: OnProgress | None = None,
        sample: int | None = None,
    ) -> Any:
        """Sums over the rows of some columns, which come in this order; the target comes as class codes, or numbers."""
        names = tuple(self.names[index] for index in columns)
        labels = {self.names[index]: self.categories[index] for index in columns if index in self.categories}
        if classes is None and self.look.is_text:
            classes = np.zeros(0, dtype=object) if self.look.distinct is None else self.look.distinct
        decoder = Decoder(names, self.target_name, labels, classes, self._drop_missing_target)
        step = Step(decoder.needed, decoder, make)
        open_at_a_time = self.memory // (2 * self._rows.open_column * len(decoder.needed))
        n_jobs, n_rows = min(n_threads(None), max(1, open_at_a_time)), self._rows_of(len(names))
        return self._rows.fold(step, n_rows, n_jobs=n_jobs, callback=callback, sample=sample)

    def blocks(self, columns: Sequence[int], beside: int = 0) -> list[list[int]]:
        """Columns in groups that can be open at the same time, ``beside`` others."""
        most = max(self.columns_at_a_time - beside, LEAST_COLUMNS)
        # Of about the same size: a pass over a few columns takes longer than these do in another one.
        step = -(-len(columns) // -(-len(columns) // most)) if columns else most
        return [list(columns[start : start + step]) for start in range(0, len(columns), step)]

    @property
    def columns_at_a_time(self) -> int:
        room = self.memory // (4 * self._rows.open_column * n_threads(None))
        return int(min(max(room, 2 * LEAST_COLUMNS), MOST_COLUMNS))

    def sample(self, columns: Sequence[int], classes: Any = None, *, spread: bool = False) -> RowSample:
        """Some rows from all parts of the table, all of them if there are few; ``spread`` over each part as well."""
        by_step = spread or self._rows.n_rows is None
        step = max(1, self.n_rows // SAMPLE) if by_step else 1
        size = None if by_step else SAMPLE
        found: RowSample = self.fold(partial(RowSample, step), columns, classes, sample=size)
        return found

    @property
    def sample_size(self) -> int:
        return min(self.n_rows, SAMPLE)

    @property
    def is_sampled(self) -> bool:
        return self.n_rows > self.sample_size

    def _rows_of(self, n_columns: int) -> int:
        fitting = self.memory // (8 * COPIES * 2 * n_threads(None) * n_columns)
        return int(min(max(fitting, FEWEST_ROWS), MOST_ROWS))


def part_of(callback: OnProgress | None, number: int, total: int) -> OnProgress | None:
    """Progress of one of several passes."""
    return None if callback is None else lambda share: callback((number + share) / total)


def _as_read(batch: Any, where: str) -> tuple[Any, str]:
    return batch, where


# --- From what users have -----------------------------------------------------------------------------


def memory_of(given: int | str | None) -> int:
    """A ceiling of memory in bytes: a number, or a text such as ``"2GB"``; by default a quarter of the machine."""
    if given is None:
        return max(LEAST, int(SHARE * machine.memory()))
    text = str(given).strip().upper().removesuffix("B").removesuffix("I")
    power = {"K": 1, "M": 2, "G": 3, "T": 4}.get(text[-1:], 0)
    try:
        n_bytes = float(text[:-1] if power else text) * 1000**power
    except ValueError:
        n_bytes = float("nan")
    if not LEAST <= n_bytes < float("inf"):
        raise InputError(
            f"{parameter('max_memory', given)} is no amount of memory from {machine.size(LEAST)} on; give it as 2GB, "
            "500MB or a number of bytes."
        )
    return int(n_bytes)


def is_large(X: Any) -> bool:
    """Whether a table is read in passes: a path, an Arrow dataset, a Dask frame or array."""
    if isinstance(X, LargeTable | str | os.PathLike):
        return True
    module = type(X).__module__.partition(".")[0]
    return module in ("dask", "dask_expr") or (
        module == "pyarrow" and hasattr(X, "get_fragments") and hasattr(X, "schema")
    )


def needs_memory(what: str, source: str) -> InputError:
    """Why a table that is read in passes does not do, and what to do about it."""
    instead = by_interface(
        ", or take fewer rows or columns", ", read fewer columns (--columns), or give more --max-memory"
    )
    return InputError(
        f"{what} needs the table in memory, and {source} is read in passes; leave it out{instead}."
    )


def some_columns(X: Any, names: Sequence[str], places: Sequence[int]) -> Any:
    """Some columns of what :func:`is_large`: still to be computed of a Dask table, else an Arrow table in memory.

    Columns of an array have no names, but places.
    """
    if isinstance(X, LargeTable):
        return X.read(names)
    if isinstance(X, str | os.PathLike):
        return read_columns(open_dataset(Path(X))[0], names, Path(X).name or str(X))
    if hasattr(X, "get_fragments"):
        return read_columns(X, names, "the dataset")
    if hasattr(X, "chunks"):
        return X[:, list(places)]
    known = {str(name): name for name in X.columns}
    lacking = [name for name in names if name not in known]
    if lacking:
        raise InputError(
            f"X lacks {len(lacking)} of the {len(names)} columns that are to be kept: {list_some(lacking)}."
        )
    return X[[known[name] for name in names]]


def large_table(
    X: Any, y: Any, max_memory: int | str | None = None, *, unusable: str = "error"
) -> LargeTable:
    """A large table from what users have, with the target that they name."""
    if isinstance(X, LargeTable):
        if y is not None and y is not X and y != X.target_name:
            known = f"its column {X.target_name!r}"
            raise InputError(f"the target of this table is {known}; give that, not {y!r:.40}.")
        return X
    if hasattr(X, "dask") and hasattr(X, "chunks"):
        if not hasattr(y, "chunks"):
            raise InputError(
                "the target of a Dask array is a Dask array as well, with one value for each row; make one with "
                "dask.array.from_array(y)."
            )
        return LargeTable(DaskRows(X, y), TARGET, max_memory=max_memory)
    how: dict[str, Any] = {"max_memory": max_memory, "unusable": unusable}
    if not isinstance(y, str):
        raise InputError(
            "the target of a table that is read in passes is one of its columns, given by name; got "
            f"{type(y).__name__}."
        )
    if isinstance(X, str | os.PathLike):
        dataset, notes = open_dataset(Path(X))
        table = LargeTable(ArrowRows(dataset, Path(X).name or str(X)), y, **how)
        table.notes += notes
        return table
    if hasattr(X, "get_fragments"):
        return LargeTable(ArrowRows(X), y, **how)
    return LargeTable(DaskRows(X), y, **how)
