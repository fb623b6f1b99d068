"""Evaluations that cannot mislead: the baseline in the same folds, chance, one class alone, Holm, similar features."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error, mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit
from words import about

from altsets import SelectAlternatives, constraints, evaluate
from altsets.evaluation import corrected_t_test, holm, similar_stability, stability_index
from altsets.evaluation.comparison import (
    Comparison,
    adjustment,
    against_baseline,
    compare,
    paired,
    summarize,
)
from altsets.evaluation.stability import kinship_of, mean_kinship
from altsets.results import Evaluation
from altsets.tables.conversion import features_of

NO = "always saying 'no'"


def noise(n_rows=100, n_features=6, share=0.2, seed=0):
    """A table that says nothing about a target with fewer 'yes' than 'no'."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n_rows, n_features)), columns=list("abcdefghij")[:n_features])
    return table, np.where(np.arange(n_rows) < share * n_rows, "yes", "no")[rng.permutation(n_rows)]


# --- The baseline -------------------------------------------------------------------------------------
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_by_hand(wine, weighted, snapshot):
    X, y = wine
    y = np.array(["red", "rose", "white"])[y]
    weights = np.where(y == "white", 3.0, 1.0) if weighted else None
    scoring = ["matthews_corrcoef", "accuracy", "neg_log_loss", "roc_auc_ovr"]
    evaluation = evaluate([[0], [1]], X, y, scoring=scoring, cv=4, sample_weight=weights, n_repeats=1)
    for fold, (train, test) in zip(
        evaluation.folds, StratifiedKFold(4, shuffle=True, random_state=25).split(X, y), strict=True
    ):
        some = [None if weights is None else weights[rows] for rows in (train, test)]
        dummy = DummyClassifier(strategy="prior").fit(X.iloc[train], y[train], some[0])
        for name in scoring:
            expected = get_scorer(name)(dummy, X.iloc[test], y[test], sample_weight=some[1])
            assert fold.baseline[name] == pytest.approx(expected, abs=1e-15)
        assert fold.majority == ("white" if weighted else "rose")
    assert evaluation.baseline == 0
    assert evaluation.baselines()["accuracy"] == pytest.approx(
        np.mean([fold.baseline["accuracy"] for fold in evaluation.folds])
    )
    assert evaluation.guess("accuracy") == f"always saying '{'white' if weighted else 'rose'}'"
    assert evaluation.guess("neg_log_loss") == snapshot


def test_amounts_by_hand():
    X, y = load_diabetes(return_X_y=True)
    own = make_scorer(mean_absolute_error, greater_is_better=False)
    scoring = {
        "r2": "r2",
        "squares": "neg_mean_squared_error",
        "mine": own,
        "mae": "neg_median_absolute_error",
    }
    evaluation = evaluate([[2]], X, y, scoring=scoring, cv=3, n_repeats=1)
    train, test = next(KFold(3, shuffle=True, random_state=25).split(X))
    mean, median = np.full(len(test), y[train].mean()), np.full(len(test), np.median(y[train]))
    found = evaluation.folds[0].baseline
    assert found["squares"] == pytest.approx(-mean_squared_error(y[test], mean))
    assert found["mine"] == pytest.approx(-mean_absolute_error(y[test], median))
    assert found["mae"] == pytest.approx(-np.median(np.abs(y[test] - median)))
    assert found["r2"] <= 0
    assert [evaluation.guess(name).split()[-1] for name in scoring] == ["mean", "mean", "median", "median"]
    assert evaluation.folds[0].majority is None


def looks_at_numbers(model, X, y):
    return float(np.asarray(X)[0, 0])


def test_a_score_that_asks_for_more_has_no_baseline(wine):
    X, y = wine
    evaluation = evaluate([["alcohol"], ["hue"]], X, y, scoring={"own": looks_at_numbers}, cv=3, n_repeats=1)
    assert math.isnan(evaluation.baseline)
    assert "\nbaseline" in evaluation.summary()
    assert repr(evaluation).endswith("baseline -)")
    assert [entry.beats_baseline for entry in evaluation.against_baseline] == [None, None]
    assert "predict better" not in evaluation.summary()
    assert Evaluation.from_json(evaluation.to_json()) == evaluation


