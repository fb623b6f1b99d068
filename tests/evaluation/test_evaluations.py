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
from altsets import SelectAlternatives, Status, constraints, evaluate, quality
from altsets.dissimilarity import Matched
from altsets.errors import InputError
from altsets.evaluation import Evaluations, corrected_t_test, n_found, overall

WINE = load_wine(return_X_y=True, as_frame=True)
CANCER = load_breast_cancer(return_X_y=True, as_frame=True)
FEW = (CANCER[0].iloc[:, :12], CANCER[1])
DIABETES = load_diabetes(return_X_y=True, as_frame=True)


#: What is about the evaluation, not about the frontier.
HOW = ("estimator", "scoring", "cv", "n_repeats", "sample_weight", "random_state", "callback")


def evaluate_frontier(good, X, y, n_features=None, n_alternatives=None, tau=None, **options):
    """The frontier of a quality that is computed from a table, and its evaluations on that table."""
    how = {name: options.pop(name) for name in HOW if name in options}
    found = altsets.frontier(good, n_features, n_alternatives, tau, X=X, y=y, **options)
    return evaluate(found, X, y, **how)


def score_of(evaluation):
    return overall(evaluation).difference


@pytest.fixture(scope="module")
def wine():
    return evaluate_frontier(
        "f", *WINE, n_features=[2, 4], n_alternatives=[1, 2], tau=[0, 0.5, 1], n_repeats=1
    )


# --- The same numbers as by evaluations of their own -------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(("data", "asked", "selector", "how"), [
    (WINE, {"n_features": [2, 3], "n_alternatives": 1}, {"quality": "f"}, {}),
    (
        FEW,
        {"n_features": 3, "n_alternatives": [1, 2], "tau": [0.3, 1]},
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
], ids=["sequential", "simultaneous", "matched", "weights"])  # fmt: skip
def test_each_point_has_the_scores_of_its_own_evaluation(data, asked, selector, how):
    good = selector["quality"]
    others = {name: value for name, value in selector.items() if name != "quality"}
    found = evaluate_frontier(good, *data, **asked, **others, **how)
    assert len(found) > 3
    for point, evaluation in found.pairs:
        numbers = {name: getattr(point, name) for name in ("n_features", "n_alternatives", "tau")}
        own = evaluate(SelectAlternatives(**selector, **numbers), *data, **how)
        assert evaluation.folds == own.folds
        assert evaluation.against_baseline == own.against_baseline
        assert evaluation.comparisons == own.comparisons
        assert evaluation.parameters == own.parameters
        assert found.baseline == own.baseline
        assert score_of(evaluation) == pytest.approx(np.mean(own.mean_scores()), abs=1e-12)


def test_evaluations_are_a_sequence_in_the_order_of_the_points(wine):
    assert len(wine) == len(wine.frontier) == 12
    assert [one.n_sets for one in wine] == [point.n_alternatives + 1 for point in wine.frontier]
    assert wine[-1] == wine.evaluations[-1]
    assert wine[:2] == wine.evaluations[:2]
    assert wine.notes == ()


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
    different = {(fold.number, chosen) for one in found for fold in one.folds for chosen in fold.sets}
    assert set(fitted.values()) == {1}
    assert len(fitted) == len(different) < sum(len(fold.sets) for one in found for fold in one.folds)
    # All rows; the training rows and the test rows of each fold.
    assert set(scored.values()) == {1}
    assert len(scored) == 7


def test_intervals_are_those_of_the_corrected_test(wine):
    for one in wine:
        by_fold = np.array([fold.scores["matthews_corrcoef"] for fold in one.folds]).mean(axis=1)
        ratio = np.mean([fold.n_test / fold.n_train for fold in one.folds])
        own, found = corrected_t_test(by_fold.tolist(), ratio), overall(one)
        assert (found.difference, found.low, found.high) == pytest.approx((own.difference, own.low, own.high))
        assert n_found(one) == 5


def test_several_workers_give_the_same():
    one = evaluate_frontier("f", *WINE, 2, 1, cv=3, n_repeats=1)
    with joblib.parallel_config("threading", n_jobs=2):
        assert one == evaluate_frontier("f", *WINE, 2, 1, cv=3, n_repeats=1)
    assert one == evaluate(
        altsets.results.Frontier.from_json(one.frontier.to_json()), *WINE, cv=3, n_repeats=1
    )
    assert one != evaluate_frontier("f", *WINE, 2, 1, cv=4, n_repeats=1)


# --- What is told ------------------------------------------------------------------------------------
def test_frame_and_document(wine):
    frame = wine.to_frame()
    assert list(frame.columns[:3]) == ["n_features", "n_alternatives", "tau"]
    assert frame["test_matthews_corrcoef"].tolist() == [*map(score_of, wine)]
    assert (frame["low_matthews_corrcoef"] < frame["test_matthews_corrcoef"]).all()
    assert set(frame["baseline_matthews_corrcoef"]) == {wine.baseline} == {0.0}
    assert set(frame["n_found"]) == {5}
    text = wine.to_json()
    assert Evaluations.from_json(text) == wine
    assert Evaluations.from_json(text).to_dict() == wine.to_dict()
    document = json.loads(text)
    assert altsets.results.Frontier.from_json(json.dumps(document["frontier"])) == wine.frontier
    assert altsets.results.Evaluation.from_json(json.dumps(document["evaluations"][3])) == wine[3]


