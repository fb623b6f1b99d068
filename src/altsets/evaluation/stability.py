"""Do other rows lead to the same features? Selection shares, stability indices, substitutions, feature similarity."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.measures import pairwise
from altsets.problem import FeatureSet
from altsets.tables.feature_matrix import Features

#: The sets of one search.
Run = Sequence[FeatureSet]
#: Stands for a set number: features that are in any of the sets.
ANY = "any"
#: Features take each other's place from this similarity on; less is no substitute (a large correlation, after Cohen).
SUBSTITUTE = 0.5
#: The most features whose pairwise similarities are computed.
MOST_RELATED = 200
#: Features from which the mean similarity of all pairs is estimated.
MOST_SAMPLED = 50


@dataclass(frozen=True)
class StabilityIndex:
    """How far sets from different rows agree, beyond chance.

    Attributes
    ----------
    number : int or str
        The number of the set; "any": all features that are in some set.
    index : float
        1: always the same features; 0: as much agreement as random sets have; nan if it is not defined.
    low, high : float
        Its confidence interval. The sets come from overlapping rows of one table, so it is a rough one.
    n_runs : int
        How many sets were compared.
    similar : float
        The index that counts similar features as the same, as far as they are similar; nan if it is not known.

    See Also
    --------
    altsets.results.Evaluation.stability : Computes them.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1)
    >>> found = altsets.evaluate(selector, X, ["no", "yes"] * 15, n_repeats=1).stability()[0]
    >>> found.number, found.index, found.n_runs
    (0, 1.0, 5)
    """

    number: int | str
    index: float
    low: float
    high: float
    n_runs: int
    similar: float = math.nan


def stability_index(
    number: int | str, chosen: Sequence[FeatureSet], n_features_in: int, confidence: float = 0.95
) -> StabilityIndex:
    """Return the index of Nogueira, Sechidis and Brown (2018) for what each search chose; sets may differ in size.

    >>> stability_index(0, [(0, 1), (0, 1), (0, 1)], 10).index
    1.0
    >>> round(stability_index(0, [(0, 1), (0, 2), (0, 1)], 10).index, 3)
    0.583
    """
    from scipy.special import ndtri

    runs = len(chosen)
    mean_size = sum(map(len, chosen)) / runs if runs else 0.0
    used = mean_size / n_features_in
    by_chance = used * (1 - used)
    if runs < 2 or by_chance <= 0:
        return StabilityIndex(number, math.nan, math.nan, math.nan, runs)
    shares = {feature: count / runs for feature, count in Counter(itertools.chain(*chosen)).items()}
    variance = runs / (runs - 1) * math.fsum(share * (1 - share) for share in shares.values())
    index = 1 - variance / n_features_in / by_chance
    # Theorem 7 there: what each of the sets adds to the index.
    parts = []
    for features in chosen:
        size = len(features) / n_features_in
        agreement = math.fsum(shares[feature] for feature in features) / n_features_in
        parts.append((agreement - size * used + index / 2 * (2 * size * used - size - used + 1)) / by_chance)
    middle = math.fsum(parts) / runs
    error = math.sqrt(4 / runs**2 * math.fsum((part - middle) ** 2 for part in parts))
    reach = float(ndtri((1 + confidence) / 2)) * error
    return StabilityIndex(number, index, index - reach, min(1.0, index + reach), runs)


def similar_stability(
    chosen: Sequence[FeatureSet],
    n_features_in: int,
    kinship: Mapping[tuple[int, int], float],
    mean_kinship: float,
) -> float:
    """The index of Sechidis et al. (2019), for which two similar features are nearly the same feature.

    Each feature has a variance over the searches (chosen is 1), each two a covariance, which is negative if they take
    turns. Their sum, each times the similarity of the two, is divided by that of random sets of the same sizes.
    ``kinship`` needs the pairs of chosen features, the smaller index first; ``mean_kinship`` is the mean over the
    table: that much sets have in common by chance.

    >>> turns = [(0, 4), (1, 4), (0, 4), (1, 4)]
    >>> round(similar_stability(turns, 10, {}, 0.0), 3), round(similar_stability(turns, 10, {(0, 1): 0.9}, 0.02), 3)
    (0.583, 0.957)
    """
    runs, count = len(chosen), n_features_in
    if runs < 2 or count < 2:
        return math.nan
    sizes = [len(features) for features in chosen]
    used = sum(sizes) / runs / count
    together = sum(size * (size - 1) for size in sizes) / runs / (count * (count - 1))
    by_chance = count * used * (1 - used) + count * (count - 1) * mean_kinship * (together - used**2)
    if by_chance <= 1e-12:
        return math.nan
    single = Counter(itertools.chain(*chosen))
    pairs = Counter(itertools.chain(*(itertools.combinations(sorted(features), 2) for features in chosen)))
    variance = math.fsum(times / runs * (1 - times / runs) for times in single.values())
    variance += 2 * math.fsum(
        kinship.get(pair, 0.0) * (pairs[pair] / runs - single[pair[0]] * single[pair[1]] / runs**2)
        for pair in itertools.combinations(sorted(single), 2)
    )
    return min(1.0, 1 - runs / (runs - 1) * variance / by_chance)


#: For each feature: the share of searches that chose it, for each set number and for any set.
Shares = dict[tuple[int, ...], dict[int | str, float]]


def shares_of(runs: Sequence[Run], n_sets: int) -> Shares:
    """Return how often each feature is chosen, among the searches that found the set."""
    parts: dict[int | str, list[set[tuple[int, ...]]]] = {number: [] for number in [*range(n_sets), ANY]}
    for run in runs:
        found: list[set[tuple[int, ...]]] = [{(feature,) for feature in chosen} for chosen in run]
        for number, part in enumerate(found):
            parts[number].append(part)
        parts[ANY].append(set().union(*found))
    counts = {number: Counter(itertools.chain(*chosen)) for number, chosen in parts.items()}
    n_runs = {number: len(chosen) or math.nan for number, chosen in parts.items()}
    return {
        key: {number: counts[number][key] / n for number, n in n_runs.items()} for key in sorted(counts[ANY])
    }


# --- Substitutions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Substitutions:
    """Which features take the place of others from set to set.

    Attributes
    ----------
    weights : dict of (int, int) to float
        For two features: how much one takes the place of the other, on average over all pairs of sets. Symmetric.
    shares : dict of int to dict of int to float
        For a feature, those that took its place when one set had it and the other did not: the share of each,
        largest first. Only features with a similarity of at least 0.5 take a place; what is missing to 1 is the share
        of cases in which none did. Empty if there is no substitute at all.
    n_pairs : int
        How many pairs of sets were compared.

    See Also
    --------
    altsets.results.Evaluation.stand_ins : Those of one feature, by name.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> found = altsets.evaluate([[0, 2], [1, 2]], X, ["no", "yes"] * 15, n_repeats=1).substitutions()
    >>> found.shares[0], found.most_swapped()
    ({1: 1.0}, [0, 1])
    """

    weights: dict[tuple[int, int], float]
    shares: dict[int, dict[int, float]]
    n_pairs: int

    def most_swapped(self) -> list[int]:
        """The features that others take the place of, most often first."""
        swapped = {
            feature: math.fsum(self.weights[feature, other] for other in others)
            for feature, others in self.shares.items()
            if others
        }
        return sorted(swapped, key=lambda feature: (-swapped[feature], feature))


def substitutions(
    runs: Sequence[Sequence[tuple[int, ...]]], kinship: Mapping[tuple[int, int], float] | None = None
) -> Substitutions:
    """Compare all pairs of sets of each search; weights add up over searches and pairs of sets.

    Each feature of A without B has at most one partner of B without A, with a similarity of at least 0.5, such that
    the total similarity of partners is largest. Without similarities, all candidates are partners, each with a weight
    of 1 / max(|A without B|, |B without A|).

    >>> found = substitutions([[(0, 1), (0, 2)], [(0, 1), (0, 2), (0, 3)]])
    >>> found.shares[1]
    {2: 0.6666666666666666, 3: 0.3333333333333333}
    >>> substitutions([[(0, 1), (2, 3)]], {(0, 2): 0.1, (0, 3): 0.9, (1, 2): 0.5, (1, 3): 0.8}).shares[1]
    {2: 1.0}
    """
    totals: dict[tuple[int, int], float] = defaultdict(float)
    apart: Counter[int] = Counter()
    n_pairs = 0
    for run in runs:
        for first, second in itertools.combinations(map(set, run), 2):
            n_pairs += 1
            here, there = sorted(first - second), sorted(second - first)
            apart.update([*here, *there])
            for one, other, weight in _partners(here, there, kinship):
                totals[one, other] += weight
                totals[other, one] += weight
    shares: dict[int, dict[int, float]] = {feature: {} for feature in sorted(apart)}
    for (one, other), total in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
        shares[one][other] = total / apart[one]
    weights = {pair: total / n_pairs for pair, total in sorted(totals.items())}
    return Substitutions(weights, shares, n_pairs)


def _partners(
    here: Sequence[int], there: Sequence[int], kinship: Mapping[tuple[int, int], float] | None
) -> list[tuple[int, int, float]]:
    """Return pairs of features that take each other's place, and their weights."""
    from scipy.optimize import linear_sum_assignment

    if not kinship:
        return [(one, other, 1 / max(len(here), len(there))) for one, other in itertools.product(here, there)]
    if not here or not there:
        return []
    pairs = [[(min(one, other), max(one, other)) for other in there] for one in here]
    similar = np.array([[kinship.get(pair, 0.0) for pair in row] for row in pairs])
    similar[similar < SUBSTITUTE] = 0.0
    places = zip(*linear_sum_assignment(similar, maximize=True), strict=True)
    # The assignment pairs all features, also those that are nothing alike.
    return [(here[row], there[column], 1.0) for row, column in places if similar[row, column] > 0]


