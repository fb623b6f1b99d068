"""How much of several targets the best linear model on a set of features explains, in numbers for engines."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices

#: Columns of length one of which so little is left are sums of those before them.
NOTHING_LEFT = 1e-12
#: Sets that are looked at together, times the square of their columns.
TOGETHER = 2_000_000
#: Steps towards the best relaxation of a wide table, and products of numbers that they may take; and how far below what
#: all columns explain the first one has to be, as a share, for the others to be worth their time.
STEPS, WORK, PROMISING = 50, 4e9, 0.99

#: For rows that are remembered: searches in several threads ask for them.
_LOCK = threading.Lock()
#: Rows of products of one column with all that are remembered.
MOST_ROWS = 64


class Products:
    """The Gram matrix of a wide table, block by block: products of columns of length one, and a ridge on the diagonal.

    Numbers are divided such that the diagonal is 1. ``targets`` are columns, too.
    """

    def __init__(self, units: Floats, ridge: float, targets: Floats) -> None:
        # One column after the other in memory.
        self._units, self._ridge, self._targets = np.ascontiguousarray(units.T), ridge, targets
        # A greedy search asks for the same few rows again and again.
        self._rows: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self._units)

    def __getitem__(self, key: Any) -> Floats:
        first, second = (np.asarray(part, dtype=np.intp).ravel() for part in key)
        if 2 * len(second) > len(self) and len(first) <= MOST_ROWS:
            rows = [self._row(column)[second] for column in first.tolist()]
            block: Floats = np.array(rows).reshape(len(first), len(second))
        else:
            block = self._units[first] @ self._units[second].T
        block /= 1 + self._ridge
        block[first[:, None] == second] = 1.0
        return block

    def _row(self, column: int) -> Floats:
        row = self._rows.get(column)
        if row is None:
            row = self._units @ self._units[column]
            with _LOCK:
                self._rows[column] = row
                if len(self._rows) > MOST_ROWS:
                    del self._rows[next(iter(self._rows))]
        return row

    @property
    def explained_by_all(self) -> float:
        """What all columns together explain: y' K (K + ridge)^-1 y, with K the products of rows."""
        values, vectors = np.linalg.eigh(self._units.T @ self._units)
        values = np.maximum(values, 0.0)
        return float(np.sum((vectors.T @ self._targets) ** 2 * (values / (values + self._ridge))[:, None]))

    def relaxed(self, columns: Indices, size: int) -> float:
        """Bound on what a set of this size explains: columns are chosen in part.

        For targets Y, a set S of columns U_S and any A of the shape of Y,
        min_w |Y - U_S w|^2 + ridge |w|^2 >= 2 <A, Y> - |A|^2 - |U_S' A|^2 / ridge,
        with equality where A is what is left of Y. So the set explains at most |Y - A|^2 + |U_S' A|^2 / ridge, and any
        set of this size at most that with the largest |u_j' A|^2. Good choices of A are what is left of Y by columns
        that count in part, which come closer to the best ones step by step (Frank and Wolfe). The larger the ridge, the
        more this says; with next to none, all columns together are the better bound.
        """
        units, targets = self._units[columns], self._targets
        whole = float(np.sum(targets**2))
        scores = np.sum((units @ targets) ** 2, axis=1)
        top = _largest(scores, size)
        largest = float(np.sum(scores[top]))
        # The best A that is a multiple of Y.
        best = whole * largest / (largest + self._ridge * whole) if largest else 0.0
        n_steps = min(STEPS, int(WORK / (units.size * targets.shape[1])))
        if best > PROMISING * whole:
            return best
        parts = np.zeros(len(columns))
        for step in range(n_steps):
            parts *= step / (step + 2)
            parts[top] += 2 / (step + 2)
            used = np.flatnonzero(parts)
            some = units[used]
            inner = some @ some.T
            inner[np.diag_indices(len(used))] += self._ridge / parts[used]
            fitted = some.T @ np.linalg.solve(inner, some @ targets)
            scores = np.sum((units @ (targets - fitted)) ** 2, axis=1)
            top = _largest(scores, size)
            best = min(best, float(np.sum(fitted**2) + np.sum(scores[top]) / self._ridge))
        return best


