"""What models complain about when they are fitted, said in one sentence with what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.measures.metadata import last_step
from altsets.tables.feature_matrix import Features, listed

__all__ = ["complaints_explained"]

#: Words in what models say about columns that are no numbers.
ABOUT_TYPES = ("convert", "string", "dtype", "object", "categor")


@contextmanager
def complaints_explained(
    features: Features, model: Any, chosen: Sequence[int] | None = None, *, own: bool = False
) -> Iterator[None]:
    """Say in one sentence what a model cannot take, if it is something that is known to happen.

    Parameters
    ----------
    features : Features
        The table.
    model : estimator
        What is fitted inside.
    chosen : sequence of int, optional
        The features that it gets; all by default. No others are named.
    own : bool
        Whether it is the user's, and gets the table as that was handed over.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        said = str(error).lower()
        given = features if chosen is None else features.columns(chosen)
        if own:
            _refuse_absent_columns(model, given, error)
            if any(word in said for word in ABOUT_TYPES):
                _refuse_text(model, given, error)
        if given.incomplete.any() and isinstance(error, ValueError) and "nan" in said:
            given.refuse_missing(
                type(last_step(model)).__name__,
                advice="use a model that takes them (a tree, a forest or boosting), or a pipeline with an imputer",
            )
        raise


def _refuse_absent_columns(model: Any, given: Features, error: Exception) -> None:
    """Say that a part of a model wants columns that are not in the set, if so."""
    wanted = dict.fromkeys(name for part in _parts(model) for name in _columns_named_by(part))
    absent = [name for name in wanted if name not in (given.names or wanted)]
    if absent:
        raise InputError(
            f"the model asks for {listed(absent)} by name, but it gets the columns of one set at a time "
            f"({listed(given.names or [])}); let it choose columns by their type, with "
            "sklearn.compose.make_column_selector or a function."
        ) from error


def _parts(model: Any) -> list[Any]:
    """The model and everything inside it."""
    inner = model.get_params(deep=True).values() if hasattr(model, "get_params") else []
    return [model, *inner]


def _columns_named_by(part: Any) -> list[str]:
    """The names in a column transformer."""
    if not hasattr(part, "fit") or not isinstance(getattr(part, "transformers", None), list | tuple):
        return []
    named: list[str] = []
    for _, _, columns in part.transformers:
        if isinstance(columns, str):
            named.append(columns)
        elif isinstance(columns, Sequence) or hasattr(columns, "tolist"):
            named += [name for name in columns if isinstance(name, str)]
    return named


def _refuse_text(model: Any, given: Features, error: Exception) -> None:
    """Say that a model wants numbers, if there is anything else."""
    named = given.labels(np.asarray(given.nominal)) if given.categories else ""
    if not named and "string" not in str(error):
        return
    raise InputError(
        f"{type(last_step(model)).__name__} takes numbers, but the set has text or categories"
        f"{f' ({named})' if named else ''}: {str(error).splitlines()[0]}; put an encoder before it with "
        "sklearn.pipeline.make_pipeline, or choose a model by name, such as estimator='linear'."
    ) from error
