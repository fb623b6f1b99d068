"""What the docstrings of public callables lack, by the rules of numpydoc.

``python tests/helpers/docstrings.py`` prints all gaps; with names behind it, those of these callables.
"""

from __future__ import annotations

import argparse
import doctest
import enum
import inspect
import itertools
import operator
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altsets

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "index.rst"

MODULES = ("constraints", "dissimilarity", "errors", "io", "measures", "plots", "quality", "results")

#: The order in which numpydoc has sections.
SECTIONS = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)

#: Records whose constructor takes other things than their attributes; only searches call it.
MADE_BY_SEARCHES = {"altsets.results.NearBest"}


@dataclass(frozen=True)
class Docstring:
    """A docstring in parts: the first line, and the lines of each section by its title."""

    summary: str
    sections: dict[str, list[str]]
    has_example: bool

    @classmethod
    def of(cls, thing: Any) -> Docstring:
        """Read the docstring of an object."""
        text = inspect.getdoc(thing) or ""
        lines = text.splitlines()
        sections: dict[str, list[str]] = {}
        current: list[str] = []
        for line, below in itertools.pairwise([*lines, ""]):
            if re.fullmatch(r"-{3,}", below) and len(below) == len(line):
                current = sections.setdefault(line, [])
            elif not re.fullmatch(r"-{3,}", line):
                current.append(line)
        examples = doctest.DocTestParser().get_examples("\n".join(sections.get("Examples", [])))
        return cls(lines[0] if lines else "", sections, bool(examples))

    def described(self, title: str) -> dict[str, str]:
        """The names that a section describes, with what it says about their type."""
        types = {}
        for line in self.sections.get(title, []):
            match = re.match(r"(\*{0,2}\w[\w, *.]*?)(?: : (.*))?$", line)
            if match is not None:
                types.update({name.strip(" *"): match[2] or "" for name in match[1].split(",")})
        return types


# --- What is public ---------------------------------------------------------------------------------------
def public_callables() -> Iterator[tuple[str, Any]]:
    """Functions and classes that users import, and those that the reference has besides, by their full names."""
    homes = {"altsets": altsets, **{f"altsets.{name}": getattr(altsets, name) for name in MODULES}}
    exported = [f"{prefix}.{name}" for prefix, home in homes.items() for name in home.__all__]
    for name in dict.fromkeys([*exported, *documented_names()]):
        thing = pkgutil.resolve_name(name)
        if callable(thing):
            yield name, thing


def documented_names() -> Iterator[str]:
    """The names that the tables of the reference list, in full."""
    module, in_table = "", False
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = match[1]
        elif line and not line.startswith(" "):
            in_table = line.startswith(".. autosummary::")
        elif in_table and re.fullmatch(r"   [\w.]+", line):
            yield f"{module}.{line.strip()}"


def public_methods() -> Iterator[tuple[str, Callable[..., Any], bool, str]]:
    """Methods of public classes, each once, whether they only override what a base class explains, and its notes."""
    seen = set()
    for class_name, owner in public_callables():
        if not inspect.isclass(owner):
            continue
        for name in sorted(vars_of(owner)):
            method = inspect.getattr_static(owner, name)
            function = getattr(method, "__func__", method)
            if inspect.isfunction(function) and function not in seen:
                seen.add(function)
                yield (
                    f"{class_name}.{name}",
                    function,
                    sum(name in vars(base) for base in own_bases(owner)) > 1,
                    "\n".join(Docstring.of(owner).sections.get("Notes", [])),
                )


def undescribed_properties() -> dict[str, list[str]]:
    """Properties of public classes without a docstring, by their full names."""
    return {
        f"{name}.{attribute}": ["a docstring"]
        for name, owner in public_callables()
        if inspect.isclass(owner)
        for attribute in vars_of(owner)
        if isinstance(inspect.getattr_static(owner, attribute), property)
        and not inspect.getdoc(getattr(owner, attribute))
    }


def own_bases(owner: type) -> list[type]:
    """A class and those of its bases that are in altsets."""
    return [base for base in owner.__mro__ if base.__module__.startswith("altsets")]


def vars_of(owner: type) -> set[str]:
    """Public names that a class or one of its bases in altsets defines."""
    defined = (item for base in own_bases(owner) for item in vars(base).items())
    return {name for name, value in defined if not name.startswith("_") and value}


# --- What they lack ---------------------------------------------------------------------------------------
def gaps_of_callable(name: str, thing: Any) -> list[str]:
    """What the docstring of a public function or class lacks."""
    doc = Docstring.of(thing)
    found = [*_gaps_of_summary(doc), *_gaps_of_order(doc)]
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return found
    is_enum = inspect.isclass(thing) and issubclass(thing, enum.Enum)
    if not is_enum and name not in MADE_BY_SEARCHES:
        found += _gaps_of_parameters(doc, thing)
    found += _gaps_of_see_also(doc)
    if not doc.has_example:
        found.append("Examples")
    return found


