"""Measures by models: importances, permutations on held-out rows, SHAP values."""

from __future__ import annotations

import sys
import threading
import time
import types

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import altsets
from altsets.errors import InputError, MissingExtraError
from altsets.measures import importance, permutation, score, shap
from altsets.measures.risk_sets import ConcordanceScorer
from altsets.measures.survival_models import CoxModel

# Importances


def test_importance_defaults_to_an_entropy_tree(classes):
    X, y = classes
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25).fit(X, y)
    assert importance(X, y).tolist() == tree.feature_importances_.tolist()


def test_importance_adds_up_the_rows_of_coefficients(classes):
    X, y = classes
    fitted = LogisticRegression().fit(X, y)
    assert fitted.coef_.shape == (3, 5)
    expected = np.abs(fitted.coef_).sum(axis=0)
    assert importance(X, y, estimator=LogisticRegression()) == pytest.approx(expected)


def test_importance_takes_flat_coefficients_and_pipelines(amounts):
    X, y = amounts
    expected = np.abs(LinearRegression().fit(X, y).coef_)
    assert importance(X, y, estimator=LinearRegression()) == pytest.approx(expected)
    scaled = make_pipeline(StandardScaler(), LinearRegression())
    assert importance(X * 1000, y, estimator=scaled) == pytest.approx(expected * X.std(axis=0))


def test_importance_leaves_the_estimator_alone_and_is_deterministic(classes):
    forest = RandomForestClassifier(n_estimators=5)
    first, second = (importance(*classes, estimator=forest) for _ in range(2))
    assert first.tolist() == second.tolist()
    assert not hasattr(forest, "feature_importances_")
    assert forest.random_state is None


class Foreign:
    """A model that knows nothing of scikit-learn."""

    def fit(self, X, y):
        self.coef_ = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)


def test_importance_takes_models_from_elsewhere(classes):
    X, y = classes
    expected = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert importance(X, y, estimator=Foreign()) == pytest.approx(expected)


@pytest.mark.parametrize(("estimator", "message"), [
    (DecisionTreeClassifier, "must be an object with fit"),
    (3, "must be an object with fit"),
    (KNeighborsClassifier(), "neither feature_importances_ nor coef_"),
    (make_pipeline(PCA(5), DecisionTreeClassifier()), r"step 'pca' \(PCA\) makes features of its own"),
    (make_pipeline(PolynomialFeatures(2), LinearRegression()), "step 'polynomialfeatures'"),
    (make_pipeline(FunctionTransformer(lambda X: X[:, :2]), LinearRegression()), "2 importances for 5 features"),
    (SVC(), "SVC with kernel='rbf' has no coefficients of features; use kernel='linear'"),
    (make_pipeline(StandardScaler(), SVC(kernel="poly")), "SVC with kernel='poly'"),
])  # fmt: skip
def test_importance_refuses_models_that_do_not_tell(classes, estimator, message):
    with pytest.raises(InputError, match=message):
        importance(*classes, estimator=estimator)


class Shaped:
    """A model whose coefficients come in some shape."""

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def fit(self, X, y):
        self.coef_ = self.coefficients


@pytest.mark.parametrize("coefficients", [
    np.array([1.0, -2.0, 0.0, 3.0, -4.0]),
    np.array([[0.5, 1.0, 0.0, 1.0, 2.0], [-0.5, -1.0, 0.0, -2.0, 2.0]]),
    np.array([[[1.0, -1.0, 0.0, 3.0, 1.0]], [[0.0, 1.0, 0.0, 0.0, -3.0]]]),
    csr_matrix([[1.0, -2.0, 0.0, 3.0, -4.0]]),
], ids=["flat", "classes", "deeper", "sparse"])  # fmt: skip
def test_importance_adds_up_coefficients_of_any_shape(classes, coefficients):
    assert importance(*classes, estimator=Shaped(coefficients)).tolist() == [1.0, 2.0, 0.0, 3.0, 4.0]


@pytest.mark.parametrize(("coefficients", "size"), [(np.ones((5, 2)), 2), (np.float64(3.0), 1)])
def test_importance_refuses_coefficients_of_something_else(classes, coefficients, size, refused):
    with refused(InputError):
        importance(*classes, estimator=Shaped(coefficients))


def test_importance_gives_selected_columns_their_own_back(classes):
    X, y = classes
    chosen = SelectKBest(f_classif, k=2).fit(X, y).get_support()
    assert chosen.tolist() == [False, False, False, True, True]
    tree = DecisionTreeClassifier(random_state=25).fit(X[:, chosen], y)
    pipeline = make_pipeline(
        StandardScaler(), SelectKBest(f_classif, k=2), "passthrough", DecisionTreeClassifier()
    )
    found = importance(X, y, estimator=pipeline)
    assert found[chosen].tolist() == pytest.approx(tree.feature_importances_.tolist())
    assert found[~chosen].tolist() == [0.0, 0.0, 0.0]


