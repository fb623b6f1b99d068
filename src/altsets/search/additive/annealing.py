"""Simulated annealing of additive sets: features are exchanged at random, ever more reluctant to do harm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet
from altsets.search.additive.masks import positions_of
from altsets.search.additive.max_min_state import MaxMinState

__all__ = ["annealed"]


def annealed(
    state: MaxMinState,
    sets: Sequence[FeatureSet],
    target: float,
    seed: int,
    *,
    steps: int | None = None,
    given: Sequence[FeatureSet] = (),
) -> list[FeatureSet]:
    """What one run makes of these sets, up to a ``target`` for the worst; the ``given`` ones stay as they are."""
    overlap = state.problem.max_overlap
    fixed = np.vstack([state.existing, positions_of(given, state.candidates)])
    caps = np.concatenate([state.existing_caps, np.full(len(given), overlap, dtype=np.intc)])
    members = positions_of(sets, state.candidates)
    steps = state.limits.anneal_steps if steps is None else steps
    inside = anneal(state.scores, members, fixed, caps, overlap, target, steps, seed, state.run.tick)
    return [state.candidates.features(positions) for positions in inside]
