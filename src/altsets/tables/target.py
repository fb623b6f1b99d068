"""Targets: classes as codes, numbers, survival, several columns or labels; brought into one form, then checked.

:func:`in_one_form` turns survival and several columns into a structured array with one entry per row, of which rows are
taken as from any vector, and in which names travel with the values: ``(event: bool, time: float)``, or a field for each
column. :func:`outcome_of` checks a target of any kind, :func:`target_of` one of classes or numbers.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.features import one_of
from altsets.tables.conversion import as_numbers, column_values, is_missing, refuse_lazy
from altsets.tables.survival import (
    SURVIVAL_FORM,
    Survival,
    as_survival,
    fields_of,
    is_survival,
    no_survival,
    of_two_columns,
    without_singles,
)
from altsets.wording import counted, join_words, list_some, parameter, percent, plural, shorten

TASKS = ("auto", "classification", "regression", "survival")

#: Whole numbers are numeric, not classes, if there are more than this many different ones ...
MOST_CLASSES = 20
#: ... with fewer than this many rows each, on average.
ROWS_PER_CLASS = 10
#: Label sets of which there are more than this are no classes.
MOST_LABEL_SETS = 20


# --- One form for all -------------------------------------------------------------------------------------


def in_one_form(y: Any, task: str = "auto") -> Any:
    """Return survival and several columns as a structured array; a target of one column stays as it is.

    With ``task="survival"``, two columns are an event (0 and 1) and a time, in any order.
    """
    if y is None or isinstance(y, str):
        return y
    refuse_lazy("the target", y)
    y = y.toarray() if hasattr(y, "toarray") else y
    if names := fields_of(y):
        made = _of_fields(np.asarray(y), names)
        wanted = task == "survival" and not is_survival(made)
        return of_two_columns({name: made[name] for name in names}) if wanted else made
    if _holds_label_sets(y):
        return _of_label_sets(y)
    if has_several(y):
        return of_two_columns(_columns(y)) if task == "survival" else as_columns(_columns(y))
    if task == "survival":
        raise no_survival(task)
    return y


def has_several(y: Any) -> bool:
    """Return whether there are several targets, in columns; survival is one."""
    if fields_of(y):
        return not is_survival(y)
    if isinstance(y, list | tuple):
        return len(y) > 0 and isinstance(y[0], list | tuple) and len(y[0]) > 1
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[-1] > 1


def _of_fields(y: npt.NDArray[Any], names: Sequence[str]) -> npt.NDArray[Any]:
    """Return a structured array as survival if one of two fields is boolean and the other not, else as columns."""
    if y.ndim != 1:
        raise InputError(f"the target must have one entry for each row; got shape {y.shape}.")
    kinds = "".join(y.dtype[name].kind for name in names)
    if len(names) == 2 and kinds.count("b") == 1:
        place = kinds.index("b")
        event, time = names[place], names[1 - place]
        return as_survival(y[event], y[time], event, time)
    if "b" in kinds and "f" in kinds and len(names) > 2:
        raise InputError(
            f"the target has {len(names)} fields ({list_some(names)}); survival has two, an event and a time: "
            f"use {SURVIVAL_FORM}."
        )
    if all(y.dtype[name] in (np.float64, np.object_) for name in names):
        return y
    return as_columns({name: y[name] for name in names})


def as_columns(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return several targets by name as one structured array."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, values in columns.items():
        numbers = as_numbers(values, f"target {name!r}")
        found[name] = values.astype(object) if numbers is None else numbers
    (length,) = {len(values) for values in found.values()}
    made = np.empty(length, dtype=[(name, values.dtype) for name, values in found.items()])
    for name, values in found.items():
        made[name] = values
    return made


def _columns(y: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of several targets by name; those of arrays are counted."""
    names = getattr(y, "columns", None)
    if names is None or callable(names):
        values = column_values(y)
        if values.ndim != 2:
            raise InputError(f"the target must have one or several columns; got shape {values.shape}.")
        return {f"y{place}": column for place, column in enumerate(values.T)}
    import narwhals as nw

    named = [str(name) for name in getattr(y, "column_names", names)]
    if twice := [name for name, count in Counter(named).items() if count > 1]:
        raise InputError(f"the target has {min(twice)!r} more than once; name each column once.")
    # By place: names may be numbers, which would choose rows.
    columns = nw.from_native(y, eager_only=True).iter_columns()
    return dict(zip(named, (column_values(column.to_native()) for column in columns), strict=True))


