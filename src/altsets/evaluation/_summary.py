"""An evaluation in words: a summary, and a verdict, which says whether predictions agree with the scores of sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from altsets.evaluation._measured import Measured, means_over_folds
from altsets.evaluation.comparison import NEGLIGIBLE, adjustment, mean_of, name_sets, std_of, summarize
from altsets.evaluation.stability import ANY, MOST_RELATED, SUBSTITUTE
from altsets.result import Result, Verdict
from altsets.wording import counted, list_some, percent, plural, score

#: The most features of a set that are listed.
MOST_FEATURES = 8
#: The most features that are listed with their substitutes.
MOST_SWAPPED = 6
#: The largest sets for which substitutes are listed; larger ones have too many possible partners.
MOST_IN_A_SET = 200
#: Scores that are shares of rows, and are shown in per cent.
SHARES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1")
#: Sets that are named one by one.
MOST_SETS = 6
#: A set with this share of the score of set 0 is expected to predict as well.
NEARLY = 0.95

#: What to beware of, where test rows may have been seen.
GIVEN_SETS = (
    "If the sets were found on these rows, the search has seen the test rows, and the scores are too high."
)
GIVEN_SCORES = (
    "The search used scores that were given: if they come from these rows, the search has seen the test rows, "
    "and the scores are too high."
)


def seen_rows(evaluation: Measured) -> list[str]:
    """Return the caution for sets or scores that may come from the test rows."""
    if evaluation.given:
        return [GIVEN_SETS]
    return [GIVEN_SCORES] if evaluation.parameters.get("ready_made") else []


def missing_in_folds(evaluation: Measured, number: int) -> list[str]:
    """Return a sentence if some folds lack a set."""
    found, n_folds = evaluation.n_found(number), len(evaluation.folds)
    return [f"Set {number} was found in {found} of {n_folds} folds."] if found < n_folds else []


def summary_of(evaluation: Measured) -> str:
    """Return paragraphs: what was done, a table of sets, comparisons, features, stability, stand-ins."""
    parts = (_headline, _table, _sentences, _features, _stability, _stand_ins)
    return "\n\n".join("\n".join(lines) for part in parts if (lines := part(evaluation)))


def _headline(evaluation: Measured) -> list[str]:
    parameters = evaluation.parameters
    how = "given" if evaluation.given else "searched anew in each fold"
    # Such as "5-fold cross-validation, 3 repeats,".
    splits = parameters.get("splits", counted(evaluation.n_folds, "fold"))
    splits += "," if "," in splits else ""
    table = f"{counted(evaluation.n_rows, 'row')}, {counted(evaluation.n_features_in, 'feature')}"
    model = parameters.get("model", "tree")
    lines = [f"{counted(evaluation.n_sets, 'set')}, {how}. {splits} on {table}; model: {model}."]
    lines += seen_rows(evaluation)
    if "adjust" in parameters:
        lines.append(f"Every model has the covariates as well: {list_some(parameters['adjust'])}.")
    if "pos_label" in parameters:
        lines.append(f"Positive class: {parameters['pos_label']}.")
    if not evaluation.complete:
        done = evaluation.progress
        if evaluation.n_bootstraps:
            done += f" and {len(evaluation.resamples)} of {evaluation.n_bootstraps} bootstrap samples"
        lines.append(f"Interrupted: {done} were done.")
    return lines


def _table(evaluation: Measured) -> list[str]:
    with_baseline = any(fold.baseline for fold in evaluation.folds)
    columns = [["set", *map(str, range(evaluation.n_sets)), "baseline"]]
    for name in evaluation.scorers:
        each = [evaluation.scores(number, name) for number in range(evaluation.n_sets)]
        columns.append([name, *map(_mean_and_spread, [*each, evaluation.baseline_scores(name)])])
        columns.append(["training rows", *map(score, means_over_folds(evaluation, "train_scores", name)), ""])
    for title, kept in (("quality (train)", "qualities"), ("quality (test)", "test_qualities")):
        means = means_over_folds(evaluation, kept)
        if not all(map(math.isnan, means)):
            columns.append([title, *map(score, means), ""])
    rows = list(zip(*columns, strict=True))[: None if with_baseline else -1]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _mean_and_spread(scores: Sequence[float]) -> str:
    spread = std_of(scores)
    return score(mean_of(scores)) + ("" if math.isnan(spread) else f" ± {score(spread)}")


def _sentences(evaluation: Measured) -> list[str]:
    lines = [line for number in range(evaluation.n_sets) for line in missing_in_folds(evaluation, number)]
    for scorer in evaluation.scorers:
        said = _by_score(evaluation, scorer)
        lines += [f"{scorer}: {line}" for line in said] if len(evaluation.scorers) > 1 else said
    lines += adjustment(evaluation.comparisons, evaluation.confidence, evaluation.at_chance)
    return lines + _constant(evaluation)


def _by_score(evaluation: Measured, scorer: str) -> list[str]:
    """Compare the sets with the baseline and with set 0, by one scorer."""
    entries = [entry for entry in evaluation.against_baseline if entry.scorer == scorer]
    compared = [entry for entry in evaluation.comparisons if entry.scorer == scorer]
    sentences = [entry.sentence for entry in compared]
    line = summarize(entries, evaluation.guess(scorer), evaluation.confidence)
    if line and all((scorer, entry.number) in evaluation.at_chance for entry in compared):
        return [line]
    # Where only one of two sets beats the baseline, the sentence that compares them says so.
    redundant = len(compared) == 1 and False in [entry.beats_baseline for entry in entries]
    return sentences if redundant or not line else [line, *sentences]


def _constant(evaluation: Measured) -> list[str]:
    lines, n_folds = [], len(evaluation.folds)
    for number in range(evaluation.n_sets):
        each = [what for fold in evaluation.folds for what in fold.constant[number : number + 1]]
        said = Counter(what for what in each if what is not None)
        if not said:
            continue
        if evaluation.parameters.get("task") == "regression":
            text = f"the same number for every row in {said.total()} of {n_folds} folds"
        else:
            (first, count), *others = said.most_common()
            text = f"'{first}' for every row in {count} of {n_folds} folds"
            text += "".join(f", '{what}' in {count}" for what, count in others)
        lines.append(f"set {number}: the model predicts {text}.")
    return lines


def _features(evaluation: Measured) -> list[str]:
    shares, lines = evaluation.shares(), []
    for number in range(evaluation.n_sets):
        chosen = sorted((-by_set[number], key[0]) for key, by_set in shares.items() if by_set[number] > 0)
        often = ["" if evaluation.given else f" {-share:.0%}" for share, _ in chosen]
        cells = [f"{evaluation.names[index]}{said}" for (_, index), said in zip(chosen, often, strict=True)]
        if cells:
            lines.append(f"  set {number}: {list_some(cells, MOST_FEATURES)}")
    how_often = "" if evaluation.given else f", and in how many of {_searches(evaluation)} they were chosen"
    return [f"Features{how_often}:", *lines] if lines else []


def _searches(evaluation: Measured) -> str:
    noun = "bootstrap sample" if evaluation.source == "bootstraps" else "fold"
    return counted(len(evaluation.runs()), noun)


def _stability(evaluation: Measured) -> list[str]:
    lines = []
    for entry in evaluation.stability():
        if math.isnan(entry.index):
            continue
        who = "all sets together" if entry.number == ANY else f"set {entry.number}"
        # Without a negative zero.
        index, low, high, similar = (
            f"{round(value, 2) + 0.0:.2f}" for value in (entry.index, entry.low, entry.high, entry.similar)
        )
        # Only where similar features alternate, so that the sets are more stable than they look.
        more = f"; counting similar features as the same {similar}" if entry.similar > entry.index else ""
        lines.append(f"  {who}: {index} [{low}, {high}]{more}")
    left_out = ""
    if len(evaluation.names) > MOST_RELATED:
        left_out = f"; with more than {MOST_RELATED} chosen features, similar ones are not looked for"
    over = _searches(evaluation)
    title = f"Stability over {over} (1: always the same features, 0: as by chance{left_out}):"
    return [title, *lines] if lines else []


def _stand_ins(evaluation: Measured) -> list[str]:
    if any(len(chosen) > MOST_IN_A_SET for run in evaluation.runs() for chosen in run):
        return []
    found, lines = evaluation.substitutions(), []
    for feature in found.most_swapped()[:MOST_SWAPPED]:
        others = list(found.shares[feature].items())[:3]
        named = ", ".join(f"{evaluation.names[other]} {share:.0%}" for other, share in others)
        lines.append(f"  {evaluation.names[feature]}: {named}")
    if lines:
        return ["What takes the place of a feature from set to set:", *lines]
    # Sets that are all equal need none.
    none = f"No feature takes the place of another: none has a similarity of {SUBSTITUTE:g} or more."
    return [none] if found.shares else []


# --- The verdict --------------------------------------------------------------------------------------


def verdict_on(evaluation: Measured, result: Result | None = None) -> Verdict:
    """Return the verdict on how well sets predict; with the result of the search, after the verdict on that."""
    verdict = Verdict(()) if result is None else result.verdict
    incomplete = "" if evaluation.complete else f"the evaluation was interrupted after {evaluation.progress}."
    cautions = (_no_better(evaluation), *_surprises(evaluation, result), incomplete)
    return verdict.add(_predictions(evaluation), cautions=cautions)


def _predictions(evaluation: Measured) -> str:
    """Give the mean score of each set, how it compares with set 0, and the baseline."""
    scorer, means = evaluation.scorers[0], evaluation.mean_scores()
    if not evaluation.folds or all(map(math.isnan, means)):
        return ""

    def shown(value: float) -> str:
        is_share = scorer.startswith(SHARES) and not math.isnan(value)
        return f"{100 * value:.1f} %" if is_share else score(value)

    compared = [entry for entry in evaluation.comparisons if entry.scorer == scorer]
    conclusions = ["", *(f" ({entry.conclusion})" for entry in compared)]
    parts = zip(map(shown, means), conclusions, strict=True)
    said = ", ".join(f"{value} with set {number}{how}" for number, (value, how) in enumerate(parts))
    if len(means) > MOST_SETS:
        said = f"{shown(min(means))} to {shown(max(means))} with sets 0 to {len(means) - 1}"
    guess = "" if math.isnan(evaluation.baseline) else f"; baseline: {shown(evaluation.baseline)}"
    return f"Prediction ({scorer}): {said}{guess}."


def _no_better(evaluation: Measured) -> str:
    known = [entry for entry in evaluation.against_baseline if entry.scorer == evaluation.scorers[0]]
    bad = [entry.number for entry in known if entry.beats_baseline is False]
    who = f"{name_sets(bad)} {plural(len(bad), 'was', 'were')} not"
    who = "no set was" if len(bad) == len(known) else who
    return f"{who} shown to predict better than the baseline." if bad else ""


def _surprises(evaluation: Measured, result: Result | None) -> list[str]:
    if result is None or not result.sets or result.qualities[0] <= 0:
        return []
    first = [entry for entry in evaluation.comparisons if entry.scorer == evaluation.scorers[0]]
    shares = {number: value / result.qualities[0] for number, value in enumerate(result.qualities)}
    better = [entry.number for entry in first if entry.conclusion == "better"]
    worse = [entry.number for entry in first if entry.conclusion in ("worse", "inferior")]
    worse = [number for number in worse if shares.get(number, 0.0) >= NEARLY]
    said = []
    if better:
        said.append(f"{name_sets(better)} {plural(len(better), 'predicts', 'predict')} better than set 0.")
    elif _is_reversed(evaluation, result):
        said.append("the lower the score of a set, the better it predicts.")
    if worse:
        predict, keep = plural(len(worse), "predicts", "predict"), plural(len(worse), "keeps", "keep")
        kept = percent(min(shares[number] for number in worse))
        said.append(f"{name_sets(worse)} {predict} worse than set 0, but {keep} {kept} or more of its score.")
    return [f"score and prediction disagree: {clause}" for clause in said]


def _is_reversed(evaluation: Measured, result: Result) -> bool:
    """Whether at least three sets predict in the opposite order of their scores, by more than is negligible."""
    means, qualities = evaluation.mean_scores(), result.qualities
    if len(means) < 3 or len(means) != len(qualities) or any(map(math.isnan, means)):
        return False
    negligible = NEGLIGIBLE if evaluation.margin is None else evaluation.margin
    falling = all(first > second for first, second in pairwise(qualities))
    rising = all(first < second for first, second in pairwise(means))
    return falling and rising and means[-1] - means[0] > negligible
