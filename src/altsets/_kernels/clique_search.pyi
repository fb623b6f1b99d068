from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints, Masks

class Cliques:
    def __init__(
        self,
        items: tuple[Masks, Ints, Floats, Floats],
        elements: tuple[Ints, Ints, Floats, Floats],
        caps: Ints,
        n_sets: int,
        best: float,
        ceiling: float,
        *,
        summing: bool,
        tolerance: float,
        max_nodes: int,
        tick: Callable[[], bool],
        enough: float = ...,
        compatible: Callable[[int, int], bool] | None = None,
        together: Callable[[int, Ints], npt.NDArray[np.uint8]] | None = None,
        accept: Callable[[Ints], bool] | None = None,
        price: float = 0.0,
        features: Masks | None = None,
    ) -> None: ...
    def run(self) -> tuple[Ints | None, bool]: ...
