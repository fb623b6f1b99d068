"""Scores for several targets, combined to one for each feature."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures._univariate import f_ratios, f_score, finite_f
from altsets.tables.feature_matrix import Features
from altsets.tables.target import MOST_LABEL_SETS, Several, has_several, vector_of
from altsets.wording import list_some, parameter

#: How scores of several targets become one, besides a weight for each target.
COMBINATIONS = ("mean", "max", "sets")


def checked_combination(combine: Any) -> Any:
    """A name, or a weight for each target as floats; anything else is refused."""
    if combine is None or (isinstance(combine, str) and combine in COMBINATIONS):
        return combine
    given = combine.split(",") if isinstance(combine, str) and "," in combine else combine
    try:
        if isinstance(given, str | numbers.Number):
            raise ValueError
        weights = tuple(float(weight) for weight in given)
    except (TypeError, ValueError) as error:
        wanted = f"one of {', '.join(COMBINATIONS)}, or a weight for each target"
        raise InputError(f"{parameter('combine', combine)} must be {wanted}.") from error
    if not weights or not all(0 <= weight < float("inf") for weight in weights) or not any(weights):
        wanted = "weights from 0 up, some of them above 0"
        raise InputError(f"{parameter('combine', combine)} must hold {wanted}; correct them.")
    return weights


def scores_for(
    measure: Callable[..., Floats], features: Features, y: Any, options: dict[str, Any], combine: Any = None
) -> Floats:
    """One score per column; for several targets, the mean of the scores for each, or what ``combine`` says."""
    combine = checked_combination(combine)
    if not has_several(y):
        if combine is not None:
            why = "for several targets, but there is one"
            raise InputError(f"{parameter('combine', combine)} is {why}; leave it out.")
        return measure(features, y, **options)
    targets = Several.of(vector_of(y, features.n_rows), options.get("task", "auto"))
    if combine == "sets":
        return measure(features, _label_sets(targets), **{**options, "task": "classification"})
    if measure is f_score:
        # Infinite ones are made finite by those of all targets, or they would count for little beside others.
        found = [f_ratios(features, y[name], **options) for name in targets.names]
        ratios, perfect = zip(*found, strict=True)
        scores = finite_f(np.array(ratios), np.array(perfect))
    else:
        scores = np.array([measure(features, y[name], **options) for name in targets.names])
    if combine == "max":
        return np.asarray(scores.max(axis=0))
    if combine is None or combine == "mean":
        return np.asarray(scores.mean(axis=0))
    if len(combine) != len(scores):
        raise InputError(
            f"{parameter('combine', combine)} has {len(combine)} weights for {len(scores)} targets "
            f"({list_some(targets.names)}); give one for each."
        )
    weights = np.array(combine)
    return np.asarray(weights / weights.sum() @ scores)


def _label_sets(targets: Several) -> Any:
    """A class for each combination of labels, if these are few."""
    if not targets.is_classes:
        raise InputError(
            f"{parameter('combine', 'sets')} makes a class of each combination of labels, but some targets are "
            f"numeric; use {parameter('combine', 'mean')}."
        )
    codes = targets.label_sets
    if codes.max() + 1 > MOST_LABEL_SETS:
        raise InputError(
            f"{parameter('combine', 'sets')} makes a class of each combination of labels, and there are "
            f"{codes.max() + 1}, more than {MOST_LABEL_SETS}; use {parameter('combine', 'mean')}."
        )
    return codes
