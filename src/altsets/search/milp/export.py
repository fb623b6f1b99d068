"""A problem as a file for integer-programming solvers."""

from __future__ import annotations

import os
import re

from altsets.errors import InputError, UnsupportedError
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.search.milp.engine import MilpEngine, whole_model
from altsets.wording import parameter

#: Files that solvers read.
SUFFIXES = (".mps", ".lp")
#: Characters of a name that are kept: formats limit its length.
LONGEST = 100

#: The set and the feature that a variable stands for.
Variables = dict[str, tuple[int, str]]


def checked_suffix(path: str | os.PathLike[str]) -> str:
    """The ending of a file for a model."""
    suffix = os.path.splitext(path)[1]
    if suffix not in SUFFIXES:
        raise InputError(
            f"{os.fspath(path)!r} does not end in .mps or .lp, the files that solvers read; rename it."
        )
    return suffix


def exported(quality: Quality, problem: Problem, suffix: str) -> tuple[bytes, Variables]:
    """The integer programme of all sets together, and what its variables stand for."""
    if problem.aggregation == "leximin":
        raise UnsupportedError(
            f"{parameter('aggregation', 'leximin')} takes several models; use 'sum' or 'min'."
        )
    if reason := MilpEngine().declines(quality, problem):
        raise UnsupportedError(f"this is no model that can be exported: {reason}.")
    model = whole_model(quality, problem) if problem.sizes else None
    if model is None:
        raise InputError("no set meets all conditions, so there is no model; find() says why.")
    names: dict[int, str] = {}
    variables: Variables = {}
    for number, one in enumerate(model.sets):
        for variable, feature in zip(one.chosen, model.candidates.indices.tolist(), strict=True):
            (label,) = quality.names_of([feature])
            name = f"s{number}_{re.sub(r'[^A-Za-z0-9_]', '_', str(label))[:LONGEST]}"
            while name in variables:
                name += f"_{feature}"
            names[variable] = name
            variables[name] = number, str(label)
    return model.programme.written(names, model.scale, suffix), variables
