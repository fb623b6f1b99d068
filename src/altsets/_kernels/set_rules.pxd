# What the search for one set calls of it, without a detour through Python.
cdef class SetRules:
    # Caps: those of feature j are cap_member[cap_first[j]:cap_first[j + 1]]; what is left of each; how many candidates
    # count for it; whether a feature does.
    cdef int[::1] cap_first
    cdef int[::1] cap_member
    cdef int[::1] cap_room
    cdef int[::1] cap_count
    cdef unsigned char[:, ::1] in_cap
    cdef int n_caps
    # Budgets: costs, one row for each, and what is left.
    cdef double[:, ::1] costs
    cdef double[::1] budget_room
    cdef int n_budgets
    # Groups that are paid once: the number of the group of each feature (-1: it pays for itself), empty if there are
    # none; which budgets have groups; how many chosen features each group has, and how many candidates.
    cdef int[:, ::1] payer
    cdef unsigned char[::1] is_grouped
    cdef int[:, ::1] n_paid
    cdef int[::1] n_mates
    # Features that each feature needs.
    cdef int[::1] needs_first
    cdef int[::1] needs
    cdef int n_needs
    # Whether a feature is chosen, and whether budgets can pay for each of the candidates that were looked at last.
    cdef unsigned char[::1] is_chosen
    cdef unsigned char[::1] is_kept
    # The smallest of the numbers that were looked at last, ascending.
    cdef double[::1] smallest

    cdef bint fits(self, int j) noexcept nogil
    cdef double cost_of(self, int b, int j) noexcept nogil
    cdef void take(self, int j, int sign) noexcept nogil
    cdef void pay_for_group(self, int b, int j, int sign) noexcept nogil
    cdef bint leave_room(self, int[:, ::1] candidate, int level, int m, int r) noexcept nogil
    cdef bint budget_leaves_room(self, int[:, ::1] candidate, int level, int m, int r, int b) noexcept nogil
    cdef double cheapest_cost(self, int[:, ::1] candidate, int level, int m, int r, int b) noexcept nogil
    cdef bint groups_leave_room(self, int[:, ::1] candidate, int level, int m, int r, int b) noexcept nogil
    cdef void count_mates(self, int[:, ::1] candidate, int level, int m, int b) noexcept nogil
    cdef int unmet_need(self, int[::1] chosen, int level) noexcept nogil
    cdef bint needs_can_be_met(self, unsigned char[:, ::1] is_candidate, int level, int c) noexcept nogil
    cdef int keep_smallest(self, double value, int count, int wanted) noexcept nogil
    cdef double sum_of_kept(self, int count) noexcept nogil
