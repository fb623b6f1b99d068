"""Importance: what a feature is worth to near-best sets, by the best set without it and the best set with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from altsets import documents
from altsets.constraints import Forbid, Require
from altsets.errors import InputError
from altsets.features import FeatureNames
from altsets.problem import FeatureSet, Problem
from altsets.quality import Quality
from altsets.request import checked_seconds
from altsets.result import Progress, Status, StopReason, Verdict, frame_of, framed
from altsets.search.black_box.evaluations import ExhaustiveEngine
from altsets.search.near_best.families import Counted
from altsets.search.run import Known, Run
from altsets.search.solving import solve
from altsets.wording import counted as number_of
from altsets.wording import list_some, percent

#: Features that the verdict names.
MOST_NAMED = 5
#: Why no set with a condition can be better.
STILL_BEST = "no set is better without this condition either"

CUT_SHORT = {
    StopReason.TIME_LIMIT: "Time ran out before everything was proven; a longer time limit may prove or find more.",
    StopReason.INTERRUPTED: "The search was interrupted; left alone, it may prove or find more.",
}
#: Sets or their absence that are proven.
SETTLED = (Status.OPTIMAL, Status.INFEASIBLE)


@dataclass(frozen=True)
class FeatureImportance(documents.DocumentPart):
    """What one feature is worth; a part of :class:`altsets.Importance`.

    Attributes
    ----------
    feature : str
        Its name.
    index : int
        Its number.
    frequency : float
        The share of the near-best sets that has it.
    best_without : float
        The quality of the best set without it; nan if there is none, or none was found.
    status_without : Status
        ``OPTIMAL``: no set without it is better. ``FEASIBLE``: a better one may exist. ``INFEASIBLE``: there is none.
        ``NOT_FOUND``: whether there is one is not known.
    best_with : float
        The quality of the best set that has it; nan as above.
    status_with : Status
        The same about sets that have it.
    loss : float
        What the best set loses without it: ``best - best_without``. 0 if a set without it is as good, inf if there is
        none, nan if that is not known.
    mean_loss : float
        What a near-best set loses on average if the feature is excluded and the best set without it takes the place of
        those that have it; sets that are no better than that one, or do not have the feature, lose nothing.

    See Also
    --------
    altsets.NearBest.importance : Searches for them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> age = altsets.near_best(scores, n_features=2, within=0.25).importance().features[0]
    >>> age.feature, age.best_with, age.best_without, age.loss, age.status_without
    ('age', 17.0, 15.0, 2.0, <Status.OPTIMAL: 'optimal'>)
    """

    feature: str
    index: int
    frequency: float
    best_without: float
    status_without: Status
    best_with: float
    status_with: Status
    loss: float
    mean_loss: float

    def __eq__(self, other: object) -> bool:
        # Unknown numbers are nan, which is unlike itself.
        return isinstance(other, FeatureImportance) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def _unknown(cls, entry: Any) -> dict[str, float]:
        never = math.inf if entry["status_without"] == Status.INFEASIBLE else math.nan
        return {"best_without": math.nan, "best_with": math.nan, "loss": never, "mean_loss": math.nan}

    @property
    def proven(self) -> bool:
        """Whether both best qualities are proven."""
        return self.status_without in SETTLED and self.status_with in SETTLED


@dataclass(frozen=True)
class Importance(documents.Document):
    """What features are worth to near-best sets; :meth:`altsets.NearBest.importance` makes it.

    Attributes
    ----------
    features : list of FeatureImportance
        The features, those first whose absence costs most.
    best : float
        The quality of the best set.
    estimated : bool
        Whether ``frequency`` and ``mean_loss`` come from a part of the sets.
    stop_reason : str
        Why the search ended: ``"finished"``, ``"time_limit"``, ``"interrupted"`` or ``"engine_limit"``.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets.NearBest.importance : Makes one.
    altsets.what_if : The best set after the loss of a feature, or of a group of them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])
    >>> worth = altsets.near_best(scores, n_features=2, within=0.25).importance()
    >>> worth.names
    ['age', 'height', 'weight']
    >>> print(worth.verdict)
    Without age, the best set loses most: 2 of 17 (12 %).
    No loss without weight.
    Proven for each feature.
    >>> altsets.Importance.from_json(worth.to_json()) == worth
    True
    """

    _called = "document of importances"
    _mark = "importances", None

    features: list[FeatureImportance]
    best: float
    estimated: bool = False
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    @property
    def names(self) -> list[str]:
        """The names of the features, in the same order."""
        return [entry.feature for entry in self.features]

    @property
    def verdict(self) -> Verdict:
        """Which features cost most if they are missing, which cost nothing, and what is proven; with cautions."""
        needed = [entry.feature for entry in self.features if entry.loss == math.inf]
        spared = [entry.feature for entry in self.features if entry.loss == 0]
        proven = sum(entry.proven for entry in self.features)
        said = [
            f"No set exists without {list_some(needed, MOST_NAMED, last='or')}." if needed else "",
            self._worst(),
            f"No loss without {list_some(spared, MOST_NAMED, last='or')}." if spared else "",
        ]
        if proven and proven == len(self.features):
            said.append("Proven for each feature.")
        elif self.features:
            said.append(f"Proven for {proven} of {number_of(len(self.features), 'feature')} only.")
        part = "Frequencies and mean losses come from a part of the sets." if self.estimated else ""
        cautions = (CUT_SHORT.get(self.stop_reason, ""), part)
        return Verdict(tuple(filter(None, said))).add(cautions=cautions)

    def _worst(self) -> str:
        lost = [entry for entry in self.features if 0 < entry.loss < math.inf]
        if not lost:
            return ""
        worst = max(entry.loss for entry in lost)
        named = list_some([entry.feature for entry in lost if entry.loss == worst], MOST_NAMED, last="or")
        share = f" ({percent(worst / self.best)})" if self.best > 0 else ""
        return f"Without {named}, the best set loses most: {worst:.4g} of {self.best:.4g}{share}."

    @framed
    def to_frame(self) -> Any:
        """One row for each feature, those first whose absence costs most.

        The columns are what each of ``features`` knows, by the same names; ``feature`` is the index.

        <frame>
        """
        rows = [asdict(entry) for entry in self.features]
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in COLUMNS}
        for name in ("status_without", "status_with"):
            columns[name] = list(map(str, columns[name]))
        return frame_of(columns).set_index("feature")

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        document = {
            "schema": documents.SCHEMA,
            "best": documents.finite(self.best),
            "importances": [entry.to_dict() for entry in self.features],
            "estimated": self.estimated,
            "stop_reason": str(self.stop_reason),
            "elapsed": self.elapsed,
        }
        return documents.timed(document)

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Importance:
        return cls(
            features=list(map(FeatureImportance.from_dict, found["importances"])),
            best=documents.number_or(found["best"], math.nan),
            estimated=bool(found["estimated"]),
            stop_reason=StopReason(found["stop_reason"]),
            elapsed=documents.number(found["elapsed"]),
        )

    def __repr__(self) -> str:
        proven = sum(entry.proven for entry in self.features)
        return f"Importance({number_of(len(self.features), 'feature')}, {proven} proven)"


COLUMNS = tuple(FeatureImportance.__dataclass_fields__)


# --- The search -------------------------------------------------------------------------------------------------------


def measure(
    quality: Quality,
    problem: Problem,
    counted: Counted,
    features: Sequence[int],
    time_limit: float | None,
    callback: Callable[[Progress], object] | None,
) -> Importance:
    """The importance of features, given the sets that count."""
    if counted.best_set is None:
        raise InputError("there is no set, so no feature is worth anything; see explain().")
    run = Run(checked_seconds(time_limit), callback)
    search = _Importances(quality, problem, counted, run)
    found = []
    with run:
        for number, index in enumerate(features):
            found.append(search.of(index, run.remaining / (len(features) - number)))
    reasons = [reason for reason in search.stop_reasons if reason is not StopReason.FINISHED]
    return Importance(
        features=sorted(found, key=_order),
        best=counted.best,
        estimated=not search.all_known,
        stop_reason=reasons[0] if reasons else StopReason.FINISHED,
        elapsed=run.elapsed,
    )


def _order(entry: FeatureImportance) -> tuple[float, float, float, int]:
    """What costs most first; what is not known comes last."""
    loss = -math.inf if math.isnan(entry.loss) else entry.loss
    with_it = -math.inf if math.isnan(entry.best_with) else entry.best_with
    return -loss, -with_it, -entry.frequency, entry.index


class _Importances:
    """The best sets without and with a feature: from all sets if they are known, else by a search."""

    def __init__(self, quality: Quality, problem: Problem, counted: Counted, run: Run) -> None:
        self._quality, self._problem, self._counted, self._run = quality, problem, counted, run
        self._sets, self.all_known = counted.family.members()
        self._values = np.array([quality.evaluate(chosen) for chosen in self._sets])
        self._holders: dict[int, list[int]] = {}
        for number, chosen in enumerate(self._sets):
            for index in chosen:
                self._holders.setdefault(index, []).append(number)
        self._shares = (
            counted.family.shares() if counted.family.bounds[0] else np.zeros(quality.n_features_in)
        )
        # All sets of a black box have been evaluated if the best one is proven.
        self._engine = ExhaustiveEngine.name if counted.proven and not quality.has_form else "auto"
        self.stop_reasons: list[StopReason] = []

    def of(self, index: int, seconds: float) -> FeatureImportance:
        """The importance of one feature, as far as it goes in this time."""
        has = np.zeros(len(self._sets), dtype=bool)
        has[self._holders.get(index, [])] = True
        without, status_without = self._best(index, ~has, seconds / 2, with_it=False)
        with_it, status_with = self._best(index, has, seconds / 2, with_it=True)
        best = self._counted.best
        loss = math.inf if status_without is Status.INFEASIBLE else max(best - without, 0.0)
        lost = np.where(has, np.maximum(self._values - without, 0.0), 0.0)
        known = len(lost) and not math.isnan(without)
        return FeatureImportance(
            feature=self._quality.names_of([index])[0],
            index=index,
            frequency=float(self._shares[index]),
            best_without=without,
            status_without=status_without,
            best_with=with_it,
            status_with=status_with,
            loss=math.nan if math.isnan(without) and status_without is not Status.INFEASIBLE else loss,
            mean_loss=float(lost.mean()) if known else math.nan,
        )

    def _best(self, index: int, kept: np.ndarray, seconds: float, *, with_it: bool) -> tuple[float, Status]:
        """The best quality of the sets that have a feature, or of those that do not."""
        counted = self._counted
        assert counted.best_set is not None
        if (index in counted.best_set) is with_it:
            return counted.best, Status.OPTIMAL if counted.proven else Status.FEASIBLE
        candidates = np.flatnonzero(kept)
        first = int(candidates[np.argmax(self._values[candidates])]) if len(candidates) else None
        if first is not None and self.all_known and counted.proven:
            return float(self._values[first]), Status.OPTIMAL
        rule = (Require if with_it else Forbid)([index]).resolve(FeatureNames.of_quality(self._quality))
        problem = replace(self._problem, constraints=(*self._problem.constraints, rule))
        known: tuple[FeatureSet, ...] = () if first is None else (self._sets[first],)
        bound = counted.best if counted.proven else math.inf
        turn = self._run.turn(seconds, Known(known, bound, STILL_BEST))
        found = solve(self._quality, problem, turn, self._engine)
        self.stop_reasons.append(found.stop_reason)
        return found.qualities[0] if found.sets else math.nan, found.status
