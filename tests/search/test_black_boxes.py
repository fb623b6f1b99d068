"""Black boxes by themselves, and models as one kind of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, matthews_corrcoef
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import quality
from altsets.errors import InputError
from altsets.measures.models import MODELS


# --- Black boxes by themselves --------------------------------------------------------------------
@pytest.mark.parametrize(("options", "message"), [
    ({"score": 3, "n_features_in": 4}, "score must be a function"),
    ({"score": len}, "give n_features_in"),
    ({"score": len, "n_features_in": 0}, "n_features_in=0"),
    ({"score": len, "n_features_in": 3, "feature_names": ["a"]}, "1 feature names"),
    ({"score": len, "n_features_in": 3, "n_jobs": 0}, "n_jobs=0"),
    ({"score": len, "n_features_in": 3, "n_jobs": 1.5}, "n_jobs=1.5"),
])  # fmt: skip
def test_wrong_black_boxes(options, message):
    with pytest.raises(InputError, match=message):
        quality.BlackBox(**options)


def test_wrong_sets():
    black_box = quality.BlackBox(len, n_features_in=3)
    for wrong, message in (
        ((), "empty"),
        ((3,), "not a set of features"),
        ((-1, 0), "not a set of features"),
    ):
        with pytest.raises(InputError, match=message):
            black_box.evaluate(wrong)


def test_evaluations_of_the_others_survive_a_failure():
    black_box = quality.BlackBox(lambda chosen: 1 / chosen[0], n_features_in=4)
    with pytest.raises(InputError, match=r"x0, x1.*ZeroDivisionError"):
        black_box.evaluate_many([(1, 2), (0, 1), (2, 3)])
    assert black_box.knows((2, 3))
    assert not black_box.knows((0, 1))
    assert black_box.evaluate_many([(2, 1), (2, 3)]) == [1.0, 0.5]
    assert black_box.n_evaluations == 3


# --- Models ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def flowers():
    """150 rows, 4 features that tell and 4 that do not, 3 classes."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return np.hstack([X, np.random.default_rng(0).normal(size=X.shape)]), y


@pytest.fixture(scope="module")
def amounts(flowers):
    X, _ = flowers
    return np.delete(X, 2, axis=1), X[:, 2]


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_default_is_a_tree_as_scikit_learn_has_it(flowers, amounts, task, cv):
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    X, y = flowers if task == "classification" else amounts
    tree = DecisionTreeRegressor(random_state=25)
    if task == "classification":
        tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
    plain, explicit = quality.Wrapper(None, X, y, cv=cv), quality.Wrapper(tree, X, y, cv=cv)
    for chosen in ((0,), (1, 4), (0, 1, 2, 3, 5), (6,)):
        assert plain.evaluate(chosen) == pytest.approx(explicit.evaluate(chosen), rel=1e-12, abs=1e-12)
    train, test = plain.splits[0]
    assert len(plain.splits) == (1 if cv is None else cv)
    assert cv or len(test) == 30
    assert not set(train) & set(test)
    if cv is None and task == "classification":
        assert np.bincount(y[test]).tolist() == [10, 10, 10]


def test_any_estimator_scorer_and_split(flowers):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = flowers
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    groups = np.arange(150) % 10
    model = make_pipeline(StandardScaler(), LogisticRegression())
    wrapper = quality.Wrapper(model, X, labels, scoring="accuracy", cv=GroupKFold(5), groups=groups)
    expected = cross_val_score(
        model, X[:, [0, 3]], labels, scoring="accuracy", cv=GroupKFold(5), groups=groups
    ).mean()
    assert wrapper.evaluate((0, 3)) == pytest.approx(expected)
    splits = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    own = quality.Wrapper(model, X, labels, scoring=lambda m, X, y: -float(X.shape[1]), cv=iter(splits))
    assert [own.evaluate((0,)), own.evaluate((0, 1))] == [-1, -2]


