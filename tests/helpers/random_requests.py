"""Requests at random: numbers that make the search hard in different ways, limits, constraints, existing sets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from checks import OWN_DISSIMILARITIES, Request
from oracle import OWN_CONDITIONS

#: Requests for the oracle have at most this many sets of the asked sizes; fewer if each pair costs a call.
MOST_SETS = 500
MOST_SETS_OWN = 90
#: So few sets can be asked for all at once.
FEW_SETS = 15
#: Products of columns of length one have no smaller eigenvalue, where there is no ridge.
NEARLY_SINGULAR = 1e-8

Maker = Callable[[], Any]


def one_of(rng: np.random.Generator, makers: list[Maker]) -> Any:
    """What one of these makes."""
    return makers[rng.integers(len(makers))]()


def random_request(rng: np.random.Generator, large: bool = False, kind: str | None = None) -> Request:
    """One request; small enough for the oracle unless ``large``. A third is additive without constraints, if any is."""
    plain = kind in (None, "additive") and rng.random() < 1 / 3
    own = not plain and not large and rng.random() < 0.12
    alike = not own and rng.random() < 0.25
    most_sets = MOST_SETS_OWN if own or (alike and not large) else MOST_SETS
    while True:
        n = int(rng.integers(12, 41) if large else rng.integers(1 if plain or rng.random() < 0.1 else 4, 15))
        k = int(rng.integers(1, min(n, 8) + 1))
        if large or comb(n, k) <= most_sets:
            break
    constraints: tuple[tuple[Any, ...], ...] = ()
    if not plain and rng.random() < 0.6:
        constraints = random_constraints(rng, n, k, most_sets if not large else comb(n, k) * 2)
    n_alternatives = int(rng.integers(0, 6 if large or comb(n, k) <= 252 else 4))
    if comb(n, k) <= FEW_SETS and rng.random() < 0.3:  # As many as there are, or nearly.
        n_alternatives = int(rng.integers(comb(n, k)))
    if constraints:  # Fewer sets exist.
        n_alternatives = min(n_alternatives, int(rng.integers(0, 6)))
    numbers = {"scores": floats(random_scores(rng, n))} if plain else random_numbers(rng, n, kind)
    if constraints and rng.random() < 0.1:
        constraints = (*constraints, budget_like_scores(rng, numbers["scores"], k))
    searches = ["sequential", "simultaneous", "simultaneous", "simultaneous"]
    if not large:
        searches += ["greedy-replacement", "greedy-balancing", "greedy-depth"] * (rng.random() < 0.3)
    return Request(
        n_features=k,
        n_alternatives=n_alternatives,
        search=str(rng.choice(searches)),
        aggregation=str(rng.choice(["sum", "min"])),
        existing=random_existing(rng, n, k),
        constraints=constraints,
        **(
            likeness := random_likeness(rng, n)
            if alike
            else {"dissimilarity": random_dissimilarity(rng, own)}
        ),
        **random_limit(rng, k, own or likeness["dissimilarity"] == "grouped", alike),
        **numbers,
    )


def random_dissimilarity(rng: np.random.Generator, own: bool) -> str:
    """The name of a dissimilarity, of the package or of one's own."""
    if own:
        return str(rng.choice(list(OWN_DISSIMILARITIES)))
    return "jaccard" if rng.random() < 0.25 else "dice"