def test_classes_that_are_not_the_same_everywhere(snapshot):
    X, y = noise(60, share=0.5)
    evaluation = evaluate([["a"]], X, np.sort(y), cv=TimeSeriesSplit(3), scoring="accuracy", estimator="tree")
    assert {fold.majority for fold in evaluation.folds} == {"no"}
    flipped = np.where(np.arange(60) < 20, "no", "yes")
    flipped[::5] = "yes"
    evaluation = evaluate([["a"]], X, flipped, cv=TimeSeriesSplit(5), scoring="accuracy")
    assert {fold.majority for fold in evaluation.folds} == {"no", "yes"}
    assert evaluation.guess() == snapshot


def test_json_keeps_the_baseline(wine):
    evaluation = evaluate(
        SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1), *wine, cv=3, n_repeats=1
    )
    document = json.loads(evaluation.to_json())
    assert document["baseline"] == evaluation.baseline == 0
    assert document["baselines"] == {"matthews_corrcoef": 0}
    assert document["folds"][0]["baseline"] == {"matthews_corrcoef": 0}
    assert document["against_baseline"][1]["sentence"] == evaluation.against_baseline[1].sentence
    assert document["comparisons"][0]["p_adjusted"] == evaluation.comparisons[0].p_adjusted
    assert document["stability"][0]["similar"] == pytest.approx(evaluation.stability()[0].similar)


def right(model, X, y):
    return float(np.mean(model.predict(X) == y))


# --- Chance -------------------------------------------------------------------------------------------
def test_no_set_is_called_as_good_as_a_guess(snapshot):
    X, y = noise(200)
    evaluation = evaluate(
        [["a"], ["b"], ["c"]], X, y, estimator=LogisticRegression(), scoring="accuracy", n_repeats=1
    )
    assert evaluation.mean_scores() == pytest.approx([0.8] * 3)
    assert [entry.conclusion for entry in evaluation.comparisons] == ["undecided", "undecided"]
    assert [entry.beats_baseline for entry in evaluation.comparisons] == [False, False]
    assert evaluation.comparisons[0].sentence == snapshot
    text = evaluation.summary()
    assert text == snapshot
    assert "as well" not in text
    assert "Holm" not in text
    assert evaluation.folds[0].constant == ("no", "no", "no")


@pytest.mark.slow
def test_noise_is_hardly_ever_taken_for_more():
    wrong = 0
    for seed in range(25):
        X, y = noise(60, share=0.4, seed=seed)
        evaluation = evaluate([["a", "b"], ["c", "d"]], X, y == "yes", margin=1, scoring=right, n_repeats=1)
        beats = [entry.beats_baseline for entry in evaluation.against_baseline]
        wrong += beats.count(True)
        # However wide the margin is: one guess does not replace another.
        assert beats[1] or evaluation.decisions[0].answer != "yes"
    assert wrong <= 5


def test_the_test_is_that_of_sets(wine):
    evaluation = evaluate([[0], [1]], *wine, scoring=["accuracy", "balanced_accuracy"], n_repeats=1)
    ratio = np.mean([fold.n_test / fold.n_train for fold in evaluation.folds])
    differences = np.subtract(evaluation.scores(1, "accuracy"), evaluation.baseline_scores("accuracy"))
    expected = corrected_t_test(differences, ratio)
    entry = evaluation.against_baseline[1]
    assert (entry.scorer, entry.number) == ("accuracy", 1)
    assert (entry.difference, entry.low, entry.high, entry.p_value) == expected[:4]
    assert entry.n_folds == 5


SIMILAR = [0.805, 0.805, 0.795, 0.795]
LOW, HIGH = [0.50, 0.52, 0.48, 0.50], [0.80, 0.81, 0.79, 0.80]
UNSURE = [0.6, 1.0, 0.6, 1.0]


