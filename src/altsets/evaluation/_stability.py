"""Whether other rows would have led to the same features: how often each is chosen, and an index free of chance."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from altsets.problem import FeatureSet

__all__ = [
    "ANY",
    "Shares",
    "StabilityIndex",
    "feature_shares",
    "pair_shares",
    "similar_stability",
    "stability_index",
]

#: The sets of one search.
Run = Sequence[FeatureSet]

#: What stands in the place of a set number for "in any of the sets".
ANY = "any"


@dataclass(frozen=True)
class StabilityIndex:
    """How far sets from different rows agree, beyond chance.

    Attributes
    ----------
    number : int or str
        The number of the set; "any": all features that are in some set.
    index : float
        1: always the same features; 0: no more agreement than sets drawn at random have. nan if it is not defined.
    low, high : float
        Its confidence interval. The sets come from overlapping rows of one table, so it is a rough one.
    n_runs : int
        How many sets were compared.
    similar : float
        The index that counts similar features as the same, as far as they are similar; nan if it is not known.
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
    """The index of Nogueira, Sechidis and Brown (2018) with its interval; sets may differ in size.

    Parameters
    ----------
    number : int or str
        Which set this is.
    chosen : sequence of tuples of int
        The features that were chosen, once for each search.
    n_features_in : int
        How many features there are to choose from.
    confidence : float
        The probability of the interval.

    Examples
    --------
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

    Each feature has a variance over the searches, 1 for chosen and 0 for not; each two have a covariance, which is
    negative if they take turns. The sum of all of these, each times how similar the two are, is the variance that no
    similar feature makes up for. It is divided by what sets of the same sizes have that are drawn at random. 1: always
    the same features, up to similar ones; 0: as by chance. It is the plain index if no two features are alike, and
    likewise if all pairs are equally alike and sets have one size.

    K. Sechidis, K. Papangelou, S. Nogueira, J. Weatherall, G. Brown: On the stability of feature selection in the
    presence of feature correlations. ECML PKDD 2019.

    Parameters
    ----------
    chosen : sequence of tuples of int
        The features that were chosen, once for each search.
    n_features_in : int
        How many features there are to choose from.
    kinship : mapping of (int, int) to float
        How similar two features are, from 0 to 1, the smaller index first; those that were ever chosen will do.
    mean_kinship : float
        How similar two features of the table are on average: that much sets have in common by chance.

    Examples
    --------
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


#: For each feature or pair: the share of searches that chose it, for each set number and for any set.
Shares = dict[tuple[int, ...], dict[int | str, float]]


def feature_shares(runs: Sequence[Run], n_sets: int) -> Shares:
    """How often each feature is chosen, among the searches that found the set.

    Examples
    --------
    >>> feature_shares([[(0, 1), (2, 3)], [(0, 2), (1, 3)]], 2)[(1,)]
    {0: 0.5, 1: 0.5, 'any': 1.0}
    """
    return _shares(runs, n_sets, 1)


def pair_shares(runs: Sequence[Run], n_sets: int) -> Shares:
    """How often each pair of features is chosen together.

    Examples
    --------
    >>> pair_shares([[(0, 1), (2, 3)], [(0, 2), (1, 3)]], 2)[0, 1]
    {0: 0.5, 1: 0.0, 'any': 0.5}
    """
    return _shares(runs, n_sets, 2)


def _shares(runs: Sequence[Run], n_sets: int, size: int) -> Shares:
    parts: dict[int | str, list[set[tuple[int, ...]]]] = {number: [] for number in [*range(n_sets), ANY]}
    for run in runs:
        found = [set(itertools.combinations(sorted(chosen), size)) for chosen in run]
        for number, part in enumerate(found):
            parts[number].append(part)
        parts[ANY].append(set().union(*found))
    counts = {number: Counter(itertools.chain(*chosen)) for number, chosen in parts.items()}
    return {
        key: {
            number: counts[number][key] / len(chosen) if chosen else math.nan
            for number, chosen in parts.items()
        }
        for key in sorted(counts[ANY])
    }