def test_importance_follows_columns_that_move(amounts):
    X, y = amounts
    X = np.column_stack([X, np.ones(len(X))])
    moved = ColumnTransformer(
        [("late", "passthrough", [3, 1]), ("scaled", StandardScaler(), [0])], remainder="drop"
    )
    pipeline = make_pipeline(VarianceThreshold(), moved, LinearRegression())
    expected = np.abs(LinearRegression().fit(X[:, [0, 1, 3]], y).coef_)
    found = importance(X, y, estimator=pipeline)
    assert found[[2, 4]].tolist() == [0.0, 0.0]
    assert found[[0, 1, 3]] == pytest.approx(expected * [X[:, 0].std(), 1, 1])


def test_importance_looks_into_models_of_models(amounts, classes):
    X, y = amounts
    plain = importance(X, y, estimator=DecisionTreeRegressor(max_depth=2))
    search = GridSearchCV(DecisionTreeRegressor(), {"max_depth": [2]}, cv=3)
    assert importance(X, y, estimator=search).tolist() == plain.tolist()
    logs = TransformedTargetRegressor(LinearRegression(), func=np.log1p, inverse_func=np.expm1)
    expected = np.abs(LinearRegression().fit(X, np.log1p(y - y.min())).coef_)
    assert importance(X, y - y.min(), estimator=make_pipeline(logs)) == pytest.approx(expected)
    X, y = classes
    calibrated = CalibratedClassifierCV(LogisticRegression(), cv=3)
    parts = CalibratedClassifierCV(LogisticRegression(), cv=3).fit(X, y).calibrated_classifiers_
    expected = np.mean([np.abs(part.estimator.coef_).sum(axis=0) for part in parts], axis=0)
    assert importance(X, y, estimator=calibrated) == pytest.approx(expected)


# --- Permutations ---
def test_permutation_is_scikit_learns_on_held_out_rows(classes):
    X, y = classes
    train, test = train_test_split(np.arange(120), test_size=0.2, stratify=y, random_state=25)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25).fit(X[train], y[train])
    expected = permutation_importance(
        tree,
        X[test],
        y[test],
        scoring=lambda model, rows, values: matthews_corrcoef(values, model.predict(rows)),
        n_repeats=5,
        random_state=25,
    ).importances_mean
    assert expected.max() > 0.3
    assert permutation(X, y).tolist() == expected.tolist()


def test_permutation_of_amounts_loses_r_squared(amounts):
    X, y = amounts
    train, test = train_test_split(np.arange(90), test_size=30, random_state=3)
    model = LinearRegression().fit(X[train], y[train])
    expected = permutation_importance(model, X[test], y[test], n_repeats=7, random_state=3).importances_mean
    found = permutation(X, y, estimator=LinearRegression(), test_size=30, n_repeats=7, random_state=3)
    assert found.tolist() == expected.tolist()


def test_permutation_over_folds_is_their_mean(amounts):
    X, y = amounts
    folds = KFold(3)
    expected = []
    for train, test in folds.split(X):
        model = LinearRegression().fit(X[train], y[train])
        expected.append(permutation_importance(model, X[test], y[test], random_state=25).importances_mean)
    for cv in (folds, 3):
        assert permutation(X, y, estimator=LinearRegression(), cv=cv) == pytest.approx(
            np.mean(expected, axis=0)
        )


def test_permutation_takes_scorers_and_does_not_depend_on_threads(classes):
    X, y = classes
    forest = RandomForestClassifier(n_estimators=2)
    first = permutation(X, y, estimator=forest, scoring="accuracy", n_jobs=1)
    assert permutation(X, y, estimator=forest, scoring="accuracy", n_jobs=3).tolist() == first.tolist()
    assert first.tolist() != permutation(X, y, estimator=forest).tolist()
    assert not hasattr(forest, "estimators_")
    assert permutation(X, y, scoring=lambda model, rows, values: 1.0).tolist() == [0.0] * 5


@pytest.mark.parametrize(("options", "message"), [
    ({"estimator": DecisionTreeClassifier}, "must be an object with fit"),
    ({"scoring": "luck"}, "scoring='luck' is unknown"),
    ({"test_size": 1.5}, "does not split these rows"),
    ({"test_size": 2}, "does not split these rows"),
    ({"cv": 500}, "does not split these rows"),
    ({"n_jobs": 0}, "n_jobs=0 must be a whole number"),
])  # fmt: skip
def test_permutations_that_are_refused(classes, options, message):
    with pytest.raises(InputError, match=message):
        permutation(*classes, **options)


