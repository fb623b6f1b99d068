"""Noise: shuffled columns, and the score that few of them exceed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.tables.feature_matrix import Features
from altsets.tables.sparse import shuffled_columns

#: Shuffled columns of each kind at least: one in 20 of them is the best one.
LEAST = 19
#: Shuffles of a column at most.
REPEATS = 50
#: Rows, and cells at a time, in which the values of a column are counted.
MOST_ROWS, CELLS_AT_A_TIME = 1_000, 2_000_000
#: Columns with up to this many different values are of one kind, and so are those that miss up to these shares.
LEVELS, MISSING = (2, 4, 10), (0.0, 0.2, 0.5)
#: ... and those with no more different values than this share of the rows, or one value in at most these shares.
FEW, TIED = 0.1, (0.2, 0.5)
#: From so many scores on, a tail is smoother than the one that has the wanted rank, if that is among the highest few.
SEVERAL, HIGHEST = 200, 5
#: ... and so many scores are tail enough.
LONGEST_TAIL = 100
#: Scores that differ by less than this share of the largest one differ by rounding only.
ROUNDING = 1e-9


def kinds_of(features: Features, columns: Indices) -> list[Indices]:
    """Groups of columns that score about the same by chance.

    That depends on the number of different values, on whether these are labels, and on how many are missing. A column
    of few values for its rows (such as whole numbers), or with one in many rows (such as 0), is of another kind than
    one with hardly any ties.
    """
    n_rows = min(features.n_rows, MOST_ROWS)
    rows = np.linspace(0, features.n_rows - 1, n_rows).astype(np.intp)
    keys = np.zeros((len(columns), 4), dtype=np.intp)
    keys[:, 0] = features.nominal[columns]
    step = max(1, CELLS_AT_A_TIME // features.n_rows)
    for start in range(0, len(columns), step):
        some = slice(start, start + step)
        # Missing values are sorted to the end.
        values = np.sort(features.columns(columns[some].tolist()).rows(rows).dense(), axis=0)
        missing = np.isnan(values)
        n_values = 1 + ((values[1:] != values[:-1]) & ~missing[1:]).sum(axis=0)
        few = np.maximum(LEVELS[-1], FEW * (~missing).sum(axis=0))
        keys[some, 1] = np.searchsorted(LEVELS, n_values) + (n_values > few)
        keys[some, 2] = np.searchsorted(MISSING, missing.mean(axis=0))
        for share in TIED:
            # Of sorted values, the ends of a long run are equal.
            length = math.ceil(share * n_rows)
            keys[some, 3] += (n_values > few) & (values[length:] == values[:-length]).any(axis=0)
    _, kinds = np.unique(keys, axis=0, return_inverse=True)
    return [columns[kinds.ravel() == kind] for kind in range(kinds.max() + 1)]


def drawn_from(columns: Indices, most: float, rng: np.random.Generator) -> Indices:
    """Columns of one kind to shuffle: all of them equally often, in all as many as 5 % of are a whole number."""
    wanted = max(LEAST, min(math.ceil(most), REPEATS * len(columns)))
    n_drawn = (LEAST + 1) * math.ceil((wanted + 1) / (LEAST + 1)) - 1
    # Round by round through all columns, so that each gets its share.
    rounds = [rng.permutation(columns) for _ in range(math.ceil(n_drawn / len(columns)))]
    return np.concatenate(rounds)[:n_drawn]


def shuffled(features: Features, columns: Indices, rng: np.random.Generator) -> Features:
    drawn = features.columns(columns.tolist())
    if features.is_sparse:
        return Features(shuffled_columns(drawn.cells, rng))
    return replace(drawn, cells=rng.permuted(drawn.values, axis=0), names=None, original=None)


def exceeded_by(scores: Floats, share: float) -> float:
    """The value that another score of the same kind exceeds with this probability.

    If that is decided by too few of the highest scores, the tail is taken to be exponential: what the best of many
    columns reaches would else depend on one shuffle.
    """
    n = len(scores)
    falling = np.sort(scores)[::-1]
    slack = ROUNDING * abs(float(falling[0]))
    expected = share * (n + 1)
    # Half a step is as near as a rank comes.
    if expected >= (HIGHEST if n >= SEVERAL else 0.5):
        ends = np.flatnonzero(np.append(falling[:-1] - falling[1:] > slack, True))
        starts = np.concatenate([[0], ends[:-1] + 1])
        # A score without a tie leaves its own place open; of many that are equal, another one will be equal as well.
        exceeding = (starts + 1 / (ends - starts + 1)) / (n + 1)
        return float(falling[starts[np.argmin(np.abs(exceeding - share))]] + slack)
    tail = max(min(n // (20 if n >= SEVERAL else 10), LONGEST_TAIL), min(n // 2, 5))
    beyond = float(np.mean(falling[:tail] - falling[tail]))
    return float(falling[tail] + beyond * math.log(tail / expected) + slack)
