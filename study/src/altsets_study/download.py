"""Download the data sets of the study from PMLB's public repository, with retries and resumption.

Until a file is complete and its checksum is right, it is a ``.part``, which the next attempt or the next call resumes.
"""

from __future__ import annotations

import hashlib
import os
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from altsets.errors import InputError, TableError
from altsets_study.datasets import (
    DATASETS,
    LFS_POINTER,
    StudyRecord,
    cache_folder,
    checked_content,
    file_of,
    known_names,
)

#: PMLB at the version that the paper used. GitHub leads from here to where it keeps the data, which are in Git LFS.
PMLB_URL = "https://github.com/EpistasisLab/pmlb/raw/v1.0.1.post3/datasets/{name}/{name}.tsv.gz"

#: Told of a data set how many bytes are here, and how many there are; None if the server does not say.
Progress = Callable[[str, int, int | None], None]

#: Bytes at a time; what has arrived of a block is lost if the line breaks.
BLOCK = 1 << 13
#: Statuses to retry, besides all server errors.
PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


@dataclass(frozen=True)
class Retries:
    """How often and how patiently to ask a server again."""

    attempts: int = 5
    #: Seconds before the second attempt; each further pause is twice as long.
    pause: float = 1.0
    longest_pause: float = 30.0
    #: Seconds of silence after which a connection counts as broken.
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
    callback: Progress | None = None,
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
        Where to; :func:`~altsets_study.datasets.cache_folder` if None. It is made if it is not there.
    url : str, default=PMLB_URL
        Where from, with ``{name}`` for the name of a data set.
    callback : callable, default=None
        Called with a name, the bytes that are here and all bytes (or None) whenever some have arrived.
    retries : Retries, default=Retries()
        How often to ask the server again.
    records : mapping of str to StudyRecord, default=DATASETS
        The data sets that there are.

    Returns
    -------
    list of Path
        The file of each data set, in the order of the study.

    Raises
    ------
    altsets.errors.InputError
        If there is no such data set, or the address cannot be one.
    altsets.errors.TableError
        If a file cannot be fetched or written, is not PMLB's, or is here already but wrong.

    See Also
    --------
    altsets_study.datasets.cache_folder : Where they go by default.
    altsets_study.reproduce : Runs the study on them.

    References
    ----------
    Olson, R. S., La Cava, W., Orzechowski, P., Urbanowicz, R. J. and Moore, J. H. (2017). PMLB: a large benchmark
    suite for machine learning evaluation and comparison. BioData Mining 10, 36.

    Examples
    --------
    >>> from altsets_study.download import download
    >>> download(["ionosphere"], "data")  # doctest: +SKIP
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
            name, url.replace("{name}", name), records[name].gz_sha256, home, retries, callback
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
    callback: Progress | None

    @property
    def part(self) -> Path:
        """The bytes that have arrived so far."""
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
                if self.callback is not None:
                    self.callback(self.name, size, total)
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
