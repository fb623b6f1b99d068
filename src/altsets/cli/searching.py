"""A search as commands run it: the table or saved scores, the request checked, then scored and searched in time.

What is written down about an answer (its options, data and versions) is made here, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import typer

from altsets.cli import parsing
from altsets.cli.printing import NO_SET, Waiting, console_for, fail, say_error
from altsets.documents import TABLE
from altsets.errors import InputError
from altsets.features import FeatureNames, names_in

if TYPE_CHECKING:
    from altsets.cli.options import (
        ColumnOptions,
        ModelOptions,
        QualityOptions,
        ScoresOptions,
        TableOptions,
    )
    from altsets.files.dataset import Dataset
    from altsets.files.feature_files import Scores
    from altsets.quality import Quality
    from altsets.quality.spec import NamedQuality
    from altsets.request import Request
    from altsets.result import Result
    from altsets.selector.notes import Background

Answered = TypeVar("Answered")

#: The time limit for each set that is asked for, where the user gives none.
SECONDS_PER_SET = 60.0


# --- Features -----------------------------------------------------------------------------------------


def read_dataset(table: TableOptions, columns: ColumnOptions, groups: str | None = None) -> Dataset:
    """Read a table and take its target apart, as the options say."""
    from altsets.files.dataset import read_table

    if table.table is None:
        raise InputError("give a TABLE and its --target, or scores that were saved before with --scores.")
    if table.target is None:
        raise InputError(f"use --target to name the column of {table.table} to predict.")
    data = read_table(
        table.table,
        table.target,
        drop=names_in(columns.drop or []),
        categorical=names_in(columns.categorical or []),
        groups=groups,
        decimal=columns.decimal,
        sheet=columns.sheet,
        drop_missing_target=columns.drop_missing_target,
    )
    if data.n_dropped:
        rows = data.n_dropped + len(data.y)
        say_error(f"Rows without a value in {table.target!r} were left out: {data.n_dropped} of {rows}.")
    return data


def named_quality(
    given: QualityOptions, model: ModelOptions, scores: ScoresOptions, evaluate: bool = False
) -> NamedQuality:
    """The quality with its options; with --evaluate, those of others belong to the model that scores sets."""
    from altsets.quality.spec import NamedQuality, takes_option

    options = {
        "estimator": model.estimator,
        "scoring": model.scoring,
        "pos_label": model.positive,
        "class_weight": model.class_weight,
    }
    if scores.scores is not None:
        _refuse_unused({"measure": given.measure, **options})
    taken = {
        name: value for name, value in options.items() if not evaluate or takes_option(given.quality, name)
    }
    return NamedQuality(given.quality, given.measure, **taken)


def origin_of(table: TableOptions, scores: ScoresOptions, quality: NamedQuality) -> dict[str, Any]:
    """Where an answer comes from, as its parameters have it."""
    known = {
        "table": table.table,
        "target": table.target,
        "quality": quality.name,
        "scores": scores.scores,
        "measure": quality.measure,
        **quality.model,
    }
    return {name: value for name, value in known.items() if value is not None}


class TableToScore:
    """Features that are to be scored."""

    #: The hash of a file of scores, which there is none of here.
    scores_sha256 = ""

    def __init__(
        self, data: Dataset, quality: NamedQuality, task: str = "auto", save_to: str | None = None
    ) -> None:
        if quality.is_wrapper and save_to is not None:
            raise InputError(
                "a wrapper has no scores of features that could be saved; leave out --save-scores."
            )
        pairs = " and their pairs" if quality.is_paired else ""
        what = f"Scoring {len(data.feature_names)} features{pairs} for {quality.name}"
        self._what = "" if quality.is_wrapper else what
        self.spec: NamedQuality = quality
        self.data, self.names = data, data.feature_names
        self._task, self._save_to = task, save_to
        self._unsaved: InputError | None = None

    @property
    def table(self) -> Any:
        """The features as columns."""
        return self.data.X

    @property
    def background(self) -> Background:
        """The data that sets are found in."""
        from altsets.selector.notes import Background

        data = self.data
        return Background(data.X, data.y, self.spec, self._task, notes=data.notes)

    def noise_floor(self, waiting: Waiting) -> float | None:
        """What the best feature may score by chance; None after Ctrl-C."""
        from altsets.quality.spec import ScoringOptions

        waiting.say("Measuring what features score by chance")
        return self.spec.noise_floor(self.data.X, self.data.y, how=ScoringOptions(self._task))

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """Score the features, and save the scores at once; ``check`` ends it if it takes too long."""
        from altsets.quality.spec import ScoringOptions
        from altsets.tables.conversion import features_of

        waiting.say(self._what)

        def progress(share: float) -> None:
            waiting.say(f"{self._what}: {share:.0%}")
            check()

        data = self.data
        how = ScoringOptions(self._task, progress=progress)
        made = self.spec.make(features_of(data.X, self.names), data.y, how=how)
        if self._save_to is not None:
            from altsets.files.feature_files import Scores

            try:
                Scores.of(made).write(self._save_to)
            except InputError as error:
                # A full disk costs the file alone, not the answer.
                self._unsaved = error
        return made

    def check_saved(self) -> None:
        """Raise why the scores could not be saved, if they could not; the answer has been printed by then."""
        if self._unsaved is not None:
            raise self._unsaved


class SavedScores:
    """Features that have been scored before; with their table, if that is there."""

    #: What the scores were computed with is not known.
    spec = None

    def __init__(
        self, scores: Scores, quality: str, data: Dataset | None = None, scores_sha256: str = ""
    ) -> None:
        self.names, self._made, self.data = scores.names, scores.quality(quality), data
        self.scores_sha256 = scores_sha256

    @property
    def table(self) -> Any:
        """The table beside the scores, for what was not computed before."""
        if self.data is None:
            raise InputError(
                "how alike features are is measured on a table; give the TABLE and its --target besides --scores."
            )
        return self.data.X

    @property
    def background(self) -> Background | None:
        """The data that sets are found in, if the table is there; the measure is not known."""
        from altsets.selector.notes import Background

        return None if self.data is None else Background(self.data.X, notes=self.data.notes)

    def noise_floor(self, waiting: Waiting) -> float | None:
        """None: the measure is not known."""
        return None

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """The quality of the scores."""
        return self._made

    def check_saved(self) -> None:
        """Saved scores are not saved again."""


#: Anything that knows the names of its features, and makes the quality to search on.
Source = TableToScore | SavedScores


def source_from(
    table: TableOptions,
    columns: ColumnOptions,
    scores: ScoresOptions,
    quality: NamedQuality,
    task: str,
    groups: str | None = None,
) -> Source:
    """A table to score, unless there is a file of scores."""
    if scores.scores is None:
        return TableToScore(read_dataset(table, columns, groups), quality, task, scores.save_scores)
    unused = {"--save-scores": scores.save_scores}
    if table.table is None:
        unused |= {"--decimal": columns.decimal, "--sheet": columns.sheet}
        unused["--categorical"] = ",".join(columns.categorical) if columns.categorical else None
    _refuse_unused(unused)
    if quality.is_wrapper:
        raise InputError("a wrapper fits models to a table; leave out --scores.")
    return _saved_scores(scores.scores, quality.name, table, columns, groups)


def _refuse_unused(options: Mapping[str, str | None]) -> None:
    """Refuse options that change nothing where scores were saved before."""
    for name, value in options.items():
        if value is not None:
            raise InputError(
                f"{name} {value!r} has no use with --scores, which says what was computed before."
            )


def _saved_scores(
    path: str, quality: str, table: TableOptions, columns: ColumnOptions, groups: str | None
) -> SavedScores:
    """Read scores from a file; only of the features that the table has, if there is one."""
    from altsets.files.contents import hash_file
    from altsets.files.feature_files import Scores

    scores = Scores.read(path)
    data = None if table.table is None else read_dataset(table, columns, groups)
    if data is not None:
        scores = scores.only(data.feature_names)
    elif columns.drop:
        dropped = parsing.features_in("--drop", ",".join(columns.drop), FeatureNames.of(scores.names))
        scores = scores.only([name for name in scores.names if name not in dropped])
    return SavedScores(scores, quality, data, hash_file(path))


# --- Searches -----------------------------------------------------------------------------------------


class Searched(NamedTuple):
    """The answer of a search, and what was searched with: the quality, and the request with numbers of the table."""

    result: Result
    quality: Quality
    measured: Request


def run_search(source: Source, request: Request) -> Searched:
    """Score the features and find the sets, with a sign of life if it takes long."""
    n_sets = request.check(source.names).n_sets

    def search(scored: Quality, measured: Request, callback: Any) -> Searched:
        from altsets.search.find import answer

        found = answer(measured, scored, callback=callback)
        return Searched(replace(found, request=request), scored, measured)

    searched = run_on_scores(source, request, search, SECONDS_PER_SET * n_sets)
    return searched._replace(result=_with_background(searched.result, source))


def _with_background(result: Result, source: Source) -> Result:
    """The sets with what features score by chance, and notes on the table and the sets."""
    from altsets.selector.notes import COMMAND_LINE, notes_on

    background = source.background
    if background is None or not result.sets:
        return result
    floor = None
    if not result.interrupted:
        with Waiting(console_for(stderr=True)) as waiting:
            floor = source.noise_floor(waiting)
    return replace(result, noise_floor=floor, notes=notes_on(result, background, COMMAND_LINE))


def run_on_scores(
    source: Source,
    request: Request,
    search: Callable[[Quality, Request, Any], Answered],
    otherwise: float,
    reporting: Callable[[Waiting], Callable[[Any], object]] = lambda waiting: waiting.report,
) -> Answered:
    """Score the features and search, with a sign of life if it takes long.

    ``search`` takes the quality, the request with numbers of the table and the seconds that are left (``otherwise``
    without a time limit), and a callback. ``reporting`` makes a line of what the callback gets.
    """
    clock = _Clock(request.time_limit)
    with Waiting(console_for(stderr=True)) as waiting:
        if request.needs_table:
            waiting.say(f"Comparing {len(source.names)} features with each other")
            request = request.measured(source.table)
        scored = source.quality(waiting, clock.check)
        clock.check()
        waiting.say("Searching")
        limited = replace(request, time_limit=clock.left or otherwise)
        return search(scored, limited, reporting(waiting))


class _Clock:
    """The time limit of the user, if there is one: it covers scores as well as the search."""

    def __init__(self, time_limit: float | None) -> None:
        self._limit, self._started = time_limit, time.perf_counter()

    @property
    def left(self) -> float | None:
        """Seconds that are left."""
        return None if self._limit is None else self._limit - (time.perf_counter() - self._started)

    def check(self) -> None:
        """End the command if time was up before the scores were there."""
        if self.left is not None and self.left <= 0:
            fail(
                f"The scores were not ready within {self._limit:g} s: give a larger --time-limit, or save scores once "
                "with --save-scores and search with --scores.",
                NO_SET,
            )


# --- Records ------------------------------------------------------------------------------------------


def options_given(context: typer.Context) -> dict[str, Any]:
    """The options that the user gave, by their long names, as plain values."""
    given = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            given[_name_of(parameter)] = _plain(context.params[parameter.name or ""])
    return given


def known_options(context: typer.Context) -> dict[str, bool]:
    """The long names of all options of a command, and whether each is a flag."""
    parameters = {_name_of(parameter): parameter for parameter in context.command.params}
    return {name: bool(getattr(one, "is_flag", False)) for name, one in parameters.items() if name != TABLE}


def _name_of(parameter: Any) -> str:
    return TABLE if parameter.param_type_name == "argument" else str(max(parameter.opts, key=len))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return list(value)
    # JSON has no infinite numbers.
    return str(value) if isinstance(value, float) and value in (float("inf"), -float("inf")) else value


class Record:
    """What is written down about an answer: what is known from the start, and the time it took."""

    def __init__(self, context: typer.Context) -> None:
        self._started = time.perf_counter()
        self._known = {"command": context.info_name, "options": options_given(context)}

    def of_search(self, source: Source, path: str | None, request: Request) -> dict[str, Any]:
        """The record of a search; ``path`` is the file of its table."""
        from altsets.provenance import DEFAULT_SEED, constraints_by_name, data_of
        from altsets.tables.target import target_of

        known: dict[str, Any] = {"data": {"columns": len(source.names)}}
        data = source.data
        if data is not None:
            known["data"] = data_of(data.X, data.y) | _file_of(data, path)
            known["task"] = target_of(data.y, len(data.y), request.task).task
        if source.scores_sha256:
            known["data"] |= {"scores_sha256": source.scores_sha256}
        known["constraints"] = constraints_by_name(request.constraints, source.names)
        known["seed"] = DEFAULT_SEED
        return self._whole(known)

    def of_evaluation(self, provenance: Mapping[str, Any], data: Dataset, path: str | None) -> dict[str, Any]:
        """The record of an evaluation: what it knows itself, and where the table came from."""
        known = {name: provenance[name] for name in ("task", "seed")}
        return self._whole({"data": provenance["data"] | _file_of(data, path), **known})

    def _whole(self, known: Mapping[str, Any]) -> dict[str, Any]:
        from altsets.provenance import record

        return record({**self._known, **known}, time.perf_counter() - self._started)


def _file_of(data: Dataset, path: str | None) -> dict[str, Any]:
    dropped = {"dropped_rows": data.n_dropped} if data.n_dropped else {}
    return {"target": data.target_name, "file": path, "file_sha256": data.sha256} | dropped
