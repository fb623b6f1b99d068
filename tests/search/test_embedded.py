"""Models that choose features themselves: the sets are theirs, and what is called optimal is so."""

from __future__ import annotations

import itertools
import math
import signal
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import BaggingClassifier, GradientBoostingRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import altsets
from altsets import Request, SelectAlternatives, Status, constraints, dissimilarity, quality
from altsets.errors import InputError, UnsupportedError
from altsets.measures.attribution import columns_used

N = 6
FOLDS = KFold(2, shuffle=True, random_state=0)
MODELS = {
    "lasso": Lasso(alpha=0.25, tol=1e-8),
    "tree": DecisionTreeRegressor(max_depth=2, random_state=0),
    "boosting": GradientBoostingRegressor(max_depth=1, n_estimators=4, random_state=0),
}
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
#: What every kind of constraint, and every way to differ, does to the sets of a model.
REQUESTS = [
    {},
    {"tau": 1, "n_alternatives": 3},
    {"dissimilarity": "jaccard", "tau": 0.7},
    {"tau": 2, "dissimilarity": "absolute"},
    {"n_features": 2},
    {"constraints": [constraints.Size(1, 2)]},
    {"constraints": [constraints.Require(3)]},
    {"constraints": [constraints.Forbid([0, 1])], "existing": [[2, 3]]},
    {"constraints": [constraints.AtMost(1, [0, 1, 2]), constraints.AtLeast(1, [3, 4])]},
    {"constraints": [constraints.Exclusive([0, 2]), constraints.Implies(1, 3)]},
    {"constraints": [constraints.Budget({f"x{j}": j + 1 for j in range(N)}, 7)]},
    {"dissimilarity": dissimilarity.Grouped([[0, 1], [2, 3], [4, 5]])},
    {"dissimilarity": lambda one, other: float(one[0] != other[0])},
    {"constraints": [constraints.Require(5), constraints.Size(6, 6)]},
]


def rows(n=N, seed=0, n_rows=40):
    """Columns that are alike in pairs, so that a model without one takes the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n))
    X[:, 1::2] = X[:, ::2][:, : n // 2] + 0.7 * X[:, 1::2]
    y = X[:, :4] @ [2.0, 0.5, 1.0, -1.0] + rng.normal(size=n_rows)
    return X, y


def used(model, X, y, allowed):
    """What a fit uses, by scikit-learn alone."""
    model.fit(X[:, allowed], y)
    numbers = getattr(model, "coef_", getattr(model, "feature_importances_", None))
    return tuple(np.array(allowed)[np.flatnonzero(numbers)].tolist())


def truth(model, X, y):
    """The score of each set that the model chooses from any allowed columns and keeps."""
    n = X.shape[1]
    every = [some for size in range(1, n + 1) for some in itertools.combinations(range(n), size)]
    chosen = {used(model, X, y, allowed) for allowed in every} - {()}
    kept = [one for one in chosen if used(model, X, y, one) == one]
    assert kept == list(chosen), "these models choose the same again"
    return {one: float(np.mean(cross_val_score(model, X[:, one], y, cv=FOLDS, scoring="r2"))) for one in kept}


def expected_qualities(scores, problem):
    """What each set of a sequential search is worth at best; None where there is no further one."""
    found, values = [], []
    for _ in range(problem.n_sets):
        fitting = [
            one
            for one in scores
            if len(one) in problem.sizes
            and all(constraint.holds(one) for constraint in problem.constraints)
            and all(problem.compatible(one, other) for other in (*problem.existing, *found))
        ]
        if not fitting:
            return [*values, None]
        found.append(max(fitting, key=scores.get))
        values.append(scores[found[-1]])
    return values


# --- Against all sets ---------------------------------------------------------------------------------
@pytest.mark.slow
@models
def test_exhaustive_and_best_first_against_every_choice(model):
    X, y = rows()
    scores = truth(model, X, y)
    embedded = quality.Embedded(model, X, y, cv=FOLDS)
    assert len({len(one) for one in scores}) > 1, "sizes are the model's"
    for asked in REQUESTS:
        options = {"n_alternatives": 2, **asked}
        sized = options if {"n_features", "constraints"} & {*asked} else {**options, "constraints": []}
        request = Request(quality=embedded, **sized)
        expected = expected_qualities(scores, request.bind(embedded.feature_names))
        for engine in ("exhaustive", "best-first"):
            result = altsets.find(embedded, engine=engine, **options)
            assert all(one in scores for one in result.sets)
            np.testing.assert_allclose(
                result.qualities, [one for one in expected if one is not None], atol=1e-9
            )
            proven = [Status.OPTIMAL] * len(result.sets)
            if engine == "exhaustive":
                missing = [Status.INFEASIBLE] * (len(result.statuses) - len(proven))
                assert result.statuses == proven + missing
            else:
                assert Status.OPTIMAL not in result.statuses
                assert Status.INFEASIBLE not in result.statuses or None in expected
                assert result.bound == math.inf or not result.sets


@pytest.mark.parametrize("seed", range(2))
def test_ties_change_no_claim(seed):
    """Where equal splits make a tree choose differently from fewer columns, what is called optimal is so."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(24, 5)).astype(float)
    X[:, 4] = X[:, 0]
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 2, size=24)
    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    embedded = quality.Embedded(tree, X, y, cv=FOLDS)
    every = [some for size in range(1, 6) for some in itertools.combinations(range(5), size)]
    scores = {
        one: float(np.mean(cross_val_score(tree, X[:, one], y, cv=FOLDS, scoring="r2")))
        for one in every
        if {*tree.fit(X[:, one], y).tree_.feature} - {-2} == {*range(len(one))}
    }
    expected = expected_qualities(scores, Request(quality=embedded, n_alternatives=2).bind(["x"] * 5))
    proven = altsets.find(embedded, n_alternatives=2)
    assert proven.engine == "exhaustive"
    np.testing.assert_allclose(proven.qualities, [one for one in expected if one is not None], atol=1e-9)
    found = altsets.find(embedded, n_alternatives=2, engine="best-first")
    assert all(one in scores for one in found.sets)
    assert found.qualities[0] <= proven.qualities[0] + 1e-9
    assert Status.OPTIMAL not in found.statuses


