"""Scores along a frontier: those of an evaluation of each point alone; what is told, stored and refused."""

from __future__ import annotations

import json
import math
import signal
from collections import Counter
from functools import partial

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import SelectAlternatives, Status, constraints, evaluate, evaluate_frontier, quality
from altsets.dissimilarity import Matched
from altsets.errors import InputError
from altsets.evaluation import corrected_t_test
from altsets.results import EvaluatedFrontier

pd = pytest.importorskip("pandas")

WINE = load_wine(return_X_y=True, as_frame=True)
CANCER = load_breast_cancer(return_X_y=True, as_frame=True)
FEW = (CANCER[0].iloc[:, :12], CANCER[1])
DIABETES = load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def wine():
    return evaluate_frontier(
        "f", *WINE, n_features=[2, 4], n_alternatives=[1, 2], taus=[0, 0.5, 1], n_repeats=1
    )


# --- The same numbers as by evaluations of their own -------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "asked", "selector", "how"),
    [
        (WINE, {"n_features": [2, 3], "n_alternatives": 1}, {"quality": "f"}, {}),
        (
            FEW,
            {"n_features": 3, "n_alternatives": [1, 2], "taus": [0.3, 1]},
            {"quality": partial(quality.MRMR.from_data, measure="pearson"), "search": "simultaneous"},
            {"scoring": ["accuracy", "roc_auc"], "estimator": "linear", "cv": 3},
        ),
        (
            FEW,
            {"n_features": 3, "n_alternatives": 2},
            {
                "quality": "pearson",
                "search": "simultaneous",
                "aggregation": "min",
                "dissimilarity": Matched("spearman", threshold=0.9),
                "constraints": [constraints.Forbid("mean area")],
            },
            {"cv": 2, "n_repeats": 2},
        ),
        (
            DIABETES,
            {"n_features": [2, 3], "n_alternatives": 2},
            {"quality": "spearman"},
            {"sample_weight": np.arange(len(DIABETES[1])) % 3, "random_state": 3, "cv": 3},
        ),
    ],
    ids=["sequential", "simultaneous", "matched", "weights"],
)
def test_each_point_has_the_scores_of_its_own_evaluation(data, asked, selector, how):
    good = selector["quality"]
    others = {name: value for name, value in selector.items() if name != "quality"}
    found = evaluate_frontier(good, *data, **asked, **others, **how)
    assert len(found) > 3
    for point in found:
        numbers = {name: getattr(point, name) for name in ("n_features", "n_alternatives", "tau")}
        own = evaluate(SelectAlternatives(**selector, **numbers), *data, **how)
        assert point.evaluation.folds == own.folds
        assert point.evaluation.against_baseline == own.against_baseline
        assert point.evaluation.comparisons == own.comparisons
        assert point.evaluation.parameters == own.parameters
        assert found.baseline == own.baseline
        assert point.score == pytest.approx(np.mean(own.mean_scores()), abs=1e-12)
        assert point.worst_score == min(own.mean_scores())


def test_the_sets_of_all_rows_are_those_of_a_frontier(wine):
    own = altsets.frontier(quality.Additive.from_data(*WINE, measure="f"), [2, 4], [1, 2], [0, 0.5, 1])
    assert wine.frontier.points == own.points
    assert [point.result for point in wine] == [point.result for point in own]


def test_scores_are_measured_once_in_a_fold_and_a_set_is_fitted_once():
    fitted, scored = Counter(), Counter()

    class Noted(DecisionTreeClassifier):
        def fit(self, X, y, **more):
            fitted[len(X), tuple(X.columns), X.index.to_numpy().tobytes()] += 1
            return super().fit(X, y, **more)

    def score(X, y):
        scored[np.asarray(X).tobytes()] += 1
        return np.abs(np.corrcoef(X.T, y)[-1, :-1])

    found = evaluate_frontier(score, *WINE, 3, 2, estimator=Noted(random_state=0), cv=3, n_repeats=1)
    different = {
        (fold.number, chosen) for point in found for fold in point.evaluation.folds for chosen in fold.sets
    }
    assert set(fitted.values()) == {1}
    assert (
        len(fitted)
        == len(different)
        < sum(len(fold.sets) for point in found for fold in point.evaluation.folds)
    )
    # All rows; the training rows and the test rows of each fold.
    assert set(scored.values()) == {1}
    assert len(scored) == 7


def test_intervals_are_those_of_the_corrected_test(wine):
    for point in wine:
        by_fold = np.array([fold.scores["matthews_corrcoef"] for fold in point.evaluation.folds]).mean(axis=1)
        ratio = np.mean([fold.n_test / fold.n_train for fold in point.evaluation.folds])
        own = corrected_t_test(by_fold.tolist(), ratio)
        assert point.fold_scores() == pytest.approx(by_fold.tolist())
        assert (point.score, *point.interval) == pytest.approx((own.difference, own.low, own.high))
        assert point.n_found == 5


