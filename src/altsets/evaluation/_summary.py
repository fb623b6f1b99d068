"""An evaluation in plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from altsets.evaluation._comparison import mean_of, shown, std_of
from altsets.evaluation._measured import Measured
from altsets.evaluation._stability import ANY

__all__ = ["summary_of"]

#: Features of a set that are named.
MOST_FEATURES = 8
#: Features that are named with what takes their place.
MOST_SWAPPED = 6
#: Features in a set: more of them have too many possible partners for a list of some.
MOST_IN_A_SET = 200


def summary_of(evaluation: Measured) -> str:
    """Paragraphs: what was done, a table of sets, comparisons, features, stability, stand-ins."""
    parts = [
        _headline(evaluation),
        _table(evaluation),
        _sentences(evaluation),
        _features(evaluation),
        _stability(evaluation),
        _stand_ins(evaluation),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _headline(evaluation: Measured) -> list[str]:
    sets = _counted(evaluation.n_sets, "set")
    splits = evaluation.parameters.get("splits", _counted(evaluation.n_folds, "fold"))
    table = f"{_counted(evaluation.n_rows, 'row')} and {_counted(evaluation.n_features_in, 'feature')}"
    model = evaluation.parameters.get("estimator", "tree")
    how = f"{splits}{',' if ',' in splits else ''} on {table}; model: {model}."
    if evaluation.given:
        lines = [
            f"{sets}, given; {how}",
            "If the sets were found on these rows, the search has seen the test rows and the scores are too good.",
        ]
    else:
        lines = [f"{sets}, found anew on the training rows of each fold; {how}"]
        if evaluation.parameters.get("ready_made"):
            lines.append(
                "The search was guided by scores that were given: if they come from these rows, the search has seen "
                "the test rows and the scores are too good."
            )
    if not evaluation.complete:
        done = f"{len(evaluation.folds)} of {evaluation.n_folds} folds"
        if evaluation.n_bootstraps:
            done += f" and {len(evaluation.resamples)} of {evaluation.n_bootstraps} bootstrap samples"
        lines.append(f"Interrupted: {done} were done.")
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _table(evaluation: Measured) -> list[str]:
    numbers = range(evaluation.n_sets)
    columns = [["set", *map(str, numbers)]]
    for name in evaluation.scorers:
        cells = [name]
        for number in numbers:
            scores = evaluation.scores(number, name)
            spread = std_of(scores)
            cells.append(shown(mean_of(scores)) + ("" if math.isnan(spread) else f" ± {shown(spread)}"))
        columns.append(cells)
        trained = [
            mean_of([fold.train_scores[name][number] for fold in evaluation.folds]) for number in numbers
        ]
        columns.append(["training rows", *map(shown, trained)])
    for title, kept in (("quality", "qualities"), ("on test rows", "test_qualities")):
        means = [mean_of([getattr(fold, kept)[number] for fold in evaluation.folds]) for number in numbers]
        if not all(map(math.isnan, means)):
            columns.append([title, *map(shown, means)])
    return _aligned(columns)


def _aligned(columns: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _sentences(evaluation: Measured) -> list[str]:
    lines = []
    for number in range(evaluation.n_sets):
        found = evaluation.n_found(number)
        if found < len(evaluation.folds):
            lines.append(f"Set {number} was found in {found} of {len(evaluation.folds)} folds.")
    several = len(evaluation.scorers) > 1
    for entry in evaluation.comparisons:
        lines.append(f"{entry.scorer}: {entry.sentence}" if several else entry.sentence)
    if sum(not math.isnan(entry.p_value) for entry in evaluation.comparisons) > 1:
        lines.append("Each interval is about one comparison, not about all of them at once.")
    return lines


def _features(evaluation: Measured) -> list[str]:
    """The features of each set, most frequent first."""
    shares = evaluation.shares()
    lines = []
    for number in range(evaluation.n_sets):
        chosen = sorted((-by_set[number], key[0]) for key, by_set in shares.items() if by_set[number] > 0)
        if evaluation.given:
            cells = [evaluation.names[index] for _, index in chosen]
        else:
            cells = [f"{evaluation.names[index]} {-share:.0%}" for share, index in chosen]
        if cells:
            lines.append(f"  set {number}: {_listed(cells)}")
    if not lines:
        return []
    many = _counted(len(evaluation.runs()), _noun(evaluation))
    return [
        "Features:" if evaluation.given else f"Features, and in how many of {many} they were chosen:",
        *lines,
    ]


def _noun(evaluation: Measured) -> str:
    return "bootstrap sample" if evaluation.source == "bootstraps" else "fold"


def _listed(cells: Sequence[str]) -> str:
    more = len(cells) - MOST_FEATURES
    return ", ".join(cells[:MOST_FEATURES]) + (f" and {more} more" if more > 0 else "")


def _stability(evaluation: Measured) -> list[str]:
    known = [entry for entry in evaluation.stability() if not math.isnan(entry.index)]
    if not known:
        return []
    cells = [
        f"{'all sets together' if entry.number == ANY else f'set {entry.number}'} {entry.index:.2f} "
        f"[{entry.low:.2f}, {entry.high:.2f}]"
        for entry in known
    ]
    many = _counted(len(evaluation.runs()), _noun(evaluation))
    return [f"Stability over {many} (1: always the same features, 0: as by chance): {', '.join(cells)}."]


def _stand_ins(evaluation: Measured) -> list[str]:
    """The features that are swapped most, and what takes their place."""
    if any(len(chosen) > MOST_IN_A_SET for run in evaluation.runs() for chosen in run):
        return []
    found = evaluation.substitutions()
    swapped = {
        feature: math.fsum(found.weights[feature, other] for other in others)
        for feature, others in found.shares.items()
        if others
    }
    if not swapped:
        return []
    most = sorted(swapped, key=lambda feature: (-swapped[feature], feature))[:MOST_SWAPPED]
    lines = []
    for feature in most:
        others = list(found.shares[feature].items())[:3]
        named = ", ".join(f"{evaluation.names[other]} {share:.0%}" for other, share in others)
        lines.append(f"  {evaluation.names[feature]}: {named}")
    return ["What takes the place of a feature from set to set:", *lines]