def test_estimators_without_a_seed_get_one(flowers):
    from sklearn.ensemble import RandomForestClassifier

    X, y = flowers
    first, second = (quality.Wrapper(RandomForestClassifier(3), X, y).evaluate((4, 5, 6)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("estimator", "options", "message"), [
    (3, {}, "estimator must be a scikit-learn estimator"),
    ("oak", {}, "estimator='oak' is unknown; choose one of tree, forest"),
    ("sklearn.tree.Oak", {}, "GaussianNB: module 'sklearn.tree' has no attribute 'Oak'"),
    (dict, {}, "estimator must be a scikit-learn estimator"),
    (None, {"scoring": "nonsense"}, "scoring='nonsense' is unknown"),
    (None, {"scoring": ["accuracy"]}, "scoring=.* must be the name of one scorer"),
    (None, {"cv": 1}, "cv=1 does not split"),
    (None, {"cv": "five"}, "cv='five' does not split"),
    (None, {"cv": [(range(150), np.zeros(0, int))]}, "fold 0 of cv has no test rows"),
    (None, {"cv": [([0, 1], [150])]}, "fold 0 of cv lists row 150"),
    (None, {"cv": []}, "must give at least one"),
    (None, {"task": "guess"}, "task='guess'"),
    (None, {"feature_names": ["a"]}, "1 feature names"),
])  # fmt: skip
def test_wrong_wrappers(flowers, estimator, options, message):
    with pytest.raises(InputError, match=message):
        quality.Wrapper(estimator, *flowers, **options)


@pytest.mark.parametrize("name", [*MODELS, "sklearn.naive_bayes.GaussianNB"])
def test_models_by_name(flowers, name):
    assert 0.8 < quality.Wrapper(name, *flowers).evaluate((2, 3)) <= 1


def test_models_by_name_for_amounts(flowers):
    X, _ = flowers
    for name in MODELS:
        assert 0.5 < quality.Wrapper(name, X[:, :3], X[:, 3]).evaluate((0, 2)) <= 1


def test_wrong_targets(flowers, refused):
    X, y = flowers
    with refused(InputError):
        quality.Wrapper(None, X, np.zeros(150))
    with refused(InputError):
        quality.Wrapper(None, X, [*np.zeros(149, int), 1])
    with pytest.raises(InputError, match="149 values"):
        quality.Wrapper(None, X, y[:-1])


def test_a_model_that_fails_names_the_set(flowers, snapshot):
    from sklearn.linear_model import LogisticRegression

    X, y = flowers
    wrapper = quality.Wrapper(LogisticRegression(penalty="nonsense"), X, y, feature_names=list("abcdefgh"))
    with pytest.raises(InputError) as refused:
        wrapper.evaluate((0, 2))
    # The rest is scikit-learn's.
    assert str(refused.value).partition(":")[0] == snapshot


def test_huge_values_and_a_target_of_amounts(refused):
    rng = np.random.default_rng(0)
    X = rng.random((40, 3))
    X[0, 0] = 1e60  # Beyond what trees in single precision take.
    wrapper = quality.Wrapper(None, X, X[:, 1] * 7.5)
    assert wrapper.evaluate((1,)) > 0.9
    with refused(InputError):
        wrapper.evaluate((0,))


@pytest.mark.slow
def test_models_side_by_side_in_processes(flowers, refused):
    sets = [(0,), (1, 2), (0, 3), (2, 3)]
    alone, together = (
        quality.Wrapper("linear", *flowers, n_jobs=jobs).evaluate_many(sets) for jobs in (1, 2)
    )
    assert alone == together
    wrong = quality.Wrapper("sklearn.naive_bayes.MultinomialNB", flowers[0] - 9, flowers[1], n_jobs=2)
    with refused(InputError):
        wrong.evaluate_many(sets)


# --- Categories, missing values and weights ---
def plain_scores(frame, y, sets, **options):
    """The same by scikit-learn's own functions, because a scorer is named."""
    wrapper = quality.Wrapper("tree", frame, y, scoring="matthews_corrcoef", **options)
    return [wrapper.evaluate(chosen) for chosen in sets]


SETS = [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 2, 3), (0, 1, 2, 3)]


@pytest.mark.parametrize("cv", [None, 4])
def test_the_lean_trees_see_categories_and_missing_values(mixed, cv):
    frame, classes, _ = mixed
    wrapper = quality.Wrapper(None, frame, classes, cv=cv)
    by_scikit_learn = quality.Wrapper("tree", frame, classes, cv=cv, scoring="matthews_corrcoef")
    assert type(wrapper.score) is not type(by_scikit_learn.score)
    assert wrapper.feature_names == ["a", "b", "town", "sex"]
    assert [wrapper.evaluate(chosen) for chosen in SETS] == plain_scores(frame, classes, SETS, cv=cv)


def test_a_set_has_all_columns_of_a_category(mixed):
    frame, classes, _ = mixed
    wrapper = quality.Wrapper(None, frame, classes)
    columns = np.column_stack(
        [*((frame["town"] == town) for town in ("Bonn", "Oslo", "Rome")), frame["sex"] == "m", frame["b"]]
    ).astype(float)
    (train, test) = wrapper.splits[0]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
    for chosen, parts in (((2,), [0, 1, 2]), ((2, 3), [0, 1, 2, 3]), ((1, 2), [4, 0, 1, 2])):
        predicted = tree.fit(columns[train][:, parts], classes[train]).predict(columns[test][:, parts])
        assert wrapper.evaluate(chosen) == pytest.approx(matthews_corrcoef(classes[test], predicted))