@pytest.mark.parametrize("damage", [
    lambda document: document.pop("evaluations"), lambda document: document["evaluations"].pop(),
    lambda document: document["evaluations"][0].pop("folds"),
    lambda document: document["evaluations"][1]["folds"][0].update(scores={}),
    lambda document: document["frontier"].pop("points"), lambda document: document.update(kind="frontier"),
])  # fmt: skip
def test_damaged_documents_are_refused(wine, damage, refused):
    document = json.loads(wine.to_json())
    damage(document)
    with refused(InputError):
        Evaluations.from_json(json.dumps(document))


def test_what_is_said_of_good_sets(wine, snapshot):
    said = wine.explain()
    best = max(range(len(wine)), key=lambda number: score_of(wine[number]))
    assert said.startswith(wine.frontier.explain())
    assert said == snapshot
    assert wine.best == best
    assert best in wine.without_loss
    # By hand: a loss is sure where the whole interval of the differences is below 0.
    by_fold = [
        np.mean([one.scores(number) for number in range(one.n_sets)], axis=0) for one in wine.evaluations
    ]
    for number, scores in enumerate(by_fold):
        test = corrected_t_test((scores - by_fold[best]).tolist(), 0.25)
        assert (number in wine.without_loss) == (not test.high < 0)
    assert "12 points, 5 folds" in repr(wine)


def test_noise_is_not_called_good(snapshot):
    rng = np.random.default_rng(0)
    found = evaluate_frontier("f", rng.normal(size=(80, 6)), rng.integers(2, size=80), 2, 1, n_repeats=1)
    assert found.explain() == snapshot
    assert "loss" not in found.explain()
    assert not found.without_loss
    one = evaluate_frontier("f", *WINE, 2, 1, cv=[(np.arange(0, 178, 2), np.arange(1, 178, 2))])
    assert one.explain() == snapshot
    assert "No loss" not in one.explain()


def test_folds_without_all_sets_have_no_score(snapshot):
    # Six columns: three sets of two, not four.
    X = CANCER[0].iloc[:, :6]
    found = evaluate_frontier("f", X, CANCER[1], 2, 3, tau=[0, 1], cv=3, n_repeats=1)
    free, disjoint = found
    assert n_found(free) == 3
    assert (n_found(disjoint), found.frontier.points[1].status) == (0, Status.INFEASIBLE)
    assert math.isnan(score_of(disjoint))
    assert not all(map(math.isnan, disjoint.mean_scores()))
    assert found.best == 0
    assert Evaluations.from_json(found.to_json()) == found
    nothing = evaluate_frontier("f", X, CANCER[1], 2, 3, tau=1, cv=3, n_repeats=1)
    assert nothing.explain() == snapshot


# --- Which size? -------------------------------------------------------------------------------------
def within_one_standard_error(found):
    """The numbers of the points near the best one, from the scores of each fold."""
    means = np.array([np.mean([one.scores(number) for number in range(one.n_sets)], axis=0) for one in found])
    best = means[means.mean(axis=1).argmax()]
    ratio = np.mean([fold.n_test / fold.n_train for fold in found[0].folds])
    error = math.sqrt(best.var(ddof=1) * (1 / len(best) + ratio))
    assert found.least_score == pytest.approx(best.mean() - error)
    return [number for number, scores in enumerate(means) if scores.mean() >= best.mean() - error]


def test_the_smallest_size_within_one_standard_error():
    found = evaluate_frontier("mrmr", *CANCER, range(1, 9), [0, 1], [0.5, 1], cv=5, n_repeats=2)
    near = within_one_standard_error(found)
    size, count, tau = min(
        (point.n_features, -point.n_alternatives, -point.tau)
        for number, point in enumerate(found.frontier)
        if number in near
    )
    picked = found.frontier.points[found.one_standard_error]
    assert (picked.n_features, picked.n_alternatives, picked.tau) == (size, -count, -tau)
    assert 1 < picked.n_features < 8
    frame = found.to_frame()
    assert frame.index[frame["one_standard_error"]].tolist() == [found.one_standard_error]
    document = json.loads(found.to_json())["one_standard_error"]
    assert document == {"point": found.one_standard_error, "least_score": found.least_score}
    assert Evaluations.from_json(found.to_json()) == found
    rings = [
        line for line in found.plot(n_alternatives=picked.n_alternatives).lines if line.get_gid() == "mark"
    ]
    assert [ring.get_ydata()[0] for ring in rings] == [score_of(found[found.one_standard_error])]


