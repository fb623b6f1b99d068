"""NearBest: the sets that are nearly as good as the best one, in words, as a frame and as JSON."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from altsets import documents
from altsets.arrays import Floats
from altsets.display import renderer
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames, whole_number
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Progress, StopReason, Verdict, frame_of
from altsets.search.good_sets import Nearness
from altsets.search.near_best.families import Counted
from altsets.search.near_best.importance import Importance, measure
from altsets.search.near_best.saved import ASKED, Saved, arguments_in
from altsets.wording import large_count, list_some, paragraph, percent, plural, sentence, span

SCHEMA = 1
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


class NearBest:
    """The sets that are nearly as good as the best one; :func:`near_best` makes it.

    Iterating gives the sets from the best down, as sorted tuples of indices, each when it is asked for; the order of
    equal ones is always the same. Where not all sets are known (``n_known``), it ends with the last one that is.

    Attributes
    ----------
    count : int
        The number of sets; if it is not exact, the number that there are at least.
    exact : bool
        Whether that is the exact number.
    count_bounds : tuple of int
        The number of sets is proven to lie between these two.
    best : float
        The quality of the best set; nan if there is no set at all, or none was found in time.
    best_set : tuple of int or None
        The best set; the first one of several.
    best_proven : bool
        Whether it is proven that no set is better.
    threshold : float
        The least quality that counts; what is equal but for 1e-9 of the problem's scale counts as well.
    n_known : int or None
        None if what is said about features and sets is about all of them. Else it is about so many sets, the best ones:
        there were too many to list them, or there was no time.
    estimated : bool
        Whether frequencies are estimates, from 10,000 sets drawn at random; they are off by more than 0.01 in one of
        twenty cases at most. There are too many sets then to go through them. Those of black boxes are from fewer sets,
        ``estimate["n_counted"]``.
    estimate : dict or None
        Where a black box has too many sets to evaluate them all: ``n_drawn`` sets were drawn at random, ``n_counted``
        of them are good enough, and so the number of all that are is in the ``interval`` with a ``confidence`` of 0.95.
        What is good enough is measured by the best set that is known. Else None.
    reason : str
        Why there is no set at all; else empty.
    stop_reason : str
        Why the count ended: ``"finished"``, ``"time_limit"``, ``"interrupted"`` (Ctrl-C) or ``"engine_limit"`` (too
        many sets to list).
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.near_best : Makes one.
    altsets.plots.near_best : Plot how often each feature occurs.
    altsets.most_sets : As many of these sets as differ from each other.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> near = altsets.near_best(scores, n_features=3, within=0.25)
    >>> near
    NearBest(7 sets of 3 features are within 25 % of the best)
    >>> near.cores, near.free
    ([], ['a', 'b', 'c', 'd', 'e', 'f'])
    >>> near.sample(2, random_state=0) == near.sample(2, random_state=0)
    True
    """

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

    def top(self, n: int) -> list[FeatureSet]:
        """The n best sets, or all if there are fewer.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        list of tuple of int
            Sorted indices, the best set first.
        """
        return list(itertools.islice(self, whole_number("n", n, least=0)))

    def sample(self, n: int = 1, random_state: Any = None) -> list[FeatureSet]:
        """Draw sets uniformly at random; a set may come twice.

        Parameters
        ----------
        n : int, default=1
            How many.
        random_state : int, Generator or None, default=None
            What numpy's ``default_rng`` takes: the same seed gives the same sets.

        Returns
        -------
        list of tuple of int
            Sorted indices.

        Raises
        ------
        altsets.errors.InputError
            If there are no sets to draw from, or ``random_state`` is not a seed.

        Examples
        --------
        >>> import altsets
        >>> from altsets import quality
        >>> altsets.near_best(quality.Additive([1, 1, 1, 0]), n_features=3, within=0).sample(2)
        [(0, 1, 2), (0, 1, 2)]
        """
        wanted = whole_number("n", n, least=0)
        try:
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"random_state={random_state!r} is not a seed; give a whole number from 0 up, or None."
            ) from error
        if self.count_bounds[1] == 0 or self.n_known == 0:
            raise InputError("there are no sets to draw from; see explain().")
        return self._family.draw(wanted, rng)

    def importance(
        self,
        features: Sequence[int | str] | int | str | None = None,
        *,
        time_limit: float | None = None,
        callback: Callable[[Progress], object] | None = None,
    ) -> Importance:
        """What features are worth: the best set without each of them, and the best set with it.

        Where all sets are known, most of it follows from them; the rest is one exact search for each feature.

        Parameters
        ----------
        features : sequence of int or str, int or str, default=None
            Which features, by name, number or pattern; by default those of at least one near-best set.
        time_limit : float, default=None
            Seconds for all of them; what is not proven by then says so.
        callback : callable, default=None
            Called with a :class:`Progress` now and then. What it raises ends the search.

        Returns
        -------
        Importance
            Those features first whose absence costs most.

        Raises
        ------
        altsets.errors.InputError
            If a feature does not exist, or there is no set at all.
        altsets.errors.UnsupportedError
            If this was read from a document, which has nothing to search with.

        See Also
        --------
        altsets.what_if : The best set after the loss of a feature, or of a group of them.

        Examples
        --------
        >>> import altsets
        >>> from altsets import quality
        >>> near = altsets.near_best(quality.Additive([9, 8, 7, 3]), n_features=2, within=0.25)
        >>> [(worth.feature, worth.loss) for worth in near.importance().features]
        [('x0', 2.0), ('x1', 1.0), ('x2', 0.0)]
        """
        quality, problem = self._quality, self._problem
        if isinstance(quality, Saved) or isinstance(problem, Saved):
            raise UnsupportedError(
                "this was read from a document, which has nothing to search with; call altsets.near_best again."
            )
        if features is None:
            wanted = self.ordered()
        else:
            several = [features] if isinstance(features, int | str) else features
            wanted = FeatureNames.of_quality(quality).positions(several, "importance")
        return measure(quality, problem, self._counted, list(dict.fromkeys(wanted)), time_limit, callback)

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
    def parameters(self) -> dict[str, Any]:
        """The request as plain numbers and strings."""
        asked = self._problem.parameters()
        return {
            **{name: asked[name] for name in ASKED},
            "within": self.nearness.within,
            "min_quality": self.nearness.min_quality,
        }

    def ordered(self) -> list[int]:
        """The features that occur, the most frequent ones first."""
        occurring = np.flatnonzero(self._sometimes)
        return occurring[np.lexsort((occurring, -self.frequencies[occurring]))].tolist()  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """One row for each feature that occurs, the most frequent first (a pandas DataFrame)."""
        order = self.ordered()
        columns = {
            "feature": list(self._quality.names_of(order)),
            "index": order,
            "frequency": self.frequencies[order],
            "core": self._always[order],
        }
        return frame_of(columns)

    def report(self, path: Any, *, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with the features and the best sets, for any browser.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        force : bool, default=False
            Whether it may replace another file.
        title : str, default=None
            The heading; by default it says what was counted.

        Returns
        -------
        str
            The path of the file.

        Raises
        ------
        altsets.errors.InputError
            If the name does not end in .html, the file exists and ``force`` is False, or it cannot be written.
        """
        return renderer("report")(path, force=force, near_best=self, quality=self, title=title)

    def _repr_html_(self) -> str:
        return renderer("notebook")(self)

    def to_dict(self, n_sets: int = 10) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary.

        Parameters
        ----------
        n_sets : int, default=10
            How many of the best sets it has.

        Returns
        -------
        dict
            Plain numbers, strings, lists and dictionaries.
        """
        order, best, scores = self.ordered(), self.top(n_sets), self.feature_scores
        document = {
            "schema": SCHEMA,
            "count": self.count,
            "exact": self.exact,
            "count_bounds": list(self.count_bounds),
            "best": documents.finite(self.best),
            "best_set": None if self.best_set is None else list(self.best_set),
            "best_proven": self.best_proven,
            "threshold": documents.finite(self.threshold),
            "estimated": self.estimated,
            "estimate": None
            if self.estimate is None
            else {**self.estimate, "interval": list(self.estimate["interval"])},
            "n_known": self.n_known,
            "features": [
                {"feature": name, "index": index, "frequency": float(self.frequencies[index])}
                for index, name in zip(order, self._quality.names_of(order), strict=True)
            ],
            "cores": self.cores,
            "free": self.free,
            "always": self.always,
            "never": self.never,
            "sets": [
                {
                    "features": list(self._quality.names_of(chosen)),
                    "indices": list(chosen),
                    "quality": self._quality.evaluate(chosen),
                }
                for chosen in best
            ],
            "feature_names": list(self.feature_names),
            "feature_scores": None if scores is None else list(map(documents.finite, scores.tolist())),
            "parameters": self.parameters,
            "reason": self.reason,
            "stop_reason": str(self.stop_reason),
            "elapsed": self.elapsed,
        }
        return documents.timed(document)

    def to_json(self, n_sets: int = 10, indent: int | None = 2, *, timing: bool = True) -> str:
        """All but the pairs as one JSON document; nan becomes null.

        Parameters
        ----------
        n_sets : int, default=10
            How many of the best sets it has.
        indent : int or None, default=2
            Spaces per level; None for one line.
        timing : bool, default=True
            Whether to write how long it took, and when that was, under ``timing``. All else is the same, byte for
            byte, for equal answers.

        Returns
        -------
        str
            The document.
        """
        return documents.json_of(self.to_dict(n_sets), indent, timing)

    @classmethod
    def from_json(cls, text: str) -> NearBest:
        """Read what :meth:`to_json` wrote, or the command line.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        NearBest
            The same answer, with the sets of the document. Draws, pairs of features and importances are not there.

        Raises
        ------
        altsets.errors.InputError
            If it is not such a document, or it is incomplete.

        Examples
        --------
        >>> import altsets
        >>> from altsets import quality
        >>> near = altsets.near_best(quality.Additive([9, 8, 7, 3]), n_features=2, within=0.25)
        >>> altsets.NearBest.from_json(near.to_json())
        NearBest(3 sets of 2 features are within 25 % of the best)
        """
        document = documents.document_in(text)
        if (
            not isinstance(document, dict)
            or document.get("schema") != SCHEMA
            or "count_bounds" not in document
        ):
            raise InputError(f"this is not an altsets document of near-best sets of schema {SCHEMA}.")
        try:
            return cls(**arguments_in(documents.untimed(document)))
        except documents.DAMAGED as error:
            raise InputError(
                f"this altsets document of near-best sets is incomplete or damaged: {error!r}."
            ) from error


def _locked(values: Floats) -> Floats:
    values.setflags(write=False)
    return values


def headline(near: NearBest) -> str:
    """The number of sets as a clause."""
    size = span(near.sizes) if len(near.sizes) else "no"
    kind = f"of {size} {plural(1 if size == '1' else 2, 'feature')}"
    if math.isnan(near.best) and near.exact:
        return f"no set {kind} exists"
    count = _describe_count(near)
    one = count == "1"
    return f"{plural(1 if one else 2, f'{count} set')} {kind} {_describe_nearness(near, one)}"


def _describe_count(near: NearBest) -> str:
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


def _describe_nearness(near: NearBest, one: bool) -> str:
    within, be = near.nearness.within, "is" if one else "are"
    if within is None:
        return f"{'has' if one else 'have'} a quality of at least {near.threshold:.6g}"
    best = "the best" if near.estimate is None else "the best that is known"
    return f"{be} within {100 * within:.6g} % of {best}" if within else f"{be} as good as {best}"


def _describe_best(near: NearBest) -> str:
    if math.isnan(near.best):
        return ""
    least = "" if near.nearness.within is None else f", so {near.threshold:.6g} is enough"
    has = "has" if near.best_proven else "that is known has"
    return f"The best {has} a quality of {near.best:.6g}{least}."


def _about_known(near: NearBest) -> str:
    if near.stop_reason not in CUT_SHORT:
        return ""
    ones = f"; what follows is about the {large_count(near.n_known)} best ones" if near.n_known else ""
    return f"Not all sets were counted: {CUT_SHORT[near.stop_reason]}{ones}."


def _about_draws(near: NearBest) -> str:
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


def _in_common(near: NearBest) -> str:
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


def _describe_features(near: NearBest) -> list[str]:
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
