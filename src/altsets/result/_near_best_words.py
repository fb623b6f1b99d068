"""Near-best sets in words: how many there are, and what they have in common."""

from __future__ import annotations

import math

from altsets.result._counted import CountedSets
from altsets.result._status import StopReason
from altsets.result._verdict import Verdict
from altsets.wording import large_count, list_some, paragraph, percent, plural, sentence, span

#: Features that are named before the rest is counted.
MOST_NAMED = 5

CUT_SHORT = {
    StopReason.TIME_LIMIT: "the time limit was reached",
    StopReason.INTERRUPTED: "it was interrupted",
    StopReason.ENGINE_LIMIT: "they are too many to list",
}

ESTIMATES = "Shares are estimates from sets that were drawn at random."
#: Where an estimate comes from: with draws that count, and without any.
DRAWN = "The number and all shares are estimates: {drawn}, {n_counted} of them {be} as good, and {sure}."
NONE_DRAWN = "The number is an estimate: {drawn}, none of them is as good, and {sure}."
NO_SAMPLE = "Shares are about sets that the search met, which are no random sample."


def headline_of(near: CountedSets) -> str:
    """The number of sets as a clause."""
    sizes = near.sizes
    size = span(sizes) if len(sizes) else "no"
    kind = f"of {size} {plural(1 if size == '1' else 2, 'feature')}"
    if math.isnan(near.best) and near.exact:
        return f"no set {kind} exists"
    count = _number(near)
    one = count == "1"
    return f"{plural(1 if one else 2, f'{count} set')} {kind} {_nearness(near, one)}"


def verdict_on(near: CountedSets) -> Verdict:
    """How many sets are nearly the best and what they have in common, in a sentence or two, with cautions."""
    if near.reason:
        return Verdict((near.reason,))
    if near.estimate is not None:
        cautions: tuple[str, ...] = (_about_draws(near),)
    else:
        cut = CUT_SHORT.get(near.stop_reason, "") if near.n_known is not None else ""
        cautions = (f"Not all sets were counted: {cut}." if cut else "", ESTIMATES if near.estimated else "")
    return Verdict((sentence(headline_of(near)),)).add(_in_common(near), cautions=cautions)


def explanation_of(near: CountedSets) -> str:
    """How many sets there are, and what they have in common."""
    if near.reason:
        return near.reason
    features = _about_features(near) if near.count_bounds[0] and near.n_known != 0 else []
    if near.estimate is not None:
        about = [_about_draws(near), *features]
    else:
        known = _about_known(near) if near.n_known is not None else ""
        about = [known, *features, ESTIMATES if near.estimated else ""]
    return paragraph(sentence(headline_of(near)), _about_best(near), *about)


def _number(near: CountedSets) -> str:
    low, high = map(large_count, near.count_bounds)
    if near.exact:
        return low if near.count else "no"
    if near.estimate is not None:
        low, high = map(large_count, near.estimate["interval"])
        return f"an estimated {low}" if low == high else f"an estimated {low} to {high}"
    if near.n_known is not None and near.count:
        # The other bound is the number of all sets, good or not.
        return f"at least {low}"
    return f"about {low}" if low == high else f"{low} to {high}"


def _nearness(near: CountedSets, one: bool) -> str:
    within, be = near.parameters["within"], "is" if one else "are"
    if within is None:
        return f"{'has' if one else 'have'} a quality of at least {near.threshold:.6g}"
    best = "the best" if near.estimate is None else "the best that is known"
    return f"{be} within {100 * within:.6g} % of {best}" if within else f"{be} as good as {best}"


def _about_best(near: CountedSets) -> str:
    if math.isnan(near.best):
        return ""
    least = "" if near.parameters["within"] is None else f", so {near.threshold:.6g} is enough"
    has = "has" if near.best_proven else "that is known has"
    return f"The best {has} a quality of {near.best:.6g}{least}."


def _about_known(near: CountedSets) -> str:
    if near.stop_reason not in CUT_SHORT:
        return ""
    ones = f"; what follows is about the {large_count(near.n_known)} best ones" if near.n_known else ""
    return f"Not all sets were counted: {CUT_SHORT[near.stop_reason]}{ones}."


def _about_draws(near: CountedSets) -> str:
    """Where an estimate comes from, and what shares are about."""
    assert near.estimate is not None
    n_drawn, n_counted = near.estimate["n_drawn"], near.estimate["n_counted"]
    cut = CUT_SHORT.get(near.stop_reason, "") if near.stop_reason is not StopReason.ENGINE_LIMIT else ""
    facts = {
        "drawn": f"{n_drawn:,} sets were drawn at random{f' before {cut}' if cut else ''}",
        "n_counted": f"{n_counted:,}",
        "be": plural(n_counted, "is", "are"),
        "sure": f"the interval holds with {percent(near.estimate['confidence'])} confidence",
    }
    if n_counted:
        return DRAWN.format(**facts)
    return paragraph(NONE_DRAWN.format(**facts), NO_SAMPLE if near.n_known else "")


def _in_common(near: CountedSets) -> str:
    """The features of all sets and the number of features in any, as far as that is certain."""
    if not near.count_bounds[0] or near.n_known == 0 or near.count_bounds == (1, 1):
        return ""
    in_all = _in_all(near) if near.n_known is None or not near.cores else ""
    return paragraph(in_all, _in_any(near) if near.n_known is None and not near.estimated else "")


def _in_all(near: CountedSets) -> str:
    """The features of all sets; empty if none is known to be."""
    if near.cores:
        return f"{_quoted(near)} {plural(len(near.cores), 'is', 'are')} in all of them."
    return "No feature is in all of them." if float(near.frequencies.max()) < 1 else ""


def _in_any(near: CountedSets) -> str:
    sure = "" if near.estimate is None else "at least "
    some = f"{sure}{len(near.ordered())} of {len(near.features)} features are in at least one"
    return sentence(some)


def _quoted(near: CountedSets) -> str:
    """The features of all sets, in quotes."""
    return list_some([repr(name) for name in near.cores], MOST_NAMED, last="and", hide_one=False)


def _about_features(near: CountedSets) -> list[str]:
    if near.count_bounds == (1, 1):
        return [f"It has {_quoted(near)}."]
    names, shares, in_all = near.features, near.frequencies, set(near.cores)
    others = [index for index in near.ordered() if names[index] not in in_all][:MOST_NAMED]
    parts = [f"{names[index]!r} in {percent(shares[index])}" for index in others]
    often = ""
    if others:
        parts[0] = f"{names[others[0]]!r} is in {percent(shares[others[0]])} of them"
        often = list_some(parts, MOST_NAMED, last="and") + "."
    about_all = [_in_all(near), often] if in_all else [often, _in_all(near)]
    return [*about_all, _in_any(near)]
