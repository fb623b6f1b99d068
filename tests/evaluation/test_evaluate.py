"""How well sets predict: the same numbers as by hand, honest comparisons, stability, and what is refused."""

from __future__ import annotations

import json
import math
import signal
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import stats
from shared_data import DATASETS, needs_datasets
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer, matthews_corrcoef, mean_absolute_error, r2_score, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import altsets
from altsets import SelectAlternatives, Status, evaluate, plots, quality
from altsets.errors import InputError, MissingExtraError
from altsets.evaluation import corrected_t_test, stability_index, substitutions
from altsets.evaluation.comparison import compare, paired
from altsets.evaluation.setup import bootstrap_samples
from altsets.files.dataset import read_columns, split_target
from altsets.measures import f_score
from altsets.results import Evaluation
from altsets.tables.target import target_of

STUDY = ("wdbc", "sonar", "ionosphere", "hepatitis", "spectf")


def high_or_low(return_X_y):
    X, y = load_diabetes(return_X_y=return_X_y)
    return X, y > np.median(y)


def blobs(return_X_y):
    return make_blobs(200, 12, centers=3, cluster_std=12, random_state=1)


BUNDLED = {
    "cancer": load_breast_cancer,
    "wine": load_wine,
    "iris": load_iris,
    "diabetes": high_or_low,
    "blobs": blobs,
}


def data_set(name):
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    data = split_target(read_columns(DATASETS / f"{name}.csv.gz"), "target")
    return data.X.values, data.y


def quick(**parameters):
    return SelectAlternatives("f", **{"n_features": 3, "n_alternatives": 1, "tau": 1, **parameters})


def right(model, X, y):
    """The share of right predictions, with less around it than scikit-learn's."""
    return float(np.mean(model.predict(X) == y))


# --- The same numbers as by hand ----------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore:some columns are constant")
@pytest.mark.parametrize(
    "name", [*BUNDLED, *(pytest.param(name, marks=[needs_datasets, pytest.mark.slow]) for name in STUDY)]
)
def test_a_hand_written_loop_gives_the_same_digits(name):
    X, y = data_set(name)
    asked = {"n_features": 2, "n_alternatives": 2, "tau": 0.5}
    evaluation = evaluate(SelectAlternatives("mutual_info", **asked), X, y, n_repeats=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=25).split(X, y)
    for fold, (train, test) in zip(evaluation.folds, folds, strict=True):
        made = quality.Additive.from_data(X[train], y[train], measure="mutual_info")
        there = quality.Additive.from_data(X[test], y[test], measure="mutual_info")
        found = altsets.find(made, **asked)
        assert list(fold.sets) == found.sets
        assert list(fold.qualities) == found.qualities
        assert list(fold.test_qualities) == [there.evaluate(chosen) for chosen in found.sets]
        assert list(fold.statuses) == found.statuses
        for number, chosen in enumerate(found.sets):
            tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
            tree.fit(X[train][:, chosen], y[train])
            expected = matthews_corrcoef(y[test], tree.predict(X[test][:, chosen]))
            assert fold.scores["matthews_corrcoef"][number] == expected
            trained = matthews_corrcoef(y[train], tree.predict(X[train][:, chosen]))
            assert fold.train_scores["matthews_corrcoef"][number] == trained


def test_the_selector_finds_in_a_fold_what_it_finds_alone(wine):
    X, y = wine
    selector = SelectAlternatives("mrmr", n_features=3, n_alternatives=2)
    evaluation = evaluate(selector, X, y, cv=3, n_repeats=1)
    folds = StratifiedKFold(3, shuffle=True, random_state=25).split(X, y)
    for fold, (train, _) in zip(evaluation.folds, folds, strict=True):
        assert list(fold.sets) == selector.fit(X.iloc[train], y.iloc[train]).result_.sets
    assert not hasattr(SelectAlternatives(), "result_")


def test_a_wrapper_is_judged_on_test_rows_as_in_the_paper():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    selector = SelectAlternatives("wrapper", n_features=2, n_alternatives=1, quality_params={"max_iters": 20})
    fold = evaluate(selector, X, y, cv=2, n_repeats=1).folds[1]
    _, (_, test) = StratifiedKFold(2, shuffle=True, random_state=25).split(X, y)
    there = quality.Wrapper(None, X[test], y[test])
    assert list(fold.test_qualities) == [there.evaluate(chosen) for chosen in fold.sets]


def test_amounts_are_judged_by_r_squared_of_a_regression_tree():
    X, y = load_diabetes(return_X_y=True)
    evaluation = evaluate([[2, 8], [3, 5]], X, y, cv=3, n_repeats=1)
    assert evaluation.scorers == ("r2",)
    train, test = next(KFold(3, shuffle=True, random_state=25).split(X))
    tree = DecisionTreeRegressor(random_state=25).fit(X[train][:, [2, 8]], y[train])
    assert evaluation.folds[0].scores["r2"][0] == r2_score(y[test], tree.predict(X[test][:, [2, 8]]))


def test_any_estimator_and_several_scorers(wine):
    X, y = wine
    model = make_pipeline(StandardScaler(), LogisticRegression())
    scoring = {"right": "accuracy", "auc": "roc_auc_ovr", "own": right}
    evaluation = evaluate(
        [["alcohol", "hue"], ["flavanoids"]], X, y, estimator=model, scoring=scoring, cv=3, n_repeats=1
    )
    assert evaluation.scorers == ("right", "auc", "own")
    assert evaluation.scores(1, "right") == evaluation.scores(1, "own")
    train, test = next(StratifiedKFold(3, shuffle=True, random_state=25).split(X, y))
    columns = X[["alcohol", "hue"]].to_numpy()
    chances = model.fit(columns[train], y[train]).predict_proba(columns[test])
    assert evaluation.scores(0, "auc")[0] == roc_auc_score(y[test], chances, multi_class="ovr")
    assert len(evaluation.comparisons) == 3
    assert not hasattr(
        evaluate([[0]], X, y, estimator=DecisionTreeClassifier(), cv=2, n_repeats=1), "estimator"
    )


