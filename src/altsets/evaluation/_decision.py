"""Decide for each alternative whether to use it instead of set 0: yes, no or undecided, why, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from altsets.evaluation._measured import Measured
from altsets.evaluation._summary import missing_in_folds, seen_rows
from altsets.evaluation.comparison import Comparison, margin_for
from altsets.result import Result
from altsets.wording import large_count, parameter, score

#: Conclusions of comparisons for which an alternative may be used, and for which it may not.
GOOD_ENOUGH = ("better", "equivalent", "non-inferior")
NOT_GOOD_ENOUGH = ("inferior", "worse")
#: Alternatives whose decision is told with reasons; of the others, the answer.
MOST_REASONED = 3
#: The order of decisions.
ANSWERS = ("yes", "undecided", "no")
#: Agreement beyond chance from here on is excellent (Nogueira and others, 2018, after Fleiss).
STABLE = 0.75
#: More rows than that many times those of the table are no advice.
MANY_TIMES = 20


@dataclass(frozen=True)
class Decision:
    """The answer to "Use set 1 instead of set 0?", why, and what to do next.

    **Yes** if the set is better than set 0, equivalent or non-inferior to it, and beats the baseline; **no** if it is
    inferior or worse; otherwise **undecided**, by the first scorer. Stability, cost and cautions don't change the
    answer.

    Attributes
    ----------
    number : int
        The number of the alternative.
    question : str
    answer : {"yes", "no", "undecided"}
    conclusion : str
        Of the comparison with set 0.
    beats_baseline : bool or None
        Whether the set was shown to predict better than the baseline; None if that could not be tested.
    why : tuple of str
        Sentences: the prediction scores, the difference with its interval, the baseline, stability, and costs if there
        were any.
    cautions : tuple of str
        Sentences: what else to weigh.
    next_steps : tuple of str
        Sentences: what to do.

    See Also
    --------
    altsets.results.Comparison : What the answer rests on.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> decision = altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15, n_repeats=1).decisions[0]
    >>> print(decision.question, decision.answer)
    Use set 1 instead of set 0? no
    """

    number: int
    question: str
    answer: str
    conclusion: str
    beats_baseline: bool | None
    why: tuple[str, ...]
    cautions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The question and the answer."""
        return f"{self.question} {self.answer.capitalize()}."

    def __str__(self) -> str:
        cautions = (f"Caution: {caution}" for caution in self.cautions)
        steps = (f"Next: {step}" for step in self.next_steps)
        return "\n".join([self.headline, *self.why, *cautions, *steps])


def decide(evaluation: Measured, result: Result | None = None) -> list[Decision]:
    """Return a decision for each alternative, by answer (yes, undecided, no), then by mean score."""
    means = evaluation.mean_scores()
    entries = [entry for entry in evaluation.comparisons if entry.scorer == evaluation.scorers[0]]

    def rank(decision: Decision) -> tuple[int, float, int]:
        mean = means[decision.number]
        return ANSWERS.index(decision.answer), math.inf if math.isnan(mean) else -mean, decision.number

    return sorted((_decision(evaluation, entry, result) for entry in entries), key=rank)


def lines_of(decisions: Sequence[Decision]) -> list[list[str]]:
    """Return lines for each decision, its headline first; reasons for the best few, and each next step once."""
    said: set[str] = set()
    listed = []
    for position, decision in enumerate(decisions):
        lines = str(decision).splitlines() if position < MOST_REASONED else [decision.headline]
        listed.append([line for line in lines if line not in said])
        said.update(lines)
    return listed


def _decision(evaluation: Measured, entry: Comparison, result: Result | None) -> Decision:
    answer, number = "undecided", entry.number
    if entry.conclusion in NOT_GOOD_ENOUGH:
        answer = "no"
    elif entry.conclusion in GOOD_ENOUGH and entry.beats_baseline:
        answer = "yes"
    stability = {index.number: index.index for index in evaluation.stability() if not math.isnan(index.index)}
    why = tuple(filter(None, _why(evaluation, entry, stability, result)))
    cautions = tuple(_cautions(evaluation, entry, stability))
    steps = tuple(_next_steps(evaluation, entry, answer, result))
    question = f"Use set {number} instead of set 0?"
    return Decision(number, question, answer, entry.conclusion, entry.beats_baseline, why, cautions, steps)


