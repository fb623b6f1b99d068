"""A request as JSON, as lines of Python and as a command line; and read from JSON again.

Names come from users' tables: each is quoted as its language wants it, so that lines can be copied blindly.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from altsets import documents
from altsets.constraints import Custom, Forbid, constraint_from
from altsets.constraints.base import features_literal, features_text
from altsets.dissimilarity import (
    Grouped,
    Matched,
    dissimilarity_dict,
    dissimilarity_from,
    dissimilarity_python,
    matched_text,
)
from altsets.errors import InputError, NotExpressedError
from altsets.measures import SURVIVAL_MEASURES
from altsets.measures.models import MODELS
from altsets.quality.spec import NamedQuality, spec_of
from altsets.request._fields import RequestFields
from altsets.wording import join_words, parameter

SCHEMA = 1
#: Options about where an answer goes, which have no part in what it is.
ABOUT_OUTPUT = ("--json", "--output", "--report", "--force", "--save-scores")
#: The long name of an option, without a value: names with one would slip past any list of names.
OPTION = re.compile(r"--[a-z0-9]+(-[a-z0-9]+)*")
#: Fields of which a request seldom says anything: written only if it does.
DEFINITION = ("difference", "overlap_penalty", "within", "min_quality", "unit", "adjust")
#: Fields that are written as they are.
PLAIN = (
    *("n_features", "n_alternatives", "search", "aggregation", "task", "engine", "time_limit"),
    *("random_state", "unusable", *DEFINITION),
)
#: Characters of a line that is easy to read.
LONGEST_LINE = 88
#: What lines need, by what they have in them.
IMPORTS = {
    "altsets.": "import altsets",
    "SelectAlternatives(": "from altsets import SelectAlternatives",
    "constraints.": "from altsets import constraints",
    "dissimilarity.": "from altsets import dissimilarity",
    "quality.": "from altsets import quality",
}
#: Options of a quality by the names that they have on the command line.
OPTION_NAMES = {"name": "quality", "pos_label": "positive"}


# --- JSON ------------------------------------------------------------------------------------------------------------


def document_of(request: RequestFields) -> dict[str, Any]:
    """The request as plain values."""
    tau = request.tau
    groups = request.feature_groups
    document = {
        "schema": SCHEMA,
        **{name: getattr(request, name) for name in PLAIN if name not in DEFINITION},
        **{name: list(value) if name == "adjust" else value for name, value in _changes(request, DEFINITION)},
        "tau": str(tau) if isinstance(tau, Fraction) else tau,
        "dissimilarity": dissimilarity_dict(request.dissimilarity),
        "constraints": [constraint_dict(constraint) for constraint in request.constraints],
        "existing": [list(given) for given in request.existing],
        "quality": None if request.quality is None else named_quality(request).as_dict(),
    }
    return document if groups is None else document | {"feature_groups": _groups_given(groups)}


def _groups_given(groups: Grouped | str) -> Any:
    """Groups as they are declared, in plain values."""
    if isinstance(groups, str):
        return groups
    return groups.as_dict()["groups"] if isinstance(groups.given, dict) else groups.given


def constraint_dict(constraint: Any) -> dict[str, Any]:
    """A constraint as plain values, if it can be read again."""
    entry: dict[str, Any] = constraint.as_dict()
    if entry.get("similarity") == "matrix":
        raise NotExpressedError("features were compared by a matrix of your own")
    if isinstance(constraint, Custom):
        raise NotExpressedError("a condition of your own is known to you alone")
    return entry


def named_quality(request: RequestFields) -> NamedQuality:
    """The quality, if it has a name: any other one is known to the user alone."""
    found = None if request.quality is None else spec_of(request.quality)
    if not isinstance(found, NamedQuality):
        raise NotExpressedError("only you know what quality was searched with")
    return found


def fields_in(document: Any) -> dict[str, Any]:
    """The fields of a request out of a document; what is damaged or unknown is refused."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise InputError(f"this is not an altsets request of schema {SCHEMA} (found schema {found!r}).")
    known = {*PLAIN, "schema", "tau", "dissimilarity", "constraints", "existing", "quality", "feature_groups"}
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
        values["feature_groups"] = document.get("feature_groups")
        return values
    except InputError:
        raise
    except documents.DAMAGED as error:
        raise documents.damaged("request", error) from error


def _quality_in(entry: Any) -> NamedQuality | None:
    """A quality out of a document, which must not name code to import."""
    if entry is None:
        return None
    estimator = entry.get("estimator")
    if estimator is not None and estimator not in MODELS:
        known = ", ".join(MODELS)
        raise NotExpressedError(
            f"{parameter('estimator', estimator)} cannot be named in a file; choose one of {known}."
        )
    named = dict(entry)
    return NamedQuality.of(named.pop("name"), named)


# --- Python ----------------------------------------------------------------------------------------------------------


