"""How good the sets of a curve must be, where that is asked, and what such a curve refuses."""

from __future__ import annotations

from dataclasses import dataclass

from altsets.errors import InputError
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.request import Request
from altsets.search.good_sets import Nearness, Requirement
from altsets.search.run import Run
from altsets.wording import parameter


@dataclass(frozen=True)
class Limited:
    """A problem with the quality that sets need as a number, and whether that number is certain."""

    problem: Problem
    proven: bool

    @classmethod
    def of(cls, quality: Quality, problem: Problem, run: Run, engine: str) -> Limited:
        """Search for the best set if the quality needed is a part of its quality."""
        if problem.within is None:
            return cls(problem, True)
        needed = Requirement.of(Nearness(problem.within, None), quality, problem, run, engine)
        return cls(needed.within_it(problem), needed.proven)


def refuse_min(request: Request, by: str) -> None:
    """Refuse to maximise the minimum on a curve of sums."""
    if request.aggregation != "sum":
        raise InputError(
            f"{parameter('by', by)} adds up qualities; leave out {parameter('aggregation', request.aggregation)}."
        )
