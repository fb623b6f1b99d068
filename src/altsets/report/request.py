"""The data and the request, each in a sentence or two."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from altsets.quality.named import DEFAULT_MEASURES
from altsets.result import Result

__all__ = ["about_data", "about_quality", "about_request", "counted", "sizes_of"]

#: What a quality by its name stands for.
QUALITIES = {
    "mutual_info": "mutual information: how much knowing the feature tells about the target (0: nothing)",
    "f": "the F statistic: how much of the target a straight line or the means of classes explain",
    "pearson": "the absolute correlation with the target (0: none, 1: a straight line)",
    "spearman": "the absolute rank correlation with the target (0: none, 1: they always rise or fall together)",
    "chi2": "the chi-squared statistic: how far counts are from those of an unrelated feature",
    "symmetrical_uncertainty": "symmetrical uncertainty: shared information with the target (0: none, 1: all)",
    "relief": "ReliefF: how well the feature tells rows from similar rows of other classes",
    "importance": "how much a model that was fitted to the table uses the feature",
    "permutation": "how much worse a model predicts when the values of the feature are shuffled",
    "shap": "how much the feature moves the predictions of a model (Shapley values)",
}
SETS = {
    "mrmr": "the mean score of its features, minus how much they repeat each other (mRMR)",
    "fcbf": "the sum of its features' scores; no feature may stand beside another one that says the same better (FCBF)",
    "cfs": "how much its features say about the target together, divided by how much they repeat each other (CFS)",
    "wrapper": "how well a model predicts with its features alone",
}


def about_data(provenance: Mapping[str, Any], n_features: int | None) -> str:
    """The data in a sentence.

    Examples
    --------
    >>> data = {"rows": 569, "columns": 30, "file": "wdbc.csv", "target": "diagnosis"}
    >>> about_data({"data": data, "task": "classification"}, 30)
    '569 rows and 30 features from wdbc.csv; the column to predict is diagnosis (classes).'
    """
    data = provenance.get("data") or {}
    n_columns = data.get("columns", n_features)
    if n_columns is None:
        return ""
    parts = [counted(data["rows"], "row")] if "rows" in data else []
    said = " and ".join([*parts, counted(n_columns, "feature")])
    if data.get("file"):
        name = os.path.basename(data["file"])
        said += " from standard input" if name == "-" else f" from {name}"
    if data.get("target"):
        kind = {"classification": " (classes)", "regression": " (an amount)"}.get(
            provenance.get("task", ""), ""
        )
        said += f"; the column to predict is {data['target']}{kind}"
    left = data.get("dropped_rows")
    return f"{said}." + (f" {counted(left, 'row')} without a target left out." if left else "")


def about_quality(known: Mapping[str, Any], *, only_sets: bool, target: str = "the target") -> str:
    """What makes a set good, in words; empty where nobody knows.

    Parameters
    ----------
    known : mapping
        What is known about the search: the name of the quality, its measure, or the file of scores.
    only_sets : bool
        Whether features have no scores of their own.
    target : str
        What is predicted.

    Examples
    --------
    >>> about_quality({"quality": "wrapper"}, only_sets=True)
    'The quality of a set is how well a model predicts with its features alone.'
    """
    name = known.get("quality")
    measure = known.get("measure") or DEFAULT_MEASURES.get(str(name), name)
    meaning = QUALITIES[measure].replace("the target", target) if measure in QUALITIES else ""
    scores = f" The score of a feature is {meaning}." if meaning else ""
    if name in SETS:
        return f"The quality of a set is {SETS[name]}.{scores}"
    if name in QUALITIES:
        return f"The quality of a set is the sum of its features' scores.{scores}"
    if known.get("scores"):
        return f"Scores come from the file {known['scores']}."
    return "Only whole sets are judged, so features have no scores of their own." if only_sets else ""


def about_request(result: Result, target: str = "") -> str:
    """What was asked for, in a sentence."""
    asked, n_sets = result.parameters, len(result.statuses)
    if asked.get("goal") == "count":
        sets = f"As many sets of {sizes_of(result)} as there are"
    else:
        sets = counted(n_sets, "set") + f" of {sizes_of(result)}" + (" each" if n_sets > 1 else "")
    several = n_sets > 1 or asked.get("goal") == "count" or asked.get("existing")
    about = f" that say much about {target}" if target else ""
    said = f"{sets}{about}{_difference(asked) if several else ''}."
    how = {
        "sequential": "The best set comes first; each further one is the best that differs enough from those before.",
        "simultaneous": "All sets were chosen together, so that "
        + (
            "the weakest is as good as possible."
            if asked.get("aggregation") == "min"
            else "their total is largest."
        ),
    }.get(asked.get("search", ""), "")
    if str(asked.get("search", "")).startswith("greedy-"):
        how = f"Sets were chosen by a quick heuristic ({asked['search']})."
    existing = len(asked.get("existing") or ())
    beside = f"They also differ from {counted(existing, 'existing set')}." if existing else ""
    return " ".join(filter(None, [said, how if n_sets > 1 else "", beside]))


def sizes_of(result: Result) -> str:
    """How many features sets have, as asked; of results that do not say it, as they are."""
    asked = result.parameters
    known = (
        asked.get("sizes") or [asked["n_features"]] if "n_features" in asked else list(map(len, result.sets))
    )
    smallest, largest = min(known, default=0), max(known, default=0)
    return f"{smallest} to {largest} features" if smallest != largest else counted(largest, "feature")


def _difference(asked: Mapping[str, Any]) -> str:
    """How different two sets must be, such as ", any two of which share at most 2 features"."""
    tau, least, most = asked.get("tau"), asked.get("min_difference"), asked.get("max_overlap")
    number = f" (tau = {tau:g})" if tau is not None else ""
    kind = asked.get("dissimilarity", "dice")
    same = _counted_as_same(kind)
    if most is not None:
        share = "share no feature" if most == 0 else f"share at most {counted(most, 'feature')}"
        return f", any two of which {share}{same}{number}"
    if least is not None:
        return f", any two of which differ in at least {counted(least, 'feature')}{same}"
    by = kind if isinstance(kind, str) else kind.get("kind", "")
    return (
        f", any two of which have a dissimilarity of at least {tau:g} ({by}){same}"
        if tau is not None
        else same
    )


def _counted_as_same(kind: Any) -> str:
    if not isinstance(kind, dict):
        return ""
    if kind.get("kind") == "grouped":
        return "; features of one group count as the same"
    by = kind.get("similarity")
    by = f" ({by})" if by and by != "matrix" else ""
    if kind.get("threshold") is None:
        return f"; features that are alike count as the same to that degree{by}"
    return f"; features with a similarity of {kind['threshold']:g} or more{by} count as the same"


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
