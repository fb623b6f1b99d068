"""Models of the user get the table as it was handed over; models by name get numbers, weights of classes, medians."""

from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef, precision_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from altsets import SelectAlternatives, evaluate, quality
from altsets.errors import InputError
from altsets.measures import permutation
from altsets.measures.models import MODELS, fresh_model, names_for_weights

ROWS = 150
FOLDS = StratifiedKFold(3, shuffle=True, random_state=25)


@pytest.fixture(scope="module")
def people():
    """A frame with numbers, text, categories, bools, nullable columns and an index of its own; and who bought."""
    rng = np.random.default_rng(7)
    bought = rng.integers(0, 2, ROWS)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40 + 5 * bought, 9, ROWS),
            "town": pd.Categorical(
                np.array(["Bonn", "Oslo", "Rome"])[(bought + rng.integers(0, 2, ROWS)) % 3]
            ),
            "visits": rng.integers(0, 9, ROWS) + bought,
            "plan": np.where(rng.random(ROWS) < 0.3 + 0.4 * bought, "paid", "free"),
            "member": rng.random(ROWS) < 0.3 + 0.3 * bought,
            "score": pd.array(rng.integers(0, 5, ROWS), dtype="Int64"),
            "height": rng.normal(size=ROWS).astype("float32"),
        },
        index=np.arange(ROWS)[::-1] * 3,
    )
    return frame, np.where(bought, "yes", "no")


SETS = [["age", "town", "height"], ["visits", "plan", "member", "score"], ["town"]]


def encoding(by_type):
    """A linear model that encodes what it is given; how columns are chosen is up to the library."""
    numbers, others = by_type
    columns = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), others)
    )
    return make_pipeline(columns, LogisticRegression())


def of_type(*kinds):
    return lambda X: [name for name, kind in X.schema.items() if (kind in kinds)]


TEXT = (pl.String, pl.Categorical)
NUMBERS = (pl.Float64, pl.Float32, pl.Int64, pl.Boolean)
BY_PANDAS = (
    make_column_selector(dtype_include=["number", "bool"]),
    make_column_selector(dtype_exclude=["number", "bool"]),
)
NATIVE = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=3, random_state=0)
TYPED = ["age", "town", "visits", "member", "score", "height"]


def as_polars(frame):
    return pl.from_pandas(frame.reset_index(drop=True))


def how_many_categories(model, X, y):
    return float(model.is_categorical_.sum())


def by_hand(model, X, y, sets, measure=matthews_corrcoef):
    """Fold by fold and set by set, as one would write it."""
    scores = []
    for train, test in FOLDS.split(np.zeros(len(y)), y):
        row = []
        for names in sets:
            if isinstance(X, pl.DataFrame):
                parts = X[train].select(names), X[test].select(names)
            else:
                parts = X.iloc[train][names], X.iloc[test][names]
            fitted = clone(model).fit(parts[0], y[train])
            row.append(measure(y[test], fitted.predict(parts[1])))
        scores.append(row)
    return scores


def scores_of(evaluation, scorer="matthews_corrcoef"):
    return [list(fold.scores[scorer]) for fold in evaluation.folds]


# --- The table as it was ------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_column_transformer_gives_the_digits_of_a_loop(people):
    frame, y = people
    model = encoding(BY_PANDAS)
    evaluation = evaluate(SETS, frame, y, estimator=model, cv=FOLDS)
    assert scores_of(evaluation) == by_hand(model, frame, y, SETS)
    assert max(evaluation.mean_scores()) > 0.2
    model = encoding((of_type(*NUMBERS), of_type(*TEXT)))
    evaluation = evaluate(SETS, as_polars(frame), y, estimator=model, cv=FOLDS)
    assert scores_of(evaluation) == by_hand(model, as_polars(frame), y, SETS)


@pytest.mark.parametrize("form", [lambda frame: frame, as_polars], ids=["pandas", "polars"])
def test_a_booster_sees_categories_as_such(people, form):
    frame, y = people
    sets = [["age", "town"], ["town", "visits", "member"]]
    table = form(frame[TYPED])
    scoring = {"right": "matthews_corrcoef", "categories": how_many_categories}
    evaluation = evaluate(sets, table, y, estimator=NATIVE, cv=FOLDS, scoring=scoring)
    assert scores_of(evaluation, "right") == by_hand(NATIVE, table, y, sets)
    assert scores_of(evaluation, "categories") == [[1.0, 1.0]] * 3