def test_permutation_tells_how_far_it_is_and_ends_when_asked(classes):
    shares = []
    main = threading.get_ident()

    def tell(share):
        assert threading.get_ident() == main
        shares.append(share)

    permutation(*classes, callback=tell)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)

    def stop(share):
        if share > 0:
            stopped.set()
            raise KeyboardInterrupt

    scored, stopped = [], threading.Event()

    def slow(model, rows, values):
        scored.append(model)
        # Two folds of fifteen each are not done before: the first share is told by then.
        if len(scored) > 40:
            stopped.wait()
            time.sleep(0.05)
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        permutation(*classes, scoring=slow, callback=stop, n_repeats=2, cv=10, n_jobs=2)
    # To the end it would be 150 times.
    assert len(scored) < 75


# --- Categories and missing values ---
def columns_of(frame):
    """The table as scikit-learn and pandas would encode it."""
    towns = [(frame["town"] == town).astype(float) for town in ("Bonn", "Oslo", "Rome")]
    return np.column_stack([frame[["a", "b"]], *towns, (frame["sex"] == "m").astype(float)])


def test_the_importances_of_a_category_are_added_up(mixed):
    frame, classes, _ = mixed
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25).fit(columns_of(frame), classes)
    single = tree.feature_importances_
    expected = [single[0], single[1], single[2:5].sum(), single[5]]
    assert importance(frame, classes) == pytest.approx(expected)
    assert min(expected) > 0


def test_a_category_is_shuffled_as_a_whole(mixed):
    frame, classes, _ = mixed
    table = frame[["town", "sex"]]
    train, test = train_test_split(np.arange(len(table)), test_size=0.2, stratify=classes, random_state=25)
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
    # A model that encodes by itself has one column to shuffle.
    model = make_pipeline(OneHotEncoder(drop="if_binary"), tree).fit(table.iloc[train], classes[train])
    expected = permutation_importance(
        model, table.iloc[test], classes[test], scoring="matthews_corrcoef", n_repeats=5, random_state=25
    )
    found = permutation(table, classes, n_repeats=5)
    assert found == pytest.approx(expected.importances_mean)
    assert abs(found).min() > 0


def test_models_that_take_missing_values_get_them(mixed):
    frame, classes, amounts = mixed
    forest = RandomForestClassifier(n_estimators=5)
    for y, estimator in ((classes, forest), (classes, None), (amounts, None)):
        assert np.isfinite(importance(frame, y, estimator=estimator)).all()
    for y in (classes, amounts):
        assert np.isfinite(permutation(frame, y, estimator="boosting", n_repeats=1)).all()
    filled = make_pipeline(SimpleImputer(), LogisticRegression())
    assert (importance(frame, classes, estimator=filled) > 0).all()


@pytest.mark.parametrize("measure", [importance, permutation])
@pytest.mark.parametrize("estimator", [LogisticRegression(), SVC(kernel="linear")])
def test_models_that_refuse_missing_values_say_what_to_do(mixed, measure, estimator, refused):
    frame, classes, _ = mixed
    frame = frame[["a", "b"]]
    with refused(InputError):
        measure(frame, classes, estimator=estimator)


def test_other_complaints_of_a_model_stay_as_they_are(mixed):
    frame, classes, _ = mixed
    with pytest.raises(ValueError, match="max_depth"):
        importance(frame, classes, estimator=DecisionTreeClassifier(max_depth="deep"))


# --- SHAP values ---
class Explainer:
    """What is used of the package: linear models are explained, others only as functions."""

    asked = ()

    def __init__(self, model, background, seed):
        if not callable(model) and not hasattr(model, "coef_"):
            raise TypeError("not callable")
        self.model, self.background = model, background
        Explainer.asked = (callable(model), background.shape, seed)

    def __call__(self, rows, silent=False):
        if callable(self.model):
            assert silent
            values = self.model(rows).reshape(len(rows), -1)
            return types.SimpleNamespace(values=np.ones((*rows.shape, 1)) * values[:, None, :])
        values = (rows - self.background.mean(axis=0)) * self.model.coef_
        return types.SimpleNamespace(values=values)


