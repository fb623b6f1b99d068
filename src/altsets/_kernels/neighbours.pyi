import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

class Pairs:
    def __init__(
        self,
        columns: tuple[Ints, Ints, Floats, Ints, Ints, Floats, npt.NDArray[np.uint8]],
        k: int,
        strict: bool,
        digamma: Floats,
        logarithm: Floats,
        stop: Ints,
    ) -> None: ...
    def run(self, left: Ints, right: Ints, found: Floats) -> None: ...

class PairsWithHoles:
    def __init__(
        self,
        columns: tuple[Ints, Floats, Ints, npt.NDArray[np.uint8]],
        k: int,
        least: int,
        digamma: Floats,
        logarithm: Floats,
        stop: Ints,
    ) -> None: ...
    def run(self, left: Ints, right: Ints, found: Floats, shapes: Ints) -> None: ...
