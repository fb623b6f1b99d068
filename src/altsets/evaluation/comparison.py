"""Compare sets with set 0 and with the dummy baseline, fold by fold: a corrected t-test, an interval, a sentence."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from altsets.wording import join_words, plural, score, sentence

#: The default margin for scores whose best value is 1.
NEGLIGIBLE = 0.02
#: How the names of these scores begin.
ONE_IS_BEST = (
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "concordance_index",
    "explained_variance",
    "f1",
    "jaccard",
    "matthews_corrcoef",
    "matthews_mean",
    "precision",
    "r2",
    "recall",
    "roc_auc",
)
#: What the baseline predicts, in words.
GUESSES = {
    "risk": "always predicting the same risk",
    "class": "always saying the most frequent class",
    "positive": "always saying the positive class",
    "guess": "guessing without features",
    "labels": "always giving every label",
    "shares": "always giving the same probabilities",
    "mean": "always predicting the mean",
    "median": "always predicting the median",
}
#: A difference with a p-value up to this may be real, though it was not shown.
A_SIGN = 0.2


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
    """A set compared with set 0, or with the baseline.

    Attributes
    ----------
    scorer : str
        By which score.
    number : int
        The number of the set.
    difference, low, high, p_value : float
        Its mean score minus that of set 0 (or of the baseline), the confidence interval, and the p-value; nan where not
        known.
    n_folds : int
        How many folds have a score for both.
    conclusion : {"inferior", "better", "equivalent", "non-inferior", "worse", "undecided"}
        What the interval shows; m is the margin, the largest difference that does not matter. The first that holds of
        inferior (high < -m), better (low > 0), equivalent (-m < low and high < m), non-inferior (low > -m), worse
        (high < 0) and undecided. Without a margin, and against the baseline: better, worse or undecided. Undecided
        where there is no interval, as with one fold.
    beats_baseline : bool or None
        Whether the set was shown to predict better than the baseline; None if that could not be tested.
    sentence : str
        The same in plain words, with the loss and the gain that are not excluded.
    p_adjusted : float
        The p-value adjusted for all comparisons of the evaluation (Holm).

    See Also
    --------
    altsets.results.Evaluation : Its ``comparisons``.
    altsets.results.Decision : What to do.
    altsets.evaluate : Measures them.

    References
    ----------
    - Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281.
    - Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6,
      65-70.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> found = altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15, n_repeats=1).comparisons[0]
    >>> found.number, found.conclusion, round(found.difference, 3)
    (1, 'inferior', -0.613)
    """

    scorer: str
    number: int
    difference: float
    low: float
    high: float
    p_value: float
    n_folds: int
    conclusion: str
    beats_baseline: bool | None
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
    # Differences that are the same up to rounding have no variance.
    if count < 2 or np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())):
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
    known = margin_for(scorer, margin)
    conclusion = conclude(found, known)
    if chance.this is False and chance.first is False:
        said = _neither(number, found, chance.guess, confidence)
    else:
        said = _sentence(number, found, conclusion, n_folds, known, confidence)
        said = f"{said[:-1]}{_remark(number, chance) if n_folds else ''}."
    if 0 < n_folds < len(scores):
        said = f"{said[:-1]} ({n_folds} of {len(scores)} folds have both)."
    return Comparison(
        scorer,
        number,
        n_folds=n_folds,
        conclusion=conclusion,
        beats_baseline=chance.this,
        sentence=said,
        **vars(found),
    )


def against_baseline(
    scorer: str,
    number: int,
    scores: Sequence[float],
    baseline: Sequence[float],
    test_per_train: Sequence[float],
    *,
    guess: str,
    confidence: float,
) -> Comparison:
    """Compare the scores of a set with those of the baseline, fold by fold."""
    found, n_folds = paired(scores, baseline, test_per_train, confidence)
    entry = Comparison(
        scorer,
        number,
        n_folds=n_folds,
        conclusion=conclude(found, None),
        beats_baseline=_beats(found, n_folds),
        sentence="",
        **vars(found),
    )
    return replace(entry, sentence=_baseline_sentence(entry, found, guess, confidence))


def adjust(entries: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with p-values adjusted for their number."""
    p_values = holm([entry.p_value for entry in entries])
    return [replace(entry, p_adjusted=value) for entry, value in zip(entries, p_values, strict=True)]


def conclude(found: Paired, margin: float | None) -> str:
    """Return what the interval shows, as documented in :class:`Comparison`."""
    low, high = found.low, found.high
    # Without a margin, comparisons with it are False; without an interval, all are.
    least, most = (math.nan, math.nan) if margin is None else (-margin, margin)
    conclusions = {
        "inferior": high < least,
        "better": low > 0,
        "equivalent": least < low and high < most,
        "non-inferior": low > least,
        "worse": high < 0,
    }
    return next((name for name, holds in conclusions.items() if holds), "undecided")


