"""Default decision trees with less around them: the same numbers, but the table is converted and checked only once.

Half of the time of a small fit is spent on such checks.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats

__all__ = ["as_columns", "fit_tree", "fits_single_precision", "matthews", "predicted_by", "r_squared"]

#: A table in single precision, one row for each of its columns.
Columns = npt.NDArray[np.float32]


def fits_single_precision(matrix: Floats) -> bool:
    """Whether trees, which work in single precision, can hold all numbers of a table."""
    with np.errstate(over="ignore"):
        return not np.isinf(matrix.astype(np.float32)).any()


def as_columns(matrix: Floats) -> Columns:
    """A table as trees want it: a few of its columns are quickly taken if each lies together."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32)


def fit_tree(unfitted: Any, columns: Columns, values: npt.NDArray[Any], *, check: bool = False) -> Any:
    """A copy of a tree, fitted to columns; only if it checks them does it look for missing values in them."""
    from sklearn import config_context

    tree = copy(unfitted)
    with config_context(skip_parameter_validation=True):
        tree.fit(columns.T, values, check_input=check)
    return tree


def predicted_by(tree: Any, columns: Columns) -> npt.NDArray[Any]:
    """What a fitted tree says: codes of classes, or amounts."""
    said: npt.NDArray[Any] = tree.tree_.predict(columns.T)
    if hasattr(tree, "classes_"):
        chosen: npt.NDArray[Any] = tree.classes_[np.argmax(said, axis=1)]
        return chosen
    return said[:, 0]


def matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], n_classes: int) -> float:
    """Matthews correlation of class codes; 0 where it is not defined.

    Examples
    --------
    >>> matthews(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2)
    0.5773502691896258
    """
    table = np.bincount(true * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)
    there, said, total = table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), len(true)
    shared = int(np.trace(table)) * total - sum(a * b for a, b in zip(there, said, strict=True))
    spread = (total**2 - sum(a * a for a in there)) * (total**2 - sum(b * b for b in said))
    return shared / float(spread) ** 0.5 if spread else 0.0


def r_squared(true: Floats, predicted: Floats) -> float:
    """How much of the variance is explained; of a constant target all or nothing.

    Examples
    --------
    >>> r_squared(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    1.0
    """
    left = float(np.sum((true - predicted) ** 2))
    spread = float(np.sum((true - np.mean(true)) ** 2))
    if spread:
        return 1 - left / spread
    return 0.0 if left else 1.0
