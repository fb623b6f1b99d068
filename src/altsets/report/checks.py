"""Answers that are to go into one report: each what its name says, and all about the same features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from altsets.errors import InputError
from altsets.evaluation import EvaluatedFrontier, Evaluation
from altsets.report.conditions import named_features
from altsets.result import Result
from altsets.search.frontier import Frontier
from altsets.search.near_best import NearBest

__all__ = ["check_kinds", "check_quality", "check_same_features", "check_same_sets", "check_title"]

#: The kinds of answers, and where each comes from.
KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "result": (Result, "altsets.find"),
    "evaluation": (Evaluation, "altsets.evaluate"),
    "frontier": ((Frontier, EvaluatedFrontier), "altsets.frontier"),
    "near_best": (NearBest, "altsets.near_best"),
}


def check_kinds(answers: Mapping[str, Any]) -> None:
    """Refuse what is no answer, or another one than its name says."""
    for name, given in answers.items():
        kind, example = KINDS[name]
        if given is not None and not isinstance(given, kind):
            raise InputError(f"{name} must be what {example} returns, not {given!r:.60}.")


def check_title(title: Any) -> None:
    """Refuse a heading that is no text."""
    if title is not None and not isinstance(title, str):
        raise InputError(f"title must be a text, not {title!r:.60}.")


def check_same_sets(result: Result | None, evaluation: Evaluation | None) -> None:
    """Refuse the evaluation of other sets than were found."""
    if result is None or evaluation is None or not evaluation.given or not evaluation.folds:
        return
    if list(evaluation.folds[0].sets) != list(result.sets):
        raise InputError(
            "evaluation is about other sets than the result has; give the evaluation of its sets."
        )


def check_same_features(
    result: Result | None, evaluation: Evaluation | None, frontier: Frontier | None, near: NearBest | None
) -> None:
    """Refuse answers about other features than those of the sets."""
    if result is None:
        return
    answers = _names_by_index(evaluation, frontier, near)
    ours = named_features(result, None)
    for what, theirs in answers.items():
        for index, name in ours.items():
            if theirs.get(index, name) != name:
                raise InputError(
                    f"{what} is about another table than the sets: it has {theirs[index]!r:.60} where these have "
                    f"{name!r:.60}; give answers about the same features."
                )


def _names_by_index(
    evaluation: Evaluation | None, frontier: Frontier | None, near: NearBest | None
) -> dict[str, Mapping[int, str]]:
    known: dict[str, Mapping[int, str]] = {}
    if evaluation is not None:
        known["evaluation"] = evaluation.names
    if frontier is not None:
        known["frontier"] = {
            index: name for point in frontier for index, name in named_features(point.result, None).items()
        }
    if near is not None:
        known["near_best"] = dict(enumerate(near.feature_names))
    return known


def check_quality(quality: Any, n_features: int | None) -> None:
    """Refuse what is no quality, or one of another table."""
    if quality is None:
        return
    if not hasattr(quality, "feature_scores") or not hasattr(quality, "feature_names"):
        raise InputError(
            f"quality must be a quality, such as the one that was searched with, not {quality!r:.60}."
        )
    there = len(quality.feature_names)
    if n_features is not None and there != n_features:
        raise InputError(
            f"quality has {there:,} features, and the sets were chosen from {n_features:,}; give the one that was "
            "searched with."
        )
