"""NearBest: the sets that are nearly as good as the best one, in words, as a frame and as JSON."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from altsets import documents
from altsets.arrays import Bools, Floats
from altsets.display import Shown
from altsets.errors import InputError, UnsupportedError
from altsets.features import FeatureNames, whole_number
from altsets.problem import FeatureSet
from altsets.result._counted import CountedSets, Estimate
from altsets.result._near_best_words import explanation_of, headline_of, verdict_on
from altsets.result._range import Range
from altsets.result._result import frame_of
from altsets.result._status import Progress
from altsets.result._verdict import Verdict

#: Fields that a document has as they are.
PLAIN = ("best", "best_set", "best_proven", "threshold", "reason", "stop_reason", "elapsed")
#: The parameters of a search that say which sets are counted.
ASKED = ("n_features_in", "n_features", "sizes", "constraints", "within", "min_quality")


@dataclass(frozen=True, eq=False, repr=False)
class NearBest(CountedSets, documents.Document, Shown):
    """The sets that are nearly as good as the best one; :func:`near_best` makes it.

    Iterating gives the sets from the best down, as sorted tuples of indices, each when it is asked for; the order of
    equal ones is always the same. Where not all sets are known (``n_known``), it ends with the last one that is.

    Attributes
    ----------
    best : float
        The quality of the best set; nan if there is no set at all, or none was found in time.
    best_set : tuple of int or None
        The best set; the first one of several.
    best_proven : bool
        Whether it is proven that no set is better.
    threshold : float
        The least quality that counts; what is equal but for 1e-9 of the problem's scale counts as well.
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
    altsets.find : With ``n_alternatives="max"``, as many of these sets as differ from each other.

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

    _called = "document of near-best sets"
    _mark = "count_bounds", None

    def __iter__(self) -> Iterator[FeatureSet]:
        return self.family.ranked()

    @property
    def headline(self) -> str:
        """How many sets there are, as a clause."""
        return headline_of(self)

    @property
    def verdict(self) -> Verdict:
        """How many sets are nearly the best and what they have in common, in a sentence or two, with cautions."""
        return verdict_on(self)

    def explain(self) -> str:
        """How many sets there are, and what they have in common, in plain words."""
        return explanation_of(self)

    def __repr__(self) -> str:
        return f"NearBest({self.headline})"

    def top(self, n: int) -> list[FeatureSet]:
        """The n best sets as sorted indices, the best one first, or all if there are fewer.

        Parameters
        ----------
        n : int
            How many.
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
        return self.family.draw(wanted, rng)

    def range(
        self,
        numbers: Any,
        *,
        time_limit: float | None = None,
        callback: Callable[[Progress], object] | None = None,
    ) -> Range:
        """The least and the largest sum of some numbers, such as costs, among all sets that count.

        Where all sets are known, they are looked through; else exact searches find both ends. A black box needs to know
        them all, and a document has nothing to search with.

        Parameters
        ----------
        numbers : sequence of float, or mapping from feature to float
            A number for each feature: costs, minutes, 1 for each feature of a group. They may be negative; in a mapping
            (or a pandas Series) by name or index, every feature that is left out counts 0. Sums are exact, as the
            decimals that are printed.
        time_limit : float, default=None
            Seconds for both ends; what is not proven by then says so.
        callback : callable, default=None
            Called with a :class:`Progress` now and then. What it raises ends the search.

        See Also
        --------
        altsets.frontier : With ``against``, what each step of quality buys.

        Examples
        --------
        >>> import altsets
        >>> from altsets import quality
        >>> near = altsets.near_best(quality.Additive([9, 8, 7, 3]), n_features=2, within=0.25)
        >>> costs = near.range([5, 3, 0, 0])
        >>> costs.low.value, costs.low.set, costs.high.value, costs.high.set
        (3.0, (1, 2), 8.0, (0, 1))
        """
        if self.extent is None:
            raise UnsupportedError(
                "this was read from a document, which has nothing to search with; call altsets.near_best again."
            )
        found: Range = self.extent(self, numbers, time_limit=time_limit, callback=callback)
        return found

    def to_frame(self) -> Any:
        """One row for each feature that occurs, the most frequent first (a pandas DataFrame)."""
        order = self.ordered()
        return frame_of(
            {
                "feature": self._names_of(order),
                "index": order,
                "frequency": self.frequencies[order],
                "core": self._always[order],
            }
        )

    def _on_page(self) -> dict[str, Any]:
        return {"near_best": self, "quality": self}

    def to_dict(self, n_sets: int = 10) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary.

        Parameters
        ----------
        n_sets : int, default=10
            How many of the best sets it has.
        """
        order, scores = self.ordered(), self.feature_scores
        plain = documents.plain_fields(self, PLAIN)
        document = {
            "schema": documents.SCHEMA,
            "count": self.count,
            "exact": self.exact,
            "count_bounds": list(self.count_bounds),
            **{name: plain[name] for name in PLAIN[:4]},
            "estimated": self.estimated,
            "estimate": self.estimate and {**self.estimate, "interval": list(self.estimate["interval"])},
            "n_known": self.n_known,
            "features": [
                {"feature": name, "index": index, "frequency": float(self.frequencies[index])}
                for index, name in zip(order, self._names_of(order), strict=True)
            ],
            **{name: getattr(self, name) for name in ("cores", "free", "always", "never")},
            "sets": [
                {
                    "features": self._names_of(chosen),
                    "indices": list(chosen),
                    "quality": self.family.quality_of(chosen),
                }
                for chosen in self.top(n_sets)
            ],
            "feature_names": self.feature_names,
            "feature_scores": None if scores is None else list(map(documents.finite, scores.tolist())),
            "parameters": self.parameters,
            **plain,
        }
        return documents.timed(document)

    def to_json(  # type: ignore[override]
        self, n_sets: int = 10, indent: int | None = 2, *, timing: bool = True
    ) -> str:
        """All but the pairs as one JSON document; nan becomes null.

        Parameters
        ----------
        n_sets : int, default=10
            How many of the best sets it has.
        indent : int or None, default=2
        timing : bool, default=True
            As for other answers.
        """
        return documents.json_of(self.to_dict(n_sets), indent, timing)

    @classmethod
    def _read(cls, found: dict[str, Any]) -> NearBest:
        unknown = {"best": math.nan, "threshold": math.nan}
        plain, asked = documents.fields_in(cls, found, unknown, PLAIN), found["parameters"]
        names = documents.texts(found["feature_names"])
        (low, high), n = documents.whole_numbers(found["count_bounds"]), len(names)
        n_sizes, n_names = len(documents.whole_numbers(asked["sizes"])), len(set(names))
        if asked["n_features_in"] != n or low > high or n_names < n or n_sizes != 2:
            raise ValueError("numbers that belong together differ")
        family = Saved.of(found)
        if any(index >= n for chosen in (*family.qualities, plain["best_set"] or ()) for index in chosen):
            raise ValueError("a set has a feature that does not exist")
        for name in ("within", "min_quality"):
            asked = asked | {name: documents.number_or(asked[name], None)}
        scores, drawn = found["feature_scores"], found["estimate"]
        if scores is not None:
            scores = np.array([documents.number_or(value, math.nan) for value in scores], dtype=np.float64)
            if len(scores) != n:
                raise ValueError("there must be one score for each feature")
        return cls(
            family=family,
            parameters={name: asked[name] for name in ASKED},
            features=FeatureNames.of(names),
            feature_scores=scores,
            estimate=None if drawn is None else asdict(Estimate.from_dict(drawn)),
            **plain,
        )


