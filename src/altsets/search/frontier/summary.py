"""A frontier in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from altsets.result import Status, StopReason
from altsets.search.frontier.bend import Suggestion
from altsets.search.frontier.point import FrontierPoint

__all__ = ["headline", "summary"]

IN_WORDS = {
    Status.OPTIMAL: "proven optimal",
    Status.FEASIBLE: "valid without a proof",
    Status.INFEASIBLE: "proven impossible",
    Status.NOT_FOUND: "without an answer",
}
CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit was reached",
    StopReason.INTERRUPTED: "It was interrupted",
}


class Summarised(Protocol):
    """What there is to tell; :class:`altsets.Frontier` says what each of these means."""

    @property
    def points(self) -> list[FrontierPoint]: ...
    @property
    def n_asked(self) -> int: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def stop_reason(self) -> StopReason: ...
    @property
    def sizes(self) -> list[int]: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def suggestion(self) -> Suggestion: ...


def headline(told: Summarised) -> str:
    """What was searched, without a full stop."""
    if not told.points:
        return "no points"
    sets = f"sets of {_numbers(told.sizes, 'feature')}"
    taus = sorted({point.tau for point in told.points})
    tau = f"tau = {taus[0]:.4g}" if len(taus) == 1 else f"tau from {taus[0]:.4g} to {taus[-1]:.4g}"
    return f"{_numbers([len(told.points)], 'point')}: {sets}, {_numbers(told.counts, 'alternative')}, {tau}"


def summary(told: Summarised) -> str:
    """What was searched, what is proven, what is missing, and where the curve bends."""
    counted = Counter(point.status for point in told.points)
    known = ", ".join(f"{counted[status]} {words}" for status, words in IN_WORDS.items() if counted[status])
    said = headline(told)
    sentences = [f"{said[0].upper()}{said[1:]}; {known}." if known else f"{said[0].upper()}{said[1:]}."]
    missing = told.n_asked - len(told.points)
    if told.stop_reason in CUT_SHORT:
        rest = f", and {_numbers([missing], 'point')} not searched" if missing else ""
        were = " were" if missing > 1 else " was" if missing else ""
        sentences.append(f"{CUT_SHORT[told.stop_reason]}{rest.replace(' not', f'{were} not')}.")
    return " ".join([*sentences, *told.notes, told.suggestion.reason])


def _numbers(values: Sequence[int], what: str) -> str:
    """One number or a range of them, with what they count.

    Examples
    --------
    >>> _numbers([1], "feature"), _numbers([2, 3, 4], "feature"), _numbers([2, 5], "feature")
    ('1 feature', '2 to 4 features', '2 and 5 features')
    """
    plural = "" if list(values) == [1] else "s"
    if len(values) > 2:
        return f"{values[0]} to {values[-1]} {what}{plural}"
    return f"{' and '.join(map(str, values))} {what}{plural}"
