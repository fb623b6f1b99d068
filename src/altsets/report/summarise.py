"""From answers to a document: what was asked, what was found and how sure that is, in sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from altsets.evaluation import EvaluatedFrontier, Evaluation
from altsets.report.blocks import Block, document, facts, section, text
from altsets.report.checks import (
    check_kinds,
    check_quality,
    check_same_features,
    check_same_sets,
    check_title,
)
from altsets.report.conditions import conditions_section, named_features
from altsets.report.evaluation import evaluation_section
from altsets.report.fitting import fitted, shortened
from altsets.report.frontier import frontier_section
from altsets.report.near_best import near_best_section
from altsets.report.origin import again_section, origin_section
from altsets.report.proof import certainty
from altsets.report.request import about_data, about_quality, about_request, counted
from altsets.report.sets import Scoring, all_features_section, sets_section
from altsets.result import Result
from altsets.search.frontier import Frontier
from altsets.search.near_best import NearBest

__all__ = ["heading_of", "summarise"]

#: Names of the best set that are spelled out at the top.
MOST_NAMED = 10

NOT_EVALUATED = (
    "Not tested: that a set scores best on these rows does not say how well it predicts other rows. altsets find "
    "--evaluate, or altsets.evaluate in Python, tests that."
)
#: What commands search with, unless told otherwise.
DEFAULT_QUALITY = "mutual_info"
#: What a score of predictions means.
SCORERS = {
    "matthews_corrcoef": "1: always right, 0: no better than guessing",
    "accuracy": "the share of rows that are predicted rightly",
    "balanced_accuracy": "the mean share of each class that is predicted rightly",
    "roc_auc": "1: perfect, 0.5: no better than guessing",
    "r2": "1: exact, 0: no better than the mean",
}


def summarise(
    result: Result | None = None,
    *,
    evaluation: Evaluation | None = None,
    frontier: Frontier | EvaluatedFrontier | None = None,
    near_best: NearBest | None = None,
    quality: Scoring | None = None,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    skipped: Sequence[str] = (),
) -> Block:
    """What there is to say about answers, as the document of a report.

    Parameters
    ----------
    result : Result, optional
        Sets that were found.
    evaluation : Evaluation, optional
        How well they predict.
    frontier : Frontier or EvaluatedFrontier, optional
        What difference costs, and how well sets predict along the way.
    near_best : NearBest, optional
        How many sets are nearly as good.
    quality : Quality, optional
        What was searched with: it knows the scores of all features.
    title : str, optional
        The heading; by default it says what was found.
    provenance : mapping, optional
        Where the answers come from, if they do not say it themselves.
    skipped : sequence of str
        Sentences on what is not in the report, and why.

    Returns
    -------
    dict
        Plain data, as JSON has it; see :mod:`altsets.report.blocks`.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> made = summarise(altsets.find(scores, n_features=2, n_alternatives=1, tau=1), quality=scores)
    >>> [part["title"] for part in made["sections"]]
    ['In short', 'The sets', 'All features', 'Where this comes from', 'Do it again']
    """
    check_kinds({"result": result, "evaluation": evaluation, "frontier": frontier, "near_best": near_best})
    evaluated = frontier if isinstance(frontier, EvaluatedFrontier) else None
    plain = frontier.frontier if isinstance(frontier, EvaluatedFrontier) else frontier
    check_title(title)
    check_same_sets(result, evaluation)
    check_same_features(result, evaluation, plain, near_best)
    check_quality(quality, _n_features(result, evaluation, plain, near_best))
    origin = _origin(provenance, result, evaluation, evaluated)
    target = str((origin.get("data") or {}).get("target") or "")
    names = _names(quality, near_best)
    parameters = _parameters(result, plain, near_best)
    shown = None if result is None else _with_short_names(result)
    made = document(
        title or heading_of(_first(result, frontier, evaluation, near_best), target),
        _subtitle(origin),
        [
            _in_short(shown, evaluation, plain, near_best, evaluated, origin),
            sets_section(shown) if shown is not None else None,
            frontier_section(frontier) if frontier is not None else None,
            evaluation_section(evaluation) if evaluation and evaluation.folds else None,
            near_best_section(near_best) if near_best is not None else None,
            all_features_section(result, quality),
            conditions_section(parameters, origin, named_features(result, names)),
            section("notes", "Notes", [text(*(result.notes if result else ()), *skipped)]),
            origin_section(origin, result),
            again_section(origin, result, names),
        ],
    )
    return fitted(made)


def _with_short_names(result: Result) -> Result:
    """The same with names that fit into a sentence, and are still told apart."""
    every = dict.fromkeys(name for names in result.named_sets for name in names)
    short = {name: shortened(name) for name in every}
    if len(set(short.values())) < len(short):
        short = {
            name: f"{said} ({place})" if said != name else said
            for place, (name, said) in enumerate(short.items(), start=1)
        }
    return replace(result, named_sets=[tuple(short[name] for name in names) for names in result.named_sets])


def _origin(
    provenance: Mapping[str, Any] | None, *answers: Result | Evaluation | EvaluatedFrontier | None
) -> Mapping[str, Any]:
    for known in (provenance, *(answer.provenance for answer in answers if answer is not None)):
        if known:
            return known
    return {}


def _names(quality: Scoring | None, near: NearBest | None) -> Sequence[str] | None:
    if quality is not None:
        return quality.feature_names
    return None if near is None else near.feature_names


def _parameters(result: Result | None, frontier: Frontier | None, near: NearBest | None) -> Mapping[str, Any]:
    for answer in (result, frontier, near):
        if answer is not None:
            return answer.parameters
    return {}


def _first(*answers: Any) -> Any:
    return next((answer for answer in answers if answer is not None), None)


def heading_of(answer: Any, target: str = "") -> str:
    """The heading over an answer: a result, an evaluation, a frontier, or near-best sets."""
    about = f" for {target}" if target else ""
    if isinstance(answer, Result):
        return (
            f"{counted(len(answer.sets), 'feature set')}{about}" if answer.sets else f"No feature set{about}"
        )
    if isinstance(answer, Frontier | EvaluatedFrontier):
        return f"What difference between feature sets costs{about}"
    if isinstance(answer, Evaluation):
        which = "1 feature set predicts" if answer.n_sets == 1 else f"{answer.n_sets} feature sets predict"
        return f"How well {which}{f' {target}' if target else ''}"
    return f"Feature sets that are nearly the best{about}"


def _subtitle(origin: Mapping[str, Any]) -> str:
    made = str(origin.get("time") or "")[:10]
    return " · ".join(filter(None, ["Report by altsets", made]))


# --- In short ---------------------------------------------------------------------------------------------


def _in_short(
    result: Result | None,
    evaluation: Evaluation | None,
    frontier: Frontier | None,
    near: NearBest | None,
    evaluated: EvaluatedFrontier | None,
    origin: Mapping[str, Any],
) -> Block:
    n_features = _n_features(result, evaluation, frontier, near)
    items = [("Data", about_data(origin, n_features))]
    target = (origin.get("data") or {}).get("target", "")
    # A column that has no better name.
    target = "the target" if target == "target" else target
    only_sets = result is not None and bool(result.sets) and not result.scores
    known = _searched_with(origin, result or frontier or near)
    good = about_quality(known, only_sets=only_sets, target=target or "the target")
    if result is None and frontier is not None:
        items += [("Asked for", f"{repr(frontier)[len('Frontier(') : -1]}."), ("What good means", good)]
    elif result is None and near is not None:
        items.append(("What good means", good))
    if result is not None:
        items += [
            ("Asked for", about_request(result, target)),
            ("What good means", good),
            ("Answer", _found(result)),
            ("How sure is that", certainty(result)),
            ("Weak features", _weak(result)),
        ]
        if evaluation is None and evaluated is None and result.sets:
            items.append(("Prediction", NOT_EVALUATED))
    if evaluation is not None:
        items.append(("Prediction", _predicts(evaluation)))
    if evaluated is not None:
        items.append(("Prediction", evaluated.scores_in_words()))
    if frontier is not None:
        items.append(("What difference costs", _costs(frontier)))
    if near is not None:
        items.append(("Nearly as good", near.explain().split(". ")[0].rstrip(".") + "."))
    missing = result is not None and len(result.sets) < len(result.statuses)
    warning = text(_missing(result), tone="warning") if result is not None and missing else None
    return section("in-short", "In short", [warning, facts(items)])


def _searched_with(origin: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    """The name of the quality and what belongs to it, wherever that is written down."""
    options = origin.get("options")
    known: dict[str, Any] = dict(origin.get("quality") or {})
    if isinstance(options, Mapping):
        known |= {
            name: options[f"--{name}"] for name in ("quality", "measure", "scores") if f"--{name}" in options
        }
        if "scores" not in known:
            known.setdefault("quality", DEFAULT_QUALITY)
    return known | (dict(answer.parameters) if answer is not None else {})


def _n_features(
    result: Result | None, evaluation: Evaluation | None, frontier: Frontier | None, near: NearBest | None
) -> int | None:
    for answer in (result, frontier, near):
        if answer is not None and answer.parameters.get("n_features_in") is not None:
            return int(answer.parameters["n_features_in"])
    return evaluation.n_features_in if evaluation else None


def _found(result: Result) -> str:
    """What was found, with the names of the best set."""
    if not result.sets:
        return "No set."
    names = result.named_sets[0]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    said = f"Set 0: {', '.join(names[:MOST_NAMED])}{more} (quality {result.qualities[0]:.4g})."
    others = result.qualities[1:]
    if not others:
        return said
    if result.qualities[0] > 0:
        shares = sorted(100 * value / result.qualities[0] for value in others)
        low, high = f"{shares[0]:.0f}", f"{shares[-1]:.0f}"
        span = f"{high} %" if low == high else f"{low} to {high} %"
        rest = f"reach{'es' if len(others) == 1 else ''} {span} of its quality"
    else:
        rest = f"have qualities from {min(others):.4g} to {max(others):.4g}"
    which = "The other set" if len(others) == 1 else f"The other {len(others)} sets"
    return f"{said} {which} {rest}."


def _weak(result: Result) -> str:
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
    said = (
        f"{len(weak)} of {len(every)} features in the sets"
        if len(weak) < len(every)
        else "All features of the sets"
    )
    is_weak = "is" if len(weak) == 1 < len(every) else "are"
    return (
        f"{said} {is_weak} not above the noise floor: features that say nothing may score as high by chance."
    )


def _costs(frontier: Frontier) -> str:
    """Where the curve bends, as far as it goes."""
    costs = "The more different sets must be, the worse they get." if len(frontier.points) > 1 else ""
    n_missing = frontier.n_asked - len(frontier.points)
    cut = f"This is not the whole curve: {counted(n_missing, 'search')} of {frontier.n_asked} not done."
    return " ".join(filter(None, [costs, cut if n_missing else "", frontier.suggestion.reason]))


def _missing(result: Result) -> str:
    found, asked = len(result.sets), len(result.statuses)
    said = f"{found} of {asked} sets were found." if found else "No set was found."
    return f"{said} {result.reason}".strip()


def _predicts(evaluation: Evaluation) -> str:
    """The mean score of each set beside the baseline."""
    if not evaluation.folds:
        return "No fold was done, so nothing is known about it."
    means = [value for value in evaluation.mean_scores() if value == value]
    name = evaluation.scorers[0]
    if not means:
        return ""
    low, high = f"{min(means):.3f}", f"{max(means):.3f}"
    span = low if low == high else f"{low} to {high}"
    base = evaluation.baseline
    beside = f"; a model without features has {base:.3f}" if base == base else ""
    what = f" ({SCORERS[name]})" if name in SCORERS else ""
    sets = (
        "models with these sets" if evaluation.given else "models with sets that were found in the same way"
    )
    return (
        f"On rows that they have not seen, {sets} have a mean {name} of {span}{beside}{what}. {_beats(evaluation)}"
    ).strip()


def _beats(evaluation: Evaluation) -> str:
    """Whether it helps to know the features at all."""
    known = [entry.beats for entry in evaluation.against_baseline if entry.scorer == evaluation.scorers[0]]
    if not known or any(better is None for better in known):
        return ""
    if not any(known):
        return "No set was shown to predict better than a guess."
    if all(known):
        return (
            "All of them predict better than a guess." if len(known) > 1 else "That is better than a guess."
        )
    return f"{sum(map(bool, known))} of {len(known)} sets were shown to predict better than a guess."