def test_names_of_scorers(wine):
    X, y = wine
    absolute = make_scorer(mean_absolute_error, greater_is_better=False)
    assert evaluate([[0]], X, y, scoring=["accuracy", right, absolute], cv=2, n_repeats=1).scorers == (
        "accuracy",
        "right",
        "mean_absolute_error",
    )


# --- Given sets ---------------------------------------------------------------------------------------
def test_sets_by_name_index_mask_and_result_are_the_same(wine):
    X, y = wine
    names = list(X.columns)
    result = altsets.find(
        quality.Additive.from_data(X, y, measure="f"), n_features=2, n_alternatives=1, tau=1
    )
    named = [[names[index] for index in reversed(chosen)] for chosen in result.sets]
    masks = np.array([[index in chosen for index in range(len(names))] for chosen in result.sets])
    expected = evaluate(result.sets, X, y, cv=3, n_repeats=1)
    assert expected.given
    for what in (result, named, masks, [np.array(chosen) for chosen in result.sets]):
        assert evaluate(what, X, y, cv=3, n_repeats=1) == expected
    # Names find their columns in another order; features without names are known by their index.
    turned = evaluate(result, X[names[::-1]], y, cv=3, n_repeats=1)
    assert [{turned.names[index] for index in chosen} for chosen in turned.folds[0].sets] == [
        set(chosen) for chosen in named
    ]
    unnamed = altsets.find(quality.Additive([3, 2, 1]), n_features=1, n_alternatives=1, tau=1)
    assert evaluate(unnamed, X, y, cv=2, n_repeats=1).folds[0].sets == ((0,), (1,))


def test_given_sets_have_no_quality_and_no_stability(wine, snapshot):
    evaluation = evaluate([[0, 1], [2]], *wine, cv=3, n_repeats=1)
    assert np.isnan(evaluation.folds[0].qualities).all()
    assert evaluation.stability() == []
    assert evaluation.summary() == snapshot
    assert set(evaluation.scores_frame()["status"]) == {"given"}


# --- Leaks --------------------------------------------------------------------------------------------
def test_a_search_on_all_rows_is_visible_in_the_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2000)), rng.integers(0, 2, 120)
    selector = SelectAlternatives("f", n_features=5, n_alternatives=3, tau=1)
    model = LogisticRegression()
    leaking = evaluate(selector.fit(X, y).result_, X, y, estimator=model, n_repeats=1)
    honest = evaluate(selector, X, y, estimator=model, n_repeats=1)
    assert min(leaking.mean_scores()) > 0.25
    assert abs(np.mean(honest.mean_scores())) < 0.1


def test_scores_that_were_given_may_leak_and_say_so(wine, snapshot):
    X, y = wine
    scores = quality.Additive.from_data(X, y, measure="f").scores
    evaluation = evaluate(SelectAlternatives(scores, n_features=2, n_alternatives=1), X, y, cv=2, n_repeats=1)
    assert evaluation.summary() == snapshot
    assert np.isnan(evaluation.folds[0].test_qualities).all()
    assert not np.isnan(evaluation.folds[0].qualities).any()
    assert evaluate(quick(), X, y, cv=2, n_repeats=1).summary() == snapshot


# --- Rows ---------------------------------------------------------------------------------------------
def test_splitters_of_all_kinds():
    X, y = load_diabetes(return_X_y=True)
    groups = np.arange(len(y)) // 40
    for cv, expected in (
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), 6),
        (TimeSeriesSplit(4), 4),
        (GroupKFold(4), 4),
        ([(np.arange(100), np.arange(100, 150)), (np.arange(50), np.arange(60, 80))], 2),
    ):
        given = groups if isinstance(cv, GroupKFold) else None
        evaluation = evaluate([[2], [8]], X, y, cv=cv, groups=given, estimator="linear")
        assert len(evaluation.folds) == evaluation.n_folds == expected
        listed = cv if isinstance(cv, list) else list(cv.split(X, y, given))
        assert [(fold.n_train, fold.n_test) for fold in evaluation.folds] == [
            (len(train), len(test)) for train, test in listed
        ]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_number_of_folds_keeps_groups_together(task):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 3)
    X = np.column_stack([groups + 0.0, rng.normal(size=120)])
    y = rng.integers(0, 2, 40)[groups]
    seen = []

    def overlap(model, X, y):
        seen.append(set(X[:, 0]))
        return 0.0

    evaluate([[0]], X, y, cv=4, groups=groups, scoring=overlap, task=task, n_repeats=1)
    # The scorer sees the test rows, then the training rows, then the test rows as the baseline sees them.
    assert len(seen) == 12
    assert not any(test & train for test, train in zip(seen[::3], seen[1::3], strict=True))
    assert all(np.isnan(list(values)).all() for values in seen[2::3])


def test_the_target_is_what_it_is_in_the_whole_table():
    # 24 values with ten rows each are classes; half of the rows would be amounts.
    y = np.tile(np.arange(24), 10)
    X = np.column_stack([y + 0.1, np.arange(240) % 7])
    evaluation = evaluate(
        SelectAlternatives("mutual_info", n_features=1, n_alternatives=0), X, y, cv=2, n_repeats=1
    )
    assert evaluation.scorers == ("matthews_corrcoef",)
    assert evaluation.folds[0].sets == ((0,),)


