"""NearBest: the sets that are nearly as good as the best one, in words, as a frame and as JSON."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from altsets import documents
from altsets.display import Shown
from altsets.errors import InputError, UnsupportedError
from altsets.features import whole_number
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.result import Progress, frame_of
from altsets.search.near_best.extent import Range, extent
from altsets.search.near_best.saved import ASKED, Saved, arguments_in
from altsets.search.near_best.summary import CountedSets


class NearBest(CountedSets, documents.Document, Shown):
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

    def range(
        self,
        numbers: Any,
        *,
        time_limit: float | None = None,
        callback: Callable[[Progress], object] | None = None,
    ) -> Range:
        """The least and the largest sum of some numbers, such as costs, among all sets that count.

        Where all sets are known, they are looked through; else exact searches find both ends.

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

        Returns
        -------
        Range
            ``low`` and ``high``, each with its ``value``, a ``set`` that has it, and its ``status``.

        Raises
        ------
        altsets.errors.InputError
            If a number is not finite, a feature does not exist, or there is no near-best set.
        altsets.errors.UnsupportedError
            If this was read from a document, which has nothing to search with, or not all sets of a black box are
            known.

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
        quality, problem = self._searchable
        return extent(
            quality,
            problem,
            self._counted,
            self.threshold,
            numbers,
            certain=self.best_proven or self.nearness.within is None,
            time_limit=time_limit,
            callback=callback,
        )

    @property
    def _searchable(self) -> tuple[Quality, Problem]:
        """What to search with, unless this was read from a document."""
        quality, problem = self._quality, self._problem
        if isinstance(quality, Saved) or isinstance(problem, Saved):
            raise UnsupportedError(
                "this was read from a document, which has nothing to search with; call altsets.near_best again."
            )
        return quality, problem

    @property
    def parameters(self) -> dict[str, Any]:
        """The request as plain numbers and strings."""
        asked = self._problem.parameters()
        return {
            **{name: asked[name] for name in ASKED},
            "within": self.nearness.within,
            "min_quality": self.nearness.min_quality,
        }

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

    def _on_page(self) -> dict[str, Any]:
        return {"near_best": self, "quality": self}

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
            "schema": documents.SCHEMA,
            "count": self.count,
            "exact": self.exact,
            "count_bounds": list(self.count_bounds),
            "best": documents.finite(self.best),
            "best_set": None if self.best_set is None else list(self.best_set),
            "best_proven": self.best_proven,
            "threshold": documents.finite(self.threshold),
            "estimated": self.estimated,
            "estimate": self._counted.estimate and self._counted.estimate.to_dict(),
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

    def to_json(  # type: ignore[override]
        self, n_sets: int = 10, indent: int | None = 2, *, timing: bool = True
    ) -> str:
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
            The same answer, with the sets of the document. Draws and pairs of features are not there.

        Raises
        ------
        altsets.errors.InputError
            If it is not such a document, or it is incomplete.

        Examples
        --------
        >>> import altsets
        >>> from altsets import quality
        >>> near = altsets.near_best(quality.Additive([9, 8, 7, 3]), n_features=2, within=0.25)
        >>> altsets.results.NearBest.from_json(near.to_json())
        NearBest(3 sets of 2 features are within 25 % of the best)
        """
        return super().from_json(text)

    @classmethod
    def _read(cls, found: dict[str, Any]) -> NearBest:
        return cls(**arguments_in(found))
