"""JSON documents: numbers as they go in, and what comes in read whole or refused in one sentence."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import NoneType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from altsets.errors import InputError, reason_of
from altsets.features import label_of, name_of
from altsets.wording import shorten

#: What reading a field of a document raises if it is not there, or not what it should be.
DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

#: Where a document says how long a search took, and when it ended: all that differs between two equal answers.
TIMING = "timing"
#: What the record of an answer says about that.
WHEN = ("time", "seconds")

#: The schema of the documents of all answers.
SCHEMA = 1
#: What the table is called among the options of a command, in the record of an answer.
TABLE = "TABLE"
#: Lists in lists beyond this are no result of anything, and functions that call themselves would not come back.
MOST_NESTED = 50
#: Floats end at about this many digits.
MOST_DIGITS = 308


def document_in(given: str) -> Any:
    """The content of a JSON document, which may begin with a byte-order mark.

    Refused: anything that is not JSON (also NaN and Infinity, which are no numbers there), numbers that floats cannot
    hold, keys that occur twice, and lists in lists without end.
    """
    if not isinstance(given, str):
        raise InputError(f"a JSON document must be given as text, not as {type(given).__name__}.")
    try:
        found = json.loads(
            given.removeprefix("\ufeff"),
            parse_int=_whole_number,
            parse_float=_number,
            parse_constant=_number,
            object_pairs_hook=_distinct,
        )
    except json.JSONDecodeError as error:
        raise InputError(f"this is not a JSON document: {reason_of(error)}.") from error
    except RecursionError:
        raise _too_deep() from None
    _check_depth(found)
    return found


def damaged(kind: str, error: BaseException) -> InputError:
    """Return the error that tells why a document of this kind could not be read."""
    what = f"{error} is missing" if isinstance(error, KeyError) else reason_of(error)
    return InputError(f"this altsets {kind} is incomplete or damaged: {what}.")


def timed(document: dict[str, Any]) -> dict[str, Any]:
    """A document with the time in one place, so that equal answers have equal documents but for that."""
    origin = document.get("provenance", {})
    timing = document.get(TIMING, {}) | {name: document[name] for name in ("elapsed",) if name in document}
    timing |= {name: origin[name] for name in WHEN if name in origin}
    found = {name: value for name, value in document.items() if name not in ("elapsed", TIMING)}
    if "provenance" in found:
        found["provenance"] = {name: value for name, value in origin.items() if name not in WHEN}
    return found | {TIMING: timing}


def untimed(document: dict[str, Any]) -> dict[str, Any]:
    """A document with the time where fields are; 0 seconds if it says nothing."""
    timing = document.get(TIMING, {})
    found = {"elapsed": 0.0} | document | {name: timing[name] for name in ("elapsed",) if name in timing}
    if "provenance" in document:
        found["provenance"] = document["provenance"] | {name: timing[name] for name in WHEN if name in timing}
    return found


def without_timing(part: Any) -> Any:
    """A document, or a part of one, without the time, also in the answers that it holds."""
    if isinstance(part, dict):
        return {
            name: without_timing(value)
            for name, value in part.items()
            if not (name == TIMING and isinstance(value, dict))
        }
    return list(map(without_timing, part)) if isinstance(part, list | tuple) else part


def json_of(document: dict[str, Any], indent: int | None, timing: bool) -> str:
    """A document as text."""
    return json.dumps(document if timing else without_timing(document), indent=indent, allow_nan=False)


class DocumentPart:
    """A dataclass that is part of a document, field by field."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values; numbers that are not finite become None."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, entry: Any) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**fields_in(cls, entry, cls._unknown(entry)))

    @classmethod
    def _unknown(cls, entry: Any) -> dict[str, float]:
        """What stands for null in fields that may be null."""
        return {}


def plain_fields(record: Any, only: Sequence[str] | None = None) -> dict[str, Any]:
    """The fields of a record, or some of them, as plain values; numbers that are not finite become None."""
    names = [field.name for field in fields(record)] if only is None else only
    return {name: plain(getattr(record, name)) for name in names}


def plain(value: Any) -> Any:
    """A value as it goes into a document, also what is in lists and dictionaries."""
    if isinstance(value, DocumentPart | Document):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return list(map(plain, value))
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    return finite(value) if isinstance(value, float) else value


def fields_in(
    cls: Any, entry: Any, unknown: Mapping[str, float], only: Sequence[str] | None = None
) -> dict[str, Any]:
    """The fields of a record, or some of them, in a document; ``unknown`` holds what null stands for."""
    kinds = get_type_hints(cls)
    names = [field.name for field in fields(cls)] if only is None else only
    return {
        name: unknown[name] if name in unknown and entry[name] is None else _read_as(kinds[name], entry[name])
        for name in names
    }