def test_weights_are_repeated_rows(wine):
    X, y = (np.asarray(part) for part in wine)
    half = np.arange(0, len(y), 2)
    weights = np.ones(len(y))
    weights[1::2] = 0
    assert evaluate(quick(), X, y, sample_weight=weights, cv=3, n_repeats=1) == evaluate(
        quick(), X[half], y[half], cv=3, n_repeats=1
    )
    # A model that counts a row twice, and a score that does so too.
    twos = np.where(np.arange(len(y)) % 3, 1, 2)
    splits = [(np.arange(0, 178, 2), np.arange(1, 178, 2))]
    weighted = evaluate([[0, 1]], X, y, sample_weight=twos, cv=splits).folds[0]
    train, test = (np.repeat(rows, twos[rows]) for rows in splits[0])
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25).fit(X[train][:, :2], y[train])
    assert weighted.scores["matthews_corrcoef"][0] == pytest.approx(
        matthews_corrcoef(y[test], tree.predict(X[test][:, :2]))
    )


def test_categories_and_holes(refused):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    colour = np.array(["red", "green", "blue"])[(y + rng.integers(0, 2, 90)) % 3]
    size = np.where(rng.random(90) < 0.2, np.nan, y + rng.normal(size=90))
    X = pd.DataFrame({"colour": colour, "size": size, "noise": rng.normal(size=90)})
    evaluation = evaluate(SelectAlternatives(n_features=1, n_alternatives=1, tau=1), X, y, cv=3, n_repeats=1)
    assert {name for name in evaluation.names.values()} <= {"colour", "size", "noise"}
    assert evaluation.mean_scores()[0] > 0.2
    with refused(InputError):
        evaluate([["size"]], X, y, estimator=LogisticRegression(), n_repeats=1)


# --- Sets that are missing ----------------------------------------------------------------------------
def test_sets_that_were_not_found_are_nan_and_said(snapshot):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    evaluation = evaluate(
        SelectAlternatives("f", n_features=2, n_alternatives=2, tau=1), X, y, cv=3, n_repeats=1
    )
    assert evaluation.n_sets == 3
    assert [evaluation.n_found(number) for number in range(3)] == [3, 3, 0]
    assert all(math.isnan(score) for score in evaluation.scores(2))
    assert evaluation.folds[0].statuses[2] is Status.INFEASIBLE
    assert evaluation.summary() == snapshot
    assert evaluation.comparisons[1].sentence == snapshot
    frame = evaluation.scores_frame()
    assert frame.loc[(0, 2), "features"] == []
    assert math.isnan(evaluation.stability()[2].index)
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_a_fold_without_any_set_is_no_error(snapshot):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), rng.integers(0, 2, 40)
    nothing = SelectAlternatives(
        "f", n_features=2, n_alternatives=0, constraints=[altsets.constraints.Forbid([0, 1, 2])]
    )
    evaluation = evaluate(nothing, X, y, cv=2, n_repeats=1)
    assert math.isnan(evaluation.mean_scores()[0])
    assert evaluation.summary() == snapshot
    assert repr(evaluation).endswith("nan; baseline 0.000)")


def test_one_class_in_the_test_rows_leaves_the_quality_open():
    X, y = load_breast_cancer(return_X_y=True)
    test = np.flatnonzero(y == 1)[:20]
    train = np.setdiff1d(np.arange(len(y)), test)
    fold = evaluate(quick(), X, y, scoring="accuracy", cv=[(train, test)]).folds[0]
    assert np.isnan(fold.test_qualities).all()
    assert fold.scores["accuracy"][0] > 0.5


# --- Comparison ---------------------------------------------------------------------------------------
def test_without_the_correction_it_is_the_plain_test():
    differences = np.random.default_rng(0).normal(0.1, 1, 8)
    found = corrected_t_test(differences, 0.0, 0.9)
    plain = stats.ttest_1samp(differences, 0)
    assert found.p_value == pytest.approx(plain.pvalue, rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(plain.confidence_interval(0.9)), rel=1e-12)


def test_the_correction_is_that_of_nadeau_and_bengio():
    differences = np.array([0.05, 0.02, -0.01, 0.04, 0.03])
    spread = math.sqrt((1 / 5 + 1 / 4) * np.var(differences, ddof=1))
    found = corrected_t_test(differences, 1 / 4)
    assert found.p_value == pytest.approx(2 * stats.t.sf(differences.mean() / spread, 4))
    assert found.high - found.difference == pytest.approx(stats.t.ppf(0.975, 4) * spread)


def test_folds_say_how_many_rows_they_have(wine):
    evaluation = evaluate([[0], [6]], *wine, cv=5, confidence=0.8, n_repeats=1)
    differences = np.subtract(evaluation.scores(1), evaluation.scores(0))
    ratio = np.mean([fold.n_test / fold.n_train for fold in evaluation.folds])
    expected = corrected_t_test(differences, ratio, 0.8)
    entry = evaluation.comparisons[0]
    assert (entry.difference, entry.low, entry.high, entry.p_value) == expected[:4]
    assert "80 % interval" in entry.sentence


