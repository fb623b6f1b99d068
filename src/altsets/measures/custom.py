"""Custom measures: functions of a table and a target, and precomputed numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.features import are_counted, labels_of, real_numbers
from altsets.tables.checks import constant_columns
from altsets.tables.feature_matrix import Features

NUMBERS_ONLY = "encode them as numbers, or use mutual_info or symmetrical_uncertainty"
NO_HOLES = "fill them in, or use a measure that takes them, such as mutual_info"


def call_measure(
    function: Callable[..., Any], features: Features, target: npt.NDArray[Any], **options: Any
) -> Any:
    """The result of ``function(X, y)``: it gets nan for missing numbers, 0 and 1 for a category of two labels."""
    features.refuse_categories("a function as measure", most=2, advice=NUMBERS_ONLY)
    try:
        return function(features.values, target, **options)
    except ValueError as error:
        if features.incomplete.any():
            features.refuse_missing(f"the function given as measure ({error})", advice=NO_HOLES)
        raise


def score_by(
    measure: Callable[..., Any], features: Features, target: npt.NDArray[Any], **options: Any
) -> Floats:
    """One number per column from ``measure(X, y)``, which may return p-values too; nan only for constants."""
    answer = call_measure(measure, features, target, **options)
    scores = real_numbers("the scores of a measure", answer[0] if isinstance(answer, tuple) else answer)
    if scores.shape != (features.n_features,):
        raise InputError(
            f"the measure must return {features.n_features} scores, one for each feature; got shape {scores.shape}."
        )
    wrong = np.isnan(scores) & ~constant_columns(features.values)
    if wrong.any():
        because = f"; {NO_HOLES}" if features.incomplete[wrong].any() else ""
        raise InputError(
            f"the function given as measure returned no number (nan) for {features.labels(wrong)}{because}."
        )
    return scores


def is_array(measure: Any) -> bool:
    """Whether numbers were given in place of a measure."""
    return not isinstance(measure, str) and (
        hasattr(measure, "__array__") or isinstance(measure, list | tuple)
    )


def check_scores(measure: Any, n_features: int, names: list[str] | None, options: dict[str, Any]) -> Floats:
    """One number for each feature, as given."""
    scores = _check_array(measure, names, options, ("index",))
    if scores.shape != (n_features,):
        raise InputError(
            f"the array given as measure must hold {n_features} scores, one for each feature; "
            f"got shape {scores.shape}."
        )
    return scores


def check_pairs(measure: Any, n_features: int, names: list[str] | None, options: dict[str, Any]) -> Floats:
    """One number for each pair of features, as given."""
    pairs = _check_array(measure, names, options, ("index", "columns"))
    if pairs.shape != (n_features, n_features):
        raise InputError(
            "the array given as measure of pairs must have one row and one column for each of the "
            f"{n_features} features; got shape {pairs.shape}."
        )
    return pairs


def _check_array(
    measure: Any, names: list[str] | None, options: dict[str, Any], axes: tuple[str, ...]
) -> Floats:
    if options:
        raise InputError(
            f"an array given as measure takes no options; got {', '.join(sorted(options))}; leave them out."
        )
    values = real_numbers("the values of the array given as measure", measure)
    if not np.isfinite(values).all():
        raise InputError(
            "the array given as measure holds missing or infinite values; put in finite numbers."
        )
    for axis, labels in labels_of(measure):
        if axis in axes and names and labels != names and not are_counted(labels):
            raise InputError(
                f"the {axis} of the measure ({', '.join(labels[:3])} ...) names the features differently from the "
                f"table ({', '.join(names[:3])} ...); bring them into the same order."
            )
    return values
