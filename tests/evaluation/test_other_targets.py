"""Models of survival and of several targets: fitted, scored, compared with a guess, searched with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import altsets
from altsets.errors import InputError
from altsets.measures.risk_sets import RiskSets
from altsets.measures.survival_models import CoxModel, LifelinesModel
from altsets.tables.survival import Survival


def patients(n_rows=150, seed=0, effect=1.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 6)), columns=list("abcdef"))
    time = rng.exponential(size=n_rows) * np.exp(-effect * (X["a"] + X["b"]))
    left = 2 * rng.exponential(size=n_rows)
    return X, altsets.io.survival_target(time=np.minimum(time, left), event=time <= left)


def negative_penalised(beta, matrix, target, alpha, threshold=0.0):
    terms = RiskSets(target, None, matrix @ beta)
    return -terms.log_likelihood + alpha / 2 * beta @ beta + threshold * np.abs(beta).sum()


def test_a_cox_model_is_at_its_optimum():
    from scipy.optimize import minimize

    X, y = patients(60)
    y["time"] = np.ceil(5 * y["time"])
    matrix, target = X.to_numpy() - X.to_numpy().mean(axis=0), Survival(y["time"], y["event"])
    found = CoxModel(alpha=2.0).fit(X, y).coef_
    best = minimize(negative_penalised, np.zeros(6), (matrix, target, 2.0), tol=1e-12)
    assert found == pytest.approx(best.x, abs=1e-4)
    slope = matrix.T @ RiskSets(target, None, matrix @ found).residuals - 2.0 * found
    assert np.abs(slope).max() < 1e-8


def test_a_sparse_cox_model_leaves_columns_out_and_is_at_its_optimum():
    X, y = patients(100)
    matrix, target = X.to_numpy() - X.to_numpy().mean(axis=0), Survival(y["time"], y["event"])
    threshold = 0.5 * np.abs(matrix.T @ RiskSets(target).residuals).max()
    found = CoxModel(alpha=1.0, sparsity=0.5).fit(X, y).coef_
    assert np.flatnonzero(found).tolist() == [0, 1]
    slope = matrix.T @ RiskSets(target, None, matrix @ found).residuals - found
    assert np.abs(slope[:2] - threshold * np.sign(found[:2])).max() < 1e-5 * threshold
    assert np.abs(slope[2:]).max() < threshold


def test_survival_is_evaluated_by_the_c_index(snapshot):
    X, y = patients()
    found = altsets.evaluate(
        altsets.SelectAlternatives("cox", n_features=2, n_alternatives=1), X, y, n_repeats=1
    )
    assert found.scorers == ("concordance_index",)
    assert found.parameters["model"] == "cox"
    assert found.parameters["task"] == "survival"
    assert found.baseline == 0.5
    assert {fold.sets[0] for fold in found.folds} == {(0, 1)}
    assert str(found) == snapshot


def test_folds_have_events_alike(refused):
    X, y = patients(100)
    y["event"] = False
    y["event"][:10] = True
    y["time"][:10] = np.linspace(0, 0.01, 10)
    found = altsets.evaluate([["a"]], X, y, cv=5, n_repeats=1)
    assert len(found.folds) == 5
    with refused(InputError):
        altsets.evaluate([["a"]], X, y, cv=11, n_repeats=1)


@pytest.mark.parametrize(("options", "message"), [
    ({"scoring": "r2"}, "is about classes or numbers, but the target is survival; use concordance_index"),
    ({"scoring": "concordance_index_uno:soon"}, "must end in a time above 0, such as concordance_index_uno:365"),
    ({"estimator": "tree"}, "but the target is survival; use cox"),
    ({"task": "regression"}, "contradicts the target"),
])  # fmt: skip
def test_what_does_not_go_with_survival(options, message):
    X, y = patients()
    with pytest.raises(InputError, match=message):
        altsets.evaluate([["a"]], X, y, **options)


@pytest.mark.parametrize(("options", "message"), [
    ({"scoring": "concordance_index"}, "is for survival, but the target is not"),
    ({"estimator": "cox"}, "is for survival, but the target is numeric"),
    ({"task": "survival"}, "needs an event and a time"),
])  # fmt: skip
def test_what_goes_with_survival_alone(options, message):
    X, _ = patients()
    with pytest.raises(InputError, match=message):
        altsets.evaluate([["a"]], X, X["a"] ** 2, **options)


class Fitter:
    """What lifelines has: a model that takes a frame, and the names of columns."""

    def fit(self, df, duration_col=None, event_col=None, weights_col=None):
        columns = [name for name in df.columns if name not in (duration_col, event_col, weights_col)]
        y = altsets.io.survival_target(df, time=duration_col, event=event_col)
        self.model, self.columns = CoxModel().fit(df[columns], y), columns
        return self

    def predict_partial_hazard(self, df):
        return np.exp(self.model.predict(df[self.columns]))


def test_models_of_lifelines_are_taken_as_they_are():
    X, y = patients()
    ours = altsets.evaluate([["a", "b"]], X, y, estimator=CoxModel(), cv=3, n_repeats=1)
    theirs = altsets.evaluate([["a", "b"]], X, y, estimator=Fitter(), cv=3, n_repeats=1)
    assert [fold.scores for fold in theirs.folds] == [fold.scores for fold in ours.folds]
    fitted = LifelinesModel(Fitter()).fit(X, y, np.ones(len(X)))
    assert fitted.predict(X).shape == (len(X),)


@pytest.mark.parametrize("quality", ["wrapper", "embedded"])
def test_models_of_sets_take_survival(quality):
    X, y = patients()
    size = {"n_features": 2} if quality == "wrapper" else {}
    found = altsets.SelectAlternatives(
        quality, n_alternatives=1, quality_params={"max_iters": 40}, **size
    ).fit(X, y)
    assert found.alternatives_[0].names == ("a", "b")


def test_shuffled_times_predict_no_better_than_a_guess(snapshot):
    X, y = patients(100)
    shuffled = np.random.default_rng(1).permutation(y)
    selector = altsets.SelectAlternatives("concordance", n_features=2, n_alternatives=0)
    assert str(altsets.evaluate(selector, X, shuffled, n_repeats=1)) == snapshot


# --- Several targets --------------------------------------------------------------------------------------
def test_several_labels():
    X, _ = patients()
    y = pd.DataFrame({"warm": (X["a"] > 0).astype(int), "loud": (X["b"] > 0.5).astype(int)})
    selector = altsets.SelectAlternatives("f", n_features=2, n_alternatives=1)
    found = altsets.evaluate(selector, X, y, n_repeats=1)
    assert found.scorers == ("matthews_mean",)
    assert found.parameters["model"] == "tree"
    assert found.baseline == 0
    assert {fold.sets[0] for fold in found.folds} == {(0, 1)}
    both = altsets.evaluate([["a", "b"], ["c", "d"]], X, y, scoring=["f1_macro", "f1_micro"], n_repeats=1)
    assert min(both.folds[0].scores["f1_macro"][0], both.folds[0].scores["f1_micro"][0]) > 0.9
    made = altsets.quality.Wrapper("tree", X, y)
    assert made.evaluate([0, 1]) > 0.9 > made.evaluate([2, 3])


def test_several_amounts():
    X, _ = patients()
    y = pd.DataFrame({"warm": 2 * X["a"], "loud": X["b"] + X["c"]})
    found = altsets.evaluate([["a", "b", "c"], ["d"]], X, y, estimator="linear", n_repeats=1)
    assert found.scorers == ("r2",)
    assert found.folds[0].scores["r2"][0] > 0.99
    assert altsets.quality.Wrapper("linear", X, y).evaluate([0]) == pytest.approx(0.5, abs=0.1)


def test_classes_and_amounts_together_are_for_measures_only(refused):
    X, _ = patients()
    y = pd.DataFrame({"warm": 2 * X["a"], "loud": np.where(X["b"] > 0, "yes", "no")})
    assert altsets.SelectAlternatives("mutual_info", n_features=2, n_alternatives=0).fit(
        X, y
    ).result_.sets == [(0, 1)]
    with refused(InputError):
        altsets.evaluate([["a"]], X, y, n_repeats=1)


@pytest.mark.parametrize("name", ["scores", "stability", "stand_ins"])
def test_an_evaluation_of_survival_is_drawn(name):
    X, y = patients(80)
    X = X.assign(again=X["a"] + 0.1 * X["b"])
    selector = altsets.SelectAlternatives("cox", n_features=1, n_alternatives=1, tau=1)
    found = altsets.evaluate(selector, X, y, n_repeats=1)
    assert getattr(altsets.plots, name)(found).has_data()


def test_a_measure_for_classes_is_refused_for_survival(refused):
    X, y = patients(60)
    with refused(InputError):
        altsets.SelectAlternatives("mutual_info", n_features=2).fit(X, y)
    with refused(InputError):
        _ = altsets.Session(X, y, n_features=2).result


@pytest.mark.slow
def test_fifty_runs_with_and_without_a_signal():
    guesses = planted = 0
    selector = altsets.SelectAlternatives("concordance", n_features=2, n_alternatives=0)
    for seed in range(50):
        X, y = patients(150, seed)
        planted += selector.fit(X, y).result_.sets[0] == (0, 1)
        shuffled = np.random.default_rng(seed).permutation(y)
        guesses += "Set 0 predicts better" not in str(altsets.evaluate(selector, X, shuffled, n_repeats=1))
    assert planted >= 48
    assert guesses >= 47


def test_models_of_scikit_survival_are_taken_as_they_are():
    linear = pytest.importorskip("sksurv.linear_model", reason="needs scikit-survival")
    X, y = patients(80)
    theirs = linear.CoxPHSurvivalAnalysis(ties="efron")
    found = altsets.evaluate([["a", "b"]], X, y, estimator=theirs, cv=3, n_repeats=1)
    assert found.sets_frame().iloc[0, 0] > 0.7
    assert altsets.measures.importance(X, y, estimator=theirs) == pytest.approx(
        np.abs(theirs.fit(X, y).coef_)
    )
    fitted = altsets.quality.LinearFit.from_data(X, y).fit(list("abcdef"))
    assert fitted.coefficients[:, 0] == pytest.approx(theirs.coef_, abs=1e-6)
    chosen = altsets.SelectAlternatives(theirs, n_features=2, n_alternatives=1).fit(X, y)
    assert chosen.result_.sets[0] == (0, 1)


def test_models_that_predict_times_are_scored_by_their_order():
    class Times(BaseEstimator):
        """As scikit-survival's models say it."""

        _predict_risk_score = False

        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return -np.asarray(X)[:, 0]

    X, y = patients(80)
    for model in (Times(), make_pipeline(FunctionTransformer(), Times())):
        assert (
            altsets.evaluate([["a", "b"]], X, y, estimator=model, cv=3, n_repeats=1).sets_frame().iloc[0, 0]
            > 0.6
        )


