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
from altsets.provenance import DEFAULT_SEED
from altsets.quality.spec import DEFAULT_MEASURES, PAIRED, WRAPPER
from altsets.report.constructors import NotExpressed, constraint_call, dissimilarity_call, features_list
from altsets.result import Result, StopReason

__all__ = ["python_lines", "shell_line"]

#: What a quality by its name takes besides.
HOW = ("measure", "estimator", "scoring", "pos_label", "class_weight")
#: What need not be said.
DEFAULTS = {"dissimilarity": "'dice'", "search": "'sequential'", "aggregation": "'sum'"}
MAX_ITERS = 1000
#: Characters of a line that is easy to read.
LONGEST_LINE = 88

#: What only users have.
YOURS = {"sample_weight": "weights of rows", "groups": "groups of rows"}

#: What lines need, by what they have in them.
IMPORTS = {
    "partial(": "from functools import partial",
    "altsets.": "import altsets",
    "SelectAlternatives(": "from altsets import SelectAlternatives",
    "constraints.": "from altsets import constraints",
    "dissimilarity.": "from altsets import dissimilarity",
    "quality.": "from altsets import quality",
}


def shell_line(provenance: Mapping[str, Any]) -> str:
    """The command that gave an answer; raises NotExpressed where there is none.

    Examples
    --------
    >>> print(shell_line({"command": "find", "options": {"TABLE": "my table.csv", "--target": "it's"}}))
    altsets find 'my table.csv' --target='it'"'"'s'
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
    return _wrapped(["altsets", command, *map(_quoted, words)])


def _wrapped(words: Sequence[str]) -> str:
    """Words as one command, on several lines if it is long: a browser would break it in the middle of an option."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < LONGEST_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _quoted(word: str) -> str:
    """A word as a shell takes it; of an option, the value alone is in quotes."""
    name, equals, value = word.partition("=")
    if word.startswith("--") and equals and shlex.quote(name) == name:
        return f"{name}={shlex.quote(value)}"
    return shlex.quote(word)


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
    if not {"n_features", "n_alternatives"} <= result.parameters.keys():
        raise NotExpressed("the answer does not say what was asked")
    options = result.provenance.get("options")
    if not isinstance(options, Mapping):
        lines = _with_a_selector(result, names)
    else:
        call = _call("result = altsets.find", ["scored", *_arguments(result, names, table="data.X")])
        lines = [*_table(options), _quality(result, options), call, "print(result.named_sets)"]
    code = "\n".join(lines)
    return "\n".join([*(line for mark, line in IMPORTS.items() if mark in code), "", code])


def _with_a_selector(result: Result, names: Sequence[str] | None) -> list[str]:
    beside = [name for name in YOURS if name in result.provenance.get("beside", ())]
    called, meaning = ["X", "y", *beside], ["table", "target", *(YOURS[name] for name in beside)]
    yours = f"# {_and(called)} are your {_and(meaning)}, the same as before."
    fit = ", ".join(["X", "y", *(f"{name}={name}" for name in beside)])
    return [yours, _selector(result, names), f"selector.fit({fit})"]


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _selector(result: Result, names: Sequence[str] | None) -> str:
    if result.parameters.get("existing"):
        raise NotExpressed("sets that others must differ from were given")
    seed = result.provenance.get("seed")
    if not result.provenance:
        raise NotExpressed("only you know what quality was searched with")
    task = result.provenance.get("task")
    more = [] if task is None else [f"task={task!r}"]
    more += [] if seed in (None, DEFAULT_SEED) else [f"random_state={seed}"]
    said = [_quality_by_name(result), *_arguments(result, names), *more]
    return _call("selector = SelectAlternatives", said)


