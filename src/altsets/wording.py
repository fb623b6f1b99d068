"""Small helpers for sentences: lists of words, counts with their noun, shares, ranges, parameters with their values."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

#: Counts from here on are written with four significant digits instead of all of them.
LONG_COUNT = 10**15


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Words as one phrase: ``"a"``, ``"a and b"``, ``"a, b and c"``; ``last="or"`` for alternatives."""
    *first, final = words or [""]
    return f"{', '.join(first)} {last} {final}" if first else final


def list_some(words: Sequence[str], most: int = 8, *, last: str = "", hide_one: bool = True) -> str:
    """Up to ``most`` words with commas, then how many are left: ``"a, b and 7 more"``.

    With ``last="and"``, a list that is complete ends in it as well. ``hide_one=False`` shows a single
    word that would be left over: it takes no more room than "1 more".
    """
    if len(words) <= most + (not hide_one):
        return join_words(words, last) if last else ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def plural(count: int, one: str, many: str | None = None) -> str:
    """The word that agrees with a count: ``one`` or ``many`` (by default with an added "s")."""
    return one if count == 1 else f"{one}s" if many is None else many


def counted(count: int, noun: str, nouns: str | None = None) -> str:
    """A count and its noun: ``"1 row"``, ``"2,000 rows"``."""
    return f"{count:,} {plural(count, noun, nouns)}"


def span(values: Sequence[float], form: str = "g") -> str:
    """A number or the range of several that are sorted: ``"3"``, ``"3 to 5"``."""
    first, last = format(values[0], form), format(values[-1], form)
    return first if first == last else f"{first} to {last}"


def duration(seconds: float) -> str:
    """A time in words of the right size: ``"40 s"``, ``"6 min"``, ``"2.5 h"``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.2g} h"


def percent(share: float, decimals: int = 0) -> str:
    """A share in per cent; 0 % and 100 % only where they are exact: ``"93 %"``, ``">99 %"``, ``"<1 %"``."""
    least = 10.0 ** (-2 - decimals)
    if 1 - least < share < 1:
        return f">{100 * (1 - least):.{decimals}f} %"
    if 0 < share < least:
        return f"<{100 * least:.{decimals}f} %"
    return f"{100 * share:.{0 if share in (0, 1) else decimals}f} %"


def aligned(values: Sequence[float | None], digits: int = 4) -> list[str]:
    """Numbers that stand below each other: with so many significant digits, and no zeros that none of them needs."""
    texts = [_significant(value, digits) for value in values]
    needed = max((len(_decimals(text).rstrip("0")) for text in texts), default=0)
    return [text[: text.index(".") + needed + bool(needed)] if _decimals(text) else text for text in texts]


def _significant(value: float | None, digits: int) -> str:
    if value is None or not math.isfinite(value):
        return ""
    rounded = f"{value:.{digits - 1}e}"
    if abs(value) >= LONG_COUNT or 0 < abs(value) < 1e-4:
        return rounded
    return f"{value:.{max(digits - 1 - int(rounded.partition('e')[2]), 0)}f}"


def _decimals(text: str) -> str:
    return "" if "e" in text else text.partition(".")[2]


def round_down(similarity: float) -> str:
    """A similarity with two decimals, never more than it is: ``"0.99"`` for 0.999, so that only copies have 1.00."""
    return f"{math.floor(similarity * 100 + 1e-9) / 100:.2f}"


def large_count(count: int) -> str:
    """A count with thousands separators, or with four digits if it is astronomical: ``"3e+20"``."""
    return f"{count:,}" if count < LONG_COUNT else f"{count:.4g}"


def score(value: float) -> str:
    """A score or a difference of scores: three decimals where that is enough, "-" if it is unknown."""
    if math.isnan(value):
        return "-"
    if value == 0:
        return "0.000"
    return f"{value:.3f}" if 0.0005 <= abs(value) < 100 else f"{value:.3g}"


def shorten(value: Any, most: int = 40) -> str:
    """The representation of a value, cut off after ``most`` characters."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def quote(name: str, most: int = 40) -> str:
    """A name in quotes; of one longer than ``most`` characters, the beginning."""
    return repr(name if len(name) <= most else f"{name[: most - 3]}...")


def suggestion(given: Any, known: Iterable[Any], otherwise: str) -> str:
    """What was probably meant by a name that is not known, whatever its case, or else what to do; ends a message."""
    names = {str(name).lower(): str(name) for name in known}
    close = difflib.get_close_matches(given.lower(), names, n=1) if isinstance(given, str) else ()
    return f"did you mean {names[close[0]]!r}?" if close else otherwise


def sentence(text: str) -> str:
    """A clause as a sentence: a capital letter first, a full stop at the end."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def paragraph(*sentences: str) -> str:
    """Those sentences that are not empty, one after the other."""
    return " ".join(filter(None, sentences))


# --- Parameters, in the words of the interface in use -------------------------------------------------

#: Writes a parameter, or a parameter and its value, as an interface other than Python does.
Spelling = Callable[..., str]
#: Characters of a value that a message repeats.
LONGEST_VALUE = 103
#: The spelling in use in this thread or task; None for Python.
_SPELLING: ContextVar[Spelling | None] = ContextVar("_SPELLING", default=None)


@contextmanager
def spelled(how: Spelling | None) -> Iterator[None]:
    """Messages that are made inside write parameters in another way, as options of a command for example."""
    token = _SPELLING.set(how)
    try:
        yield
    finally:
        _SPELLING.reset(token)


def parameter(name: str, *value: Any) -> str:
    """A parameter, or a parameter and its value, as a user would write it.

    That is ``tau=0.5`` in Python and ``--tau 0.5`` in a shell. The name may follow that of a constraint and a colon,
    or be words such as "a feature index".
    """
    *whose, name = name.rsplit(": ", 1)
    spelling = _SPELLING.get()
    if spelling is not None:
        text = spelling(name, *value)
    elif not value:
        text = name
    else:
        shown = str(value[0]) if isinstance(value[0], Fraction) else shorten(value[0], LONGEST_VALUE)
        text = f"{name}{'=' if name.isidentifier() else ' '}{shown}"
    return ": ".join([*whose, text])


def by_interface(python: str, command_line: str) -> str:
    """Advice that depends on the interface in use by more than how parameters are written."""
    return python if _SPELLING.get() is None else command_line