@pytest.mark.parametrize(("scores", "first", "this", "zero", "conclusion", "words"), [
    (SIMILAR, HIGH, True, True, "equivalent", "Set 1 predicts as well as set 0: "),
    (SIMILAR, HIGH, None, None, "equivalent", "Set 1 predicts as well as set 0: "),
    (LOW, LOW[::-1], False, False, "undecided", f"better than {NO}; they differ by 0.000, 95 % interval ["),
    (LOW, HIGH, False, True, "inferior", f"]; set 1 was not shown to predict better than {NO}."),
    (HIGH, LOW, True, False, "better", f"]; set 1 predicts better than {NO}, which was not shown for set 0."),
    # The conclusion is about the difference alone; the baseline is a matter of its own.
    (SIMILAR, HIGH, False, True, "equivalent", f"; set 1 was not shown to predict better than {NO}"),
    (SIMILAR, HIGH, True, False, "equivalent", f"; set 1 predicts better than {NO}, which was not shown for set 0"),
    (SIMILAR, HIGH, None, False, "equivalent", f"; set 0 was not shown to predict better than {NO}"),
    # One is better than the other, and both are worse than a guess.
    (HIGH, LOW, False, False, "better", f"Neither set 1 nor set 0 was shown to predict better than {NO}"),
    (LOW, LOW, False, False, "undecided", "; their scores are identical, so no test is possible."),
    (LOW, LOW, True, True, "undecided", "Set 1 and set 0: scores are identical, so no test is possible."),
    ([0.5], [0.5], True, True, "undecided", "Set 1 and set 0: scores are identical, so no test is possible."),
    ([0.5], [0.6], False, False, "undecided", f"shown to predict better than {NO}."),
    ([math.nan] * 4, LOW, None, False, "undecided", "no fold has a score for both."),
])  # fmt: skip
def test_two_sets_and_the_baseline(scores, first, this, zero, conclusion, words):
    difference = paired(scores, first, [0.25] * len(scores), 0.95)
    found = compare("accuracy", 1, difference, None, NO, this, zero)
    assert found.conclusion == conclusion
    assert found.beats_baseline is this
    assert words in found.sentence


def against(scores, baseline, number=0):
    difference = paired(scores, baseline, [0.25] * len(scores), 0.95)
    return against_baseline("accuracy", number, difference, NO)


@pytest.mark.parametrize(("scores", "conclusion", "beats", "words"), [
    (HIGH, "better", True, f"Set 0 predicts better than {NO}: difference 0.300, 95 % interval ["),
    (LOW, "undecided", False, f"Set 0 does not predict better than {NO}, as far as 4 folds can tell: difference 0.000"),
    (UNSURE, "undecided", False, f"Set 0 was not shown to predict better than {NO}: difference 0.300, 95 % interval ["),
    ([0.3, 0.31, 0.3, 0.3], "worse", False, f"Set 0 predicts worse than {NO}: difference -0.1"),
    ([0.8] * 4, "undecided", True, f"Set 0 predicts better than {NO}: difference 0.300 in each of 4 folds."),
    ([0.5] * 4, "undecided", False, "as far as 4 folds can tell: difference 0.000 in each of 4 folds."),
    ([0.8], "undecided", None, "in the only fold: difference 0.300; a test needs several folds."),
    ([0.5], "undecided", False, "as far as one fold can tell: difference 0.000."),
    ([math.nan] * 3, "undecided", None, f"Set 0 cannot be compared with {NO}: no fold has a score for both."),
])  # fmt: skip
def test_a_set_and_the_baseline(scores, conclusion, beats, words):
    found = against(scores, [0.5] * len(scores))
    assert found.conclusion == conclusion
    assert found.beats_baseline is beats
    assert words in found.sentence


