"""The exceptions of altsets, all in one tree; and warnings.

::

    AltsetsError
    ├── InputError (ValueError)        an argument can't be understood or is out of range
    │   ├── TableError                 a table cannot be read or used as it is
    │   └── NotExpressedError          a request cannot be written as text
    ├── UnsupportedError (ValueError)  the request is sound, but the chosen engine does not solve it
    ├── MissingExtraError (ImportError)  an optional package is needed; names the extra to install
    └── VerificationError (RuntimeError) an engine's answer failed the independent check: a bug, please report

``except altsets.errors.AltsetsError`` catches everything that altsets raises on purpose.
"""

from __future__ import annotations

import os
import sys
import warnings

__all__ = [
    "AltsetsError",
    "InputError",
    "MissingExtraError",
    "NotExpressedError",
    "TableError",
    "UnsupportedError",
    "VerificationError",
    "reason_of",
    "warn_user",
]

#: Characters of a message; values of users that are quoted in it may have millions.
LONGEST_MESSAGE = 1_000


class AltsetsError(Exception):
    """Base of every exception that altsets raises on purpose; one for several problems has a line for each."""

    @property
    def problems(self) -> list[str]:
        """A message for each problem."""
        return [_shortened(str(said)) for said in self.args]

    def __str__(self) -> str:
        return "\n".join(self.problems)


def _shortened(said: str) -> str:
    kept = LONGEST_MESSAGE // 2
    return said if len(said) <= LONGEST_MESSAGE else f"{said[:kept]} ... {said[-kept:]}"


class InputError(AltsetsError, ValueError):
    """A parameter, a score or a name is wrong; the message says which, and what to do."""


class TableError(InputError):
    """A table cannot be read, or holds what no measure can use."""


class NotExpressedError(InputError):
    """A request holds what cannot be written as text, such as a function; the message ends a sentence and says why."""


class UnsupportedError(AltsetsError, ValueError):
    """The chosen engine or search does not solve this kind of problem."""


class MissingExtraError(AltsetsError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, package: str, extra: str, otherwise: str = "") -> None:
        instead = f", or {otherwise}" if otherwise else ""
        super().__init__(
            f"{purpose} needs {package}; in a clone of altsets, install it with: pip install '.[{extra}]'{instead}"
        )


class VerificationError(AltsetsError, RuntimeError):
    """An answer failed the independent check; nothing wrong is ever returned to the user."""


def reason_of(error: BaseException) -> str:
    """Format the message of an error as the end of a sentence: on one line, without a full stop.

    Parameters
    ----------
    error : BaseException
        The error. One without a message is described by the name of its class.

    See Also
    --------
    altsets.errors.AltsetsError : Base class of the errors that altsets raises.

    Examples
    --------
    >>> from altsets import errors
    >>> errors.reason_of(ValueError("no such\\n column."))
    'no such column'
    """
    said = getattr(error, "strerror", None) or str(error)
    return " ".join(said.split()).rstrip(".") or type(error).__name__


class Problems:
    """Errors of several checks, each made in ``with problems:``, which are raised together.

    Examples
    --------
    >>> problems = Problems()
    >>> for name in ("tau", "engine"):
    ...     with problems:
    ...         raise InputError(f"{name} is unknown.")
    >>> problems.raise_all()
    Traceback (most recent call last):
    ...
    altsets.errors.InputError: tau is unknown.
    engine is unknown.
    """

    def __init__(self) -> None:
        self._found: list[AltsetsError] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, AltsetsError):
            self._found.append(error)
            return True
        return False

    def raise_all(self) -> None:
        """Raise what was found, if anything: a single error as it is."""
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            raise InputError(*dict.fromkeys(said for error in self._found for said in error.problems))


#: Where altsets is, and packages that call it on behalf of users.
OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
CALLERS = tuple(f"{os.sep}{name}{os.sep}" for name in ("sklearn", "joblib"))


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that points at the line of the user's code that called altsets.

    Parameters
    ----------
    message : str
        The text of the warning.
    category : type of Warning, default=UserWarning
        The class of the warning.

    See Also
    --------
    altsets.errors.AltsetsError : Base class of the errors that altsets raises.
    warnings.warn : What issues the warning.

    Examples
    --------
    >>> import warnings
    >>> from altsets import errors
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     errors.warn_user("2 columns are constant")
    >>> caught[0].category.__name__, str(caught[0].message)
    ('UserWarning', '2 columns are constant')
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_between(path: str) -> bool:
    """Whether a file belongs to altsets, or to those who call it on behalf of users."""
    return path.startswith(OWN) or any(name in path for name in CALLERS)
