"""The condition that no two features of a set are too much alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from altsets.constraints.base import (
    ConflictRule,
    Constraint,
    Option,
    OptionReader,
    Rule,
    limit_and_measure,
)
from altsets.constraints.similarity import (
    GivenSimilarity,
    refuse_name_without_table,
    similarity_limit,
    similarity_measure,
)
from altsets.errors import InputError, NotExpressedError

if TYPE_CHECKING:
    # Constraints are known to the command line, which must not wait for NumPy.
    from altsets.arrays import Bools, Floats


@dataclass(frozen=True, init=False, eq=False)
class MaxSimilarity(Constraint):
    """No two features of a set are more alike than a limit: those that are exclude each other.

    Parameters
    ----------
    similarity : array-like of shape (n_features, n_features), or str
        How alike features are, from 0 to 1, symmetric; the diagonal does not count. Or the name of a measure
        (``"spearman"``, ``"pearson"``: absolute correlations; ``"symmetrical_uncertainty"``), which is computed where
        the table is known: in :class:`altsets.SelectAlternatives`, in each fold of :func:`altsets.evaluate`, on the
        command line; for :func:`altsets.find` see :meth:`from_data`.
    limit : float
        The largest similarity of two features that a set may have, from 0 to 1; two that are as similar as that may
        still be in one set.

    Examples
    --------
    >>> alike = MaxSimilarity([[1, 0.95, 0.1], [0.95, 1, 0.9], [0.1, 0.9, 1]], limit=0.9)
    >>> alike.holds((0, 1)), alike.holds((0, 2)), alike.holds((1, 2))
    (False, True, True)
    """

    kind = "max_similarity"
    option = Option(
        "--max-similarity",
        "LIMIT[:MEASURE]",
        "No two features of a set are more alike than LIMIT, such as 0.9, by spearman (the default), pearson or "
        "symmetrical_uncertainty.",
    )
    similarity: Any
    limit: float
    #: The measure that the similarity comes from, if there is one.
    measure: str | None
    #: The names of the features if the similarity came in a frame that has them.
    labels: tuple[str, ...] | None

    def __init__(self, similarity: Any, limit: float) -> None:
        named = isinstance(similarity, str)
        given = None if named else GivenSimilarity.of(similarity, self.title)
        self._set(
            similarity=None if given is None else given.matrix,
            limit=similarity_limit("limit", limit, self.title, "0.9", zero=True),
            measure=similarity_measure(similarity, self.title) if named else None,
            labels=None if given is None else given.labels,
        )

    @classmethod
    def from_data(
        cls, X: Any, measure: str = "spearman", limit: float = 0.9, *, sample_weight: Any = None
    ) -> Self:
        """Features are as alike as a measure finds them in a table.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            An array or a frame; missing values and categories as in :func:`altsets.measures.pairwise`.
        measure : {"spearman", "pearson", "symmetrical_uncertainty"}
        limit : float
        sample_weight : array-like of shape (n_samples,), optional

        Examples
        --------
        >>> table = [[1, 10, 3], [2, 20, 1], [3, 35, 4], [4, 40, 1]]
        >>> alike = MaxSimilarity.from_data(table, "spearman", limit=0.9)
        >>> alike.holds((0, 1)), alike.holds((0, 2))
        (False, True)
        """
        return cls(measure, limit).computed(X, sample_weight)

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        """The same with numbers: a similarity that was only named is measured on this table."""
        if not self.is_named:
            return self
        from altsets.measures.similarity import measure_similarity

        assert self.measure is not None
        measured = type(self)(measure_similarity(X, self.measure, sample_weight), self.limit)
        measured._set(measure=self.measure)
        return measured

    @property
    def needs_table(self) -> bool:
        """Whether the similarity is that of a table."""
        return self.measure is not None

    @property
    def is_named(self) -> bool:
        """Whether the similarity has only a name so far, and no numbers."""
        return self.similarity is None

    def before_table(self) -> Self | None:
        """Nothing is known of a similarity that has only a name."""
        return None if self.is_named else self

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint with rows and columns in the order of these features; refuses those of others."""
        if self.measure is not None and self.is_named:
            raise refuse_name_without_table(self.measure, self.title)
        matrix = GivenSimilarity(self.similarity, self.labels).in_order_of(names, self.title)
        if matrix is self.similarity:
            return self
        ordered = copy(self)
        # What follows from the matrix is kept beside the fields, and is not that of the new one.
        vars(ordered).pop("conflicts", None)
        ordered._set(similarity=matrix, labels=None)
        return ordered

    @cached_property
    def conflicts(self) -> Bools:
        """Which features exclude each other."""
        import numpy as np

        above: Bools = np.asarray(self._numbers > self.limit)
        np.fill_diagonal(above, False)
        above.setflags(write=False)
        return above

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether no two features of the set are more alike than that."""
        import numpy as np

        places = list(chosen)
        among = self._numbers[np.ix_(places, places)]
        return not np.any(among[np.triu_indices(len(places), 1)] > self.limit)

    def rules(self) -> tuple[Rule, ...]:
        """The pairs that are too much alike."""
        return (ConflictRule(self.conflicts),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``LIMIT`` or ``LIMIT:MEASURE``."""
        limit, measure = limit_and_measure(read, text, "0.9", "spearman")
        return cls(measure, limit)

    def option_text(self, names: Sequence[str]) -> str:
        """``LIMIT:MEASURE``."""
        return f"{self.limit!r}:{self._measure_or_refuse()}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """The measure and the limit."""
        return [repr(self._measure_or_refuse()), repr(self.limit)]

    def _measure_or_refuse(self) -> str:
        if self.measure is None:
            raise NotExpressedError("features were compared by a matrix of your own")
        return self.measure

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The constraint as it was asked for; a matrix is not written down, so that it cannot be read."""
        if entry["similarity"] == "matrix":
            raise NotExpressedError("features were compared by a matrix of your own")
        return cls(entry["similarity"], entry["limit"])

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "No two features of a set have a similarity above 0.9 (spearman)."."""
        source = "" if self.measure is None else f" ({self.measure})"
        return f"No two features of a set have a similarity above {self.limit:g}{source}."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "no two features more alike than 0.9 (spearman)"."""
        source = "" if self.measure is None else f" ({self.measure})"
        return f"no two features more alike than {self.limit:g}{source}"

    def as_dict(self) -> dict[str, Any]:
        """In words and numbers; without the matrix, which may be large."""
        return {"kind": self.kind, "limit": self.limit, "similarity": self.measure or "matrix"}

    @property
    def _numbers(self) -> Floats:
        if self.is_named:
            raise InputError(f"MaxSimilarity({self.measure!r}, {self.limit:g}) has no numbers yet.")
        numbers: Floats = self.similarity
        return numbers

    def __eq__(self, other: object) -> bool:
        import numpy as np

        if not isinstance(other, MaxSimilarity):
            return False
        if (self.limit, self.measure, self.is_named) != (other.limit, other.measure, other.is_named):
            return False
        return self.is_named or np.array_equal(self.similarity, other.similarity)

    def __hash__(self) -> int:
        return hash((self.limit, self.measure, self.is_named))

    def __repr__(self) -> str:
        what = repr(self.measure) if self.is_named else f"<{len(self.similarity)} features>"
        return f"MaxSimilarity({what}, {self.limit:g})"
