import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints

def packed(columns: Floats) -> Floats: ...
def distances(
    amounts_: Floats, levels_: Floats, n_full: float, rows_: npt.NDArray[np.int64], out_: Floats
) -> None: ...
def add_differences(
    table: tuple[Floats, Floats, Floats, npt.NDArray[np.uint8]],
    target: tuple[Ints, Floats, float, Floats],
    rows_: npt.NDArray[np.int64],
    keys_: Floats,
    n_neighbors: int,
    totals_: Floats,
) -> None: ...
def add_products(
    table: tuple[Floats, Floats, Floats, npt.NDArray[np.uint8]],
    amounts_: Floats,
    rows_: npt.NDArray[np.int64],
    keys_: Floats,
    n_neighbors: int,
    totals_: Floats,
) -> None: ...