def arguments(request: RequestFields, names: Sequence[str] | None = None, table: str = "") -> list[str]:
    """The request as keyword arguments; defaults are left out.

    ``table`` is what the table is called in the code, if a similarity has to be measured before the call.
    """
    said = [] if request.n_features is None else [f"n_features={request.n_features}"]
    said.append(f"n_alternatives={request.n_alternatives!r}")
    if request.tau is not None:
        said.append(f"tau={_tau_literal(request.tau)}")
    if request.dissimilarity != "dice":
        said.append(f"dissimilarity={dissimilarity_python(request.dissimilarity, names, table)}")
    if request.feature_groups is not None:
        said.append(f"feature_groups={_groups_literal(request.feature_groups, names)}")
    said += _changed(request, "search", "aggregation", *DEFINITION)
    if request.constraints:
        calls = ", ".join(constraint.to_python(names, table) for constraint in request.constraints)
        said.append(f"constraints=[{calls}]")
    if request.existing:
        sets = ", ".join(features_literal(given, names) for given in request.existing)
        said.append(f"existing=[{sets}]")
    return said + _changed(request, "engine", "time_limit")


def _groups_literal(groups: Grouped | str, names: Sequence[str] | None) -> str:
    """Groups as they are declared, in Python."""
    if isinstance(groups, str):
        return repr(groups)
    if isinstance(groups.given, dict):
        named = _groups_given(groups).items()
        return f"{{{', '.join(f'{name!r}: {features_literal(listed, names)}' for name, listed in named)}}}"
    return f"[{', '.join(features_literal(listed, names) for listed in groups.given)}]"


def table_arguments(request: RequestFields) -> list[str]:
    """What the request says about how a table is taken, as keyword arguments; defaults are left out."""
    return _changed(request, "task", "random_state", "unusable")


def _changed(request: RequestFields, *names: str) -> list[str]:
    """Fields that are not as they are by default, as keyword arguments."""
    changes = dict(_changes(request, names))
    if "adjust" in changes:
        changes["adjust"] = list(changes["adjust"])
    return [f"{name}={value!r}" for name, value in changes.items()]


def _changes(request: RequestFields, names: Sequence[str]) -> list[tuple[str, Any]]:
    values = ((name, getattr(request, name)) for name in names)
    return [(name, value) for name, value in values if value != getattr(RequestFields, name)]


def _tau_literal(tau: float | Fraction | str) -> str:
    """A plain number if there is one that is exactly tau, else the fraction as text."""
    if isinstance(tau, Fraction):
        return str(int(tau)) if tau.denominator == 1 else repr(float(tau) if float(tau) == tau else str(tau))
    return repr(tau)


