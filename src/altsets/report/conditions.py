"""The conditions that every set had to meet, in words; and the features that were ruled out with forbidden ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from altsets.report.blocks import Block, column, section, table, text
from altsets.result import Result, rounded_down

__all__ = ["conditions_section", "named_features"]

#: Names that a sentence spells out before it says how many more there are.
MOST_NAMED = 12


def named_features(result: Result | None, names: Sequence[str] | None) -> Mapping[int, str]:
    """The names of features by their numbers: all of them if they are known, else those that are in sets."""
    if names is not None:
        return dict(enumerate(names))
    pairs = zip(result.sets, result.named_sets, strict=True) if result else ()
    return {index: name for chosen, named in pairs for index, name in zip(chosen, named, strict=True)}


def conditions_section(
    parameters: Mapping[str, Any], provenance: Mapping[str, Any], names: Mapping[int, str]
) -> Block | None:
    """What every set had to meet, one sentence for each condition."""
    entries = list(parameters.get("constraints") or ())
    existing = list(parameters.get("existing") or ())
    if not entries and not existing:
        return None
    told = list(provenance.get("constraints") or ())
    said = []
    for place, entry in enumerate(entries):
        known = all(feature in names for feature in _features_in(entry))
        fallback = f"{told[place][0].upper()}{told[place][1:]}." if len(told) == len(entries) else ""
        said.append(_in_words(entry, names) if known or not fallback else fallback)
    said += [f"Every set differs enough from this one: {_listed(given, names)}." for given in existing]
    ruled_out = [one for entry in entries for one in entry.get("ruled_out") or ()]
    blocks = [text(*said)]
    if ruled_out:
        rows = [
            [_name(one["feature"], names), _name(one["other"], names), rounded_down(one["similarity"])]
            for one in ruled_out
        ]
        columns = [column("Ruled out"), column("as it says much about"), column("Similarity")]
        blocks.append(
            table(
                "proxies",
                "Features that were ruled out because they give away a forbidden one.",
                columns,
                rows,
            )
        )
    return section("conditions", "Conditions", blocks)


def _features_in(entry: Mapping[str, Any]) -> list[Any]:
    listed = [*entry.get("features", ()), *entry.get("group", ())]
    return [*listed, *(entry[name] for name in ("feature", "needed") if name in entry)]


def _name(feature: Any, names: Mapping[int, str]) -> str:
    if not isinstance(feature, int):
        return str(feature)
    return names.get(feature, f"feature number {feature}")


def _listed(features: Sequence[Any], names: Mapping[int, str]) -> str:
    shown = [_name(feature, names) for feature in features[:MOST_NAMED]]
    more = len(features) - MOST_NAMED
    return ", ".join([*shown, f"{more} more"] if more > 0 else shown)


def _forbid(entry: Mapping[str, Any], names: Mapping[int, str]) -> str:
    proxies = {one["feature"] for one in entry.get("ruled_out") or ()}
    given = _listed([feature for feature in entry["features"] if feature not in proxies], names)
    if entry.get("proxies") is None:
        return f"No set has any of these: {given}."
    measure = str(entry["measure"]).replace("_", " ")
    found = f"{len(proxies)} such features were found" if proxies else "no such feature was found"
    return (
        f"No set has any of these: {given}; nor features that give them away ({measure} of {entry['proxies']:g} or "
        f"more; {found})."
    )


def _budget(entry: Mapping[str, Any], names: Mapping[int, str]) -> str:
    once = ", where each group is paid once" if entry.get("groups") is not None else ""
    priced = len(entry["features"])
    has = "feature has a cost" if priced == 1 else "features have a cost"
    return f"The features of a set cost at most {entry['limit']:g} together{once}; {priced} {has}."


def _in_words(entry: Mapping[str, Any], names: Mapping[int, str]) -> str:
    kind = entry.get("kind")
    if kind == "forbid":
        return _forbid(entry, names)
    if kind == "budget":
        return _budget(entry, names)
    if kind == "implies":
        return f"A set with {_name(entry['feature'], names)} also has {_name(entry['needed'], names)}."
    if kind == "size":
        return f"Sets have {entry['k_min']} to {entry['k_max']} features."
    if kind == "max_similarity":
        measure = "" if entry["similarity"] == "matrix" else f" ({entry['similarity']})"
        return f"No two features of a set have a similarity above {entry['limit']:g}{measure}."
    if kind == "require":
        return f"Every set has: {_listed(entry['features'], names)}."
    limit = {"at_most": "at most {most}", "at_least": "at least {least}", "exclusive": "at most one"}[
        str(kind)
    ]
    return f"Every set has {limit.format(**entry)} of these: {_listed(entry['group'], names)}."
