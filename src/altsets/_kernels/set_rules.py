# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: the rules of one set while it is chosen feature by feature: caps, budgets, features that need others.

A cap says how many features of a group a set may have at most, and a budget what they may cost. In a budget with groups
the first feature of a group pays for all of them.
"""

import cython
import numpy as np

# Shares of a group's price are rounded: sums of them are taken to be smaller by this factor, so that no set is lost.
SHARES_ROUNDED = cython.declare(cython.double, 1.0 - 1e-12)


@cython.cclass
class SetRules:
    """What is left of each rule; features are known by position."""

    def __init__(self, rules, n, n_open):
        width = max(n, 1)
        self.cap_first, self.cap_member = rules.cap_first, rules.cap_member
        self.cap_room = np.array(rules.cap_room, dtype=np.intc)
        self.n_caps = len(self.cap_room)
        self.cap_count = np.zeros(max(self.n_caps, 1), dtype=np.intc)
        self.in_cap = incidence(self.n_caps, width, self.cap_first, self.cap_member)
        self.costs, self.payer = rules.costs, rules.payers
        self.budget_room = np.array(rules.budget_room, dtype=np.float64)
        self.n_budgets = len(self.budget_room)
        self.is_grouped = np.zeros(self.n_budgets, dtype=np.uint8)
        if len(self.payer):
            self.is_grouped = np.any(np.asarray(self.payer) >= 0, axis=1).astype(np.uint8)
        self.n_paid = np.zeros((self.n_budgets, width), dtype=np.intc)
        self.n_mates = np.zeros(width, dtype=np.intc)
        self.needs_first, self.needs = rules.needs_first, rules.needs
        self.n_needs = len(self.needs)
        self.is_chosen = np.zeros(width, dtype=np.uint8)
        self.is_kept = np.ones(width, dtype=np.uint8)
        self.smallest = np.zeros(n_open + 2)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(self, j: cython.int) -> cython.bint:
        """Whether caps and budgets leave room for this feature."""
        for e in range(self.cap_first[j], self.cap_first[j + 1]):
            if self.cap_room[self.cap_member[e]] <= 0:
                return False
        for b in range(self.n_budgets):
            if self.cost_of(b, j) > self.budget_room[b]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cost_of(self, b: cython.int, j: cython.int) -> cython.double:
        """What a feature costs by one budget: nothing if its group is paid for."""
        if self.is_grouped[b] and self.payer[b, j] >= 0 and self.n_paid[b, self.payer[b, j]] > 0:
            return 0.0
        return self.costs[b, j]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take(self, j: cython.int, sign: cython.int) -> cython.void:
        """Choose a feature (sign 1), or undo that (-1)."""
        for e in range(self.cap_first[j], self.cap_first[j + 1]):
            self.cap_room[self.cap_member[e]] -= sign
        for b in range(self.n_budgets):
            if self.is_grouped[b] and self.payer[b, j] >= 0:
                self.pay_for_group(b, j, sign)
            else:
                self.budget_room[b] -= sign * self.costs[b, j]
        self.is_chosen[j] = sign > 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pay_for_group(self, b: cython.int, j: cython.int, sign: cython.int) -> cython.void:
        """The first feature of a group pays for all of them, and the last one that goes gets it back."""
        group: cython.int = self.payer[b, j]
        if sign < 0:
            self.n_paid[b, group] -= 1
        if self.n_paid[b, group] == 0:
            self.budget_room[b] -= sign * self.costs[b, j]
        if sign > 0:
            self.n_paid[b, group] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_room(
        self, candidate: cython.int[:, ::1], level: cython.int, m: cython.int, r: cython.int
    ) -> cython.bint:
        """Whether there is room for r of the m candidates; ``is_kept`` says which of them budgets can pay for."""
        for c in range(self.n_caps):
            self.cap_count[c] = 0
        if self.n_caps:
            for i in range(m):
                for e in range(self.cap_first[candidate[level, i]], self.cap_first[candidate[level, i] + 1]):
                    self.cap_count[self.cap_member[e]] += 1
            for c in range(self.n_caps):
                if m - self.cap_count[c] + self.cap_room[c] < r:
                    return False
        if self.n_budgets:
            for i in range(m):
                self.is_kept[i] = 1
        for b in range(self.n_budgets):
            if self.is_grouped[b]:
                if not self.groups_leave_room(candidate, level, m, r, b):
                    return False
            elif not self.budget_leaves_room(candidate, level, m, r, b):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def budget_leaves_room(
        self,
        candidate: cython.int[:, ::1],
        level: cython.int,
        m: cython.int,
        r: cython.int,
        b: cython.int,
    ) -> cython.bint:
        """The same for one budget in which each feature pays for itself."""
        least: cython.double = self.cheapest_cost(candidate, level, m, r - 1, b)
        n_kept: cython.int = 0
        for i in range(m):
            # If it is one of the r - 1 cheapest itself, a dearer one takes its place: the test is then too weak, but
            # never wrong.
            if self.is_kept[i]:
                if least + self.costs[b, candidate[level, i]] <= self.budget_room[b]:
                    n_kept += 1
                else:
                    self.is_kept[i] = 0
        if n_kept < r:
            return False
        least = self.cheapest_cost(candidate, level, m, r, b)
        return least <= self.budget_room[b]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cheapest_cost(
        self,
        candidate: cython.int[:, ::1],
        level: cython.int,
        m: cython.int,
        r: cython.int,
        b: cython.int,
    ) -> cython.double:
        """What the r cheapest of the kept candidates cost together, by one budget."""
        n: cython.int = 0
        if r == 0:
            return 0.0
        for i in range(m):
            if self.is_kept[i]:
                n = self.keep_smallest(self.costs[b, candidate[level, i]], n, r)
        return self.sum_of_kept(n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def groups_leave_room(
        self,
        candidate: cython.int[:, ::1],
        level: cython.int,
        m: cython.int,
        r: cython.int,
        b: cython.int,
    ) -> cython.bint:
        """The same for a budget with groups.

        Each candidate has a share in the price of its group, as if all that may be chosen of the group were. No r
        candidates cost less than the r smallest shares. With one candidate, its group is paid, the other candidates of
        the group are free, and the rest costs no less than the smallest shares, as many as are to go.
        """
        n: cython.int = 0
        n_kept: cython.int = 0
        share: cython.double
        least: cython.double
        self.count_mates(candidate, level, m, b)
        for i in range(m):
            if self.is_kept[i]:
                c = candidate[level, i]
                share = self.cost_of(b, c)
                if self.payer[b, c] >= 0:
                    share /= min(self.n_mates[self.payer[b, c]], r)
                n = self.keep_smallest(share, n, r)
        least = self.sum_of_kept(n)
        if n < r or least * SHARES_ROUNDED > self.budget_room[b]:
            return False
        for i in range(m):
            if self.is_kept[i]:
                c = candidate[level, i]
                rest = r - 1
                share = self.cost_of(b, c)
                if share > 0.0 and self.payer[b, c] >= 0:
                    rest = max(r - self.n_mates[self.payer[b, c]], 0)
                least = self.sum_of_kept(rest)
                if least * SHARES_ROUNDED + share <= self.budget_room[b]:
                    n_kept += 1
                else:
                    self.is_kept[i] = 0
        return n_kept >= r

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_mates(
        self, candidate: cython.int[:, ::1], level: cython.int, m: cython.int, b: cython.int
    ) -> cython.void:
        """Count the kept candidates of each group, by one budget."""
        for i in range(m):
            if self.is_kept[i] and self.payer[b, candidate[level, i]] >= 0:
                self.n_mates[self.payer[b, candidate[level, i]]] = 0
        for i in range(m):
            if self.is_kept[i] and self.payer[b, candidate[level, i]] >= 0:
                self.n_mates[self.payer[b, candidate[level, i]]] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def unmet_need(self, chosen: cython.int[::1], level: cython.int) -> cython.int:
        """A feature that a chosen one needs and that is not chosen, or -1."""
        for i in range(level):
            for e in range(self.needs_first[chosen[i]], self.needs_first[chosen[i] + 1]):
                if not self.is_chosen[self.needs[e]]:
                    return self.needs[e]
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def needs_can_be_met(
        self, is_candidate: cython.uchar[:, ::1], level: cython.int, c: cython.int
    ) -> cython.bint:
        """Whether everything that a candidate needs is chosen or still a candidate."""
        for e in range(self.needs_first[c], self.needs_first[c + 1]):
            if not self.is_chosen[self.needs[e]] and not is_candidate[level, self.needs[e]]:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_smallest(self, value: cython.double, count: cython.int, wanted: cython.int) -> cython.int:
        """Keep a value if it is among the smallest ones so far, in ``smallest``, ascending; how many there are now."""
        if count < wanted:
            count += 1
        elif value >= self.smallest[count - 1]:
            return count
        p = count - 1
        while p > 0 and self.smallest[p - 1] > value:
            self.smallest[p] = self.smallest[p - 1]
            p -= 1
        self.smallest[p] = value
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_kept(self, count: cython.int) -> cython.double:
        """The sum of the values that were kept."""
        total: cython.double = 0.0
        for p in range(count):
            total += self.smallest[p]
        return total


def incidence(n_groups, width, first, member):
    """Which features (columns) belong to each group (rows), by the groups of each feature."""
    inside = np.zeros((n_groups, width), dtype=np.uint8)
    owners = np.repeat(np.arange(len(first) - 1), np.diff(np.asarray(first)))
    inside[np.asarray(member), owners] = 1
    return inside
