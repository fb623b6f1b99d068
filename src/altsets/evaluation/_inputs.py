"""What users hand to an evaluation, checked and in one form."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Indices
from altsets.errors import InputError
from altsets.features import FeatureNames, whole_number
from altsets.measures.models import Split, splits_of
from altsets.problem import FeatureSet
from altsets.result import Result
from altsets.tables.feature_matrix import Features
from altsets.tables.target import Target

__all__ = [
    "bootstrap_samples",
    "given_sets",
    "groups_of",
    "margin_of",
    "scoring_by_name",
    "share",
    "splits_for",
    "splits_in_words",
]


def share(name: str, value: Any) -> float:
    """A probability that is neither 0 nor 1."""
    number = float(value) if isinstance(value, numbers.Real) else math.nan
    if not 0 < number < 1:
        raise InputError(f"{name}={value!r} must lie between 0 and 1, such as 0.95.")
    return number


def margin_of(margin: Any) -> float | None:
    """A difference of scores, or None."""
    if margin is None:
        return None
    number = float(margin) if isinstance(margin, numbers.Real) else math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"margin={margin!r} must be a difference of scores from 0 up, such as 0.02.")
    return number


# --- Sets ---------------------------------------------------------------------------------------------


def given_sets(what: Any, names: FeatureNames) -> tuple[FeatureSet, ...]:
    """The sets of a result, or of a list of sets (names, indices, or one bool per feature), as sorted indices.

    Examples
    --------
    >>> given_sets([["b", "a"], [2]], FeatureNames.of(["a", "b", "c"]))
    ((0, 1), (2,))
    """
    if isinstance(what, Result):
        # Names know their columns also in a table with more or other columns.
        known = all(name in names for chosen in what.named_sets for name in chosen)
        what = what.named_sets if known else _as_in(what, names)
    if isinstance(what, str | Mapping) or not isinstance(what, Iterable):
        raise InputError(
            f"evaluate() takes a SelectAlternatives, a result of find(), or a list of feature sets; got {what!r:.100}."
        )
    sets = tuple(_one_set(number, chosen, names) for number, chosen in enumerate(what))
    if not sets:
        raise InputError("there is no set to evaluate; give at least one.")
    return sets


def _as_in(result: Result, names: FeatureNames) -> list[FeatureSet]:
    """The sets by index, if the result comes from features without names of their own."""
    made_up = all(
        name == f"x{index}"
        for chosen, named in zip(result.sets, result.named_sets, strict=True)
        for index, name in zip(chosen, named, strict=True)
    )
    return result.sets if made_up else [_names_checked(named, names) for named in result.named_sets]


def _names_checked(named: Sequence[str], names: FeatureNames) -> FeatureSet:
    """The indices of names, all of which must be known."""
    return tuple(names.position(name, "a set of the result") for name in named)


def _one_set(number: int, chosen: Any, names: FeatureNames) -> FeatureSet:
    who = f"set {number}"
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise InputError(f"{who} must be a list of features, by name or index; got {chosen!r:.100}.")
    listed = list(chosen)
    if listed and all(isinstance(entry, bool | np.bool_) for entry in listed):
        if len(listed) != len(names):
            raise InputError(f"{who} has {len(listed)} bools for {len(names)} features; give one for each.")
        listed = np.flatnonzero(listed).tolist()
    found = []
    for feature in listed:
        index = feature if isinstance(feature, str) else whole_number(f"a feature of {who}", feature, least=0)
        found.append(names.position(index, who))
    if not found:
        raise InputError(f"{who} is empty; give it at least one feature.")
    if len(set(found)) < len(found):
        raise InputError(f"{who} names a feature more than once: {names.listed(listed)}.")
    return tuple(sorted(found))


# --- Scores -------------------------------------------------------------------------------------------


def scoring_by_name(scoring: Any, classes: bool) -> dict[str, Any]:
    """The scorers with names: None, one, a list of several, or a dict.

    Examples
    --------
    >>> scoring_by_name(None, True), scoring_by_name(["accuracy", "f1"], True)
    ({'matthews_corrcoef': None}, {'accuracy': 'accuracy', 'f1': 'f1'})
    """
    if scoring is None:
        return {"matthews_corrcoef" if classes else "r2": None}
    if isinstance(scoring, Mapping):
        named = {str(name): scorer for name, scorer in scoring.items()}
    elif isinstance(scoring, str) or callable(scoring):
        named = {_scorer_name(scoring): scoring}
    elif isinstance(scoring, Iterable):
        listed = list(scoring)
        named = {_scorer_name(scorer): scorer for scorer in listed}
        if len(named) < len(listed):
            raise InputError(
                f"scoring={scoring!r} holds two scorers of one name; give a dict with names of your own."
            )
    else:
        raise InputError(f"scoring={scoring!r} must be a scorer or its name, a list of them, or a dict.")
    if not named:
        raise InputError("scoring is empty; name at least one scorer, or leave it out.")
    return named


def _scorer_name(scorer: Any) -> str:
    if isinstance(scorer, str):
        return scorer
    named = getattr(scorer, "_score_func", scorer)
    return str(getattr(named, "__name__", type(named).__name__))


# --- Rows ---------------------------------------------------------------------------------------------


def groups_of(groups: Any, n_rows: int) -> npt.NDArray[Any] | None:
    """One label per row, or None."""
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise InputError(
            f"groups must hold one label for each of the {n_rows} rows; got shape {labels.shape}."
        )
    return labels


def splits_for(
    cv: Any,
    features: Features,
    target: Target,
    groups: npt.NDArray[Any] | None,
    kept: Bools | None,
    random_state: int,
    repeats: int = 1,
) -> list[Split]:
    """The folds; a number stands for shuffled folds, of each class alike, that keep groups together.

    Groups, and rows that the user listed, are about all rows, also those that are not ``kept``. Each of several
    repeats shuffles with a seed of its own; the first ones are the same however many there are.
    """
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        kind = partial(_shuffled, whole_number("cv", cv, least=2), target.is_classes, groups is not None)
        splitters = [kind((random_state + repeat) % 2**32) for repeat in range(repeats)]
    elif cv is None or isinstance(cv, str | bool):
        raise InputError(f"cv={cv!r} must be a number of folds, a splitter, or a list of splits.")
    elif repeats > 1:
        raise InputError(
            f"repeats={repeats} goes with a number of folds, such as cv=5, which are drawn anew each time; a splitter "
            "or a list of splits says itself how often rows are split."
        )
    else:
        splitters = [cv]
    splits = [
        split
        for splitter in splitters
        for split in splits_of(splitter, features.values, target, random_state, groups=groups, kept=kept)
    ]
    for number, (train, test) in enumerate(splits):
        n_seen = int(np.isin(test, train).sum())
        if n_seen:
            raise InputError(
                f"fold {number} of cv has {n_seen} of its {len(test)} test rows among the training rows, so scores "
                "would be too good; list each row on one side."
            )
    return splits


def _shuffled(n_splits: int, classes: bool, grouped: bool, random_state: int) -> Any:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    kinds = (GroupKFold, StratifiedGroupKFold) if grouped else (KFold, StratifiedKFold)
    return kinds[classes](n_splits, shuffle=True, random_state=random_state)


def splits_in_words(cv: Any, n_folds: int, groups: Any, repeats: int = 1) -> str:
    """How rows were split, such as "5-fold cross-validation, 3 repeats".

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> splits_in_words(5, 15, None, 3), splits_in_words(TimeSeriesSplit(4), 4, None)
    ('5-fold cross-validation, 3 repeats', '4 folds in time order')
    >>> splits_in_words(5, 5, ["anna", "anna", "bert"])
    '5 folds that keep groups together'
    """
    from sklearn.model_selection import TimeSeriesSplit

    more = f", {repeats} repeats" if repeats > 1 else ""
    if isinstance(cv, numbers.Integral):
        if groups is None:
            return f"{cv}-fold cross-validation{more}"
        name = getattr(groups, "name", None)
        of_what = f" of {name!r}" if isinstance(name, str) else ""
        return f"{cv} folds that keep groups{of_what} together{more}"
    folds = "1 fold" if n_folds == 1 else f"{n_folds} folds"
    return f"{folds} in time order" if isinstance(cv, TimeSeriesSplit) else folds


def bootstrap_samples(
    count: int, target: Target, groups: npt.NDArray[Any] | None, random_state: int
) -> list[Indices]:
    """The rows of bootstrap samples: as many draws with replacement as there are rows, of each class alike.

    A row that is drawn twice is there once, so a sample has about 63 % of the rows. Copies would look like close
    neighbours to mutual information, and would be on both sides of the splits that wrappers make. Where rows have
    groups, groups are drawn.
    """
    rows = np.arange(len(target.values))
    if groups is not None:
        units = np.unique(groups, return_inverse=True)[1]
        strata = [np.unique(units)]
    else:
        units, strata = rows, [rows]
        if target.is_classes:
            strata = [rows[target.values == label] for label in np.unique(target.values)]
    samples = []
    for number in range(count):
        # A seed for each sample: it does not depend on how many there are.
        rng = np.random.default_rng([random_state, number])
        drawn = np.concatenate([rng.choice(part, len(part)) for part in strata])
        samples.append(np.flatnonzero(np.isin(units, drawn)))
    return samples