def test_several_workers_give_the_same():
    one = evaluate_frontier("f", *WINE, 2, 1, cv=3, n_repeats=1)
    with joblib.parallel_config("threading", n_jobs=2):
        assert one == evaluate_frontier("f", *WINE, 2, 1, cv=3, n_repeats=1)
    assert one == evaluate_frontier("f", *WINE, 2, 1, cv=3, frontier=one.frontier, n_repeats=1)
    assert one != evaluate_frontier("f", *WINE, 2, 1, cv=4, n_repeats=1)


# --- What is told ------------------------------------------------------------------------------------


def test_frame_and_document(wine):
    frame = wine.to_frame()
    assert list(frame.columns[:3]) == ["n_features", "n_alternatives", "tau"]
    assert frame["test_matthews_corrcoef"].tolist() == [point.score for point in wine]
    assert (frame["low_matthews_corrcoef"] < frame["test_matthews_corrcoef"]).all()
    assert set(frame["baseline_matthews_corrcoef"]) == {wine.baseline} == {0.0}
    assert set(frame["n_found"]) == {5}
    text = wine.to_json()
    assert EvaluatedFrontier.from_json(text) == wine
    assert EvaluatedFrontier.from_json(text).to_dict() == wine.to_dict()
    document = json.loads(text)
    assert document["evaluation"]["baseline"] == 0.0
    assert [entry["score"] for entry in document["points"]] == [point.score for point in wine]
    # A program that knows frontiers reads the same points.
    assert [entry["result"] for entry in document["points"]] == [
        entry["result"] for entry in wine.frontier.to_dict()["points"]
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda document: document.pop("evaluation"),
        lambda document: document["points"][0].pop("folds"),
        lambda document: document["points"][1]["folds"][0].update(scores={}),
        lambda document: document["points"][1]["folds"].pop(),
        lambda document: document["points"][0]["folds"][0]["sets"][0].update(indices=["a"]),
        lambda document: document["evaluation"].update(scorers=[]),
        lambda document: document["evaluation"].update(confidence="high"),
        lambda document: document.update(kind="frontier"),
    ],
)
def test_damaged_documents_are_refused(wine, damage, snapshot):
    document = json.loads(wine.to_json())
    damage(document)
    with pytest.raises(InputError) as refused:
        EvaluatedFrontier.from_json(json.dumps(document))
    assert str(refused.value) == snapshot


def test_what_is_said_of_good_sets(wine, snapshot):
    said = wine.explain()
    best = max(wine, key=lambda point: point.score)
    assert said.startswith(wine.frontier.explain())
    assert said == snapshot
    assert wine.best == best
    assert best in wine.without_loss
    # By hand: a loss is sure where the whole interval of the differences is below 0.
    for point in wine:
        lost = np.array(point.fold_scores()) - np.array(best.fold_scores())
        test = corrected_t_test(lost.tolist(), 0.25)
        assert (point in wine.without_loss) == (not test.high < 0)
    assert wine.smallest.n_features == min(point.n_features for point in wine.without_loss)
    assert wine.most_different.tau == max(point.tau for point in wine.without_loss)
    assert "12 points, 5 folds" in repr(wine)


def test_noise_is_not_called_good(snapshot):
    rng = np.random.default_rng(0)
    found = evaluate_frontier("f", rng.normal(size=(80, 6)), rng.integers(2, size=80), 2, 1, n_repeats=1)
    assert found.explain() == snapshot
    assert "loss" not in found.explain()
    assert not found.without_loss
    assert found.smallest is found.most_different is None
    one = evaluate_frontier("f", *WINE, 2, 1, cv=[(np.arange(0, 178, 2), np.arange(1, 178, 2))])
    assert one.explain() == snapshot
    assert "No loss" not in one.explain()


def test_folds_without_all_sets_have_no_score(snapshot):
    # Six columns: three sets of two, not four.
    X = CANCER[0].iloc[:, :6]
    found = evaluate_frontier("f", X, CANCER[1], 2, 3, taus=[0, 1], cv=3, n_repeats=1)
    free, disjoint = found
    assert free.n_found == 3
    assert (disjoint.n_found, disjoint.status) == (0, Status.INFEASIBLE)
    assert math.isnan(disjoint.score)
    assert not math.isnan(disjoint.worst_score)
    assert found.best == free
    assert EvaluatedFrontier.from_json(found.to_json()) == found
    nothing = evaluate_frontier("f", X, CANCER[1], 2, 3, taus=1, cv=3, n_repeats=1)
    assert nothing.explain() == snapshot


# --- Limits and ends ---------------------------------------------------------------------------------


