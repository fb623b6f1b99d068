"""Sentences of a report: the data, the request, what was found, and what is proven, for readers of any field."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from altsets.constraints import Custom, constraint_from
from altsets.evaluation import Evaluation
from altsets.features import FeatureNames
from altsets.quality.spec import DEFAULT_MEASURES, LINEAR, PAIRED, SURVIVAL_MEASURE
from altsets.result import Frontier, Result, Status
from altsets.wording import counted, paragraph

#: Names of the best set, and of features in conditions, that a sentence spells out.
MOST_NAMED, MOST_LISTED = 10, 12

#: What the name of a quality means.
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
    "concordance": "Somers' D: how much more often than not the feature tells which of two rows has the event first "
    "(0: as by chance, 1: always; the C index is (1 + D) / 2)",
    "cox": "the score statistic of a Cox model: how far rows with the event differ from those at risk",
    "logrank": "the log-rank statistic: how far the survival of groups differs",
    "shap": "how much the feature moves the predictions of a model (Shapley values)",
}
SETS = {
    "mrmr": "the mean score of its features, minus how much they repeat each other (mRMR)",
    "fcbf": "the sum of its features' scores; no feature may stand beside another one that says the same better (FCBF)",
    "cfs": "how much its features say about the target together, divided by how much they repeat each other (CFS)",
    LINEAR: "how much of the target, or of the whole table if there is none, the best linear model on its "
    "features explains (from 0 to 1)",
    "wrapper": "how well a model predicts with its features alone",
}
COX_FIT = (
    "the score statistic of the Cox model on its features, as a share of the largest that any column could have (from "
    "0 to 1)"
)
#: What a score of predictions means.
SCORERS = {
    "matthews_corrcoef": "1: always right, 0: no better than guessing",
    "accuracy": "the share of rows that are predicted correctly",
    "balanced_accuracy": "the mean share of each class that is predicted correctly",
    "roc_auc": "1: perfect, 0.5: no better than guessing",
    "r2": "1: exact, 0: no better than the mean",
    "concordance_index": "1: always right about which of two rows has the event first, 0.5: no better than guessing",
    "matthews_mean": "the mean over targets; 1: always right, 0: no better than guessing",
}
NOT_BY_CHANCE = "Every other choice was ruled out by calculation, not by trying some of them"


# --- The data and the request -----------------------------------------------------------------------------


def about_data(provenance: Mapping[str, Any], n_features: int | None) -> str:
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
        kinds = {"classification": " (classes)", "regression": " (numeric)", "survival": " (survival)"}
        # Names with commas between them may be several columns, or one with a comma in its name.
        what = "target" if ", " in data["target"] else "column to predict"
        said += f"; the {what} is {data['target']}{kinds.get(provenance.get('task', ''), '')}"
    left = data.get("dropped_rows")
    return paragraph(f"{said}.", f"{counted(left, 'row')} without a target left out." if left else "")


def about_quality(known: Mapping[str, Any], *, only_sets: bool, target: str = "the target") -> str:
    """What makes a set good; empty if that is unknown.

    ``known`` has the name of the quality and its measure, or the file of scores, and the task; ``only_sets`` says that
    features have no scores of their own.
    """
    name = known.get("quality")
    is_survival = known.get("task") == "survival"
    usual = SURVIVAL_MEASURE if is_survival and name in PAIRED else DEFAULT_MEASURES.get(str(name), name)
    measure = known.get("measure") or usual
    meaning = QUALITIES[measure].replace("the target", target) if measure in QUALITIES else ""
    scores = f"The score of a feature is {meaning}." if meaning else ""
    if known.get("scores"):
        scores = f"Scores come from the file {known['scores']}."
    if name in SETS:
        what = COX_FIT if is_survival and name == LINEAR else SETS[name]
        return paragraph(f"The quality of a set is {what}.", scores)
    if name in QUALITIES:
        return paragraph("The quality of a set is the sum of its features' scores.", scores)
    return scores or (
        "Only whole sets are scored, so features have no scores of their own." if only_sets else ""
    )


def about_request(result: Result, target: str = "") -> str:
    asked, n_sets = {**result.parameters, "tau": result.tau}, len(result.statuses)
    as_many = asked.get("n_alternatives") == "max"
    sets = f"{counted(n_sets, 'set')} of {sizes_of(result)}{' each' if n_sets > 1 else ''}"
    if as_many:
        sets = f"As many sets of {sizes_of(result)} as there are"
    about = f" that say much about {target}" if target else ""
    existing = len(asked.get("existing") or ())
    difference = _difference(asked) if n_sets > 1 or as_many or existing else ""
    beside = f"They also differ from {counted(existing, 'existing set')}." if existing else ""
    return paragraph(f"{sets}{about}{difference}.", _search(asked) if n_sets > 1 else "", beside)


def _search(asked: Mapping[str, Any]) -> str:
    search = str(asked.get("search", ""))
    if search == "sequential":
        differs = "differs enough from those before"
        if asked.get("difference") == "average":
            differs += " on average"
        return f"The best set comes first; each further one is the best that {differs}{_priced(asked)}."
    if search == "simultaneous":
        goals = {
            "min": "the weakest is as good as possible",
            "leximin": "the weakest is as good as possible, then the next one, and so on",
        }
        goal = goals.get(str(asked.get("aggregation")), "their total is largest")
        return f"All sets were chosen together, so that {goal}{_priced(asked)}."
    return f"Sets were chosen by a quick heuristic ({search})." if search.startswith("greedy-") else ""


def _priced(asked: Mapping[str, Any]) -> str:
    """What sharing costs, and limits on qualities, as the end of a sentence."""
    penalty = asked.get("overlap_penalty")
    least = asked.get("quality_needed", asked.get("min_quality"))
    words = [f"each feature that two sets share costs {penalty:g}"] if penalty else []
    words += [f"no set scores below {least:g}"] if least is not None else []
    return f"; {', '.join(words)}" if words else ""


def sizes_of(result: Result) -> str:
    """How many features sets have, as requested; of results that do not say it, as they are."""
    asked = result.parameters
    known = (
        asked.get("sizes") or [asked["n_features"]] if "n_features" in asked else list(map(len, result.sets))
    )
    smallest, largest = min(known, default=0), max(known, default=0)
    return f"{smallest} to {largest} features" if smallest != largest else counted(largest, "feature")


def _difference(asked: Mapping[str, Any]) -> str:
    """How different two sets must be, such as ", any two of which share at most 2 features"."""
    tau, most, kind = asked.get("tau"), asked.get("max_overlap"), asked.get("dissimilarity", "dice")
    same = _what_counts_as_same(kind)
    if most is not None:
        share = "share no feature" if most == 0 else f"share at most {counted(most, 'feature')}"
        number = f" (tau = {tau:g})" if tau is not None and kind != "absolute" else ""
        return f", any two of which {share}{same}{number}"
    if tau is not None and kind == "absolute":
        return f", any two of which differ in at least {counted(tau, 'feature')}"
    if tau is None:
        return same
    by = kind if isinstance(kind, str) else kind.get("kind", "")
    return f", any two of which have a dissimilarity of at least {tau:g} ({by}){same}"


def _what_counts_as_same(kind: Any) -> str:
    if not isinstance(kind, dict):
        return ""
    if kind.get("kind") == "grouped":
        return "; features of one group count as the same"
    by = kind.get("similarity")
    by = f" ({by})" if by and by != "matrix" else ""
    if kind.get("threshold") is None:
        return f"; features that are alike count as the same to that degree{by}"
    return f"; features with a similarity of {kind['threshold']:g} or more{by} count as the same"


# --- Conditions -------------------------------------------------------------------------------------------


def about_condition(entry: Mapping[str, Any], names: FeatureNames) -> str:
    """One constraint, as its JSON document has it, in a sentence."""
    kind = entry.get("kind")
    # Documents say more about these two than a constraint read from them: proxies that were found, and a limit on
    # similarities of which the matrix is not written down.
    if kind == "forbid" and entry.get("proxies") is not None:
        return _about_proxies(entry, names)
    if kind == "max_similarity" and entry["similarity"] == "matrix":
        return f"No two features of a set have a similarity above {entry['limit']:g}."
    if kind == Custom.kind:
        return f"Every set meets a condition of your own, {entry['check']}."
    return constraint_from(entry).sentence(names)


def _about_proxies(entry: Mapping[str, Any], names: FeatureNames) -> str:
    found = {one["feature"] for one in entry.get("ruled_out") or ()}
    given = names.listed([feature for feature in entry["features"] if feature not in found], MOST_LISTED)
    measure = str(entry["measure"]).replace("_", " ")
    how_many = f"{len(found)} such features were found" if found else "no such feature was found"
    return (
        f"No set has any of these: {given}; nor features that give them away ({measure} of {entry['proxies']:g} or "
        f"more; {how_many})."
    )


# --- The answers ------------------------------------------------------------------------------------------


def about_costs(frontier: Frontier) -> str:
    """What difference costs, as far as the curve goes, and the suggested point."""
    n_missing = (frontier.n_asked or 0) - len(frontier.points)
    return paragraph(
        "The more different sets must be, the worse they get." if len(frontier.points) > 1 else "",
        f"This is not the whole curve: {counted(n_missing, 'search', 'searches')} of {frontier.n_asked} not done."
        if n_missing
        else "",
        frontier.suggestion.reason,
    )


def about_scores(evaluation: Evaluation) -> str:
    name = evaluation.scorers[0]
    which = "these sets" if evaluation.given else "sets that were found in the same way on other rows"
    meaning = f" ({SCORERS[name]})" if name in SCORERS else ""
    return f"The mean {name}{meaning} of models with {which}, on rows that they have not seen."


# --- Proofs -----------------------------------------------------------------------------------------------


def why_certain(result: Result) -> str:
    """One line on how the search knows that there are no better sets, or no more; or where sets come from instead."""
    proven = (Status.OPTIMAL, Status.INFEASIBLE)
    if all(status in proven for status in result.statuses):
        if result.engine == "exhaustive":
            return "Every possible set was tried."
        return f"{NOT_BY_CHANCE}{f' (method: {result.proof})' if result.proof else ''}."
    search = str(result.parameters.get("search", ""))
    if search.startswith("greedy-"):
        return (
            f"We are not: the sets were built by a heuristic ({search}); search sequential or simultaneous proves how "
            "good sets are."
        )
    if result.evaluated:
        return f"We are not: these are the best of {result.evaluated:,} sets that were tried, and there are many more."
    return ""
