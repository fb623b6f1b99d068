"""The target of a table (classes as codes, or numbers) and the weights of its rows, checked."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, reason_of, warn_user
from altsets.features import one_of
from altsets.tables.feature_matrix import Features
from altsets.tables.forms import has_several, in_one_form, is_survival, no_survival
from altsets.tables.values import as_numbers, column_values
from altsets.wording import parameter, shorten

TASKS = ("auto", "classification", "regression", "survival")

#: Whole numbers are numeric, not classes, if there are more than this many different ones ...
MOST_CLASSES = 20
#: ... with fewer than this many rows each, on average.
ROWS_PER_CLASS = 10
#: The most rows that repeating may make.
MOST_REPEATED_ROWS = 50_000_000
#: Scorers multiply four sums of weights, which must stay within the range of floats.
LARGEST_WEIGHT = 1e50


@dataclass(frozen=True)
class Target:
    """A checked target.

    ``task`` is "classification" or "regression", ``values`` are class codes 0, 1, ... or numbers, ``numeric`` is the
    target as it came if it came as numbers, ``n_distinct`` the number of distinct values.
    """

    task: str
    values: npt.NDArray[Any]
    numeric: Floats | None
    n_distinct: int

    @property
    def is_classes(self) -> bool:
        """Whether the target is a class."""
        return self.task == "classification"


def target_of(y: Any, n_rows: int, task: str = "auto") -> Target:
    """Check a target and decide whether it is a class or a number.

    Text, booleans and categories (also of numbers) are classes. Numbers are what
    :func:`sklearn.utils.multiclass.type_of_target` says, with one exception: it calls every column of whole numbers
    classes, so that a blood pressure in mmHg would become a hundred classes. Whole numbers are therefore numeric if
    there are more than 20 different ones with fewer than 10 rows each on average, or if no two rows agree. ``task``
    overrules.
    """
    check_task(task)
    labels = vector_of(y, n_rows)
    _refuse_forms(labels, task)
    if n_rows == 1:
        raise InputError("the table has only one row (n_samples = 1); there is nothing to compare.")
    numeric = as_numbers(labels)
    distinct, codes = np.unique(labels if numeric is None else numeric, return_inverse=True)
    task = task_of(distinct, n_rows, numeric is None, task)
    values = codes if task == "classification" or numeric is None else numeric
    return Target(task, values, numeric, len(distinct))


def _refuse_forms(labels: npt.NDArray[Any], task: str) -> None:
    """Refuse survival and several columns, where one class or number per row is needed."""
    if is_survival(labels):
        raise InputError(
            "the target has an event and a time for each row (survival), but this takes classes or numbers; measures "
            "for survival are concordance, cox and logrank."
        )
    if has_several(labels):
        n_columns = len(labels.dtype.names or ())
        raise InputError(
            f"the target must be one column; got {n_columns} columns, and this takes one target at a "
            "time; altsets.measures.score combines several."
        )
    if task == "survival":
        raise no_survival(task)


def check_task(task: str) -> None:
    """Refuse a task that there is not."""
    one_of("task", task, TASKS)


def task_of(distinct: npt.NDArray[Any], n_rows: int, is_text: bool, task: str) -> str:
    """Whether a target with these different values is a class or a number; see :func:`target_of`."""
    if is_text and task == "regression":
        raise InputError(
            f"{parameter('task', task)} needs a target of numbers, but the target is text; use classification."
        )
    if len(distinct) < 2:
        classes = task != "regression" and (is_text or float(distinct[0]).is_integer())
        raise InputError(
            f"the target has only one value ({distinct[0]}){', one class' if classes else ''}; there is nothing to "
            "predict."
        )
    if task == "auto":
        task = "classification" if is_text else _guess(distinct, n_rows)
    if task == "classification" and len(distinct) == n_rows:
        raise InputError(
            f"each of the {n_rows} rows has a class of its own, so no feature can tell classes apart; "
            f"check the target, or say that it is numeric ({parameter('task', 'regression')})."
        )
    return task


def refuse_other_rows(features: Features, **beside: Any) -> None:
    """Refuse a pandas object beside the table, such as ``y=y``, whose index names other rows or another order.

    Labels that just count from 0 were made by the frame and name nothing, unless both sides have the same ones in
    another order. Arrays, lists and polars have no labels: their rows are matched by position.
    """
    labels = _labels_of_rows(features)
    for what, values in beside.items():
        others = row_labels(values)
        if labels is None or others is None or len(labels) != len(others) or labels.equals(others):
            continue
        ours, theirs = Counter(labels.tolist()), Counter(others.tolist())
        if ours == theirs:
            bring = (
                f"{what} = {what}.loc[X.index]" if len(ours) == len(labels) else "the same sorting of both"
            )
            said = (
                f"X and {what} have the same row labels in another order; bring them into the same order with {bring}, "
                f"or pass {what}.to_numpy() if the rows are in the same order already."
            )
            if what != "y":
                raise InputError(said)
            # A permutation test shuffles the target with its labels, on purpose.
            warn_user(said)
            continue
        if Counter(range(len(labels))) in (ours, theirs):
            continue
        if what == "y" and _are_shuffled(labels, others):
            warn_user(
                "X and y share row labels in another order, as parts of a permutation test do; if y was not shuffled "
                "on purpose, bring both into the same order."
            )
        else:
            raise InputError(
                f"X and {what} have different row labels ({(theirs - ours).total():,} of {len(others):,} in {what} are "
                f"not in X, such as {shorten(next(iter(theirs - ours)))}); take both from the same rows, or pass "
                f"{what}.to_numpy() if they are the same rows in the same order."
            )


def relabelled(features: Features, y: Any) -> Any:
    """The target with the row labels of the table, so that other ones are refused or warned of here, and only here."""
    refuse_other_rows(features, y=y)
    labels, others = _labels_of_rows(features), row_labels(y)
    if labels is None or others is None or len(labels) != len(others) or labels.equals(others):
        return y
    return y.set_axis(labels)


def _labels_of_rows(features: Features) -> Any:
    """The index of the frame that a table was made from, if it has all of its rows; None if there is none."""
    table = features.original
    return None if table is None or table.chosen_rows is not None else row_labels(table.table)


def _are_shuffled(labels: Any, others: Any) -> bool:
    """Whether the row labels that two pandas objects share come in another order."""
    if not (labels.is_unique and others.is_unique):
        return False
    places = labels.get_indexer(others)
    return bool((np.diff(places[places >= 0]) < 0).any())


def row_labels(table: Any) -> Any:
    """The index of a pandas object; None if there is none."""
    index = getattr(table, "index", None)
    return index if hasattr(index, "equals") else None


def labels_of(y: Any, target: Target) -> npt.NDArray[Any]:
    """The target for models and scorers: classes by their names, or numbers."""
    if not target.is_classes:
        return target.values
    labels = vector_of(y, len(target.values), as_text=False)
    # scikit-learn does not recognize numbers in an array of objects.
    return labels if labels.dtype != object or target.numeric is None else target.numeric


def vector_of(y: Any, n_rows: int, *, as_text: bool = True) -> npt.NDArray[Any]:
    """The values of a target as one array of numbers, booleans or objects; categories become text, if ``as_text``."""
    if y is None:
        raise InputError("this requires y to be passed, but the target y is None.")
    if isinstance(y, str):
        raise InputError(f"the target is the text {shorten(y)}, not a column; pass the column itself.")
    y = in_one_form(y)
    is_form = is_survival(y) or has_several(y)
    values = y if is_form else column_values(_one_column(y), as_text)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"the target must be one column; got shape {values.shape}.")
    if len(values) != n_rows:
        raise InputError(f"the table has {n_rows} rows, but the target has {len(values)} values.")
    return values


def _one_column(y: Any) -> Any:
    """The only column of a frame; anything else as it is."""
    columns = getattr(y, "columns", None)
    if columns is None or callable(columns):
        return y
    if len(columns) != 1:
        raise InputError(f"the target must be one column; got {len(columns)} columns.")
    if hasattr(y, "iloc"):
        return y.iloc[:, 0]
    return y.column(0) if hasattr(y, "column_names") else y.get_columns()[0]


def _guess(distinct: npt.NDArray[Any], n_rows: int) -> str:
    from sklearn.utils.multiclass import type_of_target

    with warnings.catch_warnings():
        # "More than half of the values are unique" is one of the cases that the rule below decides.
        warnings.simplefilter("ignore")
        kind = type_of_target(distinct)
    many = len(distinct) > MOST_CLASSES and n_rows < ROWS_PER_CLASS * len(distinct)
    many = many or len(distinct) == n_rows
    return "classification" if kind in ("binary", "multiclass") and not many else "regression"


# --- Weights ------------------------------------------------------------------------------------------


def weights_of(sample_weight: Any, n_rows: int) -> Floats | None:
    """One weight per row, checked; None if there are none."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold one number for each row: {reason_of(error)}.") from error
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight must hold one number for each of the {n_rows} rows; got shape {weights.shape}."
        )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(
            f"sample_weight holds {wrong.sum()} value(s) that are not finite numbers from 0 up, such as "
            f"{weights[wrong][0]}; put in 0 for rows that do not count."
        )
    if not weights.any():
        raise InputError("sample_weight is zero for all rows; give some row a weight above zero.")
    extreme = (weights > LARGEST_WEIGHT) | ((weights > 0) & (weights < 1 / LARGEST_WEIGHT))
    if extreme.any():
        raise InputError(
            f"sample_weight holds {weights[extreme][0]}; weights other than 0 must lie between "
            f"{1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, so that their sums and squares can be computed, so divide "
            "all of them by one number."
        )
    return weights


