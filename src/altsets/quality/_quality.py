"""What all qualities have in common: features with names, two ways to be evaluated, checks of their numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from altsets import measures
from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.features import are_counted, first_difference, labels_of, name_of, real_numbers
from altsets.measures.large.table import LargeTable, is_large, large_table
from altsets.measures.pairs import is_array, warn_of_pairs
from altsets.measures.redundancy import MATRIX_COLUMNS, Redundancy
from altsets.quality._fitted_set import FittedSet
from altsets.quality.form import Form
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import LEAVE_OUT_ROWS
from altsets.tables.weights import weights_of

#: Swaps that are tried, or sets that are evaluated, in one search of a black box; as in the paper.
MAX_ITERS = 1000
#: Where a pickled quality says which of its arrays are read-only.
LOCKED = "(read-only)"


class Quality(ABC):
    """The quality of feature sets: what every quality offers to searches and to users.

    Parameters
    ----------
    n_features_in : int
    names : list of str or None
        Their names; None for ``x0``, ``x1``, ...

    Attributes
    ----------
    size_normalised : bool
        Whether sets of different sizes compare fairly. A sum grows with every good feature, a mean or a ratio does not.
    chooses_size : bool
        Whether the quality decides how large sets are, as that of a model which chooses features by itself.
    has_form : bool
        Whether engines can read it as numbers, with :meth:`form`; the sets of a black box can only be evaluated.
    max_iters : int
        How long to search if they cannot; see :class:`altsets.quality.BlackBox`.

    See Also
    --------
    altsets.quality.Additive, altsets.quality.BlackBox : Qualities of scores, and of functions.

    Examples
    --------
    >>> from altsets.quality import Additive
    >>> isinstance(Additive([3, 2, 1]), Quality)
    True
    """

    size_normalised: bool
    has_form: bool = True
    max_iters: int = MAX_ITERS
    chooses_size: bool = False
    #: Whether pairs of features are computed when they are needed, as for wide tables.
    pairs_on_demand: bool = False
    #: What each feature may score by chance, where that was measured.
    noise_floor: Floats | None = None
    #: Columns of the table that hold one value only: no set has them, unless a constraint requires one.
    constant: tuple[int, ...] = ()
    #: What users should know about how it was made, one sentence each.
    notes: tuple[str, ...] = ()

    def __init__(self, n_features_in: int, names: list[str] | None) -> None:
        self._n_features_in = n_features_in
        self._names = names

    @property
    def n_features_in(self) -> int:
        """Number of features to choose from."""
        return self._n_features_in

    @property
    def feature_names(self) -> list[str]:
        """Names of all features."""
        return [self._name(index) for index in range(self.n_features_in)]

    @property
    def is_named(self) -> bool:
        """Whether the features were given names; else they are ``x0``, ``x1``, ..."""
        return self._names is not None

    def with_names(self, names: Sequence[str]) -> Self:
        """Return a copy with other names for the features, one for each."""
        renamed = copy(self)
        renamed._names = list(names)
        return renamed

    def names_of(self, indices: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the features of one set."""
        return tuple(self._name(index) for index in indices)

    @property
    def feature_scores(self) -> Floats | None:
        """What each feature alone is worth, in the units of the quality; None if only sets have scores."""
        return None

    def scores_in(self, sets: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Return what each feature of each set alone is worth; an empty list if only sets have scores."""
        scores = self.feature_scores
        return [] if scores is None else [tuple(scores[list(chosen)].tolist()) for chosen in sets]

    def models_in(self, sets: Sequence[Sequence[int]]) -> list[FittedSet]:
        """Return the model on each set, where the quality is that of models; else an empty list."""
        return []

    @abstractmethod
    def evaluate(self, indices: Sequence[int]) -> float:
        """Return the quality of one set of indices by its definition; minus infinity if it is ruled out."""

    @abstractmethod
    def form(self, size: int) -> Form:
        """Return the quality of sets of one size in numbers; UnsupportedError if the quality is a black box."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_features_in} features)"

    def __getstate__(self) -> dict[str, Any]:
        # NumPy forgets in a copy that an array is read-only.
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return {**vars(self), LOCKED: [name for name, value in arrays.items() if not value.flags.writeable]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        locked = state.get(LOCKED, ())
        vars(self).update({name: value for name, value in state.items() if name != LOCKED})
        for name in locked:
            getattr(self, name).setflags(write=False)

    def _name(self, index: int) -> str:
        # Made up on demand: a million scores should not cost a million strings.
        return f"x{index}" if self._names is None else self._names[index]

    def _refuse_infinite(self, what: str, values: Floats) -> None:
        self._refuse(what, ~np.isfinite(values), "not finite", "replace them or drop these features")

    def _refuse(self, what: str, wrong: Bools, fault: str, advice: str) -> None:
        if wrong.any():
            places = np.argwhere(wrong)
            named = ", ".join(" and ".join(self.names_of(place)) for place in places[:5])
            raise InputError(f"{len(places)} of {wrong.size} {what} are {fault} ({named}); {advice}.")


# --- Numbers and names of a quality: given by users and checked, or measured on a table ---------------------------


def vector(what: str, values: npt.ArrayLike) -> Floats:
    numbers = real_numbers(what, values)
    if numbers.ndim != 1 or not len(numbers):
        raise InputError(
            f"{what} must be a list of numbers, one for each feature; got shape {numbers.shape}."
        )
    return numbers


def matrix(what: str, values: npt.ArrayLike, n_features: int) -> Floats:
    """One number for each pair of features, in an array of its own; the diagonal is set to zero."""
    numbers = real_numbers(what, values)
    if numbers.shape != (n_features, n_features):
        raise InputError(
            f"{what} must be a table with one row and one column for each of the {n_features} features; "
            f"got shape {numbers.shape}."
        )
    np.fill_diagonal(numbers, 0.0)
    return numbers


def symmetric(values: Floats) -> Floats:
    # Halved first, so that the sum of two huge numbers does not overflow; of the smallest ones nothing would be left.
    average = np.ascontiguousarray(values / 2 + values.T / 2)
    np.copyto(average, values, where=values == values.T)
    return average


def size_checked(size: int) -> int:
    if size < 1:
        raise InputError("the quality of an empty set is not defined; give at least one feature.")
    return size


def common_names(
    feature_names: Sequence[str] | None, n_features: int, **inputs: npt.ArrayLike
) -> list[str] | None:
    """The names of the features: those given, else those that the inputs bring along; None if there are none.

    A pandas Series names the features in its index, a frame in its columns and its index.
    """
    given = [(what, *found) for what, values in inputs.items() for found in labels_of(values)]
    labelled = _consistent([(f"the {axis} of {what}", labels) for what, axis, labels in given])
    if feature_names is None and labelled:
        feature_names = labelled[0][1]
    return None if feature_names is None else _checked(feature_names, n_features)


def _consistent(labelled: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Refuse inputs that list the features in different orders: their numbers do not belong together."""
    # Labels that just count were made by the frame, not by the user.
    telling = [(source, labels) for source, labels in labelled if not are_counted(labels)]
    for source, labels in telling[1:]:
        if difference := first_difference(telling[0][1], labels):
            raise InputError(
                f"{telling[0][0]} and {source} name the features differently ({difference}); bring them into the same "
                "order."
            )
    return telling or labelled


def _checked(names: Sequence[str], n_features: int) -> list[str]:
    """Feature names as a list of distinct strings."""
    if isinstance(names, str):
        raise InputError(f"feature_names must be a list of names, not the single string {names!r}.")
    listed = [name_of(name) for name in names]
    if len(listed) != n_features:
        raise InputError(f"{len(listed)} feature names were given for {n_features} features.")
    if len(set(listed)) != len(listed):
        twice = sorted(name for name, count in Counter(listed).items() if count > 1)
        named = ", ".join(twice[:5])
        raise InputError(f"feature names must be distinct; these occur more than once: {named}.")
    return listed


def papers_scaling(scaling: str | None) -> bool:
    if scaling not in (None, "paper"):
        raise InputError(f"scaling={scaling!r} is unknown; choose None or 'paper'.")
    return scaling == "paper"


def relevance_and_pairs(
    X: Any, y: Any, measure: Any, pair_measure: Any, sample_weight: Any, options: dict[str, Any], advice: str
) -> tuple[Floats, Floats | Redundancy, list[str] | None]:
    """Each feature with the target, each feature with each other, and the names of the features.

    Options go to the measure; to the measure of pairs only if it is the same, but for those about the target. Weights
    of rows go to both. The pairs of a wide table are computed when they are needed.
    """
    if pair_measure is None and isinstance(measure, str):
        pair_measure = measures.PAIRED_BY.get(measure)
    of_target = is_array(measure)
    if isinstance(measure, str):
        of_target = measure in measures.MEASURES and measure not in measures.PAIR_MEASURES
    if pair_measure is None and of_target:
        # Said before the work is done, and in words that fit the caller's parameters.
        said = f"measure={measure!r}" if isinstance(measure, str) else "an array of scores"
        raise InputError(f"{said} compares features with the target only, not with each other; {advice}.")
    large = is_large(X)
    features = large_table(X, y, options.pop("max_memory", None)) if large else features_of(X)
    relevance, names = measures.score(features, y, measure, sample_weight=sample_weight, **options)
    pair_options: dict[str, Any] = {}
    if pair_measure is None:
        pair_measure = measure
        apart = ("feature_names", "combine") if callable(measure) else ("feature_names", "combine", "task")
        pair_options = {name: value for name, value in options.items() if name not in apart}
    elif not large and not _says_as_much(measure, pair_measure):
        named = features_of(features, options.get("feature_names"))
        warn_of_pairs(named, weights_of(sample_weight, features.n_rows), pair_measure, {})
    if isinstance(features, LargeTable):
        return relevance, _pairs_of_large(features, relevance, pair_measure, options), names
    if features.n_features > MATRIX_COLUMNS and pair_measure in measures.PAIR_MEASURES:
        on_demand = Redundancy(features, pair_measure, sample_weight=sample_weight, **pair_options)
        return relevance, on_demand, names
    pairs = measures.pairwise(features, pair_measure, sample_weight=sample_weight, warn=False, **pair_options)
    return relevance, pairs, names


def _pairs_of_large(
    table: LargeTable, relevance: Floats, pair_measure: Any, options: dict[str, Any]
) -> Floats | Redundancy:
    """The pairs of a table that is read in passes: all of them if they are not too many, else on demand."""
    # The columns have been cut into bins by the same options.
    about_bins = ("task", "method", "discrete", "n_bins", "n_neighbors")
    counts = pair_measure != "pearson"
    given = {name: value for name, value in options.items() if counts and name in about_bins}
    if counts:
        given["method"] = "bins"
    pairs = Redundancy(table, pair_measure, **given)
    if table.n_features <= MATRIX_COLUMNS:
        every = np.arange(table.n_features)
        return pairs[np.ix_(every, every)]
    pairs.expect(np.argsort(-relevance, kind="stable"))
    return pairs


def _says_as_much(measure: Any, pair_measure: Any) -> bool:
    """Whether the measure of relevance has said already what the measure of pairs would warn of."""
    if not isinstance(measure, str) or not isinstance(pair_measure, str):
        return False
    return measure == pair_measure or (measure in LEAVE_OUT_ROWS and pair_measure in LEAVE_OUT_ROWS)