# --- Similarity of features ---------------------------------------------------------------------------


def kinship_of(
    features: Features, chosen: Sequence[int], weights: Floats | None = None
) -> dict[tuple[int, int], float]:
    """Return how similar chosen features (in ascending order) are, by pair; empty if they are too many."""
    if not 1 < len(chosen) <= MOST_RELATED:
        return {}
    similar = _similarities(features.columns(chosen), weights)
    return {
        (chosen[one], chosen[other]): round(float(similar[one, other]), 6)
        for one, other in itertools.combinations(range(len(chosen)), 2)
    }


def mean_kinship(features: Features, weights: Floats | None, random_state: int) -> float:
    """Return how similar two features of the table are on average; estimated from a sample of a wide table."""
    count = features.n_features
    if count < 2:
        return 0.0
    if count > MOST_SAMPLED:
        drawn = np.random.default_rng(random_state).choice(count, MOST_SAMPLED, replace=False)
        features = features.columns(sorted(drawn.tolist()))
    similar = _similarities(features, weights)
    return round(float(similar[np.triu_indices(len(similar), 1)].mean()), 6)


def _similarities(features: Features, weights: Floats | None) -> Floats:
    """Symmetrical uncertainty, or the absolute rank correlation where it is larger.

    The former handles categories and relations of any form, but is far below 1 for noisy monotone relations.
    """
    similar: Floats = pairwise(features, "symmetrical_uncertainty", sample_weight=weights, warn=False)
    ordered = [index for index in range(features.n_features) if len(features.categories.get(index, ())) <= 2]
    if ordered:
        places = np.ix_(ordered, ordered)
        ranks = _rank_correlations(features.columns(ordered).dense(), weights)
        similar[places] = np.maximum(similar[places], ranks)
    return np.clip(similar, 0.0, 1.0)


def _rank_correlations(values: Floats, weights: Floats | None) -> Floats:
    """Absolute rank correlations over the rows in which both columns are known; each column is ranked on its own."""
    from scipy.stats import rankdata

    known = ~np.isnan(values)
    counted = known if weights is None else known * weights[:, None]
    ranks = np.where(known, rankdata(values, axis=0, nan_policy="omit"), 0.0)
    total = np.maximum(counted.sum(axis=0), math.ulp(0.0))
    centred = np.where(known, ranks - (counted * ranks).sum(axis=0) / total, 0.0)
    products = centred.T @ (centred if weights is None else centred * weights[:, None])
    squares = (counted * centred**2).T @ known
    scale = np.sqrt(squares * squares.T)
    return np.asarray(np.abs(np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)))