def _holds_label_sets(y: Any) -> bool:
    """Return whether each row has a set of labels: sets, or lists of different lengths."""
    kind = str(getattr(y, "dtype", "object"))
    is_column = isinstance(y, list | tuple | np.ndarray) or hasattr(y, "to_list")
    may_hold = is_column and (kind.lower() == "object" or kind.startswith("List"))
    if not may_hold or getattr(y, "ndim", 1) != 1:
        return False
    rows = _entries(y)
    if not rows or not all(isinstance(row, set | frozenset | list | tuple) for row in rows):
        return False
    return any(isinstance(row, set | frozenset) for row in rows) or len({len(row) for row in rows}) > 1


def _entries(y: Any) -> list[Any]:
    return list(y.to_list() if hasattr(y, "to_list") else y)


def _of_label_sets(y: Any) -> npt.NDArray[Any]:
    """Return one column of 0 and 1 for each label, in the order of labels."""
    rows = [set(row) for row in _entries(y)]
    labels = list(set().union(*rows))
    try:
        labels.sort()
    except TypeError:
        labels.sort(key=str)
    if not labels:
        raise InputError("no row has a label; there is nothing to predict.")
    if any(map(is_missing, labels)):
        raise InputError("some sets of labels have a missing value among them; leave it out of the sets.")
    if len({str(label) for label in labels}) < len(labels):
        raise InputError(
            "some labels differ as values but read the same, such as 1 and '1'; write them as text."
        )
    return as_columns({str(label): np.array([float(label in row) for row in rows]) for label in labels})


# --- One column: classes or numbers -----------------------------------------------------------------------


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
        return self.task == "classification"


def check_task(task: str) -> None:
    one_of("task", task, TASKS)


def _one_target(labels: npt.NDArray[Any], task: str) -> Target:
    numeric = as_numbers(labels)
    distinct, codes = np.unique(labels if numeric is None else numeric, return_inverse=True)
    task = task_of(distinct, len(labels), numeric is None, task)
    values = codes if task == "classification" or numeric is None else numeric
    return Target(task, values, numeric, len(distinct))


def task_of(distinct: npt.NDArray[Any], n_rows: int, is_text: bool, task: str) -> str:
    """Return whether a target with these different values is a class or a number.

    Text, booleans and categories (also of numbers) are classes. Numbers are what
    :func:`sklearn.utils.multiclass.type_of_target` says, with one exception: it calls every column of whole numbers
    classes, so that a blood pressure in mmHg would become a hundred classes. Whole numbers are therefore numeric if
    there are more than 20 different ones with fewer than 10 rows each on average, or if no two rows agree. ``task``
    overrules.
    """
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


def _guess(distinct: npt.NDArray[Any], n_rows: int) -> str:
    from sklearn.utils.multiclass import type_of_target

    with warnings.catch_warnings():
        # "More than half of the values are unique" is one of the cases that the rule below decides.
        warnings.simplefilter("ignore")
        kind = type_of_target(distinct)
    many = len(distinct) > MOST_CLASSES and n_rows < ROWS_PER_CLASS * len(distinct)
    many = many or len(distinct) == n_rows
    return "classification" if kind in ("binary", "multiclass") and not many else "regression"


def vector_of(y: Any, n_rows: int, *, as_text: bool = True) -> npt.NDArray[Any]:
    """Return the entries of a target in one form as an array; categories become text, if ``as_text``."""
    if y is None:
        raise InputError("this requires y to be passed, but the target y is None.")
    if isinstance(y, str):
        raise InputError(f"the target is the text {shorten(y)}, not a column; pass the column itself.")
    y = in_one_form(y)
    values = y if fields_of(y) else column_values(_one_column(y), as_text)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(f"the target must be one column; got shape {values.shape}.")
    if len(values) != n_rows:
        raise InputError(f"the table has {n_rows} rows, but the target has {len(values)} values.")
    return values


def _one_column(y: Any) -> Any:
    columns = getattr(y, "columns", None)
    if columns is None or callable(columns):
        return y
    if len(columns) != 1:
        raise InputError(f"the target must be one column; got {len(columns)} columns.")
    import narwhals as nw

    (column,) = nw.from_native(y, eager_only=True).iter_columns()
    return column.to_native()