def test_a_wrapper_gives_the_digits_of_a_loop(people):
    frame, y = people
    for model, table, sets in (
        (encoding(BY_PANDAS), frame, SETS[:2]),
        (NATIVE, frame[TYPED], [["age", "town"]]),
    ):
        wrapper = quality.Wrapper(model, table, y, cv=FOLDS)
        places = [tuple(table.columns.get_loc(name) for name in names) for names in sets]
        expected = np.mean(by_hand(model, table, y, sets), axis=0)
        assert [wrapper.evaluate(chosen) for chosen in places] == expected.tolist()
    if sklearn.__version__.startswith("1.6."):
        return  # Its models take no Arrow tables.
    as_arrow = quality.Wrapper(NATIVE, pa.Table.from_pandas(table, preserve_index=False), y, cv=FOLDS)
    assert as_arrow.evaluate((0, 1)) == expected[0]


@pytest.mark.slow
def test_a_wrapper_in_a_selector_in_a_fold_still_sees_the_frame(people):
    frame, y = people
    model = encoding(BY_PANDAS)
    asked = {"n_features": 2, "n_alternatives": 1, "tau": 1}
    selector = SelectAlternatives(partial(quality.Wrapper.from_data, estimator=model, max_iters=6), **asked)
    evaluation = evaluate(selector, frame, y, cv=FOLDS, estimator=model)
    train, _ = next(FOLDS.split(np.zeros(ROWS), y))
    alone = selector.fit(frame.iloc[train], y[train])
    assert list(evaluation.folds[0].sets) == alone.result_.sets
    assert list(evaluation.folds[0].qualities) == alone.result_.qualities
    named = [[frame.columns[index] for index in chosen] for chosen in evaluation.folds[0].sets]
    assert scores_of(evaluation)[0] == by_hand(model, frame, y, named)[0]


def test_permutation_shuffles_columns_of_a_frame(people):
    frame, y = people
    for model, table in ((encoding(BY_PANDAS), frame), (NATIVE, as_polars(frame[TYPED]))):
        scores = permutation(table, y, estimator=model, n_repeats=1)
        assert scores.shape == (table.shape[1],)
        assert np.abs(scores).max() > 0.02
    spared = make_pipeline(
        make_column_transformer((StandardScaler(), ["age", "visits"])), LogisticRegression()
    )
    assert permutation(frame, y, estimator=spared, n_repeats=1)[[1, 3, 4, 5, 6]].tolist() == [0.0] * 5


def test_arrays_keep_their_type(people):
    _, y = people

    class Looking(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append((type(X), X.dtype))
            return super().fit(X, y)

    for kind in (np.float32, np.int64, np.float64, bool):
        seen = []
        X = np.random.default_rng(0).normal(size=(ROWS, 3)).round().astype(kind)
        evaluate([[0, 1]], X, y, estimator=Looking(), cv=2, n_repeats=1)
        assert set(seen) == {(np.ndarray, np.dtype(kind))}


def test_rows_that_do_not_count_are_not_in_the_frame(people):
    frame, y = people
    weights = np.r_[np.zeros(30), np.ones(ROWS - 30)]
    model = encoding(BY_PANDAS)
    some = evaluate(SETS[:1], frame, y, estimator=model, cv=FOLDS, sample_weight=weights)
    assert scores_of(some) == scores_of(evaluate(SETS[:1], frame[30:], y[30:], estimator=model, cv=FOLDS))


# --- What models complain about -----------------------------------------------------------------------
def test_columns_that_a_model_names_but_a_set_lacks(people, refused, snapshot):
    frame, y = people
    named = make_column_transformer((StandardScaler(), ["age", "visits"]), (OneHotEncoder(), ["plan"]))
    model = make_pipeline(named, LogisticRegression())
    assert evaluate([["age", "visits", "plan"]], frame, y, estimator=model, cv=FOLDS).mean_scores()[0] > 0
    with pytest.raises(InputError) as error:
        evaluate([["age", "visits", "plan"], ["age"]], frame, y, estimator=model, cv=FOLDS)
    assert str(error.value) == snapshot
    assert "\n" not in str(error.value)
    with refused(InputError):
        quality.Wrapper(model, frame, y).evaluate((0,))


@pytest.mark.parametrize("form", [lambda frame: frame, as_polars], ids=["pandas", "polars"])
def test_a_model_that_takes_no_text(people, form):
    frame, y = people
    message = r"LogisticRegression takes numbers, but the set has text or categories \(plan\): .*make_pipeline.*by name"
    with pytest.raises(InputError, match=message):
        evaluate([["age", "plan"]], form(frame), y, estimator=LogisticRegression(), cv=FOLDS)
    with pytest.raises(InputError, match=message):
        quality.Wrapper(LogisticRegression(), form(frame), y).evaluate((0, 3))
    assert evaluate([["age", "plan"]], form(frame), y, estimator="linear", cv=FOLDS).mean_scores()[0] > 0


def test_missing_values_of_other_columns_are_not_named(people, refused):
    frame, y = people
    holes = frame.assign(
        age=frame["age"].where(frame["age"] > 30), height=frame["height"].where(frame["age"] > 33)
    )
    with refused(InputError):
        evaluate([["age", "visits"]], holes, y, estimator=LogisticRegression(), cv=FOLDS)


@pytest.mark.parametrize("name", ["linear", "neighbors", "svm"])
def test_models_by_name_fill_in_medians_of_the_training_rows(people, name):
    frame, y = people
    X = frame[["age", "height"]].astype(float).to_numpy()
    X[::4, 0] = np.nan
    X[:, 1] = np.where(np.arange(ROWS) % 7, X[:, 1], np.nan)
    evaluation = evaluate([[0, 1]], X, y, estimator=name, cv=FOLDS)
    model = {"linear": LogisticRegression, "neighbors": KNeighborsClassifier, "svm": SVC}[name]
    filled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model())
    expected = []
    for train, test in FOLDS.split(X, y):
        expected.append([matthews_corrcoef(y[test], filled.fit(X[train], y[train]).predict(X[test]))])
    assert scores_of(evaluation) == pytest.approx(np.array(expected), abs=1e-12)
    empty = np.where(np.arange(ROWS)[:, None] < 0, X, np.nan)
    empty[0] = 1.0
    assert evaluate([[0]], np.c_[empty, X], y, estimator=name, cv=FOLDS).mean_scores()[0] < 0.5


