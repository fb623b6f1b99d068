"""A quality that is yet to be made of a table: what it can do, what it takes, and how it is made."""

from __future__ import annotations

import inspect
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from altsets import machine, measures
from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.measures import UNIVARIATE, noise_floor
from altsets.measures.covariates import ADJUSTABLE
from altsets.measures.large.table import LargeTable
from altsets.measures.models import MODELS, fresh_model, is_own
from altsets.measures.redundancy import MATRIX_COLUMNS
from altsets.measures.workers import WarningCapture, warn_once
from altsets.quality._black_box import OfModels
from altsets.quality._linear_fit import LinearFit
from altsets.quality._pairwise import CFS, FCBF, MRMR
from altsets.quality._quality import Quality
from altsets.tables.feature_matrix import CONSTANT, SPARSE_MEASURES, Features
from altsets.tables.target import in_one_form
from altsets.tables.weights import counted_rows
from altsets.wording import duration, join_words, parameter

#: Seconds that are worth a word beforehand; smaller tables than that take less.
LONG, FEWEST_COLUMNS, FEWEST_CELLS = 10.0, 20, 1_000_000
#: Bytes that are.
MUCH = 2e9


@dataclass(frozen=True)
class ScoringOptions:
    """How the columns of a table are scored, besides the quality itself: None leaves it to the measure."""

    task: str = "auto"
    n_jobs: int | None = None
    random_state: int | None = None
    groups: Any = None
    callback: Callable[[float], object] | None = None
    sample_weight: Any = None

    def taken_by(self, taken: Callable[[str], bool]) -> dict[str, Any]:
        """Those that are given and that a measure takes; all know the task and weights of rows."""
        given = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        given["task"] = None if self.task == "auto" else self.task
        return {
            name: value
            for name, value in given.items()
            if value is not None and (name in ("task", "sample_weight") or taken(name))
        }


