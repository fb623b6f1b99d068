"""New files: checked before anything is computed, written whole or not at all, never over another one unasked."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from altsets.errors import InputError, reason_of

__all__ = ["NewFile"]


@dataclass(frozen=True)
class NewFile:
    """Where an answer goes.

    Attributes
    ----------
    path : str
        The file.
    called : str
        What messages call it, such as "--output answer.csv".
    force : bool
        Whether it may replace another file.
    permission : str
        How the user lets it replace another file, such as "add --force".

    Examples
    --------
    >>> NewFile("no/such/folder/answer.csv", "the answer").check()
    Traceback (most recent call last):
    ...
    altsets.errors.InputError: the answer: there is no folder no/such/folder; make it first.
    """

    path: str
    called: str
    force: bool = False
    permission: str = "pass force=True"

    def check(self, table: str | None = None, may_replace: Callable[[str], bool] | None = None) -> Self:
        """Say what is wrong, if anything is; ``table`` is a file that it must not be in any case.

        ``may_replace`` tells of a file that is there already whether nobody will miss it.
        """
        folder = os.path.dirname(self.path) or "."
        if not os.path.isdir(folder):
            raise InputError(f"{self.called}: there is no folder {folder}; make it first.")
        if os.path.isdir(self.path):
            raise InputError(f"{self.called} is a folder; name a file.")
        both_there = table is not None and os.path.exists(table) and os.path.exists(self.path)
        if both_there and os.path.samefile(str(table), self.path):
            raise InputError(f"{self.called} is the table itself; choose another name.")
        if may_replace is None or not may_replace(self.path):
            self._refuse_to_replace()
        try:
            with _beside(self.path):
                pass
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error
        return self

    def write(self, content: bytes) -> None:
        """Write the file, whole or not at all."""
        self._refuse_to_replace()
        try:
            with _beside(self.path) as temporary:
                with open(temporary, "wb") as file:
                    file.write(content)
                # A link stays one, and what it points to is replaced.
                os.replace(temporary, os.path.realpath(self.path))
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from error

    def _refuse_to_replace(self) -> None:
        if os.path.lexists(self.path) and not self.force:
            raise InputError(
                f"{self.called} exists already; choose another name, or {self.permission} to replace it."
            )

    def _unwritable(self, error: Exception) -> InputError:
        return InputError(f"{self.called} cannot be written: {reason_of(error)}.")


class _beside:
    """A new file in the same folder, which is gone afterwards unless it was moved away."""

    def __init__(self, path: str) -> None:
        folder, name = os.path.split(os.path.realpath(path))
        self._path = os.path.join(folder, f".{name}.{os.getpid()}.part")

    def __enter__(self) -> str:
        with open(self._path, "xb"):
            pass
        return self._path

    def __exit__(self, *_: object) -> None:
        with suppress(FileNotFoundError):
            os.remove(self._path)
