"""What all constraints have in common, and how features are given to them."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, whole_number

__all__ = ["Constraint", "one_feature", "several_features", "sorted_indices"]


class Constraint(ABC):
    """A condition on each set; the base of all others.

    A constraint is made of what the user gives, and ``resolve`` turns names into indices. Everything else is for
    resolved constraints. Engines know the kinds in this package and no others.
    """

    kind: ClassVar[str]

    @abstractmethod
    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist.

        Parameters
        ----------
        names : sequence of str
            The names of all features.
        """

    @abstractmethod
    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a set keeps to this, from the definition."""

    @abstractmethod
    def describe(self, names: Sequence[str]) -> str:
        """A few words with the names of the features."""

    @property
    def is_named(self) -> bool:
        """Whether a table is needed to know what the constraint says."""
        return False

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        """The same constraint, with what only a table can tell."""
        return self

    def before_table(self) -> Self | None:
        """What can be checked before there is a table, if there is anything."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """The constraint as plain numbers and strings."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"kind": self.kind, **plain}

    @property
    def title(self) -> str:
        """Who speaks in a message."""
        return type(self).__name__

    def _set(self, **values: Any) -> None:
        # How a frozen dataclass is filled in.
        for name, value in values.items():
            object.__setattr__(self, name, value)


def one_feature(constraint: Constraint, feature: Any) -> Feature:
    """A feature as it was given: a name, or an index that can be one."""
    if type(feature) is int and feature >= 0:
        # Nearly always; there may be thousands.
        return feature
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Real) and not isinstance(feature, bool):
        return whole_number(f"{constraint.title}: a feature index", feature, least=0)
    raise InputError(f"{constraint.title} names {feature!r}; a feature is an index or a name.")


def several_features(constraint: Constraint, features: Any) -> tuple[Feature, ...]:
    """Several features, in a list or anything like one."""
    try:
        if isinstance(features, str):
            raise TypeError
        listed = tuple(one_feature(constraint, feature) for feature in features)
    except TypeError:
        raise InputError(f"{constraint.title} takes a list of features, not {features!r}.") from None
    if not listed:
        raise InputError(f"{constraint.title} names no feature at all; leave it out.")
    return listed


def sorted_indices(
    constraint: Constraint, features: Iterable[Feature], names: Sequence[str]
) -> tuple[int, ...]:
    """Features by index, each once."""
    known = FeatureNames.of(names)
    return tuple(sorted({known.position(feature, constraint.title) for feature in features}))