class QualitySpec(ABC):
    """A quality that is yet to be made of a table."""

    #: Whether it is computed from a target; numbers that are there already are not.
    uses_target: ClassVar[bool] = True

    @property
    def needs_target(self) -> bool:
        """Whether there is no such quality without a target."""
        return self.uses_target

    def for_target(self, y: Any) -> QualitySpec:
        """The same with a measure that a target (in one form) takes, where none was given."""
        return self

    def takes_target(self, y: Any) -> bool:
        """Whether its measure is for such a target (in one form): some are for survival, the others for the rest."""
        return True

    def make(
        self, features: Features | LargeTable, y: Any, how: ScoringOptions = ScoringOptions()
    ) -> Quality:
        """The quality of sets of these columns; it knows which of them are constant, so that no set has them."""
        if isinstance(features, Features) and features.covariates is not None:
            self.for_target(in_one_form(y, how.task)).refuse_adjusting()
        if not self.uses_target or isinstance(features, LargeTable):
            return self._made(features, y, how)
        with WarningCapture() as caught:
            made = self._made(features, y, how)
        # An answer has a note on constant columns instead.
        warn_once([one for one in caught if CONSTANT not in one[1]])
        constant = np.flatnonzero(self.constant(features, how.sample_weight)).tolist()
        if constant:
            made = copy(made)
            made.constant = tuple(constant)
        return made

    def constant(self, features: Features, sample_weight: Any = None) -> Bools:
        """Which columns hold one value only in the rows that count; none of them if the table is not looked at."""
        if not self.uses_target:
            return np.zeros(features.n_features, dtype=bool)
        kept = counted_rows(sample_weight, features.n_rows)
        return (features if kept is None else features.rows(kept)).constant

    @abstractmethod
    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        """The quality of sets of these columns."""

    def searched_by(self, engine: str) -> QualitySpec:
        """The same under the name that sets this engine, if there is one."""
        return self

    @property
    def scored_by(self) -> tuple[str, Mapping[str, Any]] | None:
        """The measure that scores single features, with its options; None if it has no name, or if there is none."""
        return None

    def refuse_adjusting(self) -> None:
        """Refuse covariates where the quality has no adjusted form."""
        scored_by = self.scored_by
        others = [self._options[name] for name in ("redundancy_measure",) if name in self._options]
        measured = [*([] if scored_by is None else [scored_by[0]]), *others]
        wrong = [one for one in measured if one not in ADJUSTABLE]
        if not self.is_linear and (scored_by is None or wrong):
            raise InputError(
                f"{parameter('adjust')} is for {join_words([*ADJUSTABLE, 'linear_fit'])}, and for mrmr, fcbf and cfs "
                f"with these measures, not for {self.said}; choose one of them, or leave it out."
            )

    @property
    def said(self) -> str:
        """What the quality is called in a message."""
        return "this quality"

    @property
    def kind(self) -> type[Quality]:
        """The class of the quality, where it is known."""
        return Quality

    @property
    def is_paired(self) -> bool:
        """Whether pairs of features are scored as well."""
        return issubclass(self.kind, MRMR | FCBF | CFS)

    @property
    def is_wrapper(self) -> bool:
        """Whether the quality of a set is how well a model predicts with it."""
        return issubclass(self.kind, OfModels)

    @property
    def is_linear(self) -> bool:
        """Whether the quality of a set is what a linear model on it explains."""
        return issubclass(self.kind, LinearFit)

    @property
    def takes_sparse(self) -> bool:
        """Whether it can be made of sparse tables, as far as that is known without one."""
        scored_by = self.scored_by
        if scored_by is None and not self.is_wrapper:
            return not self.uses_target
        if scored_by is not None and scored_by[0] != "importance":
            return scored_by[0] in (*SPARSE_MEASURES, *measures.SURVIVAL_MEASURES)
        if self.is_wrapper and not is_own(self.fitted_model):
            # A model by name gets the columns of one set as an array.
            return True
        tags = self._model_tags
        return tags is None or bool(tags.sparse)

    @property
    def takes_missing(self) -> bool:
        """Whether it can be made of tables with missing values, as far as that is known without one."""
        if self.is_linear:
            return self._options.get("missing") == "mean"
        if self.scored_by is not None and self.scored_by[0] == "relief":
            return False
        # All models by a short name take them.
        tags = None if self.fitted_model in tuple(MODELS) else self._model_tags
        return tags is None or bool(tags.allow_nan)

    @property
    def _model_tags(self) -> Any:
        """What scikit-learn says about tables for the model that was given; None where nothing is known."""
        model = self.fitted_model
        if isinstance(model, str):
            try:
                model = fresh_model(model, True, 0)
            except InputError:
                return None
        tags = getattr(model, "__sklearn_tags__", None)
        return None if tags is None else tags().input_tags

    @property
    def _options(self) -> Mapping[str, Any]:
        return {}

    @property
    def fitted_model(self) -> Any:
        """The estimator that was given, or its name; None if none was given."""
        return None

    @property
    def chooses_size(self) -> bool:
        """Whether a model decides how large sets are."""
        return self.kind.chooses_size

    def noise_floor(
        self, features: Features, y: Any, how: ScoringOptions = ScoringOptions()
    ) -> Floats | None:
        """What each feature of such a table may score by chance; None where that is not known.

        Ctrl-C ends it without an answer: whatever was found before is worth more.
        """
        scored_by = self.for_target(in_one_form(y, how.task)).scored_by
        if scored_by is None or scored_by[0] not in UNIVARIATE:
            return None
        name, bound = scored_by
        n = features.n_features
        # Of a wide table, few pairs are computed; by another measure, they say nothing about the time this one takes.
        all_pairs = self.is_paired and n <= MATRIX_COLUMNS and name not in measures.PAIRED_BY
        n_scored = n + n * (n - 1) // 2 if all_pairs else n
        options = how.taken_by(lambda option: option == "n_jobs" and takes(name, option)) | dict(bound)
        options.pop("random_state", None)
        if how.random_state is not None:
            options["random_state"] = how.random_state
        try:
            return noise_floor(features, y, name, n_scored=n_scored, **options)
        except KeyboardInterrupt:
            return None

    def expected_bytes(self, features: Features) -> float | None:
        """About how much memory :meth:`make` takes besides the table; None if that is little, or unknown.

        More than the machine has is refused.
        """
        if features.is_sparse or self.scored_by is None or not self.is_paired:
            # Other tables are scored some columns at a time.
            return None
        n = features.n_features
        # Columns of length one, and all pairs unless these are computed on demand.
        expected = 8.0 * n * (features.n_rows + (2 * n if n <= MATRIX_COLUMNS else 0))
        if expected > machine.memory():
            raise InputError(
                f"the pairs of {n:,} features of {features.n_rows:,} rows take about {machine.size(expected)} of "
                f"memory, and this machine has {machine.size(machine.memory())}; choose fewer columns or rows, or a "
                "quality without pairs, such as f."
            )
        return expected if expected >= MUCH else None

    def forecast(self, features: Features, y: Any, how: ScoringOptions = ScoringOptions()) -> str:
        """What :meth:`make` takes, such as "about 5 min and 3.1 GB of memory"; empty if that is little."""
        seconds, n_bytes = self.expected_seconds(features, y, how), self.expected_bytes(features)
        time_in_words = [] if seconds is None else [duration(seconds)]
        memory_in_words = [] if n_bytes is None else [f"{machine.size(n_bytes)} of memory"]
        said = " and ".join([*time_in_words, *memory_in_words])
        return f"about {said}" if said else ""

    def expected_seconds(
        self, features: Features, y: Any, how: ScoringOptions = ScoringOptions()
    ) -> float | None:
        """About how long :meth:`make` takes, by the time for some columns; None if that is short, or unknown."""
        n = features.n_features
        few = n < FEWEST_COLUMNS or n * features.n_rows < FEWEST_CELLS
        if few or self.scored_by is None or self.scored_by[0] not in UNIVARIATE:
            return None
        all_pairs = self.is_paired and n <= MATRIX_COLUMNS
        n_scored = n + n * (n - 1) // 2 if all_pairs else n
        scored = [2, 5] if self.is_paired else [1, 4]
        # Two columns have one pair, five have ten.
        first, second = [3, 15] if self.is_paired else scored
        started = self._seconds(features, y, how, scored[0])
        if started is None or n_scored * started / first < LONG:
            return None
        # What seems to take long may have been loaded for the first time, or be done once for all columns.
        fewer, more = (self._seconds(features, y, how, count) for count in scored)
        if fewer is None or more is None:
            return None
        expected = fewer + max(more - fewer, 0.0) / (second - first) * (n_scored - first)
        return expected if expected >= LONG else None

    def _seconds(self, features: Features, y: Any, how: ScoringOptions, n_columns: int) -> float | None:
        """How long some columns take; None if they cannot be used, which raises when all of them are scored."""
        places = np.linspace(0, features.n_features - 1, n_columns).astype(int).tolist()
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.make(features.columns(places), y, replace(how, callback=None))
        except InputError:
            return None
        return time.perf_counter() - started


def takes(scorer: Any, option: str) -> bool:
    known = measures.MEASURES.get(scorer) if isinstance(scorer, str) else None
    return known is not None and option in inspect.signature(known).parameters
