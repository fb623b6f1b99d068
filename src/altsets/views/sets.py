"""Views of feature sets (membership, overlap, quality, near-best frequencies) and of their evaluation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

from altsets.documents import finite
from altsets.errors import InputError
from altsets.evaluation import Evaluation
from altsets.result import NearBest, Result, Status, overlap_table
from altsets.views.records import (
    Bars,
    Grid,
    Membership,
    ReferenceLine,
    baseline_line,
    cap,
    check_answer,
    clipped,
    top_score,
)
from altsets.wording import large_count, paragraph, sentence


def membership(result: Any, most: int | None = None, most_sets: int | None = None) -> Membership:
    found, sets_left_out = _first_sets(_with_sets(result, "a plot of members"), most_sets)
    names: dict[int, str] = {}
    scores: dict[int, float] = {}
    counts = Counter(chain(*found.sets))
    for number, chosen in enumerate(found.sets):
        names.update(zip(chosen, found.texts[number], strict=True))
        scores.update(zip(chosen, found.scores[number] if found.scores else (), strict=False))
    order = sorted(names, key=lambda index: (-counts[index], -scores.get(index, 0.0), index))
    shown, left_out = cap(order, most, "feature", "those in the most sets, and of these the best")
    floors = dict(zip(chain(*found.sets), chain(*found.noise_floors), strict=False)) if scores else {}
    above = tuple(scores[index] > floors[index] for index in shown) if floors else None
    marked = above is not None and not all(above)
    return Membership(
        features=tuple(names[index] for index in shown),
        scores=tuple(scores[index] for index in shown) if scores else None,
        members=tuple(tuple(index in chosen for chosen in found.sets) for index in shown),
        above_noise=above,
        set_names=_set_names(found),
        qualities=tuple(map(float, found.qualities)),
        note=paragraph(sets_left_out, left_out, found.noise_in_words() if marked else ""),
        noise_floors=tuple(floors[index] for index in shown) if floors else None,
    )


def overlaps(result: Any, most: int | None = None) -> Grid:
    """How many features, or groups of them, each two sets share; each set shares all of its own with itself."""
    found, left_out = _several_sets(result, most)
    what, compared = found.compared
    table = overlap_table(compared)
    return Grid(
        rows=_set_names(found),
        columns=_set_names(found),
        values=tuple(map(tuple, table)),
        low=0,
        high=max(map(max, table)),
        value_name=f"{what}s that two sets share",
        digits=0,
        note=left_out,
    )


def likeness(result: Any, most: int | None = None) -> Grid:
    """How similar each two sets are by the matching of their features: 1 minus the dissimilarity of the search."""
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
    for earlier, later in combinations(range(len(found.sets)), 2):
        pairs = matched.get((later, earlier), [])
        # A feature of both sets that is matched with another one is not matched with itself.
        elsewhere = {feature for pair in pairs for feature in pair[:2]}
        same = len(set(found.sets[later]) & set(found.sets[earlier]) - elsewhere)
        overlap = same + math.fsum(1.0 if whole else pair[2] for pair in pairs)
        sizes = len(found.sets[later]) + len(found.sets[earlier])
        table[later][earlier] = table[earlier][later] = min(1.0, 2 * overlap / sizes)
    return tuple(map(tuple, table))


def qualities(result: Any, most: int | None = None) -> Bars:
    """The quality of each set, with a line at a bound on all of them; sets not proven to be the best are marked."""
    found = _with_sets(result, "a plot of quality")
    shown, left_out = cap(range(len(found.sets)), most, "set", "the first ones")
    unproven = tuple(found.statuses[number] is not Status.OPTIMAL for number in shown)
    return Bars(
        labels=tuple(map(found.label, shown)),
        values=tuple(float(found.qualities[number]) for number in shown),
        value_name="quality",
        lines=_bounds(found),
        marked=unproven if any(unproven) else (),
        mark_means="not proven to be the best" if any(unproven) else "",
        note=paragraph(left_out, _proof(found)),
    )


def _bounds(found: Result) -> tuple[ReferenceLine, ...]:
    needed = found.parameters.get("quality_needed", found.parameters.get("min_quality"))
    if needed is not None:
        return (ReferenceLine("requested quality", float(needed)),)
    if not math.isfinite(found.bound):
        return ()
    if found.parameters.get("search") == "sequential":
        if _all_proven(found):
            return ()
        return (ReferenceLine("no sets found one by one have a larger mean", found.bound / len(found.sets)),)
    if found.parameters.get("aggregation") in ("min", "leximin"):
        return (ReferenceLine("proven: the worst set cannot be better", found.bound),)
    return (ReferenceLine("proven: no sets have a larger mean", found.bound / len(found.sets)),)


def _all_proven(found: Result) -> bool:
    return all(status is Status.OPTIMAL for status in found.statuses[: len(found.sets)])


def _proof(found: Result) -> str:
    missing = len(found.statuses) - len(found.sets)
    each = found.parameters.get("search") == "sequential" and len(found.sets) > 1
    proven = "Each set is proven to be the best one, given the sets before it."
    return paragraph(
        proven if each and _all_proven(found) else "",
        f"{missing} of {len(found.statuses)} sets were not found." if missing else "",
    )


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
    names = ("sets", "texts", "qualities", "scores")
    first: dict[str, Any] = {name: getattr(found, name)[:count] for name in names}
    matches = [match for match in found.matches if match[0] < count]
    return replace(found, matches=matches, **first) if left_out else found, left_out


def _set_names(found: Result) -> tuple[str, ...]:
    return tuple(map(found.label, range(len(found.sets))))


def near_best_frequencies(near_best: Any, most: int | None = 25) -> Bars:
    """The share of the near-best sets that have each feature; features of the best set are marked."""
    near = check_answer(near_best, NearBest, "a plot of frequencies")
    order = near.ordered()
    if not order:
        raise InputError("there is no set that is nearly the best to be shown; explain() says why.")
    shown, left_out = cap(order, most, "feature", "the most frequent ones")
    inside = frozenset(near.best_set or ())
    return Bars(
        labels=tuple(near.features[index] for index in shown),
        values=tuple(float(near.frequencies[index]) for index in shown),
        value_name="share of the sets that have it",
        shares=True,
        limits=(0.0, 1.0),
        marked=tuple(index in inside for index in shown),
        mark_means="in the best set",
        note=paragraph(_about(near), left_out),
    )


def _about(near: NearBest) -> str:
    known = f"Shares are about the {large_count(near.n_known)} best ones." if near.n_known else ""
    return paragraph(sentence(near.headline), known, "Shares are estimates." if near.estimated else "")


#: With fewer folds than that, an interval is said to be rough.
FEWEST_FOLDS, FEW = 5, "too few for more than a rough guide"
#: In the place of a set number: in any of the sets.
ANY = "any"
#: A feature that replaces another one at least this often is placed next to it; at most this many.
OFTEN, MOST_PARTNERS = 0.25, 3


def predictive_scores(evaluation: Any, scorer: str | None = None) -> Bars:
    """Mean test score of each set, its interval and fold scores, the baseline; sets that do not beat it are marked."""
    found = _with_folds(evaluation, "a plot of scores")
    means = found.mean_scores(scorer)
    name = scorer or found.scorers[0]
    intervals = found.score_intervals(name)
    beats = {entry.number: entry.beats_baseline for entry in found.against_baseline if entry.scorer == name}
    marked = tuple(beats.get(number) is False for number in range(found.n_sets))
    known = any(math.isfinite(low) for low, _ in intervals)
    return Bars(
        labels=tuple(f"set {number}" for number in range(found.n_sets)),
        values=tuple(map(finite, means)),
        value_name=name,
        low=tuple(clipped(low, name) for low, _ in intervals) if known else None,
        high=tuple(clipped(high, name) for _, high in intervals) if known else None,
        interval_name=_interval_name(found, f"{len(found.folds)} folds") if known else "",
        # What is not better than a guess means nothing.
        limits=(finite(found.baselines()[name]), top_score(name)),
        dots=tuple(tuple(filter(math.isfinite, found.scores(n, name))) for n in range(found.n_sets)),
        lines=baseline_line(found, name),
        marked=marked if any(marked) else (),
        mark_means=f"not shown to predict better than {found.guess(name)}" if any(marked) else "",
        note=_about_folds(found),
    )


def stand_ins(evaluation: Any, most: int | None = 20, source: str | None = None) -> Grid:
    """How often the feature of a column replaces that of a row, as a share of all replacements of the latter."""
    found = _with_folds(evaluation, "a plot of stand-ins")
    swaps = found.substitutions(source)
    shares = {feature: swaps.shares[feature] for feature in swaps.most_swapped()}
    if not shares:
        raise InputError(
            "no feature stands in for another one: there is one set, all sets have the same features, or those that "
            "differ are not similar."
        )
    shown, left_out = cap(
        neighbours(shares), most, "feature", "those that are swapped most, with their stand-ins"
    )
    return Grid(
        rows=tuple(found.names[feature] for feature in shown),
        columns=tuple(found.names[feature] for feature in shown),
        values=tuple(tuple(shares[feature].get(other) for other in shown) for feature in shown),
        low=0.0,
        high=1.0,
        shares=True,
        value_name="how often each stands in for the feature of the row",
        row_name="replaced feature",
        column_name="stand-in",
        note=left_out,
    )


def neighbours(shares: Mapping[int, Mapping[int, float]]) -> list[int]:
    """The features in this order, but those that often replace each other as neighbours."""
    left = list(shares)
    order: list[int] = []
    while left:
        waiting = [left[0]]
        while waiting:
            feature = waiting.pop(0)
            if feature in left:
                left.remove(feature)
                order.append(feature)
                partners = [other for other, share in shares[feature].items() if share >= OFTEN]
                waiting = [*partners[:MOST_PARTNERS], *waiting]
    return order


def stability(evaluation: Any, most: int | None = 25, source: str | None = None) -> tuple[Grid, Bars]:
    """How often each feature is chosen on other rows, and a stability index of each set and of all together.

    The index is 1 if features are always the same, and 0 if they agree no more than by chance.
    """
    found = _with_folds(evaluation, "a plot of stability")
    if found.given:
        raise InputError(
            "these sets were given, so they are the same in every fold; evaluate a selector instead, which chooses "
            "features anew in each."
        )
    columns: list[int | str] = [ANY, *range(found.n_sets)]
    shown_in = found.shares(source).items()
    by_feature = {key[0]: [finite(by_set[column]) for column in columns] for key, by_set in shown_in}
    order = sorted(by_feature, key=lambda one: ([-(share or 0.0) for share in by_feature[one]], one))
    shown, left_out = cap(order, most, "feature", "those that are chosen most often")
    names = tuple(_column_name(column) for column in columns)
    kind = "bootstrap samples" if (source or found.source) == "bootstraps" else "folds"
    searches = f"{len(found.runs(source))} {kind}"
    shares = Grid(
        rows=tuple(found.names[feature] for feature in shown),
        columns=names[1:] + names[:1],
        values=tuple(tuple(by_feature[feature][1:] + by_feature[feature][:1]) for feature in shown),
        low=0.0,
        high=1.0,
        shares=True,
        value_name=f"share of {searches} in which a feature is chosen",
        note=left_out,
    )
    return shares, _index(found, source, searches)


def _index(found: Evaluation, source: str | None, searches: str) -> Bars:
    entries = sorted(found.stability(source), key=lambda entry: entry.number == ANY)
    known = any(math.isfinite(entry.low) for entry in entries)
    alike = [entry for entry in entries if entry.similar > entry.index]
    similar = [f"{_column_name(entry.number)} {entry.similar:.2f}" for entry in alike]
    return Bars(
        labels=tuple(_column_name(entry.number) for entry in entries),
        values=tuple(finite(entry.index) for entry in entries),
        value_name=f"stability over {searches}",
        low=tuple(finite(entry.low) for entry in entries) if known else None,
        high=tuple(finite(entry.high) for entry in entries) if known else None,
        interval_name=_interval_name(found, searches) if known else "",
        limits=(0.0, 1.0),
        note=f"Counting similar features as the same: {', '.join(similar)}." if similar else "",
    )


def _interval_name(found: Evaluation, searches: str) -> str:
    rough = f", {FEW}" if int(searches.split()[0]) < FEWEST_FOLDS else ""
    return f"{100 * found.confidence:g} % interval from {searches}{rough}"


def _column_name(number: int | str) -> str:
    return "any set" if isinstance(number, str) else f"set {number}"


def _about_folds(found: Evaluation) -> str:
    seen = found.given or bool(found.parameters.get("ready_made"))
    n_folds, counts = len(found.folds), map(found.n_found, range(found.n_sets))
    missing = [f"set {number} in {count}" for number, count in enumerate(counts) if count < n_folds]
    return paragraph(
        f"{n_folds} of {found.n_folds} folds were done." if n_folds < found.n_folds else "",
        f"Not in all {n_folds} folds found: {', '.join(missing)}." if missing else "",
        "If the sets come from these rows, the search has seen the test rows, and scores are too high."
        if seen
        else "",
    )


def _with_folds(given: Any, about: str) -> Evaluation:
    found = check_answer(given, Evaluation, about)
    if not found.folds:
        raise InputError(
            "no fold of this evaluation was done, so there is nothing to show; give it more time."
        )
    return found
