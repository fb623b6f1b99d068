"""From the parameters of a selector to an answer; nothing here is kept, unless a memory keeps it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from altsets.arrays import Bools, Floats
from altsets.constraints import Size
from altsets.constraints.named import computed, without_named
from altsets.dissimilarity import Grouped
from altsets.dissimilarity.named import before_table, is_named, on_table
from altsets.errors import InputError, warn_user
from altsets.features import whole_number
from altsets.problem import Problem, dissimilarity_of
from altsets.provenance import DEFAULT_SEED, constraints_by_name, data_of, record
from altsets.quality import Quality
from altsets.quality.given import Recipe, needs_target, noise_floor_of, quality_from
from altsets.result import Result
from altsets.search.find import find
from altsets.search.frontier import Frontier, frontier
from altsets.search.frontier.plan import SweepPlan
from altsets.tables.feature_matrix import Features, Original
from altsets.tables.target import target_of, vector_of

__all__ = [
    "Found",
    "RowData",
    "answered",
    "check_frontier",
    "check_request",
    "dissimilarities",
    "frontier_for",
    "provenance_of",
    "quality_of",
    "search_for",
    "size_in",
]

#: Parameters of what is asked, as :func:`altsets.find` has them.
ASKED = (
    "n_features",
    "n_alternatives",
    "tau",
    "min_difference",
    "dissimilarity",
    "search",
    "aggregation",
    "constraints",
)
#: Those of them that are the same for all points of a frontier, and need no table.
OF_ALL_POINTS = ("search", "aggregation")
#: Parameters that decide how a table is scored.
SCORING = ("quality", "task", "random_state")
LIMITS = ("max_iters", "time_limit")


class RowData(NamedTuple):
    """What goes with the rows of a table: the target, how much each row counts, and which rows belong together."""

    y: Any
    sample_weight: Any = None
    groups: Any = None


class Found(NamedTuple):
    """What a selector has found in a table.

    Attributes
    ----------
    result : Result
        The answer.
    scores : ndarray or None
        What each column alone is worth.
    dissimilarities : ndarray
        How different each two sets are.
    """

    result: Result
    scores: Floats | None
    dissimilarities: Floats


def quality_of(
    selector: Any, features: Features, y: Any, sample_weight: Any = None, groups: Any = None
) -> Quality:
    """What the quality of a selector means on these rows.

    Parameters
    ----------
    selector : SelectAlternatives
        Fitted or not; it stays as it is.
    features : Features
        The table.
    y : array-like or None
        The target.
    sample_weight : array-like, optional
        How much each row counts.
    groups : array-like, optional
        Which rows belong together, for qualities that split rows.
    """
    rows = RowData(y, sample_weight, groups)
    return _quality(_chosen(selector, SCORING), features, rows, selector.n_jobs)


def search_for(selector: Any, quality: Quality, features: Features, sample_weight: Any = None) -> Result:
    """Search with the parameters of a selector.

    Parameters
    ----------
    selector : SelectAlternatives
        Fitted or not; it stays as it is.
    quality : Quality
        What a good set is.
    features : Features
        The table, for a similarity of features that is only named.
    sample_weight : array-like of shape (n_samples,), optional
        How much each of its rows counts.
    """
    asked = _chosen(selector, (*ASKED, *LIMITS))
    asked["n_features"] = size_in(selector, quality.n_features_in)
    asked["dissimilarity"] = on_table(selector.dissimilarity, features, sample_weight)
    asked["constraints"] = computed(selector.constraints, features, sample_weight)
    return find(quality, **asked)


def frontier_for(
    selector: Any, quality: Quality, features: Features, sample_weight: Any = None, **points: Any
) -> Frontier:
    """Search at several points with the other parameters of a selector.

    Parameters
    ----------
    selector, quality, features, sample_weight
        As for :func:`search_for`.
    **points
        ``n_features``, ``n_alternatives`` and ``taus``, as :func:`altsets.frontier` has them.
    """
    return frontier(
        quality,
        **points,
        **_chosen(selector, (*OF_ALL_POINTS, *LIMITS)),
        dissimilarity=on_table(selector.dissimilarity, features, sample_weight),
        constraints=computed(selector.constraints, features, sample_weight),
    )


def check_frontier(selector: Any, features: Features, **points: Any) -> SweepPlan:
    """Say what is wrong with the points of a frontier before the table is scored; about which points there will be."""
    return SweepPlan.of(
        partial(Problem.create, features.n_features, feature_names=features.feature_names),
        **points,
        **_chosen(selector, OF_ALL_POINTS),
        dissimilarity=before_table(selector.dissimilarity),
        constraints=without_named(selector.constraints),
    )


def check_request(selector: Any, features: Features) -> None:
    """Say what is wrong with the parameters, which takes no time, before the table is scored."""
    asked = _chosen(selector, ASKED)
    asked["constraints"] = without_named(selector.constraints)
    asked["n_features"] = min(whole_number("n_features", selector.n_features, 1), features.n_features)
    asked["dissimilarity"] = before_table(selector.dissimilarity)
    problem = Problem.create(features.n_features, feature_names=features.feature_names, **asked)
    if whole_number("alternative", selector.alternative, 0) > problem.n_alternatives:
        raise InputError(
            f"alternative={selector.alternative} is asked of {problem.n_sets} set(s) "
            f"(n_alternatives={problem.n_alternatives}), and the first is number 0; raise n_alternatives."
        )


def size_in(selector: Any, n_columns: int) -> int:
    """How many features a set has, in a table of so many columns; a warning if that is less than asked."""
    asked = whole_number("n_features", selector.n_features, 1)
    given = selector.constraints if isinstance(selector.constraints, Sequence) else [selector.constraints]
    if asked > n_columns and not any(isinstance(constraint, Size) for constraint in given):
        warn_user(
            f"n_features={asked} is more than the {n_columns} column(s) of the table; a set has {n_columns}."
        )
    return min(asked, n_columns)


def answered(selector: Any, features: Features, rows: RowData, n_features: int, memory: Any) -> Found:
    """The sets, what each column alone is worth, and how different the sets are."""
    settings = _chosen(selector, (*ASKED, *LIMITS, *SCORING)) | {"n_features": n_features}
    table = (features.values, features.names, dict(features.categories), features.original)
    try:
        return memory.cache(_answer, ignore=["memory", "n_jobs"], verbose=0)(  # type: ignore[no-any-return]
            settings, table, rows, selector.n_jobs, memory
        )
    except _Interrupted as interrupted:
        return interrupted.answer
    except pickle.PicklingError as error:
        raise InputError(
            "memory can only be used with a quality, a dissimilarity and constraints that can be pickled, and one of "
            "them cannot; name functions at the top of a module, or leave out memory."
        ) from error


def provenance_of(
    selector: Any, features: Features, rows: RowData, kept: Bools | None, seconds: float
) -> dict[str, Any]:
    """Where the answer of a selector comes from; ``kept`` says which rows count, if not all do."""
    y = rows.y
    y = y if needs_target(selector.quality) else None
    asked: dict[str, Any] = {"data": data_of(features, y)}
    if y is not None:
        known = vector_of(y, features.n_rows)
        known = known if kept is None else known[kept]
        asked["task"] = target_of(known, len(known), selector.task).task
    if (named := _named_quality(selector.quality)) is not None:
        asked["quality"] = named
    given = {"sample_weight": rows.sample_weight, "groups": rows.groups}
    if beside := [name for name, values in given.items() if values is not None]:
        asked["beside"] = beside
    asked["constraints"] = constraints_by_name(selector.constraints, features.feature_names)
    seed = _seed(selector.random_state)
    asked["seed"] = DEFAULT_SEED if seed is None else seed
    return record(asked, seconds)


def _named_quality(quality: Any) -> dict[str, Any] | None:
    """A quality that has a name, and what belongs to it; None of any other, which nobody could write down."""
    if isinstance(quality, str):
        return {"quality": quality}
    if not isinstance(quality, Recipe):
        return None
    known = {name: value for name, value in vars(quality).items() if value is not None}
    plain = all(isinstance(value, str) for value in known.values())
    return {"quality": known.pop("name"), **known} if plain else None


def dissimilarities(kind: Any, sets: Sequence[tuple[int, ...]]) -> Floats:
    """How different each two sets are, as Dice, Jaccard, similarity, groups or a function of the user's have it."""
    table = np.zeros((len(sets), len(sets)))
    for row, first in enumerate(sets):
        for column, second in enumerate(sets[:row]):
            value = kind(first, second) if callable(kind) else dissimilarity_of(kind, first, second)
            table[row, column] = table[column, row] = value
    return table


