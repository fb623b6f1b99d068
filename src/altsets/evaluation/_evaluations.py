"""The evaluations of all points of a frontier: derived numbers, text, frames, JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from altsets import documents
from altsets.display import ShownCurve
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation.comparison import (
    Comparison,
    Paired,
    adjust,
    against_baseline,
    in_folds,
    interval,
    paired,
)
from altsets.result import Verdict
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.wording import counted, plural, score

#: What is said of sets that are the same in all folds.
FIXED = "The sets stay the same in all folds; if they were found on these rows, their scores are optimistic."


def scores_by_fold(evaluation: Evaluation, scorer: str | None = None) -> list[float]:
    """The mean test score of all sets, one per fold; nan where sets are missing."""
    by_set = [evaluation.scores(number, scorer) for number in range(evaluation.n_sets)]
    return [math.fsum(values) / len(values) for values in zip(*by_set, strict=True)]


def overall(evaluation: Evaluation, scorer: str | None = None) -> Paired:
    """The mean score over sets and folds (as ``difference`` from 0) and its confidence interval."""
    scores = scores_by_fold(evaluation, scorer)
    return paired(scores, [0.0] * len(scores), _test_per_train(evaluation), evaluation.confidence)[0]


def n_found(evaluation: Evaluation) -> int:
    """In how many folds all sets were found."""
    return sum(len(fold.sets) == evaluation.n_sets for fold in evaluation.folds)


def _test_per_train(evaluation: Evaluation) -> list[float]:
    """Test rows divided by training rows, one per fold."""
    return [fold.n_test / fold.n_train for fold in evaluation.folds]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluations(ShownCurve, documents.Document, Sequence[Evaluation]):
    """The evaluations of all points of a frontier, in their order; :func:`altsets.evaluate` makes them.

    Attributes
    ----------
    frontier : Frontier
        The sets of all points, found on all rows: what to use.
    evaluations : tuple of Evaluation
        One for each point: its sets, found on the training rows of each fold, and their scores on the test rows. They
        are what :func:`altsets.evaluate` measures of a selector, but for the likeness of features.
    notes : tuple of str
        A sentence if the sets of the frontier were not searched anew in each fold.
    elapsed : float
        Seconds.
    provenance : dict
        Where the numbers come from: versions, the data with their hash, task, seed, time.

    See Also
    --------
    altsets.evaluate : Makes one, given a frontier.
    altsets.results.Frontier : The same without scores.
    altsets.plots.frontier_scores : Plot it.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> frontier = altsets.frontier("f", n_features=[2, 4], n_alternatives=1, tau=[0, 1], X=X, y=y)
    >>> found = altsets.evaluate(frontier, X, y, n_repeats=1)
    >>> found
    Evaluations(4 points, 5 folds; matthews_corrcoef: 0.796 to 0.849; baseline 0.000)
    >>> found[0]
    Evaluation(2 sets, 5 folds; matthews_corrcoef: 0.797, 0.797; baseline 0.000)
    >>> altsets.results.Evaluations.from_json(found.to_json()) == found
    True
    """

    _called = "list of evaluations"
    _mark = "kind", "evaluations"

    _drawn_by = "scores_plot"

    frontier: Frontier
    evaluations: tuple[Evaluation, ...]
    notes: tuple[str, ...] = ()
    elapsed: float = 0.0
    provenance: dict[str, Any] = field(default_factory=dict)

    @overload
    def __getitem__(self, number: int) -> Evaluation: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Evaluation, ...]: ...

    def __getitem__(self, number: int | slice) -> Evaluation | tuple[Evaluation, ...]:
        return self.evaluations[number]

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def pairs(self) -> list[tuple[FrontierPoint, Evaluation]]:
        """Each point of the frontier with its evaluation."""
        return list(zip(self.frontier.points, self.evaluations, strict=True))

    @property
    def complete(self) -> bool:
        """Whether all folds were done; False after Ctrl-C."""
        return self.evaluations[0].complete

    @property
    def baseline(self) -> float:
        """The mean test score, by the first scorer, of a dummy model, without features; nan if it has none."""
        return self.evaluations[0].baseline

    @cached_property
    def against_baseline(self) -> list[Comparison]:
        """Each point compared with the baseline over the folds, by the first score; numbered in their order."""
        shared = self.evaluations[0]
        return adjust(
            [
                against_baseline(
                    shared.scorers[0],
                    number,
                    scores_by_fold(evaluation),
                    shared.baseline_scores(),
                    _test_per_train(evaluation),
                    guess=shared.guess(),
                    confidence=shared.confidence,
                )
                for number, evaluation in enumerate(self.evaluations)
            ]
        )

    @cached_property
    def best(self) -> int | None:
        """The number of the point with the highest score, of those whose sets were found in all folds; None if none."""
        means = [overall(one).difference if _found_everywhere(one) else math.nan for one in self.evaluations]
        known = [number for number, mean in enumerate(means) if not math.isnan(mean)]
        return max(known, key=means.__getitem__, default=None)

    @cached_property
    def without_loss(self) -> list[int]:
        """The numbers of the points that beat the baseline, and were not shown to be worse than the best one."""
        if self.best is None:
            return []
        best, evaluations = self.evaluations[self.best], self.evaluations
        return [
            entry.number
            for entry in self.against_baseline
            if entry.beats_baseline
            and _found_everywhere(evaluations[entry.number])
            and not _is_worse(evaluations[entry.number], best)
        ]

    @property
    def verdict(self) -> Verdict:
        """The verdict on the frontier, with how far no loss in prediction was shown, and cautions."""
        good = any(entry.beats_baseline for entry in self.against_baseline)
        shared = self.evaluations[0]
        done = f"The evaluation was interrupted after {len(shared.folds)} of {shared.n_folds} folds."
        far = [
            f"Prediction: {one[:1].lower()}{one[1:]}"
            for one in ([] if self.best is None else _how_far(self, self.best))
        ]
        cautions = ("" if good else _baseline_sentence(self), "" if self.complete else done, *self.notes)
        return self.frontier.verdict.add(*far, cautions=cautions)

    def explain(self) -> str:
        """Summarise the search, its proofs, the points that beat the baseline, and those where no loss was shown."""
        return " ".join([self.frontier.explain(), *_sentences(self), *self.notes])

    def scores_in_words(self) -> str:
        """Which points predict better than the baseline, and for which no loss was shown."""
        return " ".join([*_sentences(self), *self.notes])

    def __repr__(self) -> str:
        shared = self.evaluations[0]
        means = sorted(mean for one in self if (mean := overall(one).difference) == mean)
        span = f"{score(means[0])} to {score(means[-1])}" if means else "no scores"
        done = "" if self.complete else f" of {shared.n_folds}, interrupted"
        folds = f"{len(self)} points, {len(shared.folds)} folds{done}"
        return f"Evaluations({folds}; {shared.scorers[0]}: {span}; baseline {score(self.baseline)})"

    def to_frame(self) -> Any:
        """The frame of the frontier with scores beside it, one row for each point (a pandas DataFrame).

        For each scorer: ``test_`` is the mean test score of all sets, ``low_`` and ``high_`` its confidence interval,
        ``baseline_`` that of a dummy model, without features. ``n_found`` is the number of folds that have all sets.
        """
        frame = self.frontier.to_frame()
        shared = self.evaluations[0]
        baselines = shared.baselines()
        for name in shared.scorers:
            measured = [overall(one, name) for one in self]
            frame[f"test_{name}"] = [found.difference for found in measured]
            frame[f"low_{name}"] = [found.low for found in measured]
            frame[f"high_{name}"] = [found.high for found in measured]
            frame[f"baseline_{name}"] = baselines[name]
        frame["n_found"] = list(map(n_found, self))
        return frame

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Evaluations:
        made = super()._read(found)
        if len(made.frontier) != len(made.evaluations):
            raise ValueError(f"{len(made.frontier)} points have {len(made.evaluations)} evaluations")
        return made

    def __eq__(self, other: object) -> bool:
        """Whether both have measured the same; when, and how long it took, does not count, and nan is like nan."""
        if not isinstance(other, Evaluations):
            return NotImplemented
        mine, others = (
            (self.frontier, self.evaluations, self.notes),
            (other.frontier, other.evaluations, other.notes),
        )
        return mine == others

    __hash__ = None  # type: ignore[assignment]


def _found_everywhere(evaluation: Evaluation) -> bool:
    """Whether all sets were found in all folds."""
    return 0 < n_found(evaluation) == len(evaluation.folds)


def _is_worse(evaluation: Evaluation, best: Evaluation) -> bool:
    """Whether a loss was shown: the interval of the difference lies below 0, or it is the same in several folds."""
    scores, others = scores_by_fold(evaluation), scores_by_fold(best)
    found, n_folds = paired(scores, others, _test_per_train(evaluation), evaluation.confidence)
    if math.isnan(found.p_value):
        return n_folds > 1 and found.difference < 0
    return found.high < 0


# --- Sentences ----------------------------------------------------------------------------------------


def _sentences(found: Evaluations) -> list[str]:
    """Summarise the evaluation, whether any point beats the baseline, and for which points no loss was shown."""
    shared, best = found[0], found.best
    how = f"{shared.parameters.get('splits', 'cross-validation')}, model {shared.parameters.get('model', 'tree')}"
    sentences = []
    if not found.complete:
        sentences.append(f"Interrupted: {len(shared.folds)} of {shared.n_folds} folds were done.")
    if best is None:
        return [*sentences, f"No point has a score ({how})."]
    measured = overall(found[best])
    sure = "" if math.isnan(measured.low) else f", {interval(measured, shared.confidence)}"
    sentences.append(
        f"Cross-validated ({how}), {shared.scorers[0]} is best at {_name_point(found.frontier, best)}: "
        f"{score(measured.difference)}{sure}; "
        f"the baseline, {shared.guess()}, has {score(found.baseline)}."
    )
    return [*sentences, _baseline_sentence(found), *_how_far(found, best)]


def _baseline_sentence(found: Evaluations) -> str:
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
    lost = sum(entry.p_adjusted > 1 - found[0].confidence for entry in good)
    held = f" ({len(good) - lost} of them after adjusting for all points, by Holm)" if lost else ""
    return f"{who} {plural(len(good), 'predicts', 'predict')} better than the baseline{held}."


def _how_far(found: Evaluations, best: int) -> list[str]:
    """The fewest features and the largest tau for which no loss was shown; at most one sentence."""
    points = found.frontier.points
    if found.frontier.by != "tau" or not found.without_loss:
        return []
    good, top = found.without_loss, points[best]
    smallest = min(good, key=lambda n: (points[n].n_features, -points[n].n_alternatives, -points[n].tau))
    farthest = min(good, key=lambda n: (-points[n].tau, -points[n].n_alternatives, points[n].n_features))
    fewer, farther = points[smallest].n_features < top.n_features, points[farthest].tau > top.tau
    size, tau = counted(points[smallest].n_features, "feature"), points[farthest].tau
    low, far = (score(overall(found[number]).difference) for number in (smallest, farthest))
    if smallest == farthest and fewer and farther:
        parts = [f"for as few as {size} with tau up to {tau:.4g} ({far})"]
    else:
        parts = [f"for as few as {size} (tau = {points[smallest].tau:.4g}: {low})"] if fewer else []
        if farther:
            several = len(found.frontier.sizes) > 1
            size = f"{counted(points[farthest].n_features, 'feature')}: " if several else ""
            parts.append(f"for tau up to {tau:.4g} ({size}{far})")
    if parts:
        return [
            f"No loss against the best score was shown {' and '.join(parts)}, {in_folds(len(found[best].folds))}."
        ]
    further = any(point.n_features < top.n_features or point.tau > top.tau for point in points)
    return ["A loss was shown for all points with fewer features or a larger tau."] if further else []


def _name_point(frontier: Frontier, number: int) -> str:
    """A point by what differs between points: "4 features, tau = 0.5"."""
    point, parts = frontier.points[number], []
    if frontier.by != "tau":
        return f"point {number}"
    if len(frontier.sizes) > 1:
        parts.append(counted(point.n_features, "feature"))
    if len(frontier.counts) > 1:
        parts.append(counted(point.n_alternatives, "alternative"))
    if len({other.tau for other in frontier}) > 1 or not parts:
        parts.append(f"tau = {point.tau:.4g}")
    return ", ".join(parts)
