from collections.abc import Callable

from altsets.arrays import Ints

def arrange(
    degrees: Ints, n_sets: int, size: int, cap: int, max_nodes: int, tick: Callable[[], bool]
) -> tuple[int, Ints]: ...