def test_the_first_set_is_what_the_model_chooses_from_all_columns_if_that_scores_best():
    X, y = rows()
    embedded = quality.Embedded(MODELS["lasso"], X, y, cv=FOLDS, max_iters=1)
    result = altsets.find(embedded, n_alternatives=0, engine="best-first")
    assert result.sets == [used(MODELS["lasso"], X, y, tuple(range(N)))]
    assert result.sets[0] == embedded.choose(range(N))
    assert (result.evaluated, result.stop_reason) == (1, "finished")


def test_sets_that_the_model_does_not_choose_are_ruled_out():
    X, y = rows()
    embedded = quality.Embedded(MODELS["lasso"], X, y, cv=FOLDS)
    every = tuple(range(N))
    assert len(embedded.choose(every)) < N
    assert embedded.evaluate(every) == -math.inf
    assert math.isfinite(embedded.evaluate(embedded.choose(every)))


def test_a_model_is_fitted_again_until_it_keeps_what_it_gets():
    """Features that pass a filter of the best half are halved again."""

    class Half(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y)
            self.coef_[np.argsort(-np.abs(self.coef_))[max(1, len(self.coef_) // 2) :]] = 0
            return self

    X, y = rows(8)
    embedded = quality.Embedded(Half(), X, y)
    chosen = embedded.choose(range(8))
    assert len(chosen) == 1
    assert embedded.evaluate(chosen) > -math.inf


def test_an_exhausted_search_says_so_and_proves_nothing(snapshot):
    X, y = rows()
    embedded = quality.Embedded(MODELS["tree"], X, y, cv=FOLDS)
    found = altsets.find(embedded, n_features=5, n_alternatives=0, engine="best-first")
    assert found.status is Status.NOT_FOUND
    assert found.explain() == snapshot
    assert found.reason == snapshot
    embedded.max_iters = 2
    short = altsets.find(embedded, n_alternatives=1, engine="best-first")
    assert "proves nothing" in short.explain()


def test_more_steps_are_never_worse_for_the_first_set_and_jobs_change_nothing():
    X, y = rows(8, n_rows=60)
    embedded = quality.Embedded(Lasso(0.1), X, y, cv=FOLDS)
    best = []
    for embedded.max_iters in (1, 5, 20):
        best.append(altsets.find(embedded, n_alternatives=0, engine="best-first").objective)
    assert best == sorted(best)
    options = {"n_alternatives": 2}
    embedded.max_iters = 12
    several = quality.Embedded(Lasso(0.1), X, y, cv=FOLDS, max_iters=12)
    several.n_jobs = 2
    with parallel_config(backend="threading"):
        assert altsets.find(several, **options).sets == altsets.find(embedded, **options).sets


@pytest.mark.slow
def test_sets_that_differ_come_soon():
    """The levels of difference take turns, so that a few steps reach sets that share nothing."""
    X, y = rows(20, n_rows=80)
    embedded = quality.Embedded(Lasso(0.1), X, y, cv=FOLDS)
    first = embedded.choose(range(20))
    embedded.max_iters = 8 * len(first)
    found = altsets.find(embedded, n_alternatives=1, tau=0.5)
    assert len(found.sets) == 2


# --- Limits -------------------------------------------------------------------------------------------
def test_time_limits_and_interrupts_keep_what_was_found(clock):
    X, y = rows(20)
    embedded = quality.Embedded(Lasso(0.05), X, y, cv=FOLDS)
    late = altsets.find(embedded, n_alternatives=2, time_limit=clock.limit(1))
    assert late.sets[0] == embedded.choose(range(20))
    assert late.stop_reason == "time_limit"
    seen = []

    def interrupt(progress):
        if progress.sets:
            seen.append(progress)
            # The second one would end it without an answer.
            if len(seen) == 1:
                signal.raise_signal(signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    embedded.max_iters = 10**6
    found = altsets.find(embedded, n_alternatives=0, callback=interrupt)
    assert found.stop_reason == "interrupted"
    assert found.objective >= seen[0].best


class Failing(Lasso):
    """Cannot do without the first columns."""

    def fit(self, X, y, sample_weight=None):
        if X.shape[1] < 9:
            raise RuntimeError("too few columns")
        return super().fit(X, y)


def test_a_model_that_fails_ends_the_search_with_what_is_there(warned):
    X, y = rows(12, n_rows=60)
    model = Failing(0.01)
    with warned(UserWarning):
        embedded = quality.Embedded(model, X, y, max_iters=3000)
    with warned(UserWarning):
        found = altsets.find(embedded, n_alternatives=1, tau=1, engine="best-first")
    assert len(found.sets) == 1


# --- Tables and models --------------------------------------------------------------------------------
def mixed_table():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "a_b": rng.normal(size=90),
            "a": rng.choice(["x", "y", "z"], 90),
            "c": rng.choice(["u_v", "w"], 90),
            "d": rng.normal(size=90),
        }
    )
    return X, X["a_b"] + 3.0 * (X["a"] == "y") + 0.1 * rng.normal(size=90)


def test_a_category_is_one_feature_for_models_by_name_and_of_your_own():
    X, y = mixed_table()
    encoded = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude="number")), remainder=StandardScaler()
    )
    own = quality.Embedded(make_pipeline(encoded, Lasso(0.2)), X, y)
    assert own.names_of(own.choose(range(4))) == ("a_b", "a")
    by_name = quality.Embedded(None, X, y)
    assert {"a_b", "a"} <= {*by_name.names_of(by_name.choose(range(4)))}
    found = altsets.find(by_name, n_alternatives=1, tau=1)
    assert found.status is Status.OPTIMAL


