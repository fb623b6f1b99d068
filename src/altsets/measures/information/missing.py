"""Mutual information of columns with missing values: "missing" is a value of its own.

Let M say whether a value is missing. A column X with missing values is M_x and, where that says "known", a number; the
chain rule takes the information of two of them apart without a loss:

``I(X; Z) = I(M_x; M_z) + P(x known) I(X; M_z | x known) + P(z known) I(M_x; Z | z known)
+ P(both known) I(X; Z | both known)``

Each term is estimated in its rows by the formula that fits. A term is 0 where there are too few rows, or where one side
never varies. The terms are the same with X and Z exchanged, and are added so that not even the last bit changes.
"""

from __future__ import annotations

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.measures.information.estimator import Estimator, Sample
from altsets.measures.information.patterns import Patterns, patterns_of
from altsets.measures.information.prepared import ColumnsWithHoles, columns_with_holes

__all__ = ["square_with_missing", "target_with_missing"]


def target_with_missing(how: Estimator, sample: Sample) -> Floats:
    """The information of each column with the last one, which is complete."""
    patterns = patterns_of(sample.values)
    columns = _with_patterns(how, sample, patterns)
    target = len(patterns.of) - 1
    found = np.zeros(len(columns))

    def keep(_: int, start: int, stop: int, values: Floats) -> None:
        found[start:stop] = values

    how.estimate(columns, [(target, 0, target), (target, target + 1, len(columns))], keep)
    told = found[target + 1 :]
    return np.asarray(found[:target] + told[patterns.of[:-1]])


def square_with_missing(how: Estimator, sample: Sample) -> Floats:
    """The information of each column with each other and with itself."""
    patterns = patterns_of(sample.values)
    columns = _with_patterns(how, sample, patterns)
    n_columns = len(patterns.of)
    known = np.zeros((n_columns, n_columns))
    told = np.zeros((n_columns, len(patterns)))

    def keep(index: int, start: int, stop: int, values: Floats) -> None:
        if start >= n_columns:
            told[index, start - n_columns : stop - n_columns] = values
        else:
            known[index, start:stop] = values
            known[start:stop, index] = values

    among_columns = [(index, index, n_columns) for index in range(n_columns)]
    with_patterns = [(index, n_columns, len(columns)) for index in range(n_columns)]
    how.estimate(columns, [*among_columns, *with_patterns], keep)
    of_patterns = told[:, patterns.of]
    both = _of_patterns(patterns.known)[np.ix_(patterns.of, patterns.of)]
    return (known + both) + (of_patterns + of_patterns.T)


def _with_patterns(how: Estimator, sample: Sample, patterns: Patterns) -> ColumnsWithHoles:
    """The columns, and behind them one for each pattern: whether the columns that have it are known."""
    n_patterns = len(patterns)
    return columns_with_holes(
        np.column_stack([sample.values, patterns.known.T.astype(np.float64)]),
        np.append(sample.discrete, np.ones(n_patterns, dtype=bool)),
        np.append(sample.nominal, np.zeros(n_patterns, dtype=bool)),
        how.limits,
    )


def _of_patterns(known: Bools) -> Floats:
    """The information of each pattern with each other, from tables of two rows and two columns."""
    n_rows = known.shape[1]
    ones = known.astype(np.float64)
    totals = ones.sum(axis=1)
    both = ones @ ones.T
    sides = [n_rows - totals, totals]
    left = totals[:, None] - both
    cells = {(1, 1): both, (1, 0): left, (0, 0): n_rows - totals[:, None] - totals + both}

    def term(a: int, b: int) -> Floats:
        expected = sides[a][:, None] * sides[b]
        seen = cells[a, b] > 0
        ratios = np.divide(cells[a, b] * n_rows, expected, out=np.ones_like(expected), where=seen)
        return np.asarray(cells[a, b] / n_rows * np.log(ratios))

    one_known = term(1, 0)
    return np.maximum((term(1, 1) + term(0, 0)) + (one_known + one_known.T), 0.0)
