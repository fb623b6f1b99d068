import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def concordance(
    codes_: Ints,
    moments_: Ints,
    events_: npt.NDArray[np.uint8],
    earlier_: Floats,
    later_: Floats,
    difference_: Floats,
    comparable_: Floats,
) -> None: ...
