"""Odd survival targets and several targets, each with what is said of it; odd_inputs.py puts them into the page.

Every case is a call of ``fit`` on a table of 60 rows with the columns ``a``, ``b`` and ``c``. Its rows have the times
1, 2, ..., 60 in some order, and every other one an event, unless a case says otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from altsets import SelectAlternatives, evaluate
from altsets.errors import AltsetsError
from altsets.io import survival_target
from altsets.quality.spec import NamedQuality

N_ROWS = 60
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(N_ROWS, 3)), columns=list("abc"))
TIME = RNG.permutation(N_ROWS) + 1.0
EVENT = np.arange(N_ROWS) % 2
LABELS = np.column_stack([TABLE["a"] > 0, TABLE["b"] > 0]).astype(int)
AMOUNTS = TABLE[["a", "b"]].to_numpy() * 2 + 1


def survival(time: Any = TIME, event: Any = EVENT, **options: Any) -> Callable[[], Any]:
    return lambda: survival_target(time=time, event=event, **options)


def with_one(values: Any, value: Any) -> list[Any]:
    """The same values, but for one of them."""
    return [*values[:-1], value]


@dataclass(frozen=True)
class OddTarget:
    """One call: what is odd about it, the target, and other arguments."""

    what: str
    y: Callable[[], Any]
    quality: Any = "concordance"
    options: dict[str, Any] = field(default_factory=dict)
    #: Columns beside those of the table.
    more: dict[str, Any] = field(default_factory=dict)
    #: Arguments of ``evaluate``; None for a call of ``fit``.
    evaluated: dict[str, Any] | None = None


CASES = [
    OddTarget("a negative time", survival(with_one(TIME, -3))),
    OddTarget("a missing time", survival(with_one(TIME, np.nan))),
    OddTarget("an infinite time", survival(with_one(TIME, np.inf))),
    OddTarget("times as text", survival([str(time) for time in TIME])),
    OddTarget("times as dates", survival(pd.Series(pd.date_range("2020", periods=N_ROWS)))),
    OddTarget("times as True and False", survival(EVENT == 1)),
    OddTarget("the same time in all rows", survival(np.full(N_ROWS, 7.0))),
    OddTarget("time and event exchanged", survival(EVENT, TIME)),
    OddTarget("one number as time", survival(5.0)),
    OddTarget("no rows at all", survival([], [])),
    OddTarget("columns in a dictionary",
              lambda: survival_target({"t": TIME, "e": EVENT}, time="t", event="e") ),
    OddTarget("a column that is not there", lambda: survival_target(TABLE, time="days", event="a")),
    OddTarget("the name of a column as target", lambda: "days"),
    OddTarget("no row with an event", survival(event=np.zeros(N_ROWS))),
    OddTarget("an event in every row", survival(event=np.ones(N_ROWS))),
    OddTarget("all events at one time", survival(np.ones(N_ROWS), np.ones(N_ROWS))),
    OddTarget("a missing event", survival(event=with_one(EVENT, None))),
    OddTarget("events as 1 and 2", survival(event=EVENT + 1)),
    OddTarget("events as 0, 1 and 2", survival(event=np.arange(N_ROWS) % 3)),
    OddTarget("events as -1 and 1", survival(event=2 * EVENT - 1)),
    OddTarget("events as yes and no", survival(event=np.where(EVENT, "yes", "no"))),
    OddTarget("events as '0' and '1'", survival(event=EVENT.astype(str))),
    OddTarget("events as text", survival(event=np.where(EVENT, "dead", "alive"))),
    OddTarget("events as text, `event_value='dead'`",
              survival(event=np.where(EVENT, "dead", "alive"), event_value="dead")),
    OddTarget("an `event_value` that never occurs", survival(event_value="dead")),
    OddTarget("more times than events", survival(event=EVENT[:50])),
    OddTarget("more times than rows", lambda: survival()()[np.arange(N_ROWS + 2) % N_ROWS]),
    OddTarget(
        "a structured array of event and time",
        lambda: np.array(list(zip(EVENT == 1, TIME, strict=True)), dtype=[("event", bool), ("time", float)]),
    ),
    OddTarget("a structured array of three fields",
              lambda: np.zeros(N_ROWS, dtype=[("event", bool), ("time", float), ("age", float)])),
    OddTarget("the time among the features", survival(), more={"days": TIME}),
    OddTarget("the event among the features", survival(), more={"died": EVENT}),
    OddTarget("survival, `mutual_info`", survival(), "mutual_info"),
    OddTarget("survival, a measure for classes", survival(), "chi2"),
    OddTarget("classes, `concordance`", lambda: EVENT),
    OddTarget("survival, `task='regression'`", survival(), options={"task": "regression"}),
    OddTarget("one column, `task='survival'`", lambda: TIME, options={"task": "survival"}),
    OddTarget("event and time in a frame, `task='survival'`",
              lambda: pd.DataFrame({"days": TIME, "died": EVENT}), options={"task": "survival"}),
    OddTarget("two columns of 0 and 1, `task='survival'`", lambda: LABELS, options={"task": "survival"}),
    OddTarget("two columns of numbers, `task='survival'`", lambda: AMOUNTS, options={"task": "survival"}),
    OddTarget("text with an order, `concordance`", survival(),
              more={"stage": np.array(["I", "II", "III"])[np.arange(N_ROWS) % 3]}),
    OddTarget("survival, fewer events than folds", survival(event=TIME < 4), evaluated={}),
    OddTarget("survival, a tree", survival(), evaluated={"estimator": "tree"}),
    OddTarget("survival, a model for classes", survival(), evaluated={"estimator": LogisticRegression()}),
    OddTarget("survival, a positive class", survival(), evaluated={"pos_label": 1}),
    OddTarget("survival, weights of classes", survival(), evaluated={"class_weight": "balanced"}),
    OddTarget("survival, sizes by a criterion", survival(), NamedQuality("linear_fit", criterion="bic")),
    OddTarget("survival, scored by `r2`", survival(), evaluated={"scoring": "r2"}),
    OddTarget("a time of Uno's C index that is none", survival(),
              evaluated={"scoring": "concordance_index_uno:late"}),
    OddTarget("classes, scored by the C index", lambda: EVENT, "f",
              evaluated={"scoring": "concordance_index"} ),
    OddTarget("sets of labels", lambda: [{"x", "y"}, {"x"}, set()] * 20, "f"),
    OddTarget("a label that all rows have", lambda: [{"x", "y"}, {"x"}] * 30, "f"),
    OddTarget("one label", lambda: [{"x"}, set()] * 30, "f"),
    OddTarget("no labels at all", lambda: [set()] * N_ROWS, "f"),
    OddTarget("a missing label", lambda: [{"x", None}, {"y"}] * 30, "f"),
    OddTarget("labels as 0 and 1", lambda: LABELS, "f"),
    OddTarget("two amounts", lambda: AMOUNTS, "f"),
    OddTarget("a missing amount", lambda: np.where(AMOUNTS[3, 1] == AMOUNTS, np.nan, AMOUNTS), "f"),
    OddTarget("a constant among several targets", lambda: np.column_stack([AMOUNTS, np.full(N_ROWS, 2.5)]),
              "f" ),
    OddTarget("two targets of one name", lambda: pd.DataFrame(AMOUNTS, columns=["warm", "warm"]), "f"),
    OddTarget("classes and amounts, evaluated",
              lambda: pd.DataFrame({"warm": AMOUNTS[:, 0], "loud": LABELS[:, 1]}), "f", evaluated={}),
    OddTarget("several targets, a measure for one", lambda: LABELS, "importance"),
]  # fmt: skip


def said(case: OddTarget) -> str:
    """The message; of an answer, what is noted about the target."""
    X = TABLE.assign(**case.more)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = SelectAlternatives(case.quality, n_features=1, n_alternatives=1, **case.options)
            if case.evaluated is not None:
                return f"**Answer**: {evaluate(selector, X, case.y(), **case.evaluated)!r}"
            return f"**Note**: {selector.fit(X, case.y()).note_}"
    except AltsetsError as error:
        return f"**Refused**: {error}"