def _read_as(kind: Any, value: Any) -> Any:
    """A value as a field of this type; anything else is a TypeError or a ValueError."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer in (tuple, list):
        several = len(inner) == 1 or inner[1] is ...
        if not isinstance(value, list) or not (several or len(value) == len(inner)):
            raise TypeError(f"{shorten(value)} is not such a list")
        return outer(_read_as(inner[0], entry) for entry in value)
    if NoneType in inner:
        return None if value is None else _read_as(inner[0], value)
    if outer is dict:
        return dict(value.items())
    if issubclass(kind, DocumentPart):
        return kind.from_dict(value)
    if issubclass(kind, Document):
        return kind.from_json(json.dumps(value))
    if kind is int:
        return whole_numbers([value])[0]
    return {float: number, str: text}.get(kind, kind)(value)


class Document:
    """An answer that can be written as a JSON document, and read again."""

    #: What these documents are called, and the field that tells them from others; None means any value.
    _called: ClassVar[str]
    _mark: ClassVar[tuple[str, Any]]
    #: Fields that a document has under another name.
    _written: ClassVar[dict[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        name, value = self._mark
        mark = {} if value is None else {name: value}
        written = {self._written.get(name, name): value for name, value in plain_fields(self).items()}
        return timed({"schema": SCHEMA, **mark, **written})

    def to_json(self, indent: int | None = 2, *, timing: bool = True) -> str:
        """The whole answer as one JSON document; numbers that are not finite become null.

        Parameters
        ----------
        indent : int or None, default=2
            Spaces per level; None for one line.
        timing : bool, default=True
            Whether to write how long it took, and when that was, under ``timing``. All else is the same, byte for
            byte, for equal answers.
        """
        return json_of(self.to_dict(), indent, timing)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote, or the command line; anything else is refused."""
        found, (name, value) = document_in(text), cls._mark
        schema = found.get("schema") if isinstance(found, dict) else None
        if schema != SCHEMA or name not in found or value not in (None, found[name]):
            raise InputError(
                f"this is not an altsets {cls._called} of schema {SCHEMA} (found schema {schema!r})."
            )
        try:
            return cls._read(untimed(found))
        except InputError:
            raise
        except DAMAGED as error:
            raise damaged(cls._called, error) from error

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Self:
        """The answer in a document; what is wrong with it raises one of ``DAMAGED``."""
        known = found | {name: found[other] for name, other in cls._written.items()}
        return cls(**fields_in(cls, known, {}))


def number(value: Any) -> float:
    """A number of a document as a float; anything else is a TypeError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{shorten(value)} is not a number")
    return float(value)


def number_or(value: Any, unknown: float | None) -> Any:
    """A number of a document; what stands for null where there is none."""
    return unknown if value is None else number(value)


def finite(value: float) -> float | None:
    """A number as it goes into a document: null if it is not finite."""
    return float(value) if math.isfinite(value) else None


def text(value: Any) -> str:
    """A text of a document; anything else is a TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{shorten(value)} is not text")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts, such as names; anything else is a TypeError."""
    if not isinstance(value, list):
        raise TypeError(f"{shorten(value)} is not a list of texts")
    return tuple(map(text, value))


def labels(names: Sequence[str]) -> list[Any]:
    """The labels of columns as they go into a document: those without a form in JSON as text."""
    return [_plain_label(label_of(name), name) for name in names]


def _plain_label(label: Any, name: str) -> Any:
    if isinstance(label, tuple):
        return [_plain_label(part, str(part)) for part in label]
    plain = label.item() if hasattr(label, "item") else label
    return (
        plain if isinstance(plain, int) or (isinstance(plain, float) and math.isfinite(plain)) else str(name)
    )


def names(value: Any) -> tuple[str, ...]:
    """A list of the labels of columns as names; anything else is a TypeError."""
    if not isinstance(value, list):
        raise TypeError(f"{shorten(value)} is not a list of names")
    return tuple(name_of(_label(entry)) for entry in value)


def _label(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_label, value))
    if not isinstance(value, str | int | float):
        raise TypeError(f"{shorten(value)} is not the label of a column")
    return value


def whole_numbers(value: Any) -> tuple[int, ...]:
    """A list of whole numbers from 0 up, such as indices; anything else is a TypeError."""
    if not isinstance(value, list) or not all(type(entry) is int and entry >= 0 for entry in value):
        raise TypeError(f"{shorten(value)} is not a list of indices")
    return tuple(value)


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InputError(
            f"this JSON document holds a whole number of {len(digits)} digits, which is too large."
        )
    return int(digits)


def _number(spelled: str) -> float:
    value = float(spelled)
    if not math.isfinite(value):
        raise InputError(
            f"this JSON document holds {shorten(spelled)[1:-1]}, which is no finite number; use null for "
            "numbers that are not known."
        )
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise InputError(f"this JSON document says {shorten(twice)} twice in one place; keep one of the two.")
    return found


def _check_depth(found: Any) -> None:
    level = [found]
    for _ in range(MOST_NESTED):
        parts = [entry for entry in level if isinstance(entry, list | dict)]
        level = [part for entry in parts for part in (entry.values() if isinstance(entry, dict) else entry)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> InputError:
    return InputError(
        f"this JSON document holds lists in lists, more than {MOST_NESTED} deep; no result does."
    )
