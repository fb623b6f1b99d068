"""what_if: the best set that is left if a feature or a group of features fails, one exact search for each loss."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from altsets import documents
from altsets.constraints import Budget, Forbid
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import Request, checked_seconds
from altsets.result import Progress, Result, Status, StopReason, Verdict, frame_of
from altsets.search.black_box.greedy_wrapper import Feasibility
from altsets.search.losable import losable
from altsets.search.narrowing import Narrowed
from altsets.search.run import Known, Run
from altsets.search.solving import problem_of, solve, why_no_set
from altsets.wording import counted, join_words, list_some, percent, plural

#: Losses that the verdict names, and features of a set that it names.
MOST_NAMED = 5
#: Relative difference of a quality from that of the result beyond which it is not the same quality.
SAME_QUALITY = 1e-6
#: Why a set is the best without a search of its own.
STILL_BEST = "no set is better even with what is lost"

CUT_SHORT = {
    StopReason.TIME_LIMIT: "Time ran out before everything was proven; a longer time limit may prove or find more.",
    StopReason.INTERRUPTED: "The search was interrupted; left alone, it may prove or find more.",
}


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
    losses : list of Loss
        One for each feature or group that may fail, in the order in which they were given.
    named_set : tuple of str
        Set 0 of the answer, with which the others are compared.
    quality : float
        Its quality.
    costs : tuple of float
        What it costs, one number for each budget.
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

    losses: list[Loss]
    named_set: tuple[str, ...]
    quality: float
    costs: tuple[float, ...] = ()
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    def share(self, loss: Loss) -> float:
        """The part of the quality of set 0 that is left after a loss.

        Parameters
        ----------
        loss : Loss
            One of ``losses``.

        Returns
        -------
        float
            1 if nothing is lost; nan without a set, or if set 0 has no positive quality.
        """
        return loss.quality / self.quality if self.quality > 0 else math.nan

    def explain(self) -> str:
        """Say in one line for each loss which set is left, how good it is, and whether that is proven."""
        return "\n".join(f"If {loss.name} fails: {self._left(loss)}" for loss in self.losses)

    def _left(self, loss: Loss) -> str:
        if loss.named_set is None:
            proven = (
                "proven that no set is left." if loss.status is Status.INFEASIBLE else "no set was found."
            )
            return f"{proven} {loss.reason}".rstrip()
        share = self.share(loss)
        of_first = "" if math.isnan(share) or share <= 0 else f", {percent(share)} of set 0"
        price = "".join(f", cost {cost:.6g}" for cost in loss.costs)
        proof = "proven to be the best" if loss.status is Status.OPTIMAL else "a better one may exist"
        return f"{', '.join(loss.named_set)} (quality {loss.quality:.6g}{of_first}{price}), {proof}."

    def replaced(self, loss: Loss) -> str:
        """Say which features come into set 0 for what is lost, and which others leave it.

        Parameters
        ----------
        loss : Loss
            One of ``losses``.

        Returns
        -------
        str
            Such as ``"weight"``; "set 0 is intact" if nothing changes, and empty if no set is left.
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
        gone = [loss.name for loss in self.losses if loss.status is Status.INFEASIBLE]
        unknown = [loss.name for loss in self.losses if loss.status is Status.NOT_FOUND]
        cautions = (
            f"Without {list_some(gone, MOST_NAMED, last='or')} no set meets all conditions." if gone else "",
            f"No set was found without {list_some(unknown, MOST_NAMED, last='or')}." if unknown else "",
            CUT_SHORT.get(self.stop_reason, ""),
        )
        return Verdict(tuple(filter(None, [self._worst(left), _proven(left)]))).add(cautions=cautions)

    def _worst(self, left: Sequence[Loss]) -> str:
        if not left:
            return ""
        worst = min(left, key=lambda loss: loss.quality)
        assert worst.named_set is not None
        if worst.quality >= self.quality:
            return "No single loss costs any quality."
        share = self.share(worst)
        keeps = f"keeps {percent(share)} of set 0's score" if share > 0 else f"scores {worst.quality:.4g}"
        most = "costs most" if len(left) > 1 else "costs quality"
        named = list_some(worst.named_set, MOST_NAMED, hide_one=False)
        new = [name for name in worst.named_set if name not in self.named_set]
        by = f", with {list_some(new, MOST_NAMED, last='and', hide_one=False)} in its place" if new else ""
        found = "The best set" if worst.status is Status.OPTIMAL else "The best set found"
        equal = [loss.name for loss in left if loss.quality == worst.quality]
        lost = list_some(equal, MOST_NAMED, last="or", hide_one=False)
        without = f"without {plural(len(equal), 'it', worst.name)}"
        return f"The loss of {lost} {most}. {found} {without} {keeps}{by}: {named}."

    def to_frame(self) -> Any:
        """One row for each loss: what is lost, the best set without it, its quality, its cost, and what is proven.

        The columns are ``lost`` (the index), ``features`` (all that are lost), ``replacement`` (the set, or None),
        ``quality``, ``change`` (against set 0), ``status``, ``bound``, ``intact`` (sets of the answer that are not
        affected), and ``cost`` if there was a budget (``cost_0``, ``cost_1`` and so on if there were several).

        Returns
        -------
        pandas.DataFrame

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
        return frame_of(columns).set_index("lost")

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        document = {
            "schema": documents.SCHEMA,
            "features": list(self.named_set),
            "quality": self.quality,
            "costs": list(self.costs),
            "losses": [loss.to_dict() for loss in self.losses],
            "stop_reason": str(self.stop_reason),
            "elapsed": self.elapsed,
        }
        return documents.timed(document)

    @classmethod
    def _read(cls, found: dict[str, Any]) -> WhatIf:
        return cls(
            losses=list(map(Loss.from_dict, found["losses"])),
            named_set=documents.texts(found["features"]),
            quality=documents.number(found["quality"]),
            costs=tuple(map(documents.number, found["costs"])),
            stop_reason=StopReason(found["stop_reason"]),
            elapsed=documents.number(found["elapsed"]),
        )

    def __repr__(self) -> str:
        proven = sum(loss.status in (Status.OPTIMAL, Status.INFEASIBLE) for loss in self.losses)
        return f"WhatIf({counted(len(self.losses), 'loss', 'losses')}, {proven} proven)"


def _proven(left: Sequence[Loss]) -> str:
    proven = sum(loss.status is Status.OPTIMAL for loss in left)
    if not left:
        return ""
    if proven == len(left):
        each = plural(len(left), "the set is", "each of these sets is")
        return f"Proven: {each} the best without what is lost."
    return (
        f"Proven for {proven} of {len(left)} sets only: the others may not be the best without what is lost."
    )


# --- The search -------------------------------------------------------------------------------------------------------


def lose(
    request: Request,
    quality: Quality,
    result: Result,
    features: Sequence[Feature] | str | None = None,
    feature_groups: Any = None,
    time_limit: float | None = None,
    callback: Callable[[Progress], object] | None = None,
) -> WhatIf:
    """The losses for an answer to a request, which has the numbers of a table where it needs them."""
    run = Run(checked_seconds(time_limit), callback)
    refuse_other_quality(quality, result)
    exact = request.engine if request.search in ("sequential", "simultaneous") else "auto"
    single = replace(request.alone(), engine=exact)
    if request.tau == "max" and result.tau is not None:
        single = replace(single, tau=result.tau)
    wanted = losable(request, result, FeatureNames.of_quality(quality), features, feature_groups)
    most_lost = max(len(lost) for _, lost in wanted)
    search = _Losses(quality, problem_of(single, quality), result, exact, run, most_lost)
    losses = []
    with run:
        for number, (name, lost) in enumerate(wanted):
            losses.append(search.lose(name, lost, run.remaining / (len(wanted) - number)))
    return WhatIf(
        losses=losses,
        named_set=result.texts[0],
        quality=result.qualities[0],
        costs=search.costs(result.sets[0]),
        stop_reason=next(
            (reason for reason in search.stop_reasons if reason is not StopReason.FINISHED),
            StopReason.FINISHED,
        ),
        elapsed=run.elapsed,
    )


def refuse_other_quality(quality: Quality, result: Result) -> None:
    """Refuse an answer without sets, and one whose sets have another quality."""
    if not result.sets:
        raise InputError("this result has no sets, so there is nothing that could be lost.")
    n_known = result.parameters.get("n_features_in", quality.n_features_in)
    value, known = math.nan, result.qualities[0]
    if n_known == quality.n_features_in and max(result.sets[0]) < n_known:
        value = quality.evaluate(result.sets[0])
    if not math.isclose(value, known, rel_tol=SAME_QUALITY, abs_tol=SAME_QUALITY * abs(known)):
        raise InputError(
            "this result was not searched with this quality: set 0 has another quality; give the quality of the search."
        )


class _Losses:
    """Searches for the best set after each loss; each takes over what those before have found and proven."""

    def __init__(
        self, quality: Quality, problem: Problem, result: Result, engine: str, run: Run, most_lost: int
    ) -> None:
        self._quality, self._problem, self._engine, self._run = quality, problem, engine, run
        self._answer = result
        is_valid = Feasibility(problem).alone
        self._sets = [chosen for chosen in result.sets if is_valid(frozenset(chosen))]
        #: The features that matter, if these are few of very many.
        self._narrowed = Narrowed.of(
            quality, problem, spare=most_lost, kept=itertools.chain.from_iterable(self._sets)
        )
        #: Without these features, no set is better than this.
        self._bounds: list[tuple[frozenset[int], float]] = []
        alone = len(result.statuses) == 1 or result.parameters.get("search") == "sequential"
        # Beside existing sets, the largest tau comes before the quality.
        alone = alone and not (problem.existing and result.parameters.get("tau") == "max")
        if alone and result.statuses[0] is Status.OPTIMAL:
            self._bounds.append((frozenset(), result.qualities[0]))
        self.stop_reasons: list[StopReason] = []

    def lose(self, name: str, lost: FeatureSet, seconds: float) -> Loss:
        """The best set without some features, as far as it goes in this time."""
        found, chosen = self._without(lost, seconds)
        self._bounds.append((frozenset(lost), found.bound))
        self._sets += [] if chosen is None else [chosen]
        self.stop_reasons.append(found.stop_reason)
        return Loss(
            name=name,
            features=lost,
            named_features=self._quality.names_of(lost),
            set=chosen,
            named_set=None if chosen is None else self._quality.names_of(chosen),
            quality=math.nan if chosen is None else found.qualities[0],
            bound=found.bound,
            status=found.status,
            costs=() if chosen is None else self.costs(chosen),
            intact=tuple(
                number for number, one in enumerate(self._answer.sets) if not set(lost).intersection(one)
            ),
            reason=found.reason,
        )

    def costs(self, chosen: FeatureSet) -> tuple[float, ...]:
        """What a set costs, by each budget."""
        return tuple(one.cost(chosen) for one in self._problem.constraints if isinstance(one, Budget))

    def _without(self, lost: FeatureSet, seconds: float) -> tuple[Result, FeatureSet | None]:
        """The answer of a search without some features, and its set."""
        narrowed, known = self._narrowed, self._known(frozenset(lost))
        problem = _forbidding(self._quality, self._problem, lost)
        if narrowed is None:
            found = solve(self._quality, problem, self._run.turn(seconds, known), self._engine)
            return found, found.sets[0] if found.sets else None
        run = self._run.turn(seconds, replace(known, sets=[narrowed.places(one) for one in known.sets]))
        left = _forbidding(narrowed.quality, narrowed.problem, narrowed.places(lost))
        found = solve(narrowed.quality, left, run, self._engine)
        if found.sets:
            return found, narrowed.named(found.sets[0])
        if found.status is Status.INFEASIBLE:
            # In the names of the user.
            found = replace(found, reason=why_no_set(self._quality, problem, run))
        return found, None

    def _known(self, lost: frozenset[int]) -> Known:
        """The best set so far that is not affected, and what is proven about sets that have lost less."""
        left = [chosen for chosen in self._sets if lost.isdisjoint(chosen)]
        best = max(left, key=self._quality.evaluate, default=None)
        bound = min((bound for less, bound in self._bounds if less <= lost), default=math.inf)
        return Known(() if best is None else (best,), bound, STILL_BEST)


def _forbidding(quality: Quality, problem: Problem, lost: FeatureSet) -> Problem:
    """The problem without some features."""
    if not lost:
        return problem
    without = Forbid(lost).resolve(FeatureNames.of_quality(quality))
    return replace(problem, constraints=(*problem.constraints, without))
