"""The linear model on one set, as a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets import documents
from altsets.arrays import Floats

#: What the row of the intercept is called.
INTERCEPT = "(intercept)"


@dataclass(frozen=True, eq=False)
class FittedSet:
    """The model on one set: least squares, or a Cox model of survival.

    Attributes
    ----------
    features : tuple of str
    columns : tuple of str
        The names of the columns: a category has one for each label but the last.
    coefficients, standard_errors : ndarray of shape (n_columns, n_targets)
        In the units of the table; of a Cox model, the logarithms of hazard ratios. Errors are nan where there are no
        rows left to estimate them, with a ridge, and in a Cox model also where the likelihood grows with a coefficient
        for ever, or columns add up to others.
    intercept, intercept_errors : ndarray of shape (n_targets,)
        nan of a Cox model, which has none.
    r2 : float
        The share of the targets that the set explains, on the same rows; see :class:`altsets.quality.LinearFit`.
    target_r2 : ndarray of shape (n_targets,)
        R^2 of the model for each target; with classes, for the column of 0 and 1 that says which rows are of the class;
        nan of a Cox model.
    targets : tuple of str
        What each column of the coefficients is about: the targets, or all classes but the first. Of a Cox model, the
        event.
    c_index : float or None
        Harrell's C index of a Cox model on the same rows; None of least squares.

    See Also
    --------
    altsets.quality.LinearFit.fit : Makes it.

    Examples
    --------
    >>> from altsets.quality import LinearFit
    >>> fitted = LinearFit.from_data([[0, 1], [1, 0], [2, 1], [3, 1]], [1.0, 3.0, 5.0, 7.0]).fit([0])
    >>> fitted.features, fitted.intercept.round(6).tolist(), round(fitted.r2, 6)
    (('x0',), [1.0], 1.0)
    """

    features: tuple[str, ...]
    columns: tuple[str, ...]
    coefficients: Floats
    standard_errors: Floats
    intercept: Floats
    intercept_errors: Floats
    r2: float
    target_r2: Floats
    targets: tuple[str, ...]
    c_index: float | None = None

    def rows(self) -> list[tuple[str, str, float, float, float]]:
        """Return the model as lines of a table: target, column, coefficient, standard error, and R^2 or the C index.

        For each target the intercept comes first, if there is one, with the column ``"(intercept)"``.
        """
        if self.c_index is not None:
            numbers = (self.coefficients[:, 0].tolist(), self.standard_errors[:, 0].tolist())
            listed = zip(self.columns, *numbers, strict=True)
            return [(self.targets[0], name, one, error, self.c_index) for name, one, error in listed]
        found = []
        for place, target in enumerate(self.targets):
            values = [self.intercept[place], *self.coefficients[:, place]]
            errors = [self.intercept_errors[place], *self.standard_errors[:, place]]
            for column, value, error in zip((INTERCEPT, *self.columns), values, errors, strict=True):
                found.append((target, column, float(value), float(error), float(self.target_r2[place])))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the model as a part of a JSON document."""
        arrays = {name: _listed(getattr(self, name)) for name in ARRAYS}
        return {
            "columns": list(self.columns),
            "targets": list(self.targets),
            "r2": self.r2,
            **({} if self.c_index is None else {"c_index": self.c_index}),
            **arrays,
        }

    @classmethod
    def from_dict(cls, entry: dict[str, Any], features: tuple[str, ...]) -> FittedSet:
        """Read the ``entry`` that :meth:`to_dict` wrote for a set of features."""
        columns, targets = documents.texts(entry["columns"]), documents.texts(entry["targets"])
        shapes = dict.fromkeys(("coefficients", "standard_errors"), (len(columns), len(targets)))
        arrays = {name: _array(entry[name], shapes.get(name, (len(targets),)), name) for name in ARRAYS}
        index = entry.get("c_index")
        return cls(
            features=features,
            columns=columns,
            targets=targets,
            r2=documents.number(entry["r2"]),
            c_index=None if index is None else documents.number(index),
            **arrays,
        )


ARRAYS = ("coefficients", "standard_errors", "intercept", "intercept_errors", "target_r2")


def _listed(values: Floats) -> Any:
    if values.ndim > 1:
        return list(map(_listed, values))
    return [documents.finite(value) for value in values.tolist()]


def _array(entry: Any, shape: tuple[int, ...], name: str) -> Floats:
    rows = entry if len(shape) == 2 else [entry]
    numbers = [[documents.number_or(value, np.nan) for value in row] for row in rows]
    found = np.array(numbers, dtype=np.float64).reshape(-1, shape[-1])
    if found.shape != (shape if len(shape) == 2 else (1, *shape)):
        raise ValueError(f"a model has {name} of another shape than its columns and targets")
    return found.reshape(shape)
