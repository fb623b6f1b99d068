"""Covariates, such as age, sex and batch, that scores are adjusted for.

With the covariates and an intercept as the columns of Z, M = I - Z (Z'Z)^-1 Z' turns a column into its residual: what a
linear model of the covariates leaves unexplained. Numbers are one column of Z, categories one for each label but the
last. Weights of rows are those of that model; a row in which a covariate is missing does not count.

- ``pearson``: the partial correlation, |cor(M x, M y)|.
- ``spearman``: the same for ranks, those of the covariates included.
- ``f``: the F statistic for adding x to a linear model of the covariates; for classes, for adding the classes to a
  linear model of x by the covariates (analysis of covariance). Each column of Z takes a degree of freedom.
- ``mutual_info``: the information between residuals, M x and M y; classes stay as they are.
- ``cox``: the score statistic for adding x to a Cox model of the covariates.
- ``linear_fit``: the share of M y that a linear model of the columns M x explains; for survival, the share of the score
  statistic beyond a Cox model of the covariates.
- Pairs of features: the same measure between M x and M z, each in the rows where it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.features import Feature
from altsets.tables.conversion import UsableColumns
from altsets.tables.feature_matrix import Features, constant_columns, encode
from altsets.wording import parameter

#: The measures that can be adjusted.
ADJUSTABLE = ("mutual_info", "f", "pearson", "spearman", "cox")
#: A column is explained by the covariates if what is left of it is shorter than this part of its length.
EXPLAINED = 1e-6
#: Directions shorter than this, as a part of the longest one, are rounding.
DEPENDENT = 1e-10


def beside_covariates(table: UsableColumns, adjust: Sequence[Feature]) -> UsableColumns:
    """Return the candidates of a table, with the covariates beside them."""
    if not adjust:
        return table
    places = set(table.all_names.positions(list(adjust), "adjust"))
    if lost := [name for name in table.dropped if table.all_names.positions([name], "adjust")[0] in places]:
        raise InputError(
            f"{parameter('adjust')} names {lost[0]!r}, a column that cannot be used; choose another one."
        )
    table.features.refuse_sparse(parameter("adjust"), "leave it out")
    ours = [index for index, place in enumerate(table.places) if place in places]
    others = [index for index, place in enumerate(table.places) if place not in places]
    if not others:
        raise InputError(f"{parameter('adjust')} names all columns; leave some of them as candidates.")
    covariates = np.asarray(encode(table.features.columns(ours)).matrix, dtype=np.float64)
    # Columns without names are still those of the whole table.
    names = [table.all_names[table.places[index]] for index in others]
    features = replace(table.features.columns(others), names=names, covariates=covariates)
    return table._replace(features=features, places=[table.places[index] for index in others])


def basis_of(covariates: Floats, weights: Floats | None = None) -> Floats:
    """Return orthonormal columns that span covariates and intercept, rows multiplied by the roots of their weights."""
    roots = np.ones(len(covariates)) if weights is None else np.sqrt(weights)
    units = standardize(covariates, weights)
    return orthonormal(np.hstack([(roots / np.linalg.norm(roots))[:, None], units[:, units.any(axis=0)]]))


def standardize(matrix: Floats, weights: Floats | None = None) -> Floats:
    """Columns of mean 0 and length 1, constant ones all 0; safe for columns far from zero or of any size.

    With weights, rows are multiplied by their roots, so that products of columns are weighted sums.
    """
    largest = np.abs(matrix).max(axis=0)
    centred = matrix / np.where(largest > 0, largest, 1.0)
    if weights is None:
        centred -= centred.mean(axis=0)
    else:
        centred -= (weights / weights.sum()) @ centred
        centred *= np.sqrt(weights)[:, None]
    centred[:, constant_columns(matrix)] = 0.0
    lengths = np.sqrt((centred**2).sum(axis=0))
    centred /= np.where(lengths > 0, lengths, 1.0)
    return centred


def orthonormal(columns: Floats) -> Floats:
    """Return orthonormal columns that span the same space."""
    if not columns.size:
        return columns
    vectors, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.ascontiguousarray(vectors[:, sizes > DEPENDENT * max(float(sizes[0]), DEPENDENT)])


def unexplained(units: Floats, basis: Floats) -> Floats:
    """Return columns of length one less what a basis explains, of length one again; 0 where nothing is left."""
    left = units - basis @ (basis.T @ units)
    # Once more, for what rounding has left.
    left -= basis @ (basis.T @ left)
    lengths = np.linalg.norm(left, axis=0)
    left[:, lengths <= EXPLAINED] = 0.0
    lengths[lengths <= EXPLAINED] = 1.0
    return np.asarray(left / lengths)


def residuals(
    columns: Floats,
    covariates: Floats,
    weights: Floats | None = None,
    prepare: Callable[[Floats], Floats] = np.ascontiguousarray,
) -> Floats:
    """Return what covariates leave unexplained of columns, both prepared (such as ranked); missing values stay."""
    found = np.full(columns.shape, np.nan)
    missing = np.isnan(columns)
    incomplete = np.asarray(missing.any(axis=0))
    in_part = np.flatnonzero(incomplete & ~missing.all(axis=0))
    for places in [np.flatnonzero(~incomplete), *in_part[:, None]]:
        known = slice(None) if not incomplete[places].any() else np.flatnonzero(~missing[:, places[0]])
        some = None if weights is None else weights[known]
        roots = 1.0 if some is None else np.sqrt(some)[:, None]
        units = standardize(prepare(columns[known][:, places]), some)
        left = unexplained(units, basis_of(prepare(covariates[known]), some))
        found[np.arange(len(columns))[known][:, None], places] = left / roots
    return found


def residual_table(
    features: Features,
    weights: Floats | None,
    who: str,
    prepare: Callable[[Floats], Floats] = np.ascontiguousarray,
) -> Features:
    """Return the table of residuals, all of them numbers."""
    assert features.covariates is not None
    features.refuse_categories(
        f"{who} adjusted for covariates", advice="use f, or merge them into two categories"
    )
    values = residuals(features.values, features.covariates, weights, prepare)
    return replace(features, cells=values, categories={}, covariates=None, original=None)
