import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def cut(
    values_: Floats,
    points_: Floats,
    firsts_: Ints,
    start: float,
    scale: float,
    levels: bool,
    codes_: Ints,
) -> bool: ...
def count(codes_: Ints, others_: Ints, table_: npt.NDArray[np.int64]) -> None: ...