def test_repeats_shuffle_anew_and_count_as_folds(wine, snapshot):
    once, thrice = (evaluate([[0], [6]], *wine, cv=4, n_repeats=repeats) for repeats in (1, 3))
    assert thrice.parameters["splits"] == snapshot
    assert len(thrice.folds) == thrice.n_folds == 12
    assert thrice.scores(0)[:4] == once.scores(0)
    assert len({tuple(thrice.scores(0)[start : start + 4]) for start in (0, 4, 8)}) == 3
    second = evaluate([[0], [6]], *wine, cv=4, random_state=26, n_repeats=1)
    assert thrice.scores(0)[4:8] == second.scores(0)
    # By hand: twelve differences, and a third as many test rows as training rows.
    differences = np.subtract(thrice.scores(1), thrice.scores(0))
    ratio = np.mean([fold.n_test / fold.n_train for fold in thrice.folds])
    assert ratio == pytest.approx(1 / 3, rel=0.01)
    spread = math.sqrt((1 / 12 + ratio) * np.var(differences, ddof=1))
    entry = thrice.comparisons[0]
    assert entry.n_folds == 12
    assert entry.p_value == pytest.approx(2 * stats.t.sf(abs(differences.mean()) / spread, 11))
    assert entry.high - entry.difference == pytest.approx(stats.t.ppf(0.975, 11) * spread)


@pytest.mark.slow
def test_repeats_keep_groups_together(wine, snapshot):
    X, y = wine
    groups = np.arange(len(y)) // 3
    with parallel_config(backend="threading"):
        evaluation = evaluate([[0]], X, y, cv=3, n_repeats=2, groups=groups, n_jobs=2)
    assert evaluation.parameters["splits"] == snapshot
    assert evaluation == evaluate([[0]], X, y, cv=3, n_repeats=2, groups=groups)
    named = evaluate([[0]], X, y, cv=3, groups=pd.Series(groups, name="patient"), n_repeats=1)
    assert named.parameters["splits"] == snapshot


@pytest.mark.parametrize(("n_columns", "n_sets", "n_repeats"), [
    (500, 2, 5), (501, 2, 1), (500, 3, 1), (333, 3, 5),
])  # fmt: skip
def test_rows_are_split_again_where_that_is_cheap(n_columns, n_sets, n_repeats):
    # Up to 1,000,000 rows times columns times sets, on any machine.
    X, y = np.zeros((1000, n_columns)), np.arange(1000) % 2
    automatic, asked = (
        evaluate([[0]] * n_sets, X, y, estimator=DummyClassifier(), cv=2, **more)
        for more in ({}, {"n_repeats": n_repeats})
    )
    assert len(automatic.folds) == 2 * n_repeats
    assert automatic == asked


def test_splits_that_are_given_are_not_repeated(wine):
    evaluation = evaluate([[0]], *wine, cv=KFold(3))
    assert (len(evaluation.folds), evaluation.parameters["n_repeats"]) == (3, 1)


@pytest.mark.parametrize("cv", [KFold(3), [([0, 1], [2])]])
def test_repeats_of_splits_that_are_given_are_refused(wine, cv, refused):
    assert evaluate([[0]], *wine, cv=KFold(3)).parameters["splits"] == "3 folds"
    with refused(InputError):
        evaluate([[0]], *wine, cv=cv, n_repeats=2)
    with refused(InputError):
        evaluate([[0]], *wine, n_repeats=0)


@pytest.mark.slow
def test_the_test_keeps_its_level():
    false_alarms = plain_alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 4))
        y = (X.sum(axis=1) + rng.normal(size=80) > 0).astype(int)
        # Both sets say the same about the target, so every difference is chance.
        evaluation = evaluate([[0, 1], [2, 3]], X, y, scoring=right, n_repeats=1)
        false_alarms += evaluation.comparisons[0].p_value < 0.05
        differences = np.subtract(evaluation.scores(1), evaluation.scores(0))
        plain_alarms += corrected_t_test(differences, 0).p_value < 0.05
    assert 1 <= false_alarms <= 9
    assert plain_alarms > 9


def conclusion(scores, first, scorer="matthews_corrcoef", margin=None, ratio=0.25):
    entry = compare(scorer, 1, paired(scores, first, [ratio] * len(scores), 0.95), margin)
    return entry.conclusion, entry.sentence


#: The interval of these differences goes from 0.018 below their mean to 0.018 above it.
AROUND = np.array([0.0, 0.01, -0.01, 0.0])


@pytest.mark.parametrize(("difference", "margin", "expected", "words"), [
    (0.0, None, "equivalent", "Set 1 predicts as well as set 0: difference 0.000, 95 % interval [-0.018, 0.018], "
     "within the margin of 0.02; a loss of up to 0.018 and a gain of up to 0.018 are not excluded."),
    (0.0, 0.01, "undecided", "Undecided whether set 1 predicts as well as set 0: difference 0.000, 95 % interval "
     "[-0.018, 0.018]; a loss of up to 0.018 and a gain of up to 0.018 are not excluded."),
    (0.01, None, "non-inferior", "Set 1 is non-inferior to set 0: difference 0.010, 95 % interval [-0.008, 0.028], "
     "above -0.02 (the margin); a loss of up to 0.008 and a gain of up to 0.028 are not excluded."),
    (-0.01, None, "undecided", "; a loss of up to 0.028 and a gain of up to 0.008 are not excluded."),
    (-0.03, None, "worse", "Set 1 predicts worse than set 0: difference -0.030, 95 % interval [-0.048, -0.012]; a loss "
     "of up to 0.048 is not excluded."),
    (-0.03, 0.05, "equivalent", "within the margin of 0.05; a loss of up to 0.048 is not excluded."),
    (-0.2, None, "inferior", "Set 1 predicts worse than set 0, by more than the margin of 0.02: difference -0.200"),
    (0.019, 0.05, "better", "Set 1 predicts better than set 0: difference 0.019, 95 % interval [0.001, 0.037]."),
    (-0.019, 0, "inferior", "by more than the margin of 0: "),
    (0.0, 0, "undecided", "Undecided whether"),
    (0.0, 0.018, "undecided", "Undecided whether"),
])  # fmt: skip
def test_six_conclusions(difference, margin, expected, words):
    found = conclusion(0.8 + difference + AROUND, [0.8] * 4, margin=margin)
    assert found[0] == expected
    assert words in found[1]


