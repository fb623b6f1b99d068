# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: mutual information of pairs of columns, by nearest neighbours or by counting.

Every estimate here is a mean of logarithms (or digammas) of whole numbers: how many rows share a value, or lie closer
than a radius. The kernel therefore tallies the numbers and adds up their logarithms in the order of the numbers, so
that neither the order of the rows nor which column comes first can change a bit of the result.

Columns come sorted. For each pair the rows are put into *strips* by one column, whose walls are far enough apart to
hold some rows, and within a strip they are in the order of the other column; rows that agree in both are one *cell*
where they come to lie side by side. The search for neighbours begins in the strip of a row and goes on to the strips on
both sides until their walls are farther away than the farthest neighbour found; within a strip it goes outward from
the height of the row. A discrete column has a strip for each of its values.
"""

import cython
import numpy as np

#: Tallies count in this unit, so that they can hold shares of a row.
ONE = cython.declare(cython.longlong, 1 << 20)
#: Farther away than anything, and nearer than the infinite ends of the lists.
FAR = cython.declare(cython.double, 1e300)
INFINITE = cython.declare(cython.double, np.inf)
#: If the search passes more cells than this on average, it may be better to have strips of the other column.
MANY = cython.declare(cython.long, 40)
#: Going over to another strip takes as long as passing this many cells.
WALL = cython.declare(cython.long, 4)
#: How many rows a strip holds, as a multiple of the root of k times the number of rows.
STRIP = cython.declare(cython.double, 1.0)
PILOTS = cython.declare(cython.int, 16)
LOOK_EVERY = cython.declare(cython.int, 1024)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _offer(
    near: cython.double[::1], k: cython.int, distance: cython.double, rows: cython.int
) -> cython.double:
    """Keep the k smallest distances in order; returns the largest of them."""
    p: cython.int
    last: cython.int = k - 1
    while rows > 0 and distance < near[last]:
        p = last
        while p > 0 and near[p - 1] > distance:
            near[p] = near[p - 1]
            p -= 1
        near[p] = distance
        rows -= 1
    return near[last]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_three(
    across: cython.double[::1],
    height: cython.double[::1],
    weight: cython.int[::1],
    near: cython.double[::1],
    seen: cython.longlong[::1],
    start: cython.int,
    down: cython.int,
    up: cython.int,
    end: cython.int,
    x: cython.double,
    y: cython.double,
) -> cython.double:
    """As ``_search`` with k = 3, the usual case, without branches: nobody could predict where a distance belongs."""
    cell: cython.int = up
    rows: cython.int
    a: cython.double = near[0]
    b: cython.double = near[1]
    c: cython.double = near[2]
    d: cython.double
    e: cython.double
    f: cython.double
    while cell < end:
        d = height[cell] - y
        if d >= c:
            break
        e = abs(across[cell] - x)
        d = d if d > e else e
        rows = weight[cell]
        while True:
            e = d if a < d else a
            a = a if a < d else d
            f = e if b < e else b
            b = b if b < e else e
            c = c if c < f else f
            rows -= 1
            if rows == 0 or d >= c:
                break
        cell += 1
    seen[0] += cell - up
    cell = down
    while cell >= start:
        d = y - height[cell]
        if d >= c:
            break
        e = abs(across[cell] - x)
        d = d if d > e else e
        rows = weight[cell]
        while True:
            e = d if a < d else a
            a = a if a < d else d
            f = e if b < e else b
            b = b if b < e else e
            c = c if c < f else f
            rows -= 1
            if rows == 0 or d >= c:
                break
        cell -= 1
    seen[0] += down - cell
    near[0] = a
    near[1] = b
    near[2] = c
    return c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search(
    across: cython.double[::1],
    height: cython.double[::1],
    weight: cython.int[::1],
    near: cython.double[::1],
    k: cython.int,
    seen: cython.longlong[::1],
    start: cython.int,
    down: cython.int,
    up: cython.int,
    end: cython.int,
    x: cython.double,
    y: cython.double,
) -> cython.double:
    """Look for neighbours of (x, y) in a strip, up from one cell and down from another; ``seen`` counts cells."""
    cell: cython.int = up
    radius: cython.double = near[k - 1]
    dx: cython.double
    dy: cython.double
    while cell < end:
        dy = height[cell] - y
        if dy >= radius:
            break
        dx = abs(across[cell] - x)
        if dx < radius:
            radius = _offer(near, k, dx if dx > dy else dy, weight[cell])
        cell += 1
    seen[0] += cell - up
    cell = down
    while cell >= start:
        dy = y - height[cell]
        if dy >= radius:
            break
        dx = abs(across[cell] - x)
        if dx < radius:
            radius = _offer(near, k, dx if dx > dy else dy, weight[cell])
        cell -= 1
    seen[0] += down - cell
    return radius


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
    # The cells of the pair at hand: where each strip begins and between which values it lies; what is in the cells.
    first = cython.declare(cython.int[::1])
    wall = cython.declare(cython.double[::1])
    reached = cython.declare(cython.int[::1])
    place = cython.declare(cython.int[::1])
    code = cython.declare(cython.int[::1])
    weight = cython.declare(cython.int[::1])
    across = cython.declare(cython.double[::1])
    height = cython.declare(cython.double[::1])
    n_strips = cython.declare(cython.int)
    n_cells = cython.declare(cython.int)
    # The values of both columns with infinite ends, one behind the other, and how many rows are below each.
    edges = cython.declare(cython.double[::1])
    counts = cython.declare(cython.int[::1])
    size_x = cython.declare(cython.int)
    size_y = cython.declare(cython.int)
    rows = cython.declare(cython.int[::1])
    strip = cython.declare(cython.int[::1])
    room = cython.declare(cython.int[::1])
    near = cython.declare(cython.double[::1])
    tally = cython.declare(cython.longlong[::1])
    least = cython.declare(cython.int)
    reach = cython.declare(cython.int)
    seen = cython.declare(cython.longlong[::1])
    # What the last look at a margin or at the edge of a ball has found.
    inside = cython.declare(cython.int)
    within = cython.declare(cython.int)
    ball_inside = cython.declare(cython.int)
    ball_within = cython.declare(cython.int)
    side_x = cython.declare(cython.int)
    side_y = cython.declare(cython.int)
    corners = cython.declare(cython.int)

    def __init__(self, columns, k, strict, digamma, logarithm, stop):
        codes, self.orders, self.values, self.below, self.sizes, self.slack, self.discrete = columns
        self.codes = codes
        self.digamma = digamma
        self.logarithm = logarithm
        self.stop = stop
        self.n = len(codes[0])
        self.k = k
        self.strict = strict
        n = len(codes[0])
        self.first = np.zeros(n + 1, dtype=np.intc)
        self.wall = np.zeros(2 * n)
        self.reached = np.zeros(n, dtype=np.intc)
        self.place = np.zeros(n, dtype=np.intc)
        self.code = np.zeros(n, dtype=np.intc)
        self.weight = np.zeros(n, dtype=np.intc)
        self.across = np.zeros(n)
        self.height = np.zeros(n)
        self.edges = np.zeros(2 * (n + 2))
        self.counts = np.zeros(2 * (n + 2), dtype=np.intc)
        self.rows = np.zeros(n, dtype=np.intc)
        self.strip = np.zeros(n, dtype=np.intc)
        self.room = np.zeros(n, dtype=np.intc)
        self.near = np.zeros(k)
        self.seen = np.zeros(1, dtype=np.int64)
        self.tally = np.zeros(n + 2, dtype=np.int64)
        # As wide as the usual ball, more or less; the power of two is about half of the rows in it.
        self.least = max(1, int(STRIP * (k * n) ** 0.5))
        self.reach = 1 << max(1, int(0.5 * (k * n) ** 0.5)).bit_length()

    def run(self, left, right, found):
        """Put the information of the pairs (left[p], right[p]) into ``found[p]``."""
        a: cython.int[::1] = left
        b: cython.int[::1] = right
        out: cython.double[::1] = found
        p: cython.long
        total: cython.long = len(left)
        with cython.nogil:
            for p in range(total):
                if self.stop[0]:
                    break
                out[p] = self.pair(a[p], b[p])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pair(self, a: cython.int, b: cython.int) -> cython.double:
        """At least 0; 0 if a column is constant."""
        found: cython.double
        if self.sizes[a] < 2 or self.sizes[b] < 2:
            return 0.0
        if self.discrete[a] and self.discrete[b]:
            found = self.counted(a, b)
        elif self.discrete[a]:
            found = self.ross(a, b)
        elif self.discrete[b]:
            found = self.ross(b, a)
        else:
            found = self.kraskov(a, b)
        return found if found > 0.0 else 0.0

    # --- Cells --------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_cells(self, a: cython.int, b: cython.int, least: cython.int) -> cython.void:
        """The cells in strips of column a that hold at least so many rows, within them by the values of column b."""
        few: cython.longlong = self.sizes[a]
        if few * self.sizes[b] <= self.n and few * few <= 4 * cython.cast(cython.longlong, self.n):
            self.count_table(a, b)
        else:
            self.sort_into_strips(a, b, least)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_cell(
        self, a: cython.int, b: cython.int, place: cython.int, code: cython.int, rows: cython.int
    ) -> cython.void:
        cell: cython.int = self.n_cells
        self.place[cell] = place
        self.code[cell] = code
        self.weight[cell] = rows
        self.across[cell] = self.values[a, place]
        self.height[cell] = self.values[b, code]
        self.n_cells = cell + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_table(self, a: cython.int, b: cython.int) -> cython.void:
        """Few values in both columns: count in the table of all their combinations, a strip for each value."""
        p: cython.int
        place: cython.int
        code: cython.int
        columns: cython.int = self.sizes[b]
        for p in range(self.sizes[a] * columns):
            self.room[p] = 0
        for p in range(self.n):
            self.room[self.codes[a, p] * columns + self.codes[b, p]] += 1
        self.n_strips = self.sizes[a]
        self.n_cells = 0
        for place in range(self.n_strips):
            self.first[place] = self.n_cells
            self.wall[2 * place] = self.wall[2 * place + 1] = self.values[a, place]
            for code in range(columns):
                if self.room[place * columns + code] > 0:
                    self.add_cell(a, b, place, code, self.room[place * columns + code])
        self.first[self.n_strips] = self.n_cells

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_into_strips(self, a: cython.int, b: cython.int, least: cython.int) -> cython.void:
        """Rows in the order of column b, put one by one at the end of their strip."""
        p: cython.int
        row: cython.int
        place: cython.int
        code: cython.int
        strip: cython.int
        self.find_strips(a, least)
        for p in range(self.n):
            row = self.orders[b, p]
            strip = self.strip[self.codes[a, row]]
            self.rows[self.room[strip]] = row
            self.room[strip] += 1
        p = 0
        self.n_cells = 0
        for strip in range(self.n_strips):
            self.first[strip] = self.n_cells
            while p < self.room[strip]:
                place = self.codes[a, self.rows[p]]
                code = self.codes[b, self.rows[p]]
                p += 1
                if (
                    self.n_cells > self.first[strip]
                    and self.code[self.n_cells - 1] == code
                    and self.place[self.n_cells - 1] == place
                ):
                    self.weight[self.n_cells - 1] += 1
                else:
                    self.add_cell(a, b, place, code, 1)
        self.first[self.n_strips] = self.n_cells

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_strips(self, a: cython.int, least: cython.int) -> cython.void:
        """Which strip each value belongs to, the values at the walls, and the first row of each strip in ``room``."""
        place: cython.int
        start: cython.int = 0
        strip: cython.int = 0
        for place in range(self.sizes[a]):
            if place == start:
                self.room[strip] = self.below[a, place]
                self.wall[2 * strip] = self.values[a, place]
            self.strip[place] = strip
            self.wall[2 * strip + 1] = self.values[a, place]
            if self.below[a, place + 1] - self.below[a, start] >= least:
                start = place + 1
                strip += 1
        self.n_strips = self.strip[self.sizes[a] - 1] + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def load(self, a: cython.int, at: cython.int) -> cython.void:
        """The values of a column from ``at`` on, between infinite ends, and how many rows are below each."""
        p: cython.int
        size: cython.int = self.sizes[a]
        self.edges[at] = -INFINITE
        for p in range(size):
            self.edges[at + 1 + p] = self.values[a, p]
            self.counts[at + p] = self.below[a, p]
        self.edges[at + 1 + size] = INFINITE
        self.counts[at + size] = self.n

    # --- Tallies ------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def total(self, table: cython.double[::1]) -> cython.double:
        """Add up what has been tallied and clear it."""
        p: cython.int
        found: cython.double = 0.0
        for p in range(1, self.n + 2):
            if self.tally[p] != 0:
                found += self.tally[p] * table[p]
                self.tally[p] = 0
        return found / ONE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spread(self, number: cython.double, rows: cython.int) -> cython.void:
        """Tally a number of rows that need not be whole as its two whole neighbours."""
        whole: cython.int = cython.cast(cython.int, number)
        upper: cython.longlong = cython.cast(cython.longlong, (number - whole) * ONE + 0.5)
        self.tally[whole] += rows * (ONE - upper)
        self.tally[whole + 1] += rows * upper

    # --- Two discrete columns -----------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def counted(self, a: cython.int, b: cython.int) -> cython.double:
        """log n + mean of log(rows of the cell) - log(rows of the one value) - log(rows of the other)."""
        p: cython.int
        rows: cython.int
        self.list_cells(a, b, 1)
        for p in range(self.n_cells):
            self.tally[self.weight[p]] += self.weight[p] * ONE
        for p in range(self.sizes[a]):
            rows = self.below[a, p + 1] - self.below[a, p]
            self.tally[rows] -= rows * ONE
        for p in range(self.sizes[b]):
            rows = self.below[b, p + 1] - self.below[b, p]
            self.tally[rows] -= rows * ONE
        return self.logarithm[self.n] + self.total(self.logarithm) / self.n

    # --- Margins ------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def margin(
        self, at: cython.int, size: cython.int, place: cython.int, low: cython.double, high: cython.double
    ) -> cython.void:
        """Other rows nearer than ``low`` (``inside``) and not farther than ``high`` (``within``) in one column.

        Differences are compared, not shifted values, which would round rows at the border in or out.
        """
        left: cython.int = at + 1 + place
        right: cython.int = left
        end: cython.int = at + size + 1
        step: cython.int = self.reach
        probe: cython.int
        nearer: cython.int
        value: cython.double = self.edges[left]
        while right + step < end and self.edges[right + step] - value < low:
            right += step
        while left - step > at and value - self.edges[left - step] < low:
            left -= step
        while step > 1:
            step = step // 2
            # Products instead of branches, which nobody could predict.
            probe = right + step if right + step < end else end
            nearer = self.edges[probe] - value < low
            right += step * nearer
            probe = left - step if left - step > at else at
            nearer = value - self.edges[probe] < low
            left -= step * nearer
        self.inside = self.counts[right] - self.counts[left - 1] - 1
        while self.edges[right + 1] - value <= high:
            right += 1
        while value - self.edges[left - 1] <= high:
            left -= 1
        self.within = self.counts[right] - self.counts[left - 1] - 1

    # --- Two continuous columns ---------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kraskov(self, a: cython.int, b: cython.int) -> cython.double:
        strip: cython.int
        cell: cython.int
        done: cython.int = 0
        slack: cython.double = max(self.slack[a], self.slack[b])
        self.arrange(a, b)
        for strip in range(self.n_strips):
            self.rewind()
            for cell in range(self.first[strip], self.first[strip + 1]):
                self.enter(strip, cell, self.radius(strip, cell), slack)
                done += 1
                if done % LOOK_EVERY == 0 and self.stop[0]:
                    self.total(self.digamma)
                    return 0.0
        return self.digamma[self.n] - self.total(self.digamma) / self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def arrange(self, a: cython.int, b: cython.int) -> cython.void:
        """Have strips of the column with fewer values, or of the other one if the search then passes fewer cells."""
        here: cython.long
        if self.sizes[b] < self.sizes[a]:
            a, b = b, a
        self.prepare(a, b)
        here = self.cells_passed()
        if here > MANY:
            self.prepare(b, a)
            if self.cells_passed() >= here:
                self.prepare(a, b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def prepare(self, a: cython.int, b: cython.int) -> cython.void:
        self.list_cells(a, b, self.least)
        self.load(a, 0)
        self.load(b, self.n + 2)
        self.size_x = self.sizes[a]
        self.size_y = self.sizes[b]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cells_passed(self) -> cython.long:
        """How many cells the search for neighbours passes on average, judged by a few cells."""
        strip: cython.int
        cell: cython.int = 0
        step: cython.int = self.n_cells // PILOTS + 1
        pilots: cython.int = 0
        self.seen[0] = 0
        for strip in range(self.n_strips):
            if cell < self.first[strip + 1]:
                self.rewind()
            while cell < self.first[strip + 1]:
                self.radius(strip, cell)
                pilots += 1
                cell += step
        return self.seen[0] // pilots

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rewind(self) -> cython.void:
        """Begin with the lowest cell of each strip again."""
        strip: cython.int
        for strip in range(self.n_strips):
            self.reached[strip] = self.first[strip]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def radius(self, strip: cython.int, cell: cython.int) -> cython.double:
        """Distance of the k-th neighbour: the larger one of the distances in both columns counts.

        To be called for the cells of a strip in their order, from the bottom up, after ``rewind``.
        """
        p: cython.int
        at: cython.int
        left: cython.int = strip - 1
        right: cython.int = strip + 1
        x: cython.double = self.across[cell]
        y: cython.double = self.height[cell]
        found: cython.double
        onward: cython.bint = True
        for p in range(self.k):
            self.near[p] = 0.0 if p < self.weight[cell] - 1 else FAR
        found = self.search_strip(strip, cell - 1, cell + 1, x, y)
        while onward:
            onward = False
            if right < self.n_strips and self.wall[2 * right] - x < found:
                at = self.level(right, y)
                found = self.search_strip(right, at - 1, at, x, y)
                right += 1
                onward = True
            if left >= 0 and x - self.wall[2 * left + 1] < found:
                at = self.level(left, y)
                found = self.search_strip(left, at - 1, at, x, y)
                left -= 1
                onward = True
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_strip(
        self, strip: cython.int, down: cython.int, up: cython.int, x: cython.double, y: cython.double
    ) -> cython.double:
        start: cython.int = self.first[strip]
        end: cython.int = self.first[strip + 1]
        self.seen[0] += WALL
        if self.k == 3:
            return _search_three(
                self.across, self.height, self.weight, self.near, self.seen, start, down, up, end, x, y
            )
        return _search(
            self.across, self.height, self.weight, self.near, self.k, self.seen, start, down, up, end, x, y
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def level(self, strip: cython.int, y: cython.double) -> cython.int:
        """The first cell of a strip that is not below y, found from that of the last y, which was not above."""
        at: cython.int = self.reached[strip]
        end: cython.int = self.first[strip + 1]
        while at < end and self.height[at] < y:
            at += 1
        self.reached[strip] = at
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(
        self, strip: cython.int, cell: cython.int, radius: cython.double, slack: cython.double
    ) -> cython.void:
        """Tally what a cell's rows contribute."""
        rows: cython.int = self.weight[cell]
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        inside_x: cython.int
        within_x: cython.int
        self.margin(0, self.size_x, self.place[cell], low, high)
        inside_x = self.inside
        within_x = self.within
        self.margin(self.n + 2, self.size_y, self.code[cell], low, high)
        if not self.strict and (low <= 0.0 or within_x - inside_x + self.within - self.inside > 1):
            self.look_at_border(strip, cell, low, high)
            if low <= 0.0:
                self.tally[self.ball_within + 1] -= rows * ONE
                self.tally[within_x + 1] += rows * ONE
                self.tally[self.within + 1] += rows * ONE
                return
            self.spread(self.expected(inside_x, within_x, self.side_x), rows)
            self.spread(self.expected(self.inside, self.within, self.side_y), rows)
        else:
            self.tally[inside_x + 1] += rows * ONE
            self.tally[self.inside + 1] += rows * ONE
        self.tally[self.k] -= rows * ONE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def expected(self, inside: cython.int, within: cython.int, side: cython.int) -> cython.double:
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
            + (side * nearer + 0.5 * self.corners) / border
            + (within - inside - side) * (nearer + 1.0) / (border + 1.0)
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_at_border(
        self, strip: cython.int, cell: cython.int, low: cython.double, high: cython.double
    ) -> cython.void:
        """Count the other rows of the ball: inside, and at its border on either side or in a corner."""
        at: cython.int
        left: cython.int = strip - 1
        right: cython.int = strip + 1
        x: cython.double = self.across[cell]
        y: cython.double = self.height[cell]
        self.clear_border()
        self.look_up(cell, self.first[strip + 1], x, y, low, high)
        self.look_down(cell - 1, self.first[strip], x, y, low, high)
        while right < self.n_strips and self.wall[2 * right] - x <= high:
            at = self.level(right, y)
            self.look_up(at, self.first[right + 1], x, y, low, high)
            self.look_down(at - 1, self.first[right], x, y, low, high)
            right += 1
        while left >= 0 and x - self.wall[2 * left + 1] <= high:
            at = self.level(left, y)
            self.look_up(at, self.first[left + 1], x, y, low, high)
            self.look_down(at - 1, self.first[left], x, y, low, high)
            left -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear_border(self) -> cython.void:
        """Nothing counted yet, and the row itself never."""
        self.ball_inside = -1
        self.ball_within = -1
        self.side_x = 0
        self.side_y = 0
        self.corners = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_up(
        self,
        cell: cython.int,
        end: cython.int,
        x: cython.double,
        y: cython.double,
        low: cython.double,
        high: cython.double,
    ) -> cython.void:
        dx: cython.double
        while cell < end and self.height[cell] - y <= high:
            dx = abs(self.across[cell] - x)
            if dx <= high:
                self.look_at(cell, dx, self.height[cell] - y, low)
            cell += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_down(
        self,
        cell: cython.int,
        start: cython.int,
        x: cython.double,
        y: cython.double,
        low: cython.double,
        high: cython.double,
    ) -> cython.void:
        dx: cython.double
        while cell >= start and y - self.height[cell] <= high:
            dx = abs(self.across[cell] - x)
            if dx <= high:
                self.look_at(cell, dx, y - self.height[cell], low)
            cell -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def look_at(
        self, cell: cython.int, dx: cython.double, dy: cython.double, low: cython.double
    ) -> cython.void:
        """Count the rows of a cell of the ball."""
        rows: cython.int = self.weight[cell]
        self.ball_within += rows
        if dx >= low:
            self.side_x += rows
            if dy >= low:
                self.side_y += rows
                self.corners += rows
        elif dy >= low:
            self.side_y += rows
        else:
            self.ball_inside += rows

    # --- A discrete and a continuous column ---------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ross(self, a: cython.int, b: cython.int) -> cython.double:
        """Column a is the discrete one; rows that are alone with their value of it are left out."""
        strip: cython.int
        cell: cython.int
        rows: cython.int
        alone: cython.int = 0
        self.list_cells(a, b, 1)
        self.load(b, 0)
        self.size_y = self.sizes[b]
        for strip in range(self.sizes[a]):
            rows = self.below[a, strip + 1] - self.below[a, strip]
            if rows == 1:
                alone += 1
        if alone > 0:
            self.leave_out_alone(a, b)
        for strip in range(self.sizes[a]):
            rows = self.below[a, strip + 1] - self.below[a, strip]
            if rows == 1:
                continue
            self.tally[rows] += rows * ONE
            for cell in range(self.first[strip], self.first[strip + 1]):
                self.enter_one(strip, cell, min(self.k, rows - 1), rows, self.slack[b])
            if self.stop[0]:
                break
        if alone == self.n:
            return 0.0
        return self.digamma[self.n - alone] - self.total(self.digamma) / (self.n - alone)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_out_alone(self, a: cython.int, b: cython.int) -> cython.void:
        """Count the rows below each value of the continuous column anew, without those left out."""
        strip: cython.int
        code: cython.int
        out: cython.int = 0
        for code in range(self.sizes[b]):
            self.room[code] = 0
        for strip in range(self.sizes[a]):
            if self.below[a, strip + 1] - self.below[a, strip] == 1:
                self.room[self.code[self.first[strip]]] += 1
        for code in range(self.sizes[b]):
            self.counts[code] -= out
            out += self.room[code]
        self.counts[self.sizes[b]] -= out

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter_one(
        self, strip: cython.int, cell: cython.int, k: cython.int, size: cython.int, slack: cython.double
    ) -> cython.void:
        """Tally what the rows of a cell contribute, whose neighbours are those of the same strip."""
        rows: cython.int = self.weight[cell]
        x: cython.double = self.across[cell]
        y: cython.double = self.height[cell]
        rough: cython.bint = self.strict and k >= size // 2
        radius: cython.double = (
            self.rough_radius(strip, cell, k) if rough else self.radius_in_strip(strip, cell, k)
        )
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        border: cython.double
        nearer: cython.double
        self.margin(0, self.size_y, self.code[cell], low, high)
        if not self.strict and (low <= 0.0 or self.within - self.inside > 1):
            self.clear_border()
            self.look_up(cell, self.first[strip + 1], x, y, low, high)
            self.look_down(cell - 1, self.first[strip], x, y, low, high)
            if low <= 0.0:
                self.tally[self.ball_within + 1] -= rows * ONE
                self.tally[self.within + 1] += rows * ONE
                return
            border = self.ball_within - self.ball_inside
            nearer = k - self.ball_inside - 1
            self.spread(
                1.0
                + self.inside
                + nearer
                + (self.within - self.inside - border) * (nearer + 1.0) / (border + 1.0),
                rows,
            )
        else:
            self.tally[self.inside + 1] += rows * ONE
        self.tally[k] -= rows * ONE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def radius_in_strip(self, strip: cython.int, cell: cython.int, k: cython.int) -> cython.double:
        """Distance of the k-th neighbour within the strip."""
        left: cython.int = cell - 1
        right: cython.int = cell + 1
        start: cython.int = self.first[strip]
        end: cython.int = self.first[strip + 1]
        y: cython.double = self.height[cell]
        found: cython.int = self.weight[cell] - 1
        radius: cython.double = 0.0
        up: cython.double
        down: cython.double
        while found < k:
            up = self.height[right] - y if right < end else FAR
            down = y - self.height[left] if left >= start else FAR
            if up <= down:
                radius = up
                found += self.weight[right]
                right += 1
            else:
                radius = down
                found += self.weight[left]
                left -= 1
        return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rough_radius(self, strip: cython.int, cell: cython.int, k: cython.int) -> cython.double:
        """The same with the rounding of scikit-learn, which expands the square of the difference in small classes."""
        other: cython.int
        p: cython.int
        y: cython.double = self.height[cell]
        z: cython.double
        square: cython.double
        for p in range(k):
            self.near[p] = 0.0 if p < self.weight[cell] - 1 else FAR
        for other in range(self.first[strip], self.first[strip + 1]):
            if other != cell:
                z = self.height[other]
                square = y * y + -2.0 * (y * z) + z * z
                _offer(self.near, k, square if square > 0.0 else 0.0, self.weight[other])
        return self.near[k - 1] ** 0.5
