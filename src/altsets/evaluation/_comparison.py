"""Compare two sets over the same folds: a t-test corrected for overlapping folds, an interval, a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from altsets import wording

#: The default margin for scores whose best value is 1.
NEGLIGIBLE = 0.02
#: How the names of these scores begin.
ONE_IS_BEST = (
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "explained_variance",
    "f1",
    "jaccard",
    "matthews_corrcoef",
    "precision",
    "r2",
    "recall",
    "roc_auc",
)


@dataclass(frozen=True)
class Paired:
    """A paired test.

    Attributes
    ----------
    difference : float
        The mean difference; nan if there is none.
    low, high : float
        Its confidence interval; nan where no test is possible.
    p_value : float
        The probability of a difference at least as far from 0 if there is none; nan where no test is possible.
    """

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Comparison:
    """A set compared with set 0.

    Attributes
    ----------
    scorer : str
        By which score.
    number : int
        The number of the set.
    difference, low, high, p_value : float
        Its mean score minus that of set 0, the confidence interval, and the p-value; nan where not known.
    n_folds : int
        How many folds have a score for both sets.
    verdict : str
        "better", "worse", "as well" (the interval lies within the margin), "open" (no difference was shown), "chance"
        (neither set predicts better than the baseline) or "untested".
    sentence : str
        The same in plain words.
    p_adjusted : float
        The p-value adjusted for all comparisons of the evaluation (Holm).
    """

    scorer: str
    number: int
    difference: float
    low: float
    high: float
    p_value: float
    n_folds: int
    verdict: str
    sentence: str
    p_adjusted: float = math.nan


@dataclass(frozen=True)
class Chance:
    """Whether a set (``this``) and set 0 (``first``) were shown to beat the baseline, which does ``guess``."""

    guess: str
    this: bool | None = None
    first: bool | None = None


def corrected_t_test(differences: Sequence[float], test_per_train: float, confidence: float = 0.95) -> Paired:
    """The corrected resampled t-test of Nadeau and Bengio (2003) for differences in scores, one per fold.

    Folds share most of the rows that models are fitted to, so their differences vary less than those of new tables
    would: the variance of the mean is not s²/J, but s² (1/J + n_test/n_train).

    Parameters
    ----------
    differences : sequence of float
        One for each of J folds.
    test_per_train : float
        The number of test rows divided by the number of training rows; 0 gives the plain t-test.
    confidence : float
        The probability of the interval.

    Examples
    --------
    >>> plain, corrected = (corrected_t_test([0.1, 0.2, 0.3, 0.2, 0.1], ratio) for ratio in (0, 0.25))
    >>> round(plain.p_value, 4), round(corrected.p_value, 4)
    (0.0086, 0.0327)
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    count = len(values)
    mean = float(np.mean(values)) if count else math.nan
    if count < 2 or _same(values):
        return Paired(mean, math.nan, math.nan, math.nan)
    spread = math.sqrt(float(np.var(values, ddof=1)) * (1 / count + test_per_train))
    reach = float(stdtrit(count - 1, (1 + confidence) / 2)) * spread
    p_value = 2 * float(stdtr(count - 1, -abs(mean) / spread))
    return Paired(mean, mean - reach, mean + reach, p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number by the method of Holm (1979); nan stays nan and does not count.

    The smallest of m is multiplied by m, the next one by m - 1, and so on; none becomes smaller than one before it. If
    all that are at most 5 % are called differences, the probability that any of these is none is at most 5 %.

    Examples
    --------
    >>> holm([0.04, 0.01, float("nan"), 0.03])
    [0.06, 0.03, nan, 0.06]
    """
    adjusted = [math.nan] * len(p_values)
    order = sorted((value, place) for place, value in enumerate(p_values) if not math.isnan(value))
    largest = 0.0
    for rank, (value, place) in enumerate(order):
        largest = max(largest, min(1.0, value * (len(order) - rank)))
        adjusted[place] = largest
    return adjusted


def _same(values: np.ndarray) -> bool:
    """Whether all differences are the same up to rounding."""
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def margin_for(scorer: str, margin: float | None) -> float | None:
    """The largest negligible difference: as given, or a default where the scale of the score is known."""
    if margin is not None:
        return margin
    return NEGLIGIBLE if scorer.startswith(ONE_IS_BEST) else None


def paired(
    scores: Sequence[float], others: Sequence[float], test_per_train: Sequence[float], confidence: float
) -> tuple[Paired, int]:
    """The corrected test of scores minus other scores, over the folds that have both, and their number."""
    mine, theirs = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    both = np.isfinite(mine) & np.isfinite(theirs)
    differences = mine[both] - theirs[both]
    ratio = float(np.mean(np.asarray(test_per_train)[both])) if both.any() else 0.0
    return corrected_t_test(differences.tolist(), ratio, confidence), len(differences)


def compare(
    scorer: str,
    number: int,
    scores: Sequence[float],
    first: Sequence[float],
    test_per_train: Sequence[float],
    *,
    confidence: float,
    margin: float | None,
    chance: Chance | None = None,
) -> Comparison:
    """Compare the scores of a set with those of set 0, fold by fold; nan where a fold has no score."""
    found, n_folds = paired(scores, first, test_per_train, confidence)
    chance = chance or Chance("")
    if chance.this is False and chance.first is False:
        verdict = "chance"
        sentence = _neither(number, found, chance.guess, confidence)
    else:
        known = None if False in (chance.this, chance.first) else margin_for(scorer, margin)
        verdict = _verdict(found, known)
        sentence = _sentence(number, found, verdict, n_folds, known, confidence)
        sentence = f"{sentence[:-1]}{_remark(number, chance) if n_folds else ''}."
    if 0 < n_folds < len(scores):
        sentence = f"{sentence[:-1]} ({n_folds} of {len(scores)} folds have both)."
    values = (found.difference, found.low, found.high, found.p_value)
    return Comparison(scorer, number, *values, n_folds, verdict, sentence)


def _verdict(found: Paired, margin: float | None) -> str:
    if math.isnan(found.p_value):
        return "untested"
    if margin is not None and -margin <= found.low and found.high <= margin:
        return "as well"
    if found.low <= 0 <= found.high:
        return "open"
    return "better" if found.difference > 0 else "worse"


# --- Words --------------------------------------------------------------------------------------------


def interval(found: Paired, confidence: float) -> str:
    """The confidence interval as a phrase."""
    return f"{100 * confidence:g} % interval [{wording.score(found.low)}, {wording.score(found.high)}]"


def in_folds(count: int) -> str:
    """A hedge: "as far as 5 folds can tell"."""
    return f"as far as {'one fold' if count == 1 else f'{count} folds'} can tell"


def _sentence(
    number: int, found: Paired, verdict: str, n_folds: int, margin: float | None, confidence: float
) -> str:
    if verdict == "untested":
        return _without_test(number, found.difference, n_folds)
    numbers = f"difference {wording.score(found.difference)}, {interval(found, confidence)}"
    if verdict == "as well":
        return f"Set {number} predicts as well as set 0: {numbers}, within the margin of {margin:g}."
    if verdict == "open":
        return (
            f"No difference between set {number} and set 0 was shown: {numbers}, so set {number} may still be worse "
            f"by {wording.score(-found.low)} or better by {wording.score(found.high)}."
        )
    return f"Set {number} predicts {verdict} than set 0: {numbers}."


def _without_test(number: int, difference: float, n_folds: int) -> str:
    if not n_folds:
        return f"Set {number} cannot be compared with set 0: no fold has a score for both."
    if difference == 0:
        return f"Set {number} and set 0: scores are identical, so no test is possible."
    way = "higher" if difference > 0 else "lower"
    text = f"Set {number} scores {wording.score(abs(difference))} {way} than set 0 in"
    if n_folds == 1:
        return f"{text} the only fold; a test needs several folds."
    return f"{text} each of {n_folds} folds; the difference never varies, so no test is possible."


def _neither(number: int, found: Paired, guess: str, confidence: float) -> str:
    """Neither set beats the baseline, so their difference hardly matters."""
    text = f"Neither set {number} nor set 0 was shown to predict better than {guess}"
    if found.difference == 0 and math.isnan(found.p_value):
        return f"{text}; their scores are identical, so no test is possible."
    if math.isnan(found.p_value):
        return f"{text}."
    return f"{text}; they differ by {wording.score(found.difference)}, {interval(found, confidence)}."


def _remark(number: int, chance: Chance) -> str:
    """Which of the two was not shown to beat the baseline."""
    if chance.this is False:
        return f"; set {number} was not shown to predict better than {chance.guess}"
    if chance.first is False and chance.this:
        return f"; set {number} predicts better than {chance.guess}, which was not shown for set 0"
    if chance.first is False:
        return f"; set 0 was not shown to predict better than {chance.guess}"
    return ""


def mean_of(values: Sequence[float]) -> float:
    """The mean of the values that are not nan."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def std_of(values: Sequence[float]) -> float:
    """The sample standard deviation of the values that are not nan."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
