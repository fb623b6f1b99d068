"""From the parameters of a selector to a request, and from there to an answer; a memory may keep parts of it."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from altsets.arrays import Floats
from altsets.display import SECONDS_PER_LINE, ProgressLines
from altsets.dissimilarity import is_named, matched_on_table
from altsets.errors import InputError, NotExpressedError, warn_user
from altsets.features import Feature, whole_number
from altsets.files.cells import matrix_of
from altsets.files.dataset import from_anndata
from altsets.measures.covariates import beside_covariates
from altsets.measures.large.table import LargeTable, is_large, large_table, needs_memory
from altsets.problem import dissimilarity_of
from altsets.provenance import constraints_by_name, data_of, record
from altsets.quality import Quality
from altsets.quality.spec import NamedQuality, QualitySpec, ScoringOptions, spec_of
from altsets.request import DEFAULT_SEED, Request
from altsets.result import Result, Status
from altsets.search.answering import answer
from altsets.selector.noise import refuse_too_few, refuse_unknown_noise, with_floors
from altsets.tables.conversion import UsableColumns, features_of, is_anndata, usable_columns
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import is_survival
from altsets.tables.target import in_one_form
from altsets.tables.weights import refuse_other_rows, relabelled
from altsets.wording import counted, list_some, parameter

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


# --- The table --------------------------------------------------------------------------------------------


def table_and_target(X: Any, y: Any) -> tuple[Any, Any]:
    """Return a table and its target; of an AnnData object its matrix, and a column of obs by name or other values."""
    if not is_anndata(X):
        return X, y
    if isinstance(y, str):
        data = from_anndata(X, y)
        return data.X, data.y
    return features_of(*matrix_of(X)), y


def columns_of(X: Any, y: Any, unusable: str, adjust: Sequence[Feature] = ()) -> tuple[UsableColumns, Any]:
    """Return the columns of a table, be it in memory or read in passes, and its target; the same fit takes both.

    Those to adjust for are no candidates: they stand beside the others.
    """
    if not is_large(X):
        return beside_covariates(usable_columns(X, unusable), adjust), y
    table = large_table(X, y, unusable=unusable)
    if adjust:
        raise needs_memory(parameter("adjust"), table.source)
    places = [place for place, name in enumerate(table.all_names) if name not in table.dropped]
    return UsableColumns(table, places, table.all_names, table.dropped, table.notes), table.target_name


def refuse_numbered(table: UsableColumns, constraints: Any, existing: Any = ()) -> None:
    """Refuse features by number, which would be others where some columns are no candidates."""
    kept = set(table.places)
    if len(kept) == len(table.all_names):
        return
    names = table.features.feature_names
    before, after = (constraints_by_name(constraints, known) for known in (table.all_names, names))
    if before != after or any(not isinstance(one, str) for given in existing for one in given):
        lost = [name for place, name in enumerate(table.all_names) if place not in kept]
        why = "unusable='drop' leaves out" if table.dropped else "sets have no"
        raise InputError(
            f"{why} {list_some(lost)}, so that columns have other numbers; name the features in constraints and "
            "existing sets."
        )


def groups_of(groups: Any, n_rows: int) -> Any:
    """Return one group for each row, in an array that can be kept and compared; None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise InputError(
            f"groups must hold one label for each of the {n_rows} rows; got shape {found.shape}."
        )
    return found


def rows_of(
    features: Features | LargeTable,
    y: Any,
    spec: QualitySpec,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    who: str,
) -> RowData:
    """Check what goes with the rows of a table from which a quality is computed."""
    if isinstance(features, LargeTable):
        return RowData(y, sample_weight)
    if y is None and spec.needs_target:
        raise InputError(
            f"{who} requires y to be passed, but the target y is None; only scores or a quality object as quality do "
            "without."
        )
    refuse_other_rows(features, groups=groups)
    return RowData(relabelled(features, y), sample_weight, groups_of(groups, features.n_rows))


def n_candidates(spec: QualitySpec, features: Features | LargeTable, sample_weight: Any = None) -> int:
    """Return how many columns a set can have, constant ones left out; at least 1, as the search refuses none at all."""
    if isinstance(features, LargeTable):
        return features.n_features
    return max(1, features.n_features - int(spec.constant(features, sample_weight).sum()))


# --- The request ------------------------------------------------------------------------------------------


