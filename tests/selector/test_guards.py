"""Guards before a search: each fires on the mistake that it is about, and not on a table that only looks like it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from altsets import SelectAlternatives, constraints, evaluate
from altsets.errors import InputError
from altsets.quality import CFS, FCBF, MRMR, Additive, Wrapper

pd = pytest.importorskip("pandas")


def made(n_rows=80, n_columns=4, seed=0):
    """A table whose first columns say something about the target, and its target."""
    rng = np.random.default_rng(seed)
    y = pd.Series(rng.permutation(np.arange(n_rows) % 2), name="ill")
    values = rng.normal(size=(n_rows, n_columns)) + y.to_numpy()[:, None] * np.linspace(1, 0, n_columns)
    return pd.DataFrame(values, columns=[f"f{index}" for index in range(n_columns)]), y


def fitted(X, y, **parameters):
    return SelectAlternatives(**{"n_features": 2, "n_alternatives": 1, **parameters}).fit(X, y)


# --- Rows in another order --------------------------------------------------------------------------------

ENTRANCES = {
    "fit": fitted,
    "Additive": Additive.from_data,
    "MRMR": MRMR.from_data,
    "FCBF": FCBF.from_data,
    "CFS": CFS.from_data,
    "Wrapper": Wrapper.from_data,
    "evaluate": lambda X, y: evaluate([["f0"]], X, y, cv=3),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_the_same_rows_in_another_order_are_refused(entrance):
    X, y = made()
    shuffled = y.sample(frac=1, random_state=1)
    with pytest.raises(InputError, match=r"same row labels in another order.*y = y\.loc\[X\.index\]"):
        ENTRANCES[entrance](X, shuffled)
    ENTRANCES[entrance](X, shuffled.loc[X.index])
    ENTRANCES[entrance](X, shuffled.to_numpy())


def test_weights_and_groups_in_another_order_are_refused():
    X, y = made()
    other = pd.Series(1.0, index=X.index[::-1])
    with pytest.raises(InputError, match=r"sample_weight = sample_weight\.loc\[X.index\]"):
        SelectAlternatives(n_features=2).fit(X, y, sample_weight=other)
    with pytest.raises(InputError, match="X and groups have the same row labels in another order"):
        SelectAlternatives(n_features=2).fit(X, y, groups=other)
    with pytest.raises(InputError, match="X and groups have the same row labels in another order"):
        evaluate([["f0"]], X, y, groups=other)


def test_labels_that_occur_more_than_once_have_another_remedy():
    X, y = made()
    X.index, y.index = np.repeat(["a", "b"], 40), np.tile(["a", "b"], 40)
    with pytest.raises(InputError, match="same sorting of both"):
        fitted(X, y)


def test_rows_of_another_part_of_the_table_are_refused():
    X, y = made()
    with pytest.raises(InputError, match=r"different row labels .40 of 40 in y are not in X, such as"):
        fitted(
            X.iloc[20:60].sample(frac=1, random_state=0),
            pd.concat([y[:20], y[60:]]).set_axis(range(900, 940)),
        )
    with pytest.raises(InputError, match="take both from the same rows"):
        fitted(X[1:41], y[2:42])


@pytest.mark.parametrize("kind", ["split", "scaled", "reset target", "sorted", "polars", "array"])
def test_rows_that_belong_together_are_taken(kind):
    X, y = made()
    X_train, _, y_train, _ = train_test_split(X, y, random_state=0)
    pairs = {
        "split": lambda: (X_train, y_train),
        # What becomes of a table that went through an array: its labels count from 0 and name nothing.
        "scaled": lambda: (pd.DataFrame(X_train.to_numpy(), columns=X.columns), y_train),
        "reset target": lambda: (X_train, y_train.reset_index(drop=True)),
        "sorted": lambda: (X.sort_values("f0"), y.loc[X.sort_values("f0").index]),
        "polars": lambda: (pytest.importorskip("polars").from_pandas(X), y.sample(frac=1, random_state=0)),
        "array": lambda: (X.to_numpy(), y.sample(frac=1, random_state=0)),
    }
    assert len(fitted(*pairs[kind]()).alternatives_) == 2


# --- Columns that cannot be used --------------------------------------------------------------------------


def with_unusable(X):
    """The table with columns that no measure can use, before and between those that can be used."""
    n = len(X)
    odd = X.assign(
        visit=pd.date_range("2024-01-01", periods=n),
        name=[f"patient {row}" for row in range(n)],
        mixed=[row if row % 9 else "unknown" for row in range(n)],
        endless=np.where(np.arange(n) == 3, np.inf, 1.0),
    )
    return odd[["visit", "f0", "name", "f1", "mixed", "f2", "endless", "f3"]]


def test_all_unusable_columns_are_in_one_message():
    X, y = made()
    with pytest.raises(InputError) as caught:
        fitted(with_unusable(X), y)
    assert str(caught.value) == (
        "4 columns cannot be used: visit holds dates or times, which have no single meaning as numbers; name has 80 "
        "categories in 80 rows, which name rows instead of grouping them; mixed mixes numbers (71) with text (9), such "
        "as 'unknown'; endless holds 1 infinite value; change these columns, or leave them out with unusable='drop'."
    )
    with pytest.raises(
        InputError, match=r"^4 columns cannot be used: .*; change these columns, or drop them\.$"
    ):
        Additive.from_data(with_unusable(X), y)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_unusable_columns_are_dropped_and_listed(library, tmp_path):
    X, y = made()
    plain, odd = fitted(X, y), with_unusable(X)
    if library == "polars":
        odd["mixed"] = odd["visit"]
        odd = pytest.importorskip("polars").from_pandas(odd)
    if library == "pyarrow":
        odd["mixed"] = odd["visit"]
        odd = pytest.importorskip("pyarrow").Table.from_pandas(odd)
    selector = fitted(odd, y, unusable="drop")
    assert selector.dropped_ == ["visit", "name", "mixed", "endless"]
    assert [found.names for found in selector.alternatives_] == [found.names for found in plain.alternatives_]
    assert selector.result_.notes[1].startswith(
        "4 columns that cannot be used were left out: visit holds dates"
    )
    assert selector.n_features_in_ == 8
    assert selector.supports_[0].tolist() == [False, True, False, True, False, False, False, False]
    assert np.isnan(selector.scores_).tolist() == [True, False, True, False, True, False, True, False]
    assert selector.get_feature_names_out().tolist() == ["f0", "f1"]
    if library != "pyarrow":
        assert np.array_equal(selector.transform(odd), X[["f0", "f1"]].to_numpy())
        assert np.array_equal(
            selector.get_alternative(1).transform(odd), plain.get_alternative(1).transform(X)
        )
    assert Path(selector.report(tmp_path / "report.html")).is_file()
    assert "unusable='drop'" in selector.result_.request.to_python()
    assert "--drop-unusable" in selector.result_.request.to_command()


def test_nothing_is_dropped_where_all_columns_can_be_used():
    X, y = made()
    selector = fitted(X, y, unusable="drop")
    assert selector.dropped_ == []
    assert selector.result_.notes == fitted(X, y).result_.notes


def test_unusable_columns_are_dropped_in_folds():
    X, y = made()
    selector = SelectAlternatives(n_features=2, n_alternatives=1, unusable="drop")
    evaluation = evaluate(selector, with_unusable(X), y, cv=3)
    assert evaluation.folds == evaluate(selector, X, y, cv=3).folds


def test_numbers_of_columns_in_constraints_are_refused_where_columns_are_dropped():
    X, y = made()
    with pytest.raises(
        InputError, match=r"unusable='drop' leaves out visit, name, mixed, endless, .*name the features"
    ):
        fitted(with_unusable(X), y, unusable="drop", constraints=[constraints.Forbid([1])])
    rule = constraints.Forbid(["f0"])
    assert "f0" not in fitted(with_unusable(X), y, unusable="drop", constraints=[rule]).alternatives_[0].names


def test_dropping_is_one_of_two_choices_and_leaves_something():
    X, y = made()
    with pytest.raises(InputError, match=r"unusable='skip' is unknown; choose 'error' or 'drop'"):
        fitted(X, y, unusable="skip")
    with pytest.raises(InputError, match=r"2 columns cannot be used: .*choose others"):
        fitted(with_unusable(X)[["visit", "name"]], y, unusable="drop")
