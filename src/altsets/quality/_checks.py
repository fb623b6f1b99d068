"""Numbers and names that come in from outside, checked for shape and brought into order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.features import are_counted, labels_of, real_numbers

__all__ = ["common_names", "matrix", "size_checked", "symmetric", "vector"]


def vector(what: str, values: npt.ArrayLike) -> Floats:
    """One number for each feature, in an array of its own."""
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
    """The average of a matrix and its transpose."""
    # Halved first, so that the sum of two huge numbers does not overflow; of the smallest ones nothing would be left.
    average = np.ascontiguousarray(values / 2 + values.T / 2)
    np.copyto(average, values, where=values == values.T)
    return average


def size_checked(size: int) -> int:
    """The size of a set for which a mean or a ratio is to be computed."""
    if size < 1:
        raise InputError("the quality of an empty set is not defined; give at least one feature.")
    return size


def common_names(
    feature_names: Sequence[str] | None, n_features: int, **inputs: npt.ArrayLike
) -> list[str] | None:
    """The names of the features: those given, else those that the inputs bring along; None if nobody names them.

    A pandas Series names the features in its index, a frame in its columns and its index.
    """
    labelled = [
        (f"the {axis} of {what}", labels)
        for what, values in inputs.items()
        for axis, labels in labels_of(values)
    ]
    if len(labelled) > 1:
        labelled = _consistent(labelled)
    if feature_names is None and labelled:
        feature_names = labelled[0][1]
    return None if feature_names is None else _checked(feature_names, n_features)


def _consistent(labelled: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Refuse inputs that list the features in different orders: their numbers do not belong together."""
    # Labels that just count were made by the frame, not by the user.
    telling = [(source, labels) for source, labels in labelled if not are_counted(labels)]
    for source, labels in telling[1:]:
        first_source, first = telling[0]
        pairs = zip(first, labels, strict=False)
        different = next(((one, other) for one, other in pairs if one != other), None)
        if different:
            raise InputError(
                f"{first_source} and {source} name the features differently ({different[0]!r} where the other "
                f"has {different[1]!r}); bring them into the same order."
            )
    return telling or labelled


def _checked(names: Sequence[str], n_features: int) -> list[str]:
    """Feature names as a list of distinct strings."""
    if isinstance(names, str):
        raise InputError(f"feature_names must be a list of names, not the single string {names!r}.")
    listed = [str(name) for name in names]
    if len(listed) != n_features:
        raise InputError(f"{len(listed)} feature names were given for {n_features} features.")
    if len(set(listed)) != len(listed):
        twice = sorted(name for name, count in Counter(listed).items() if count > 1)
        raise InputError(
            f"feature names must be distinct; these occur more than once: {', '.join(twice[:5])}."
        )
    return listed
