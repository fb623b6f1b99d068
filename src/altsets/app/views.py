"""Views of a session for the explorer's page: words, settings and blocks of the report document, as plain data.

All words and numbers of an answer are decided here; the page draws them. Pinned sets come first. They are called
``pinned 1`` and so on, so that the numbers of the others are those of the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import Any

from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.problem import AGGREGATIONS, SEARCHES
from altsets.quality import Quality
from altsets.quality.spec import SURVIVAL_MEASURE
from altsets.report import sections, sentences
from altsets.report.decision import decision_blocks, untested
from altsets.report.document import Block, column, curves_chart, table, text, verdict
from altsets.result import Frontier, Progress, Result, Status
from altsets.session import Session
from altsets.views import frontier as frontier_views
from altsets.views.records import CurveMark
from altsets.wording import counted, join_words, list_some, paragraph, percent, plural, sentence

View = dict[str, Any]
#: Called with how far something has come; what it raises ends the work.
Watch = Callable[[Any], object]

#: Features and sets that sliders go to; fields beside them take larger numbers, up to the second one for sets.
SLIDER_FEATURES, SLIDER_SETS, MOST_SETS = 30, 10, 100
TAU_STEP = 0.05
#: Features whose names and scores a page gets, and the letters of all names together.
MOST_FEATURES, MOST_LETTERS = 50_000, 4_000_000
#: Features of a set that a sentence names.
MOST_NAMED = 6

SEARCH_WORDS = {
    "sequential": "one set after the other",
    "simultaneous": "all sets together",
    "greedy-replacement": "quick heuristic: replacement",
    "greedy-balancing": "quick heuristic: balancing",
    "greedy-depth": "quick heuristic: depth",
}
AGGREGATION_WORDS = {
    "sum": "the sum over all sets",
    "min": "the weakest set",
    "leximin": "the weakest set, then the next",
}
#: The settings ``distinct`` and ``within`` that are offered.
DISTINCT = ("0.95:spearman", "0.9:spearman", "0.8:spearman", "0.7:spearman")
WITHIN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
#: What to look for, as ``Progress.goal`` names it.
GOAL_WORDS = {
    "": "this number of sets, at least this different",
    "tau": "sets as different as possible",
    "n_sets": "as many sets as there are",
}
#: What can be done with the chart of members.
CHOOSE = (
    "A row for each feature that is in a set, those in most sets first. Choose a row to require or forbid the feature, "
    "or to ask what stands in for it."
)
#: How a page tests what scores alone cannot tell.
TO_FIND_OUT = "To find out how well the sets predict, press Test predictions."


# --- The answer for a state ---------------------------------------------------------------------------------


def answer_view(session: Session, given: Mapping[str, Any], watch: Watch) -> View:
    """The answer for the state of a session.

    ``given`` may name with "scores_of" the quality whose scores the page has already; those of another one are added.
    """
    said = session.result.verdict
    spoken = paragraph(*_first_and_last(said.findings), *said.cautions[:1])
    return _view(session, session.state, session.result, given, spoken)


def progress_view(
    session: Session, state: Mapping[str, Any], progress: Progress, given: Mapping[str, Any]
) -> View:
    """The best so far of a search that goes on; nothing that is said about it counts as proven but its bound."""
    quality = session.scored_for(state)
    found, asked = list(progress.sets), state["n_alternatives"]
    n_asked = len(found) if asked == "max" else int(asked) + 1 - len(state["pinned"])
    is_quality = progress.goal == "quality"
    result = Result(
        sets=found,
        qualities=[float(quality.evaluate(chosen)) for chosen in found],
        objective=progress.best if is_quality else math.nan,
        bound=progress.bound if is_quality else math.inf,
        status=Status.FEASIBLE if found else Status.NOT_FOUND,
        statuses=[Status.FEASIBLE] * len(found) + [Status.NOT_FOUND] * max(0, n_asked - len(found)),
        texts=[quality.names_of(chosen) for chosen in found],
        parameters={
            "search": state["search"],
            "aggregation": state["aggregation"],
            "n_features_in": quality.n_features_in,
        },
        scores=_scores(quality, found),
        existing_qualities=[float(quality.evaluate(chosen)) for chosen in _pinned(quality, state)],
    )
    seconds = f"The search goes on, for {progress.elapsed:.1f} s so far."
    words = [seconds, _so_far(result, n_asked)]
    banner = verdict(words, good=False)
    assert banner is not None
    view = _view(session, state, result, given, paragraph(*words))
    return view | {"banner": banner | {"label": "Best so far" if found else "Searching"}}


def _view(
    session: Session, state: Mapping[str, Any], result: Result, given: Mapping[str, Any], spoken: str
) -> View:
    quality = session.scored_for(state)
    known = _origin(session, given)
    shown = AllSets.of(result, state, quality)
    said = result.verdict
    settled = all(status in (Status.OPTIMAL, Status.INFEASIBLE) for status in result.statuses)
    first = [*untested(result, TO_FIND_OUT), *_first_and_last(said.findings)]
    view = {
        "title": "Explore feature sets",
        "subtitle": sentences.about_data(known, quality.n_features_in),
        "banner": verdict(first, good=settled),
        "details": said.findings[1:-1],
        "cautions": text(*said.cautions, tone="warning"),
        "spoken": spoken,
        "asked": _asked(result, known),
        "certain": settled,
        "sets": _sets(result, shown),
        "blocks": _charts(shown, state["require"]),
        "settings": _settings(session, state, quality),
    }
    if "scores_of" not in given or given["scores_of"] != state["quality"]:
        view["catalog"] = _catalog(quality, state["quality"])
    return view


def _origin(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is known about the table; its name and that of the target come with the question."""
    said = {"rows": session.n_rows, "columns": len(session.feature_names)}
    said |= {"file": given.get("file"), "target": given.get("target")}
    return {"data": {name: value for name, value in said.items() if value is not None}}


