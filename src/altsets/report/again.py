"""The lines that give the same answer once more, for Python and for the shell; where there are none, why not.

Names and values come from users' tables: each is quoted as its language wants it, so that a line can be copied blindly.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from altsets.commands import TABLE, option_words
from altsets.errors import InputError
from altsets.features import names_in
from altsets.report.constructors import NotExpressed, constraint_call, dissimilarity_call
from altsets.result import Result, StopReason

__all__ = ["python_lines", "shell_line"]

#: Options of ``altsets find`` that :class:`altsets.SelectAlternatives` has no parameter for.
ONLY_FIND = {
    "--existing": "sets that others must differ from are a parameter of altsets.find alone",
    "--engine": "the engine is a parameter of altsets.find alone",
    "--scores": "scores were read from a file",
}
#: What a quality by its name takes besides.
HOW = ("measure", "estimator", "scoring", "pos_label", "class_weight")


def shell_line(provenance: Mapping[str, Any]) -> str:
    """The command that gave an answer; raises NotExpressed where there is none.

    Examples
    --------
    >>> print(shell_line({"command": "find", "options": {"TABLE": "my table.csv", "--target": "y", "--tau": "1"}}))
    altsets find 'my table.csv' --target=y --tau=1
    """
    command, options = provenance.get("command"), provenance.get("options")
    if not isinstance(command, str) or not isinstance(options, Mapping):
        raise NotExpressed("the answer was not made on the command line")
    try:
        words = option_words(options)
    except InputError as error:
        raise NotExpressed(str(error).rstrip(".")) from error
    table = options.get(TABLE)
    if table is not None:
        # What begins with a dash would be taken for an option.
        words = [*words, "--", table] if table.startswith("-") and table != "-" else [table, *words]
    if any("\0" in word or not _is_text(word) for word in words):
        raise NotExpressed("a name in it has characters that no shell takes")
    return " ".join(["altsets", command, *map(shlex.quote, words)])


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def python_lines(result: Result, names: Sequence[str] | None) -> str:
    """The lines of Python that give the same sets; raises NotExpressed where there are none."""
    if result.parameters.get("goal") is not None:
        raise NotExpressed("it was no plain search for sets")
    options = result.provenance.get("options")
    asked = ", ".join(_arguments(result, names))
    quality = _quality(result)
    imports = {"from altsets import SelectAlternatives"}
    if "constraints." in asked:
        imports.add("from altsets import constraints")
    if "dissimilarity." in asked:
        imports.add("from altsets import dissimilarity")
    if quality.startswith("Recipe("):
        imports.add("from altsets.quality.given import Recipe")
    call = f"selector = SelectAlternatives({quality}, {asked})"
    if isinstance(options, Mapping):
        imports |= {
            "from altsets.tables.dataset import split_target",
            "from altsets.tables.files import read_table",
        }
        data = _dataset(options)
        return "\n".join([*sorted(imports), "", data, call, "print(selector.fit(data.X, data.y))"])
    return "\n".join(
        [*sorted(imports), "", "# X and y: the same table and target as before", call, "selector.fit(X, y)"]
    )


def _arguments(result: Result, names: Sequence[str] | None) -> list[str]:
    """What was asked, as arguments; what everybody gets by default is left out."""
    asked = result.parameters
    said = [f"n_features={asked['n_features']}", f"n_alternatives={asked['n_alternatives']}"]
    if asked.get("min_difference") is not None:
        said.append(f"min_difference={asked['min_difference']}")
    elif asked.get("tau") is not None:
        said.append(f"tau={asked['tau']!r}")
    kind = dissimilarity_call(asked.get("dissimilarity", "dice"), names)
    defaults = {"dissimilarity": repr("dice"), "search": repr("sequential"), "aggregation": repr("sum")}
    values = {"dissimilarity": kind} | {name: repr(asked.get(name)) for name in ("search", "aggregation")}
    said += [f"{name}={value}" for name, value in values.items() if value != defaults[name]]
    conditions = [constraint_call(entry, names) for entry in asked.get("constraints") or ()]
    if conditions:
        said.append(f"constraints=[{', '.join(conditions)}]")
    if asked.get("max_iters", 1000) != 1000:
        said.append(f"max_iters={asked['max_iters']}")
    if asked.get("existing"):
        raise NotExpressed(ONLY_FIND["--existing"])
    return said + _task_and_seed(result)


def _task_and_seed(result: Result) -> list[str]:
    options = result.provenance.get("options")
    if isinstance(options, Mapping):
        for name, why in ONLY_FIND.items():
            if options.get(name, "auto") != "auto":
                raise NotExpressed(why)
        return [f"task={options['--task']!r}"] if options.get("--task", "auto") != "auto" else []
    seed = result.provenance.get("seed")
    return [] if seed in (None, 25) else [f"random_state={seed}"]


def _quality(result: Result) -> str:
    known = {**result.provenance.get("quality", {}), **result.parameters}
    name = known.get("quality")
    if not isinstance(name, str):
        raise NotExpressed("only you know what quality was searched with")
    more = [f"{option}={known[option]!r}" for option in HOW if known.get(option) is not None]
    return f"Recipe({name!r}, {', '.join(more)})" if more else repr(name)


def _dataset(options: Mapping[str, Any]) -> str:
    """The lines that read the table as the command did."""
    path = options.get(TABLE)
    if path is None or path == "-":
        raise NotExpressed("the table came from standard input" if path else "the table was not given")
    if str(options.get("--cv", "")).startswith("group:"):
        raise NotExpressed("rows were grouped by a column")
    reading = "".join(
        f", {name}={options[f'--{name}']!r}" for name in ("decimal", "sheet") if f"--{name}" in options
    )
    more = "".join(
        f", {name}={names_in(options[f'--{name}'])!r}"
        for name in ("drop", "categorical")
        if f"--{name}" in options
    )
    if options.get("--drop-missing-target"):
        more += ", drop_missing_target=True"
    return f"data = split_target(read_table({path!r}{reading}), {options['--target']!r}{more})"


def ended_by_clock(result: Result) -> bool:
    """Whether another machine may come further in the same time."""
    return result.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED)
