"""What the points of a curve say: the verdict and the explanation, for each kind of curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from altsets.result import Status, StopReason, Verdict
from altsets.search.frontier.points import FrontierPoint
from altsets.wording import counted, paragraph, percent, plural, sentence, span

IN_WORDS = {
    Status.OPTIMAL: "proven optimal",
    Status.FEASIBLE: "valid without a proof",
    Status.INFEASIBLE: "proven impossible",
    Status.NOT_FOUND: "without an answer",
}
CUT_SHORT = {
    StopReason.TIME_LIMIT: "The time limit was reached",
    StopReason.INTERRUPTED: "It was interrupted",
    StopReason.ENGINE_LIMIT: "Not everything could be proven",
}
#: Sets with this share of the best score count as nearly as good.
NEARLY = 0.95


class TauWords:
    """Quality over tau, over sizes and over numbers of sets."""

    def __init__(self, found: Any) -> None:
        self.found = found

    @property
    def headline(self) -> str:
        """The scope of the search, without a full stop."""
        found = self.found
        if not found.points:
            return "no points"
        taus = sorted({point.tau for point in found.points})
        tau = f"tau = {taus[0]:.4g}" if len(taus) == 1 else f"tau from {span(taus, '.4g')}"
        sets = f"sets of {_numbers(found.sizes, 'feature')}, {_numbers(found.counts, 'alternative')}, {tau}"
        return f"{counted(len(found.points), 'point')}: {sets}"

    def explain(self) -> str:
        """What is proven, and where the elbow is."""
        by_status = Counter(point.status for point in self.found.points)
        known = ", ".join(
            f"{by_status[status]} {words}" for status, words in IN_WORDS.items() if by_status[status]
        )
        first = sentence(f"{self.headline}; {known}" if known else self.headline)
        empty = self.found.points and not any(point.result.sets for point in self.found.points)
        last = self._why_none if empty else self.found.suggestion.reason
        return paragraph(first, self._cut_short, *self.found.notes, last)

    @property
    def _why_none(self) -> str:
        """Why no point has a set, by the one that asks for the least difference."""
        easiest = min(
            self.found.points, key=lambda point: (point.n_features, point.n_alternatives, point.tau)
        )
        return str(easiest.result.verdict)

    @property
    def _cut_short(self) -> str:
        """Why points are missing or not proven."""
        found = self.found
        if found.stop_reason not in CUT_SHORT:
            return ""
        missing = (found.n_asked or 0) - len(found.points)
        if not missing:
            return f"{CUT_SHORT[found.stop_reason]}."
        were = plural(missing, "was", "were")
        return f"{CUT_SHORT[found.stop_reason]}, and {counted(missing, 'point')} {were} not searched."

    def verdict(self) -> Verdict:
        """The verdict on the most sets of one size: the suggested one, or the largest."""
        found = self.found
        if not found.points:
            return Verdict(("No point was searched.",)).add(cautions=(self._cut_short,))
        if not any(point.result.sets for point in found.points):
            return Verdict((self._why_none,)).add(cautions=(self._cut_short,))
        size, count = found.suggestion.n_features or found.sizes[-1], found.counts[-1]
        points = found.curve(size, count)
        curve = [point for point in points if point.is_complete]
        open_ones = sum(point.status is Status.FEASIBLE for point in points)
        unproven = (
            f"{counted(open_ones, 'point')} of this curve {plural(open_ones, 'is', 'are')} not proven optimal"
        )
        cautions = (self._cut_short, f"{unproven}: better sets may exist." if open_ones else "")
        if not curve or not count or found.best(size) <= 0:
            return Verdict((sentence(self.headline),)).add(cautions=cautions)
        return Verdict((_what_it_costs(found, curve),)).add(_impossible(points), cautions=cautions)


def _what_it_costs(found: Any, curve: Sequence[FrontierPoint]) -> str:
    """The largest difference at which every set is nearly as good as the best, and the largest of all."""
    top, last = found.best(curve[0].n_features), curve[-1]
    proven = any(
        point.result.parameters.get("search") == "sequential" and point.result.statuses[0] is Status.OPTIMAL
        for point in found.points
        if point.n_features == last.n_features
    )
    # At tau = 0 sets may be equal, which is no difference.
    different = [point for point in curve if point.tau > 0] or curve
    good = [point for point in different if point.worst >= NEARLY * top]
    point, still = (good[-1], "still") if good else (different[0], "only")
    best = "the best score" if proven else "the best score found"
    # With a decimal: 94.9 % isn't the 95 % at which "only" becomes "still".
    weakest, farthest = percent(point.worst / top, 1), percent(last.worst / top, 1)
    matched = isinstance(last.result.parameters.get("dissimilarity"), dict) and last.max_overlap is not None
    copies = " (near-copies count as shared)" if matched else ""
    said = f"{_sets_of(point)} that {_differ(point)}{copies}: the weakest {still} keeps {weakest} of {best}."
    return said if point is last else f"{said} If they {_differ(last)}, it keeps {farthest}."


def _impossible(points: Sequence[FrontierPoint]) -> str:
    """The smallest difference that is impossible, where that is proven for sets that are chosen together."""
    asked = points[0].result.parameters
    infeasible = [point for point in points if point.status is Status.INFEASIBLE]
    limited = any(asked.get(name) is not None for name in ("within", "min_quality"))
    if (
        not infeasible
        or asked.get("search") != "simultaneous"
        or asked.get("existing")
        or asked.get("constraints")
        or limited
    ):
        return ""
    most, sets = infeasible[0].max_overlap, _sets_of(infeasible[0])
    if most is None:
        return f"Proven: there are no {sets} that {_differ(infeasible[0])}."
    shared = f"more than {counted(most, 'feature')}" if most else "a feature"
    return f"Proven: of any {sets}, two share {shared}."


def _sets_of(point: FrontierPoint) -> str:
    sizes = point.result.parameters.get("sizes") or [point.n_features]
    return f"{counted(point.n_alternatives + 1, 'set')} of {span(sorted({min(sizes), max(sizes)}))} features"


def _differ(point: FrontierPoint) -> str:
    if point.max_overlap is None:
        return f"differ by tau = {point.tau:.4g}"
    return (
        f"share at most {counted(point.max_overlap, 'feature')}" if point.max_overlap else "share no feature"
    )


def _numbers(values: Sequence[int], noun: str) -> str:
    """One number or a range of them, with what they count: "2 to 4 features", "2 and 5 features"."""
    some = span(values) if len(values) > 2 else " and ".join(map(str, values))
    return f"{some} {plural(1 if list(values) == [1] else 2, noun)}"


class TradeWords:
    """Quality against a second number, each point with more of the one and less of the other."""

    #: What the second number is called, and where the quality is the sum over several sets.
    second, first = "", "sum"

    def __init__(self, found: Any) -> None:
        self.found = found

    @property
    def headline(self) -> str:
        """The sets of the points, and the range of each number, without a full stop."""
        points = self.found.points
        if not points:
            return "no points"
        sizes = sorted({len(names) for point in points for names in point.named_sets})
        features = f"{span(sizes)} {plural(1 if sizes == [1] else 2, 'feature')}"
        n_sets = len(points[0].named_sets)
        sets = f"{n_sets} sets of {features} each" if n_sets > 1 else f"sets of {features}"
        first = sorted(point.quality for point in points)
        second = sorted(map(self.found.second_of, points))
        return (
            f"{counted(len(points), 'point')}: {sets}, {self.first} {span(first, '.6g')}, {self.second} "
            + span(second, ".6g")
        )

    def explain(self) -> str:
        """How many points there are, what is proven, and where the elbow is."""
        found = self.found
        if not found.points:
            return paragraph(found.reason or "No point was found.", self._cut_short)
        n_proven = sum(point.proven for point in found.points)
        proven = "all proven" if n_proven == len(found.points) else f"{n_proven} of them proven"
        return paragraph(
            sentence(f"{self.headline}; {proven}"),
            "No others exist." if found.complete else self._cut_short,
            self._aside,
            found.suggestion.reason if found.suggestion else "",
        )

    def verdict(self) -> Verdict:
        """What the other end of the curve costs, and what is proven, with cautions."""
        found = self.found
        if not found.points:
            return Verdict((found.reason or "No point was found.",)).add(cautions=(self._cut_short,))
        n_open = sum(not point.proven for point in found.points)
        are = f"{counted(n_open, 'point')} {plural(n_open, 'is', 'are')} not proven"
        return Verdict((self._ends,)).add(
            found.suggestion.reason if found.suggestion else "",
            self._proof if found.proven else "",
            cautions=(self._cut_short, f"{are}: something better may exist." if n_open else ""),
        )

    def at_elbow(self, point: FrontierPoint) -> str:
        """The sentence on the point that is suggested."""
        return f"The elbow is at {self._described(point)}."

    @property
    def _proof(self) -> str:
        these = f"these {len(self.found)}" if len(self.found) > 1 else "this one"
        return f"Proven: there are no other points than {these}."

    @property
    def _cut_short(self) -> str:
        if self.found.complete:
            return ""
        why = CUT_SHORT.get(self.found.stop_reason)
        return f"{why}; there may be further points." if why else "There may be further points."

    @property
    def _aside(self) -> str:
        return ""

    @property
    def _ends(self) -> str:
        """A sentence on the first and the last point."""
        raise NotImplementedError

    def _described(self, point: FrontierPoint) -> str:
        """The numbers of a point."""
        raise NotImplementedError

    def _kept(self, point: FrontierPoint) -> str:
        """The sum of a point, as a share of the largest one where that makes sense."""
        largest = self.found.points[0].quality
        if largest > 0:
            return f"{percent(point.quality / largest)} of the largest sum"
        return f"a sum of {point.quality:.6g}"


class PenaltyWords(TradeWords):
    """The sum of the qualities against shared features."""

    second = "shared"

    @property
    def _ends(self) -> str:
        first, last = self.found.points[0], self.found.points[-1]
        best = "the best sets" if self.found.proven else "the best sets found"
        if first is last:
            return f"For any penalty {best} have a sum of {first.quality:.6g} and share {_shared(first)}."
        return (
            f"Without a penalty {best} have a sum of {first.quality:.6g} and share {_shared(first)}; with a high "
            f"one they share {_shared(last)} and keep {self._kept(last)}."
        )

    def _described(self, point: FrontierPoint) -> str:
        assert point.penalty is not None
        low, high = point.penalty
        shared = counted(point.shared or 0, "shared feature")
        return f"{shared}, with {self._kept(point)}: penalties from {low:.4g} to {high:.4g}"


def _shared(point: FrontierPoint) -> str:
    """How many features pairs of sets share."""
    return f"{counted(point.shared, 'feature')} over all pairs" if point.shared else "no features"


class BalanceWords(TradeWords):
    """The sum of the qualities against the worst of them."""

    second = "worst"

    @property
    def _ends(self) -> str:
        first, last = self.found.points[0], self.found.points[-1]
        if first is last and not self.found.proven:
            return f"The sets found have a sum of {first.quality:.6g} and a worst set of quality {first.worst:.6g}."
        if first is last:
            return (
                f"The sets with the largest sum, {first.quality:.6g}, also have the best worst set, of quality "
                f"{first.worst:.6g}."
            )
        known = "" if self.found.proven else " found"
        return (
            f"The worst set of those with the largest sum{known} has a quality of {first.worst:.6g}; it can be "
            f"{last.worst:.6g} for {self._kept(last)}."
        )

    def _described(self, point: FrontierPoint) -> str:
        return f"a worst set of {point.worst:.6g}, with {self._kept(point)}"


class AgainstWords(TradeWords):
    """Quality against costs, or against a second quality."""

    first = "quality"

    def __init__(self, found: Any) -> None:
        super().__init__(found)
        self.second = "second quality" if found.more_is_better else "cost"

    @property
    def _proof(self) -> str:
        these = f"one of these {len(self.found)} points" if len(self.found) > 1 else "this point"
        return f"Proven: nothing is better in both than {these}."

    @property
    def _aside(self) -> str:
        return self._ends

    @property
    def _ends(self) -> str:
        found, best = self.found, self.found.points[0]
        sets = plural(len(best.named_sets), "set") + ("" if best.proven else " found")
        has = plural(len(best.named_sets), "has", "have")
        said = f"The best {sets} {has} a {self.second} of {best.against:.6g}"
        if best.quality <= 0:
            return f"{said} and a quality of {best.quality:.6g}."
        nearly = [point for point in found.points if point.quality >= NEARLY * best.quality][-1]
        if nearly is not best:
            whose = plural(len(best.named_sets), "its", "their")
            kept = percent(nearly.quality / best.quality)
            return f"{said}; with {kept} of {whose} quality it can be {nearly.against:.6g}."
        if len(found.points) > 1:
            known = "" if found.proven else " that was found"
            return f"{said}; every better one{known} costs more than {percent(1 - NEARLY)} of the quality."
        return f"{said}, and none {has} a better one." if found.proven else f"{said}."

    def _described(self, point: FrontierPoint) -> str:
        return f"a {self.second} of {point.against:.6g}, with a quality of {point.quality:.6g}"


#: What each kind of curve says, by the name of what it is drawn over.
WORDS: dict[str, type[TauWords] | type[TradeWords]] = {
    "tau": TauWords,
    "penalty": PenaltyWords,
    "balance": BalanceWords,
    "against": AgainstWords,
}
