"""Tables of every kind, brought into one form; and what no measure can use."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from altsets import measures
from altsets.errors import InputError
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import (
    MISSING_LABEL,
    Features,
    category_codes,
)


def is_plain(features):
    return not features.categories and not features.incomplete.any()


# Numbers

FRAME = {"a": [1, 2, 3], "b": [0.5, -1.0, 2.0], "c": [True, False, True]}
MATRIX = [[1.0, 0.5, 1.0], [2.0, -1.0, 0.0], [3.0, 2.0, 1.0]]


class ColumnStore:
    """The least that a frame offers: names, and columns by name."""

    columns = tuple(FRAME)

    def __getitem__(self, name):
        return np.array(FRAME[name])

    def __array__(self, dtype=None, copy=None):
        raise TypeError("mixed types")


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(FRAME),
        pd.DataFrame(FRAME).astype({"a": "Int64", "b": "Float64", "c": "boolean"}),
        pd.DataFrame(FRAME).astype({"a": "int8", "b": "float32"}),
        pd.DataFrame({**FRAME, "b": [Decimal("0.5"), -1, 2.0]}),
        pl.DataFrame(FRAME),
        pl.DataFrame(FRAME).with_columns(pl.col("a").cast(pl.UInt8), pl.col("b").cast(pl.Float32)),
        pl.DataFrame({**FRAME, "b": [Decimal("0.5"), Decimal("-1.0"), Decimal("2.0")]}),
        pa.table(FRAME),
        pa.table({**FRAME, "b": pa.array([Decimal("0.5"), Decimal("-1"), Decimal(2)])}),
        ColumnStore(),
    ],
    ids=[
        "pandas",
        "pandas nullable",
        "pandas short",
        "pandas objects",
        "polars",
        "polars short",
        "polars decimal",
        "arrow",
        "arrow decimal",
        "columns",
    ],
)
def test_frames_bring_names_and_numbers(table):
    features = features_of(table)
    assert features.values.tolist() == MATRIX
    assert features.values.dtype == np.float64
    assert features.values.flags.c_contiguous
    assert features.names == ["a", "b", "c"]
    assert is_plain(features)


@pytest.mark.parametrize("table", [
    MATRIX, np.array(MATRIX), np.asfortranarray(MATRIX), np.array(MATRIX, dtype=object),
], ids=["list", "array", "by column", "objects"])  # fmt: skip
def test_arrays_and_lists_have_no_names(table):
    features = features_of(table)
    assert features.values.tolist() == MATRIX
    assert features.values.flags.c_contiguous
    assert features.names is None
    assert is_plain(features)
    assert features_of(table, ["x", "y", "z"]).names == ["x", "y", "z"]


def test_features_pass_through_unchanged():
    features = features_of(pd.DataFrame(FRAME))
    assert features_of(features) is features
    renamed = features_of(features, ["x", "y", "z"])
    assert renamed.names == ["x", "y", "z"]
    assert renamed.values is features.values


def test_numbers_whose_sum_overflows_are_finite():
    features = features_of([[1e308, 1e308], [1e308, -1e308]])
    assert features.values.max() == 1e308
    assert is_plain(features)


# Missing numbers

HOLES = [[1.0, np.nan], [2.0, 5.0], [np.nan, 6.0]]


@pytest.mark.parametrize("table", [
    HOLES, [[1, None], [2, 5], [None, 6]], np.array(HOLES),
    np.array([[1, None], [2, 5], [None, 6]], dtype=object),
    np.ma.masked_array([[1, 7], [2, 5], [3, 6]], mask=[[0, 1], [0, 0], [1, 0]]),
    pd.DataFrame(HOLES, columns=["a", "b"]),
    pd.DataFrame({"a": [1, 2, None], "b": [None, 5, 6]}, dtype="Int64"),
    pd.DataFrame({"a": pd.array([1, 2, None], dtype="Float64"), "b": [None, 5, 6]}),
    pd.DataFrame({"a": [1, 2, None], "b": [None, 5, 6]}, dtype=object),
    pd.DataFrame({"a": [1, 2, None], "b": [None, 5, 6]}, dtype="int64[pyarrow]"),
    pl.DataFrame({"a": [1, 2, None], "b": [None, 5.0, 6.0]}),
    pl.DataFrame({"a": [1.0, 2.0, float("nan")], "b": [None, 5, 6]}),
    pa.table({"a": [1, 2, None], "b": [None, 5.0, 6.0]}),
])  # fmt: skip
def test_missing_numbers_stay_missing(table):
    features = features_of(table)
    assert np.array_equal(features.values, HOLES, equal_nan=True)
    assert features.incomplete.tolist() == [True, True]
    assert not features.categories
    assert not is_plain(features)


def test_truth_values_with_holes():
    for table in (
        pd.DataFrame({"a": [True, None, False]}, dtype="boolean"),
        pl.DataFrame({"a": [True, None, False]}),
        pa.table({"a": [True, None, False]}),
        [[True], [None], [False]],
    ):
        assert np.array_equal(features_of(table).values[:, 0], [1, np.nan, 0], equal_nan=True)


def test_a_column_of_nothing_but_holes_is_a_missing_number():
    for table in (pd.DataFrame({"a": [None, None]}), pl.DataFrame({"a": [None, None]}), [[None], [None]]):
        features = features_of(table)
        assert np.isnan(features.values).all()
        assert not features.categories


# Categories

TOWNS = ["Rome", "Oslo", None, "Rome"]
SIZES = ["M", "S", "L", "M"]


def with_towns():
    frame = pd.DataFrame({"n": [1, 2, 3, 4], "town": TOWNS})
    return [
        frame,
        frame.astype({"town": "category"}),
        frame.astype({"town": "string"}),
        frame.astype({"town": "string[pyarrow]"}),
        pl.DataFrame({"n": [1, 2, 3, 4], "town": TOWNS}),
        pl.DataFrame({"n": [1, 2, 3, 4], "town": TOWNS}).with_columns(pl.col("town").cast(pl.Categorical)),
        pl.DataFrame({"n": [1, 2, 3, 4], "town": TOWNS}).with_columns(
            pl.col("town").cast(pl.Enum(["Oslo", "Rome", "Bonn"]))
        ),
        pa.table({"n": [1, 2, 3, 4], "town": TOWNS}),
        pa.table({"n": [1, 2, 3, 4], "town": pa.array(TOWNS).dictionary_encode()}),
    ]


@pytest.mark.parametrize("table", with_towns(), ids=lambda table: type(table).__module__)
def test_text_and_categories_are_codes(table):
    features = features_of(table)
    assert features.values.tolist() == [[1, 1], [2, 0], [3, 2], [4, 1]]
    assert features.categories == {1: ("Oslo", "Rome", MISSING_LABEL)}
    assert features.nominal.tolist() == [False, True]
    # A missing label is a label.
    assert not features.incomplete.any()
    assert not is_plain(features)


@pytest.mark.parametrize("table", [
    [[1, "Rome"], [2, "Oslo"], [3, None], [4, "Rome"]],
    np.array([[1, "Rome"], [2, "Oslo"], [3, None], [4, "Rome"]], dtype=object),
])  # fmt: skip
def test_lists_and_arrays_may_hold_text(table):
    features = features_of(table)
    assert features.values.tolist() == [[1, 1], [2, 0], [3, 2], [4, 1]]
    assert features.names is None
    assert features.label(1) == "column 1"


def test_ordered_categories_are_ranks():
    order = ["S", "M", "L"]
    ordered = pd.Categorical([*SIZES, None], categories=order, ordered=True)
    arrow = pa.DictionaryArray.from_arrays(pa.array([1, 0, 2, 1, None]), pa.array(order), ordered=True)
    for table in (pd.DataFrame({"size": ordered}), pa.table({"size": arrow})):
        features = features_of(table)
        assert np.array_equal(features.values[:, 0], [1, 0, 2, 1, np.nan], equal_nan=True)
        assert not features.categories


def test_categories_of_numbers_are_no_numbers():
    features = features_of(pd.DataFrame({"ward": pd.Categorical([12, 7, 12])}))
    assert features.categories == {0: ("7", "12")}
    assert features.values[:, 0].tolist() == [1, 0, 1]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=20))
def test_codes_say_which_rows_agree(labels):
    codes, categories = category_codes(labels, "x")
    assert [categories[int(code)] for code in codes] == [label or MISSING_LABEL for label in labels]
    assert list(categories) == sorted(set(categories) - {MISSING_LABEL}) + [MISSING_LABEL] * (None in labels)


# --- What a table tells about itself ---
def test_rows_labels_and_refusals_name_columns(refused):
    features = features_of(pd.DataFrame({"n": [1, None, 3, 4], "town": TOWNS}))
    some = features.rows(np.array([0, 3]))
    assert some.values.tolist() == [[1, 1], [4, 1]]
    assert not some.incomplete.any()
    assert features.labels(np.array([True, True])) == "n, town"
    with refused(InputError):
        features.refuse_missing("pearson", advice="fill them in")
    message = r"f needs numbers or two categories, but town is text or categories \(3 different ones, such as 'Oslo'\)"
    with pytest.raises(InputError, match=message):
        features.refuse_categories("f", advice="use another")
    features_of([["a"], ["b"], ["a"]]).refuse_categories("f", advice="use another")
    some.refuse_missing("pearson", advice="fill them in")


# --- Refusals ---
DAYS = [datetime.date(2020, 1, 31), datetime.date(2020, 2, 1)]


@pytest.mark.parametrize(("table", "message"), [
    ([1, 2, 3], "rows and columns"), ("table", "rows and columns"),
    (np.zeros((2, 2, 2)), "rows and columns, .*; got 3"),
    (np.empty((0, 3)), "X is empty: 0 sample\\(s\\) \\(shape=\\(0, 3\\)\\)"),
    (np.empty((3, 0)), "X is empty"),
    (pd.DataFrame({"a": []}), "X is empty"),
    ([[1, 2], [3]], "X is not a table of single values"),
    ([[1, [2, 3]], [1, [2, 3, 4]]], "X is not a table of single values|column 1 holds a value of type list"),
    (pd.DataFrame({"n": [[1], [2]]}), "n holds a value of type list"),
    (np.array([["1"], ["2"]]), "column 0 is text, but all of it reads as numbers, such as '1'; make it numbers"),
    (pd.DataFrame({"n": ["1.5", "7", "?"]}), r"n is text, but most of it reads as numbers.*\(but not '\?'\)"),
    (pd.DataFrame({"n": ["1,5", "7,25"]}), "n is text, but all of it reads as numbers, such as '1,5'"),
    (pd.DataFrame({"n": [1, 2, "three"]}), "n mixes numbers \\(2\\) with text \\(1\\), such as 'three'; make it one"),
    (np.array([[1j, 2.0]]), "column 0 holds complex numbers"),
    (pd.DataFrame({"n": [1j, 2.0]}), "n holds complex numbers"),
    ([[1.0, -np.inf], [2.0, 1.0]], "column 1 holds 1 infinite value; drop the column or these rows"),
    (pd.DataFrame({"n": [1.0, np.inf], "m": [np.nan, 1.0]}), "n holds 1 infinite value"),
    (pl.DataFrame({"n": [1.0, float("inf")]}), "n holds 1 infinite value"),
    (pd.DataFrame({"n": [1, 2], "when": pd.to_datetime(["2020-01-01"] * 2)}), "when holds dates or times"),
    (pd.DataFrame({"when": pd.to_timedelta([1, 2], unit="D")}), "when holds dates or times"),
    (pd.DataFrame({"when": DAYS}), "when holds dates or times"),
    (pl.DataFrame({"when": DAYS}), "when holds dates or times, .*such as days since a start"),
    (pa.table({"when": DAYS}), "when holds dates or times"),
    (np.array([["2020-01-01"]], dtype="datetime64[D]"), "column 0 holds dates or times"),
    (pd.DataFrame({"id": [2**53 + 1, 2**53 + 2]}), f"id holds whole numbers as large as {2**53 + 2}"),
    (pl.DataFrame({"id": [-(2**60), 1]}), f"id holds whole numbers as large as -{2**60}"),
    ([[10**40], [1]], "column 0 holds whole numbers as large as 100000000000"),
    (pd.DataFrame({"who": [f"p{i}" for i in range(30)]}), "who has 30 categories in 30 rows, which name rows"),
    (pd.DataFrame([[1, 2]], columns=["n", "n"]), "occur more than once: n"),
    (pd.DataFrame([[1, 2]], columns=[1, "1"]), "occur more than once: 1"),
])  # fmt: skip
def test_tables_that_are_refused(table, message):
    with pytest.raises(InputError, match=message):
        features_of(table)


@pytest.mark.parametrize(
    ("names", "message"), [(["x"], "1 feature names"), (["x", "x", "y"], "more than once")]
)
def test_wrong_names_are_refused(names, message):
    with pytest.raises(InputError, match=message):
        features_of(MATRIX, names)
    with pytest.raises(InputError, match=message):
        features_of(Features(np.array(MATRIX)), names)


def test_record_batches_are_tables():
    batch = pa.RecordBatch.from_pydict(FRAME | {"town": ["x", None, "y"]})
    found, table = features_of(batch), features_of(pa.Table.from_batches([batch]))
    assert list(found.names) == [*FRAME, "town"]
    np.testing.assert_array_equal(found.values, table.values)
    assert found.categories == table.categories
    assert features_of(batch.select(["a", "b"])).values.tolist() == [row[:2] for row in MATRIX]


def test_lazy_frames_are_told_to_collect(refused):
    frame = pl.DataFrame(FRAME)
    with refused(InputError):
        features_of(frame.lazy())
    with refused(InputError):
        measures.f(frame, frame.select("a").lazy())


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.csr_matrix])
def test_a_sparse_target_of_one_column(form):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    np.testing.assert_array_equal(measures.f(X, form(y[:, None])), measures.f(X, y))


def test_a_tree_on_a_sparse_table_with_missing_values_is_not_told_to_use_a_tree(refused):
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    X[::5, 1] = np.nan
    with refused(InputError):
        measures.importance(sparse.csr_array(X), y, estimator=DecisionTreeClassifier())


@pytest.mark.parametrize("measure", [measures.mutual_info, measures.relief])
def test_discrete_columns_by_their_indices(measure, refused):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 4)) + 0.0, np.arange(40) % 2
    by_mask = measure(X, y, discrete=[True, False, True, False])
    for given_ in ([0, 2], (2, 0), np.array([0, 2])):
        np.testing.assert_array_equal(measure(X, y, discrete=given_), by_mask)
    np.testing.assert_array_equal(measure(X, y, discrete=[]), measure(X, y, discrete=False))
    for wrong in ([0, 4], [-1], [0, 0], [0.0], ["a"], 2):
        with refused(InputError):
            measure(X, y, discrete=wrong)


# For models
