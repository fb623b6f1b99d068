"""The 30 data sets of the study: PMLB's files, checked by checksum, read from a folder or downloaded."""

from __future__ import annotations

import csv
import difflib
import hashlib
import os
import ssl
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.errors import InputError, TableError
from altsets.tables.file_contents import content_of

#: How the file of a data set may end, in the order in which they are looked for; PMLB's own are ``.tsv.gz``.
ENDINGS = (".csv.gz", ".csv", ".tsv.gz", ".tsv")
#: How a file begins that only says where Git LFS keeps the real one; clones of PMLB are full of them.
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True)
class StudyRecord:
    """What is known of a data set beforehand.

    Attributes
    ----------
    n_rows, n_features : int
        Its size; the target is no feature.
    tsv_sha256 : str
        The checksum of the table as text, with tabs between the columns.
    gz_sha256 : str
        The checksum of PMLB's compressed file.
    """

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
        0 for the smaller one of the two values of the target, 1 for the larger: in PMLB they are 1 and 2 at times.
    feature_names : tuple of str
        One for each column of ``X``; text even where PMLB has numbers.
    """

    name: str
    X: Floats
    y: Indices
    feature_names: tuple[str, ...]


def _all_records() -> Mapping[str, StudyRecord]:
    text = resources.files("altsets.experiments").joinpath("pmlb.csv").read_text(encoding="utf-8")
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
    """The data sets that were asked for, each once and in the order of the study; all of them if none was named.

    Parameters
    ----------
    asked : iterable of str or str, default=()
        Names as PMLB has them, or a single one.
    records : mapping of str to StudyRecord, default=DATASETS
        The data sets that there are.

    Raises
    ------
    InputError
        If there is no data set of such a name.

    Examples
    --------
    >>> known_names(["wdbc", "sonar", "wdbc"])
    ('sonar', 'wdbc')
    """
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
    """A data set of the study from a folder; refused unless it is PMLB's, number for number.

    Parameters
    ----------
    name : str
        As PMLB has it.
    folder : path, default=None
        Holds ``NAME.csv.gz``, ``NAME.csv``, ``NAME.tsv.gz`` or ``NAME.tsv``; :func:`cache_folder` if None.
    records : mapping of str to StudyRecord, default=DATASETS
        The data sets that there are.

    Raises
    ------
    InputError
        If there is no data set of this name.
    TableError
        If its file is missing, cannot be read or is not PMLB's.
    """
    known_names(name, records=records)
    home = cache_folder() if folder is None else Path(folder)
    path = file_of(name, home)
    if path is None:
        raise _missing(name, home)
    # NumPy takes whole lines at once, many times faster than Python's csv; PMLB has no quotes to care about.
    header, *lines = checked_content(path, name, records[name]).decode().splitlines()
    numbers = np.loadtxt(lines, delimiter="\t", comments=None, ndmin=2)
    _, codes = np.unique(numbers[:, -1], return_inverse=True)
    *feature_names, _ = header.split("\t")
    return StudyTable(name, np.ascontiguousarray(numbers[:, :-1]), codes, tuple(feature_names))


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
    if not folder.is_dir():
        return TableError(f"there is no folder {folder} to load {name} from; {what_to_do}")
    return TableError(f"{folder} has no file {name} that ends in {', '.join(ENDINGS)}; {what_to_do}")


def checked_content(path: Path, name: str, record: StudyRecord) -> bytes:
    """The table in a file, unpacked and with tabs between the columns, if it is the one that PMLB has."""
    # Tables with commas are welcome: no name and no number in them has one.
    content = content_of(path).replace(b",", b"\t")
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


#: PMLB at the version that the paper used. GitHub leads from here to where it keeps the data, which are in Git LFS.
PMLB_URL = "https://github.com/EpistasisLab/pmlb/raw/v1.0.1.post3/datasets/{name}/{name}.tsv.gz"

#: Told of a data set how many bytes are here, and how many there are; None if the server does not say.
Progress = Callable[[str, int, int | None], None]

#: Bytes at a time; what has arrived of a block is lost if the line breaks.
BLOCK = 1 << 13
#: Answers after which it is worth to ask again, besides all that begin with 5.
PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


@dataclass(frozen=True)
class Retries:
    """How much a server is forgiven.

    Attributes
    ----------
    attempts : int
        How often to ask for a file before giving up.
    pause : float
        Seconds before the second attempt; each further pause is twice as long.
    longest_pause : float
        No pause is longer than this many seconds.
    timeout : float
        Seconds of silence after which a connection counts as broken.
    sleep : callable
        How to wait.
    """

    attempts: int = 5
    pause: float = 1.0
    longest_pause: float = 30.0
    timeout: float = 30.0
    sleep: Callable[[float], None] = time.sleep

    def wait_after(self, attempt: int) -> None:
        """Wait after an attempt that failed; the first one is number 1."""
        self.sleep(min(self.pause * 2 ** (attempt - 1), self.longest_pause))


DEFAULT_RETRIES = Retries()


def download(
    names: Iterable[str] = (),
    folder: str | os.PathLike[str] | None = None,
    *,
    url: str = PMLB_URL,
    progress: Progress | None = None,
    retries: Retries = DEFAULT_RETRIES,
    records: Mapping[str, StudyRecord] = DATASETS,
) -> list[Path]:
    """Fetch the data sets of the study that a folder lacks.

    Those that are there are checked and left as they are; if one of them is wrong, nothing is fetched.

    Parameters
    ----------
    names : iterable of str or str, default=()
        Which ones; all if there are none.
    folder : path, default=None
        Where to; :func:`~altsets.experiments.datasets.cache_folder` if None. It is made if it is not there.
    url : str, default=PMLB_URL
        Where from, with ``{name}`` for the name of a data set.
    progress : callable, default=None
        Called with a name, the bytes that are here and all bytes (or None) whenever some have arrived.
    retries : Retries, default=Retries()
        How much the server is forgiven.
    records : mapping of str to StudyRecord, default=DATASETS
        The data sets that there are.

    Returns
    -------
    list of Path
        The file of each data set, in the order of the study.

    Raises
    ------
    InputError
        If there is no such data set, or the address cannot be one.
    TableError
        If a file cannot be fetched or written, is not PMLB's, or is here already but wrong.
    """
    asked = known_names(names, records=records)
    _check_address(url)
    home = cache_folder() if folder is None else Path(folder)
    here = {name: path for name in asked if (path := file_of(name, home)) is not None}
    for name, path in here.items():
        checked_content(path, name, records[name])
    with _writing(home):
        home.mkdir(parents=True, exist_ok=True)
    return [
        here[name]
        if name in here
        else _Transfer(
            name, url.replace("{name}", name), records[name].gz_sha256, home, retries, progress
        ).run()
        for name in asked
    ]


def _check_address(url: str) -> None:
    """Refuse addresses that no server can have: they are no reason to try again and again."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or " " in url or "{name}" not in url:
        raise InputError(
            f"url={url!r} cannot be used; give an address that begins with https:// and contains {{name}}."
        )