@pytest.mark.parametrize(("scores", "expected", "words"), [
    ([0.80, 0.80, 0.80, 0.80], "undecided", "Set 1 and set 0: scores are identical, so no test is possible."),
    ([0.90, 0.90, 0.90, 0.90], "undecided", "Set 1 scores 0.100 higher than set 0 in each of 4 folds; the "
     "difference never varies, so no test is possible."),
    ([0.70, np.nan, np.nan, np.nan], "undecided", "Set 1 scores 0.100 lower than set 0 in the only fold; a "
     "test needs several folds (1 of 4 folds have both)."),
    ([0.60, 0.61, 0.59, np.nan], "inferior", "(3 of 4 folds have both)."),
    ([np.nan] * 4, "undecided", "Set 1 cannot be compared with set 0: no fold has a score for both."),
])  # fmt: skip
def test_conclusions_from_few_scores(scores, expected, words):
    found = conclusion(scores, [0.8] * 4)
    assert found[0] == expected
    assert words in found[1]


@pytest.mark.parametrize(("difference", "expected"), [
    (0.0, "undecided"), (-0.01, "undecided"), (0.1, "better"), (-0.1, "worse"),
])  # fmt: skip
def test_a_scale_that_is_not_known_has_no_margin_of_its_own(difference, expected):
    scores = 0.8 + difference + AROUND
    assert conclusion(scores, [0.8] * 4, "neg_mean_squared_error")[0] == expected
    assert conclusion(0.8 + AROUND, [0.8] * 4, "neg_mean_squared_error", margin=0.1)[0] == "equivalent"


# --- Stability and substitutions ----------------------------------------------------------------------
def by_definition(sets, n):
    """The index of Nogueira, Sechidis and Brown, from the matrix of zeros and ones."""
    Z = np.array([[feature in chosen for feature in range(n)] for chosen in sets], dtype=float)
    used = Z.mean(axis=0).sum() / n
    index = 1 - Z.var(axis=0, ddof=1).mean() / (used * (1 - used))
    sizes = Z.sum(axis=1)
    parts = [
        (
            (row * Z.mean(axis=0)).mean()
            - size * used / n
            + index / 2 * (2 * size * used / n - size / n - used + 1)
        )
        / (used * (1 - used))
        for row, size in zip(Z, sizes, strict=True)
    ]
    error = math.sqrt(4 / len(Z) * np.mean((parts - np.mean(parts)) ** 2))
    return index, index - 1.959964 * error, min(1, index + 1.959964 * error)


def test_the_index_follows_its_definition():
    rng = np.random.default_rng(0)
    sets = [tuple(sorted(rng.choice(12, rng.integers(2, 6), replace=False).tolist())) for _ in range(9)]
    found = stability_index(0, sets, 12)
    assert (found.index, found.low, found.high) == pytest.approx(by_definition(sets, 12), abs=1e-6)
    assert math.isnan(stability_index(0, sets[:1], 12).index)
    assert math.isnan(stability_index(0, [(0, 1), (0, 1)], 2).index)


def test_bootstrap_samples(wine):
    y = wine[1]
    target = target_of(y, len(y))
    samples = bootstrap_samples(40, target, None, 25)
    assert np.mean([len(rows) / len(y) for rows in samples]) == pytest.approx(1 - 1 / math.e, abs=0.02)
    assert all(len(np.unique(rows)) == len(rows) for rows in samples)
    assert all(set(target.values[rows]) == {0, 1, 2} for rows in samples)
    assert all(
        np.array_equal(*pair) for pair in zip(samples, bootstrap_samples(3, target, None, 25), strict=False)
    )
    groups = np.arange(len(y)) // 5
    rows = bootstrap_samples(1, target, groups, 25)[0]
    kept = np.unique(groups[rows])
    assert np.array_equal(rows, np.flatnonzero(np.isin(groups, kept)))
    assert 0 < len(kept) < 36


def test_how_often_features_are_chosen(wine):
    X, y = wine
    selector = quick()
    evaluation = evaluate(selector, X, y, cv=2, n_bootstraps=6, n_repeats=1)
    assert len(evaluation.resamples) == 6
    assert evaluation.source == "bootstraps"
    runs = [part.sets for part in evaluation.resamples]
    rows = bootstrap_samples(6, target_of(y, len(y)), None, 25)
    assert list(runs[4]) == selector.fit(X.iloc[rows[4]], y.iloc[rows[4]]).result_.sets
    frame = evaluation.stability_frame()
    for index, name in evaluation.names.items():
        shares = [np.mean([index in run[number] for run in runs]) for number in range(2)]
        if name in frame.index:
            assert frame.loc[name].tolist() == pytest.approx([*shares, sum(shares)])
    assert frame["any"].is_monotonic_decreasing
    assert len(evaluation.stability("folds")) == len(evaluation.stability()) == 3
    assert evaluation.stability("folds")[0].n_runs == 2


