# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: mutual information of pairs of columns, by nearest neighbours or by counting.

Every estimate here is a mean of logarithms (or digammas) of whole numbers: how many rows share a value, or lie closer
than a radius. The kernel therefore tallies the numbers and adds up their logarithms in the order of the numbers, so
that neither the order of the rows nor which column comes first can change a bit of the result.

Columns come sorted. For each pair the plane is cut into slabs by one column (x), each wide enough to hold some rows,
and within a slab rows are in the order of the other column (y). Rows that agree in both are one point with a
multiplicity. A discrete column has a slab for each of its values. The ball of a point is the square around it that
reaches to its k-th neighbour (maximum norm), and its margins are the intervals that the square covers in each column.

Contents
--------
The class ``Pairs``:

1. A pair of columns: which estimate it gets
2. Tallies: sums that do not depend on the order of rows
3. Two discrete columns: the plug-in estimate
4. Points and slabs
5. Two continuous columns: the estimate of Kraskov, Stoegbauer and Grassberger
6. The k-th neighbour: a search slab by slab
7. Margins: rows within a distance in one column
8. Ties: rows at the border of the ball
9. A discrete and a continuous column: the estimate of Ross

At the end the class ``PairsWithHoles``, which hands the rows where both columns of a pair are known to a ``Pairs`` of
two columns. Both are in one module, since compiled modules call each other fast only if types are declared twice.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import ilogb, ldexp, sqrt
else:
    from math import frexp, ldexp, sqrt

    def ilogb(number):
        """The exponent of a number that is not 0, as C has it."""
        return frexp(number)[1] - 1


#: Tallies count in this unit, so that they can hold fractions of a row.
UNIT = cython.declare(cython.longlong, 1 << 20)
#: Farther away than anything, and nearer than the infinite ends of the lists.
FAR = cython.declare(cython.double, 1e300)
INFINITE = cython.declare(cython.double, np.inf)
#: If the search passes more points than this on average, slabs of the other column may be better.
MANY_PASSED = cython.declare(cython.long, 40)
#: Going over to another slab takes as long as passing this many points.
SLAB_COST = cython.declare(cython.long, 4)
#: How many rows a slab holds, as a multiple of the root of k times the number of rows: about as wide as the usual ball.
SLAB_WIDTH = cython.declare(cython.double, 1.0)
#: Points by which it is judged how many points a search passes.
N_PILOTS = cython.declare(cython.int, 16)
#: Distances that differ by no more than this are equal but for rounding, where the largest value is about 1.
ROUNDING = cython.declare(cython.double, 32 * 2.0**-52)
#: Points after which it is asked whether to stop.
POINTS_PER_TICK = cython.declare(cython.int, 1024)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert_distance(
    nearest: cython.double[::1], k: cython.int, distance: cython.double, rows: cython.int
) -> cython.double:
    """Insert a distance, as often as there are rows, into the k smallest so far; returns the largest of these."""
    last: cython.int = k - 1
    while rows > 0 and distance < nearest[last]:
        p = last
        while p > 0 and nearest[p - 1] > distance:
            nearest[p] = nearest[p - 1]
            p -= 1
        nearest[p] = distance
        rows -= 1
    return nearest[last]