@pytest.mark.parametrize(("all_scores", "words"), [
    ([HIGH, HIGH], f"Both sets predict better than {NO}."),
    ([HIGH] * 3, f"All 3 sets predict better than {NO}."),
    ([LOW] * 3, f"No set predicts better than {NO}, as far as 4 folds can tell."),
    ([HIGH, LOW], f"Set 0 predicts better than {NO}; set 1 does not, as far as 4 folds can tell."),
    ([LOW, HIGH, HIGH, LOW], f"Sets 1 and 2 predict better than {NO}; sets 0 and 3 do not, as far as 4 folds can"),
    ([[math.nan] * 4, LOW, LOW], f"No set predicts better than {NO}, as far as 4 folds can tell."),
    ([[math.nan] * 4] * 2, ""),
    ([UNSURE, LOW], f"No set was shown to predict better than {NO}: scores differ too much from fold to fold."),
    ([HIGH, UNSURE], f"Set 0 predicts better than {NO}; for set 1 that was not shown."),
    ([LOW], f"Set 0 does not predict better than {NO}, as far as 4 folds can tell: "),
])  # fmt: skip
def test_all_sets_and_the_baseline(all_scores, words):
    entries = [against(scores, [0.5] * 4, number) for number, scores in enumerate(all_scores)]
    found = summarize(entries, NO, 0.95)
    assert found.startswith(words)
    assert bool(found) == bool(words)


def test_scores_may_disagree_about_chance(snapshot):
    # Ranks rows well, but never says 'yes': no better than 'no' by accuracy, much better by the area under the curve.
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.1, "yes", "no")
    X = pd.DataFrame({"a": rng.normal(size=300) + (y == "yes"), "b": rng.normal(size=300) + (y == "yes")})
    evaluation = evaluate(
        [["a"], ["b"]],
        X,
        y,
        estimator=LogisticRegression(C=0.01),
        scoring=["accuracy", "roc_auc"],
        n_repeats=1,
    )
    beats = {(entry.scorer, entry.number): entry.beats_baseline for entry in evaluation.against_baseline}
    assert beats == {
        ("accuracy", 0): False,
        ("accuracy", 1): False,
        ("roc_auc", 0): True,
        ("roc_auc", 1): True,
    }
    text = evaluation.summary()
    assert text == snapshot
    assert "accuracy: Neither" not in text


# --- One class alone ----------------------------------------------------------------------------------
class Stubborn(DummyClassifier):
    """Says one class where the first column has a mean above 0, and the other one elsewhere."""

    def predict(self, X):
        return np.full(len(X), "yes" if np.mean(np.asarray(X)[:, 0]) > 0 else "no")


def test_one_class_alone_is_named_by_set_and_fold(snapshot):
    X, y = noise(50)
    X = X.assign(a=np.arange(50) / 50 - 0.5, b=1.0)
    folds = KFold(5)
    evaluation = evaluate([["a"], ["b"]], X, y, estimator=Stubborn(), cv=folds, scoring="accuracy")
    assert [fold.constant[0] for fold in evaluation.folds] == ["no", "no", "no", "yes", "yes"]
    assert evaluation.summary() == snapshot
    assert Evaluation.from_json(evaluation.to_json()).folds == evaluation.folds


def test_one_class_is_no_news_where_rows_have_one(snapshot):
    X, y = noise(40, share=0.5)
    evaluation = evaluate([["a"]], X, np.sort(y), cv=KFold(4), estimator=Stubborn(), scoring="accuracy")
    assert [fold.constant for fold in evaluation.folds] == [(None,)] * 4
    assert evaluation.summary() == snapshot


def test_one_amount_alone(snapshot):
    X, y = load_diabetes(return_X_y=True)
    evaluation = evaluate([[0], [2]], X, y, estimator=DummyRegressor(), cv=3, n_repeats=1)
    text = evaluation.summary()
    assert text == snapshot


# --- Several comparisons ------------------------------------------------------------------------------
def test_holm_by_hand():
    # statsmodels.stats.multitest.multipletests(p, method="holm") gives the same.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    assert math.isnan(holm([math.nan, 0.2])[0])
    assert holm([math.nan, 0.2])[1] == 0.2


