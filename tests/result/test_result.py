"""The answer: JSON out and in, frame, and the sentence that explains it."""

from __future__ import annotations

import dataclasses
import json
import math
import sys

import pytest

import altsets
from altsets import Result, Status, quality
from altsets.errors import InputError, MissingExtraError
from altsets.result import overlap_table

NAMES = ["age", "height", "weight", "pulse", "sex", "shoe size"]
SCORES = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=NAMES)


def made(**changes):
    """A result that no search has seen."""
    values = {
        "sets": [(0, 1), (0, 2)],
        "qualities": [17.0, 16.0],
        "objective": 33.0,
        "bound": 33.0,
        "status": Status.OPTIMAL,
        "statuses": [Status.OPTIMAL, Status.OPTIMAL],
        "texts": [("age", "height"), ("age", "weight")],
        "parameters": {"search": "sequential", "n_features": 2},
        "engine": "additive",
        "proof": "branch and bound",
        "elapsed": 0.0123,
    }
    return Result(**{**values, **changes})


def nothing(status, bound, **changes):
    return made(
        sets=[],
        qualities=[],
        texts=[],
        objective=math.nan,
        bound=bound,
        status=status,
        statuses=[status, status],
        **changes,
    )


RESULTS = {
    "optimal": made(),
    "gap": made(bound=34.5, status=Status.FEASIBLE, statuses=[Status.OPTIMAL, Status.FEASIBLE]),
    "no bound": made(bound=math.inf, status=Status.FEASIBLE, statuses=[Status.FEASIBLE] * 2),
    "partly infeasible": made(
        status=Status.INFEASIBLE,
        statuses=[Status.OPTIMAL, Status.OPTIMAL, Status.INFEASIBLE],
        reason="n_alternatives=1 is possible.",
    ),
    "infeasible": nothing(Status.INFEASIBLE, -math.inf),
    "not found": nothing(Status.NOT_FOUND, math.inf),
    "not found, bounded": nothing(Status.NOT_FOUND, 40.0),
}


@pytest.mark.parametrize("name", RESULTS)
def test_json_gives_the_same_result_back(name):
    result = RESULTS[name]
    back = Result.from_json(result.to_json())
    for attribute in dataclasses.fields(Result):
        before, after = getattr(result, attribute.name), getattr(back, attribute.name)
        if before != before:
            assert math.isnan(after)
        else:
            assert after == before, attribute.name
            assert type(after) is type(before)
    assert back.to_json() == result.to_json()
    assert all(isinstance(chosen, tuple) for chosen in back.sets + back.named_sets)
    assert all(isinstance(status, Status) for status in back.statuses)


def test_the_json_document_keeps_its_schema():
    document = json.loads(altsets.find(SCORES, n_features=2, n_alternatives=2, tau=1).to_json())
    assert document["schema"] == 1
    assert document["status"] == "optimal"
    assert document["statuses"] == ["optimal"] * 3
    assert (document["objective"], document["bound"], document["gap"]) == (30.0, 30.0, 0.0)
    assert document["sets"][0] == {
        "features": ["age", "height"],
        "indices": [0, 1],
        "quality": 17.0,
        "status": "optimal",
        "scores": [9.0, 8.0],
    }
    assert document["notes"] == []
    assert document["parameters"]["n_features"] == 2
    assert document["parameters"]["tau"] == 1.0


def test_json_has_null_for_numbers_that_are_not_finite():
    for name in ("infeasible", "not found"):
        document = json.loads(RESULTS[name].to_json(), parse_constant=pytest.fail)
        assert (document["objective"], document["bound"], document["gap"]) == (None, None, None)
    assert json.loads(RESULTS["no bound"].to_json(), parse_constant=pytest.fail)["gap"] is None


@pytest.mark.parametrize(("text", "message"), [
    ("{", "not a JSON document"),
    ("[1, 2]", "not an altsets result of schema 1"),
    ("{}", "found schema None"),
    (json.dumps({**json.loads(made().to_json()), "schema": 2}), "found schema 2"),
    (json.dumps({**json.loads(made().to_json()), "status": "perfect"}), "incomplete or damaged"),
    (json.dumps({"schema": 1, "status": "optimal"}), "incomplete or damaged"),
])  # fmt: skip
def test_documents_that_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        Result.from_json(text)


