"""A session as a JSON file, and as lines of Python."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from altsets import documents
from altsets.errors import InputError, NotExpressedError
from altsets.files.contents import read_text
from altsets.files.writing import NewFile
from altsets.quality import Quality
from altsets.quality.spec import spec_of
from altsets.request import Request, arguments, call, named_quality, table_arguments, with_imports
from altsets.result import Result
from altsets.search.what_if import refuse_other_quality
from altsets.selector import RowData
from altsets.session._searcher import YOURS, Searcher, SessionData
from altsets.session._state import SessionStep, change_between, changed_parts
from altsets.version import __version__
from altsets.wording import join_words, parameter

SCHEMA = 1
#: Seconds for the search of a step, unless a user gives another number.
STEP_SECONDS = 10.0
#: What a quality without a name is called in lines of Python.
OWN_QUALITY = "scored"


# --- JSON -------------------------------------------------------------------------------------------------


def save(
    path: str | os.PathLike[str], searcher: Searcher, steps: Sequence[SessionStep], position: int, force: bool
) -> str:
    """Write a session into a file."""
    try:
        request = searcher.base.to_dict()
    except NotExpressedError:
        # A quality without a name is given again when the file is read.
        base = searcher.base
        request = replace(base, quality=None).to_dict() | {"n_features": base.n_features}
    document = {
        "schema": SCHEMA,
        "session": __version__,
        "request": request,
        "data": searcher.origin,
        "position": position,
        "steps": [
            {"name": step.name, "state": step.state, "seconds": step.seconds, "result": step.result.to_dict()}
            for step in steps
        ],
    }
    name = os.fspath(path)
    content = json.dumps(document, indent=2, allow_nan=False).encode() + b"\n"
    NewFile(name, name, force).check().write(content)
    return name


def load(
    path: str | os.PathLike[str], X: Any, rows: RowData, quality: Any, n_jobs: int | None
) -> tuple[Searcher, list[SessionStep], int]:
    """Read a session, and see that the data are the same."""
    name = os.fspath(path)
    try:
        document = documents.document_in(read_text(name))
        if not isinstance(document, dict) or document.get("schema") != SCHEMA or "session" not in document:
            raise InputError(f"this is not an altsets session of schema {SCHEMA}.")
        searcher = _searcher(document, X, rows, quality, n_jobs)
        steps = [_step(entry, searcher) for entry in document["steps"]]
        position = document["position"]
        if type(position) is not int or not 0 <= position < len(steps):
            raise ValueError(f"there is no step {position!r}")
    except InputError as error:
        raise type(error)(f"{name}: {error}") from error
    except documents.DAMAGED as error:
        raise InputError(f"{name}: {documents.damaged('session', error)}") from error
    if isinstance(X, Quality):
        for step in steps:
            if step.result.sets:
                refuse_other_quality(X, step.result)
    return searcher, steps, position


def _searcher(document: dict[str, Any], X: Any, rows: RowData, quality: Any, n_jobs: int | None) -> Searcher:
    base, origin = Request.from_dict(document["request"]), document["data"]
    if X is None:
        return Searcher(None, base, said=origin)
    data, given = None, X
    if not isinstance(X, Quality):
        data = SessionData.of(X, rows, n_jobs, base)
        given = _quality_in(base, quality)
    searcher = Searcher(data, replace(base, quality=given, n_features=document["request"]["n_features"]))
    _refuse_other_data(origin, searcher.origin)
    return searcher


def _quality_in(base: Request, quality: Any) -> Any:
    if base.quality is None and quality is None:
        raise InputError("its quality has no name; give the one that it was made with, as quality.")
    if base.quality is not None and quality is not None:
        raise InputError(f"its quality is {base.quality!r}; leave out {parameter('quality')}.")
    return base.quality if quality is None else quality if isinstance(quality, Quality) else spec_of(quality)


def _refuse_other_data(saved: dict[str, Any], given: dict[str, Any]) -> None:
    for what in dict.fromkeys([*given, *saved]):
        one, other = saved.get(what), given.get(what)
        if one == other:
            continue
        if what == "sha256":
            raise InputError("the data are not those of the session: names, values or the target differ.")
        if what in YOURS:
            how = "needs the" if other is None else "had no" if one is None else "had other"
            raise InputError(f"the data are not those of the session, which {how} {what}.")
        raise InputError(f"the data are not those of the session, which has {one} {what}, not {other}.")


def _step(entry: Any, searcher: Searcher) -> SessionStep:
    return SessionStep(
        documents.text(entry["name"]),
        searcher.read(entry["state"]),
        Result.from_json(json.dumps(entry["result"])),
        documents.number(entry["seconds"]),
    )


# --- Python -----------------------------------------------------------------------------------------------


def python_lines(searcher: Searcher, steps: Sequence[SessionStep]) -> str:
    base = replace(searcher.base, time_limit=None)
    known = {"X": "table", "y": "target"} if "sha256" in searcher.origin else {}
    try:
        quality = named_quality(base).searched_by(base.engine).to_python()
    except NotExpressedError:
        known, quality = known | {OWN_QUALITY: "quality"}, [OWN_QUALITY]
    others = arguments(replace(base, engine="auto"), searcher.given_names)
    said = [*(name for name in known if name != OWN_QUALITY), *quality, *others]
    said += table_arguments(base)
    if searcher.base.time_limit != STEP_SECONDS:
        said.append(f"time_limit={searcher.base.time_limit!r}")
    for name, words in YOURS.items():
        if name in searcher.origin:
            known[name] = words
            said.append(f"{name}={name}")
    verb = "is" if len(known) == 1 else "are"
    lines = [f"# {join_words(list(known))} {verb} your {join_words(list(known.values()))}."]
    lines.append(call("session = altsets.Session", said))
    before = searcher.start
    for step in steps:
        method, values, words = change_between(before, step.asked)
        own_name = [] if step.name == words else [f"name={step.name!r}"]
        if step is not steps[0]:
            lines.append(call(f"session.{method}", [*values, *own_name]))
        elif step.asked != before:
            # The session began with another state than it was made with.
            lines.append(call("session.go_to", [repr(changed_parts(before, step.asked)), *own_name]))
        before = step.asked
    return with_imports(lines)
