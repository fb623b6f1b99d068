"""Where the features of a search come from: a table whose columns are scored, or scores that were saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.cli import parsing
from altsets.cli.printing import Waiting, say_error
from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.files.dataset import Dataset
    from altsets.files.scores import Scores
    from altsets.quality import Quality
    from altsets.selector.notes import Background

__all__ = ["SavedScores", "Source", "TableOptions", "TableToScore", "dataset_from", "source_from"]


@dataclass(frozen=True)
class TableOptions:
    """Which table, and which of its columns; None where the user says nothing."""

    path: str | None
    target: str | None
    drop: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    drop_missing_target: bool = False
    decimal: str | None = None
    sheet: str | None = None
    groups: str | None = None


def dataset_from(table: TableOptions) -> Dataset:
    """Read a table and take its target apart, as the options say."""
    from altsets.files.dataset import read_table

    if table.path is None:
        raise InputError("give a TABLE and its --target, or scores that were saved before with --scores.")
    if table.target is None:
        raise InputError(f"use --target to name the column of {table.path} to predict.")
    data = read_table(
        table.path,
        table.target,
        drop=parsing.names_in(table.drop or []),
        categorical=parsing.names_in(table.categorical or []),
        groups=table.groups,
        decimal=table.decimal,
        sheet=table.sheet,
        drop_missing_target=table.drop_missing_target,
    )
    if data.n_dropped:
        rows = data.n_dropped + len(data.y)
        say_error(f"Rows without a value in {table.target!r} were left out: {data.n_dropped} of {rows}.")
    return data


class TableToScore:
    """Features that are to be scored."""

    #: The hash of a file of scores, which there is none of here.
    scores_sha256 = ""

    def __init__(
        self,
        data: Dataset,
        quality: str = "mutual_info",
        task: str = "auto",
        how: Mapping[str, str | None] | None = None,
        save_to: str | None = None,
    ) -> None:
        from altsets.quality.given import Recipe
        from altsets.quality.named import PAIRED, WRAPPER, quality_maker

        self.recipe = Recipe(quality, **(how or {}))
        self._make = quality_maker(quality, **(how or {}))
        if quality == WRAPPER and save_to is not None:
            raise InputError(
                "a wrapper has no scores of features that could be saved; leave out --save-scores."
            )
        pairs = " and their pairs" if quality in PAIRED else ""
        self._what = (
            "" if quality == WRAPPER else f"Scoring {len(data.feature_names)} features{pairs} for {quality}"
        )
        self.data, self._task, self._save_to = data, task, save_to
        self._unsaved: InputError | None = None
        self.names = data.feature_names

    @property
    def table(self) -> Any:
        """The features as columns."""
        return self.data.X

    @property
    def background(self) -> Background:
        """What sets are found in."""
        from altsets.selector.notes import Background

        data = self.data
        return Background(data.X, data.y, self.recipe, self._task, notes=data.notes)

    def noise_floor(self, waiting: Waiting) -> float | None:
        """What the best feature may score by chance; Ctrl-C does without."""
        from altsets.quality.given import noise_floor_of

        waiting.say("Measuring what features score by chance")
        return noise_floor_of(self.recipe, self.data.X, self.data.y, task=self._task)

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """What to search on; the scores are saved as soon as they are there. ``check`` ends it if it takes too long."""
        waiting.say(self._what)

        def progress(share: float) -> None:
            waiting.say(f"{self._what}: {share:.0%}")
            check()

        data = self.data
        made = self._make(
            data.X,
            data.y,
            task=self._task,
            feature_names=self.names,
            progress=progress,
        )
        if self._save_to is not None:
            from altsets.files.scores import Scores

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
        """What sets are found in, if the table is there; what it was scored with is not known."""
        from altsets.selector.notes import Background

        return None if self.data is None else Background(self.data.X, notes=self.data.notes)

    def noise_floor(self, waiting: Waiting) -> float | None:
        """Nobody knows what the scores were computed with."""
        return None

    def quality(self, waiting: Waiting, check: Callable[[], object] = lambda: None) -> Quality:
        """What to search on."""
        return self._made

    def check_saved(self) -> None:
        """Saved scores are not saved again."""


#: Anything that knows the names of its features, and makes the quality to search on.
Source = TableToScore | SavedScores


def source_from(
    table: TableOptions,
    scores: str | None,
    quality: str,
    task: str,
    how: Mapping[str, str | None],
    save_scores: str | None,
) -> Source:
    """A table to score, unless there is a file of scores."""
    if scores is None:
        return TableToScore(dataset_from(table), quality, task, how, save_scores)
    return _saved_scores(scores, quality, {**how, "--save-scores": save_scores}, table)


def _saved_scores(
    path: str, quality: str, unused: Mapping[str, str | None], table: TableOptions
) -> SavedScores:
    """Read scores from a file; of the features that the table has, if there is one. Options of no use are refused."""
    from altsets.files.contents import hash_file
    from altsets.files.scores import Scores
    from altsets.quality.named import WRAPPER

    if table.path is None:
        about_tables = {"--decimal": table.decimal, "--sheet": table.sheet}
        about_tables["--categorical"] = ",".join(table.categorical) if table.categorical else None
        unused = {**unused, **about_tables}
    for name, value in unused.items():
        if value is not None:
            raise InputError(
                f"{name} {value!r} has no use with --scores, which says what was computed before."
            )
    if quality == WRAPPER:
        raise InputError("a wrapper fits models to a table; leave out --scores.")
    scores = Scores.read(path)
    data = None if table.path is None else dataset_from(table)
    if data is not None:
        scores = scores.only(data.feature_names)
    elif table.drop:
        dropped = parsing.features_in("--drop", ",".join(table.drop), FeatureNames.of(scores.names))
        scores = scores.only([name for number, name in enumerate(scores.names) if number not in dropped])
    return SavedScores(scores, quality, data, hash_file(path))
