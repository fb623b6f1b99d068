"""Branches of a search for compatible sets: is a set part of the solution?

A linear programme over sets (:mod:`altsets.search.columns`) knows what all sets share together. So it takes two that
share too much, as long as others share little. Once one set is given, all others have to go with it, and the bound is
much lower. The sets that the programme takes most of lead in turn: the best solution with a set, then all solutions
without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

from altsets.problem import FeatureSet
from altsets.search.columns import Certificate, Columns
from altsets.search.good_sets import Listing
from altsets.search.picking import Picker, Spending
from altsets.search.run import Run
from altsets.search.scaling import PROVEN

__all__ = ["Leaders"]

#: So many sets lead before the programme is solved again without them; twice as many the next time.
FEW_LEADERS = 4
#: Sets in a list, steps for making it, and steps for picking from it, for each set that else would lead; and steps for
#: picking from the sets of the programme alone.
SETS_EACH, NODES_EACH, STEPS_EACH, STEPS_KNOWN = 5_000, 50_000, 400_000, 20_000
MAX_ROUNDS = 1_000
#: A round of cores is to close such a part of the gap, or it is not worth the time.
LEAST_GAIN = 0.1


class Leaders:
    """One search through all solutions.

    Parameters
    ----------
    columns : Columns
        A solved programme for all sets.
    smallest : bool
        Whether the worst set counts instead of the sum.
    picker : Picker
    run : Run
    offer : callable
        Takes sets that go together, and returns the value of the best solution so far.
    tighten : callable
        Takes a bound on all solutions.
    """

    def __init__(
        self,
        columns: Columns,
        smallest: bool,
        picker: Picker,
        run: Run,
        offer: Callable[[Sequence[FeatureSet]], float],
        tighten: Callable[[float], None],
    ) -> None:
        self.good, self.run = columns.good, run
        self._picker, self._offer, self._tighten = picker, offer, tighten
        self._n_sets, self._smallest, self._best = columns.n_sets, smallest, offer([])
        # The last programme for so many sets: what mattered there is likely to matter again.
        self._last = {columns.n_sets: columns}
        self._first = columns

    def settle(self, given: tuple[FeatureSet, ...] = (), without: Set[FeatureSet] = frozenset()) -> bool:
        """Look through all solutions with the sets that are given, and without some; false if time is up."""
        left = self._n_sets - len(given)
        if left == 1:
            return self._complete(given, without)
        n_leaders = FEW_LEADERS
        while True:
            columns = Columns(self.good, left, self._first.max_overlap, self.run, given, without)
            columns.inherit(self._last.get(left, self._first))
            self._last[left] = columns
            columns.tighten(self._target(given), MAX_ROUNDS)
            if given and self._closed(columns, 1):
                return True
            columns.tighten_by_cores(self._target(given), MAX_ROUNDS, LEAST_GAIN)
            certificate = columns.certificate
            if not (given or self.run.stopped):
                self._tighten(max(certificate.bound / (left if self._smallest else 1), self._best))
            if self._closed(columns, n_leaders):
                return True
            if self.run.stopped or certificate.prices is None:
                return False
            budget = certificate.bound - self._target(given)
            # Of the sets of a solution one is charged no more than its share of what all can be, so it is one of these.
            leaders = self.good.best(
                n_leaders,
                others=given,
                without=without,
                prices=certificate.prices,
                cut=certificate.best - budget / left - 4 * self.good.tolerance,
            )
            # Those that the programme takes come first: without them it has to become another one.
            taken = columns.taken(n_leaders)
            chosen = list(dict.fromkeys([*taken, *leaders.sets]))
            for leader in chosen[:n_leaders] if len(leaders.sets) == n_leaders else chosen:
                if self.run.stopped or not self.settle((*given, leader), without):
                    return False
                without = without | {leader}
            if len(leaders.sets) < n_leaders:
                return leaders.bound == -math.inf
            n_leaders *= 2

    def _target(self, given: Sequence[FeatureSet]) -> float:
        """What the sets that are not given have to add up to at least."""
        if self._smallest:
            return (self._n_sets - len(given)) * self._best
        return self._best - math.fsum(map(self.good.quality.evaluate, given))

    def _complete(self, given: tuple[FeatureSet, ...], without: Set[FeatureSet]) -> bool:
        found = self.good.best(1, others=given, without=without, cut=self._target(given))
        if found.sets:
            self._best = self._offer([*given, *found.sets])
        return found.bound == -math.inf

    def _closed(self, columns: Columns, effort: int) -> bool:
        """Whether all solutions of a programme have been looked through, by its bound or by picking from a list."""
        certificate, given = columns.certificate, columns.given
        if certificate.bound - self._target(given) <= PROVEN / 4:
            return True
        if certificate.prices is None or self.run.stopped:
            return False
        # The sets of the programme go together on the whole, and often some of them in fact.
        known = self.good.listed(columns.sets, certificate.prices)
        self._pick(known, certificate, given, STEPS_KNOWN)
        listing = self.good.above(
            certificate.best - (certificate.bound - self._target(given)) - 4 * self.good.tolerance,
            effort * SETS_EACH,
            others=given,
            without=columns.without,
            prices=certificate.prices,
            max_nodes=effort * NODES_EACH,
        )
        return listing.complete and self._pick(listing, certificate, given, effort * STEPS_EACH)

    def _pick(
        self, listing: Listing, certificate: Certificate, given: Sequence[FeatureSet], max_steps: int
    ) -> bool:
        """The best sets of a list that make a solution with those given; false if it takes too long."""
        n_sets = self._n_sets - len(given)
        target = self._best if self._smallest else self._target(given)
        least = target if self._smallest else None
        sets, finished = self._picker.pick(
            listing,
            Spending.of(listing, certificate, n_sets, least),
            target,
            max_steps,
            summing=not self._smallest,
            least=-math.inf if least is None else least,
            n_sets=n_sets,
        )
        if sets:
            self._best = self._offer([*given, *sets])
        return finished
