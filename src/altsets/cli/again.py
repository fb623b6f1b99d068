"""``altsets find --again``: a saved request once more, and whether its answer is the same."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from altsets.cli.printing import NO_SET, console_for, say, say_error
from altsets.cli.searching import known_options
from altsets.documents import TABLE
from altsets.errors import InputError
from altsets.files.contents import STANDARD_INPUT, checking_files

#: The option that names a model, perhaps by the class to import.
ESTIMATOR = "--estimator"
#: Options that may stand beside --again with any value; others must be those of the answer.
ALLOWED = (TABLE, "--again", "--json", ESTIMATOR)
#: Numbers that differ by less are the same: other machines round otherwise.
TOLERANCE = 1e-9
#: And so are numbers that are 0 but for rounding.
ROUNDING = 1e-15


@dataclass
class SavedAnswer:
    """An answer that was saved, and what is different in the one that comes now."""

    path: str
    document: Mapping[str, Any]
    #: What is different about the answer; None before there is one.
    differences: list[str] | None = None
    #: What else is different: the data, versions.
    circumstances: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: str) -> SavedAnswer:
        """Read what ``find --json`` or ``--output FILE.json`` has written."""
        from altsets.documents import DAMAGED, document_in
        from altsets.files.contents import read_text
        from altsets.result import Result

        text = read_text(path)
        try:
            document = document_in(text)
            command, options = (document["provenance"][name] for name in ("command", "options"))
            if command == "find" and isinstance(options, dict):
                Result.from_json(text)
                return cls(path, document)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        except DAMAGED:
            raise InputError(
                f"{path} does not say how it was asked for, as answers of altsets find --json and --output do; search "
                "anew, and save that answer."
            ) from None
        raise InputError(f"{path} is an answer of altsets {command}; --again repeats those of altsets find.")

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given then."""
        return dict(self.document["provenance"]["options"])

    def arguments(self, given: Mapping[str, Any], known: Mapping[str, bool]) -> list[str]:
        """The words of the command line once more, with the options that are given beside ``--again``.

        The file may come from others, so it may ask for nothing but a search: ``known`` are the options of the
        command that it may have, and a model that altsets does not know by name is only used if the user names it, too.
        """
        from altsets.request import option_words

        others = [name for name in given if name not in ALLOWED and given[name] != self.options.get(name)]
        if others:
            raise InputError(
                f"--again repeats a request as it was, so {others[0]} has no place beside it; leave out one of them."
            )
        place = given.get(TABLE, self.options.get(TABLE))
        if place is not None and not isinstance(place, str):
            raise InputError(f"{self.path} has no name of a file as its TABLE.")
        self._check_estimator(self.options.get(ESTIMATOR), given.get(ESTIMATOR))
        if place == STANDARD_INPUT and TABLE not in given:
            raise InputError(
                f"{self.path} is about a table from standard input; give the TABLE beside --again."
            )
        try:
            words = option_words(self.options, known)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from None
        return [*["--json"] * bool(given.get("--json")), *words, *([] if place is None else ["--", place])]

    def refuse_file(self, path: Path, table: str | None, given: Mapping[str, Any]) -> None:
        """Refuse a file that is neither the table nor in an option that the user has given as well."""
        naming = [name for name, value in self.options.items() if name != TABLE and str(path) in str(value)]
        if (table is not None and path == Path(table)) or any(name in given for name in naming):
            return
        again = "the option that names it"
        if naming:
            value = self.options[naming[0]]
            values = value if isinstance(value, list) else [value]
            again = " ".join(f"{naming[0]} {shlex.quote(str(one))}" for one in values)
        raise InputError(
            f"{self.path} names the file {path}, and a file that only an answer names is not read; if you trust it, "
            f"add {again} beside --again."
        )

    def _check_estimator(self, saved: Any, allowed: str | None) -> None:
        """Refuse code that a file names, unless the user names it as well."""
        from altsets.measures.models import MODELS

        if allowed is not None and allowed != saved:
            raise InputError(
                f"--again repeats a request as it was, and {self.path} has "
                f"{'no --estimator' if saved is None else f'--estimator {saved}'}; leave out --estimator {allowed}."
            )
        by_name = saved is None or (isinstance(saved, str) and saved in MODELS)
        if not by_name and allowed is None:
            raise InputError(
                f"{self.path} names the model {saved!r}, and code that a file names is not run; if you trust it, add "
                f"--estimator {saved} beside --again."
            )

    def compare(self, document: dict[str, Any]) -> dict[str, Any]:
        """Compare with the document of the new answer, which is returned with what came out."""
        self.differences = _differences(self.document, document)
        self.circumstances = _circumstances(self.document["provenance"], document["provenance"])
        verdict = {
            "file": self.path,
            "same": not self.differences,
            "differences": self.differences,
            "circumstances": self.circumstances,
        }
        return {**document, "again": verdict}