def whole(weights: Floats) -> bool:
    """Whether all weights are whole numbers, which repeat rows."""
    return bool((weights == np.floor(weights)).all())


def repeated(features: Features, y: Any, weights: Floats) -> tuple[Features, npt.NDArray[Any]]:
    """Table and target with each row repeated by its whole weight."""
    total = weights.sum()
    if total > MOST_REPEATED_ROWS:
        raise InputError(
            f"sample_weight adds up to {total:.6g}, which is too many repeated rows; use smaller weights."
        )
    rows = np.repeat(np.arange(features.n_rows), weights.astype(np.intp))
    return _some_rows(features, rows), vector_of(y, features.n_rows)[rows]


def counted(
    features: Features, y: Any, sample_weight: Any, task: str = "auto"
) -> tuple[Features, Any, Floats | None]:
    """Table, target in one form and weights, without the rows of weight 0; no weights if all are 1.

    The target is to come as the user gave it: in one form, it has no row labels to compare with those of the table.
    """
    refuse_other_rows(features, y=y, sample_weight=sample_weight)
    weights, y = weights_of(sample_weight, features.n_rows), in_one_form(y, task)
    if weights is None:
        return features, y, None
    rows = np.flatnonzero(weights)
    if len(rows) < len(weights):
        if y is not None:
            y = vector_of(y, features.n_rows)[rows]
        features, weights = _some_rows(features, rows), weights[rows]
    return features, y, None if (weights == 1).all() else weights