# --- The positive class -------------------------------------------------------------------------------
LABELS = {
    "text": (["no", "yes"], "yes"),
    "bool": ([False, True], True),
    "signs": ([-1, 1], 1),
    "from one": ([2, 1], 1),
    "text of numbers": (["0", "1"], "1"),
    "float": ([0.0, 1.0], 1.0),
}


@pytest.mark.parametrize("kind", LABELS)
def test_precision_is_about_the_positive_class(people, kind):
    frame, y = people
    (negative, positive), expected = LABELS[kind]
    labels = np.where(y == "yes", positive, negative)
    X, tree = frame[["age", "height"]].to_numpy(dtype=float), DecisionTreeClassifier(random_state=0)
    evaluation = evaluate(
        [[0, 1]], X, labels, scoring=["precision", "average_precision"], estimator=tree, cv=FOLDS
    )
    loop = []
    for train, test in FOLDS.split(X, labels):
        predicted = tree.fit(X[train], labels[train]).predict(X[test])
        loop.append([precision_score(labels[test], predicted, pos_label=expected)])
    assert scores_of(evaluation, "precision") == loop
    assert evaluation.parameters["pos_label"] == expected
    assert f"Positive class: {expected}." in evaluation.summary()
    other = evaluate([[0, 1]], X, labels, scoring="precision", estimator=tree, cv=FOLDS, pos_label=negative)
    assert other.parameters["pos_label"] == negative
    assert scores_of(other, "precision") != loop
    wrapper = quality.Wrapper(tree, X, labels, scoring="precision", cv=FOLDS)
    assert wrapper.evaluate((0, 1)) == np.mean(loop)


def test_categories_of_pandas_keep_their_labels(people):
    frame, y = people
    codes = pd.Series(np.where(y == "yes", 1, 2), dtype="category")
    tree = DecisionTreeClassifier(random_state=0)
    found = evaluate([["age"]], frame, codes, scoring="f1", estimator=tree, cv=FOLDS)
    assert found.parameters["pos_label"] == 1
    numbers = np.where(y == "yes", 1, 2)
    expected = by_hand(tree, frame, numbers, [["age"]], lambda *both: f1_score(*both, pos_label=1))
    assert scores_of(found, "f1") == expected


@pytest.mark.parametrize(("target", "options", "message"), [
    ("three", {"scoring": "f1"}, "scoring='f1' is about one of two classes, but the target has 3; .*f1_macro"),
    ("three", {"pos_label": "a"}, r"is one of two classes, but the target has 3 \('a', 'b', 'c'\)"),
    ("two", {"pos_label": "maybe"}, "'maybe' .*is not a class of the target; choose one of 'no', 'yes'"),
    ("amount", {"pos_label": 1}, "is for two classes, but the target is numeric"),
    ("two", {"class_weight": "heavy"}, "class_weight='heavy' is unknown; choose 'balanced'"),
    ("two", {"class_weight": "balanced", "estimator": "neighbors"}, "KNeighborsClassifier has no class weights"),
    ("two", {"class_weight": "balanced", "estimator": LogisticRegression()}, "set it on your own LogisticRegression"),
    ("amount", {"class_weight": "balanced"}, "class_weight is for classes, but the target is numeric"),
])  # fmt: skip
def test_what_is_refused(people, target, options, message):
    frame, y = people
    targets = {"two": y, "three": np.array(["a", "b", "c"] * 50), "amount": frame["age"].to_numpy()}
    for work in (
        lambda: evaluate([["visits"]], frame, targets[target], cv=3, **options),
        lambda: quality.Wrapper.from_data(frame[["visits"]], targets[target], **options),
    ):
        with pytest.raises(InputError, match=message) as error:
            work()
        assert "\n" not in str(error.value)


