"""Mutual information of columns with missing values: "missing" is a value of its own.

Let M say whether a value is missing. A column X with missing values is M_x and, where that says "known", a number; the
chain rule takes the information of two of them apart without a loss:

``I(X; Z) = I(M_x; M_z) + P(x known) I(X; M_z | x known) + P(z known) I(M_x; Z | z known)
+ P(both known) I(X; Z | both known)``

Each term is estimated in its rows by the formula that fits. A term is 0 where there are too few rows, or where one side
never varies. The terms are the same with X and Z exchanged, and are added so that not even the last bit changes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.measures.information.estimator import Block, Estimator, Keep, Line, Sample
from altsets.measures.information.patterns import Patterns, patterns_of

__all__ = ["square_with_missing", "target_with_missing"]


def target_with_missing(how: Estimator, sample: Sample) -> Floats:
    """The information of each column with the last one, which is complete."""
    patterns = patterns_of(sample.values)
    target = np.array([len(patterns.of) - 1])
    known = np.zeros(len(patterns.of))
    told = np.zeros((1, len(patterns)))

    def blocks() -> Iterator[Block]:
        for group, mask in zip(patterns.groups, patterns.known, strict=True):
            others = group[group != target]
            yield _between(how, sample, target, others, mask, known[None, :], mirrored=False)
        yield _with_patterns(how, sample, target, patterns, patterns.known[0], told)

    how.estimate_blocks(blocks(), known.size - 1 + len(patterns), len(sample.values))
    return np.asarray((known + told[0, patterns.of])[:-1])


def square_with_missing(how: Estimator, sample: Sample) -> Floats:
    """The information of each column with each other and with itself."""
    patterns = patterns_of(sample.values)
    n_columns = len(patterns.of)
    groups = patterns.groups
    known = np.zeros((n_columns, n_columns))
    told = np.zeros((n_columns, len(patterns)))

    def blocks() -> Iterator[Block]:
        for first, (group, mask) in enumerate(zip(groups, patterns.known, strict=True)):
            yield _within(how, sample, group, mask, known)
            for other in range(first + 1, len(groups)):
                both = mask & patterns.known[other]
                yield _between(how, sample, group, groups[other], both, known, mirrored=True)
            yield _with_patterns(how, sample, group, patterns, mask, told)

    total = n_columns * (n_columns + 1) // 2 + told.size
    how.estimate_blocks(blocks(), total, len(sample.values))
    of_patterns = told[:, patterns.of]
    both = _of_patterns(patterns.known)[np.ix_(patterns.of, patterns.of)]
    return (known + both) + (of_patterns + of_patterns.T)


def _within(how: Estimator, sample: Sample, group: Indices, rows: Bools, found: Floats) -> Block:
    """The columns of a group with each other."""
    share = rows.mean()

    def keep(index: int, start: int, stop: int, values: Floats) -> None:
        found[group[index], group[start:stop]] = share * values
        found[group[start:stop], group[index]] = share * values

    lines = [(index, index, len(group)) for index in range(len(group))]
    return _block(how, sample.part(rows, group), lines, keep)


def _between(
    how: Estimator,
    sample: Sample,
    left: Indices,
    right: Indices,
    rows: Bools,
    found: Floats,
    *,
    mirrored: bool,
) -> Block:
    """The columns of one group with those of another, in rows where both are known."""
    share = rows.mean()
    columns = np.concatenate([left, right])

    def keep(index: int, start: int, stop: int, values: Floats) -> None:
        others = columns[start:stop]
        if mirrored:
            found[left[index], others] = share * values
            found[others, left[index]] = share * values
        else:
            found[index, others] = share * values

    lines = [(index, len(left), len(columns)) for index in range(len(left))]
    return _block(how, sample.part(rows, columns), lines, keep)


def _with_patterns(
    how: Estimator, sample: Sample, group: Indices, patterns: Patterns, rows: Bools, found: Floats
) -> Block:
    """The columns of a group with what is missing elsewhere, in rows where the group is known."""
    share = rows.mean()
    places = group if len(found) > 1 else np.zeros(1, dtype=np.intp)
    part = sample.part(rows, group)
    n_patterns = len(patterns)
    with_patterns = Sample(
        np.column_stack([part.values, patterns.known[:, rows].T.astype(np.float64)]),
        np.append(part.discrete, np.ones(n_patterns, dtype=bool)),
        np.append(part.nominal, np.zeros(n_patterns, dtype=bool)),
    )

    def keep(index: int, start: int, stop: int, values: Floats) -> None:
        found[places[start:stop], index - len(group)] = share * values

    lines = [(len(group) + pattern, 0, len(group)) for pattern in range(n_patterns)]
    return _block(how, with_patterns, lines, keep)


def _block(how: Estimator, sample: Sample, lines: list[Line], keep: Keep) -> Block:
    enough = len(sample.values) >= how.limits.least_rows and any(start < stop for _, start, stop in lines)
    return Block(how.columns(sample) if enough else None, lines, keep)


def _of_patterns(known: Bools) -> Floats:
    """The information of each pattern with each other, from tables of two rows and two columns."""
    n_rows = known.shape[1]
    ones = known.astype(np.float64)
    totals = ones.sum(axis=1)
    both = ones @ ones.T
    sides = [n_rows - totals, totals]
    left = totals[:, None] - both
    cells = {(1, 1): both, (1, 0): left, (0, 1): left.T, (0, 0): n_rows - totals[:, None] - totals + both}

    def term(a: int, b: int) -> Floats:
        expected = sides[a][:, None] * sides[b]
        seen = cells[a, b] > 0
        ratios = np.divide(cells[a, b] * n_rows, expected, out=np.ones_like(expected), where=seen)
        return np.asarray(cells[a, b] / n_rows * np.log(ratios))

    return np.maximum((term(1, 1) + term(0, 0)) + (term(1, 0) + term(0, 1)), 0.0)
