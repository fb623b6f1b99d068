"""A folder of results: one file for each task, whole or not there at all.

::

    study.json                      what all results have in common; other limits or versions are refused
    information/DATASET.foldN.npz   mutual information, shared by the methods that need it
    results/DATASET.foldN.METHOD.parquet
    report/                         tables, figures and the page

Files are written under a temporary name and then renamed, so that a reader never sees half a file.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from altsets import __version__
from altsets.errors import AltsetsError, InputError, reason_of
from altsets_study.datasets import Floats
from altsets_study.design import Settings, Task
from altsets_study.methods import Information, Row

if TYPE_CHECKING:
    import pandas as pd

#: What reading a file raises if it holds other things than it should.
DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
#: The suffix of files that are not complete; no other file has it.
UNFINISHED = ".unfinished"
#: What a run makes before its first file: folders for files, and a lock.
FOLDERS = ("results", "information")
LOCK = ".lock"
#: What to do about a file that is damaged.
RECOMPUTE = "delete it, and it is computed again"
#: The metadata key under which a file of results describes its contents.
CONTENTS = b"altsets"
#: The columns that tell the task of a row.
KEY = ["dataset", "fold", "method"]
#: The columns of results, and their types.
COLUMNS = {
    "dataset": "string",
    "fold": "int64",
    "method": "string",
    "n_features_in": "int64",
    "k": "int64",
    "tau": "float64",
    "search": "string",
    "aggregation": "string",
    "n_alternatives": "int64",
    "number": "int64",
    "status": "string",
    "features": "list",
    "train_objective": "float64",
    "test_objective": "float64",
    "train_mcc": "float64",
    "test_mcc": "float64",
    "bound": "float64",
    "n_evaluated": "int64",
    "n_iterations": "int64",
    "search_seconds": "float64",
    "processor_seconds": "float64",
    "timed_out": "bool",
    "error": "string",
}


@dataclass(frozen=True)
class TaskState:
    """What the folder has of a task: the sizes that are done, and what went wrong with the others."""

    sizes: tuple[int, ...] = ()
    error: str | None = None


class Store:
    """The results in a folder.

    Parameters
    ----------
    folder : path-like
        It need not be there yet.

    Raises
    ------
    altsets.errors.InputError
        In its methods: if the folder holds other files, or a file is damaged.

    See Also
    --------
    altsets_study.reproduce : Fills one.
    altsets_study.report.write_report : Tables and figures of its :meth:`frame`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets_study
    >>> store = altsets_study.Store(pathlib.Path(tempfile.mkdtemp()) / "study")
    >>> with store.opened(altsets_study.Settings(seed=1)):
    ...     store.settings.seed
    1
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    # --- The folder as a whole ------------------------------------------------------------------------

    @contextmanager
    def opened(self, settings: Settings) -> Iterator[None]:
        """Open the folder for writing, exclusively.

        Parameters
        ----------
        settings : Settings
            Those of the new results.

        Yields
        ------
        None
            The folder is locked meanwhile.

        Raises
        ------
        altsets.errors.InputError
            If the folder has results of other settings or of another version, holds other files, or is in use.
        """
        with _named_errors(self.folder):
            if self.folder.exists() and not self.folder.is_dir():
                raise InputError(f"{self.folder} is a file; give a folder for results.")
            self._check(settings)
            for name in FOLDERS:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            with self._alone():
                # Another first run may have described the folder, and ended, since it was checked.
                self._check(settings)
                for leftover in self.folder.rglob(f"*{UNFINISHED}"):
                    leftover.unlink(missing_ok=True)
                if not self._about.exists():
                    facts = {"version": __version__, "settings": settings.as_dict()}
                    write_file(self._about, json.dumps(facts, indent=1).encode())
                yield

    @property
    def settings(self) -> Settings:
        """The settings that all results share."""
        found = self._found()
        if found is None:
            raise InputError(f"{self.folder} has no results of a study; run altsets reproduce first.")
        try:
            return Settings(**found["settings"])
        except (*DAMAGED, AltsetsError) as error:
            raise InputError(f"{self._about} is damaged: {reason_of(error)}.") from error

    @property
    def _about(self) -> Path:
        return self.folder / "study.json"

    def _found(self) -> dict[str, Any] | None:
        if not self._about.exists():
            return None
        with _named_errors(self._about):
            found = json.loads(self._about.read_text(encoding="utf-8"))
        is_whole = isinstance(found, dict) and isinstance(found.get("settings"), dict) and "version" in found
        if not is_whole:
            raise InputError(f"{self._about} is damaged; give another folder for results.")
        whole: dict[str, Any] = found
        return whole

    def _check(self, settings: Settings) -> None:
        """Refuse a folder whose results do not go with new ones."""
        found = self._found()
        if found is None:
            if self._has_other_files():
                raise InputError(f"{self.folder} holds other files; give a new folder for results.")
            return
        if found["version"] != __version__:
            raise InputError(
                f"{self.folder} has results of altsets {found['version']}, and this is {__version__}; give another "
                "folder for results."
            )
        for name, value in settings.as_dict().items():
            there = found["settings"].get(name)
            if there != value:
                raise InputError(
                    f"{self.folder} has results with {name} = {json.dumps(there)}, not {json.dumps(value)}; give "
                    "another folder for results, or the same settings."
                )

    def _has_other_files(self) -> bool:
        """Whether there is anything that a first run, ended before its first file was complete, does not leave."""
        if not self.folder.exists():
            return False
        own = {self.folder / name for name in (LOCK, *FOLDERS)}
        return any(path not in own and path.suffix != UNFINISHED for path in self.folder.rglob("*"))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the folder, where the system can do so; a run that is killed keeps no lock."""
        try:
            import fcntl
        except ImportError:
            yield
            return
        with open(self.folder / LOCK, "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"another run is writing to {self.folder}; wait for it, or give another folder."
                ) from None
            yield

    # --- Mutual information ---------------------------------------------------------------------------

    def information(self, dataset: str, fold: int) -> tuple[Information, Information]:
        """The mutual information of the training rows and of the test rows of a fold.

        Parameters
        ----------
        dataset : str
            The name of a data set.
        fold : int
            The number of a fold.

        Returns
        -------
        tuple of Information
            That of the training rows, and that of the test rows.

        Raises
        ------
        altsets.errors.InputError
            If the file is not there or is damaged.
        """
        path = self._information(dataset, fold)
        with _named_errors(path, RECOMPUTE):
            content = path.read_bytes()
            try:
                with np.load(io.BytesIO(content)) as arrays:
                    key = str(arrays["key"])
                    train, test = (_information_in(arrays, part) for part in ("train", "test"))
            # Compressed arrays that are damaged raise nearly anything: zlib.error, struct.error, NotImplementedError.
            except Exception as error:
                raise InputError(f"{path} is damaged; {RECOMPUTE}.") from error
            _refuse_others({key}, path)
            return train, test

    def write_information(self, dataset: str, fold: int, both: tuple[Information, Information]) -> None:
        """Keep the mutual information of a fold.

        Parameters
        ----------
        dataset : str
            The name of a data set.
        fold : int
            The number of a fold.
        both : tuple of Information
            That of the training rows, and that of the test rows.
        """
        buffer = io.BytesIO()
        arrays = {
            f"{part}_{name}": getattr(information, name)
            for part, information in zip(("train", "test"), both, strict=True)
            for name in ("relevance", "pairs")
        }
        path = self._information(dataset, fold)
        np.savez_compressed(buffer, key=path.name, **arrays)
        write_file(path, buffer.getvalue())

    def has_information(self, dataset: str, fold: int) -> bool:
        """Whether the mutual information of a fold is there.

        Parameters
        ----------
        dataset : str
            The name of a data set.
        fold : int
            The number of a fold.

        Returns
        -------
        bool
            Whether :meth:`information` can read it.
        """
        return self._information(dataset, fold).exists()

    def _information(self, dataset: str, fold: int) -> Path:
        return self.folder / "information" / f"{dataset}.fold{fold}.npz"

    # --- Results --------------------------------------------------------------------------------------

    def state(self, task: Task) -> TaskState:
        """The finished part of a task.

        Parameters
        ----------
        task : Task
            A method, a data set and a fold.

        Returns
        -------
        TaskState
            The sizes that are done, and the error if it failed.

        Raises
        ------
        altsets.errors.InputError
            If the file is damaged.
        """
        path = self._results(task)
        if not path.exists():
            return TaskState()
        with _named_errors(path, RECOMPUTE):
            with pq.ParquetFile(path) as file:
                contents = json.loads(file.schema_arrow.metadata[CONTENTS])
                _refuse_others(_keys_in(file.read(KEY)), path)
            return TaskState(tuple(contents["sizes"]), contents["error"])

    def write(self, task: Task, rows: Sequence[Row], sizes: Sequence[int], error: str | None = None) -> None:
        """Add rows to those of a task.

        Parameters
        ----------
        task : Task
            A method, a data set and a fold.
        rows : sequence of Row
            Results, one for each search and set.
        sizes : sequence of int
            The sizes that they complete.
        error : str, default=None
            What a failed task raised.
        """
        before = self.state(task)
        tables = [_as_table(rows)]
        path = self._results(task)
        if before.sizes:
            with _named_errors(path):
                found = pq.read_table(path)
            tables.insert(0, found.filter(pc.is_null(found["error"])))
        contents = {"sizes": sorted({*before.sizes, *sizes}), "error": error}
        table = pa.concat_tables([one.replace_schema_metadata(None) for one in tables])
        buffer = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({CONTENTS: json.dumps(contents)}), buffer)
        write_file(path, buffer.getvalue())

    def frame(self) -> pd.DataFrame:
        """All results, one row for each search and set; failed tasks are rows with an error and little else."""
        paths = sorted((self.folder / "results").glob("*.parquet"))
        if not paths:
            raise InputError(f"{self.folder} has no results yet; run altsets reproduce first.")
        tables = []
        for path in paths:
            with _named_errors(path, RECOMPUTE):
                table = pq.read_table(path).replace_schema_metadata(None)
                _refuse_others(_keys_in(table), path)
                tables.append(table)
        return pa.concat_tables(tables).to_pandas()

    def _results(self, task: Task) -> Path:
        return self.folder / "results" / _key(task.dataset, task.fold, task.method)


def _key(dataset: str, fold: int, method: str) -> str:
    """What a task is known by in the folder."""
    return f"{dataset}.fold{fold}.{method}.parquet"


def _keys_in(table: Any) -> set[str]:
    """The tasks whose results a table holds."""
    return set(map(_key, *(table[name].to_pylist() for name in KEY)))


def _refuse_others(keys: set[str], path: Path) -> None:
    """Refuse a file that was copied or renamed: it would count as the results of a task that was never done."""
    others = sorted(keys - {path.name})
    if others:
        raise InputError(f"{path} has the contents of {others[0]}; {RECOMPUTE}.")


def write_file(path: Path, content: bytes) -> None:
    """Write a file completely or not at all; errors of the disk become one sentence."""
    unfinished = path.with_name(f"{path.name}{UNFINISHED}")
    with _named_errors(path, "nothing that was finished is lost; run the same command again afterwards"):
        try:
            with open(unfinished, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise


@contextmanager
def _named_errors(path: Path, advice: str = "") -> Iterator[None]:
    """Turn errors of a file into one sentence that names it."""
    try:
        yield
    except AltsetsError:
        raise
    except OSError as error:
        reason = error.strerror or reason_of(error)
        raise InputError(f"{error.filename or path}: {reason}{'; ' if advice else ''}{advice}.") from error
    except DAMAGED as error:
        raise InputError(f"{path} is damaged{'; ' if advice else ''}{advice}.") from error


def _information_in(arrays: Mapping[str, Floats], part: str) -> Information:
    """Arrays of a file, if they are what was written."""
    relevance, pairs = arrays[f"{part}_relevance"], arrays[f"{part}_pairs"]
    n_features = len(relevance)
    if relevance.shape != (n_features,) or pairs.shape != (n_features, n_features):
        raise ValueError("arrays of other shapes")
    return Information(relevance.astype(np.float64), pairs.astype(np.float64))


def _as_table(rows: Sequence[Row]) -> Any:
    types = {"list": pa.list_(pa.string()), "bool": pa.bool_()}
    schema = pa.schema([(name, types.get(kind) or pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    return pa.table({name: [row.get(name) for row in rows] for name in COLUMNS}, schema=schema)