def _why(
    evaluation: Measured, entry: Comparison, stability: dict[int | str, float], result: Result | None
) -> list[str]:
    number, means = entry.number, list(map(score, evaluation.mean_scores()))
    base = "" if math.isnan(evaluation.baseline) else f", baseline {score(evaluation.baseline)}"
    known = [f"{stability[which]:.2f} for set {which}" for which in (number, 0) if which in stability]
    costs = [] if result is None else [", ".join(f"{cost:g}" for cost in each) for each in result.costs]
    return [
        f"Prediction score ({entry.scorer}): {means[number]} with set {number}, {means[0]} with set 0{base}.",
        entry.sentence,
        f"Stability (1: always the same features): {', '.join(known)}." if known else "",
        f"Cost: {costs[number]} for set {number}, {costs[0]} for set 0." if number < len(costs) else "",
    ]


def _cautions(evaluation: Measured, entry: Comparison, stability: dict[int | str, float]) -> list[str]:
    cautions = seen_rows(evaluation)
    if stability.get(entry.number, 1.0) < STABLE:
        searches = "bootstrap samples" if evaluation.source == "bootstraps" else "folds"
        differ = f"The features of set {entry.number} differ between {searches}"
        cautions.append(f"{differ}: its score is that of the search, not of one fixed set.")
    cautions += missing_in_folds(evaluation, entry.number)
    if not evaluation.complete:
        cautions.append(f"The evaluation was interrupted after {evaluation.progress}.")
    if entry.p_value <= 1 - evaluation.confidence < entry.p_adjusted:
        many = f"{len(evaluation.comparisons)} comparisons (Holm)"
        cautions.append(f"The difference no longer holds after adjusting for {many}.")
    return cautions


# --- What next ----------------------------------------------------------------------------------------


def _next_steps(evaluation: Measured, entry: Comparison, answer: str, result: Result | None) -> list[str]:
    number = entry.number
    if answer == "yes":
        steps = [f"Choose between set {number} and set 0 by cost, meaning or convenience."]
        if entry.conclusion == "better":
            steps = [f"Use set {number}."]
        return [*steps, *(["Confirm it on rows that the search has not seen."] if evaluation.given else [])]
    closer = ""
    if result is not None or not evaluation.given:
        kind = {} if result is None else result.parameters.get("dissimilarity")
        matched = isinstance(kind, dict) and kind.get("threshold") is not None
        more = " or a higher threshold of similarity" if matched else ""
        closer = f", such as closer ones (a lower {parameter('tau')}{more})"
    others = f"Evaluate other sets{closer}."
    if answer == "no":
        return ["Keep set 0.", others]
    steps = []
    if entry.beats_baseline is None and entry.conclusion in GOOD_ENOUGH:
        steps = [f"Check that set {number} predicts at all: it could not be compared with the baseline."]
    elif entry.beats_baseline is False:
        steps = [f"Try other features, another model or more rows until set {number} beats the baseline."]
    return steps if entry.conclusion in GOOD_ENOUGH else [*steps, *_narrower(evaluation, entry), others]


def _narrower(evaluation: Measured, entry: Comparison) -> list[str]:
    """Return how to get an interval, or one that allows a conclusion."""
    if entry.n_folds < 2:
        # More folds don't help if hardly any fold has the set.
        several = len(evaluation.folds) > 1
        return [] if several else [f"Evaluate in several folds, such as {parameter('cv', 5)}."]
    if math.isnan(entry.low):
        return ["Use more rows, or a score that differs from fold to fold."]
    steps = []
    if evaluation.parameters.get("n_repeats") == 1 and isinstance(evaluation.parameters.get("cv"), int):
        repeats = parameter("n_repeats", 5)
        steps.append(f"Repeat the cross-validation ({repeats}); the interval may become narrower.")
    margin = margin_for(entry.scorer, evaluation.margin)
    if margin is None:
        loss = f"State the loss that does not matter ({parameter('margin')})"
        steps.append(f"{loss}: then sets can be equivalent.")
    # If the difference stays as it is: intervals shrink with the root of the number of rows.
    enough = max(entry.difference + (margin or 0.0), abs(entry.difference))
    times = ((entry.high - entry.low) / 2 / enough) ** 2 if enough > 0 else math.inf
    more = f"Get many more rows: with fewer than {MANY_TIMES} times as many, this difference stays undecided."
    if times <= MANY_TIMES:
        rows = large_count(int(float(f"{times * evaluation.n_rows:.1e}")))
        more = f"Get more rows: about {rows} would decide, if the difference stays the same."
    return [*steps, more]
