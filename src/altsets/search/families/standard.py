"""What sets must reach to be good enough: a quality, or a part of the best one."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, replace
from typing import Any

from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Status
from altsets.search.find import solved
from altsets.search.run import Run
from altsets.search.scaling import Scaling

__all__ = ["Asked", "Standard"]


@dataclass(frozen=True)
class Asked:
    """How good sets must be: at least ``min_quality``, or within a part of the best; one of them is None."""

    within: float | None
    min_quality: float | None

    @classmethod
    def of(cls, within: Any, min_quality: Any, default: float | None = None) -> Asked:
        """What a user says, checked; ``default`` is the part of the best where nothing is said.

        Examples
        --------
        >>> Asked.of(None, 2, default=0.05), Asked.of(None, None, default=0.05)
        (Asked(within=None, min_quality=2.0), Asked(within=0.05, min_quality=None))
        """
        if within is not None and min_quality is not None:
            raise InputError("within and min_quality were both given; give one of them.")
        if min_quality is not None:
            return cls(None, _number("min_quality", min_quality, "the least quality of a set"))
        if within is None and default is None:
            raise InputError(
                "neither min_quality nor within was given; say how good sets must be, as within=0.05 does."
            )
        part = _number(
            "within", default if within is None else within, "a part of the best quality, such as 0.05"
        )
        if part < 0:
            raise InputError(f"within={within!r} is negative; give a part of the best quality, such as 0.05.")
        return cls(part, None)

    def least(self, best: float) -> float:
        """The quality that sets must have, given the best one."""
        if self.min_quality is not None:
            return self.min_quality
        assert self.within is not None
        return best - self.within * abs(best)


def _number(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise InputError(f"{name}={value!r} is not a finite number; give {meaning}.")


@dataclass(frozen=True)
class Standard:
    """What sets must reach, and the best single set.

    Attributes
    ----------
    best : FeatureSet or None
        The best set that was found, whatever existing sets there are; None if there is none.
    quality, bound : float
        Its quality, and what no set exceeds.
    least : float
        The quality that sets must have; -inf if there is no set.
    tolerance : float
        By how much qualities may fall short of it and still count as equal.
    proven : bool
        Whether ``least`` is sure: it was given, or the best set is proven to be that.
    engine, proof : str
        Who found the best set, and by which argument none is better.
    """

    best: FeatureSet | None
    quality: float
    bound: float
    least: float
    tolerance: float
    proven: bool
    engine: str
    proof: str

    @classmethod
    def of(cls, asked: Asked, quality: Quality, problem: Problem, run: Run, engine: str) -> Standard:
        """By a search for the best set, which need not differ from any other."""
        alone = replace(problem, n_alternatives=0, existing=(), search="simultaneous", far_apart=set())
        with run.part() as part:
            found = solved(quality, alone, part, engine)
        best = found.sets[0] if found.sets else None
        return cls(
            best,
            found.objective,
            found.bound,
            asked.least(found.objective) if best is not None else -math.inf,
            Scaling.of(quality, alone).tolerance,
            asked.min_quality is not None or found.status is Status.OPTIMAL,
            found.engine,
            found.proof,
        )

    @property
    def is_reached(self) -> bool:
        """Whether the best set is good enough; with ``within`` it always is."""
        return self.best is not None and self.quality >= self.least - self.tolerance

    @property
    def is_impossible(self) -> bool:
        """Whether it is proven that no set is good enough."""
        return self.bound < self.least - self.tolerance if self.best is not None else self.bound == -math.inf