@pytest.mark.parametrize("name", ["wrapper", "embedded", "permutation"])
def test_one_row_that_differs_from_all_others_is_no_stratum(name, refused):
    X, y = patients(60)
    y["event"] = np.arange(60) != 7
    selector = altsets.SelectAlternatives(name, n_features=2, n_alternatives=0).fit(X, y)
    assert len(selector.alternatives_) == 1
    y["event"] = np.arange(60) == np.argsort(y["time"])[30]
    with refused(InputError):
        selector.fit(X, y)
    labels = np.column_stack([X["a"] > 0, X["a"] > 0]).astype(int)
    labels[7, 1] = 1 - labels[7, 1]
    assert len(selector.fit(X, labels).alternatives_) == 1


def test_one_event_cannot_be_folded(refused):
    X, y = patients(60)
    y["event"] = np.arange(60) == np.argsort(y["time"])[30]
    with refused(InputError):
        altsets.evaluate([["a"]], X, y, cv=3, n_repeats=1)


def test_test_rows_that_cannot_be_compared(refused):
    X, y = patients(60)
    y["event"] = np.isin(np.arange(60), np.argsort(y["time"])[-3:-1])
    with refused(InputError):
        altsets.SelectAlternatives("wrapper", n_features=2).fit(X, y)


@pytest.mark.parametrize("name", ["linear", "boosting", "svm"])
def test_models_of_one_target(name, refused):
    X, _ = patients(60)
    labels = (X[["a", "b"]] > 0).astype(int)
    with refused(InputError):
        altsets.evaluate([["a"]], X, labels, estimator=name, cv=2, n_repeats=1)


