"""From a table to the numbers of a quality."""

from __future__ import annotations

from typing import Any

from altsets import measures
from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures.custom import is_array
from altsets.measures.pairs import warn_of_pairs
from altsets.tables.checks import LEAVE_OUT_ROWS
from altsets.tables.conversion import features_of
from altsets.tables.weights import weights_of

__all__ = ["papers_scaling", "relevance_and_pairs"]


def papers_scaling(scaling: str | None) -> bool:
    """Whether the numbers are to be scaled as in the paper's study."""
    if scaling not in (None, "paper"):
        raise InputError(f"scaling={scaling!r} is unknown; choose None or 'paper'.")
    return scaling == "paper"


def relevance_and_pairs(
    X: Any, y: Any, measure: Any, pair_measure: Any, sample_weight: Any, options: dict[str, Any], advice: str
) -> tuple[Floats, Floats, list[str] | None]:
    """Each feature with the target, each feature with each other, and the names of the features.

    Options go to the measure; to the measure of pairs only if it is the same, but for those about the target. Weights
    of rows go to both.
    """
    if pair_measure is None and _scores_only(measure):
        # Said before the work is done, and in words that fit the caller's parameters.
        said = f"measure={measure!r}" if isinstance(measure, str) else "an array of scores"
        raise InputError(f"{said} compares features with the target only, not with each other; {advice}.")
    features = features_of(X)
    relevance, names = measures.score(features, y, measure, sample_weight=sample_weight, **options)
    pair_options: dict[str, Any] = {}
    if pair_measure is None:
        pair_measure = measure
        apart = ("feature_names",) if callable(measure) else ("feature_names", "task")
        pair_options = {name: value for name, value in options.items() if name not in apart}
    elif not _says_as_much(measure, pair_measure):
        named = features_of(features, options.get("feature_names"))
        warn_of_pairs(named, weights_of(sample_weight, features.n_rows), pair_measure, {})
    pairs = measures.pairwise(features, pair_measure, sample_weight=sample_weight, warn=False, **pair_options)
    return relevance, pairs, names


def _says_as_much(measure: Any, pair_measure: Any) -> bool:
    """Whether the measure of relevance has said already what the measure of pairs would warn of."""
    if not isinstance(measure, str) or not isinstance(pair_measure, str):
        return False
    return measure == pair_measure or (measure in LEAVE_OUT_ROWS and pair_measure in LEAVE_OUT_ROWS)


def _scores_only(measure: Any) -> bool:
    if isinstance(measure, str):
        return measure in measures.MEASURES and measure not in measures.PAIR_MEASURES
    return is_array(measure)
