"""Checked targets of any kind: classes or numbers, times with events (survival), several labels or numeric columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.tables.forms import as_survival, has_several, in_one_form, is_survival
from altsets.tables.target import Target, labels_of, row_labels, target_of
from altsets.wording import counted as count_of
from altsets.wording import join_words, list_some, parameter, percent, plural

#: Label sets of which there are more than this are no classes.
MOST_LABEL_SETS = 20
#: Units of time by words in the name of a column.
UNITS = re.compile(r"(?:^|[^a-z])(second|minute|hour|day|week|month|year)s?(?:$|[^a-z])")


def survival_target(frame: Any = None, *, time: Any, event: Any, event_value: Any = None) -> npt.NDArray[Any]:
    """Make a survival target: for each row the time until an event, or until it was last seen without one.

    Parameters
    ----------
    frame : frame, default=None
        A frame (pandas, polars, Arrow) or a dictionary that has both columns.
    time : str or array-like of shape (n_samples,)
        How long each row was observed, from 0 up: a column of the frame, or the numbers.
    event : str or array-like of shape (n_samples,)
        Whether the event happened at the end of that time; where it did not, the row is censored. A column of the
        frame, or the values: booleans, or 0 and 1.
    event_value : object, default=None
        The value of ``event`` that says that it happened, such as ``"dead"``, or 2 where 1 means censored.

    Returns
    -------
    ndarray of shape (n_samples,)
        A structured array with a boolean field for the event and a float field for the time, as scikit-survival has it.
        The fields have the names of the columns. All functions of altsets take it as target.

    Raises
    ------
    altsets.errors.InputError
        If a column is not there, a time is negative or missing, it is not clear which value is the event, or no event
        happened.

    See Also
    --------
    altsets.read_table : Reads both columns from a file.
    altsets.measures.concordance, altsets.measures.cox, altsets.measures.logrank : Measures for such targets.

    Examples
    --------
    >>> import altsets
    >>> y = altsets.io.survival_target(time=[5, 8, 3, 9], event=["dead", "alive", "dead", "alive"], event_value="dead")
    >>> y["event"].tolist(), y["time"].tolist()
    ([True, False, True, False], [5.0, 8.0, 3.0, 9.0])
    """
    ours, theirs = row_labels(time), row_labels(event)
    labelled = ours is not None and theirs is not None and len(ours) == len(theirs)
    if labelled and not ours.equals(theirs):
        raise InputError(
            "time and event have different row labels, or the same ones in another order; take both from one frame, or "
            "pass time.to_numpy() and event.to_numpy() if the rows are in the same order already."
        )
    named: dict[str, Any] = {}
    for role, given in (("event", event), ("time", time)):
        name = given if isinstance(given, str) else str(getattr(given, "name", None) or role)
        named[role if name in named else name] = _column_of(frame, given, role)
    (event_name, happened), (time_name, times) = named.items()
    made = as_survival(happened, times, event_name, time_name, event_value)
    Survival.of(made, len(made))
    return made


def _column_of(frame: Any, given: Any, role: str) -> Any:
    if not isinstance(given, str):
        return given
    if frame is None:
        raise InputError(f"{role}={given!r} names a column, but there is no frame; pass it first.")
    named = frame if isinstance(frame, Mapping) else getattr(frame, "columns", ())
    known = [str(name) for name in getattr(frame, "column_names", named)]
    if given not in known:
        raise InputError(f"the frame has no column {given!r} for {role}; it has {list_some(known)}.")
    return frame[given]


# --- What targets are -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Survival:
    """A checked survival target: when each row was last seen, and whether the event happened then."""

    time: Floats
    event: Bools
    event_name: str = "event"
    time_name: str = "time"

    task = "survival"
    is_classes = False
    numeric = None

    @classmethod
    def of(cls, y: npt.NDArray[Any], n_rows: int) -> Survival:
        """Check a target in one form."""
        event_name, time_name = y.dtype.names or ("event", "time")
        event, time = y[event_name], y[time_name]
        if len(y) != n_rows:
            raise InputError(f"the table has {n_rows} rows, but the target has {len(y)} times.")
        if n_rows < 2:
            raise InputError(
                f"the table has {count_of(n_rows, 'row')} (n_samples = {n_rows}); there is nothing to compare."
            )
        if not event.any():
            raise InputError(
                f"no row has an event: all {n_rows} are censored ({event_name!r} is 0 or False everywhere), so there "
                "is nothing to predict; check which value means an event."
            )
        if (time == time[0]).all():
            raise InputError(
                f"all rows have the same time ({time_name!r} {time[0]:g}), so no row was observed longer than another; "
                f"check the times, or take the event as a target of classes."
            )
        first = time[event].min()
        if not ((time > first) | (~event & (time == first))).any():
            raise InputError(
                f"no two rows can be compared: no row was observed longer than the first event ({time_name!r} "
                f"{first:g}); check times and events."
            )
        return cls(np.ascontiguousarray(time), np.ascontiguousarray(event), event_name, time_name)

    def of_rows(self, rows: Any) -> Survival:
        """Some of the rows, whether or not they will do alone."""
        return Survival(self.time[rows], self.event[rows], self.event_name, self.time_name)

    @property
    def values(self) -> npt.NDArray[Any]:
        """The structured array."""
        return as_survival(self.event, self.time, self.event_name, self.time_name)

    @property
    def n_distinct(self) -> int:
        """The number of different times."""
        return len(np.unique(self.time))

    @property
    def strata(self) -> Indices:
        """What folds have alike: events."""
        return _joined(self.event.astype(np.intp))

    def in_words(self) -> str:
        """Such as "172 rows, 64 events, median follow-up 3.1 years"; the unit only if the name of the time has one."""
        unit = UNITS.search(self.time_name.lower())
        middle = float(np.median(self.time))
        of_unit = "" if unit is None else f" {plural(2, unit[1])}"
        return (
            f"{count_of(len(self.time), 'row')}, {count_of(int(self.event.sum()), 'event')}, median follow-up "
            f"{middle:.3g}{of_unit}"
        )


@dataclass(frozen=True, eq=False)
class Several:
    """Several checked targets of the same rows."""

    names: tuple[str, ...]
    columns: tuple[Target, ...]
    #: The structured array.
    fields: npt.NDArray[Any]

    numeric = None

    @classmethod
    def of(cls, y: npt.NDArray[Any], n_rows: int, task: str = "auto") -> Several:
        """Check a target in one form; ``task`` holds for every column."""
        names = tuple(y.dtype.names or ())
        if len(y) != n_rows:
            raise InputError(f"the table has {n_rows} rows, but the target has {len(y)} rows.")
        columns = []
        for name in names:
            values = y[name]
            if len(values) and (values == values[0]).all():
                labels = all(
                    set(np.unique(y[one])) <= {0.0, 1.0} for one in names if y[one].dtype.kind == "f"
                )
                have = {0: "a label that no row has", 1: "a label that all rows have"} if labels else {}
                whole = have.get(values[0], "the same in all rows")
                raise InputError(f"target {name!r} is {whole}, so there is nothing to predict; leave it out.")
            try:
                columns.append(target_of(values, n_rows, task))
            except InputError as error:
                raise InputError(f"target {name!r}: {error}") from error
        return cls(names, tuple(columns), y)

    @property
    def task(self) -> str:
        """ "classification" or "regression", or "mixed" if some columns are classes and others numbers."""
        kinds = {column.task for column in self.columns}
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @property
    def is_classes(self) -> bool:
        """Whether all columns are classes."""
        return self.task == "classification"

    @property
    def are_labels(self) -> bool:
        """Whether all columns say whether a row has a label, by 0 and 1."""
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
        """The number of different rows."""
        return len(np.unique(self.label_sets))

    @property
    def label_sets(self) -> Indices:
        """A code for each combination of values."""
        codes = np.column_stack([np.unique(column.values, return_inverse=True)[1] for column in self.columns])
        return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)

    @property
    def strata(self) -> Indices | None:
        """What folds have alike: combinations of labels, the rare ones together; None of numbers."""
        if not self.is_classes:
            return None
        codes = self.label_sets
        rare = np.bincount(codes)[codes] < len(codes) / MOST_LABEL_SETS
        return _joined(np.where(rare, -1, codes))

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
        named = [
            self.fields[name].astype(np.intp) if self.are_labels else self.fields[name] for name in self.names
        ]
        return np.column_stack(named)

    def in_words(self) -> str:
        """Such as "3 labels (news 40 %, sport 21 %, art 5 % of rows), 1.2 per row"."""
        if self.are_labels:
            shares = [float(np.mean(column.values)) for column in self.columns]
            each = [f"{name} {percent(share)}" for name, share in zip(self.names, shares, strict=True)]
            return f"{count_of(len(each), 'label')} ({list_some(each, 6)} of rows), {sum(shares):.2g} per row"
        kinds = [
            f"{name} ({count_of(one.n_distinct, 'class', 'classes') if one.is_classes else 'numeric'})"
            for name, one in zip(self.names, self.columns, strict=True)
        ]
        return f"{len(kinds)} targets: {join_words(kinds) if len(kinds) < 7 else list_some(kinds, 6)}"


def _joined(strata: Indices) -> Indices:
    """Strata of which none is one row alone, which could not be on both sides of a split: it joins the largest."""
    different, which, counts = np.unique(strata, return_inverse=True, return_counts=True)
    return np.where(counts[which] == 1, different[counts.argmax()], strata)


#: A checked target of any kind.
Outcome = Target | Survival | Several


def labels_for_models(y: Any, outcome: Outcome) -> npt.NDArray[Any]:
    """The target for models and scorers: classes by their names, numbers, events with times, or several columns."""
    if isinstance(outcome, Target):
        return labels_of(y, outcome)
    return outcome.values if isinstance(outcome, Survival) else outcome.for_models


def outcome_of(y: Any, n_rows: int, task: str = "auto") -> Outcome:
    """Check a target of any kind."""
    y = in_one_form(y, task)
    if is_survival(y):
        if task not in ("auto", "survival"):
            raise InputError(
                f"{parameter('task', task)} contradicts the target, which has an event and a time for each row; leave "
                "it out."
            )
        return Survival.of(y, n_rows)
    return Several.of(y, n_rows, task) if has_several(y) else target_of(y, n_rows, task)


def single_outcome(y: Any, n_rows: int, task: str = "auto") -> Target | Survival:
    """Check a target of one column, or survival; several columns are refused."""
    outcome = outcome_of(y, n_rows, task)
    return target_of(y, n_rows, task) if isinstance(outcome, Several) else outcome