# --- Several columns --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Several:
    """Several checked targets of the same rows; ``fields`` is the structured array."""

    names: tuple[str, ...]
    columns: tuple[Target, ...]
    fields: npt.NDArray[Any]

    numeric = None

    @classmethod
    def of(cls, y: npt.NDArray[Any], task: str = "auto") -> Several:
        """Check a target in one form; ``task`` holds for every column."""
        columns = []
        for name in fields_of(y):
            try:
                columns.append(_one_target(y[name], task))
            except InputError as error:
                raise InputError(f"target {name!r}: {error}") from error
        return cls(fields_of(y), tuple(columns), y)

    @property
    def task(self) -> str:
        """ "classification" or "regression", or "mixed" if some columns are classes and others numbers."""
        kinds = {column.task for column in self.columns}
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @property
    def is_classes(self) -> bool:
        return self.task == "classification"

    @property
    def are_labels(self) -> bool:
        """Whether all columns tell by 0 and 1 whether a row has a label."""
        return all(
            column.is_classes and column.numeric is not None and set(np.unique(column.numeric)) == {0.0, 1.0}
            for column in self.columns
        )

    @property
    def values(self) -> npt.NDArray[Any]:
        """One column for each target: codes of classes, or numbers."""
        return np.column_stack([column.values for column in self.columns])

    @property
    def n_distinct(self) -> int:
        return len(np.unique(self.label_sets))

    @property
    def label_sets(self) -> Indices:
        """A code for each combination of values."""
        codes = np.column_stack([np.unique(column.values, return_inverse=True)[1] for column in self.columns])
        return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)

    @property
    def strata(self) -> Indices | None:
        """What folds have alike: combinations of labels, the rare ones together; None for numbers."""
        if not self.is_classes:
            return None
        codes = self.label_sets
        rare = np.bincount(codes)[codes] < len(codes) / MOST_LABEL_SETS
        return without_singles(np.where(rare, -1, codes))

    @property
    def for_models(self) -> npt.NDArray[Any]:
        """One column for each target, as models and scorers take it: classes by name, or numbers."""
        if self.task == "mixed":
            classes = [name for name, one in zip(self.names, self.columns, strict=True) if one.is_classes]
            raise InputError(
                f"models predict several classes or several numbers, but {list_some(classes, 3)} of the target "
                f"{plural(len(classes), 'is', 'are')} classes and the rest are numbers; choose columns of one kind, or "
                f"say {parameter('task', 'regression')}."
            )
        labels = self.are_labels
        return np.column_stack(
            [self.fields[name].astype(np.intp) if labels else self.fields[name] for name in self.names]
        )

    def in_words(self) -> str:
        """Such as "3 labels (news 40 %, sport 21 %, art 5 % of rows), 1.2 per row"."""
        named = list(zip(self.names, self.columns, strict=True))
        if self.are_labels:
            shares = {name: float(np.mean(column.values)) for name, column in named}
            each = list_some([f"{name} {percent(share)}" for name, share in shares.items()], 6)
            return f"{counted(len(shares), 'label')} ({each} of rows), {sum(shares.values()):.2g} per row"
        kinds = [
            f"{name} ({counted(one.n_distinct, 'class', 'classes') if one.is_classes else 'numeric'})"
            for name, one in named
        ]
        return f"{len(kinds)} targets: {join_words(kinds) if len(kinds) < 7 else list_some(kinds, 6)}"


# --- Any kind ---------------------------------------------------------------------------------------------

#: A checked target of any kind.
Outcome = Target | Survival | Several


def outcome_of(y: Any, n_rows: int, task: str = "auto") -> Outcome:
    """Check a target of any kind."""
    check_task(task)
    y = in_one_form(y, task)
    if is_survival(y) and task not in ("auto", "survival"):
        raise InputError(
            f"{parameter('task', task)} contradicts the target, which has an event and a time for each row; leave it "
            "out."
        )
    labels = vector_of(y, n_rows)
    if n_rows == 1:
        raise InputError("the table has only one row (n_samples = 1); there is nothing to compare.")
    if is_survival(labels):
        return Survival.of(labels)
    return Several.of(labels, task) if fields_of(labels) else _one_target(labels, task)


def single_outcome(y: Any, n_rows: int, task: str = "auto") -> Target | Survival:
    """Check a target of one column, or survival; several columns are refused."""
    outcome = outcome_of(y, n_rows, task)
    if isinstance(outcome, Several):
        raise InputError(
            f"the target must be one column; got {len(outcome.names)} columns, and this takes one target at a time; "
            "altsets.measures.score combines several."
        )
    return outcome


def target_of(y: Any, n_rows: int, task: str = "auto") -> Target:
    """Check a target of one column, and decide whether it is a class or a number; see :func:`task_of`."""
    outcome = single_outcome(y, n_rows, task)
    if isinstance(outcome, Survival):
        raise InputError(
            "the target has an event and a time for each row (survival), but this takes classes or numbers; measures "
            "for survival are concordance, cox and logrank."
        )
    return outcome


def labels_for_models(y: Any, outcome: Outcome) -> npt.NDArray[Any]:
    """Return the target for models and scorers: classes by name, numbers, events with times, or several columns."""
    if isinstance(outcome, Several):
        return outcome.for_models
    if isinstance(outcome, Survival) or not outcome.is_classes:
        return outcome.values
    labels = vector_of(y, len(outcome.values), as_text=False)
    # scikit-learn does not recognize numbers in an array of objects.
    return labels if labels.dtype != object or outcome.numeric is None else outcome.numeric
