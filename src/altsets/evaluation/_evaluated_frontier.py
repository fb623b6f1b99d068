"""A frontier with cross-validated scores: derived numbers, text, frames, JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from altsets import documents
from altsets.display import Shown, renderer
from altsets.errors import InputError
from altsets.evaluation._evaluation import PLAIN_FIELDS, Evaluation, jsonable, restore_fields
from altsets.evaluation._measured import measurement
from altsets.evaluation.comparison import (
    Comparison,
    Paired,
    adjust,
    against_baseline,
    in_folds,
    interval,
    paired,
)
from altsets.evaluation.folds import Fold
from altsets.result import Result, Status, Verdict
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.wording import counted, plural, score

SCHEMA, KIND = 1, "evaluated frontier"
#: Fields that differ from point to point, are written elsewhere, or play no role here.
NOT_SHARED = ("n_sets", "given", "n_bootstraps", "elapsed", "provenance")
SHARED_FIELDS = tuple(name for name in PLAIN_FIELDS if name not in NOT_SHARED)


@dataclass(frozen=True)
class EvaluatedPoint:
    """One point of a frontier, and how well its sets predict.

    Attributes
    ----------
    point : FrontierPoint
        The sets that were found on all rows, with their certificate.
    evaluation : Evaluation
        The sets that were found on the training rows of each fold, and their scores on the test rows.

    See Also
    --------
    altsets.results.EvaluatedFrontier : All points.
    altsets.results.FrontierPoint : A point without scores.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> found = altsets.evaluate_frontier("f", X, ["no", "yes"] * 15, n_features=1, n_alternatives=1)
    >>> point = found.points[0]
    >>> point.tau, point.score, point.n_found
    (0.0, 1.0, 25)
    """

    point: FrontierPoint
    evaluation: Evaluation

    @property
    def n_features(self) -> int:
        """Features in each set."""
        return self.point.n_features

    @property
    def n_alternatives(self) -> int:
        """Sets besides the first one."""
        return self.point.n_alternatives

    @property
    def tau(self) -> float:
        """The least dissimilarity of two sets."""
        return self.point.tau

    @property
    def result(self) -> Result:
        """The sets that were found on all rows."""
        return self.point.result

    @property
    def status(self) -> Status:
        """The proven status of the sets."""
        return self.point.status

    @measurement
    def fold_scores(self, scorer: str | None = None) -> list[float]:
        """The mean test score of all sets, one per fold; nan where sets are missing.

        <by_scorer>

        Returns
        -------
        list of float
            One number per fold.

        <unknown_scorer>
        """
        by_set = [self.evaluation.scores(number, scorer) for number in range(self.evaluation.n_sets)]
        return [math.fsum(values) / len(values) for values in zip(*by_set, strict=True)]

    @measurement
    def measured(self, scorer: str | None = None) -> Paired:
        """The mean score over folds (as ``difference`` from 0) and its confidence interval.

        <by_scorer>

        Returns
        -------
        Paired
            With ``difference`` (the mean score), ``low`` and ``high``.

        <unknown_scorer>
        """
        scores = self.fold_scores(scorer)
        return paired(scores, [0.0] * len(scores), self.test_per_train, self.evaluation.confidence)[0]

    @property
    def score(self) -> float:
        """The mean test score of all sets, over the folds that have them all; nan if none has."""
        return self.measured().difference

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the score; nan where folds are too few or all alike."""
        found = self.measured()
        return found.low, found.high

    @property
    def worst_score(self) -> float:
        """The mean test score of the set that predicts worst; nan if none has a score."""
        return min(
            (value for value in self.evaluation.mean_scores() if not math.isnan(value)), default=math.nan
        )

    @property
    def n_found(self) -> int:
        """In how many folds all sets were found."""
        return sum(len(fold.sets) == self.evaluation.n_sets for fold in self.evaluation.folds)

    @property
    def test_per_train(self) -> list[float]:
        """Test rows divided by training rows, one per fold."""
        return [fold.n_test / fold.n_train for fold in self.evaluation.folds]

    def __repr__(self) -> str:
        said = f"tau={self.tau:.4g}, n_features={self.n_features}, n_alternatives={self.n_alternatives}"
        return f"EvaluatedPoint({said}, score={self.score:.4g}, {self.status})"


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedFrontier(Shown, documents.Document):
    """A frontier with the cross-validated score of each point; made by :func:`altsets.evaluate_frontier`.

    Attributes
    ----------
    frontier : Frontier
        The sets of all points, found on all rows: what to use.
    evaluations : tuple of Evaluation
        One for each point: its sets, found on the training rows of each fold, and their scores on the test rows. They
        are what :func:`altsets.evaluate` measures, but for the likeness of features.
    elapsed : float
        Seconds.
    provenance : dict
        Where the numbers come from: versions, the data with their hash, task, seed, time.

    See Also
    --------
    altsets.evaluate_frontier : Makes one.
    altsets.results.EvaluatedPoint : One point of it.
    altsets.results.Frontier : The same without scores.
    altsets.plots.frontier_scores : Plot it.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = altsets.evaluate_frontier("f", X, y, n_features=[2, 4], n_alternatives=1, taus=[0, 1])
    >>> found
    EvaluatedFrontier(4 points, 25 folds; matthews_corrcoef: 0.740 to 0.849; baseline 0.000)
    >>> [(point.n_features, point.tau, round(point.score, 3)) for point in found]
    [(2, 0.0, 0.74), (2, 1.0, 0.764), (4, 0.0, 0.849), (4, 1.0, 0.836)]
    >>> altsets.results.EvaluatedFrontier.from_json(found.to_json()) == found
    True
    """

    frontier: Frontier
    evaluations: tuple[Evaluation, ...]
    elapsed: float = 0.0
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def points(self) -> list[EvaluatedPoint]:
        """One for each point of the frontier, in its order."""
        return list(map(EvaluatedPoint, self.frontier.points, self.evaluations))

    def __iter__(self) -> Iterator[EvaluatedPoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def any_evaluation(self) -> Evaluation:
        """The evaluation of the first point; folds, scorers and baseline are the same at all points."""
        return self.evaluations[0]

    @property
    def n_folds(self) -> int:
        """The number of requested folds."""
        return self.any_evaluation.n_folds

    @property
    def complete(self) -> bool:
        """Whether all folds were done; False after Ctrl-C."""
        return self.any_evaluation.complete

    @property
    def baseline(self) -> float:
        """The mean test score, by the first scorer, of a dummy model, without features; nan if it has none."""
        return self.any_evaluation.baseline

    @cached_property
    def against_baseline(self) -> list[Comparison]:
        """Each point compared with the baseline over the folds, by the first score; numbered in their order."""
        shared = self.any_evaluation
        scorer = shared.scorers[0]
        return adjust(
            [
                against_baseline(
                    scorer,
                    number,
                    point.fold_scores(),
                    shared.baseline_scores(),
                    point.test_per_train,
                    guess=shared.guess(),
                    confidence=shared.confidence,
                )
                for number, point in enumerate(self.points)
            ]
        )

    @cached_property
    def best(self) -> EvaluatedPoint | None:
        """The point with the highest score, of those whose sets were found in all folds; None if there is none."""
        known = [point for point in self.points if _found_everywhere(point) and not math.isnan(point.score)]
        return max(known, key=lambda point: point.score, default=None)

    @cached_property
    def without_loss(self) -> list[EvaluatedPoint]:
        """The points that predict better than the baseline, and not worse than the best point as far as folds tell."""
        best = self.best
        if best is None:
            return []
        good = {entry.number for entry in self.against_baseline if entry.beats_baseline}
        return [
            point
            for number, point in enumerate(self.points)
            if number in good and _found_everywhere(point) and not _is_worse(point, best)
        ]

    @property
    def smallest(self) -> EvaluatedPoint | None:
        """Of the points without a loss that is sure, one with the fewest features; then most sets, largest tau."""
        return min(
            self.without_loss,
            key=lambda point: (point.n_features, -point.n_alternatives, -point.tau),
            default=None,
        )

    @property
    def most_different(self) -> EvaluatedPoint | None:
        """Of the points without a loss that is sure, one with the largest tau; then most sets, fewest features."""
        return min(
            self.without_loss,
            key=lambda point: (-point.tau, -point.n_alternatives, point.n_features),
            default=None,
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict on the frontier, with how far no loss in prediction was shown, and cautions."""
        good = any(entry.beats_baseline for entry in self.against_baseline)
        done = (
            f"The evaluation was interrupted after {len(self.any_evaluation.folds)} of {self.n_folds} folds."
        )
        far = (
            []
            if self.best is None
            else [f"Prediction: {one[:1].lower()}{one[1:]}" for one in _how_far(self, self.best)]
        )
        cautions = ("" if good else _baseline_sentence(self), "" if self.complete else done)
        return self.frontier.verdict.add(*far, cautions=cautions)

    def explain(self) -> str:
        """Summarise the search, its proofs, the points that beat the baseline, and those where no loss was shown."""
        return " ".join([self.frontier.explain(), *_sentences(self)])

    def scores_in_words(self) -> str:
        """Which points predict better than the baseline, and for which no loss was shown."""
        return " ".join(_sentences(self))

    def report(self, path: Any, *, quality: Any = None, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with charts and all points, for any browser.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        quality : Quality, default=None
            What was searched with: it knows the scores of all features.
        title : str, default=None
            The heading; by default it says what was searched.
        force : bool, default=False
            Whether it may replace another file.

        Returns
        -------
        str
            The path of the file.

        Raises
        ------
        altsets.errors.InputError
            If the name does not end in .html, the file exists and ``force`` is False, or it cannot be written.
        """
        return renderer("report")(path, force=force, frontier=self, quality=quality, title=title)

    def __repr__(self) -> str:
        shared = self.any_evaluation
        scores = sorted(point.score for point in self if point.score == point.score)
        span = f"{score(scores[0])} to {score(scores[-1])}" if scores else "no scores"
        done = "" if self.complete else f" of {self.n_folds}, interrupted"
        folds = f"{len(self)} points, {len(shared.folds)} folds{done}"
        return f"EvaluatedFrontier({folds}; {shared.scorers[0]}: {span}; baseline {score(self.baseline)})"

    def to_frame(self) -> Any:
        """The frame of the frontier with scores beside it, one row for each point (a pandas DataFrame).

        For each scorer: ``test_`` is the mean test score of all sets, ``low_`` and ``high_`` its confidence interval,
        ``baseline_`` that of a dummy model, without features. ``n_found`` is the number of folds that have all sets.
        """
        frame = self.frontier.to_frame()
        baselines = self.any_evaluation.baselines()
        for name in self.any_evaluation.scorers:
            measured = [point.measured(name) for point in self]
            frame[f"test_{name}"] = [found.difference for found in measured]
            frame[f"low_{name}"] = [found.low for found in measured]
            frame[f"high_{name}"] = [found.high for found in measured]
            frame[f"baseline_{name}"] = baselines[name]
        frame["n_found"] = [point.n_found for point in self]
        return frame

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes: that of the frontier, with scores."""
        document = self.frontier.to_dict()
        for entry, point in zip(document["points"], self.points, strict=True):
            low, high = point.interval
            known = {"score": point.score, "low": low, "high": high, "worst_score": point.worst_score}
            folds = point.evaluation.fold_entries()
            entry |= jsonable(known | {"n_found": point.n_found, "folds": folds})
        shared = self.any_evaluation
        scores = {name: getattr(shared, name) for name in SHARED_FIELDS} | {
            "complete": self.complete,
            "baseline": self.baseline,
            "baselines": shared.baselines(),
            "elapsed": self.elapsed,
            "provenance": self.provenance,
            "summary": self.explain(),
        }
        return document | {"schema": SCHEMA, "kind": KIND, "evaluation": documents.timed(jsonable(scores))}

    @classmethod
    def from_json(cls, text: str) -> EvaluatedFrontier:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            The document.

        Returns
        -------
        EvaluatedFrontier
            The same frontier with its scores.

        Raises
        ------
        altsets.errors.InputError
            If it is not such a document, or it is incomplete.
        """
        document = documents.document_in(text)
        found = document if isinstance(document, dict) else {}
        if (found.get("schema"), found.get("kind")) != (SCHEMA, KIND):
            raise InputError(
                f"this is not an altsets evaluated frontier of schema {SCHEMA} (found kind {found.get('kind')!r})."
            )
        try:
            frontier = Frontier.from_json(json.dumps(found | {"kind": "frontier"}))
            scores = documents.untimed(found["evaluation"])
            evaluated = cls(
                frontier,
                tuple(_evaluation_in(entry, scores) for entry in found["points"]),
                documents.number(scores["elapsed"]),
                dict(scores["provenance"].items()),
            )
            # Inconsistent fields fail here.
            evaluated.to_dict()
            return evaluated
        except documents.DAMAGED as error:
            raise InputError(f"this altsets frontier is incomplete or damaged: {error!r}.") from error

    def __eq__(self, other: object) -> bool:
        """Whether both have measured the same; when, and how long it took, does not count, and nan is like nan."""
        if not isinstance(other, EvaluatedFrontier):
            return NotImplemented
        return self.frontier == other.frontier and self.evaluations == other.evaluations

    __hash__ = None  # type: ignore[assignment]


def _found_everywhere(point: EvaluatedPoint) -> bool:
    """Whether all sets were found in all folds."""
    return 0 < point.n_found == len(point.evaluation.folds)


def _is_worse(point: EvaluatedPoint, best: EvaluatedPoint) -> bool:
    """Whether a loss was shown: the interval of the difference lies below 0, or it is the same in several folds."""
    found, n_folds = paired(
        point.fold_scores(), best.fold_scores(), point.test_per_train, point.evaluation.confidence
    )
    if math.isnan(found.p_value):
        return n_folds > 1 and found.difference < 0
    return found.high < 0


def _evaluation_in(entry: dict[str, Any], scores: dict[str, Any]) -> Evaluation:
    """The evaluation of one point in a document."""
    names: dict[int, str] = {}
    folds = tuple(Fold(**restore_fields(fold, names)) for fold in entry["folds"])
    plain = {name: scores[name] for name in SHARED_FIELDS} | {"scorers": documents.texts(scores["scorers"])}
    return Evaluation(
        folds=folds,
        resamples=(),
        n_sets=documents.whole_numbers([entry["n_alternatives"]])[0] + 1,
        names=dict(sorted(names.items())),
        given=False,
        **plain,
    )


# --- Sentences ----------------------------------------------------------------------------------------


def _sentences(found: EvaluatedFrontier) -> list[str]:
    """Summarise the evaluation, whether any point beats the baseline, and for which points no loss was shown."""
    shared, best = found.any_evaluation, found.best
    how = f"{shared.parameters.get('splits', 'cross-validation')}, model {shared.parameters.get('model', 'tree')}"
    sentences = []
    if not found.complete:
        sentences.append(f"Interrupted: {len(shared.folds)} of {found.n_folds} folds were done.")
    if best is None:
        return [*sentences, f"No point has a score ({how})."]
    measured = best.measured()
    sure = "" if math.isnan(measured.low) else f", {interval(measured, shared.confidence)}"
    sentences.append(
        f"Cross-validated ({how}), {shared.scorers[0]} is best at {_name_point(found, best)}: "
        f"{score(best.score)}{sure}; "
        f"the baseline, {shared.guess()}, has {score(found.baseline)}."
    )
    return [*sentences, _baseline_sentence(found), *_how_far(found, best)]


def _baseline_sentence(found: EvaluatedFrontier) -> str:
    """How many points beat the baseline."""
    entries = [entry for entry in found.against_baseline if entry.n_folds]
    if not entries:
        return "No point can be compared with the baseline."
    if all(entry.beats_baseline is None for entry in entries):
        return "A test against the baseline needs several folds."
    good = [entry for entry in entries if entry.beats_baseline]
    if not good:
        return "No point was shown to predict better than the baseline."
    who = f"All {len(good)} points" if len(good) == len(entries) else f"{len(good)} of {len(entries)} points"
    who = "The point" if len(entries) == 1 else who
    lost = sum(entry.p_adjusted > 1 - found.any_evaluation.confidence for entry in good)
    held = f" ({len(good) - lost} of them after adjusting for all points, by Holm)" if lost else ""
    return f"{who} {plural(len(good), 'predicts', 'predict')} better than the baseline{held}."


def _how_far(found: EvaluatedFrontier, best: EvaluatedPoint) -> list[str]:
    """The fewest features and the largest tau for which no loss was shown; at most one sentence."""
    smallest, farthest = found.smallest, found.most_different
    if smallest is None or farthest is None:
        return []
    fewer, farther = smallest.n_features < best.n_features, farthest.tau > best.tau
    size = counted(smallest.n_features, "feature")
    if smallest is farthest and fewer and farther:
        parts = [f"for as few as {size} with tau up to {farthest.tau:.4g} ({score(smallest.score)})"]
    else:
        parts = [f"for as few as {size} (tau = {smallest.tau:.4g}: {score(smallest.score)})"] if fewer else []
        if farther:
            size = f"{counted(farthest.n_features, 'feature')}: " if len(found.frontier.sizes) > 1 else ""
            parts.append(f"for tau up to {farthest.tau:.4g} ({size}{score(farthest.score)})")
    if parts:
        hedge = in_folds(len(best.evaluation.folds))
        return [f"No loss against the best score was shown {' and '.join(parts)}, {hedge}."]
    further = any(point.n_features < best.n_features or point.tau > best.tau for point in found)
    return ["A loss was shown for all points with fewer features or a larger tau."] if further else []


def _name_point(found: EvaluatedFrontier, point: EvaluatedPoint) -> str:
    """A point by what differs between points: "4 features, tau = 0.5"."""
    frontier = found.frontier
    parts = []
    if len(frontier.sizes) > 1:
        parts.append(counted(point.n_features, "feature"))
    if len(frontier.counts) > 1:
        parts.append(counted(point.n_alternatives, "alternative"))
    if len({other.tau for other in frontier}) > 1 or not parts:
        parts.append(f"tau = {point.tau:.4g}")
    return ", ".join(parts)