def test_scores_floor_and_notes_survive_json_and_may_be_missing(refused):
    result = made(
        scores=[(9.0, 8.0), (9.0, 7.0)],
        noise_floors=[(7.5, 7.5), (7.5, 7.5)],
        notes=["The target has 2 classes."],
    )
    back = Result.from_json(result.to_json())
    assert (back.scores, back.noise_floors, back.notes) == (result.scores, result.noise_floors, result.notes)
    assert back.above_noise == [(True, True), (True, False)]
    document = json.loads(result.to_json())
    for entry in document["sets"]:
        del entry["noise_floors"], entry["scores"]
    without = Result.from_json(json.dumps(document))
    assert (without.scores, without.noise_floors, without.above_noise) == ([], [], [])
    assert without == made()
    document["sets"][0]["scores"] = [9.0, 8.0]
    with refused(InputError):
        Result.from_json(json.dumps(document))


@pytest.mark.parametrize(("n_above", "advice"), [
    (None, "and AboveNoise leaves them out."),
    (1, "and only 1 feature does better, so ask for n_features=1 or use more rows."),
    (0, "and no feature does better, which only more rows may change."),
])  # fmt: skip
def test_what_is_advised_against_noise_works(n_above, advice):
    noisy = made(scores=[(9.0, 8.0), (9.0, 7.0)], noise_floors=[(9.5, 9.5)] * 2, n_above_noise=n_above)
    assert noisy.cautions[0].endswith(advice)
    assert Result.from_json(noisy.to_json()).cautions == noisy.cautions


def test_print_is_short_and_repr_is_complete():
    assert str(made()).splitlines()[1:] == [
        "set 0: age, height (quality 17, optimal)",
        "set 1: age, weight (quality 16, optimal)",
    ]
    missing = [Status.OPTIMAL, Status.OPTIMAL, Status.INFEASIBLE]
    why = {"status": Status.INFEASIBLE, "statuses": missing, "reason": "None is left."}
    fewer = str(made(**why)).splitlines()
    assert (fewer[0], fewer[-1]) == ("2 of 3 sets: infeasible", "None is left.")
    assert repr(made()).startswith("Result(sets=[(0, 1), (0, 2)], qualities=[17.0, 16.0]")
    sets = [tuple(range(30))] * 30
    named = [tuple(f"f{index}" for index in range(30))] * 30
    many = made(sets=sets, texts=named, qualities=[1.0] * 30, statuses=[Status.OPTIMAL] * 30)
    _, *lines, last = str(many).splitlines()
    assert (len(lines), last) == (20, "and 10 more sets")
    assert lines[0].endswith("f19 and 10 more (quality 1, optimal)")


def test_cautions_are_those_of_the_verdict():
    result = made(
        scores=[(9.0, 8.0), (9.0, 7.0)], noise_floors=[(9.5, 9.5)] * 2, table_cautions=["age is a leak."]
    )
    assert result.cautions == list(result.verdict.cautions)
    assert [caution.split()[-1] for caution in result.cautions[-1:]] == ["leak."]
    assert len(result.cautions) > 1
    assert all(f"Caution: {caution}" in str(result.verdict) for caution in result.cautions)
    document = json.loads(result.to_json())
    assert document["cautions"] == result.cautions
    back = Result.from_json(result.to_json())
    assert (back.cautions, back.table_cautions) == (result.cautions, result.table_cautions)


def test_a_tidy_frame_has_a_row_for_each_feature():
    frame = made(scores=[(9.0, 8.0), (9.0, 7.0)], noise_floors=[(7.5, 7.5), (7.5, 7.5)]).to_frame(tidy=True)
    assert frame["feature"].tolist() == ["age", "height", "age", "weight"]
    assert frame["set"].tolist() == [0, 0, 1, 1]
    assert frame["score"].tolist() == [9.0, 8.0, 9.0, 7.0]
    assert frame["above_noise"].tolist() == [True, True, True, False]
    assert frame["quality"].tolist() == [17.0, 17.0, 16.0, 16.0]
    assert made().to_frame(tidy=True)["score"].isna().all()
    assert "above_noise" not in made().to_frame(tidy=True)


