"""What was asked for, as the Python calls that make it: constraints and dissimilarities from their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["NotExpressed", "constraint_call", "dissimilarity_call", "features_list"]


class NotExpressed(Exception):
    """There are no lines that give the same; the message says why, as the end of a sentence."""


def dissimilarity_call(kind: Any, names: Sequence[str] | None, table: str = "") -> str:
    """How different sets are, as Python; ``table`` is what the table is called there, if it is at hand.

    Examples
    --------
    >>> dissimilarity_call({"kind": "matched", "threshold": 0.9, "similarity": "spearman"}, None)
    "dissimilarity.Matched('spearman', threshold=0.9)"
    """
    if kind in ("dice", "jaccard"):
        return repr(kind)
    if not isinstance(kind, Mapping):
        raise NotExpressed("sets were compared by a function of your own")
    if kind.get("kind") == "grouped":
        groups = [features_list(listed, names) for listed in kind["groups"].values()]
        return f"dissimilarity.Grouped([{', '.join(groups)}])"
    if kind.get("similarity") == "matrix":
        raise NotExpressed("sets were compared by a matrix of your own")
    limit = "" if kind.get("threshold") is None else f", threshold={kind['threshold']!r}"
    if table:
        return f"dissimilarity.Matched.from_data({table}, {kind['similarity']!r}{limit})"
    return f"dissimilarity.Matched({kind['similarity']!r}{limit})"


def constraint_call(entry: Mapping[str, Any], names: Sequence[str] | None, table: str = "") -> str:
    """A condition on sets, as Python; with what it needs of the table, if that is at hand.

    Examples
    --------
    >>> constraint_call({"kind": "at_most", "most": 1, "group": [0, 2]}, ["a", "b", "c's"])
    'constraints.AtMost(1, [\\'a\\', "c\\'s"])'
    """
    kind = entry.get("kind", "")
    if kind not in CALLS:
        raise NotExpressed("it has a condition of a kind that is unknown here")
    measured = table and (kind == "max_similarity" or entry.get("proxies") is not None)
    return f"constraints.{CALLS[kind](entry, names)}{f'.computed({table})' if measured else ''}"


def _feature(feature: Any, names: Sequence[str] | None) -> str:
    return repr(names[feature] if names is not None and isinstance(feature, int) else feature)


def features_list(listed: Sequence[Any], names: Sequence[str] | None) -> str:
    """Features as a list of names, or of numbers where names are not known."""
    return f"[{', '.join(_feature(feature, names) for feature in listed)}]"


def _forbid(entry: Mapping[str, Any], names: Sequence[str] | None) -> str:
    # Features that were ruled out as proxies are found again.
    proxies = {one["feature"] for one in entry.get("ruled_out") or ()}
    given = features_list([feature for feature in entry["features"] if feature not in proxies], names)
    if entry.get("proxies") is None:
        return f"Forbid({given})"
    return f"Forbid({given}, proxies={entry['proxies']!r}, measure={entry['measure']!r})"


def _budget(entry: Mapping[str, Any], names: Sequence[str] | None) -> str:
    if entry.get("groups") is not None:
        raise NotExpressed("it has a budget in which groups are paid once")
    pairs = zip(entry["features"], entry["costs"], strict=True)
    costs = ", ".join(f"{_feature(feature, names)}: {cost!r}" for feature, cost in pairs)
    return f"Budget({{{costs}}}, {entry['limit']!r})"


def _max_similarity(entry: Mapping[str, Any], names: Sequence[str] | None) -> str:
    if entry["similarity"] == "matrix":
        raise NotExpressed("features were compared by a matrix of your own")
    return f"MaxSimilarity({entry['similarity']!r}, {entry['limit']!r})"


CALLS: dict[str, Any] = {
    "require": lambda entry, names: f"Require({features_list(entry['features'], names)})",
    "forbid": _forbid,
    "at_most": lambda entry, names: f"AtMost({entry['most']}, {features_list(entry['group'], names)})",
    "at_least": lambda entry, names: f"AtLeast({entry['least']}, {features_list(entry['group'], names)})",
    "exclusive": lambda entry, names: f"Exclusive({features_list(entry['group'], names)})",
    "implies": lambda entry, names: (
        f"Implies({_feature(entry['feature'], names)}, {_feature(entry['needed'], names)})"
    ),
    "budget": _budget,
    "max_similarity": _max_similarity,
    "size": lambda entry, names: f"Size({entry['k_min']}, {entry['k_max']})",
}
