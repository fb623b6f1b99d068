"""Sets as bit masks and as rows of zeros and ones, over the positions of candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Ints, Masks
from altsets.problem import FeatureSet
from altsets.search.subset.candidates import Candidates

__all__ = ["MASK_BITS", "PATTERN_SETS", "bits", "classes", "mask_of", "members_of", "positions_of"]

#: What kernels have room for: features in the mask of a set, and sets in the bit pattern of a feature.
MASK_BITS, PATTERN_SETS = 64, 30


def classes(scores: Floats, fixed: npt.NDArray[np.uint8]) -> Ints:
    """Where the classes of interchangeable positions begin: equal scores, same existing sets; none where none is left.

    Kernels divide by the width of a class, so none may be empty.
    """
    if not len(scores):
        return np.zeros(1, dtype=np.intc)
    keys = np.vstack([scores, fixed])
    changes = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(scores)]]).astype(np.intc)


def positions_of(sets: Sequence[FeatureSet], candidates: Candidates) -> npt.NDArray[np.uint8]:
    """Which positions lie in each set, as rows of zeros and ones."""
    members = np.zeros((len(sets), len(candidates)), dtype=np.uint8)
    for row, chosen in zip(members, sets, strict=True):
        row[candidates.positions(chosen)] = 1
    return members


def members_of(masks: Masks, n: int) -> Floats:
    """Masks as rows of zeros and ones."""
    return ((masks[:, None] >> np.arange(n, dtype=np.uint64)) & np.uint64(1)).astype(np.float64)


def mask_of(positions: Sequence[int] | npt.NDArray[np.integer]) -> int:
    """The mask of some positions."""
    return sum(1 << int(position) for position in positions)


def bits(mask: int) -> list[int]:
    """The positions in a mask."""
    positions = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions
