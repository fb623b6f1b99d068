"""Whether a set predicts better than a model that has not looked at any feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from altsets.evaluation._comparison import Comparison, Paired, in_folds, interval, margin_for, paired, shown

__all__ = ["AgainstBaseline", "adjustment", "against_baseline", "overall"]

#: A difference with a p-value up to this may be real, though it was not shown.
A_SIGN = 0.2


@dataclass(frozen=True)
class AgainstBaseline(Comparison):
    """A set compared with the baseline instead of set 0.

    The attributes are those of :class:`Comparison`; the verdict is "better", "worse", "chance" (no difference was
    shown) or "untested".
    """

    @property
    def beats(self) -> bool | None:
        """Whether the set was shown to predict better than the baseline; None if that could not be tested."""
        return None if self.verdict == "untested" else self.verdict == "better"

    @property
    def no_better(self) -> bool:
        """Whether there is no sign that it is better than the baseline, rather than one that is not sure."""
        sign = self.difference > (margin_for(self.scorer, None) or 0.0) and self.p_value <= A_SIGN
        return self.beats is False and not sign


def against_baseline(
    scorer: str,
    number: int,
    scores: Sequence[float],
    baseline: Sequence[float],
    test_per_train: Sequence[float],
    *,
    guess: str,
    confidence: float,
) -> AgainstBaseline:
    """Compare the scores of a set with those of the baseline, fold by fold.

    Parameters
    ----------
    scorer, number : str, int
        Which score, and which set.
    scores, baseline, test_per_train : sequence of float
        The scores of both and the test rows divided by the training rows, one per fold.
    guess : str
        What the baseline does, in words.
    confidence : float
        The probability of the interval.

    Examples
    --------
    >>> fair, coin = [0.5] * 4, [0.5, 0.6, 0.4, 0.5]
    >>> against_baseline("accuracy", 0, coin, fair, [1 / 3] * 4, guess="always saying 'no'", confidence=0.95).sentence
    "Set 0 does not predict better than always saying 'no', as far as 4 folds can tell: difference 0.000, 95 % interval
    [-0.198, 0.198]."
    """
    found, n_folds = paired(scores, baseline, test_per_train, confidence)
    values = (found.difference, found.low, found.high, found.p_value)
    entry = AgainstBaseline(scorer, number, *values, n_folds, _verdict(found, n_folds), "")
    return replace(entry, sentence=_sentence(entry, found, guess, confidence))


def _verdict(found: Paired, n_folds: int) -> str:
    if not math.isnan(found.p_value):
        if found.low <= 0 <= found.high:
            return "chance"
        return "better" if found.difference > 0 else "worse"
    # Without a test: no better than the baseline is no better, and better by the same in several folds is better.
    if n_folds and found.difference <= 0:
        return "chance"
    return "better" if n_folds > 1 else "untested"


def _sentence(entry: AgainstBaseline, found: Paired, guess: str, confidence: float) -> str:
    number, n_folds = entry.number, entry.n_folds
    if not n_folds:
        return f"Set {number} cannot be compared with {guess}: no fold has a score for both."
    numbers = f"difference {shown(found.difference)}"
    if not math.isnan(found.p_value):
        numbers += f", {interval(found, confidence)}"
    elif n_folds > 1:
        numbers += f" in each of {n_folds} folds"
    if entry.verdict == "chance" and entry.no_better:
        return f"Set {number} does not predict better than {guess}, {in_folds(n_folds)}: {numbers}."
    if entry.verdict == "chance":
        return f"Set {number} was not shown to predict better than {guess}: {numbers}."
    if entry.verdict == "untested":
        return f"Set {number} scores higher than {guess} in the only fold: {numbers}; a test needs several folds."
    return f"Set {number} predicts {entry.verdict} than {guess}: {numbers}."


def overall(entries: Sequence[AgainstBaseline], guess: str, confidence: float) -> str:
    """All sets and the baseline, by one score, in a sentence or two; empty if nothing is known.

    Parameters
    ----------
    entries : sequence of AgainstBaseline
        One for each set.
    guess : str
        What the baseline does, in words.
    confidence : float
        The probability of the intervals.
    """
    known = [entry for entry in entries if entry.n_folds]
    if len(known) <= 1:
        return known[0].sentence if known else ""
    good = [entry.number for entry in known if entry.beats]
    bad = [entry.number for entry in known if entry.beats is False]
    hedge = in_folds(max(entry.n_folds for entry in known))
    lost = [entry.number for entry in known if entry.number in good and entry.p_adjusted > 1 - confidence]
    adjusted = f" After adjusting for all sets (Holm), not {_listed(lost)}." if lost else ""
    hopeless = all(entry.no_better for entry in known if entry.number in bad)
    if len(bad) == len(known):
        if hopeless:
            return f"No set predicts better than {guess}, {hedge}."
        return f"No set was shown to predict better than {guess}: scores differ too much from fold to fold."
    if len(good) == len(known):
        return (
            f"{'Both' if len(good) == 2 else f'All {len(good)}'} sets predict better than {guess}.{adjusted}"
        )
    parts = []
    if good:
        parts.append(f"{_listed(good)} predict{'s' if len(good) == 1 else ''} better than {guess}")
    if bad and not hopeless:
        parts.append(
            f"for {_listed(bad)} that was not shown"
            if good
            else f"{_listed(bad)}: better than {guess} was not shown"
        )
    elif bad:
        some = f"{_listed(bad)} do{'es' if len(bad) == 1 else ''} not"
        parts.append(f"{some}, {hedge}" if good else f"{some} predict better than {guess}, {hedge}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}.{adjusted}" if text else ""


def adjustment(comparisons: Sequence[Comparison], confidence: float) -> list[str]:
    """Which differences from set 0 still hold if one minds that there are several comparisons; at most one sentence.

    Parameters
    ----------
    comparisons : sequence of Comparison
        All comparisons of an evaluation.
    confidence : float
        The probability of the intervals.
    """
    tested = [entry for entry in comparisons if not math.isnan(entry.p_value)]
    if len(tested) < 2 or all(entry.verdict == "chance" for entry in tested):
        return []
    several = len({entry.scorer for entry in comparisons}) > 1
    held: list[str] = []
    lost: list[str] = []
    for entry in tested:
        if entry.p_value <= 1 - confidence and entry.verdict != "chance":
            name = f"set {entry.number}{f' ({entry.scorer})' if several else ''}"
            (held if entry.p_adjusted <= 1 - confidence else lost).append(name)
    many = f"adjusting for {len(tested)} comparisons (Holm)"
    if not held and not lost:
        return [f"No difference was shown, with or without {many}."]
    text = f"After {many}, "
    if not held:
        are = "is" if len(lost) == 1 else "are"
        return [
            f"{text}the difference{'s' if are == 'are' else ''} of {_joined(lost)} {are} no longer significant."
        ]
    text += f"the difference{'s' if len(held) > 1 else ''} of {_joined(held)} still hold{'s' if len(held) == 1 else ''}"
    return [
        f"{text}; not {'that' if len(lost) == 1 else 'those'} of {_joined(lost)}." if lost else f"{text}."
    ]


def _listed(numbers: Sequence[int]) -> str:
    """Sets by their numbers.

    Examples
    --------
    >>> _listed([2]), _listed([0, 1]), _listed([0, 1, 3])
    ('set 2', 'sets 0 and 1', 'sets 0, 1 and 3')
    """
    return f"set{'s' if len(numbers) > 1 else ''} {_joined(list(map(str, numbers)))}"


def _joined(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