class _InterruptedTransferError(Exception):
    """The server or the line failed in a way that may pass."""


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say in one sentence that something cannot be written, such as on a disk that is full."""
    try:
        yield
    except OSError as error:
        raise TableError(
            f"cannot write {path}: {error.strerror or error}; make room there, or choose another folder."
        ) from error


@dataclass(frozen=True)
class _Transfer:
    """One file on its way."""

    name: str
    address: str
    sha256: str
    folder: Path
    retries: Retries
    progress: Progress | None

    @property
    def part(self) -> Path:
        """What has arrived so far."""
        return self.folder / f"{self.name}.tsv.gz.part"

    def run(self) -> Path:
        """Fetch the file, going on where an earlier call was interrupted; returns where it is."""
        # Nothing is left to fetch if only the last step, to the real name, was missing. What an earlier call left may
        # have been wrong, or a single answer, so there is a second chance.
        if not (self._is_right() or self._received() or self._received()):
            raise TableError(
                f"{self.address} sent something else than PMLB's {self.name} twice (its checksum differs); "
                "check that no proxy or login page stands in between, and try again."
            )
        file = self.folder / f"{self.name}.tsv.gz"
        with _writing(file):
            self.part.replace(file)
        return file

    def _received(self) -> bool:
        """Fetch what is missing; if the whole is wrong then, it is discarded, and the next call fetches all of it."""
        self._receive()
        if self._is_right():
            return True
        with _writing(self.part):
            with self.part.open("rb") as file:
                is_pointer = file.read(len(LFS_POINTER)) == LFS_POINTER
            self.part.unlink()
        if is_pointer:
            raise TableError(
                f"{self.address} sent a Git LFS pointer instead of {self.name} itself; "
                "give the address of a server that has the data."
            )
        return False

    def _is_right(self) -> bool:
        with _writing(self.part):
            if not self.part.exists():
                return False
            with self.part.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256

    def _receive(self) -> None:
        """All that is missing, in as many attempts as it may take."""
        for attempt in range(1, self.retries.attempts + 1):
            try:
                return self._attempt()
            except _InterruptedTransferError as problem:
                if attempt == self.retries.attempts:
                    raise TableError(
                        f"cannot fetch {self.address} ({problem}, at attempt {attempt}); try again later: "
                        "what has arrived is kept."
                    ) from problem
                self.retries.wait_after(attempt)

    def _attempt(self) -> None:
        with _writing(self.part):
            here = self.part.stat().st_size if self.part.exists() else 0
        response = self._response(here)
        if response is None:
            return
        with response:
            self._keep(response, here)

    def _response(self, here: int) -> HTTPResponse | None:
        """What the server has beyond the bytes that are here; None if it says that this is nothing."""
        wanted = {"Range": f"bytes={here}-"} if here else {}
        request = Request(self.address, headers={"User-Agent": "altsets", **wanted})
        try:
            response: HTTPResponse = urlopen(request, timeout=self.retries.timeout)
        except HTTPError as error:
            error.close()
            answer = f"{error.code} {error.reason}"
            if here and error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return None
            if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR or error.code in PASSING:
                raise _InterruptedTransferError(f"the server answered {answer}") from error
            raise TableError(
                f"{self.address} cannot be fetched, as the server answered {answer}; check the address."
            ) from error
        except (OSError, HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise TableError(
                    f"{self.address} cannot be trusted ({reason.verify_message}); "
                    "check the certificates and the clock of this machine."
                ) from error
            raise _InterruptedTransferError(_said(reason)) from error
        return response

    def _keep(self, response: HTTPResponse, here: int) -> None:
        """Write what arrives behind what is here, or over it if the server sends all from the start."""
        resumed = response.status == HTTPStatus.PARTIAL_CONTENT
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {here}-"):
            with _writing(self.part):
                self.part.unlink(missing_ok=True)
            raise _InterruptedTransferError("the server sent another part than the one asked for")
        size = here if resumed else 0
        total = None if response.length is None else size + response.length
        # What the line does wrong is no OSError here: one that comes out is the disk's.
        with _writing(self.part), self.part.open("ab" if resumed else "wb") as file:
            for block in _blocks(response):
                file.write(block)
                size += len(block)
                if self.progress is not None:
                    self.progress(self.name, size, total)
        if total is not None and size < total:
            raise _InterruptedTransferError(f"the connection ended after {size} of {total} bytes")


def _blocks(response: HTTPResponse) -> Iterator[bytes]:
    try:
        while block := response.read(BLOCK):
            yield block
    except (OSError, HTTPException) as error:
        raise _InterruptedTransferError(_said(error)) from error


def _said(reason: object) -> str:
    """What went wrong, in the words of the system if it has some."""
    return str(getattr(reason, "strerror", None) or reason) or type(reason).__name__
