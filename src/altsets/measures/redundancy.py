"""Pairs of columns on demand: for wide tables, whose matrix of all pairs would take minutes and gigabytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.measures.large.scores import LargePairs
from altsets.measures.large.table import LargeTable
from altsets.measures.pairs import PAIR_MEASURES, source_of
from altsets.tables.conversion import features_of
from altsets.tables.weights import counted

#: Columns up to which all pairs are computed at once: 2,000 take 32 MB and a second or two, and searches that have all
#: pairs at hand can prove more. Ten times as many columns take a hundred times as much.
MATRIX_COLUMNS = 2_000
#: Bytes of rows that are kept once they were asked for.
KEPT_BYTES = 256 * 2**20

#: For the rows that are kept: searches in several threads ask for them.
_LOCK = threading.Lock()


class Redundancy:
    """How much each column of a table says about each other, computed where it is needed and kept.

    It stands in for a symmetric matrix with a zero diagonal: ``redundancy[i]`` is a row, ``redundancy[np.ix_(a, b)]``
    a block, ``redundancy[a, b]`` single pairs. Qualities take it in place of a matrix.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, a frame or a sparse matrix; or ``X`` of :func:`altsets.read_table` for a file larger than memory.
    measure : {"pearson", "spearman", "mutual_info", "symmetrical_uncertainty"}, default="pearson"
        As for :func:`altsets.measures.pairwise`.
    sample_weight : array-like of shape (n_samples,), default=None
    **options : dict
        Passed on to the measure.

    Attributes
    ----------
    range : tuple of float
        No pair is below the first or above the second number.
    has_cheap_rows : bool
        Whether all pairs of a column take little time; by nearest neighbours, those of some columns should be enough.

    See Also
    --------
    altsets.measures.pairwise : All pairs at once.

    Examples
    --------
    >>> pairs = Redundancy([[1, 4], [2, 3], [3, 2], [4, 4]], "pearson")
    >>> pairs[0].round(4).tolist()
    [0.0, 0.1348]
    """

    def __init__(
        self, X: Any, measure: str = "pearson", *, sample_weight: Any = None, **options: Any
    ) -> None:
        if measure not in PAIR_MEASURES:
            choices = " or ".join(map(repr, PAIR_MEASURES))
            raise InputError(f"measure={measure!r} cannot compare single pairs of columns; choose {choices}.")
        self._at_once, self._expected = 1, np.zeros(0, dtype=np.intp)
        if isinstance(X, LargeTable):
            if sample_weight is not None:
                remedy = "a table that is read in passes; leave it out."
                raise InputError(f"sample_weight is not supported for {remedy}")
            self._source: Any = LargePairs(X, measure, options)
            self._at_once = self._source.at_a_time
            # Pairs with a constant are 0 already.
            self._varies, self._n = np.ones(X.n_features, dtype=bool), X.n_features
        else:
            features = features_of(X)
            features, _, weights = counted(features, np.zeros(features.n_rows), sample_weight)
            if options.get("method") == "sklearn":
                raise InputError(
                    "method='sklearn' gives each column other noise as a target, which needs all pairs at once; "
                    "use method='neighbors' or 'bins' for a table as wide as this."
                )
            self._source = source_of(measure, features, weights, options)
            self._varies, self._n = ~features.constant, features.n_features
        self.range: tuple[float, float] = self._source.range
        self.has_cheap_rows: bool = self._source.has_cheap_rows
        self._kept: OrderedDict[int, Floats] = OrderedDict()
        self._most_kept = max(KEPT_BYTES // (8 * self._n), 1)
        self._last: tuple[Indices, Floats] = np.zeros(0, dtype=np.intp), np.zeros((0, 0))

    @property
    def shape(self) -> tuple[int, int]:
        """The size of the matrix."""
        return self._n, self._n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, key: Any) -> Floats:
        if isinstance(key, tuple):
            first, second = (np.asarray(part, dtype=np.intp) for part in key)
            if first.ndim == 2 and second.ndim == 2 and first.shape[1] == 1 and second.shape[0] == 1:
                return self._block(first[:, 0], second[0])
            return self._singles(*np.broadcast_arrays(first, second))
        if isinstance(key, int | np.integer):
            return self._row(int(key))
        some: Indices = np.arange(self._n)[key]
        return np.array([self._row(index) for index in some.tolist()]).reshape(len(some), self._n)

    def _row(self, index: int) -> Floats:
        with _LOCK:
            known = self._kept.get(index)
            if known is not None:
                self._kept.move_to_end(index)
                return known
        together = self._with_expected(index)
        for one, row in zip(together.tolist(), self._source.rows(together), strict=True):
            row *= self._varies & self._varies[one]
            row[one] = 0.0
            row.setflags(write=False)
            with _LOCK:
                self._kept[one] = row
                if len(self._kept) > self._most_kept:
                    self._kept.popitem(last=False)
        # The requested column comes last.
        last: Floats = row
        return last

    def expect(self, order: Indices) -> None:
        """Name columns whose rows are to be computed in the same pass over a table as one that is needed."""
        self._expected = np.asarray(order, dtype=np.intp)

    def _with_expected(self, index: int) -> Indices:
        more = min(self._at_once, self._most_kept) - 1
        others = [one for one in self._expected.tolist() if one != index and one not in self._kept][:more]
        self._expected = self._expected[~np.isin(self._expected, others)]
        return np.array([*others, index], dtype=np.intp)

    def _block(self, first: Indices, second: Indices) -> Floats:
        if self.has_cheap_rows and (len(first) <= 2 or len(second) <= 2):
            # Most likely to be asked for again.
            if len(first) > len(second):
                return np.ascontiguousarray(self._block(second, first).T)
            rows = [self._row(feature)[second] for feature in first.tolist()]
            return np.array(rows).reshape(len(first), len(second))
        every = np.unique(np.concatenate([first, second]))
        square = self._square(every)
        places = np.ix_(np.searchsorted(every, first), np.searchsorted(every, second))
        return np.ascontiguousarray(square[places])

    def _square(self, features: Indices) -> Floats:
        """The pairs of some features; those of the last and largest such block are kept."""
        kept, block = self._last
        places = np.searchsorted(kept, features)
        if len(kept) and np.array_equal(kept[np.minimum(places, len(kept) - 1)], features):
            return block if len(kept) == len(features) else block[np.ix_(places, places)]
        square: Floats = self._source.square(features)
        np.fill_diagonal(square, 0.0)
        varies = self._varies[features]
        square *= varies
        square *= varies[:, None]
        if len(features) >= len(kept):
            self._last = features, square
        return square

    def _singles(self, first: Indices, second: Indices) -> Floats:
        every, places = np.unique(np.concatenate([first.ravel(), second.ravel()]), return_inverse=True)
        at_first, at_second = np.split(places, 2)
        square = self._block(every, every)
        return square[at_first, at_second].reshape(first.shape)


class Conflicts:
    """Which pairs of columns exclude each other, found out when it is needed; it stands in for a symmetric matrix.

    Two columns do if their pair is at least as large as the threshold of either.
    """

    # An array of conflicts | these: the method below, not NumPy's.
    __array_ufunc__ = None

    def __init__(self, pairs: Redundancy, thresholds: Floats) -> None:
        self._pairs, self._thresholds = pairs, thresholds

    def __getitem__(self, key: Any) -> Bools:
        n = len(self._thresholds)
        if isinstance(key, tuple):
            first, second = (np.asarray(part, dtype=np.intp) for part in key)
        else:
            first, second = np.asarray(np.arange(n)[key])[..., None], np.arange(n)
        pairs = self._pairs[key].reshape(np.broadcast_shapes(first.shape, second.shape))
        reached = pairs >= np.minimum(self._thresholds[first], self._thresholds[second])
        found: Bools = reached & (first != second)
        return found

    def any(self) -> bool:
        """Whether there may be a pair; to look for one would take all of them."""
        return True

    def __or__(self, other: Any) -> Any:
        return _Either(self, other)

    __ror__ = __or__


class _Either(Conflicts):
    """Pairs that exclude each other by one of two sources."""

    def __init__(self, first: Any, second: Any) -> None:
        self._sources = first, second

    def __getitem__(self, key: Any) -> Bools:
        first, second = self._sources
        found: Bools = first[key] | second[key]
        return found