@pytest.mark.parametrize(("curve", "best"), [
    ({"against": range(30)}, min),
    ({"against": quality.Additive(list(range(30)))}, max),
    ({"by": "penalty"}, min),
    ({"by": "balance"}, max),
], ids=["costs", "second quality", "penalty", "balance"])  # fmt: skip
def test_the_rule_on_other_curves(curve, best):
    frontier = altsets.frontier(
        "f", 3, 1, 0 if "against" not in curve else 0.5, X=CANCER[0], y=CANCER[1], **curve
    )
    found = evaluate(frontier, *CANCER, n_repeats=1)
    near = [frontier.second_of(frontier.points[number]) for number in within_one_standard_error(found)]
    assert frontier.second_of(frontier.points[found.one_standard_error]) == best(near)


def test_the_rule_says_nothing_of_noise_and_of_one_fold(snapshot):
    rng = np.random.default_rng(0)
    noise = evaluate_frontier(
        "f", rng.normal(size=(60, 8)), np.arange(60) % 2, [1, 2], 1, tau=[0, 1], n_repeats=1
    )
    once = evaluate_frontier(
        "f", *WINE, [1, 2], 1, tau=[0, 1], cv=[(range(0, 178, 2), range(1, 178, 2))], n_repeats=1
    )
    assert noise.one_standard_error is once.one_standard_error is None
    assert math.isnan(once.least_score)
    assert json.loads(once.to_json())["one_standard_error"] == {"point": None, "least_score": None}
    assert not once.to_frame()["one_standard_error"].any()
    good = evaluate_frontier("f", *WINE, [1, 2, 3, 4], 0, n_repeats=1)
    assert good.verdict.findings[-1] == snapshot


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
    assert {len(one.folds) for one in found} == {2}
    assert found.explain() == snapshot
    assert Evaluations.from_json(found.to_json()) == found


def test_ctrl_c_in_a_search_ends_the_evaluation(monkeypatch):
    from altsets.search.frontier import sweep

    solve, calls = sweep.solve, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return solve(*arguments)

    monkeypatch.setattr(sweep, "solve", interrupted)
    # The fifth search is the second one of the first fold: no fold is done.
    with pytest.raises(KeyboardInterrupt):
        evaluate_frontier("f", *WINE, 2, 1, n_repeats=1)


def test_points_that_folds_had_no_time_for(monkeypatch):
    from altsets.evaluation import folds

    frontier, complete = altsets.frontier("f", 2, 1, X=WINE[0], y=WINE[1]), folds.by_tau

    def hurried(*arguments, **asked):
        found = complete(*arguments, **asked)
        return altsets.results.Frontier(found.points[:2], found.parameters)

    monkeypatch.setattr(folds, "by_tau", hurried)
    found = evaluate(frontier, *WINE, n_repeats=1)
    assert [*map(n_found, found)] == [5, 5, 0]
    assert set(found[2].folds[0].statuses) == {Status.NOT_FOUND}


# --- Sets that stay the same -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "curve", [{"by": "penalty"}, {"by": "balance"}, {"against": range(13)}, {"existing": [["alcohol"]]}, {}]
)
def test_other_frontiers_keep_their_sets(curve, snapshot):
    good = "f" if curve else quality.Additive.from_data(*WINE, measure="f")
    table = {"X": WINE[0], "y": WINE[1]} if curve else {}
    frontier = altsets.frontier(good, 2, 1, 0.5, **table, **curve)
    found = evaluate(frontier, *WINE, cv=3, n_repeats=1)
    assert found.notes == snapshot
    for point, evaluation in found.pairs:
        own = evaluate(point.result, *WINE, cv=3, n_repeats=1)
        assert evaluation.folds == own.folds
        assert evaluation.given
    assert Evaluations.from_json(found.to_json()) == found
    assert found.plot().get_ylabel() == "matthews_corrcoef"


def test_fixed_sets_that_are_missing_have_no_score():
    six = WINE[0].iloc[:, :6]
    found = evaluate(
        altsets.frontier(quality.Additive.from_data(six, WINE[1]), 2, 3, [0, 1]), six, WINE[1], cv=3
    )
    assert math.isnan(score_of(found[1]))
    assert not math.isnan(score_of(found[0]))


def test_what_cannot_be_evaluated_is_refused(refused):
    good = quality.Additive.from_data(*WINE, measure="f")
    nothing = altsets.frontier(good, 2, 1, 0.5, constraints=[constraints.Require(0), constraints.Forbid(0)])
    with refused(InputError):
        evaluate(nothing, *WINE)
    with refused(InputError):
        evaluate(altsets.frontier(good, 2, 1), *WINE, n_bootstraps=3)


def test_sizes_beyond_the_table_are_left_out(snapshot):
    found = evaluate_frontier("f", *WINE, range(12, 20), 0, cv=2, n_repeats=1)
    assert found.frontier.sizes == [12, 13]
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
    assert found[0].n_folds == 2 * n_repeats
