"""Wide tables: pairs on demand are those of the matrix, and what is claimed about the whole table holds."""

from __future__ import annotations

import warnings

import fuzz
import numpy as np
import pytest
from portions import mostly_slow

import altsets
from altsets import Status, constraints, quality
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError, UnsupportedError
from altsets.measures import Redundancy, pairwise, score
from altsets.search import shortlist

MEASURES = (
    ("pearson", {}),
    ("spearman", {}),
    ("mutual_info", {}),
    ("mutual_info", {"method": "bins"}),
    ("symmetrical_uncertainty", {}),
)


def table(rng, n_rows=40, n_columns=15, missing=0.0):
    """Columns of which some are alike, one is constant and one has few values."""
    X = rng.normal(size=(n_rows, n_columns))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=n_rows)
    X[:, 2] = 7.0
    X[:, 3] = rng.integers(0, 3, n_rows)
    y = X[:, 0] + X[:, 4] - X[:, -1] + rng.normal(size=n_rows)
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
        X[:, 2] = 7.0
    return X, y


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("measure", "options"), MEASURES)
def test_pairs_on_demand_are_those_of_the_matrix(measure, options, missing):
    X, _ = table(np.random.default_rng(0), missing=missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = pairwise(X, measure, **options)
    np.fill_diagonal(matrix, 0.0)
    pairs = Redundancy(X, measure, **options)
    some, others = np.array([3, 7, 1, 2]), np.array([0, 3, 9])
    assert pairs.shape == matrix.shape
    assert pairs[4] == pytest.approx(matrix[4], abs=1e-12)
    assert pairs[np.ix_(some, others)] == pytest.approx(matrix[np.ix_(some, others)], abs=1e-12)
    assert pairs[some[:3], others] == pytest.approx(matrix[some[:3], others], abs=1e-12)
    assert pairs[:] == pytest.approx(matrix, abs=1e-12)
    assert pairs.range[0] <= matrix.min()
    assert pairs.range[1] >= matrix.max()


def test_rows_are_kept_within_a_limit(monkeypatch):
    monkeypatch.setattr("altsets.measures.redundancy.KEPT_BYTES", 2 * 8 * 15)
    pairs = Redundancy(table(np.random.default_rng(0))[0])
    first = pairs[0]
    assert pairs[0] is first
    for index in (1, 2):
        pairs[index]
    assert pairs[0] is not first
    assert np.array_equal(pairs[0], first)


def test_weights_count_rows():
    X, _ = table(np.random.default_rng(1))
    weights = np.random.default_rng(2).integers(0, 3, len(X))
    twice = np.repeat(X, weights, axis=0)
    for measure in ("pearson", "spearman"):
        assert Redundancy(X, measure, sample_weight=weights)[0] == pytest.approx(
            Redundancy(twice, measure)[0], abs=1e-12
        )


@pytest.mark.parametrize(("measure", "options", "said"), [
    ("relief", {}, "cannot compare single pairs"),
    ("pearson", {"n_bins": 3}, "takes no options"),
    ("mutual_info", {"method": "sklearn"}, "needs all pairs at once"),
])  # fmt: skip
def test_what_cannot_be_done_on_demand(measure, options, said):
    with pytest.raises(InputError, match=said):
        Redundancy(table(np.random.default_rng(0))[0], measure, **options)


def random_case(rng):
    """A quality on demand, the same with a matrix, and a request."""
    X, y = table(rng, int(rng.integers(15, 40)), int(rng.integers(7, 13)))
    n, measure = X.shape[1], str(rng.choice(["pearson", "spearman", "symmetrical_uncertainty"]))
    kind = [quality.MRMR, quality.CFS, quality.FCBF][int(rng.integers(3))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        relevance, matrix = score(X, y, measure)[0], pairwise(X, measure)
    if rng.random() < 0.4:
        # All of it negative, or some: what is redundant makes a negative ratio better.
        relevance = relevance - rng.choice([0.05, 0.3, 1.0, 2.0])
    k = int(rng.integers(1, min(5, n // 2) + 1))
    rule = [
        (),
        constraints.Forbid([0]),
        constraints.Require([n - 1]),
        constraints.AtLeast(1, [n - 1, n - 2]),
        constraints.Size(1, k + 1),
        constraints.Budget(rng.integers(1, 5, n).astype(float), float(3 * k)),
        constraints.Implies(0, n - 1),
    ][int(rng.integers(7))]
    asked = {
        "n_features": k,
        "n_alternatives": int(rng.integers(0, 4)),
        "tau": float(rng.choice([0, 0.3, 0.5, 1])),
        "search": str(rng.choice(["sequential", "simultaneous"])),
        "aggregation": str(rng.choice(["sum", "min"])),
        "constraints": rule,
        "dissimilarity": "dice",
        "existing": [tuple(range(k))] if rng.random() < 0.2 else (),
    }
    pairs, same = Redundancy(X, measure), dict(asked)
    if rng.random() < 0.2:
        asked["dissimilarity"] = same["dissimilarity"] = Grouped({i: i // 2 for i in range(n)})
    elif rng.random() < 0.3:
        threshold = 0.6 if rng.random() < 0.7 else None
        same["dissimilarity"] = Matched(np.maximum(matrix, np.eye(n)), threshold)
        asked["dissimilarity"] = Matched("pearson", threshold)
        asked["dissimilarity"].similarity = pairs
    return kind(relevance, pairs), kind(relevance, matrix), asked, same


@pytest.mark.parametrize("seed", mostly_slow(range(60), 20))
def test_claims_about_the_whole_table_hold(seed, monkeypatch, clock):
    rng = np.random.default_rng(seed)
    on_demand, at_once, asked, same = random_case(rng)
    # Short lists and short searches, so that most of the table is in the bound only.
    first = int(rng.integers(2, 8))
    monkeypatch.setattr(shortlist, "FIRST", first)
    monkeypatch.setattr(shortlist, "LONGEST", int(rng.integers(first, 14)))
    monkeypatch.setattr(shortlist, "FIRST_NODES", int(rng.choice([1, 5, 50, 20_000])))
    monkeypatch.setattr(shortlist, "MOST_NODES", int(rng.choice([10, 1_000, 100_000])))
    limit = None if rng.random() < 0.7 else clock.limit(int(10 ** rng.uniform(0, 2.5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = altsets.find(on_demand, time_limit=limit, **asked)
    best = altsets.find(at_once, **same)
    assert found.engine == "shortlist"
    assert found.bound > -np.inf or found.status is Status.INFEASIBLE
    if found.status is Status.INFEASIBLE:
        assert best.status is Status.INFEASIBLE
    if asked["search"] == "simultaneous":
        if best.sets:
            assert found.bound >= best.objective - 1e-9
        if found.status is Status.OPTIMAL:
            assert found.objective == pytest.approx(best.objective, abs=1e-9)
        return
    for number, value in enumerate(found.qualities):
        one = {**same, "n_alternatives": 0, "existing": [*asked["existing"], *found.sets[:number]]}
        best_one = altsets.find(at_once, **one).objective
        assert value <= best_one + 1e-9
        if found.statuses[number] is Status.OPTIMAL:
            assert value == pytest.approx(best_one, abs=1e-9)


@pytest.mark.parametrize("first", [0, pytest.param(100, marks=pytest.mark.slow)])
def test_random_requests_of_wide_tables(first):
    report = fuzz.Report()
    for index in range(first, first + (15 if not first else 60)):
        fuzz.check_wide(report, index, seed=1)
    assert report.failures == []
    assert report.n_problems >= 15


def short_lists(monkeypatch, longest=6):
    """Shortlists of a few features, so that most of a small table is in the bound only."""
    monkeypatch.setattr(shortlist, "FIRST", 4)
    monkeypatch.setattr(shortlist, "LONGEST", longest)


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("n_features", [2, 3, 4])
@pytest.mark.parametrize("n_alternatives", [0, 1])
def test_redundancy_makes_negative_ratios_better(n_features, n_alternatives, search, monkeypatch):
    short_lists(monkeypatch)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 12))
    X[:, -3:] = X[:, -3:-2] + 0.01 * rng.normal(size=(15, 3))
    relevance = -1 - 0.1 * rng.random(12)
    # The last three score least and belong together.
    relevance[-3:] = -1.12
    asked = {"n_features": n_features, "n_alternatives": n_alternatives, "tau": 0.5, "search": search}
    found = altsets.find(quality.CFS(relevance, Redundancy(X)), **asked)
    best = altsets.find(quality.CFS(relevance, pairwise(X, "pearson")), **asked)
    assert found.bound >= best.objective - 1e-9
    if found.status is Status.OPTIMAL:
        assert found.objective == pytest.approx(best.objective)


@pytest.mark.parametrize("kind", [quality.MRMR, quality.CFS, quality.FCBF])
@pytest.mark.parametrize("n_features", [2, 4])
def test_a_search_ends_when_nothing_is_left_to_look_through(kind, n_features, monkeypatch):
    short_lists(monkeypatch)
    rng = np.random.default_rng(1)
    X = np.tile(rng.normal(size=(40, 15)), 2) + 0.1 * rng.normal(size=(40, 30))
    y = X[:, 0] + X[:, 4] + rng.normal(size=40)
    relevance = score(X, y, "pearson")[0]
    # The bound cannot tell that features outside the shortlist are alike.
    alike = constraints.MaxSimilarity.from_data(X, "pearson", limit=0.3)
    reports = []

    def report(_):
        reports.append(1)
        # One that does not end runs out of these.
        assert len(reports) < 50

    found = altsets.find(
        kind(relevance, Redundancy(X)),
        n_features,
        0,
        constraints=alike,
        time_limit=1_000_000,
        callback=report,
    )
    assert len(found.sets) == 1
    assert found.bound >= found.objective
    assert found.stop_reason in ("finished", "engine_limit")


@pytest.mark.parametrize("rule", [
    constraints.Require([19]), constraints.AtLeast(2, range(10, 20)), constraints.AtMost(1, range(10)),
    [constraints.Implies(18, 19), constraints.AtLeast(1, [17, 18])],
    constraints.Budget(np.arange(20.0, 0, -1), 12),
    constraints.Budget([3.0] * 20, 6, groups={i: i % 7 for i in range(20)}),
], ids=["require", "at least", "at most", "implies", "budget", "groups"])  # fmt: skip
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_rules_hold_in_the_bound_on_a_wide_table(rule, search, monkeypatch):
    short_lists(monkeypatch, longest=12)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 20))
    # The best features score much higher than those that the rules leave.
    relevance = np.linspace(9, 1, 20)
    asked = {"n_features": 3, "n_alternatives": 0, "constraints": rule, "search": search}
    found = altsets.find(quality.MRMR(relevance, Redundancy(X)), **asked)
    assert found.engine == "shortlist"
    assert found.status is Status.OPTIMAL
    best = altsets.find(quality.MRMR(relevance, pairwise(X, "pearson")), **asked)
    assert found.objective == pytest.approx(best.objective)


def wide(n_rows=60, n_columns=2_400, seed=0):
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(n_rows, n_columns // 20)), 20, axis=1)
    X = factors + rng.normal(size=(n_rows, n_columns))
    return X, X[:, :5].sum(axis=1) + rng.normal(size=n_rows)


@pytest.mark.slow
def test_a_wide_table_is_searched_without_all_pairs(snapshot):
    X, y = wide()
    on_demand = quality.MRMR.from_data(X, y, measure="pearson")
    assert on_demand.pairs_on_demand
    shown = []
    found = altsets.find(on_demand, n_features=4, n_alternatives=2, callback=shown.append)
    assert found.status is Status.OPTIMAL
    assert str(found.verdict) == snapshot
    at_once = quality.MRMR(on_demand.relevance, pairwise(X, "pearson"))
    assert found.objective == pytest.approx(altsets.find(at_once, n_features=4, n_alternatives=2).objective)
    assert shown[0].sets
    again = altsets.Result.from_json(found.to_json())
    assert again.shortlist == found.shortlist
    assert all(0 < length < 2_400 for length in found.shortlist.lengths)


def test_what_is_said_where_only_a_shortlist_was_searched(monkeypatch, snapshot):
    monkeypatch.setattr(shortlist, "MOST_NODES", 1)
    X, y = wide()
    found = altsets.find(quality.MRMR.from_data(X, y, measure="pearson"), n_features=12, n_alternatives=0)
    assert found.status is Status.FEASIBLE
    assert np.isfinite(found.bound)
    assert str(found.verdict) == snapshot


@pytest.mark.slow
def test_simultaneous_sets_are_no_worse_than_sequential_ones(clock):
    X, y = wide(seed=3)
    good = quality.MRMR.from_data(X, y, measure="pearson")
    asked = {"n_features": 6, "n_alternatives": 2, "tau": 0.8, "time_limit": clock.limit(150)}
    together = altsets.find(good, search="simultaneous", **asked)
    assert together.objective >= altsets.find(good, **asked).objective * (1 - 1e-3)


def test_engines_that_need_all_pairs_decline(refused):
    X, y = wide()
    good = quality.MRMR.from_data(X, y, measure="pearson")
    for engine in ("enumerate", "milp"):
        with refused(UnsupportedError):
            altsets.find(good, n_features=3, engine=engine)
    with refused(UnsupportedError):
        altsets.find(quality.Additive([3, 2, 1]), n_features=1, engine="shortlist")


def test_near_best_sets_of_very_wide_tables_are_refused(monkeypatch, refused):
    monkeypatch.setattr("altsets.search.near_best.counting.LONGEST", 2_000)
    X, y = wide()
    with refused(UnsupportedError):
        altsets.near_best(quality.MRMR.from_data(X, y, measure="pearson"), n_features=3)


def test_near_copies_in_wide_tables_need_no_matrix():
    X, y = wide()
    X[:, 1] = X[:, 0] + 0.01 * np.arange(len(X)) / len(X)
    scores = quality.Additive.from_data(X, y, measure="pearson")
    alike = Matched.from_data(X, "pearson", threshold=0.9)
    assert alike.on_demand
    matrix = pairwise(X, "pearson")
    np.fill_diagonal(matrix, 1)
    for search in ("sequential", "simultaneous"):
        asked = {"n_features": 4, "n_alternatives": 2, "tau": 1, "search": search}
        found = altsets.find(scores, dissimilarity=alike, **asked)
        best = altsets.find(scores, dissimilarity=Matched(matrix, 0.9), **asked)
        assert found.status is Status.OPTIMAL
        assert found.objective == pytest.approx(best.objective)
    assert alike == alike.computed(X)
    assert alike.resolve(scores.feature_names) is alike


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("limit", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("kind", [quality.Additive, quality.FCBF])
def test_similar_features_exclude_each_other_with_and_without_a_matrix(kind, limit, search, monkeypatch):
    rng = np.random.default_rng(5)
    X, y = table(rng)
    X[:, 2], X[:, 6] = rng.normal(size=len(X)), 2 * X[:, 5]
    wanted = {"n_features": 3, "n_alternatives": 2, "tau": 0.5, "search": search}
    found = []
    for columns in (2_000, 5):
        monkeypatch.setattr("altsets.measures.redundancy.MATRIX_COLUMNS", columns)
        alike = constraints.MaxSimilarity.from_data(X, "pearson", limit)
        assert alike.on_demand == (columns == 5)
        found.append(altsets.find(kind.from_data(X, y), constraints=alike, **wanted))
    with_matrix, without = found
    assert without.engine == "shortlist"
    assert without.status is with_matrix.status
    assert without.objective == pytest.approx(with_matrix.objective, abs=1e-9)
    assert all(alike.holds(chosen) for chosen in without.sets)


def test_similar_features_of_wide_tables_need_no_matrix(refused):
    rng = np.random.default_rng(1)
    base = rng.normal(size=(60, 500))
    X = np.repeat(base, 6, axis=1) + 0.3 * rng.normal(size=(60, 3_000))
    alike = constraints.MaxSimilarity.from_data(X, "spearman", 0.6)
    relevance = quality.Additive.from_data(X, base[:, 0] + base[:, 1], measure="pearson")
    result = altsets.find(relevance, n_features=4, n_alternatives=1, tau=0.5, constraints=alike)
    assert result.engine == "shortlist"
    assert result.status is Status.OPTIMAL
    for chosen in result.sets:
        assert len({feature // 6 for feature in chosen}) == 4
    with refused(InputError):
        alike.resolve(list("abcdefg"))