@cython.final
@cython.cclass
class Pairs:
    """The columns of a table, and room to work on one pair of them at a time; one such object for each thread.

    Parameters
    ----------
    columns : tuple of arrays, the rows of which are the columns of the table
        codes, int32 (n_columns, n_rows): which of the column's different values each row has, in ascending order;
        orders, int32 (n_columns, n_rows): the rows by ascending value; values, float64 (n_columns, n_rows): the
        different values, ascending, of which as many are read as there are; below, int32 (n_columns, n_rows + 1): how
        many rows have a smaller value than each of these, and the number of rows at the end; sizes, int32 (n_columns,):
        how many different values each column has; slack, float64 (n_columns,): distances of a column that differ by no
        more than this are equal; discrete, uint8 (n_columns,): whether only the codes of a column mean something.
    k : int
        Neighbours, from 1 to n_rows - 1.
    strict : bool
        Leave ties as they are: the plain formulas, for columns that have been jittered.
    digamma, logarithm : float64 arrays (n_rows + 2,)
        Of the whole numbers; the first element is not read.
    stop : int32 array (1,)
        Anything but 0 ends the work soon.
    """

    # The table; see above.
    codes = cython.declare(cython.int[:, ::1])
    orders = cython.declare(cython.int[:, ::1])
    values = cython.declare(cython.double[:, ::1])
    below = cython.declare(cython.int[:, ::1])
    sizes = cython.declare(cython.int[::1])
    slack = cython.declare(cython.double[::1])
    discrete = cython.declare(cython.uchar[::1])
    digamma = cython.declare(cython.double[::1])
    logarithm = cython.declare(cython.double[::1])
    stop = cython.declare(cython.int[::1])
    n = cython.declare(cython.int)
    k = cython.declare(cython.int)
    strict = cython.declare(cython.bint)
    # Slabs: the first point of each, the least and the largest x in it, and how far a sweep upward has come in it.
    slab_first = cython.declare(cython.int[::1])
    slab_range = cython.declare(cython.double[::1])
    cursor = cython.declare(cython.int[::1])
    n_slabs = cython.declare(cython.int)
    min_slab_rows = cython.declare(cython.int)
    # Points: codes and values in both columns, and the multiplicity.
    x_code = cython.declare(cython.int[::1])
    y_code = cython.declare(cython.int[::1])
    x_of = cython.declare(cython.double[::1])
    y_of = cython.declare(cython.double[::1])
    n_rows_of = cython.declare(cython.int[::1])
    n_points = cython.declare(cython.int)
    # While points are listed: rows in the order of slabs, the slab of each value, counts.
    slab_rows = cython.declare(cython.int[::1])
    slab_of = cython.declare(cython.int[::1])
    scratch = cython.declare(cython.int[::1])
    # Margins: the values of both columns between infinite ends, one column behind the other, and how many rows are
    # below each; the stride with which a search among them begins.
    sorted_values = cython.declare(cython.double[::1])
    rows_below = cython.declare(cython.int[::1])
    size_x = cython.declare(cython.int)
    size_y = cython.declare(cython.int)
    first_stride = cython.declare(cython.int)
    # The distances of the k nearest rows so far, ascending, and the work that was done to find them.
    nearest = cython.declare(cython.double[::1])
    n_passed = cython.declare(cython.longlong)
    # How often each whole number was met, in units.
    tally = cython.declare(cython.longlong[::1])
    # Other rows inside a margin, and inside or at its border; the same for the ball.
    margin_inside = cython.declare(cython.int)
    margin_within = cython.declare(cython.int)
    ball_inside = cython.declare(cython.int)
    ball_within = cython.declare(cython.int)
    # Rows of the ball that are at its border in x, in y, and in both (in a corner).
    border_x = cython.declare(cython.int)
    border_y = cython.declare(cython.int)
    border_both = cython.declare(cython.int)

    # --- 1. A pair of columns ---------------------------------------------------------------------

    def __init__(self, columns, k, strict, digamma, logarithm, stop):
        codes, self.orders, self.values, self.below, self.sizes, self.slack, self.discrete = columns
        self.codes = codes
        self.digamma = digamma
        self.logarithm = logarithm
        self.stop = stop
        self.strict = strict
        n = len(codes[0])
        self.slab_first = np.zeros(n + 1, dtype=np.intc)
        self.slab_range = np.zeros(2 * n)
        self.cursor = np.zeros(n, dtype=np.intc)
        self.x_code = np.zeros(n, dtype=np.intc)
        self.y_code = np.zeros(n, dtype=np.intc)
        self.n_rows_of = np.zeros(n, dtype=np.intc)
        self.x_of = np.zeros(n)
        self.y_of = np.zeros(n)
        self.sorted_values = np.zeros(2 * (n + 2))
        self.rows_below = np.zeros(2 * (n + 2), dtype=np.intc)
        self.slab_rows = np.zeros(n, dtype=np.intc)
        self.slab_of = np.zeros(n, dtype=np.intc)
        self.scratch = np.zeros(n, dtype=np.intc)
        self.nearest = np.zeros(k)
        self.n_passed = 0
        self.tally = np.zeros(n + 2, dtype=np.int64)
        self.set_rows(n, k)

    def run(self, left, right, found):
        """Put the information of the pairs (left[p], right[p]) into ``found[p]``."""
        a: cython.int[::1] = left
        b: cython.int[::1] = right
        out: cython.double[::1] = found
        total: cython.long = len(left)
        with cython.nogil:
            for p in range(total):
                if self.stop[0]:
                    break
                out[p] = self.estimate(a[p], b[p])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def set_rows(self, n: cython.int, k: cython.int) -> cython.void:
        """Work on the first n rows, and on k neighbours."""
        ball: cython.double = sqrt(cython.cast(cython.double, k) * n)
        self.n = n
        self.k = k
        # Both are about the usual ball: a slab as wide as it, and a stride of about half of the rows in its margin.
        self.min_slab_rows = max(1, cython.cast(cython.int, SLAB_WIDTH * ball))
        self.first_stride = 2
        while self.first_stride <= cython.cast(cython.int, 0.5 * ball):
            self.first_stride *= 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def estimate(self, a: cython.int, b: cython.int) -> cython.double:
        """The estimate for a pair of columns: at least 0, and 0 if a column is constant."""
        if self.sizes[a] < 2 or self.sizes[b] < 2:
            return 0.0
        if self.discrete[a] and self.discrete[b]:
            found = self.plug_in(a, b)
        elif self.discrete[a]:
            found = self.ross(a, b)
        elif self.discrete[b]:
            found = self.ross(b, a)
        else:
            found = self.kraskov(a, b)
        return found if found > 0.0 else 0.0

    # --- 2. Tallies -------------------------------------------------------------------------------
    # An estimate adds up logarithms or digammas of whole numbers. How often each number comes is tallied, in units
    # small enough for fractions of a row, and the sum goes over the numbers: the order of the rows does not matter.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sum_of_tallies(self, table: cython.double[::1]) -> cython.double:
        """Add up what has been tallied and clear it."""
        found: cython.double = 0.0
        for p in range(1, self.n + 2):
            if self.tally[p] != 0:
                found += self.tally[p] * table[p]
                self.tally[p] = 0
        return found / UNIT

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally_fraction(self, number: cython.double, rows: cython.int) -> cython.void:
        """Tally a number of rows that need not be whole as its two whole neighbours."""
        whole: cython.int = cython.cast(cython.int, number)
        upper: cython.longlong = cython.cast(cython.longlong, (number - whole) * UNIT + 0.5)
        self.tally[whole] += rows * (UNIT - upper)
        self.tally[whole + 1] += rows * upper

    # --- 3. Two discrete columns: the plug-in estimate --------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def plug_in(self, a: cython.int, b: cython.int) -> cython.double:
        """log n + mean of log(rows of the point) - log(rows of the one value) - log(rows of the other)."""
        self.list_points(a, b, 1)
        for p in range(self.n_points):
            self.tally[self.n_rows_of[p]] += self.n_rows_of[p] * UNIT
        for p in range(self.sizes[a]):
            rows = self.below[a, p + 1] - self.below[a, p]
            self.tally[rows] -= rows * UNIT
        for p in range(self.sizes[b]):
            rows = self.below[b, p + 1] - self.below[b, p]
            self.tally[rows] -= rows * UNIT
        found = self.sum_of_tallies(self.logarithm)
        return self.logarithm[self.n] + found / self.n

    # --- 4. Points and slabs ----------------------------------------------------------------------
    # Slabs partition the rows by column a (x), and within a slab rows are sorted by column b (y). Rows that agree in
    # both columns are one point with a multiplicity, where they come to lie side by side.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_points(self, a: cython.int, b: cython.int, least: cython.int) -> cython.void:
        """The points in slabs of column a that hold at least so many rows, within them by the values of column b."""
        few: cython.longlong = self.sizes[a]
        if few * self.sizes[b] <= self.n and few * few <= 4 * cython.cast(cython.longlong, self.n):
            self.points_by_counting(a, b)
        else:
            self.points_by_slabs(a, b, least)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def points_by_counting(self, a: cython.int, b: cython.int) -> cython.void:
        """Few values in both columns: count in the table of all their combinations, a slab for each value."""
        columns: cython.int = self.sizes[b]
        for p in range(self.sizes[a] * columns):
            self.scratch[p] = 0
        for p in range(self.n):
            self.scratch[self.codes[a, p] * columns + self.codes[b, p]] += 1
        self.n_slabs = self.sizes[a]
        self.n_points = 0
        for place in range(self.n_slabs):
            self.slab_first[place] = self.n_points
            self.slab_range[2 * place] = self.slab_range[2 * place + 1] = self.values[a, place]
            for code in range(columns):
                if self.scratch[place * columns + code] > 0:
                    self.add_point(a, b, place, code, self.scratch[place * columns + code])
        self.slab_first[self.n_slabs] = self.n_points

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def points_by_slabs(self, a: cython.int, b: cython.int, least: cython.int) -> cython.void:
        """Rows in the order of column b, put one by one at the end of their slab."""
        self.cut_into_slabs(a, least)
        for p in range(self.n):
            row = self.orders[b, p]
            slab = self.slab_of[self.codes[a, row]]
            self.slab_rows[self.scratch[slab]] = row
            self.scratch[slab] += 1
        p = 0
        self.n_points = 0
        for slab in range(self.n_slabs):
            self.slab_first[slab] = self.n_points
            while p < self.scratch[slab]:
                place = self.codes[a, self.slab_rows[p]]
                code = self.codes[b, self.slab_rows[p]]
                p += 1
                if (
                    self.n_points > self.slab_first[slab]
                    and self.y_code[self.n_points - 1] == code
                    and self.x_code[self.n_points - 1] == place
                ):
                    self.n_rows_of[self.n_points - 1] += 1
                else:
                    self.add_point(a, b, place, code, 1)
        self.slab_first[self.n_slabs] = self.n_points

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut_into_slabs(self, a: cython.int, least: cython.int) -> cython.void:
        """Which slab each value belongs to, the range of each slab, and its first row in ``scratch``."""
        start: cython.int = 0
        slab: cython.int = 0
        for place in range(self.sizes[a]):
            if place == start:
                self.scratch[slab] = self.below[a, place]
                self.slab_range[2 * slab] = self.values[a, place]
            self.slab_of[place] = slab
            self.slab_range[2 * slab + 1] = self.values[a, place]
            if self.below[a, place + 1] - self.below[a, start] >= least:
                start = place + 1
                slab += 1
        self.n_slabs = self.slab_of[self.sizes[a] - 1] + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_point(
        self, a: cython.int, b: cython.int, place: cython.int, code: cython.int, rows: cython.int
    ) -> cython.void:
        """Append a point to the last slab."""
        point: cython.int = self.n_points
        self.x_code[point] = place
        self.y_code[point] = code
        self.n_rows_of[point] = rows
        self.x_of[point] = self.values[a, place]
        self.y_of[point] = self.values[b, code]
        self.n_points = point + 1

    # --- 5. Two continuous columns: the estimate of Kraskov, Stoegbauer and Grassberger -----------
    # For each row: the distance of its k-th neighbour by the larger of the distances in both columns, then how many
    # rows are nearer than that in each column alone. Which column is cut into slabs makes no difference to the result.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kraskov(self, a: cython.int, b: cython.int) -> cython.double:
        """digamma(n) + the mean over rows of digamma(k) - digamma(rows in x + 1) - digamma(rows in y + 1)."""
        done: cython.int = 0
        slack: cython.double = max(self.slack[a], self.slack[b])
        self.choose_slabs(a, b)
        for slab in range(self.n_slabs):
            self.rewind_cursors()
            for point in range(self.slab_first[slab], self.slab_first[slab + 1]):
                self.tally_point(slab, point, self.kth_distance(slab, point), slack)
                done += 1
                if done % POINTS_PER_TICK == 0 and self.stop[0]:
                    self.sum_of_tallies(self.digamma)
                    return 0.0
        found = self.sum_of_tallies(self.digamma)
        return self.digamma[self.n] - found / self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_slabs(self, a: cython.int, b: cython.int) -> cython.void:
        """Cut the column with fewer values into slabs, or the other one if searches then pass fewer points."""
        if self.sizes[b] < self.sizes[a]:
            a, b = b, a
        self.prepare(a, b)
        here = self.points_passed()
        if here > MANY_PASSED:
            self.prepare(b, a)
            if self.points_passed() >= here:
                self.prepare(a, b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def prepare(self, a: cython.int, b: cython.int) -> cython.void:
        """Points in slabs of column a, and the margins of both columns."""
        self.list_points(a, b, self.min_slab_rows)
        self.load_margin(a, 0)
        self.load_margin(b, self.n + 2)
        self.size_x = self.sizes[a]
        self.size_y = self.sizes[b]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def points_passed(self) -> cython.long:
        """How many points the search for neighbours passes on average, judged by a few points."""
        point: cython.int = 0
        step: cython.int = self.n_points // N_PILOTS + 1
        pilots: cython.int = 0
        self.n_passed = 0
        for slab in range(self.n_slabs):
            if point < self.slab_first[slab + 1]:
                self.rewind_cursors()
            while point < self.slab_first[slab + 1]:
                self.kth_distance(slab, point)
                pilots += 1
                point += step
        return self.n_passed // pilots

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally_point(
        self, slab: cython.int, point: cython.int, radius: cython.double, slack: cython.double
    ) -> cython.void:
        """Tally what the rows of a point contribute, whose k-th neighbour is ``radius`` away."""
        rows: cython.int = self.n_rows_of[point]
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        self.count_margin(0, self.size_x, self.x_code[point], low, high)
        inside_x = self.margin_inside
        within_x = self.margin_within
        self.count_margin(self.n + 2, self.size_y, self.y_code[point], low, high)
        if not self.strict and (
            low <= 0.0 or within_x - inside_x + self.margin_within - self.margin_inside > 1
        ):
            self.count_ball(slab, point, low, high)
            if low <= 0.0:
                # The k-th neighbour is a duplicate: as many rows as agree are counted, in the ball and in both margins.
                self.tally[self.ball_within + 1] -= rows * UNIT
                self.tally[within_x + 1] += rows * UNIT
                self.tally[self.margin_within + 1] += rows * UNIT
                return
            self.tally_fraction(self.expected_margin(inside_x, within_x, self.border_x), rows)
            self.tally_fraction(
                self.expected_margin(self.margin_inside, self.margin_within, self.border_y), rows
            )
        else:
            self.tally[inside_x + 1] += rows * UNIT
            self.tally[self.margin_inside + 1] += rows * UNIT
        self.tally[self.k] -= rows * UNIT

    # --- 6. The k-th neighbour: a search slab by slab ---------------------------------------------
    # Within a slab the search goes up and down from the y of the point; then on to the slabs on both sides, until these
    # are farther away than the k-th neighbour found so far.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kth_distance(self, slab: cython.int, point: cython.int) -> cython.double:
        """The distance of the k-th neighbour of a point: the larger one of the distances in both columns counts.

        To be called for the points of a slab in their order, from the bottom up, after ``rewind_cursors``: the cursors
        of the other slabs only move upward.
        """
        left: cython.int = slab - 1
        right: cython.int = slab + 1
        x: cython.double = self.x_of[point]
        y: cython.double = self.y_of[point]
        onward: cython.bint = True
        for p in range(self.k):
            self.nearest[p] = 0.0 if p < self.n_rows_of[point] - 1 else FAR
        found = self.search_slab(slab, point - 1, point + 1, x, y)
        while onward:
            onward = False
            if right < self.n_slabs and self.slab_range[2 * right] - x < found:
                at = self.first_not_below(right, y)
                found = self.search_slab(right, at - 1, at, x, y)
                right += 1
                onward = True
            if left >= 0 and x - self.slab_range[2 * left + 1] < found:
                at = self.first_not_below(left, y)
                found = self.search_slab(left, at - 1, at, x, y)
                left -= 1
                onward = True
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_slab(
        self, slab: cython.int, down: cython.int, up: cython.int, x: cython.double, y: cython.double
    ) -> cython.double:
        """Look for nearer neighbours in a slab, up from one point, down from another: the distance of the k-th one."""
        radius: cython.double = self.nearest[self.k - 1]
        self.n_passed += SLAB_COST
        if self.k == 3:
            return self.search_slab_three(slab, down, up, x, y)
        for sign in range(1, -2, -2):
            begin = point = up if sign > 0 else down
            stop = self.slab_first[slab + 1] if sign > 0 else self.slab_first[slab] - 1
            while point != stop:
                dy = sign * (self.y_of[point] - y)
                if dy >= radius:
                    break
                dx = abs(self.x_of[point] - x)
                if dx < radius:
                    radius = _insert_distance(
                        self.nearest, self.k, dx if dx > dy else dy, self.n_rows_of[point]
                    )
                point += sign
            self.n_passed += sign * (point - begin)
        return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_slab_three(
        self, slab: cython.int, down: cython.int, up: cython.int, x: cython.double, y: cython.double
    ) -> cython.double:
        """The same for k = 3, the usual case: no branches, as where a distance belongs cannot be predicted."""
        a: cython.double = self.nearest[0]
        b: cython.double = self.nearest[1]
        c: cython.double = self.nearest[2]
        d: cython.double
        e: cython.double
        f: cython.double
        for sign in range(1, -2, -2):
            begin = point = up if sign > 0 else down
            stop = self.slab_first[slab + 1] if sign > 0 else self.slab_first[slab] - 1
            while point != stop:
                d = sign * (self.y_of[point] - y)
                if d >= c:
                    break
                e = abs(self.x_of[point] - x)
                d = d if d > e else e
                rows = self.n_rows_of[point]
                while True:
                    e = d if a < d else a
                    a = a if a < d else d
                    f = e if b < e else b
                    b = b if b < e else e
                    c = c if c < f else f
                    rows -= 1
                    if rows == 0 or d >= c:
                        break
                point += sign
            self.n_passed += sign * (point - begin)
        self.nearest[0] = a
        self.nearest[1] = b
        self.nearest[2] = c
        return c

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def first_not_below(self, slab: cython.int, y: cython.double) -> cython.int:
        """The first point of a slab that is not below y; the cursor is at that of the last y, which was no larger."""
        at: cython.int = self.cursor[slab]
        end: cython.int = self.slab_first[slab + 1]
        while at < end and self.y_of[at] < y:
            at += 1
        self.cursor[slab] = at
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rewind_cursors(self) -> cython.void:
        """Put the cursor of each slab at its lowest point."""
        for slab in range(self.n_slabs):
            self.cursor[slab] = self.slab_first[slab]

    # --- 7. Margins: rows within a distance in one column -----------------------------------------
    # An exponential search in sorted values between infinite ends: strides begin at about half of the usual ball, and
    # are halved once they lead too far.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def load_margin(self, a: cython.int, at: cython.int) -> cython.void:
        """Put the values of a column at ``at``, between infinite ends, and how many rows are below each."""
        size: cython.int = self.sizes[a]
        self.sorted_values[at] = -INFINITE
        for p in range(size):
            self.sorted_values[at + 1 + p] = self.values[a, p]
            self.rows_below[at + p] = self.below[a, p]
        self.sorted_values[at + 1 + size] = INFINITE
        self.rows_below[at + size] = self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_margin(
        self, at: cython.int, size: cython.int, place: cython.int, low: cython.double, high: cython.double
    ) -> cython.void:
        """Other rows that are nearer than ``low`` in one column (inside), and not farther than ``high`` (within).

        Differences are compared, not shifted values: rounding would put rows at the border in or out.
        """
        left: cython.int = at + 1 + place
        right: cython.int = left
        end: cython.int = at + size + 1
        step: cython.int = self.first_stride
        nearer: cython.int
        value: cython.double = self.sorted_values[left]
        while right + step < end and self.sorted_values[right + step] - value < low:
            right += step
        while left - step > at and value - self.sorted_values[left - step] < low:
            left -= step
        while step > 1:
            step = step // 2
            # Products instead of branches, which could not be predicted.
            probe = right + step if right + step < end else end
            nearer = self.sorted_values[probe] - value < low
            right += step * nearer
            probe = left - step if left - step > at else at
            nearer = value - self.sorted_values[probe] < low
            left -= step * nearer
        self.margin_inside = self.rows_below[right] - self.rows_below[left - 1] - 1
        while self.sorted_values[right + 1] - value <= high:
            right += 1
        while value - self.sorted_values[left - 1] <= high:
            left -= 1
        self.margin_within = self.rows_below[right] - self.rows_below[left - 1] - 1

    # --- 8. Ties: rows at the border of the ball --------------------------------------------------
    # Where several rows are as far away as the k-th neighbour, a jitter would tell them apart. The expected result of a
    # jitter is computed instead.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def expected_margin(self, inside: cython.int, within: cython.int, side: cython.int) -> cython.double:
        """One more than the rows inside, and the share of those at the border that a jitter would put inside.

        A jitter would make one of the rows at the border of the ball the k-th neighbour. ``nearer`` of them would be
        nearer than that, in both columns; rows of the margin that are at its border and not in the ball would be
        on either side of it with the same odds. A row in a corner of the ball would be farther away in one column
        only, and inside the margin of the other.
        """
        border: cython.double = self.ball_within - self.ball_inside
        nearer: cython.double = self.k - self.ball_inside - 1
        return (
            1.0
            + inside
            + (side * nearer + 0.5 * self.border_both) / border
            + (within - inside - side) * (nearer + 1.0) / (border + 1.0)
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_ball(
        self, slab: cython.int, point: cython.int, low: cython.double, high: cython.double
    ) -> cython.void:
        """Count the other rows of the ball: inside, and at its border on either side or in a corner."""
        left: cython.int = slab - 1
        right: cython.int = slab + 1
        x: cython.double = self.x_of[point]
        y: cython.double = self.y_of[point]
        self.clear_ball()
        self.count_slab(slab, point, x, y, low, high)
        while right < self.n_slabs and self.slab_range[2 * right] - x <= high:
            at = self.first_not_below(right, y)
            self.count_slab(right, at, x, y, low, high)
            right += 1
        while left >= 0 and x - self.slab_range[2 * left + 1] <= high:
            at = self.first_not_below(left, y)
            self.count_slab(left, at, x, y, low, high)
            left -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear_ball(self) -> cython.void:
        """Nothing is counted yet; the row itself never is, hence -1."""
        self.ball_inside = -1
        self.ball_within = -1
        self.border_x = 0
        self.border_y = 0
        self.border_both = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_slab(
        self,
        slab: cython.int,
        up: cython.int,
        x: cython.double,
        y: cython.double,
        low: cython.double,
        high: cython.double,
    ) -> cython.void:
        """Count the points of a slab in the ball of (x, y): from one point upward, then downward from below it."""
        for sign in range(1, -2, -2):
            point = up if sign > 0 else up - 1
            stop = self.slab_first[slab + 1] if sign > 0 else self.slab_first[slab] - 1
            while point != stop and sign * (self.y_of[point] - y) <= high:
                dx = abs(self.x_of[point] - x)
                if dx <= high:
                    self.count_point(point, dx, sign * (self.y_of[point] - y), low)
                point += sign

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_point(
        self, point: cython.int, dx: cython.double, dy: cython.double, low: cython.double
    ) -> cython.void:
        """Count the rows of a point of the ball: inside it, or at its border in x, in y or in both."""
        rows: cython.int = self.n_rows_of[point]
        self.ball_within += rows
        if dx >= low:
            self.border_x += rows
            if dy >= low:
                self.border_y += rows
                self.border_both += rows
        elif dy >= low:
            self.border_y += rows
        else:
            self.ball_inside += rows

    # --- 9. A discrete and a continuous column: the estimate of Ross ------------------------------
    # Neighbours are those of the same class, a slab each. A class of one row has none and is left out.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ross(self, a: cython.int, b: cython.int) -> cython.double:
        """Column a is the discrete one, the class; rows that are alone in their class are left out."""
        alone: cython.int = 0
        self.list_points(a, b, 1)
        self.load_margin(b, 0)
        self.size_y = self.sizes[b]
        for slab in range(self.sizes[a]):
            rows = self.below[a, slab + 1] - self.below[a, slab]
            if rows == 1:
                alone += 1
        if alone > 0:
            self.leave_out_singletons(a, b)
        for slab in range(self.sizes[a]):
            rows = self.below[a, slab + 1] - self.below[a, slab]
            if rows == 1:
                continue
            self.tally[rows] += rows * UNIT
            for point in range(self.slab_first[slab], self.slab_first[slab + 1]):
                self.tally_point_of_class(slab, point, min(self.k, rows - 1), rows, self.slack[b])
            if self.stop[0]:
                break
        if alone == self.n:
            return 0.0
        found = self.sum_of_tallies(self.digamma)
        return self.digamma[self.n - alone] - found / (self.n - alone)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_out_singletons(self, a: cython.int, b: cython.int) -> cython.void:
        """Count the rows below each value of the continuous column without those that are alone in their class."""
        out: cython.int = 0
        for code in range(self.sizes[b]):
            self.scratch[code] = 0
        for slab in range(self.sizes[a]):
            if self.below[a, slab + 1] - self.below[a, slab] == 1:
                self.scratch[self.y_code[self.slab_first[slab]]] += 1
        for code in range(self.sizes[b]):
            self.rows_below[code] -= out
            out += self.scratch[code]
        self.rows_below[self.sizes[b]] -= out

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally_point_of_class(
        self, slab: cython.int, point: cython.int, k: cython.int, size: cython.int, slack: cython.double
    ) -> cython.void:
        """Tally what the rows of a point contribute, whose neighbours are those of its class."""
        rows: cython.int = self.n_rows_of[point]
        x: cython.double = self.x_of[point]
        y: cython.double = self.y_of[point]
        as_sklearn: cython.bint = self.strict and k >= size // 2
        radius: cython.double = (
            self.kth_distance_as_sklearn(slab, point, k)
            if as_sklearn
            else self.kth_distance_in_class(slab, point, k)
        )
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        border: cython.double
        nearer: cython.double
        self.count_margin(0, self.size_y, self.y_code[point], low, high)
        if not self.strict and (low <= 0.0 or self.margin_within - self.margin_inside > 1):
            self.clear_ball()
            self.count_slab(slab, point, x, y, low, high)
            if low <= 0.0:
                # The k-th neighbour is a duplicate, as for two continuous columns.
                self.tally[self.ball_within + 1] -= rows * UNIT
                self.tally[self.margin_within + 1] += rows * UNIT
                return
            border = self.ball_within - self.ball_inside
            nearer = k - self.ball_inside - 1
            self.tally_fraction(
                1.0
                + self.margin_inside
                + nearer
                + (self.margin_within - self.margin_inside - border) * (nearer + 1.0) / (border + 1.0),
                rows,
            )
        else:
            self.tally[self.margin_inside + 1] += rows * UNIT
        self.tally[k] -= rows * UNIT

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kth_distance_in_class(self, slab: cython.int, point: cython.int, k: cython.int) -> cython.double:
        """The distance of the k-th neighbour within the class: the nearer of the next ones above and below, k times."""
        left: cython.int = point - 1
        right: cython.int = point + 1
        start: cython.int = self.slab_first[slab]
        end: cython.int = self.slab_first[slab + 1]
        y: cython.double = self.y_of[point]
        found: cython.int = self.n_rows_of[point] - 1
        radius: cython.double = 0.0
        while found < k:
            up = self.y_of[right] - y if right < end else FAR
            down = y - self.y_of[left] if left >= start else FAR
            if up <= down:
                radius = up
                found += self.n_rows_of[right]
                right += 1
            else:
                radius = down
                found += self.n_rows_of[left]
                left -= 1
        return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kth_distance_as_sklearn(self, slab: cython.int, point: cython.int, k: cython.int) -> cython.double:
        """The same, rounded as by scikit-learn, which in small classes expands the square of a difference."""
        y: cython.double = self.y_of[point]
        for p in range(k):
            self.nearest[p] = 0.0 if p < self.n_rows_of[point] - 1 else FAR
        for other in range(self.slab_first[slab], self.slab_first[slab + 1]):
            if other != point:
                z = self.y_of[other]
                square = y * y + -2.0 * (y * z) + z * z
                _insert_distance(self.nearest, k, square if square > 0.0 else 0.0, self.n_rows_of[other])
        return self.nearest[k - 1] ** 0.5


@cython.final
@cython.cclass
class PairsWithHoles:
    """Columns with missing values, and room to work on one pair of them at a time, in the rows where both are known.

    Parameters
    ----------
    columns : tuple of arrays, the rows of which are the columns of the table
        codes, int32 (n_columns, n_rows): which of the column's different values each row has, in ascending order, or
        less than 0 where it is missing; values, float64 (n_columns, n_rows): the different values, ascending, of which
        as many are read as there are; sizes, int32 (n_columns,): how many different values each column has; discrete,
        uint8 (n_columns,): whether only the codes of a column mean something.
    k : int
        Neighbours, at least 1; one less than the known rows, if these are fewer.
    least : int
        With fewer known rows than this (at least 2), the estimate is 0.
    digamma, logarithm, stop
        As for ``Pairs``.
    """

    table_codes = cython.declare(cython.int[:, ::1])
    table_values = cython.declare(cython.double[:, ::1])
    table_sizes = cython.declare(cython.int[::1])
    table_discrete = cython.declare(cython.uchar[::1])
    k = cython.declare(cython.int)
    least = cython.declare(cython.int)
    # A table of the two columns without rows in which one of them is missing, and the arrays that it consists of.
    pairs = cython.declare(Pairs)
    codes = cython.declare(cython.int[:, ::1])
    orders = cython.declare(cython.int[:, ::1])
    values = cython.declare(cython.double[:, ::1])
    below = cython.declare(cython.int[:, ::1])
    sizes = cython.declare(cython.int[::1])
    slack = cython.declare(cython.double[::1])
    discrete = cython.declare(cython.uchar[::1])
    n = cython.declare(cython.int)
    # For each code of a column: how many of the known rows have it; then its code among these.
    counts = cython.declare(cython.int[:, ::1])
    # How many rows have each combination of codes.
    cells = cython.declare(cython.int[::1])

    def __init__(self, columns, k, least, digamma, logarithm, stop):
        table_codes, self.table_values, self.table_sizes, self.table_discrete = columns
        self.table_codes = table_codes
        n = len(table_codes[0])
        self.k = k
        self.least = least
        two = (
            np.zeros((2, n), dtype=np.intc),
            np.zeros((2, n), dtype=np.intc),
            np.zeros((2, n)),
            np.zeros((2, n + 1), dtype=np.intc),
            np.zeros(2, dtype=np.intc),
            np.zeros(2),
            np.zeros(2, dtype=np.uint8),
        )
        self.codes, self.orders, self.values, self.below, self.sizes, self.slack, self.discrete = two
        self.pairs = Pairs(two, max(1, min(k, n - 1)), False, digamma, logarithm, stop)
        self.counts = np.zeros((2, n), dtype=np.intc)
        self.cells = np.zeros(n, dtype=np.intc)

    def run(self, left, right, found, shapes):
        """Put the information of the pairs (left[p], right[p]) in their known rows into ``found[p]``.

        And into ``shapes[p]`` how many rows these are, and how many values each of the two columns has in them.
        """
        a: cython.int[::1] = left
        b: cython.int[::1] = right
        out: cython.double[::1] = found
        shape: cython.int[:, ::1] = shapes
        total: cython.long = len(left)
        with cython.nogil:
            for p in range(total):
                if self.pairs.stop[0]:
                    break
                out[p] = self.estimate(a[p], b[p])
                shape[p, 0] = self.n
                shape[p, 1] = self.sizes[0]
                shape[p, 2] = self.sizes[1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def estimate(self, a: cython.int, b: cython.int) -> cython.double:
        """The estimate for a pair of columns in the rows where both are known."""
        cells: cython.longlong = self.table_sizes[a] + 1
        cells *= self.table_sizes[b] + 1
        if self.table_discrete[a] and self.table_discrete[b] and cells <= self.table_codes.shape[1]:
            return self.plug_in(a, b)
        self.take_rows(a, b)
        self.take_values(a, 0)
        self.take_values(b, 1)
        if self.n < self.least or self.sizes[0] < 2 or self.sizes[1] < 2:
            return 0.0
        self.take_codes(0)
        self.take_codes(1)
        self.pairs.set_rows(self.n, min(self.k, self.n - 1))
        return self.pairs.estimate(0, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def plug_in(self, a: cython.int, b: cython.int) -> cython.double:
        """Few values in both columns: as in ``Pairs``, from one count of all combinations, "missing" among them."""
        width: cython.int = self.table_sizes[b] + 1
        for x in range((self.table_sizes[a] + 1) * width):
            self.cells[x] = 0
        for row in range(self.table_codes.shape[1]):
            # Missing is -1.
            self.cells[(self.table_codes[a, row] + 1) * width + self.table_codes[b, row] + 1] += 1
        self.n = 0
        self.sizes[0] = self.sizes[1] = 0
        for x in range(1, self.table_sizes[a] + 1):
            rows = 0
            for y in range(1, width):
                self.pairs.tally[self.cells[x * width + y]] += self.cells[x * width + y] * UNIT
                rows += self.cells[x * width + y]
            self.pairs.tally[rows] -= rows * UNIT
            self.sizes[0] += rows > 0
            self.n += rows
        for y in range(1, width):
            rows = 0
            for x in range(1, self.table_sizes[a] + 1):
                rows += self.cells[x * width + y]
            self.pairs.tally[rows] -= rows * UNIT
            self.sizes[1] += rows > 0
        self.pairs.n = self.n
        found = self.pairs.sum_of_tallies(self.pairs.logarithm)
        if self.n < self.least or self.sizes[0] < 2 or self.sizes[1] < 2:
            return 0.0
        return max(0.0, self.pairs.logarithm[self.n] + found / self.n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_rows(self, a: cython.int, b: cython.int) -> cython.void:
        """Put down the codes of rows where both columns are known, and count them."""
        n: cython.int = 0
        for row in range(self.table_sizes[a]):
            self.counts[0, row] = 0
        for row in range(self.table_sizes[b]):
            self.counts[1, row] = 0
        for row in range(self.table_codes.shape[1]):
            x = self.table_codes[a, row]
            y = self.table_codes[b, row]
            if x >= 0 and y >= 0:
                self.codes[0, n] = x
                self.codes[1, n] = y
                self.counts[0, x] += 1
                self.counts[1, y] += 1
                n += 1
        self.n = n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_values(self, a: cython.int, to: cython.int) -> cython.void:
        """The different values of the known rows, how many rows are below each, and their new codes in ``counts``."""
        size: cython.int = 0
        below: cython.int = 0
        for code in range(self.table_sizes[a]):
            if self.counts[to, code] > 0:
                self.values[to, size] = self.table_values[a, code]
                self.below[to, size] = below
                below += self.counts[to, code]
                self.counts[to, code] = size
                size += 1
        self.below[to, size] = below
        self.sizes[to] = size
        self.slack[to] = 0.0
        self.discrete[to] = self.table_discrete[a]
        if size > 1 and not self.table_discrete[a]:
            self.scale(to)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def take_codes(self, to: cython.int) -> cython.void:
        """New codes for the known rows, and the rows in the order of their codes."""
        for row in range(self.n):
            self.codes[to, row] = self.counts[to, self.codes[to, row]]
        for code in range(self.sizes[to]):
            self.counts[to, code] = self.below[to, code]
        for row in range(self.n):
            code = self.codes[to, row]
            self.orders[to, self.counts[to, code]] = row
            self.counts[to, code] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scale(self, to: cython.int) -> cython.void:
        """Give a column the standard deviation 1, and say what difference rounding can make to its distances.

        Powers of two and the subtraction of one of the values lose nothing that a shift or another unit would keep.
        """
        last: cython.int = self.sizes[to] - 1
        largest: cython.double = max(abs(self.values[to, 0]), abs(self.values[to, last]))
        exponent: cython.int = ilogb(largest) + 1
        # In two steps, as the power of two for the smallest numbers is too large for one.
        half: cython.int = abs(exponent) // 2
        first: cython.double = ldexp(1.0, -half if exponent > 0 else half)
        second: cython.double = ldexp(1.0, half - exponent if exponent > 0 else -half - exponent)
        middle: cython.double = 0.0
        for place in range(last + 1):
            self.values[to, place] = self.values[to, place] * first * second
            if self.below[to, place] <= self.n // 2:
                middle = self.values[to, place]
        for place in range(last + 1):
            self.values[to, place] -= middle
        mean = self.mean_power(to, 0.0, 1)
        deviation = sqrt(self.mean_power(to, mean, 2))
        for place in range(last + 1):
            self.values[to, place] = self.values[to, place] / deviation
        self.slack[to] = ROUNDING / deviation

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def mean_power(self, to: cython.int, centre: cython.double, power: cython.int) -> cython.double:
        """The mean of differences to a centre (power = 1) or of their squares (2), in the order of the values.

        Kahan's sum: columns on a line are to have the same deviation in any unit, however many rows there are.
        """
        term: cython.double
        total: cython.double = 0.0
        larger: cython.double
        carry: cython.double = 0.0
        for place in range(self.sizes[to]):
            term = self.values[to, place] - centre
            if power == 2:
                term = term * term
            term = (self.below[to, place + 1] - self.below[to, place]) * term - carry
            larger = total + term
            carry = (larger - total) - term
            total = larger
        return total / self.n
