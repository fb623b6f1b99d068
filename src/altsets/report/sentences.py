"""Sentences of a report: the data, the request, what was found, and what is proven, for readers of any field."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from altsets.constraints import constraint_from
from altsets.evaluation import Evaluation
from altsets.features import FeatureNames
from altsets.quality.spec import DEFAULT_MEASURES
from altsets.result import Result, Status, StopReason
from altsets.search.frontier import Frontier
from altsets.wording import counted, paragraph, plural, sentence, span

#: Names of the best set, and of features in conditions, that a sentence spells out.
MOST_NAMED, MOST_LISTED = 10, 12

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
#: What a score of predictions means.
SCORERS = {
    "matthews_corrcoef": "1: always right, 0: no better than guessing",
    "accuracy": "the share of rows that are predicted rightly",
    "balanced_accuracy": "the mean share of each class that is predicted rightly",
    "roc_auc": "1: perfect, 0.5: no better than guessing",
    "r2": "1: exact, 0: no better than the mean",
}
#: Why a search ended before its end.
CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit ended the search; a longer one may prove more.",
    StopReason.INTERRUPTED: "The search was interrupted; left alone, it may prove more.",
    StopReason.ENGINE_LIMIT: "The search hit an internal limit.",
}
NOT_BY_CHANCE = "This is proven: every other choice was ruled out by calculation, not by trying some of them"


# --- The data and the request -----------------------------------------------------------------------------


def about_data(provenance: Mapping[str, Any], n_features: int | None) -> str:
    """The data in a sentence: rows, features, file and target."""
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
        kinds = {"classification": " (classes)", "regression": " (numeric)"}
        said += f"; the column to predict is {data['target']}{kinds.get(provenance.get('task', ''), '')}"
    left = data.get("dropped_rows")
    return paragraph(f"{said}.", f"{counted(left, 'row')} without a target left out." if left else "")


def about_quality(known: Mapping[str, Any], *, only_sets: bool, target: str = "the target") -> str:
    """What makes a set good; empty if that is unknown.

    ``known`` has the name of the quality and its measure, or the file of scores; ``only_sets`` says that features
    have no scores of their own.
    """
    name = known.get("quality")
    measure = known.get("measure") or DEFAULT_MEASURES.get(str(name), name)
    meaning = QUALITIES[measure].replace("the target", target) if measure in QUALITIES else ""
    scores = f"The score of a feature is {meaning}." if meaning else ""
    if known.get("scores"):
        scores = f"Scores come from the file {known['scores']}."
    if name in SETS:
        return paragraph(f"The quality of a set is {SETS[name]}.", scores)
    if name in QUALITIES:
        return paragraph("The quality of a set is the sum of its features' scores.", scores)
    return scores or (
        "Only whole sets are scored, so features have no scores of their own." if only_sets else ""
    )


def about_request(result: Result, target: str = "") -> str:
    """The request in a sentence or two."""
    asked, n_sets = result.parameters, len(result.statuses)
    as_many = asked.get("goal") == "count"
    each = " each" if n_sets > 1 else ""
    sets = (
        f"As many sets of {sizes_of(result)} as there are"
        if as_many
        else f"{counted(n_sets, 'set')} of {sizes_of(result)}{each}"
    )
    about = f" that say much about {target}" if target else ""
    existing = len(asked.get("existing") or ())
    difference = _difference(asked) if n_sets > 1 or as_many or existing else ""
    beside = f"They also differ from {counted(existing, 'existing set')}." if existing else ""
    return paragraph(f"{sets}{about}{difference}.", _search(asked) if n_sets > 1 else "", beside)


def _search(asked: Mapping[str, Any]) -> str:
    """How several sets were searched for."""
    search = str(asked.get("search", ""))
    if search == "sequential":
        return "The best set comes first; each further one is the best that differs enough from those before."
    if search == "simultaneous":
        weakest = asked.get("aggregation") == "min"
        goal = "the weakest is as good as possible" if weakest else "their total is largest"
        return f"All sets were chosen together, so that {goal}."
    return f"Sets were chosen by a quick heuristic ({search})." if search.startswith("greedy-") else ""


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
    tau, least, most = asked.get("tau"), asked.get("min_difference"), asked.get("max_overlap")
    kind = asked.get("dissimilarity", "dice")
    same = _what_counts_as_same(kind)
    if most is not None:
        share = "share no feature" if most == 0 else f"share at most {counted(most, 'feature')}"
        number = f" (tau = {tau:g})" if tau is not None else ""
        return f", any two of which {share}{same}{number}"
    if least is not None:
        return f", any two of which differ in at least {counted(least, 'feature')}{same}"
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


def about_sets(result: Result) -> str:
    """The names of the best set, and how good the others are."""
    if not result.sets:
        return "No set."
    names, (best, *others) = result.named_sets[0], result.qualities
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    first = f"Set 0: {', '.join(names[:MOST_NAMED])}{more} (quality {best:.4g})."
    if not others:
        return first
    if best > 0:
        shares = span(sorted(100 * value / best for value in others), ".0f")
        rest = f"{plural(len(others), 'reaches', 'reach')} {shares} % of its quality"
    else:
        rest = f"have qualities from {min(others):.4g} to {max(others):.4g}"
    return f"{first} {plural(len(others), 'The other set', f'The other {len(others)} sets')} {rest}."


def about_missing(result: Result) -> str:
    """How many sets were not found, and why; empty if all were."""
    found, asked = len(result.sets), len(result.statuses)
    if found == asked:
        return ""
    said = f"{found} of {asked} sets were found." if found else "No set was found."
    return paragraph(said, result.reason)


def about_weak(result: Result) -> str:
    """Features in the sets that may be there by chance; empty if there are none."""
    weak = {
        name
        for names, above in zip(result.named_sets, result.above_noise, strict=False)
        for name, good in zip(names, above, strict=True)
        if not good
    }
    if not weak:
        return ""
    every = {name for names in result.named_sets for name in names}
    part = f"{len(weak)} of {len(every)} features in the sets {plural(len(weak), 'is', 'are')}"
    which = part if len(weak) < len(every) else "All features of the sets are"
    return f"{which} not above the noise floor: features that say nothing may score as high by chance."


def about_costs(frontier: Frontier) -> str:
    """What difference costs, as far as the curve goes, and the suggested point."""
    n_missing = frontier.n_asked - len(frontier.points)
    return paragraph(
        "The more different sets must be, the worse they get." if len(frontier.points) > 1 else "",
        f"This is not the whole curve: {counted(n_missing, 'search', 'searches')} of {frontier.n_asked} not done."
        if n_missing
        else "",
        frontier.suggestion.reason,
    )


def about_prediction(evaluation: Evaluation) -> str:
    """The mean score of the sets beside the baseline."""
    if not evaluation.folds:
        return "No fold was done, so nothing is known about it."
    means = sorted(value for value in evaluation.mean_scores() if not math.isnan(value))
    if not means:
        return ""
    name, base = evaluation.scorers[0], evaluation.baseline
    beside = "" if math.isnan(base) else f"; a model without features has {base:.3f}"
    what = f" ({SCORERS[name]})" if name in SCORERS else ""
    which = "these sets" if evaluation.given else "sets that were found in the same way"
    return paragraph(
        f"On rows that they have not seen, models with {which} have a mean {name} of {span(means, '.3f')}{beside}"
        f"{what}.",
        _beats(evaluation),
    )


def _beats(evaluation: Evaluation) -> str:
    """Whether it helps to know the features at all."""
    known = [entry.beats for entry in evaluation.against_baseline if entry.scorer == evaluation.scorers[0]]
    if not known or any(better is None for better in known):
        return ""
    if not any(known):
        return "No set was shown to predict better than a guess."
    if all(known):
        return plural(len(known), "That is better than a guess.", "All of them predict better than a guess.")
    return f"{sum(map(bool, known))} of {len(known)} sets were shown to predict better than a guess."


# --- Proofs -----------------------------------------------------------------------------------------------


def certainty(result: Result) -> str:
    """How sure it is that there are no better sets."""
    if result.finding:
        unproven = result.status is not Status.OPTIMAL
        return paragraph(sentence(result.finding), _ended(result), _how(result) if unproven else "")
    if len(result.sets) < len(result.statuses):
        return _about_incomplete(result)
    if result.status is Status.OPTIMAL:
        return f"{_best(result)} {_why_certain(result)}."
    return _about_unproven(result)


def _best(result: Result) -> str:
    """What no other sets can do."""
    n_sets, kind = len(result.sets), f"of {sizes_of(result)}"
    under = any(entry.get("kind") != "size" for entry in result.parameters.get("constraints") or ())
    if n_sets == 1:
        return f"No other choice {kind} scores higher{' and meets all conditions' if under else ''}."
    if _is_sequential(result):
        return (
            f"Set 0 is the best of all sets {kind}{' that meet all conditions' if under else ''}. Each later set is "
            "the best of those that differ enough from the sets before it."
        )
    which = "that meet all conditions and differ this much" if under else "that differ this much"
    weakest = result.parameters.get("aggregation") == "min"
    return f"No {n_sets} sets {kind} {which} have {'a better weakest set' if weakest else 'a higher total quality'}."


def _why_certain(result: Result) -> str:
    if result.engine == "exhaustive":
        return "This is proven: every possible set was tried"
    return f"{NOT_BY_CHANCE} (method: {result.proof})" if result.proof else NOT_BY_CHANCE


def _about_unproven(result: Result) -> str:
    they = plural(len(result.sets), "The set is valid", "The sets are valid")
    if math.isinf(result.bound):
        return paragraph(
            f"{they}, but nothing is proven: better ones may exist.", _how(result), _ended(result)
        )
    proven = sum(status is Status.OPTIMAL for status in result.statuses)
    some = f"{proven} of {len(result.statuses)} are proven to be the best, given the sets before them."
    return paragraph(
        f"{they}, but not proven to be the best.", some if proven else "", _distance(result), _ended(result)
    )


def _distance(result: Result) -> str:
    """How much better others could be."""
    what = "the best possible"
    if len(result.sets) > 1:
        weakest = result.parameters.get("aggregation") == "min" and not _is_sequential(result)
        what = "the weakest set of the best possible ones" if weakest else "the best possible sets together"
    by = f"{result.gap:.3g}"
    if result.objective > 0:
        share = result.gap / result.objective
        by = f"{100 * share:.2g} % ({by})" if share < 10 else f"{share:.2g} times ({by})"
    return f"What is proven: {what} can be better by at most {by}."


def _how(result: Result) -> str:
    """How sets were found that nothing is proven about."""
    search = str(result.parameters.get("search", ""))
    if search.startswith("greedy-"):
        return (
            f"They were built by a quick rule of thumb ({search}); search sequential or simultaneous proves how good "
            "sets are."
        )
    if result.evaluated:
        return f"They are the best of {result.evaluated:,} sets that were tried; there are many more."
    return ""


def _about_incomplete(result: Result) -> str:
    found, asked = len(result.sets), len(result.statuses)
    if result.status is Status.INFEASIBLE:
        none = plural(asked, "No such set exists", f"No {asked} such sets exist")
        more = f"{found} of {asked} sets were found, and no further one exists that differs enough from them"
        proven = "This is proven, not a matter of searching longer."
        return paragraph(f"{more if found else none}.", proven, result.reason)
    some = f"Only {found} of {asked} sets were found" if found else "No set was found"
    maybe = f"which does not mean that there {'are no more' if found else 'is none'}"
    return paragraph(f"{some}, {maybe}: nothing is proven.", _ended(result), result.reason)


def _ended(result: Result) -> str:
    return CUT_SHORT.get(result.stop_reason, "")


def _is_sequential(result: Result) -> bool:
    return bool(result.parameters.get("search") == "sequential")
