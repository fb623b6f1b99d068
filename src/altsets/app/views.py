"""Views of a session for the explorer's page: words, settings and blocks of the report document, as plain data.

All words and numbers of an answer are decided here; the page draws them. Pinned sets come first. They are called
``pinned 1`` and so on, so that the numbers of the others are those of the verdict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.problem import AGGREGATIONS, SEARCHES
from altsets.quality import Quality
from altsets.quality.spec import SURVIVAL_MEASURE
from altsets.report import sections, sentences
from altsets.report.decision import decision_blocks, untested
from altsets.report.document import (
    SETS_DRAWN,
    Block,
    bars_chart,
    column,
    curves_chart,
    grid_chart,
    membership_chart,
    table,
    text,
    to_plain,
    verdict,
)
from altsets.result import Progress, Result, Status
from altsets.search.frontier import Frontier
from altsets.session import Session
from altsets.views import frontier as frontier_views
from altsets.views import sets as set_views
from altsets.views.records import CurveMark
from altsets.wording import counted, join_words, list_some, paragraph, percent

View = dict[str, Any]

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
#: What counts as the same feature, as the setting ``distinct`` has it, and in words.
DISTINCT_WORDS = {
    "": "only a feature itself",
    "0.95:spearman": "features alike by 0.95 or more",
    "0.9:spearman": "features alike by 0.9 or more",
    "0.8:spearman": "features alike by 0.8 or more",
    "0.7:spearman": "features alike by 0.7 or more",
}
#: What to look for, as ``Progress.goal`` names it, and how good sets must be, as the setting ``within`` has it.
GOAL_WORDS = {
    "": "this number of sets, at least this different",
    "tau": "sets as different as possible",
    "n_sets": "as many sets as there are",
}
WITHIN_WORDS = {
    "": "any quality",
    **{f"{p / 100:g}": f"within {p} % of the best" for p in (1, 2, 5, 10, 20, 50)},
}
#: How a page tests what scores alone cannot tell.
TO_FIND_OUT = "To find out how well the sets predict, press Test predictions."


# --- The answer for a state ---------------------------------------------------------------------------------


def answer_view(session: Session, given: Mapping[str, Any]) -> View:
    """The answer for the state of a session.

    ``given`` may say with "scores_of" which quality's scores the page has already; those of another one are added.
    """
    result = session.result
    return _view(session, session.state, result, given, _spoken(result))


def progress_view(
    session: Session, state: Mapping[str, Any], progress: Progress, given: Mapping[str, Any]
) -> View:
    """The best so far of a search that goes on; nothing that is said about it counts as proven but its bound."""
    quality = session.scored_for(state)
    asked = state["n_alternatives"]
    names = FeatureNames.of_quality(quality)
    found = list(progress.sets)
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
            "n_features_in": len(names),
        },
        scores=_scores(quality, found),
        existing_qualities=[
            float(quality.evaluate(names.positions(chosen, "pinned"))) for chosen in state["pinned"]
        ],
    )
    seconds = f"The search goes on, for {progress.elapsed:.1f} s so far."
    words = paragraph(seconds, _so_far(result, n_asked))
    view = _view(session, state, result, given, words)
    said = text(seconds, _so_far(result, n_asked), tone="verdict")
    assert said is not None
    return view | {"banner": said | {"label": "Best so far" if found else "Searching", "good": False}}


def _view(
    session: Session, state: Mapping[str, Any], result: Result, given: Mapping[str, Any], spoken: str
) -> View:
    quality = session.scored_for(state)
    known = _origin(session, given)
    shown, labels = _with_pinned(result, state, quality)
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
        "gap": result.gap if math.isfinite(result.gap) else None,
        "sets": _sets(result, shown, labels),
        "blocks": _charts(shown, labels, state),
        "settings": _settings(session, state, quality),
        "n_features_in": quality.n_features_in,
    }
    if "scores_of" not in given or given["scores_of"] != state["quality"]:
        view["catalog"] = _catalog(quality, state["quality"])
    plain: View = to_plain(view)
    return plain


def _origin(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is known about the table; its name and that of the target come with the question."""
    said = {"rows": session.n_rows, "columns": len(session.feature_names)}
    said |= {"file": given.get("file"), "target": given.get("target")}
    return {"data": {name: value for name, value in said.items() if value is not None}}


def _spoken(result: Result) -> str:
    """What is worth hearing after a change: what the answer is, and how sure."""
    said = result.verdict
    return paragraph(*_first_and_last(said.findings), *said.cautions[:1])


