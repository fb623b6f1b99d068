"""What the kernels use of the ``cython`` module, for where they run as plain Python.

Types are only names there: an annotation needs something that can be subscripted, a declared attribute needs the zero
that C would give it, and a cast needs a Python number. Decorators and the two locks do nothing. A kernel that comes to
need more of Cython gets it here; a test loads every kernel with this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "bint",
    "cast",
    "cclass",
    "cfunc",
    "compiled",
    "const",
    "declare",
    "double",
    "exceptval",
    "final",
    "gil",
    "int",
    "long",
    "longlong",
    "nogil",
    "uchar",
    "ulonglong",
    "void",
]

T = TypeVar("T")

compiled = False


class _View:
    """A type of array, as in ``cython.double[:, ::1]``; arrays themselves are NumPy's."""


class _Number:
    """A C type: numbers of it are made by a Python type."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __call__(self, *value: Any) -> Any:
        return self._make(*value)

    def __getitem__(self, _: Any) -> _View:
        return _View()


class _Const:
    """``cython.const[cython.double]``: the same type, of arrays that are not written to."""

    def __getitem__(self, kind: _Number) -> _Number:
        return kind


class _Lock:
    """``with nogil:``, ``with gil:`` and ``@nogil``, none of which means anything to plain Python."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, function: T) -> T:
        return function


def declare(kind: Any, value: Any = None, *, visibility: str = "private") -> Any:
    """The value of a declared variable: as given, or zero; arrays and objects begin as None."""
    if not isinstance(kind, _Number):
        return value
    return kind() if value is None else kind(value)


def cast(kind: Any, value: Any) -> Any:
    """The value as a Python number of that kind."""
    return kind(value)


def exceptval(*_: Any, check: bool = True) -> Callable[[T], T]:
    """A decorator that says how C code reports exceptions."""
    return _unchanged


def _unchanged(thing: T) -> T:
    return thing


cclass = cfunc = final = _unchanged
nogil = gil = _Lock()
const = _Const()

# The last ones, since they hide Python's own.
_integer, _float = int, float
bint = _Number(bool)
double = _Number(_float)
void = _Number(_integer)
uchar = long = longlong = ulonglong = _Number(_integer)
int = _Number(_integer)
