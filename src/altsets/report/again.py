"""The lines that give the same answer once more, for Python and for the shell; where there are none, why not.

Names and values come from users' tables: each is quoted as its language wants it, so that a line can be copied blindly.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altsets.commands import TABLE, option_words
from altsets.errors import InputError, NotExpressedError
from altsets.features import cells_in, names_in
from altsets.quality.spec import PAIRED, NamedQuality
from altsets.request import DEFAULT_SEED, LONGEST_LINE, Request, arguments, call, named_quality, with_imports
from altsets.result import Result, StopReason
from altsets.wording import join_words

#: What only users have.
YOURS = {"sample_weight": "weights of rows", "groups": "groups of rows"}


def shell_line(provenance: Mapping[str, Any]) -> str:
    """The command that gave an answer; raises NotExpressedError where there is none."""
    command, options = provenance.get("command"), provenance.get("options")
    if not isinstance(command, str) or not isinstance(options, Mapping):
        raise NotExpressedError("the answer was not made on the command line")
    try:
        words = option_words(options)
    except InputError as error:
        raise NotExpressedError(str(error).rstrip(".")) from error
    table = options.get(TABLE)
    if table is not None:
        # What begins with a dash would be taken for an option.
        words = [*words, "--", table] if table.startswith("-") and table != "-" else [table, *words]
    if any("\0" in word or not _is_text(word) for word in words):
        raise NotExpressedError("a name in it has characters that no shell takes")
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
    """The lines of Python that give the same sets; raises NotExpressedError where there are none."""
    if result.parameters.get("goal") is not None:
        raise NotExpressedError("it was no plain search for sets")
    if result.request is None:
        raise NotExpressedError("the answer does not say what was asked")
    options = result.provenance.get("options")
    if not isinstance(options, Mapping):
        return with_imports(_selector_lines(result, result.request, names))
    # The time limit of a command is for scores as well.
    asked = arguments(replace(result.request, time_limit=None), names, "data.X")
    found = call("result = altsets.find", ["scored", *asked])
    scored = _scored_line(result, result.request, options)
    return with_imports([*_table_line(options), scored, found, "print(result.named_sets)"])


def _selector_lines(result: Result, request: Request, names: Sequence[str] | None) -> list[str]:
    if request.existing:
        raise NotExpressedError("sets that others must differ from were given")
    beside = [name for name in YOURS if name in result.provenance.get("beside", ())]
    called, meaning = ["X", "y", *beside], ["table", "target", *(YOURS[name] for name in beside)]
    said = [named_quality(request).to_python(), *arguments(request, names)]
    said += [] if request.task == "auto" else [f"task={request.task!r}"]
    seeded = request.random_state not in (None, DEFAULT_SEED)
    said += [f"random_state={request.random_state}"] if seeded else []
    return [
        f"# {join_words(called)} are your {join_words(meaning)}, the same as before.",
        call("selector = SelectAlternatives", said),
        f"selector.fit({', '.join(['X', 'y', *(f'{name}={name}' for name in beside)])})",
    ]


def _scored_line(result: Result, request: Request, options: Mapping[str, Any]) -> str:
    """The line that makes the quality as the command did."""
    if "--scores" in options:
        if TABLE not in options and "--drop" in options:
            raise NotExpressedError("features of a file of scores were left out")
        said = [repr(options["--scores"]), repr(result.parameters["quality"])]
        said += ["feature_names=data.feature_names"] if TABLE in options else []
        return call("scored = altsets.read_scores", said)
    spec = named_quality(request)
    task = [] if request.task == "auto" else [f"task={request.task!r}"]
    return call(
        f"scored = quality.{_class_of(spec)}.from_data", ["data.X", "data.y", *_keywords(spec), *task]
    )


def _class_of(spec: NamedQuality) -> str:
    """The class of a quality by its name."""
    return "Wrapper" if spec.is_wrapper else PAIRED[spec.name].__name__ if spec.is_paired else "Additive"


def _keywords(spec: NamedQuality) -> list[str]:
    """The options of a quality as keyword arguments of ``from_data``."""
    measure = {} if spec.scored_by is None else {"measure": spec.scored_by[0]}
    return [f"{name}={value!r}" for name, value in {**measure, **spec.model}.items()]


def _table_line(options: Mapping[str, Any]) -> list[str]:
    """The line that reads the table as the command did; none if there was no table."""
    path = options.get(TABLE)
    if path is None:
        return []
    if path == "-":
        raise NotExpressedError("the table came from standard input")
    said = [repr(path), repr(options["--target"])]
    for name in ("drop", "categorical"):
        said += [f"{name}={names_in(options[f'--{name}'])!r}"] if f"--{name}" in options else []
    if str(options.get("--cv", "")).startswith("group:"):
        said.append(f"groups={cells_in(options['--cv'], ':')[1]!r}")
    for name in ("decimal", "sheet"):
        said += [f"{name}={options[f'--{name}']!r}"] if f"--{name}" in options else []
    said += ["drop_missing_target=True"] if options.get("--drop-missing-target") else []
    return [call("data = altsets.read_table", said)]


def ended_by_clock(result: Result) -> bool:
    """Whether another machine may come further in the same time."""
    return result.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED)
