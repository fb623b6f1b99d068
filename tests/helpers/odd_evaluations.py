"""Evaluations that one may wonder about, each with what is said of it; odd_inputs.py puts them into the page.

Every case is a call of ``evaluate`` on a table of 60 rows, in which ``a`` and ``b`` tell the classes apart, while ``c``
and ``d`` are noise. 40 rows are ``no``, 20 are ``yes``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from altsets import SelectAlternatives, evaluate
from altsets.errors import AltsetsError

N_ROWS = 60
RNG = np.random.default_rng(0)
CLASSES = np.where(np.arange(N_ROWS) % 3, "no", "yes")
NUMBERS = RNG.normal(size=(N_ROWS, 4)) + (CLASSES == "yes")[:, None] * np.array([4.0, 4.0, 0.0, 0.0])
TABLE = pd.DataFrame(NUMBERS, columns=list("abcd"))
HALF = [(np.arange(30), np.arange(30, 60))]


def reads_a_column(model: Any, X: Any, y: Any) -> float:
    return float(np.asarray(X)[0, 0])


@dataclass(frozen=True, eq=False)
class Odd:
    """One call: what is odd about it, its arguments, and words that the answer must have."""

    what: str
    words: str
    sets: Any = (("a",), ("b",))
    options: dict[str, Any] = field(default_factory=dict)
    y: Callable[[], Any] = lambda: CLASSES


CASES = [
    Odd("sets that are all noise", "No set predicts better than always saying 'no'", (("c",), ("d",)),
        {"estimator": "linear"}),
    Odd("set 0 predicts, set 1 is noise", "set 1 was not shown to predict better", (("a",), ("c",))),
    Odd("set 0 is noise, set 1 predicts", "set 1 predicts better than always saying 'no', which was not",
        (("c",), ("a",))),
    Odd("noise, a numeric target", "better than always predicting the mean", (("c",), ("d",)),
        {"estimator": "linear"}, y=lambda: NUMBERS[:, 0]),
    Odd("noise, scored by probabilities", "always giving the same probabilities", (("c",), ("d",)),
        {"scoring": "roc_auc"}),
    Odd("a model that predicts one class", "the model predicts 'no' for every row in 25 of 25 folds", (("a",),),
        {"estimator": DummyClassifier()}),
    Odd("the same set twice", "scores are identical, so no test is possible", (("a",), ("a",))),
    Odd("one split only", "a test needs several folds", (("a",), ("c",)), {"cv": HALF}),
    Odd("a score that looks at the table", "Undecided whether set 1",
        options={"scoring": reads_a_column}),
    Odd("more sets than there are", "Set 2 was found in 0 of 25 folds.",
        SelectAlternatives("f", n_features=2, n_alternatives=2, tau=1)),
    Odd("precision where classes are text", "Set 1 and set 0", (("a",), ("a",)),
        {"scoring": "precision", "estimator": "linear"}),
    Odd("precision of a class that is not there", "**Refused**",
        options={"scoring": "precision", "pos_label": "maybe"}),
    Odd("precision where there are three classes", "**Refused**", options={"scoring": "precision"},
        y=lambda: np.arange(N_ROWS) % 3),
    Odd("balanced classes of a model of one's own", "**Refused**",
        options={"class_weight": "balanced", "estimator": LogisticRegression()}),
    Odd("repeats of a splitter", "**Refused**", options={"n_repeats": 2, "cv": HALF}),
    Odd("no model at all", "**Refused**", options={"estimator": LogisticRegression}),
]  # fmt: skip


@cache
def said(case: Odd) -> str:
    """What is said about the sets, in one line."""
    try:
        evaluation = evaluate(case.sets, TABLE, case.y(), **case.options)
    except AltsetsError as error:
        return f"**Refused**: {error}"
    # After the headline and the table come the sentences.
    return " ".join(evaluation.summary().split("\n\n")[2].split()).replace("|", "\\|")
