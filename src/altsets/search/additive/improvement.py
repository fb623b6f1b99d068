"""Heuristics for the largest minimum: annealing, completion of partial solutions, exact search over a few sets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from altsets._kernels.exchanges import anneal
from altsets.problem import FeatureSet
from altsets.search.additive import pattern_milp
from altsets.search.additive.best_set import best_set
from altsets.search.additive.partial_solutions import MaxMinState, Node, bits, mask_of, positions_of
from altsets.search.subset.candidates import Candidates

#: The harm that a step of annealing may do, at first and at last, as a part of the gap.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.5, 1e-5


def annealed(
    state: MaxMinState,
    sets: Sequence[FeatureSet],
    target: float,
    seed: int,
    *,
    steps: int | None = None,
    given: Sequence[FeatureSet] = (),
) -> list[FeatureSet]:
    """Improve these sets in one run, up to a ``target`` for the worst; the ``given`` ones stay as they are."""
    overlap = state.problem.max_overlap
    fixed = np.vstack([state.existing, positions_of(given, state.candidates)])
    caps = np.concatenate([state.existing_caps, np.full(len(given), overlap, dtype=np.intc)])
    members = positions_of(sets, state.candidates)
    steps = state.limits.anneal_steps if steps is None else steps
    # As hot as the gap is wide: hotter only destroys what the first sets are good at.
    gap = target - state.smallest_quality(sets)
    if gap <= 0:
        return list(sets)
    inside = anneal(
        state.scores,
        members,
        fixed,
        caps,
        overlap,
        target,
        steps,
        seed,
        state.run.tick,
        temperatures=(FIRST_TEMPERATURE * gap, LAST_TEMPERATURE * gap),
    )
    # Valid sets stay valid, so there are always some.
    assert inside is not None
    return [state.candidates.features(positions) for positions in inside]


class Completion:
    """Finds the sets of a node that are not needy; without annealing if the heads, which others share, must stay."""

    def __init__(self, state: MaxMinState, *, heads_stay: bool) -> None:
        self._state, self._heads_stay = state, heads_stay

    def complete(self, node: Node, needy: list[FeatureSet], worst: float) -> list[FeatureSet] | None:
        """All sets of the node, given the needy ones; the others are no worse than ``worst`` if possible."""
        if len(needy) == len(node.heads):
            return needy
        state = self._state
        best: list[FeatureSet] | None = None
        reached = -math.inf
        for fill in (self._one_by_one,) if self._heads_stay else (self._one_by_one, self._together):
            others = fill(node, needy)
            if others is None:
                continue
            if not self._heads_stay:
                others = annealed(state, others, worst, 0, given=needy)
            value = state.smallest_quality(others)
            if value > reached:
                best, reached = [*needy, *others], value
            if reached >= worst - state.tolerance:
                break
        return best

    def _one_by_one(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """Each set as good as those before allow: quick, but it often fails."""
        state = self._state
        k, overlap = state.problem.n_features, state.problem.max_overlap
        undecided, sets = self._undecided(node), list(needy)
        for head in self._other_heads(node):
            others = [*state.problem.existing, *sets]
            caps = [*state.existing_caps.tolist(), *[overlap] * len(sets)]
            caps = [cap - len(set(head) & set(other)) for cap, other in zip(caps, others, strict=True)]
            room = k - len(head)
            rest, _ = (
                best_set(undecided, room, others, caps, state.run.tick, state.limits) if room else ((), 0.0)
            )
            if rest is None or min(caps) < 0:
                return None
            sets.append(tuple(sorted((*head, *rest))))
        return sets[len(needy) :]

    def _together(self, node: Node, needy: list[FeatureSet]) -> list[FeatureSet] | None:
        """All sets at once by integer programming, if that is small enough."""
        state = self._state
        heads, undecided = self._other_heads(node), self._undecided(node)
        existing = (*state.problem.existing, *needy)
        rest = replace(state.problem, n_alternatives=len(heads) - 1, existing=existing)
        if pattern_milp.n_variables(undecided, rest) > state.limits.max_pattern_variables:
            return None
        gap = state.limits.completion_gap
        return pattern_milp.best_sum(undecided, rest, math.inf, state.run.part(), heads, gap)[0]

    def _undecided(self, node: Node) -> Candidates:
        candidates = self._state.candidates
        return Candidates(candidates.indices[node.depth :], candidates.scores[node.depth :])

    def _other_heads(self, node: Node) -> list[FeatureSet]:
        return [
            self._state.candidates.features(bits(head))
            for number, head in enumerate(node.heads)
            if number not in node.needy
        ]


#: (a part of the instance with an incumbent, how many features are decided, the head of each set) -> improves it
SolvePart = Callable[[MaxMinState, int, tuple[int, ...]], None]


class LocalImprovement:
    """Improves the worst set of the incumbent, without proof; ``solve_part`` is an exact search over a few sets."""

    def __init__(self, state: MaxMinState, solve_part: SolvePart) -> None:
        self._state, self._limits, self._solve_part = state, state.limits, solve_part

    def begin(self) -> None:
        """A first, short annealing run, for each place in the sets."""
        state = self._state
        places = state.problem.n_sets * state.problem.n_features
        steps = self._limits.first_anneal_steps * places
        state.update_incumbent(annealed(state, state.sets, state.bound, 0, steps=steps))

    def polish(self) -> None:
        """Further runs, from the first sets and from the best ones, and then all that exact search over a few adds."""
        state = self._state
        for seed in range(1, self._limits.anneal_runs):
            if state.is_proven or state.run.stopped:
                return
            sets = state.first if seed % 2 else state.sets
            state.update_incumbent(annealed(state, sets, state.bound, seed))
        self.improve()

    def restart(self, number: int) -> None:
        """Another run and what exact search makes of it, from wherever the run ends; the better result stays."""
        state, seed = self._state, self._limits.anneal_runs + number
        known, best = state.sets, state.best
        state.replace_incumbent(annealed(state, state.first if seed % 2 else known, state.bound, seed))
        self.improve()
        if state.best < best:
            state.sets, state.best = known, best

    def improve(self) -> None:
        """Re-solve the worst set together with one or two others, the rest given, as long as that helps."""
        state, gained = self._state, True
        while gained:
            gained = False
            for group in self._groups():
                if state.is_proven or state.is_nearly_proven or state.run.stopped:
                    return
                gap = state.bound - state.best
                gain = self._rebalance(group) if len(group) < len(state.sets) else 0.0
                gained = gained or gain > 0
                # After a small gain rather try other groups than the same ones anew.
                if gain > self._limits.large_gain * gap:
                    break

    def _groups(self) -> Iterator[list[int]]:
        """The worst set with one other, and then with two others, the best ones first."""
        sets = self._state.sets
        qualities = [self._state.quality.evaluate(chosen) for chosen in sets]
        worst, *others = sorted(range(len(sets)), key=qualities.__getitem__)
        for size in (1, 2):
            for group in itertools.combinations(reversed(others), size):
                yield [worst, *group]

    def _rebalance(self, numbers: list[int]) -> float:
        """Improve the worst of these sets by redistributing what only they hold; returns by how much."""
        # What they share with other sets stays where it is, so the other sets are not affected.
        state = self._state
        part, n_shared, heads = self._part(numbers)
        before = part.best
        part.update_bound(state.bound + state.problem.n_features * (state.shift - part.shift))
        self._solve_part(part, n_shared, heads)
        if part.best <= before + state.tolerance:
            return 0.0
        sets = list(state.sets)
        for number, chosen in zip(numbers, part.sets, strict=True):
            sets[number] = chosen
        # Another set may be as bad as the worst of these was: what counts is progress on these.
        state.replace_incumbent(sets)
        return part.best - before

    def _part(self, numbers: list[int]) -> tuple[MaxMinState, int, tuple[int, ...]]:
        """These sets as an instance of their own; how many features are shared, and which of them each set holds."""
        state, candidates = self._state, self._state.candidates
        ours = [state.sets[number] for number in numbers]
        rest = [chosen for number, chosen in enumerate(state.sets) if number not in numbers]
        shared = set().union(*rest, *state.problem.existing) & set().union(*ours)
        positions = candidates.positions(set().union(*ours))
        # The shared features come first: for a partial solution they are what is decided.
        positions.sort(key=lambda position: (int(candidates.indices[position]) not in shared, position))
        inside = Candidates(candidates.indices[positions], candidates.scores[positions])
        decided = inside.indices[: len(shared)].tolist()
        heads = [
            mask_of([place for place, index in enumerate(decided) if index in chosen]) for chosen in ours
        ]
        problem = replace(state.problem, n_alternatives=len(numbers) - 1, existing=())
        part = MaxMinState(replace(state.instance, problem=problem, candidates=inside, run=state.run.part()))
        part.update_incumbent(ours)
        return part, len(shared), tuple(heads)
