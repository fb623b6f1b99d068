# What the search over subsets calls of it, without a detour through Python.
cdef class FitState:
    cdef int[::1] first
    cdef double[:, ::1] gram
    cdef double[:, :, ::1] inverse
    cdef double[:, :, ::1] weights
    cdef int[:, ::1] column
    cdef int[:, ::1] place
    cdef int[::1] n_columns
    cdef double[::1] superset_value
    cdef double[:, ::1] factor
    cdef double[:, ::1] left
    cdef double[:, :, ::1] cross_left
    cdef int[::1] n_rows
    cdef double[::1] chosen_value
    cdef double[:, ::1] block
    cdef double[:, ::1] block_cross
    cdef double[::1] target
    cdef int n_targets
    cdef int n_features
    cdef int widest
    cdef readonly double slack

    cdef void descend(self, int level, int j, int[:, ::1] candidate, int m, bint with_superset) noexcept nogil
    cdef void drop(self, int level, int j) noexcept nogil
    cdef bint has(self, int level, int j) noexcept nogil
    cdef double cost(self, int level, int j) noexcept nogil
    cdef double gain(self, int level, int j) noexcept nogil
    cdef void copy_superset(self, int level) noexcept nogil
    cdef double explained_by_block(self, int width, double nothing) noexcept nogil
