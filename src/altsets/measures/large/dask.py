"""Rows of Dask frames and arrays: sums over each partition where it is, merged on the way.

Only sums travel, never rows. They are merged in a tree of fixed shape, so that numbers do not depend on which machine
did what, nor on whether one of them was lost on the way.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from altsets.errors import InputError, MissingExtraError
from altsets.features import name_of
from altsets.measures.large.decoding import Step, merged
from altsets.measures.workers import OnProgress

#: Sums that are merged at a time.
FAN_IN = 8
#: What the target of an array is called.
TARGET = "(target)"


class DaskRows:
    """The rows of a Dask frame, or of an array with the target beside it."""

    def __init__(self, X: Any, y: Any = None) -> None:
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtraError("measuring Dask tables", "pyarrow", "cluster") from error

        self.source = "the table"
        # Not known before they are counted.
        self.n_rows: int | None = None
        # Partitions are in memory already.
        self.open_column = 2**16
        self.pandas_metadata: dict[str, Any] = {}
        self._names: list[str] = []
        self._parts: list[tuple[Any, Any]] = []
        if y is None:
            frame = X
            repeated = [name for name, count in frame._meta.columns.value_counts().items() if count > 1]
            if repeated:
                raise InputError(f"column names must be distinct; these occur more than once: {repeated[0]}.")
            types = pa.Schema.from_pandas(frame._meta, preserve_index=False)
            # A column of objects has no type while it is empty.
            self.types = {
                name_of(label): pa.string() if pa.types.is_null(field.type) else field.type
                for label, field in zip(frame._meta.columns, types, strict=True)
            }
            self._names = list(self.types)
            self._parts = [(part, None) for part in frame.to_delayed()]
        else:
            self._parts = _blocks(X, y)
            self._names = [f"x{index}" for index in range(X.shape[1])]
            self.types = {name: pa.float64() for name in self._names}
            self.types[TARGET] = pa.from_numpy_dtype(y.dtype) if y.dtype.kind in "biuf" else pa.string()

    def fold(
        self,
        step: Step,
        rows_at_a_time: int,
        *,
        n_jobs: int | None = None,
        callback: OnProgress | None = None,
        sample: int | None = None,
    ) -> Any:
        """Sums over all rows; workers have their partitions at hand, so that a sample is taken by the step itself."""
        from dask.delayed import delayed

        # Sent once, not with each partition.
        work = delayed(partial(_on_partition, step, rows_at_a_time), pure=False)
        found = [
            work(part, target, f"partition {number}") for number, (part, target) in enumerate(self._parts)
        ]
        merge = delayed(merged, pure=False)
        while len(found) > 1:
            found = [merge(found[start : start + FAN_IN]) for start in range(0, len(found), FAN_IN)]
        total = found[0].compute()
        if callback is not None:
            callback(1.0)
        return total


def _blocks(X: Any, y: Any) -> list[tuple[Any, Any]]:
    """The blocks of rows of an array, each with its part of the target."""
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
        shapes = f"got shapes {X.shape} and {y.shape}"
        raise InputError(f"X must have two axes and y one value for each row; {shapes}.")
    whole = X.rechunk({1: -1})
    return list(zip(whole.to_delayed()[:, 0], y.rechunk((whole.chunks[0],)).to_delayed(), strict=True))


def _on_partition(step: Step, rows_at_a_time: int, part: Any, target: Any, where: str) -> Any:
    import pyarrow as pa

    wanted = list(step.columns)
    if target is None:
        named = part.set_axis([str(name) for name in part.columns], axis=1)
        try:
            table = pa.Table.from_pandas(named[wanted], preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError(
                f"{where} of the table has a column of several types: {' '.join(str(error).split())}."
            ) from error
    else:
        arrays = [target if name == TARGET else part[:, int(name[1:])] for name in wanted]
        table = pa.table([pa.array(one) for one in arrays], names=wanted)
    return step(table.combine_chunks().to_batches(max_chunksize=rows_at_a_time), where)
