"""One search: what is asked, on which quality, and what altsets answered in what time."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

import altsets
from altsets import quality
from altsets.constraints import Constraint
from altsets.dissimilarity import Matched

Dissimilarity = str | Matched

#: Faster searches are run three times and the best time counts: below this the clock measures the machine.
REPEAT_BELOW = 0.01
REPEATS = 3
#: How far a search may exceed its time limit, in seconds.
SLACK = 0.3


@dataclass(frozen=True, eq=False)
class Scores:
    """The numbers of one data set that a quality is made of, one per feature and perhaps one per pair.

    ``method`` is the quality in the reference's words: additive, fcbf or mrmr. The numbers are those that the
    reference is given, an asymmetric matrix of pairs among them.
    """

    measure: str
    data: str
    values: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64] | None = None
    method: str = "additive"

    @property
    def name(self) -> str:
        """Measure and data set."""
        return f"{self.measure} {self.data}"

    @property
    def n(self) -> int:
        """How many features there are."""
        return len(self.values)

    @cached_property
    def quality(self) -> quality.Quality:
        """What altsets searches on."""
        if self.pairs is None:
            return quality.Additive(self.values)
        if self.method == "fcbf":
            return quality.FCBF(self.values, self.pairs, scale=1 / float(self.values.sum()))
        return quality.MRMR(self.values, self.pairs)


@dataclass(frozen=True)
class Search:
    """A request in the reference's terms: two sets differ in at least ``diff`` of their ``k`` features."""

    search: str
    aggregation: str
    k: int
    diff: int
    a: int

    @property
    def kind(self) -> str:
        """Search and, where it matters, aggregation."""
        return self.search if self.search == "sequential" else f"{self.search} {self.aggregation}"

    @property
    def tau(self) -> float:
        """The threshold as users write it, a float with its rounding error."""
        return self.diff / self.k

    @property
    def n_sets(self) -> int:
        """The first set and its alternatives."""
        return self.a + 1

    def __str__(self) -> str:
        return f"{self.kind}, k={self.k}, tau={self.tau:g}, a={self.a}"


@dataclass(frozen=True)
class Measured:
    """What altsets answered; ``error`` instead of a result where it raised."""

    scores: str
    n: int
    search: Search
    seconds: float
    result: altsets.Result | None
    error: str = ""

    @property
    def status(self) -> str:
        """The result's status, or ``error``."""
        return "error" if self.result is None else str(self.result.status)

    @property
    def objective(self) -> float:
        """The result's objective, nan if there is none."""
        return math.nan if self.result is None else self.result.objective

    @property
    def proven(self) -> bool:
        """Whether nothing remains to be shown: an optimum, or a proof that there is none."""
        return self.status in ("optimal", "infeasible")

    @property
    def relative_gap(self) -> float:
        """Bound minus objective, relative to the larger one; 0 where proven, inf if nothing is known."""
        if self.proven:
            return 0.0
        # A sequential search that gave up half-way has a bound, but only on the sets that it did find.
        if self.result is None or self.status == "not_found" or not math.isfinite(self.result.gap):
            return math.inf
        return self.result.gap / max(abs(self.result.objective), abs(self.result.bound), 1e-300)

    @property
    def who(self) -> str:
        """The engine that answered, or the error."""
        return self.error if self.result is None else self.result.engine

    def __str__(self) -> str:
        return f"{self.scores} (n={self.n}), {self.search}"


def warm_up() -> None:
    """Imports, first calls and lazily loaded solvers are paid for before the clock runs."""
    values = [5.0, 4.0, 3.5, 2.0, 1.0, 0.5]
    for search in ("sequential", "simultaneous"):
        for aggregation in ("sum", "min"):
            for small in (quality.Additive(values), quality.MRMR(values, np.eye(len(values)))):
                for engine in ("auto", "milp"):
                    altsets.find(small, 3, 2, search=search, aggregation=aggregation, engine=engine)


def measure(
    scores: Scores,
    search: Search,
    time_limit: float | None = None,
    constraints: Sequence[Constraint] = (),
    dissimilarity: Dissimilarity = "dice",
) -> Measured:
    """Run one search and time the call of ``find``, no more and no less."""
    searched = scores.quality
    asked = (scores.name, scores.n, search)
    best = math.inf
    result: altsets.Result | None = None
    for _ in range(REPEATS):
        start = time.perf_counter()
        try:
            again = altsets.find(
                searched,
                n_features=search.k,
                n_alternatives=search.a,
                tau=search.tau,
                search=search.search,
                aggregation=search.aggregation,
                constraints=constraints,
                dissimilarity=dissimilarity,
                time_limit=time_limit,
            )
        except Exception as error:  # a crash is a finding to report, not the end of the measurement
            return Measured(*asked, time.perf_counter() - start, None, f"{type(error).__name__}: {error}")
        best = min(best, time.perf_counter() - start)
        if result is not None and again.sets != result.sets:
            return Measured(*asked, best, None, "two runs gave different sets")
        result = again
        if best >= REPEAT_BELOW:
            break
    return Measured(*asked, best, result)
