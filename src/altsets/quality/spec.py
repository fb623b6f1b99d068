"""What users give as ``quality=`` where there is a table to make one from: a name, a class, an estimator, numbers ...

:func:`spec_of` turns each kind into a record that says what it can do: whether it needs a target, which measure scores
single features, and how the quality is made of a table.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.features import first_difference
from altsets.measures.large.scores import measure_refused
from altsets.measures.large.table import LargeTable
from altsets.measures.pairs import call_measure, is_array
from altsets.quality._additive import Additive
from altsets.quality._linear_fit import LinearFit
from altsets.quality._named import (
    DEFAULT_MEASURES,
    LINEAR,
    OF_MODELS,
    PAIRED,
    PAPER_ENGINES,
    PAPER_NAMES,
    SURVIVAL_MEASURE,
    NamedQuality,
    options_of_measure,
    takes_option,
)
from altsets.quality._quality import Quality
from altsets.quality.from_table import QualitySpec, ScoringOptions
from altsets.tables.feature_matrix import Features
from altsets.wording import parameter

__all__ = [
    "DEFAULT_MEASURES",
    "LINEAR",
    "PAIRED",
    "PAPER_ENGINES",
    "PAPER_NAMES",
    "SURVIVAL_MEASURE",
    "GivenQuality",
    "NamedQuality",
    "QualitySpec",
    "ScoringOptions",
    "fit_to_table",
    "spec_of",
    "takes_option",
]

#: Classes of qualities that can be made of a table, with their names.
CLASSES: dict[type[Quality], str] = {Additive: "mutual_info", LinearFit: LINEAR}
CLASSES.update({kind: name for name, kind in (*PAIRED.items(), *OF_MODELS.items())})


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
