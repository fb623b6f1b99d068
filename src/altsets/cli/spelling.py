"""Parameters of Python as the options that stand for them, for messages of the command line."""

from __future__ import annotations

import dataclasses
import numbers
from functools import cache
from typing import Any

from altsets.cli.options import Given
from altsets.constraints import KINDS
from altsets.documents import TABLE

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
    flag = _flags().get(name, name)
    if value is True:
        return flag
    values = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(one, str | numbers.Real) for one in values):
        return flag
    return f"{flag}{' = ' if name in PARTS else ' '}{','.join(map(_typed, values))}"


def _typed(value: Any) -> str:
    """A name or number as an option takes it."""
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    return f'"{text}"' if any(char.isspace() or char in ",\"'" for char in text) and len(text) > 1 else text
