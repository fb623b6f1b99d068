import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

class Matching:
    def __init__(
        self,
        weights: Floats,
        weighted: bool,
        limits: Floats,
        others: tuple[Ints, Ints],
        growing: tuple[Ints, Ints, int],
    ) -> None: ...
    def fitting(self, chosen: Ints, candidates: Ints, to_go: int) -> npt.NDArray[np.uint8]: ...
    def going_with(self, number: int, candidates: Ints) -> npt.NDArray[np.uint8]: ...

class Grouping:
    def __init__(
        self, n_groups: int, limits: Ints, others: tuple[Ints, Ints], growing: tuple[Ints, Ints]
    ) -> None: ...
    def fitting(self, chosen: Ints, candidates: Ints, to_go: int) -> npt.NDArray[np.uint8]: ...
    def going_with(self, number: int, candidates: Ints) -> npt.NDArray[np.uint8]: ...
