"""Targets with more than one value per row, in one form: times with events (survival), labels, several columns.

:func:`in_one_form` brings what users have into a structured array with one entry per row, of which rows are taken as
from any vector, and in which names travel with the values. Survival is ``(event: bool, time: float)``, as
scikit-survival has it; several columns are one field each, numbers or text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.tables.conversion import is_missing, refuse_lazy
from altsets.tables.values import as_numbers, column_values
from altsets.wording import by_interface, list_some, parameter
from altsets.wording import counted as count_of

#: Words that stand for an event, for advice.
HAPPENED = (
    "1",
    "true",
    "yes",
    "y",
    "dead",
    "died",
    "deceased",
    "death",
    "event",
    "relapse",
    "failure",
    "churned",
)
#: How to have scikit-survival's form, wherever survival is meant but not recognised.
SURVIVAL_FORM = "altsets.io.survival_target(time=..., event=...)"


def as_survival(
    event: Any, time: Any, event_name: str = "event", time_name: str = "time", event_value: Any = None
) -> npt.NDArray[Any]:
    """Events and times in the form of scikit-survival; what they are is checked, not yet whether they will do."""
    _refuse_swapped(event, time, event_name, time_name)
    times, happened = _times(time, time_name), _events(event, event_name, event_value)
    if len(times) != len(happened):
        raise InputError(
            f"the target has {len(times)} times and {len(happened)} events; give one of each for every row."
        )
    made = np.empty(len(times), dtype=[(event_name, np.bool_), (time_name, np.float64)])
    made[event_name], made[time_name] = happened, times
    return made


def _refuse_swapped(event: Any, time: Any, event_name: str, time_name: str) -> None:
    """Refuse 0 and 1 as times beside events that are numbers of many kinds."""
    times, events = column_values(time), column_values(event)
    if times.ndim != 1 or events.ndim != 1 or not len(times) or not _are_flags(times.tolist()):
        return
    different = {one for one in events.tolist() if isinstance(one, int | float) and not is_missing(one)}
    if len(different) > 2:
        raise InputError(
            f"the time {time_name!r} holds 0 and 1 only, and the event {event_name!r} {len(different)} numbers: they "
            "look swapped; exchange them."
        )


def _times(time: Any, name: str) -> Floats:
    values = column_values(time)
    if values.dtype == np.bool_:
        raise InputError(
            f"the time {name!r} holds True and False, not numbers; give the time until the event, or until a row was "
            "last seen."
        )
    numbers = as_numbers(values, f"the time {name!r}") if values.ndim == 1 else None
    if numbers is None:
        holds = "text" if values.ndim == 1 else "several columns" if values.ndim else "one value for all rows"
        raise InputError(f"the time {name!r} must hold one number for each row; it holds {holds}.")
    if (numbers < 0).any():
        raise InputError(
            f"the time {name!r} has {count_of(int((numbers < 0).sum()), 'negative value')}, such as "
            f"{numbers[numbers < 0][0]:g}; times are counted from 0 up, so correct these rows or drop them."
        )
    return numbers


def _events(event: Any, name: str, event_value: Any) -> Bools:
    """Whether the event happened, from booleans, 0 and 1, or a value that means it."""
    values = column_values(event)
    if values.ndim != 1:
        holds = "several columns" if values.ndim else "one value for all rows"
        raise InputError(f"the event {name!r} must hold one value for each row; it holds {holds}.")
    plain = values.tolist()
    n_missing = sum(map(is_missing, plain))
    if n_missing:
        raise InputError(f"the event {name!r} has {count_of(n_missing, 'missing value')}; drop these rows.")
    try:
        known = list(dict.fromkeys(plain))
    except TypeError as error:
        raise InputError(
            "the event must hold one value for each row, such as 0 or 1; it holds lists."
        ) from error
    # A file gives floats; its cells have whole numbers.
    known = [int(one) if isinstance(one, float) and one.is_integer() else one for one in known]
    if isinstance(event_value, str) and event_value.lower() in ("true", "false") and _are_flags(known):
        # Files that say so give 1 and 0.
        event_value = event_value.lower() == "true"
    if event_value is not None:
        if not any(_is_value(one, event_value) for one in known):
            raise InputError(
                f"the event {name!r} never is {event_value!r}; it holds {list_some([str(one) for one in known])}."
            )
        return np.array([_is_value(one, event_value) for one in plain], dtype=np.bool_)
    if _are_flags(known):
        return np.array([one == 1 for one in plain], dtype=np.bool_)
    said = list_some([repr(one) for one in known], 4)
    in_habit_of_r = {1, 2}.issuperset(known)
    value = 2 if in_habit_of_r else next((one for one in known if str(one).lower() in HAPPENED), None)
    remedy = by_interface(
        f"event_value={'...' if value is None else repr(value)}",
        f"--event {name}={'VALUE' if value is None else value}",
    )
    habit = " (in R's habit, 1 is censored and 2 the event)" if in_habit_of_r else ""
    raise InputError(
        f"the event {name!r} holds {said}{habit}; say which value means that it happened ({remedy}), or make it 0 and "
        "1."
    )


def _is_value(one: Any, wanted: Any) -> bool:
    """Whether a cell is the value that means the event, which may be text as on the command line."""
    if one == wanted or str(one) == str(wanted):
        return True
    try:
        return not isinstance(one, str) and float(one) == float(wanted)
    except (TypeError, ValueError):
        return False


# --- One form for all -------------------------------------------------------------------------------------


def in_one_form(y: Any, task: str = "auto") -> Any:
    """Survival and several columns as a structured array; a target of one column as it is.

    With ``task="survival"``, two columns are an event (0 and 1) and a time, in any order.
    """
    if y is None or isinstance(y, str):
        return y
    refuse_lazy("the target", y)
    if hasattr(y, "toarray"):
        y = y.toarray()
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names:
        made = _of_fields(np.asarray(y), names)
        wanted = task == "survival" and not is_survival(made)
        return _of_two_columns({name: made[name] for name in names}) if wanted else made
    if _holds_label_sets(y):
        return _of_label_sets(y)
    several = has_several(y)
    if task == "survival":
        if several:
            return _of_two_columns(_columns(y))
        raise no_survival(task)
    return as_columns(_columns(y)) if several else y


def no_survival(task: str) -> InputError:
    """What to say where survival is asked for and the target is one column."""
    return InputError(
        f"{parameter('task', task)} needs an event and a time for each row, but the target is one column; "
        f"{by_interface(f'make it with {SURVIVAL_FORM}', 'name both with --time and --event')}."
    )


def is_survival(y: Any) -> bool:
    """Whether a target in one form is times with events."""
    names: tuple[str, ...] = getattr(getattr(y, "dtype", None), "names", None) or ()
    return len(names) == 2 and y.dtype[0].kind == "b"


def has_several(y: Any) -> bool:
    """Whether there are several targets, in columns; of survival there is one."""
    names = getattr(getattr(y, "dtype", None), "names", None)
    if names:
        return not is_survival(y)
    if isinstance(y, list | tuple):
        return len(y) > 0 and isinstance(y[0], list | tuple) and len(y[0]) > 1
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[-1] > 1


def _of_fields(y: npt.NDArray[Any], names: Sequence[str]) -> npt.NDArray[Any]:
    """A structured array: event and time if one field is boolean and the other a number, else several columns."""
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
    if set(kinds) <= {"f", "O"} and all(y.dtype[name] in (np.float64, np.object_) for name in names):
        return y
    return as_columns({name: y[name] for name in names})


def _of_two_columns(columns: dict[str, Any]) -> npt.NDArray[Any]:
    """An event and a time, whichever comes first."""
    if len(columns) != 2:
        raise InputError(
            f"{parameter('task', 'survival')} needs two columns, an event (0 and 1) and a time; the target has "
            f"{len(columns)}."
        )
    flags = [name for name, values in columns.items() if _are_flags(values.tolist())]
    if len(flags) != 1:
        which = "both columns hold" if flags else "no column holds"
        raise InputError(
            f"{parameter('task', 'survival')} needs an event (0 and 1) and a time, but {which} 0 and 1 only; say which "
            f"is which with {SURVIVAL_FORM}."
        )
    (time,) = (name for name in columns if name != flags[0])
    return as_survival(columns[flags[0]], columns[time], flags[0], time)


def _are_flags(values: Sequence[Any]) -> bool:
    return all(isinstance(one, bool | int | float) and one in (0, 1) for one in values)


def as_columns(columns: dict[str, Any]) -> npt.NDArray[Any]:
    """Several targets by name, as one structured array."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, values in columns.items():
        numbers = as_numbers(values, f"target {name!r}")
        found[name] = values.astype(object) if numbers is None else numbers
    lengths = {len(values) for values in found.values()}
    made = np.empty(lengths.pop(), dtype=[(name, values.dtype) for name, values in found.items()])
    for name, values in found.items():
        made[name] = values
    return made


