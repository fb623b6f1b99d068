"""A bound on the sum of compatible sets by column generation, with prices that say which sets can matter.

The linear programme has one variable for each feature set: how often is it taken? So many sets are taken in all, and no
more share features than may (:mod:`altsets.search.rows`). Only sets that have been found worth it are in the programme;
whether another one is, is a search for the best set after prices. With z the best value of any set after prices, A sets
are worth at most A z plus what the rows allow at their prices. That holds for any prices >= 0, so the bound needs no
exact solution of the programme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from altsets.problem import FeatureSet
from altsets.search.good_sets import Found, GoodSets, Prices
from altsets.search.rows import PENALTY, Penalties, Rows
from altsets.search.run import Run
from altsets.search.scaling import PROVEN
from altsets.search.solver import LinearProgramme

__all__ = ["Certificate", "Columns"]

Floats = npt.NDArray[np.float64]

#: New columns in each round, at most; and those that one programme takes over from another.
COLUMNS_PER_ROUND, MOST_INHERITED = 30, 200
#: Steps of the first search for columns; if it finds none, the next one may take longer.
FIRST_NODES = 1_000


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
    given : sequence of FeatureSet
        Sets that all others have to go with.
    without : set of FeatureSet
        Sets that are left out.
    """

    def __init__(
        self,
        good: GoodSets,
        n_sets: int,
        max_overlap: int,
        run: Run,
        given: Sequence[FeatureSet] = (),
        without: Set[FeatureSet] = frozenset(),
    ) -> None:
        self.good, self.n_sets, self.max_overlap, self.run = good, n_sets, max_overlap, run
        self.given, self.without = given, without
        share = good.problem.max_overlap_of
        self._most_shared = {
            sets.size: [share(sets.size, len(other)) for other in given] for sets in good.sizes
        }
        # The prices of all rows when last there were none to add.
        self._duals = np.zeros(0)
        # The last solution, if no other sets can make it better.
        self._values: Floats | None = None
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
        self._values = None
        self.certificate = Certificate(None, math.inf, math.inf)

    def inherit(self, other: Columns) -> None:
        """Begin with the rows and sets that mattered most in another programme, when last it was solved."""
        if not len(other._duals):
            return
        self._rows.adopt(other._rows, other._duals)
        prices = other._rows.prices(other._rows.padded(other._duals))
        known = self.good.listed(other.sets, prices)
        order = np.argsort(-known.values, kind="stable")[:MOST_INHERITED]
        sets = [known.set_at(number) for number in order.tolist()]
        self.add([chosen for chosen in sets if self._allowed(chosen)])

    def _allowed(self, chosen: FeatureSet) -> bool:
        """Whether a set goes with those given and is not to be left out."""
        if chosen in self.without:
            return False
        inside, most = set(chosen), self._most_shared[len(chosen)]
        return all(len(inside.intersection(other)) <= m for other, m in zip(self.given, most, strict=True))

    def tighten(self, target: float, max_rounds: int) -> bool:
        """Generate columns and rows until the bound is good or nothing more helps; false if that came too early.

        ``target`` is the value of a solution: a bound that reaches it needs no better one.
        """
        rounds, self._values = 0, None
        while rounds < max_rounds:
            solved = self._programme.maximise()
            if solved is None or self.run.tick():
                return False
            values, duals = solved[0], solved[1] * self.good.reach
            if self._rows.separate(values):
                rounds += 1
                continue
            self.usage = self._rows.usage(values)
            self._duals = duals
            prices = self._rows.prices(duals)
            cut = float(duals[0]) + self.good.tolerance
            # That costs next to nothing, but only a full search tells a bound.
            climbed = self.good.climbed(self._rows.used(values, COLUMNS_PER_ROUND), prices, cut)
            if self.add([chosen for chosen in climbed if self._allowed(chosen)]):
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
            if not new or self.certificate.bound <= target + PROVEN / 4:
                self._values = None if new else values
                return found.bound == -math.inf
        return False

    def taken(self, most: int) -> list[FeatureSet]:
        """The sets that the solution takes most of; none if the programme has not been solved."""
        return [] if self._values is None else self._rows.used(self._values, most)

    def tighten_by_cores(self, target: float, max_rounds: int, least_gain: float) -> None:
        """Go on from a solved programme with cores, as long as each round closes such a part of the gap."""
        while self._values is not None and self.certificate.bound > target:
            before = self.certificate.bound
            if not self._rows.separate_cores(self._values) or not self.tighten(target, max_rounds):
                return
            if before - self.certificate.bound < least_gain * (before - target):
                return

    def _improving(self, prices: Prices, cut: float) -> Found:
        """Sets above the cut: some good ones if they are easy to find, else the best ones for certain."""
        max_nodes = FIRST_NODES
        while True:
            found = self.good.best(
                COLUMNS_PER_ROUND,
                others=self.given,
                without=self.without,
                prices=prices,
                cut=cut,
                max_nodes=max_nodes,
            )
            if found.sets or found.bound == -math.inf or self.run.stopped:
                return found
            max_nodes *= 8
