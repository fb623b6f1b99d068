"""Rows of Arrow datasets: Parquet files and folders, read some rows and some columns at a time.

Parquet files are read by their row groups, in batches, and not by Arrow's own scanner, which decodes whole row groups
and many of them ahead: a gigabyte or more, whatever the size of the batches.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from altsets.errors import MissingExtraError, TableError, reason_of
from altsets.measures.large.decoding import Step, kind_of
from altsets.measures.workers import OnProgress, map_in_order
from altsets.wording import list_some

#: Bytes that are read from a column of a file at a time.
READ_AT_A_TIME = 2**18
#: Bytes of unpacked pages and decoded values of an open column, at most: Parquet has pages of a megabyte.
MOST_OPEN = 3 * 2**20
#: Pieces of which a sample is taken, at most: to read a few rows of a piece takes nearly as long as to read all.
SAMPLED_PIECES = 8
#: Endings of Parquet files in a folder.
ENDINGS = (".parquet", ".parq", ".pq")
#: How files and folders begin that are no part of a table.
HIDDEN = ("_", ".")


class Piece(NamedTuple):
    """A part of the rows that is read by one thread: of a fragment, the row groups (None for all)."""

    fragment: int
    groups: tuple[int, ...] | None
    n_rows: int


class ArrowRows:
    """The rows of an Arrow dataset.

    All files must have the same columns, of types that mean the same; this is checked before anything is read.
    """

    def __init__(self, dataset: Any, source: str = "the dataset") -> None:
        import pyarrow.dataset as ds

        self.source, self.dataset = source, dataset
        with _naming(source):
            self._fragments = list(dataset.get_fragments())
        self._is_parquet = "Parquet" in type(getattr(dataset, "format", None)).__name__
        self.types: dict[str, Any] = {field.name: field.type for field in dataset.schema}
        if len(self.types) < len(dataset.schema):
            names = list(dataset.schema.names)
            twice = sorted({name for name in names if names.count(name) > 1})
            raise TableError(
                f"{source}: column names must be distinct; these occur more than once: {list_some(twice)}."
            )
        self._keys: list[dict[str, Any]] = [
            ds.get_partition_keys(fragment.partition_expression) for fragment in self._fragments
        ]
        self._pieces = [piece for place in range(len(self._fragments)) for piece in self._pieces_of(place)]
        self.n_rows: int | None = sum(piece.n_rows for piece in self._pieces)
        if not self.n_rows:
            raise TableError(f"{source} has no rows of data.")
        #: Bytes that an open column takes: what was read, unpacked and decoded of it.
        self.open_column = READ_AT_A_TIME + min(MOST_OPEN, 2 * self._largest_chunk())
        #: What pandas noted about the frame that was stored.
        self.pandas_metadata: dict[str, Any] = dataset.schema.pandas_metadata or {}

    def fold(
        self,
        step: Step,
        rows_at_a_time: int,
        *,
        n_jobs: int | None = None,
        callback: OnProgress | None = None,
        sample: int | None = None,
    ) -> Any:
        """Sums over all rows, or over a sample of about this size with rows from each piece."""
        pieces, most = self._pieces, None
        if sample is not None:
            if sample < (self.n_rows or 0):
                pieces = pieces[:: -(-len(pieces) // SAMPLED_PIECES)]
            most = -(-sample // len(pieces))

        def work(number: int) -> Any:
            piece = pieces[number]
            where = self._where(piece.fragment)
            return step(self._batches(piece, step.columns, rows_at_a_time, most), where)

        # Threads of products would only wait for each other.
        with threadpool_limits(1, user_api="blas"):
            parts = map_in_order(work, len(pieces), n_jobs, callback)
            found = next(parts)
            for sums in parts:
                found.merge(sums)
        return found

    # --- Files ----------------------------------------------------------------------------------------

    def _where(self, place: int) -> str:
        path = getattr(self._fragments[place], "path", "")
        return Path(path).name or self.source

    def _pieces_of(self, place: int) -> Iterator[Piece]:
        fragment = self._fragments[place]
        where = self._where(place)
        with _naming(where):
            schema = fragment.physical_schema
            self._check_columns(place, schema)
            if self._is_parquet:
                about = fragment.metadata
                for group in range(about.num_row_groups):
                    yield Piece(place, (group,), about.row_group(group).num_rows)
            else:
                yield Piece(place, None, fragment.count_rows())

    def _largest_chunk(self) -> int:
        """The bytes of the largest column in a row group, by the first file."""
        if not self._is_parquet:
            return MOST_OPEN
        about = self._fragments[0].metadata
        if not about.num_row_groups:
            return 0
        group = about.row_group(0)
        sizes = (group.column(place).total_uncompressed_size for place in range(group.num_columns))
        return int(max(sizes, default=0))

    def _check_columns(self, place: int, schema: Any) -> None:
        where, first = self._where(place), self._where(0)
        here = {field.name: field.type for field in schema}
        keys = self._keys[place]
        missing = [name for name in self.types if name not in here and name not in keys]
        if missing:
            raise TableError(
                f"{where} has no column {list_some(missing)}, which other files of {self.source} have; give all files "
                "the same columns."
            )
        others = [name for name in here if name not in self.types]
        if others:
            raise TableError(
                f"{where} has the column {list_some(others)}, which {first} does not have; give all files the same "
                "columns."
            )
        for name, kind in here.items():
            one, other = kind_of(self.types[name]), kind_of(kind)
            if one != other:
                raise TableError(
                    f"column {name} is {self.types[name]} in {first} and {kind} in {where}; give it the same type in "
                    "all files."
                )

    def _batches(
        self, piece: Piece, columns: Sequence[str], rows_at_a_time: int, most: int | None
    ) -> Iterator[Any]:
        left = piece.n_rows if most is None else min(most, piece.n_rows)
        with _naming(self._where(piece.fragment)), contextlib.ExitStack() as opened:
            for batch in self._read(piece, columns, min(rows_at_a_time, left), opened):
                yield batch.slice(0, left)
                left -= batch.num_rows
                if left <= 0:
                    return

    def _read(
        self, piece: Piece, columns: Sequence[str], rows_at_a_time: int, opened: contextlib.ExitStack
    ) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        fragment, keys = self._fragments[piece.fragment], self._keys[piece.fragment]
        if piece.groups is None:
            yield from fragment.to_batches(columns=list(columns), batch_size=rows_at_a_time)
            return
        stored = [name for name in columns if name not in keys]
        # A file may also be in memory, as a buffer.
        source = {"filesystem": fragment.filesystem} if fragment.path else {}
        file = opened.enter_context(
            pq.ParquetFile(
                fragment.path or fragment.open(),
                # Known already, and long where columns are many.
                metadata=fragment.metadata,
                buffer_size=READ_AT_A_TIME,
                pre_buffer=False,
                # Of files that have checksums.
                page_checksum_verification=True,
                **source,
            )
        )
        for batch in file.iter_batches(rows_at_a_time, piece.groups, stored, use_threads=False):
            arrays = {name: batch.column(name) for name in stored}
            for name in columns:
                if name in keys:
                    kind = self.types[name]
                    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
                    arrays[name] = pa.repeat(pa.scalar(keys[name], kind), batch.num_rows)
            yield pa.record_batch([arrays[name] for name in columns], names=list(columns))


@contextlib.contextmanager
def _naming(where: str) -> Iterator[None]:
    """Name the file that cannot be read."""
    import pyarrow as pa

    try:
        yield
    except TableError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{where} is damaged or cannot be read: {reason_of(error)}; download it again."
        ) from error


def read_columns(dataset: Any, names: Sequence[str], source: str, known: str | None = None) -> Any:
    """Some columns of a dataset as an Arrow table; only rows in which ``known`` is not missing, if it is given."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    lacking = [name for name in names if name not in dataset.schema.names]
    if lacking:
        raise TableError(
            f"{source} lacks {len(lacking)} of the {len(names)} columns that are to be kept: {list_some(lacking)}."
        )
    rows = None if known is None else ~ds.field(known).is_null(nan_is_null=True)
    with _naming(source):
        try:
            return dataset.to_table(columns=list(names), filter=rows)
        except (pa.ArrowException, OSError):
            # Files are read together, and the message does not tell which one it was.
            for fragment in dataset.get_fragments():
                with _naming(Path(getattr(fragment, "path", "")).name or source):
                    fragment.to_table(schema=dataset.schema, columns=list(names))
            raise


