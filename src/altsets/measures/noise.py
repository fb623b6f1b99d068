"""Permutation null of scores: what a measure gives to columns whose rows were shuffled."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.measures._univariate import chi2, f_score, pearson, spearman
from altsets.measures.information.mutual_information import mutual_info, symmetrical_uncertainty
from altsets.tables.checks import constant_columns
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import Features
from altsets.tables.weights import counted

#: Measures that score one column at a time; the others are too slow, or score a column beside all others.
UNIVARIATE: dict[str, Callable[..., Floats]] = {
    "mutual_info": mutual_info,
    "f": f_score,
    "pearson": pearson,
    "spearman": spearman,
    "chi2": chi2,
    "symmetrical_uncertainty": symmetrical_uncertainty,
}

#: The probability that a single column unrelated to the target exceeds the floor.
LEVEL = 0.05
#: The number of shuffled columns, as a share of the scores that were computed ...
SHARE = 0.2
#: ... or as many as have this many values, which takes no time, with at most so many shuffles per column ...
CELLS = 30_000
QUICK_CELLS = {"f": 500_000, "pearson": 500_000, "chi2": 500_000}
REPEATS = 50
#: ... and at least this.
LEAST = 10
#: With at least this many values expected beyond the floor, an empirical quantile; else an exponential tail.
ENOUGH = 10


def noise_floor(
    X: Any,
    y: Any,
    measure: str,
    *,
    n_scored: int | None = None,
    sample_weight: Any = None,
    random_state: int = 25,
    **options: Any,
) -> float | None:
    """The score that the best column of a table like this may reach by chance; None if no column varies.

    Columns are drawn at random and shuffled, each by itself, so that they are unrelated to the target, and are
    scored. The floor is the score that such a column exceeds with a probability of 1/20, or of 1/n in a table of n > 20
    columns: of n unrelated columns, about one is above it. A wide table has a higher floor than a narrow one because
    the best of many columns is picked.

    Few shuffled columns suffice, so that it costs about a fifth of the scores (``n_scored`` columns and pairs): the
    tail of their scores is taken to be exponential, which puts the floor a little too high rather than too low. Only
    for measures in :data:`UNIVARIATE`; for others it is None.
    """
    features, y, weights = counted(features_of(X), y, sample_weight)
    varied = np.flatnonzero(~constant_columns(features.values))
    if measure not in UNIVARIATE or not len(varied):
        return None
    share = math.ceil(SHARE * (n_scored or features.n_features))
    most = max(LEAST, share, QUICK_CELLS.get(measure, CELLS) // features.n_rows)
    shuffled = _shuffled(features, varied, most, random_state)
    weighted = {} if weights is None else {"sample_weight": weights}
    with warnings.catch_warnings():
        # The same warnings came up for the columns as they are.
        warnings.simplefilter("ignore")
        scores = UNIVARIATE[measure](shuffled, y, **weighted, **options)
    return _upper_quantile(scores, min(LEVEL, 1 / len(varied)))


def _shuffled(features: Features, columns: Indices, most: int, random_state: int) -> Features:
    """Some of the columns, each shuffled on its own."""
    rng = np.random.default_rng(random_state)
    # Round by round through all columns, so that each gets its share.
    rounds = [rng.permutation(columns) for _ in range(min(REPEATS, math.ceil(most / len(columns))))]
    drawn = features.columns(np.concatenate(rounds)[:most].tolist())
    return Features(rng.permuted(drawn.values, axis=0), None, drawn.categories)


def _upper_quantile(scores: Floats, share: float) -> float:
    """The value that this share of scores exceeds."""
    expected = share * len(scores)
    if expected >= ENOUGH:
        return float(np.quantile(scores, 1 - share))
    tail = max(len(scores) // 10, min(len(scores) // 2, 5))
    falling = np.sort(scores)[::-1]
    beyond = float(np.mean(falling[:tail] - falling[tail]))
    return float(falling[tail] + beyond * math.log(tail / expected))