def _call(function: str, arguments: Sequence[str]) -> str:
    """A call on one line if it fits there, else with a line for each argument."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= LONGEST_LINE:
        return line
    return "\n".join([f"{function}(", *(f"    {argument}," for argument in arguments), ")"])


def _arguments(result: Result, names: Sequence[str] | None, table: str = "") -> list[str]:
    """What was asked, as arguments; what everybody gets by default is left out."""
    asked = result.parameters
    said = [f"n_features={asked['n_features']}", f"n_alternatives={asked['n_alternatives']}"]
    if asked.get("min_difference") is not None:
        said.append(f"min_difference={asked['min_difference']}")
    elif asked.get("tau") is not None:
        said.append(f"tau={asked['tau']!r}")
    kind = dissimilarity_call(asked.get("dissimilarity", "dice"), names, table)
    values = {"dissimilarity": kind} | {name: repr(asked.get(name)) for name in ("search", "aggregation")}
    said += [f"{name}={value}" for name, value in values.items() if value != DEFAULTS[name]]
    conditions = [constraint_call(entry, names, table) for entry in asked.get("constraints") or ()]
    if conditions:
        said.append(f"constraints=[{', '.join(conditions)}]")
    if asked.get("existing"):
        said.append(f"existing=[{', '.join(features_list(given, names) for given in asked['existing'])}]")
    engine = (result.provenance.get("options") or {}).get("--engine", "auto")
    if engine != "auto":
        said.append(f"engine={engine!r}")
    if asked.get("max_iters", MAX_ITERS) != MAX_ITERS:
        said.append(f"max_iters={asked['max_iters']}")
    return said


def _quality_by_name(result: Result) -> str:
    """What :class:`altsets.SelectAlternatives` takes as the quality."""
    name, options = _options_of_quality(result)
    if not options:
        return repr(name)
    maker, bound = _maker(name, options)
    return f"partial({', '.join([maker, *bound])})"


def _options_of_quality(result: Result) -> tuple[str, dict[str, Any]]:
    """The name of a quality, and what belongs to it."""
    known = {**result.provenance.get("quality", {}), **result.parameters}
    name = known.get("quality")
    if not isinstance(name, str):
        raise NotExpressed("only you know what quality was searched with")
    return name, {option: known[option] for option in HOW if known.get(option) is not None}


def _maker(name: str, options: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The function that makes a quality of a table, and its keyword arguments."""
    kind = "Wrapper" if name == WRAPPER else PAIRED[name].__name__ if name in PAIRED else "Additive"
    default = {} if name == WRAPPER else {"measure": DEFAULT_MEASURES.get(name, name)}
    return f"quality.{kind}.from_data", [f"{key}={value!r}" for key, value in {**default, **options}.items()]


def _quality(result: Result, options: Mapping[str, Any]) -> str:
    """The line that makes the quality as the command did."""
    if "--scores" in options:
        if TABLE not in options and "--drop" in options:
            raise NotExpressed("features of a file of scores were left out")
        said = [repr(options["--scores"]), repr(result.parameters["quality"])]
        said += ["feature_names=data.feature_names"] if TABLE in options else []
        return _call("scored = altsets.read_scores", said)
    maker, bound = _maker(*_options_of_quality(result))
    task = [f"task={options['--task']!r}"] if "--task" in options else []
    return _call(f"scored = {maker}", ["data.X", "data.y", *bound, *task])


def _table(options: Mapping[str, Any]) -> list[str]:
    """The line that reads the table as the command did; none if there was no table."""
    path = options.get(TABLE)
    if path is None:
        return []
    if path == "-":
        raise NotExpressed("the table came from standard input")
    if str(options.get("--cv", "")).startswith("group:"):
        raise NotExpressed("rows were grouped by a column")
    said = [repr(path), repr(options["--target"])]
    for name in ("drop", "categorical"):
        said += [f"{name}={names_in(options[f'--{name}'])!r}"] if f"--{name}" in options else []
    for name in ("decimal", "sheet"):
        said += [f"{name}={options[f'--{name}']!r}"] if f"--{name}" in options else []
    said += ["drop_missing_target=True"] if options.get("--drop-missing-target") else []
    return [_call("data = altsets.read_table", said)]


def ended_by_clock(result: Result) -> bool:
    """Whether another machine may come further in the same time."""
    return result.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED)
