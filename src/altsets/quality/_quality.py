"""What all qualities have in common: features with names, and two ways to be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.quality._form import Form

#: Where a pickled quality says which of its arrays are read-only.
LOCKED = "(read-only)"


class Quality(ABC):
    """The quality of feature sets: what every quality offers to searches and to users.

    Attributes
    ----------
    size_normalised : bool
        Whether sets of different sizes compare fairly. A sum grows with every good feature, so where the size
        is free, the largest sets win; a mean or a ratio has no such preference.
    has_form : bool
        Whether engines can read it as numbers, with :meth:`form`; the sets of a black box can only be evaluated.

    Examples
    --------
    >>> from altsets.quality import Additive
    >>> isinstance(Additive([3, 2, 1]), Quality)
    True
    """

    size_normalised: bool
    has_form: bool = True

    def __init__(self, n_features_in: int, names: list[str] | None) -> None:
        self._n_features_in = n_features_in
        self._names = names

    @property
    def n_features_in(self) -> int:
        """How many features there are to choose from."""
        return self._n_features_in

    @property
    def feature_names(self) -> list[str]:
        """The names of all features."""
        return [self._name(index) for index in range(self.n_features_in)]

    @property
    def is_named(self) -> bool:
        """Whether somebody named the features; else they are ``x0``, ``x1``, ..."""
        return self._names is not None

    def with_names(self, names: Sequence[str]) -> Self:
        """The same quality of features that are called differently."""
        renamed = copy(self)
        renamed._names = list(names)
        return renamed

    def names_of(self, indices: Sequence[int]) -> tuple[str, ...]:
        """The names of the features of one set."""
        return tuple(self._name(index) for index in indices)

    @property
    def feature_scores(self) -> Floats | None:
        """What each feature alone is worth, in the units of the quality; None if only sets can be judged."""
        return None

    def scores_in(self, sets: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """What each feature of each set alone is worth; an empty list if only sets can be judged."""
        scores = self.feature_scores
        return [] if scores is None else [tuple(scores[list(chosen)].tolist()) for chosen in sets]

    @abstractmethod
    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, from the definition; minus infinity if the quality rules the set out."""

    @abstractmethod
    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_features_in} features)"

    def __getstate__(self) -> dict[str, Any]:
        # NumPy forgets in a copy that nobody may write into an array.
        locked = [
            name
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray) and not value.flags.writeable
        ]
        return {**vars(self), LOCKED: locked}

    def __setstate__(self, state: dict[str, Any]) -> None:
        locked = state.get(LOCKED, ())
        vars(self).update({name: value for name, value in state.items() if name != LOCKED})
        for name in locked:
            getattr(self, name).setflags(write=False)

    def _name(self, index: int) -> str:
        # Made up on demand: a million scores should not cost a million strings.
        return f"x{index}" if self._names is None else self._names[index]

    def _refuse_infinite(self, what: str, values: Floats) -> None:
        self._refuse(what, ~np.isfinite(values), "not finite", "replace them or drop these features")

    def _refuse(self, what: str, wrong: Bools, fault: str, advice: str) -> None:
        """Name the features, or the pairs of features, whose values are no good."""
        if wrong.any():
            places = np.argwhere(wrong)
            named = ", ".join(" and ".join(self.names_of(place)) for place in places[:5])
            raise InputError(f"{len(places)} of {wrong.size} {what} are {fault} ({named}); {advice}.")
