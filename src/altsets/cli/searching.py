"""A search as commands run it: the table or saved scores, the request checked, then scored and searched in time.

What is written down about an answer (its options, data and versions) is made here, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import typer

from altsets.cli import parsing
from altsets.cli.combinations import check_combinations
from altsets.cli.evaluating import Splits
from altsets.cli.options import as_option
from altsets.cli.printing import NO_SET, Waiting, console_for, fail, say_error
from altsets.documents import TABLE
from altsets.errors import InputError, Problems
from altsets.features import FeatureNames
from altsets.wording import duration

if TYPE_CHECKING:
    from altsets.arrays import Floats
    from altsets.cli.options import Given
    from altsets.files.dataset import Dataset
    from altsets.quality import Quality
    from altsets.quality.spec import NamedQuality
    from altsets.request import Request
    from altsets.result import Result
    from altsets.selector.notes import Background

Answered = TypeVar("Answered")

#: The time limit for each set that is asked for, where the user gives none.
SECONDS_PER_SET = 60.0
#: The same for as many sets as there are, all together.
SECONDS_FOR_MOST = 300.0


# --- Features -----------------------------------------------------------------------------------------


def check_table(given: Given, *, predicts: bool = False) -> None:
    """Refuse options that name no table or target; ``predicts``: there is no doing without a target."""
    from altsets.files.dataset import refuse_half_survival

    if given.table is None:
        raise InputError("give a TABLE and its --target, or scores that were saved before with --scores.")
    refuse_half_survival(given.target, given.time, given.event)
    if given.target is None and not given.no_target and given.time is None:
        otherwise = "" if predicts else ", or --no-target"
        raise InputError(f"use --target to name the column of {given.table} to predict{otherwise}.")


def read_dataset(given: Given) -> Dataset:
    """Read a table and take its target apart, as the options say."""
    from altsets.files.dataset import read_table

    how: dict[str, Any] = {
        name: parsing.columns_in(value) if isinstance(value, list) else value
        for name, value in reading(given).items()
    }
    data = read_table(str(given.table), **how)
    if data.n_dropped:
        rows = data.n_dropped + (data.X.n_rows if data.is_large else len(data.y))
        say_error(f"Rows without a value in {data.target_name!r} were left out: {data.n_dropped} of {rows}.")
    return data


def reading(given: Given) -> dict[str, Any]:
    """How a table is read: arguments of ``read_table``, with lists of columns as they were given."""
    how = given.of("table", "columns") | {"groups": given.cv_groups}
    how["unusable"] = "drop" if given.drop_unusable else None
    unknown = ("table", "no_target", "drop_unusable")
    return {name: value for name, value in how.items() if value not in (None, False) and name not in unknown}


def say_missing(data: Dataset | None) -> None:
    """Say what was read as missing values, once it is known that the table can be used."""
    if data is not None and data.missing:
        say_error(data.missing)


def refuse_large(data: Dataset, what: str) -> None:
    """Refuse a table that is read in passes for what needs it in memory."""
    if data.is_large:
        from altsets.measures.large.table import needs_memory

        raise needs_memory(what, data.X.source)


def named_quality(given: Given) -> NamedQuality:
    """The quality with its options; with --evaluate, those of others belong to the model that scores sets."""
    from altsets.quality.spec import NamedQuality, takes_option

    if given.no_target and given.quality not in (None, "linear_fit"):
        raise InputError(f"--quality {given.quality} needs a --target; --no-target goes with linear_fit.")
    default = "linear_fit" if given.no_target else "mutual_info" if given.time is None else "concordance"
    name = given.quality or default
    options = given.of("model") | {"criterion": given.criterion, "combine": given.combine}
    options["pos_label"] = options.pop("positive")
    if given.evaluate or given.scores is not None:
        options = {option: value for option, value in options.items() if takes_option(name, option)}
    return NamedQuality.of(name, {"measure": given.measure, "max_iters": given.max_iters, **options})


@dataclass
class Source:
    """The features of a search: a table to score, or scores that were saved before, perhaps with their table."""

    given: Given
    #: The quality that was asked for; of saved scores, what they were computed with is not known.
    asked: NamedQuality
    data: Dataset | None
    scored: Quality | None = None
    scores_sha256: str = ""
    _unsaved: InputError | None = field(default=None, init=False)

    @property
    def names(self) -> FeatureNames:
        """The names of all features."""
        known = self.candidates if self.scored is None else self.scored
        return FeatureNames.of(list(known.feature_names))

    @cached_property
    def adjust(self) -> list[str]:
        """The names of the covariates."""
        if self.given.adjust is None:
            return []
        return parsing.features_in(
            "--adjust", self.given.adjust, FeatureNames.of(list(self.table_read.feature_names))
        )

    @cached_property
    def candidates(self) -> Any:
        """The columns that sets can have, with the covariates beside them; a table that is read in passes as it is."""
        from altsets.measures.covariates import beside_covariates
        from altsets.tables.conversion import features_of, usable_columns

        data = self.table_read
        if data.is_large:
            if self.given.adjust is not None:
                refuse_large(data, "--adjust")
            return data.X
        table = usable_columns(features_of(data.X, data.feature_names))
        return beside_covariates(table, self.adjust).features

    @property
    def spec(self) -> NamedQuality | None:
        """The quality that features are scored by; None if they have been."""
        return self.asked if self.scored is None else None

    @property
    def table_read(self) -> Dataset:
        """The table, for what was not computed before."""
        if self.data is None:
            raise InputError(
                "the similarity of features is computed from a table; give the TABLE and its --target besides --scores."
            )
        return self.data

    @property
    def origin(self) -> dict[str, Any]:
        """The origin of an answer, for its parameters."""
        known = {
            "table": self.given.table,
            "target": None if self.data is None else self.data.target_name or None,
            "quality": self.asked.name,
            "scores": self.given.scores,
            "measure": self.asked.measure,
            **self.asked.model,
        }
        return {name: value for name, value in known.items() if value is not None}

    @property
    def background(self) -> Background | None:
        """The data that sets are found in, if the table is there."""
        from altsets.selector.notes import Background

        data = self.data
        if data is None or data.is_large:
            return None
        if self.spec is None:
            return Background(data.X, notes=data.notes)
        about = self.spec, self.given.task, None, data.notes, data.target_name
        return Background(self.candidates, data.y, *about)

    def noise_floor(self, waiting: Waiting) -> Floats | None:
        """What each feature may score by chance; None after Ctrl-C, or if the measure is not known."""
        from altsets.quality.spec import ScoringOptions

        if self.spec is None or self.table_read.is_large:
            return None
        waiting.say("Measuring what features score by chance")
        return self.spec.noise_floor(self.candidates, self.table_read.y, how=ScoringOptions(self.given.task))

    def quality(self, waiting: Waiting, check: Callable[[], object]) -> Quality:
        """Score the features, and save the scores at once; ``check`` ends it if it takes too long."""
        from altsets.files.feature_files import Scores
        from altsets.quality.spec import ScoringOptions

        if self.scored is not None:
            return self.scored
        pairs = " and their pairs" if self.asked.is_paired else ""
        what = f"Scoring {len(self.names)} features{pairs} for {self.asked.name}"
        what = "" if self.asked.is_wrapper else what
        waiting.say(what)
        data, save_to, started = self.table_read, self.given.save_scores, time.perf_counter()

        def progress(share: float) -> None:
            seconds = time.perf_counter() - started
            # Before that, nothing can be said.
            known = data.is_large and share >= 0.02 and seconds >= 1
            left = f", about {duration(seconds * (1 - share) / share)} left" if known else ""
            waiting.say(f"{what}: {share:.0%}{left}")
            check()

        how = ScoringOptions(self.given.task, callback=progress)
        features = self.candidates
        expected = "" if data.is_large else self.asked.forecast(features, data.y, how)
        if expected:
            keep = "" if save_to else "; --save-scores FILE keeps them for the next search"
            say_error(f"{what} takes {expected}{keep}.")
        made = self.asked.make(features, data.y, how=how)
        if save_to is not None:
            try:
                Scores.of(made).write(save_to)
            except InputError as error:
                # A full disk costs the file alone, not the answer.
                self._unsaved = error
        return made

    def check_saved(self) -> None:
        """Raise why the scores could not be saved, if they could not; the answer has been printed by then."""
        if self._unsaved is not None:
            raise self._unsaved


def check_options(given: Given, problems: Problems, *, predicts: bool = False, **sets: Any) -> None:
    """Refuse, in one message, what is wrong with options as far as it is known before a file is read.

    ``problems`` are those that were found before; ``sets`` are fields of the request.
    """
    from altsets.files.contents import text_format

    asked, dissimilarity, constraints = None, None, []
    has_table, has_scores = given.table is not None, given.scores is not None
    if has_table or not has_scores:
        with problems:
            check_table(given, predicts=predicts)
    with problems:
        text_format()
    with problems:
        asked = named_quality(given)
        _check_scores(given, asked)
    check_combinations(given, problems)
    with problems:
        Splits.of(given)
    with problems:
        dissimilarity = parsing.dissimilarity_from(given, has_table)
    with problems:
        constraints = parsing.constraints_from(None, given)
    with problems:
        fields = {"dissimilarity": dissimilarity or "dice", "constraints": constraints, **sets}
        if given.adjust is not None:
            fields["adjust"] = given.adjust
        if dissimilarity == "groups" or given.unit == "group":
            # Of a file, any text will do.
            fields["feature_groups"] = given.feature_groups_by or given.feature_groups
        _request(given, None if has_scores else asked, fields)
    problems.raise_all()


def source_from(given: Given) -> Source:
    """A table to score, unless there is a file of scores."""
    from altsets.files.contents import hash_file
    from altsets.files.feature_files import Scores

    asked = named_quality(given)
    data = None if given.table is None else read_dataset(given)
    if given.scores is None:
        source = Source(given, asked, data)
    else:
        scores = Scores.read(given.scores)
        if data is not None:
            scores = scores.only(data.feature_names)
        elif given.drop:
            dropped = parsing.features_in("--drop", ",".join(given.drop), FeatureNames.of(scores.names))
            scores = scores.only([name for name in scores.names if name not in dropped])
        source = Source(given, asked, data, scores.quality(asked.name), hash_file(given.scores))
    if data is not None:
        Splits.of(given).check(data.groups)
        for name in ("evaluate", "above_noise"):
            if getattr(given, name):
                refuse_large(data, as_option(name))
    return source


def asked_of(
    given: Given, problems: Problems, *, predicts: bool = False, **sets: Any
) -> tuple[Source, Request]:
    """The features and the request, when all has been checked that can be before features are scored."""
    check_options(given, problems, predicts=predicts, **sets)
    source = source_from(given)
    request = request_from(source, **sets)
    request.check(source.names)
    return source, request


def _check_scores(given: Given, asked: NamedQuality) -> None:
    """Refuse qualities that do not go with --scores and --save-scores."""
    if asked.is_wrapper and given.save_scores is not None:
        raise InputError(
            f"{asked.name} has no scores of features that could be saved; leave out --save-scores."
        )
    if given.scores is None:
        return
    if asked.is_wrapper or asked.is_linear:
        raise InputError(f"{asked.name} fits models to a table; leave out --scores.")
    if given.quality is not None and not asked.is_paired:
        raise InputError(
            f"--quality {given.quality} computes scores, and --scores has them already: a set is as good as "
            "their sum; leave out one of them. Only mrmr, fcbf and cfs go with both."
        )


def request_from(source: Source, **sets: Any) -> Request:
    """What the options ask for, checked with the features.

    ``sets`` are the numbers of sets and features, and how different sets must be.
    """
    from altsets.request import uses_groups

    given, names = source.given, source.names
    dissimilarity = parsing.dissimilarity_from(given, source.data is not None)
    declared = parsing.groups_from(given, names)
    groups = parsing.members_of(declared, names)
    problems, existing, constraints = Problems(), [], []
    with problems:
        existing = parsing.existing_from(given, names, groups)
    with problems:
        constraints = parsing.constraints_from(names, given, groups)
    problems.raise_all()
    used = given.unit == "group" or uses_groups(dissimilarity, constraints)
    if not used and parsing.names_groups(given):
        declared = None
    said = {"dissimilarity": dissimilarity, "existing": existing, "constraints": constraints, **sets}
    said["adjust"] = source.adjust
    return _request(given, source.spec, {"feature_groups": declared, **said})


def _request(given: Given, quality: NamedQuality | None, fields: Mapping[str, Any]) -> Request:
    """The request with these fields, and with what options say about the others."""
    from altsets.request import Request

    return Request(
        quality=quality,
        task="survival" if given.time is not None and given.task == "auto" else given.task,
        engine=given.engine,
        unit=given.unit or "feature",
        time_limit=given.time_limit,
        unusable="drop" if given.drop_unusable else "error",
        **{**given.of("definition", "nearness"), **fields},
    )


# --- Searches -----------------------------------------------------------------------------------------


class Searched(NamedTuple):
    """The answer of a search, and what was searched with: the quality, and the request with numbers of the table."""

    result: Result
    quality: Quality
    measured: Request


def run_search(source: Source, request: Request) -> Searched:
    """Score the features and find the sets, with a progress line if it takes long."""
    seconds = SECONDS_PER_SET * request.check(source.names).n_sets
    if request.n_alternatives == "max":
        seconds = SECONDS_FOR_MOST

    def search(scored: Quality, measured: Request, callback: Any) -> Searched:
        from altsets.search.answering import answer
        from altsets.selector.noise import refuse_too_few

        refuse_too_few(measured, scored)
        found = answer(measured, scored, callback=callback)
        return Searched(replace(found, request=request), scored, measured)

    searched = run_on_scores(source, request, search, seconds)
    return searched._replace(result=_with_background(searched.result, source, searched.quality))


def _with_background(result: Result, source: Source, quality: Quality) -> Result:
    """The sets with what features score by chance, and notes on the table and the sets."""
    from altsets.selector.noise import with_floors
    from altsets.selector.notes import notes_on

    background = source.background
    if source.data is not None and source.data.is_large and result.sets:
        return replace(result, notes=[*result.notes, *source.data.notes])
    if background is None or not result.sets:
        return result

    def measure() -> Floats | None:
        if quality.noise_floor is not None or result.interrupted:
            return quality.noise_floor
        with Waiting(console_for(stderr=True)) as waiting:
            return source.noise_floor(waiting)

    found, quality.noise_floor = with_floors(result, quality, measure)
    return replace(found, **notes_on(found, background))


def run_on_scores(
    source: Source,
    request: Request,
    search: Callable[[Quality, Request, Any], Answered],
    otherwise: float,
    reporting: Callable[[Waiting], Callable[[Any], object]] = lambda waiting: waiting.report,
) -> Answered:
    """Score the features and search, with a progress line if it takes long.

    ``search`` takes the quality, the request with numbers of the table and the seconds that are left (``otherwise``
    without a time limit), and a callback. ``reporting`` makes a line of what the callback gets.
    """
    from altsets.selector.noise import refuse_unknown_noise

    refuse_unknown_noise(request)
    limit, started = request.time_limit, time.perf_counter()

    def left() -> float:
        """Seconds for the search; ends the command if time was up before the scores were there."""
        if limit is None:
            return otherwise
        seconds = limit - (time.perf_counter() - started)
        if seconds <= 0:
            fail(
                f"The scores were not ready within {limit:g} s: give a larger --time-limit, or save scores once with "
                "--save-scores and search with --scores.",
                NO_SET,
            )
        return seconds

    with Waiting(console_for(stderr=True)) as waiting:
        if request.needs_table:
            refuse_large(source.table_read, "the similarity of features")
            waiting.say(f"Comparing {len(source.names)} features with each other")
            request = request.measured(source.candidates)
        scored = source.quality(waiting, left)
        left()
        if request.above_noise:
            scored.noise_floor = source.noise_floor(waiting)
            left()
        say_missing(source.data)
        waiting.say("Searching")
        return search(scored, replace(request, time_limit=left()), reporting(waiting))


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
    """The provenance of an answer: what is known from the start, and the time it took."""

    def __init__(self, context: typer.Context) -> None:
        self._started = time.perf_counter()
        self._known = {"command": context.info_name, "options": options_given(context)}

    def of_search(self, source: Source, request: Request) -> dict[str, Any]:
        """The record of a search."""
        from altsets.provenance import DEFAULT_SEED, constraints_by_name, data_of
        from altsets.tables.target import outcome_of

        known: dict[str, Any] = {"data": {"columns": len(source.names)}}
        data, origin = source.data, source.origin
        if data is not None:
            known["data"] = data_of(data.X, data.y) | _file_of(data, source.given)
        if data is not None and data.y is not None:
            is_large, task = data.is_large, request.task
            outcome = data.X.target(task) if is_large else outcome_of(data.y, len(data.y), task)
            known["task"] = outcome.task
        if source.scores_sha256:
            known["data"] |= {"scores_sha256": source.scores_sha256}
        known["quality"] = {name: origin[name] for name in ("quality", "measure", "scores") if name in origin}
        known["constraints"] = constraints_by_name(request.constraints, source.names)
        known["seed"] = DEFAULT_SEED
        known["reading"] = reading(source.given)
        return self._whole(known)

    def of_evaluation(self, provenance: Mapping[str, Any], data: Dataset, given: Given) -> dict[str, Any]:
        """The record of an evaluation: what it knows itself, and where the table came from."""
        known = {name: provenance[name] for name in ("task", "seed")}
        return self._whole({"data": provenance["data"] | _file_of(data, given), **known})

    def _whole(self, known: Mapping[str, Any]) -> dict[str, Any]:
        from altsets.provenance import record

        return record({**self._known, **known}, time.perf_counter() - self._started)


def _file_of(data: Dataset, given: Given) -> dict[str, Any]:
    dropped = {"dropped_rows": data.n_dropped} if data.n_dropped else {}
    return {"target": data.target_name, "file": given.table, "file_sha256": data.sha256} | dropped