def _beats(found: Paired, n_folds: int) -> bool | None:
    if not math.isnan(found.p_value):
        return found.low > 0
    # Without a test: no better than the baseline is no better, and better by the same in several folds is better.
    if n_folds and found.difference <= 0:
        return False
    return True if n_folds > 1 else None


def no_better(entry: Comparison) -> bool:
    """Whether there is no sign that a set is better than the baseline, rather than one that is not sure."""
    sign = entry.difference > (margin_for(entry.scorer, None) or 0.0) and entry.p_value <= A_SIGN
    return entry.beats_baseline is False and not sign


# --- Words --------------------------------------------------------------------------------------------


def interval(found: Paired, confidence: float) -> str:
    """The confidence interval as a phrase."""
    return f"{100 * confidence:g} % interval [{score(found.low)}, {score(found.high)}]"


def _difference(found: Paired) -> str:
    """The difference with no more digits than its interval has."""
    is_wide = max(abs(found.low), abs(found.high)) >= 0.0005
    return score(0.0 if is_wide and abs(found.difference) < 0.0005 else found.difference)


def in_folds(count: int) -> str:
    """A hedge: "as far as 5 folds can tell"."""
    return f"as far as {'one fold' if count == 1 else f'{count} folds'} can tell"


#: What is said about a set and set 0, by the conclusion.
WITH_SET_0 = {
    "inferior": "Set {number} predicts worse than set 0, by more than the margin of {margin:g}: {numbers}.",
    "better": "Set {number} predicts better than set 0: {numbers}.",
    "equivalent": "Set {number} predicts as well as set 0: {numbers}, within the margin of {margin:g}{rest}.",
    "non-inferior": "Set {number} is non-inferior to set 0: {numbers}, above -{margin:g} (the margin){rest}.",
    "worse": "Set {number} predicts worse than set 0: {numbers}{rest}.",
    "undecided": "Undecided whether set {number} predicts as well as set 0: {numbers}{rest}.",
}


def _sentence(
    number: int, found: Paired, conclusion: str, n_folds: int, margin: float | None, confidence: float
) -> str:
    if math.isnan(found.p_value):
        return _without_test(number, found.difference, n_folds)
    numbers = f"difference {_difference(found)}, {interval(found, confidence)}"
    said = WITH_SET_0[conclusion]
    return said.format(number=number, numbers=numbers, margin=margin, rest=_not_excluded(found))


def _not_excluded(found: Paired) -> str:
    """The loss and the gain that the interval leaves possible, as a clause."""
    possible = [f"a loss of up to {score(-found.low)}"] if found.low < 0 else []
    possible += [f"a gain of up to {score(found.high)}"] if found.high > 0 else []
    return f"; {' and '.join(possible)} {plural(len(possible), 'is', 'are')} not excluded" if possible else ""


def _without_test(number: int, difference: float, n_folds: int) -> str:
    if not n_folds:
        return f"Set {number} cannot be compared with set 0: no fold has a score for both."
    if difference == 0:
        return f"Set {number} and set 0: scores are identical, so no test is possible."
    where = "the only fold; a test needs several folds"
    if n_folds > 1:
        where = f"each of {n_folds} folds; the difference never varies, so no test is possible"
    way = "higher" if difference > 0 else "lower"
    return f"Set {number} scores {score(abs(difference))} {way} than set 0 in {where}."


def _neither(number: int, found: Paired, guess: str, confidence: float) -> str:
    """Neither set beats the baseline, so their difference hardly matters."""
    more = f"; they differ by {_difference(found)}, {interval(found, confidence)}"
    if math.isnan(found.p_value):
        more = "; their scores are identical, so no test is possible" if found.difference == 0 else ""
    return f"Neither set {number} nor set 0 was shown to predict better than {guess}{more}."


def _remark(number: int, chance: Chance) -> str:
    """Which of the two was not shown to beat the baseline."""
    if chance.this is not False and chance.first is not False:
        return ""
    if chance.this:
        return f"; set {number} predicts better than {chance.guess}, which was not shown for set 0"
    return (
        f"; set {number if chance.this is False else 0} was not shown to predict better than {chance.guess}"
    )


#: What is said about a set and the baseline; "no better": without any sign of a difference.
WITH_BASELINE = {
    "no better": "Set {number} does not predict better than {guess}, {hedge}: {numbers}.",
    "not shown": "Set {number} was not shown to predict better than {guess}: {numbers}.",
    "untested": "Set {number} scores higher than {guess} in the only fold: {numbers}; a test needs several folds.",
    "better": "Set {number} predicts better than {guess}: {numbers}.",
    "worse": "Set {number} predicts worse than {guess}: {numbers}.",
}