class _Interrupted(Exception):
    """Carries an answer past a memory, which must not keep what Ctrl-C cut short."""

    def __init__(self, answer: Found) -> None:
        super().__init__()
        self.answer = answer


# --- What a memory keeps: functions of plain arguments, which can be compared with those of earlier calls -----------

PlainTable = tuple[Floats, list[str] | None, dict[int, tuple[str, ...]], Original | None]


def _answer(
    settings: Mapping[str, Any],
    table: PlainTable,
    rows: RowData,
    n_jobs: int | None,
    memory: Any,
) -> Found:
    scored = memory.cache(_scored, ignore=["n_jobs"], verbose=0)
    scoring = {name: settings[name] for name in SCORING}
    kind = settings["dissimilarity"]
    if is_named(kind):
        kind = memory.cache(_measured, verbose=0)(kind, table, rows.sample_weight)
    quality = scored(scoring, table, rows, n_jobs)
    asked = {name: settings[name] for name in (*ASKED, *LIMITS)}
    asked["constraints"] = computed(asked["constraints"], Features(*table), rows.sample_weight)
    result = find(quality, **asked | {"dissimilarity": kind})
    if isinstance(kind, Grouped):
        kind = kind.resolve(quality.feature_names)
    answer = Found(result, quality.feature_scores, dissimilarities(kind, result.sets))
    if result.interrupted:
        raise _Interrupted(answer)
    # After the search: whatever time it takes, the sets are the same.
    floor = memory.cache(_noise_floor, ignore=["n_jobs"], verbose=0)(scoring, table, rows, n_jobs)
    return answer._replace(result=replace(result, noise_floor=floor))


