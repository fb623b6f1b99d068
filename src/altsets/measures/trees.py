"""Fast default decision trees: the same numbers, but the table is converted and checked only once.

Half of the time of a small fit goes into such checks.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats

#: A table in single precision, one row for each of its columns.
Columns = npt.NDArray[np.float32]


def fits_single_precision(matrix: Floats) -> bool:
    """Whether trees, which work in single precision, can hold all numbers of a table."""
    with np.errstate(over="ignore"):
        return not np.isinf(matrix.astype(np.float32)).any()


def as_columns(matrix: Floats) -> Columns:
    """A table for trees: each column is contiguous, so that some of them are taken quickly."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32)


def fit_tree(unfitted: Any, columns: Columns, values: npt.NDArray[Any], *, check: bool = False) -> Any:
    """A fitted copy of a tree; missing values are only handled with ``check``."""
    from sklearn import config_context

    tree = copy(unfitted)
    with config_context(skip_parameter_validation=True):
        tree.fit(columns.T, values, check_input=check)
    return tree


def predict_tree(tree: Any, columns: Columns) -> npt.NDArray[Any]:
    """Predictions of a fitted tree: class codes, or numbers."""
    predicted: npt.NDArray[Any] = tree.tree_.predict(columns.T)
    if hasattr(tree, "classes_"):
        chosen: npt.NDArray[Any] = tree.classes_[np.argmax(predicted, axis=1)]
        return chosen
    return predicted[:, 0]


def matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], n_classes: int) -> float:
    """Matthews correlation of class codes; 0 where it is not defined."""
    table = np.bincount(true * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)
    actual, predicted_counts, total = table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), len(true)
    shared = int(np.trace(table)) * total - sum(a * b for a, b in zip(actual, predicted_counts, strict=True))
    spread = (total**2 - sum(a * a for a in actual)) * (total**2 - sum(b * b for b in predicted_counts))
    return shared / float(spread) ** 0.5 if spread else 0.0


def r_squared(true: Floats, predicted: Floats) -> float:
    """The share of explained variance; of a constant target all or nothing."""
    left = float(np.sum((true - predicted) ** 2))
    spread = float(np.sum((true - np.mean(true)) ** 2))
    if spread:
        return 1 - left / spread
    return 0.0 if left else 1.0
