"""The lines that repeat an answer, in Python and in the shell; or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altsets import request as requests
from altsets.documents import TABLE
from altsets.errors import NotExpressedError
from altsets.features import names_in
from altsets.request import Request, arguments, call, named_quality
from altsets.result import Result

#: What only users have.
YOURS = {"sample_weight": "weights of rows", "groups": "groups of rows"}


def shell_line(provenance: Mapping[str, Any]) -> str:
    """The command that gave an answer; raises NotExpressedError where there is none."""
    command, options = provenance.get("command"), provenance.get("options")
    if not isinstance(command, str) or not isinstance(options, Mapping):
        raise NotExpressedError("the answer was not made on the command line")
    return requests.shell_line(command, options)


def python_lines(result: Result, names: Sequence[str] | None) -> str:
    """The lines of Python that give the same sets; raises NotExpressedError where there are none."""
    request, options = result.request, result.provenance.get("options")
    how = result.provenance.get("reading", {})
    if request is None:
        raise NotExpressedError("the answer does not hold its request")
    if isinstance(options, Mapping):
        # The time limit of a command is for scores as well.
        asked = arguments(replace(request, time_limit=None), names, "data.X")
        found = call("result = altsets.find", ["scored", *asked])
        table, scored = _table_line(options.get(TABLE), how), _scored_line(result, request, options, how)
        return requests.with_imports([*table, scored, found, "print(result.named_sets)"])
    named_quality(request)
    if request.random_state == requests.DEFAULT_SEED:
        request = replace(request, random_state=None)
    beside = {name: words for name, words in YOURS.items() if name in result.provenance.get("beside", ())}
    return requests.python_lines(request, names, beside)


def _scored_line(result: Result, request: Request, options: Mapping[str, Any], how: Mapping[str, Any]) -> str:
    """The line that makes the quality as the command did."""
    if "--scores" in options:
        if TABLE not in options and "drop" in how:
            raise NotExpressedError("features of a file of scores were left out")
        said = [repr(options["--scores"]), repr(result.parameters["quality"])]
        said += ["feature_names=data.feature_names"] if TABLE in options else []
        said += [f"{name}={how[name]!r}" for name in ("encoding", "decimal") if name in how]
        return call("scored = altsets.io.read_scores", said)
    spec = named_quality(request)
    spec = spec.for_survival() if "time" in how else spec
    made = spec.kind.__name__
    asked = {} if spec.scored_by is None else {"measure": spec.scored_by[0]}
    # A target of times and events needs no word for it.
    is_said = request.task == "auto" or "time" in how
    asked |= spec.model | dict(spec.more) | ({} if is_said else {"task": request.task})
    said = [f"{name}={value!r}" for name, value in asked.items()]
    return call(f"scored = quality.{made}.from_data", ["data.X", "data.y", *said])


def _table_line(path: str | None, how: Mapping[str, Any]) -> list[str]:
    """The line that reads the table as the command did; none if there was no table."""
    if path is None:
        return []
    if path == "-":
        raise NotExpressedError("the table came from standard input")
    listed = {name: names_in(value) for name, value in how.items() if isinstance(value, list)}
    if any(column.startswith("@") for columns in listed.values() for column in columns):
        raise NotExpressedError("columns were listed in a file")
    said = [f"{name}={value!r}" for name, value in {**how, **listed}.items() if name != "target"]
    target = [repr(how["target"])] if "target" in how else []
    return [call("data = altsets.read_table", [repr(path), *target, *said])]
