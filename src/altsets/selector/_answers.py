"""From the parameters of a selector to a request, and from there to an answer; a memory may keep parts of it."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from altsets.arrays import Bools, Floats
from altsets.display import SECONDS_PER_LINE, ProgressLines
from altsets.dissimilarity import Grouped, groups_among, is_named, matched_on_table
from altsets.errors import InputError, NotExpressedError, warn_user
from altsets.features import whole_number
from altsets.files.cells import cells_of
from altsets.files.dataset import from_anndata
from altsets.measures.large.table import LargeTable, needs_memory
from altsets.problem import dissimilarity_of
from altsets.provenance import constraints_by_name, data_of, record
from altsets.quality import Quality
from altsets.quality.spec import NamedQuality, QualitySpec, ScoringOptions, spec_of
from altsets.request import DEFAULT_SEED, Request
from altsets.result import Result, Status
from altsets.search.answering import answer
from altsets.search.frontier import Frontier
from altsets.search.frontier.plan import SweepPlan
from altsets.search.frontier.sweep import by_tau
from altsets.selector.noise import (
    refuse_too_few,
    refuse_unknown_noise,
    with_floors,
)
from altsets.tables.conversion import features_of, is_anndata
from altsets.tables.feature_matrix import Features, Original
from altsets.tables.survival import is_survival
from altsets.tables.target import in_one_form, outcome_of, vector_of
from altsets.tables.weights import refuse_other_rows, relabelled
from altsets.wording import list_some, parameter

#: What goes on while the noise floor is measured.
NOISE = "Measuring what features score by chance"


class RowData(NamedTuple):
    """What goes with the rows of a table: the target, how much each row counts, and which rows belong together."""

    y: Any
    sample_weight: Any = None
    groups: Any = None


class Alternative(NamedTuple):
    """One of the sets that were found.

    Attributes
    ----------
    names : tuple of str or other labels
        Its features, with the labels of the frame's columns, so that ``X[list(names)]`` has them;
        ``x0``, ``x1``, ... if there are none.
    quality : float
        How good it is.
    status : Status
        What was proven about it.
    """

    names: tuple[Hashable, ...]
    quality: float
    status: Status


class Found(NamedTuple):
    """The outcome of a fit: the answer, scores of columns and what chance reaches, how different the sets are."""

    result: Result
    scores: Floats | None
    noise_floor: Floats | None
    dissimilarities: Floats


def refuse_numbered(
    constraints: Any, all_names: Sequence[str], kept: Sequence[str], dropped: Mapping[str, str]
) -> None:
    """Refuse constraints on columns by number, which would be about others where some are dropped."""
    if not dropped:
        return
    before, after = (constraints_by_name(constraints, names) for names in (all_names, kept))
    if before != after:
        raise InputError(
            f"unusable='drop' leaves out {list_some(list(dropped))}, and then columns have other numbers; name "
            "the features in constraints."
        )


def table_and_target(X: Any, y: Any) -> tuple[Any, Any]:
    """A table and its target; of an AnnData object its matrix, and a column of obs by name or values of its own."""
    if not is_anndata(X):
        return X, y
    if isinstance(y, str):
        data = from_anndata(X, y)
        return data.X, data.y
    cells = cells_of(X)
    return features_of(cells.matrix, cells.genes), y


def groups_of(groups: Any, n_rows: int) -> Any:
    """One group for each row, in an array that can be kept and compared; None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise InputError(
            f"groups must hold one label for each of the {n_rows} rows; got shape {found.shape}."
        )
    return found


def rows_of(
    features: Features, y: Any, spec: QualitySpec, sample_weight: Any = None, groups: Any = None, *, who: str
) -> RowData:
    """What goes with the rows of a table from which a quality is computed, once it is checked."""
    if y is None and spec.needs_target:
        raise InputError(
            f"{who} requires y to be passed, but the target y is None; only scores or a quality object as quality do "
            "without."
        )
    refuse_other_rows(features, groups=groups)
    return RowData(relabelled(features, y), sample_weight, groups_of(groups, features.n_rows))


