"""Reports: what a document says about every kind of answer, and the file that it becomes."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from pages import HOSTILE
from report_documents import Page, block, section
from words import about

import altsets
from altsets import Result, SelectAlternatives, constraints, quality
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError, MissingExtraError, NotExpressedError
from altsets.evaluation import overall
from altsets.report import render, summarise
from altsets.report.again import python_lines, shell_line
from altsets.report.document import shorten_middle, to_plain
from altsets.report.sentences import about_data, about_quality, about_request, why_certain
from altsets.result import Status, StopReason

pytest.importorskip("jinja2")

MEGABYTE = 1_000_000
SCORES = quality.Additive(
    [9, 8, 7, 3, 2, 1], feature_names=["age", "height", "weight", "shoe", "hat", "glove"]
)


def found(**asked):
    return altsets.find(SCORES, **{"n_features": 2, "n_alternatives": 1, "tau": 0.5, **asked})


def texts_of(document):
    """All that a document says, as one text."""
    return json.dumps(document, ensure_ascii=False)


def facts(document):
    return dict(section(document, "in-short")["blocks"][-1]["items"])


# --- What is said about an answer --------------------------------------------------------------------
def test_the_document_is_plain_json_in_the_agreed_form():
    document = summarise(found(), quality=SCORES)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["schema"], document["title"]) == (1, "2 feature sets")
    identities = [part["id"] for part in document["sections"]]
    assert identities == ["in-short", "sets", "origin", "again", "all-features"]
    kinds = {one["kind"] for part in document["sections"] for one in part["blocks"]}
    assert kinds <= {"text", "facts", "table", "code", "chart"}
    named = [one["id"] for part in document["sections"] for one in part["blocks"] if "id" in one]
    assert len(named) == len(set(named))
    for part in document["sections"]:
        for one in part["blocks"]:
            if one["kind"] == "table":
                assert {len(row) for row in one["rows"]} == {len(one["columns"])}
                assert one["file"].endswith(".csv")


def test_sets_have_names_scores_quality_and_status(snapshot):
    document = summarise(found(), quality=SCORES)
    assert block(document, "sets")["rows"] == [
        [0, ["age", "height"], 17.0, 100.0, "proven best"],
        [1, ["age", "weight"], 16.0, pytest.approx(94.1176), "proven best"],
    ]
    members = block(document, "membership")
    assert members["features"] == ["age", "height", "weight"]
    assert members["members"] == [[1, 1], [1, 0], [0, 1]]
    assert members["scores"] == [9, 8, 7]
    # Two sets need no chart.
    assert block(document, "overlap") is block(document, "quality") is None
    assert about(texts_of(document), "share") == snapshot
    assert block(summarise(found(n_alternatives=2)), "overlap")["values"][0] == [2, 1, 1]
    listed = block(document, "features")["rows"]
    assert listed[0] == ["age", 9.0, ["set 0", "set 1"]]
    assert [row[0] for row in listed] == SCORES.feature_names
    decision, _, findings, _ = section(document, "in-short")["blocks"]
    assert decision["paragraphs"][0] == snapshot
    assert findings["paragraphs"] == list(found().verdict.findings)


def test_what_matches_what(snapshot):
    alike = np.eye(6)
    alike[1, 2] = alike[2, 1] = 0.95
    result = found(tau=0, n_alternatives=1, dissimilarity=Matched(alike, threshold=0.9), existing=[[0, 3]])
    document = summarise(replace(result, sets=[(0, 1), (0, 2)], texts=[("age", "height"), ("age", "weight")],
                                 matches=[(1, 0, 2, 1, 0.95)]))  # fmt: skip
    assert block(document, "matches")["rows"] == [[1, "weight", 0, "height", "0.95"]]
    assert about(texts_of(document), "Their similarity") == snapshot
    three = replace(
        result,
        sets=[(0, 1), (0, 2), (3, 4)],
        qualities=[*result.qualities, 1.0],
        statuses=[*result.statuses, result.status],
        scores=[*result.scores, (3, 2)],
        texts=[("age", "height"), ("age", "weight"), ("c", "d")],
        matches=[(1, 0, 2, 1, 0.95)],
    )
    assert block(summarise(three), "likeness")["values"] == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (found(n_alternatives=0), ["Proven: no set of 2 features scores higher."]),
        (found(), ["The best set of 2 features: ", "Set 1 keeps", "none this different from it higher than set 1"]),
        (
            found(n_alternatives=2, constraints=[constraints.Require("age")]),
            ["no set of 2 features that meets all conditions scores higher than set 0, and each other set is the best"],
        ),
        (
            found(n_alternatives=0, existing=[[0, 1]]),
            ["no set of 2 features that differs enough from the existing sets scores higher."],
        ),
        (
            found(n_alternatives=0, existing=[[0, 1]], constraints=[constraints.Require("age")]),
            ["that meets all conditions and differs enough from the existing sets scores higher."],
        ),
        (found(search="simultaneous"), ["no 2 sets of 2 features are this different and have a higher total score"]),
        (found(search="simultaneous", aggregation="min"), ["have a better weakest set"]),
        (found(search="greedy-replacement"), ["Not proven: the best sets together could score up to"]),
        (
            found(n_features=4, n_alternatives=2, tau=1),
            ["Caution: Only 1 of 3 sets was found; it is proven to leave no other."],
        ),
        (
            found(constraints=[constraints.Require("age"), constraints.Forbid("age")]),
            ["Proven: the request has no solution.", "clash"],
        ),
        (
            replace(found(), status=Status.FEASIBLE, statuses=[Status.OPTIMAL, Status.FEASIBLE], bound=36.3,
                    stop_reason=StopReason.TIME_LIMIT),
            ["Proven for 1 of 2 sets only: the best sets together could score up to 10 % higher.", "Time ran out"],
        ),
        (
            replace(found(), status=Status.FEASIBLE, statuses=[Status.FEASIBLE] * 2, bound=40.0,
                    stop_reason=StopReason.INTERRUPTED),
            ["Not proven", "was interrupted"],
        ),
        (
            replace(found(), sets=[], texts=[], qualities=[], scores=[], status=Status.NOT_FOUND,
                    statuses=[Status.NOT_FOUND] * 2, objective=float("nan"), bound=float("inf"),
                    stop_reason=StopReason.TIME_LIMIT, reason="More time may help."),
            ["No set was found; whether one exists is not known. More time may help.", "Time ran out"],
        ),
    ],
)  # fmt: skip
def test_the_proof_in_words(result, words, snapshot):
    said = str(result.verdict)
    for part in words:
        assert part in said
    document = summarise(result, quality=SCORES)
    blocks = section(document, "in-short")["blocks"]
    assert list(result.verdict.findings) in [one.get("paragraphs") for one in blocks]
    assert [b["paragraphs"][0] for b in blocks if b.get("tone") == "warning"] == list(result.verdict.cautions)
    if not result.sets:
        assert document["title"] == snapshot
        assert section(document, "sets") is None
    render.page(document)


def test_a_gap_is_told_where_qualities_are_negative(snapshot):
    result = altsets.find(quality.Additive([-1, -2, -3]), n_features=1, n_alternatives=0)
    open_ended = replace(result, status=Status.FEASIBLE, statuses=[Status.FEASIBLE], bound=-0.5)
    assert str(open_ended.verdict) == snapshot
    assert block(summarise(result), "sets")["columns"][-1]["name"] == "Certainty"


def test_black_boxes_are_told_apart(snapshot):
    asked = quality.BlackBox(lambda chosen: sum(chosen), n_features_in=5)
    result = altsets.find(asked, n_features=2, n_alternatives=0)
    assert why_certain(result) == snapshot
    local = altsets.find(asked, n_features=2, n_alternatives=0, engine="local-search")
    assert why_certain(local) == snapshot
    document = summarise(result, quality=asked)
    assert about(texts_of(document), "whole sets") == snapshot
    assert block(document, "features")["columns"] == [
        {"name": "Feature", "kind": "text"},
        {"name": "In", "kind": "names"},
    ]


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_other_questions_speak_for_themselves(search, snapshot):
    result = altsets.find(SCORES, 2, 1, tau="max", within=0.1, search=search)
    many = altsets.find(SCORES, 2, "max", tau=1, min_quality=5, search=search)
    assert about_request(result) == snapshot
    assert about_request(many) == snapshot
    for one in (result, many):
        assert about(texts_of(summarise(one)), "Python") == snapshot


@pytest.mark.parametrize(("asked", "words"), [
    ({}, "2 sets of 2 features each, any two of which share at most 1 feature (tau = 0.5)."),
    ({"tau": 1}, "any two of which share no feature (tau = 1)."),
    ({"tau": 2, "dissimilarity": "absolute"}, "any two of which share no feature."),
    ({"n_alternatives": 0}, "1 set of 2 features."),
    ({"dissimilarity": "jaccard"}, "any two of which share at most"),
    ({"dissimilarity": Grouped([["age", "hat"]])}, "features of one group count as the same"),
    ({"constraints": constraints.Size(1, 2)}, "2 sets of 1 to 2 features each"),
    ({"search": "simultaneous", "aggregation": "min"}, "the weakest is as good as possible"),
    ({"existing": [[4, 5]]}, "They also differ from 1 existing set."),
])  # fmt: skip
def test_the_request_in_words(asked, words):
    assert words in about_request(found(**asked))


def test_scores_from_a_file_have_no_meaning_of_their_own(snapshot):
    """The default quality of the command says nothing about how a file of scores came about."""
    said = about_quality({"quality": "mutual_info", "scores": "mine.csv"}, only_sets=False)
    assert said == snapshot
    assert "mutual information" in about_quality({"quality": "mrmr"}, only_sets=False)
    assert about_quality({"quality": "wrapper"}, only_sets=True) == snapshot
    assert about_quality({}, only_sets=False) == ""


@pytest.mark.parametrize("name", ["mrmr", "fcbf", "cfs", "linear_fit"])
def test_what_is_good_for_survival(name, snapshot):
    said = about_quality({"quality": name, "task": "survival"}, only_sets=name == "linear_fit")
    assert ("Cox model" if name == "linear_fit" else "Somers' D") in said
    assert "mutual information" not in said
    assert said == snapshot


def test_the_data_in_words(snapshot):
    data = {"rows": 1, "columns": 2000, "file": "-", "target": "y", "dropped_rows": 3}
    assert about_data({"data": data, "task": "regression"}, None) == snapshot
    assert about_data({}, 7) == "7 features."
    assert about_data({}, None) == ""


def test_conditions_and_proxies(snapshot):
    conditions = [
        constraints.Require("age"),
        constraints.AtMost(1, ["hat", "glove"]),
        constraints.Exclusive(["shoe", "hat"]),
        constraints.Implies("height", "age"),
        constraints.Budget({"age": 2, "hat": 5}, 6),
        constraints.MaxSimilarity(np.eye(6), 0.9),
        constraints.AtLeast(1, ["age", "height"]),
    ]
    document = summarise(found(constraints=conditions), quality=SCORES)
    said = section(document, "conditions")["blocks"][0]["paragraphs"]
    assert said == snapshot
    result = found(constraints=constraints.Forbid("glove"))
    entry = {"kind": "forbid", "features": [4, 5], "proxies": 0.8, "measure": "symmetrical_uncertainty",
             "ruled_out": [{"feature": 4, "other": 5, "similarity": 0.83}]}  # fmt: skip
    result = replace(result, parameters={**result.parameters, "constraints": [entry]})
    document = summarise(result, quality=SCORES)
    assert block(document, "proxies")["rows"] == [["hat", "glove", "0.83"]]
    assert about(texts_of(document), "glove;") == snapshot
    # Names that nobody knows: what was written down, or numbers.
    assert "feature number 5" in texts_of(summarise(result))
    told = replace(result, provenance={"constraints": ["forbid glove and its like"]})
    assert about(texts_of(summarise(told)), "Forbid") == snapshot


def test_braces_in_names_are_text_everywhere(snapshot):
    """A name is never a template: x_{1}, {0} and {x!r} are names like any other."""
    names = ["x_{1}", "{0}", "{}", "{x!r}", "a{b", "%(c)s"]
    scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=names)
    conditions = [
        constraints.AtMost(1, ["{}", "a{b"]),
        constraints.Exclusive(["{x!r}", "%(c)s"]),
        constraints.Budget({"x_{1}": 2, "a{b": 5}, 6),
    ]
    result = altsets.find(scores, n_features=2, n_alternatives=1, tau=0.5, constraints=conditions)
    document = summarise(
        result,
        quality=scores,
        near_best=altsets.near_best(scores, n_features=2, within=0.3),
        frontier=altsets.frontier(scores, n_features=2, n_alternatives=1),
    )
    assert all(name in texts_of(document) for name in names)
    assert about(texts_of(document), "{}, a{b") == snapshot
    page = render.page(document)
    assert "x_{1}" in page
    assert "x_{1}" in result._repr_html_()


def test_searches_that_were_not_done_are_counted_in_english(snapshot):
    whole = altsets.frontier(SCORES, n_features=2, n_alternatives=1)
    cut = replace(whole, points=whole.points[:1], n_asked=3)
    assert facts(summarise(frontier=cut))["What difference costs"] == snapshot


@pytest.mark.parametrize("by", ["penalty", "balance"])
def test_sums_and_what_they_are_traded_for(by, tmp_path):
    scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    found = altsets.frontier(scores, 2, 2, by=by)
    document = summarise(frontier=found, quality=scores)
    made = block(document, "curve-points")
    names = [one["name"] for one in made["columns"]]
    assert names[-3:] == ["Quality", "Features", "Certainty"]
    assert len(made["rows"]) == 3 * len(found)
    assert [row[names.index("Sum")] for row in made["rows"]] == [
        point.quality for point in found for _ in range(3)
    ]
    assert str(found.verdict.findings[0]) in texts_of(document)
    assert "Quality" in found._repr_html_()
    assert found.report(tmp_path / "page.html") == str(tmp_path / "page.html")
    assert "curve-points" in (tmp_path / "page.html").read_text("utf-8")
    none = altsets.frontier(scores, 4, 3, 1, by="balance")
    assert none.verdict.findings[0] in texts_of(summarise(frontier=none))


def test_without_names_scores_or_a_table(snapshot):
    result = altsets.find(quality.Additive([3, 2, 1]), n_features=1, n_alternatives=1)
    bare = Result.from_json(result.to_json())
    bare = replace(bare, scores=[])
    document = summarise(bare)
    assert block(document, "sets")["rows"][0][1] == ["x0"]
    assert block(document, "membership")["scores"] == [None, None]
    assert section(document, "all-features") is None
    render.page(document)
    # Nor its request.
    said = texts_of(summarise(replace(bare, parameters={}, provenance={"options": {}}, request=None)))
    assert about(said, "2 sets") == snapshot
    assert about(said, "does not hold") == snapshot


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 5)) + y[:, None] * np.array([3.0, 2.5, 2.0, 1.0, 0.0])
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1)
    return X, y, selector, altsets.evaluate(selector, X, y, n_repeats=1)


def test_an_evaluation_has_scores_baseline_and_stability(judged, snapshot):
    *_, evaluation = judged
    document = summarise(evaluation=evaluation)
    assert document["title"] == snapshot
    chart = block(document, "prediction")
    assert chart["values"] == pytest.approx(evaluation.mean_scores())
    assert chart["lines"][0]["value"] == pytest.approx(evaluation.baseline)
    # Of two sets, a sentence.
    assert block(document, "stability") is None
    assert about(texts_of(document), "Stability") == snapshot
    rows = block(document, "evaluation")["rows"]
    assert [row[0] for row in rows] == ["set 0", "set 1", "baseline"]
    frame = evaluation.sets_frame()
    assert [row[1] for row in rows[:2]] == pytest.approx(list(frame["test_matthews_corrcoef"]))
    assert [row[2] for row in rows[:2]] == pytest.approx(list(frame["std_matthews_corrcoef"]))
    said = texts_of(document)
    for comparison in evaluation.comparisons:
        assert comparison.sentence in said
    assert facts(document)["Prediction score"] == snapshot


def test_sets_that_were_given_have_no_stability(judged):
    X, y, *_ = judged
    document = summarise(evaluation=altsets.evaluate([[0], [1, 3]], X, y, n_repeats=1))
    assert block(document, "stability") is None
    assert block(document, "given-sets")["rows"] == [[0, ["x0"]], [1, ["x1", "x3"]]]
    # In the decision and in the summary.
    assert texts_of(document).count("scores are too high") == 2


def test_a_frontier_has_curves_points_and_a_suggestion():
    frontier = altsets.frontier(SCORES, n_features=[1, 2, 3], n_alternatives=1)
    document = summarise(frontier=frontier)
    assert frontier.suggestion.reason in facts(document)["What difference costs"]
    assert len(block(document, "frontier-points")["rows"]) == len(frontier.points)
    for identity in ("quality-over-tau", "quality-over-size", "quality-over-both"):
        assert block(document, identity)["kind"] == "chart"
    one = summarise(frontier=altsets.frontier(SCORES, n_features=2, n_alternatives=1))
    assert block(one, "quality-over-size") is None


def test_a_frontier_has_the_sets_of_the_suggested_point():
    bent = quality.Additive([9, 8, 8, 8, 7, 3, 1, 1])
    frontier = altsets.frontier(bent, n_features=4, n_alternatives=1)
    point = frontier.suggestion.point
    suggested = block(summarise(frontier=frontier), "suggested-sets")
    assert f"4 features, tau = {point.tau:.3g}" in suggested["caption"]
    assert [row[1] for row in suggested["rows"]] == [list(names) for names in point.result.named_sets]


def test_a_frontier_with_scores(judged):
    X, y, *_ = judged
    found = altsets.frontier("f", n_features=[1, 2], n_alternatives=1, X=X, y=y)
    evaluated = altsets.evaluate(found, X, y, cv=3, n_repeats=1)
    document = summarise(frontier=evaluated)
    assert facts(document)["Prediction"] == evaluated.scores_in_words()
    chart = block(document, "scores-along")
    assert chart["lines"][0]["value"] == pytest.approx(evaluated.baseline)
    drawn = [point["y"] for line in chart["series"] for point in line["points"]]
    assert drawn == [pytest.approx(overall(one).difference) for one in evaluated]
    points = block(document, "frontier-points")
    place = [entry["name"] for entry in points["columns"]].index("matthews_corrcoef")
    assert [row[place] for row in points["rows"]] == [
        pytest.approx(overall(one).difference) for one in evaluated
    ]
    assert "altsets-page" in evaluated._repr_html_()


def test_near_best_sets(snapshot):
    near = altsets.near_best(SCORES, n_features=2, within=0.2)
    document = summarise(near_best=near, quality=near)
    chart = block(document, "near-best-frequencies")
    shares = {
        name.removesuffix(" *"): value / 100
        for name, value in zip(chart["labels"], chart["values"], strict=True)
    }
    assert shares == {
        near.feature_names[index]: pytest.approx(near.frequencies[index]) for index in near.ordered()
    }
    assert chart["value_name"] == snapshot
    assert chart["limits"] == [0, 100]
    assert chart["note"] == snapshot
    assert block(document, "near-best-sets")["rows"][0] == [0, ["age", "height"], 17.0]
    none = altsets.near_best(SCORES, n_features=2, min_quality=99)
    assert none.explain() in texts_of(summarise(near_best=none))


def test_notes_provenance_and_what_was_left_out(judged):
    X, y, selector, _ = judged
    result = selector.fit(X, y).result_
    document = summarise(result, skipped=["The moon is not in this report."])
    assert section(document, "notes")["blocks"][0]["paragraphs"] == [
        *result.notes,
        "The moon is not in this report.",
    ]
    origin = dict(section(document, "origin")["blocks"][0]["items"])
    assert origin["SHA-256 of the data"] == result.provenance["data"]["sha256"]
    assert origin["Made"] == result.provenance["time"]
    assert f"altsets {altsets.__version__}" in origin["Software"]
    assert "altsets.evaluate" in section(document, "in-short")["blocks"][0]["paragraphs"][1]
    assert "the F statistic" in facts(document)["Score"]


def test_the_first_page_has_the_decision_then_the_sets_then_the_proof():
    banner, sets, findings, _ = section(summarise(found()), "in-short")["blocks"]
    assert (banner["tone"], banner["good"]) == ("verdict", False)
    assert "Proven" not in json.dumps(banner)
    assert sets["id"] == "sets"
    assert findings["paragraphs"][-1].startswith("Proven")


def test_a_report_of_an_evaluation_begins_with_a_decision_for_each_alternative(judged):
    X, y, selector, evaluation = judged
    result = selector.fit(X, y).result_
    decisions = evaluation.decisions_on(result)
    assert len(decisions) == evaluation.n_sets - 1
    blocks = section(summarise(result, evaluation=evaluation), "in-short")["blocks"]
    for decision, banner in zip(decisions, blocks, strict=False):
        assert banner["tone"] == "verdict"
        assert banner["paragraphs"][0] == f"{decision.question} {decision.answer.capitalize()}."
        assert banner["good"] is (decision.answer == "yes")
        assert set(decision.why) <= set(banner["paragraphs"])


def test_without_a_target_there_is_nothing_to_evaluate():
    X = np.random.default_rng(1).random((40, 6))
    result = SelectAlternatives("linear_fit", n_features=2, n_alternatives=1).fit(X).result_
    banner = section(summarise(result), "in-short")["blocks"][0]
    assert "evaluate" not in json.dumps(banner)


@pytest.mark.parametrize(("n_sets", "size", "shown"), [(9, 2, 5), (4, 20, 2), (3, 60, 1)])
def test_the_first_page_has_as_many_sets_as_it_has_room_for(n_sets, size, shown):
    scores = quality.Additive(np.arange(n_sets * size) + 1.0)
    document = summarise(altsets.find(scores, n_features=size, n_alternatives=n_sets - 1, tau=1))
    assert len(block(document, "first-sets")["rows"]) == shown
    assert len(block(document, "sets")["rows"]) == n_sets


def test_long_tables_come_last():
    frontier = altsets.frontier(SCORES, n_features=[1, 2, 3, 4], n_alternatives=1)
    document = summarise(found(), frontier=frontier, quality=SCORES)
    assert [part["id"] for part in document["sections"][-2:]] == ["tables", "all-features"]
    assert [one["id"] for one in section(document, "tables")["blocks"]] == ["frontier-points"]
    said = f"One row for each search. {len(frontier.points)} rows: see Long tables, at the end."
    assert said in texts_of(document)


def test_two_markers_are_no_chart():
    document = summarise(frontier=altsets.frontier(SCORES, n_features=1, n_alternatives=1))
    assert block(document, "quality-over-tau") is None
    assert len(block(document, "frontier-points")["rows"]) == 2


def test_shares_are_in_per_cent_and_axes_begin_at_nothing(snapshot):
    chart = block(
        summarise(frontier=altsets.frontier(SCORES, n_features=3, n_alternatives=1)), "quality-over-tau"
    )
    assert chart["y_name"] == snapshot
    assert (chart["x_limits"], chart["y_limits"]) == ([0, 1], [0, 100])
    assert max(point["y"] for point in chart["series"][0]["points"]) == pytest.approx(100)


# --- Lines that give the same ------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "parameters", "why"), [
    ({"dissimilarity": lambda one, other: 1.0}, {}, "a function of your own"),
    ({"dissimilarity": Matched(np.eye(5), threshold=0.9)}, {}, "a matrix of your own"),
    ({"existing": [[0]]}, {}, "differ from were given"),
    ({"quality": None}, {}, "only you know what quality"),
])  # fmt: skip
def test_where_there_are_no_lines_it_is_said(judged, asked, parameters, why):
    X, y, selector, _ = judged
    result = selector.fit(X, y).result_
    request = replace(result.request, **asked)
    result = replace(result, request=request, parameters={**result.parameters, **parameters})
    with pytest.raises(NotExpressedError, match=why):
        python_lines(result, None)
    assert why in texts_of(section(summarise(result), "again"))


def test_answers_about_other_things_are_refused(refused):
    result = found()
    other = quality.Additive([5, 4, 3, 2, 1, 1], feature_names=list("abcdef"))
    with refused(InputError):
        summarise(result, near_best=altsets.near_best(other, n_features=2, within=0.5))
    with refused(InputError):
        summarise(result, frontier=altsets.frontier(other, n_features=2, n_alternatives=1))
    with refused(InputError):
        summarise(result, title=5)


def test_lines_of_a_selector_have_its_task_and_its_weights():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 5)), rng.integers(0, 4, 60), rng.integers(1, 5, 60)
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1, task="regression")
    result = selector.fit(X, y, sample_weight=weights).result_
    lines = python_lines(result, None)
    known = {"X": X, "y": y, "sample_weight": weights}
    exec(lines, known)
    assert known["selector"].result_.named_sets == result.named_sets
    assert "task='regression'" in lines
    assert "sample_weight=sample_weight" in lines


def test_existing_sets_are_named(snapshot):
    result = altsets.find(SCORES, n_features=2, n_alternatives=1, existing=[(0, 1)])
    said = section(summarise(result, quality=SCORES), "conditions")["blocks"][0]["paragraphs"]
    assert said == snapshot


def test_long_commands_have_lines_that_end_between_words():
    options = {"TABLE": "table.csv", **{f"--option-{letter}": "a b" for letter in "abcdefghijkl"}}
    line = shell_line({"command": "find", "options": options})
    assert max(map(len, line.splitlines())) <= 92
    words = ["altsets", "find", "table.csv", *(f"--option-{letter}=a b" for letter in "abcdefghijkl")]
    shell = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True)
    assert shell.stdout.splitlines() == words


def test_shell_lines_that_no_shell_takes(refused, snapshot):
    options = {"TABLE": "a.csv", "--target": "nul\0"}
    with refused(NotExpressedError):
        shell_line({"command": "find", "options": options})
    with refused(NotExpressedError):
        shell_line({"command": "find", "options": {"--tau": {"a": 1}}})
    assert shell_line({"command": "find", "options": {"TABLE": "-a.csv"}}) == snapshot


def test_lines_that_are_too_long_are_left_out(judged, snapshot):
    X, y, selector, _ = judged
    result = selector.fit(X, y).result_
    result = replace(result, request=replace(result.request, constraints=[constraints.Require([0])]))
    scored = quality.Additive([1.0] * 5, feature_names=["x" * 30_000, *"bcde"])
    said = section(summarise(result, quality=scored), "again")["blocks"]
    assert not [one for one in said if one["kind"] == "code"]
    assert texts_of(said) == snapshot


# --- The file ---------------------------------------------------------------------------------------------
def hostile_result():
    names = [f"{name} {number}" for number, name in enumerate(HOSTILE)]
    scored = quality.Additive(range(len(names), 0, -1), feature_names=names)
    result = altsets.find(scored, n_features=3, n_alternatives=2, constraints=constraints.Forbid(names[-1]))
    origin = {"command": "find", "options": {"TABLE": HOSTILE[0], "--target": HOSTILE[2]},
              "data": {"rows": 3, "columns": 10, "file": HOSTILE[1], "target": HOSTILE[2]}}  # fmt: skip
    return replace(result, notes=list(HOSTILE), provenance=origin), scored


def test_hostile_names_are_text_everywhere():
    result, scored = hostile_result()
    title = "</title><script>window.hacked = 5</script>"
    near = altsets.near_best(scored, n_features=3, within=0.2)
    frontier = altsets.frontier(scored, n_features=3, n_alternatives=1)
    document = summarise(result, quality=scored, near_best=near, frontier=frontier, title=title)
    text = render.page(document)
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    assert not {"img", "b", "iframe", "link", "a", "form"} & set(tags)
    assert not [
        name for _, attrs in page.elements for name in attrs if name.startswith("on") or name == "style"
    ]
    assert page.script("title") == title
    assert json.loads(page.script("script", "application/json")) == json.loads(
        json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    )
    assert len(re.findall(r"<script[ >]", text)) == text.count("</script>") == 2
    embedded = page.script("script", "application/json")
    assert not set("<>&\u2028\u2029") & set(embedded)
    shown = "".join(page.said)
    assert "<script>window.hacked = 1</script> 0" in shown


def test_marks_of_right_to_left_text_turn_nothing_around():
    names = ["\u202eright", "\u2067open", "\u2067closed\u2069"]
    scored = quality.Additive([3, 2, 1], feature_names=names)
    document = summarise(
        altsets.find(scored, n_features=3, n_alternatives=0), quality=scored, title="\u202etitle"
    )
    text = render.page(document)
    shown = "".join(Page(text).said)
    answer = next(line for line in shown.splitlines() if "The best set of 3 features: " in line)
    assert not set("\u202e\u2067\u2069") & set(answer)
    # Cells of tables stand alone, each in its own direction.
    assert "<bdi>\u202eright</bdi>" in text
    assert Page(text).script("title") == "title"


def test_the_policy_allows_just_what_is_inside():
    text = render.page(summarise(found()))
    page = Page(text)
    meta = dict(attrs["http-equiv"] and (attrs["http-equiv"], attrs["content"]) for tag, attrs in page.elements
                if tag == "meta" and "http-equiv" in attrs)  # fmt: skip
    policy = dict(part.strip().split(" ", 1) for part in meta["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    for name, tag, kind in (("script-src", "script", "module"), ("style-src", "style", None)):
        digest = base64.b64encode(hashlib.sha256(page.script(tag, kind).encode()).digest()).decode()
        assert policy[name] == f"'sha256-{digest}'"
    assert page.elements[1][0] == "head"
    assert page.elements[0] == ("html", {"lang": "en"})


def test_nothing_links_to_elsewhere():
    text = render.page(summarise(found(), quality=SCORES))
    # The names of XML, which no browser looks up, are the one thing that looks like an address.
    links = set(re.findall(r"(?:https?:)?//[\w.][^\s\"'<)]*", re.sub(r"(?m)(^|[;{},]|\s)//[^\n]*", "", text)))
    assert links <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\s(src|href)=", render.page(summarise(found())).partition("<script")[0])


def test_without_javascript_all_is_there():
    page = Page(render.page(summarise(found(), quality=SCORES, near_best=altsets.near_best(SCORES, 2))))
    shown = " ".join("".join(page.said).split())
    for words in (
        "need JavaScript",
        "In short",
        "age, height",
        "proven best",
        "Which features are in which sets",
        "glove",
    ):
        assert words in shown


def test_long_tables_are_cut_without_javascript_and_say_so(snapshot):
    scored = quality.Additive(np.arange(2_000.0), feature_names=[f"gene {number}" for number in range(2_000)])
    document = summarise(altsets.find(scored, n_features=5), quality=scored)
    assert len(block(document, "features")["rows"]) == 2_000
    text = render.page(document)
    assert len(text.encode()) < MEGABYTE / 2
    assert about(text, "JavaScript") == snapshot


@pytest.mark.parametrize(
    ("n_features", "length"), [(12_000, 25), (200, 10_000), (3, 100_000)], ids=["many", "long", "longest"]
)
def test_reports_stay_small(n_features, length):
    names = [str(number).rjust(length, "n") for number in range(n_features)]
    scored = quality.Additive(np.arange(float(n_features)), feature_names=names)
    result = altsets.find(scored, n_features=2, n_alternatives=1)
    document = summarise(replace(result, notes=names[:3]), quality=scored)
    text = render.page(document)
    assert len(text.encode()) < MEGABYTE
    rows = block(document, "features")["rows"]
    assert len({row[0] for row in rows}) == len(rows)
    assert rows[0][-1]
    if len(rows) < n_features:
        assert f"The first {len(rows):,} of {n_features:,} rows" in block(document, "features")["caption"]


def test_many_sets_stay_small():
    scored = quality.Additive(np.arange(2_000.0))
    result = altsets.find(scored, n_features=10, n_alternatives=49, tau=1)
    document = summarise(result, quality=scored)
    assert len(render.page(document).encode()) < MEGABYTE
    assert len(block(document, "membership")["sets"]) == 20
    assert len(block(document, "sets")["rows"]) == 50


def test_names_that_are_cut_are_still_told_apart():
    names = ["a" * 500 + "b" * 500, "a" * 500 + "c" + "b" * 500, "short"]
    scored = quality.Additive([3, 2, 1], feature_names=names)
    document = summarise(altsets.find(scored, n_features=1, n_alternatives=2), quality=scored)
    members = block(document, "membership")["features"]
    assert len(set(members)) == 3
    assert "short" in members
    assert all(len(name) < 130 for name in members)
    assert shorten_middle("ab", 2) == "ab"
    assert shorten_middle("a" * 50 + "b" * 50, 20) == "aaaaaaaaaaaaaaa…bbbb"


def test_numbers_that_json_does_not_have():
    assert to_plain([float("inf"), -float("inf"), np.float32(0.5), {1: np.int8(2)}]) == [
        None,
        None,
        0.5,
        {"1": 2},
    ]


# --- Writing ----------------------------------------------------------------------------------------------
def test_reports_are_written_whole_and_never_over_another_file(tmp_path, refused):
    path = tmp_path / "report.html"
    assert found().report(path) == str(path)
    before = path.read_text(encoding="utf-8")
    with refused(InputError):
        found().report(path)
    assert path.read_text(encoding="utf-8") == before
    found(n_alternatives=0).report(path, force=True, title="Another one")
    assert "<title>Another one</title>" in path.read_text(encoding="utf-8")
    assert os.listdir(tmp_path) == ["report.html"]


def test_all_answers_write_reports(tmp_path, judged):
    X, y, selector, evaluation = judged
    selector.fit(X, y)
    near = altsets.near_best(SCORES, n_features=2)
    written = [
        selector.report(tmp_path / "selector.html", evaluation=evaluation),
        selector.result_.report(str(tmp_path / "result.html")),
        evaluation.report(tmp_path / "evaluation.html"),
        altsets.frontier(SCORES, n_features=2).report(tmp_path / "frontier.htm", quality=SCORES),
        near.report(tmp_path / "near.html", title="Near"),
    ]
    assert sorted(os.path.basename(path) for path in written) == sorted(os.listdir(tmp_path))
    text = (tmp_path / "selector.html").read_text(encoding="utf-8")
    document = json.loads(Page(text).script("script", "application/json"))
    assert [row[0] for row in block(document, "features")["rows"]] == ["x0", "x1", "x2", "x3", "x4"]
    assert section(document, "evaluation") is not None


@pytest.mark.parametrize(("path", "words"), [
    ("no/such/report.html", "there is no folder no/such; make it first."),
    ("there", "is a folder; name a file."),
    ("report.txt", "the name must end in .html"),
    ("nul\0.html", "cannot be written"),
    (7.5, "needs the name of a file, not 7.5."),
])  # fmt: skip
def test_places_where_no_report_can_be_written(tmp_path, monkeypatch, path, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError) as caught:
        found().report(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["there"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_folders_that_nobody_may_write_into(tmp_path, refused):
    tmp_path.chmod(0o500)
    with refused(InputError):
        found().report(tmp_path / "report.html")


def test_what_is_no_answer_is_refused(tmp_path, refused):
    for name in ("evaluation", "frontier", "near_best"):
        with refused(InputError):
            found().report(tmp_path / "report.html", **{name: "yes"})
    with refused(InputError):
        found().report(tmp_path / "report.html", quality="mrmr")
    with refused(InputError):
        found().report(tmp_path / "report.html", quality=quality.Additive([1, 2, 3]))
    assert not os.listdir(tmp_path)


def test_without_jinja2_one_sentence_names_the_extra(tmp_path, monkeypatch, refused):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with refused(MissingExtraError):
        found().report(tmp_path / "report.html")


# --- Notebooks --------------------------------------------------------------------------------------------
def test_notebooks_show_sets_with_and_without_scripts(judged):
    X, y, selector, evaluation = judged
    result, _ = hostile_result()
    near = altsets.near_best(SCORES, n_features=2)
    answers = [result, evaluation, altsets.frontier(SCORES, n_features=2), near, selector.fit(X, y)]
    for answer in answers:
        shown = answer._repr_html_()
        page = Page(shown)
        assert "<altsets-page embedded>" in shown
        assert json.loads(page.script("script", "application/json"))["sections"]
        assert "<table>" in shown
        if answer is not selector:
            # The verdict first; everything but the sets and a chart is folded.
            verdict, details = answer.verdict.findings[0], shown.index("<details>")
            assert html.unescape(shown).index(verdict, shown.index("</script>")) < shown.index("<table>")
            assert shown.index("<table>") < details
            first, *folded = json.loads(page.script("script", "application/json"))["sections"]
            kinds = [
                block["kind"] for block in first["blocks"] if block.get("tone") not in ("warning", "verdict")
            ]
            assert kinds in (["text", "table", "chart"], ["text", "table"])
            assert all(part["folded"] for part in folded)
        assert len(page.script("script", "module")) < 82_000
        if answer is not selector:
            # What scikit-learn shows of its estimators is its own business.
            assert not {"img", "b"} & {tag for tag, _ in page.elements}
    assert "0 (in use)" in selector._repr_html_()


def blocks_on_screen(answer):
    """The ids of what a notebook shows of an answer without unfolding anything."""
    first = json.loads(Page(answer._repr_html_()).script("script", "application/json"))["sections"][0]
    return {block["id"]: block for block in first["blocks"] if "id" in block}


def test_a_cell_of_a_notebook_fits_on_a_screen():
    scores = quality.Additive(range(1, 61))
    few = altsets.find(scores, n_features=3, n_alternatives=2, tau=1)
    assert list(blocks_on_screen(few)) == ["sets", "membership"]
    many = altsets.find(scores, n_features=4, n_alternatives=12, tau=1)
    shown = blocks_on_screen(many)
    assert list(shown) == ["first-sets", "quality"]
    assert len(shown["first-sets"]["rows"]) == 5
    alone = altsets.find(scores, n_features=3, n_alternatives=0)
    assert list(blocks_on_screen(alone)) == ["sets"]
    near = blocks_on_screen(altsets.near_best(scores, n_features=3, within=0.2))
    assert list(near) == ["near-best-sets", "near-best-frequencies"]
    assert len(near["near-best-sets"]["rows"]) == 5
    assert len(near["near-best-frequencies"]["labels"]) == 10


def test_notebooks_without_jinja2_and_after_any_trouble(monkeypatch, judged):
    *_, evaluation = judged
    result, _ = hostile_result()
    with monkeypatch.context() as without:
        without.setitem(__import__("sys").modules, "jinja2", None)
        shown = result._repr_html_()
        assert "&lt;script&gt;" in shown
        assert "<script" not in shown
        assert "All 2 sets predict" in evaluation._repr_html_() or "set 0" in evaluation._repr_html_()
    empty = replace(found(), sets=[], texts=[], qualities=[], scores=[])
    assert empty.explain().split()[0] in empty._repr_html_()


# --- Linear models ------------------------------------------------------------------------------------
def test_linear_models_have_a_section():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    judge = quality.LinearFit.from_data(X, X[:, :2] + rng.normal(size=(40, 2)))
    result = altsets.find(judge, n_features=2, n_alternatives=1, tau=0.5)
    document = summarise(result)
    explained = block(document, "explained")
    assert [column["name"] for column in explained["columns"]] == ["Set", "Explained", "R² of y0", "R² of y1"]
    assert [row[1] for row in explained["rows"]] == result.qualities
    coefficients = block(document, "coefficients")
    expected = result.models_frame()[["set", "target", "column", "coefficient", "standard_error"]]
    assert coefficients["rows"] == [[str(row[0]), *row[1:]] for row in expected.values.tolist()]


def test_losses_have_a_section():
    losses = altsets.what_if(SCORES, found())
    listed = block(summarise(found(), what_if=losses), "what-if")["rows"]
    assert [row[0] for row in listed] == [loss.name for loss in losses.losses]
    assert [row[1] for row in listed] == [losses.replaced(loss) for loss in losses.losses]
    assert [row[3] for row in listed] == [loss.quality for loss in losses.losses]
    assert block(summarise(found()), "what-if") is None
