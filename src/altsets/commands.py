"""Requests of the command line as they are written down, and as words to type once more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from altsets.errors import InputError

#: What the table is called among the options of a command.
TABLE = "TABLE"
#: Options about where an answer goes, which have no part in what it is.
ABOUT_OUTPUT = ("--json", "--output", "--report", "--force", "--save-scores")
#: The long name of an option, without a value: names with one would slip past any list of names.
OPTION = re.compile(r"--[a-z0-9]+(-[a-z0-9]+)*")


def option_words(options: Mapping[str, Any], known: Mapping[str, bool] | None = None) -> list[str]:
    """The options of a command as words of a command line, without the table and where the answer goes.

    Parameters
    ----------
    options : mapping of str to plain values
        As the record of a command has them.
    known : mapping of str to bool, optional
        The options that the command has, and whether each is a flag; whatever does not fit is refused.

    Examples
    --------
    >>> option_words({"TABLE": "a.csv", "--target": "y", "--forbid": ["a", "b"], "--evaluate": True, "--json": True})
    ['--target=y', '--forbid=a', '--forbid=b', '--evaluate']
    """
    words = []
    for name, value in options.items():
        if name in ABOUT_OUTPUT or name == TABLE:
            continue
        values = value if isinstance(value, list) else [value]
        plain = all(type(one) in (str, int, float, bool) for one in values)
        if not OPTION.fullmatch(name) or not plain or (known is not None and not _fits(name, values, known)):
            raise InputError(
                f"it has an option {name!r} with the value {value!r:.60}, which altsets does not know."
            )
        words += [name if one is True else f"{name}={one}" for one in values]
    return words


def _fits(name: str, values: list[Any], known: Mapping[str, bool]) -> bool:
    """Whether an option exists and has a value if it needs one: an option without would swallow the next word."""
    return name in known and all((one is True) if known[name] else type(one) is not bool for one in values)
