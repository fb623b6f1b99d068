"""Columns that look like a mistake: copies of the target, leaks, identifiers, dates written as numbers.

None of these is refused, as each may be right. A kind of suspect is a function here and one line in :func:`suspects`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from altsets.arrays import Floats, Indices
from altsets.measures.models import matthews, r_squared
from altsets.measures.risk_sets import compared_pairs
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Outcome, Several, outcome_of
from altsets.wording import by_interface, list_some, parameter, plural, round_down

#: Fewer rows than this agree with anything by chance, and are numbered by chance.
LEAST_ROWS = 20
#: Cells of a table that are looked at; of larger ones, columns of sets and some others, and every second or tenth row.
MOST_CELLS = 20_000_000
MOST_ROWS, MOST_COLUMNS = 5_000, 200
#: Of several targets, those that columns are compared with.
MOST_TARGETS = 10
#: A feature that predicts this well alone predicts nearly perfectly; with the name of the target in its own, this well.
NEARLY_PERFECT, NAMED = 0.98, 0.8
#: A feature that predicts this well, and this many times as well as any other one, stands out.
STANDS_OUT, TIMES = 0.6, 5.0
#: Columns of chance alone have the order of another column once in so many tables.
UNLIKELY = 1e6
#: Names that identifiers have, and times.
IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|ids|uid|uuid|guid|key|nr|no|num|number|phone|name|account|customer|patient|subject|index|row|code"
    r"|unnamed: \d+|level_\d+|__index_level_\d+__)($|[^a-z])"
)
TIME = re.compile(r"time|date|stamp|(^|[^a-z])(at|ts|day|epoch)($|[^a-z])")
#: Days as 20240131, and seconds since 1970 from the year 2000 on.
FIRST_DAY, LAST_DAY = 19_000_101, 21_001_231
FIRST_SECOND, LAST_SECOND = 946_684_800, 2**31
#: When columns are to be left out.
ONLY_NAMES, KNOWN_LATER = "if that only names rows", "if it is not known before the target is"
MADE_FROM_TARGET = "if that was made from the target"


class Suspect(NamedTuple):
    """Columns that look like one kind of mistake: why, as a clause about them, and when to leave them out."""

    columns: tuple[int, ...]
    why: str
    leave_out: str

    def sentence(self, features: Features) -> str:
        """What is suspicious, and what to do about it."""
        names = [features.feature_names[column] for column in self.columns]
        remedy = by_interface(f"X.drop(columns={names!r})", parameter("drop", names))
        them = plural(len(names), "it", "them")
        which = f"{plural(len(names), 'Column')} {list_some(names, last='and')}"
        return f"{which} {self.why}; leave {them} out {self.leave_out} ({remedy})."


class Inspected(NamedTuple):
    """A table with its target, as far as suspects are looked for in it."""

    features: Features
    target: Outcome | None
    #: The name of the target in lower case; empty if it has none.
    target_name: str
    #: Columns that are in sets.
    chosen: frozenset[int]
    #: What sentences call the target.
    called: str = "the target"

    def name(self, column: int) -> str:
        """The name of a column in lower case; empty if it has none."""
        return "" if self.features.names is None else self.features.names[column].lower()


def suspects(
    features: Features, y: Any, task: str, chosen: Sequence[int], target_name: str = ""
) -> list[Suspect]:
    """Columns of a table that look like a mistake; of a large one, those of sets (``chosen``) and some others."""
    if features.n_rows < LEAST_ROWS:
        return []
    target = None if y is None else outcome_of(y, features.n_rows, task)
    table = Inspected(features, target, target_name.lower(), frozenset(chosen))
    found: list[Suspect] = []
    kinds = [_identifiers, _dates, _copies, _leaks]
    if isinstance(target, Survival):
        # Times look like identifiers, too.
        kinds.insert(0, kinds.pop(2))
    for kind in kinds:
        # Each of several targets in its turn.
        for one in _single_targets(table) if kind in (_copies, _leaks) else [table]:
            known = {column for suspect in found for column in suspect.columns}
            found += [suspect for suspect in kind(one) if known.isdisjoint(suspect.columns)]
    return found


def _single_targets(table: Inspected) -> list[Inspected]:
    target = table.target
    if not isinstance(target, Several):
        return [table]
    named = list(zip(target.names, target.columns, strict=True))[:MOST_TARGETS]
    return [
        table._replace(target=column, target_name=name.lower(), called=f"target {name!r}")
        for name, column in named
    ]


def _columns(table: Inspected) -> list[int]:
    """The columns to look at: all, or those of sets and some others, evenly spread."""
    features = table.features
    if features.n_features * features.n_rows <= MOST_CELLS:
        return list(range(features.n_features))
    return _some_columns(table)


def _some_columns(table: Inspected) -> list[int]:
    step = max(1, table.features.n_features // MOST_COLUMNS)
    return sorted({*sorted(table.chosen)[:MOST_COLUMNS], *range(0, table.features.n_features, step)})


# --- Identifiers and dates --------------------------------------------------------------------------------------------


def _whole_columns(table: Inspected) -> Iterator[tuple[int, Floats]]:
    """Numeric columns of whole numbers without holes."""
    for column in _columns(table):
        if column in table.features.categories:
            continue
        numbers = table.features.column(column)
        # Most columns are ruled out by their first rows.
        if (numbers[:9] % 1 != 0).any():
            continue
        if (numbers % 1 == 0).all():
            yield column, numbers


def _identifiers(table: Inspected) -> list[Suspect]:
    """Whole numbers that differ in every row, and are dense, or sorted, or called an identifier."""
    counted, named = [], []
    for column, numbers in _whole_columns(table):
        n = len(numbers)
        spread = float(np.ptp(numbers))
        if spread < n - 1 or len(np.unique(numbers)) < n:
            continue
        steps = np.diff(numbers)
        if (steps > 0).all() or (steps < 0).all():
            counted.append(column)
        elif spread < 2 * n or IDENTIFIER.search(table.name(column)):
            named.append(column)
    found = []
    for columns, verbs, what in (
        (counted, ("counts", "count"), "the rows in their order, as identifiers and times do"),
        (named, ("has", "have"), "another whole number in every row, as identifiers do"),
    ):
        if columns:
            found.append(Suspect(tuple(columns), f"{plural(len(columns), *verbs)} {what}", ONLY_NAMES))
    return found


def _dates(table: Inspected) -> list[Suspect]:
    """Days written as 20240131, and seconds since 1970 in columns that are called a time."""
    found = []
    for column, numbers in _whole_columns(table):
        least, most = float(numbers.min()), float(numbers.max())
        days = least >= FIRST_DAY and most <= LAST_DAY and _are_days(numbers)
        seconds = least >= FIRST_SECOND and most <= LAST_SECOND and TIME.search(table.name(column))
        if (days or seconds) and len(np.unique(numbers[:1000])) >= LEAST_ROWS // 2:
            why = f"holds dates written as numbers, such as {least:.0f}"
            found.append(Suspect((column,), why, "or turn it into what matters, such as an age"))
    return found


def _are_days(numbers: Floats) -> bool:
    month, day = numbers // 100 % 100, numbers % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


# --- The target in other words ----------------------------------------------------------------------------------------


def _copies(table: Inspected) -> list[Suspect]:
    """Columns that are one to one with the classes of the target, or have the order of its numbers."""
    target = table.target
    if target is None or isinstance(target, Several):
        return []
    if not isinstance(target, Survival):
        return _same_as(table, target.values, target.is_classes, table.called)
    times = _same_as(table, target.time, False, "the time of the target") + _rounded_times(table, target)
    # Any constant column is one to one with events that all rows have.
    return (
        times
        if target.event.all()
        else times + _same_as(table, target.event, True, "the event of the target")
    )


def _same_as(table: Inspected, wanted: npt.NDArray[Any], is_classes: bool, called: str) -> list[Suspect]:
    """Columns that say the same as a target in every row."""
    codes = np.unique(wanted, return_inverse=True)[1]
    copies = [column for column in _columns(table) if _same(table.features.column(column), codes, is_classes)]
    why = f"{plural(len(copies), 'says', 'say')} the same as {called} in every row"
    return [Suspect(tuple(copies), why, MADE_FROM_TARGET)] if copies else []


def _same(values: Floats, wanted: Indices, is_classes: bool) -> bool:
    n_values = int(wanted.max()) + 1
    # Most columns are ruled out by their first rows.
    if is_classes and len(set(values[:100].tolist())) > n_values:
        return False
    if not is_classes:
        steps = np.diff(values[np.argsort(wanted[:100])])
        if (steps > 0).any() and (steps < 0).any():
            return False
    labels, codes = np.unique(values, return_inverse=True)
    if len(labels) != n_values:
        return False
    if is_classes:
        return len(np.unique(codes * n_values + wanted)) == n_values
    return bool((codes == wanted).all() or (codes == n_values - 1 - wanted).all())


def _rounded_times(table: Inspected, target: Survival) -> list[Suspect]:
    """Columns that never fall, or never rise, with the time of the target: the time in months instead of days."""
    order = np.argsort(target.time, kind="stable")
    whole = len(np.unique(target.time))
    found = []
    for column in _columns(table):
        if table.features.nominal[column]:
            continue
        values = table.features.column(column)[order]
        # Most columns are ruled out by their first rows.
        if not (_is_monotone(values[:100]) and _is_monotone(values)):
            continue
        counts = np.unique(values, return_counts=True)[1]
        # Columns of few values, or with few that are not the same, have this order by chance.
        orders = gammaln(len(values) + 1) - gammaln(counts + 1).sum()
        if len(counts) < whole and orders > np.log(UNLIKELY * table.features.n_features):
            found.append(column)
    why = f"{plural(len(found), 'has', 'have')} the order of the time of the target in every row"
    return [Suspect(tuple(found), why, MADE_FROM_TARGET)] if found else []


def _is_monotone(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _leaks(table: Inspected) -> list[Suspect]:
    """Columns that alone predict the target nearly perfectly, or far better than all others."""
    target, features = table.target, table.features
    if target is None or isinstance(target, Several):
        return []
    if isinstance(target, Survival):
        return _survival_leaks(table, target)
    columns = _some_columns(table)
    rows = np.arange(0, features.n_rows, max(1, features.n_rows // MOST_ROWS))
    some, labels = features.columns(columns).rows(rows), target.values[rows]
    if len(np.unique(labels)) < 2:
        return []
    alone: Callable[[Floats, bool], float] = (
        _classes_alone(labels) if target.is_classes else _numbers_alone(labels)
    )
    scores = {
        column: alone(some.column(place), bool(some.nominal[place])) for place, column in enumerate(columns)
    }
    article, measure = ("a", "Matthews correlation") if target.is_classes else ("an", "R²")
    # Of few rows, one or two at the border between classes may be on the wrong side.
    nearly = min(NEARLY_PERFECT, 1 - 4 / len(rows))
    found = []
    for column, score in scores.items():
        named = len(table.target_name) > 2 and table.target_name in table.name(column)
        if score >= (min(NAMED, nearly) if named else nearly):
            why = f"alone predicts {table.called}" + (
                " almost perfectly" if score >= nearly else ", which it names,"
            )
            found.append(Suspect((column,), f"{why} ({measure} {round_down(score)})", KNOWN_LATER))
    best, *others = sorted(scores.items(), key=lambda entry: -entry[1])
    next_best = others[0][1] if len(others) > 1 else 1.0
    if not found and best[1] >= STANDS_OUT and best[1] >= TIMES * next_best:
        others_reach = f"all others {round_down(max(next_best, 0.0))} or less"
        why = (
            f"alone predicts {table.called} with {article} {measure} of {round_down(best[1])}, {others_reach}"
        )
        found.append(Suspect((best[0],), why, KNOWN_LATER))
    return found


def _survival_leaks(table: Inspected, target: Survival) -> list[Suspect]:
    """Columns that alone tell nearly always which of two rows has the event first, as times in other words do."""
    columns = [column for column in _some_columns(table) if not table.features.nominal[column]]
    if not columns:
        return []
    rows = np.arange(0, table.features.n_rows, max(1, table.features.n_rows // MOST_ROWS))
    some = table.features.columns(columns).rows(rows)
    matrix = np.column_stack([some.column(place) for place in range(len(columns))])
    scores = np.abs(compared_pairs(matrix, target.of_rows(rows)).somers_d)
    found = []
    for column, score in zip(columns, scores.tolist(), strict=True):
        if score >= NEARLY_PERFECT:
            index = round_down((1 + score) / 2)
            why = f"alone tells almost always which row has the event first (C index {index})"
            found.append(Suspect((column,), why, KNOWN_LATER))
    return found


def _neighbours(values: Floats, is_category: bool) -> tuple[Indices, Indices, Indices]:
    """Rows sorted by a column, the neighbourhood of each, and which half of it each belongs to.

    Equal values are neighbours, and so are about a hundredth of the rows, next to each other; labels are neighbours
    of equal ones only.
    """
    order = np.argsort(values, kind="stable")
    first = np.searchsorted(values[order], values[order])
    width = 1 if is_category else min(max(len(values) // 100, 2), 50)
    hoods = np.unique(first // width, return_inverse=True)[1]
    return order, hoods, np.arange(len(values)) % 2


def _classes_alone(labels: Indices) -> Callable[[Floats, bool], float]:
    """How well half of the neighbours of each row predict its class, or a few cuts do, by Matthews correlation."""
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)

    def score(values: Floats, is_category: bool) -> float:
        order, hoods, half = _neighbours(values, is_category)
        n_hoods = int(hoods.max()) + 1
        places = (half * n_hoods + hoods) * len(counts) + codes[order]
        seen = np.bincount(places, minlength=2 * n_hoods * len(counts)).reshape(2, n_hoods, len(counts))
        # Where there is no neighbour, or as many of each class, the most frequent class.
        votes = seen + counts / (2 * counts.sum())
        found = matthews(codes[order], votes[1 - half, hoods].argmax(axis=1), len(counts))
        # Neighbours err where classes meet, which are many of few rows.
        return found if is_category else _better(found, _cut(values[order], codes[order], len(counts)))

    return score


def _better(by_neighbours: float, by_rule: float) -> float:
    """The better score; a rule was fitted to the same rows, so that it counts if it is nearly perfect only."""
    return max(by_neighbours, by_rule) if by_rule >= NEARLY_PERFECT else by_neighbours


def _cut(ascending: Floats, codes: Indices, n_classes: int) -> float:
    """How well the best cuts predict the classes of sorted values, with classes in the order of their mean ranks."""
    means = np.bincount(codes, np.arange(len(codes))) / np.bincount(codes)
    rank = np.argsort(np.argsort(means))[codes]
    # Missing values come last, and are equal.
    is_end = np.append((ascending[1:] != ascending[:-1]) & ~np.isnan(ascending[:-1]), False)
    ends = np.flatnonzero(is_end)
    if not len(ends):
        return 0.0
    predicted = np.zeros(len(codes), dtype=np.intp)
    for lower in range(n_classes - 1):
        above = rank > lower
        # Rows on the wrong side of a cut after each row.
        wrong = np.cumsum(above) + (~above).sum() - np.cumsum(~above)
        predicted[ends[np.argmin(wrong[ends])] + 1 :] += 1
    return matthews(rank, predicted, n_classes)


def _numbers_alone(numbers: Floats) -> Callable[[Floats, bool], float]:
    """How well the mean of half of the neighbours of each row predicts its number, or a line does, by R²."""

    def score(values: Floats, is_category: bool) -> float:
        order, hoods, half = _neighbours(values, is_category)
        n_hoods = int(hoods.max()) + 1
        places = half * n_hoods + hoods
        count, total = (np.bincount(places, weights, 2 * n_hoods) for weights in (None, numbers[order]))
        means = np.where(count > 0, total / np.maximum(count, 1), numbers.mean())
        found = r_squared(numbers[order], means[(1 - half) * n_hoods + hoods])
        return found if is_category else _better(found, _line(values, numbers))

    return score


def _line(values: Floats, numbers: Floats) -> float:
    """How well a line predicts; 0 if values are missing."""
    centred, wanted = values - values.mean(), numbers - numbers.mean()
    # In units of the largest one, or squares may be infinite.
    largest = float(np.abs(centred).max()), float(np.abs(wanted).max())
    if not min(largest) > 0:
        return 0.0
    centred, wanted = centred / largest[0], wanted / largest[1]
    return float(centred @ wanted) ** 2 / (float(centred @ centred) * float(wanted @ wanted))
