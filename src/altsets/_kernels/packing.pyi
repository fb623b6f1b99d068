from collections.abc import Callable
from typing import Any

from altsets.arrays import Floats, Ints, Masks

# The second part of a result is an array (Ints) if the first one is, else None.
def pack(
    items: tuple[Masks, Floats, Floats, Ints],
    groups: tuple[Ints, Ints],
    first: Ints,
    degrees: tuple[Ints, Ints],
    unshared: int,
    best: float,
    budget: float,
    lift: bool,
    tolerance: float,
    max_nodes: int,
    tick: Callable[[], bool],
) -> tuple[Masks | None, Any, bool, int]: ...
def pack_sum(
    masks: Masks,
    qualities: Floats,
    first: Ints,
    n_sets: int,
    cap: int,
    best: float,
    rest: Floats,
    tolerance: float,
    max_nodes: int,
    tick: Callable[[], bool],
) -> tuple[Masks | None, Any, bool, int]: ...
