"""What there is to say about forbidden features: those that are close to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from altsets.result import Result, rounded_down
from altsets.similarity import like_columns
from altsets.tables.feature_matrix import Features, listed

__all__ = ["Close", "close_to_forbidden", "note_on_forbidden"]

#: From when on a chosen feature is close to a forbidden one, by what, and what that is called.
CLOSE = {"symmetrical_uncertainty": 0.5, "spearman": 0.8}
WORDS = {
    "symmetrical_uncertainty": "symmetrical uncertainty",
    "spearman": "rank correlation",
    "pearson": "correlation",
}
#: The limit to ask for, if it rules out what is close.
USUAL_LIMIT = 0.8
#: Numbers that are looked at; of longer tables, every second or every tenth row will do for a note.
MOST_NUMBERS = 4_000_000


class Close(NamedTuple):
    """A chosen feature that is close to a forbidden one, and by which measure."""

    feature: str
    forbidden: str
    similarity: float
    measure: str


def note_on_forbidden(result: Result, features: Features, *, as_option: bool = False) -> str:
    """Which features were ruled out beside the forbidden ones, and which chosen ones are close to a forbidden one.

    Parameters
    ----------
    result : Result
        Sets that were found in the table.
    features : Features
        The table.
    as_option : bool
        Whether to name the option of the command line that helps, or else the parameter.
    """
    rules = _rules(result)
    said = [_ruled_out(rule, features) for rule in rules if "proxies" in rule]
    close = close_to_forbidden(result, features)
    if close:
        said.append(_sentence(close, as_option))
    return " ".join(said)


def close_to_forbidden(result: Result, features: Features) -> list[Close]:
    """Features of the sets that are close to a forbidden one; those of ``Forbid`` with proxies were looked after.

    Each feature comes once, the closest first: by symmetrical uncertainty, else by the correlation of ranks, which sees
    more where both are amounts.
    """
    forbidden = sorted(
        {index for rule in _rules(result) if "proxies" not in rule for index in rule["features"]}
    )
    chosen = sorted(set().union(*result.sets) - set(forbidden))
    if not forbidden or not chosen:
        return []
    found: dict[int, Close] = {}
    for measure, least in CLOSE.items():
        for feature, close in _close_by(measure, least, features, chosen, forbidden):
            found.setdefault(feature, close)
    return sorted(found.values(), key=lambda one: -one.similarity)


def _rules(result: Result) -> list[Mapping[str, Any]]:
    return [rule for rule in result.parameters.get("constraints", ()) if rule["kind"] == "forbid"]


def _close_by(
    measure: str, least: float, features: Features, chosen: Sequence[int], forbidden: Sequence[int]
) -> Iterable[tuple[int, Close]]:
    both = [*chosen, *forbidden]
    if measure != "symmetrical_uncertainty":
        # Categories of several labels have no ranks.
        both = [index for index in both if len(features.categories.get(index, ())) <= 2]
    places = [place for place, index in enumerate(both) if index in set(forbidden)]
    if not places or len(places) == len(both):
        return
    step = max(1, features.n_rows * len(both) // MOST_NUMBERS)
    table = features.columns(both).rows(np.arange(0, features.n_rows, step))
    names = features.feature_names
    for one in like_columns(table, places, measure, least, "Forbid")[1]:
        feature, other = both[one.feature], both[one.other]
        yield feature, Close(names[feature], names[other], one.similarity, measure)


def _sentence(close: Sequence[Close], as_option: bool) -> str:
    measure = close[0].measure
    least = min(one.similarity for one in close if one.measure == measure)
    limit = min(USUAL_LIMIT, math.floor(10 * least + 1e-6) / 10)
    if as_option:
        remedy = f"--proxies {limit:g}" + (f":{measure}" if measure == "spearman" else "")
    else:
        remedy = f"proxies={limit:g}" + (f', measure="{measure}"' if measure == "spearman" else "")
    if len(close) == 1:
        one = close[0]
        value = f"{WORDS[one.measure]} {rounded_down(one.similarity)}"
        said = f"{one.feature} is close to the forbidden {one.forbidden} ({value})"
    else:
        pairs = [
            f"{one.feature} ~ {one.forbidden} ({WORDS[one.measure]} {rounded_down(one.similarity)})"
            for one in close
        ]
        said = f"close to forbidden features: {listed(pairs)}"
        said = said[0].upper() + said[1:]
    return f"{said}; {remedy} rules out such features."


def _ruled_out(rule: Mapping[str, Any], features: Features) -> str:
    names = features.feature_names
    out = {one["feature"] for one in rule["ruled_out"]}
    given = names.listed([index for index in rule["features"] if index not in out])
    how = f"{WORDS[rule['measure']]} of {rule['proxies']:g} or more"
    if not out:
        return f"No other feature is close to the forbidden {given} ({how})."
    pairs = [
        f"{names[one['feature']]} ~ {names[one['other']]} ({rounded_down(one['similarity'])})"
        for one in rule["ruled_out"]
    ]
    return f"Ruled out, as close to the forbidden {given} ({how}): {listed(pairs)}."
