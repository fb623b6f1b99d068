"""The 30 data sets of the study, as PMLB has them; files that were changed are refused.

All are tables of finite numbers with ``target`` as their last column. As in the paper, no column is left out:
neither those that hold one value only nor those that number the rows.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError, TableError, reason_of

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

#: How the file of a data set may end, in the order in which they are looked for; PMLB's own are ``.tsv.gz``.
ENDINGS = (".csv.gz", ".csv", ".tsv.gz", ".tsv")
#: How gzipped files begin.
GZIP = b"\x1f\x8b"
#: How a file begins that only says where Git LFS keeps the real one; clones of PMLB are full of them.
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class StudyRecord:
    """Size of a data set (the target does not count); checksums of its text with tabs and of PMLB's compressed file."""

    n_rows: int
    n_features: int
    tsv_sha256: str
    gz_sha256: str


@dataclass(frozen=True, eq=False)
class StudyTable:
    """A data set of the study.

    Attributes
    ----------
    name : str
        As PMLB calls it.
    X : ndarray of shape (n_rows, n_features)
        Finite numbers; categories are codes already in PMLB.
    y : ndarray of shape (n_rows,)
        The two values of the target as PMLB has them: 0 and 1, or 1 and 2. The paper's estimator of mutual information
        adds noise that depends on them.
    feature_names : tuple of str
        One for each column of ``X``; text even where PMLB has numbers.

    See Also
    --------
    altsets_study.reproduce : Takes tables of your own.
    altsets_study.download.download : Fetches those of the study.

    Examples
    --------
    >>> import numpy as np
    >>> import altsets_study
    >>> table = altsets_study.StudyTable("tiny", np.eye(3), np.array([0, 1, 1]), ("a", "b", "c"))
    >>> table.X.shape
    (3, 3)
    """

    name: str
    X: Floats
    y: Indices
    feature_names: tuple[str, ...]


def _all_records() -> Mapping[str, StudyRecord]:
    text = resources.files("altsets_study").joinpath("pmlb.csv").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            row["name"]: StudyRecord(
                int(row["n_rows"]), int(row["n_features"]), row["tsv_sha256"], row["gz_sha256"]
            )
            for row in csv.DictReader(text.splitlines())
        }
    )


#: The data sets of the study by their names in PMLB.
DATASETS: Mapping[str, StudyRecord] = _all_records()


def known_names(
    asked: Iterable[str] = (), *, records: Mapping[str, StudyRecord] = DATASETS
) -> tuple[str, ...]:
    """The data sets that were asked for, each once and in the order of the study; all of them if none was named."""
    wanted = {asked} if isinstance(asked, str) else set(asked)
    for name in sorted(wanted - records.keys()):
        raise _unknown(name, list(records))
    return tuple(name for name in records if name in wanted or not wanted)


def _unknown(name: str, known: list[str]) -> InputError:
    message = f"there is no data set {name!r} in the study"
    close = difflib.get_close_matches(name.lower(), [other.lower() for other in known], n=3)
    meant = [other for other in known if other.lower() in close]
    if meant:
        return InputError(f"{message}; did you mean {' or '.join(map(repr, meant))}?")
    return InputError(f"{message}; its data sets are: {', '.join(known)}.")


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Where downloaded data sets are kept for this user; the folder need not be there yet.

    Parameters
    ----------
    environment : mapping of str to str, default=os.environ
        ``ALTSETS_CACHE`` in it is used instead of the usual place for caches.
    platform : str, default=sys.platform
        Which decides what is usual.

    Returns
    -------
    Path
        The folder, which need not exist.

    See Also
    --------
    altsets_study.download.download : Puts data sets there.
    altsets_study.reproduce : Reads them from there.

    Examples
    --------
    >>> cache_folder({"ALTSETS_CACHE": "kept"}).as_posix()
    'kept/pmlb'
    """
    chosen = environment.get("ALTSETS_CACHE")
    base = Path(chosen) if chosen else _usual_caches(environment, platform) / "altsets"
    return base / "pmlb"


def _usual_caches(environment: Mapping[str, str], platform: str) -> Path:
    variable, otherwise = {
        "win32": ("LOCALAPPDATA", "~/AppData/Local"),
        "darwin": ("XDG_CACHE_HOME", "~/Library/Caches"),
    }.get(platform, ("XDG_CACHE_HOME", "~/.cache"))
    usual = Path(environment.get(variable) or otherwise)
    try:
        return usual.expanduser()
    except RuntimeError:
        raise InputError(
            f"cannot tell where caches are kept, as there is no home folder and {variable} is not set; "
            "set ALTSETS_CACHE to a folder."
        ) from None


def load(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    records: Mapping[str, StudyRecord] = DATASETS,
) -> StudyTable:
    """A data set of the study from a folder; refused unless it is PMLB's, number for number."""
    known_names(name, records=records)
    home = cache_folder() if folder is None else Path(folder)
    path = file_of(name, home)
    if path is None:
        raise _missing(name, home)
    # NumPy takes whole lines at once, many times faster than Python's csv; PMLB has no quotes to care about.
    header, *lines = checked_content(path, name, records[name]).decode().splitlines()
    numbers = np.loadtxt(lines, delimiter="\t", comments=None, ndmin=2)
    *feature_names, _ = header.split("\t")
    target = numbers[:, -1].astype(np.intp)
    return StudyTable(name, np.ascontiguousarray(numbers[:, :-1]), target, tuple(feature_names))


def file_of(name: str, folder: Path) -> Path | None:
    """The file in a folder that is to hold a data set, whatever is in it; None if there is none."""
    try:
        here = set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TableError(f"cannot look into {folder}: {error.strerror}; choose another folder.") from error
    return next((folder / file for ending in ENDINGS if (file := f"{name}{ending}") in here), None)


def _missing(name: str, folder: Path) -> TableError:
    what_to_do = f"put PMLB's {name}.tsv.gz there, download it, or choose another folder."
    if not os.path.isdir(folder):
        return TableError(f"there is no folder {folder} to load {name} from; {what_to_do}")
    return TableError(f"{folder} has no file {name} that ends in {', '.join(ENDINGS)}; {what_to_do}")


def _unpacked(path: Path) -> bytes:
    """The bytes in a file, unpacked if it is gzipped."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(GZIP) else content
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"cannot read {path}: {reason_of(error)}; replace it.") from error


def checked_content(path: Path, name: str, record: StudyRecord) -> bytes:
    """The table in a file, unpacked and with tabs between the columns, if it is the one that PMLB has."""
    # Tables with commas are welcome: no name and no number in them has one.
    content = _unpacked(path).replace(b",", b"\t")
    if content.startswith(LFS_POINTER):
        raise TableError(
            f"{path} is a Git LFS pointer and not the table itself; delete it, or replace it by `git lfs pull`."
        )
    if hashlib.sha256(content).hexdigest() != record.tsv_sha256:
        raise TableError(
            f"{path} is not PMLB's table {name}, or was changed (its checksum differs); "
            f"delete it, or replace it by PMLB's {name}.tsv.gz."
        )
    return content