def test_holm_is_the_closed_test_of_bonferroni():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.random(5) ** 3
        parts = [part for size in range(1, 6) for part in itertools.combinations(range(5), size)]
        closed = [
            max(min(1.0, len(part) * min(values[list(part)])) for part in parts if place in part)
            for place in range(5)
        ]
        assert holm(values.tolist()) == pytest.approx(closed)


def test_comparisons_are_adjusted_together(wine, snapshot):
    evaluation = evaluate([[6], [0], [2], [12]], *wine, scoring=["accuracy", "f1_macro"], n_repeats=1)
    found = evaluation.comparisons
    assert [entry.p_adjusted for entry in found] == holm([entry.p_value for entry in found])
    assert evaluation.comparison_frame()["p_adjusted"].tolist() == [entry.p_adjusted for entry in found]
    assert about(evaluation.summary(), "Holm") == snapshot
    plain = [entry.p_value for entry in evaluation.against_baseline]
    assert [entry.p_adjusted for entry in evaluation.against_baseline] == holm(plain)


def compared(*p_values, scorers=None):
    adjusted = holm(p_values)
    return [
        Comparison(
            *((scorers or ["r2"] * 9)[place], place + 1, -0.1, -0.2, 0.0, value, 5),
            *("worse" if value <= 0.05 else "undecided", True, "", level),
        )
        for place, (value, level) in enumerate(zip(p_values, adjusted, strict=True))
    ]


@pytest.mark.parametrize(("entries", "words"), [
    (compared(0.01), []),
    (compared(0.01, math.nan), []),
    (compared(0.2, 0.3), ["No difference was shown, with or without adjusting for 2 comparisons (Holm)."]),
    (compared(0.01, 0.3), ["After adjusting for 2 comparisons (Holm), the difference of set 1 still holds."]),
    (compared(0.01, 0.02), ["After adjusting for 2 comparisons (Holm), the differences of set 1 and set 2 still "
     "hold."]),
    (compared(0.001, 0.04, 0.3), ["After adjusting for 3 comparisons (Holm), the difference of set 1 still holds; not "
     "that of set 2."]),
    (compared(0.03, 0.3), ["After adjusting for 2 comparisons (Holm), the difference of set 1 is no longer "
     "significant."]),
    (compared(0.01, 0.3, scorers=["r2", "mae"]), ["After adjusting for 2 comparisons (Holm), the difference of set 1 "
     "(r2) still holds."]),
])  # fmt: skip
def test_which_differences_still_hold(entries, words):
    assert adjustment(entries, 0.95) == words
    assert adjustment(entries, 0.95, at_chance={(entry.scorer, entry.number) for entry in entries}) == []


# --- Stability up to similar features -----------------------------------------------------------------
def by_definition(sets, likeness):
    """1 - tr(C S) / tr(C Sigma), from whole matrices."""
    n = len(likeness)
    Z = np.array([[feature in chosen for feature in range(n)] for chosen in sets], dtype=float)
    sizes = Z.sum(axis=1)
    mean = sizes.mean() / n
    Sigma = np.full((n, n), (np.mean(sizes**2) - sizes.mean()) / (n * n - n) - mean**2)
    np.fill_diagonal(Sigma, mean * (1 - mean))
    return 1 - np.trace(likeness @ np.cov(Z.T)) / np.trace(likeness @ Sigma)


def random_likeness(n, rng):
    likeness = rng.random((n, n)) ** 2
    likeness = (likeness + likeness.T) / 2
    np.fill_diagonal(likeness, 1)
    pairs = list(itertools.combinations(range(n), 2))
    return likeness, {pair: likeness[pair] for pair in pairs}, np.mean([likeness[pair] for pair in pairs])


def test_similar_features_by_definition():
    rng = np.random.default_rng(0)
    likeness, kinship, mean = random_likeness(9, rng)
    for _ in range(20):
        sets = [tuple(sorted(rng.choice(9, rng.integers(1, 6), replace=False).tolist())) for _ in range(7)]
        expected = min(1.0, by_definition(sets, likeness))
        assert similar_stability(sets, 9, kinship, mean) == pytest.approx(expected)
        plain = stability_index(0, sets, 9).index
        assert similar_stability(sets, 9, {}, 0.0) == pytest.approx(plain)


