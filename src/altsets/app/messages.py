"""What the page may say: each message checked field by field, so that engines get plain data of a known shape.

Nothing in a message is a path, code, or the name of a class. Names of features and qualities are looked up where the
table is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from altsets.app.gate import Refused
from altsets.session import PARTS
from altsets.wording import list_some, quote

#: Fields by name: whether a value is right, and what is right in words.
Fields = Mapping[str, tuple[Callable[[Any], bool], str]]

#: What can be asked about a state.
VERBS = ("answer", "frontier", "stand_in", "compare", "evaluate")
#: Files of a state, with their names and types.
FILES = {
    "csv": ("altsets.csv", "text/csv; charset=utf-8"),
    "json": ("altsets.json", "application/json"),
    "report": ("altsets.html", "text/html; charset=utf-8"),
    "python": ("altsets.py", "text/x-python; charset=utf-8"),
    "command": ("altsets.txt", "text/plain; charset=utf-8"),
}
#: The largest whole number that the page can count to.
LARGEST = 2**53 - 1
#: A setting as text: a name, a fraction, or a number with the name of a measure.
SETTING = re.compile(r"[a-z][a-z0-9_-]{0,40}|[0-9]{1,20}/[0-9]{1,20}|[0-9.]{1,20}(:[a-z_]{1,40})?")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_sets(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_names, value))


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_-]{0,40}", value) is not None


def _is_setting(value: Any) -> bool:
    """Nothing, a number, a name, a fraction or a similarity such as 0.9:pearson; the session checks what it means."""
    if isinstance(value, str):
        return re.fullmatch(SETTING, value) is not None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (is_number and abs(value) <= LARGEST)


#: The fields of a state, and what they hold.
STATE: Fields = {
    **dict.fromkeys(PARTS, (_is_setting, "a number, a name or a similarity such as 0.9:pearson")),
    "require": (_is_names, "a list of names"),
    "forbid": (_is_names, "a list of names"),
    "pinned": (_is_sets, "a list of lists of names"),
    "rejected": (_is_sets, "a list of lists of names"),
}


def _is_state(value: Any) -> bool:
    """Whether this is a state; None is the one that the explorer starts with, which also has what is left out."""
    return value is None or _is_part(value, STATE, "state")


def _is_part(value: Any, fields: Fields, what: str) -> bool:
    """Whether this is an object; one with other fields than these is refused, but some of them may be missing."""
    if not isinstance(value, dict):
        return False
    _check(value, fields, what, all_of_them=False)
    return True


#: What a message about a verb may say besides.
MORE: Fields = {
    "feature": (lambda value: isinstance(value, str), "a name"),
    "other": (_is_state, "a state"),
    "scores_of": (lambda value: value is None or _is_word(value), "a name"),
}


def _is_client(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) is not None


_CLIENT = {"client": (_is_client, "1 to 64 letters and digits")}
_NUMBER = {"number": (_is_count, "a whole number")}
_STATE = {"state": (_is_state, "a state")}


def _one_of(names: Any) -> tuple[Callable[[Any], bool], str]:
    return (lambda value: isinstance(value, str) and value in names), f"one of {', '.join(names)}"


def _check(given: Any, fields: Fields, what: str, *, all_of_them: bool = True) -> None:
    """Refuse a message that has other fields than these, or not all of them."""
    if not isinstance(given, dict):
        raise Refused(400, f"The {what} must be an object.")
    unknown = sorted(set(given) - set(fields))
    missing = [name for name in fields if all_of_them and name not in given]
    if unknown:
        raise Refused(400, f"The {what} has unknown fields: {list_some([quote(name) for name in unknown])}.")
    if missing:
        raise Refused(400, f"The {what} lacks {list_some(missing)}.")
    for name, value in given.items():
        is_right, kind = fields[name]
        if not is_right(value):
            raise Refused(400, f"The {what}: {name} must be {kind}.")


@dataclass(frozen=True)
class Ask:
    """A question about a state; a client counts its questions."""

    client: str
    number: int
    verb: str
    state: dict[str, Any] | None
    more: dict[str, Any]

    @classmethod
    def of(cls, given: Any) -> Ask:
        if isinstance(given, dict):
            given = {"with": {}, **given}
        more = {"with": (lambda value: _is_part(value, MORE, "with"), "an object")}
        _check(given, {**_CLIENT, **_NUMBER, "verb": _one_of(VERBS), **_STATE, **more}, "request")
        return cls(given["client"], given["number"], given["verb"], given["state"], given["with"])


@dataclass(frozen=True)
class Question:
    """A client and the number of one of its questions."""

    client: str
    number: int

    @classmethod
    def of(cls, given: Any) -> Question:
        _check(given, {**_CLIENT, **_NUMBER}, "request")
        return cls(given["client"], given["number"])


@dataclass(frozen=True)
class Download:
    """A file of the answer for a state."""

    client: str
    state: dict[str, Any] | None
    kind: str

    @classmethod
    def of(cls, given: Any) -> Download:
        _check(given, {**_CLIENT, **_STATE, "kind": _one_of(FILES)}, "request")
        return cls(given["client"], given["state"], given["kind"])

    @property
    def ask(self) -> Ask:
        """The question that an engine gets; it has no number of the page's."""
        return Ask(self.client, -1, "download", self.state, {"kind": self.kind})


#: Messages by the routes that take them.
MESSAGES: Mapping[str, type[Ask | Question | Download]] = {
    "ask": Ask,
    "wait": Question,
    "cancel": Question,
    "download": Download,
}
