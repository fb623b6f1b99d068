"""The measurements of an evaluation, and the numbers derived from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from altsets.errors import InputError
from altsets.evaluation._comparison import (
    AgainstBaseline,
    Chance,
    Comparison,
    adjust,
    against_baseline,
    compare,
    guess_in_words,
    mean_of,
    paired,
)
from altsets.evaluation._folds import Fold, Resample
from altsets.evaluation._stability import (
    ANY,
    Shares,
    StabilityIndex,
    Substitutions,
    shares_of,
    similar_stability,
    stability_index,
    substitutions,
)
from altsets.features import unknown_features
from altsets.problem import FeatureSet


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Folds and resamples with their sets and scores; comparisons, stability and substitutions follow from them.

    The attributes are documented in :class:`altsets.Evaluation`, which adds text, frames and JSON.
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

    def scores(self, number: int, scorer: str | None = None) -> list[float]:
        """The test scores of a set, one per fold; nan where it was not found.

        Parameters
        ----------
        number : int
            The number of the set.
        scorer : str, optional
            Which score; by default the first one.
        """
        name = self._scorer(scorer)
        return [fold.scores[name][number] for fold in self.folds]

    def mean_scores(self, scorer: str | None = None) -> list[float]:
        """The mean test score of each set, over the folds that have one.

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
        """
        return [mean_of(self.scores(number, scorer)) for number in range(self.n_sets)]

    def score_intervals(self, scorer: str | None = None) -> list[tuple[float, float]]:
        """The confidence interval of the mean test score of each set; nan where there is none.

        It is corrected for overlapping folds, as comparisons are. Do not compare two sets by their intervals:
        :attr:`comparisons` looks at the differences in each fold.

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
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
        """
        return sum(len(fold.sets) > number for fold in self.folds)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Each set compared with set 0 over the folds, by each score."""
        beats = {(entry.scorer, entry.number): entry.beats for entry in self.against_baseline}
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

    def baseline_scores(self, scorer: str | None = None) -> list[float]:
        """The test scores of a dummy model, without features, one per fold; nan where it has none.

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
        """
        name = self._scorer(scorer)
        return [fold.baseline.get(name, math.nan) for fold in self.folds]

    def guess(self, scorer: str | None = None) -> str:
        """What the baseline does, in words, such as "always saying 'no'".

        Parameters
        ----------
        scorer : str, optional
            Which score; by default the first one.
        """
        kinds = self.parameters.get("baseline")
        kind = kinds.get(self._scorer(scorer)) if isinstance(kinds, dict) else None
        classes = {fold.majority for fold in self.folds}
        return guess_in_words(kind, classes.pop() if len(classes) == 1 else None)

    @cached_property
    def against_baseline(self) -> list[AgainstBaseline]:
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

    @property
    def _test_per_train(self) -> list[float]:
        return [fold.n_test / fold.n_train for fold in self.folds]

    # --- Sets from different rows -----------------------------------------------------------------

    @property
    def source(self) -> str:
        """Where stability and substitutions come from: "bootstraps" if there are some, else "folds"."""
        return "bootstraps" if self.resamples else "folds"

    def runs(self, source: str | None = None) -> list[tuple[FeatureSet, ...]]:
        """The sets of each search.

        Parameters
        ----------
        source : {"folds", "bootstraps"}, optional
            Which searches; by default the bootstrap samples if there are some.
        """
        source = source or self.source
        if source not in ("folds", "bootstraps"):
            raise InputError(f"source={source!r} is unknown; choose 'folds' or 'bootstraps'.")
        parts: Sequence[Fold | Resample] = self.folds if source == "folds" else self.resamples
        return [part.sets for part in parts]

    def stability(self, source: str | None = None) -> list[StabilityIndex]:
        """How far the searches agree: the index of each set number, and of all sets together ("any").

        There is no index for given sets, which are the same in all searches.

        Parameters
        ----------
        source : {"folds", "bootstraps"}, optional
            As above.
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
        """How often each feature is chosen: by feature, then by set number or "any".

        Parameters
        ----------
        source : {"folds", "bootstraps"}, optional
            As above.
        """
        return shares_of(self.runs(source), self.n_sets)

    def substitutions(self, source: str | None = None) -> Substitutions:
        """Which features take each other's place, by index: from set to set, each is paired with the most similar one.

        Parameters
        ----------
        source : {"folds", "bootstraps"}, optional
            As above.
        """
        return substitutions(self.runs(source), self.kinship)

    def stand_ins(self, feature: int | str, most: int = 3, source: str | None = None) -> dict[str, float]:
        """What most often takes the place of a feature: the names, and the share of each.

        Parameters
        ----------
        feature : int or str
            A feature, by index or name.
        most : int
            How many to name.
        source : {"folds", "bootstraps"}, optional
            As above.
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
        if name is not None and name not in self.scorers:
            raise InputError(f"scorer={name!r} is unknown; there are {', '.join(self.scorers)}.")
        return name or self.scorers[0]