def _first_and_last(findings: Sequence[str]) -> list[str]:
    """The best set and what is proven; what each set has instead of others is told beside the sets."""
    return list(dict.fromkeys((*findings[:1], *findings[-1:])))


def _so_far(result: Result, n_asked: int) -> str:
    if not result.sets:
        return "No set was found yet."
    found = f"{len(result.sets)} of {counted(n_asked, 'set')}"
    value, bound, asked = result.objective, result.bound, result.parameters
    if not math.isfinite(value):
        return f"{found}."
    weakest = asked["aggregation"] == "min" and asked["search"] == "simultaneous"
    found += f", the weakest of quality {value:.6g}" if weakest else f", of quality {value:.6g} together"
    if not math.isfinite(bound) or bound < value:
        return f"{found}; how much better sets can be is not known yet."
    near = f", {percent(value / bound)} of that" if bound > 0 < value else ""
    return f"{found}; no sets can have more than {bound:.6g}{near}."


def _asked(result: Result, known: Mapping[str, Any]) -> str:
    """The settings in words; of a search that goes on, nothing."""
    if "n_features" not in result.parameters and "sizes" not in result.parameters:
        return ""
    target = str(known["data"].get("target", ""))
    # Existing sets are those that were pinned here.
    return sentences.about_request(result, target).replace("existing set", "pinned set")


@dataclass(frozen=True, eq=False)
class AllSets(Result):
    """An answer with the pinned sets before its own, for lists and charts."""

    n_pinned: int = 0

    def label(self, number: int) -> str:
        """The name of a set; the numbers of sets that were searched for are those of the verdict."""
        if number < self.n_pinned:
            return f"pinned {number + 1}"
        return super().label(number - self.n_pinned)

    @classmethod
    def of(cls, result: Result, state: Mapping[str, Any], quality: Quality) -> AllSets:
        pinned = _pinned(quality, state)
        later = len(pinned)
        known = {entry.name: getattr(result, entry.name) for entry in fields(result)} | {
            "sets": [*pinned, *result.sets],
            "texts": [*map(quality.names_of, pinned), *result.texts],
            "qualities": [*(result.existing_qualities or [math.nan] * later), *result.qualities],
            "statuses": [*[Status.FEASIBLE] * later, *result.statuses],
            "scores": [*_scores(quality, pinned), *result.scores],
            "matches": [(i + later, j + later, f, g, alike) for i, j, f, g, alike in result.matches],
            "existing_qualities": [],
        }
        return cls(**known, n_pinned=later)


def _pinned(quality: Quality, state: Mapping[str, Any]) -> list[tuple[int, ...]]:
    names = FeatureNames.of_quality(quality)
    return [tuple(sorted(names.positions(chosen, "pinned"))) for chosen in state["pinned"]]


