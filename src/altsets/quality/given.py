"""What a user may give as a quality, where there is a table to make one from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures.custom import is_array, told_by
from altsets.quality._additive import Additive
from altsets.quality._quality import Quality
from altsets.quality.named import name_of_class, quality_maker
from altsets.tables.feature_matrix import Features

__all__ = ["Recipe", "needs_target", "quality_from"]


@dataclass(frozen=True)
class Recipe:
    """A quality by its name, with what belongs to it.

    Attributes
    ----------
    name, measure, estimator, scoring, pos_label, class_weight
        As for :func:`altsets.quality.named.quality_maker`.

    Examples
    --------
    >>> table = Features(np.array([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]]))
    >>> quality_from(Recipe("mrmr", measure="pearson"), table, [1, 2, 3, 4]).relevance.round(4).tolist()
    [1.0, 0.1348]
    """

    name: str
    measure: str | None = None
    estimator: Any = None
    scoring: Any = None
    pos_label: Any = None
    class_weight: Any = None


def quality_from(
    given: Any, features: Features, y: Any, *, sample_weight: Any = None, **options: Any
) -> Quality:
    """Make a quality of a table.

    Parameters
    ----------
    given : str, estimator, class, callable, quality or array
        As in :class:`altsets.SelectAlternatives`.
    features : Features
        The table.
    y : array-like or None
        The target.
    sample_weight : array-like, optional
        How much each row counts.
    **options
        ``task``, ``n_jobs``, ``random_state``, ``progress``: for those that take them.

    Examples
    --------
    >>> table = Features(np.array([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]]))
    >>> quality_from("pearson", table, [1, 2, 3, 4]).scores.round(4).tolist()
    [1.0, 0.1348]
    """
    if not needs_target(given):
        _refuse_weights(sample_weight, "numbers that were given")
        if isinstance(given, Quality):
            return _fitting(given, features)
        return Additive.from_data(features, y, measure=given)
    if sample_weight is not None:
        options["sample_weight"] = sample_weight
    if isinstance(given, Recipe):
        return quality_maker(**vars(given))(features, y, **options)
    name = name_of_class(given)
    if isinstance(given, str) or name is not None:
        return quality_maker(name or given)(features, y, **options)
    if hasattr(given, "fit") and not isinstance(given, type):
        return quality_maker("importance", estimator=given)(features, y, **options)
    if not callable(given):
        raise InputError(
            f"quality={given!r} is unknown; give a name such as 'mutual_info' or 'mrmr', an estimator, a quality, a "
            "function of X and y, or one score for each column."
        )
    if _is_ours(given):
        # What it takes beside these is up to the measure that is bound to it.
        task = {} if options.get("task", "auto") == "auto" else {"task": options["task"]}
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return given(features, y, **task, **weights)  # type: ignore[no-any-return]
    _refuse_weights(sample_weight, "functions")
    return _by_function(given, features, y)


def needs_target(given: Any) -> bool:
    """Whether a quality is to be computed; numbers that are there already need no target.

    Examples
    --------
    >>> needs_target("mutual_info"), needs_target([3.0, 1.0])
    (True, False)
    """
    return not (isinstance(given, Quality) or is_array(given))


def _is_ours(function: Any) -> bool:
    """Whether a function is ``from_data`` of one of our classes, perhaps with some of its parameters bound."""
    bare = function.func if isinstance(function, partial) else function
    return (
        getattr(bare, "__name__", "") == "from_data"
        and name_of_class(getattr(bare, "__self__", None)) is not None
    )


def _by_function(given: Any, features: Features, y: Any) -> Quality:
    """The user's own function, or a class of quality that is none of ours."""
    make = given.from_data if isinstance(given, type) and hasattr(given, "from_data") else given
    answer = told_by(make, features, np.asarray(y))
    if isinstance(answer, Quality):
        return _fitting(answer, features)
    return Additive.from_data(features, y, measure=lambda *_: answer)


def _fitting(quality: Quality, features: Features) -> Quality:
    """A quality that came from outside, with the names of the table's columns."""
    if quality.n_features_in != features.n_features:
        raise InputError(
            f"the quality is about {quality.n_features_in} features, but the table has {features.n_features} columns."
        )
    if features.names is None or quality.feature_names == features.names:
        return quality
    if quality.is_named:
        both = zip(quality.feature_names, features.names, strict=True)
        one, other = next(pair for pair in both if pair[0] != pair[1])
        raise InputError(
            f"the quality and the table name the features differently ({one!r} where the table has {other!r}); bring "
            "them into the same order."
        )
    return quality.with_names(features.names)


def _refuse_weights(sample_weight: Any, who: str) -> None:
    if sample_weight is not None:
        raise InputError(f"sample_weight has no use for {who}; leave it out.")
