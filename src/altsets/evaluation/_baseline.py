"""Dummy-model baseline: its scores, sets compared with it, and models that predict one value for every row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.evaluation._comparison import Comparison, Paired, in_folds, interval, margin_for, paired
from altsets.evaluation._parallel import WarningCapture
from altsets.measures.scoring import ModelRows, weight_scorer
from altsets.wording import join_words, plural, score, sentence

#: What the baseline predicts for every row, in words.
GUESSES = {
    "class": "always saying the most frequent class",
    "shares": "always giving the same probabilities",
    "mean": "always predicting the mean",
    "median": "always predicting the median",
}
#: A difference with a p-value up to this may be real, though it was not shown.
A_SIGN = 0.2


def guess_in_words(kind: str | None, majority: str | None) -> str:
    """What the baseline does, such as "always saying 'no'"."""
    if kind == "class" and majority is not None:
        return f"always saying '{majority}'"
    return GUESSES.get(kind or "", "the baseline")


def kind_of(scoring: Any, classes: bool) -> str:
    """Which constant prediction is best by a score, as far as that is known: a key of ``GUESSES``."""
    from sklearn.metrics import get_scorer

    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    if classes:
        return "class" if getattr(scorer, "_response_method", "predict") == "predict" else "shares"
    function = getattr(scorer, "_score_func", scorer)
    name = str(getattr(function, "__name__", ""))
    return "median" if "absolute" in name or "pinball" in name else "mean"


def score_baseline(
    train: ModelRows, test: ModelRows, scoring: Mapping[str, Any], classes: bool
) -> tuple[dict[str, float], str | None]:
    """Test scores of a dummy model, by scorer (nan where one does not work), and the class it predicts."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    # With "prior", the class is the most frequent one, and the probabilities are the shares of all.
    kinds = ("prior",) if classes else ("mean", "median")
    make = DummyClassifier if classes else DummyRegressor
    nothing = _no_features(len(train.labels))
    fitted = [make(strategy=kind).fit(nothing, train.labels, train.weights) for kind in kinds]
    scores = {
        name: _score(fitted[kind_of(scorer, classes) == "median"], scorer, test)
        for name, scorer in scoring.items()
    }
    return scores, class_name(fitted[0].predict(_no_features(1))[0]) if classes else None


def _no_features(n_rows: int) -> Floats:
    """A table without information; a score that looks at it anyway becomes nan as well."""
    return np.full((n_rows, 1), math.nan)


def _score(model: Any, scorer: Any, rows: ModelRows) -> float:
    try:
        # Scorers warn of a constant prediction, such as precision without any positive one.
        with WarningCapture():
            return float(
                weight_scorer(scorer, rows.weights)(model, _no_features(len(rows.labels)), rows.labels)
            )
    except Exception:
        return math.nan


def constant_prediction(model: Any, table: Any, labels: npt.NDArray[Any]) -> str | None:
    """What a model predicts for every row, if that is one value though the labels differ; None otherwise."""
    if len(labels) < 2 or (labels == labels[0]).all():
        return None
    try:
        predicted = np.asarray(model.predict(table))
        constant = predicted.shape == labels.shape and bool((predicted == predicted[0]).all())
    except Exception:
        # Custom scorers may need something other than predictions of a model.
        return None
    return class_name(predicted[0]) if constant else None


def class_name(label: Any) -> str:
    """A class or a number as text: "no", "1", "0.25"."""
    value = label.item() if isinstance(label, np.generic) else label
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- Sets compared with the baseline ------------------------------------------------------------------


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
    """Compare the scores of a set with those of the baseline, fold by fold."""
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


#: What is said about one set: by the verdict, or "no better" where there is no sign of a difference.
SENTENCES = {
    "no better": "Set {number} does not predict better than {guess}, {hedge}: {numbers}.",
    "chance": "Set {number} was not shown to predict better than {guess}: {numbers}.",
    "untested": "Set {number} scores higher than {guess} in the only fold: {numbers}; a test needs several folds.",
    "better": "Set {number} predicts better than {guess}: {numbers}.",
    "worse": "Set {number} predicts worse than {guess}: {numbers}.",
}


