"""Best-first search over the features that a model may use: what it uses is taken away from it, one at a time.

Sets are what the model chooses from the features it is allowed. Under all features it chooses one set. To get another
one, a feature of that set must be banned, so a node has one child for each feature that it uses. Nodes are kept by how
far their sets are from a valid one (features too many, constraints broken, features shared too many), and these levels
take turns, the farthest first; within a level the best score comes first. Before that, a dive bans as many features at
once as are in the way, so that there is a valid set soon.

If a model that chooses S from A also chooses S from everything between S and A, as optimal sparse models and greedy
trees without ties do, every set that it can choose is below the root: as long as S is not inside the set, one of its
features can be banned. Rounding and ties may break that, so an exhausted search is no proof and does not claim one.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Embedded, Quality
from altsets.result import Status
from altsets.search.black_box.evaluations import EvaluationCache, InitialSets, finish, report
from altsets.search.engine import Answer, declines_joint
from altsets.search.run import Run
from altsets.search.sequential import SequentialSearch
from altsets.wording import parameter

PROOF = "best-first search over allowed features proves nothing"
NOTHING_FITS = "no set of features is left that keeps to all conditions, whatever a model chooses"
EXHAUSTED = (
    "all features that the model used were banned in turn, which is no proof that it chooses no other set"
)


class BestFirstEngine:
    """Bans features that a model uses, one at a time, where the best sets come from."""

    name = "best-first"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if not quality.chooses_size:
            return f"it is for models that choose features themselves, and {type(quality).__name__} has none"
        if problem.search != "sequential":
            return (
                f"it finds sets of a model one after the other; use {parameter('search', 'sequential')}, or so few "
                f"features that all sets can be evaluated ({parameter('engine', 'exhaustive')})"
            )
        return declines_joint(problem)

    def solve(self, quality: Embedded, problem: Problem, run: Run) -> Answer:
        """Search until ``max_iters`` models chose, for each set, or nothing is left to ban."""
        if not problem.sizes:
            return Answer.infeasible(problem, "constraints on the size contradict each other")
        search = _BanSearch(quality, problem, EvaluationCache(quality, problem, run))
        known = search.evaluations.known
        answer = SequentialSearch(problem, run, search.next_set, known.__getitem__).solve(PROOF)
        if Status.INFEASIBLE in answer.statuses:
            answer = replace(answer, proof=NOTHING_FITS)
        elif search.exhausted:
            answer = replace(answer, proof=EXHAUSTED)
        return finish(answer, search.evaluations)


@dataclass
class _BanSearch:
    """The nodes of one call, which all its sets share: features that are allowed, and what the model chooses."""

    quality: Embedded
    problem: Problem
    evaluations: EvaluationCache
    #: What the model chooses from allowed features; empty if it uses none of them.
    nodes: dict[FeatureSet, FeatureSet] = field(default_factory=dict)
    #: Those of which some chosen feature was not banned yet, in the order in which they came.
    open: dict[FeatureSet, None] = field(default_factory=dict)

    @property
    def exhausted(self) -> bool:
        """Whether every feature that was used has been banned."""
        return bool(self.nodes) and not self.open and self.evaluations.failure is None

    def next_set(self, others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        """The best set of the model that differs enough from the others, as far as the search goes."""
        evaluations, known = self.evaluations, self.evaluations.known
        before = others[len(self.problem.existing) :]
        left, queue = self.quality.max_iters, _Levels()
        best = max(
            (one for one in known if not self._distance(one, others)), key=known.__getitem__, default=None
        )
        for allowed in self.open:
            self._put(queue, allowed, others)
        has_dived = best is not None
        while left > 0 and not (self.nodes and (evaluations.over or not queue)):
            if not self.nodes:
                visited = self._visit([self._root])
            elif not has_dived:
                has_dived, visited = True, self._dive(others, left)
            else:
                parent = queue.pop()
                children = self._children(parent)
                visited = self._visit(children[:left])
                if len(visited) == len(children):
                    del self.open[parent]
            left -= len(visited)
            for allowed in visited:
                chosen = self.nodes[allowed]
                if not chosen:
                    continue
                distance = self._put(queue, allowed, others)
                if not distance and (best is None or known[chosen] > known[best]):
                    best = chosen
                    report(evaluations, [best], before)
            if evaluations.failure is not None:
                break
        if best is None and not evaluations.run.stopped:
            # Whatever the model would choose.
            _, nothing_fits = InitialSets(self.problem, evaluations.run).one(before)
            return None, -math.inf if nothing_fits else math.inf
        return best, math.inf

    @property
    def _root(self) -> FeatureSet:
        return tuple(
            feature for feature in range(self.problem.n_features_in) if feature not in self.problem.forbidden
        )

    def _children(self, allowed: FeatureSet) -> list[FeatureSet]:
        """One feature less, of those that the model used; without those that were seen or can hold no valid set."""
        fewer = (tuple(feature for feature in allowed if feature != banned) for banned in self.nodes[allowed])
        return [one for one in fewer if one not in self.nodes and self._may_hold_sets(one)]

    def _may_hold_sets(self, allowed: FeatureSet) -> bool:
        """Whether what constraints demand is among these features."""
        inside, rules = set(allowed), self.problem.rules
        return (
            len(inside) >= self.problem.k_min
            and rules.required <= inside
            and all(len(inside.intersection(rule.group)) >= rule.lower for rule in rules.counts)
        )

    def _dive(self, others: Sequence[FeatureSet], most: int) -> list[FeatureSet]:
        """Go straight down to a valid set: as many features are banned at once as are in the way."""
        allowed, visited = self._root, list[FeatureSet]()
        while len(visited) < most and (distance := self._distance(self.nodes[allowed], others)):
            banned = self._in_the_way(allowed, others)[:distance]
            fewer = tuple(feature for feature in allowed if feature not in banned)
            if not banned or not self._may_hold_sets(fewer):
                break
            if fewer not in self.nodes:
                visited += self._visit([fewer])
            if not self.nodes.get(fewer):
                break
            allowed = fewer
        return visited

    def _in_the_way(self, allowed: FeatureSet, others: Sequence[FeatureSet]) -> list[int]:
        """Features that sets share too many of, else all that may be banned; first those that are missed least."""
        chosen, scores = self.nodes[allowed], self.evaluations.known
        shared = {f for other in others if not self.problem.compatible(chosen, other) for f in other}
        pool = (shared.intersection(chosen) or set(chosen)) - self.problem.rules.required

        def without(banned: int) -> float:
            fewer = self.nodes.get(tuple(feature for feature in allowed if feature != banned))
            return scores[fewer] if fewer else -math.inf

        return sorted(pool, key=lambda feature: (-without(feature), feature))

    def _visit(self, nodes: Sequence[FeatureSet]) -> list[FeatureSet]:
        """Let the model choose from each set of features, as far as there is time, from the root anyway."""
        evaluations = self.evaluations
        visited: list[FeatureSet] = []
        for start in range(0, len(nodes), evaluations.at_a_time):
            some = nodes[start : start + evaluations.at_a_time]
            first = not self.nodes
            if not first and evaluations.run.tick():
                break
            try:
                chosen = dict(zip(some, self.quality.choose_many(some), strict=True))
            except InputError as error:
                evaluations.failure = error
                break
            evaluations.ask([one for one in chosen.values() if one], at_once=first)
            for allowed, one in chosen.items():
                if one and one not in evaluations.known:
                    return visited
                self.nodes[allowed] = one
                visited.append(allowed)
                if one:
                    self.open[allowed] = None
        return visited

    def _put(self, queue: _Levels, allowed: FeatureSet, others: Sequence[FeatureSet]) -> int:
        """Queue a node; how far its set is from a valid one."""
        chosen = self.nodes[allowed]
        distance = self._distance(chosen, others)
        queue.put(distance, self.evaluations.known[chosen], allowed)
        return distance

    def _distance(self, chosen: FeatureSet, others: Sequence[FeatureSet]) -> int:
        """How far a set is from a valid one, in features and constraints; 0 if it is valid."""
        problem, size = self.problem, len(chosen)
        distance = max(size - problem.k_max, problem.k_min - size, 0)
        distance += sum(not constraint.holds(chosen) for constraint in problem.constraints)
        for other in others:
            if not problem.compatible(chosen, other):
                shared = len(set(chosen).intersection(other))
                distance += shared - problem.max_overlap_of(size, len(other)) if problem.counts_shared else 1
        return distance


class _Levels:
    """Nodes by how far they are from valid sets, then by score; levels take turns, the farthest first."""

    def __init__(self) -> None:
        self._levels: dict[int, list[tuple[float, int, FeatureSet]]] = {}
        self._last, self._count = 0, 0

    def __bool__(self) -> bool:
        return bool(self._levels)

    def put(self, level: int, score: float, node: FeatureSet) -> None:
        """Add a node; of equal ones the first that came goes first."""
        heapq.heappush(self._levels.setdefault(level, []), (-score, self._count, node))
        self._count += 1

    def pop(self) -> FeatureSet:
        """The best node of the level whose turn it is."""
        nearer = [level for level in self._levels if level < self._last]
        self._last = max(nearer or self._levels)
        nodes = self._levels[self._last]
        _, _, node = heapq.heappop(nodes)
        if not nodes:
            del self._levels[self._last]
        return node
