"""Types of arrays, by what their numbers are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
#: Positions in other arrays.
Indices = npt.NDArray[np.intp]
#: Whole numbers as kernels take them: counts, limits, members of sets.
Ints = npt.NDArray[np.intc]
#: Sets as bits.
Masks = npt.NDArray[np.uint64]