def test_features_that_take_each_others_place():
    found = substitutions([[(0, 1, 2), (0, 3, 4)], [(0, 1), (1, 2)], [(5,)]])
    assert found.n_pairs == 2
    assert found.weights[1, 3] == found.weights[3, 1] == 0.5 / 2
    assert found.weights[0, 2] == 1 / 2
    assert found.shares[2] == {0: 0.5, 3: 0.25, 4: 0.25}
    # Sets of different sizes: the smaller one has places to spare.
    assert substitutions([[(0,), (1, 2)]]).shares == {0: {1: 0.5, 2: 0.5}, 1: {0: 0.5}, 2: {0: 0.5}}


def test_partners_are_as_much_alike_as_possible_in_all():
    kinship = {(0, 2): 0.9, (0, 3): 0.8, (1, 2): 0.7, (1, 3): 0.1}
    assert substitutions([[(0, 1), (2, 3)]], kinship).shares == {
        0: {3: 1.0},
        1: {2: 1.0},
        2: {1: 1.0},
        3: {0: 1.0},
    }
    assert substitutions([[(0,), (2, 3)]], kinship).shares == {0: {2: 1.0}, 2: {0: 1.0}, 3: {}}
    assert substitutions([[(0, 1), (0, 1)]], kinship).shares == {}


def test_features_that_are_not_alike_are_no_partners():
    sets = [[(0, 1), (2, 3)]]
    found = substitutions(sets, {(0, 2): 0.03, (0, 3): 0.2, (1, 2): 0.49, (1, 3): 0.5})
    assert found.shares == {0: {}, 1: {3: 1.0}, 2: {}, 3: {1: 1.0}}
    assert found.weights == {(1, 3): 1.0, (3, 1): 1.0}
    # Many slight likenesses do not outweigh a real one.
    assert substitutions(sets, {(0, 2): 0.4, (1, 3): 0.4, (0, 3): 0.6, (1, 2): 0.0}).shares[0] == {3: 1.0}
    assert substitutions(sets, {(0, 2): 0.03}).most_swapped() == []


def test_disjoint_sets_have_kin_as_stand_ins():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    size, tone = rng.normal(size=(2, 200)) + 2 * y
    table = pd.DataFrame(
        {
            "size": size,
            "tone": tone,
            "tone again": tone + 0.05 * rng.normal(size=200),
            "size again": np.where(rng.random(200) < 0.2, np.nan, size),
            "kind of size": pd.cut(size, 4, labels=list("abcd")).astype(str),
        }
    )
    evaluation = evaluate(
        [["size", "tone"], ["tone again", "size again"], ["tone again", "kind of size"]],
        table,
        y,
        n_repeats=1,
    )
    assert evaluation.stand_ins("tone") == {"tone again": 1.0}
    assert evaluation.stand_ins("size") == {"size again": 0.5, "kind of size": 0.5}
    assert evaluation.kinship[0, 3] > evaluation.kinship[0, 1]


def test_stand_ins_by_name(wine, refused, snapshot):
    X, y = wine
    sets = [["hue", "flavanoids"], ["hue", "total_phenols"], ["hue", "proanthocyanins"]]
    evaluation = evaluate(sets, X, y, cv=2, n_repeats=1)
    assert evaluation.stand_ins("flavanoids") == {"total_phenols": 0.5, "proanthocyanins": 0.5}
    assert evaluation.stand_ins(list(X.columns).index("flavanoids"), most=1) == {"total_phenols": 0.5}
    assert evaluation.stand_ins("hue") == {}
    weights = evaluation.substitutions().weights
    one, other = map(list(X.columns).index, ("flavanoids", "total_phenols"))
    assert weights[one, other] == weights[other, one] == pytest.approx(1 / 3)
    assert evaluation.summary() == snapshot
    with refused(InputError):
        evaluation.stand_ins("flavanoid")


def test_columns_that_have_nothing_to_do_with_each_other_do_not_stand_in(refused, snapshot):
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")), rng.integers(0, 2, 200)
    evaluation = evaluate([["a", "b"], ["c", "d"]], X, y, estimator="linear", cv=2, n_repeats=1)
    assert [evaluation.stand_ins(name) for name in "abcd"] == [{}] * 4
    text = evaluation.summary()
    assert text == snapshot
    with refused(InputError):
        plots.stand_ins(evaluation)


# --- Processes, progress, Ctrl-C, warnings ------------------------------------------------------------
@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(wine):
    X, y = wine
    told = []
    alone = evaluate(quick(), X, y, n_bootstraps=2, callback=told.append, n_repeats=1)
    assert told == pytest.approx(np.arange(1, 8) / 7)
    told.clear()
    both = evaluate(quick(), X, y, n_bootstraps=2, n_jobs=2, callback=told.append, n_repeats=1)
    assert told == pytest.approx(np.arange(1, 8) / 7)
    assert both == alone
    assert both.elapsed > 0


