"""Memory and threads of a search: refuse what does not fit, and run linear algebra on one thread."""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import replace
from typing import Any

from threadpoolctl import ThreadpoolController

from altsets.errors import UnsupportedError
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.wording import by_interface, parameter

#: Bytes that a search may take besides the numbers of the quality.
MOST_BYTES = 4 * 2**30

#: Sets of a heuristic: each is compared with each other.
MOST_SETS = 10_000

#: Sets of any search: each has a status of its own in the answer.
MOST_ASKED = 10_000_000

#: Bytes of a variable of an integer programme with its rows; of a candidate, and of a listed set, on each level.
VARIABLE, CANDIDATE, LISTED = 300, 45, 28


def refuse_too_large(engine: str, quality: Quality, problem: Problem) -> None:
    """Refuse a request that cannot fit, and say what would."""
    if problem.n_sets > MOST_ASKED:
        raise UnsupportedError(
            f"{parameter('n_alternatives', problem.n_alternatives)} asks for more sets than one answer can hold; "
            "ask for "
            f"{parameter('n_alternatives', MOST_ASKED - 1)} or fewer"
            f"{by_interface(', or take sets from iterate() for as long as you like', '')}."
        )
    if engine == "greedy" and problem.n_sets > MOST_SETS:
        raise UnsupportedError(
            f"{parameter('n_alternatives', problem.n_alternatives)} with {parameter('search', problem.search)} gives "
            "more sets than can be "
            f"compared with each other; ask for {parameter('n_alternatives', MOST_SETS - 1)} or fewer."
        )
    needed = bytes_needed(engine, quality, problem)
    if needed <= MOST_BYTES:
        return
    asked = (
        f"{parameter('n_alternatives', problem.n_alternatives)} with {parameter('search', problem.search)} and "
        f"engine {engine!r}"
    )
    takes = f"takes about {needed / 2**30:,.0f} GiB of memory, more than {MOST_BYTES / 2**30:.0f}"

    def needed_for(n_alternatives: int) -> int:
        return bytes_needed(engine, quality, replace(problem, n_alternatives=n_alternatives))

    fits = bisect_right(range(problem.n_alternatives), MOST_BYTES, key=needed_for) - 1
    if fits < 0:
        raise UnsupportedError(
            f"{asked} {takes}; ask for sets of fewer than {problem.k_max} features, or choose from fewer than "
            f"{problem.n_features_in}."
        )
    raise UnsupportedError(
        f"{asked} {takes}; {parameter('n_alternatives', fits)} fits, and so does {parameter('search', 'sequential')}."
    )


def bytes_needed(engine: str, quality: Quality, problem: Problem) -> int:
    """About how many bytes a search takes at most, besides lists that grow only while there is room."""
    n_sets, k, n = problem.n_sets, problem.k_max, problem.n_features_in
    together = problem.search == "simultaneous"
    if engine == "milp":
        form = quality.form(k)
        n_used = (
            n
            if form.has_pairs or not problem.is_plain
            else min(n, n_sets * k + sum(map(len, problem.existing)))
        )
        products = n_used * (n_used - 1) // 2 if form.has_pairs else 0
        per_set = n_used + products
        pairs_of_sets = n_used * n_sets * (n_sets - 1) // 2
        return VARIABLE * (n_sets * per_set + pairs_of_sets if together else per_set)
    if engine == "greedy" or not together:
        # Sets are kept as they are found, and all else is for one set at a time.
        return CANDIDATE * k * n if engine == "enumerate" else 0
    if engine == "additive":
        # Bounds for each number of sets and of features in them, and which set shares what with which.
        return 8 * n_sets * n_sets * k + n_sets * n + 8 * n_sets * n_sets
    # Sets that go together, and numbers for each set and feature.
    return CANDIDATE * k * n + 8 * n_sets * n_sets + 8 * n_sets * n


class _OneThread:
    """Limits numpy's linear algebra to one thread while at least one search is inside."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_asking = 0
        self._controller: ThreadpoolController | None = None
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._controller is None:
                self._controller = ThreadpoolController()
            if not self._n_asking:
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._n_asking += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_asking -= 1
            if not self._n_asking:
                self._limit.restore_original_limits()


#: Matrices of a search are small, and on busy cores threads wait for each other: the eigenvalues of 300 features took
#: 1.5 s instead of 0.02 s. Sums are also the same, to the last bit, on any number of cores.
ONE_THREAD = _OneThread()
