"""A table of complete numbers as one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from altsets.measures._features import FloatArray, features_of

__all__ = ["matrix_of"]


def matrix_of(X: Any, feature_names: Sequence[str] | None = None) -> tuple[FloatArray, list[str] | None]:
    """The values of a table as a float matrix, and the names of its columns if it has names."""
    features = features_of(X, feature_names)
    features.refuse_categories("this measure", most=0, advice="drop them or encode them as numbers")
    features.refuse_missing("this measure", advice="fill them in, or drop these columns or rows")
    return features.values, features.names
