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

#: Whether a value is right, and what is right in words.
Kind = tuple[Callable[[Any], bool], str]

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
WORD = "[a-z][a-z0-9_-]{0,40}"
#: A setting as text: a name, a fraction, or a number with the name of a measure.
SETTING = WORD + "|[0-9]{1,20}/[0-9]{1,20}|[0-9.]{1,20}(:[a-z_]{1,40})?"


def _is_text(value: Any, pattern: str) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_number(value: Any, kinds: Any = (int, float)) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool) and abs(value) <= LARGEST


def _is_list(value: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_right, value))


def _is_names(value: Any) -> bool:
    return _is_list(value, lambda name: isinstance(name, str))


def _is_part(value: Any, fields: Mapping[str, Kind], what: str) -> bool:
    """Whether this is an object; one with other fields than these is refused, but some of them may be missing."""
    if isinstance(value, dict):
        _check(value, fields, what, all_of_them=False)
    return isinstance(value, dict)


def _one_of(names: Any) -> Kind:
    return (lambda value: isinstance(value, str) and value in names), f"one of {', '.join(names)}"


#: The session checks what a setting means.
A_SETTING: Kind = (
    lambda value: value is None or _is_number(value) or _is_text(value, SETTING),
    "a number, a name or a similarity such as 0.9:pearson",
)
NAMES: Kind = _is_names, "a list of names"
SETS: Kind = (lambda value: _is_list(value, _is_names)), "a list of lists of names"
#: The fields of a state, and what they hold.
STATE = dict.fromkeys(PARTS, A_SETTING) | {
    "require": NAMES,
    "forbid": NAMES,
    "pinned": SETS,
    "rejected": SETS,
}
#: None is the state that the explorer starts with, which also has what is left out.
A_STATE: Kind = (lambda value: value is None or _is_part(value, STATE, "state")), "a state"
#: What a message about a verb may say besides.
MORE: Mapping[str, Kind] = {
    "feature": ((lambda value: isinstance(value, str)), "a name"),
    "other": A_STATE,
    "scores_of": ((lambda value: value is None or _is_text(value, WORD)), "a name"),
}
#: The fields of messages.
FIELDS: Mapping[str, Kind] = {
    "client": ((lambda value: _is_text(value, "[A-Za-z0-9_-]{1,64}")), "1 to 64 letters and digits"),
    "number": ((lambda value: _is_number(value, int) and value >= 0), "a whole number"),
    "verb": _one_of(VERBS),
    "state": A_STATE,
    "with": ((lambda value: _is_part(value, MORE, "with")), "an object"),
    "kind": _one_of(FILES),
}


def _message(given: Any, *names: str) -> Any:
    """A message with these fields."""
    _check(given, {name: FIELDS[name] for name in names}, "request")
    return given


def _check(given: Any, fields: Mapping[str, Kind], what: str, *, all_of_them: bool = True) -> None:
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
        given = {"with": {}, **given} if isinstance(given, dict) else given
        asked = _message(given, "client", "number", "verb", "state", "with")
        return cls(more=asked.pop("with"), **asked)


@dataclass(frozen=True)
class Question:
    """A client and the number of one of its questions."""

    client: str
    number: int

    @classmethod
    def of(cls, given: Any) -> Question:
        return cls(**_message(given, "client", "number"))


class Download(Ask):
    """A question for a file of the answer for a state; it has no number of the page's."""

    @classmethod
    def of(cls, given: Any) -> Download:
        asked = _message(given, "client", "state", "kind")
        return cls(asked["client"], -1, "download", asked["state"], {"kind": asked["kind"]})


#: Messages by the routes that take them.
MESSAGES: Mapping[str, type[Ask | Question]] = {
    "ask": Ask,
    "wait": Question,
    "cancel": Question,
    "download": Download,
}
