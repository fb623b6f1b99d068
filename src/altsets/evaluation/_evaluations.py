"""The evaluations of all points of a frontier: derived numbers, text, frames, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from altsets import documents
from altsets.display import ShownCurve
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._measured import row_ratios
from altsets.evaluation.comparison import (
    Comparison,
    Paired,
    adjust,
    against_baseline,
    in_folds,
    interval,
    paired,
)
from altsets.result import Frontier, FrontierPoint, Verdict
from altsets.wording import counted, paragraph, plural, score

#: What is said of sets that are the same in all folds.
FIXED = "The sets stay the same in all folds; if they were found on these rows, their scores are optimistic."

#: What quality is traded for, by what a curve is drawn over.
TRADED = {"penalty": "shared features", "balance": "worst quality", "against": "cost"}


def scores_by_fold(evaluation: Evaluation, scorer: str | None = None) -> list[float]:
    """Return the mean test score of all sets, one per fold; nan where sets are missing."""
    by_set = [evaluation.scores(number, scorer) for number in range(evaluation.n_sets)]
    return [math.fsum(values) / len(values) for values in zip(*by_set, strict=True)]


def overall(evaluation: Evaluation, scorer: str | None = None) -> Paired:
    """Return the mean score over sets and folds (``difference``) with its confidence interval."""
    return _paired(evaluation, [0.0] * len(evaluation.folds), scorer)


def _paired(evaluation: Evaluation, others: list[float], scorer: str | None = None) -> Paired:
    scores = scores_by_fold(evaluation, scorer)
    return paired(scores, others, row_ratios(evaluation.folds), evaluation.confidence)


def n_found(evaluation: Evaluation) -> int:
    """Return in how many folds all sets were found."""
    return sum(len(fold.sets) == evaluation.n_sets for fold in evaluation.folds)


@dataclass(frozen=True, repr=False)
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
    elapsed: float = field(default=0.0, compare=False)
    provenance: dict[str, Any] = field(default_factory=dict, compare=False)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, number: int) -> Evaluation: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Evaluation, ...]: ...

    def __getitem__(self, number: int | slice) -> Evaluation | tuple[Evaluation, ...]:
        return self.evaluations[number]

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
        scorer, guess, baseline = shared.scorers[0], shared.guess(), shared.baseline_scores()
        found = (_paired(one, baseline) for one in self.evaluations)
        return adjust([against_baseline(scorer, number, one, guess) for number, one in enumerate(found)])

    @cached_property
    def best(self) -> int | None:
        """The number of the point with the highest score, of those whose sets were found in all folds; None if none."""
        means = [overall(one).difference for one in self.evaluations]
        known = [number for number in self._found_everywhere if not math.isnan(means[number])]
        return max(known, key=means.__getitem__, default=None)

    @cached_property
    def without_loss(self) -> list[int]:
        """The numbers of the points that beat the baseline, and were not shown to be worse than the best one."""
        if self.best is None:
            return []
        best, everywhere = scores_by_fold(self.evaluations[self.best]), self._found_everywhere
        good = [entry.number for entry in self.against_baseline if entry.beats_baseline]
        return [number for number in good if number in everywhere and not self._is_worse(number, best)]

    @cached_property
    def one_standard_error(self) -> int | None:
        """The number of the point that the one-standard-error rule picks; None if it does not apply.

        Of the points that beat the baseline, those with a mean score of at least :attr:`least_score` predict about as
        well as the best one. The rule picks the smallest size among them, then the most alternatives and the largest
        tau; on other curves the lowest costs, the fewest shared features, the best worst set or the highest second
        quality. It is a rule of thumb: :attr:`without_loss` rests on differences in each fold.
        """
        beating = {entry.number for entry in self.against_baseline if entry.beats_baseline}
        near = [
            number
            for number in self._found_everywhere
            if number in beating and overall(self[number]).difference >= self.least_score
        ]
        return min(near, key=self._extent, default=None)

    @cached_property
    def least_score(self) -> float:
        """The highest mean score less its standard error, corrected for overlapping folds; nan without one."""
        if self.best is None or len(self[self.best].folds) < 2:
            return math.nan
        best = overall(self[self.best])
        # Scores that are the same in all folds have none.
        return best.difference - (0.0 if math.isnan(best.standard_error) else best.standard_error)

    def _extent(self, number: int) -> tuple[float, ...]:
        """What a point costs: its size and how alike its sets are, or the number that quality is traded for."""
        point, frontier = self.frontier.points[number], self.frontier
        if frontier.by == "tau":
            return point.n_features, -point.n_alternatives, -point.tau
        second = frontier.second_of(point)
        return (-second if frontier.by == "balance" or frontier.more_is_better else second,)

    @property
    def _found_everywhere(self) -> list[int]:
        """The numbers of the points all of whose sets were found in all folds."""
        return [number for number, one in enumerate(self.evaluations) if 0 < n_found(one) == len(one.folds)]

    def _is_worse(self, number: int, best: list[float]) -> bool:
        """Whether a loss was shown: the interval of the difference lies below 0, or it is the same in several folds."""
        found = _paired(self.evaluations[number], best)
        return found.n_folds > 1 and found.difference < 0 if math.isnan(found.p_value) else found.high < 0

    @property
    def verdict(self) -> Verdict:
        """The verdict on the frontier, with how far no loss in prediction was shown, and cautions."""
        good = any(entry.beats_baseline for entry in self.against_baseline)
        shared, found = self.evaluations[0], paragraph(self._how_far(), self._by_rule())
        done = f"The evaluation was interrupted after {shared.progress}."
        said = f"Prediction: {found[:1].lower()}{found[1:]}" if found else ""
        cautions = ("" if good else self._beating(), "" if self.complete else done, *self.notes)
        return self.frontier.verdict.add(said, cautions=cautions)

    def explain(self) -> str:
        """Summarise the search, its proofs, the points that beat the baseline, and those where no loss was shown."""
        return f"{self.frontier.explain()} {self.scores_in_words()}"

    def scores_in_words(self) -> str:
        """Say which points predict better than the baseline, and for which no loss was shown."""
        shared, best = self.evaluations[0], self.best
        how = f"{shared.parameters.get('splits', 'cross-validation')}, model {shared.parameters.get('model', 'tree')}"
        sentences = ["" if self.complete else f"Interrupted: {shared.progress} were done."]
        if best is None:
            sentences.append(f"No point has a score ({how}).")
        else:
            found = overall(self.evaluations[best])
            sure = "" if math.isnan(found.low) else f", {interval(found)}"
            where = f"{shared.scorers[0]} is best at {_name_point(self.frontier, best)}"
            guess = f"the baseline, {shared.guess()}, has {score(self.baseline)}"
            sentences += [
                f"Cross-validated ({how}), {where}: {score(found.difference)}{sure}; {guess}.",
                self._beating(),
                self._how_far(),
                self._by_rule(),
            ]
        return paragraph(*sentences, *self.notes)

    def _beating(self) -> str:
        entries = [entry for entry in self.against_baseline if entry.n_folds]
        good = [entry for entry in entries if entry.beats_baseline]
        if not entries:
            return "No point can be compared with the baseline."
        if all(entry.beats_baseline is None for entry in entries):
            return "A test against the baseline needs several folds."
        if not good:
            return "No point was shown to predict better than the baseline."
        who = "The point" if len(entries) == 1 else f"All {len(good)} points"
        who = who if len(good) == len(entries) else f"{len(good)} of {len(entries)} points"
        lost = sum(entry.p_adjusted > 1 - self.evaluations[0].confidence for entry in good)
        held = f" ({len(good) - lost} of them after adjusting for all points, by Holm)" if lost else ""
        return f"{who} {plural(len(good), 'predicts', 'predict')} better than the baseline{held}."

    def _how_far(self) -> str:
        """Name the fewest features and the largest tau for which no loss was shown; empty if that says nothing."""
        points, good = self.frontier.points, self.without_loss
        if self.frontier.by != "tau" or self.best is None or not good:
            return ""
        top = points[self.best]
        smallest = min(good, key=lambda n: (points[n].n_features, -points[n].n_alternatives, -points[n].tau))
        farthest = min(good, key=lambda n: (-points[n].tau, -points[n].n_alternatives, points[n].n_features))
        low, far = points[smallest], points[farthest]
        fewer, farther = low.n_features < top.n_features, far.tau > top.tau
        reached = [score(overall(self.evaluations[number]).difference) for number in (smallest, farthest)]
        fewest = f"for as few as {counted(low.n_features, 'feature')}"
        parts = [f"{fewest} (tau = {low.tau:.4g}: {reached[0]})"] if fewer else []
        if farther:
            size = f"{counted(far.n_features, 'feature')}: " if len(self.frontier.sizes) > 1 else ""
            parts.append(f"for tau up to {far.tau:.4g} ({size}{reached[1]})")
        if smallest == farthest and fewer and farther:
            parts = [f"{fewest} with tau up to {far.tau:.4g} ({reached[1]})"]
        if parts:
            hedge = in_folds(len(self.evaluations[self.best].folds))
            return f"No loss against the best score was shown {' and '.join(parts)}, {hedge}."
        further = any(point.n_features < top.n_features or point.tau > top.tau for point in points)
        return "A loss was shown for all points with fewer features or a larger tau." if further else ""

    def _by_rule(self) -> str:
        """Name the point that the one-standard-error rule picks; empty if there is none."""
        number = self.one_standard_error
        if number is None or self.best is None:
            return ""
        reached, least = score(overall(self[number]).difference), score(self.least_score)
        who = f"the best point, {_name_point(self.frontier, number)}"
        if number != self.best:
            who = f"{_name_point(self.frontier, number)} ({reached})"
        return f"The one-standard-error rule (a mean score of {least} or more) picks {who}."

    def __repr__(self) -> str:
        shared = self.evaluations[0]
        means = sorted(mean for one in self if (mean := overall(one).difference) == mean)
        span = f"{score(means[0])} to {score(means[-1])}" if means else "no scores"
        done = "" if self.complete else f" of {shared.n_folds}, interrupted"
        folds = f"{len(self)} points, {len(shared.folds)} folds{done}"
        return f"Evaluations({folds}; {shared.scorers[0]}: {span}; baseline {score(self.baseline)})"

    def to_frame(self) -> Any:
        """Return the frame of the frontier with scores beside it, one row for each point (a pandas DataFrame).

        For each scorer: ``test_`` is the mean test score of all sets, ``low_`` and ``high_`` its confidence interval,
        ``baseline_`` that of a dummy model, without features. ``n_found`` is the number of folds that have all sets,
        and ``one_standard_error`` marks the point that :attr:`one_standard_error` picks.
        """
        frame = self.frontier.to_frame()
        for name, baseline in self.evaluations[0].baselines().items():
            measured = [overall(one, name) for one in self]
            frame[f"test_{name}"] = [found.difference for found in measured]
            frame[f"low_{name}"] = [found.low for found in measured]
            frame[f"high_{name}"] = [found.high for found in measured]
            frame[f"baseline_{name}"] = baseline
        frame["n_found"] = list(map(n_found, self))
        frame["one_standard_error"] = [number == self.one_standard_error for number in range(len(self))]
        return frame

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        picked = {"point": self.one_standard_error, "least_score": documents.finite(self.least_score)}
        return super().to_dict() | {"one_standard_error": picked}

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Evaluations:
        made = super()._read(found)
        if len(made.frontier) != len(made.evaluations):
            raise ValueError(f"{len(made.frontier)} points have {len(made.evaluations)} evaluations")
        return made


def _name_point(frontier: Frontier, number: int) -> str:
    """Name a point by what differs between points: "4 features, tau = 0.5"."""
    point, parts = frontier.points[number], []
    if frontier.by != "tau":
        what = "second quality" if frontier.more_is_better else TRADED[frontier.by]
        return f"point {number}, {what} {frontier.second_of(point):.6g}"
    if len(frontier.sizes) > 1:
        parts.append(counted(point.n_features, "feature"))
    if len(frontier.counts) > 1:
        parts.append(counted(point.n_alternatives, "alternative"))
    if len({other.tau for other in frontier}) > 1 or not parts:
        parts.append(f"tau = {point.tau:.4g}")
    return ", ".join(parts)