def test_averages_over_three_classes_need_no_positive_one(people):
    frame, _ = people
    three = np.array(["a", "b", "c"] * 50)
    averages = ["f1_macro", "roc_auc_ovr"]
    # scikit-learn 1.6 knows the average precision of three classes only if one of them is 1.
    averages += [] if sklearn.__version__.startswith("1.6.") else ["average_precision"]
    found = evaluate([["visits"]], frame, three, cv=3, scoring=averages, n_repeats=1)
    assert "pos_label" not in found.parameters


# --- Weights of classes -------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["tree", "linear"])
def test_balanced_classes(name):
    rng = np.random.default_rng(3)
    rare = (rng.random(ROWS) < 0.15).astype(int)
    X = np.c_[rare + rng.normal(size=ROWS), rng.normal(size=ROWS)]
    plain, balanced = (
        evaluate(
            [[0, 1]], X, rare, estimator=name, cv=FOLDS, class_weight=weight, scoring="balanced_accuracy"
        )
        for weight in (None, "balanced")
    )
    assert balanced.parameters["class_weight"] == "balanced"
    assert "class_weight" not in plain.parameters
    assert scores_of(plain, "balanced_accuracy") != scores_of(balanced, "balanced_accuracy")
    if name == "tree":
        tree = DecisionTreeClassifier(criterion="entropy", class_weight="balanced", random_state=25)
        expected = [
            balanced_accuracy_score(rare[test], tree.fit(X[train], rare[train]).predict(X[test]))
            for train, test in FOLDS.split(X, rare)
        ]
        assert [row[0] for row in scores_of(balanced, "balanced_accuracy")] == expected
        wrapper = quality.Wrapper(
            None, X, rare, cv=FOLDS, class_weight="balanced", scoring="balanced_accuracy"
        )
        assert wrapper.evaluate((0, 1)) == np.mean(expected)


@pytest.mark.parametrize("name", MODELS)
def test_who_knows_weights_of_classes(name, refused):
    if name == "neighbors":
        with refused(InputError):
            fresh_model(name, True, 0, "balanced")
    else:
        weights = fresh_model(name, True, 0, "balanced").get_params(deep=True)
        assert "balanced" in [value for key, value in weights.items() if key.endswith("class_weight")]


# --- Weights and groups on their way into a model -----------------------------------------------------
class Remembering(LogisticRegression):
    """Remembers which weights it was fitted with."""

    weights: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        Remembering.weights.append(None if sample_weight is None else np.asarray(sample_weight).tolist())
        return super().fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("routing", [False, True])
def test_weights_and_groups_reach_the_parts_of_a_model(people, routing):
    frame, y = people
    X = frame[["age", "visits"]].to_numpy(dtype=float)
    weights, groups = np.random.default_rng(0).uniform(1, 2, ROWS), np.arange(ROWS) // 10
    with sklearn.config_context(enable_metadata_routing=routing):
        inner = Remembering()
        if routing:
            inner = inner.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(inner, {"C": [1.0, 2.0]}, cv=GroupKFold(3))
        model = make_pipeline("passthrough", search)
        Remembering.weights.clear()
        found = evaluate(
            [[0, 1]], X, y, estimator=model, cv=GroupKFold(3), groups=groups, sample_weight=weights
        )
        assert len(found.folds) == 3
        train, _ = next(GroupKFold(3).split(X, y, groups))
        # The last fit of the first fold has all its rows, after two values of C in three folds each.
        assert Remembering.weights[6] == weights[train].tolist()
        assert None not in Remembering.weights
        wrapper = quality.Wrapper(
            model, X, y, cv=GroupKFold(3), groups=groups, sample_weight=weights, scoring="accuracy"
        )
        assert 0 < wrapper.evaluate((0, 1)) <= 1
        assert evaluate(
            [[0]], X, y, estimator="linear", sample_weight=weights, cv=2, n_repeats=1
        ).mean_scores()


def test_routing_needs_somebody_who_asks(refused):
    with sklearn.config_context(enable_metadata_routing=True):
        with refused(InputError):
            names_for_weights(make_pipeline(StandardScaler(), LogisticRegression()))
        assert names_for_weights(LogisticRegression()) == ["sample_weight"]


def test_a_vote_hands_weights_on():
    vote = VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())])
    assert names_for_weights(vote) == ["sample_weight"]
    vote.fit([[1], [2]], [0, 1], sample_weight=[1, 2])
