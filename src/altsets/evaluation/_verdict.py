"""The verdict on an evaluation: how well sets predict, and whether that agrees with their scores."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from altsets.evaluation.comparison import NEGLIGIBLE, name_sets
from altsets.result import Result, Verdict
from altsets.wording import percent, plural, score

if TYPE_CHECKING:
    from altsets.evaluation._measured import Measured

#: Scores that are shares of rows, and are shown in per cent.
SHARES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1")
#: Sets that are named one by one.
MOST_SETS = 6
#: A set with this share of the score of set 0 is expected to predict as well.
NEARLY = 0.95


def verdict_on(evaluation: Measured, result: Result | None = None) -> Verdict:
    """The verdict on how well sets predict; with the result of the search, after the verdict on that."""
    verdict = Verdict(()) if result is None else result.verdict
    done = f"{len(evaluation.folds)} of {evaluation.n_folds} folds"
    incomplete = "" if evaluation.complete else f"the evaluation was interrupted after {done}."
    cautions = (_no_better(evaluation), *_surprises(evaluation, result), incomplete)
    return verdict.add(_predictions(evaluation), cautions=cautions)


def _predictions(evaluation: Measured) -> str:
    """The mean score of each set, how it compares with set 0, and the baseline."""
    scorer, means = evaluation.scorers[0], evaluation.mean_scores()
    if not evaluation.folds or all(map(math.isnan, means)):
        return ""
    conclusions = {
        entry.number: entry.conclusion for entry in evaluation.comparisons if entry.scorer == scorer
    }
    shown = [_shown(scorer, value) for value in means]
    if len(means) > MOST_SETS:
        said = f"{_shown(scorer, min(means))} to {_shown(scorer, max(means))} with sets 0 to {len(means) - 1}"
    else:
        said = ", ".join(
            f"{value} with set {number}{f' ({conclusions[number]})' if number in conclusions else ''}"
            for number, value in enumerate(shown)
        )
    base = evaluation.baseline
    guess = "" if math.isnan(base) else f"; baseline: {_shown(scorer, base)}"
    return f"Prediction ({scorer}): {said}{guess}."


def _shown(scorer: str, value: float) -> str:
    if scorer.startswith(SHARES) and not math.isnan(value):
        return f"{100 * value:.1f} %"
    return score(value)


def _no_better(evaluation: Measured) -> str:
    """Sets that were not shown to predict better than the baseline."""
    known = [entry for entry in evaluation.against_baseline if entry.scorer == evaluation.scorers[0]]
    bad = [entry.number for entry in known if entry.beats_baseline is False]
    if not bad:
        return ""
    if len(bad) == len(known):
        return "no set was shown to predict better than the baseline."
    return (
        f"{name_sets(bad)} {plural(len(bad), 'was', 'were')} not shown to predict better than the baseline."
    )


def _surprises(evaluation: Measured, result: Result | None) -> list[str]:
    """Where predictions and scores disagree."""
    if result is None or not result.sets or result.qualities[0] <= 0:
        return []
    first = [entry for entry in evaluation.comparisons if entry.scorer == evaluation.scorers[0]]
    shares = {number: value / result.qualities[0] for number, value in enumerate(result.qualities)}
    better = [entry.number for entry in first if entry.conclusion == "better"]
    worse = [
        entry.number
        for entry in first
        if entry.conclusion in ("worse", "inferior") and shares.get(entry.number, 0.0) >= NEARLY
    ]
    said = []
    if better:
        verb = plural(len(better), "predicts", "predict")
        said.append(f"score and prediction disagree: {name_sets(better)} {verb} better than set 0.")
    if not better and _is_reversed(evaluation, result):
        said.append("score and prediction disagree: the lower the score of a set, the better it predicts.")
    if worse:
        kept = percent(min(shares[number] for number in worse))
        verbs = plural(len(worse), "predicts", "predict"), plural(len(worse), "keeps", "keep")
        said.append(
            f"score and prediction disagree: {name_sets(worse)} {verbs[0]} worse than set 0, but {verbs[1]} {kept} or "
            "more of its score."
        )
    return said


def _is_reversed(evaluation: Measured, result: Result) -> bool:
    """Whether at least three sets predict in the opposite order of their scores, by more than is negligible."""
    means, qualities = evaluation.mean_scores(), result.qualities
    if len(means) < 3 or len(means) != len(qualities) or any(map(math.isnan, means)):
        return False
    if not all(first > second for first, second in pairwise(qualities)):
        return False
    spread = means[-1] - means[0]
    negligible = NEGLIGIBLE if evaluation.margin is None else evaluation.margin
    return spread > negligible and all(first < second for first, second in pairwise(means))
