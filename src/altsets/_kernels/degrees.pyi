from collections.abc import Callable

from altsets.arrays import Floats, Ints

def degree_bound(
    scores: Floats,
    n_sets: int,
    total: int,
    weight_limit: int,
    all_limit: int,
    tolerance: float,
    tick: Callable[[], bool] = ...,
) -> tuple[float, Ints | None, float, float]: ...
def degree_vectors(
    scores: Floats,
    n_sets: int,
    total: int,
    weight_limit: int,
    all_limit: int,
    tolerance: float,
    floor: float,
    limit: int,
    tick: Callable[[], bool] = ...,
) -> tuple[Ints, Floats] | None: ...
def prefix_bound(
    scores: Floats, values: Floats, rooms: Ints, slack: Ints, tick: Callable[[], bool] = ...
) -> tuple[float, Ints]: ...
