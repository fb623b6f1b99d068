# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernel: mutual information of pairs of columns, by nearest neighbours or by counting.

Every estimate here is a mean of logarithms (or digammas) of whole numbers: how many rows share a value, or lie closer
than a radius. The kernel therefore tallies the numbers and adds up their logarithms in the order of the numbers, so
that neither the order of the rows nor which column comes first can change a bit of the result.

Columns come sorted. Rows that agree in both columns are one *cell*; the cells of a pair are listed by the values of one
column (a *block* for each value) and by the other column within a block. From a cell, the search for neighbours goes
outward block by block until the block alone is farther away than the farthest neighbour found, and in a long block
outward from the nearest value. Blocks of one cell, the case of columns without ties, have a loop of their own.
"""

import cython
import numpy as np

#: Tallies count in this unit, so that they can hold shares of a row.
ONE = cython.declare(cython.longlong, 1 << 20)
#: Farther away than anything, and nearer than the infinite ends of the lists.
FAR = cython.declare(cython.double, 1e300)
INFINITE = cython.declare(cython.double, np.inf)
#: Longer blocks are searched by bisection.
SHORT = cython.declare(cython.int, 8)
#: From this many cells on, a few cells tell which column is the better one to walk along.
MANY = cython.declare(cython.int, 200)
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
def _radius(
    across: cython.double[::1],
    height: cython.double[::1],
    weight: cython.int[::1],
    near: cython.double[::1],
    k: cython.int,
    cell: cython.int,
) -> cython.double:
    """Distance of the k-th neighbour of a cell, from cell to cell both ways; outside the class, C keeps the addresses."""
    left: cython.int = cell - 1
    right: cython.int = cell + 1
    x: cython.double = across[right]
    y: cython.double = height[cell]
    radius: cython.double = FAR
    dx: cython.double
    dy: cython.double
    onward: cython.bint
    if weight[cell] > 1:
        radius = _offer(near, k, 0.0, weight[cell] - 1)
    while True:
        dx = across[right + 1] - x
        onward = dx < radius
        if onward:
            dy = abs(height[right] - y)
            if dy < radius:
                radius = _offer(near, k, dx if dx > dy else dy, weight[right])
            right += 1
        dx = x - across[left + 1]
        if dx < radius:
            dy = abs(height[left] - y)
            if dy < radius:
                radius = _offer(near, k, dx if dx > dy else dy, weight[left])
            left -= 1
        elif not onward:
            return radius


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _third(
    across: cython.double[::1], height: cython.double[::1], weight: cython.int[::1], cell: cython.int
) -> cython.double:
    """As ``_radius`` with k = 3, the usual case: every cell is sorted in, since guessing which will be costs more."""
    left: cython.int = cell - 1
    right: cython.int = cell + 1
    rows: cython.int = weight[cell] - 1
    x: cython.double = across[right]
    y: cython.double = height[cell]
    a: cython.double = 0.0 if rows > 0 else FAR
    b: cython.double = 0.0 if rows > 1 else FAR
    c: cython.double = 0.0 if rows > 2 else FAR
    d: cython.double
    e: cython.double
    f: cython.double
    dy: cython.double
    onward: cython.bint
    while True:
        d = across[right + 1] - x
        onward = d < c
        if onward:
            dy = abs(height[right] - y)
            d = d if d > dy else dy
            rows = weight[right]
            while True:
                e = d if a < d else a
                a = a if a < d else d
                f = e if b < e else b
                b = b if b < e else e
                c = c if c < f else f
                rows -= 1
                if rows == 0 or d >= c:
                    break
            right += 1
        d = x - across[left + 1]
        if d < c:
            dy = abs(height[left] - y)
            d = d if d > dy else dy
            rows = weight[left]
            while True:
                e = d if a < d else a
                a = a if a < d else d
                f = e if b < e else b
                b = b if b < e else e
                c = c if c < f else f
                rows -= 1
                if rows == 0 or d >= c:
                    break
            left -= 1
        elif not onward:
            return c


@cython.final
@cython.cclass
class Pairs:
    """The columns of a table, and room to work on one pair of them at a time; one such object for each thread.

    Parameters
    ----------
    codes : int32 array (n_columns, n_rows)
        Which of the column's different values each row has, in ascending order of the values.
    orders : int32 array (n_columns, n_rows)
        The rows by ascending value.
    values : float64 array (n_columns, n_rows)
        The different values, ascending; what is behind the last one is not read.
    below : int32 array (n_columns, n_rows + 1)
        How many rows have a smaller value than each of these, and the number of rows at the end.
    sizes : int32 array (n_columns,)
        How many different values each column has.
    slack : float64 array (n_columns,)
        Distances of a column that differ by no more than this are equal.
    discrete : uint8 array (n_columns,)
        Whether only the codes of a column mean something.
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
    # The cells of the pair at hand; the values of both columns with infinite ends, one behind the other.
    first = cython.declare(cython.int[::1])
    code = cython.declare(cython.int[::1])
    weight = cython.declare(cython.int[::1])
    height = cython.declare(cython.double[::1])
    across = cython.declare(cython.double[::1])
    flat = cython.declare(cython.bint)
    edges = cython.declare(cython.double[::1])
    counts = cython.declare(cython.int[::1])
    sorted_codes = cython.declare(cython.int[::1])
    room = cython.declare(cython.int[::1])
    near = cython.declare(cython.double[::1])
    tally = cython.declare(cython.longlong[::1])
    n_blocks = cython.declare(cython.int)
    n_other = cython.declare(cython.int)
    n_cells = cython.declare(cython.int)
    stride = cython.declare(cython.int)
    # What the last look at a margin or at the edge of a ball has found.
    width = cython.declare(cython.int)
    inside = cython.declare(cython.int)
    within = cython.declare(cython.int)
    ball_inside = cython.declare(cython.int)
    ball_within = cython.declare(cython.int)
    side_x = cython.declare(cython.int)
    side_y = cython.declare(cython.int)
    corners = cython.declare(cython.int)

    def __init__(
        self, codes, orders, values, below, sizes, slack, discrete, k, strict, digamma, logarithm, stop
    ):
        self.codes = codes
        self.orders = orders
        self.values = values
        self.below = below
        self.sizes = sizes
        self.slack = slack
        self.discrete = discrete
        self.digamma = digamma
        self.logarithm = logarithm
        self.stop = stop
        self.n = len(codes[0])
        self.k = k
        self.strict = strict
        n = len(codes[0])
        self.first = np.zeros(n + 1, dtype=np.intc)
        self.code = np.zeros(n, dtype=np.intc)
        self.weight = np.zeros(n, dtype=np.intc)
        self.height = np.zeros(n)
        self.across = np.zeros(n + 2)
        self.edges = np.zeros(2 * (n + 2))
        self.counts = np.zeros(2 * (n + 2), dtype=np.intc)
        self.sorted_codes = np.zeros(n, dtype=np.intc)
        self.room = np.zeros(n, dtype=np.intc)
        self.near = np.zeros(k)
        self.tally = np.zeros(n + 2, dtype=np.int64)
        # About a fourth of the rows that are usually within the radius on one side.
        self.stride = max(4, int(0.25 * n**0.5))

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
    def list_cells(self, a: cython.int, b: cython.int) -> cython.void:
        """The cells by the values of column a, then of column b."""
        self.n_blocks = self.sizes[a]
        self.n_other = self.sizes[b]
        if self.n_blocks == self.n:
            self.list_rows(a, b)
        elif cython.cast(cython.longlong, self.n_blocks) * self.n_other <= self.n:
            self.count_table(a, b)
        else:
            self.sort_into_blocks(a, b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def list_rows(self, a: cython.int, b: cython.int) -> cython.void:
        """A cell for each row, since no two rows agree in column a."""
        p: cython.int
        code: cython.int
        for p in range(self.n):
            code = self.codes[b, self.orders[a, p]]
            self.first[p] = p
            self.code[p] = code
            self.weight[p] = 1
            self.height[p] = self.values[b, code]
        self.first[self.n] = self.n
        self.n_cells = self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_table(self, a: cython.int, b: cython.int) -> cython.void:
        """Few values in both columns: count in the table of all their combinations."""
        p: cython.int
        block: cython.int
        code: cython.int
        cells: cython.int = 0
        columns: cython.int = self.n_other
        for p in range(self.n_blocks * columns):
            self.room[p] = 0
        for p in range(self.n):
            self.room[self.codes[a, p] * columns + self.codes[b, p]] += 1
        for block in range(self.n_blocks):
            self.first[block] = cells
            for code in range(columns):
                p = self.room[block * columns + code]
                if p > 0:
                    self.code[cells] = code
                    self.weight[cells] = p
                    self.height[cells] = self.values[b, code]
                    cells += 1
        self.first[self.n_blocks] = cells
        self.n_cells = cells

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_into_blocks(self, a: cython.int, b: cython.int) -> cython.void:
        """Rows in the order of column b, put one by one at the end of their block of column a."""
        p: cython.int
        row: cython.int
        block: cython.int
        code: cython.int
        last: cython.int
        cells: cython.int = 0
        for block in range(self.n_blocks):
            self.room[block] = self.below[a, block]
        for p in range(self.n):
            row = self.orders[b, p]
            block = self.codes[a, row]
            self.sorted_codes[self.room[block]] = self.codes[b, row]
            self.room[block] += 1
        for block in range(self.n_blocks):
            self.first[block] = cells
            last = -1
            for p in range(self.below[a, block], self.below[a, block + 1]):
                code = self.sorted_codes[p]
                if code == last:
                    self.weight[cells - 1] += 1
                    continue
                last = code
                self.code[cells] = code
                self.weight[cells] = 1
                self.height[cells] = self.values[b, code]
                cells += 1
        self.first[self.n_blocks] = cells
        self.n_cells = cells

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
        self.list_cells(a, b)
        for p in range(self.n_cells):
            self.tally[self.weight[p]] += self.weight[p] * ONE
        for p in range(self.n_blocks):
            rows = self.below[a, p + 1] - self.below[a, p]
            self.tally[rows] -= rows * ONE
        for p in range(self.n_other):
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
        end: cython.int = at + size
        step: cython.int = self.stride
        value: cython.double = self.edges[left]
        while right + step <= end and self.edges[right + step] - value < low:
            right += step
        while self.edges[right + 1] - value < low:
            right += 1
        while left - step > at and value - self.edges[left - step] < low:
            left -= step
        while value - self.edges[left - 1] < low:
            left -= 1
        self.inside = self.counts[right] - self.counts[left - 1] - 1
        self.width = right - left
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
        block: cython.int
        cell: cython.int
        done: cython.int = 0
        slack: cython.double = max(self.slack[a], self.slack[b])
        if self.sizes[b] > self.sizes[a]:
            a, b = b, a
        self.prepare(a, b)
        if self.n_cells >= MANY and self.other_is_better():
            self.prepare(b, a)
        for block in range(self.n_blocks):
            for cell in range(self.first[block], self.first[block + 1]):
                self.enter(block, cell, self.radius(block, cell), slack)
                done += 1
                if done % LOOK_EVERY == 0 and self.stop[0]:
                    self.total(self.digamma)
                    return 0.0
        return self.digamma[self.n] - self.total(self.digamma) / self.n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def prepare(self, a: cython.int, b: cython.int) -> cython.void:
        """List the cells; where blocks are short, also where each cell is along column a, between infinite ends."""
        block: cython.int
        cell: cython.int
        size: cython.longlong
        passed: cython.longlong = 0
        self.list_cells(a, b)
        self.load(a, 0)
        self.load(b, self.n + 2)
        for block in range(self.n_blocks):
            size = self.first[block + 1] - self.first[block]
            passed += size * size
        # A walk that passes all cells of each block is faster than bisection as long as these are few on average.
        self.flat = passed <= SHORT * cython.cast(cython.longlong, self.n_cells)
        if self.flat:
            self.across[0] = -INFINITE
            for block in range(self.n_blocks):
                for cell in range(self.first[block], self.first[block + 1]):
                    self.across[cell + 1] = self.edges[block + 1]
            self.across[self.n_cells + 1] = INFINITE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def other_is_better(self) -> cython.bint:
        """Whether balls hold far fewer different values of the other column, so that it is the one to walk along."""
        step: cython.int = self.n_blocks // PILOTS + 1
        block: cython.int = step // 2
        here: cython.longlong = 0
        there: cython.longlong = 0
        radius: cython.double
        while block < self.n_blocks:
            radius = self.radius(block, self.first[block])
            self.margin(0, self.n_blocks, block, radius, radius)
            here += self.width
            self.margin(self.n + 2, self.n_other, self.code[self.first[block]], radius, radius)
            there += self.width
            block += step
        return 2 * there < here

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def radius(self, block: cython.int, cell: cython.int) -> cython.double:
        """Distance of the k-th neighbour: the larger one of the distances in both columns counts."""
        p: cython.int
        if self.flat and self.k == 3:
            return _third(self.across, self.height, self.weight, cell)
        for p in range(self.k):
            self.near[p] = FAR
        if self.flat:
            return _radius(self.across, self.height, self.weight, self.near, self.k, cell)
        return self.radius_block_by_block(block, cell)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def radius_block_by_block(self, block: cython.int, cell: cython.int) -> cython.double:
        left: cython.int = block - 1
        right: cython.int = block + 1
        x: cython.double = self.edges[block + 1]
        y: cython.double = self.height[cell]
        radius: cython.double = _offer(self.near, self.k, 0.0, self.weight[cell] - 1)
        dx: cython.double
        onward: cython.bint
        radius = self.search_up(cell + 1, self.first[block + 1], 0.0, y, radius)
        radius = self.search_down(cell - 1, self.first[block], 0.0, y, radius)
        while True:
            dx = self.edges[right + 1] - x
            onward = dx < radius
            if onward:
                radius = self.search_block(right, dx, y, radius)
                right += 1
            dx = x - self.edges[left + 1]
            if dx < radius:
                radius = self.search_block(left, dx, y, radius)
                left -= 1
            elif not onward:
                return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_block(
        self, block: cython.int, dx: cython.double, y: cython.double, radius: cython.double
    ) -> cython.double:
        start: cython.int = self.first[block]
        end: cython.int = self.first[block + 1]
        middle: cython.int
        dy: cython.double
        if end - start <= SHORT:
            for middle in range(start, end):
                dy = abs(self.height[middle] - y)
                if dy < radius:
                    radius = _offer(self.near, self.k, dx if dx > dy else dy, self.weight[middle])
            return radius
        middle = self.bisect(start, end, y)
        radius = self.search_up(middle, end, dx, y, radius)
        return self.search_down(middle - 1, start, dx, y, radius)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bisect(self, start: cython.int, end: cython.int, y: cython.double) -> cython.int:
        """The first cell from ``start`` on whose height is not below y."""
        middle: cython.int
        while start < end:
            middle = (start + end) // 2
            if self.height[middle] < y:
                start = middle + 1
            else:
                end = middle
        return start

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_up(
        self, cell: cython.int, end: cython.int, dx: cython.double, y: cython.double, radius: cython.double
    ) -> cython.double:
        dy: cython.double
        while cell < end:
            dy = self.height[cell] - y
            if dy >= radius:
                break
            radius = _offer(self.near, self.k, dx if dx > dy else dy, self.weight[cell])
            cell += 1
        return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search_down(
        self, cell: cython.int, start: cython.int, dx: cython.double, y: cython.double, radius: cython.double
    ) -> cython.double:
        dy: cython.double
        while cell >= start:
            dy = y - self.height[cell]
            if dy >= radius:
                break
            radius = _offer(self.near, self.k, dx if dx > dy else dy, self.weight[cell])
            cell -= 1
        return radius

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter(
        self, block: cython.int, cell: cython.int, radius: cython.double, slack: cython.double
    ) -> cython.void:
        """Tally what a cell's rows contribute."""
        rows: cython.int = self.weight[cell]
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        inside_x: cython.int
        within_x: cython.int
        self.margin(0, self.n_blocks, block, low, high)
        inside_x = self.inside
        within_x = self.within
        self.margin(self.n + 2, self.n_other, self.code[cell], low, high)
        if not self.strict and (low <= 0.0 or within_x - inside_x + self.within - self.inside > 1):
            self.look_at_border(block, cell, low, high)
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
        self, block: cython.int, cell: cython.int, low: cython.double, high: cython.double
    ) -> cython.void:
        """Count the other rows of the ball: inside, and at its border on either side or in a corner."""
        left: cython.int = cell if self.flat else block
        right: cython.int = left + 1
        x: cython.double = self.edges[block + 1]
        y: cython.double = self.height[cell]
        dy: cython.double
        self.clear_border()
        if self.flat:
            while x - self.across[left + 1] <= high:
                dy = abs(self.height[left] - y)
                if dy <= high:
                    self.look_at(left, x - self.across[left + 1], dy, low)
                left -= 1
            while self.across[right + 1] - x <= high:
                dy = abs(self.height[right] - y)
                if dy <= high:
                    self.look_at(right, self.across[right + 1] - x, dy, low)
                right += 1
            return
        while x - self.edges[left + 1] <= high:
            self.look_at_block(left, x - self.edges[left + 1], y, low, high)
            left -= 1
        while self.edges[right + 1] - x <= high:
            self.look_at_block(right, self.edges[right + 1] - x, y, low, high)
            right += 1

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
    def look_at_block(
        self,
        block: cython.int,
        dx: cython.double,
        y: cython.double,
        low: cython.double,
        high: cython.double,
    ) -> cython.void:
        cell: cython.int = self.first[block]
        end: cython.int = self.first[block + 1]
        dy: cython.double
        if end - cell > SHORT:
            # A rounded bound, hence a generous one: what counts is the difference.
            cell = self.bisect(cell, end, y - 2.0 * high)
        while cell < end:
            dy = self.height[cell] - y
            if dy > high:
                break
            dy = abs(dy)
            if dy <= high:
                self.look_at(cell, dx, dy, low)
            cell += 1

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
        block: cython.int
        cell: cython.int
        rows: cython.int
        alone: cython.int = 0
        self.list_cells(a, b)
        self.load(b, 0)
        for block in range(self.n_blocks):
            rows = self.below[a, block + 1] - self.below[a, block]
            if rows == 1:
                alone += 1
        if alone > 0:
            self.leave_out_alone(a, alone)
        for block in range(self.n_blocks):
            rows = self.below[a, block + 1] - self.below[a, block]
            if rows == 1:
                continue
            self.tally[rows] += rows * ONE
            for cell in range(self.first[block], self.first[block + 1]):
                self.enter_one(block, cell, min(self.k, rows - 1), self.slack[b])
            if self.stop[0]:
                break
        if alone == self.n:
            return 0.0
        return self.digamma[self.n - alone] - self.total(self.digamma) / (self.n - alone)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def leave_out_alone(self, a: cython.int, alone: cython.int) -> cython.void:
        """Count the rows below each value of the continuous column anew, without those left out."""
        block: cython.int
        code: cython.int
        out: cython.int = 0
        for code in range(self.n_other):
            self.room[code] = 0
        for block in range(self.n_blocks):
            if self.below[a, block + 1] - self.below[a, block] == 1:
                self.room[self.code[self.first[block]]] += 1
        for code in range(self.n_other):
            self.counts[code] -= out
            out += self.room[code]
        self.counts[self.n_other] -= out

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def enter_one(
        self, block: cython.int, cell: cython.int, k: cython.int, slack: cython.double
    ) -> cython.void:
        """Tally what the rows of a cell contribute, whose neighbours are those of the same block."""
        rows: cython.int = self.weight[cell]
        y: cython.double = self.height[cell]
        radius: cython.double = self.radius_in_block(block, cell, k)
        low: cython.double = radius if self.strict else radius - slack
        high: cython.double = -1.0 if self.strict else radius + slack
        border: cython.double
        nearer: cython.double
        self.margin(0, self.n_other, self.code[cell], low, high)
        if not self.strict and (low <= 0.0 or self.within - self.inside > 1):
            self.clear_border()
            self.look_at_block(block, 0.0, y, low, high)
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
    def radius_in_block(self, block: cython.int, cell: cython.int, k: cython.int) -> cython.double:
        """Distance of the k-th neighbour within the block."""
        left: cython.int = cell - 1
        right: cython.int = cell + 1
        start: cython.int = self.first[block]
        end: cython.int = self.first[block + 1]
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
