"""What users give as ``quality=`` where there is a table to make one from: a name, a class, an estimator, numbers ...

:func:`spec_of` turns each kind into a record that says what it can do: whether it needs a target, which measure scores
single features, and how the quality is made of a table.
"""

from __future__ import annotations

import inspect
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from altsets import machine, measures
from altsets.arrays import Bools, Floats
from altsets.errors import InputError, NotExpressedError
from altsets.features import first_difference
from altsets.measures import UNIVARIATE, noise_floor
from altsets.measures.large.scores import MERGED, MERGED_PAIRS, measure_refused, refuse_measure
from altsets.measures.large.table import LargeTable
from altsets.measures.pairs import call_measure, is_array
from altsets.measures.redundancy import MATRIX_COLUMNS
from altsets.measures.several import checked_combination
from altsets.quality._additive import Additive
from altsets.quality._black_box import Wrapper
from altsets.quality._embedded import Embedded
from altsets.quality._linear_fit import LinearFit
from altsets.quality._pairwise import CFS, FCBF, MRMR
from altsets.quality._quality import Quality
from altsets.tables.feature_matrix import CONSTANT, SPARSE_MEASURES, Features
from altsets.tables.forms import in_one_form, is_survival
from altsets.tables.target import counted_rows
from altsets.wording import duration, join_words, parameter

#: Qualities that look at pairs of features, and what they measure with unless another measure is given.
PAIRED: dict[str, type[MRMR | FCBF | CFS]] = {"mrmr": MRMR, "fcbf": FCBF, "cfs": CFS}
DEFAULT_MEASURES = {"mrmr": "mutual_info", "fcbf": "mutual_info", "cfs": "pearson"}
#: ... and the target is not survival.
SURVIVAL_MEASURE = "concordance"
#: Qualities that fit a model to each set.
OF_MODELS: dict[str, type[Wrapper | Embedded]] = {"wrapper": Wrapper, "embedded": Embedded}
#: The quality of linear models, which needs no target.
LINEAR = "linear_fit"
#: What Bach (2023) calls some of them. His wrapper is a search of its own, so that name sets the engine as well.
PAPER_NAMES = {"mi": "mutual_info", "model_gain": "importance", "greedy_wrapper": "wrapper"}
PAPER_ENGINES = {"greedy_wrapper": "greedy-wrapper"}
_NAMES_WITH_ENGINE = {(PAPER_NAMES[name], engine): name for name, engine in PAPER_ENGINES.items()}
#: Classes of qualities that can be made of a table, with their names.
CLASSES: dict[type[Quality], str] = {Additive: "mutual_info", LinearFit: LINEAR}
CLASSES.update({kind: name for name, kind in (*PAIRED.items(), *OF_MODELS.items())})
#: What ``from_data`` takes besides the options of a measure, and what changes no score of a feature.
NO_OPTIONS_OF_MEASURES = ("measure", "scaling", "redundancy_measure", "min_relevance", "feature_names")


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
    progress: Callable[[float], object] | None = None
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
        if not self.uses_target or isinstance(features, LargeTable):
            return self._made(features, y, how)
        with warnings.catch_warnings():
            # An answer has a note on them instead.
            warnings.filterwarnings("ignore", CONSTANT)
            made = self._made(features, y, how)
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

    @property
    def is_paired(self) -> bool:
        """Whether pairs of features are scored as well."""
        return False

    @property
    def is_wrapper(self) -> bool:
        """Whether the quality of a set is how well a model predicts with it."""
        return False

    @property
    def is_linear(self) -> bool:
        """Whether the quality of a set is what a linear model on it explains."""
        return False

    @property
    def takes_sparse(self) -> bool:
        """Whether it can be made of sparse tables, as far as that is known without one."""
        if self.scored_by is None:
            return self.is_wrapper or not self.uses_target
        return self.scored_by[0] in (*SPARSE_MEASURES, *measures.SURVIVAL_MEASURES, "importance")

    @property
    def takes_missing(self) -> bool:
        """Whether it can be made of tables with missing values, as far as that is known without one."""
        if self.is_linear or self.scored_by == ("relief", {}):
            return False
        # Asked of the model itself, as scikit-learn is not imported here.
        tags = getattr(self.fitted_model, "__sklearn_tags__", None)
        return tags is None or bool(tags().input_tags.allow_nan)

    @property
    def fitted_model(self) -> Any:
        """The estimator that was given, or its name; None if none was given."""
        return None

    @property
    def chooses_size(self) -> bool:
        """Whether a model decides how large sets are."""
        return False

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
        options = how.taken_by(lambda option: option == "n_jobs" and _takes(name, option)) | dict(bound)
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
        """How long some columns take; None if they cannot be used, which is said when all of them are scored."""
        places = np.linspace(0, features.n_features - 1, n_columns).astype(int).tolist()
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.make(features.columns(places), y, replace(how, progress=None))
        except InputError:
            return None
        return time.perf_counter() - started


