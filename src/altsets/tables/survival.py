"""Survival targets: for each row the time until an event, or until it was last seen without one.

Their form is that of scikit-survival: a structured array ``(event: bool, time: float)`` with the names of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.tables.conversion import as_numbers, column_values, is_missing, row_labels
from altsets.wording import by_interface, counted, list_some, parameter, plural

#: Words that stand for an event, for advice.
HAPPENED = re.compile("1|true|yes|y|dead|died|deceased|death|event|relapse|failure|churned", re.IGNORECASE)
#: How to make this form, wherever survival is meant but not recognised.
SURVIVAL_FORM = "altsets.io.survival_target(time=..., event=...)"
#: Units of time by words in the name of a column.
UNITS = re.compile(r"(?:^|[^a-z])(second|minute|hour|day|week|month|year)s?(?:$|[^a-z])")


def as_survival(
    event: Any, time: Any, event_name: str = "event", time_name: str = "time", event_value: Any = None
) -> npt.NDArray[Any]:
    """Return events and times in the form of scikit-survival; values are checked, but not whether they suffice."""
    times, events = column_values(time), column_values(event)
    for role, name, values, needed in (
        ("time", time_name, times, "number"),
        ("event", event_name, events, "value"),
    ):
        if values.ndim != 1:
            holds = "several columns" if values.ndim else "one value for all rows"
            raise InputError(f"the {role} {name!r} must hold one {needed} for each row; it holds {holds}.")
    _refuse_swapped(times, events, time_name, event_name)
    times, happened = _checked_times(times, time_name), _happened(events, event_name, event_value)
    if len(times) != len(happened):
        raise InputError(
            f"the target has {len(times)} times and {len(happened)} events; give one of each for every row."
        )
    return _in_form(happened, times, event_name, time_name)


def _in_form(event: Bools, time: Floats, event_name: str, time_name: str) -> npt.NDArray[Any]:
    made = np.empty(len(time), dtype=[(event_name, np.bool_), (time_name, np.float64)])
    made[event_name], made[time_name] = event, time
    return made


def _refuse_swapped(
    times: npt.NDArray[Any], events: npt.NDArray[Any], time_name: str, event_name: str
) -> None:
    if not len(times) or not are_flags(times.tolist()):
        return
    different = {one for one in events.tolist() if isinstance(one, int | float) and not is_missing(one)}
    if len(different) > 2:
        raise InputError(
            f"the time {time_name!r} holds 0 and 1 only, and the event {event_name!r} {len(different)} numbers: they "
            "look swapped; exchange them."
        )


def _checked_times(values: npt.NDArray[Any], name: str) -> Floats:
    if values.dtype == np.bool_:
        raise InputError(
            f"the time {name!r} holds True and False, not numbers; give the time until the event, or until a row was "
            "last seen."
        )
    numbers = as_numbers(values, f"the time {name!r}")
    if numbers is None:
        raise InputError(f"the time {name!r} must hold one number for each row; it holds text.")
    if len(negative := numbers[numbers < 0]):
        raise InputError(
            f"the time {name!r} has {counted(len(negative), 'negative value')}, such as {negative[0]:g}; times are "
            "counted from 0 up, so correct these rows or drop them."
        )
    return numbers


def _happened(values: npt.NDArray[Any], name: str, event_value: Any) -> Bools:
    """Return whether the event happened, from booleans, 0 and 1, or the value that means it."""
    plain = values.tolist()
    if n_missing := sum(map(is_missing, plain)):
        raise InputError(f"the event {name!r} has {counted(n_missing, 'missing value')}; drop these rows.")
    try:
        known = list(dict.fromkeys(plain))
    except TypeError as error:
        raise InputError(
            "the event must hold one value for each row, such as 0 or 1; it holds lists."
        ) from error
    # A file gives floats; its cells have whole numbers.
    known = [int(one) if isinstance(one, float) and one.is_integer() else one for one in known]
    if isinstance(event_value, str) and event_value.lower() in ("true", "false") and are_flags(known):
        # Files with these words give 1 and 0.
        event_value = event_value.lower() == "true"
    if event_value is None and are_flags(known):
        event_value = 1
    elif event_value is None:
        raise _unclear(name, known)
    elif not any(_is_value(one, event_value) for one in known):
        raise InputError(
            f"the event {name!r} never is {event_value!r}; it holds {list_some([str(one) for one in known])}."
        )
    return np.array([_is_value(one, event_value) for one in plain], dtype=np.bool_)


def _unclear(name: str, known: list[Any]) -> InputError:
    """Return the error about events that do not tell which value means that it happened."""
    in_habit_of_r = {1, 2}.issuperset(known)
    value = 2 if in_habit_of_r else next((one for one in known if HAPPENED.fullmatch(str(one))), None)
    remedy = by_interface(
        f"event_value={'...' if value is None else repr(value)}",
        f"--event {name}={'VALUE' if value is None else value}",
    )
    habit = " (in R's habit, 1 is censored and 2 the event)" if in_habit_of_r else ""
    return InputError(
        f"the event {name!r} holds {list_some([repr(one) for one in known], 4)}{habit}; say which value means that it "
        f"happened ({remedy}), or make it 0 and 1."
    )


def _is_value(one: Any, wanted: Any) -> bool:
    """Return whether a cell is the value that means the event, which may be text as on the command line."""
    if one == wanted or str(one) == str(wanted):
        return True
    try:
        return not isinstance(one, str) and float(one) == float(wanted)
    except (TypeError, ValueError):
        return False


def are_flags(values: Sequence[Any]) -> bool:
    """Return whether these are nothing but 0 and 1, False and True."""
    return all(isinstance(one, bool | int | float) and one in (0, 1) for one in values)


def of_two_columns(columns: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the survival target in two columns, an event and a time, whichever comes first."""
    flags = [name for name, values in columns.items() if are_flags(values.tolist())]
    task = parameter("task", "survival")
    if len(columns) != 2:
        raise InputError(
            f"{task} needs two columns, an event (0 and 1) and a time; the target has {len(columns)}."
        )
    if len(flags) != 1:
        which = "both columns hold" if flags else "no column holds"
        raise InputError(
            f"{task} needs an event (0 and 1) and a time, but {which} 0 and 1 only; say which is which with "
            f"{SURVIVAL_FORM}."
        )
    (time,) = columns.keys() - {*flags}
    return as_survival(columns[flags[0]], columns[time], flags[0], time)