def _columns(y: Any) -> dict[str, npt.NDArray[Any]]:
    """The columns of several targets by name; those of arrays are counted."""
    names = getattr(y, "columns", None)
    if names is not None and not callable(names):
        import narwhals as nw

        twice = [
            name for name, count in Counter(map(str, getattr(y, "column_names", names))).items() if count > 1
        ]
        if twice:
            raise InputError(f"the target has {min(twice)!r} more than once; name each column once.")
        frame = nw.from_native(y, eager_only=True)
        named = [str(name) for name in frame.columns]
        # By place: names may be numbers, which would choose rows.
        columns = [column_values(column.to_native()) for column in frame.iter_columns()]
    else:
        values = column_values(y)
        if values.ndim != 2:
            raise InputError(f"the target must have one or several columns; got shape {values.shape}.")
        columns = [values[:, place] for place in range(values.shape[1])]
        named = [f"y{place}" for place in range(len(columns))]
    return dict(zip(named, columns, strict=True))


# --- Sets of labels ---------------------------------------------------------------------------------------


def _holds_label_sets(y: Any) -> bool:
    """Whether each row has a set of labels: sets, or lists of different lengths."""
    kind = str(getattr(y, "dtype", "object"))
    if kind.lower() != "object" and not kind.startswith("List"):
        return False
    is_column = isinstance(y, list | tuple | np.ndarray) or hasattr(y, "to_list")
    if not is_column or getattr(y, "ndim", 1) != 1:
        return False
    rows = _entries(y)
    if not rows or not all(isinstance(row, set | frozenset | list | tuple) for row in rows):
        return False
    if any(isinstance(row, set | frozenset) for row in rows):
        return True
    return len({len(row) for row in rows}) > 1


def _entries(y: Any) -> list[Any]:
    return list(y.to_list() if hasattr(y, "to_list") else y)


def _of_label_sets(y: Any) -> npt.NDArray[Any]:
    """One column of 0 and 1 for each label, in the order of labels."""
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
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        raise InputError(
            "some labels differ as values but read the same, such as 1 and '1'; write them as text."
        )
    made = np.zeros(len(rows), dtype=[(name, np.float64) for name in names])
    for name, label in zip(names, labels, strict=True):
        made[name] = [float(label in row) for row in rows]
    return made
