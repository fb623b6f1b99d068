"""Views of an evaluation: scores beside a baseline, stand-ins, stability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from altsets.errors import InputError
from altsets.evaluation import Evaluation
from altsets.views._records import (
    Bars,
    FeatureStability,
    Grid,
    ReferenceLine,
    cap,
    check_answer,
    finite_or_none,
    set_name,
)
from altsets.wording import paragraph

#: In the place of a set number: in any of the sets.
ANY = "any"
#: A feature that replaces another one at least this often is placed next to it; at most this many.
OFTEN, MOST_PARTNERS = 0.25, 3


def predictive_scores(evaluation: Any, scorer: str | None = None) -> Bars:
    """Mean test score of each set with a confidence interval, its fold scores, and the dummy baseline.

    Intervals are corrected for overlapping folds (Nadeau and Bengio). Sets not shown to beat the baseline are marked.
    Intervals do not tell whether two sets differ; ``evaluation.comparisons`` compares them fold by fold.
    """
    found = _with_folds(evaluation, "a plot of scores")
    means = found.mean_scores(scorer)
    name = scorer or found.scorers[0]
    intervals = found.score_intervals(name)
    beats = {entry.number: entry.beats for entry in found.against_baseline if entry.scorer == name}
    marked = tuple(beats.get(number) is False for number in range(found.n_sets))
    baseline, guess = found.baselines()[name], found.guess(name)
    known = any(math.isfinite(low) for low, _ in intervals)
    return Bars(
        labels=tuple(map(set_name, range(found.n_sets))),
        values=tuple(map(finite_or_none, means)),
        value_name=name,
        low=tuple(finite_or_none(low) for low, _ in intervals) if known else None,
        high=tuple(finite_or_none(high) for _, high in intervals) if known else None,
        interval_name=f"{100 * found.confidence:g} % interval" if known else "",
        dots=tuple(
            tuple(score for score in found.scores(number, name) if math.isfinite(score))
            for number in range(found.n_sets)
        ),
        lines=(ReferenceLine(f"baseline: {guess}", baseline),) if math.isfinite(baseline) else (),
        marked=marked if any(marked) else (),
        mark_means=f"not shown to predict better than {guess}" if any(marked) else "",
        note=_about_folds(found),
    )


def stand_ins(evaluation: Any, most: int | None = 20, source: str | None = None) -> Grid:
    """How often the feature of a column replaces that of a row, as a share of all replacements of the latter.

    The feature that is replaced most comes first, followed by those that often replace it, and so on.
    """
    found = _with_folds(evaluation, "a plot of stand-ins")
    swaps = found.substitutions(source)
    shares = {feature: others for feature, others in swaps.shares.items() if others}
    if not shares:
        raise InputError(
            "no feature stands in for another one: all sets have the same features, or there is one set."
        )
    swapped = {
        feature: math.fsum(swaps.weights[feature, other] for other in others)
        for feature, others in shares.items()
    }
    order = _neighbours(shares, swapped)
    shown, left_out = cap(order, most, "feature", "those that are swapped most, with their stand-ins")
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


def _neighbours(shares: Mapping[int, Mapping[int, float]], swapped: Mapping[int, float]) -> list[int]:
    """Order features so that those that replace each other are neighbours."""
    left = sorted(swapped, key=lambda feature: (-swapped[feature], feature))
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


def stability(evaluation: Any, most: int | None = 25, source: str | None = None) -> FeatureStability:
    """How often each feature is chosen on other rows, and a stability index for each set."""
    found = _with_folds(evaluation, "a plot of stability")
    if found.given:
        raise InputError(
            "these sets were given, so they are the same in every fold; evaluate a selector instead, which chooses "
            "features anew in each."
        )
    columns: list[int | str] = [ANY, *range(found.n_sets)]
    by_feature = {
        key[0]: [finite_or_none(by_set[column]) for column in columns]
        for key, by_set in found.shares(source).items()
    }
    order = sorted(
        by_feature, key=lambda feature: ([-(share or 0.0) for share in by_feature[feature]], feature)
    )
    shown, left_out = cap(order, most, "feature", "those that are chosen most often")
    names = tuple(_column_name(column) for column in columns)
    runs, searches = (
        len(found.runs(source)),
        "bootstrap samples" if _by_bootstraps(found, source) else "folds",
    )
    shares = Grid(
        rows=tuple(found.names[feature] for feature in shown),
        columns=names[1:] + names[:1],
        values=tuple(tuple(by_feature[feature][1:] + by_feature[feature][:1]) for feature in shown),
        low=0.0,
        high=1.0,
        shares=True,
        value_name=f"share of {runs} {searches} in which a feature is chosen",
        note=left_out,
    )
    return FeatureStability(shares, _index(found, source, f"{runs} {searches}"))


def _index(found: Evaluation, source: str | None, searches: str) -> Bars:
    entries = found.stability(source)
    entries = [entry for entry in entries if entry.number != ANY] + [
        entry for entry in entries if entry.number == ANY
    ]
    known = any(math.isfinite(entry.low) for entry in entries)
    similar = [
        f"{_column_name(entry.number)} {entry.similar:.2f}"
        for entry in entries
        if entry.similar > entry.index
    ]
    return Bars(
        labels=tuple(_column_name(entry.number) for entry in entries),
        values=tuple(finite_or_none(entry.index) for entry in entries),
        value_name=f"stability over {searches}",
        low=tuple(finite_or_none(entry.low) for entry in entries) if known else None,
        high=tuple(finite_or_none(entry.high) for entry in entries) if known else None,
        interval_name=f"{100 * found.confidence:g} % interval" if known else "",
        note=f"Counting similar features as the same: {', '.join(similar)}." if similar else "",
    )


def _column_name(number: int | str) -> str:
    return "any set" if isinstance(number, str) else set_name(number)


def _by_bootstraps(found: Evaluation, source: str | None) -> bool:
    return (source or found.source) == "bootstraps"


def _about_folds(found: Evaluation) -> str:
    """Caveats about the scores."""
    seen = found.given or bool(found.parameters.get("ready_made"))
    missing = [
        f"{set_name(number)} in {found.n_found(number)}"
        for number in range(found.n_sets)
        if found.n_found(number) < len(found.folds)
    ]
    return paragraph(
        f"{len(found.folds)} of {found.n_folds} folds were done." if len(found.folds) < found.n_folds else "",
        f"Not in all {len(found.folds)} folds found: {', '.join(missing)}." if missing else "",
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
