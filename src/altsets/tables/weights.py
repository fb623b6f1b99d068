"""What goes with the rows of a table: their labels, which must be those of the target, and their weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, reason_of, warn_user
from altsets.tables.conversion import row_labels
from altsets.tables.feature_matrix import Features
from altsets.tables.target import in_one_form, vector_of
from altsets.wording import shorten

#: The most rows that repeating may make.
MOST_REPEATED_ROWS = 50_000_000
#: Scorers multiply four sums of weights, which must stay within the range of floats.
LARGEST_WEIGHT = 1e50


def refuse_other_rows(features: Features, **beside: Any) -> None:
    """Refuse a pandas object beside the table, such as ``y=y``, whose index names other rows or another order.

    Labels that just count from 0 were made by the frame and name nothing, unless both sides have the same ones in
    another order. Arrays, lists and polars have no labels: their rows are matched by position.
    """
    for what, values in beside.items():
        labels, others = _different_labels(features, values)
        if labels is None:
            continue
        ours, theirs = Counter(labels.tolist()), Counter(others.tolist())
        if ours == theirs:
            bring = (
                f"{what} = {what}.loc[X.index]" if len(ours) == len(labels) else "the same sorting of both"
            )
            said = (
                f"X and {what} have the same row labels in another order; bring them into the same order with {bring}, "
                f"or pass {what}.to_numpy() if the rows are in the same order already."
            )
            if what != "y":
                raise InputError(said)
            # A permutation test shuffles the target with its labels, on purpose.
            warn_user(said)
        elif Counter(range(len(labels))) in (ours, theirs):
            continue
        elif what == "y" and _are_shuffled(labels, others):
            warn_user(
                "X and y share row labels in another order, as parts of a permutation test do; if y was not shuffled "
                "on purpose, bring both into the same order."
            )
        else:
            raise InputError(
                f"X and {what} have different row labels ({(theirs - ours).total():,} of {len(others):,} in {what} are "
                f"not in X, such as {shorten(next(iter(theirs - ours)))}); take both from the same rows, or pass "
                f"{what}.to_numpy() if they are the same rows in the same order."
            )


def relabelled(features: Features, y: Any) -> Any:
    """Return the target with the row labels of the table, so that other ones are refused or warned of only here."""
    refuse_other_rows(features, y=y)
    labels, _ = _different_labels(features, y)
    return y if labels is None else y.set_axis(labels)


def _different_labels(features: Features, values: Any) -> tuple[Any, Any]:
    """Return the row labels of the whole frame behind a table and of what is beside it, if as many differ; or None."""
    table, others = features.original, row_labels(values)
    if others is None or table is None or table.chosen_rows is not None:
        return None, None
    labels = row_labels(table.table)
    differ = labels is not None and len(labels) == len(others) and not labels.equals(others)
    return (labels, others) if differ else (None, None)


def _are_shuffled(labels: Any, others: Any) -> bool:
    """Return whether the row labels that two pandas objects share come in another order."""
    if not (labels.is_unique and others.is_unique):
        return False
    places = labels.get_indexer(others)
    return bool((np.diff(places[places >= 0]) < 0).any())


def weights_of(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return one weight per row, checked; None if there are none."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold one number for each row: {reason_of(error)}.") from error
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight must hold one number for each of the {n_rows} rows; got shape {weights.shape}."
        )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise InputError(
            f"sample_weight holds {wrong.sum()} value(s) that are not finite numbers from 0 up, such as "
            f"{weights[wrong][0]}; put in 0 for rows that do not count."
        )
    if not weights.any():
        raise InputError("sample_weight is zero for all rows; give some row a weight above zero.")
    extreme = (weights > LARGEST_WEIGHT) | ((weights > 0) & (weights < 1 / LARGEST_WEIGHT))
    if extreme.any():
        raise InputError(
            f"sample_weight holds {weights[extreme][0]}; weights other than 0 must lie between "
            f"{1 / LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, so that their sums and squares can be computed, so divide "
            "all of them by one number."
        )
    return weights


def whole(weights: Floats) -> bool:
    """Return whether all weights are whole numbers, which repeat rows."""
    return bool((weights == np.floor(weights)).all())


def repeated(features: Features, y: Any, weights: Floats) -> tuple[Features, npt.NDArray[Any]]:
    """Return table and target with each row repeated by its whole weight."""
    total = weights.sum()
    if total > MOST_REPEATED_ROWS:
        raise InputError(
            f"sample_weight adds up to {total:.6g}, which is too many repeated rows; use smaller weights."
        )
    rows = np.repeat(np.arange(features.n_rows), weights.astype(np.intp))
    return _some_rows(features, rows), vector_of(y, features.n_rows)[rows]


def counted(
    features: Features, y: Any, sample_weight: Any, task: str = "auto"
) -> tuple[Features, Any, Floats | None]:
    """Return table, target in one form and weights without the rows of weight 0; no weights if all are 1.

    Pass the target as the user gave it: in one form, it has no row labels to compare with those of the table.
    """
    refuse_other_rows(features, y=y, sample_weight=sample_weight)
    weights, y = weights_of(sample_weight, features.n_rows), in_one_form(y, task)
    counts = np.ones(features.n_rows, dtype=bool) if weights is None else weights > 0
    if features.covariates is not None:
        counts &= ~np.isnan(features.covariates).any(axis=1)
    if not counts.any():
        raise InputError("a covariate is missing in every row that counts; adjust for others.")
    if not counts.all():
        rows = np.flatnonzero(counts)
        y = None if y is None else vector_of(y, features.n_rows)[rows]
        features, weights = _some_rows(features, rows), None if weights is None else weights[rows]
    return features, y, None if weights is None or (weights == 1).all() else weights


def counted_rows(sample_weight: Any, n_rows: int) -> Bools | None:
    """Return which rows have a weight above 0; None if all have."""
    weights = weights_of(sample_weight, n_rows)
    return None if weights is None or weights.all() else weights > 0


def counted_as_repeats(features: Features, y: Any, sample_weight: Any, who: str) -> tuple[Features, Any]:
    """Return table and target for a measure without weights: whole ones repeat rows, others are refused."""
    features, y, weights = counted(features, y, sample_weight)
    if weights is None:
        return features, y
    if not whole(weights):
        broken = weights[weights != np.floor(weights)][0]
        raise InputError(
            f"{who} takes whole numbers as weights (rows that occur several times), but sample_weight holds {broken}; "
            "f, pearson, chi2, symmetrical_uncertainty, importance, permutation, shap, wrapper and mutual_info "
            "(method='bins') take any weights."
        )
    return repeated(features, y, weights)


def _some_rows(features: Features, rows: Indices) -> Features:
    """Return the features of some rows; labels that no longer occur are dropped."""
    some = features.rows(rows)
    categories = dict(some.categories)
    for index, labels in some.categories.items():
        seen, codes = np.unique(some.column(index), return_inverse=True)
        if len(seen) < len(labels):
            some.values[:, index] = codes
            categories[index] = tuple(labels[int(code)] for code in seen)
    return replace(some, categories=categories)
