"""What users give as ``quality=`` where there is a table to make one from: a name, a class, an estimator, numbers ...

:func:`spec_of` turns each kind into a record that says what it can do: whether it needs a target, which measure scores
single features, and how the quality is made of a table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from altsets import measures
from altsets.errors import InputError, NotExpressedError
from altsets.features import first_difference, one_of, whole_number
from altsets.measures.large.scores import MERGED, MERGED_PAIRS, measure_refused, refuse_measure
from altsets.measures.large.table import LargeTable
from altsets.measures.pairs import call_measure, is_array
from altsets.measures.piecewise import checked_combination
from altsets.quality._additive import Additive
from altsets.quality._black_box import Wrapper
from altsets.quality._embedded import Embedded
from altsets.quality._linear_fit import LinearFit
from altsets.quality._pairwise import CFS, FCBF, MRMR
from altsets.quality._quality import Quality
from altsets.quality.from_table import QualitySpec as QualitySpec
from altsets.quality.from_table import ScoringOptions as ScoringOptions
from altsets.quality.from_table import takes
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import is_survival
from altsets.tables.target import in_one_form
from altsets.wording import join_words, parameter, suggestion

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
#: What ``from_data`` takes besides the options of a measure, and what changes no score of a feature.
NO_OPTIONS_OF_MEASURES = ("measure", "scaling", "redundancy_measure", "min_relevance", "feature_names")
#: Classes of qualities that can be made of a table, with their names.
CLASSES: dict[type[Quality], str] = {Additive: "mutual_info", LinearFit: LINEAR}
CLASSES.update({kind: name for name, kind in (*PAIRED.items(), *OF_MODELS.items())})


@dataclass(frozen=True, repr=False)
class NamedQuality(QualitySpec):
    """A quality by its name, with its options; options of other qualities are refused.

    The name is that of a measure, whose scores are added up (see :data:`altsets.measures.MEASURES`), or ``"mrmr"``,
    ``"fcbf"``, ``"cfs"`` (with the measure of pairs), ``"linear_fit"`` (with the criterion that compares sizes), or
    ``"wrapper"`` or ``"embedded"``. The other fields are for measures that fit a model, and for the last two; ``more``
    has other keywords of ``from_data``. A name of the paper becomes ours; ``engine`` is the one that it sets.
    """

    name: str
    measure: Any = None
    estimator: Any = None
    scoring: Any = None
    pos_label: Any = None
    class_weight: Any = None
    criterion: str | None = None
    combine: Any = None
    max_iters: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict, hash=False)
    engine: str = field(default="auto", init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "engine", PAPER_ENGINES.get(self.name, "auto"))
        object.__setattr__(self, "name", PAPER_NAMES.get(self.name, self.name))
        name, measure = self.name, self.measure
        object.__setattr__(self, "combine", checked_combination(self.combine))
        one_of("quality", name, (*measures.MEASURES, *PAIRED, LINEAR, *OF_MODELS))
        if measure is not None and name not in PAIRED:
            whole = f"{name} is a measure itself" if name in measures.MEASURES else f"{name} measures nothing"
            raise InputError(f"{parameter('measure', measure)} is for quality {', '.join(PAIRED)}; {whole}.")
        for option, value in self.model.items():
            if not takes_option(name, option):
                named = (*measures.MEASURES, *PAIRED, LINEAR, *OF_MODELS)
                takers = ", ".join(taker for taker in named if takes_option(taker, option))
                raise InputError(f"{parameter(option, value)} is for quality {takers}, not for {name}.")
        if self.max_iters is not None:
            object.__setattr__(self, "max_iters", whole_number("max_iters", self.max_iters, least=1))
        known = (*measures.PAIR_MEASURES, *measures.PAIRED_BY)
        # With another measure for pairs, any will do; from_data knows which.
        if isinstance(measure, str) and "redundancy_measure" not in self.more:
            one_of("measure", measure, known)
        for option in self.more:
            self._refuse_unknown(option)

    @classmethod
    def of(cls, name: str, params: Mapping[str, Any]) -> NamedQuality:
        """The quality of a name with keywords; those that it does not take are refused."""
        own = {one.name for one in fields(cls) if one.init} - {"name", "more"}
        return cls(
            name,
            **{option: value for option, value in params.items() if option in own},
            more={option: value for option, value in params.items() if option not in own},
        )

    def _refuse_unknown(self, option: str) -> None:
        """Refuse a keyword that neither ``from_data`` nor the measure takes."""
        made_by = [self.kind if self.is_wrapper else self.kind.from_data]  # type: ignore[attr-defined]
        used = [one for one in (self._measure, self.more.get("redundancy_measure")) if isinstance(one, str)]
        made_by += [measures.MEASURES[name] for name in used if name in measures.MEASURES]
        taken = {name for one in made_by for name in inspect.signature(one).parameters}
        # A function of the user's may take anything.
        if option in taken - {"X", "y", "features", "options"} or callable(self._measure):
            return
        hint = suggestion(option, taken, "leave it out.")
        raise InputError(f"quality_params names {option!r}, which {self.name} does not take; {hint}")

    @property
    def said(self) -> str:
        measure = "" if self.measure is None else f" with {self.measure}"
        return f"{self.name}{measure}"

    @property
    def model(self) -> dict[str, Any]:
        """The options of the model and its scoring that were given."""
        options = ("estimator", "scoring", "pos_label", "class_weight", "criterion", "combine", "max_iters")
        return {option: value for option in options if (value := getattr(self, option)) is not None}

    @property
    def params(self) -> dict[str, Any]:
        """All keywords that were given."""
        measure = {} if self.measure is None else {"measure": self.measure}
        return {**measure, **self.model, **self.more}

    @property
    def _options(self) -> Mapping[str, Any]:
        return self.more

    @property
    def _measure(self) -> Any:
        return DEFAULT_MEASURES.get(self.name, self.name) if self.measure is None else self.measure

    @property
    def scored_by(self) -> tuple[str, Mapping[str, Any]] | None:
        measure = self._measure
        if self.is_wrapper or self.is_linear or not isinstance(measure, str):
            return None
        if self.more.get("scaling") is not None:
            return None
        combine = {} if self.combine is None else {"combine": self.combine}
        return measure, combine | options_of_measure(self.more)

    @property
    def asked_name(self) -> str:
        """The name that sets the engine as well, if there is one."""
        return _NAMES_WITH_ENGINE.get((self.name, self.engine), self.name)

    def searched_by(self, engine: str) -> NamedQuality:
        return replace(self, name=_NAMES_WITH_ENGINE.get((self.name, engine), self.name))

    def for_target(self, y: Any) -> NamedQuality:
        return self.for_survival() if is_survival(y) else self

    def for_survival(self) -> NamedQuality:
        unset = self.measure is None and self.name in PAIRED
        return replace(self, measure=SURVIVAL_MEASURE) if unset else self

    def takes_target(self, y: Any) -> bool:
        scored_by = self.for_target(y).scored_by
        if scored_by is None or scored_by[0] in measures.OF_FITTED_MODELS:
            return True
        return (scored_by[0] in measures.SURVIVAL_MEASURES) == is_survival(y)

    def _refuse_for_survival(self) -> None:
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
    def needs_target(self) -> bool:
        return not self.is_linear

    @property
    def fitted_model(self) -> Any:
        return self.estimator

    @property
    def kind(self) -> type[Quality]:
        paired_or_sum = PAIRED.get(self.name, Additive)
        return LinearFit if self.name == LINEAR else OF_MODELS.get(self.name, paired_or_sum)

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        target = in_one_form(y, how.task)
        resolved = self.for_target(target)
        if resolved is not self:
            return resolved._made(features, y, how)
        if is_survival(target) and not self.takes_target(target):
            self._refuse_for_survival()
        scorer = self._measure
        if isinstance(features, LargeTable):
            refuse_measure(scorer, MERGED_PAIRS if self.is_paired else MERGED)
            # A pass takes long, whatever the measure.
            options = how.taken_by(lambda name: name == "callback")
        else:
            options = how.taken_by(partial(_takes, scorer))
        options |= {**self.model, **self.more}
        if self.is_wrapper:
            return OF_MODELS[self.name].from_data(features, y, **options)
        if self.is_linear:
            return LinearFit.from_data(features, y, **options)
        if self.is_paired:
            return PAIRED[self.name].from_data(features, y, measure=scorer, **options)
        return Additive.from_data(features, y, measure=self.name, **options)

    def __repr__(self) -> str:
        said = [repr(self.name), *(f"{option}={value!r}" for option, value in self.params.items())]
        return f"NamedQuality({', '.join(said)})"

    def as_dict(self) -> dict[str, Any]:
        """As plain text; estimators and scorers by their names alone."""
        plain = {"name": self.name, **self.params}
        for option, value in plain.items():
            if value is not None and not isinstance(value, str | int | float | tuple):
                raise NotExpressedError(f"only you have the {option} that was given")
        return {option: value for option, value in plain.items() if value is not None}

    def to_python(self) -> list[str]:
        """As arguments of ``SelectAlternatives``."""
        params = self.as_dict()
        del params["name"]
        return [repr(self.asked_name), *([f"quality_params={params!r}"] if params else [])]


def options_of_measure(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of ``from_data`` that it passes on to the measure."""
    return {name: value for name, value in options.items() if name not in NO_OPTIONS_OF_MEASURES}


