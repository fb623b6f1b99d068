"""A request as JSON, as lines of Python and as a command line; and read from JSON again.

Names come from users' tables: each is quoted as its language wants it, so that lines can be copied blindly.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from altsets import documents
from altsets.constraints import Forbid, constraint_from
from altsets.constraints.base import features_literal, features_text
from altsets.dissimilarity import Matched, dissimilarity_dict, dissimilarity_from, dissimilarity_python
from altsets.errors import InputError, NotExpressedError
from altsets.measures.models import MODELS
from altsets.quality.spec import NamedQuality, spec_of
from altsets.request._fields import RequestFields

SCHEMA = 1
#: Fields that are written as they are.
PLAIN = (
    "n_features",
    "n_alternatives",
    "min_difference",
    "search",
    "aggregation",
    "task",
    "engine",
    "max_iters",
    "time_limit",
    "random_state",
)
#: Characters of a line that is easy to read.
LONGEST_LINE = 88
#: What lines need, by what they have in them.
IMPORTS = {
    "partial(": "from functools import partial",
    "altsets.": "import altsets",
    "SelectAlternatives(": "from altsets import SelectAlternatives",
    "constraints.": "from altsets import constraints",
    "dissimilarity.": "from altsets import dissimilarity",
    "quality.": "from altsets import quality",
}
#: Options of a quality by the names that they have on the command line.
OPTION_NAMES = {"name": "quality", "pos_label": "positive", "class_weight": "class-weight"}


# --- JSON ------------------------------------------------------------------------------------------------------------


def json_text(request: RequestFields, indent: int | None) -> str:
    """The request as a JSON document."""
    return json.dumps(document_of(request), indent=indent, allow_nan=False)


def document_of(request: RequestFields) -> dict[str, Any]:
    """The request as plain values."""
    tau = request.tau
    return {
        "schema": SCHEMA,
        **{name: getattr(request, name) for name in PLAIN},
        "tau": str(tau) if isinstance(tau, Fraction) else tau,
        "dissimilarity": dissimilarity_dict(request.dissimilarity),
        "constraints": [constraint_dict(constraint) for constraint in request.constraints],
        "existing": [list(given) for given in request.existing],
        "quality": None if request.quality is None else named_quality(request).as_dict(),
    }


def constraint_dict(constraint: Any) -> dict[str, Any]:
    """A constraint as plain values, if it can be read again."""
    entry: dict[str, Any] = constraint.as_dict()
    if entry.get("similarity") == "matrix":
        raise NotExpressedError("features were compared by a matrix of your own")
    return entry


def named_quality(request: RequestFields) -> NamedQuality:
    """The quality, if it has a name; nobody but the user has any other."""
    found = None if request.quality is None else spec_of(request.quality)
    if not isinstance(found, NamedQuality):
        raise NotExpressedError("only you know what quality was searched with")
    return found


def document_in(text: str) -> Any:
    """What a JSON document says."""
    return documents.document_in(text)


def fields_in(document: Any) -> dict[str, Any]:
    """The fields of a request out of a document; what is damaged or unknown is refused."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise InputError(f"this is not an altsets request of schema {SCHEMA} (found schema {found!r}).")
    known = {*PLAIN, "schema", "tau", "dissimilarity", "constraints", "existing", "quality"}
    if unknown := sorted(document.keys() - known):
        raise InputError(f"this altsets request has a field {unknown[0]!r}, which is unknown.")
    try:
        values = {name: document[name] for name in PLAIN if name in document}
        if document.get("tau") is not None:
            values["tau"] = document["tau"]
        if "dissimilarity" in document:
            values["dissimilarity"] = dissimilarity_from(document["dissimilarity"])
        values["constraints"] = [constraint_from(entry) for entry in document.get("constraints", ())]
        values["existing"] = [list(given) for given in document.get("existing", ())]
        values["quality"] = _quality_in(document.get("quality"))
        return values
    except InputError:
        raise
    except documents.DAMAGED as error:
        raise InputError(f"this altsets request is incomplete or damaged: {error!r}.") from error


