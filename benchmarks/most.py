"""As different as possible, and as many as there are: what is proven in what time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altsets
from benchmarks.report import Check, Section, duration, table
from benchmarks.searches import SLACK, Scores

DATA = ("wdbc", "sonar", "spambase")
TIME_LIMIT = 10.0
#: Of the searches for the largest tau; and of those for the largest number of sets, which grows with the last two.
SIZES, ALTERNATIVES, WITHIN = (5, 10), (2, 4), (0.05, 0.1)
TAUS, SIZE, WITHIN_OF_MANY = (0.4, 0.6, 0.8, 1), 5, (0.05, 0.1, 0.2)
#: A larger number of sets is not looked for again by another way.
FEW = 6


@dataclass(frozen=True)
class Answered:
    """One request, and what came of it."""

    scores: Scores
    asked: dict[str, Any]
    result: altsets.Result

    @property
    def value(self) -> float | None:
        """The largest tau, or the number of sets."""
        return self.result.tau if self.asked["tau"] == "max" else len(self.result.sets)

    @property
    def bound(self) -> float | None:
        """What it does not exceed."""
        result = self.result
        return result.tau_bound if self.asked["tau"] == "max" else result.n_sets_bound

    @property
    def proven(self) -> bool:
        """Whether no larger tau, or no more sets, are possible; or no set at all."""
        return self.result.status is altsets.Status.INFEASIBLE or self.value == self.bound

    @property
    def words(self) -> str:
        """The answer, with what is not ruled out, and the time it took."""
        if not self.result.sets:
            return "no set"
        at_most = "" if self.proven else f" (at most {self.bound:,.6g})"
        return f"{self.value:g}{at_most}, {duration(self.result.elapsed)}"

    def row(self, part: str) -> dict[str, Any]:
        """For the CSV file."""
        result = self.result
        return {
            "part": part,
            "scores": self.scores.name,
            "n": self.scores.n,
            "search": "largest tau" if self.asked["tau"] == "max" else "largest number",
            "k": self.asked["n_features"],
            "tau": result.tau,
            "a": len(result.sets) - 1,
            "seconds": result.elapsed,
            "status": str(result.status),
            "sets": len(result.sets),
            "objective": result.objective,
            "bound": result.bound,
            "engine": result.engine,
            "note": f"within {self.asked['within']:g}",
        }


def run(all_scores: Sequence[Scores]) -> Section:
    """Both, on all qualities of a few data sets."""
    section = Section("most")
    chosen = [scores for scores in all_scores if scores.data in DATA]
    late: list[float] = []
    wrong = _different(section, chosen, late) + _many(section, chosen, late)
    section.checks += [
        Check("answers that contradict each other", "0", str(wrong), not wrong),
        Check(
            "latest answer after its time limit",
            f"<= {duration(SLACK)}",
            duration(max(late)),
            max(late) <= SLACK,
        ),
    ]
    return section


def _asked(names: Sequence[str], *values: Iterable[Any]) -> list[dict[str, Any]]:
    return [dict(zip(names, one, strict=True)) for one in itertools.product(*values)]


def _different(section: Section, all_scores: Sequence[Scores], late: list[float]) -> int:
    answers = []
    for scores in all_scores:
        for asked in _asked(("n_features", "n_alternatives", "within"), SIZES, ALTERNATIVES, WITHIN):
            answers.append(_answered(scores, asked | {"tau": "max"}))
    _count(section, answers, late, "the largest tau proven", target=1.0)
    lines = []
    for scores, k, a in itertools.product(all_scores, SIZES, ALTERNATIVES):
        of_line = [
            one.words
            for one in answers
            if one.scores is scores and (one.asked["n_features"], one.asked["n_alternatives"]) == (k, a)
        ]
        lines.append((scores.name, k, a, *of_line))
    section.body += [
        "### As different as possible",
        "The largest tau at which every set is within a part of the best possible quality, and the time of the whole "
        f"search, for the best sets as well; at most {TIME_LIMIT:g} s.",
        table(("scores", "k", "a", *(f"within {100 * within:g} %" for within in WITHIN)), lines),
    ]
    return sum(_contradicted(one) for one in answers if one.proven and one.result.sets)


def _answered(scores: Scores, asked: dict[str, Any]) -> Answered:
    together = {"search": "simultaneous", "time_limit": TIME_LIMIT}
    return Answered(scores, asked, altsets.find(scores.quality, **together, **asked))


def _contradicted(one: Answered) -> bool:
    """Whether a search for the largest minimum disagrees: it reaches the quality at this tau and not at the next."""
    tau, needed = one.result.tau, one.result.parameters["quality_needed"]
    assert tau is not None
    k, n_sets = one.asked["n_features"], one.asked["n_alternatives"] + 1
    here = _largest_minimum(one.scores, k, n_sets, tau)
    if here.bound < needed - 1e-9:
        return True
    if tau > 1 - 0.5 / k:
        return False
    return _largest_minimum(one.scores, k, n_sets, tau + 1 / k).objective >= needed + 1e-9


def _largest_minimum(scores: Scores, k: int, n_sets: int, tau: float) -> altsets.Result:
    return altsets.find(
        scores.quality,
        k,
        n_sets - 1,
        min(tau, 1.0),
        search="simultaneous",
        aggregation="min",
        time_limit=TIME_LIMIT,
    )


def _many(section: Section, all_scores: Sequence[Scores], late: list[float]) -> int:
    answers = []
    for scores in all_scores:
        for asked in _asked(("tau", "within"), TAUS, WITHIN_OF_MANY):
            answers.append(_answered(scores, asked | {"n_features": SIZE, "n_alternatives": "max"}))
    _count(section, answers, late, "the number of sets proven", target=None)
    lines = []
    for scores, tau in itertools.product(all_scores, TAUS):
        of_line = [one.words for one in answers if one.scores is scores and one.asked["tau"] == tau]
        lines.append((scores.name, tau, *of_line))
    section.body += [
        "### As many as there are",
        f"How many sets of {SIZE} features there are, each within a part of the best quality, any two of which "
        f"differ by tau; with the time until that was proven, or what is not ruled out after {TIME_LIMIT:g} s.",
        table(("scores", "tau", *(f"within {100 * within:g} %" for within in WITHIN_OF_MANY)), lines),
    ]
    wrong = 0
    for one in answers:
        n_sets, needed = len(one.result.sets), one.result.parameters["quality_needed"]
        if one.proven and 0 < n_sets <= FEW:
            more = _largest_minimum(one.scores, SIZE, n_sets + 1, one.asked["tau"])
            wrong += bool(more.sets) and more.objective >= needed + 1e-9
    return wrong


def _count(
    section: Section, answers: Sequence[Answered], late: list[float], what: str, target: float | None
) -> None:
    """How many are proven, and how late the latest was."""
    n_proven = sum(one.proven for one in answers)
    late += [max(one.result.elapsed - TIME_LIMIT, 0.0) for one in answers]
    times = sorted(one.result.elapsed for one in answers)
    measured = (
        f"{n_proven} of {len(answers)}; half of them within {duration(times[len(times) // 2])}, "
        f"all within {duration(times[-1])}"
    )
    wanted = "" if target is None else f"{target:.0%}".replace("%", " %")
    ok = target is None or n_proven >= target * len(answers)
    section.checks.append(Check(f"{what} within {TIME_LIMIT:g} s", wanted, measured, ok))
    section.rows += [one.row(section.part) for one in answers]