def request_of(selector: Any, y: Any = None) -> Request:
    """Return the request of a selector; times with events as ``y`` make it survival: a command names two columns."""
    names = {field.name for field in fields(Request)} & vars(selector).keys()
    asked = {name: getattr(selector, name) for name in names}
    asked["quality_params"] = selector.quality_params
    asked["random_state"] = _seed(selector.random_state)
    if selector.task == "auto" and is_survival(in_one_form(y, "auto")):
        asked["task"] = "survival"
    return Request(**asked)


def _seed(random_state: Any) -> int | None:
    """Return a whole number; None leaves it to the measure, which has a fixed one."""
    if random_state is None:
        return None
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    # A copy, so that fitting twice gives the same sets twice.
    return int(check_random_state(copy.deepcopy(random_state)).randint(np.iinfo(np.int32).max))


def fitting(request: Request, n_columns: int) -> Request:
    """Return the same request for a table of so few columns that a set has all of them."""
    request = request.sized(n_columns)
    if request.n_features is None or request.n_features <= n_columns:
        return request
    return replace(request, n_features=n_columns)


def warn_of_size(request: Request, n_columns: int, n_all: int) -> None:
    if request.n_features is not None and request.n_features > n_columns and not request.has_size:
        varied = "" if n_columns == n_all else " that are not constant"
        warn_user(
            f"{parameter('n_features', request.n_features)} is more than the {n_columns} column(s) of the table"
            f"{varied}; a set has {n_columns}."
        )


def check_request(request: Request, features: Features | LargeTable, alternative: Any = 0) -> None:
    """Refuse parameters that are wrong for this table, which takes no time, before it is scored."""
    refuse_unknown_noise(request)
    problem = fitting(request, features.n_features).check(features.feature_names)
    if whole_number("alternative", alternative, 0) > problem.n_alternatives:
        sets = counted(problem.n_sets, "set")
        raise InputError(
            f"{parameter('alternative', alternative)} is out of range: "
            f"{parameter('n_alternatives', problem.n_alternatives)} makes {sets}, and the first is number 0; raise "
            "n_alternatives."
        )


def refuse_in_passes(request: Request, features: Features | LargeTable, memory: Any = None) -> None:
    """Refuse what needs all rows at the same time, if a table is read in passes."""
    refused = {
        "keeping scores (memory)": memory is not None,
        parameter("AboveNoise"): request.above_noise,
        "the similarity of features": request.needs_table,
    }
    if isinstance(features, LargeTable) and any(refused.values()):
        raise needs_memory(next(what for what, is_asked in refused.items() if is_asked), features.source)


# --- Scores and sets --------------------------------------------------------------------------------------


def scored(
    request: Request,
    features: Features | LargeTable,
    rows: RowData,
    n_jobs: int | None = None,
    callback: Callable[[float], object] | None = None,
) -> Quality:
    """Return what the quality of a request means on these rows, with the noise floor if the request is about it."""
    how = replace(request.scoring(rows.groups), sample_weight=rows.sample_weight)
    quality = _scored(request.quality, features, rows.y, how, n_jobs, callback)
    if request.above_noise:
        quality.noise_floor = _noise_floor(request.quality, features, rows.y, how, n_jobs)
    return quality


def progress_lines(verbose: Any) -> Any:
    if not isinstance(verbose, bool | int | np.bool_ | np.integer) or verbose < 0:
        raise InputError(f"{parameter('verbose', verbose)} must be False, True or a whole number from 0 up.")
    if not verbose:
        return nullcontext()
    return ProgressLines(
        lambda line: sys.stderr.write(f"{line}\n"), 1.0 if verbose > 1 else SECONDS_PER_LINE, eager=True
    )


def answered(
    request: Request,
    features: Features | LargeTable,
    rows: RowData,
    n_jobs: int | None,
    memory: Any,
    lines: Any = None,
) -> Found:
    """Return the sets, what each column alone is worth, and how different the sets are."""
    refuse_in_passes(request, features, getattr(memory, "location", memory))
    try:
        return memory.cache(_answer, ignore=["memory", "n_jobs", "lines"], verbose=0)(  # type: ignore[no-any-return]
            request, features, rows, n_jobs, memory, lines
        )
    except _Interrupted as interrupted:
        return interrupted.answer
    except pickle.PicklingError as error:
        raise InputError(
            "memory can only be used with a quality, a dissimilarity and constraints that can be pickled, and one of "
            "them cannot; name functions at the top of a module, or leave out memory."
        ) from error