def test_what_progress_raises_goes_on(wine):
    def fail(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        evaluate([[0]], *wine, callback=fail, n_repeats=1)


class Talking(LinearRegression):
    """Says the same at every fit."""

    def fit(self, X, y):
        warnings.warn("so little data", UserWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_warning_once(n_jobs, snapshot):
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning) as said:
        evaluate([[0], [1]], X, y, estimator=Talking(), cv=3, n_jobs=n_jobs, n_repeats=1)
    assert [str(one.message) for one in said] == snapshot
    assert len(said) == 1
    assert Path(said[0].filename).name == "test_evaluate.py"


def test_a_warning_whose_numbers_differ_between_folds_comes_once(wine, snapshot):
    X, y = np.array(wine[0]), wine[1]
    # How many of them are among the training rows differs from fold to fold.
    X[:30, 0] = np.nan
    with pytest.warns(UserWarning, match="missing values") as said:
        evaluate(SelectAlternatives("spearman", n_features=2, n_alternatives=1), X, y)
    assert len(said) == 1
    assert str(said[0].message) == snapshot


@pytest.mark.slow
def test_errors_come_back_from_other_processes(wine, refused):
    bad = LogisticRegression(C=-1)
    with refused(InputError):
        evaluate([[0]], *wine, estimator=bad, n_jobs=2, n_repeats=1)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_the_folds_that_are_done(wine, n_jobs):
    shares = []

    def press(share):
        shares.append(share)
        if len(shares) == 1:
            signal.raise_signal(signal.SIGINT)

    evaluation = evaluate(quick(), *wine, n_bootstraps=3, n_jobs=n_jobs, callback=press, n_repeats=1)
    assert not evaluation.complete
    assert 1 <= len(evaluation.folds) < 5
    assert not evaluation.resamples
    assert "Interrupted: " in evaluation.summary()
    assert "of 5 folds" in evaluation.summary()
    assert "interrupted" in repr(evaluation)
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_ctrl_c_during_a_search_or_a_fit_is_about_the_evaluation(wine):
    X, y = (np.asarray(part) for part in wine)
    calls = []

    def press(model, X, y):
        calls.append(len(y))
        if len(calls) == 6:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    assert len(evaluate([[0], [1]], X, y, scoring=press, n_repeats=1).folds) == 1

    def slow(X, y):
        def score(chosen):
            calls.append(chosen)
            if len(calls) > 150:
                signal.raise_signal(signal.SIGINT)
            return float(-sum(chosen))

        return quality.BlackBox(score, n_features_in=X.shape[1], max_iters=60)

    calls.clear()
    evaluation = evaluate(SelectAlternatives(slow, n_features=3, n_alternatives=1), X, y, n_repeats=1)
    assert not evaluation.complete
    assert len(evaluation.folds) >= 1


def test_ctrl_c_before_the_first_fold_goes_on(wine):
    def press(model, X, y):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate([[0]], *wine, scoring=press, n_repeats=1)


# --- The answer ---------------------------------------------------------------------------------------
def test_the_same_table_gives_the_same_numbers_and_another_seed_others(wine):
    assert evaluate(quick(), *wine, n_repeats=1) == evaluate(quick(), *wine, n_repeats=1)
    assert evaluate(quick(), *wine, n_repeats=1) != evaluate(quick(), *wine, random_state=1, n_repeats=1)
    assert evaluate(quick(), *wine, cv=2, n_repeats=1) != "something else"


def test_json_and_back(wine):
    evaluation = evaluate(
        quick(), *wine, scoring=["accuracy", "f1_macro"], cv=3, n_bootstraps=2, margin=0.1, n_repeats=1
    )
    text = evaluation.to_json()
    document = json.loads(text)
    assert (document["schema"], document["kind"]) == (1, "evaluation")
    assert document["comparisons"][0]["sentence"] == evaluation.comparisons[0].sentence
    assert document["folds"][0]["sets"][0]["features"] == [
        evaluation.names[index] for index in evaluation.folds[0].sets[0]
    ]
    back = Evaluation.from_json(text)
    assert back == evaluation
    assert back.folds == evaluation.folds
    assert (back.names, back.margin, back.scorers) == (evaluation.names, 0.1, ("accuracy", "f1_macro"))
    assert back.summary() == evaluation.summary()
    with pytest.raises(TypeError, match="unhashable"):
        hash(back)


@pytest.mark.parametrize(("text", "message"), [
    ("nonsense", "not a JSON document"),
    ("[]", "not an altsets evaluation"),
    ('{"schema": 1}', "not an altsets evaluation of schema 1"),
    ('{"schema": 1, "kind": "evaluation", "folds": [{}]}', "incomplete or damaged"),
])  # fmt: skip
def test_json_that_is_none(text, message):
    with pytest.raises(InputError, match=message):
        Evaluation.from_json(text)


def test_the_summary_names_everything(wine, snapshot):
    evaluation = evaluate(quick(), *wine, n_bootstraps=3, n_repeats=1)
    text = evaluation.summary()
    assert str(evaluation) == text
    assert text == snapshot
    assert f"{evaluation.mean_scores()[0]:.3f} ± " in text
    assert evaluation.comparisons[0].sentence in text
    assert "  set 0: " in text
    assert "flavanoids 100%" in text
    assert "\nbaseline      0.000 ± 0.000\n" in text


def test_frames(wine):
    evaluation = evaluate(quick(), *wine, cv=3, n_repeats=1)
    frame = evaluation.scores_frame()
    assert frame.index.names == ["fold", "set"]
    assert frame.loc[(1, 0), "test_matthews_corrcoef"] == evaluation.folds[1].scores["matthews_corrcoef"][0]
    sets = evaluation.sets_frame()
    assert sets["test_matthews_corrcoef"].tolist() == evaluation.mean_scores()
    assert sets["n_found"].tolist() == [3, 3]
    assert sets.loc[1, "std_matthews_corrcoef"] == pytest.approx(np.std(evaluation.scores(1), ddof=1))
    compared = evaluation.comparison_frame()
    assert compared.loc[("matthews_corrcoef", 1), "p_value"] == evaluation.comparisons[0].p_value
    assert frame["baseline_matthews_corrcoef"].tolist() == [0] * 6
    assert sets["baseline_matthews_corrcoef"].tolist() == [0, 0]
    assert [entry.beats_baseline for entry in evaluation.against_baseline] == [True, True]
    assert evaluation.stability_index_frame().index.tolist() == [0, 1, "any"]


def test_frames_need_pandas(wine, monkeypatch, refused):
    import sys

    evaluation = evaluate([[0]], *wine, cv=2, n_repeats=1)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refused(MissingExtraError):
        evaluation.scores_frame()


def test_the_name_is_always_the_function():
    import altsets.evaluation

    assert callable(altsets.evaluate)
    assert altsets.evaluate is altsets.evaluation.evaluate


# --- What is refused ----------------------------------------------------------------------------------
@pytest.mark.parametrize(("what", "options", "message"), [
    ("flavanoids", {}, "takes a SelectAlternatives, a pipeline with one"),
    (3, {}, "takes a SelectAlternatives"),
    ([], {}, "no set to evaluate"),
    (["hue"], {}, "set 0 must be a list of features"),
    ([[]], {}, "set 0 is empty"),
    ([["hue"], ["hu"]], {}, "set 1 names 'hu', which is not a feature; did you mean 'hue'"),
    ([[0, 13]], {}, "set 0 names feature 13; there are 13"),
    ([[0, -1]], {}, "a feature of set 0 -1 is too small"),
    ([["hue", "hue"]], {}, "more than once"),
    ([[True, False]], {}, "2 bools for 13 features"),
    ([[0]], {"estimator": "oracle"}, "estimator='oracle' is unknown"),
    ([[0]], {"scoring": "praise"}, "scoring='praise' is unknown"),
    ([[0]], {"scoring": []}, "scoring is empty"),
    ([[0]], {"scoring": 3}, "must be a scorer"),
    ([[0]], {"scoring": ["accuracy", "accuracy"]}, "two scorers of one name"),
    ([[0]], {"cv": 1}, "cv=1 is too small"),
    ([[0]], {"cv": None}, "cv=None must be a number of folds"),
    ([[0]], {"cv": 100}, "does not split these rows"),
    ([[0]], {"groups": [1, 2]}, "groups must hold one label for each of the 178 rows"),
    ([[0]], {"sample_weight": [1, 2]}, "sample_weight must hold one number"),
    ([[0]], {"estimator": "neighbors", "sample_weight": [2] * 178}, "takes no sample_weight"),
    ([[0]], {"task": "guess"}, "task='guess' is unknown"),
    ([[0]], {"confidence": 95}, "confidence=95 must lie between 0 and 1"),
    ([[0]], {"margin": -1}, "margin=-1 must be"),
    ([[0]], {"margin": "small"}, "margin='small' must be"),
    ([[0]], {"n_bootstraps": 3}, "n_bootstraps goes with a SelectAlternatives"),
    ([[0]], {"n_bootstraps": -3}, "n_bootstraps=-3 is too small"),
    ([[0]], {"n_jobs": 0}, "n_jobs=0"),
    ([[0]], {"random_state": None}, "random_state=None is not a whole number"),
    (SelectAlternatives("f", n_alternatives=-1), {}, "n_alternatives"),
    (SelectAlternatives("nonsense"), {}, "'nonsense' is unknown"),
])  # fmt: skip
def test_what_is_refused(wine, what, options, message):
    with pytest.raises(InputError, match=message) as caught:
        evaluate(what, *wine, **options)
    assert "\n" not in str(caught.value)


def test_errors_name_the_fold(wine, refused):
    X, y = wine
    only = np.flatnonzero(y == 0)
    with refused(InputError):
        evaluate(quick(), X, y, cv=[(only, np.arange(100, 120))])

    def broken(model, X, y):
        raise RuntimeError("no score today")

    with refused(InputError):
        evaluate([[0]], X, y, scoring=broken, n_repeats=1)


def test_an_unknown_scorer_or_source(wine, refused):
    evaluation = evaluate([[0]], *wine, cv=2, n_repeats=1)
    with refused(InputError):
        evaluation.scores(0, "praise")
    with refused(InputError):
        evaluation.runs("dreams")


# --- A selector is evaluated as it is fitted ----------------------------------------------------------
@pytest.mark.parametrize("quality", ["cfs", "pearson", "spearman"])
def test_numbered_classes_are_correlated_in_folds_as_in_fit(wine, quality):
    selector = SelectAlternatives(quality, n_features=3, n_alternatives=1)
    X, y = wine
    held_out = np.arange(len(y)) % 10 == 0
    found = selector.fit(X, y).result_
    (fold,) = evaluate(selector, X, y, cv=[(~held_out, held_out)]).folds
    again = selector.fit(X[~held_out], y[~held_out]).result_
    assert len(found.sets) == 2
    assert list(fold.sets) == list(again.sets)
    assert fold.qualities == pytest.approx(again.qualities)


def test_classes_by_name_are_not_correlated_in_folds_either(wine, refused):
    X, y = wine
    kinds = pd.Series(pd.Categorical(y))
    selector = SelectAlternatives("pearson", n_features=3, n_alternatives=1)
    for call in (selector.fit, lambda *table: evaluate(selector, *table, n_repeats=1)):
        with refused(InputError):
            call(X, kinds)


def test_few_rows_do_not_change_the_task():
    # 30 classes with 12 rows each are classes; in a fold with fewer than 10 rows each, they would look like numbers.
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 12)
    X = np.column_stack([y + rng.normal(size=len(y)), rng.normal(size=(len(y), 3))])
    selector = SelectAlternatives("f", n_features=1, n_alternatives=0)
    fold = evaluate(selector, X, y, cv=2, n_repeats=1).folds[0]
    assert fold.sets == ((0,),)
    train = next(iter(StratifiedKFold(2, shuffle=True, random_state=25).split(X, y)))[0]
    assert fold.qualities[0] == pytest.approx(f_score(X[train], y[train], task="classification")[0])
