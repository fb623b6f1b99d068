# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
"""Kernel: how much of several targets the best linear model on a set of features explains, for a search over sets.

The fit of a set S is trace(C_S' G_SS^-1 C_S), with G the products of the columns with each other and C those with
the targets. It grows with S. A search knows two sets at each of its nodes: the features that are chosen, and the
superset of these and all candidates. No set below the node fits better than the superset.

Superset
--------
H = G_SS^-1 and B = H C_S. Without column j the fit is less by |B_j|^2 / H_jj, and H and B are those of the rest after
one step of elimination with row j. A feature may have several columns, which are dropped one after the other.

Chosen features
---------------
A Cholesky factor of their Gram matrix, of which there is one row for each of their columns, and what these leave of the
columns and products of the candidates. So the fit of the chosen features and one candidate takes a few operations.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

# Columns of length one of which so little is left are sums of those before them.
NOTHING_LEFT = cython.declare(cython.double, 1e-12)


@cython.cclass
class FitState:
    """The state on each level of a search; level 0 has no chosen features and all candidates.

    Arrays are numbered by level, and by place in the superset or by column.
    """

    def __init__(self, terms, levels: cython.int):
        n_columns: cython.int = len(terms.gram)
        n_targets: cython.int = terms.cross.shape[1]
        self.first = terms.first
        self.gram = terms.gram
        self.n_targets = n_targets
        self.n_features = len(terms.first) - 1
        self.widest = int(np.max(np.diff(terms.first), initial=1))
        self.slack = terms.slack
        width = max(n_columns, 1)
        self.inverse = np.empty((max(levels - 1, 1), width, width))
        self.weights = np.empty((max(levels - 1, 1), width, n_targets))
        self.column = np.zeros((levels, width), dtype=np.intc)
        self.place = np.full((levels, width), -1, dtype=np.intc)
        self.n_columns = np.zeros(levels, dtype=np.intc)
        self.superset_value = np.zeros(levels)
        np.asarray(self.inverse)[0, :n_columns, :n_columns] = terms.inverse
        np.asarray(self.weights)[0, :n_columns] = terms.weights
        np.asarray(self.column)[0] = np.asarray(self.place)[0] = np.arange(width)
        self.n_columns[0] = n_columns
        self.superset_value[0] = terms.all_explain
        self.factor = np.zeros((levels * self.widest, width))
        self.left = np.zeros((levels + 1, width))
        self.cross_left = np.zeros((levels + 1, width, n_targets))
        np.asarray(self.left)[0, :n_columns] = np.diag(terms.gram)
        np.asarray(self.cross_left)[0, :n_columns] = terms.cross
        self.n_rows = np.zeros(levels + 1, dtype=np.intc)
        self.chosen_value = np.zeros(levels + 1)
        self.block = np.zeros((self.widest, self.widest))
        self.block_cross = np.zeros((self.widest, n_targets))
        self.target = np.zeros(n_targets)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self,
        level: cython.int,
        j: cython.int,
        candidate: cython.int[:, ::1],
        m: cython.int,
        with_superset: cython.bint,
    ) -> cython.void:
        """Choose feature j: the state of the next level, whose m candidates are given."""
        row: cython.int = self.n_rows[level]
        last: cython.int = self.first[j + 1]
        product: cython.double
        total: cython.double = self.chosen_value[level]
        for i in range(m + 1):
            # The columns of the feature itself change as those of candidates do.
            f = j if i == m else candidate[level + 1, i]
            for c in range(self.first[f], self.first[f + 1]):
                self.left[level + 1, c] = self.left[level, c]
                for t in range(self.n_targets):
                    self.cross_left[level + 1, c, t] = self.cross_left[level, c, t]
        for p in range(self.first[j], last):
            if self.left[level + 1, p] <= NOTHING_LEFT:
                continue
            root = sqrt(self.left[level + 1, p])
            for t in range(self.n_targets):
                self.target[t] = self.cross_left[level + 1, p, t] / root
                total += self.target[t] * self.target[t]
            for i in range(m + 1):
                f = j if i == m else candidate[level + 1, i]
                for c in range(max(self.first[f], p + 1) if i == m else self.first[f], self.first[f + 1]):
                    product = self.gram[p, c]
                    for q in range(row):
                        product -= self.factor[q, p] * self.factor[q, c]
                    product /= root
                    self.factor[row, c] = product
                    self.left[level + 1, c] -= product * product
                    for t in range(self.n_targets):
                        self.cross_left[level + 1, c, t] -= product * self.target[t]
            row += 1
        self.n_rows[level + 1] = row
        self.chosen_value[level + 1] = total
        if with_superset:
            self.copy_superset(level)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def copy_superset(self, level: cython.int) -> cython.void:
        """The superset of the next level is that of this one, until features are dropped."""
        n: cython.int = self.n_columns[level]
        for c in range(self.place.shape[1]):
            self.place[level + 1, c] = self.place[level, c]
        for i in range(n):
            self.column[level + 1, i] = self.column[level, i]
            for p in range(n):
                self.inverse[level + 1, i, p] = self.inverse[level, i, p]
            for t in range(self.n_targets):
                self.weights[level + 1, i, t] = self.weights[level, i, t]
        self.n_columns[level + 1] = n
        self.superset_value[level + 1] = self.superset_value[level]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has(self, level: cython.int, j: cython.int) -> cython.bint:
        """Whether a feature is in the superset."""
        return self.place[level, self.first[j]] >= 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop(self, level: cython.int, j: cython.int) -> cython.void:
        """Take a feature out of the superset."""
        factor: cython.double
        for c in range(self.first[j], self.first[j + 1]):
            n: cython.int = self.n_columns[level]
            p: cython.int = self.place[level, c]
            pivot: cython.double = self.inverse[level, p, p]
            for t in range(self.n_targets):
                self.superset_value[level] -= self.weights[level, p, t] * self.weights[level, p, t] / pivot
            for i in range(n):
                if i == p:
                    continue
                factor = self.inverse[level, i, p] / pivot
                for q in range(n):
                    self.inverse[level, i, q] -= factor * self.inverse[level, p, q]
                for t in range(self.n_targets):
                    self.weights[level, i, t] -= factor * self.weights[level, p, t]
            # The last one takes its place.
            n -= 1
            self.n_columns[level] = n
            self.place[level, c] = -1
            if p < n:
                moved = self.column[level, n]
                self.column[level, p] = moved
                self.place[level, moved] = p
                for q in range(n):
                    self.inverse[level, p, q] = self.inverse[level, n, q]
                self.inverse[level, p, p] = self.inverse[level, n, n]
                for i in range(n):
                    self.inverse[level, i, p] = self.inverse[level, p, i]
                for t in range(self.n_targets):
                    self.weights[level, p, t] = self.weights[level, n, t]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cost(self, level: cython.int, j: cython.int) -> cython.double:
        """By how much the superset fits worse without a feature."""
        total: cython.double = 0.0
        begin: cython.int = self.first[j]
        width: cython.int = self.first[j + 1] - begin
        if width == 1:
            p = self.place[level, begin]
            for t in range(self.n_targets):
                total += self.weights[level, p, t] * self.weights[level, p, t]
            return total / self.inverse[level, p, p]
        for i in range(width):
            p = self.place[level, begin + i]
            for q in range(width):
                self.block[i, q] = self.inverse[level, p, self.place[level, begin + q]]
            for t in range(self.n_targets):
                self.block_cross[i, t] = self.weights[level, p, t]
        return self.explained_by_block(width, 0.0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gain(self, level: cython.int, j: cython.int) -> cython.double:
        """By how much the chosen features fit better with one more."""
        total: cython.double = 0.0
        product: cython.double
        begin: cython.int = self.first[j]
        width: cython.int = self.first[j + 1] - begin
        if width == 1:
            if self.left[level, begin] <= NOTHING_LEFT:
                return 0.0
            for t in range(self.n_targets):
                total += self.cross_left[level, begin, t] * self.cross_left[level, begin, t]
            return total / self.left[level, begin]
        for i in range(width):
            for q in range(width):
                product = self.gram[begin + i, begin + q]
                for row in range(self.n_rows[level]):
                    product -= self.factor[row, begin + i] * self.factor[row, begin + q]
                self.block[i, q] = product
            for t in range(self.n_targets):
                self.block_cross[i, t] = self.cross_left[level, begin + i, t]
        return self.explained_by_block(width, NOTHING_LEFT)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def explained_by_block(self, width: cython.int, nothing: cython.double) -> cython.double:
        """trace(c' A^-1 c) by elimination; A is in ``block`` and c in ``block_cross``, and both are used up."""
        total: cython.double = 0.0
        factor: cython.double
        for p in range(width):
            pivot: cython.double = self.block[p, p]
            if pivot <= nothing:
                continue
            for t in range(self.n_targets):
                total += self.block_cross[p, t] * self.block_cross[p, t] / pivot
            for i in range(p + 1, width):
                factor = self.block[i, p] / pivot
                for q in range(p + 1, width):
                    self.block[i, q] -= factor * self.block[p, q]
                for t in range(self.n_targets):
                    self.block_cross[i, t] -= factor * self.block_cross[p, t]
        return total
