"""What a model is told of rows beside their values: weights and groups, by the names that its parts have for them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError

__all__ = ["asking_for_weights", "last_step", "metadata_for", "names_for_weights"]


def metadata_for(model: Any, weights: Floats | None, groups: npt.NDArray[Any] | None) -> dict[str, Any]:
    """What to hand to ``fit`` beside table and target; groups only where a splitter inside the model asks for them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> list(metadata_for(Ridge(), np.ones(3), np.arange(3)))
    ['sample_weight']
    """
    told: dict[str, Any] = {}
    if weights is not None:
        told |= dict.fromkeys(names_for_weights(model), weights)
    if groups is not None:
        told |= dict.fromkeys(_names_for_groups(model), groups)
    return told


def names_for_weights(model: Any) -> list[str]:
    """What the weights of rows are called by a model and, in a pipeline, by its steps; at least one name."""
    if _is_routed(model):
        if _asks_for(model, "sample_weight"):
            return ["sample_weight"]
        raise InputError(
            f"no part of {type(model).__name__} asks for sample_weight, and scikit-learn's metadata routing is on; say "
            "which parts are to get it, with set_fit_request(sample_weight=True)."
        )
    names = _names_for_weights(model)
    if not names:
        raise InputError(
            f"{type(last_step(model)).__name__} takes no sample_weight when it is fitted; use another model, such as a "
            "tree, a forest or a linear one."
        )
    return names


def asking_for_weights(model: Any) -> Any:
    """The model itself, which asks for weights if scikit-learn's metadata routing is on and nothing else was said."""
    from sklearn import get_config
    from sklearn.utils.validation import has_fit_parameter

    if get_config()["enable_metadata_routing"] and has_fit_parameter(model, "sample_weight"):
        model.set_fit_request(sample_weight=True)
    return model


def last_step(model: Any) -> Any:
    """The model at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _is_routed(model: Any) -> bool:
    """Whether the model hands on to its parts what they ask for, as scikit-learn's metadata routing has it."""
    from sklearn import get_config
    from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

    return bool(get_config()["enable_metadata_routing"]) and isinstance(
        get_routing_for_object(model), MetadataRouter
    )


def _asks_for(model: Any, name: str) -> bool:
    from sklearn.utils.metadata_routing import get_routing_for_object

    return name in get_routing_for_object(model).consumes("fit", [name])


def _steps(model: Any) -> list[tuple[str, Any]]:
    return [(name, step) for name, step in model.steps if step is not None and step != "passthrough"]


def _names_for_weights(model: Any) -> list[str]:
    from sklearn.utils.validation import has_fit_parameter

    if hasattr(model, "steps"):
        found = [[f"{name}__{inner}" for inner in _names_for_weights(step)] for name, step in _steps(model)]
        return [name for names in found for name in names] if found and found[-1] else []
    if has_fit_parameter(model, "sample_weight"):
        return ["sample_weight"]
    if _hands_on_to_all(model):
        return ["sample_weight"]
    # Searches for parameters, and models of a transformed target, hand on what they get.
    inner = getattr(model, "estimator", None) or getattr(model, "regressor", None)
    return _names_for_weights(inner) if hasattr(inner, "fit") else []


def _hands_on_to_all(model: Any) -> bool:
    """Whether this is a vote or a stack of models that all take weights themselves."""
    from sklearn.utils.validation import has_fit_parameter

    parts = [part for _, part in getattr(model, "estimators", None) or [] if part != "drop"]
    takes_anything = any(
        option.kind is option.VAR_KEYWORD for option in inspect.signature(model.fit).parameters.values()
    )
    return bool(parts) and takes_anything and all(has_fit_parameter(part, "sample_weight") for part in parts)


def _names_for_groups(model: Any) -> list[str]:
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    if _is_routed(model):
        return ["groups"] if _asks_for(model, "groups") else []
    if hasattr(model, "steps"):
        return [f"{name}__{inner}" for name, step in _steps(model) for inner in _names_for_groups(step)]
    # Without routing nobody else takes them; and most splitters would not know what to do with them.
    search = isinstance(model, GridSearchCV | RandomizedSearchCV)
    return ["groups"] if search and _asks_for(model, "groups") else []