def request_of(selector: Any, n_columns: int | None = None, y: Any = None) -> Request:
    """The request of a selector; in a table of fewer columns than ``n_features``, a set has all of them.

    Times with events as ``y`` say that it is survival: a command names two columns.
    """
    names = {field.name for field in fields(Request)} & vars(selector).keys()
    asked = {name: getattr(selector, name) for name in names}
    asked["quality_params"] = selector.quality_params
    asked["random_state"] = _seed(selector.random_state)
    if selector.task == "auto" and is_survival(in_one_form(y, "auto")):
        asked["task"] = "survival"
    request = Request(**asked)
    size = None if n_columns is None else request.sized(n_columns).n_features
    return (
        request
        if n_columns is None or size is None
        else replace(request, n_features=min(int(size), n_columns))
    )


def n_candidates(selector: Any, features: Features | LargeTable, sample_weight: Any = None) -> int:
    """How many columns a set can have, constant ones left out; at least 1, as the search refuses none at all."""
    if isinstance(features, LargeTable):
        return features.n_features
    constant = spec_of(selector.quality, selector.quality_params).constant(features, sample_weight)
    return max(1, features.n_features - int(constant.sum()))


def quality_of(
    selector: Any, features: Features, y: Any, sample_weight: Any = None, groups: Any = None
) -> Quality:
    """What the quality of a selector means on these rows."""
    return scored(request_of(selector), features, RowData(y, sample_weight, groups), selector.n_jobs)


def scored(
    request: Request,
    features: Features,
    rows: RowData,
    n_jobs: int | None = None,
    callback: Callable[[float], object] | None = None,
) -> Quality:
    """What the quality of a request means on these rows, with the noise floor if the request is about it."""
    quality = request.quality_on(features, rows.y, rows.sample_weight, rows.groups, n_jobs, callback)
    if request.above_noise:
        how = replace(request.scoring(n_jobs=n_jobs), sample_weight=rows.sample_weight)
        quality.noise_floor = spec_of(request.quality).noise_floor(features, rows.y, how)
    return quality


def search_for(selector: Any, quality: Quality, features: Features, sample_weight: Any = None) -> Result:
    """Search with the parameters of a selector; a similarity that is only named is measured on the table."""
    n_columns = max(1, quality.n_features_in - len(quality.constant))
    warn_of_size(selector, n_columns, quality.n_features_in)
    request = request_of(selector, n_columns)
    return answer(request, quality, measured=request.measured(features, sample_weight))


def frontier_for(
    selector: Any,
    quality: Quality,
    features: Features,
    sample_weight: Any = None,
    *,
    n_features: Any,
    n_alternatives: Any,
    tau: Any,
) -> Frontier:
    """Search at several points with the other parameters of a selector."""
    request = request_of(selector).without_tau()
    measured = request.measured(features, sample_weight)
    return by_tau(request, quality, n_features, n_alternatives, tau, measured=measured)


def check_frontier(
    selector: Any, features: Features, *, n_features: Any, n_alternatives: Any, tau: Any
) -> SweepPlan:
    """Say what is wrong with the points of a frontier before the table is scored; about which points there will be."""
    request = request_of(selector).without_tau()
    names = features.feature_names
    return SweepPlan.of(request, lambda one: one.check(names), n_features, n_alternatives, tau)


def check_request(selector: Any, features: Features | LargeTable) -> None:
    """Say what is wrong with the parameters, which takes no time, before the table is scored."""
    request = request_of(selector, features.n_features)
    refuse_unknown_noise(request)
    problem = request.check(features.feature_names)
    if whole_number("alternative", selector.alternative, 0) > problem.n_alternatives:
        sets = f"{problem.n_sets} set{'' if problem.n_sets == 1 else 's'}"
        raise InputError(
            f"{parameter('alternative', selector.alternative)} is out of range: "
            f"{parameter('n_alternatives', problem.n_alternatives)} makes "
            f"{sets}, and the first is number 0; raise n_alternatives."
        )


def warn_of_size(selector: Any, n_columns: int, n_all: int) -> None:
    """Warn if a set has fewer features than asked, as the table has no more columns that are not constant."""
    request = request_of(selector)
    if request.n_features is not None and request.n_features > n_columns and not request.has_size:
        varied = "" if n_columns == n_all else " that are not constant"
        warn_user(
            f"{parameter('n_features', request.n_features)} is more than the {n_columns} column(s) of the table"
            f"{varied}; a set has {n_columns}."
        )