@dataclass(frozen=True, eq=False)
class Explained:
    """trace(C_S' G_SS^-1 C_S) of each set S, times a factor; or what a logarithm makes of it.

    ``gram`` has products of columns, whose lengths are about one, and no eigenvalue below ``smallest``; ``cross`` has
    products of columns with targets. The columns of feature j are those from ``starts[j]`` to ``starts[j + 1]``. All
    columns together explain ``ceiling``. With ``in_logs``, a share q counts as -log(1 - q).
    """

    gram: Floats | Products
    cross: Floats
    starts: Indices
    ceiling: float
    smallest: float
    factor: float = 1.0
    in_logs: bool = False

    def times(self, factor: float, *, in_logs: bool = False) -> Explained:
        return replace(self, factor=factor * self.factor, in_logs=in_logs or self.in_logs)

    def worth(self, shares: Any) -> Any:
        if not self.in_logs:
            return self.factor * shares
        return -self.factor * np.log1p(-np.minimum(shares, 1 - 1e-15))

    @property
    def rounding(self) -> float:
        """By how much a share may be wrong because numbers are rounded."""
        # Of sums of as many terms as there are columns, made larger by the inverse.
        return self.ceiling * 16 * len(self.cross) * float(np.finfo(np.float64).eps) / self.smallest

    @property
    def error(self) -> float:
        """By how much what a set counts for may be wrong because numbers are rounded, in sets that are looked at."""
        slope = 1.0 if not self.in_logs else 1.0 / max(1.0 - self.ceiling, 1e-6)
        return self.ceiling * self.factor * slope * 4 * float(np.finfo(np.float64).eps) / self.smallest

    @property
    def is_single(self) -> bool:
        return len(self.starts) - 1 == len(self.cross)

    def columns_of(self, features: Sequence[int] | Indices) -> Indices:
        some = np.asarray(features, dtype=np.intp)
        if self.is_single:
            return some
        spans = [np.arange(self.starts[one], self.starts[one + 1]) for one in some.tolist()]
        return np.concatenate([np.zeros(0, dtype=np.intp), *spans])

    def of(self, features: Sequence[int]) -> float:
        columns = self.columns_of(features)
        return float(self.worth(_explained(self.gram[np.ix_(columns, columns)], self.cross[columns])))

    def of_rows(self, rows: Any) -> Floats:
        """What each of many sets of one size counts for; a row is a set."""
        if not self.is_single or not rows.shape[1]:
            return np.array([self.of(row) for row in rows.tolist()])
        shares = np.empty(len(rows))
        step = max(TOGETHER // rows.shape[1] ** 2, 1)
        for start in range(0, len(rows), step):
            some = rows[start : start + step].astype(np.intp)
            every, place = np.unique(some, return_inverse=True)
            among, place = self.gram[np.ix_(every, every)], place.reshape(some.shape)
            grams = among[place[:, :, None], place[:, None, :]]
            cross = self.cross[some]
            shares[start : start + step] = np.sum(cross * np.linalg.solve(grams, cross), axis=(1, 2))
        found: Floats = self.worth(shares)
        return found

    def with_each(self, chosen: Sequence[int], others: Indices) -> Floats:
        inside, columns = self.columns_of(chosen), self.columns_of(others)
        left, cross, value = self._beside(inside, columns, self_only=True)
        if self.is_single:
            gains = np.sum(cross**2, axis=1) / np.maximum(left, NOTHING_LEFT)
            gains[left <= NOTHING_LEFT] = 0.0
        else:
            gains, begin = np.zeros(len(others)), 0
            for place, width in enumerate(np.diff(self.starts)[others].tolist()):
                some = slice(begin, begin + width)
                block, _, _ = self._beside(inside, columns[some], self_only=False)
                gains[place] = _explained(block, cross[some])
                begin += width
        found: Floats = self.worth(value + gains)
        return found

    def beside(self, base: Indices, features: Indices) -> tuple[Floats, Floats, Indices, float]:
        """Gram matrix, products with targets and first columns of features beside others; what these explain."""
        inside, columns = self.columns_of(base), self.columns_of(features)
        left, cross, value = self._beside(inside, columns, self_only=False)
        widths = np.diff(self.starts)[features]
        return left, cross, np.concatenate([[0], np.cumsum(widths)]), value

    def _beside(self, inside: Indices, columns: Indices, *, self_only: bool) -> tuple[Floats, Floats, float]:
        """What some columns leave of others: products of these, or only with themselves, and with targets."""
        left = self._squares(columns) if self_only else self.gram[np.ix_(columns, columns)].copy()
        cross = self.cross[columns].copy()
        if not len(inside):
            return left, cross, 0.0
        factor = np.linalg.cholesky(self.gram[np.ix_(inside, inside)])
        shared = np.linalg.solve(factor, self.gram[np.ix_(inside, columns)])
        known = np.linalg.solve(factor, self.cross[inside])
        left -= np.sum(shared**2, axis=0) if self_only else shared.T @ shared
        cross -= shared.T @ known
        return left, cross, float(np.sum(known**2))

    def _squares(self, columns: Indices) -> Floats:
        if isinstance(self.gram, Products):
            return np.ones(len(columns))
        return np.diagonal(self.gram)[columns].copy()

    def highest(self, features: Indices, size: int | None = None) -> float:
        """Bound on the quality of sets of these features, or of those of one size."""
        if not len(features):
            return 0.0
        columns = self.columns_of(features)
        share = self.ceiling
        if isinstance(self.gram, Products):
            if size is not None and self.is_single:
                share = min(share, self.gram.relaxed(columns, min(size, len(columns))))
        elif len(columns) < len(self.cross):
            share = min(share, _explained(self.gram[np.ix_(columns, columns)], self.cross[columns]))
        return float(self.worth(share + self.rounding))


def _largest(scores: Floats, size: int) -> Indices:
    found: Indices = np.argpartition(scores, len(scores) - size)[len(scores) - size :]
    return found


def _explained(gram: Floats, cross: Floats) -> float:
    """trace(c' G^-1 c) by a Cholesky factor, without columns of which nothing is left."""
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(gram)
        kept = values > NOTHING_LEFT
        return float(np.sum((vectors[:, kept].T @ cross) ** 2 / values[kept, None]))
    return math.fsum((np.linalg.solve(factor, cross) ** 2).ravel().tolist())
