"""Similarity of features as users give it: a matrix of numbers from 0 to 1, or the name of a measure; checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from altsets.errors import InputError
from altsets.features import FeatureNames, are_counted, as_number, first_difference, labels_of, real_numbers
from altsets.wording import by_interface, parameter, suggestion

if TYPE_CHECKING:
    # Constraints are known to the command line, which must not wait for NumPy.
    from altsets.arrays import Floats
    from altsets.measures.redundancy import Redundancy

#: Measures that a similarity may be named by.
MEASURES = ("spearman", "pearson", "symmetrical_uncertainty")

#: Measures of how well a feature predicts a given one; the last one is not symmetric.
PROXY_MEASURES = (*MEASURES, "uncertainty_coefficient")

#: By how much a similarity may differ from that of the same features the other way round.
ASYMMETRY = 1e-9


def given_similarity(similarity: Any, who: str) -> tuple[Floats, tuple[str, ...] | None]:
    """A similarity matrix, and the names of its features if it came in a frame that has them.

    It must be square, symmetric and from 0 to 1. Its diagonal becomes 1, and it is read-only.
    """
    matrix = _checked(similarity, who)
    matrix.setflags(write=False)
    labelled = [(axis, labels) for axis, labels in labels_of(similarity) if not are_counted(labels)]
    if len(labelled) == 2 and (difference := first_difference(labelled[0][1], labelled[1][1])):
        raise InputError(
            f"{who}: the columns and the index of the similarity name the features differently ({difference}); "
            "bring them into the same order."
        )
    return matrix, tuple(labelled[0][1]) if labelled else None


def _checked(similarity: Any, who: str) -> Floats:
    """A square, symmetric matrix of numbers from 0 to 1, with ones on the diagonal."""
    import numpy as np

    try:
        matrix = real_numbers("the similarity", similarity)
    except InputError as error:
        raise InputError(
            f"{who}: the similarity is not a matrix of numbers; give one row and one column for each feature, "
            f"or the name of a measure: {', '.join(map(repr, MEASURES))}."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        shape = " x ".join(map(str, matrix.shape)) or "a single number"
        raise InputError(
            f"{who}: the similarity is {shape}, not square; give one row and one column for each feature."
        )
    np.fill_diagonal(matrix, 1.0)
    # nan is neither.
    if not (np.min(matrix) >= 0 and np.max(matrix) <= 1):
        unknown = np.isnan(matrix)
        i, j = np.argwhere(unknown if unknown.any() else (matrix < 0) | (matrix > 1))[0].tolist()
        advice = "it must be between 0 and 1 (take the absolute value of correlations)"
        if unknown.any():
            advice = "give 0 where features have nothing in common"
        raise InputError(f"{who}: the similarity of features {i} and {j} is {matrix[i, j]:g}; {advice}.")
    differences = np.abs(matrix - matrix.T)
    if np.max(differences) > ASYMMETRY:
        i, j = np.unravel_index(np.argmax(differences), matrix.shape)
        raise InputError(
            f"{who}: the similarity of features {i} and {j} is {matrix[i, j]:g} one way and {matrix[j, i]:g} the "
            "other; it must be symmetric, as (S + S.T) / 2 is."
        )
    return (matrix + matrix.T) / 2


def measured_similarity(X: Any, measure: str, who: str, sample_weight: Any = None) -> Floats | Redundancy:
    """How alike a measure finds the columns of a table; of a wide one, computed where it is needed."""
    from altsets.measures.pairs import measure_similarity
    from altsets.measures.redundancy import MATRIX_COLUMNS, Redundancy
    from altsets.tables.conversion import features_of

    features = features_of(X)
    if features.n_features > MATRIX_COLUMNS:
        return Redundancy(features, measure, sample_weight=sample_weight)
    return given_similarity(measure_similarity(features, measure, sample_weight), who)[0]


def taken(similarity: Any, who: str) -> dict[str, Any]:
    """The attributes of :class:`OfSimilarity` for a matrix, or for the name of a measure."""
    if isinstance(similarity, str):
        return {"similarity": None, "labels": None, "measure": similarity_measure(similarity, who)}
    matrix, labels = given_similarity(similarity, who)
    return {"similarity": matrix, "labels": labels, "measure": None}


class OfSimilarity:
    """What compares features by a similarity, which is given or measured on a table."""

    #: None as long as there is only the name of a measure.
    similarity: Any
    #: The names of the features if the similarity came in a frame that has them.
    labels: tuple[str, ...] | None = None
    #: The measure that the similarity comes from; None for a matrix that was given.
    measure: str | None = None

    if TYPE_CHECKING:

        @property
        def title(self) -> str: ...

        def _changed(self, **values: Any) -> Self: ...

    @property
    def is_named(self) -> bool:
        """Whether the similarity has only a name so far, and no numbers."""
        return self.similarity is None

    @property
    def on_demand(self) -> bool:
        """Whether similarities are computed when needed, as for wide tables."""
        from altsets.measures.redundancy import Redundancy

        return isinstance(self.similarity, Redundancy)

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        """Return the same with numbers: a similarity that has only a name is measured on the table ``X``."""
        if self.measure is None or not self.is_named:
            return self
        return self._changed(similarity=measured_similarity(X, self.measure, self.title, sample_weight))

    def resolve(self, names: Sequence[str]) -> Self:
        """Return the same in the order of the named features; refuse a similarity of other features."""
        if self.is_named:
            how = f"{self.title}.from_data(X, {self.measure!r}, ...)"
            raise InputError(f"{self.title}({self.measure!r}) has no table to compute it from; give {how}.")
        known, labels = FeatureNames.of(names), self.labels
        if len(self.similarity) != len(known):
            raise InputError(
                f"{self.title} has the similarities of {len(self.similarity)} features, but the quality has "
                f"{len(known)}; give one row and one column for each feature."
            )
        if labels is None or not known.given:
            return self
        position = {label: place for place, label in enumerate(labels)}
        missing = [name for name in known if name not in position]
        if missing or len(position) < len(labels):
            problem = f"no row for {missing[0]!r}" if missing else "the same label twice"
            raise InputError(
                f"{self.title}: the similarity has {problem}; label its rows and columns with the names of the "
                "features, or give a plain matrix in their order."
            )
        order = [position[name] for name in known]
        if order == list(range(len(order))):
            return self
        ordered = self.similarity[order][:, order]
        ordered.setflags(write=False)
        return self._changed(similarity=ordered, labels=None)

    def _has_similarity_of(self, other: OfSimilarity) -> bool:
        import numpy as np

        if self.is_named or other.is_named:
            return self.is_named and other.is_named and self.measure == other.measure
        if self.on_demand or other.on_demand:
            return self.similarity is other.similarity
        return np.array_equal(self.similarity, other.similarity)


def similarity_measure(name: Any, who: str, choices: Sequence[str] = MEASURES) -> str:
    if not isinstance(name, str) or name not in choices:
        otherwise = by_interface(", or give a matrix", "") if choices == MEASURES else ""
        hint = suggestion(name, choices, f"choose one of {', '.join(map(repr, choices))}{otherwise}.")
        raise InputError(f"{who}: the measure {name!r} is unknown; {hint}")
    return str(name)


def similarity_limit(name: str, value: Any, who: str, example: str, *, zero: bool = False) -> float:
    """A similarity that a user gives as a limit, from 0 (or above 0) to 1."""
    number = as_number(value)
    if not (0 < number <= 1 or (zero and number == 0)):
        range_in_words = "a number from 0 to 1" if zero else "a number above 0 and at most 1"
        raise InputError(f"{who}: {parameter(name, value)} must be {range_in_words}, such as {example}.")
    return number
