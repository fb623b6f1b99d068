"""Measures: how much each feature says about the target, and about each other feature.

The measures are plain functions of a table and a target. All of them are deterministic and give 0 to constant
columns. Tables may hold categories and missing values; a measure that does not support them refuses them by name, and
nothing is ever filled in. :data:`MEASURES` has them by name; qualities call :func:`score` and :func:`pairwise`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError, warn_user
from altsets.features import one_of
from altsets.measures import noise
from altsets.measures._importance import importance, permutation, shap
from altsets.measures._relief import relief
from altsets.measures._survival import SURVIVAL_MEASURES as SURVIVAL_MEASURES
from altsets.measures._survival import concordance, cox, logrank
from altsets.measures._univariate import chi2, f_score, pearson, spearman
from altsets.measures.information.mutual_information import mutual_info, symmetrical_uncertainty
from altsets.measures.large.scores import score_large
from altsets.measures.large.table import is_large, large_table
from altsets.measures.pairs import PAIR_MEASURES, given_numbers, is_array, pairwise, score_by
from altsets.measures.piecewise import scores_for
from altsets.measures.redundancy import Redundancy
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import (
    Features,
    copies_in,
    warn_of_constants,
    warn_of_left_out_rows,
    warn_that_constant,
)
from altsets.tables.weights import counted, counted_as_repeats
from altsets.wording import list_some

__all__ = [
    "MEASURES",
    "PAIR_MEASURES",
    "Redundancy",
    "chi2",
    "concordance",
    "cox",
    "f",
    "f_score",
    "importance",
    "logrank",
    "mutual_info",
    "pairwise",
    "pearson",
    "permutation",
    "relief",
    "score",
    "shap",
    "spearman",
    "symmetrical_uncertainty",
]

f = f_score

#: Columns that are equal to each other, and named in a message.
MOST_COPIES = 4

#: The measures by the names that qualities and the command line use.
MEASURES: dict[str, Callable[..., Floats]] = {
    "mutual_info": mutual_info,
    "f": f_score,
    "pearson": pearson,
    "spearman": spearman,
    "chi2": chi2,
    "relief": relief,
    "importance": importance,
    "permutation": permutation,
    "shap": shap,
    "symmetrical_uncertainty": symmetrical_uncertainty,
    "concordance": concordance,
    "cox": cox,
    "logrank": logrank,
}

#: Measures that fit a model, to a target of any kind.
OF_FITTED_MODELS = ("importance", "permutation", "shap")

#: Measures that compare features with each other by another measure.
PAIRED_BY = {"concordance": "spearman"}


def score(
    X: Any,
    y: Any,
    measure: Any = "mutual_info",
    *,
    feature_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    combine: Any = None,
    **options: Any,
) -> tuple[Floats, list[str] | None]:
    """Score every feature, with the names of the features if the table has them.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        An array, a frame (pandas, polars, Arrow) with numbers, text and categories, or a sparse matrix or frame, which
        is never made dense as a whole. Each measure says what it makes of categories and missing values. Or a table
        that is read in passes: the path of a Parquet file or of a folder of them, an Arrow dataset, a Dask frame or
        array. These take the measures "f", "pearson", "chi2", "symmetrical_uncertainty", and "mutual_info" in bins,
        whose cut points are quantiles of 50,000 rows.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The target: numbers or text; events and times, as :func:`altsets.io.survival_target` makes them; or several
        columns, or a set of labels for each row. Of a table that is read in passes, the name of its column; of a Dask
        array, another one.
    measure : str, callable or array, default="mutual_info"
        A name in :data:`MEASURES`; ``measure(X, y)`` for a float matrix and an array, which returns scores, or scores
        and p-values as scikit-learn's score functions do; or the scores themselves, without options.
    feature_names : sequence of str, default=None
        Names of the columns; by default those of ``X``, if it has any.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts: 0 for not at all, 2 for twice. Measures that know no weights take whole numbers, and
        refuse others.
    combine : {"mean", "max", "sets"} or sequence of float, default=None
        For several targets: whether the score of a feature is the mean of its scores for each of them (also by
        default), the largest one, or their mean with these weights. "sets" makes a class of each combination of
        labels, if there are no more than 20.
    **options : dict
        Passed on to the measure. Many take ``task``: whether the target is a class or a number, where "auto" looks at
        its values; ``n_jobs``: the number of threads, on which no score depends, by default all processors; and
        ``callback``: a function that gets the share of the work done, and ends the work if it raises. A table that is
        read in passes also takes ``max_memory``, a ceiling such as ``"2GB"``, by default a quarter of the machine.

    Returns
    -------
    scores : ndarray of shape (n_features,)
    names : list of str or None

    Warns
    -----
    UserWarning
        If columns are exact copies of each other, or constant (these score 0); if the measure leaves out rows with
        missing values; if it cannot do with the weights what it does without.

    See Also
    --------
    altsets.quality.Additive : A quality made of such scores.

    Examples
    --------
    >>> scores, names = score([[1, 4], [2, 3], [3, 2], [4, 4]], [1, 2, 3, 4], "pearson")
    >>> scores.round(4).tolist()
    [1.0, 0.1348]
    """
    if is_large(X):
        return _large_table(X, y, measure, _with_weights(options, sample_weight), feature_names)
    task = options.get("task", "auto")
    if not (callable(measure) or is_array(measure)):
        one_of("measure", measure, MEASURES, ", or pass a function of X and y, or one score for each feature")
    features, y, weights = counted(features_of(X, feature_names), y, sample_weight, task)
    if callable(measure):
        features, y = counted_as_repeats(features, y, weights, "a function as measure")
        scores = score_by(measure, features, np.asarray(y), **options)
    elif is_array(measure):
        scores = given_numbers(measure, features, options)
    else:
        scores = scores_for(MEASURES[measure], features, y, _with_weights(options, weights), combine)
    if not is_array(measure):
        # Custom functions may give constants a score; warnings are issued here, so that they come once.
        scores = np.where(features.constant, 0.0, scores)
        warn_of_constants(features)
        warn_of_left_out_rows(features, measure)
    copies = [_as_copies(features, group) for group in copies_in(features)]
    if copies:
        warn_user(
            f"some columns are exact copies of each other ({list_some(copies, 5)}); "
            "a copy is no real alternative, so keep only one of each."
        )
    return scores, features.names


def _as_copies(features: Features, group: list[int]) -> str:
    # In a sparse table, hundreds of columns can be equal.
    more = f" and {len(group) - MOST_COPIES:,} more" if len(group) > MOST_COPIES else ""
    return " = ".join(map(features.label, group[:MOST_COPIES])) + more


def _with_weights(options: dict[str, Any], weights: Any) -> dict[str, Any]:
    return options if weights is None else {**options, "sample_weight": weights}


def _large_table(
    X: Any, y: Any, measure: Any, options: dict[str, Any], feature_names: Sequence[str] | None
) -> tuple[Floats, list[str] | None]:
    """The same for a table that is read in passes; copies are not looked for."""
    if feature_names is not None:
        raise InputError("the columns of a table that is read in passes have names; leave out feature_names.")
    table = large_table(X, y, options.pop("max_memory", None))
    if measure == "mutual_info" and options.get("method", "neighbors") == "neighbors":
        options["method"] = "bins"
        warn_user(
            "mutual information by nearest neighbours needs the table in memory, so it is counted in bins instead "
            "(method='bins')."
        )
    scores, constant = score_large(table, measure, **options)
    if constant.any():
        warn_that_constant(table.labels(constant, most=5))
    return scores, table.names


# --- The noise floor ----------------------------------------------------------------------------------

#: Measures that score one column at a time; the others are too slow, or score a column beside all others.
UNIVARIATE = (
    *("mutual_info", "f", "pearson", "spearman", "chi2", "symmetrical_uncertainty"),
    *("concordance", "cox", "logrank"),
)

#: The probability that a single column unrelated to the target exceeds the floor.
LEVEL = 0.05
#: The number of shuffled columns, as a share of the scores that were computed ...
SHARE = 0.2
#: ... or as many as have this many values, which takes no time.
CELLS = 100_000
QUICK_CELLS = {"f": 500_000, "pearson": 500_000, "chi2": 500_000, "cox": 500_000, "logrank": 500_000}


def noise_floor(
    X: Any,
    y: Any,
    measure: str,
    *,
    n_scored: int | None = None,
    sample_weight: Any = None,
    random_state: int = 25,
    combine: Any = None,
    **options: Any,
) -> Floats | None:
    """The score that each column may reach by chance; None if no column varies, or for measures not in UNIVARIATE.

    Columns are shuffled, each by itself, and scored. The floor is the score that such a column exceeds with a
    probability of 1/20, or of 1/n in a table of n > 20 columns, since the best of many columns is picked. Columns of
    one kind have one floor: numbers score more by chance than categories of two labels. Few shuffled columns suffice,
    about a fifth of the ``n_scored`` columns and pairs, and at least 19 of each kind.
    """
    features, y, weights = counted(features_of(X), y, sample_weight, options.get("task", "auto"))
    varied = np.flatnonzero(~features.constant)
    if measure not in UNIVARIATE or not len(varied):
        return None
    cells = QUICK_CELLS.get(measure, CELLS) // features.n_rows
    most = max(SHARE * (n_scored or features.n_features), cells) / len(varied)
    rng = np.random.default_rng(random_state)
    kinds = noise.kinds_of(features, varied)
    drawn = [noise.drawn_from(kind, most * len(kind), rng) for kind in kinds]
    with warnings.catch_warnings():
        # The same warnings came up for the columns as they are.
        warnings.simplefilter("ignore")
        shuffled = noise.shuffled(features, np.concatenate(drawn), rng)
        scores = scores_for(MEASURES[measure], shuffled, y, _with_weights(options, weights), combine)
    floors = np.zeros(features.n_features)
    of_kinds = np.split(scores, np.cumsum([len(columns) for columns in drawn[:-1]]))
    for kind, by_chance in zip(kinds, of_kinds, strict=True):
        floors[kind] = noise.exceeded_by(by_chance, min(LEVEL, 1 / len(varied)))
    return floors
