"""What a user may give as a quality, where there is a table to make one from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures.custom import call_measure, is_array
from altsets.measures.noise import UNIVARIATE, noise_floor
from altsets.quality._additive import Additive
from altsets.quality._quality import Quality
from altsets.quality._wrapper import Wrapper
from altsets.quality.named import (
    DEFAULT_MEASURES,
    PAIRED,
    WRAPPER,
    name_of_class,
    quality_maker,
    takes_option,
)
from altsets.tables.feature_matrix import Features

__all__ = ["Recipe", "measure_behind", "needs_target", "noise_floor_of", "quality_from"]

#: What ``from_data`` takes besides the options of a measure, and what changes no score of a feature.
NO_OPTIONS_OF_MEASURES = ("measure", "scaling", "redundancy_measure", "min_relevance", "feature_names")


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
        ``task``, ``n_jobs``, ``random_state``, ``progress``, ``groups``: for those that take them. Groups are for
        those that split rows: wrappers, and importance by permutation.

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
        groups = {"groups": options["groups"]} if _splits_rows(given) and "groups" in options else {}
        return given(features, y, **task, **weights, **groups)  # type: ignore[no-any-return]
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


def measure_behind(given: Any) -> tuple[str, dict[str, Any]] | None:
    """The measure that scores single features for a quality, with options that are bound to it.

    None where there is none, or where nobody knows it by name: numbers, functions, wrappers, scaled scores.

    Examples
    --------
    >>> measure_behind("mrmr"), measure_behind(Recipe("fcbf", measure="pearson")), measure_behind("wrapper")
    (('mutual_info', {}), ('pearson', {}), None)
    """
    if isinstance(given, Recipe):
        name, measure = given.name, given.measure
        return None if name == WRAPPER else (measure or DEFAULT_MEASURES.get(name, name), {})
    if isinstance(given, str) or name_of_class(given) is not None:
        return measure_behind(Recipe(name_of_class(given) or given))
    if not callable(given) or not _is_ours(given):
        return None
    bound = given.keywords if isinstance(given, partial) else {}
    default = measure_behind(_class_of(given))
    chosen = bound.get("measure", default and default[0])
    if not isinstance(chosen, str) or bound.get("scaling") is not None:
        return None
    return chosen, {name: value for name, value in bound.items() if name not in NO_OPTIONS_OF_MEASURES}


def noise_floor_of(
    given: Any,
    features: Features,
    y: Any,
    *,
    sample_weight: Any = None,
    task: str = "auto",
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> float | None:
    """What the best feature of such a table may score by chance; see :func:`altsets.measures.noise.noise_floor`.

    Ctrl-C ends it without an answer: whatever was found before is worth more.

    Parameters
    ----------
    given, features, y, sample_weight, task, n_jobs, random_state
        As for :func:`quality_from`, which has made a quality of them before.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise_floor_of("pearson", Features(rng.normal(size=(100, 5))), rng.normal(size=100)) < 0.3
    True
    """
    behind = measure_behind(given)
    if behind is None or behind[0] not in UNIVARIATE:
        return None
    measure, options = behind
    n_scored = features.n_features
    if _is_paired(given):
        n_scored += features.n_features * (features.n_features - 1) // 2
    more = {"n_jobs": n_jobs} if takes_option(measure, "n_jobs") and n_jobs is not None else {}
    seed = {} if random_state is None else {"random_state": random_state}
    options = {**more, "task": task, **options} if task != "auto" else {**more, **options}
    options.pop("random_state", None)
    try:
        return noise_floor(
            features, y, measure, n_scored=n_scored, sample_weight=sample_weight, **seed, **options
        )
    except KeyboardInterrupt:
        return None


def _splits_rows(given: Any) -> bool:
    """Whether this ``from_data`` judges a model on rows that it has not seen."""
    behind = measure_behind(given)
    return _class_of(given) is Wrapper or (behind is not None and behind[0] == "permutation")


def _is_paired(given: Any) -> bool:
    name = given.name if isinstance(given, Recipe) else name_of_class(_class_of(given)) or given
    return isinstance(name, str) and name in PAIRED


def _class_of(given: Any) -> Any:
    """The class whose ``from_data`` this is; anything else as it is."""
    bare = given.func if isinstance(given, partial) else given
    return getattr(bare, "__self__", bare)


def _is_ours(function: Any) -> bool:
    """Whether a function is ``from_data`` of one of our classes, perhaps with some of its parameters bound."""
    bare = function.func if isinstance(function, partial) else function
    return getattr(bare, "__name__", "") == "from_data" and name_of_class(_class_of(function)) is not None


def _by_function(given: Any, features: Features, y: Any) -> Quality:
    """The user's own function, or a class of quality that is none of ours."""
    make = given.from_data if isinstance(given, type) and hasattr(given, "from_data") else given
    answer = call_measure(make, features, np.asarray(y))
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