def test_every_search_fills_in_scores():
    by_scale = quality.FCBF([3.0, 2.0, 1.0], [[0.0] * 3] * 3, scale=0.5)
    assert altsets.find(by_scale, n_features=2, n_alternatives=0).scores == [(1.5, 1.0)]
    for pairwise in (quality.MRMR, quality.CFS):
        found = altsets.find(pairwise([3.0, 2.0, 1.0], [[0.0] * 3] * 3), n_features=1, n_alternatives=1)
        assert found.scores == [(3.0,), (2.0,)]
    assert next(altsets.iterate(SCORES, n_features=2)).scores == [(9.0, 8.0)]
    assert altsets.find(SCORES, 1, "max", tau=1, min_quality=8).scores == [(9.0,), (8.0,)]
    box = quality.BlackBox(lambda chosen: float(sum(chosen)), n_features_in=3)
    assert altsets.find(box, n_features=1, n_alternatives=0).scores == []


def test_gap():
    assert RESULTS["gap"].gap == 1.5
    assert RESULTS["no bound"].gap == math.inf


def test_frame_has_names():
    frame = altsets.find(SCORES, n_features=2, n_alternatives=2, tau=1).to_frame()
    assert list(frame.columns) == ["features", "indices", "quality", "status", "scores"]
    assert frame.index.name == "set"
    assert frame["features"].tolist() == [["age", "height"], ["weight", "pulse"], ["sex", "shoe size"]]
    assert frame["indices"].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert frame["quality"].tolist() == [17.0, 10.0, 3.0]
    assert frame["status"].tolist() == ["optimal"] * 3


def test_frame_of_no_sets_is_empty():
    frame = RESULTS["infeasible"].to_frame()
    assert len(frame) == 0
    assert list(frame.columns) == ["features", "indices", "quality", "status"]


def test_frame_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"\.\[tables\]"):
        made().to_frame()


@pytest.mark.parametrize(("name", "phrases"), [
    ("optimal", ["2 sets", "proven optimal given the sets before it", "additive engine", "12.3 ms"]),
    ("gap", ["valid", "at most 1.5 below the best possible"]),
    ("no bound", ["valid, without a proof of quality"]),
    ("partly infeasible", ["2 of 3 sets found", "proven to leave no other", "n_alternatives=1 is possible."]),
    ("infeasible", ["Proven that no solution exists", "branch and bound"]),
    ("not found", ["0 of 2 sets found", "the search ended without a proof"]),
])  # fmt: skip
def test_explain_is_a_plain_sentence(name, phrases):
    text = RESULTS[name].explain()
    for phrase in phrases:
        assert phrase in text
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith(".")
    assert "\n" not in text


def test_explain_says_what_open_sizes_mean_to_a_sum(snapshot):
    search = {"search": "sequential"}
    note = "Sets may have 2 to 4 features and their quality is a sum, which grows with the size"
    opened = made(parameters={**search, "sizes": [2, 4], "size_normalised": False}, reason="More follows.")
    assert note in opened.explain()
    assert opened.explain() == snapshot
    assert Result.from_json(opened.to_json()).explain() == opened.explain()
    for silent in ({"sizes": [2, 2]}, {"sizes": [2, 4], "size_normalised": True}, {}):
        assert "larger sets" not in made(parameters={**search, **silent}).explain()
    nothing_found = nothing(Status.INFEASIBLE, -math.inf, parameters=opened.parameters)
    assert "larger sets" not in nothing_found.explain()


def test_explain_one_set(snapshot):
    result = made(sets=[(0, 1)], qualities=[17.0], statuses=[Status.OPTIMAL], elapsed=2.0)
    assert result.explain() == snapshot
    assert "2.0 s" in result.explain()


def test_status_is_a_string():
    assert Status.NOT_FOUND == "not_found"
    assert f"{Status.OPTIMAL}" == "optimal"
    assert {str(status) for status in Status} == {"optimal", "feasible", "infeasible", "not_found"}


def test_overlap_table():
    assert overlap_table([(0, 1, 2), (2, 3, 4)]) == [[3, 1], [1, 3]]


def test_result_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        made().objective = 34.0


def test_time_does_not_make_results_different():
    assert made(elapsed=1.0) == made(elapsed=2.0)
    assert made() != made(objective=32.0)