def no_survival(task: str) -> InputError:
    """Return the error about a target of one column where survival is asked for."""
    return InputError(
        f"{parameter('task', task)} needs an event and a time for each row, but the target is one column; "
        f"{by_interface(f'make it with {SURVIVAL_FORM}', 'name both with --time and --event')}."
    )


def is_survival(y: Any) -> bool:
    """Return whether a target in one form is times with events."""
    return len(fields_of(y)) == 2 and y.dtype[0].kind == "b"


def fields_of(y: Any) -> tuple[str, ...]:
    """Return the names of the fields of a structured array; of anything else there are none."""
    return getattr(getattr(y, "dtype", None), "names", None) or ()


def survival_target(frame: Any = None, *, time: Any, event: Any, event_value: Any = None) -> npt.NDArray[Any]:
    """Make a survival target: for each row the time until an event, or until it was last seen without one.

    Parameters
    ----------
    frame : frame, default=None
        A frame (pandas, polars, Arrow) or a dictionary that has both columns.
    time : str or array-like of shape (n_samples,)
        How long each row was observed, from 0 up: a column of the frame, or the numbers.
    event : str or array-like of shape (n_samples,)
        Whether the event happened at the end of that time (else the row is censored): a column of the frame, or the
        values; booleans, or 0 and 1.
    event_value : object, default=None
        The value of ``event`` that means that it happened, such as ``"dead"``, or 2 where 1 means censored.

    Returns
    -------
    ndarray of shape (n_samples,)
        A structured array with a boolean field for the event and a float field for the time, as scikit-survival has it,
        named as the columns. All functions of altsets take it as target.

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
    if ours is not None and theirs is not None and len(ours) == len(theirs) and not ours.equals(theirs):
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
    Survival.of(made)
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
    def of(cls, y: npt.NDArray[Any]) -> Survival:
        """Check a target in one form."""
        event_name, time_name = fields_of(y)
        event, time = y[event_name], y[time_name]
        if not event.any():
            raise InputError(
                f"no row has an event: all {len(y)} are censored ({event_name!r} is 0 or False everywhere), so there "
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
        return _in_form(self.event, self.time, self.event_name, self.time_name)

    @property
    def n_distinct(self) -> int:
        return len(np.unique(self.time))

    @property
    def strata(self) -> Indices:
        """What folds have alike: events."""
        return without_singles(self.event.astype(np.intp))

    def in_words(self) -> str:
        """Such as "172 rows, 64 events, median follow-up 3.1 years"; the unit only if the name of the time has one."""
        unit = UNITS.search(self.time_name.lower())
        return (
            f"{counted(len(self.time), 'row')}, {counted(int(self.event.sum()), 'event')}, median follow-up "
            f"{float(np.median(self.time)):.3g}{'' if unit is None else f' {plural(2, unit[1])}'}"
        )


def without_singles(strata: Indices) -> Indices:
    """Let a stratum of one row, which cannot be on both sides of a split, join the largest one."""
    different, which, counts = np.unique(strata, return_inverse=True, return_counts=True)
    return np.where(counts[which] == 1, different[counts.argmax()], strata)
