"""Columns that look like a mistake: copies of the target, leaks, identifiers, dates written as numbers.

None of these is refused, as each may be right. A kind of suspect is a function here, and an entry in :func:`suspects`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from altsets.arrays import Floats, Indices
from altsets.measures.models import matthews, r_squared
from altsets.measures.risk_sets import compared_pairs
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Several
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
#: Of columns of which these are said, one sentence tells all; the others have numbers of their own.
TOGETHER = {"counts": "count", "has": "have", "says": "say"}
#: A column, what is suspicious about it, and when to leave it out.
Clue = tuple[int, str, str]


class Suspect(NamedTuple):
    """Columns that look like one kind of mistake: why, as a clause about them, and when to leave them out."""

    columns: tuple[int, ...]
    why: str
    leave_out: str

    def sentence(self, features: Features) -> str:
        names = [features.feature_names[column] for column in self.columns]
        remedy = by_interface(f"X.drop(columns={names!r})", parameter("drop", names))
        them = plural(len(names), "it", "them")
        which = f"{plural(len(names), 'Column')} {list_some(names, last='and')}"
        return f"{which} {self.why}; leave {them} out {self.leave_out} ({remedy})."


class Inspected(NamedTuple):
    """A table with its target, as far as suspects are looked for in it."""

    features: Features
    target: Any
    #: The name of the target in lower case; empty if it has none.
    target_name: str
    #: Columns that are in sets.
    chosen: frozenset[int]
    #: What sentences call the target.
    called: str = "the target"

    def name(self, column: int) -> str:
        return "" if self.features.names is None else self.features.names[column].lower()

    def single_targets(self) -> list[Inspected]:
        """Return the same with each of several targets in its turn."""
        if not isinstance(self.target, Several):
            return [self]
        named = zip(self.target.names[:MOST_TARGETS], self.target.columns, strict=False)
        return [
            self._replace(target=column, target_name=name.lower(), called=f"target {name!r}")
            for name, column in named
        ]

    def some_columns(self) -> list[int]:
        """Return columns of sets and some others, evenly spread."""
        step = max(1, self.features.n_features // MOST_COLUMNS)
        return sorted({*sorted(self.chosen)[:MOST_COLUMNS], *range(0, self.features.n_features, step)})

    def columns(self) -> list[int]:
        is_large = self.features.n_features * self.features.n_rows > MOST_CELLS
        return self.some_columns() if is_large else list(range(self.features.n_features))

    def some_rows(self) -> Indices:
        return np.arange(0, self.features.n_rows, max(1, self.features.n_rows // MOST_ROWS))


def suspects(features: Features, target: Any, chosen: Sequence[int], target_name: str = "") -> list[Suspect]:
    """Return columns that look like a mistake; of a large table, those of sets (``chosen``) and some others count."""
    if features.n_rows < LEAST_ROWS:
        return []
    table = Inspected(features, target, target_name.lower(), frozenset(chosen))
    singles = [] if target is None else table.single_targets()
    looks = [(_identifiers, [table]), (_dates, [table]), (_copies, singles), (_leaks, singles)]
    if isinstance(target, Survival):
        # Times look like identifiers, too.
        looks.insert(0, looks.pop(2))
    found: dict[tuple[str, str, int | None], list[int]] = {}
    for look, tables in looks:
        for one in tables:
            known = set(chain(*found.values()))
            for column, why, leave_out in look(one):
                together = why.partition(" ")[0] in TOGETHER
                if column not in known:
                    found.setdefault((why, leave_out, None if together else column), []).append(column)
    return [
        Suspect(tuple(columns), _agreeing(why, len(columns)), leave_out)
        for (why, leave_out, _), columns in found.items()
    ]


def _agreeing(why: str, n_columns: int) -> str:
    verb, _, rest = why.partition(" ")
    return why if n_columns == 1 else f"{TOGETHER[verb]} {rest}"


# --- Identifiers and dates --------------------------------------------------------------------------------------------


def _whole_columns(table: Inspected) -> Iterator[tuple[int, Floats]]:
    """Numeric columns of whole numbers without holes."""
    for column in table.columns():
        if column in table.features.categories:
            continue
        numbers = table.features.column(column)
        # Most columns are ruled out by their first rows.
        if not (numbers[:9] % 1 != 0).any() and (numbers % 1 == 0).all():
            yield column, numbers


def _identifiers(table: Inspected) -> Iterator[Clue]:
    """Whole numbers that differ in every row, and are dense, or sorted, or called an identifier."""
    named = []
    for column, numbers in _whole_columns(table):
        n = len(numbers)
        spread = float(np.ptp(numbers))
        if spread < n - 1 or len(np.unique(numbers)) < n:
            continue
        if _is_monotone(numbers):
            yield column, "counts the rows in their order, as identifiers and times do", ONLY_NAMES
        elif spread < 2 * n or IDENTIFIER.search(table.name(column)):
            named.append(column)
    for column in named:
        yield column, "has another whole number in every row, as identifiers do", ONLY_NAMES


def _dates(table: Inspected) -> Iterator[Clue]:
    """Days written as 20240131, and seconds since 1970 in columns that are called a time."""
    for column, numbers in _whole_columns(table):
        least, most = float(numbers.min()), float(numbers.max())
        days = least >= FIRST_DAY and most <= LAST_DAY and _are_days(numbers)
        seconds = least >= FIRST_SECOND and most <= LAST_SECOND and TIME.search(table.name(column))
        if (days or seconds) and len(np.unique(numbers[:1000])) >= LEAST_ROWS // 2:
            why = f"holds dates written as numbers, such as {least:.0f}"
            yield column, why, "or turn it into what matters, such as an age"


def _are_days(numbers: Floats) -> bool:
    month, day = numbers // 100 % 100, numbers % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


# --- The target in other words ----------------------------------------------------------------------------------------


def _copies(table: Inspected) -> Iterator[Clue]:
    """Columns that are one to one with the classes of the target, or have the order of its numbers."""
    target = table.target
    if not isinstance(target, Survival):
        yield from _same_as(table, target.values, target.is_classes, table.called)
        return
    yield from _same_as(table, target.time, False, "the time of the target")
    yield from _rounded_times(table, target)
    # Any constant column is one to one with events that all rows have.
    if not target.event.all():
        yield from _same_as(table, target.event, True, "the event of the target")


def _same_as(table: Inspected, wanted: npt.NDArray[Any], is_classes: bool, called: str) -> Iterator[Clue]:
    """Columns that say the same as a target in every row."""
    codes = np.unique(wanted, return_inverse=True)[1]
    for column in table.columns():
        if _same(table.features.column(column), codes, is_classes):
            yield column, f"says the same as {called} in every row", MADE_FROM_TARGET


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


def _rounded_times(table: Inspected, target: Survival) -> Iterator[Clue]:
    """Columns that never fall, or never rise, with the time of the target: the time in months instead of days."""
    order = np.argsort(target.time, kind="stable")
    for column in table.columns():
        if table.features.nominal[column]:
            continue
        values = table.features.column(column)[order]
        # Most columns are ruled out by their first rows.
        if not (_is_monotone(values[:100]) and _is_monotone(values)):
            continue
        counts = np.unique(values, return_counts=True)[1]
        # Columns of few values, or with few that are not the same, have this order by chance.
        orders = gammaln(len(values) + 1) - gammaln(counts + 1).sum()
        if len(counts) < target.n_distinct and orders > np.log(UNLIKELY * table.features.n_features):
            yield column, "has the order of the time of the target in every row", MADE_FROM_TARGET


def _is_monotone(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _leaks(table: Inspected) -> Iterator[Clue]:
    """Columns that alone predict the target nearly perfectly, or far better than all others."""
    target, features, rows = table.target, table.features, table.some_rows()
    columns = table.some_columns()
    if isinstance(target, Survival):
        yield from _survival_leaks(table, target, rows)
        return
    some, labels = features.columns(columns).rows(rows), target.values[rows]
    if len(np.unique(labels)) < 2:
        return
    if target.is_classes:
        labels = np.unique(labels, return_inverse=True)[1]
    n_classes = int(labels.max()) + 1 if target.is_classes else 0
    scores = {
        column: _alone(some.column(place), bool(some.nominal[place]), labels, n_classes)
        for place, column in enumerate(columns)
    }
    measure = "Matthews correlation" if target.is_classes else "R²"
    # Of few rows, one or two at the border between classes may be on the wrong side.
    nearly, found = min(NEARLY_PERFECT, 1 - 4 / len(rows)), False
    for column, score in scores.items():
        named = len(table.target_name) > 2 and table.target_name in table.name(column)
        if score >= (min(NAMED, nearly) if named else nearly):
            how, found = " almost perfectly" if score >= nearly else ", which it names,", True
            why = f"alone predicts {table.called}{how} ({measure} {round_down(score)})"
            yield column, why, KNOWN_LATER
    (best, score), *others = sorted(scores.items(), key=lambda entry: -entry[1])
    next_best = others[0][1] if len(others) > 1 else 1.0
    if not found and score >= STANDS_OUT and score >= TIMES * next_best:
        how = f"with {'a' if target.is_classes else 'an'} {measure} of {round_down(score)}"
        rest = f"all others {round_down(max(next_best, 0.0))} or less"
        yield best, f"alone predicts {table.called} {how}, {rest}", KNOWN_LATER


def _survival_leaks(table: Inspected, target: Survival, rows: Indices) -> Iterator[Clue]:
    """Columns that alone tell nearly always which of two rows has the event first, as times in other words do."""
    columns = [column for column in table.some_columns() if not table.features.nominal[column]]
    if not columns:
        return
    some = table.features.columns(columns).rows(rows).dense()
    scores = np.abs(compared_pairs(some, target.of_rows(rows)).somers_d)
    for column, score in zip(columns, scores.tolist(), strict=True):
        if score >= NEARLY_PERFECT:
            index = round_down((1 + score) / 2)
            why = f"alone tells almost always which row has the event first (C index {index})"
            yield column, why, KNOWN_LATER


def _alone(values: Floats, is_category: bool, wanted: npt.NDArray[Any], n_classes: int) -> float:
    """Return how well half of the neighbours of each row predict its class (Matthews correlation) or number (R²).

    Equal values are neighbours, and so are about a hundredth of the rows, next to each other; labels are neighbours of
    equal ones only. Cuts, or a line, count if they are nearly perfect, as they are fitted to the same rows: neighbours
    err where classes meet, which are many of few rows.
    """
    order = np.argsort(values, kind="stable")
    first = np.searchsorted(values[order], values[order])
    width = 1 if is_category else min(max(len(values) // 100, 2), 50)
    hoods, half = np.unique(first // width, return_inverse=True)[1], np.arange(len(values)) % 2
    sorted_by_it, n_hoods, rule = wanted[order], int(hoods.max()) + 1, 0.0
    places, opposite = half * n_hoods + hoods, (1 - half) * n_hoods + hoods
    if n_classes:
        counts = np.bincount(wanted)
        seen = np.bincount(places * n_classes + sorted_by_it, minlength=2 * n_hoods * n_classes)
        # Where there is no neighbour, or as many of each class, the most frequent class.
        votes = seen.reshape(-1, n_classes) + counts / (2 * counts.sum())
        found = matthews(sorted_by_it, votes[opposite].argmax(axis=1), n_classes)
        rule = 0.0 if is_category else _cut(values[order], sorted_by_it, n_classes)
    else:
        count, total = (np.bincount(places, weights, 2 * n_hoods) for weights in (None, sorted_by_it))
        means = np.where(count > 0, total / np.maximum(count, 1), wanted.mean())
        found = r_squared(sorted_by_it, means[opposite])
        rule = 0.0 if is_category else _line(values, wanted)
    return max(found, rule) if rule >= NEARLY_PERFECT else found


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


def _line(values: Floats, numbers: Floats) -> float:
    """How well a line predicts; 0 if values are missing."""
    centred, wanted = values - values.mean(), numbers - numbers.mean()
    # In units of the largest one, or squares may be infinite.
    largest = float(np.abs(centred).max()), float(np.abs(wanted).max())
    if not min(largest) > 0:
        return 0.0
    centred, wanted = centred / largest[0], wanted / largest[1]
    return float(centred @ wanted) ** 2 / (float(centred @ centred) * float(wanted @ wanted))