def _first_and_last(findings: Sequence[str]) -> list[str]:
    """The best set and what is proven; what each set has instead of others is told beside the sets."""
    return list(dict.fromkeys((*findings[:1], *findings[-1:])))


def _so_far(result: Result, n_asked: int) -> str:
    """Sets, the objective and its bound, as they are now."""
    if not result.sets:
        return "No set was found yet."
    found = f"{len(result.sets)} of {counted(n_asked, 'set')}"
    if not math.isfinite(result.objective):
        return f"{found}."
    value = f"{found}, of quality {result.objective:.6g} together"
    if result.parameters["aggregation"] == "min" and result.parameters["search"] == "simultaneous":
        value = f"{found}, the weakest of quality {result.objective:.6g}"
    if not math.isfinite(result.bound) or result.bound < result.objective:
        return f"{value}; how much better sets can be is not known yet."
    near = (
        f", {percent(result.objective / result.bound)} of that" if result.bound > 0 < result.objective else ""
    )
    return f"{value}; no sets can have more than {result.bound:.6g}{near}."


def _asked(result: Result, known: Mapping[str, Any]) -> str:
    """The settings in words; of a search that goes on, nothing."""
    if "n_features" not in result.parameters and "sizes" not in result.parameters:
        return ""
    target = str((known.get("data") or {}).get("target") or "")
    # Existing sets are those that were pinned here.
    return sentences.about_request(result, target).replace("existing set", "pinned set")


def _with_pinned(result: Result, state: Mapping[str, Any], quality: Quality) -> tuple[Result, list[str]]:
    """All sets as one result for charts, pinned ones first, and what they are called."""
    labels = [f"pinned {number + 1}" for number in range(len(state["pinned"]))]
    labels += [f"set {number}" for number in range(len(result.sets))]
    if not state["pinned"]:
        return result, labels
    names = FeatureNames.of_quality(quality)
    pinned = [tuple(sorted(names.positions(chosen, "pinned"))) for chosen in state["pinned"]]
    values = list(result.existing_qualities) or [math.nan] * len(pinned)
    later = len(pinned)
    return (
        replace(
            result,
            sets=[*pinned, *result.sets],
            texts=[*map(quality.names_of, pinned), *result.texts],
            qualities=[*values, *result.qualities],
            statuses=[*[Status.FEASIBLE] * later, *result.statuses],
            scores=[*_scores(quality, pinned), *result.scores],
            matches=[(i + later, j + later, f, g, alike) for i, j, f, g, alike in result.matches],
            existing_qualities=[],
        ),
        labels,
    )