def _sentence(entry: AgainstBaseline, found: Paired, guess: str, confidence: float) -> str:
    number, n_folds = entry.number, entry.n_folds
    if not n_folds:
        return f"Set {number} cannot be compared with {guess}: no fold has a score for both."
    numbers = f"difference {score(found.difference)}"
    if not math.isnan(found.p_value):
        numbers += f", {interval(found, confidence)}"
    elif n_folds > 1:
        numbers += f" in each of {n_folds} folds"
    kind = "no better" if entry.verdict == "chance" and entry.no_better else entry.verdict
    return SENTENCES[kind].format(number=number, guess=guess, hedge=in_folds(n_folds), numbers=numbers)


def summarize(entries: Sequence[AgainstBaseline], guess: str, confidence: float) -> str:
    """All sets and the baseline, by one score, in a sentence or two; empty if nothing is known."""
    known = [entry for entry in entries if entry.n_folds]
    if len(known) <= 1:
        return known[0].sentence if known else ""
    good = [entry for entry in known if entry.beats]
    bad = [entry for entry in known if entry.beats is False]
    hedge = in_folds(max(entry.n_folds for entry in known))
    hopeless = all(entry.no_better for entry in bad)
    if len(bad) == len(known):
        if hopeless:
            return f"No set predicts better than {guess}, {hedge}."
        return f"No set was shown to predict better than {guess}: scores differ too much from fold to fold."
    if len(good) == len(known):
        said = f"{'Both' if len(good) == 2 else f'All {len(good)}'} sets predict better than {guess}."
    else:
        clauses = [_beating(good, guess), _not_beating(bad, guess, bool(good), hedge if hopeless else "")]
        said = "; ".join(filter(None, clauses))
    lost = [entry for entry in good if entry.p_adjusted > 1 - confidence]
    adjusted = f" After adjusting for all sets (Holm), not {_name_sets(lost)}." if lost else ""
    return f"{sentence(said)}{adjusted}" if said else ""


def _beating(good: Sequence[AgainstBaseline], guess: str) -> str:
    verb = plural(len(good), "predicts", "predict")
    return f"{_name_sets(good)} {verb} better than {guess}" if good else ""


def _not_beating(bad: Sequence[AgainstBaseline], guess: str, after_good: bool, hedge: str) -> str:
    """The clause about sets that do not beat the baseline: for sure where there is a hedge, else not shown."""
    if not bad:
        return ""
    sets = _name_sets(bad)
    if not hedge:
        return (
            f"for {sets} that was not shown" if after_good else f"{sets}: better than {guess} was not shown"
        )
    verb = plural(len(bad), "does not", "do not")
    return f"{sets} {verb}, {hedge}" if after_good else f"{sets} {verb} predict better than {guess}, {hedge}"


def adjustment(comparisons: Sequence[Comparison], confidence: float) -> list[str]:
    """Which differences from set 0 still hold after adjusting for several comparisons; at most one sentence."""
    tested = [entry for entry in comparisons if not math.isnan(entry.p_value)]
    if len(tested) < 2 or all(entry.verdict == "chance" for entry in tested):
        return []
    level = 1 - confidence
    several = len({entry.scorer for entry in comparisons}) > 1
    names = {
        f"set {entry.number}{f' ({entry.scorer})' if several else ''}": bool(entry.p_adjusted <= level)
        for entry in tested
        if entry.p_value <= level and entry.verdict != "chance"
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


def _name_sets(entries: Sequence[AgainstBaseline]) -> str:
    """Sets by their numbers: "set 2", "sets 0, 1 and 3"."""
    return f"{plural(len(entries), 'set')} {join_words([str(entry.number) for entry in entries])}"