def python_lines(
    request: RequestFields, names: Sequence[str] | None, beside: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Lines that make the same request, with all imports; ``beside`` says what else ``fit`` takes, in words."""
    if request.quality is None and not beside:
        made = call("result = altsets.find", ["scored", *arguments(request, names)])
        return with_imports(["# scored is your quality, such as quality.Additive(scores).", made])
    if request.existing:
        raise NotExpressedError("sets that others must differ from were given")
    quality = named_quality(request).searched_by(request.engine)
    if request.engine != quality.engine:
        raise NotExpressedError(f"the engine {request.engine!r} was requested, which only find() takes")
    others = replace(request, engine="auto")
    said = [*quality.to_python(), *arguments(others, names), *table_arguments(request)]
    known = {"X": "table", "y": "target", **beside}
    fitted = ", ".join(["X", "y", *(f"{name}={name}" for name in beside)])
    return with_imports(
        [
            f"# {join_words(list(known))} are your {join_words(list(known.values()))}.",
            call("selector = SelectAlternatives", said),
            f"selector.fit({fitted})",
        ]
    )


def call(function: str, said: Sequence[str]) -> str:
    """A call on one line if it fits there, else with a line for each argument."""
    line = f"{function}({', '.join(said)})"
    if len(line) <= LONGEST_LINE:
        return line
    return "\n".join([f"{function}(", *(f"    {argument}," for argument in said), ")"])


def with_imports(lines: Sequence[str]) -> str:
    """Lines of Python below the imports that they need."""
    code = "\n".join(one for one in lines if one[0] != "#")
    return "\n".join([*(line for mark, line in IMPORTS.items() if mark in code), "", *lines])


# --- The command line ------------------------------------------------------------------------------------------------


def target_words(request: RequestFields, target: str, time: str | None, event: str | None) -> list[str]:
    """What is to be predicted: a column, or times and events where they are named or the request needs them."""
    if time is None and event is None:
        scored_by = named_quality(request).scored_by
        is_survival = scored_by is not None and scored_by[0] in SURVIVAL_MEASURES
        if request.task != "survival" and not is_survival:
            return [f"--target={target}"]
    return [f"--time={time or 'TIME'}", f"--event={event or 'EVENT'}"]


def command(request: RequestFields, table: str, predicted: Sequence[str], names: Sequence[str] | None) -> str:
    """The command as a shell takes it; ``predicted`` are the words that name the target."""
    known: Sequence[str] = [] if names is None else names
    try:
        words = [*predicted, *_size_words(request), *_difference_words(request)]
        words += _quality_words(request)
        # What has no option says so before it is asked for its flag.
        texts = [(one.option_text(known), one.option.flag) for one in request.constraints]
        words += [f"{flag}={text}" if text else flag for text, flag in texts]
        words += _proxies_words(request)
        words += [f"--existing={features_text(given, known)}" for given in request.existing]
        words += [f"--adjust={features_text(request.adjust, known)}"] if request.adjust else []
    except IndexError:
        raise NotExpressedError("its features are indices, and a command wants their names") from None
    plain = ("task", "search", "aggregation", *DEFINITION[:-1], "engine", "time_limit")
    # Times and events say that it is survival.
    changes = [(name, value) for name, value in _changes(request, plain) if value != "survival"]
    words += [f"--{name.replace('_', '-')}={value}" for name, value in changes]
    words += ["--drop-unusable"] if request.unusable == "drop" else []
    if request.random_state is not None:
        raise NotExpressedError("a seed was given, and the command line has a fixed one")
    return " ".join(_typed("find", words, table))


def option_words(options: Mapping[str, Any], known: Mapping[str, bool] | None = None) -> list[str]:
    """The options of a command, as its record has them, as words; without the table and where the answer goes.

    ``known`` are the options that the command has, and whether each is a flag: whatever does not fit is refused.
    """
    words = []
    for name, value in options.items():
        if name in ABOUT_OUTPUT or name == documents.TABLE:
            continue
        values = value if isinstance(value, list) else [value]
        plain = all(type(one) in (str, int, float, bool) for one in values)
        if not OPTION.fullmatch(name) or not plain or (known is not None and not _fits(name, values, known)):
            raise InputError(
                f"it has an option {name!r} with the value {value!r:.60}, which altsets does not know."
            )
        words += [name if one is True else f"{name}={one}" for one in values]
    return words


def _fits(name: str, values: list[Any], known: Mapping[str, bool]) -> bool:
    """Whether an option exists and has a value if it needs one: an option without would swallow the next word."""
    return name in known and all((one is True) if known[name] else type(one) is not bool for one in values)


def shell_line(command: str, options: Mapping[str, Any]) -> str:
    """The command that repeats a request; on several lines if it is long, as a browser would break it anywhere."""
    try:
        words = option_words(options)
    except InputError as error:
        raise NotExpressedError(str(error).rstrip(".")) from error
    first, *others = _typed(command, words, options.get(documents.TABLE))
    lines = [first]
    for word in others:
        if len(lines[-1]) + len(word) < LONGEST_LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _typed(command: str, words: Sequence[str], table: str | None) -> list[str]:
    """The words of a command line, quoted."""
    if table is not None:
        # What begins with a dash would be taken for an option; alone, it is standard input.
        is_option = table.startswith("-") and table != "-"
        words = [*words, "--", table] if is_option else [table, *words]
    try:
        if "\0" in "".join(words).encode().decode():
            raise ValueError
    except ValueError:
        raise NotExpressedError("a name in it has characters that no shell takes") from None
    return ["altsets", command, *map(_quote, words)]


def _size_words(request: RequestFields) -> list[str]:
    size = [] if request.has_size or request.n_features is None else [f"--n-features={request.n_features}"]
    return [*size, f"--n-alternatives={request.n_alternatives}"]


def _difference_words(request: RequestFields) -> list[str]:
    words = [] if request.tau is None else [f"--tau={request.tau}"]
    kind, groups = request.dissimilarity, request.feature_groups
    if isinstance(groups, Grouped):
        raise NotExpressedError("the option for groups of features takes a file")
    words += [] if groups is None else [f"--feature-groups-by={groups}"]
    if isinstance(kind, Matched):
        if (text := matched_text(kind)) is None:
            raise NotExpressedError("sets were compared by a similarity that has no option")
        return [*words, f"--distinct={text}"]
    if not isinstance(kind, str):
        raise NotExpressedError("sets were compared by groups or by a function of your own")
    return words if kind == "dice" else [*words, f"--dissimilarity={kind}"]


def _quality_words(request: RequestFields) -> list[str]:
    asked = named_quality(request)
    if asked.more:
        raise NotExpressedError(f"the command line has no option for {join_words(list(asked.more))}")
    plain = asked.as_dict()
    words = []
    for option, value in plain.items():
        text = ",".join(f"{one:g}" for one in value) if isinstance(value, tuple) else value
        words.append(f"--{OPTION_NAMES.get(option, option).replace('_', '-')}={text}")
    return words


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