def _quality_in(entry: Any) -> NamedQuality | None:
    """A quality out of a document, which must not name code to import."""
    if entry is None:
        return None
    estimator = entry.get("estimator")
    if estimator is not None and estimator not in MODELS:
        raise NotExpressedError(
            f"estimator={estimator!r} of this request is none that a file may name; these are {', '.join(MODELS)}."
        )
    return NamedQuality(**entry)


def fields_behind(parameters: Mapping[str, Any], provenance: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of the request behind an answer of an earlier version, as far as it says them."""
    try:
        if parameters.get("goal") is not None or not {"n_features", "n_alternatives"} <= parameters.keys():
            return None
        said = provenance.get("quality", {})
        how = ("measure", "estimator", "scoring", "pos_label", "class_weight")
        named = {name: value for name in how if (value := said.get(name, parameters.get(name))) is not None}
        name = said.get("quality", parameters.get("quality"))
        options = provenance.get("options") or {}
        return fields_in(
            {
                "schema": SCHEMA,
                **{name: parameters[name] for name in PLAIN if name in parameters},
                "tau": parameters.get("tau"),
                "dissimilarity": parameters.get("dissimilarity", "dice"),
                "constraints": parameters.get("constraints") or [],
                "existing": parameters.get("existing") or [],
                "quality": {"name": name, **named}
                if isinstance(name, str) and "scores" not in parameters
                else None,
                "task": options.get("--task", "auto"),
                "engine": options.get("--engine", "auto"),
                "random_state": provenance.get("seed"),
            }
        )
    except (InputError, *documents.DAMAGED):
        return None


# --- Python ----------------------------------------------------------------------------------------------------------


def arguments(request: RequestFields, names: Sequence[str] | None = None, table: str = "") -> list[str]:
    """The request as keyword arguments; what everybody gets by default is left out.

    ``table`` is what the table is called in the code, if a similarity has to be measured before the call.
    """
    said = [f"n_features={request.n_features}", f"n_alternatives={request.n_alternatives!r}"]
    if request.min_difference is not None:
        said.append(f"min_difference={request.min_difference}")
    elif request.tau is not None:
        tau = str(request.tau) if isinstance(request.tau, Fraction) else request.tau
        said.append(f"tau={tau!r}")
    if request.dissimilarity != "dice":
        said.append(f"dissimilarity={dissimilarity_python(request.dissimilarity, names, table)}")
    said += [
        f"{name}={getattr(request, name)!r}"
        for name, default in (("search", "sequential"), ("aggregation", "sum"))
        if getattr(request, name) != default
    ]
    if request.constraints:
        calls = ", ".join(constraint.to_python(names, table) for constraint in request.constraints)
        said.append(f"constraints=[{calls}]")
    if request.existing:
        sets = ", ".join(features_literal(given, names) for given in request.existing)
        said.append(f"existing=[{sets}]")
    said += [
        f"{name}={getattr(request, name)!r}"
        for name, default in (("engine", "auto"), ("max_iters", 1000), ("time_limit", None))
        if getattr(request, name) != default
    ]
    return said


def python_lines(request: RequestFields, names: Sequence[str] | None) -> str:
    """Lines that make the same request, with all imports."""
    if request.quality is None:
        made = call("result = altsets.find", ["scored", *arguments(request, names)])
        return with_imports(["# scored is your quality, such as quality.Additive(scores).", made])
    if request.existing:
        raise NotExpressedError("sets that others must differ from were given")
    said = [named_quality(request).to_python(), *arguments(request, names)]
    said += [] if request.task == "auto" else [f"task={request.task!r}"]
    said += [] if request.random_state is None else [f"random_state={request.random_state}"]
    if request.engine != "auto":
        raise NotExpressedError(f"the engine {request.engine!r} was asked for, which only find() takes")
    made = call("selector = SelectAlternatives", said)
    return with_imports(["# X and y are your table and target.", made, "selector.fit(X, y)"])


def call(function: str, said: Sequence[str]) -> str:
    """A call on one line if it fits there, else with a line for each argument."""
    line = f"{function}({', '.join(said)})"
    if len(line) <= LONGEST_LINE:
        return line
    return "\n".join([f"{function}(", *(f"    {argument}," for argument in said), ")"])


def with_imports(lines: Sequence[str]) -> str:
    """Lines of Python below the imports that they need."""
    code = "\n".join(lines)
    needed = [
        line for mark, line in IMPORTS.items() if mark in "\n".join(one for one in lines if one[0] != "#")
    ]
    return "\n".join([*needed, "", code])


# --- The command line ------------------------------------------------------------------------------------------------


def command(request: RequestFields, table: str, target: str, names: Sequence[str] | None) -> str:
    """The command as a shell takes it."""
    known: Sequence[str] = [] if names is None else names
    try:
        words = [f"--target={target}", *_size_words(request), *_difference_words(request)]
        words += _quality_words(request)
        words += [f"{c.option.flag}={c.option_text(known)}" for c in request.constraints]
        words += _proxies_words(request)
        words += [f"--existing={features_text(given, known)}" for given in request.existing]
    except IndexError:
        raise NotExpressedError("its features are indices, and a command wants their names") from None
    for name, default in (
        ("task", "auto"),
        ("search", "sequential"),
        ("aggregation", "sum"),
        ("engine", "auto"),
        ("max_iters", 1000),
        ("time_limit", None),
    ):
        if (value := getattr(request, name)) != default:
            words.append(f"--{name.replace('_', '-')}={value}")
    if request.random_state is not None:
        raise NotExpressedError("a seed was given, and the command line has a fixed one")
    if any("\0" in word for word in words):
        raise NotExpressedError("a name in it has characters that no shell takes")
    # What begins with a dash would be taken for an option.
    words = [*words, "--", table] if table.startswith("-") else [table, *words]
    return " ".join(["altsets", "find", *map(_quote, words)])


def _size_words(request: RequestFields) -> list[str]:
    if request.n_alternatives == "max":
        raise NotExpressedError(
            "as many sets as there are were asked for, which the command line does not know"
        )
    size = [] if request.has_size else [f"--n-features={request.n_features}"]
    return [*size, f"--n-alternatives={request.n_alternatives}"]


def _difference_words(request: RequestFields) -> list[str]:
    words = [] if request.tau is None else [f"--tau={request.tau}"]
    if request.min_difference is not None:
        words.append(f"--min-difference={request.min_difference}")
    kind = request.dissimilarity
    if isinstance(kind, Matched):
        if kind.measure is None or kind.threshold is None:
            raise NotExpressedError("sets were compared by a similarity that has no option")
        return [*words, f"--distinct={kind.threshold!r}:{kind.measure}"]
    if not isinstance(kind, str):
        raise NotExpressedError("sets were compared by groups or by a function of your own")
    return words if kind == "dice" else [*words, f"--dissimilarity={kind}"]


def _quality_words(request: RequestFields) -> list[str]:
    plain = named_quality(request).as_dict()
    return [f"--{OPTION_NAMES.get(option, option)}={value}" for option, value in plain.items()]


def _proxies_words(request: RequestFields) -> list[str]:
    """Proxies are one option for all forbidden features."""
    texts = {one.proxies_text() for one in request.constraints if isinstance(one, Forbid)}
    if len(texts) > 1:
        raise NotExpressedError("forbidden features have different proxies, and --proxies is for all of them")
    return [f"--proxies={text}" for text in texts if text]


def _quote(word: str) -> str:
    """A word as a shell takes it; of an option, the value alone is in quotes."""
    name, equals, value = word.partition("=")
    if word.startswith("--") and equals and shlex.quote(name) == name:
        return f"{name}={shlex.quote(value)}"
    return shlex.quote(word)