def repeat(context: typer.Context, path: str, given: Mapping[str, Any]) -> None:
    """Repeat a saved request and say whether the answer is the same; ends with the exit status for it."""
    saved = SavedAnswer.read(path)
    known = {name: flag for name, flag in known_options(context).items() if name != "--again"}
    words = saved.arguments(given, known)
    try:
        inner = context.command.make_context("find", words, obj=saved)
    except Exception as error:
        # By its shape, not its class: recent versions of typer bring their own copy of click.
        if not hasattr(error, "format_message"):
            raise
        reason = error.format_message().rstrip(".")
        raise InputError(f"{path} has options that cannot be repeated: {reason}.") from error
    table = given.get(TABLE, saved.options.get(TABLE))
    if TABLE not in given and table is not None:
        say_error(f"Reading {table}, the table that {path} names.")
    try:
        with inner, checking_files(lambda file: saved.refuse_file(file, table, given)):
            context.command.invoke(inner)
    except typer.Exit:
        # No set may be the same answer as before; without any answer there is nothing to compare.
        if saved.differences is None:
            raise
    if not given.get("--json"):
        beside = f" ({'; '.join(saved.circumstances)})" if saved.circumstances else ""
        what = f"is that of {path}: same sets, same qualities"
        if saved.differences:
            what = f"is not that of {path}: {'; '.join(saved.differences)}"
        say(console_for(), f"The answer {what}{beside}.")
    raise typer.Exit(NO_SET if saved.differences else 0)


def _differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The differences between two answers."""
    found = []
    for number, (old, new) in enumerate(zip(then["sets"], now["sets"], strict=False)):
        if old["features"] != new["features"]:
            before, now_there = ", ".join(old["features"]), ", ".join(new["features"])
            found.append(f"set {number} was {before} and is {now_there}")
        elif not _same(old["quality"], new["quality"]):
            found.append(f"the quality of set {number} was {old['quality']!r} and is {new['quality']!r}")
    if len(then["sets"]) != len(now["sets"]):
        found.append(f"there were {len(then['sets'])} sets and are {len(now['sets'])}")
    if then["statuses"] != now["statuses"]:
        found.append(f"the statuses were {', '.join(then['statuses'])} and are {', '.join(now['statuses'])}")
    return found + _scores_that_differ(then.get("evaluation"), now.get("evaluation"))


def _scores_that_differ(then: Any, now: Any) -> list[str]:
    if not isinstance(then, dict) or not isinstance(now, dict):
        return []
    old, new = then.get("mean_scores"), now["mean_scores"]
    if not isinstance(old, dict) or old.keys() != new.keys():
        return ["the sets were evaluated by other scores"]
    return [
        f"the mean {name} was {_numbers(old[name])} and is {_numbers(new[name])}"
        for name in new
        if len(old[name]) != len(new[name]) or not all(map(_same, old[name], new[name]))
    ]


def _circumstances(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The differences between the circumstances of two answers: the data and the versions."""
    from altsets.provenance import PACKAGES

    found = []
    old, new = then.get("data"), now["data"]
    for name, what in (("sha256", "the data"), ("scores_sha256", "the saved scores")):
        if isinstance(old, dict) and old.get(name) != new.get(name):
            before, after = (str(data.get(name) or "none")[:12] for data in (old, new))
            found.append(f"{what} are not the same: hash {before} then, {after} now")
    versions = ("altsets", "python", *PACKAGES)
    return found + [
        f"{name} {then.get(name)} then, {now[name]} now" for name in versions if then.get(name) != now[name]
    ]


def _numbers(values: Sequence[float | None]) -> str:
    return ", ".join("-" if value is None else f"{value:.6g}" for value in values)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=ROUNDING)
