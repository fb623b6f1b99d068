"""What a curve says: headline, verdict and explanation, for each kind of curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from altsets.result._elbow import elbow_of, suggest_tau
from altsets.result._points import Curve, FrontierPoint, Suggestion
from altsets.result._status import Status, StopReason
from altsets.result._verdict import Verdict
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

#: What a curve other than by tau calls its two numbers, and how a point of it is described.
NAMES = {
    "penalty": ("sum", "shared"),
    "balance": ("sum", "worst"),
    "against": ("quality", "cost"),
    "second quality": ("quality", "second quality"),
}
AT_ELBOW = {
    "penalty": "{n_shared}, with {kept}: penalties from {low:.4g} to {high:.4g}",
    "balance": "a worst set of {worst:.6g}, with {kept}",
    "against": "a {second} of {against:.6g}, with a quality of {quality:.6g}",
}
#: What the two ends of a curve say, by what is special about it.
ENDS = {
    "penalty": "Without a penalty {best} have a sum of {sum:.6g} and share {shared}; with a high one they share "
    "{last_shared} and keep {kept}.",
    "penalty, one": "For any penalty {best} have a sum of {sum:.6g} and share {shared}.",
    "balance": "The worst set of those with the largest sum{found} has a quality of {worst:.6g}; it can be "
    "{last_worst:.6g} for {kept}.",
    "balance, one": "The sets with the largest sum, {sum:.6g}, also have the best worst set, of quality {worst:.6g}.",
    "balance, one, open": "The sets found have a sum of {sum:.6g} and a worst set of quality {worst:.6g}.",
    "against": "{said}; every better one{that_was_found} costs more than {little} of the quality.",
    "against, one": "{said}, and none {has} a better one.",
    "against, one, open": "{said}.",
    "against, nearly": "{said}; with {share} of {whose} quality it can be {nearly:.6g}.",
    "against, negative": "{said} and a quality of {sum:.6g}.",
}


def words_of(curve: Curve) -> TauWords | TradeWords:
    """What a curve says, by its kind."""
    return TauWords(curve) if curve.by == "tau" else TradeWords(curve)


class TauWords:
    """Quality over tau, over sizes and over numbers of sets."""

    def __init__(self, found: Curve) -> None:
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

    @cached_property
    def suggestion(self) -> Suggestion:
        """The elbow of the curve."""
        return suggest_tau(self.found)

    def explain(self) -> str:
        """What is proven, and where the elbow is."""
        by_status = Counter(point.status for point in self.found.points)
        known = ", ".join(
            f"{by_status[status]} {words}" for status, words in IN_WORDS.items() if by_status[status]
        )
        first = sentence(f"{self.headline}; {known}" if known else self.headline)
        empty = self.found.points and not any(point.result.sets for point in self.found.points)
        last = self._why_none if empty else self.suggestion.reason
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
        if not any(point.result.sets for point in found.points):
            why = self._why_none if found.points else "No point was searched."
            return Verdict((why,)).add(cautions=(self._cut_short,))
        size, count = self.suggestion.n_features or found.sizes[-1], found.counts[-1]
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


def _what_it_costs(found: Curve, curve: Sequence[FrontierPoint]) -> str:
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
    conditions = asked.get("existing") or asked.get("constraints")
    limited = any(asked.get(name) is not None for name in ("within", "min_quality"))
    if not infeasible or asked.get("search") != "simultaneous" or conditions or limited:
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

    def __init__(self, found: Curve) -> None:
        self.found = found
        self._names = NAMES["second quality" if found.more_is_better else found.by]

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
        both = (point.quality for point in points), map(self.found.second_of, points)
        ranges = [f"{name} {span(sorted(of), '.6g')}" for name, of in zip(self._names, both, strict=True)]
        return f"{counted(len(points), 'point')}: {', '.join([sets, *ranges])}"

    @cached_property
    def suggestion(self) -> Suggestion:
        """The elbow of the curve."""
        order = sorted(self.found.points, key=self.found.second_of)
        place = elbow_of([*map(self.found.second_of, order)], [point.quality for point in order])
        if place is None:
            return Suggestion(None, "No elbow.")
        point = order[place]
        low, high = point.penalty or (0.0, 0.0)
        said = AT_ELBOW[self.found.by].format(
            n_shared=counted(point.shared or 0, "shared feature"),
            kept=self._kept(point),
            low=low,
            high=high,
            worst=point.worst,
            second=self._names[1],
            against=point.against or 0.0,
            quality=point.quality,
        )
        return Suggestion(point, f"The elbow is at {said}.")

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
            self._ends if found.by == "against" else "",
            self.suggestion.reason if self.suggestion else "",
        )

    def verdict(self) -> Verdict:
        """What the other end of the curve costs, and what is proven, with cautions."""
        found = self.found
        if not found.points:
            return Verdict((found.reason or "No point was found.",)).add(cautions=(self._cut_short,))
        n_open = sum(not point.proven for point in found.points)
        are = f"{counted(n_open, 'point')} {plural(n_open, 'is', 'are')} not proven"
        return Verdict((self._ends,)).add(
            self.suggestion.reason if self.suggestion else "",
            self._proof if found.proven else "",
            cautions=(self._cut_short, f"{are}: something better may exist." if n_open else ""),
        )

    @property
    def _proof(self) -> str:
        n_points = len(self.found)
        if self.found.by == "against":
            these = f"one of these {n_points} points" if n_points > 1 else "this point"
            return f"Proven: nothing is better in both than {these}."
        return (
            f"Proven: there are no other points than {f'these {n_points}' if n_points > 1 else 'this one'}."
        )

    @property
    def _cut_short(self) -> str:
        if self.found.complete:
            return ""
        why = CUT_SHORT.get(self.found.stop_reason)
        return f"{why}; there may be further points." if why else "There may be further points."

    @property
    def _ends(self) -> str:
        """A sentence on the first and the last point."""
        found, first, last = self.found, self.found.points[0], self.found.points[-1]
        nearly = [point for point in found.points if point.quality >= NEARLY * first.quality]
        kind = found.by
        if kind == "against" and first.quality <= 0:
            kind += ", negative"
        elif kind == "against" and nearly[-1] is not first:
            kind += ", nearly"
        elif first is last:
            kind += ", one" + ("" if found.proven or kind == "penalty" else ", open")
        return ENDS[kind].format(**self._facts(first, last, (nearly or [first])[-1]))

    def _facts(self, first: FrontierPoint, last: FrontierPoint, nearly: FrontierPoint) -> dict[str, Any]:
        """What sentences on the ends of the curve may name."""
        n_sets, proven = len(first.named_sets), self.found.proven
        sets, has = plural(n_sets, "set") + ("" if first.proven else " found"), plural(n_sets, "has", "have")
        return {
            "best": "the best sets" if proven else "the best sets found",
            "found": "" if proven else " found",
            "that_was_found": "" if proven else " that was found",
            "sum": first.quality,
            "shared": _shared(first),
            "last_shared": _shared(last),
            "worst": first.worst,
            "last_worst": last.worst,
            "kept": self._kept(last),
            "said": f"The best {sets} {has} a {self._names[1]} of {first.against or 0.0:.6g}",
            "has": has,
            "little": percent(1 - NEARLY),
            "share": percent(nearly.quality / first.quality) if first.quality > 0 else "",
            "whose": plural(n_sets, "its", "their"),
            "nearly": nearly.against or 0.0,
        }

    def _kept(self, point: FrontierPoint) -> str:
        """The sum of a point, as a share of the largest one where that makes sense."""
        largest = self.found.points[0].quality
        if largest > 0:
            return f"{percent(point.quality / largest)} of the largest sum"
        return f"a sum of {point.quality:.6g}"


def _shared(point: FrontierPoint) -> str:
    """How many features pairs of sets share."""
    return f"{counted(point.shared, 'feature')} over all pairs" if point.shared else "no features"
