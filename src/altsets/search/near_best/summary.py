"""The sets that are nearly the best, in plain words."""

from __future__ import annotations

import math
from typing import Protocol

from altsets.arrays import Floats
from altsets.result import StopReason
from altsets.search.near_best.nearness import Nearness

__all__ = ["headline", "number_of", "share_of", "summary"]

#: Features that are spelt out before it is said how many more there are.
MOST_NAMED = 5
#: Larger numbers are rounded.
SPELT_OUT = 10**15

CUT_SHORT = {
    StopReason.TIME_LIMIT: "the time limit was reached",
    StopReason.INTERRUPTED: "it was interrupted",
    StopReason.ENGINE_LIMIT: "they are too many to list",
}


class Told(Protocol):
    """What there is to tell; :class:`altsets.NearBest` says what each of these means."""

    count_bounds: tuple[int, int]
    exact: bool
    best: float
    threshold: float
    n_known: int | None
    estimated: bool
    reason: str
    stop_reason: StopReason

    @property
    def nearness(self) -> Nearness: ...
    @property
    def sizes(self) -> range: ...
    @property
    def cores(self) -> list[str]: ...
    @property
    def frequencies(self) -> Floats: ...
    @property
    def feature_names(self) -> list[str]: ...
    def ordered(self) -> list[int]: ...


def number_of(count: int) -> str:
    """A number of sets as people read it.

    Examples
    --------
    >>> number_of(67_108_864), number_of(3 * 10**20)
    ('67,108,864', '3e+20')
    """
    return f"{count:,}" if count < SPELT_OUT else f"{count:.4g}"


def share_of(share: float) -> str:
    """A share in per cent; all and nothing are said only where they are meant.

    Examples
    --------
    >>> share_of(0.934), share_of(0.999), share_of(1.0), share_of(0.0001)
    ('93 %', '>99 %', '100 %', '<1 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share > 0.99:
        return ">99 %"
    return "<1 %" if share < 0.01 else f"{100 * share:.0f} %"


def headline(near: Told) -> str:
    """The number of sets in one sentence, without a full stop."""
    low, high = near.count_bounds
    sizes = near.sizes
    span = f"{near.sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}" if len(sizes) else "no"
    kind = f"of {span} feature{'' if span == '1' else 's'}"
    if near.exact:
        count = "no" if not low else number_of(low)
    elif not near.n_known:
        first, last = number_of(low), number_of(high)
        count = f"about {first}" if first == last else f"{first} to {last}"
    else:
        count = f"at least {number_of(low)}"
    if math.isnan(near.best) and near.exact:
        return f"no set {kind} exists"
    one = count == "1"
    return f"{count} set{'' if one else 's'} {kind} {_verb(near, one)}"


def _verb(near: Told, one: bool) -> str:
    within = near.nearness.within
    if within is None:
        return f"{'has' if one else 'have'} a quality of at least {near.threshold:.6g}"
    be = "is" if one else "are"
    return f"{be} within {100 * within:.6g} % of the best" if within else f"{be} as good as the best"


def summary(near: Told) -> str:
    """How many sets there are, and what they have in common."""
    if near.reason:
        return near.reason
    said = headline(near)
    sentences = [said[0].upper() + said[1:] + "."]
    if not math.isnan(near.best):
        least = "" if near.nearness.within is None else f", so {near.threshold:.6g} is enough"
        proven = near.n_known != 0 or near.exact
        sentences.append(
            f"The best {'has' if proven else 'that is known has'} a quality of {near.best:.6g}{least}."
        )
    if near.n_known is not None and near.stop_reason in CUT_SHORT:
        sentences.append(_about_known(near))
    if near.count_bounds[0] and near.n_known != 0:
        sentences += _features(near)
    if near.estimated:
        sentences.append("Shares are estimates from sets that were drawn at random.")
    return " ".join(sentences)


def _about_known(near: Told) -> str:
    why = CUT_SHORT[near.stop_reason]
    if not near.n_known:
        return f"Not all sets were counted: {why}."
    return f"Not all sets were counted: {why}; what follows is about the {number_of(near.n_known)} best ones."


def _features(near: Told) -> list[str]:
    order, names, shares = near.ordered(), near.feature_names, near.frequencies
    cores = near.cores
    in_all = set(cores)
    if near.count_bounds == (1, 1):
        return [f"It has {_listed([repr(name) for name in cores])}."]
    said = []
    if cores:
        are = "is" if len(cores) == 1 else "are"
        said.append(f"{_listed([repr(name) for name in cores])} {are} in all of them.")
    others = [index for index in order if names[index] not in in_all][:MOST_NAMED]
    if others:
        first, *more = others
        parts = [f"{names[first]!r} is in {share_of(shares[first])} of them"]
        parts += [f"{names[index]!r} in {share_of(shares[index])}" for index in more]
        said.append(_listed(parts) + ".")
    if not cores:
        said.append("No feature is in all of them.")
    said.append(f"{len(order)} of {len(names)} features are in at least one.")
    return said


def _listed(words: list[str]) -> str:
    shown = (
        words if len(words) <= MOST_NAMED + 1 else [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED} more"]
    )
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
