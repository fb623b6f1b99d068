"""Decide for each alternative whether to use it instead of set 0: yes, no or undecided, why, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from altsets.evaluation._measured import GIVEN_SCORES, GIVEN_SETS, Measured
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

    The rule: **yes** if the set is better than set 0, equivalent or non-inferior to it, and beats the baseline;
    **no** if it is inferior or worse; otherwise **undecided**. These are the conclusions of
    :class:`altsets.results.Comparison` by the first scorer. Stability, cost and cautions are stated, but do not
    change the answer.

    Attributes
    ----------
    number : int
        The number of the alternative.
    question : str
        Such as "Use set 1 instead of set 0?".
    answer : {"yes", "no", "undecided"}
        By the rule above.
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
    altsets.results.Evaluation : Its ``decisions``.
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
    """Return a decision for each alternative, the best first; with a result, costs and kinds of difference are known.

    The order is yes, undecided, no; among equal answers, the highest mean score comes first.
    """
    means = evaluation.mean_scores()
    found = [
        _decision(evaluation, entry, result)
        for entry in evaluation.comparisons
        if entry.scorer == evaluation.scorers[0]
    ]

    def rank(decision: Decision) -> tuple[int, float, int]:
        mean = means[decision.number]
        return ANSWERS.index(decision.answer), math.inf if math.isnan(mean) else -mean, decision.number

    return sorted(found, key=rank)


def lines_of(decisions: Sequence[Decision]) -> list[list[str]]:
    """Lines for each decision, its headline first; reasons for the best few, and each next step once."""
    said: set[str] = set()
    listed = []
    for position, decision in enumerate(decisions):
        lines = str(decision).splitlines() if position < MOST_REASONED else [decision.headline]
        listed.append([line for line in lines if line not in said])
        said.update(lines)
    return listed


def _decision(evaluation: Measured, entry: Comparison, result: Result | None) -> Decision:
    answer = "undecided"
    if entry.conclusion in NOT_GOOD_ENOUGH:
        answer = "no"
    elif entry.conclusion in GOOD_ENOUGH and entry.beats_baseline:
        answer = "yes"
    stability = {index.number: index.index for index in evaluation.stability() if not math.isnan(index.index)}
    why = [
        _scores(evaluation, entry.number),
        entry.sentence,
        _stability(entry.number, stability),
        _cost(entry.number, result),
    ]
    return Decision(
        entry.number,
        f"Use set {entry.number} instead of set 0?",
        answer,
        entry.conclusion,
        entry.beats_baseline,
        tuple(filter(None, why)),
        tuple(_cautions(evaluation, entry, stability)),
        tuple(_next_steps(evaluation, entry, answer, result)),
    )


# --- Why ----------------------------------------------------------------------------------------------


def _scores(evaluation: Measured, number: int) -> str:
    means = evaluation.mean_scores()
    base = "" if math.isnan(evaluation.baseline) else f", baseline {score(evaluation.baseline)}"
    return (
        f"Prediction score ({evaluation.scorers[0]}): {score(means[number])} with set {number}, {score(means[0])} "
        f"with set 0{base}."
    )


def _stability(number: int, stability: dict[int | str, float]) -> str:
    known = [f"{stability[which]:.2f} for set {which}" for which in (number, 0) if which in stability]
    return f"Stability (1: always the same features): {', '.join(known)}." if known else ""


def _cost(number: int, result: Result | None) -> str:
    costs = [] if result is None else result.costs
    if number >= len(costs):
        return ""
    both = [", ".join(f"{cost:g}" for cost in costs[which]) for which in (number, 0)]
    return f"Cost: {both[0]} for set {number}, {both[1]} for set 0."


def _cautions(evaluation: Measured, entry: Comparison, stability: dict[int | str, float]) -> list[str]:
    cautions = []
    if evaluation.given:
        cautions.append(GIVEN_SETS)
    elif evaluation.parameters.get("ready_made"):
        cautions.append(GIVEN_SCORES)
    if stability.get(entry.number, 1.0) < STABLE:
        searches = "bootstrap samples" if evaluation.source == "bootstraps" else "folds"
        cautions.append(
            f"The features of set {entry.number} differ between {searches}: its score is that of the search, not of "
            "one fixed set."
        )
    found = evaluation.n_found(entry.number)
    if found < len(evaluation.folds):
        cautions.append(f"Set {entry.number} was found in {found} of {len(evaluation.folds)} folds.")
    if not evaluation.complete:
        cautions.append(
            f"The evaluation was interrupted after {len(evaluation.folds)} of {evaluation.n_folds} folds."
        )
    if entry.p_value <= 1 - evaluation.confidence < entry.p_adjusted:
        cautions.append(
            f"The difference no longer holds after adjusting for {len(evaluation.comparisons)} comparisons (Holm)."
        )
    return cautions


# --- What next ----------------------------------------------------------------------------------------


def _next_steps(evaluation: Measured, entry: Comparison, answer: str, result: Result | None) -> list[str]:
    number = entry.number
    if answer == "yes":
        steps = [f"Choose between set {number} and set 0 by cost, meaning or convenience."]
        if entry.conclusion == "better":
            steps = [f"Use set {number}."]
        if evaluation.given:
            steps.append("Confirm it on rows that the search has not seen.")
        return steps
    others = f"Evaluate other sets{'' if evaluation.given and result is None else _closer(result)}."
    if answer == "no":
        return ["Keep set 0.", others]
    if entry.conclusion in GOOD_ENOUGH:
        return [_predict_at_all(entry)]
    steps = [] if entry.beats_baseline is not False else [_predict_at_all(entry)]
    return [*steps, *_narrower(evaluation, entry), others]


def _predict_at_all(entry: Comparison) -> str:
    if entry.beats_baseline is None:
        return f"Check that set {entry.number} predicts at all: it could not be compared with the baseline."
    return f"Try other features, another model or more rows until set {entry.number} beats the baseline."


def _closer(result: Result | None) -> str:
    """How to ask for sets that are nearer to set 0."""
    kind = {} if result is None else result.parameters.get("dissimilarity")
    steps = [f"a lower {parameter('tau')}"]
    if isinstance(kind, dict) and kind.get("threshold") is not None:
        steps.append("a higher threshold of similarity")
    return f", such as closer ones ({' or '.join(steps)})"


def _narrower(evaluation: Measured, entry: Comparison) -> list[str]:
    """How to get an interval, or one that allows a conclusion."""
    if entry.n_folds < 2:
        # Of a set that hardly any fold has, more folds show no more.
        several = len(evaluation.folds) > 1
        return [] if several else [f"Evaluate in several folds, such as {parameter('cv', 5)}."]
    if math.isnan(entry.low):
        return ["Use more rows, or a score that differs from fold to fold."]
    steps = []
    if evaluation.parameters.get("n_repeats") == 1 and isinstance(evaluation.parameters.get("cv"), int):
        steps.append(
            f"Repeat the cross-validation ({parameter('n_repeats', 5)}); the interval may become narrower."
        )
    margin = margin_for(entry.scorer, evaluation.margin)
    if margin is None:
        steps.append(
            f"State the loss that does not matter ({parameter('margin')}): then sets can be equivalent."
        )
    return [*steps, _more_rows(evaluation.n_rows, entry, margin or 0.0)]


def _more_rows(n_rows: int, entry: Comparison, margin: float) -> str:
    """How many rows would decide, if the difference stays as it is: intervals shrink with the root of their number."""
    reach = (entry.high - entry.low) / 2
    enough = max(entry.difference + margin, abs(entry.difference))
    times = (reach / enough) ** 2 if enough > 0 else math.inf
    if times > MANY_TIMES:
        return f"Get many more rows: with fewer than {MANY_TIMES} times as many, this difference stays undecided."
    rows = int(float(f"{times * n_rows:.1e}"))
    return f"Get more rows: about {large_count(rows)} would decide, if the difference stays the same."
