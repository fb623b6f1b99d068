"""Linear models: shares from the definition, exact searches against brute force, tables of all kinds, bad input."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.cross_decomposition import CCA
from sklearn.linear_model import LinearRegression

import altsets
from altsets import Status, constraints, quality
from altsets.dissimilarity import Matched
from altsets.errors import InputError
from altsets.quality import LinearFit
from altsets.quality.explained import Products
from altsets.search.simultaneous import search


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 9))
    X[:, 1] = X[:, 0] + 0.2 * rng.normal(size=60)
    X[:, 5] = X[:, 2] - X[:, 3] + 0.1 * rng.normal(size=60)
    y = X[:, 0] + 0.5 * X[:, 5] - 0.3 * X[:, 7] + rng.normal(size=60)
    return X, y


def best_by_enumeration(judge, k, allowed=lambda chosen: True):
    sets = [chosen for chosen in combinations(range(judge.n_features_in), k) if allowed(chosen)]
    return max(sets, key=judge.evaluate)


# --- What the share is ------------------------------------------------------------------------------------
def test_one_numeric_target_is_r_squared(table):
    X, y = table
    judge = LinearFit.from_data(X, y)
    for chosen in [(0,), (1, 4), (0, 2, 5, 7)]:
        part = X[:, list(chosen)]
        assert judge.evaluate(chosen) == pytest.approx(
            LinearRegression().fit(part, y).score(part, y), abs=1e-12
        )


def test_several_numeric_targets_are_the_mean_of_r_squared(table):
    X, y = table
    Y = np.column_stack([y, X[:, 3] + X[:, 4], np.sin(X[:, 0])])
    part = X[:, [0, 3]]
    each = [LinearRegression().fit(part, column).score(part, column) for column in Y.T]
    assert LinearFit.from_data(X, Y).evaluate((0, 3)) == pytest.approx(np.mean(each), abs=1e-12)


def test_classes_are_squared_canonical_correlations(table):
    X, y = table
    labels = np.digitize(y, [-1, 1])
    indicators = (labels[:, None] == [0, 1]).astype(float)
    part = X[:, [0, 5, 7]]
    a, b = CCA(n_components=2, scale=False, max_iter=20_000, tol=1e-12).fit_transform(part, indicators)
    squared = [np.corrcoef(a[:, i], b[:, i])[0, 1] ** 2 for i in range(2)]
    judge = LinearFit.from_data(X, [("low", "mid", "high")[code] for code in labels])
    assert judge.evaluate((0, 5, 7)) == pytest.approx(sum(squared) / 2, abs=1e-6)


def test_without_a_target_it_is_the_share_of_all_variance(table):
    X, _ = table
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    kept = Z[:, [0, 5]]
    left = Z - kept @ np.linalg.lstsq(kept, Z, rcond=None)[0]
    share = 1 - np.sum(left**2) / np.sum(Z**2)
    assert LinearFit.from_data(X).evaluate((0, 5)) == pytest.approx(share, abs=1e-12)
    assert LinearFit.from_data(X).evaluate(range(9)) == pytest.approx(1.0, abs=1e-12)


def test_weights_count_rows(table):
    X, y = table
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = LinearFit.from_data(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    weighed = LinearFit.from_data(X, y, sample_weight=weights)
    assert weighed.evaluate((0, 5)) == pytest.approx(repeated.evaluate((0, 5)), abs=1e-12)


def test_products_give_the_same(table):
    X, y = table
    centred, target = X - X.mean(axis=0), y - y.mean()
    given = LinearFit(
        centred.T @ centred, centred.T @ target, total=target @ target, feature_names=list("abcdefghi")
    )
    assert given.evaluate((0, 5)) == pytest.approx(LinearFit.from_data(X, y).evaluate((0, 5)), abs=1e-12)
    assert given.feature_names[8] == "i"


def test_a_category_is_one_feature_with_several_columns():
    rng = np.random.default_rng(2)
    color = rng.choice(["red", "green", "blue", "grey"], 80)
    frame = pd.DataFrame({"size": rng.normal(size=80), "color": color, "flag": rng.choice(["no", "yes"], 80)})
    y = frame["size"] + (color == "red") - 2.0 * (color == "grey") + rng.normal(size=80)
    judge = LinearFit.from_data(frame, y)
    assert judge.n_features_in == 3
    dummies = pd.get_dummies(frame[["color"]]).to_numpy(dtype=float)
    expected = LinearRegression().fit(dummies, y).score(dummies, y)
    assert judge.evaluate((1,)) == pytest.approx(expected, abs=1e-12)
    fitted = judge.fit(["size", "color"])
    assert fitted.columns == ("size", "color=blue", "color=green", "color=grey")
    assert fitted.r2 == judge.evaluate((0, 1))


# --- Searches ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("target", ["number", "classes", "several", "none"])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_searches_find_the_best_sets(table, target, search):
    X, y = table
    Y = {
        "number": y,
        "classes": np.digitize(y, [-1, 1]).astype(str),
        "several": np.column_stack([y, X[:, 3]]),
    }
    judge = LinearFit.from_data(X, Y.get(target))
    result = altsets.find(judge, n_features=3, n_alternatives=2, tau=0.6, search=search)
    assert result.status is Status.OPTIMAL
    assert result.engine == "enumerate"
    found = [judge.evaluate(chosen) for chosen in result.sets]
    if search == "sequential":
        assert result.sets[0] == best_by_enumeration(judge, 3)
        far = [chosen for chosen in combinations(range(9), 3) if len({*chosen} & {*result.sets[0]}) <= 1]
        assert found[1] == max(map(judge.evaluate, far))
    else:
        values = {chosen: judge.evaluate(chosen) for chosen in combinations(range(9), 3)}
        best = max(sum(map(values.__getitem__, family)) for family in different_triples())
        assert sum(found) == pytest.approx(best, abs=1e-12)


@cache
def different_triples():
    """All families of three sets of three of nine features, any two of which share at most one."""
    return [
        family
        for family in combinations(combinations(range(9), 3), 3)
        if all(len({*a} & {*b}) <= 1 for a, b in combinations(family, 2))
    ]


def test_blocks_of_columns_in_a_search():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"))
    for name in "efg":
        frame[name] = rng.choice(list("uvwxyz")[: rng.integers(3, 7)], 90)
    y = frame["a"] + (frame["e"] == "u") + (frame["f"] == "v") * frame["b"] + rng.normal(size=90)
    judge = LinearFit.from_data(frame, y)
    rule = constraints.AtMost(1, ["e", "f"])
    result = altsets.find(judge, n_features=3, n_alternatives=1, tau=0.5, constraints=rule)
    best = best_by_enumeration(judge, 3, lambda chosen: not {4, 5} <= {*chosen})
    assert result.status is Status.OPTIMAL
    assert judge.evaluate(result.sets[0]) == pytest.approx(judge.evaluate(best), abs=1e-12)


def test_constraints_existing_sets_and_near_copies(table):
    X, y = table
    judge = LinearFit.from_data(X, y)
    alike = Matched.from_data(X, "pearson", threshold=0.9)
    result = altsets.find(
        judge,
        n_features=3,
        n_alternatives=1,
        tau=1.0,
        dissimilarity=alike,
        existing=[(0, 4, 8)],
        constraints=[constraints.Budget([1, 1, 2, 1, 1, 1, 1, 3, 1], 4), constraints.Implies(2, 6)],
    )
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    for chosen in result.sets:
        # Column 1 is a near-copy of column 0.
        assert not {0, 1, 4, 8} & {*chosen}


@pytest.mark.parametrize("criterion", ["bic", "aic", "adjusted_r2"])
def test_a_criterion_compares_sizes(table, criterion):
    X, y = table
    judge = LinearFit.from_data(X, y, criterion=criterion)
    n, plain = len(y), LinearFit.from_data(X, y)

    def by_definition(chosen):
        share = plain.evaluate(chosen)
        k = len(chosen)
        if criterion == "adjusted_r2":
            return 1 - (1 - share) * (n - 1) / (n - k - 1)
        return -n * math.log(1 - share) - k * (math.log(n) if criterion == "bic" else 2)

    every = [chosen for k in range(1, 7) for chosen in combinations(range(9), k)]
    assert judge.evaluate((0, 5)) == pytest.approx(by_definition((0, 5)), abs=1e-9)
    result = altsets.find(judge, n_features=3, n_alternatives=1, tau=0.5, constraints=constraints.Size(1, 6))
    assert result.status is Status.OPTIMAL
    assert result.qualities[0] == pytest.approx(max(map(by_definition, every)), abs=1e-9)


def test_wide_tables_have_a_bound(clock, snapshot):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 120))
    y = X[:, 3] - X[:, 50] + rng.normal(size=40)
    judge = LinearFit.from_data(X, y)
    assert judge.ridge > 0
    assert judge.notes[0] == snapshot
    result = altsets.find(judge, n_features=4, n_alternatives=1, tau=0.5, time_limit=clock.limit(100))
    assert len(result.sets) == 2
    assert result.objective <= result.bound < 2.001


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_very_wide_tables_are_searched_by_a_shortlist(search, clock):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(50, 2_100))
    y = X[:, 3] - X[:, 2_050] + 0.5 * rng.normal(size=50)
    judge = LinearFit.from_data(X, y)
    options = {"n_features": 2, "n_alternatives": 1, "tau": 0.5, "search": search}
    options["time_limit"] = clock.limit(200)
    result = altsets.find(judge, **options)
    assert result.engine == "shortlist"
    # All columns together explain everything, so nothing is proven about the whole table.
    assert result.status is Status.FEASIBLE
    assert result.bound == pytest.approx(2.0, abs=1e-3)
    assert (3, 2_050) in result.sets
    small = altsets.find(
        LinearFit.from_data(X[:, [3, *range(1_900, 2_100)]], y, ridge=judge.ridge), **options
    )
    assert result.objective >= small.objective - 1e-9


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("n_targets", [1, 3])
def test_relaxations_of_wide_tables_are_bounds(ridge, n_targets):
    rng = np.random.default_rng(7)
    for size in (1, 2, 3):
        X = rng.normal(size=(8, 12))
        X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=8)
        Y = X[:, :n_targets] + X[:, 5:6] + rng.normal(size=(8, n_targets))
        units, targets = X / np.linalg.norm(X, axis=0), Y / np.linalg.norm(Y)
        bound = Products(units, ridge, targets).relaxed(np.arange(12), size)
        shares = []
        for chosen in combinations(range(12), size):
            some = units[:, chosen]
            weights = np.linalg.solve(some.T @ some + ridge * np.eye(size), some.T @ targets)
            shares.append(np.sum((some.T @ targets) * weights))
        assert max(shares) <= bound + 1e-12
        # With a large ridge next to nothing is left to prove.
        assert ridge < 10 or bound <= 1.05 * max(shares)


def test_a_ridge_helps_to_prove_sets_of_wide_tables(clock):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 2_100))
    y = X[:, 3] - X[:, 2_050] + 0.5 * X[:, 7] + 0.8 * rng.normal(size=100)
    result = altsets.find(
        LinearFit.from_data(X, y, ridge=1.0), n_features=2, n_alternatives=0, time_limit=clock.limit(1_000)
    )
    assert result.sets == [(3, 2_050)]
    assert result.gap < 0.001


# --- Models -----------------------------------------------------------------------------------------------
def test_coefficients_and_standard_errors():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 3)) * [1, 10, 0.1] + [5, 0, 0]
    y = 3 + 2 * X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=50)
    fitted = LinearFit.from_data(X, y).fit([0, 1])
    design = np.column_stack([np.ones(50), X[:, :2]])
    weights, residual, *_ = np.linalg.lstsq(design, y, rcond=None)
    errors = np.sqrt(residual[0] / 47 * np.diag(np.linalg.inv(design.T @ design)))
    assert fitted.coefficients[:, 0] == pytest.approx(weights[1:], abs=1e-9)
    assert fitted.intercept == pytest.approx(weights[0], abs=1e-9)
    assert fitted.standard_errors[:, 0] == pytest.approx(errors[1:], abs=1e-9)
    assert fitted.intercept_errors == pytest.approx(errors[0], abs=1e-9)
    assert fitted.target_r2 == pytest.approx(fitted.r2, abs=1e-12)


def test_weighted_models_count_rows(table):
    X, y = table
    weights = np.random.default_rng(1).integers(1, 4, size=60)
    repeated = LinearFit.from_data(np.repeat(X, weights, axis=0), np.repeat(y, weights)).fit([0, 5])
    weighed = LinearFit.from_data(X, y, sample_weight=weights).fit([0, 5])
    assert weighed.coefficients == pytest.approx(repeated.coefficients, abs=1e-9)
    assert weighed.intercept == pytest.approx(repeated.intercept, abs=1e-9)
    assert weighed.target_r2 == pytest.approx(repeated.target_r2, abs=1e-9)
    # The same errors, but for the number of rows that the residuals are divided by.
    factor = math.sqrt((weights.sum() - 3) / (60 - 3))
    assert weighed.standard_errors == pytest.approx(repeated.standard_errors * factor, abs=1e-9)
    assert weighed.intercept_errors == pytest.approx(repeated.intercept_errors * factor, abs=1e-9)


def test_huge_targets_have_errors(table):
    X, y = table
    plain, huge = (LinearFit.from_data(X, y * unit).fit([0, 5]) for unit in (1.0, 1e200))
    assert huge.standard_errors / 1e200 == pytest.approx(plain.standard_errors, rel=1e-9)
    assert huge.target_r2 == pytest.approx(plain.target_r2, abs=1e-12)


def test_models_of_an_answer(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    targets = pd.DataFrame({"first": y, "second": X[:, 3] + X[:, 7]})
    judge = LinearFit.from_data(frame, targets)
    result = altsets.find(judge, n_features=2, n_alternatives=1, tau=0.5)
    lines = result.models_frame()
    assert list(lines) == ["set", "target", "column", "coefficient", "standard_error", "r2"]
    for number, names in enumerate(result.named_sets):
        assert result.to_frame()["r2"][number] == result.qualities[number]
        for target in targets:
            model = LinearRegression().fit(frame[list(names)], targets[target])
            mine = lines[(lines["set"] == number) & (lines["target"] == target)]
            assert list(mine["column"]) == ["(intercept)", *names]
            assert list(mine["coefficient"]) == pytest.approx([model.intercept_, *model.coef_], abs=1e-9)
            assert mine["r2"].unique() == pytest.approx([model.score(frame[list(names)], targets[target])])
    again = altsets.Result.from_json(result.to_json())
    assert again == result
    pd.testing.assert_frame_equal(again.models_frame(), lines)


def test_other_verbs_have_models(table):
    judge = LinearFit.from_data(*table)
    answers = [
        *(point.result for point in altsets.frontier(judge, n_features=2, n_alternatives=1).points),
        altsets.find(judge, 2, 1, tau="max", within=0.05, search="simultaneous"),
        *altsets.iterate(judge, 2, 1, 0.5),
    ]
    for answer in answers:
        assert [model.r2 for model in answer.models] == answer.qualities


def test_models_without_errors(table):
    X, y = table
    result = altsets.find(LinearFit.from_data(X, y, ridge=0.5), n_features=2, n_alternatives=0)
    assert result.models_frame()["standard_error"].isna().all()
    again = altsets.Result.from_json(result.to_json())
    pd.testing.assert_frame_equal(again.models_frame(), result.models_frame())


def test_answers_without_models(table):
    X, y = table
    for judge in (LinearFit.from_data(X), LinearFit(X.T @ X, X.T @ y), quality.Additive([3, 2, 1])):
        result = altsets.find(judge, n_features=2, n_alternatives=0)
        assert result.models == []
        assert result.models_frame().empty
        assert "r2" not in result.to_frame()
        assert "model" not in result.to_dict()["sets"][0]


@pytest.mark.parametrize("damage", [
    lambda entry: entry.pop("r2"), lambda entry: entry["columns"].append("another"),
    lambda entry: entry["coefficients"][0].append(1.0), lambda entry: entry.update(intercept=["one"]),
])  # fmt: skip
def test_damaged_models_are_refused(table, damage, refused):
    document = altsets.find(LinearFit.from_data(*table), n_features=2, n_alternatives=0).to_dict()
    damage(document["sets"][0]["model"])
    with refused(InputError):
        altsets.Result.from_json(json.dumps(document))


def test_names_of_columns_follow_the_features():
    colours = pd.DataFrame({"colour": list("rgbrgbrrgb"), "size": np.arange(10.0) ** 2})
    judge = LinearFit.from_data(colours, np.arange(10.0)).with_names(["hue", "width"])
    assert judge.fit(["hue", "width"]).columns == ("hue=b", "hue=g", "width")


def test_no_model_without_a_table(refused):
    with refused(InputError):
        LinearFit(np.eye(3), [1, 2, 3]).fit([0])


# --- Input ------------------------------------------------------------------------------------------------
def test_copies_get_a_ridge_and_a_note(table, snapshot):
    X, y = table
    judge = LinearFit.from_data(np.column_stack([X, X[:, 0]]), y)
    assert judge.notes[0] == snapshot
    assert judge.evaluate((0, 9)) == pytest.approx(judge.evaluate((0,)), abs=1e-4)


def test_copies_without_a_ridge_are_named(table, refused):
    X, y = table
    frame = pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=[*"abcdefghi", "copy"])
    with refused(InputError):
        LinearFit.from_data(frame, y, ridge=0.0)


def test_constant_columns_explain_nothing(table):
    X, y = table
    X = X.copy()
    X[:, 4] = 3.0
    with pytest.warns(UserWarning, match="constant"):
        judge = LinearFit.from_data(X, y)
    assert judge.evaluate((4,)) == 0.0
    assert judge.evaluate((0, 4)) == pytest.approx(judge.evaluate((0,)), abs=1e-12)


def test_missing_values_are_refused_or_filled_in(table):
    X, y = table
    X = X.copy()
    X[3, 2] = np.nan
    with pytest.raises(InputError, match="missing='mean'"):
        LinearFit.from_data(X, y)
    filled = X.copy()
    filled[3, 2] = np.nanmean(X[:, 2])
    asked = LinearFit.from_data(X, y, missing="mean")
    assert asked.evaluate((2, 5)) == pytest.approx(LinearFit.from_data(filled, y).evaluate((2, 5)), abs=1e-12)


@pytest.mark.parametrize(("arguments", "said"), [
    (([[1, 0]], [1]), "not square"),
    (([[1, 0.5], [0.2, 1]], [1, 1]), "not symmetric"),
    (([[1, 0], [0, math.nan]], [1, 1]), "not finite"),
    (([[1, 0], [0, -1]], [1, 1]), "negative"),
    ((np.eye(2), [1, 1, 1]), "one row for each of the 2 columns"),
    ((np.eye(2), [1, 1], 0.0), "total=0.0 must be a number above 0"),
    ((np.eye(2), [1, 1], None, -1), "ridge=-1 must be a number from 0 up"),
    ((np.eye(2), [1, 1], None, 0.0, None, [1, 0]), "owners must name a feature"),
    (([[1, 1], [1, 1]], [1, 1]), "depend on each other"),
])  # fmt: skip
def test_products_that_cannot_be_used(arguments, said):
    with pytest.raises(InputError, match=said):
        LinearFit(*arguments)


@pytest.mark.parametrize(("options", "said"), [
    ({"criterion": "cp"}, "criterion='cp' is unknown; choose one of 'bic', 'aic', 'adjusted_r2'"),
    ({"missing": "drop"}, "missing='drop' is unknown"),
    ({"ridge": "much"}, "ridge='much' must be a number from 0 up"),
])  # fmt: skip
def test_unknown_options(table, options, said):
    with pytest.raises(InputError, match=said):
        LinearFit.from_data(*table, **options)


def test_a_criterion_is_for_one_numeric_target(table, refused):
    X, y = table
    for target in (None, (y > 0).astype(str), np.column_stack([y, y**2])):
        with refused(InputError):
            LinearFit.from_data(X, target, criterion="bic")


def test_engines_that_need_sums_decline(table, refused):
    with refused(altsets.errors.UnsupportedError):
        altsets.find(LinearFit.from_data(*table), n_features=2, n_alternatives=1, engine="milp")


# --- By name ----------------------------------------------------------------------------------------------
def test_a_selector_needs_no_target(table):
    X, _ = table
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    selector = altsets.SelectAlternatives("linear_fit", n_features=2, n_alternatives=1).fit(frame)
    assert selector.result_.sets[0] == best_by_enumeration(LinearFit.from_data(frame), 2)
    assert selector.transform(frame).shape == (60, 2)


def test_a_selector_takes_several_targets(table):
    X, y = table
    targets = np.column_stack([y, X[:, 3]])
    selector = altsets.SelectAlternatives(quality.LinearFit, n_features=2, n_alternatives=1).fit(X, targets)
    assert selector.result_.sets[0] == best_by_enumeration(LinearFit.from_data(X, targets), 2)


def test_notes_of_the_quality_are_those_of_the_answer(table):
    X, y = table
    selector = altsets.SelectAlternatives("linear_fit", n_features=2, n_alternatives=1)
    selector.fit(np.column_stack([X, X[:, 0]]), y)
    assert any("ridge of 1e-05" in note for note in selector.result_.notes)


def test_sparse_and_large_tables_are_refused(table, tmp_path, refused):
    X, y = table
    with refused(InputError):
        LinearFit.from_data(scipy.sparse.csr_array(X), y)
    with refused(InputError):
        LinearFit.from_data(tmp_path / "table.parquet", "y")


def test_sets_of_required_features_alone(table):
    judge = LinearFit.from_data(*table)
    rules = [constraints.Require([0, 4])]
    near = altsets.near_best(judge, n_features=2, constraints=rules)
    assert near.count == 1
    result = altsets.find(judge, n_features=2, n_alternatives=0, constraints=rules)
    assert result.status is Status.OPTIMAL
    assert result.bound == pytest.approx(judge.evaluate((0, 4)), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 22, 33])
def test_rounding_of_nearly_dependent_columns_hides_no_solution(seed, monkeypatch):
    """Lists of priced sets are searched within a budget, and rounding errors of a fit must not exceed it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 10))
    X[:, 6], X[:, 7] = X[:, 0] + X[:, 5] + 1e-3 * X[:, 6], X[:, 2] + 1e-2 * X[:, 7]
    fit = LinearFit(X.T @ X, X.T @ rng.normal(size=(30, 2)))
    monkeypatch.setattr(search, "SHORT_LIST", 5)
    found = altsets.find(
        fit, n_features=6, n_alternatives=1, tau=0.3, search="simultaneous", aggregation="min"
    )
    worth = {chosen: fit.evaluate(chosen) for chosen in combinations(range(10), 6)}
    pairs = [(one, other) for one, other in combinations(worth, 2) if len({*one} & {*other}) <= 4]
    best = max(min(worth[one], worth[other]) for one, other in pairs)
    assert found.objective == pytest.approx(best, rel=1e-9)
    assert found.bound >= best * (1 - 1e-12)
    assert found.stop_reason == "finished"


@pytest.mark.parametrize("factor", [1e-200, 1e155, 1e300])
def test_columns_in_any_unit_explain_the_same(factor):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 2] + 0.1 * rng.normal(size=60)
    plain, huge = (quality.LinearFit.from_data(Z, y) for Z in (X, X * [1, 1, factor, 1]))
    assert plain.evaluate([2]) > 0.9
    assert huge.evaluate([2]) == pytest.approx(plain.evaluate([2]), rel=1e-12)
    assert altsets.find(huge, 1, 0).sets == [(2,)]