def test_sets_by_chance_have_0_on_average():
    _, kinship, mean = random_likeness(5, np.random.default_rng(1))
    sets = list(itertools.combinations(range(5), 2))
    values = [similar_stability(pair, 5, kinship, mean) for pair in itertools.product(sets, repeat=2)]
    # Cut off at 1 where likenesses contradict each other, so that it can only be below.
    assert -0.02 < np.mean(values) <= 1e-12


def test_all_equally_alike_is_like_all_unlike():
    sets = [(0, 1), (0, 2), (1, 3), (0, 4)]
    kinship = dict.fromkeys(itertools.combinations(range(5), 2), 0.3)
    assert similar_stability(sets, 8, kinship, 0.3) == pytest.approx(stability_index(0, sets, 8).index)


def test_similar_features_at_the_limits():
    turns = [(0, 1), (2, 3), (0, 3), (2, 1)]
    copies = {(0, 2): 1.0, (1, 3): 1.0}
    assert similar_stability(turns, 40, copies, 2 / (40 * 39 / 2)) == 1
    assert similar_stability([(0, 1)] * 3, 40, {}, 0.1) == 1
    assert math.isnan(similar_stability([(0, 1)], 40, {}, 0.1))
    assert math.isnan(similar_stability([(0, 1), (0, 1)], 2, {(0, 1): 0.5}, 0.5))
    assert math.isnan(similar_stability(turns, 4, copies, 1.0))
    assert math.isnan(similar_stability([(0,), (0,)], 1, {}, 0.0))