def takes_option(name: str, option: str) -> bool:
    """Whether a quality has such an option; those that fit a model take an estimator, for example."""
    name = PAPER_NAMES.get(name, name)
    if name == LINEAR or option == "criterion":
        return name == LINEAR and option == "criterion"
    if option == "combine":
        return name in measures.MEASURES or name in PAIRED
    return name in OF_MODELS or _takes(name, option)


def _takes(scorer: Any, option: str) -> bool:
    """Whether a measure, or a quality of models, has such an option."""
    of_models = isinstance(scorer, str) and scorer in OF_MODELS
    return option in ("n_jobs", "random_state", "groups") if of_models else takes(scorer, option)


# --- Other qualities ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GivenQuality(QualitySpec):
    """Numbers that are there already: a quality object, or one score for each column."""

    given: Any
    uses_target = False

    @property
    def chooses_size(self) -> bool:
        return isinstance(self.given, Quality) and self.given.chooses_size

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        _refuse_weights(how, "numbers that were given")
        if isinstance(self.given, Quality):
            return fit_to_table(self.given, features)
        if isinstance(features, LargeTable):
            return fit_to_table(Additive(self.given), features)
        return Additive.from_data(features, y, measure=self.given)


@dataclass(frozen=True)
class BoundQuality(QualitySpec):
    """``from_data`` of a quality class, with some of its parameters bound."""

    made_by: type[Any]
    bound: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scored_by(self) -> tuple[str, Mapping[str, Any]] | None:
        default = NamedQuality(CLASSES[self.kind]).scored_by
        chosen = self.bound.get("measure", default and default[0])
        if not isinstance(chosen, str) or self.bound.get("scaling") is not None:
            return None
        return chosen, options_of_measure(self.bound)

    @property
    def kind(self) -> type[Quality]:
        return self.made_by

    @property
    def _options(self) -> Mapping[str, Any]:
        return self.bound

    @property
    def fitted_model(self) -> Any:
        return self.bound.get("estimator")

    def _made(self, features: Features | LargeTable, y: Any, how: ScoringOptions) -> Quality:
        measure = self.scored_by
        if isinstance(features, LargeTable) and not (self.is_paired or self.kind is Additive):
            raise measure_refused(self.kind.__name__)
        splits_rows = self.is_wrapper or (measure is not None and measure[0] == "permutation")
        options = how.taken_by(lambda option: option == "groups" and splits_rows)
        made: Quality = self.made_by.from_data(features, y, **{**self.bound, **options})
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
        _refuse_weights(how, "functions")
        if isinstance(features, LargeTable):
            raise measure_refused("a function of your own")
        answer = call_measure(self.function, features, None if y is None else np.asarray(y))
        if isinstance(answer, Quality):
            return fit_to_table(answer, features)
        return Additive.from_data(features, y, measure=lambda *_: answer)


