"""Scores of the columns of a large table, and of their pairs, from sums and counts that were merged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, warn_user
from altsets.measures._univariate import (
    ADVICE,
    NOT_CLASSES,
    finite_f,
    refuse_classes,
    refuse_negative,
    refuse_numbers,
    refuse_options,
    variance_ratios,
)
from altsets.measures.large.accumulators import (
    Counts,
    Cuts,
    Moments,
    Split,
    others_with_first,
    target_with_labels,
    with_classes,
    with_target,
)
from altsets.measures.large.binned import Binned, binned
from altsets.measures.large.table import LargeTable, needs_memory, part_of
from altsets.measures.workers import OnProgress
from altsets.wording import join_words, list_some

#: Measures that can be computed from parts of the rows.
MERGED = ("f", "pearson", "chi2", "mutual_info", "symmetrical_uncertainty")
MERGED_PAIRS = ("pearson", "mutual_info", "symmetrical_uncertainty")

#: Columns whose pairs are computed in one pass, if those of one are asked for.
AT_A_TIME = {"pearson": 64, "mutual_info": 8, "symmetrical_uncertainty": 8}
#: Squares of numbers that are larger cannot be added up, and those of smaller ones are lost.
LARGEST, SMALLEST = 1e150, 1e-140


def score_large(
    table: LargeTable, measure: Any, *, callback: OnProgress | None = None, **options: Any
) -> tuple[Floats, Bools]:
    """One score per column, and the constant columns, which score 0."""
    refuse_measure(measure, MERGED)
    if options.pop("sample_weight", None) is not None:
        raise needs_memory("sample_weight", table.source)
    # None of them changes a number.
    for name in ("n_jobs", "random_state"):
        options.pop(name, None)
    if measure in ("mutual_info", "symmetrical_uncertainty"):
        return binned(table, options, callback).scores(measure)
    task = options.pop("task", "auto")
    refuse_options(measure, options, but=" but task")
    compute: dict[str, Callable[..., tuple[Floats, Bools]]] = {"f": _f, "pearson": _pearson, "chi2": _chi2}
    return compute[measure](table, task, callback)


def refuse_measure(measure: Any, known: Sequence[str]) -> None:
    if not isinstance(measure, str) or measure not in known:
        raise measure_refused(measure if isinstance(measure, str) else "this measure", known)


def measure_refused(name: str, known: Sequence[str] = MERGED) -> InputError:
    """Why a table that is read in passes cannot be measured so, and what does it instead."""
    return InputError(
        f"{name} needs the table in memory, and this one is read in passes; choose {join_words(known, 'or')}, or take "
        "fewer rows."
    )


# --- Moments ------------------------------------------------------------------------------------------


def _moments(
    table: LargeTable, measure: str, split: Split, classes: Any, callback: OnProgress | None
) -> tuple[list[tuple[list[int], Moments]], Bools]:
    """Moments of all columns with the target, some columns in each pass; and which columns are constant."""
    found = []
    n_known = np.zeros(table.n_features)
    varies = np.zeros(table.n_features, dtype=bool)
    blocks = table.blocks(range(table.n_features))
    for number, block in enumerate(blocks):
        sums = table.fold(partial(Moments, split), block, classes, part_of(callback, number, len(blocks)))
        _refuse_extremes(table, block, sums)
        found.append((block, sums))
        n_known[block], varies[block] = sums.n[:, 0], sums.varies
    missing = [
        f"{table.names[index]}: {table.n_rows - n_known[index]:.0f}"
        for index in np.flatnonzero(n_known < table.n_rows)
    ]
    if missing:
        which = f"missing values ({list_some(missing)})"
        warn_user(f"{which}: {measure} leaves out these rows, feature by feature.")
    # Where some values are missing, "missing" is a second value.
    return found, ~varies & ((n_known == table.n_rows) | (n_known == 0))


def _refuse_extremes(table: LargeTable, block: Sequence[int], sums: Moments) -> None:
    """Refuse columns whose squares are too large or too small to be added up."""
    with np.errstate(invalid="ignore"):
        largest = np.where(sums.varies, np.maximum(np.abs(sums.lowest), np.abs(sums.highest)), 1.0)
    extreme = (largest > LARGEST) | (largest < SMALLEST)
    if extreme.any():
        place = int(np.flatnonzero(extreme)[0])
        raise InputError(
            f"column {table.names[block[place]]} has numbers of a size of {largest[place]:.3g}, whose squares cannot "
            "be added up; choose another unit."
        )


def _f(table: LargeTable, task: str, callback: OnProgress | None) -> tuple[Floats, Bools]:
    target = table.target(task)
    scores, perfect = np.zeros(table.n_features), np.zeros(table.n_features, dtype=bool)
    if target.is_classes:
        table.refuse_categories("f with a target of classes", advice=NOT_CLASSES)
    split = partial(with_classes, target.n_distinct) if target.is_classes else with_target
    found, constant = _moments(table, "f", split, target.classes, callback)
    for block, sums in found:
        if target.is_classes:
            ratios, complete = _variances_of_classes(sums)
        else:
            explained = sums.correlations[:, 0] ** 2
            ratios, complete = variance_ratios(explained, 1.0 - explained, 1.0, sums.n[:, 0] - 2)
        scores[block], perfect[block] = np.where(sums.varies, ratios, 0.0), complete & sums.varies
    for index, labels in table.categories.items():
        if len(labels) > 2:
            groups = table.fold(partial(Moments, partial(target_with_labels, len(labels))), [index])
            # The target is what varies, and the categories are the groups.
            scores[[index]], perfect[[index]] = _variances_of_classes(groups)
    return finite_f(scores, perfect), constant


def _variances_of_classes(sums: Moments) -> tuple[Floats, Bools]:
    """F of columns with groups of rows, and which of them the groups explain perfectly."""
    sizes = np.broadcast_to(sums.n * sums.mean_y, sums.xy.shape)
    n, seen = sizes.sum(axis=1), (sizes > 0.5).sum(axis=1)
    between = np.sum(sums.xy**2 / np.maximum(sizes, 0.5), axis=1, where=sizes > 0.5)
    # The classes know the same rows, all of those in which a column is known.
    total = np.broadcast_to(sums.xx, sums.xy.shape)[:, 0]
    return variance_ratios(between, np.maximum(total - between, 0.0), seen - 1, n - seen)


def _pearson(table: LargeTable, task: str, callback: OnProgress | None) -> tuple[Floats, Bools]:
    what = "the Pearson correlation"
    target = table.target(task)
    table.refuse_categories(what, advice=ADVICE)
    if target.is_text or task == "classification":
        refuse_classes(what, target.n_distinct)
    scores = np.zeros(table.n_features)
    classes = target.distinct if target.is_text else None
    found, constant = _moments(table, "pearson", with_target, classes, callback)
    for block, sums in found:
        scores[block] = np.where(sums.varies, sums.correlations[:, 0], 0.0)
    return scores, constant


def _chi2(table: LargeTable, task: str, callback: OnProgress | None) -> tuple[Floats, Bools]:
    target = table.target(task)
    refuse_numbers(target)
    scores = np.zeros(table.n_features)
    split = partial(with_classes, target.n_distinct)
    moments, constant = _moments(table, "chi2", split, target.classes, callback)
    for block, sums in moments:
        negative = np.zeros(table.n_features, dtype=bool)
        negative[block] = sums.lowest < 0
        refuse_negative(negative, table)
        # The sum of a column in a class, minus what the size of the class lets expect, is its product with the class.
        expected = np.broadcast_to(sums.n * sums.mean_y * sums.mean_x, sums.xy.shape)
        scores[block] = np.sum(sums.xy**2 / np.where(expected > 0, expected, 1.0), axis=1, where=expected > 0)
        scores[block] *= sums.varies
    for index, labels in table.categories.items():
        cuts = Cuts.of_codes(len(labels)), Cuts.of_codes(target.n_distinct)
        count = partial(Counts, cuts[:1], cuts[1:], with_target=True)
        found = table.fold(count, [index], target.classes).tables[0, 0]
        expected = np.outer(found.sum(axis=1), found.sum(axis=0)) / found.sum()
        there = expected > 0
        scores[index] = float(np.sum((found[there] - expected[there]) ** 2 / expected[there]))
    return scores, constant


# --- Pairs --------------------------------------------------------------------------------------------


class LargePairs:
    """Pairs of the columns of a large table: each call is a pass over it, so several columns are compared at once."""

    has_cheap_rows = True

    def __init__(self, table: LargeTable, measure: str, options: dict[str, Any]) -> None:
        refuse_measure(measure, MERGED_PAIRS)
        self._table, self._measure = table, measure
        self._binned: Binned | None = None
        if measure == "pearson":
            table.refuse_categories("the Pearson correlation", advice=ADVICE)
            refuse_options(measure, options)
        else:
            self._binned = binned(table, options)
        self.range = (0.0, math.log(table.n_rows) if measure == "mutual_info" else 1.0)
        #: Columns whose pairs take about as long to compute as the table takes to read.
        self.at_a_time = AT_A_TIME[measure]

    def rows(self, of: Indices) -> Floats:
        return self._between(of, np.arange(self._table.n_features))

    def square(self, of: Indices) -> Floats:
        found = self._between(of, of)
        # Rounded differently on both sides of the diagonal.
        return np.maximum(found, found.T)

    def _between(self, asked: Indices, others: Indices) -> Floats:
        if self._binned is not None:
            return self._binned.between(asked, others, self._measure)
        found = np.zeros((len(asked), len(others)))
        step = self._table.columns_at_a_time // 2
        for start in range(0, len(asked), step):
            some = asked[start : start + step]
            for block in self._table.blocks(range(len(others)), len(some)):
                columns = others[block]
                make = partial(Moments, partial(others_with_first, len(some)))
                sums = self._table.fold(make, [*some.tolist(), *columns.tolist()])
                _refuse_extremes(self._table, columns.tolist(), sums)
                found[start : start + len(some), block] = sums.correlations.T
        return found
