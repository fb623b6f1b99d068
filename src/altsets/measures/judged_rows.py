"""Rows as models and scorers get them: sets of columns, labels, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.measures.models import fit
from altsets.measures.scorers import judge_of
from altsets.tables.encoded import Encoded, EncodedRows
from altsets.tables.original import Original, OriginalRows

__all__ = ["JudgedRows", "counted_groups", "judged_rows"]


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Some rows of a table.

    Attributes
    ----------
    columns : EncodedRows or OriginalRows
        Says what the model gets of a set of features.
    labels : ndarray
        The target.
    weights, groups : ndarray or None
        How much each row counts, and which rows belong together.
    """

    columns: EncodedRows | OriginalRows
    labels: npt.NDArray[Any]
    weights: Floats | None = None
    groups: npt.NDArray[Any] | None = None

    def fit(self, model: Any, chosen: Sequence[int]) -> Any:
        """Fit a model to these rows of a set of features."""
        return fit(model, self.columns(chosen), self.labels, self.weights, self.groups)

    def score(self, model: Any, chosen: Sequence[int], scorer: Any) -> float:
        """How well a model of this set predicts these rows."""
        return float(judge_of(scorer, self.weights)(model, self.columns(chosen), self.labels))


def judged_rows(
    table: Encoded | Original,
    rows: Indices,
    labels: npt.NDArray[Any],
    weights: Floats | None,
    groups: npt.NDArray[Any] | None,
) -> JudgedRows:
    """Some rows of a table, of its labels, and of weights and groups where there are any."""
    return JudgedRows(
        table.part(rows),
        labels[rows],
        None if weights is None else weights[rows],
        None if groups is None else groups[rows],
    )


def counted_groups(groups: Any, kept: Bools | None) -> npt.NDArray[Any] | None:
    """The groups of those rows that count.

    Examples
    --------
    >>> counted_groups(["a", "b"], np.array([False, True])).tolist()
    ['b']
    """
    if groups is None:
        return None
    return np.asarray(groups) if kept is None else np.asarray(groups)[kept]
