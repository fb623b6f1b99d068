"""Scores along a frontier in plain words."""

from __future__ import annotations

from altsets.evaluation._comparison import in_folds, shown
from altsets.evaluation._scores_along import EvaluatedPoint, ScoresAlong

__all__ = ["scores_in_words", "summary_along"]


def summary_along(told: ScoresAlong) -> str:
    """What the frontier says about quality, then what the folds say about predictions."""
    return " ".join([told.frontier.explain(), *scores_in_words(told)])


def scores_in_words(told: ScoresAlong) -> list[str]:
    """What was done, whether it helps to know the features, and how far one can go without a loss."""
    shared, best = told.any_evaluation, told.best
    how = f"{shared.parameters.get('splits', 'cross-validation')}, model {shared.parameters.get('model', 'tree')}"
    sentences = []
    if not told.complete:
        sentences.append(f"Interrupted: {len(shared.folds)} of {told.n_folds} folds were done.")
    if best is None:
        return [*sentences, f"No point has a score ({how})."]
    low, high = best.interval
    sure = f", {100 * shared.confidence:g} % interval [{shown(low)}, {shown(high)}]" if low == low else ""
    sentences.append(
        f"Cross-validated ({how}), {shared.scorers[0]} is best at {_named(told, best)}: {shown(best.score)}{sure}; "
        f"the baseline, {shared.guess()}, has {shown(told.baseline)}."
    )
    return [*sentences, _chance(told), *_how_far(told, best)]


def _chance(told: ScoresAlong) -> str:
    """Whether any point is better than the baseline."""
    entries = [entry for entry in told.against_baseline if entry.n_folds]
    if not entries:
        return "No point can be compared with the baseline."
    if all(entry.beats is None for entry in entries):
        return "A test against the baseline needs several folds."
    good = [entry for entry in entries if entry.beats]
    if not good:
        return "No point was shown to predict better than the baseline."
    many = f"All {len(good)} points" if len(good) == len(entries) else f"{len(good)} of {len(entries)} points"
    if len(entries) == 1:
        many = "The point"
    predict = "predict" if len(good) > 1 else "predicts"
    lost = sum(entry.p_adjusted > 1 - told.any_evaluation.confidence for entry in good)
    held = f" ({len(good) - lost} of them after adjusting for all points, by Holm)" if lost else ""
    return f"{many} {predict} better than the baseline{held}."


def _how_far(told: ScoresAlong, best: EvaluatedPoint) -> list[str]:
    """The fewest features and the largest tau for which no loss was shown; at most one sentence."""
    n_folds = len(best.evaluation.folds)
    smallest, farthest = told.smallest, told.most_different
    if smallest is None or farthest is None:
        return []
    parts = []
    if smallest is farthest and smallest.n_features < best.n_features and farthest.tau > best.tau:
        both = f"{_features(smallest)} with tau up to {farthest.tau:.4g} ({shown(smallest.score)})"
        return [f"No loss against the best score was shown for as few as {both}, {in_folds(n_folds)}."]
    if smallest.n_features < best.n_features:
        parts.append(
            f"for as few as {_features(smallest)} (tau = {smallest.tau:.4g}: {shown(smallest.score)})"
        )
    if farthest.tau > best.tau:
        size = f"{_features(farthest)}: " if len(told.frontier.sizes) > 1 else ""
        parts.append(f"for tau up to {farthest.tau:.4g} ({size}{shown(farthest.score)})")
    if not parts:
        further = any(point.n_features < best.n_features or point.tau > best.tau for point in told)
        return ["A loss was shown for all points with fewer features or a larger tau."] if further else []
    return [f"No loss against the best score was shown {' and '.join(parts)}, {in_folds(n_folds)}."]


def _features(point: EvaluatedPoint) -> str:
    return f"{point.n_features} feature{'' if point.n_features == 1 else 's'}"


def _named(told: ScoresAlong, point: EvaluatedPoint) -> str:
    """A point by what is not the same for all points."""
    frontier = told.frontier
    alternatives = "alternative" if point.n_alternatives == 1 else "alternatives"
    parts = [
        *([_features(point)] if len(frontier.sizes) > 1 else []),
        *([f"{point.n_alternatives} {alternatives}"] if len(frontier.counts) > 1 else []),
    ]
    if len({other.tau for other in frontier}) > 1 or not parts:
        parts.append(f"tau = {point.tau:.4g}")
    return ", ".join(parts)
