from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def subset_search(
    terms: tuple[Floats, Floats, npt.NDArray[np.uint8]],
    rules: tuple[Ints, Ints, Ints, Floats, Floats, Ints, Ints, Ints],
    r: int,
    start: float,
    threshold: float,
    most: int,
    *,
    clique_cuts: tuple[Ints, Ints, Ints, Floats] | None = None,
    keeping: bool,
    cheaper: bool = False,
    ratio: tuple[Floats, Floats, Floats, tuple[float, float], tuple[float, float], float] | None = None,
    low_rank: tuple[Floats, Floats, Floats, float] | None = None,
    tolerance: float = 0.0,
    max_nodes: int,
    doubts: tuple[Floats, Callable[[Ints], bool]] | None = None,
    accept: Callable[[Ints], bool] | None = None,
    fitting: Callable[[Ints, Ints, int], npt.NDArray[np.uint8]] | None = None,
    tick: Callable[[], bool],
) -> tuple[Ints, Floats, float, int, float]: ...