@dataclass(frozen=True, repr=False)
class NamedQuality(QualitySpec):
    """A quality by its name, with what belongs to it; what does not go with the name is refused at once.

    The name is that of a measure, whose scores are added up (see :data:`altsets.measures.MEASURES`), or ``"mrmr"``,
    ``"fcbf"``, ``"cfs"`` (with the measure of pairs), ``"linear_fit"`` (with the criterion that compares sizes), or
    ``"wrapper"`` or ``"embedded"``. The other fields are for measures that fit a model, and for the last two. A name of
    the paper becomes ours; ``engine`` is the one that it sets.
    """

    name: str
    measure: str | None = None
    estimator: Any = None
    scoring: Any = None
    pos_label: Any = None
    class_weight: Any = None
    criterion: str | None = None
    combine: Any = None
    engine: str = field(default="auto", init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "engine", PAPER_ENGINES.get(self.name, "auto"))
        object.__setattr__(self, "name", PAPER_NAMES.get(self.name, self.name))
        name, measure = self.name, self.measure
        object.__setattr__(self, "combine", checked_combination(self.combine))
        if name not in (*OF_MODELS, *PAIRED, LINEAR) and name not in measures.MEASURES:
            choices = ", ".join((*measures.MEASURES, *PAIRED, LINEAR, *OF_MODELS))
            raise InputError(f"{parameter('quality', name)} is unknown; choose one of {choices}.")
        if measure is not None and name not in PAIRED:
            whole = f"{name} is a measure itself" if name in measures.MEASURES else f"{name} measures nothing"
            raise InputError(
                f"{parameter('measure', measure)} goes with quality {', '.join(PAIRED)}; {whole}."
            )
        for option, value in self.model.items():
            if not takes_option(name, option):
                named = (*measures.MEASURES, *PAIRED, LINEAR, *OF_MODELS)
                takers = [taker for taker in named if takes_option(taker, option)]
                raise InputError(
                    f"{parameter(option, value)} goes with quality {', '.join(takers)}, not with {name}."
                )
        known = (*measures.PAIR_MEASURES, *measures.PAIRED_BY)
        if measure is not None and measure not in known:
            raise InputError(f"{parameter('measure', measure)} is unknown; choose one of {', '.join(known)}.")

    @property
    def model(self) -> dict[str, Any]:
        """The options of the model and its scoring that were given."""
        options = ("estimator", "scoring", "pos_label", "class_weight", "criterion", "combine")
        return {option: value for option in options if (value := getattr(self, option)) is not None}

    @property
    def scored_by(self) -> tuple[str, Mapping[str, Any]] | None:
        """The measure that scores single features."""
        if self.is_wrapper or self.is_linear:
            return None
        combine = {} if self.combine is None else {"combine": self.combine}
        return self.measure or DEFAULT_MEASURES.get(self.name, self.name), combine

    @property
    def asked_name(self) -> str:
        """The name that sets the engine as well, if there is one."""
        return _NAMES_WITH_ENGINE.get((self.name, self.engine), self.name)

    def searched_by(self, engine: str) -> NamedQuality:
        """The same under the name that sets this engine, if there is one."""
        return replace(self, name=_NAMES_WITH_ENGINE.get((self.name, engine), self.name))

    def for_target(self, y: Any) -> NamedQuality:
        """The same with a measure that such a target takes, where none was given."""
        return self.for_survival() if is_survival(y) else self

    def for_survival(self) -> NamedQuality:
        """The same with a measure for survival, where none was given."""
        unset = self.measure is None and self.name in PAIRED
        return replace(self, measure=SURVIVAL_MEASURE) if unset else self

    def takes_target(self, y: Any) -> bool:
        """Whether the measure is for such a target; models and linear fits are for all."""
        scored_by = self.for_target(y).scored_by
        if scored_by is None or scored_by[0] in measures.OF_FITTED_MODELS:
            return True
        return (scored_by[0] in measures.SURVIVAL_MEASURES) == is_survival(y)

    def _refuse_for_survival(self) -> None:
        """Say which qualities are for survival."""
        if self.measure is not None:
            raise InputError(
                f"{parameter('measure', self.measure)} is for classes and numbers, but the target is survival; use "
                "concordance."
            )
        others = ("logrank", *measures.OF_FITTED_MODELS, *PAIRED, LINEAR, *OF_MODELS)
        raise InputError(
            f"{parameter('quality', self.name)} is for classes and numbers, but the target is survival; use "
            f"concordance, cox, {join_words(others, 'or')}."
        )

    @property
    def is_paired(self) -> bool:
        """Whether pairs of features are scored as well."""
        return self.name in PAIRED

    @property
    def is_wrapper(self) -> bool:
        """Whether the quality of a set is how well a model predicts with it."""
        return self.name in OF_MODELS

    @property
    def is_linear(self) -> bool:
        """Whether the quality of a set is what a linear model on it explains."""
        return self.name == LINEAR

    @property
    def needs_target(self) -> bool:
        """Whether there is no such quality without a target."""
        return not self.is_linear

    @property
    def chooses_size(self) -> bool:
        """Whether a model decides how large sets are."""
        return self.is_wrapper and OF_MODELS[self.name].chooses_size

    @property
    def fitted_model(self) -> Any:
        """The estimator that was given, or its name; None if none was given."""
        return self.estimator

    @property
    def kind(self) -> type[Quality]:
        """The class of the quality."""
        return LinearFit if self.is_linear else OF_MODELS.get(self.name) or PAIRED.get(self.name) or Additive

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        """The quality of sets of these columns."""
        target = in_one_form(y, how.task)
        resolved = self.for_target(target)
        if resolved is not self:
            return resolved._made(features, y, how)
        if is_survival(target) and not self.takes_target(target):
            self._refuse_for_survival()
        scorer = self.name if self.scored_by is None else self.scored_by[0]
        if isinstance(features, LargeTable):
            refuse_measure(scorer, MERGED_PAIRS if self.is_paired else MERGED)
            # A pass takes long, whatever the measure.
            options = how.taken_by(lambda name: name == "progress")
        else:
            options = how.taken_by(partial(_takes, scorer))
        if self.is_wrapper:
            return OF_MODELS[self.name].from_data(features, y, **self.model, **options)
        if self.is_linear:
            return LinearFit.from_data(features, y, **self.model, **options)
        if self.is_paired:
            return PAIRED[self.name].from_data(features, y, measure=scorer, **self.model, **options)
        return Additive.from_data(features, y, measure=self.name, **self.model, **options)

    def __repr__(self) -> str:
        more = self.model if self.measure is None else {"measure": self.measure, **self.model}
        said = [repr(self.name), *(f"{option}={value!r}" for option, value in more.items())]
        return f"NamedQuality({', '.join(said)})"

    def as_dict(self) -> dict[str, Any]:
        """As plain text; estimators and scorers by their names alone."""
        plain = {"name": self.name, "measure": self.measure, **self.model}
        for option, value in plain.items():
            if value is not None and not isinstance(value, str | int | float | tuple):
                raise NotExpressedError(f"only you have the {option} that was given")
        return {option: value for option, value in plain.items() if value is not None}

    def to_python(self) -> str:
        """As an argument of ``SelectAlternatives``; a call of ``from_data`` is ``partial``."""
        plain = self.as_dict()
        more = [f"{option}={value!r}" for option, value in plain.items() if option != "name"]
        if self.engine != "auto":
            if more:
                raise NotExpressedError(f"the engine {self.engine!r} was asked for, which only find() takes")
            return repr(self.asked_name)
        if not more:
            return repr(self.name)
        if self.kind is Additive:
            more.insert(0, f"measure={self.name!r}")
        return f"partial(quality.{self.kind.__name__}.from_data, {', '.join(more)})"


