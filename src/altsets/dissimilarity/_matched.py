"""Sets compared feature by feature, where features that are alike count as the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.constraints.similarity import OfSimilarity, similarity_limit, similarity_measure, taken
from altsets.errors import NotExpressedError

#: What a feature that stays with itself counts for where two matchings are equally large, in units of a whole match.
LOYALTY = 1e-10


class Matched(OfSimilarity):
    """Sets are compared through similarity: features that are alike count as the same.

    The overlap of two sets is the largest one-to-one matching between their features: with a threshold, of pairs whose
    similarity reaches it; without one, the pairs count as much as they are similar. A feature always matches itself.
    The dissimilarity is Dice with this overlap, 1 - 2 * overlap / (size + size): with no similar pairs, it is Dice.

    Parameters
    ----------
    similarity : array-like of shape (n_features, n_features), or str
        How alike features are, from 0 to 1, symmetric; the diagonal counts as 1. Or the name of a measure
        (``"spearman"``, ``"pearson"``: absolute correlations; ``"symmetrical_uncertainty"``), which is computed where
        the table is known; see :meth:`from_data` where it is not.
    threshold : float, default=None
        From when on two features count as the same, above 0. Without it every similarity counts for its part, also
        the smallest, so that sets which share nothing at all (``tau=1``) hardly ever exist.

    See Also
    --------
    altsets.constraints.MaxSimilarity : Keep similar features out of one and the same set.

    Examples
    --------
    >>> alike = Matched([[1, 0.95, 0.1], [0.95, 1, 0.2], [0.1, 0.2, 1]], threshold=0.9)
    >>> alike((0, 2), (1, 2)), alike((0,), (2,))
    (0.0, 1.0)
    >>> alike.matches((0, 2), (1, 2))
    [(0, 1, 0.95)]
    """

    title = "Matched"

    def __init__(self, similarity: Any, threshold: float | None = None) -> None:
        self.threshold = (
            None if threshold is None else similarity_limit("threshold", threshold, "Matched", "0.9")
        )
        vars(self).update(taken(similarity, self.title))

    def _changed(self, **values: Any) -> Self:
        changed = copy(self)
        vars(changed).update(values)
        return changed

    @classmethod
    def from_data(
        cls, X: Any, measure: str = "spearman", threshold: float | None = None, *, sample_weight: Any = None
    ) -> Self:
        """Make it with similarities that are measured on the table ``X``.

        The ``measure`` is "spearman", "pearson" or "symmetrical_uncertainty"; rows may have a ``sample_weight``, as for
        :func:`altsets.measures.pairwise`.
        """
        return cls(similarity_measure(measure, cls.title), threshold).computed(X, sample_weight)

    def to_python(self, names: Sequence[str] | None = None, table: str = "") -> str:
        """Return the Python call that makes it; ``table`` is the variable that holds the table, if there is one."""
        if self.measure is None:
            raise NotExpressedError("sets were compared by a matrix of your own")
        limit = "" if self.threshold is None else f", threshold={self.threshold!r}"
        if table:
            return f"Matched.from_data({table}, {self.measure!r}{limit})"
        return f"Matched({self.measure!r}{limit})"

    def similarity_among(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
        """Return how alike features ``first`` are with ``second``, by index; exactly 1 for a feature and itself."""
        rows, columns = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        alike: Floats = self.similarity[np.ix_(rows, columns)]
        if self.on_demand:
            alike = np.where(rows[:, None] == columns, 1.0, alike)
        return alike

    def weights_among(self, first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
        """Return what features ``first`` matched with ``second`` count for: 0 or 1, or as much as they are similar."""
        alike = self.similarity_among(first, second)
        return alike if self.threshold is None else (alike >= self.threshold).astype(np.float64)

    def overlap(self, first: Sequence[int], second: Sequence[int]) -> float:
        """Return the weight of the largest matching between the sets ``first`` and ``second``."""
        from scipy.optimize import linear_sum_assignment

        block = self.weights_among(first, second)
        return math.fsum(block[linear_sum_assignment(block, maximize=True)].tolist())

    def __call__(self, first: Sequence[int], second: Sequence[int]) -> float:
        return 1 - 2 * self.overlap(first, second) / (len(first) + len(second))

    def matches(self, first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int, float]]:
        """Return the matched pairs of two sets: a feature of ``first``, one of ``second``, and their similarity.

        Of all largest matchings the one that keeps most shared features with themselves, then the most similar one.
        """
        from scipy.optimize import linear_sum_assignment

        left, right = np.array(first, dtype=np.intp), np.array(second, dtype=np.intp)
        same = left[:, None] == right[None, :]
        alike, weights = self.similarity_among(left, right), self.weights_among(left, right)
        if self.threshold is None:
            worth = weights + LOYALTY * same
        else:
            # In whole steps, so that no sum of similarities outweighs a feature that stays with itself.
            step = 1 + min(len(left), len(right))
            worth = np.where(weights > 0, weights * step * step + same * step + alike, 0.0)
        pairs = zip(*(places.tolist() for places in linear_sum_assignment(worth, maximize=True)), strict=True)
        return [
            (int(left[i]), int(right[j]), float(alike[i, j]))
            for i, j in pairs
            if weights[i, j] > 0 and not same[i, j]
        ]

    def matches_among(self, sets: Sequence[Sequence[int]]) -> list[tuple[int, int, int, int, float]]:
        """Return which feature of a set is matched with which of an earlier one: ``(i, j, f, g, similarity)``.

        Feature f of set i was matched with feature g of set j, which comes before it; f and g differ.
        """
        alike = self._some_alike(sets)
        return [
            (later, earlier, *match)
            for later, chosen in enumerate(sets)
            for earlier, other in enumerate(sets[:later])
            if alike[later, earlier]
            for match in self.matches(chosen, other)
        ]

    def _some_alike(self, sets: Sequence[Sequence[int]]) -> Bools:
        """Whether two sets have different features that can match at all: of many pairs of sets few do."""
        inside = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *map(np.array, sets)]).astype(np.intp))
        members = np.zeros((len(sets), len(inside)), dtype=np.float32)
        for row, chosen in zip(members, sets, strict=True):
            row[np.searchsorted(inside, chosen)] = 1.0
        others = (self.weights_among(inside, inside) > 0) & ~np.eye(len(inside), dtype=bool)
        found: Bools = members @ others.astype(np.float32) @ members.T > 0
        return found

    def as_dict(self) -> dict[str, Any]:
        """In words and numbers; without the matrix, which may be large."""
        return {"kind": "matched", "threshold": self.threshold, "similarity": self.measure or "matrix"}

    def __repr__(self) -> str:
        source = "" if self.measure is None else f"{self.measure} of "
        what = repr(self.measure) if self.is_named else f"<{source}{len(self.similarity)} features>"
        limit = "" if self.threshold is None else f", threshold={self.threshold:g}"
        return f"Matched({what}{limit})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matched) or self.threshold != other.threshold:
            return False
        return self._has_similarity_of(other)

    def __hash__(self) -> int:
        return hash((self.threshold, self.measure if self.is_named else len(self.similarity)))