def spec_of(given: Any, params: Any = None) -> QualitySpec:
    """The quality that ``quality=`` and ``quality_params=`` stand for: see :class:`altsets.SelectAlternatives`."""
    if params is not None and not (
        isinstance(params, Mapping) and all(isinstance(name, str) for name in params)
    ):
        raise InputError(f"{parameter('quality_params', params)} must be a dictionary from names to values.")
    params = dict(params or {})
    is_made = isinstance(given, QualitySpec | Quality) or is_array(given)
    is_estimator = hasattr(given, "fit") and not isinstance(given, type)
    if params and (is_made or is_estimator):
        what = "an array of scores" if is_array(given) else "a quality object"
        what = f"the estimator {type(given).__name__}" if is_estimator else what
        raise InputError(
            f"quality_params has options of a quality that is made of a table, but {what} was given; give "
            "the quality by its name or class."
        )
    if is_made:
        return given if isinstance(given, QualitySpec) else GivenQuality(given)
    if is_estimator:
        return NamedQuality("importance", estimator=given)
    if isinstance(given, str):
        return NamedQuality.of(given, params)
    if isinstance(given, type):
        if given is Additive:
            measure = params.pop("measure", CLASSES[Additive])
            if isinstance(measure, str):
                return NamedQuality.of(measure, params)
            return BoundQuality(Additive, params | {"measure": measure})
        if given in CLASSES:
            return NamedQuality.of(CLASSES[given], params)
        return OwnQuality(_bound(getattr(given, "from_data", given), params))
    if not callable(given):
        raise InputError(
            f"quality={given!r} is unknown; give a name such as 'mutual_info' or 'mrmr', an estimator, a quality, a "
            "function of X and y, or one score for each column."
        )
    bare, bound = (given.func, given.keywords) if isinstance(given, partial) else (given, {})
    kind = next((kind for kind in CLASSES if bare == kind.from_data), None)  # type: ignore[attr-defined]
    if kind is None or (isinstance(given, partial) and given.args):
        return OwnQuality(_bound(given, params))
    return BoundQuality(kind, {**bound, **params})


def _bound(function: Callable[..., Any], params: dict[str, Any]) -> Callable[..., Any]:
    return partial(function, **params) if params else function


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
        raise InputError(f"sample_weight is not supported for {who}; leave it out.")
