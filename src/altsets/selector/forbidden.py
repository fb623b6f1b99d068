"""What there is to say about forbidden features: those that are close to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from altsets.measures.similarity import similar_columns
from altsets.result import Result
from altsets.tables.feature_matrix import Features
from altsets.wording import list_some, round_down

__all__ = ["Close", "close_to_forbidden", "note_on_forbidden"]

#: From when on a chosen feature is close to a forbidden one, by what, and what that is called.
CLOSE = {"symmetrical_uncertainty": 0.5, "uncertainty_coefficient": 0.5, "spearman": 0.8}
WORDS = {
    "symmetrical_uncertainty": "symmetrical uncertainty",
    "uncertainty_coefficient": "uncertainty coefficient",
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
    close = close_to_forbidden(result, features)
    by_measure = [[one for one in close if one.measure == measure] for measure in CLOSE]
    said = [_ruled_out(rule, features) for rule in _rules(result) if "proxies" in rule]
    return " ".join([*said, *(_sentence(some, as_option) for some in by_measure if some)])


def close_to_forbidden(result: Result, features: Features) -> list[Close]:
    """Features of the sets that are close to a forbidden one, but for what ``proxies`` has looked after.

    Each feature comes once, by the first measure that finds it close: the uncertainty coefficient sees features that
    have many more values than the forbidden one, and the correlation of ranks sees more where both are amounts.
    """
    forbidden = sorted({index for rule in _rules(result) for index in rule["features"]})
    chosen = sorted(set().union(*result.sets) - set(forbidden))
    if not forbidden or not chosen:
        return []
    # Few columns, and not more rows than it takes for a note.
    both = [*chosen, *forbidden]
    step = max(1, features.n_rows * len(both) // MOST_NUMBERS)
    table = features.columns(both).rows(np.arange(0, features.n_rows, step))
    names = table.feature_names
    found: dict[int, Close] = {}
    for measure, least in CLOSE.items():
        open_to_it = {
            index for rule in _rules(result) if rule.get("measure") != measure for index in _given(rule)
        }
        places = [place for place, index in enumerate(both) if index in open_to_it]
        alike = similar_columns(table, places, measure, least, "Forbid")[1] if places else ()
        for feature, other, similarity in alike:
            if feature < len(chosen):
                found.setdefault(feature, Close(names[feature], names[other], similarity, measure))
    return list(found.values())


def _rules(result: Result) -> list[Mapping[str, Any]]:
    return [rule for rule in result.parameters.get("constraints", ()) if rule["kind"] == "forbid"]


def _given(rule: Mapping[str, Any]) -> list[int]:
    """The features that were forbidden by name."""
    out = {one["feature"] for one in rule.get("ruled_out", ())}
    return [index for index in rule["features"] if index not in out]


def _sentence(close: Sequence[Close], as_option: bool) -> str:
    """What one measure has found, and what to ask for instead."""
    measure = close[0].measure
    least = min(one.similarity for one in close)
    limit = min(USUAL_LIMIT, math.floor(10 * least + 1e-6) / 10)
    usual = measure == "symmetrical_uncertainty"
    if as_option:
        remedy = f"--proxies {limit:g}{'' if usual else f':{measure}'}"
    else:
        remedy = f"proxies={limit:g}{'' if usual else f', measure={measure!r}'}"
    if len(close) == 1:
        one = close[0]
        value = f"{WORDS[measure]} {round_down(one.similarity)}"
        return f"{one.feature} is close to the forbidden {one.forbidden} ({value}); {remedy} rules out such features."
    pairs = [f"{one.feature} ~ {one.forbidden} ({round_down(one.similarity)})" for one in close]
    return f"Close to forbidden features ({WORDS[measure]}): {list_some(pairs)}; {remedy} rules out such features."


def _ruled_out(rule: Mapping[str, Any], features: Features) -> str:
    names = features.feature_names
    given = names.listed(_given(rule))
    how = f"{WORDS[rule['measure']]} of {rule['proxies']:g} or more"
    if not rule["ruled_out"]:
        return f"No other feature is close to the forbidden {given} ({how})."
    pairs = [
        f"{names[one['feature']]} ~ {names[one['other']]} ({round_down(one['similarity'])})"
        for one in rule["ruled_out"]
    ]
    return f"Ruled out, as close to the forbidden {given} ({how}): {list_some(pairs)}."
