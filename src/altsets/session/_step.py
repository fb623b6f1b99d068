"""A step of a session: what was asked, and the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from altsets.result import Result
from altsets.session._state import NamedSet, SessionState


@dataclass(frozen=True)
class SessionStep:
    """A step of a session; an entry of :attr:`altsets.Session.history`.

    Attributes
    ----------
    name : str
        What the step was called, or what it changed.
    asked : SessionState
        All settings as a record; ``state`` has them as a dictionary.
    result : Result
        The answer: the sets that were searched for, without those that are pinned.
    seconds : float
        How long the step took.

    See Also
    --------
    altsets.Session : Takes steps.
    altsets.Session.compare : What is different after another step.

    Examples
    --------
    >>> import altsets
    >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1)
    >>> session.forbid(0).history[-1]
    SessionStep('forbid x0', 2 sets, optimal)
    """

    name: str
    asked: SessionState = field(repr=False)
    result: Result
    seconds: float = field(default=0.0, compare=False)

    @property
    def state(self) -> dict[str, Any]:
        """All settings, as :attr:`altsets.Session.state` had them; a copy."""
        return self.asked.as_dict()

    @property
    def sets(self) -> list[NamedSet]:
        """The names of the features of each set; pinned sets come first."""
        return [*self.asked.pinned, *self.result.named_sets]

    @property
    def qualities(self) -> list[float]:
        """The quality of each set; nan for a pinned set that there was no time to score."""
        pinned = self.result.existing_qualities or [math.nan] * len(self.asked.pinned)
        return [*pinned, *self.result.qualities]

    def __repr__(self) -> str:
        n_sets = len(self.sets)
        return f"SessionStep({self.name!r}, {n_sets} set{'' if n_sets == 1 else 's'}, {self.result.status})"