def provenance_of(
    request: Request, features: Features | LargeTable, rows: RowData, task: str | None, seconds: float
) -> dict[str, Any]:
    """Return where the answer of a selector comes from; ``task`` is None if it has no target."""
    spec = spec_of(request.quality)
    known: dict[str, Any] = {"data": data_of(features, rows.y if spec.uses_target else None)}
    if task is not None:
        known["task"] = task
    if isinstance(spec, NamedQuality):
        # Estimators and functions cannot be written down.
        with suppress(NotExpressedError):
            options = spec.as_dict()
            known["quality"] = {"quality": options.pop("name"), **options}
    given = {"sample_weight": rows.sample_weight, "groups": rows.groups}
    if beside := [name for name, values in given.items() if values is not None]:
        known["beside"] = beside
    known["constraints"] = constraints_by_name(request.constraints, features.feature_names)
    known["seed"] = DEFAULT_SEED if request.random_state is None else request.random_state
    return record(known, seconds)


class _Interrupted(Exception):
    """Carries an answer past a memory, which must not keep what Ctrl-C cut short."""

    def __init__(self, answer: Found) -> None:
        super().__init__()
        self.answer = answer


# --- What a memory keeps: functions of plain arguments, which can be compared with those of earlier calls -----------


def _answer(
    request: Request,
    features: Features | LargeTable,
    rows: RowData,
    n_jobs: int | None,
    memory: Any,
    lines: Any,
) -> Found:
    def begin(step: str) -> None:
        if lines is not None:
            lines.begin(step)

    how, measured = replace(request.scoring(rows.groups), sample_weight=rows.sample_weight), request
    if is_named(request.dissimilarity):
        begin("Comparing features with each other")
        alike = memory.cache(matched_on_table, verbose=0)
        measured = replace(request, dissimilarity=alike(request.dissimilarity, features, rows.sample_weight))
    what = f"Scoring {features.n_features:,} features of {features.n_rows:,} rows"
    begin(what)
    if isinstance(features, Features):
        spec = spec_of(request.quality)
        if lines is None:
            # More memory than the machine has is refused.
            spec.expected_bytes(features)
        elif forecast := spec.forecast(features, rows.y, replace(how, n_jobs=n_jobs)):
            begin(f"{what} takes {forecast}")

    def measure() -> Floats | None:
        if quality.noise_floor is None:
            begin(NOISE)
            keep = memory.cache(_noise_floor, ignore=["n_jobs"], verbose=0)
            quality.noise_floor = keep(request.quality, features, rows.y, how, n_jobs)
        floor: Floats | None = quality.noise_floor
        return floor

    callback = None if lines is None else lambda share: lines.say(f"Scoring features: {share:.0%}")
    keep = memory.cache(_scored, ignore=["n_jobs", "callback"], verbose=0)
    quality = keep(request.quality, features, rows.y, how, n_jobs, callback)
    measured = measured.measured(features, rows.sample_weight)
    if request.above_noise:
        measure()
    refuse_too_few(request, quality)
    begin("Searching")
    result = answer(request, quality, measured=measured, callback=None if lines is None else lines.report)
    if not result.sets:
        raise InputError(f"no set was found. {result.explain()}")
    found = Found(
        result, quality.feature_scores, quality.noise_floor, _dissimilarities(measured, quality, result.sets)
    )
    if result.interrupted:
        raise _Interrupted(found)
    if isinstance(features, LargeTable):
        return found
    # After the search: whatever time it takes, the sets are the same.
    result, floor = with_floors(result, quality, measure)
    return found._replace(result=result, noise_floor=floor)


def _dissimilarities(request: Request, quality: Quality, sets: Sequence[tuple[int, ...]]) -> Floats:
    """Return how different each two sets are."""
    kind: Any = request.bind(quality.feature_names).dissimilarity
    table = np.zeros((len(sets), len(sets)))
    for row, first in enumerate(sets):
        for column, second in enumerate(sets[:row]):
            value = kind(first, second) if callable(kind) else dissimilarity_of(kind, first, second)
            table[row, column] = table[column, row] = value
    return table


def _scored(
    quality: Any, features: Any, y: Any, how: ScoringOptions, n_jobs: int | None, callback: Any
) -> Quality:
    return spec_of(quality).make(features, y, replace(how, n_jobs=n_jobs, callback=callback))


def _noise_floor(
    quality: Any, features: Any, y: Any, how: ScoringOptions, n_jobs: int | None
) -> Floats | None:
    return spec_of(quality).noise_floor(features, y, replace(how, n_jobs=n_jobs))