def _baseline_sentence(entry: Comparison, found: Paired, guess: str, confidence: float) -> str:
    number, n_folds = entry.number, entry.n_folds
    if not n_folds:
        return f"Set {number} cannot be compared with {guess}: no fold has a score for both."
    numbers = f"difference {_difference(found)}"
    if not math.isnan(found.p_value):
        numbers += f", {interval(found, confidence)}"
    elif n_folds > 1:
        numbers += f" in each of {n_folds} folds"
    kind = {True: "better", None: "untested", False: "no better" if no_better(entry) else "not shown"}
    said = WITH_BASELINE["worse" if entry.conclusion == "worse" else kind[entry.beats_baseline]]
    return said.format(number=number, guess=guess, hedge=in_folds(n_folds), numbers=numbers)


def guess_in_words(kind: str | None, majority: str | None, positive: str | None = None) -> str:
    """What the baseline does, such as "always saying 'no'", with the most frequent and the positive class."""
    said = {"class": majority, "positive": positive}.get(kind or "")
    if said is not None:
        return f"always saying '{said}'"
    return GUESSES.get(kind or "", "the baseline")


def summarize(entries: Sequence[Comparison], guess: str, confidence: float) -> str:
    """All sets and the baseline, by one score, in a sentence or two; empty if nothing is known."""
    known = [entry for entry in entries if entry.n_folds]
    if len(known) <= 1:
        return known[0].sentence if known else ""
    good = [entry for entry in known if entry.beats_baseline]
    bad = [entry for entry in known if entry.beats_baseline is False]
    hedge = in_folds(max(entry.n_folds for entry in known))
    hopeless = all(map(no_better, bad))
    if len(bad) == len(known):
        if hopeless:
            return f"No set predicts better than {guess}, {hedge}."
        return f"No set was shown to predict better than {guess}: scores differ too much from fold to fold."
    if len(good) == len(known):
        said = f"{'Both' if len(good) == 2 else f'All {len(good)}'} sets predict better than {guess}."
    else:
        predict = plural(len(good), "predicts", "predict")
        beating = (
            f"{name_sets([entry.number for entry in good])} {predict} better than {guess}" if good else ""
        )
        clauses = [beating, _not_beating(bad, guess, bool(good), hedge if hopeless else "")]
        said = "; ".join(filter(None, clauses))
    held = [entry for entry in good if not entry.p_adjusted > 1 - confidence]
    if not said or len(held) == len(good):
        return sentence(said) if said else ""
    which = f"for {name_sets([entry.number for entry in held])} only" if held else "for none of them"
    return f"Taken one by one, {said[0].lower()}{sentence(said)[1:]} Adjusted for all sets (Holm), that holds {which}."


def _not_beating(bad: Sequence[Comparison], guess: str, after_good: bool, hedge: str) -> str:
    """The clause about sets that do not beat the baseline: for sure where there is a hedge, else not shown."""
    if not bad:
        return ""
    sets = name_sets([entry.number for entry in bad])
    if not hedge:
        return (
            f"for {sets} that was not shown" if after_good else f"{sets}: better than {guess} was not shown"
        )
    verb = plural(len(bad), "does not", "do not")
    return f"{sets} {verb}, {hedge}" if after_good else f"{sets} {verb} predict better than {guess}, {hedge}"


def adjustment(
    comparisons: Sequence[Comparison], confidence: float, at_chance: Collection[tuple[str, int]] = ()
) -> list[str]:
    """Which differences from set 0 still hold after adjusting for several comparisons; at most one sentence.

    Comparisons ``at_chance``, by scorer and set number, are about sets that do not predict: their differences count
    among the comparisons, but are not named.
    """
    tested = [entry for entry in comparisons if not math.isnan(entry.p_value)]
    useful = [entry for entry in tested if (entry.scorer, entry.number) not in at_chance]
    if len(tested) < 2 or not useful:
        return []
    level = 1 - confidence
    several = len({entry.scorer for entry in comparisons}) > 1
    names = {
        f"set {entry.number}{f' ({entry.scorer})' if several else ''}": bool(entry.p_adjusted <= level)
        for entry in useful
        if entry.p_value <= level
    }
    held, lost = ([name for name, holds in names.items() if holds is wanted] for wanted in (True, False))
    many = f"adjusting for {len(tested)} comparisons (Holm)"
    if not names:
        return [f"No difference was shown, with or without {many}."]
    differences = f"After {many}, the {plural(len(held or lost), 'difference')} of {join_words(held or lost)}"
    if not held:
        return [f"{differences} {plural(len(lost), 'is', 'are')} no longer significant."]
    rest = f"; not {plural(len(lost), 'that', 'those')} of {join_words(lost)}" if lost else ""
    return [f"{differences} still {plural(len(held), 'holds', 'hold')}{rest}."]


def name_sets(numbers: Sequence[int]) -> str:
    """Sets by their numbers: "set 2", "sets 0, 1 and 3"."""
    return f"{plural(len(numbers), 'set')} {join_words([str(number) for number in numbers])}"


def mean_of(values: Sequence[float]) -> float:
    """The mean of the values that are not nan."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def std_of(values: Sequence[float]) -> float:
    """The sample standard deviation of the values that are not nan."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
