"""WhatIf: the best set that is left after each of several losses, in words, as a frame and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from altsets import documents
from altsets.display import maker
from altsets.errors import InputError
from altsets.features import one_of
from altsets.problem import FeatureSet
from altsets.result._result import frame_of
from altsets.result._status import Status, StopReason
from altsets.result._verdict import CUT_SHORT, Verdict
from altsets.wording import counted, join_words, list_some, percent, plural

#: Losses that the verdict names, and features of a set that it names.
MOST_NAMED = 5

#: What is left after a loss.
LEFT = {
    Status.OPTIMAL: "proven to be the best",
    Status.FEASIBLE: "a better one may exist",
    Status.INFEASIBLE: "proven that no set is left.",
    Status.NOT_FOUND: "no set was found.",
}
#: Cautions about losses without a set.
WITHOUT = {
    Status.INFEASIBLE: "Without {lost} no set meets all conditions.",
    Status.NOT_FOUND: "No set was found without {lost}.",
}
WORST = "The loss of {lost} {most}. The best set{found} without {it} {keeps}{by}: {named}."
SOME_PROVEN = "Proven for {proven} of {n} sets only: the others may not be the best without what is lost."


@dataclass(frozen=True)
class Loss(documents.DocumentPart):
    """What is left if some features fail; a part of :class:`altsets.results.WhatIf`.

    Attributes
    ----------
    name : str
        The feature or the group that fails.
    features : tuple of int
        The features that are lost with it, as sorted indices.
    named_features : tuple of str
        The same by name.
    set : tuple of int or None
        The best set without them, as sorted indices; None if there is none, or none was found.
    named_set : tuple of str or None
        The same by name.
    quality : float
        The quality of this set; nan without one.
    bound : float
        No set without the lost features has a larger quality; -inf if there is none.
    status : Status
        ``OPTIMAL``: no better set without these features exists. ``FEASIBLE``: a better one may exist.
        ``INFEASIBLE``: there is none at all. ``NOT_FOUND``: whether there is one is not known.
    costs : tuple of float
        What the set costs, one number for each budget.
    intact : tuple of int
        The sets of the answer that have none of the lost features, by number.
    reason : str
        Why there is no set; else empty.

    See Also
    --------
    altsets.what_if : Searches for them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> result = altsets.find(scores, n_features=2, n_alternatives=1, tau=1)
    >>> loss = altsets.what_if(scores, result).losses[0]
    >>> loss.name, loss.named_set, loss.quality, loss.status, loss.intact
    ('age', ('height', 'weight'), 15.0, <Status.OPTIMAL: 'optimal'>, (1,))
    """

    name: str
    features: FeatureSet
    named_features: tuple[str, ...]
    set: FeatureSet | None
    named_set: tuple[str, ...] | None
    quality: float
    bound: float
    status: Status
    costs: tuple[float, ...] = ()
    intact: tuple[int, ...] = ()
    reason: str = ""

    def __eq__(self, other: object) -> bool:
        # Without a set, the quality is nan, which is unlike itself.
        return isinstance(other, Loss) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def from_dict(cls, entry: Any) -> Loss:
        """Read what :meth:`to_dict` wrote; there is a name for each feature of the set."""
        loss = super().from_dict(entry)
        if (loss.set is None) != (loss.named_set is None) or len(loss.set or ()) != len(loss.named_set or ()):
            raise ValueError("a set and its names differ")
        return loss

    @classmethod
    def _unknown(cls, entry: Any) -> dict[str, float]:
        none = -math.inf if entry["status"] == Status.INFEASIBLE else math.inf
        return {"quality": math.nan, "bound": none}


@dataclass(frozen=True)
class WhatIf(documents.Document):
    """The best set that is left after each of several losses; :func:`altsets.what_if` makes it.

    Attributes
    ----------
    named_set : tuple of str
        Set 0 of the answer, with which the others are compared.
    quality : float
        Its quality.
    costs : tuple of float
        What it costs, one number for each budget.
    losses : list of Loss
        One for each feature or group that may fail, in the order in which they were given.
    stop_reason : str
        Why the search ended: ``"finished"``, ``"time_limit"``, ``"interrupted"`` or ``"engine_limit"``.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.what_if : Makes one.
    altsets.Result : The answer that it is about.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> losses = altsets.what_if(scores, altsets.find(scores, n_features=2, n_alternatives=1, tau=1))
    >>> print(losses.explain())
    If age fails: height, weight (quality 15, 88 % of set 0), proven to be the best.
    If height fails: age, weight (quality 16, 94 % of set 0), proven to be the best.
    >>> altsets.results.WhatIf.from_json(losses.to_json()) == losses
    True
    """

    _called = "what-if document"
    _mark = "losses", None
    _written: ClassVar[dict[str, str]] = {"named_set": "features"}

    named_set: tuple[str, ...]
    quality: float
    costs: tuple[float, ...]
    losses: list[Loss]
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    def share(self, loss: Loss) -> float:
        """The part of the quality of set 0 that is left; nan without a set, or if set 0 has no positive quality.

        Parameters
        ----------
        loss : Loss
            One of ``losses``.
        """
        return loss.quality / self.quality if self.quality > 0 else math.nan

    def explain(self) -> str:
        """Say in one line for each loss which set is left, how good it is, and whether that is proven."""
        return "\n".join(f"If {loss.name} fails: {self._left(loss)}" for loss in self.losses)

    def _left(self, loss: Loss) -> str:
        if loss.named_set is None:
            return f"{LEFT[loss.status]} {loss.reason}".rstrip()
        share = self.share(loss)
        of_first = "" if math.isnan(share) or share <= 0 else f", {percent(share)} of set 0"
        price = "".join(f", cost {cost:.6g}" for cost in loss.costs)
        return (
            f"{', '.join(loss.named_set)} (quality {loss.quality:.6g}{of_first}{price}), {LEFT[loss.status]}."
        )

    def replaced(self, loss: Loss) -> str:
        """Which features come into set 0 for what is lost, and which others leave it: ``"weight"``.

        "set 0 is intact" if nothing changes, and empty if no set is left.

        Parameters
        ----------
        loss : Loss
            One of ``losses``.
        """
        if loss.named_set is None:
            return ""
        new = [name for name in loss.named_set if name not in self.named_set]
        gone = [name for name in self.named_set if name not in (*loss.named_set, *loss.named_features)]
        if not new and set(loss.named_set) == set(self.named_set):
            return "set 0 is intact"
        return (", ".join(new) or "nothing") + (f" (also without {join_words(gone)})" if gone else "")

    @property
    def verdict(self) -> Verdict:
        """Which loss costs most, and what is proven, in a few sentences with cautions."""
        left = [loss for loss in self.losses if loss.named_set is not None]
        without = {
            caution: [loss.name for loss in self.losses if loss.status is status]
            for status, caution in WITHOUT.items()
        }
        cautions = [
            caution.format(lost=list_some(lost, MOST_NAMED, last="or"))
            for caution, lost in without.items()
            if lost
        ]
        return Verdict(()).add(
            self._worst(left), _proven(left), cautions=(*cautions, CUT_SHORT.get(self.stop_reason, ""))
        )

    def _worst(self, left: Sequence[Loss]) -> str:
        if not left:
            return ""
        worst = min(left, key=lambda loss: loss.quality)
        assert worst.named_set is not None
        if worst.quality >= self.quality:
            return "No single loss costs any quality."
        share = self.share(worst)
        new = [name for name in worst.named_set if name not in self.named_set]
        equal = [loss.name for loss in left if loss.quality == worst.quality]
        return WORST.format(
            lost=list_some(equal, MOST_NAMED, last="or", hide_one=False),
            most="costs most" if len(left) > 1 else "costs quality",
            found="" if worst.status is Status.OPTIMAL else " found",
            it=plural(len(equal), "it", worst.name),
            keeps=f"keeps {percent(share)} of set 0's score" if share > 0 else f"scores {worst.quality:.4g}",
            by=f", with {list_some(new, MOST_NAMED, last='and', hide_one=False)} in its place" if new else "",
            named=list_some(worst.named_set, MOST_NAMED, hide_one=False),
        )

    def to_frame(self, evaluation: Any = None) -> Any:
        """One row for each loss (a pandas DataFrame): what is lost, the best set without it, and what is proven.

        The columns are ``lost`` (the index), ``features`` (all that are lost), ``replacement`` (the set, or None),
        ``quality``, ``change`` (against set 0), ``status``, ``bound``, ``intact`` (sets of the answer that are not
        affected), and ``cost`` if there was a budget (``cost_0``, ``cost_1`` and so on if there were several). With an
        evaluation also ``set`` (its number there), ``test_`` and the name of each score (the mean on rows that the
        models have not seen), and ``conclusion`` (how it compares with set 0, by the first score).

        Parameters
        ----------
        evaluation : Evaluation, default=None
            What :meth:`evaluate` returned.

        Examples
        --------
        >>> import altsets
        >>> scores = altsets.quality.Additive([9, 8, 7], feature_names=["age", "height", "weight"])
        >>> losses = altsets.what_if(scores, altsets.find(scores, n_features=1, n_alternatives=0))
        >>> print(losses.to_frame()[["replacement", "quality", "change", "status"]])
             replacement  quality  change   status
        lost
        age     [height]      8.0    -1.0  optimal
        """
        columns: dict[str, list[Any]] = {
            "lost": [loss.name for loss in self.losses],
            "features": [list(loss.named_features) for loss in self.losses],
            "replacement": [None if loss.named_set is None else list(loss.named_set) for loss in self.losses],
            "quality": [loss.quality for loss in self.losses],
            "change": [loss.quality - self.quality for loss in self.losses],
            "status": [str(loss.status) for loss in self.losses],
            "bound": [loss.bound for loss in self.losses],
            "intact": [list(loss.intact) for loss in self.losses],
        }
        for number in range(len(self.costs)):
            name = "cost" if len(self.costs) == 1 else f"cost_{number}"
            columns[name] = [loss.costs[number] if loss.costs else math.nan for loss in self.losses]
        if evaluation is not None:
            columns |= self._scores_in(evaluation)
        return frame_of(columns).set_index("lost")

    def selector(self, loss: Loss | str) -> Any:
        """Return a selector of the set that is left after a loss, as a step of a pipeline.

        Parameters
        ----------
        loss : Loss or str
            One of ``losses``, or its name.

        Returns
        -------
        SelectFeatures
            It keeps the columns of this set; it is not fitted, and its fit needs no search.
        """
        if isinstance(loss, str):
            by_name = {one.name: one for one in self.losses}
            loss = by_name[one_of("loss", loss, tuple(by_name))]
        if loss.named_set is None:
            raise InputError(f"there is no set without {loss.name}. {loss.reason}".rstrip())
        return maker("columns")(list(loss.named_set))

    def evaluate(self, X: Any, y: Any, **options: Any) -> Any:
        """Cross-validate set 0 and the sets that replace it; see :func:`altsets.evaluate`.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table with these features.
        y : array-like of shape (n_samples,)
            The target.
        **options : any
            Further parameters of :func:`altsets.evaluate`, such as ``estimator`` and ``scoring``.

        Returns
        -------
        Evaluation
            Of set 0 and each set that is left after some loss, once each, in the order of ``losses``. With
            :meth:`to_frame`, the scores stand beside the losses.
        """
        return maker("evaluate")(self._all_sets, X, y, **options)

    @property
    def _all_sets(self) -> list[tuple[str, ...]]:
        """Set 0 and its replacements, each once."""
        replacements = [loss.named_set for loss in self.losses if loss.named_set is not None]
        return list(dict.fromkeys([self.named_set, *replacements]))

    def _scores_in(self, evaluation: Any) -> dict[str, list[Any]]:
        """The mean score of the set that is left after each loss, and how it compares with set 0."""
        number = {names: place for place, names in enumerate(self._all_sets)}
        if evaluation.n_sets != len(number):
            raise InputError(
                "this is the evaluation of other sets; pass what evaluate() of these losses returned."
            )
        places = [None if loss.named_set is None else number[loss.named_set] for loss in self.losses]
        columns: dict[str, list[Any]] = {"set": places}
        for scorer in evaluation.scorers:
            means = evaluation.mean_scores(scorer)
            columns[f"test_{scorer}"] = [math.nan if place is None else means[place] for place in places]
        first = [entry for entry in evaluation.comparisons if entry.scorer == evaluation.scorers[0]]
        conclusions = {entry.number: entry.conclusion for entry in first}
        columns["conclusion"] = [conclusions.get(place, "") for place in places]
        return columns

    def __repr__(self) -> str:
        proven = sum(loss.status in (Status.OPTIMAL, Status.INFEASIBLE) for loss in self.losses)
        return f"WhatIf({counted(len(self.losses), 'loss', 'losses')}, {proven} proven)"


def _proven(left: Sequence[Loss]) -> str:
    proven = sum(loss.status is Status.OPTIMAL for loss in left)
    if left and proven == len(left):
        each = plural(len(left), "the set is", "each of these sets is")
        return f"Proven: {each} the best without what is lost."
    return SOME_PROVEN.format(proven=proven, n=len(left)) if left else ""