def progress_lines(verbose: Any) -> Any:
    """Lines on standard error about what is going on, if a selector is to say it."""
    if not isinstance(verbose, bool | int | np.bool_ | np.integer) or verbose < 0:
        raise InputError(f"{parameter('verbose', verbose)} must be False, True or a whole number from 0 up.")
    if not verbose:
        return nullcontext()
    return ProgressLines(
        lambda line: sys.stderr.write(f"{line}\n"), 1.0 if verbose > 1 else SECONDS_PER_LINE, eager=True
    )


def answered(
    selector: Any, request: Request, features: Features, rows: RowData, memory: Any, lines: Any = None
) -> Found:
    """The sets, what each column alone is worth, and how different the sets are."""
    table = (features.cells, features.names, dict(features.categories), features.original)
    try:
        return memory.cache(_answer, ignore=["memory", "n_jobs", "lines"], verbose=0)(  # type: ignore[no-any-return]
            request, table, rows, selector.n_jobs, memory, lines
        )
    except _Interrupted as interrupted:
        return interrupted.answer
    except pickle.PicklingError as error:
        raise InputError(
            "memory can only be used with a quality, a dissimilarity and constraints that can be pickled, and one of "
            "them cannot; name functions at the top of a module, or leave out memory."
        ) from error


def answered_in_passes(
    selector: Any, request: Request, table: LargeTable, sample_weight: Any, lines: Any = None
) -> Found:
    """The same of a table that is read in passes, as far as that goes without all of its rows."""
    refused = {
        "keeping scores (memory)": selector.memory is not None,
        parameter("AboveNoise"): request.above_noise,
        "the similarity of features": request.needs_table,
    }
    for what, is_asked in refused.items():
        if is_asked:
            raise needs_memory(what, table.source)
    begin, callback = _lines_of(lines)
    begin(f"Scoring {table.n_features:,} features of {table.n_rows:,} rows")
    quality = request.quality_on(table, table.target_name, sample_weight, None, selector.n_jobs, callback)
    begin("Searching")
    return _found(request, quality, request, lines)


def provenance_of(
    request: Request, features: Features | LargeTable, rows: RowData, kept: Bools | None, seconds: float
) -> dict[str, Any]:
    """Where the answer of a selector comes from; ``kept`` says which rows count, if not all do."""
    spec = spec_of(request.quality)
    y = rows.y if spec.uses_target else None
    known: dict[str, Any] = {"data": data_of(features, y)}
    if isinstance(features, LargeTable):
        if y is not None:
            known["task"] = features.target(request.task).task
    elif y is not None:
        labels = vector_of(in_one_form(y, request.task), features.n_rows)
        labels = labels if kept is None else labels[kept]
        known["task"] = outcome_of(labels, len(labels), request.task).task
    if (named := _named_quality(spec)) is not None:
        known["quality"] = named
    given = {"sample_weight": rows.sample_weight, "groups": rows.groups}
    if beside := [name for name, values in given.items() if values is not None]:
        known["beside"] = beside
    known["constraints"] = constraints_by_name(request.constraints, features.feature_names)
    known["seed"] = DEFAULT_SEED if request.random_state is None else request.random_state
    return record(known, seconds)


def _named_quality(spec: Any) -> dict[str, Any] | None:
    """A quality that has a name, and what belongs to it; None of any other, which cannot be written down."""
    try:
        known = spec.as_dict() if isinstance(spec, NamedQuality) else None
    except NotExpressedError:
        return None
    return None if known is None else {"quality": known.pop("name"), **known}


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

#: A quality, the task and the seed.
How = tuple[Any, str, int | None]
PlainTable = tuple[Any, list[str] | None, dict[int, tuple[str, ...]], Original | None]


