"""Cross-validated scores along a frontier, and the numbers that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from altsets.evaluation._chance import AgainstBaseline, against_baseline
from altsets.evaluation._comparison import Paired, paired
from altsets.evaluation._evaluation import Evaluation
from altsets.evaluation._measured import adjusted
from altsets.result import Result, Status
from altsets.search.frontier import Frontier, FrontierPoint

__all__ = ["EvaluatedPoint", "ScoresAlong"]


@dataclass(frozen=True)
class EvaluatedPoint:
    """One point of a frontier, and how well its sets predict.

    Attributes
    ----------
    point : FrontierPoint
        The sets that were found on all rows, with their certificate.
    evaluation : Evaluation
        The sets that were found on the training rows of each fold, and their scores on the test rows.
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
        """What was proven about them."""
        return self.point.status

    def fold_scores(self, scorer: str | None = None) -> list[float]:
        """The mean test score of all sets, one per fold; nan where sets are missing.

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
        """
        by_set = [self.evaluation.scores(number, scorer) for number in range(self.evaluation.n_sets)]
        return [math.fsum(values) / len(values) for values in zip(*by_set, strict=True)]

    def measured(self, scorer: str | None = None) -> Paired:
        """The mean score over folds (as ``difference`` from 0) and its confidence interval.

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
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
class ScoresAlong:
    """A frontier with an evaluation of each of its points; what these say together follows from them.

    The attributes are described in :class:`altsets.EvaluatedFrontier`, which also tells them to people and to programs.
    """

    frontier: Frontier
    evaluations: tuple[Evaluation, ...]
    elapsed: float = 0.0

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
        """What is the same at all points: folds, scorers, baseline, words for them."""
        return self.evaluations[0]

    @property
    def n_folds(self) -> int:
        """How many folds were asked for."""
        return self.any_evaluation.n_folds

    @property
    def complete(self) -> bool:
        """Whether all folds were done; not so after Ctrl-C."""
        return self.any_evaluation.complete

    @property
    def baseline(self) -> float:
        """The mean test score, by the first scorer, of a model that knows no features; nan if it has none."""
        return self.any_evaluation.baseline

    @cached_property
    def against_baseline(self) -> list[AgainstBaseline]:
        """Each point compared with the baseline over the folds, by the first score; numbered in their order."""
        shared = self.any_evaluation
        scorer = shared.scorers[0]
        return adjusted(
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
        good = {entry.number for entry in self.against_baseline if entry.beats}
        return [
            point
            for number, point in enumerate(self.points)
            if number in good and _found_everywhere(point) and not _is_worse(point, best)
        ]

    @property
    def smallest(self) -> EvaluatedPoint | None:
        """Of the points without a loss that is sure, one with the fewest features; then most sets, largest tau."""
        return _first(self.without_loss, lambda point: (point.n_features, -point.n_alternatives, -point.tau))

    @property
    def most_different(self) -> EvaluatedPoint | None:
        """Of the points without a loss that is sure, one with the largest tau; then most sets, fewest features."""
        return _first(self.without_loss, lambda point: (-point.tau, -point.n_alternatives, point.n_features))


def _found_everywhere(point: EvaluatedPoint) -> bool:
    """Whether all sets were found in all folds."""
    return 0 < point.n_found == len(point.evaluation.folds)


def _first(
    points: Sequence[EvaluatedPoint], key: Callable[[EvaluatedPoint], tuple[float, ...]]
) -> EvaluatedPoint | None:
    return min(points, key=key, default=None)


def _is_worse(point: EvaluatedPoint, best: EvaluatedPoint) -> bool:
    """Whether a loss was shown: the interval of the difference lies below 0, or it is the same in several folds."""
    found, n_folds = paired(
        point.fold_scores(), best.fold_scores(), point.test_per_train, point.evaluation.confidence
    )
    if math.isnan(found.p_value):
        return n_folds > 1 and found.difference < 0
    return found.high < 0
