"""What near-best sets have in common: their number and their features, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property

import numpy as np

from altsets.arrays import Floats
from altsets.errors import UnsupportedError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import StopReason, Verdict
from altsets.search.good_sets import Nearness
from altsets.search.near_best.families import Counted
from altsets.search.near_best.saved import Saved
from altsets.wording import large_count, list_some, paragraph, percent, plural, sentence, span

#: Features of which there can be a matrix with a number for each pair: a gigabyte.
MOST_PAIRED = 11_000
#: Features that are named before the rest is counted.
MOST_NAMED = 5

CUT_SHORT = {
    StopReason.TIME_LIMIT: "the time limit was reached",
    StopReason.INTERRUPTED: "it was interrupted",
    StopReason.ENGINE_LIMIT: "they are too many to list",
}


ESTIMATES = "Shares are estimates from sets that were drawn at random."


class CountedSets:
    """The sets that count, as far as that can be said without a further search; the base of :class:`NearBest`."""

    def __init__(
        self,
        *,
        quality: Quality | Saved,
        problem: Problem | Saved,
        nearness: Nearness,
        counted: Counted,
        reason: str,
        stop_reason: StopReason,
        elapsed: float,
    ) -> None:
        self._quality, self._counted, self._problem = quality, counted, problem
        self._family = counted.family
        #: What makes a set count.
        self.nearness = nearness
        low, high = counted.family.bounds
        self.count, self.exact, self.count_bounds = low, low == high, (low, high)
        self.best, self.best_set, self.best_proven = counted.best, counted.best_set, counted.proven
        self.threshold = nearness.least(counted.best)
        self.n_known, self.estimated = counted.family.n_known, counted.family.estimated
        self.estimate = None if counted.estimate is None else asdict(counted.estimate)
        self.reason, self.stop_reason, self.elapsed = reason, stop_reason, elapsed

    @cached_property
    def frequencies(self) -> Floats:
        """The share of the sets that has each feature, one number for each."""
        return _locked(self._family.shares())

    @cached_property
    def pair_frequencies(self) -> Floats:
        """The share of the sets that has both of two features, a matrix; its diagonal is ``frequencies``."""
        n = self._problem.n_features_in
        if n > MOST_PAIRED:
            raise UnsupportedError(
                f"the pairs of {n:,} features are too many for a matrix; give a quality of at most {MOST_PAIRED:,}."
            )
        return _locked(self._family.pair_shares())

    @property
    def cores(self) -> list[str]:
        """The features that are in all sets, by name; of estimates, those for which it is proven."""
        return self._named(self._always)

    @property
    def free(self) -> list[str]:
        """The features that are in some sets and not in others, by name."""
        return self._named(self._sometimes & ~self._always)

    @property
    def always(self) -> list[str]:
        """The features that are proven to be in all sets, by name; ``cores`` may be about the known sets alone."""
        return self._named(self._family.proven()[0]) if self.count_bounds[1] else []

    @property
    def never(self) -> list[str]:
        """The features that are proven to be in none of the sets, by name."""
        return self._named(self._family.proven()[1]) if self.count_bounds[1] else []

    @cached_property
    def _always(self) -> np.ndarray:
        return self._family.always()

    @cached_property
    def _sometimes(self) -> np.ndarray:
        return self._family.sometimes()

    def _named(self, chosen: np.ndarray) -> list[str]:
        return list(self._quality.names_of(np.flatnonzero(chosen).tolist()))

    def __iter__(self) -> Iterator[FeatureSet]:
        return self._family.ranked()

    @property
    def verdict(self) -> Verdict:
        """How many sets are nearly the best and what they have in common, in a sentence or two, with cautions."""
        if self.reason:
            return Verdict((self.reason,))
        if self.estimate is not None:
            cautions: tuple[str, ...] = (_about_draws(self),)
        else:
            cut = CUT_SHORT.get(self.stop_reason, "") if self.n_known is not None else ""
            cautions = (
                f"Not all sets were counted: {cut}." if cut else "",
                ESTIMATES if self.estimated else "",
            )
        return Verdict((sentence(headline(self)),)).add(_in_common(self), cautions=cautions)

    def explain(self) -> str:
        """How many sets there are, and what they have in common, in plain words."""
        if self.reason:
            return self.reason
        features = _describe_features(self) if self.count_bounds[0] and self.n_known != 0 else []
        if self.estimate is not None:
            return paragraph(sentence(headline(self)), _describe_best(self), _about_draws(self), *features)
        known = _about_known(self) if self.n_known is not None else ""
        estimated = ESTIMATES if self.estimated else ""
        return paragraph(sentence(headline(self)), _describe_best(self), known, *features, estimated)

    def __repr__(self) -> str:
        return f"NearBest({headline(self)})"

    @property
    def sizes(self) -> range:
        """The sizes that sets may have."""
        return self._problem.sizes

    @property
    def feature_names(self) -> list[str]:
        """The names of all features."""
        return self._quality.feature_names

    @property
    def feature_scores(self) -> Floats | None:
        """What each feature alone is worth; None if only sets can be scored."""
        return self._quality.feature_scores

    @property
    def noise_floor(self) -> Floats | None:
        """What each feature may score by chance; None if that was not measured."""
        return self._quality.noise_floor

    def ordered(self) -> list[int]:
        """The features that occur, the most frequent ones first."""
        occurring = np.flatnonzero(self._sometimes)
        return occurring[np.lexsort((occurring, -self.frequencies[occurring]))].tolist()  # type: ignore[no-any-return]


def _locked(values: Floats) -> Floats:
    values.setflags(write=False)
    return values


def headline(near: CountedSets) -> str:
    """The number of sets as a clause."""
    size = span(near.sizes) if len(near.sizes) else "no"
    kind = f"of {size} {plural(1 if size == '1' else 2, 'feature')}"
    if math.isnan(near.best) and near.exact:
        return f"no set {kind} exists"
    count = _describe_count(near)
    one = count == "1"
    return f"{plural(1 if one else 2, f'{count} set')} {kind} {_describe_nearness(near, one)}"


def _describe_count(near: CountedSets) -> str:
    low, high = map(large_count, near.count_bounds)
    if near.exact:
        return low if near.count else "no"
    if near.estimate is not None:
        low, high = map(large_count, near.estimate["interval"])
        return f"an estimated {low}" if low == high else f"an estimated {low} to {high}"
    if near.n_known is not None and near.count:
        # The other bound is the number of all sets, good or not.
        return f"at least {low}"
    return f"about {low}" if low == high else f"{low} to {high}"


def _describe_nearness(near: CountedSets, one: bool) -> str:
    within, be = near.nearness.within, "is" if one else "are"
    if within is None:
        return f"{'has' if one else 'have'} a quality of at least {near.threshold:.6g}"
    best = "the best" if near.estimate is None else "the best that is known"
    return f"{be} within {100 * within:.6g} % of {best}" if within else f"{be} as good as {best}"


def _describe_best(near: CountedSets) -> str:
    if math.isnan(near.best):
        return ""
    least = "" if near.nearness.within is None else f", so {near.threshold:.6g} is enough"
    has = "has" if near.best_proven else "that is known has"
    return f"The best {has} a quality of {near.best:.6g}{least}."


def _about_known(near: CountedSets) -> str:
    if near.stop_reason not in CUT_SHORT:
        return ""
    ones = f"; what follows is about the {large_count(near.n_known)} best ones" if near.n_known else ""
    return f"Not all sets were counted: {CUT_SHORT[near.stop_reason]}{ones}."


def _about_draws(near: CountedSets) -> str:
    """Where an estimate comes from, and what shares are about."""
    assert near.estimate is not None
    n_drawn, n_counted = near.estimate["n_drawn"], near.estimate["n_counted"]
    cut = CUT_SHORT.get(near.stop_reason, "") if near.stop_reason is not StopReason.ENGINE_LIMIT else ""
    drawn = f"{n_drawn:,} sets were drawn at random{f' before {cut}' if cut else ''}"
    sure = f"the interval holds with {percent(near.estimate['confidence'])} confidence"
    if not n_counted:
        met = "Shares are about sets that the search met, which are no random sample." if near.n_known else ""
        said = f"The number is an estimate: {drawn}, none of them is as good, and {sure}."
        return paragraph(said, met)
    be = plural(n_counted, "is", "are")
    return (
        f"The number and all shares are estimates: {drawn}, {n_counted:,} of them {be} as good, and {sure}."
    )


def _in_common(near: CountedSets) -> str:
    """The features of all sets and the number of features in any, as far as that is certain."""
    if not near.count_bounds[0] or near.n_known == 0 or near.count_bounds == (1, 1):
        return ""
    complete = near.n_known is None and not near.estimated
    cores = list_some([repr(name) for name in near.cores], MOST_NAMED, last="and", hide_one=False)
    in_all = ""
    if cores and near.n_known is None:
        in_all = f"{cores} {plural(len(near.cores), 'is', 'are')} in all of them."
    elif not cores and float(near.frequencies.max()) < 1:
        in_all = "No feature is in all of them."
    some = f"{len(near.ordered())} of {len(near.feature_names)} features are in at least one."
    return paragraph(in_all, some if complete else "")


def _describe_features(near: CountedSets) -> list[str]:
    order, names, shares, cores = near.ordered(), near.feature_names, near.frequencies, near.cores
    quoted = list_some([repr(name) for name in cores], MOST_NAMED, last="and", hide_one=False)
    if near.count_bounds == (1, 1):
        return [f"It has {quoted}."]
    said = [f"{quoted} {plural(len(cores), 'is', 'are')} in all of them."] if cores else []
    in_all = set(cores)
    others = [index for index in order if names[index] not in in_all][:MOST_NAMED]
    parts = [f"{names[index]!r} in {percent(shares[index])}" for index in others]
    if others:
        parts[0] = f"{names[others[0]]!r} is in {percent(shares[others[0]])} of them"
        said.append(list_some(parts, MOST_NAMED, last="and") + ".")
    if not cores and float(shares.max()) < 1:
        said.append("No feature is in all of them.")
    sure = "" if near.estimate is None else "at least "
    return [*said, sentence(f"{sure}{len(order)} of {len(names)} features are in at least one")]
