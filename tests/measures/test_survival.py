"""Measures for survival: equal to R's survival and scikit-survival, to their definitions, and to rows that repeat."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from survival_reference import N_TABLES, random_table

import altsets
from altsets import quality
from altsets.constraints import AboveNoise
from altsets.errors import InputError
from altsets.measures import concordance, cox, logrank, noise_floor, score
from altsets.measures.risk_sets import InformationRoot, RiskSets, compared_pairs, concordance_index
from altsets.tables.survival import Survival

REFERENCE = Path(__file__).parents[1] / "fixtures" / "survival_reference.json"
MEASURES = {"concordance": concordance, "cox": cox, "logrank": logrank}


def some_rows(n_rows=40, n_columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(1)
    time = np.ceil(10 * rng.exponential(size=n_rows) * np.exp(-X[:, 0]))
    return X, altsets.io.survival_target(time=time, event=rng.random(n_rows) < 0.6)


def test_measures_equal_those_of_other_packages():
    known = json.loads(REFERENCE.read_text())
    assert len(known) == N_TABLES
    for number, expected in enumerate(known):
        table = random_table(number)
        target, column = Survival(table.time, table.event), table.x[:, None]
        y = altsets.io.survival_target(time=table.time, event=table.event)
        groups = pd.DataFrame({"group": pd.Categorical(table.group.astype(str))})
        until = float(np.quantile(table.time, 0.7))
        found = {
            "concordance": concordance_index(target, table.x),
            "weighted_concordance": concordance_index(target, table.x, weights=table.weight),
            "cox": cox(column, y)[0],
            "weighted_cox": cox(column, y, sample_weight=table.weight)[0],
            "cox_groups": cox(groups, y)[0],
            "logrank": logrank(groups, y)[0],
            "whole_logrank": logrank(groups, y, sample_weight=table.whole)[0],
            "harrell": concordance_index(target, table.x),
            "uno": concordance_index(target, table.x, uno=True),
            "uno_until": concordance_index(target, table.x, uno=True, until=until),
        }
        assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-9), number
        assert concordance(column, y)[0] == pytest.approx(abs(2 * expected["concordance"] - 1), abs=1e-9)


def by_definition(x, target, weights):
    """Concordance, pair by pair."""
    difference = comparable = 0.0
    for i, j in permutations(range(len(x)), 2):
        first = target.time[i] < target.time[j] or (target.time[i] == target.time[j] and not target.event[j])
        if target.event[i] and first and not np.isnan(x[i] + x[j]):
            comparable += weights[i] * weights[j]
            difference += weights[i] * weights[j] * np.sign(x[i] - x[j])
    return difference, comparable


@pytest.mark.parametrize("seed", range(10))
def test_pairs_are_counted_as_defined(seed):
    table = random_table(seed)
    x = np.where(np.random.default_rng(seed).random(len(table.x)) < 0.2, np.nan, table.x)
    target = Survival(table.time, table.event)
    found = compared_pairs(np.column_stack([x, -x]), target, table.weight)
    difference, comparable = by_definition(x, target, table.weight)
    assert found.difference.tolist() == pytest.approx([difference, -difference])
    assert found.comparable.tolist() == pytest.approx([comparable] * 2)


@pytest.mark.parametrize("name", MEASURES)
def test_weights_repeat_rows_but_for_ties_of_cox(name):
    X, y = some_rows()
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    if name == "cox":
        # Of Efron's ties, rows that repeat are more.
        y["time"] += np.arange(len(X)) / 1000
        counts = np.minimum(counts, 1)
    rows = np.repeat(np.arange(len(X)), counts)
    weighted = MEASURES[name](X, y, sample_weight=counts)
    assert weighted == pytest.approx(MEASURES[name](X[rows], y[rows]))


@pytest.mark.parametrize("name", MEASURES)
def test_missing_values_leave_out_rows_and_sparse_tables_say_the_same(name):
    X, y = some_rows()
    X[::7, 1], X[:, 3], X[X[:, 4] < 0, 4] = np.nan, 1.0, 0.0
    scores = MEASURES[name](X, y)
    known = ~np.isnan(X[:, 1])
    assert scores[1] == pytest.approx(MEASURES[name](X[known][:, [1]], y[known])[0])
    assert scores[3] == 0
    assert MEASURES[name](scipy.sparse.csc_array(X), y) == pytest.approx(scores)


@pytest.mark.parametrize("name", MEASURES)
def test_a_table_in_parts_has_the_same_scores(name, monkeypatch):
    X, y = some_rows()
    whole = MEASURES[name](X, y)
    monkeypatch.setattr("altsets.measures.risk_sets.CELLS_AT_A_TIME", 90)
    assert MEASURES[name](X, y) == pytest.approx(whole, rel=1e-12)


def test_only_the_order_and_the_size_matter():
    X, y = some_rows()
    assert concordance(-np.exp(X), y) == pytest.approx(concordance(X, y))
    assert cox(1e160 * X - 1e150, y) == pytest.approx(cox(X, y))
    assert cox(X + 1e6, y) == pytest.approx(cox(X, y), rel=1e-6)
    assert noise_floor(X, y, "concordance")[0] < concordance(X, y)[0]


def test_two_columns_are_survival_if_the_task_says_so():
    X, y = some_rows()
    frame = pd.DataFrame({"days": y["time"], "died": y["event"].astype(int)})
    for name, measure in MEASURES.items():
        assert measure(X, frame, task="survival") == pytest.approx(measure(X, y))
        assert score(X, frame, name, task="survival")[0] == pytest.approx(measure(X, y))


@pytest.mark.parametrize(("y", "name", "message"), [
    ([0, 1] * 20, "cox", "cox needs a time and an event for each row"),
    (None, "mutual_info", "measures for survival are concordance, cox and logrank"),
    (None, "relief", "measures for survival are concordance, cox and logrank"),
])  # fmt: skip
def test_targets_of_another_kind_are_refused(y, name, message):
    X, survival = some_rows()
    with pytest.raises(InputError, match=message):
        score(X, survival if y is None else y, name)


def test_text_has_groups_but_no_order(refused):
    X, y = some_rows()
    frame = pd.DataFrame({"stage": np.array(["I", "II", "III"])[np.arange(len(X)) % 3]})
    assert cox(frame, y)[0] == pytest.approx(logrank(frame, y)[0], rel=0.3)
    with refused(InputError):
        concordance(frame, y)


def test_the_score_test_of_columns_together_is_that_of_one_alone():
    X, y = some_rows()
    null = RiskSets(Survival(y["time"], y["event"]))
    columns = null.centred(X)
    alone = [null.joint_test(columns[:, [place]]) for place in range(X.shape[1])]
    assert null.score_tests(columns) == pytest.approx(alone)
    assert float(null.residuals.sum()) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_mrmr_finds_what_brute_force_finds(seed):
    X, y = some_rows(60, 8, seed)
    relevance = concordance(X, y)
    pairs = np.abs(pd.DataFrame(X).corr(method="spearman").to_numpy())

    def by_hand(chosen):
        redundancy = [pairs[i, j] for i, j in combinations(chosen, 2)]
        return float(np.mean(relevance[list(chosen)]) - np.mean(redundancy))

    best = max(by_hand(chosen) for chosen in combinations(range(8), 3))
    found = altsets.SelectAlternatives("mrmr", n_features=3, n_alternatives=0).fit(X, y)
    assert by_hand(found.result_.sets[0]) == pytest.approx(best)
    made = quality.MRMR.from_data(X, y, measure="concordance")
    assert made.evaluate(found.result_.sets[0]) == pytest.approx(found.qualities_[0])


@pytest.mark.parametrize("name", ["cfs", "fcbf", "mrmr", "concordance", "cox", "logrank"])
def test_selectors_find_what_decides(name, snapshot):
    X, y = some_rows(150, 6, 3)
    selector = altsets.SelectAlternatives(
        name, n_features=1, n_alternatives=1, constraints=[AboveNoise()] if name == "cox" else ()
    )
    if name == "cox":
        with pytest.warns(UserWarning, match="set"):
            selector.fit(X, y)
    else:
        selector.fit(X, y)
    assert selector.result_.sets[0] == (0,)
    assert selector.note_ == snapshot


def score_statistic(X, target, weights, chosen):
    null = RiskSets(target, weights)
    return null.joint_test(null.centred(X[:, list(chosen)]))


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_models_of_survival_are_compared_by_their_score_tests(weighted):
    X, y = some_rows(50, 6)
    weights = np.random.default_rng(2).uniform(0.5, 2, 50) if weighted else None
    target = Survival(y["time"], y["event"])
    made = quality.LinearFit.from_data(X, y, sample_weight=weights)
    sets = list(combinations(range(6), 3))
    expected = np.array([score_statistic(X, target, weights, chosen) for chosen in sets])
    found = np.array([made.evaluate(chosen) for chosen in sets])
    assert found / found[0] == pytest.approx(expected / expected[0], rel=1e-9)
    assert 0 < found.max() < 1
    assert cox(X, y, sample_weight=weights) / expected[0] == pytest.approx(made.feature_scores / found[0])
    best = altsets.find(made, n_features=3, n_alternatives=0).sets[0]
    assert best == sets[int(expected.argmax())]


@pytest.mark.parametrize("seed", range(20))
def test_the_root_of_the_information_has_its_products(seed):
    table = random_table(seed)
    target, weights = Survival(table.time, table.event), table.weight if seed % 2 else None
    null = RiskSets(target, weights)
    root, columns = InformationRoot(null), np.column_stack([table.x, table.group, table.x**2])
    turned = root.turned(columns)
    assert turned.T @ turned == pytest.approx(null.information(null.centred(columns)), rel=1e-9, abs=1e-9)
    assert turned.T @ root.target == pytest.approx(columns.T @ null.residuals, rel=1e-9, abs=1e-9)
    # No statistic is larger than that of the column that was made for it.
    rows = np.eye(len(columns))
    best = np.linalg.pinv(null.information(rows)) @ null.residuals
    assert root.target @ root.target == pytest.approx(null.residuals @ best, rel=1e-6)


#: R's coxph of table 7 on x and group, with weights and without: coefficients and (naive) errors.
OF_R = {
    True: ([0.247248886046, 0.142382557634], [0.0955661530478, 0.1221404660553]),
    False: ([0.17080896911515, 0.00661242309778], [0.125313095698, 0.158162006667]),
}


@pytest.mark.parametrize("weighted", [True, False])
def test_cox_models_on_sets_are_those_of_r(weighted):
    table = random_table(7)
    X = pd.DataFrame({"other": table.whole, "x": table.x, "group": table.group})
    y = altsets.io.survival_target(time=table.time, event=table.event)
    made = quality.LinearFit.from_data(X, y, sample_weight=table.weight if weighted else None)
    fitted, (coefficients, errors) = made.fit(["x", "group"]), OF_R[weighted]
    assert fitted.coefficients[:, 0] == pytest.approx(coefficients, rel=1e-9)
    assert fitted.standard_errors[:, 0] == pytest.approx(errors, rel=1e-9)
    assert weighted or fitted.c_index == pytest.approx(0.5987158908507, rel=1e-9)
    assert (fitted.columns, fitted.targets) == (("x", "group"), ("event",))
    answer = altsets.find(made, n_features=2, n_alternatives=0)
    again = altsets.Result.from_json(answer.to_json())
    frame = again.models_frame()
    assert list(frame.columns[-2:]) == ["standard_error", "c_index"]
    assert frame.equals(answer.models_frame())
    assert len(frame) == 2


def test_coefficients_without_end_have_no_standard_error():
    X, y = some_rows(100, 2)
    # Nobody with this mark has an event.
    marked = ~y["event"] & (np.arange(100) % 3 == 0)
    fitted = quality.LinearFit.from_data(np.column_stack([X, marked]), y).fit([0, 2])
    assert fitted.coefficients[1, 0] < -5
    assert np.isnan(fitted.standard_errors[:, 0]).tolist() == [False, True]
    perfect = quality.LinearFit.from_data(-y["time"][:, None], y).fit([0])
    assert perfect.c_index > 0.95
    assert np.isnan(perfect.standard_errors).all()


def test_linear_models_of_survival_take_many_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    time = rng.exponential(size=20_000) * np.exp(-0.5 * X[:, 2])
    made = quality.LinearFit.from_data(
        X, altsets.io.survival_target(time=time, event=rng.random(20_000) < 0.7)
    )
    assert made.feature_scores.argmax() == 2
    assert made.fit([2]).coefficients[0, 0] == pytest.approx(0.5, abs=0.05)


def test_weights_that_add_up_to_one_are_no_counts(refused):
    X, y = some_rows()
    with refused(InputError):
        logrank(X, y, sample_weight=np.full(len(y), 1 / len(y)))