def _answer(
    request: Request, table: PlainTable, rows: RowData, n_jobs: int | None, memory: Any, lines: Any
) -> Found:
    begin, _ = _lines_of(lines)
    how = (request.quality, request.task, request.random_state)
    kind = request.dissimilarity
    if is_named(kind):
        begin("Comparing features with each other")
        kind = memory.cache(_measured, verbose=0)(kind, table, rows.sample_weight)
    what = f"Scoring {table[0].shape[1]:,} features of {table[0].shape[0]:,} rows"
    begin(what)
    expected = _forecast(how, table, rows, n_jobs, lines)
    if expected:
        begin(f"{what} takes {expected}")
    quality = memory.cache(_scored, ignore=["n_jobs", "lines"], verbose=0)(how, table, rows, n_jobs, lines)
    measured = replace(request, dissimilarity=kind).measured(Features(*table), rows.sample_weight)
    if request.above_noise:
        begin(NOISE)
        quality.noise_floor = memory.cache(_noise_floor, ignore=["n_jobs"], verbose=0)(
            how, table, rows, n_jobs
        )
    refuse_too_few(request, quality)
    begin("Searching")
    found = _found(request, quality, measured, lines)
    result = found.result
    if result.interrupted:
        raise _Interrupted(found)

    def measure() -> Floats | None:
        floor: Floats | None = quality.noise_floor
        if floor is None:
            begin(NOISE)
            floor = memory.cache(_noise_floor, ignore=["n_jobs"], verbose=0)(how, table, rows, n_jobs)
        return floor

    # After the search: whatever time it takes, the sets are the same.
    result, floor = with_floors(result, quality, measure)
    return found._replace(result=result, noise_floor=floor)


def _lines_of(lines: Any) -> tuple[Callable[[str], object], Callable[[float], object] | None]:
    """How to say that a step begins, and how far the scores are."""
    if lines is None:
        return lambda _: None, None
    return lines.begin, lambda share: lines.say(f"Scoring features: {share:.0%}")


def _found(request: Request, quality: Quality, measured: Request, lines: Any) -> Found:
    """The search, and how different its sets are."""
    result = answer(request, quality, measured=measured, callback=None if lines is None else lines.report)
    if not result.sets:
        raise InputError(f"no set was found. {result.explain()}")
    kind: Any = measured.dissimilarity
    if kind == "groups":
        kind = groups_among(measured.feature_groups, quality.feature_names)
    if isinstance(kind, Grouped):
        kind = kind.resolve(quality.feature_names)
    return Found(result, quality.feature_scores, quality.noise_floor, dissimilarities(kind, result.sets))


def _measured(dissimilarity: Any, table: PlainTable, sample_weight: Any) -> Any:
    return matched_on_table(dissimilarity, Features(*table), sample_weight)


def _scored(how: How, table: PlainTable, rows: RowData, n_jobs: int | None, lines: Any) -> Quality:
    quality, task, seed = how
    _, callback = _lines_of(lines)
    options = ScoringOptions(task, n_jobs, seed, rows.groups, callback, rows.sample_weight)
    return spec_of(quality).make(Features(*table), rows.y, options)


def _forecast(how: How, table: PlainTable, rows: RowData, n_jobs: int | None, lines: Any) -> str:
    """What scoring takes; without lines to say it in, only too much memory matters, which is refused."""
    quality, task, seed = how
    spec, features = spec_of(quality), Features(*table)
    if lines is None:
        spec.expected_bytes(features)
        return ""
    options = ScoringOptions(task, n_jobs, seed, rows.groups, sample_weight=rows.sample_weight)
    return spec.forecast(features, rows.y, options)


def _noise_floor(how: How, table: PlainTable, rows: RowData, n_jobs: int | None) -> Floats | None:
    quality, task, seed = how
    options = ScoringOptions(task, n_jobs, seed, sample_weight=rows.sample_weight)
    return spec_of(quality).noise_floor(Features(*table), rows.y, options)


def _seed(random_state: Any) -> int | None:
    """A whole number; None leaves it to the measure, which has a fixed one."""
    if random_state is None or isinstance(random_state, int | np.integer):
        return None if random_state is None else int(random_state)
    # A copy, so that fitting twice gives the same sets twice.
    return int(check_random_state(copy.deepcopy(random_state)).randint(np.iinfo(np.int32).max))