def test_a_hole_that_only_the_predicted_rows_have(mixed):
    frame, classes, _ = mixed
    frame = frame.assign(a=frame["a"].fillna(0.0))
    flags = np.arange(len(frame)) < 30
    frame.loc[flags, "a"] = np.where(np.arange(30) % 2, np.nan, frame.loc[flags, "a"])
    cv = [(np.flatnonzero(~flags), np.flatnonzero(flags))]
    wrapper = quality.Wrapper(None, frame, classes, cv=cv)
    assert [wrapper.evaluate(chosen) for chosen in SETS] == plain_scores(frame, classes, SETS, cv=cv)


def test_missing_values_that_a_model_refuses_are_said_at_once(mixed, refused):
    frame, classes, _ = mixed
    with refused(InputError):
        quality.Wrapper(LogisticRegression(), frame, classes)
    assert quality.Wrapper("linear", frame, classes).evaluate((0, 2)) > 0
    assert quality.Wrapper("boosting", frame, classes).evaluate((0, 2)) > 0
    filled = make_pipeline(SimpleImputer(), LogisticRegression())
    assert quality.Wrapper(filled, frame[["a", "b"]], classes).evaluate((0, 1)) > 0


def test_weighted_wrappers(mixed):
    frame, classes, _ = mixed
    weights = np.random.default_rng(0).random(len(frame))
    wrapper = quality.Wrapper.from_data(frame, classes, sample_weight=weights)
    columns = np.column_stack([(frame["town"] == town) for town in ("Bonn", "Oslo", "Rome")]).astype(float)
    train, test = wrapper.splits[0]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
    tree.fit(columns[train], classes[train], sample_weight=weights[train])
    expected = matthews_corrcoef(classes[test], tree.predict(columns[test]), sample_weight=weights[test])
    assert wrapper.evaluate((2,)) == pytest.approx(expected)
    # Rows that do not count are not there; weights of one change nothing.
    there = np.append(np.ones(len(frame)), np.zeros(20))
    more = pd.concat([frame, frame.iloc[:20]], ignore_index=True)
    same = quality.Wrapper(None, more, np.append(classes, 1 - classes[:20]), sample_weight=there)
    assert [same.evaluate(chosen) for chosen in SETS] == plain_scores(frame, classes, SETS)


def test_scorers_know_classes_by_name_in_any_library(mixed):
    frame, classes, _ = mixed
    named = np.array(["ill", "well"])[classes]
    scoring = make_scorer(f1_score, pos_label="ill")
    expected = quality.Wrapper(None, frame, named, scoring=scoring).evaluate((0, 2))
    for y in (pd.Series(named, dtype="category"), pa.chunked_array([named]), pd.DataFrame({"y": named})):
        assert quality.Wrapper(None, frame, y, scoring=scoring).evaluate((0, 2)) == expected
    codes = pd.Series(classes, dtype="category")
    by_number = quality.Wrapper(None, frame, codes, scoring=make_scorer(f1_score, pos_label=0))
    assert by_number.evaluate((0, 2)) == expected


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("limit", [{"within": 0.2}, {"within": 0.0}, {"min_quality": 1.7}])
def test_sets_that_are_chosen_together_are_all_good_enough(limit, aggregation):
    scores = np.random.default_rng(0).random(8)
    asked = {"tau": 0.6, "search": "simultaneous", "aggregation": aggregation, **limit}
    boxed = quality.BlackBox(lambda chosen: float(scores[list(chosen)].sum()), n_features_in=8)
    exact = altsets.find(quality.Additive(scores), 3, 2, **asked)
    proven = altsets.find(boxed, 3, 2, **asked)
    assert proven.status == exact.status
    assert proven.objective == pytest.approx(exact.objective, nan_ok=True)
    for engine in ("local-search", "greedy-wrapper"):
        found = altsets.find(boxed, 3, 2, engine=engine, **asked)
        assert found.status in (("feasible", "not_found") if exact.sets else ("not_found",))
        assert found.sets or not exact.sets or engine == "greedy-wrapper"
        least = limit.get("min_quality") or (1 - limit["within"]) * np.sort(scores)[-3:].sum()
        assert all(value >= least - 1e-9 for value in found.qualities)
        assert not found.sets or found.objective <= exact.objective + 1e-9