def test_progress_and_ctrl_c_keep_what_is_done(snapshot):
    shares = []

    def progress(share):
        shares.append(share)
        if share == 0.5:
            signal.raise_signal(signal.SIGINT)

    found = evaluate_frontier("f", *WINE, 2, 1, cv=4, callback=progress, n_repeats=1)
    assert shares == [0.25, 0.5]
    assert not found.complete
    assert {len(point.evaluation.folds) for point in found} == {2}
    assert found.explain() == snapshot
    assert EvaluatedFrontier.from_json(found.to_json()) == found


def test_ctrl_c_in_a_search_ends_the_evaluation(monkeypatch, snapshot):
    from altsets.search.frontier import sweep

    solve, calls = sweep.solve, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return solve(*arguments)

    monkeypatch.setattr(sweep, "solve", interrupted)
    # The fifth search is the second one of the first fold: no fold is done.
    found = evaluate_frontier("f", *WINE, 2, 1, n_repeats=1)
    assert (len(found), found.complete) == (3, False)
    assert found.explain() == snapshot
    calls.clear()
    calls += [None] * 3
    # On all rows, the second point is interrupted.
    short = evaluate_frontier("f", *WINE, 2, 1, n_repeats=1)
    assert len(short) == 2
    assert not short.any_evaluation.folds


def test_points_that_folds_had_no_time_for(monkeypatch):
    from altsets.evaluation import evaluating

    complete = evaluating.frontier_for

    def hurried(selector, scored, features, *more, **asked):
        found = complete(selector, scored, features, *more, **asked)
        late = features.n_rows < len(WINE[1])
        return altsets.results.Frontier(found.points[:2], found.n_asked, found.parameters) if late else found

    monkeypatch.setattr(evaluating, "frontier_for", hurried)
    found = evaluate_frontier("f", *WINE, 2, 1, n_repeats=1)
    assert [point.n_found for point in found] == [5, 5, 0]
    assert set(found.points[2].evaluation.folds[0].statuses) == {Status.NOT_FOUND}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n_features": []}, r"n_features=\[\] is empty; give one number or several."),
        ({"n_features": range(5, 2)}, r"n_features=range\(5, 2\) is empty"),
        ({"n_features": 14}, "n_features=14, but there are only 13 features to choose from"),
        ({"n_features": 0}, "n_features=0 is too small"),
        ({"n_alternatives": -1}, "n_alternatives=-1 is too small"),
        ({"taus": 1.5}, r"tau=1.5 is outside \[0, 1\]"),
        ({"taus": []}, r"tau=\[\] is empty"),
        ({"taus": "half"}, "tau='half' is not a number"),
        ({"n_features": range(1, 14), "n_alternatives": range(2000)}, "more than 10,000 points"),
        ({"search": "fast"}, "search='fast' is unknown"),
        ({"time_limit": 0}, "time_limit"),
        ({"cv": 1}, "cv=1 is too small"),
        ({"constraints": [constraints.Forbid("nobody")]}, "nobody"),
    ],
)
def test_bad_input_is_refused_before_anything_is_scored(asked, message):
    def score(X, y):
        raise AssertionError("scored")

    with pytest.raises(InputError, match=message) as error:
        evaluate_frontier(score, *WINE, **asked)
    assert "\n" not in str(error.value)


def test_a_frontier_of_other_points_is_refused(wine, snapshot):
    with pytest.raises(InputError) as refused:
        evaluate_frontier("f", *WINE, 3, 1, frontier=wine.frontier, n_repeats=1)
    assert str(refused.value) == snapshot


def test_sizes_beyond_the_table_are_left_out(snapshot):
    found = evaluate_frontier("f", *WINE, range(12, 20), 0, cv=2, n_repeats=1)
    assert [point.n_features for point in found] == [12, 13]
    assert found.explain() == snapshot


def test_the_verdict_adds_predictions_to_that_on_the_frontier(wine):
    found, verdict = wine, wine.verdict
    assert verdict.findings[: len(found.frontier.verdict.findings)] == found.frontier.verdict.findings
    assert all(
        said.startswith("Prediction: ") for said in verdict.findings[len(found.frontier.verdict.findings) :]
    )
    assert all(caution[0].isupper() and caution.endswith(".") for caution in verdict.cautions)


@pytest.mark.parametrize(("n_alternatives", "n_repeats"), [(4, 5), (5, 1)])
def test_the_sets_of_all_points_decide_how_often_rows_are_split(n_alternatives, n_repeats):
    # Two points: 1,000 rows x 100 columns x 10 or 12 sets.
    X, y = np.random.default_rng(0).normal(size=(1000, 100)), np.arange(1000) % 2
    found = evaluate_frontier("f", X, y, 1, n_alternatives, [0, 1], estimator=DummyClassifier(), cv=2)
    assert len(found) == 2
    assert found.n_folds == 2 * n_repeats