def gaps_of_method(function: Callable[..., Any], is_override: bool = False, notes: str = "") -> list[str]:
    """What a docstring lacks; an override may inherit its own.

    A section of parameters is not needed where at most one of them is left that neither the text, nor the notes of the
    class on what several methods share, describes ``as code``.
    """
    if is_override and not function.__doc__:
        return []
    doc = Docstring.of(function)
    found = [*_gaps_of_summary(doc), *_gaps_of_order(doc)]
    parameters = inspect.signature(function).parameters.keys() - {"self", "cls"}
    text = f"{inspect.getdoc(function)}{notes}"
    undescribed = [name for name in parameters if f"``{name}``" not in text]
    if "Parameters" in doc.sections or (len(undescribed) > 1 and not is_override):
        found += _gaps_of_parameters(doc, function)
    return found


def _gaps_of_summary(doc: Docstring) -> list[str]:
    return [] if doc.summary.endswith(".") else ["summary: one sentence on the first line"]


def _gaps_of_order(doc: Docstring) -> list[str]:
    unknown = [title for title in doc.sections if title not in SECTIONS]
    if unknown:
        return [f"order: unknown section {title}" for title in unknown]
    return [] if list(doc.sections) == [title for title in SECTIONS if title in doc.sections] else ["order"]


def _gaps_of_parameters(doc: Docstring, thing: Any) -> list[str]:
    """Parameters that are not described, have no type, no default, or do not exist."""
    try:
        signature = inspect.signature(thing).parameters.values()
    except ValueError:
        return []
    expected = {parameter.name: parameter for parameter in signature if parameter.name not in ("self", "cls")}
    described = doc.described("Parameters")
    attributes = doc.described("Attributes") if inspect.isclass(thing) else {}
    missing = [name for name in expected if name not in described and name not in attributes]
    if expected and len(missing) == len(expected):
        return ["Parameters"]
    found = [f"Parameters: {name}" for name in missing]
    for name, kind in described.items():
        if name not in expected:
            found.append(f"Parameters: {name} does not exist")
        elif not kind:
            found.append(f"Parameters: {name} has no type")
        elif not _states_default(kind, expected[name], inspect.getmodule(thing)):
            found.append(f"default: {name}")
    return found


def _states_default(kind: str, parameter: inspect.Parameter, module: Any) -> bool:
    """Whether a type ends in the default of its parameter, if there is one, and says it right; constants by name."""
    match = re.search(r"default=(.+)$", kind)
    if match is None or parameter.default is parameter.empty:
        return match is None and parameter.default is parameter.empty
    if not isinstance(parameter.default, str | int | float | bool | tuple | None):
        return True
    try:
        return bool(operator.attrgetter(match[1])(module) == parameter.default)
    except AttributeError:
        return match[1].replace("'", '"') == repr(parameter.default).replace("'", '"')


def _gaps_of_see_also(doc: Docstring) -> list[str]:
    """That there is no section, and names in it that lead nowhere."""
    if "See Also" not in doc.sections:
        return ["See Also"]
    text = [line for line in doc.sections["See Also"] if line and not line.startswith(" ")]
    names = [name.strip(" `") for line in text for name in line.partition(" : ")[0].split(",")]
    return [f"See Also: {name} does not exist" for name in names if name and not _exists(name)]


def _exists(name: str) -> bool:
    """Whether a name is one of altsets, with or without the package; names of other packages are believed."""
    inside = name.removeprefix("altsets.")
    if inside == name and name.split(".")[0] not in altsets.__all__:
        return "." in name
    try:
        pkgutil.resolve_name(f"altsets.{inside}")
    except (ImportError, AttributeError):
        return False
    return True


def all_gaps() -> dict[str, list[str]]:
    """What public callables and methods of public classes lack, by their full names; complete ones are left out."""
    found = {name: gaps_of_callable(name, thing) for name, thing in public_callables()}
    found.update({name: gaps_of_method(*method) for name, *method in public_methods()})
    found.update(undescribed_properties())
    return {name: gaps for name, gaps in sorted(found.items()) if gaps}


def main() -> None:
    """Print what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only these, such as altsets.find")
    wanted = parser.parse_args().names
    for name, gaps in all_gaps().items():
        if not wanted or name in wanted:
            print(f"{name}: {'; '.join(gaps)}")


if __name__ == "__main__":
    main()