def test_missing_values_reach_the_model(refused):
    X, y = rows()
    X[::7, 0] = np.nan
    tree = quality.Embedded(MODELS["tree"], X, y)
    assert altsets.find(tree, n_alternatives=1).status is Status.OPTIMAL
    with refused(InputError):
        quality.Embedded(MODELS["lasso"], X, y)


@pytest.mark.parametrize(("model", "expected"), [
    (make_pipeline(StandardScaler(), Lasso(0.5)), None),
    (make_pipeline(SelectKBest(f_regression, k=1), LinearRegression()), 1),
    (DecisionTreeRegressor(max_depth=1), 1),
])  # fmt: skip
def test_used_columns_of_pipelines_and_trees(model, expected):
    X, y = rows()
    found = columns_used(model.fit(X, y), N)
    assert found.sum() == (expected or np.count_nonzero(model[-1].coef_))


def test_a_split_without_gain_is_a_use():
    """Of two columns whose exclusive or is the target, one split has no importance."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, dtype=float)
    y = X[:, 0] != X[:, 1]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert np.count_nonzero(tree.feature_importances_) == 1
    assert columns_used(tree, 2).all()
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 1, max_features=1, random_state=1).fit(X, y)
    assert np.flatnonzero(columns_used(bag, 2)).tolist() == bag.estimators_features_[0].tolist()


# --- Bad input and what does not go together ----------------------------------------------------------
@pytest.mark.parametrize(("model", "message"), [
    (KNeighborsRegressor(), "KNeighborsRegressor has neither feature_importances_ nor coef_ after fitting"),
    (Lasso(1e6), "Lasso uses none of the 6 features; give it a weaker penalty"),
    (Lasso, "estimator must be a scikit-learn estimator"),
    ("boosting", "HistGradientBoostingRegressor has neither"),
])  # fmt: skip
def test_models_that_choose_nothing_are_refused(model, message):
    with pytest.raises(InputError, match=message):
        quality.Embedded(model, *rows())


def test_a_model_that_uses_everything_is_told(warned):
    with warned(UserWarning):
        quality.Embedded(Ridge(), *rows())


@pytest.mark.slow
def test_sets_larger_than_allowed_are_not_given(snapshot):
    X, y = rows(20, n_rows=80)
    embedded = quality.Embedded(Lasso(0.1), X, y, max_iters=150)
    assert len(embedded.choose(range(20))) > 3
    found = altsets.find(embedded, n_alternatives=1, constraints=constraints.Size(1, 3))
    assert all(len(one) <= 3 for one in found.sets)
    embedded.max_iters = 30
    nothing = altsets.find(embedded, n_features=16, n_alternatives=0)
    assert not nothing.sets
    assert nothing.reason == snapshot


@pytest.mark.slow
def test_conditions_that_no_set_meets_are_proven(snapshot):
    X, y = rows(12, n_rows=60)
    embedded = quality.Embedded(Lasso(0.1), X, y, max_iters=300)
    clash = [constraints.Require(3), constraints.Exclusive([3, 4]), constraints.AtLeast(1, [4])]
    nothing = altsets.find(embedded, constraints=clash)
    assert nothing.status is Status.INFEASIBLE
    assert nothing.explain() == snapshot
    same = altsets.find(embedded, tau=1, n_alternatives=1, constraints=constraints.Require(0))
    assert [*same.statuses] in ([Status.FEASIBLE, Status.INFEASIBLE], [Status.INFEASIBLE] * 2)


def test_what_does_not_go_together_is_declined_in_a_sentence(refused):
    X, y = rows(20, n_rows=80)
    embedded = quality.Embedded(Lasso(0.1), X, y)
    with refused(UnsupportedError):
        altsets.find(embedded, search="simultaneous")
    for verb in (
        altsets.frontier,
        altsets.near_best,
        partial(altsets.find, tau="max", within=0.1, search="simultaneous"),
        partial(altsets.find, n_alternatives="max", within=0.1, search="simultaneous"),
    ):
        with refused(UnsupportedError):
            list(verb(embedded))
    with refused(UnsupportedError):
        altsets.find(quality.Additive([3, 2, 1]), n_features=1, engine="best-first")


# --- Requests and the selector ------------------------------------------------------------------------
def test_sizes_are_the_models_unless_they_are_given():
    assert Request().n_features == 5
    assert Request(quality="mrmr").n_features == 5
    for embedded in ("embedded", quality.Embedded, partial(quality.Embedded.from_data, estimator=Lasso())):
        request = Request(quality=embedded)
        assert request.n_features is None
        assert [*request.bind(["a", "b", "c"]).sizes] == [1, 2, 3]
        assert [*Request(n_features=2, quality=embedded).bind(["a", "b", "c"]).sizes] == [2]
    request = Request(quality="embedded", constraints=[constraints.Size(1, 2)])
    assert [*request.bind(["a", "b", "c"]).sizes] == [1, 2]


def test_a_request_is_written_without_a_size(snapshot):
    request = Request(quality="embedded", n_alternatives=1)
    assert Request.from_json(request.to_json()) == request
    assert "n_features" not in request.to_python()
    assert request.to_command() == snapshot


def test_selector_by_name_class_and_object_and_its_request():
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    by_name = SelectAlternatives("embedded", n_alternatives=1, tau=1).fit(frame, y)
    by_class = SelectAlternatives(quality.Embedded, n_alternatives=1, tau=1).fit(frame, y)
    given = SelectAlternatives(quality.Embedded(None, frame, y), n_alternatives=1, tau=1).fit(frame)
    sets = by_name.result_.sets
    assert by_class.result_.sets == given.result_.sets == sets
    assert by_name.n_features_ == max(map(len, sets))
    assert by_name.transform(frame).shape[1] == len(sets[0])
    assert given.result_.request.constraints == (constraints.Size(1, N),)
    assert by_name.result_.request == Request(quality="embedded", n_alternatives=1, tau=1)
