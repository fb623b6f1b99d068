"""Methods, searches and statuses: how results store them, how tables and figures show them, in which order."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "BLACK_BOX",
    "FOUND",
    "HEURISTICS",
    "METHODS",
    "PROVEN",
    "SEARCHES",
    "SOLVER_BASED",
    "STATUSES",
    "STEPWISE",
    "UNIVARIATE",
    "method_name",
    "methods_in_order",
    "search_key",
]

#: In the order of the paper's tables, which is that of the alphabet.
METHODS = {
    "fcbf": "FCBF",
    "greedy_wrapper": "Greedy Wrapper",
    "mutual_info": "MI",
    "model_gain": "Model Gain",
    "mrmr": "mRMR",
}
#: Methods without a formula that a search could optimise: their searches are heuristic.
BLACK_BOX = ("greedy_wrapper",)
#: Methods that the two greedy heuristics work for.
UNIVARIATE = ("mutual_info", "model_gain")

#: By a short key, in the order of the paper's tables.
SEARCHES = {
    "bal": "bal.",
    "rep": "rep.",
    "seq": "seq.",
    "sim-min": "sim. (min)",
    "sim-sum": "sim. (sum)",
}
SOLVER_BASED = ("seq", "sim-min", "sim-sum")
HEURISTICS = ("bal", "rep")
#: Searches that find one set after the other, so that one search with 10 alternatives holds all with fewer.
STEPWISE = ("seq", "rep")

#: As stored, and as the paper calls them.
STATUSES = {
    "infeasible": "infeasible",
    "not_found": "not solved",
    "feasible": "feasible",
    "optimal": "optimal",
}
#: There is a set.
FOUND = ("feasible", "optimal")
#: Nothing is left open.
PROVEN = ("infeasible", "optimal")

_KEYS = {"greedy-balancing": "bal", "greedy-replacement": "rep", "sequential": "seq"}


def search_key(search: str, aggregation: str) -> str:
    """The short key of a search as it is stored.

    Examples
    --------
    >>> search_key("simultaneous", "min"), search_key("greedy-balancing", "sum")
    ('sim-min', 'bal')
    """
    return f"sim-{aggregation}" if search == "simultaneous" else _KEYS.get(search, search)


def method_name(method: str) -> str:
    """The name to show for a method; an extra one goes by its own.

    Examples
    --------
    >>> method_name("mutual_info"), method_name("relief")
    ('MI', 'relief')
    """
    return METHODS.get(method, method)


def methods_in_order(methods: Iterable[str]) -> list[str]:
    """Some methods in the order of the paper's tables, extra ones behind.

    Examples
    --------
    >>> methods_in_order(["relief", "mrmr", "fcbf"])
    ['fcbf', 'mrmr', 'relief']
    """
    there = set(methods)
    return [method for method in METHODS if method in there] + sorted(there - METHODS.keys())
