"""Compare sets with set 0 and with the dummy baseline, fold by fold: a corrected t-test, an interval, a sentence."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from altsets.wording import join_words, plural, score, sentence

#: The default margin for scores whose best value is 1.
NEGLIGIBLE = 0.02
#: How the names of these scores begin.
ONE_IS_BEST = (
    *("accuracy", "average_precision", "balanced_accuracy", "concordance_index", "explained_variance", "f1"),
    *("jaccard", "matthews_corrcoef", "matthews_mean", "precision", "r2", "recall", "roc_auc"),
)
#: A difference with a p-value up to this may be real, though it was not shown.
A_SIGN = 0.2


class Paired(NamedTuple):
    """The mean difference over those folds that have one, its interval and the p-value; nan where not known.

    ``n_folds`` of ``n_all`` folds have both scores.
    """

    difference: float
    low: float
    high: float
    p_value: float
    n_folds: int
    n_all: int
    confidence: float
    #: Of the difference, corrected for overlapping folds.
    standard_error: float = math.nan


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
    altsets.results.Decision : What to do.

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


def corrected_t_test(differences: Sequence[float], test_per_train: float, confidence: float = 0.95) -> Paired:
    """The corrected resampled t-test of Nadeau and Bengio (2003) for differences in scores, one per fold.

    Folds share most of the rows that models are fitted to, so their differences vary less than those of new tables
    would: the variance of the mean is not s²/J, but s² (1/J + n_test/n_train). A ratio of 0 gives the plain t-test.

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
        return Paired(mean, math.nan, math.nan, math.nan, count, count, confidence)
    spread = math.sqrt(float(np.var(values, ddof=1)) * (1 / count + test_per_train))
    reach = float(stdtrit(count - 1, (1 + confidence) / 2)) * spread
    p_value = 2 * float(stdtr(count - 1, -abs(mean) / spread))
    return Paired(mean, mean - reach, mean + reach, p_value, count, count, confidence, spread)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number by the method of Holm (1979); nan stays nan and does not count.

    The smallest of m is multiplied by m, the next one by m - 1, and so on; none becomes smaller than one before it.

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
    """Return the largest negligible difference: as given, or a default where the scale of the score is known."""
    if margin is not None:
        return margin
    return NEGLIGIBLE if scorer.startswith(ONE_IS_BEST) else None


def paired(
    scores: Sequence[float], others: Sequence[float], test_per_train: Sequence[float], confidence: float
) -> Paired:
    """Test scores minus other scores, over the folds that have both."""
    mine, theirs = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    both = np.isfinite(mine) & np.isfinite(theirs)
    differences = mine[both] - theirs[both]
    ratio = float(np.mean(np.asarray(test_per_train)[both])) if both.any() else 0.0
    return corrected_t_test(differences.tolist(), ratio, confidence)._replace(n_all=len(mine))


def compare(
    scorer: str,
    number: int,
    found: Paired,
    margin: float | None,
    guess: str = "",
    beats: bool | None = None,
    first_beats: bool | None = None,
) -> Comparison:
    """Compare a set with set 0; ``beats`` and ``first_beats``: whether each beats the baseline, if known."""
    margin = margin_for(scorer, margin)
    key = conclusion = conclude(found, margin)
    if math.isnan(found.p_value):
        key = "identical" if found.difference == 0 else UNTESTED.get(found.n_folds, "several folds")
    if beats is False and first_beats is False:
        said = NEITHER + AFTER_NEITHER.get(key, "; they differ by {difference}, {interval}")
    else:
        said = WITH_SET_0[key] + (REMARKS.get((beats, first_beats), "") if found.n_folds else "")
    if 0 < found.n_folds < found.n_all:
        said += " ({n_folds} of {n_all} folds have both)"
    said = f"{said}.".format(number=number, guess=guess, margin=margin, **_words(found))
    return Comparison(scorer, number, *found[:5], conclusion, beats, said)


