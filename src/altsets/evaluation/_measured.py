"""The measurements of an evaluation, and the numbers derived from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from altsets.evaluation.baseline import guess_in_words
from altsets.evaluation.comparison import (
    Comparison,
    Paired,
    adjust,
    against_baseline,
    compare,
    mean_of,
    paired,
)
from altsets.evaluation.folds import Fold, Resample
from altsets.evaluation.stability import (
    ANY,
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
    def progress(self) -> str:
        """How many folds were done: "3 of 5 folds"."""
        return f"{len(self.folds)} of {self.n_folds} folds"

    @property
    def complete(self) -> bool:
        """Whether all folds and bootstrap samples were done; False after Ctrl-C."""
        return len(self.folds) == self.n_folds and len(self.resamples) == self.n_bootstraps

    def scores(self, number: int, scorer: str | None = None) -> list[float]:
        """Return the test scores of a set, one per fold; nan where it was not found.

        Parameters
        ----------
        number : int
        scorer : str, default=None
        """
        name = self._scorer(scorer)
        return [fold.scores[name][number] for fold in self.folds]

    def mean_scores(self, scorer: str | None = None) -> list[float]:
        """Return the mean test score of each set, over the folds that have one; nan for a set that no fold has."""
        return means_over_folds(self, "scores", self._scorer(scorer))

    def score_intervals(self, scorer: str | None = None) -> list[tuple[float, float]]:
        """Return the ends of the confidence interval of each mean test score; nan where there is none.

        Intervals are corrected for overlapping folds, as comparisons are. Do not compare two sets by them:
        :attr:`comparisons` looks at the differences in each fold.
        """
        nothing = [0.0] * len(self.folds)
        found = [self._paired(number, self._scorer(scorer), nothing) for number in range(self.n_sets)]
        return [(entry.low, entry.high) for entry in found]

    def _paired(self, number: int, scorer: str, others: Sequence[float]) -> Paired:
        return paired(self.scores(number, scorer), others, row_ratios(self.folds), self.confidence)

    def n_found(self, number: int) -> int:
        """Return in how many folds a set was found."""
        return sum(len(fold.sets) > number for fold in self.folds)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each set compared with set 0 over the folds, by each score."""
        beats = {(entry.scorer, entry.number): entry.beats_baseline for entry in self.against_baseline}
        found = []
        for scorer in self.scorers:
            first, how = self.scores(0, scorer), (self.margin, self.guess(scorer))
            for number in range(1, self.n_sets):
                known = self._paired(number, scorer, first)
                found.append(compare(scorer, number, known, *how, beats[scorer, number], beats[scorer, 0]))
        return adjust(found)

    def _scorer(self, name: str | None) -> str:
        return self.scorers[0] if name is None else one_of("scorer", name, self.scorers)

    # --- The baseline -----------------------------------------------------------------------------

    @property
    def baseline(self) -> float:
        """The mean test score, by the first scorer, of a dummy model, without features; nan if it has none."""
        return self.baselines()[self.scorers[0]]

    def baselines(self) -> dict[str, float]:
        """Return the mean test score of a dummy model, without features, by each scorer."""
        return {scorer: mean_of(self.baseline_scores(scorer)) for scorer in self.scorers}

    def baseline_scores(self, scorer: str | None = None) -> list[float]:
        """Return the test scores of a dummy model, without features, one per fold; nan where it has none."""
        name = self._scorer(scorer)
        return [fold.baseline.get(name, math.nan) for fold in self.folds]

    def guess(self, scorer: str | None = None) -> str:
        """Return what the baseline does, in words, such as "always saying 'no'"."""
        kind = self.parameters.get("baseline", {}).get(self._scorer(scorer), "")
        classes = {fold.majority for fold in self.folds}
        majority = classes.pop() if len(classes) == 1 else None
        return guess_in_words(kind, majority, self.parameters.get("pos_label"))

    @cached_property
    def against_baseline(self) -> list[Comparison]:
        """Each set compared with the baseline over the folds, by each score."""
        found = []
        for scorer in self.scorers:
            baseline, guess = self.baseline_scores(scorer), self.guess(scorer)
            every = (self._paired(number, scorer, baseline) for number in range(self.n_sets))
            found += [against_baseline(scorer, number, one, guess) for number, one in enumerate(every)]
        return adjust(found)

    @cached_property
    def at_chance(self) -> set[tuple[str, int]]:
        """The scorers and numbers of sets which, like set 0, were not shown to predict better than the baseline."""
        entries = self.against_baseline
        bad = {(entry.scorer, entry.number) for entry in entries if entry.beats_baseline is False}
        return {(scorer, number) for scorer, number in bad if number and (scorer, 0) in bad}

    # --- Sets from different rows -----------------------------------------------------------------

    @property
    def source(self) -> str:
        """Where stability and substitutions come from: "bootstraps" if there are some, else "folds"."""
        return "bootstraps" if self.resamples else "folds"

    def runs(self, source: str | None = None) -> list[tuple[FeatureSet, ...]]:
        """Return the sets of each search, as sorted indices."""
        source = one_of("source", source or self.source, ("folds", "bootstraps"))
        parts: Sequence[Fold | Resample] = self.folds if source == "folds" else self.resamples
        return [part.sets for part in parts]

    def stability(self, source: str | None = None) -> list[StabilityIndex]:
        """Return how far the searches agree: an index for each set number and for all sets together ("any").

        Given sets are the same in all searches, and have none.
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

    def shares(self, source: str | None = None) -> Shares:
        """Return how often each feature is chosen: by a tuple with its index, then by set number or "any"."""
        return shares_of(self.runs(source), self.n_sets)

    def substitutions(self, source: str | None = None) -> Substitutions:
        """Return which features take each other's place, by index: from set to set, similar ones are paired."""
        return substitutions(self.runs(source), self.kinship)

    def stand_ins(self, feature: int | str, most: int = 3, source: str | None = None) -> dict[str, float]:
        """Return what most often takes the place of a feature: names with their shares, the largest first.

        Parameters
        ----------
        feature : int or str
        most : int, default=3
            How many to name; only features with a similarity of 0.5 or more take a place.
        source : {"folds", "bootstraps"}, default=None
        """
        if isinstance(feature, str):
            known = {name: index for index, name in self.names.items()}
            if feature not in known:
                remedy = "name a feature that is in one of the sets."
                raise unknown_features("stand_ins", [feature], known, remedy)
            feature = known[feature]
        shares = self.substitutions(source).shares.get(feature, {})
        return {self.names[other]: share for other, share in list(shares.items())[:most]}


def means_over_folds(evaluation: Measured, kept: str, scorer: str | None = None) -> list[float]:
    """Return the mean of what folds keep for each set, such as "qualities"; of scores, by a scorer."""
    each = [getattr(fold, kept) for fold in evaluation.folds]
    each = each if scorer is None else [by_scorer[scorer] for by_scorer in each]
    return [mean_of([by_set[number] for by_set in each]) for number in range(evaluation.n_sets)]


def row_ratios(folds: Sequence[Fold]) -> list[float]:
    """Return the test rows divided by the training rows, one number per fold."""
    return [fold.n_test / fold.n_train for fold in folds]
