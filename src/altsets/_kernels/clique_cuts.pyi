from altsets.arrays import Floats, Ints

def heavy_cliques(
    sets: Ints, weights: Floats, n: int, size: int, least: int, n_starts: int
) -> list[tuple[tuple[int, ...], float]]: ...