def _scores(quality: Quality, sets: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
    """What each feature of each set alone is worth; empty if only sets have scores."""
    scores = quality.feature_scores
    return [] if scores is None else [tuple(float(scores[index]) for index in chosen) for chosen in sets]


def _sets(result: Result, shown: Result, labels: Sequence[str]) -> list[View]:
    """One entry for each set, to be listed with buttons."""
    n_pinned = len(shown.sets) - len(result.sets)
    best = next(iter([*result.qualities, *shown.qualities]), math.nan)
    entries = []
    for number, (names, value) in enumerate(zip(shown.texts, shown.qualities, strict=True)):
        pinned = number < n_pinned
        entries.append(
            {
                "label": labels[number],
                "features": names,
                "quality": value,
                "share": 100 * value / best if best > 0 else None,
                "certainty": "kept as it is"
                if pinned
                else sections.certainty(result, result.statuses[number - n_pinned]),
                "pinned": pinned,
            }
        )
    return entries


def _charts(shown: Result, labels: Sequence[str], state: Mapping[str, Any]) -> list[Block]:
    """Members, qualities, overlaps: what the report draws, also of a single set."""
    if not shown.sets:
        return []
    names = tuple(labels[:SETS_DRAWN])
    members = set_views.membership(shown, most_sets=SETS_DRAWN)
    required = set(state["require"])
    drawn = membership_chart(
        "membership",
        "Which features are in which sets",
        replace(
            members,
            set_names=names,
            features=tuple(f"{name} (required)" if name in required else name for name in members.features),
        ),
        "A row for each feature that is in a set, those in most sets first. Choose a row to require or forbid the "
        "feature, or to ask what stands in for it.",
        "Score",
    )
    bars = replace(set_views.qualities(shown, most=SETS_DRAWN), labels=names)
    if state["pinned"]:
        # A bound is on the sets that were searched for.
        bars = replace(bars, lines=(), marked=(), note="")
    made = [
        drawn | {"items": list(members.features)},
        bars_chart("quality", "How good each set is", bars, "The quality of each set; more is better."),
    ]
    if len(shown.sets) > 1:
        what = shown.compared[0]
        shared = replace(set_views.overlaps(shown, most=SETS_DRAWN), rows=names, columns=names)
        about = f"The number of {what}s that each two sets have in common."
        made.append(grid_chart("overlap", f"How many {what}s two sets share", shared, about, "Set"))
        if shown.is_matched and not state["pinned"]:
            alike = replace(set_views.likeness(shown, most=SETS_DRAWN), rows=names, columns=names)
            about = "1: one set says the same as the other, 0: no feature of one is like any feature of the other."
            made.append(grid_chart("likeness", "How alike two sets are", alike, about, "Set"))
    return made


def _settings(session: Session, state: Mapping[str, Any], quality: Quality) -> View:
    """What can be set, from where to where, and in which words."""
    n_features = quality.n_features_in
    size = state["n_features"]
    n_sets = 1 if state["n_alternatives"] == "max" else int(state["n_alternatives"]) + 1
    distinct = dict(DISTINCT_WORDS)
    if state["distinct"] and state["distinct"] not in distinct:
        distinct[state["distinct"]] = f"features alike by {state['distinct'].partition(':')[0]} or more"
    within = dict(WITHIN_WORDS)
    if state["within"] is not None:
        within.setdefault(f"{state['within']:g}", f"within {100 * state['within']:g} % of the best")
    names = session.quality_names
    # Measures for survival are offered for no other target.
    task = "survival" if SURVIVAL_MEASURE in names else "auto"
    return {
        "n_features": {
            "low": 1,
            "high": n_features,
            "slider": min(n_features, max(SLIDER_FEATURES, size or 1)),
        },
        "n_sets": {"low": 1, "high": MOST_SETS, "slider": max(SLIDER_SETS, n_sets)},
        "tau": {"low": 0, "high": 1, "step": TAU_STEP},
        "goal": list(map(list, GOAL_WORDS.items())),
        "within": list(map(list, within.items())),
        "quality": [[name, name.replace("_", " ")] for name in names],
        "search": [[name, SEARCH_WORDS[name]] for name in SEARCHES],
        "aggregation": [[name, AGGREGATION_WORDS[name]] for name in AGGREGATIONS],
        "distinct": [[name, words] for name, words in distinct.items()] if session.n_rows is not None else [],
        "about": {
            "quality": sentences.about_quality(
                {"quality": state["quality"], "task": task}, only_sets=quality.feature_scores is None
            ),
        },
    }


def _catalog(quality: Quality, name: str | None) -> View:
    """All features by falling score, as far as there is room: names and scores in two lists."""
    scores, names = quality.feature_scores, quality.feature_names
    order = range(len(names)) if scores is None else sorted(range(len(names)), key=lambda f: (-scores[f], f))
    listed: list[str] = []
    room = MOST_LETTERS
    for index in order[:MOST_FEATURES]:
        room -= len(names[index])
        if room < 0:
            break
        listed.append(names[index])
    values = None if scores is None else [float(scores[index]) for index in order[: len(listed)]]
    return {"quality": name, "names": listed, "scores": values, "total": len(names)}


# --- What else can be asked about a state -------------------------------------------------------------------


def _said(*words: str) -> View:
    return {"words": list(words), "blocks": []}


def frontier_view(
    session: Session, given: Mapping[str, Any], callback: Callable[[Any], object] | None = None
) -> View:
    """What difference costs: quality over tau for the settings of a state."""
    state = session.state
    if state["n_alternatives"] == 0:
        return _said("One set has nothing to differ from; ask for more sets to see what difference costs.")
    frontier = session.frontier(callback=callback)
    if not any(point.result.sets for point in frontier):
        return _said(frontier.explain())
    seen, said = frontier_views.curve_over_tau(frontier), sentences.about_costs(frontier)
    drawn = curves_chart(
        "frontier",
        "What difference costs",
        replace(seen, mark=_here(frontier, float(session.result.tau or 0))),
        f"How much quality is left, the more different the sets must be. {said}",
    )
    plain: View = to_plain({"words": [said], "blocks": [drawn]})
    return plain


def _here(frontier: Frontier, tau: float) -> CurveMark | None:
    """The first point at which sets differ as much as they have to now."""
    points = frontier.curve(frontier.sizes[0], frontier.counts[0])
    place = next(
        (place for place, point in enumerate(points) if point.tau >= tau - frontier_views.CLOSE), None
    )
    return None if place is None else CurveMark(0, place, "now")


def stand_in_view(session: Session, given: Mapping[str, Any]) -> View:
    """What stands in for a feature of set 0; for another one, what a set with it is worth."""
    feature = str(given.get("feature", ""))
    if feature not in session.feature_names:
        raise InputError(f"there is no feature {feature!r:.60}; choose one of the list.")
    result = session.result
    if not result.sets:
        return _said("There is no set, so nothing can be lost.")
    first = result.texts[0]
    if feature not in first:
        return _if_required(session, feature, first, result.qualities[0])
    losses = session.what_if([feature])
    loss = losses.losses[0]
    words = [losses.explain()]
    if loss.named_set is None:
        return _said(*words)
    comes, goes = _exchange(first, loss.named_set)
    others = [name for name in goes if name != feature]
    also = (
        f", and {join_words(others)} {'gives' if len(others) == 1 else 'give'} way as well" if others else ""
    )
    words.insert(0, f"In the place of {feature}: {list_some(comes, MOST_NAMED, last='and')}{also}.")
    if loss.intact:
        named = join_words([f"set {number}" for number in loss.intact])
        words.append(
            f"{named[:1].upper()}{named[1:]} {'does' if len(loss.intact) == 1 else 'do'} without it already."
        )
    return _said(*words)


def _if_required(session: Session, feature: str, first: Sequence[str], value: float) -> View:
    as_good = f"{feature} is not in set 0, which is as good without it."
    if feature in session.state["forbid"]:
        return _said(as_good, "It is forbidden; allow it to see what a set with it is worth.")
    state = session.state
    alone = {"require": [*state["require"], feature], "n_alternatives": len(state["pinned"])}
    found = session.answer_for({**state, **alone}).result
    if not found.sets:
        return _said(as_good, paragraph("No set with it meets all conditions.", found.reason))
    comes, goes = _exchange(first, found.texts[0])
    best = f"The best set with it{'' if found.statuses[0] is Status.OPTIMAL else ' that was found'}"
    keeps = (
        f"keeps {percent(found.qualities[0] / value)} of set 0's score"
        if value > 0 < found.qualities[0]
        else f"scores {found.qualities[0]:.4g}"
    )
    instead = (
        f", with {list_some(comes, MOST_NAMED, last='and')} instead of {list_some(goes, MOST_NAMED, last='and')}"
        if comes and goes
        else ""
    )
    return _said(as_good, f"{best} {keeps}{instead}.")


def _exchange(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """The features that come in, and those that go."""
    return [name for name in after if name not in before], [name for name in before if name not in after]


def compare_view(session: Session, given: Mapping[str, Any]) -> View:
    """Two settings side by side: the state of the session, and another one."""
    there = session.answer_for(given.get("other"), "before")
    here = replace(session.history[session.position], name="now")
    compared = session.compare(there, here)
    known = _origin(session, given)
    sides = [
        {
            "asked": _asked(step.result, known),
            "sets": _sets(
                step.result, *_with_pinned(step.result, step.state, session.scored_for(step.state))
            ),
        }
        for step in (there, here)
    ]
    before, now = (Counter(chain.from_iterable(step.sets)) for step in (there, here))
    names = sorted(
        before | now, key=lambda name: (-abs(before[name] - now[name]), -max(before[name], now[name]))
    )
    rows = [[name, before[name], now[name]] for name in names]
    columns = [column("Feature"), column("Sets before", "number"), column("Sets now", "number")]
    listed = table("difference", "In how many sets each feature is.", columns, rows)
    plain: View = to_plain({"words": [compared.explain()], "sides": sides, "blocks": [listed]})
    return plain


def evaluate_view(
    session: Session, given: Mapping[str, Any], callback: Callable[[float], object] | None = None
) -> View:
    """How well the sets predict rows that neither the search nor the model has seen."""
    evaluation = session.evaluate(callback=callback)
    said = evaluation.verdict
    made = sections.evaluation_section(evaluation, with_sets=False)
    plain: View = to_plain(
        {
            "words": [*said.findings, *said.cautions],
            "decisions": [block for block in decision_blocks(None, evaluation) if block is not None],
            "blocks": made["blocks"],
        }
    )
    return plain


def evaluating_view(share: float) -> View:
    """How far an evaluation has come."""
    return _said(f"Fitting models to the sets: {percent(share)} done.") | {"share": share}


#: What can be asked about a state, besides its answer.
VERBS: dict[str, Callable[..., View]] = {
    "frontier": frontier_view,
    "stand_in": stand_in_view,
    "compare": compare_view,
    "evaluate": evaluate_view,
}