def random_likeness(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """A dissimilarity that looks through similarity, or at groups."""
    if rng.random() < 0.3:
        group_of = rng.integers(0, max(2, n // int(rng.integers(1, 5))), n)
        some = [
            np.flatnonzero(group_of == group).tolist()
            for group in range(int(rng.integers(1, group_of.max() + 2)))
        ]
        groups = tuple(tuple(group) for group in some if group)
        return {"dissimilarity": "grouped", "likeness": (groups or ((0,),),)}
    return {"dissimilarity": "matched", "likeness": (*random_similarity(rng, n),)}


def random_similarity(rng: np.random.Generator, n: int) -> tuple[tuple[tuple[float, ...], ...], float | None]:
    """How alike features are, and from when on they count as the same: in cliques, in chains, or at random."""
    groups = rng.integers(0, max(1, n // 3), n)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    kinds: list[Maker] = [
        lambda: np.eye(n),
        lambda: np.ones((n, n)),
        lambda: (groups[:, None] == groups) * 0.9,
        lambda: 1 / (1 + distance),
        lambda: (rng.random((n, n)) < rng.choice([0.05, 0.2, 0.5])) * 0.9,
        lambda: rng.random((n, n)),
        lambda: rng.integers(0, 11, (n, n)) / 10,
        lambda: rng.random((n, n)) ** 4,
    ]
    matrix = np.triu(one_of(rng, kinds), 1)
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, rng.choice([0.0, 1.0]))
    threshold = None if rng.random() < 0.35 else float(rng.choice([0.3, 0.5, 0.9, 1.0]))
    return tuple(floats(row) for row in matrix), threshold


def random_existing(rng: np.random.Generator, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Sets that are given already: mostly none."""
    existing = []
    while rng.random() < 0.15:
        size = k if rng.random() < 0.5 else int(rng.integers(1, n + 1))
        existing.append(some_features(rng, n, size))
    return tuple(existing)


def random_limit(rng: np.random.Generator, k: int, own: bool = False, alike: bool = False) -> dict[str, Any]:
    """How different the sets must be, in one of the forms in which it may be given."""
    part = int(rng.integers(0, k + 1))
    forms: list[Maker] = [
        lambda: {"tau": part / k},
        lambda: {"tau": 1 - (k - part) / k},
        lambda: {"tau": Fraction(part, k)},
        lambda: {"tau": str(round(int(rng.integers(0, 21)) * 0.05, 2))},
        lambda: {"tau": float(rng.random())},
    ]
    if not own:
        forms.append(lambda: {"tau": part / k} if alike else {"min_difference": part})
    limit: dict[str, Any] = one_of(rng, forms)
    return limit


# --- Numbers ------------------------------------------------------------------------------------------
def random_numbers(rng: np.random.Generator, n: int, kind: str | None = None) -> dict[str, Any]:
    """A quality of one kind, or of any."""
    kind = kind or str(rng.choice(["additive", "fcbf", "mrmr", "mrmr", "cfs", "linear"]))
    if kind == "linear":
        return {"kind": kind, "scores": (0.0,) * n, "matrix": random_products(rng, n)}
    scores = random_scores(rng, n)
    if kind == "additive":
        return {"scores": floats(scores)}
    numbers: dict[str, Any] = {"kind": kind, "scores": floats(scores)}
    if kind == "fcbf":
        matrix = random_dependency(rng, scores)
        if rng.random() < 0.3:
            numbers["scale"] = float(1 / (np.abs(scores).sum() or 1.0))
        if rng.random() < 0.2:
            numbers["min_relevance"] = float(np.quantile(scores, rng.random() / 2, method="lower"))
    else:
        matrix = random_redundancy(rng, n)
        if rng.random() < 0.25:
            numbers["scores"] = floats(scores := random_cancelling(rng, n))
        if rng.random() < 0.5:  # Of the same order as the relevance, so that both matter.
            matrix = matrix * (np.abs(scores).max() / (np.abs(matrix).max() or 1.0))
        if kind == "cfs":
            matrix = np.abs(matrix)
    return {**numbers, "matrix": tuple(floats(row) for row in matrix)}


def random_products(rng: np.random.Generator, n: int) -> tuple[tuple[float, ...], ...]:
    """Products of columns with each other and with targets: one, several, classes, or the columns themselves."""
    n_rows = int(rng.integers(2, 3 * n + 3))
    X = (
        rng.normal(size=(n_rows, n))
        if rng.random() < 0.6
        else rng.integers(-2, 3, size=(n_rows, n)).astype(float)
    )
    if n > 1 and rng.random() < 0.5:  # Columns that are alike, nearly the same, or the same.
        first, second = rng.choice(n, 2, replace=False)
        X[:, first] = X[:, second] + rng.choice([1.0, 1e-1, 1e-2, 1e-3, 1e-4, 0.0]) * rng.normal(size=n_rows)
    if n > 2 and rng.random() < 0.1:  # A column that others add up to, or nearly.
        first, *others = rng.choice(n, 3, replace=False)
        X[:, first] = X[:, others].sum(axis=1) + rng.choice([1e-3, 0.0]) * rng.normal(size=n_rows)
    kind = str(rng.choice(["one", "several", "classes", "itself"]))
    if kind == "one":
        T = X @ rng.normal(size=(n, 1)) + rng.normal(size=(n_rows, 1))
    elif kind == "several":
        T = rng.normal(size=(n_rows, int(rng.integers(2, 4)))) + X[:, :1]
    elif kind == "classes":
        codes = rng.integers(0, 3, size=n_rows)
        T = np.linalg.qr(
            (codes[:, None] == np.arange(2)) - np.array([(codes == 0).mean(), (codes == 1).mean()])
        )[0]
    else:
        T = X
    gram = X.T @ X
    gram = (gram + gram.T) / 2
    # More columns than rows, and those that add up to others, need a ridge; those that nearly do can be without.
    lengths = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    singular = np.linalg.eigvalsh(gram / lengths / lengths[:, None])[0] < NEARLY_SINGULAR
    ridge = 0.0 if rng.random() < 0.5 and not singular else float(rng.choice([1e-4, 1e-2, 1.0]))
    gram += ridge * np.eye(n)
    return tuple(floats(np.concatenate(pair)) for pair in zip(gram, X.T @ T, strict=True))


def random_scores(rng: np.random.Generator, n: int) -> np.ndarray:
    """Scores of one of the kinds that make the problem hard in different ways."""
    kinds: list[Maker] = [
        lambda: rng.random(n),
        lambda: np.sort(rng.random(n))[::-1],
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.random(n) * (rng.random(n) < 0.3),
        lambda: rng.integers(1, 4, n) * (rng.random(n) < 0.4).astype(float),
        lambda: -rng.random(n),
        lambda: rng.integers(-3, 4, n).astype(float),
        lambda: rng.standard_normal(n),
        lambda: np.full(n, rng.choice([-1.5, 0.0, 0.1, 1.0])),
        lambda: np.where(np.arange(n) == rng.integers(n), 50.0, rng.random(n)),
        lambda: np.abs(rng.standard_cauchy(n)),
        lambda: rng.random(n) * 1e-6,
        lambda: rng.standard_normal(n) * 1e6,
        lambda: np.where(rng.random(n) < 0.5, rng.integers(-2, 3, n), rng.standard_normal(n) * 100),
        lambda: rng.integers(0, 3, n) + 1e-10 * rng.integers(0, 4, n),
        lambda: rng.integers(0, 10, n) * 0.1,
    ]
    scores: np.ndarray = one_of(rng, kinds)
    return scores


def random_cancelling(rng: np.random.Generator, n: int) -> np.ndarray:
    """Scores that are all negative, or add up to nearly nothing."""
    whole = rng.integers(-3, 4, n) * rng.choice([1.0, 0.1, 1 / 3])
    little = rng.choice([0.0, 1e-3, 1e-5, 1e-7]) * rng.integers(-2, 3, n)
    negative: np.ndarray = -1 - 0.1 * rng.random(n)
    return negative if rng.random() < 0.3 else whole + little


def random_redundancy(rng: np.random.Generator, n: int) -> np.ndarray:
    """How much each feature says about each other: symmetric in half of the cases."""
    shape = (n, n)
    groups = rng.integers(0, max(1, n // 3), n)
    information = rng.random(n) * rng.choice([0.1, 1.0])
    kinds: list[Maker] = [
        lambda: rng.random(shape),
        lambda: rng.integers(0, 4, shape).astype(float),
        lambda: rng.random(shape) * (rng.random(shape) < 0.3),
        lambda: np.zeros(shape),
        lambda: np.full(shape, 0.25),
        # Near-duplicates in groups; mutual information, which is at most that of either with itself; one factor.
        lambda: np.where(groups[:, None] == groups, 1 - 0.1 * rng.random(shape), 0.1 * rng.random(shape)),
        lambda: np.minimum.outer(information, information) * rng.beta(0.5, 2.0, shape),
        lambda: np.outer(information, information),
        # Where features help each other.
        lambda: rng.standard_normal(shape),
        lambda: rng.integers(-2, 3, shape).astype(float),
        lambda: -rng.random(shape),
        lambda: rng.integers(0, 3, shape) + 1e-10 * rng.integers(0, 4, shape),
        lambda: rng.standard_normal(shape) * 1e4,
        lambda: rng.random(shape) * 1e-6,
    ]
    matrix: np.ndarray = one_of(rng, kinds)
    return (matrix + matrix.T) / 2 if rng.random() < 0.5 else matrix


def random_dependency(rng: np.random.Generator, relevance: np.ndarray) -> np.ndarray:
    """A matrix for FCBF with few conflicts or many, some of them by a hair's breadth or exactly at the limit."""
    if rng.random() < 0.2:
        return random_redundancy(rng, len(relevance))
    shape = (len(relevance), len(relevance))
    conflict = rng.random(shape) < rng.choice([0.0, 0.02, 0.1, 0.3, 0.8])
    if rng.random() < 0.3:
        # Cliques of features that all exclude each other.
        groups = rng.integers(0, max(2, len(relevance) // 2), len(relevance))
        conflict = groups[:, None] == groups
    above = rng.choice([0.0, 1e-12, 1.0], shape) * rng.random(shape)
    below = rng.choice([1e-6, 1.0], shape) * (0.01 + rng.random(shape)) * np.maximum(1, np.abs(relevance))
    dependency = relevance[:, None] + np.where(conflict, above, -below)
    return np.minimum(dependency, dependency.T) if rng.random() < 0.2 else dependency


# --- Constraints --------------------------------------------------------------------------------------
def random_constraints(
    rng: np.random.Generator, n: int, k: int, most_sets: int
) -> tuple[tuple[Any, ...], ...]:
    """One to four constraints that can hold together most of the time."""
    group = some_features(rng, n, int(rng.integers(1, n + 1)))
    few = some_features(rng, n, min(n, int(rng.integers(2, 5))))
    kinds: list[Maker] = [
        lambda: (
            "require",
            some_features(rng, n, 1 if rng.random() < 0.8 else int(rng.integers(1, min(n, k + 1) + 1))),
        ),
        lambda: ("forbid", some_features(rng, n, int(rng.integers(1, max(2, n - k + 1))))),
        lambda: ("at_most", int(rng.integers(0, min(k, len(group)) + 1)), group),
        lambda: ("at_least", int(rng.integers(0, min(k, len(group)) + 1)), group),
        lambda: ("exclusive", few),
        lambda: ("implies", *(int(j) for j in rng.integers(0, n, 2))),
        lambda: ("together", few),
        lambda: random_budget(rng, n, k),
        lambda: random_group_budget(rng, n, k),
        lambda: random_linear(rng, n, k),
        lambda: random_max_similarity(rng, n),
        lambda: ("custom", str(rng.choice(list(OWN_CONDITIONS), p=[0.23, 0.23, 0.23, 0.23, 0.06, 0.02]))),
        lambda: random_size(rng, n, k, most_sets),
        lambda: random_size(rng, n, k, most_sets),
    ]
    chosen = [one_of(rng, kinds) for _ in range(int(rng.choice([1, 1, 2, 2, 3, 4])))]
    return tuple(chosen)


def random_budget(rng: np.random.Generator, n: int, k: int) -> tuple[Any, ...]:
    """Costs, and a limit that some sets of k features keep: sometimes exactly what one of them costs."""
    kinds: list[Maker] = [
        lambda: rng.random(n),
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.integers(0, 10, n) * 0.1,
        lambda: np.ones(n),
        lambda: rng.random(n) * 1e4,
    ]
    costs = one_of(rng, kinds)
    cheapest = float(np.sort(costs)[:k].sum())
    some = float(costs[list(some_features(rng, n, k))].sum())
    limit = rng.choice([some, cheapest, (some + cheapest) / 2, 0.9 * cheapest], p=[0.4, 0.15, 0.4, 0.05])
    return ("budget", floats(costs), float(limit))


def budget_like_scores(rng: np.random.Generator, scores: tuple[float, ...], k: int) -> tuple[Any, ...]:
    """What is good is dear: costs that follow the scores, most of them to the last digit."""
    values = np.abs(np.array(scores))
    costs = values if rng.random() < 0.7 else values + 0.1 * rng.random(len(values))
    some = costs[list(some_features(rng, len(costs), k))]
    return ("budget", floats(costs), float(some.sum() * rng.choice([1.0, 1.0, 0.9])))


def random_group_budget(rng: np.random.Generator, n: int, k: int) -> tuple[Any, ...]:
    """Groups that are paid once, some features without one, and a limit that some sets of k features keep."""
    _, by_feature, _ = random_budget(rng, n, k)
    label = rng.integers(0, int(rng.integers(1, n + 1)), n)
    label[rng.random(n) < rng.choice([0.0, 0.3])] = -1
    groups = [np.flatnonzero(label == number).tolist() for number in np.unique(label[label >= 0])]
    costs = list(by_feature)
    for group in groups:
        for j in group:
            costs[j] = by_feature[group[0]]
    some = some_features(rng, n, k)
    paid = {int(label[j]) if label[j] >= 0 else -1 - j: costs[j] for j in some}
    limit = sum(paid.values()) * rng.choice([1.0, 1.0, 0.8, 0.5])
    if not groups:
        return ("budget", tuple(costs), float(limit))
    return ("budget", tuple(costs), float(limit), tuple(map(tuple, groups)))


def random_linear(rng: np.random.Generator, n: int, k: int) -> tuple[Any, ...]:
    """Coefficients of any sign, and bounds that some sets of k features keep: often exactly what one adds up to."""
    kinds: list[Maker] = [
        lambda: rng.integers(-2, 3, n).astype(float),
        lambda: rng.integers(-9, 10, n) * 0.1,
        lambda: rng.standard_normal(n),
        lambda: np.where(rng.random(n) < 0.5, 1.0, -1.0),
        lambda: np.ones(n),
        lambda: rng.integers(-1, 2, n) * 10.0 ** rng.integers(-8, 9, n),
        lambda: -rng.random(n),
    ]
    coefficients = floats(one_of(rng, kinds))
    printed = [Fraction(repr(number)) for number in coefficients]
    sums = sorted(sum(printed[j] for j in some_features(rng, n, k)) for _ in range(2))
    lower, upper = (float(total) for total in sums)
    form = rng.random()
    if form < 0.3:
        return ("linear", coefficients, None, upper)
    return ("linear", coefficients, lower, None if form < 0.6 else upper)


def random_max_similarity(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Features that are alike in clusters or at random, often exactly as alike as the limit."""
    clusters = rng.integers(0, max(1, n // 2), n)
    kinds: list[Maker] = [
        lambda: rng.random((n, n)),
        lambda: rng.integers(0, 5, (n, n)) / 4,
        lambda: (clusters[:, None] == clusters) * 0.95 + 0.04 * rng.random((n, n)),
        lambda: (rng.random((n, n)) < 0.1) * 1.0,
    ]
    matrix = np.triu(one_of(rng, kinds), 1)
    matrix += matrix.T + np.eye(n)
    limit = one_of(rng, [lambda: 0.75, lambda: 0.9, lambda: float(rng.choice(matrix.ravel()))])
    return ("max_similarity", tuple(map(floats, matrix)), float(limit))


def random_size(rng: np.random.Generator, n: int, k: int, most_sets: int) -> tuple[Any, ...]:
    """Sizes around k, as long as there are not too many sets of them."""
    k_min = max(1, k - int(rng.integers(0, 3)))
    k_max = min(n, k + int(rng.integers(0, 3)))
    while sum(comb(n, size) for size in range(k_min, k_max + 1)) > most_sets and k_min < k_max:
        k_min, k_max = (k_min + 1, k_max) if k_min < k else (k_min, k_max - 1)
    # Beyond the number of features it is no limit.
    return ("size", k_min, k_max + 3 if k_max == n and rng.random() < 0.1 else k_max)


def some_features(rng: np.random.Generator, n: int, size: int) -> tuple[int, ...]:
    """A set of this size."""
    return tuple(sorted(int(j) for j in rng.permutation(n)[:size]))


def floats(values: np.ndarray) -> tuple[float, ...]:
    """Numbers of an array as Python's."""
    return tuple(float(value) for value in values)
