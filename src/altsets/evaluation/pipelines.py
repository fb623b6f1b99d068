"""Pipelines that search: each fold fits the steps and the search anew, and a model to each of the sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures.scoring import ModelRows, explain_fit_errors
from altsets.problem import FeatureSet
from altsets.result import Result
from altsets.selector import SelectAlternatives
from altsets.tables.feature_matrix import Features


@dataclass(frozen=True, eq=False)
class SearchPipeline:
    """A pipeline with a :class:`altsets.SelectAlternatives` among its steps.

    ``columns`` are the names of the table's columns, ``names`` those of the features that it selects from, which steps
    before it may have made of the columns.
    """

    model: Any
    place: int
    columns: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, pipeline: Any, model: Any, rows: ModelRows, features: Features) -> SearchPipeline:
        """The pipeline, with its unfitted copy ``model``; steps before the search are fitted once for their names."""
        place = selector_place(pipeline) or 0
        names = tuple(features.feature_names)
        if place:
            every = range(features.n_features)
            with explain_fit_errors(features, model, own=True):
                names = _names_out(rows.part(np.arange(features.n_rows)).fit(model[:place], every), names)
        return cls(model, place, tuple(features.feature_names), names)

    @property
    def selector(self) -> SelectAlternatives:
        """The step that searches."""
        return self.model.steps[self.place][1]  # type: ignore[no-any-return]

    def search(self, rows: ModelRows) -> PipelineSearch:
        """The steps up to the search, fitted to some rows."""
        from sklearn.base import clone

        head = rows.fit(clone(self.model[: self.place + 1]), range(len(self.columns)))
        return PipelineSearch(self, head)


@dataclass(frozen=True, eq=False)
class PipelineSearch:
    """What a pipeline found on some rows; ``head`` has its fitted steps up to the search."""

    pipeline: SearchPipeline
    head: Any

    @property
    def selector(self) -> SelectAlternatives:
        """The fitted step that searched."""
        return self.head.steps[-1][1]  # type: ignore[no-any-return]

    @property
    def result(self) -> Result:
        """Its answer."""
        return self.selector.result_

    @cached_property
    def sets(self) -> list[FeatureSet]:
        """Its sets, by the place of each feature among the names."""
        known = {name: index for index, name in enumerate(self.pipeline.names)}
        place = self.pipeline.place
        here = _names_out(self.head[:place], self.pipeline.columns) if place else self.pipeline.names
        unknown = [name for name in here if name not in known]
        if unknown or len(here) != self.selector.n_features_in_:
            more = unknown[0] if unknown else f"{self.selector.n_features_in_} columns"
            raise InputError(
                f"the steps before the search make other features of these rows than of the whole table ({more}); give "
                "them fixed categories or a fixed number of columns."
            )
        return [
            tuple(sorted(known[here[index]] for index in np.flatnonzero(mask)))
            for mask in self.selector.supports_
        ]

    def model(self, number: int) -> Any:
        """The whole pipeline with one of the sets; steps up to the search need no other fit."""
        from sklearn.base import clone
        from sklearn.frozen import FrozenEstimator
        from sklearn.pipeline import Pipeline

        whole = self.pipeline.model
        before = [
            (name, FrozenEstimator(step) if hasattr(step, "fit") else step)
            for name, step in self.head.steps[:-1]
        ]
        after = [
            (name, clone(step) if hasattr(step, "fit") else step)
            for name, step in whole.steps[self.pipeline.place + 1 :]
        ]
        chosen = (self.head.steps[-1][0], self.selector.get_alternative(number))
        return Pipeline([*before, chosen, *after], memory=whole.memory)


def selector_place(what: Any) -> int | None:
    """The place of the first selector among the steps of a pipeline; None if this is no such pipeline."""
    steps = getattr(what, "steps", None)
    if not isinstance(steps, list):
        return None
    places = (place for place, (_, step) in enumerate(steps) if isinstance(step, SelectAlternatives))
    return next(places, None)


def checked_pipeline(what: Any, estimator: Any) -> Any:
    """The model of a pipeline that searches is its last step; another one is refused."""
    if selector_place(what) == len(what.steps) - 1:
        raise InputError(
            "the last step of a pipeline is the model, and here it is the search; add a model, or give the selector."
        )
    if estimator is not None:
        raise InputError("the last step of the pipeline is the model; leave out estimator.")
    return what


def _names_out(head: Any, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The names of what fitted steps make of these columns."""
    try:
        return tuple(map(str, head.get_feature_names_out(np.array(columns, dtype=object))))
    except (AttributeError, ValueError) as error:
        raise InputError(
            "the steps before the search don't name what they return; give each of them get_feature_names_out()."
        ) from error