@dataclass(frozen=True, eq=False)
class GivenQuality(QualitySpec):
    """Numbers that are there already: a quality object, or one score for each column."""

    given: Any
    uses_target = False

    @property
    def chooses_size(self) -> bool:
        """Whether a model decides how large sets are."""
        return isinstance(self.given, Quality) and self.given.chooses_size

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        """The same with the names of the table's columns."""
        _refuse_weights(how, "numbers that were given")
        if isinstance(self.given, Quality):
            return fit_to_table(self.given, features)
        if isinstance(features, LargeTable):
            return fit_to_table(Additive(self.given), features)
        return Additive.from_data(features, y, measure=self.given)


@dataclass(frozen=True)
class BoundQuality(QualitySpec):
    """``from_data`` of a quality class, with some of its parameters bound."""

    kind: type[Any]
    bound: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scored_by(self) -> tuple[str, Mapping[str, Any]] | None:
        """The measure that is bound, or the default of the class."""
        default = NamedQuality(CLASSES[self.kind]).scored_by
        chosen = self.bound.get("measure", default and default[0])
        if not isinstance(chosen, str) or self.bound.get("scaling") is not None:
            return None
        options = {name: value for name, value in self.bound.items() if name not in NO_OPTIONS_OF_MEASURES}
        return chosen, options

    @property
    def is_paired(self) -> bool:
        """Whether pairs of features are scored as well."""
        return CLASSES[self.kind] in PAIRED

    @property
    def takes_missing(self) -> bool:
        """Whether it can be made of tables with missing values, as far as that is known without one."""
        if self.kind is LinearFit:
            return self.bound.get("missing") == "mean"
        return super().takes_missing

    @property
    def fitted_model(self) -> Any:
        """The estimator that was given, or its name; None if none was given."""
        return self.bound.get("estimator")

    @property
    def chooses_size(self) -> bool:
        """Whether a model decides how large sets are."""
        return bool(self.kind.chooses_size)

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        """The quality of sets of these columns; what the measure takes besides is up to the user who bound it."""
        measure = self.scored_by
        if isinstance(features, LargeTable) and not (self.is_paired or self.kind is Additive):
            raise measure_refused(self.kind.__name__)
        splits_rows = self.kind in OF_MODELS.values() or (measure is not None and measure[0] == "permutation")
        options = how.taken_by(lambda option: option == "groups" and splits_rows)
        made: Quality = self.kind.from_data(features, y, **{**self.bound, **options})
        return made


