"""A bound on the sum of compatible sets by column generation, with prices that say which sets can matter.

The linear programme has one variable for each feature set: how often is it taken? So many sets are taken in all, and no
more share features than may (:mod:`altsets.search.rows`). Only sets that have been found worth it are in the programme;
whether another one is, is a search for the best set after prices. With z the best value of any set after prices, A sets
are worth at most A z plus what the rows allow at their prices. That holds for any prices >= 0, so the bound needs no
exact solution of the programme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet
from altsets.search.good_sets import Found, GoodSets, Prices
from altsets.search.rows import PENALTY, Penalties, Rows
from altsets.search.run import Run
from altsets.search.solver import LinearProgramme

__all__ = ["Certificate", "Columns"]

Floats = npt.NDArray[np.float64]

#: New columns in each round, at most.
COLUMNS_PER_ROUND = 30
#: Steps of the first search for columns; if it finds none, the next one may take longer.
FIRST_NODES = 300


@dataclass(frozen=True)
class Certificate:
    """Prices, the best value of any set after prices, and the bound on the sum that follows."""

    prices: Prices | None
    best: float
    bound: float
    penalties: Penalties | None = None


class Columns:
    """The linear programme over sets, and the best certificate so far.

    Parameters
    ----------
    good : GoodSets
        Where columns come from.
    n_sets : int
    max_overlap : int
        How many features any two sets may share at most, less than any set has.
    run : Run
    """

    def __init__(self, good: GoodSets, n_sets: int, max_overlap: int, run: Run) -> None:
        self.good, self.n_sets, self.run = good, n_sets, run
        self._known: set[FeatureSet] = set()
        self._programme = LinearProgramme()
        self._programme.add_row({}, lower=n_sets, upper=n_sets)
        # Stands in for sets that are missing, at a price that is never worth it: before the first solution is known the
        # programme needs something to be feasible with.
        self._programme.add_column(-PENALTY, {0: 1.0})
        self._rows = Rows(self._programme, good, n_sets, max_overlap, with_pairs=True, n_rows=1, n_columns=1)
        self.certificate = Certificate(None, math.inf, math.inf)
        #: How often the last solution of the programme uses each feature, by place.
        self.usage = np.zeros(len(good.features))

    @property
    def sets(self) -> list[FeatureSet]:
        """All sets in the programme."""
        return self._rows.sets

    def add(self, sets: Sequence[FeatureSet]) -> int:
        """Put sets into the programme; returns how many are new."""
        count = 0
        for chosen in sets:
            if chosen not in self._known:
                self._known.add(chosen)
                count += 1
                # In units of what a set can be worth: the solver's tolerances are absolute.
                worth = self.good.quality.evaluate(chosen) / self.good.reach
                self._programme.add_column(worth, {0: 1.0} | self._rows.terms(chosen))
        return count

    def limit_usage(self, ranges: dict[int, tuple[int, int]]) -> None:
        """From now on, features (by place) are used so often at least and at most; certificates hold for that alone."""
        self._rows.limit_usage(ranges)
        self.certificate = Certificate(None, math.inf, math.inf)

    def tighten(self, target: float, max_rounds: int, patience: int = 1) -> bool:
        """Generate columns and rows until the bound is good or nothing more helps; false if that came too early.

        ``target`` is the value of a solution: a bound that reaches it needs no better one. With more ``patience`` there
        may be so many times as many rows.
        """
        self._rows.patience = patience
        tolerance = 1e-9 * max(1.0, abs(target)) if math.isfinite(target) else 1e-9
        rounds = 0
        while rounds < max_rounds:
            solved = self._programme.maximise()
            if solved is None or self.run.tick():
                return False
            values, duals = solved[0], solved[1] * self.good.reach
            if self._rows.separate(values):
                rounds += 1
                continue
            self.usage = self._rows.usage(values)
            prices = self._rows.prices(duals)
            cut = float(duals[0]) + self.good.tolerance
            # That costs next to nothing, but only a full search tells a bound.
            if self.add(self.good.climbed(self._rows.used(values, COLUMNS_PER_ROUND), prices, cut)):
                continue
            rounds += 1
            found = self._improving(prices, cut)
            new = self.add(found.sets)
            if not new and found.bound > -math.inf:
                # The programme is solved but for the solver's tolerance: some of its sets are worth a little more.
                known = self.good.listed(self.sets, prices).values
                cut = float(np.max(known, initial=cut)) + self.good.tolerance
                found = self._improving(prices, cut)
                new = self.add(found.sets)
            best = max([cut, found.bound, *found.values[:1]])
            bound = self.n_sets * best + self._rows.paid(duals)
            if bound < self.certificate.bound:
                self.certificate = Certificate(prices, best, bound, self._rows.penalties(duals))
            if not new or self.certificate.bound <= target + tolerance:
                return found.bound == -math.inf
        return False

    def _improving(self, prices: Prices, cut: float) -> Found:
        """Sets above the cut: some good ones if they are easy to find, else the best ones for certain."""
        max_nodes = FIRST_NODES
        while True:
            found = self.good.best(COLUMNS_PER_ROUND, prices=prices, cut=cut, max_nodes=max_nodes)
            if found.sets or found.bound == -math.inf or self.run.stopped:
                return found
            max_nodes *= 8
