"""Check an answer again, from the definitions, and ask a second engine whether it is the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from altsets.errors import AltsetsError, InputError, VerificationError
from altsets.features import FeatureNames
from altsets.problem import BOUND_TOLERANCE, FeatureSet, Problem, verify_scores
from altsets.problem import verify as verify_sets
from altsets.quality import Quality
from altsets.request import Request, checked_seconds
from altsets.result import Result, Status, overall_status
from altsets.search.run import Run
from altsets.search.scaling import Scaling
from altsets.search.second_opinion import Opinion
from altsets.search.second_opinion import second_opinion as ask_again
from altsets.search.solving import problem_of
from altsets.verbs.asking import scored_again
from altsets.wording import counted


@dataclass(frozen=True)
class Verification:
    """The outcome of checking an answer.

    Attributes
    ----------
    checked : list of str
        What was checked and holds, one sentence each.
    violations : list of str
        What the answer claims and does not hold, one sentence each; empty if every claim holds.
    second_opinion : str
        What a second engine says: ``"agrees"`` (it contradicts no claim), ``"disagrees"`` or ``"unavailable: ..."``
        with the reason; empty if it was not asked.
    better : list of tuples of int
        Sets that the second engine found and that are better than those of the answer; empty if there are none. In a
        sequential search the sets before the first better one are those of the answer. Better sets contradict an
        optimal answer, but not a heuristic or a search that was cut short.

    See Also
    --------
    altsets.verify : Makes one.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> result = altsets.find(scores, n_features=2, n_alternatives=1, tau=1)
    >>> altsets.verify(result, scores).ok
    True
    """

    checked: list[str]
    violations: list[str] = field(default_factory=list)
    second_opinion: str = ""
    better: list[FeatureSet] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no claim of the answer is violated."""
        return not self.violations

    def __str__(self) -> str:
        lines = [*self.checked, *(f"Violated: {one}" for one in self.violations)]
        if self.second_opinion:
            lines.append(f"Second opinion: {self.second_opinion}.")
        if self.better and self.ok:
            lines.append("There are better sets (see better), which the answer doesn't rule out.")
        return "\n".join(lines)


def verify(
    result: Result,
    quality: Any = None,
    *,
    X: Any = None,
    y: Any = None,
    second_opinion: bool = False,
    time_limit: float | None = 60,
) -> Verification:
    """Check that an answer keeps what it claims.

    Sets, constraints and dissimilarities are checked and qualities recomputed from their definitions, by code that
    shares nothing with the search. Whether a set is really the best is another matter: that rests on the search, so a
    second engine can be asked to solve the request again. It lists all sets if the table is small; otherwise it is an
    integer programme, for sums of scores, FCBF and mRMR.

    Parameters
    ----------
    result : Result
        The answer, also one that was read from JSON.
    quality : quality object, array of scores, name, estimator or callable, default=None
        What the sets were scored by. None: the quality named in ``result.request``, computed from ``X`` and ``y``.
    X : table of shape (n_samples, n_features), default=None
        The table that was searched, if the quality is not an object or an array, or if similarities were measured.
    y : array-like of shape (n_samples,), default=None
        Its target.
    second_opinion : bool, default=False
        Whether to ask a second engine for better sets, and whether there are really none where the answer claims so.
    time_limit : float, default=60
        Seconds for the second opinion; None for no limit.

    Returns
    -------
    Verification
        ``ok`` is False only if a claim is violated.

    See Also
    --------
    altsets.find : Verifies its answers in the same way, without a second opinion.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> result = altsets.find(scores, n_features=2, n_alternatives=1, tau=1)
    >>> print(altsets.verify(result, scores, second_opinion=True))
    Sizes, constraints and dissimilarities of 2 sets hold.
    The qualities are those of the definition.
    The objective is that of the qualities.
    The bound is not below the objective.
    The statuses agree with objective and bound.
    Second opinion: agrees.
    """
    if not isinstance(result, Result):
        raise InputError(
            f"verify() checks a Result, such as that of find(), a selector's result_ or a point's result, "
            f"not {type(result).__name__}."
        )
    request = result.request
    if request is None:
        raise InputError(
            "this result doesn't hold its request, without which its claims can't be checked; search again with "
            "altsets.find()."
        )
    seconds = checked_seconds(time_limit)
    scored, request = scored_again(request, result, quality, X, y, "verify()")
    n_features = result.parameters.get("n_features_in", scored.n_features_in)
    if scored.n_features_in != n_features:
        raise InputError(
            f"the answer is about {counted(n_features, 'feature')} and the quality about {scored.n_features_in}; "
            "pass the quality or the table that was searched."
        )
    if [len(one) for one in result.texts] != [len(one) for one in result.sets]:
        raise InputError("result.named_sets and result.sets don't fit together.")
    problem = _problem(request, result, scored)
    claims = _Claims(result, scored, problem)
    claims.check()
    if second_opinion and not claims.violations:
        claims.ask_again(seconds)
    return Verification(claims.checked, claims.violations, claims.opinion, claims.better)


