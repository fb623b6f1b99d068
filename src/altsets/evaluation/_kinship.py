"""How much features are alike: which can stand in for which, and how much any two features of the table are alike."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from altsets.arrays import Floats
from altsets.measures import pairwise
from altsets.tables.feature_matrix import Features

__all__ = ["MOST_RELATED", "kinship_of", "mean_kinship"]

#: Features of which it is asked how much they are alike; their pairs are many.
MOST_RELATED = 200
#: Features from which the mean over all pairs is estimated.
MOST_SAMPLED = 50


def kinship_of(
    features: Features, chosen: Sequence[int], weights: Floats | None = None
) -> dict[tuple[int, int], float]:
    """How much chosen features are alike, pair by pair; nothing if they are too many.

    Parameters
    ----------
    features, weights : Features, ndarray or None
        The table, and how much its rows count. Nothing is decided by the answer, so all rows may tell.
    chosen : sequence of int
        The features, in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> kinship_of(Features(np.array([[1.0, 4, 7], [2, 3, 8], [3, 2, 7], [4, 1, 8]])), [0, 1, 2])
    {(0, 1): 1.0, (0, 2): 0.447214, (1, 2): 0.447214}
    """
    if not 1 < len(chosen) <= MOST_RELATED:
        return {}
    alike = _alike(features.columns(chosen), weights)
    return {
        (chosen[one], chosen[other]): round(float(alike[one, other]), 6)
        for one, other in itertools.combinations(range(len(chosen)), 2)
    }


def mean_kinship(features: Features, weights: Floats | None, random_state: int) -> float:
    """How much two features of the table are alike on average: what sets that are drawn at random have in common.

    Parameters
    ----------
    features, weights : Features, ndarray or None
        The table; of a wide one, some features are drawn.
    random_state : int
        The seed of that draw.
    """
    count = features.n_features
    if count < 2:
        return 0.0
    if count > MOST_SAMPLED:
        drawn = np.random.default_rng(random_state).choice(count, MOST_SAMPLED, replace=False)
        features = features.columns(sorted(drawn.tolist()))
    alike = _alike(features, weights)
    return round(float(alike[np.triu_indices(len(alike), 1)].mean()), 6)


def _alike(features: Features, weights: Floats | None) -> Floats:
    """Symmetrical uncertainty, or the rank correlation where it says more.

    The former knows categories and relations of any form, but is far below 1 for numbers that rise and fall together
    with some noise.
    """
    alike = pairwise(features, "symmetrical_uncertainty", sample_weight=weights, warn=False)
    ordered = [index for index in range(features.n_features) if len(features.categories.get(index, ())) <= 2]
    if ordered:
        places = np.ix_(ordered, ordered)
        alike[places] = np.maximum(alike[places], _rank_correlations(features.values[:, ordered], weights))
    return np.clip(alike, 0.0, 1.0)


def _rank_correlations(values: Floats, weights: Floats | None) -> Floats:
    """Absolute rank correlations over the rows in which both columns are known; the ranks are those of each alone."""
    from scipy.stats import rankdata

    known = ~np.isnan(values)
    counted = known if weights is None else known * weights[:, None]
    ranks = np.where(known, rankdata(values, axis=0, nan_policy="omit"), 0.0)
    total = np.maximum(counted.sum(axis=0), math.ulp(0.0))
    centred = np.where(known, ranks - (counted * ranks).sum(axis=0) / total, 0.0)
    products = centred.T @ (centred if weights is None else centred * weights[:, None])
    squares = (counted * centred**2).T @ known
    scale = np.sqrt(squares * squares.T)
    return np.asarray(np.abs(np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)))
