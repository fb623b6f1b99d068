"""Pipelines that search: each fold fits the steps and the search anew, and a model to each of the sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
    """An unfitted pipeline with a :class:`altsets.SelectAlternatives` among its steps.

    ``columns`` are the names of the table's columns, ``names`` those of the features that it selects from, which steps
    before it may have made of the columns.
    """

    model: Any
    place: int
    columns: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Any, place: int, rows: ModelRows, features: Features) -> SearchPipeline:
        """Return the pipeline; steps before the search are fitted once for the names that they return."""
        names = columns = tuple(features.feature_names)
        if place:
            with explain_fit_errors(features, model, own=True):
                every = rows.part(np.arange(features.n_rows))
                names = _names_out(every.fit(model[:place], range(len(columns))), columns)
        return cls(model, place, columns, names)

    def search(self, rows: ModelRows) -> tuple[Result, list[FeatureSet], Callable[[int], Any]]:
        """Return the answer on some rows, its sets by the place of features among the names, and a maker of models."""
        from sklearn.base import clone

        place, known = self.place, {name: index for index, name in enumerate(self.names)}
        head = rows.fit(clone(self.model[: place + 1]), range(len(self.columns)))
        here, selector = _names_out(head[:place], self.columns) if place else self.names, head.steps[-1][1]
        unknown = [name for name in here if name not in known]
        if unknown or len(here) != selector.n_features_in_:
            more = unknown[0] if unknown else f"{selector.n_features_in_} columns"
            raise InputError(
                f"the steps before the search make other features of these rows than of the whole table ({more}); give "
                "them fixed categories or a fixed number of columns."
            )
        chosen = (np.flatnonzero(mask) for mask in selector.supports_)
        sets = [tuple(sorted(known[here[index]] for index in each)) for each in chosen]
        return selector.result_, sets, partial(self._with_set, head)

    def _with_set(self, head: Any, number: int) -> Any:
        """Return the whole pipeline with one of the sets; the fitted steps up to the search need no other fit."""
        from sklearn.base import clone
        from sklearn.frozen import FrozenEstimator
        from sklearn.pipeline import Pipeline

        *before, (name, selector) = head.steps
        steps = [(each, FrozenEstimator(step) if hasattr(step, "fit") else step) for each, step in before]
        steps.append((name, selector.get_alternative(number)))
        after = self.model.steps[self.place + 1 :]
        steps += [(each, clone(step) if hasattr(step, "fit") else step) for each, step in after]
        return Pipeline(steps, memory=self.model.memory)


def selector_place(what: Any) -> int | None:
    """Return the place of the first selector among the steps of a pipeline; None if this is no such pipeline."""
    steps = getattr(what, "steps", None)
    if not isinstance(steps, list):
        return None
    places = (place for place, (_, step) in enumerate(steps) if isinstance(step, SelectAlternatives))
    return next(places, None)


def check_pipeline(what: Any, estimator: Any) -> None:
    """Refuse another model than the last step of a pipeline that searches."""
    if selector_place(what) == len(what.steps) - 1:
        raise InputError(
            "the last step of a pipeline is the model, and here it is the search; add a model, or give the selector."
        )
    if estimator is not None:
        raise InputError("the last step of the pipeline is the model; leave out estimator.")


def _names_out(head: Any, columns: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(map(str, head.get_feature_names_out(np.array(columns, dtype=object))))
    except (AttributeError, ValueError) as error:
        raise InputError(
            "the steps before the search don't name what they return; give each of them get_feature_names_out()."
        ) from error
