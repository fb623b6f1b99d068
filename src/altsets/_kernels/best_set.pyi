from collections.abc import Callable

from altsets.arrays import Floats, Ints

def best_set(
    scores: Floats,
    first: Ints,
    member: Ints,
    kind: Ints,
    caps: Ints,
    k: int,
    to_beat: float,
    max_nodes: int,
    tolerance: float,
    tick: Callable[[], bool],
    weights: Ints | None = None,
) -> tuple[Ints | None, float, bool]: ...
