from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from altsets.arrays import Ints

def next_set(
    n: int,
    first: Ints,
    member: Ints,
    caps: Ints,
    positions: npt.NDArray[np.int64],
    fresh: bool,
    tick: Callable[[], bool],
) -> int: ...
