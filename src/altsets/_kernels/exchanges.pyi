from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def deal(
    degrees: Ints,
    n_sets: int,
    size: int,
    fixed: npt.NDArray[np.uint8],
    fixed_caps: Ints,
    cap: int,
    max_steps: int,
    seed: int,
    tick: Callable[[], bool],
) -> npt.NDArray[np.uint8] | None: ...
def anneal(
    scores: Floats,
    members: npt.NDArray[np.uint8],
    fixed: npt.NDArray[np.uint8],
    fixed_caps: Ints,
    cap: int,
    target: float,
    steps: int,
    seed: int,
    tick: Callable[[], bool],
    *,
    temperatures: tuple[float, float],
    prices: tuple[float, float] = ...,
    pairs: Floats | None = None,
    summing: bool = False,
) -> Ints | None: ...