@dataclass(eq=False)
class Saved:
    """What a document says about the sets: how often features occur, and some of the sets with their qualities."""

    bounds: tuple[int, int]
    n_known: int | None
    estimated: bool
    frequencies: Floats
    masks: dict[str, Bools]
    qualities: dict[FeatureSet, float]

    @classmethod
    def of(cls, document: dict[str, Any]) -> Saved:
        """What is wrong with a document raises one of ``documents.DAMAGED``."""
        names = documents.texts(document["feature_names"])
        place = {name: index for index, name in enumerate(names)}

        def mask(listed: Iterable[str]) -> Bools:
            found = np.zeros(len(names), dtype=bool)
            found[[place[name] for name in listed]] = True
            return found

        shares, known = np.zeros(len(names)), document["n_known"]
        for entry in document["features"]:
            shares[documents.whole_numbers([entry["index"]])] = documents.number(entry["frequency"])
        low, high = documents.whole_numbers(document["count_bounds"])
        return cls(
            bounds=(low, high),
            n_known=None if known is None else documents.whole_numbers([known])[0],
            estimated=bool(document["estimated"]),
            frequencies=shares,
            masks={
                **{name: mask(document[name]) for name in ("cores", "always", "never")},
                "occurring": mask(entry["feature"] for entry in document["features"]),
            },
            qualities={
                documents.whole_numbers(entry["indices"]): documents.number(entry["quality"])
                for entry in document["sets"]
            },
        )

    def shares(self) -> Floats:
        """The fraction of the sets that has each feature."""
        return self.frequencies.copy()

    def pair_shares(self) -> Floats:
        """Not in a document."""
        raise _not_saved("how often pairs of features occur")

    def always(self) -> Bools:
        """The features in all sets."""
        return self.masks["cores"]

    def sometimes(self) -> Bools:
        """The features in at least one set."""
        return self.masks["occurring"]

    def proven(self) -> tuple[Bools, Bools]:
        """The features in all sets and in none."""
        return self.masks["always"], self.masks["never"]

    def draw(self, n: int, rng: np.random.Generator) -> list[FeatureSet]:
        """Not from a document."""
        raise _not_saved("sets to draw from")

    def ranked(self) -> Iterator[FeatureSet]:
        """The sets of the document."""
        return iter(self.qualities)

    def members(self) -> tuple[list[FeatureSet], bool]:
        """The sets of the document, which may not be all."""
        return list(self.qualities), False

    def quality_of(self, chosen: FeatureSet) -> float:
        """As the document has it."""
        return self.qualities[chosen]


def _not_saved(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"this was read from a document, which does not have {what}; call altsets.near_best again."
    )
