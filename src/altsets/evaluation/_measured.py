"""The measurements of an evaluation, the numbers derived from them, and all of it in plain text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from altsets.errors import InputError
from altsets.evaluation.comparison import (
    Chance,
    Comparison,
    adjust,
    adjustment,
    against_baseline,
    compare,
    guess_in_words,
    mean_of,
    paired,
    std_of,
    summarize,
)
from altsets.evaluation.folds import Fold, Resample, class_name
from altsets.evaluation.stability import (
    ANY,
    MOST_RELATED,
    SUBSTITUTE,
    Shares,
    StabilityIndex,
    Substitutions,
    shares_of,
    similar_stability,
    stability_index,
    substitutions,
)
from altsets.features import one_of, unknown_features
from altsets.problem import FeatureSet
from altsets.wording import counted, documented, list_some, score

#: The most features of a set that are listed.
MOST_FEATURES = 8
#: The most features that are listed with their substitutes.
MOST_SWAPPED = 6
#: The largest sets for which substitutes are listed; larger ones have too many possible partners.
MOST_IN_A_SET = 200

#: What to beware of, where test rows may have been seen.
GIVEN_SETS = (
    "If the sets were found on these rows, the search has seen the test rows, and the scores are too high."
)
GIVEN_SCORES = (
    "The search used scores that were given: if they come from these rows, the search has seen the test rows, "
    "and the scores are too high."
)

#: For methods of evaluations: parts of their docstrings.
measurement = documented(
    by_scorer="""
    Parameters
    ----------
    scorer : str, default=None
        Which score; by default the first one.
    """,
    unknown_scorer="""
    Raises
    ------
    altsets.errors.InputError
        If there is no such scorer.
    """,
    by_source="""
    Parameters
    ----------
    source : {"folds", "bootstraps"}, default=None
        Which searches; by default the bootstrap samples if there are some.
    """,
    unknown_source="""
    Raises
    ------
    altsets.errors.InputError
        If ``source`` is unknown.
    """,
)


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Folds and resamples with their sets and scores; comparisons, stability and substitutions follow from them.

    The attributes are documented in :class:`altsets.results.Evaluation`, which adds text, frames and JSON.
    """

    folds: tuple[Fold, ...]
    resamples: tuple[Resample, ...]
    n_sets: int
    names: dict[int, str]
    scorers: tuple[str, ...]
    given: bool
    n_rows: int
    n_features_in: int
    n_folds: int
    n_bootstraps: int = 0
    confidence: float = 0.95
    margin: float | None = None
    kinship: dict[tuple[int, int], float] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    elapsed: float = 0.0
    mean_kinship: float | None = None
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether all folds and bootstrap samples were done; False after Ctrl-C."""
        return len(self.folds) == self.n_folds and len(self.resamples) == self.n_bootstraps

    @measurement
    def scores(self, number: int, scorer: str | None = None) -> list[float]:
        """The test scores of a set, one per fold; nan where it was not found.

        Parameters
        ----------
        number : int
            The number of the set.
        scorer : str, default=None
            Which score; by default the first one.

        Returns
        -------
        list of float
            One number per fold.

        <unknown_scorer>
        """
        name = self._scorer(scorer)
        return [fold.scores[name][number] for fold in self.folds]

    @measurement
    def mean_scores(self, scorer: str | None = None) -> list[float]:
        """The mean test score of each set, over the folds that have one.

        <by_scorer>

        Returns
        -------
        list of float
            One number per set; nan for a set that no fold has.

        <unknown_scorer>
        """
        return [mean_of(self.scores(number, scorer)) for number in range(self.n_sets)]

    @measurement
    def score_intervals(self, scorer: str | None = None) -> list[tuple[float, float]]:
        """The confidence interval of the mean test score of each set; nan where there is none.

        It is corrected for overlapping folds, as comparisons are. Do not compare two sets by their intervals:
        :attr:`comparisons` looks at the differences in each fold.

        <by_scorer>

        Returns
        -------
        list of tuple of float
            The lower and the upper end, for each set.

        <unknown_scorer>
        """
        nothing = [0.0] * len(self.folds)
        found = [
            paired(self.scores(number, scorer), nothing, self._test_per_train, self.confidence)[0]
            for number in range(self.n_sets)
        ]
        return [(entry.low, entry.high) for entry in found]

    def n_found(self, number: int) -> int:
        """In how many folds a set was found.

        Parameters
        ----------
        number : int
            The number of the set.

        Returns
        -------
        int
            The number of folds.
        """
        return sum(len(fold.sets) > number for fold in self.folds)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each set compared with set 0 over the folds, by each score."""
        beats = {(entry.scorer, entry.number): entry.beats_baseline for entry in self.against_baseline}
        found = [
            compare(
                scorer,
                number,
                self.scores(number, scorer),
                self.scores(0, scorer),
                self._test_per_train,
                confidence=self.confidence,
                margin=self.margin,
                chance=Chance(self.guess(scorer), beats[scorer, number], beats[scorer, 0]),
            )
            for scorer in self.scorers
            for number in range(1, self.n_sets)
        ]
        return adjust(found)

    # --- The baseline -----------------------------------------------------------------------------

    @property
    def baseline(self) -> float:
        """The mean test score, by the first scorer, of a dummy model, without features; nan if it has none."""
        return self.baselines()[self.scorers[0]]

    def baselines(self) -> dict[str, float]:
        """The mean test score of a dummy model, without features, by each scorer."""
        return {scorer: mean_of(self.baseline_scores(scorer)) for scorer in self.scorers}

    @measurement
    def baseline_scores(self, scorer: str | None = None) -> list[float]:
        """The test scores of a dummy model, without features, one per fold; nan where it has none.

        <by_scorer>

        Returns
        -------
        list of float
            One number per fold.

        <unknown_scorer>
        """
        name = self._scorer(scorer)
        return [fold.baseline.get(name, math.nan) for fold in self.folds]

    @measurement
    def guess(self, scorer: str | None = None) -> str:
        """What the baseline does, in words, such as "always saying 'no'".

        <by_scorer>

        Returns
        -------
        str
            A few words.

        <unknown_scorer>
        """
        kinds = self.parameters.get("baseline")
        kind = kinds.get(self._scorer(scorer)) if isinstance(kinds, dict) else None
        classes = {fold.majority for fold in self.folds}
        positive = self.parameters.get("pos_label")
        return guess_in_words(
            kind,
            classes.pop() if len(classes) == 1 else None,
            None if positive is None else class_name(positive),
        )

    @cached_property
    def against_baseline(self) -> list[Comparison]:
        """Each set compared with the baseline over the folds, by each score."""
        found = [
            against_baseline(
                scorer,
                number,
                self.scores(number, scorer),
                self.baseline_scores(scorer),
                self._test_per_train,
                guess=self.guess(scorer),
                confidence=self.confidence,
            )
            for scorer in self.scorers
            for number in range(self.n_sets)
        ]
        return adjust(found)

    @cached_property
    def at_chance(self) -> set[tuple[str, int]]:
        """The scorers and numbers of sets which, like set 0, were not shown to predict better than the baseline."""
        bad = {
            (entry.scorer, entry.number) for entry in self.against_baseline if entry.beats_baseline is False
        }
        return {(scorer, number) for scorer, number in bad if number and (scorer, 0) in bad}

    @property
    def _test_per_train(self) -> list[float]:
        return [fold.n_test / fold.n_train for fold in self.folds]

    # --- Sets from different rows -----------------------------------------------------------------

    @property
    def source(self) -> str:
        """Where stability and substitutions come from: "bootstraps" if there are some, else "folds"."""
        return "bootstraps" if self.resamples else "folds"

    @measurement
    def runs(self, source: str | None = None) -> list[tuple[FeatureSet, ...]]:
        """The sets of each search.

        <by_source>

        Returns
        -------
        list of tuple of sets
            For each search its sets, as sorted indices.

        <unknown_source>
        """
        source = source or self.source
        if source not in ("folds", "bootstraps"):
            raise InputError(f"source={source!r} is unknown; choose 'folds' or 'bootstraps'.")
        parts: Sequence[Fold | Resample] = self.folds if source == "folds" else self.resamples
        return [part.sets for part in parts]

    @measurement
    def stability(self, source: str | None = None) -> list[StabilityIndex]:
        """How far the searches agree: the index of each set number, and of all sets together ("any").

        There is no index for given sets, which are the same in all searches.

        <by_source>

        Returns
        -------
        list of StabilityIndex
            One for each set number, and one for "any"; empty for given sets.

        <unknown_source>

        References
        ----------
        - Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. Journal of
          Machine Learning Research 18.
        - Sechidis, K., Papangelou, K., Nogueira, S., Weatherall, J. and Brown, G. (2019). On the stability of feature
          selection in the presence of feature correlations. ECML PKDD.
        """
        runs = self.runs(source)
        if self.given:
            return []
        chosen: dict[int | str, list[FeatureSet]] = {
            number: [run[number] for run in runs if len(run) > number] for number in range(self.n_sets)
        }
        chosen[ANY] = [tuple(sorted(set().union(*run))) for run in runs]
        found = []
        for number, sets in chosen.items():
            entry = stability_index(number, sets, self.n_features_in, self.confidence)
            if self.mean_kinship is not None and not math.isnan(entry.index):
                similar = similar_stability(sets, self.n_features_in, self.kinship, self.mean_kinship)
                entry = replace(entry, similar=similar)
            found.append(entry)
        return found

    @measurement
    def shares(self, source: str | None = None) -> Shares:
        """How often each feature is chosen: by feature, then by set number or "any".

        <by_source>

        Returns
        -------
        dict
            From a tuple with the index of a feature to its shares, by set number and "any".

        <unknown_source>
        """
        return shares_of(self.runs(source), self.n_sets)

    @measurement
    def substitutions(self, source: str | None = None) -> Substitutions:
        """Which features take each other's place, by index: from set to set, similar ones are paired.

        <by_source>

        Returns
        -------
        Substitutions
            How much features replace each other, and the share of each stand-in.

        <unknown_source>
        """
        return substitutions(self.runs(source), self.kinship)

    def stand_ins(self, feature: int | str, most: int = 3, source: str | None = None) -> dict[str, float]:
        """What most often takes the place of a feature: the names, and the share of each.

        Parameters
        ----------
        feature : int or str
            A feature, by index or name.
        most : int, default=3
            How many to name.
        source : {"folds", "bootstraps"}, default=None
            Which searches; by default the bootstrap samples if there are some.

        Returns
        -------
        dict of str to float
            Names with their shares, the largest first; empty if no similar feature (0.5 or more) takes its place.

        Raises
        ------
        altsets.errors.InputError
            If no set has a feature of that name, or ``source`` is unknown.
        """
        known = {name: index for index, name in self.names.items()}
        if isinstance(feature, str):
            if feature not in known:
                raise unknown_features(
                    "stand_ins", [feature], known, "name a feature that is in one of the sets."
                )
            feature = known[feature]
        shares = self.substitutions(source).shares.get(feature, {})
        return {self.names[other]: share for other, share in list(shares.items())[:most]}

    def _scorer(self, name: str | None) -> str:
        return self.scorers[0] if name is None else one_of("scorer", name, self.scorers)


# --- Plain text ---------------------------------------------------------------------------------------


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
        lines.append(GIVEN_SETS)
    elif evaluation.parameters.get("ready_made"):
        lines.append(GIVEN_SCORES)
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
    for title, kept in (("quality (train)", "qualities"), ("quality (test)", "test_qualities")):
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
    settled = adjustment(evaluation.comparisons, evaluation.confidence, evaluation.at_chance)
    return lines + settled + _constant(evaluation)


def _by_score(evaluation: Measured, scorer: str) -> list[str]:
    """How the sets compare with the baseline and with set 0, by one scorer."""
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
    if lines:
        return ["What takes the place of a feature from set to set:", *lines]
    # Sets that are all equal need none.
    none = f"No feature takes the place of another: none has a similarity of {SUBSTITUTE:g} or more."
    return [none] if found.shares else []
