"""Survival, several labels and several amounts: what users have becomes one form, and is said back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import altsets
from altsets.errors import InputError
from altsets.measures import mutual_info, pearson, score
from altsets.tables.survival import Survival, is_survival
from altsets.tables.target import Several, has_several, in_one_form, outcome_of

TIMES, EVENTS = np.array([5.0, 8.0, 3.0, 9.0]), np.array([True, False, True, False])
FRAME = pd.DataFrame({"follow_up_days": TIMES, "status": [2, 1, 2, 1]})
LABELS = [{"art"}, {"art", "news"}, set(), {"news"}]


@pytest.mark.parametrize(
    "y",
    [
        altsets.io.survival_target(time=TIMES, event=EVENTS),
        altsets.io.survival_target(FRAME, time="follow_up_days", event="status", event_value=2),
        altsets.io.survival_target(
            pl.from_pandas(FRAME), time="follow_up_days", event="status", event_value="2"
        ),
        altsets.io.survival_target(pa.table(FRAME), time="follow_up_days", event="status", event_value=2),
        np.array(list(zip(TIMES, EVENTS, strict=True)), dtype=[("t", "f4"), ("d", "?")]),
    ],
)
def test_survival_in_any_form(y):
    form = in_one_form(y)
    assert is_survival(form)
    assert not has_several(form)
    target = outcome_of(y, 4)
    assert isinstance(target, Survival)
    assert target.time.tolist() == TIMES.tolist()
    assert target.event.tolist() == EVENTS.tolist()


def test_survival_is_said_back_with_a_unit_only_if_it_is_known(snapshot):
    days = altsets.io.survival_target(FRAME, time="follow_up_days", event="status", event_value=2)
    assert outcome_of(days, 4).in_words() == snapshot
    assert (
        outcome_of(altsets.io.survival_target(time=TIMES, event=EVENTS), 4)
        .in_words()
        .endswith("follow-up 6.5")
    )


@pytest.mark.parametrize("order", [["time", "event"], ["event", "time"]])
def test_two_columns_in_any_order(order):
    y = pd.DataFrame({"time": TIMES, "event": EVENTS.astype(float)})[order]
    assert outcome_of(y, 4, "survival").time.tolist() == TIMES.tolist()
    assert isinstance(outcome_of(y, 4), Several)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": [1, -2, 3], "event": [1, 0, 1]}, "1 negative value, such as -2"),
        ({"time": [1, 2, 3], "event": [0, 0, 0]}, "no row has an event: all 3 are censored"),
        ({"time": [1, 2, None], "event": [0, 1, 0]}, "the time 'time' has 1 missing value"),
        ({"time": [1, np.inf, 3], "event": [0, 1, 0]}, "the time 'time' has 1 infinite value"),
        ({"time": [1, 2, 3], "event": [0, None, 1]}, "the event 'event' has 1 missing value"),
        ({"time": [1, 2, 3], "event": [1, 2, 1]}, "holds 1, 2 .in R's habit.*event_value=2."),
        ({"time": [1, 2, 3], "event": ["no", "yes", "no"]}, "holds 'no', 'yes'; say .* .event_value='yes'."),
        ({"time": [1, 2, 3], "event": [0, 1, 0], "event_value": 7}, "never is 7; it holds 0, 1"),
        ({"time": ["a", "b", "c"], "event": [0, 1, 0]}, "must hold one number for each row"),
        ({"time": pd.to_datetime(["2020", "2021", "2022"]), "event": [0, 1, 0]}, "dates or times"),
        ({"time": [1, 2], "event": [0, 1, 0]}, "2 times and 3 events"),
        ({"time": [1, 1, 1], "event": [1, 1, 1]}, "all rows have the same time .'time' 1."),
        ({"time": [2, 2, 1], "event": [1, 1, 0]}, "no two rows can be compared"),
        (
            {"time": [True, False, True], "event": [0, 1, 0]},
            "the time 'time' holds True and False, not numbers",
        ),
        ({"time": [0, 1, 0], "event": [5, 6, 7]}, "the event 'event' 3 numbers: they look swapped"),
        ({"time": 3, "event": [0, 1, 0]}, "it holds one value for all rows"),
        ({"time": [], "event": []}, "no row has an event: all 0 are censored"),
        ({"frame": {"a": [1, 2]}, "time": "a", "event": "b"}, "no column 'b' for event; it has a"),
        ({"time": "days", "event": [0, 1, 0]}, "names a column, but there is no frame"),
        ({"frame": FRAME, "time": "months", "event": "status"}, "no column 'months' for time"),
    ],
)
def test_survival_that_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        altsets.io.survival_target(**options)


@pytest.mark.parametrize(
    "y",
    [
        LABELS,
        pd.Series(LABELS),
        [sorted(labels) for labels in LABELS],
        pd.DataFrame({"art": [1, 1, 0, 0], "news": [0, 1, 0, 1]}),
        pl.DataFrame({"art": [True, True, False, False], "news": [False, True, False, True]}),
    ],
)
def test_labels_in_any_form(y, snapshot):
    target = outcome_of(y, 4)
    assert target.are_labels
    assert target.names == ("art", "news")
    assert target.values.tolist() == [[1, 0], [1, 1], [0, 0], [0, 1]]
    assert target.in_words() == snapshot


def test_columns_of_arrays_are_counted():
    assert outcome_of(scipy.sparse.csr_array([[1, 0], [0, 1], [1, 1]]), 3).names == ("y0", "y1")
    assert outcome_of([[1.5, 2.5], [3.5, 2.25], [0.5, 1.25]], 3).task == "regression"
    assert outcome_of(pd.DataFrame({"a": [1.5, 2, 3.5], "b": ["u", "v", "u"]}), 3).task == "mixed"


@pytest.mark.parametrize(
    ("y", "task", "message"),
    [
        ([{"a"}, {"a"}, {"a", "b"}], "auto", "target 'a': the target has only one value"),
        ([set(), set(), set()], "auto", "no row has a label"),
        ([{"a", None}, {"b"}, {"a"}], "auto", "a missing value among them"),
        ([{1, "1"}, {1}, {"1"}], "auto", "read the same"),
        (np.zeros((3, 2)), "auto", "target 'y0': the target has only one value"),
        ([[1.5, np.nan], [2.5, 1.0], [3.5, 2.0]], "auto", "target 'y1' has 1 missing value"),
        (pd.DataFrame([[1, 2], [2, 1], [1, 2]], columns=["a", "a"]), "auto", "has 'a' more than once"),
        (pd.DataFrame({"a": [0, 1, 0], "b": [1, 0, 1]}), "survival", "both columns hold 0 and 1"),
        (pd.DataFrame({"a": [5, 7, 2], "b": [3, 2, 1]}), "survival", "no column holds 0 and 1"),
        (np.ones((3, 3)), "survival", "needs two columns"),
        ([1, 2, 3], "survival", "the target is one column"),
        (altsets.io.survival_target(time=TIMES, event=EVENTS), "regression", "contradicts the target"),
        (altsets.io.survival_target(time=TIMES, event=EVENTS), "auto", "3 rows, but the target has 4 values"),
        (
            np.zeros(3, dtype=[("a", "?"), ("b", "f8"), ("c", "f8")]),
            "auto",
            "survival has two, an event and a time",
        ),
    ],
)
def test_targets_that_are_refused(y, task, message):
    with pytest.raises(InputError, match=message):
        outcome_of(y, 3, task)


# --- Scores for several targets ---------------------------------------------------------------------------
def table(n_rows=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] > 0.5]).astype(int)


def test_scores_of_several_targets_are_combined():
    X, y = table()
    each = np.array([mutual_info(X, column) for column in y.T])
    assert score(X, y)[0] == pytest.approx(each.mean(axis=0))
    assert score(X, y, combine="max")[0] == pytest.approx(each.max(axis=0))
    assert score(X, y, combine=[3, 1])[0] == pytest.approx((3 * each[0] + each[1]) / 4)
    assert score(X, y, combine="sets")[0] == pytest.approx(mutual_info(X, 2 * y[:, 0] + y[:, 1]))
    amounts = X[:, :2] + 0.1
    assert score(X, amounts, "pearson")[0] == pytest.approx(
        (pearson(X, amounts[:, 0]) + pearson(X, amounts[:, 1])) / 2
    )


@pytest.mark.parametrize(
    ("targets", "combine", "message"),
    [
        (2, "median", "must be one of mean, max, sets"),
        (2, [1, 2, 3], "has 3 weights for 2 targets"),
        (2, [-1, 2], "weights from 0 up"),
        (2, [0, 0], "weights from 0 up"),
        (1, "max", "is for several targets, but there is one"),
        (0, "sets", "some targets are numeric"),
    ],
)
def test_combinations_that_are_refused(targets, combine, message):
    X, y = table()
    y = {0: X[:, :2], 1: y[:, 0], 2: y}[targets]
    with pytest.raises(InputError, match=message):
        score(X, y, "mutual_info", combine=combine)


@pytest.mark.parametrize("name", ["f", "mrmr", "cfs", "fcbf", "mutual_info"])
def test_selectors_take_several_targets(name, snapshot):
    X, y = table()
    found = altsets.SelectAlternatives(name, n_features=2, n_alternatives=0).fit(
        X, pd.DataFrame(y, columns=["a", "b"])
    )
    assert found.result_.sets[0] == (0, 1)
    assert found.note_ == snapshot


def test_columns_may_be_named_by_numbers():
    frame = pd.DataFrame({1: [0, 1, 1, 0], 0: [1, 1, 0, 0]})
    form = in_one_form(frame)
    assert form.dtype.names == ("1", "0")
    assert form["1"].tolist() == [0, 1, 1, 0]
    survival = in_one_form(pd.DataFrame({0: TIMES, 1: EVENTS}), "survival")
    assert survival["0"].tolist() == TIMES.tolist()


def test_times_and_events_of_other_rows(refused):
    time, event = pd.Series(TIMES), pd.Series(EVENTS)
    with refused(InputError):
        altsets.io.survival_target(time=time, event=event[::-1])
    with refused(InputError):
        altsets.io.survival_target(time=time, event=event.set_axis([4, 5, 6, 7]))
    assert len(altsets.io.survival_target(time=time, event=event[::-1].to_numpy())) == 4
    with refused(InputError):
        altsets.io.survival_target(time=time, event=event[:3])


@pytest.mark.parametrize("event_value", [None, 3])
def test_whole_events_are_named_as_they_stand_in_files(event_value):
    with pytest.raises(InputError) as caught:
        altsets.io.survival_target(time=TIMES, event=[2.0, 1.0, 2.0, 1.0], event_value=event_value)
    assert "2, 1" in str(caught.value)
    with pytest.raises(InputError, match="event_value=1"):
        altsets.io.survival_target(time=TIMES, event=[0.0, 1.0, 2.0, 1.0])


def test_only_labels_are_called_labels(refused):
    with refused(InputError):
        Several.of(in_one_form(np.column_stack([TIMES, np.zeros(4)])))
    with refused(InputError):
        Several.of(in_one_form(np.column_stack([EVENTS, np.zeros(4)])))


def test_no_stratum_is_one_row_alone():
    assert Survival(TIMES, np.array([True, True, True, False])).strata.tolist() == [1, 1, 1, 1]
    labels = np.column_stack([np.arange(60) % 2, np.arange(60) % 2])
    labels[7, 0] = 0
    assert np.unique(outcome_of(labels, 60).strata, return_counts=True)[1].min() > 1


ROWS = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
FLAGS = (ROWS[["a", "b"]] > 0).astype(int)


@pytest.mark.parametrize(
    ("y", "names", "task"),
    [
        (FLAGS, ("f", "importance", "permutation", "linear_fit", "wrapper"), "auto"),
        (pd.Series([set(np.flatnonzero(row)) for row in FLAGS.to_numpy()]), ("f", "mrmr"), "auto"),
        (FLAGS.assign(b=ROWS["b"] + 9), ("concordance", "mrmr", "linear_fit", "importance"), "survival"),
    ],
    ids=["labels", "sets", "survival"],
)
def test_rows_in_another_order_are_warned_of_for_any_target(y, names, task):
    message = "another order"
    for name in names:
        selector = altsets.SelectAlternatives(name, n_features=2, n_alternatives=0, task=task)
        assert selector.fit(ROWS, y).alternatives_
        with pytest.warns(UserWarning, match=message):
            selector.fit(ROWS, y[::-1])
    with pytest.warns(UserWarning, match=message):
        altsets.evaluate([["a"]], ROWS, y[::-1], task=task, n_repeats=1)
    with pytest.warns(UserWarning, match=message):
        score(ROWS, y[::-1], "f" if task == "auto" else "cox", task=task)