def pathways(seed, n_rows=150):
    """Two pathways of 12 genes, which say the same but for noise, and 76 genes of no pathway."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    causes = rng.normal(size=(2, n_rows)) + 1.5 * y
    genes = [cause + 0.35 * rng.normal(size=n_rows) for cause in causes for _ in range(12)]
    genes += list(rng.normal(size=(76, n_rows)))
    return np.column_stack(genes), y


def test_a_pathway_whose_members_take_turns_is_stable(snapshot):
    X, y = pathways(0)
    rules = [constraints.AtMost(1, range(12)), constraints.AtMost(1, range(12, 24))]
    selector = SelectAlternatives("f", n_features=2, n_alternatives=0, constraints=rules)
    evaluation = evaluate(selector, X, y, cv=2, n_bootstraps=20, n_repeats=1)
    (entry, _) = evaluation.stability()
    assert entry.index < 0.6
    assert entry.similar > 0.9
    assert evaluation.summary() == snapshot
    assert evaluation.stability_index_frame().loc[0, "similar"] == entry.similar
    # Genes that have nothing in common do not become stable by it.
    X = np.random.default_rng(1).normal(size=(150, 100))
    (entry, _) = evaluate(selector, X, y, cv=2, n_bootstraps=20, n_repeats=1).stability()
    assert entry.similar == pytest.approx(entry.index, abs=0.1)


def test_too_many_features_to_compare_is_said(snapshot):
    X = np.random.default_rng(0).normal(size=(40, 202))
    selector = SelectAlternatives("f", n_features=201, n_alternatives=0)
    evaluation = evaluate(selector, X, np.arange(40) % 2, cv=2, n_repeats=1)
    assert evaluation.kinship == {}
    assert evaluation.mean_kinship is None
    assert math.isnan(evaluation.stability()[0].similar)
    assert evaluation.summary() == snapshot
    assert "counting similar" not in evaluation.summary()


def test_how_much_features_are_alike():
    rng = np.random.default_rng(0)
    one, other = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 300).T
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, 300)]
    holes = np.where(rng.random(300) < 0.3, np.nan, -(one**3))
    table = features_of(
        pd.DataFrame(
            {"one": one, "other": other, "holes": holes, "colour": colour, "again": colour, "flat": 1.0}
        )
    )
    alike = kinship_of(table, range(6))
    ranks = pd.DataFrame({"one": one, "other": other, "holes": holes}).corr("spearman").abs().to_numpy()
    assert alike[0, 1] == pytest.approx(ranks[0, 1], abs=1e-6)
    assert alike[0, 2] == pytest.approx(1, abs=0.01)
    assert alike[3, 4] == 1
    assert alike[0, 3] < 0.1
    assert all(alike[place, 5] == 0 for place in range(5))
    assert mean_kinship(table, None, 25) == pytest.approx(np.mean(list(alike.values())), abs=1e-6)
    twice = kinship_of(table, range(6), np.full(300, 2.0))
    assert twice == pytest.approx(alike, abs=1e-6)
    assert mean_kinship(features_of(one[:, None]), None, 25) == 0


def test_a_wide_table_is_sampled():
    X, _ = pathways(0)
    table = features_of(X)
    exact = np.mean(list(kinship_of(table, range(100)).values()))
    assert mean_kinship(table, None, 25) == mean_kinship(table, None, 25)
    assert mean_kinship(table, None, 25) == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("scoring", ["f1", "precision", "jaccard"])
def test_scores_of_a_positive_class_are_compared_with_always_saying_it(scoring, snapshot):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(120) < 0.3, "yes", "no")
    evaluation = evaluate([[0, 1]], rng.normal(size=(120, 2)), y, scoring=scoring, n_repeats=1)
    assert evaluation.guess() == snapshot
    share = np.mean(y == "yes")
    expected = 2 * share / (1 + share) if scoring == "f1" else share
    assert evaluation.baseline == pytest.approx(expected, abs=0.02)
    assert "predicts better" not in str(evaluation)


@pytest.mark.parametrize("scoring", ["f1_macro", "f1_micro", "jaccard_macro"])
def test_scores_of_labels_are_compared_with_giving_every_label(scoring, snapshot):
    rng = np.random.default_rng(1)
    labels = (rng.random((150, 3)) < 0.4).astype(int)
    evaluation = evaluate([[0, 1]], rng.normal(size=(150, 2)), labels, scoring=scoring, n_repeats=1)
    assert evaluation.guess() == snapshot
    assert evaluation.baseline > 0.3
    assert "predicts better" not in str(evaluation)


@pytest.mark.filterwarnings("ignore:Precision is ill-defined")
@pytest.mark.parametrize(("scoring", "shares", "weighted"), [
    ("f1_macro", (1 / 3, 1 / 3, 1 / 3), False), ("f1_macro", (0.8, 0.15, 0.05), True),
    ("f1_weighted", (0.8, 0.15, 0.05), False), ("f1_weighted", (0.6, 0.4), True),
    ("precision_macro", (0.6, 0.4), False),
    ("jaccard_weighted", (1 / 3, 1 / 3, 1 / 3), True),
])  # fmt: skip
def test_averages_over_classes_are_compared_with_a_guess(scoring, shares, weighted, snapshot):
    rng = np.random.default_rng(2)
    y = rng.choice(["red", "green", "blue"][: len(shares)], 300, p=shares)
    weights = rng.uniform(0.5, 2, 300) if weighted else None
    X = rng.normal(size=(300, 2))
    evaluation = evaluate([[0, 1]], X, y, scoring=scoring, sample_weight=weights, n_repeats=1)
    assert evaluation.guess() == snapshot
    assert "predicts better" not in str(evaluation)
    # The same by many draws on the same rows.
    scorer, n_draws = get_scorer(scoring), 50
    options = {} if weights is None else {"sample_weight": weights}
    scores = {}
    for strategy in ("stratified", "most_frequent"):
        drawn = [
            scorer(DummyClassifier(strategy=strategy, random_state=seed).fit(X, y, weights), X, y, **options)
            for seed in range(n_draws if strategy == "stratified" else 1)
        ]
        scores[strategy] = np.mean(drawn)
    assert evaluation.baseline == pytest.approx(max(scores.values()), abs=0.02)
