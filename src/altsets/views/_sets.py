"""Views of feature sets: membership, overlap, quality, and frequencies among near-best sets."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from altsets.errors import InputError
from altsets.result import Result, Status, overlap_table
from altsets.search.near_best import NearBest
from altsets.search.near_best.answer import headline
from altsets.views._records import Bars, Grid, Membership, ReferenceLine, cap, check_answer, set_name
from altsets.wording import large_count, paragraph, sentence


def membership(result: Any, most: int | None = None, most_sets: int | None = None) -> Membership:
    """Which features are in which sets, with the score of each feature."""
    found, sets_left_out = _first_sets(_with_sets(result, "a plot of members"), most_sets)
    names: dict[int, str] = {}
    scores: dict[int, float] = {}
    counts: dict[int, int] = {}
    for number, chosen in enumerate(found.sets):
        names.update(zip(chosen, found.named_sets[number], strict=True))
        scores.update(zip(chosen, found.scores[number] if found.scores else (), strict=False))
        counts |= {index: counts.get(index, 0) + 1 for index in chosen}
    order = sorted(names, key=lambda index: (-counts[index], -scores.get(index, 0.0), index))
    shown, left_out = cap(order, most, "feature", "those in the most sets, and of these the best")
    floor = found.noise_floor
    above = None if floor is None or not scores else tuple(scores[index] > floor for index in shown)
    marked = above is not None and not all(above)
    return Membership(
        features=tuple(names[index] for index in shown),
        scores=tuple(scores[index] for index in shown) if scores else None,
        members=tuple(tuple(index in chosen for chosen in found.sets) for index in shown),
        above_noise=above,
        set_names=_set_names(found),
        qualities=tuple(map(float, found.qualities)),
        note=paragraph(sets_left_out, left_out, found.noise_in_words() if marked else ""),
        noise_floor=floor if scores else None,
    )


def overlaps(result: Any, most: int | None = None) -> Grid:
    """How many features each two sets share; each set shares all of its features with itself."""
    found, left_out = _several_sets(result, most)
    table = overlap_table(found.sets)
    return Grid(
        rows=_set_names(found),
        columns=_set_names(found),
        values=tuple(map(tuple, table)),
        low=0,
        high=max(map(max, table)),
        value_name="features that two sets share",
        digits=0,
        note=left_out,
    )


def likeness(result: Any, most: int | None = None) -> Grid:
    """How similar each two sets are, where similar features count as the same.

    Shared and matched features divided by the size of the sets: 1 minus the dissimilarity that the search used
    (:class:`altsets.dissimilarity.Matched`).
    """
    found, left_out = _several_sets(result, most)
    if not found.is_matched:
        raise InputError(
            "these sets were not compared through the similarity of features, so nothing is known about it; search "
            "with dissimilarity=Matched(...), or look at the features that they share."
        )
    return Grid(
        rows=_set_names(found),
        columns=_set_names(found),
        values=_alike(found),
        low=0.0,
        high=1.0,
        value_name="similarity of two sets",
        note=left_out,
    )


def _alike(found: Result) -> tuple[tuple[float, ...], ...]:
    """Twice the overlap through similarity, divided by the sizes: what Matched takes from 1."""
    whole = found.parameters["dissimilarity"].get("threshold") is not None
    matched: dict[tuple[int, int], list[tuple[int, int, float]]] = {}
    for later, earlier, feature, other, similarity in found.matches:
        matched.setdefault((later, earlier), []).append((feature, other, similarity))
    table = [[1.0] * len(found.sets) for _ in found.sets]
    for earlier, later in itertools.combinations(range(len(found.sets)), 2):
        pairs = matched.get((later, earlier), [])
        # A feature of both sets that is matched with another one is not matched with itself.
        elsewhere = {feature for pair in pairs for feature in pair[:2]}
        same = len(set(found.sets[later]) & set(found.sets[earlier]) - elsewhere)
        overlap = same + math.fsum(1.0 if whole else pair[2] for pair in pairs)
        sizes = len(found.sets[later]) + len(found.sets[earlier])
        table[later][earlier] = table[earlier][later] = min(1.0, 2 * overlap / sizes)
    return tuple(map(tuple, table))


def qualities(result: Any, most: int | None = None) -> Bars:
    """The quality of each set, and the best that is possible.

    A bound on all sets together becomes a line: on their mean if the sum was maximised, on the worst of them if the
    minimum was. Where sets are proven to be the best one after the other, there is no line, since each of them is its
    own bound. Sets not proven to be the best are marked.
    """
    found = _with_sets(result, "a plot of quality")
    shown, left_out = cap(range(len(found.sets)), most, "set", "the first ones")
    unproven = tuple(found.statuses[number] is not Status.OPTIMAL for number in shown)
    return Bars(
        labels=tuple(map(set_name, shown)),
        values=tuple(float(found.qualities[number]) for number in shown),
        value_name="quality",
        lines=_bounds(found),
        marked=unproven if any(unproven) else (),
        mark_means="not proven to be the best" if any(unproven) else "",
        note=paragraph(left_out, _proof(found)),
    )


def _bounds(found: Result) -> tuple[ReferenceLine, ...]:
    """What is known about the quality of such sets, as a line."""
    needed = found.parameters.get("quality_needed")
    if needed is not None:
        return (ReferenceLine("quality that was asked for", float(needed)),)
    if found.finding or not math.isfinite(found.bound):
        return ()
    if found.parameters.get("search") == "sequential":
        if _all_proven(found):
            return ()
        return (ReferenceLine("no sets found one by one have a larger mean", found.bound / len(found.sets)),)
    if found.parameters.get("aggregation") == "min":
        return (ReferenceLine("proven: the worst set cannot be better", found.bound),)
    return (ReferenceLine("proven: no sets have a larger mean", found.bound / len(found.sets)),)


def _all_proven(found: Result) -> bool:
    return all(status is Status.OPTIMAL for status in found.statuses[: len(found.sets)])


def _proof(found: Result) -> str:
    missing = len(found.statuses) - len(found.sets)
    said = f"{missing} of {len(found.statuses)} sets were not found." if missing else ""
    each = found.parameters.get("search") == "sequential" and len(found.sets) > 1
    if not each or found.finding or not _all_proven(found):
        return said
    return paragraph("Each set is proven to be the best one, given the sets before it.", said)


def _with_sets(given: Any, about: str) -> Result:
    found = check_answer(given, Result, about)
    if not found.sets:
        raise InputError("there is no set to show; explain() of the result says why none was found.")
    return found


def _several_sets(given: Any, most: Any) -> tuple[Result, str]:
    """The first sets as a result of their own, and a sentence about the others."""
    found = _with_sets(given, "a plot of pairs of sets")
    if len(found.sets) < 2:
        raise InputError(
            "there is only one set, and nothing to compare it with; ask for n_alternatives=1 or more."
        )
    first, left_out = _first_sets(found, most)
    if len(first.sets) < 2:
        raise InputError("most=1 leaves one set, and nothing to compare it with; give 2 or more.")
    return first, left_out


def _first_sets(found: Result, most: Any) -> tuple[Result, str]:
    """The first sets as a result of their own, and a sentence about the others."""
    shown, left_out = cap(range(len(found.sets)), most, "set", "the first ones")
    count = len(shown)
    if not left_out:
        return found, ""
    first = replace(
        found,
        sets=found.sets[:count],
        named_sets=found.named_sets[:count],
        qualities=found.qualities[:count],
        scores=found.scores[:count],
        matches=[match for match in found.matches if match[0] < count],
    )
    return first, left_out


def _set_names(found: Result) -> tuple[str, ...]:
    return tuple(map(set_name, range(len(found.sets))))


def near_best_frequencies(near_best: Any, most: int | None = 25) -> Bars:
    """The share of the near-best sets that have each feature; features of the best set are marked."""
    near = check_answer(near_best, NearBest, "a plot of frequencies")
    order = near.ordered()
    if not order:
        raise InputError("there is no set that is nearly the best to be shown; explain() says why.")
    shown, left_out = cap(order, most, "feature", "the most frequent ones")
    inside = frozenset(near.best_set or ())
    return Bars(
        labels=tuple(near.feature_names[index] for index in shown),
        values=tuple(float(near.frequencies[index]) for index in shown),
        value_name="share of the sets that have it",
        marked=tuple(index in inside for index in shown),
        mark_means="in the best set",
        note=paragraph(_about(near), left_out),
    )


def _about(near: NearBest) -> str:
    """How many sets there are, and which of them shares are about."""
    known = f"Shares are about the {large_count(near.n_known)} best ones." if near.n_known else ""
    return paragraph(sentence(headline(near)), known, "Shares are estimates." if near.estimated else "")