def test_scorers_of_one_target(refused):
    X, _ = patients(60)
    labels = (X[["a", "b"]] > 0).astype(int)
    with refused(InputError):
        altsets.evaluate([["a"]], X, labels, scoring="matthews_corrcoef", cv=2, n_repeats=1)


def test_advice_is_for_survival_too(refused):
    X, y = patients(60)
    X["group"] = np.where(X["a"] > 0, "u", "v")

    class NoWeights(BaseEstimator):
        def fit(self, X, y):
            return self

    with refused(InputError):
        altsets.evaluate(
            [["a"]], X, y, estimator=NoWeights(), sample_weight=np.arange(60) % 2 + 1, n_repeats=1
        )
    own = pytest.importorskip("sksurv.linear_model").CoxPHSurvivalAnalysis()
    with refused(InputError):
        altsets.evaluate([["group"]], X, y, estimator=own, cv=2, n_repeats=1)


def test_importances_of_survival_models(refused):
    linear = pytest.importorskip("sksurv.linear_model")
    forest = pytest.importorskip("sksurv.ensemble").RandomSurvivalForest(n_estimators=3)
    X, y = patients(60)
    with refused(InputError):
        altsets.SelectAlternatives(forest, n_features=2).fit(X, y)
    # As many penalties as columns: coefficients of a path have one row for each column.
    path = linear.CoxnetSurvivalAnalysis(n_alphas=6)
    found = altsets.measures.importance(X, y, estimator=path)
    assert found == pytest.approx(np.abs(path.fit(X.to_numpy(), y).coef_[:, -1]))
    with refused(InputError):
        altsets.SelectAlternatives(Fitter(), n_features=2).fit(X, y)
