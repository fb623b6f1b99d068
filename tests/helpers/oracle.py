"""Brute force for small problems: the truth that every engine is compared with.

It shares no code with the package. Everything follows from the definitions: all sets of the asked sizes are
listed, those that break a constraint or are ruled out by the quality are struck off, a pair is compatible if
its dissimilarity is at least tau - 1e-9 (in exact fractions), and families of pairwise compatible sets are
enumerated. Two shortcuts keep it fast, and both are obvious: sets are tried from the best to the worst, so the
rest of a family adds at most (sets left) * (next value); and the last set of a family is the best one that is
compatible with all the others. ``test_oracle.py`` checks it against plain enumeration.

It rounds nothing. Doubles are fractions, so all qualities of a problem are whole numbers in one unit; for CFS,
which has a root, to 80 more binary digits than the relevance has. Costs are decimals as they are printed. Optima
are fractions.

Constraints are plain tuples: ``("require", (0, 3))``, ``("forbid", (1,))``, ``("at_most", 2, (0, 3, 5))``,
``("at_least", 1, (0, 3, 5))``, ``("exclusive", (0, 3))``, ``("implies", 0, 3)``, ``("budget", costs, limit)``,
``("budget", costs, limit, groups)`` for groups of features that are paid once, ``("max_similarity", matrix, limit)``,
``("linear", coefficients, lower, upper)`` with None for no bound, ``("custom", "odd sum")`` for
one of ``OWN_CONDITIONS``, ``("size", 2, 4)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np

TOLERANCE = Fraction(1, 10**9)

#: Conditions that a user might write, as text, so that a snippet can hold them.
OWN_CONDITIONS = {
    "odd sum": "lambda S: sum(S) % 2 == 1",
    "not by three": "lambda S: sum(S) % 3 != 0",
    "spread out": "lambda S: all(third > first + 2 for first, third in zip(S, S[2:]))",
    "far ends": "lambda S: max(S) - min(S) >= 3",
    "one or two even": "lambda S: 1 <= sum(j % 2 == 0 for j in S) <= 2",
    "never": "lambda S: False",
}

FeatureSet = tuple[int, ...]
Dissimilarity = Callable[[FeatureSet, FeatureSet], float]


# --- One set ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Numbers:
    """The numbers behind a quality, and which of the definitions goes with them.

    ``kind`` is "additive", "fcbf", "mrmr" or "cfs"; all but the first have a matrix, whose diagonal means nothing. Or
    "linear": a row of the matrix then has the products of a column with all columns, and with the targets.
    """

    kind: str
    relevance: tuple[float, ...]
    matrix: tuple[tuple[float, ...], ...] = ()
    scale: float = 1.0
    min_relevance: float | None = None

    def value(self, chosen: Sequence[int]) -> float:
        """The quality of one set; -inf if the quality rules it out."""
        relevance = math.fsum(self.relevance[j] for j in chosen)
        k = len(chosen)
        if self.kind == "linear":
            exact = WholeNumbers.of(self, k, k)
            return float(exact.value(chosen) * exact.unit)
        if self.kind == "additive":
            return relevance
        if self.kind == "fcbf":
            return -math.inf if self.ruled_out(chosen) else self.scale * relevance
        redundancy = math.fsum(self.matrix[i][j] for i in chosen for j in chosen if i != j)
        if self.kind == "mrmr":
            return relevance / k - (redundancy / (k * (k - 1)) if k > 1 else 0.0)
        if self.kind == "cfs":
            return relevance / math.sqrt(k + redundancy)
        raise ValueError(self.kind)

    def scale_among(self, features: Sequence[int]) -> Fraction:
        """The largest absolute number that matters for these features."""
        if self.min_relevance is not None:
            features = [j for j in features if self.relevance[j] >= self.min_relevance]
        if self.kind == "linear":
            return Fraction(self.value(features)) if features else Fraction(0)
        largest = max((abs(self.relevance[j]) for j in features), default=0.0)
        if self.kind == "mrmr":
            pairs = (abs(self.matrix[i][j]) for i in features for j in features if i != j)
            largest = max(largest, *pairs, 0.0)
        return abs(Fraction(self.scale)) * Fraction(largest)

    def ruled_out(self, chosen: Sequence[int]) -> bool:
        """FCBF: a feature is not relevant enough, or another one of the set predicts it as well as the target does."""
        if self.min_relevance is not None and any(self.relevance[i] < self.min_relevance for i in chosen):
            return True
        return any(self.relevance[i] <= self.matrix[i][j] for i in chosen for j in chosen if i != j)


@cache
def whole_budget(costs: tuple[float, ...], limit: float) -> tuple[list[int], int]:
    """Costs and limit as the decimals that they are printed as, in a unit that makes whole numbers of them."""
    printed = [Fraction(repr(float(number))) for number in (*costs, limit)]
    unit = math.lcm(*(number.denominator for number in printed))
    *whole, most = (int(number * unit) for number in printed)
    return whole, most


@cache
def own_condition(name: str) -> Callable[[FeatureSet], bool]:
    """The function behind one of these names."""
    function: Callable[[FeatureSet], bool] = eval(OWN_CONDITIONS[name])
    return function


def holds(constraint: tuple[Any, ...], chosen: Sequence[int]) -> bool:
    """Whether a set keeps to one constraint."""
    kind, *rest = constraint
    if kind == "require":
        return set(rest[0]) <= set(chosen)
    if kind == "forbid":
        return not set(rest[0]) & set(chosen)
    if kind == "at_most":
        return len(set(rest[1]) & set(chosen)) <= rest[0]
    if kind == "at_least":
        return len(set(rest[1]) & set(chosen)) >= rest[0]
    if kind == "exclusive":
        return len(set(rest[0]) & set(chosen)) <= 1
    if kind == "implies":
        return rest[0] not in chosen or rest[1] in chosen
    if kind == "together":
        return len(set(rest[0]) & set(chosen)) in (0, len(set(rest[0])))
    if kind == "budget":
        costs, limit = whole_budget(tuple(rest[0]), rest[1])
        groups = rest[2] if len(rest) > 2 else ()
        # Of each group only the first feature that is there pays.
        paid = [
            j for j in chosen if not any(j in group and j > min(set(group) & set(chosen)) for group in groups)
        ]
        return sum(costs[j] for j in paid) <= limit
    if kind == "custom":
        return own_condition(rest[0])(tuple(sorted(chosen)))
    if kind == "linear":
        bounds = [0.0 if bound is None else bound for bound in rest[1:]]
        numbers, _ = whole_budget((*rest[0], *bounds), 0.0)
        *coefficients, lower, upper = numbers
        total = sum(coefficients[j] for j in chosen)
        return (rest[1] is None or lower <= total) and (rest[2] is None or total <= upper)
    if kind == "max_similarity":
        return all(rest[0][i][j] <= rest[1] for i in chosen for j in chosen if i != j)
    if kind == "size":
        return rest[0] <= len(chosen) <= rest[1]
    raise ValueError(kind)


def _in_one_unit(numbers: Sequence[float]) -> tuple[list[int], int]:
    """Floats as whole numbers, and what they were multiplied by."""
    ratios = [number.as_integer_ratio() for number in numbers]
    factor = max((below for _, below in ratios), default=1)
    return [above * (factor // below) for above, below in ratios], factor


@dataclass(frozen=True)
class WholeNumbers:
    """The same definitions without rounding: qualities of sets of a few sizes, as multiples of ``unit``."""

    kind: str
    unit: Fraction
    relevance: list[int]
    pairs: list[list[int]]
    of_relevance: dict[int, int]
    of_pairs: dict[int, int]

    #: Binary digits of a ratio beyond those of the relevance.
    DIGITS = 80

    @classmethod
    def of(cls, numbers: Numbers, k_min: int, k_max: int) -> WholeNumbers:
        relevance, factor = _in_one_unit([float(value) for value in numbers.relevance])
        sizes = range(max(k_min, 1), k_max + 1)
        pairs: list[list[int]] = []
        if numbers.kind == "linear":
            n = len(relevance)
            width = len(numbers.matrix[0])
            whole, below = _in_one_unit([value for row in numbers.matrix for value in row])
            rows = [whole[i * width : (i + 1) * width] for i in range(n)]
            return cls("linear", Fraction(1, below << cls.DIGITS), relevance, rows, {}, {})
        if numbers.kind in ("mrmr", "cfs"):
            n = len(relevance)
            flat = [float(numbers.matrix[i][j]) if i != j else 0.0 for i in range(n) for j in range(n)]
            whole, below = _in_one_unit(flat)
            pairs = [[whole[i * n + j] + whole[j * n + i] for j in range(n)] for i in range(n)]
        if numbers.kind == "cfs":
            # Above the line relevance / factor, below it the root of (size * below + pairs) / below.
            return cls("cfs", Fraction(1, factor << cls.DIGITS), relevance, pairs, {}, {0: below})
        if numbers.kind != "mrmr":
            scale = Fraction(numbers.scale) / factor
            return cls(numbers.kind, scale, relevance, pairs, dict.fromkeys(sizes, 1), {})
        common = factor * below // math.gcd(factor, below)
        shares = math.lcm(1, *(k * (k - 1) for k in sizes if k > 1), *sizes)
        of_relevance = {k: common // factor * (shares // k) for k in sizes}
        of_pairs = {k: common // below * (shares // (k * (k - 1))) for k in sizes if k > 1}
        return cls("mrmr", Fraction(1, common * shares), relevance, pairs, of_relevance, of_pairs)

    def value(self, chosen: Sequence[int]) -> int:
        """The quality of one set, rounded down if it is a ratio."""
        if self.kind == "linear":
            return self._explained(chosen)
        upper = sum(map(self.relevance.__getitem__, chosen))
        redundancy = 0
        if self.pairs:
            redundancy = sum(self.pairs[i][j] for i, j in combinations(chosen, 2))
        k = len(chosen)
        if self.kind == "cfs":
            below = self.of_pairs[0]
            square = ((upper * upper * below) << (2 * self.DIGITS)) // (k * below + redundancy)
            return math.isqrt(square) if upper >= 0 else -math.isqrt(square)
        if self.kind == "mrmr" and k > 1:
            return upper * self.of_relevance[k] - redundancy * self.of_pairs[k]
        return upper * self.of_relevance[k]

    def _explained(self, chosen: Sequence[int]) -> int:
        """trace(c' G^-1 c) by elimination without fractions (Bareiss): each step divides by the pivot before."""
        n = len(self.pairs)
        rows = [[self.pairs[i][j] for j in chosen] + self.pairs[i][n:] for i in chosen]
        k = len(rows)
        total, before = Fraction(0), 1
        for step in range(k):
            pivot = rows[step][step]
            total += Fraction(sum(value * value for value in rows[step][k:]), before * pivot)
            for i in range(step + 1, k):
                rows[i] = [
                    (pivot * value - rows[i][step] * above) // before
                    for value, above in zip(rows[i], rows[step], strict=True)
                ]
            before = pivot
        return math.floor(total * 2**self.DIGITS)


# --- Two sets -----------------------------------------------------------------------------------------
def dissimilarity(kind: str, shared: int, size: int, other_size: int) -> Fraction:
    """The definitions of the paper, as exact fractions."""
    if kind == "dice":
        return 1 - Fraction(2 * shared, size + other_size)
    if kind == "jaccard":
        return 1 - Fraction(shared, size + other_size - shared)
    raise ValueError(kind)


@cache
def allowed_overlaps(
    size: int, other_size: int, tau: Fraction | None, min_difference: int | None, kind: str
) -> tuple[bool, ...]:
    """For each number of shared features, whether two sets of these sizes are different enough."""
    smaller = min(size, other_size)
    if min_difference is not None:
        return tuple(smaller - shared >= min_difference for shared in range(smaller + 1))
    assert tau is not None
    return tuple(
        dissimilarity(kind, shared, size, other_size) >= tau - TOLERANCE for shared in range(smaller + 1)
    )


@cache
def all_sets(n: int, k_min: int, k_max: int) -> tuple[list[FeatureSet], np.ndarray, np.ndarray]:
    """All sets of these sizes, how many features each pair shares, and how many features each set has."""
    sets = [chosen for k in range(k_min, k_max + 1) for chosen in combinations(range(n), k)]
    member = np.zeros((len(sets), n), dtype=np.int8)
    for row, chosen in zip(member, sets, strict=True):
        row[list(chosen)] = 1
    return sets, member @ member.T, member.sum(axis=1)


def matched(similarity: Sequence[Sequence[float]], threshold: float | None) -> Dissimilarity:
    """Dice with the largest one-to-one matching as overlap: every matching is tried, set of partners by set."""

    def worth(f: int, g: int) -> float:
        alike = 1.0 if f == g else float(similarity[f][g])
        return alike if threshold is None else float(alike >= threshold)

    @cache
    def apart(first: FeatureSet, second: FeatureSet) -> float:
        best = {0: 0.0}
        for f in first:
            for taken, total in list(best.items()):
                for place, g in enumerate(second):
                    new = taken | 1 << place
                    if new != taken and total + worth(f, g) > best.get(new, -1.0):
                        best[new] = total + worth(f, g)
        return 1 - 2 * max(best.values()) / (len(first) + len(second))

    return apart


def grouped(groups: Sequence[Sequence[int]]) -> Dissimilarity:
    """Dice over the groups that sets touch; a feature without a group is one of its own."""
    group_of = {j: f"group {number}" for number, group in enumerate(groups) for j in group}

    def apart(first: FeatureSet, second: FeatureSet) -> float:
        one, other = ({group_of.get(j, str(j)) for j in chosen} for chosen in (first, second))
        return 1 - 2 * len(one & other) / (len(one) + len(other))

    return apart


# --- All sets -----------------------------------------------------------------------------------------
class Oracle:
    """All optima of one small request, by enumeration.

    Every method returns ``None`` where no solution exists.
    """

    def __init__(
        self,
        numbers: Numbers | Sequence[float],
        n_features: int,
        *,
        tau: Any = None,
        min_difference: int | None = None,
        dissimilarity: str | Dissimilarity = "dice",
        existing: Sequence[Sequence[int]] = (),
        constraints: Sequence[tuple[Any, ...]] = (),
        least: Fraction | None = None,
    ) -> None:
        if not isinstance(numbers, Numbers):
            numbers = Numbers("additive", tuple(float(score) for score in numbers))
        self.numbers, self.n = numbers, len(numbers.relevance)
        self.min_difference = min_difference
        self.dissimilarity = dissimilarity
        self.tau = None if min_difference is not None else Fraction("0.5" if tau is None else tau)
        self.existing = [tuple(sorted(given)) for given in existing]
        self.constraints = list(constraints)
        #: The quality that every set has to have.
        self.least = least
        # A constraint on the size takes the place of n_features; several hold together.
        sizes = [constraint[1:] for constraint in constraints if constraint[0] == "size"]
        self.k_min = max((low for low, _ in sizes), default=n_features)
        self.k_max = min((min(high, self.n) for _, high in sizes), default=n_features)

    def compatible(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """Whether two sets, of any sizes, are different enough."""
        if callable(self.dissimilarity):
            value = self.dissimilarity(tuple(first), tuple(second))
            assert self.tau is not None
            return value >= float(self.tau) - 1e-9
        return self._allowed(len(first), len(second))[len(set(first) & set(second))]

    def _allowed(self, size: int, other_size: int) -> tuple[bool, ...]:
        assert isinstance(self.dissimilarity, str)
        return allowed_overlaps(size, other_size, self.tau, self.min_difference, self.dissimilarity)

    @property
    def max_overlap(self) -> int:
        """How many features two new sets may share (-1: not even none); for sets of one size."""
        assert self.k_min == self.k_max
        allowed = self._allowed(self.k_min, self.k_min)
        return max((shared for shared, fine in enumerate(allowed) if fine), default=-1)

    def value(self, chosen: Sequence[int]) -> float:
        """The quality of one set in floats; -inf if the quality rules it out."""
        return self.numbers.value(chosen)

    def exact(self, chosen: Sequence[int]) -> Fraction:
        """The quality of one set that is not ruled out, as it is before anything is rounded."""
        return self.whole.value(chosen) * self.whole.unit

    @cached_property
    def whole(self) -> WholeNumbers:
        return WholeNumbers.of(self.numbers, self.k_min, self.k_max)

    @cached_property
    def scale(self) -> Fraction:
        """The largest absolute number among the features that can be used: what tolerances are relative to."""
        unusable = {j for kind, *rest in self.constraints if kind == "forbid" for j in rest[0]}
        for kind, *rest in self.constraints:
            if kind == "at_most" and rest[0] == 0:
                unusable.update(rest[1])
            if kind == "budget":
                costs, limit = whole_budget(tuple(rest[0]), rest[1])
                unusable.update(j for j, cost in enumerate(costs) if cost > limit)
        # If a feature is asked for all the same there is no set, and no tolerance that would matter.
        unusable -= {j for kind, *rest in self.constraints if kind == "require" for j in rest[0]}
        return self.numbers.scale_among([j for j in range(self.n) if j not in unusable])

    def _ruled_out(self, chosen: Sequence[int]) -> bool:
        return self.numbers.kind == "fcbf" and self.numbers.ruled_out(chosen)

    def fits(self, chosen: Sequence[int]) -> bool:
        """Whether a set may be chosen at all: sizes, constraints, what the quality and existing sets rule out."""
        return (
            self.k_min <= len(chosen) <= self.k_max
            and all(holds(constraint, chosen) for constraint in self.constraints)
            and not self._ruled_out(chosen)
            and (self.least is None or self.exact(chosen) >= self.least)
            and all(self.compatible(chosen, given) for given in self.existing)
        )

    def complaints(self, sets: Sequence[Sequence[int]]) -> list[str]:
        """What is wrong with a family of sets; empty if it is valid."""
        wrong = []
        for position, chosen in enumerate(sets):
            if tuple(chosen) != tuple(sorted(set(chosen))) or not self.k_min <= len(chosen) <= self.k_max:
                wrong.append(f"set {position} {chosen} is not {self.k_min}..{self.k_max} sorted features")
                continue
            if chosen[0] < 0 or chosen[-1] >= self.n:
                wrong.append(f"set {position} {chosen} is out of range")
                continue
            broken = [constraint for constraint in self.constraints if not holds(constraint, chosen)]
            wrong += [f"set {position} {chosen} breaks {constraint}" for constraint in broken]
            if self._ruled_out(chosen):
                wrong.append(f"set {position} {chosen} is ruled out by the quality")
            elif self.least is not None and self.exact(chosen) < self.least:
                wrong.append(f"set {position} {chosen} is not as good as {float(self.least)}")
            for other in [*sets[:position], *self.existing]:
                if not self.compatible(chosen, other):
                    wrong.append(f"set {position} {chosen} is too similar to {other}")
        return wrong

    # Computed on first use: on large problems only the validity of an answer is asked for.
    @cached_property
    def usable(self) -> tuple[np.ndarray, list[int]]:
        """The sets that may be chosen at all, as rows of ``all_sets`` from best to worst, and their values."""
        sets, _, _ = all_sets(self.n, self.k_min, self.k_max)
        rows = [row for row, chosen in enumerate(sets) if self.fits(chosen)]
        ranked = sorted((-self.whole.value(sets[row]), row) for row in rows)
        return np.array([row for _, row in ranked], dtype=int), [-value for value, _ in ranked]

    def next_best(self, earlier: Sequence[Sequence[int]] = ()) -> Fraction | None:
        """The best quality of one more set, given those before it and the existing ones."""
        sets, _, _ = all_sets(self.n, self.k_min, self.k_max)
        for row, value in zip(*self.usable, strict=True):
            if all(self.compatible(sets[row], other) for other in earlier):
                return value * self.whole.unit
        return None

    def rest_in_turn(self, earlier: Sequence[Sequence[int]], n_sets: int) -> Fraction:
        """The qualities of further sets, up to ``n_sets`` in all, each the best one after those before it."""
        sets, _, _ = all_sets(self.n, self.k_min, self.k_max)
        taken, total = [tuple(chosen) for chosen in earlier], Fraction(0)
        for row, value in zip(*self.usable, strict=True):
            # A set may be taken again where it counts as different from itself.
            while len(taken) < n_sets and all(self.compatible(sets[row], other) for other in taken):
                taken.append(sets[row])
                total += value * self.whole.unit
        return total

    @cached_property
    def graph(self) -> tuple[list[int], list[int]]:
        """Values from the best to the worst, and for each set its compatible sets as a bit mask."""
        rows, values = self.usable
        sets, shared, sizes = all_sets(self.n, self.k_min, self.k_max)
        if callable(self.dissimilarity):
            pairs = [[self.compatible(sets[first], sets[second]) for second in rows] for first in rows]
            return values, _masks(np.array(pairs, dtype=bool).reshape(len(rows), len(rows)))
        spread = self.k_max - self.k_min + 1
        fine = np.zeros((spread, spread, self.k_max + 1), dtype=bool)
        for first, second in np.ndindex(spread, spread):
            allowed = self._allowed(self.k_min + first, self.k_min + second)
            fine[first, second, : len(allowed)] = allowed
        place = sizes[rows] - self.k_min
        return values, _masks(fine[place[:, None], place[None, :], shared[np.ix_(rows, rows)]])

    def best_sum(self, n_sets: int) -> Fraction | None:
        """The largest sum over ``n_sets`` compatible sets."""
        if not self.feasible(n_sets):
            return None
        return self._best_sum(n_sets, len(self.graph[0])) * self.whole.unit

    def _best_sum(self, n_sets: int, usable: int) -> int:
        """The same over the best ``usable`` sets, among which there are enough."""
        values, rows = self.graph
        best: int | None = None

        def descend(candidates: int, left: int, value: int) -> None:
            nonlocal best
            while candidates:
                low = (candidates & -candidates).bit_length() - 1
                if best is not None and value + left * values[low] <= best:
                    return
                if left == 1:
                    best = value + values[low]
                    return
                # A set that may be taken again stays among its own candidates.
                descend(candidates & rows[low], left - 1, value + values[low])
                candidates &= candidates - 1

        descend((1 << usable) - 1, n_sets, 0)
        assert best is not None
        return best

    def best_min(self, n_sets: int) -> tuple[Fraction, Fraction] | None:
        """The largest minimum over ``n_sets`` compatible sets, and the largest sum that goes with it."""
        if not self.feasible(n_sets):
            return None
        values, rows = self.graph
        for last, lowest in enumerate(values):
            # The best sets up to and including `last`, which must be in the family.
            if _has_family(rows[last] & ((2 << last) - 1), n_sets - 1, rows):
                usable = sum(value >= lowest for value in values)
                return lowest * self.whole.unit, self._best_sum(n_sets, usable) * self.whole.unit
        raise AssertionError("feasible, but no family was found")

    def feasible(self, n_sets: int) -> bool:
        """Whether ``n_sets`` pairwise compatible sets exist."""
        plain = self.k_min == self.k_max and isinstance(self.dissimilarity, str)
        if (
            plain
            and self.least is None
            and not (self.existing or self.constraints or self.numbers.kind == "fcbf")
        ):
            return _feasible(self.n, self.k_min, self._allowed(self.k_min, self.k_min), n_sets)
        if n_sets not in self._known:
            _, rows = self.graph
            self._known[n_sets] = _has_family((1 << len(rows)) - 1, n_sets, rows)
        return self._known[n_sets]

    @cached_property
    def _known(self) -> dict[int, bool]:
        return {}

    def max_sets(self, limit: int) -> int:
        """The largest number of sets that exist together, counted up to ``limit``."""
        count = 0
        while count < limit and self.feasible(count + 1):
            count += 1
        return count


def _has_family(candidates: int, left: int, rows: Sequence[int]) -> bool:
    if left == 0:
        return True
    while candidates:
        low = (candidates & -candidates).bit_length() - 1
        if left == 1 or _has_family(candidates & rows[low], left - 1, rows):
            return True
        candidates &= candidates - 1
    return False


@cache
def _feasible(n: int, k: int, allowed: tuple[bool, ...], n_sets: int) -> bool:
    """The same where every set of size k may be chosen: independent of the numbers, hence remembered.

    Renaming the features turns any first set into {0, ..., k-1}, so only families with this set are tried.
    """
    _, shared, _ = all_sets(n, k, k)
    rows = _masks(np.array(allowed)[shared])
    return _has_family(rows[0], n_sets - 1, rows)


def _masks(compatible: np.ndarray) -> list[int]:
    packed = np.packbits(compatible, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