def _problem(request: Request, result: Result, quality: Quality) -> Problem:
    """What the answer is about; the number of sets and tau as found where these were sought."""
    problem = problem_of(request, quality)
    if request.tau == "max":
        found = Request(tau=0 if result.tau is None else result.tau)
        problem = replace(problem, tau=found.bind(quality.feature_names).tau)
    if request.n_alternatives == "max":
        problem = replace(problem, n_alternatives=max(0, len(result.sets) - 1))
    if problem.within is not None:
        needed = result.parameters.get("quality_needed")
        problem = replace(problem, within=None if needed is None else problem.within, min_quality=needed)
    return problem


class _Claims:
    """The claims of one answer, and what was found about them."""

    def __init__(self, result: Result, quality: Quality, problem: Problem) -> None:
        self.result, self.quality, self.problem = result, quality, problem
        self.names = FeatureNames.of_quality(quality)
        self.scaling = Scaling.of(quality, problem) if quality.has_form else None
        self.scale = 1.0 if self.scaling is None else self.scaling.scale
        self.checked: list[str] = []
        self.violations: list[str] = []
        self.opinion = ""
        self.better: list[FeatureSet] = []

    def check(self) -> None:
        """Everything that can be said without a search; what follows from a violated claim isn't looked at."""
        result, problem = self.result, self.problem
        try:
            found = verify_sets(problem, result.sets, self.quality.evaluate, math.inf, self.scale)
            verify_scores(result.sets, result.scores, self.quality.feature_scores)
        except (VerificationError, InputError, IndexError) as error:
            self.violations.append(self._with_names(str(error)))
            return
        sets = counted(len(found), "set")
        hold = f"Sizes, constraints and dissimilarities of {sets} hold."
        self.checked.append(hold if found else "There are no sets to check.")
        named = [tuple(self.quality.names_of(chosen)) for chosen in result.sets]
        if list(map(tuple, result.texts)) != named:
            self.violations.append("the names of the features aren't those of their indices.")
        for number, (claimed, value) in enumerate(zip(result.qualities, found, strict=True)):
            if not self._equal(claimed, value):
                self.violations.append(f"set {number} has quality {value:.12g}, not {claimed:.12g}.")
        if self.violations:
            return
        if found:
            self.checked.append("The qualities are those of the definition.")
        if problem.within is not None and found:
            least = max(found) - problem.within * abs(max(found))
            said = f"sets need a quality of {least:.12g}, and {problem.min_quality:.12g} was claimed."
            enough = (
                problem.within > 1 or (problem.min_quality or 0.0) >= least - BOUND_TOLERANCE * self.scale
            )
            self._claim("All sets are as good as they have to be.", said, enough)
        self._check_numbers(problem.objective(found, result.sets))
        said = self._contradiction()
        self._claim("The statuses agree with objective and bound.", said, not said)

    def _check_numbers(self, objective: float) -> None:
        """The objective is that of the sets, and the bound is not below it."""
        claimed, bound = self.result.objective, self.result.bound
        if not self._equal(claimed, objective):
            self.violations.append(f"the objective is {objective:.12g}, not {claimed:.12g}.")
        elif self.result.sets:
            self.checked.append("The objective is that of the qualities.")
            said = f"the bound {bound:.12g} is below the objective {objective:.12g}."
            is_above = bound >= objective - BOUND_TOLERANCE * self.scale
            self._claim("The bound is not below the objective.", said, is_above)

    def _claim(self, sentence: str, violation: str, holds: bool) -> None:
        (self.checked if holds else self.violations).append(sentence if holds else violation)

    def _equal(self, one: float, other: float) -> bool:
        both_missing = math.isnan(one) and math.isnan(other)
        return both_missing or abs(one - other) <= BOUND_TOLERANCE * max(self.scale, abs(other))

    def _with_names(self, sentence: str) -> str:
        """A sentence with the names of features instead of their indices."""
        inside = range(self.problem.n_features_in)
        for chosen in (*self.result.sets, *self.problem.existing):
            if all(one in inside for one in chosen):
                sentence = sentence.replace(str(chosen), ", ".join(self.names[one] for one in chosen))
        return sentence

    def _contradiction(self) -> str:
        """What the statuses claim that numbers contradict; empty if nothing."""
        result, n_sets = self.result, self.problem.n_sets
        if len(result.statuses) != n_sets:
            return f"there are {len(result.statuses)} statuses for {counted(n_sets, 'requested set')}."
        with_set = (Status.OPTIMAL, Status.FEASIBLE)
        if [one for one in result.statuses if one in with_set] != list(result.statuses[: len(result.sets)]):
            return "sets are claimed that the result doesn't have, or the other way round."
        if result.status is not (status := overall_status(result.statuses)):
            return f"the answer is claimed to be {result.status}, and by its sets it is {status}."
        if result.status is Status.OPTIMAL:
            most = n_sets * BOUND_TOLERANCE * max(self.scale, abs(result.objective))
            if result.bound - result.objective > most:
                return f"the answer is claimed to be optimal with a gap of {result.gap:.3g}."
        return ""

    def ask_again(self, seconds: float | None) -> None:
        """Ask a second engine about each claim, until one is contradicted."""
        run = Run(seconds)
        reasons = []
        try:
            for question in self._questions():
                reason = self._ask(question, run)
                if self.violations:
                    break
                if reason:
                    reasons.append(reason)
        except _Unanswerable as unanswerable:
            reasons.append(str(unanswerable))
        except AltsetsError as error:
            reasons.append(str(error).rstrip("."))
        disagrees = "disagrees" if self.violations else ""
        self.opinion = disagrees or (f"unavailable: {reasons[0]}" if reasons else "agrees")

    def _questions(self) -> list[_Question]:
        """What the answer claims, as one problem for each claim."""
        result, problem = self.result, self.problem
        assert result.request is not None
        if "max" in (result.request.tau, result.request.n_alternatives):
            raise _Unanswerable("the answer is about the largest tau or number of sets")
        if problem.search.startswith("greedy-"):
            if not result.sets:
                raise _Unanswerable("a heuristic that found nothing claims nothing")
            aggregation = problem.aggregation if problem.search == "greedy-balancing" else "sum"
            n_alternatives = len(result.sets) - 1
            together = replace(
                problem, search="simultaneous", aggregation=aggregation, n_alternatives=n_alternatives
            )
            return [_Question(together, "the sets", result.objective, result.bound)]
        if problem.search == "simultaneous":
            if result.status is Status.NOT_FOUND:
                raise _Unanswerable("a search that found nothing claims nothing")
            if not result.sets:
                return [_Question(problem, "the sets", -math.inf, -math.inf)]
            return [
                *self._question_about_best(),
                _Question(problem, "the sets", result.objective, result.bound),
            ]
        return self._questions_in_turn()

    def _questions_in_turn(self) -> list[_Question]:
        result, problem = self.result, self.problem
        if any(getattr(rule, "lower", 0) for one in problem.constraints for rule in one.joint_rules()):
            raise _Unanswerable(
                "a constraint needs features in a number of sets, so no set can be judged alone"
            )
        questions = self._question_about_best()
        for number, status in enumerate(result.statuses[: len(result.sets) + 1]):
            existing = (*problem.existing, *result.sets[:number])
            single = replace(problem, n_alternatives=0, existing=existing)
            if number < len(result.sets):
                chosen = result.sets[number]
                value = single.objective([self.quality.evaluate(chosen)], [chosen])
                # The bound on the answer is the sum of those on its sets, none of which is below a set's value.
                bound = value if status is Status.OPTIMAL else result.bound - (result.objective - value)
                questions.append(_Question(single, f"set {number}", value, bound, result.sets[:number]))
            elif status is Status.INFEASIBLE:
                name = f"set {number}"
                questions.append(_Question(single, name, -math.inf, -math.inf, result.sets[:number]))
        return questions

    def _question_about_best(self) -> list[_Question]:
        """Whether no single set is better than the one that the quality needed follows from."""
        problem, needed = self.problem, self.problem.min_quality
        proven = any(one in (Status.OPTIMAL, Status.INFEASIBLE) for one in self.result.statuses)
        if problem.within is None or problem.within >= 1 or needed is None or not proven:
            return []
        best = needed / (1 - problem.within if needed > 0 else 1 + problem.within)
        alone = replace(
            problem.plain, n_alternatives=0, existing=(), search="simultaneous", aggregation="sum"
        )
        return [_Question(alone, "the best single set", best, best)]

    def _ask(self, question: _Question, run: Run) -> str:
        """Compare one claim with what another engine finds; the reason if that settles nothing."""
        found = ask_again(self.quality, question.problem, self.result.engine, run)
        self._compare(question, found)
        return f"{question.name}: {found.reason}" if found.reason else ""

    def _compare(self, question: _Question, found: Opinion) -> None:
        """Keep what contradicts a claim, and sets that are better than those of the answer."""
        slack = 2 * question.problem.n_sets * BOUND_TOLERANCE * self.scale
        if not found.sets or found.objective <= question.value + slack:
            if question.value > found.bound + slack:
                proven = f"another engine proves at most {found.bound:.12g}"
                self.violations.append(f"{question.name} claims {question.value:.12g}, and {proven}.")
            return
        contradicts = found.objective > question.bound + slack
        if contradicts or not self.better:
            self.better = [*question.before, *found.sets]
        if contradicts:
            features = "; ".join(", ".join(self.names[one] for one in chosen) for chosen in found.sets)
            claimed = (
                "no such set exists" if question.bound == -math.inf else f"at most {question.bound:.12g}"
            )
            self.violations.append(
                f"{question.name}: {claimed} was claimed, and {features} reach {found.objective:.12g}."
            )


@dataclass(frozen=True)
class _Question:
    """A claim: sets of this problem reach a value, and none reaches more than the bound."""

    problem: Problem
    name: str
    value: float
    bound: float
    before: Sequence[FeatureSet] = ()


class _Unanswerable(Exception):
    """There is nothing that a second engine could be asked."""
