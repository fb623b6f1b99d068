"""Parameters of Python as the options that stand for them, for messages of the command line."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

from altsets.cli.options import Given
from altsets.constraints import KINDS
from altsets.documents import TABLE
from altsets.wording import OptionWords

#: What the help calls the parts of options on constraints.
PARTS = {
    "most": "N",
    "least": "N",
    "k_min": "MIN",
    "k_max": "MAX",
    "limit": "LIMIT",
    "lower": "LOWER",
    "upper": "UPPER",
}


@cache
def _flags() -> dict[str, str]:
    """What stands for each parameter and constraint of Python, as the groups have it."""
    flags: dict[str, str] = {}
    for group in vars(Given()).values():
        for field in dataclasses.fields(group):
            flag = f"--{field.name.replace('_', '-')}" if "short" in field.metadata else TABLE
            flags |= {name: flag for name in (field.name, field.metadata.get("python")) if name}
    return flags | PARTS | {kind.__name__: kind.option.flag for kind in KINDS}


def as_option(name: str, value: Any = True) -> str:
    """A parameter as it is typed: ``--drop-missing-target``, ``--tau 0.5``, ``--drop "the date"``."""
    return option_words()(name, value)


def option_words() -> OptionWords:
    """The same as a function."""
    return OptionWords(_flags(), frozenset(PARTS))
