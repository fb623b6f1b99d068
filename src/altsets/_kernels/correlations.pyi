import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def rank_products(
    codes_: Ints,
    order_: Ints,
    known_: npt.NDArray[np.int64],
    start: int,
    stop: int,
    cross_: Floats,
    squares_: Floats,
) -> None: ...
def value_products(
    values_: Floats,
    weights_: Floats,
    start: int,
    stop: int,
    cross_: Floats,
    squares_: Floats,
) -> None: ...