def _scores(quality: Quality, sets: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
    """What each feature of each set alone is worth; empty if only sets have scores."""
    scores = quality.feature_scores
    return [] if scores is None else [tuple(float(scores[index]) for index in chosen) for chosen in sets]


def _sets(result: Result, shown: AllSets) -> list[View]:
    best = next(iter([*result.qualities, *shown.qualities]), math.nan)
    certain = ["kept as it is"] * shown.n_pinned
    certain += [sections.certainty(result, status) for status in result.statuses]
    return [
        {
            "label": shown.label(number),
            "features": names,
            "quality": value,
            "share": 100 * value / best if best > 0 else None,
            "certainty": certain[number],
            "pinned": number < shown.n_pinned,
        }
        for number, (names, value) in enumerate(zip(shown.texts, shown.qualities, strict=True))
    ]


def _charts(shown: AllSets, required: Sequence[str]) -> list[Block]:
    """The charts of the report; features can be chosen in the first one."""
    if not shown.sets:
        return []
    # A bound is on the sets that were searched for.
    members, *others = sections.set_charts(shown, with_proof=not shown.n_pinned)
    named = [f"{name} (required)" if name in required else name for name in members["features"]]
    return [members | {"features": named, "items": members["features"], "description": CHOOSE}, *others]


def _settings(session: Session, state: Mapping[str, Any], quality: Quality) -> View:
    n_features, size = quality.n_features_in, state["n_features"]
    n_sets = 1 if state["n_alternatives"] == "max" else int(state["n_alternatives"]) + 1
    distincts, withins = [*DISTINCT, state["distinct"]], [*WITHIN, state["within"]]
    distinct = {"": "only a feature itself"}
    distinct |= {one: f"features alike by {one.partition(':')[0]} or more" for one in distincts if one}
    within = {"": "any quality"}
    within |= {f"{one:g}": f"within {100 * one:g} % of the best" for one in withins if one is not None}
    names = session.quality_names
    # Measures for survival are offered for no other target.
    known = {"quality": state["quality"], "task": "survival" if SURVIVAL_MEASURE in names else "auto"}
    only_sets = quality.feature_scores is None
    return {
        "n_features": {
            "low": 1,
            "high": n_features,
            "slider": min(n_features, max(SLIDER_FEATURES, size or 1)),
        },
        "n_sets": {"low": 1, "high": MOST_SETS, "slider": max(SLIDER_SETS, n_sets)},
        "tau": {"low": 0, "high": 1, "step": TAU_STEP},
        "goal": list(GOAL_WORDS.items()),
        "within": list(within.items()),
        "quality": [(name, name.replace("_", " ")) for name in names],
        "search": [(name, SEARCH_WORDS[name]) for name in SEARCHES],
        "aggregation": [(name, AGGREGATION_WORDS[name]) for name in AGGREGATIONS],
        "distinct": [] if session.n_rows is None else list(distinct.items()),
        "about": {"quality": sentences.about_quality(known, only_sets=only_sets)},
    }


def _catalog(quality: Quality, name: str | None) -> View:
    """All features by falling score, as far as there is room: names and scores in two lists."""
    scores, names = quality.feature_scores, quality.feature_names
    order = range(len(names)) if scores is None else sorted(range(len(names)), key=lambda f: (-scores[f], f))
    letters = accumulate(len(names[index]) for index in order[:MOST_FEATURES])
    listed = [index for index, used in zip(order, letters, strict=False) if used <= MOST_LETTERS]
    return {
        "quality": name,
        "names": [names[index] for index in listed],
        "scores": None if scores is None else [float(scores[index]) for index in listed],
        "total": len(names),
    }


# --- What else can be asked about a state -------------------------------------------------------------------


def only_words(*words: str) -> View:
    return {"words": list(words), "blocks": []}


def frontier_view(session: Session, given: Mapping[str, Any], watch: Watch) -> View:
    """What difference costs: quality over tau for the settings of a state."""
    state = session.state
    if state["n_alternatives"] == 0:
        return only_words(
            "One set has nothing to differ from; ask for more sets to see what difference costs."
        )
    frontier = session.frontier(callback=watch)
    if not any(point.result.sets for point in frontier):
        return only_words(frontier.explain())
    seen, said = frontier_views.curve_over_tau(frontier), sentences.about_costs(frontier)
    drawn = curves_chart(
        "frontier",
        "What difference costs",
        replace(seen, mark=_here(frontier, float(session.result.tau or 0))),
        f"How much quality is left, the more different the sets must be. {said}",
    )
    return {"words": [said], "blocks": [drawn]}


def _here(frontier: Frontier, tau: float) -> CurveMark | None:
    """The first point at which sets differ as much as they have to now."""
    points = enumerate(frontier.curve(frontier.sizes[0], frontier.counts[0]))
    close = (CurveMark(0, place, "now") for place, point in points if point.tau >= tau - frontier_views.CLOSE)
    return next(close, None)


def stand_in_view(session: Session, given: Mapping[str, Any], watch: Watch) -> View:
    """What stands in for a feature of set 0; for another one, what a set with it is worth."""
    feature = str(given.get("feature", ""))
    if feature not in session.feature_names:
        raise InputError(f"there is no feature {feature!r:.60}; choose one of the list.")
    result = session.result
    if not result.sets:
        return only_words("There is no set, so nothing can be lost.")
    first = result.texts[0]
    if feature not in first:
        return _if_required(session, feature, first, result.qualities[0])
    losses = session.what_if([feature])
    loss, words = losses.losses[0], [losses.explain()]
    if loss.named_set is not None:
        comes, goes = _exchange(first, loss.named_set)
        others = [name for name in goes if name != feature]
        also = (
            f", and {join_words(others)} {plural(len(others), 'gives', 'give')} way as well" if others else ""
        )
        words.insert(0, f"In the place of {feature}: {_some(comes)}{also}.")
        if loss.intact:
            named = join_words([f"set {number}" for number in loss.intact])
            words.append(sentence(f"{named} {plural(len(loss.intact), 'does', 'do')} without it already"))
    return only_words(*words)


def _if_required(session: Session, feature: str, first: Sequence[str], value: float) -> View:
    as_good, state = f"{feature} is not in set 0, which is as good without it.", session.state
    if feature in state["forbid"]:
        return only_words(as_good, "It is forbidden; allow it to see what a set with it is worth.")
    alone = {"require": [*state["require"], feature], "n_alternatives": len(state["pinned"])}
    found = session.answer_for({**state, **alone}).result
    if not found.sets:
        return only_words(as_good, paragraph("No set with it meets all conditions.", found.reason))
    comes, goes = _exchange(first, found.texts[0])
    best = "The best set with it" + ("" if found.statuses[0] is Status.OPTIMAL else " that was found")
    worth = f"scores {found.qualities[0]:.4g}"
    if value > 0 < found.qualities[0]:
        worth = f"keeps {percent(found.qualities[0] / value)} of set 0's score"
    instead = f", with {_some(comes)} instead of {_some(goes)}" if comes and goes else ""
    return only_words(as_good, f"{best} {worth}{instead}.")


def _some(names: Sequence[str]) -> str:
    return list_some(names, MOST_NAMED, last="and")


def _exchange(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    return [name for name in after if name not in before], [name for name in before if name not in after]


def compare_view(session: Session, given: Mapping[str, Any], watch: Watch) -> View:
    """Two settings side by side: the state of the session, and another one."""
    there = session.answer_for(given.get("other"), "before")
    here = replace(session.history[session.position], name="now")
    compared = session.compare(there, here)
    known = _origin(session, given)
    sides = [
        {
            "asked": _asked(one.result, known),
            "sets": _sets(one.result, AllSets.of(one.result, one.state, session.scored_for(one.state))),
        }
        for one in (there, here)
    ]
    most_changed = sorted(
        compared.counts.items(), key=lambda item: (-abs(item[1][0] - item[1][1]), -max(item[1]))
    )
    columns = [
        column("Feature", [name for name, _ in most_changed]),
        column("Sets before", [before for _, (before, _) in most_changed], "number"),
        column("Sets now", [now for _, (_, now) in most_changed], "number"),
    ]
    listed = table("difference", "In how many sets each feature is.", columns)
    return {"words": [compared.explain()], "sides": sides, "blocks": [listed]}


def evaluate_view(session: Session, given: Mapping[str, Any], watch: Watch) -> View:
    """How well the sets predict rows that neither the search nor the model has seen."""
    evaluation = session.evaluate(callback=watch)
    said = evaluation.verdict
    made = sections.evaluation_section(evaluation, with_sets=False)
    return {
        "words": [*said.findings, *said.cautions],
        "decisions": [block for block in decision_blocks(None, evaluation) if block is not None],
        "blocks": made["blocks"],
    }


#: What can be asked about a state.
VERBS: dict[str, Callable[[Session, Mapping[str, Any], Watch], View]] = {
    "answer": answer_view,
    "frontier": frontier_view,
    "stand_in": stand_in_view,
    "compare": compare_view,
    "evaluate": evaluate_view,
}