def counted_rows(sample_weight: Any, n_rows: int) -> Bools | None:
    """Which rows have a weight above 0; None if all have."""
    weights = weights_of(sample_weight, n_rows)
    return None if weights is None or weights.all() else weights > 0


def counted_as_repeats(features: Features, y: Any, sample_weight: Any, who: str) -> tuple[Features, Any]:
    """Table and target for a measure without weights: whole ones repeat rows, others are refused."""
    features, y, weights = counted(features, y, sample_weight)
    if weights is None:
        return features, y
    if not whole(weights):
        broken = weights[weights != np.floor(weights)][0]
        raise InputError(
            f"{who} takes whole numbers as weights (rows that occur several times), but sample_weight holds {broken}; "
            "f, pearson, chi2, symmetrical_uncertainty, importance, permutation, shap, wrapper and mutual_info "
            "(method='bins') take any weights."
        )
    return repeated(features, y, weights)


def _some_rows(features: Features, rows: Indices) -> Features:
    """The features of some rows; labels that no longer occur are dropped."""
    some = features.rows(rows)
    categories = dict(some.categories)
    for index, labels in some.categories.items():
        seen, codes = np.unique(some.column(index), return_inverse=True)
        if len(seen) < len(labels):
            some.values[:, index] = codes
            categories[index] = tuple(labels[int(code)] for code in seen)
    return Features(some.cells, some.names, categories, some.original)
