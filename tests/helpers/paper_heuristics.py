"""The three heuristics of the paper, line by line from its pseudo-code.

They return the sets as sorted tuples. ``max_overlap`` stands for floor((1 - tau) k); ceil(tau k) is the rest.
Depth search tests whether a set is valid, and so takes any condition on a single set (``fits``) as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Family = list[tuple[int, ...]]


def sort_indices(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda j: -scores[j])


def greedy_replacement(scores: Sequence[float], k: int, a: int, max_overlap: int) -> Family:
    n, n_replaced = len(scores), k - max_overlap
    indices = sort_indices(scores)
    common = indices[:max_overlap]
    position, sets = max_overlap, []
    # l <= (n - k) / ceil(tau k), without the division: tau = 0 repeats the best set for ever.
    while len(sets) <= a and len(sets) * n_replaced <= n - k:
        sets.append(tuple(sorted(common + indices[position : position + n_replaced])))
        position += n_replaced
    return sets


def greedy_balancing(scores: Sequence[float], k: int, a: int, max_overlap: int) -> Family:
    n, n_replaced = len(scores), k - max_overlap
    if n_replaced * a + k > n:
        return []
    indices = sort_indices(scores)
    sets = [set(indices[:max_overlap]) for _ in range(a + 1)]
    quality = [0.0] * (a + 1)
    for position in range(max_overlap, n_replaced * a + k):
        lowest, chosen = float("inf"), -1
        for index in range(a + 1):
            if quality[index] < lowest and len(sets[index]) < k:
                lowest, chosen = quality[index], index
        sets[chosen].add(indices[position])
        quality[chosen] += scores[indices[position]]
    return [tuple(sorted(chosen)) for chosen in sets]


def greedy_depth(
    scores: Sequence[float], k: int, a: int, compatible: Callable[[tuple[int, ...], tuple[int, ...]], bool],
    fits: Callable[[tuple[int, ...]], bool] = lambda candidate: True,
) -> Family:  # fmt: skip
    n = len(scores)
    indices = sort_indices(scores)
    positions = list(range(1, k + 1))
    sets: Family = []
    has_next_solution = True
    while len(sets) <= a and has_next_solution:
        candidate = tuple(sorted(indices[position - 1] for position in positions))
        if fits(candidate) and all(compatible(candidate, other) for other in sets):
            sets.append(candidate)
        p = k
        while p >= 1:
            position = positions[p - 1]
            if position < n + p - k:
                for step in range(k - p + 1):
                    positions[p + step - 1] = position + step + 1
                p = -1
            else:
                p -= 1
        if p == 0:
            has_next_solution = False
    return sets