@dataclass(frozen=True)
class OwnQuality(QualitySpec):
    """A user's own function of a table and a target, or a class of quality that altsets does not know."""

    function: Callable[..., Any]

    @property
    def needs_target(self) -> bool:
        """Whether the function has no default for the target."""
        try:
            parameters = [*inspect.signature(self.function).parameters.values()]
        except (TypeError, ValueError):
            # Of some compiled functions nothing is known.
            return True
        return len(parameters) < 2 or parameters[1].default is inspect.Parameter.empty

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        """What the function returns: a quality, or one score for each column."""
        _refuse_weights(how, "functions")
        if isinstance(features, LargeTable):
            raise measure_refused("a function of your own")
        answer = call_measure(self.function, features, None if y is None else np.asarray(y))
        if isinstance(answer, Quality):
            return fit_to_table(answer, features)
        return Additive.from_data(features, y, measure=lambda *_: answer)


def spec_of(given: Any) -> QualitySpec:
    """The quality that ``quality=`` stands for: see :class:`altsets.SelectAlternatives`."""
    if isinstance(given, QualitySpec):
        return given
    if isinstance(given, str):
        return NamedQuality(given)
    if isinstance(given, Quality) or is_array(given):
        return GivenQuality(given)
    if isinstance(given, type):
        if given in CLASSES:
            return NamedQuality(CLASSES[given])
        return OwnQuality(getattr(given, "from_data", given))
    if hasattr(given, "fit"):
        return NamedQuality("importance", estimator=given)
    if not callable(given):
        raise InputError(
            f"quality={given!r} is unknown; give a name such as 'mutual_info' or 'mrmr', an estimator, a quality, a "
            "function of X and y, or one score for each column."
        )
    bare, bound = (given.func, given.keywords) if isinstance(given, partial) else (given, {})
    kind = next((kind for kind in CLASSES if bare == kind.from_data), None)  # type: ignore[attr-defined]
    if kind is None or (isinstance(given, partial) and given.args):
        return OwnQuality(given)
    return BoundQuality(kind, bound)


def takes_option(name: str, option: str) -> bool:
    """Whether a quality has such an option; those that fit a model take an estimator, for example."""
    name = PAPER_NAMES.get(name, name)
    if name == LINEAR or option == "criterion":
        return name == LINEAR and option == "criterion"
    if option == "combine":
        return name in measures.MEASURES or name in PAIRED
    return name in OF_MODELS or _takes(name, option)


def _takes(scorer: str, option: str) -> bool:
    """Whether a measure, or a quality of models, has such an option."""
    if scorer in OF_MODELS:
        return option in ("n_jobs", "random_state", "groups")
    return scorer in measures.MEASURES and option in inspect.signature(measures.MEASURES[scorer]).parameters


def fit_to_table(quality: Quality, features: Features | LargeTable) -> Quality:
    """A quality that was given, with the names of the table's columns; refused if it is about other features."""
    if quality.n_features_in != features.n_features:
        raise InputError(
            f"the quality is about {quality.n_features_in} features, but the table has {features.n_features} columns."
        )
    if features.names is None or quality.feature_names == features.names:
        return quality
    if quality.is_named:
        difference = first_difference(quality.feature_names, features.names, "the table")
        raise InputError(
            f"the quality and the table name the features differently ({difference}); bring them into the same order."
        )
    return quality.with_names(features.names)


def _refuse_weights(how: ScoringOptions, who: str) -> None:
    if how.sample_weight is not None:
        raise InputError(f"sample_weight has no use for {who}; leave it out.")
