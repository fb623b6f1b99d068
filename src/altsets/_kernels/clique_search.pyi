from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints, Masks

def pick(
    items: tuple[Masks, Ints, Floats, Floats],
    elements: tuple[Ints, Ints, Floats, Floats],
    caps: Ints,
    n_sets: int,
    best: float,
    ceiling: float,
    *,
    summing: bool,
    tolerance: float,
    enough: float = ...,
    max_nodes: int,
    compatible: Callable[[int, int], bool] | None = None,
    together: Callable[[int, Ints], npt.NDArray[np.uint8]] | None = None,
    tick: Callable[[], bool],
) -> tuple[Ints | None, bool]: ...