def against_baseline(scorer: str, number: int, found: Paired, guess: str) -> Comparison:
    """Compare a set with the baseline, which does ``guess``."""
    beats = None
    if not math.isnan(found.p_value):
        beats = found.low > 0
    elif found.n_folds and (found.difference <= 0 or found.n_folds > 1):
        # Without a test: no better is no better, and better by the same in several folds is better.
        beats = found.difference > 0
    entry = Comparison(scorer, number, *found[:5], conclude(found, None), beats, "")
    key = {True: "better", None: "untested", False: "no better" if no_better(entry) else "not shown"}[beats]
    key = "worse" if entry.conclusion == "worse" else key if found.n_folds else "no fold"
    words = _words(found) | {"number": number, "guess": guess, "hedge": in_folds(found.n_folds)}
    return replace(entry, sentence=WITH_BASELINE[key].format(**words))


def adjust(entries: Sequence[Comparison]) -> list[Comparison]:
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


def no_better(entry: Comparison) -> bool:
    """Whether there is no sign that a set is better than the baseline, rather than one that is not sure."""
    sign = entry.difference > (margin_for(entry.scorer, None) or 0.0) and entry.p_value <= A_SIGN
    return entry.beats_baseline is False and not sign


# --- Words --------------------------------------------------------------------------------------------


#: What is said about a set and set 0, by the conclusion, or why there is none.
WITH_SET_0 = {
    "inferior": "Set {number} predicts worse than set 0, by more than the margin of {margin:g}: {numbers}",
    "better": "Set {number} predicts better than set 0: {numbers}",
    "equivalent": "Set {number} predicts as well as set 0: {numbers}, within the margin of {margin:g}{rest}",
    "non-inferior": "Set {number} is non-inferior to set 0: {numbers}, above -{margin:g} (the margin){rest}",
    "worse": "Set {number} predicts worse than set 0: {numbers}{rest}",
    "undecided": "Undecided whether set {number} predicts as well as set 0: {numbers}{rest}",
    "no fold": "Set {number} cannot be compared with set 0: no fold has a score for both",
    "identical": "Set {number} and set 0: scores are identical, so no test is possible",
    "one fold": "Set {number} scores {size} {way} than set 0 in the only fold; a test needs several folds",
    "several folds": "Set {number} scores {size} {way} than set 0 in each of {n_folds} folds; the difference never "
    "varies, so no test is possible",
}
#: Keys by the number of folds, where no test is possible.
UNTESTED = {0: "no fold", 1: "one fold"}
#: Where neither set beats the baseline, their difference hardly matters.
NEITHER = "Neither set {number} nor set 0 was shown to predict better than {guess}"
AFTER_NEITHER = {
    "identical": "; their scores are identical, so no test is possible",
    **dict.fromkeys(("no fold", "one fold", "several folds"), ""),
}
#: What is added, by whether the set and set 0 beat the baseline.
REMARKS = {
    (True, False): "; set {number} predicts better than {guess}, which was not shown for set 0",
    (None, False): "; set 0 was not shown to predict better than {guess}",
    (False, True): "; set {number} was not shown to predict better than {guess}",
    (False, None): "; set {number} was not shown to predict better than {guess}",
}
#: What is said about a set and the baseline; "no better": without any sign of a difference.
WITH_BASELINE = {
    "no better": "Set {number} does not predict better than {guess}, {hedge}: {numbers}.",
    "not shown": "Set {number} was not shown to predict better than {guess}: {numbers}.",
    "untested": "Set {number} scores higher than {guess} in the only fold: {numbers}; a test needs several folds.",
    "better": "Set {number} predicts better than {guess}: {numbers}.",
    "worse": "Set {number} predicts worse than {guess}: {numbers}.",
    "no fold": "Set {number} cannot be compared with {guess}: no fold has a score for both.",
}


def _words(found: Paired) -> dict[str, Any]:
    # The difference has no more digits than its interval.
    is_wide = max(abs(found.low), abs(found.high)) >= 0.0005
    difference = score(0.0 if is_wide and abs(found.difference) < 0.0005 else found.difference)
    sure = interval(found)
    more = f" in each of {found.n_folds} folds" if found.n_folds > 1 else ""
    possible = [f"a loss of up to {score(-found.low)}"] if found.low < 0 else []
    possible += [f"a gain of up to {score(found.high)}"] if found.high > 0 else []
    verb = plural(len(possible), "is", "are")
    return {
        "n_folds": found.n_folds,
        "n_all": found.n_all,
        "difference": difference,
        "interval": sure,
        "numbers": f"difference {difference}{more if math.isnan(found.p_value) else f', {sure}'}",
        "size": score(abs(found.difference)),
        "way": "higher" if found.difference > 0 else "lower",
        "rest": f"; {' and '.join(possible)} {verb} not excluded" if possible else "",
    }


