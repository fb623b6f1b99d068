"""An evaluation in plain text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from altsets.evaluation._comparison import adjustment, mean_of, std_of, summarize
from altsets.evaluation._measured import Measured
from altsets.evaluation._stability import ANY, MOST_RELATED
from altsets.wording import counted, list_some, score

#: The most features of a set that are listed.
MOST_FEATURES = 8
#: The most features that are listed with their substitutes.
MOST_SWAPPED = 6
#: The largest sets for which substitutes are listed; larger ones have too many possible partners.
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
    how = "given" if evaluation.given else "searched anew in each fold"
    table = f"{counted(evaluation.n_rows, 'row')}, {counted(evaluation.n_features_in, 'feature')}"
    # Such as "5-fold cross-validation, 3 repeats,".
    splits = evaluation.parameters.get("splits", counted(evaluation.n_folds, "fold"))
    splits += "," if "," in splits else ""
    lines = [
        f"{counted(evaluation.n_sets, 'set')}, {how}. {splits} on {table}; model: "
        f"{evaluation.parameters.get('model', 'tree')}."
    ]
    if evaluation.given:
        lines.append(
            "If the sets were found on these rows, the search has seen the test rows, and the scores are too high."
        )
    elif evaluation.parameters.get("ready_made"):
        lines.append(
            "The search used scores that were given: if they come from these rows, the search has seen the test rows, "
            "and the scores are too high."
        )
    if "pos_label" in evaluation.parameters:
        lines.append(f"Positive class: {evaluation.parameters['pos_label']}.")
    if not evaluation.complete:
        done = f"{len(evaluation.folds)} of {evaluation.n_folds} folds"
        if evaluation.n_bootstraps:
            done += f" and {len(evaluation.resamples)} of {evaluation.n_bootstraps} bootstrap samples"
        lines.append(f"Interrupted: {done} were done.")
    return lines


def _table(evaluation: Measured) -> list[str]:
    numbers = range(evaluation.n_sets)
    columns = [["set", *map(str, numbers)]]
    for name in evaluation.scorers:
        columns.append([name, *(_mean_and_spread(evaluation.scores(number, name)) for number in numbers)])
        trained = [
            mean_of([fold.train_scores[name][number] for fold in evaluation.folds]) for number in numbers
        ]
        columns.append(["training rows", *map(score, trained)])
    for title, kept in (("quality", "qualities"), ("on test rows", "test_qualities")):
        means = [mean_of([getattr(fold, kept)[number] for fold in evaluation.folds]) for number in numbers]
        if not all(map(math.isnan, means)):
            columns.append([title, *map(score, means)])
    if any(fold.baseline for fold in evaluation.folds):
        last = {"set": "baseline"} | {
            name: _mean_and_spread(evaluation.baseline_scores(name)) for name in evaluation.scorers
        }
        columns = [[*column, last.get(column[0], "")] for column in columns]
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _mean_and_spread(scores: Sequence[float]) -> str:
    spread = std_of(scores)
    return score(mean_of(scores)) + ("" if math.isnan(spread) else f" ± {score(spread)}")


def _sentences(evaluation: Measured) -> list[str]:
    lines = []
    for number in range(evaluation.n_sets):
        found = evaluation.n_found(number)
        if found < len(evaluation.folds):
            lines.append(f"Set {number} was found in {found} of {len(evaluation.folds)} folds.")
    for scorer in evaluation.scorers:
        said = _by_score(evaluation, scorer)
        lines += [f"{scorer}: {line}" for line in said] if len(evaluation.scorers) > 1 else said
    return lines + adjustment(evaluation.comparisons, evaluation.confidence) + _constant(evaluation)


def _by_score(evaluation: Measured, scorer: str) -> list[str]:
    """What one score says about the sets and the baseline, and about the sets and set 0."""
    entries = [entry for entry in evaluation.against_baseline if entry.scorer == scorer]
    compared = [entry for entry in evaluation.comparisons if entry.scorer == scorer]
    sentences = [entry.sentence for entry in compared]
    line = summarize(entries, evaluation.guess(scorer), evaluation.confidence)
    if line and all(entry.verdict == "chance" for entry in compared):
        return [line]
    # Where only one of two sets beats the baseline, the sentence that compares them says so.
    redundant = len(compared) == 1 and False in [entry.beats for entry in entries]
    return sentences if redundant or not line else [line, *sentences]


def _constant(evaluation: Measured) -> list[str]:
    """Models that predict one value for every row."""
    lines = []
    for number in range(evaluation.n_sets):
        said = Counter(
            what
            for fold in evaluation.folds
            for what in fold.constant[number : number + 1]
            if what is not None
        )
        if not said:
            continue
        if evaluation.parameters.get("task") == "regression":
            text = f"the same number for every row in {said.total()} of {len(evaluation.folds)} folds"
        else:
            (first, count), *others = said.most_common()
            text = f"'{first}' for every row in {count} of {len(evaluation.folds)} folds"
            text += "".join(f", '{what}' in {count}" for what, count in others)
        lines.append(f"set {number}: the model predicts {text}.")
    return lines


def _features(evaluation: Measured) -> list[str]:
    """The features of each set, most frequent first."""
    shares = evaluation.shares()
    lines = []
    for number in range(evaluation.n_sets):
        chosen = sorted((-by_set[number], key[0]) for key, by_set in shares.items() if by_set[number] > 0)
        cells = [
            evaluation.names[index] + ("" if evaluation.given else f" {-share:.0%}")
            for share, index in chosen
        ]
        if cells:
            lines.append(f"  set {number}: {list_some(cells, MOST_FEATURES)}")
    how_often = "" if evaluation.given else f", and in how many of {_searches(evaluation)} they were chosen"
    return [f"Features{how_often}:", *lines] if lines else []


def _searches(evaluation: Measured) -> str:
    noun = "bootstrap sample" if evaluation.source == "bootstraps" else "fold"
    return counted(len(evaluation.runs()), noun)


def _stability(evaluation: Measured) -> list[str]:
    known = [entry for entry in evaluation.stability() if not math.isnan(entry.index)]
    if not known:
        return []
    lines = []
    for entry in known:
        who = "all sets together" if entry.number == ANY else f"set {entry.number}"
        line = f"  {who}: {_two(entry.index)} [{_two(entry.low)}, {_two(entry.high)}]"
        # Only where similar features alternate, so that the sets are more stable than they look.
        if entry.similar > entry.index:
            line += f"; counting similar features as the same {_two(entry.similar)}"
        lines.append(line)
    left_out = ""
    if len(evaluation.names) > MOST_RELATED:
        left_out = f"; with more than {MOST_RELATED} chosen features, similar ones are not looked for"
    return [
        f"Stability over {_searches(evaluation)} (1: always the same features, 0: as by chance{left_out}):",
        *lines,
    ]


def _two(value: float) -> str:
    """Two decimals, without a negative zero."""
    return f"{round(value, 2) + 0.0:.2f}"


def _stand_ins(evaluation: Measured) -> list[str]:
    """The features that are replaced most often, and by which ones."""
    if any(len(chosen) > MOST_IN_A_SET for run in evaluation.runs() for chosen in run):
        return []
    found = evaluation.substitutions()
    lines = []
    for feature in found.most_swapped()[:MOST_SWAPPED]:
        others = list(found.shares[feature].items())[:3]
        named = ", ".join(f"{evaluation.names[other]} {share:.0%}" for other, share in others)
        lines.append(f"  {evaluation.names[feature]}: {named}")
    return ["What takes the place of a feature from set to set:", *lines] if lines else []