def _measured(dissimilarity: Any, table: PlainTable, sample_weight: Any) -> Any:
    return on_table(dissimilarity, Features(*table), sample_weight)


def _scored(scoring: Mapping[str, Any], table: PlainTable, rows: RowData, n_jobs: int | None) -> Quality:
    return _quality(scoring, Features(*table), rows, n_jobs)


def _noise_floor(
    scoring: Mapping[str, Any], table: PlainTable, rows: RowData, n_jobs: int | None
) -> float | None:
    return noise_floor_of(
        scoring["quality"],
        Features(*table),
        rows.y,
        sample_weight=rows.sample_weight,
        task=scoring["task"],
        n_jobs=n_jobs,
        random_state=_seed(scoring["random_state"]),
    )


def _quality(scoring: Mapping[str, Any], features: Features, rows: RowData, n_jobs: int | None) -> Quality:
    return quality_from(
        scoring["quality"],
        features,
        rows.y,
        sample_weight=rows.sample_weight,
        groups=rows.groups,
        task=scoring["task"],
        n_jobs=n_jobs,
        random_state=_seed(scoring["random_state"]),
    )


def _chosen(selector: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(selector, name) for name in names}


def _seed(random_state: Any) -> int | None:
    """A whole number; None leaves it to the measure, which has a fixed one."""
    if random_state is None or isinstance(random_state, int | np.integer):
        return None if random_state is None else int(random_state)
    # A copy, so that fitting twice gives the same sets twice.
    return int(check_random_state(copy.deepcopy(random_state)).randint(np.iinfo(np.int32).max))
