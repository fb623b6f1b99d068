"""Malformed and unusual inputs, each with what it gets.

``python tests/helpers/odd_inputs.py > docs/howto/unusual_inputs.md`` writes them as a page that users can look them up
in; test_odd_inputs.py compares. Every case is a call of ``fit`` on a table
of 60 rows in which column ``a`` says most about the target, then ``b``, then ``c``; it asks for two sets of one
feature, unless it says otherwise.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from typing import Any

import lookup
import numpy as np
import odd_evaluations
import odd_files
import odd_frontiers
import odd_plots
import odd_selectors
import odd_targets
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from altsets import SelectAlternatives, constraints, quality
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import AltsetsError

N_ROWS = 60
RNG = np.random.default_rng(0)
CLASSES = np.repeat([0, 1], N_ROWS // 2)
NUMBERS = RNG.normal(size=(N_ROWS, 3)) + CLASSES[:, None] * np.array([6.0, 3.0, 1.0])
TABLE = pd.DataFrame(NUMBERS, columns=["a", "b", "c"])
AMOUNTS = NUMBERS @ np.array([5.0, 2.0, 0.5])


@dataclass(frozen=True, eq=False)
class Case:
    """One input: what it is, and the arguments of the selector and of ``fit``."""

    what: str
    X: Callable[[], Any] = lambda: TABLE
    y: Callable[[], Any] = lambda: CLASSES
    selector: dict[str, Any] | None = None
    weights: Any = None
    #: The first set, if there is an answer; empty if any set will do.
    first: tuple[str, ...] | None = None


def changed(**columns: Any) -> Callable[[], pd.DataFrame]:
    return lambda: TABLE.assign(**columns)


def holes(name: str, rows: Any) -> Callable[[], pd.DataFrame]:
    def make() -> pd.DataFrame:
        table = TABLE.copy()
        table.loc[rows, name] = np.nan
        return table

    return make


def cell(value: Any) -> list[Any]:
    """A column of numbers with something else in one place."""
    return [value if row == 7 else float(row) for row in range(N_ROWS)]


TOWNS = np.array(["Oslo", "Rome", "Bern"])[np.arange(N_ROWS) % 3]
TELLING = np.array(["ill", "well"])[CLASSES]
LINEAR = LogisticRegression()
BY_NAME = make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"])), LINEAR)


def judged(**options: Any) -> dict[str, Any]:
    """A quality that fits models."""
    return {"quality": partial(quality.Wrapper.from_data, **options)}


def chosen_by(model: Any) -> dict[str, Any]:
    """A quality of the sets that a model chooses."""
    return {"n_features": None, "quality": partial(quality.Embedded.from_data, estimator=model)}


CASES = [
    # Shapes
    Case("an empty frame", lambda: pd.DataFrame()),
    Case("no rows", lambda: TABLE.iloc[:0], lambda: CLASSES[:0]),
    Case("no columns", lambda: TABLE[[]]),
    Case("one row", lambda: TABLE.iloc[:1], lambda: CLASSES[:1]),
    Case("two rows, two classes", lambda: TABLE.iloc[[0, -1]], lambda: [0, 1], first=()),
    Case("one column", lambda: TABLE[["a"]], first=("a",)),
    Case("a single list", lambda: [1.0] * N_ROWS),
    Case("three dimensions", lambda: np.zeros((N_ROWS, 2, 2))),
    Case("rows of different lengths", lambda: [[1, 2], [3]] * (N_ROWS // 2)),
    Case("a dictionary", lambda: {"a": [1, 2]}),
    Case("None", lambda: None),
    Case("a file name", lambda: "table.csv"),
    Case("a sparse matrix", lambda: scipy.sparse.csr_array(NUMBERS), first=("x0",)),
    Case("a sparse matrix with an infinite value",
         lambda: scipy.sparse.csr_array(np.where(NUMBERS.max() <= NUMBERS, np.inf, NUMBERS))),
    Case("nested lists", lambda: NUMBERS.tolist(), first=("x0",)),
    Case("a target with fewer rows", y=lambda: CLASSES[:-1]),
    Case("a target with the same row labels in another order", y=lambda: pd.Series(CLASSES)[::-1],
         first=("a",)),
    Case("a target with other row labels", lambda: TABLE.set_axis(range(100, 160)),
         lambda: pd.Series(CLASSES, index=range(200, 260))),
    Case("a target whose row labels count from 0", lambda: TABLE.set_axis(range(100, 160)),
         lambda: pd.Series(CLASSES), first=("a",)),
    # Targets
    Case("no target", y=lambda: None),
    Case("one class", y=lambda: np.zeros(N_ROWS)),
    Case("a class of its own for each row", y=lambda: [f"row {row}" for row in range(N_ROWS)]),
    Case("a class with one row", y=lambda: np.where(np.arange(N_ROWS) == 0, 2, CLASSES), first=("a",)),
    Case("a missing target", y=lambda: np.where(np.arange(N_ROWS) == 5, np.nan, CLASSES)),
    Case("an infinite target", y=lambda: np.where(np.arange(N_ROWS) == 5, np.inf, AMOUNTS)),
    Case("two targets", y=lambda: np.column_stack([CLASSES, CLASSES]), first=("a",)),
    Case("a target in one column", y=lambda: CLASSES[:, None], first=("a",)),
    Case("classes as text", y=lambda: TELLING, first=("a",)),
    Case("classes as booleans", y=lambda: CLASSES == 1, first=("a",)),
    Case("classes as a pandas category", y=lambda: pd.Series(TELLING, dtype="category"), first=("a",)),
    Case("classes as a polars series", y=lambda: pl.Series(TELLING), first=("a",)),
    Case("classes of numbers and text", y=lambda: np.array([0, "ill"] * (N_ROWS // 2), dtype=object)),
    Case("dates as target", y=lambda: pd.date_range("2026-01-01", periods=N_ROWS)),
    Case("a numeric target", y=lambda: AMOUNTS, first=("a",)),
    # Numbers
    Case("a constant column", changed(d=1.0), first=("a",)),
    Case("all columns constant", lambda: pd.DataFrame({"a": [1.0] * N_ROWS, "b": [2.0] * N_ROWS})),
    Case("two equal columns", changed(d=TABLE["a"]), first=("a",)),
    Case("an infinite number", changed(d=cell(np.inf))),
    Case("a huge number", changed(d=cell(1e300)), first=("a",)),
    Case("tiny numbers", lambda: TABLE * 1e-300, first=("a",)),
    Case("whole numbers", lambda: (TABLE * 100).round().astype(int), first=("a",)),
    Case("whole numbers beyond 2**53", changed(d=2**60 + np.arange(N_ROWS))),
    Case("whole numbers beyond any float",
         changed(d=pd.Series([10**400 + row for row in range(N_ROWS)], dtype=object))),
    Case("complex numbers", lambda: NUMBERS + 1j),
    Case("decimals", changed(a=[Decimal(str(value)) for value in TABLE["a"]]), first=("a",)),
    Case("objects that are numbers", lambda: TABLE.astype(object), first=("a",)),
    Case("booleans", changed(a=CLASSES == 1), first=("a",)),
    Case("numbers as text", changed(d=[str(row) for row in range(N_ROWS)])),
    Case("decimal commas", changed(d=[f"{row},5" for row in range(N_ROWS)])),
    Case("a word among numbers", changed(d=cell("unknown"))),
    Case("lists in cells", changed(d=[[row] for row in range(N_ROWS)])),
    Case("bytes in cells", changed(d=[b"x", b"y"] * (N_ROWS // 2))),
    # Missing values
    Case("missing numbers", holes("a", slice(0, 9)), first=("a",)),
    Case("missing numbers, relief", holes("a", slice(0, 9)), selector={"quality": "relief"}),
    Case("missing numbers, f", holes("a", slice(0, 9)), selector={"quality": "f"}, first=("a",)),
    Case("a column without any value", changed(d=np.nan), first=("a",)),
    Case("missing exactly where the class is 1",
         lambda: TABLE[["b", "c"]].assign(d=np.where(CLASSES == 1, np.nan, 1.0)), first=("d",)),
    Case("a masked array", lambda: np.ma.masked_array(NUMBERS, NUMBERS > 9), first=("x0",)),
    Case("pandas Int64 with missing values", changed(d=pd.array([None, 1, 2] * 20, dtype="Int64")),
         first=("a",)),
    # Text, categories, dates
    Case("text", changed(d=TOWNS), first=("a",)),
    Case("text that tells the class", changed(d=TELLING), selector={"constraints": constraints.Forbid("a")},
         first=("d",)),
    Case("text with missing values", changed(d=np.where(TOWNS == "Bern", None, TOWNS)), first=("a",)),
    Case("text, pearson", changed(d=TOWNS), selector={"quality": "pearson"}),
    Case("text, importances", changed(d=TOWNS), selector={"quality": "importance"}, first=("a",)),
    Case("an unordered category", changed(d=pd.Categorical(TOWNS)), first=("a",)),
    Case("an ordered category", changed(d=pd.Categorical(TOWNS, ordered=True)), first=("a",)),
    Case("a category of numbers", changed(d=pd.Categorical(np.arange(N_ROWS) % 3)), first=("a",)),
    Case("identifiers of rows", changed(d=[f"patient {row}" for row in range(N_ROWS)])),
    Case(
        "100,000 categories",
        lambda: pd.DataFrame({"id": np.arange(300_000) % 100_000, "a": np.tile(NUMBERS[:, 0], 5000)}).astype(
            {"id": "category"}
        ),
        lambda: np.tile(CLASSES, 5000),
        first=("a",),
    ),
    Case("dates", changed(d=pd.date_range("2026-01-01", periods=N_ROWS))),
    Case("dates as objects", changed(d=[datetime.date(2026, 1, 1)] * N_ROWS)),
    Case("durations", changed(d=pd.to_timedelta(np.arange(N_ROWS), unit="D"))),
    # Frames and names
    Case("a polars frame", lambda: pl.from_pandas(TABLE), first=("a",)),
    Case("an Arrow table", lambda: pa.Table.from_pandas(TABLE), first=("a",)),
    Case("numbers as column names", lambda: pd.DataFrame(NUMBERS), first=(0,)),
    Case("numbers and text as column names", lambda: pd.DataFrame(NUMBERS, columns=[0, "b", "c"])),
    Case("the same column name twice", lambda: pd.DataFrame(NUMBERS, columns=["a", "a", "c"])),
    Case("a column name with line breaks", lambda: TABLE.rename(columns={"a": "a\nb"}), first=("a\nb",)),
    Case("an index in any order", lambda: TABLE.set_index(RNG.permutation(N_ROWS)), first=("a",)),
    # Requests
    Case("an unknown name in a constraint", selector={"constraints": constraints.Require("aa")}),
    Case("a similarity by its name", selector={"dissimilarity": Matched("spearman", 0.9)}, first=("a",)),
    Case("a similarity by its name, text", changed(d=TOWNS),
         selector={"dissimilarity": Matched("spearman", 0.9)}),
    Case("the similarity of other features", selector={"dissimilarity": Matched(np.eye(2), 0.9)}),
    Case("an unknown name in a group", selector={"dissimilarity": Grouped({"aa": "left"})}),
    Case("constraints that clash",
         selector={"constraints": [constraints.Require("a"), constraints.Forbid("a")]}),
    # Forbidden features
    Case("a copy of a forbidden column", changed(d=-3 * NUMBERS[:, 0]),
         selector={"constraints": constraints.Forbid("a")}, first=("d",)),
    Case("a copy of a forbidden column, proxies=0.8", changed(d=-3 * NUMBERS[:, 0]),
         selector={"constraints": constraints.Forbid("a", proxies=0.8)}, first=("b",)),
    Case("proxies of forbidden text", changed(d=TELLING, e=TELLING[0] == TELLING),
         selector={"constraints": constraints.Forbid("d", proxies=0.8)}, first=("a",)),
    Case("proxies by spearman beside text", changed(d=TOWNS),
         selector={"constraints": constraints.Forbid("a", proxies=0.5, measure="spearman")}, first=("c",)),
    Case("proxies of a constant column", changed(d=1.0),
         selector={"constraints": constraints.Forbid("d", proxies=0.8)}, first=("a",)),
    Case("proxies that rule out everything",
         selector={"constraints": constraints.Forbid("a", proxies=1e-9, measure="pearson")}),
    Case("a required proxy", changed(d=-3 * NUMBERS[:, 0]),
         selector={"constraints": [constraints.Require("d"), constraints.Forbid("a", proxies=0.8)]}),
    Case("proxies of an unknown column", selector={"constraints": constraints.Forbid("aa", proxies=0.8)}),
    Case("more features than columns", selector={"n_features": 9, "n_alternatives": 0},
         first=("a", "b", "c") ),
    Case("more sets than there are", selector={"n_alternatives": 9, "tau": 1}, first=("a",)),
    Case("tau above 1", selector={"tau": 1.5}),
    Case("tau as text", selector={"tau": "half"}),
    Case("an unknown quality", selector={"quality": "gini"}),
    Case("too few scores", selector={"quality": [1.0, 2.0]}),
    Case("a score that is missing", selector={"quality": [1.0, np.nan, 2.0]}),
    Case("a quality about other features", selector={"quality": quality.Additive([1.0, 2.0])}),
    Case("a function that returns one number", selector={"quality": lambda X, y: 1.0}),
    Case("chi2 of negative numbers", selector={"quality": "chi2"}),
    Case("set 5 of 2", selector={"alternative": 5}),
    Case("fractions of features", selector={"n_features": 1.5}),
    Case("too few weights", weights=[1.0]),
    Case("negative weights", weights=-np.ones(N_ROWS)),
    Case("weights that are all 0", weights=np.zeros(N_ROWS)),
    Case("a missing weight", weights=np.where(np.arange(N_ROWS) == 5, np.nan, 1.0)),
    Case("weights that are fractions", weights=np.tile([0.5, 1.5], N_ROWS // 2), first=("a",)),
    # Models
    Case("f1 of classes as text", y=lambda: TELLING, selector=judged(scoring="f1"), first=("a",)),
    Case("precision of classes 1 and 2", y=lambda: CLASSES + 1, selector=judged(scoring="precision"),
         first=("a",)),
    Case("f1 of three classes", y=lambda: TOWNS, selector=judged(scoring="f1")),
    Case("a positive class that does not exist", selector=judged(scoring="f1", pos_label="ill")),
    Case("a positive class of a numeric target", y=lambda: AMOUNTS, selector=judged(pos_label=1)),
    Case("a model that chooses and has no coefficients", selector=chosen_by("neighbors")),
    Case("a model that uses no feature", y=lambda: AMOUNTS, selector=chosen_by(Lasso(1e9))),
    Case("a model that uses every feature", y=lambda: AMOUNTS, selector=chosen_by(Ridge()), first=()),
    Case("balanced classes", selector=judged(estimator="linear", class_weight="balanced"), first=("a",)),
    Case("balanced classes, neighbors", selector=judged(estimator="neighbors", class_weight="balanced")),
    Case("balanced classes, a model of one's own",
         selector=judged(estimator=LINEAR, class_weight="balanced") ),
    Case("missing numbers, a linear model by name", holes("a", range(10)),
         selector=judged(estimator="linear"), first=()),
    Case("missing numbers, a linear model of one's own", holes("a", range(10)),
         selector=judged(estimator=LINEAR)),
    Case("text, a linear model by name", changed(d=TOWNS), selector=judged(estimator="linear"), first=("a",)),
    Case("text, a linear model of one's own", changed(d=TOWNS), selector=judged(estimator=LINEAR),
         first=("a",) ),
    Case("a model that asks for columns by name", selector=judged(estimator=BY_NAME)),
]  # fmt: skip


@cache
def outcome(case: Case) -> tuple[Any, list[str]]:
    """The fitted selector or the error, and the warnings."""
    asked = {"n_features": 1, "n_alternatives": 1, **(case.selector or {})}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found: Any = SelectAlternatives(**asked).fit(case.X(), case.y(), case.weights)
        except AltsetsError as error:
            found = error
    return found, [str(warning.message) for warning in told]


def said(case: Case) -> str:
    """What the case gets, in one line."""
    found, told = outcome(case)
    if isinstance(found, AltsetsError):
        text = f"**Refused**: {found}"
    else:
        sets = "; ".join(", ".join(map(str, each.names)) for each in found.alternatives_)
        text = f"**Answer**: {sets}"
    text = " ".join([text, *(f"**Warning**: {warning}" for warning in told)])
    return " ".join(text.split()).replace("|", "\\|")


#: The first case of each section of the page, and what the section is about.
SECTIONS = {
    "an empty frame": "The table as a whole",
    "no target": "The target",
    "a constant column": "Numbers",
    "missing numbers": "Missing values",
    "text": "Text, categories and dates",
    "a polars frame": "Frames and column names",
    "an unknown name in a constraint": "Constraints and similarities",
    "a copy of a forbidden column": "Forbidden columns and their proxies",
    "more features than columns": "Sizes, qualities and weights",
    "f1 of classes as text": "Models",
}


def page() -> str:
    """The page: what is accepted in a list, messages in a table."""
    rows: dict[str, list[tuple[str, str]]] = {}
    for case in CASES:
        if case.what in SECTIONS:
            title = SECTIONS[case.what]
        rows.setdefault(title, []).append((case.what, said(case)))
    assert list(rows) == list(SECTIONS.values())
    return "\n".join(
        [
            "# Unusual inputs",
            "",
            "Look up what altsets does with an unusual table, parameter or file. It refuses it with an error that says",
            "what to do, unless the message begins with *Warning*, *Note*, *Message* or *Answer*: then you get an",
            "answer as well. All cases are run in tests, and the messages are the real ones.",
            "",
            "The first sections are about `SelectAlternatives.fit` on a table with the columns `a`, `b` and `c`.",
            "",
            *(line for title, cases in rows.items() for line in (f"## {title}", "", *lookup.table(cases))),
            "## Survival and several targets",
            "",
            "The columns are `a`, `b` and `c`. The times are 1 to 60, and every other row has an event, unless it says",
            "otherwise.",
            "",
            *lookup.table([(case.what, odd_targets.said(case)) for case in odd_targets.CASES]),
            "## Fitted selectors",
            "",
            "The columns are `a` to `e`; the sets are `a, b` and `c, d`.",
            "",
            *lookup.table([(use.what, odd_selectors.said(use)) for use in odd_selectors.USES]),
            "## Evaluation",
            "",
            "`evaluate` on a table with two classes: `a` and `b` tell them apart, `c` and `d` are noise.",
            "",
            *lookup.table(
                [
                    (case.what, lookup.sentence_with(case.words, odd_evaluations.said(case)))
                    for case in odd_evaluations.CASES
                ]
            ),
            "## Frontiers",
            "",
            "`altsets frontier` on a table with the features `a` and `b`.",
            "",
            *lookup.table(
                [
                    (case.what, lookup.sentence_with(case.words, odd_frontiers.said(case)))
                    for case in odd_frontiers.CASES
                ]
            ),
            "## Plots",
            "",
            *lookup.table([(case.what, odd_plots.said(case)) for case in odd_plots.CASES]),
            "## Files and options",
            "",
            "`altsets find` on a file with the columns `a`, `b`, `patient` (which is dropped) and `y`, the target.",
            "",
            *lookup.table([(case.what, odd_files.said(case)) for case in odd_files.FILES]),
        ]
    )


if __name__ == "__main__":
    print(page(), end="")