@pytest.fixture
def package(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", types.SimpleNamespace(Explainer=Explainer))


@pytest.mark.usefixtures("package")
def test_shap_is_the_mean_size_over_rows(amounts):
    X, y = amounts
    coefficients = LinearRegression().fit(X, y).coef_
    expected = np.abs((X - X.mean(axis=0)) * coefficients).mean(axis=0)
    assert shap(X, y, estimator=LinearRegression()) == pytest.approx(expected)
    assert Explainer.asked == (False, (90, 4), 25)
    assert score(X, y, "shap", estimator=LinearRegression())[0] == pytest.approx(expected)


@pytest.mark.usefixtures("package")
def test_shap_adds_up_what_a_category_moves_before_its_size_counts(mixed):
    frame, _, y = mixed
    table, columns = frame[["town", "sex"]], columns_of(frame)[:, 2:]
    model = LinearRegression().fit(columns, y)
    moved = (columns - columns.mean(axis=0)) * model.coef_
    expected = [np.abs(moved[:, :3].sum(axis=1)).mean(), np.abs(moved[:, 3]).mean()]
    found = shap(table, y, estimator=LinearRegression(), n_background=len(y))
    assert found == pytest.approx(expected)
    assert found[0] < np.abs(moved[:, :3]).mean(axis=0).sum()
    weights = np.arange(len(y)) % 3
    weighted = shap(table, y, estimator=LinearRegression(), n_background=1000, sample_weight=weights)
    model.fit(columns, y, sample_weight=weights)
    rows = columns[weights > 0]
    moved = (rows - rows.mean(axis=0)) * model.coef_
    assert weighted[1] == pytest.approx(np.abs(moved[:, 3]).mean())


@pytest.mark.usefixtures("package")
def test_shap_of_other_models_asks_their_predictions(classes, refused):
    X, y = classes
    X[:, 2] = 1.0
    found = shap(X, y, n_background=20, n_samples=30, random_state=3)
    assert Explainer.asked == (True, (20, 5), 3)
    # A tree is sure: of three shares one is 1. A constant has none, whatever the explainer says.
    assert found == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3, 1 / 3])
    with refused(InputError):
        shap(X, y, n_background=0)


# --- Survival -----------------------------------------------------------------------------------------
@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)) * [1, 100, 1, 1], columns=list("abcd"))
    time = rng.exponential(size=120) * np.exp(X["a"] + X["b"] / 100)
    return X, altsets.io.survival_target(time=time, event=rng.random(120) < 0.7)


def test_survival_has_importances_of_a_cox_model_with_scaled_columns(patients):
    X, y = patients
    scaled = StandardScaler().fit_transform(X)
    assert importance(X, y) == pytest.approx(np.abs(CoxModel().fit(scaled, y).coef_))
    assert set(np.argsort(importance(X, y))[2:]) == {0, 1}
    frame = pd.DataFrame({"days": y["time"], "died": y["event"]})
    assert importance(X, frame, task="survival") == pytest.approx(importance(X, y))
    weights = np.arange(120) % 3
    repeated = np.repeat(np.arange(120), weights)
    assert score(X, y, "importance", sample_weight=weights)[0] == pytest.approx(
        importance(X.iloc[repeated], y[repeated]), rel=0.1
    )


def test_permutation_of_survival_is_what_the_c_index_loses(patients):
    X, y = patients
    splits = [(np.arange(80), np.arange(80, 120))]
    found = permutation(X, y, cv=splits, n_repeats=3)
    model = make_pipeline(StandardScaler(), CoxModel()).fit(X[:80], y[:80])
    expected = permutation_importance(
        model, X[80:], y[80:], scoring=ConcordanceScorer(), n_repeats=3, random_state=25
    )
    assert found == pytest.approx(expected.importances_mean)
    assert found[0] > 0.05
    other = permutation(X, y, cv=splits, n_repeats=3, scoring="concordance_index_uno")
    assert other != pytest.approx(found, abs=1e-6)


@pytest.mark.usefixtures("package")
def test_shap_of_survival_explains_the_risk(patients):
    X, y = patients
    risk = make_pipeline(StandardScaler(), CoxModel()).fit(X, y).predict(X)
    assert shap(X, y) == pytest.approx([np.abs(risk).mean()] * 4)


@pytest.mark.parametrize("name", ["importance", "permutation"])
def test_importances_of_survival_are_qualities(patients, name):
    X, y = patients
    found = altsets.SelectAlternatives(name, n_features=2, n_alternatives=1).fit(X, y)
    assert found.result_.sets[0] == (0, 1)
    near = altsets.near_best(altsets.quality.Additive.from_data(X, y, measure=name), 2, within=0.5)
    assert set(near.ordered()[:2]) == {0, 1}


@pytest.mark.parametrize(("options", "message"), [
    ({"estimator": "tree"}, "estimator='tree' is for classes and numbers, but the target is survival; use cox"),
    ({"scoring": "r2"}, "scoring='r2' is about classes or numbers, but the target is survival"),
    ({"task": "regression"}, "task='regression' contradicts the target"),
])  # fmt: skip
def test_what_does_not_go_with_survival(patients, options, message):
    with pytest.raises(InputError, match=message):
        permutation(*patients, **options)


def test_without_the_package_shap_says_what_to_install(monkeypatch, classes, refused):
    monkeypatch.setitem(sys.modules, "shap", None)
    with refused(MissingExtraError):
        score(*classes, "shap")


def test_shap_itself(classes):
    pytest.importorskip("shap")
    X, y = classes
    found = shap(X, y)
    assert found.argmax() == 4
    assert found.tolist() == shap(X, y).tolist()