def open_dataset(path: Path) -> tuple[Any, list[str]]:
    """The dataset of a Parquet file, or of all Parquet files in a folder; and a note on files that are left out.

    Folders such as ``year=2024`` are columns, as Hive has them.
    """
    try:
        import pyarrow.dataset as ds
    except ImportError as error:
        raise MissingExtraError("reading Parquet files", "pyarrow", "tables") from error

    if os.path.isfile(path):
        with _naming(path.name):
            return ds.dataset(str(path), format=_checked_parquet()), []
    if not os.path.isdir(path):
        raise TableError(f"there is no file or folder {path}; check the name.")
    with _naming(path.name):
        files = sorted(_files_in(path))
    parquet = [file for file in files if file.suffix.lower() in ENDINGS]
    if not parquet:
        held = f"; it has {list_some([file.name for file in files], 3)}" if files else "; it is empty"
        raise TableError(f"the folder {path} holds no Parquet files ({ENDINGS[0]}){held}.")
    with _naming(parquet[0].name):
        dataset = ds.dataset(
            [str(file) for file in parquet],
            format=_checked_parquet(),
            partitioning=ds.partitioning(flavor="hive"),
            partition_base_dir=str(path),
        )
    others = [file.name for file in files if file not in parquet]
    return dataset, [f"Files that are not Parquet were left out: {list_some(others, 3)}."] if others else []


def _files_in(path: Path) -> Iterator[Path]:
    """The files in a folder and in those below it, but for hidden ones; none is left out without a word."""

    def fail(error: OSError) -> None:
        raise error

    for folder, folders, names in os.walk(path, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        linked = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*linked, *(name for name in names if not name.startswith(HIDDEN))):
            file = Path(folder, name)
            if not os.path.isfile(file):
                kind = "a link to a folder" if name in linked else "no file"
                raise TableError(
                    f"{file} is {kind}, which is not read; put files in its place, or take it out of the folder."
                )
            yield file


def _checked_parquet() -> Any:
    """The format of Parquet files; numbers are checked where a file has checksums."""
    import pyarrow.dataset as ds

    return ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