def interval(found: Paired) -> str:
    return f"{100 * found.confidence:g} % interval [{score(found.low)}, {score(found.high)}]"


def in_folds(count: int) -> str:
    """Return a hedge: "as far as 5 folds can tell"."""
    return f"as far as {'one fold' if count == 1 else f'{count} folds'} can tell"


#: What is said about sets that do not beat the baseline: whether others do, and whether there is no sign of more.
NOT_BEATING = {
    (True, True): "{sets} {do} not, {hedge}",
    (False, True): "{sets} {do} not predict better than {guess}, {hedge}",
    (True, False): "for {sets} that was not shown",
    (False, False): "{sets}: better than {guess} was not shown",
}


def summarize(entries: Sequence[Comparison], guess: str, confidence: float) -> str:
    """Compare all sets with the baseline, by one score, in a sentence or two; empty if nothing is known."""
    known = [entry for entry in entries if entry.n_folds]
    if len(known) <= 1:
        return known[0].sentence if known else ""
    good = [entry.number for entry in known if entry.beats_baseline]
    bad = [entry.number for entry in known if entry.beats_baseline is False]
    hedge = in_folds(max(entry.n_folds for entry in known))
    hopeless = all(no_better(entry) for entry in known if entry.number in bad)
    if len(bad) == len(known):
        if hopeless:
            return f"No set predicts better than {guess}, {hedge}."
        return f"No set was shown to predict better than {guess}: scores differ too much from fold to fold."
    who, clauses = name_sets(good), []
    if len(good) == len(known):
        who = "Both sets" if len(good) == 2 else f"All {len(good)} sets"
    if good:
        clauses.append(f"{who} {plural(len(good), 'predicts', 'predict')} better than {guess}")
    if bad:
        words = {"sets": name_sets(bad), "do": plural(len(bad), "does", "do"), "guess": guess, "hedge": hedge}
        clauses.append(NOT_BEATING[bool(good), hopeless].format(**words))
    said = sentence("; ".join(clauses)) if clauses else ""
    held = [entry.number for entry in known if entry.number in good and not entry.p_adjusted > 1 - confidence]
    if len(held) == len(good):
        return said
    which = f"for {name_sets(held)} only" if held else "for none of them"
    return f"Taken one by one, {said[0].lower()}{said[1:]} Adjusted for all sets (Holm), that holds {which}."


def adjustment(
    comparisons: Sequence[Comparison], confidence: float, at_chance: Collection[tuple[str, int]] = ()
) -> list[str]:
    """Say which differences from set 0 still hold after adjusting for several comparisons; at most one sentence.

    Comparisons ``at_chance``, by scorer and set number, are about sets that do not predict; they are not named.
    """
    tested = [entry for entry in comparisons if not math.isnan(entry.p_value)]
    useful = [entry for entry in tested if (entry.scorer, entry.number) not in at_chance]
    if len(tested) < 2 or not useful:
        return []
    level, several = 1 - confidence, len({entry.scorer for entry in comparisons}) > 1
    held: list[str] = []
    lost: list[str] = []
    for entry in useful:
        if entry.p_value <= level:
            name = f"set {entry.number}{f' ({entry.scorer})' if several else ''}"
            (held if entry.p_adjusted <= level else lost).append(name)
    many = f"adjusting for {len(tested)} comparisons (Holm)"
    if not held and not lost:
        return [f"No difference was shown, with or without {many}."]
    said = f"After {many}, the {plural(len(held or lost), 'difference')} of {join_words(held or lost)}"
    if not held:
        return [f"{said} {plural(len(lost), 'is', 'are')} no longer significant."]
    rest = f"; not {plural(len(lost), 'that', 'those')} of {join_words(lost)}" if lost else ""
    return [f"{said} still {plural(len(held), 'holds', 'hold')}{rest}."]


def name_sets(numbers: Sequence[int]) -> str:
    """Name sets by their numbers: "set 2", "sets 0, 1 and 3"."""
    return f"{plural(len(numbers), 'set')} {join_words([str(number) for number in numbers])}"


def mean_of(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def std_of(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
