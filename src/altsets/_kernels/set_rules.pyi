from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Ints

# ``rules`` is altsets.search.subset.kernel_call.KernelRules, or has the same attributes.
class SetRules:
    def __init__(self, rules: Any, n: int, n_open: int) -> None: ...

def incidence(n_groups: int, width: int, first: Ints, member: Ints) -> npt.NDArray[np.uint8]: ...
