"""Whether sets that differ by the names of their features tell the same story in other words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from altsets.dissimilarity import Matched
from altsets.result import Result
from altsets.tables.feature_matrix import Features
from altsets.wording import list_some, round_down

__all__ = ["NearCopies", "near_copies"]

#: The measure behind the note, and from when on two features count as the same; the advice names both.
MEASURE, THRESHOLD = "spearman", 0.9

#: Columns that are compared with each other: those of the first sets, as far as this goes.
MOST_COLUMNS = 200
#: Numbers that are looked at; of longer tables, every second or every tenth row will do for a note.
MOST_NUMBERS = 4_000_000

#: By how much a dissimilarity may miss tau, as everywhere.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class NearCopies:
    """A set most of whose features have a match of their own in an earlier set.

    Attributes
    ----------
    later, earlier : int
        The numbers of the two sets.
    n_features : int
        The size of the later one.
    shared : tuple of str
        Features of both.
    matches : tuple of (str, str, float)
        Features of the later one, each with the feature of the earlier one that it is like, and how much so.
    ranked : bool
        Whether all columns of the table have ranks; categories of several labels do not, and the rank correlation is
        refused there.

    Examples
    --------
    >>> alike = NearCopies(1, 0, 3, ("height",), (("weight", "waist", 0.9299),))
    >>> alike.sentence("--distinct 0.9")
    '2 of 3 features of set 1 have a match in set 0 with a correlation of 0.92 or more; --distinct 0.9 asks for others.'
    >>> alike.details
    'Shared: height; alike: weight ~ waist (0.92).'
    """

    later: int
    earlier: int
    n_features: int
    shared: tuple[str, ...]
    matches: tuple[tuple[str, str, float], ...]
    ranked: bool = True

    @property
    def n_matched(self) -> int:
        """How many features of the later set have a match."""
        return len(self.shared) + len(self.matches)

    def sentence(self, remedy: str) -> str:
        """What there is to know, and what to ask for instead."""
        least = round_down(min(alike for *_, alike in self.matches))
        have = "has" if self.n_matched == 1 else "have"
        return (
            f"{self.n_matched} of {self.n_features} features of set {self.later} {have} a match in set {self.earlier} "
            f"with a correlation of {least} or more; {remedy} asks for others."
        )

    @property
    def details(self) -> str:
        """Which features these are."""
        pairs = [f"{name} ~ {other} ({round_down(alike)})" for name, other, alike in self.matches]
        return (
            f"{f'Shared: {list_some(self.shared)}; alike' if self.shared else 'Alike'}: {list_some(pairs)}."
        )


def near_copies(result: Result, features: Features) -> NearCopies | None:
    """The two plain sets that are most alike if features with a rank correlation of 0.9 count as the same.

    None if sets were compared by more than their names; or if no set has such a match in an earlier set for more than
    half of its features, more than the request would allow it to share.

    Parameters
    ----------
    result : Result
        Sets that were found in the table.
    features : Features
        The table.
    """
    if result.parameters.get("dissimilarity") not in ("dice", "jaccard") or len(result.sets) < 2:
        return None
    n_sets = len(result.sets)
    while n_sets > 2 and len(set().union(*result.sets[:n_sets])) > MOST_COLUMNS:
        n_sets -= 1
    columns = sorted(set().union(*result.sets[:n_sets]))
    place = {column: position for position, column in enumerate(columns)}
    sets = [[place[column] for column in chosen] for chosen in result.sets[:n_sets]]
    names = dict(zip(chain(*sets), chain(*result.named_sets[:n_sets]), strict=True))
    alike = _similarity(features.columns(columns))
    pairs = (
        _compared(alike, sets, later, earlier, names) for later in range(n_sets) for earlier in range(later)
    )
    found = [
        pair for pair in pairs if pair.matches and _too_many(pair, len(sets[pair.earlier]), result.parameters)
    ]
    worst = max(found, key=lambda pair: pair.n_matched / pair.n_features, default=None)
    if worst is None:
        return None
    return replace(worst, ranked=all(len(labels) <= 2 for labels in features.categories.values()))


def _similarity(features: Features) -> Matched:
    """How alike columns are; a category of several labels has no ranks, and is like itself alone."""
    step = max(1, features.n_rows * features.n_features // MOST_NUMBERS)
    ranked = [
        column for column in range(features.n_features) if len(features.categories.get(column, ())) <= 2
    ]
    similarity = np.eye(features.n_features)
    if ranked:
        table = features.columns(ranked).rows(np.arange(0, features.n_rows, step))
        similarity[np.ix_(ranked, ranked)] = Matched.from_data(table, MEASURE).similarity
    return Matched(similarity, THRESHOLD)


def _compared(
    alike: Matched, sets: list[list[int]], later: int, earlier: int, names: dict[int, str]
) -> NearCopies:
    matches = alike.matches(sets[later], sets[earlier])
    shared = set(sets[later]) & set(sets[earlier]) - {feature for feature, *_ in matches}
    return NearCopies(
        later,
        earlier,
        len(sets[later]),
        tuple(names[feature] for feature in sorted(shared)),
        tuple((names[feature], names[other], similarity) for feature, other, similarity in matches),
    )


def _too_many(pair: NearCopies, other_size: int, asked: dict[str, Any]) -> bool:
    """Whether most features have a match, and so many that similarity would have ruled the set out."""
    if 2 * pair.n_matched <= pair.n_features:
        return False
    if asked["tau"] is None:
        return bool(pair.n_matched > min(pair.n_features, other_size) - asked["min_difference"])
    dissimilarity = 1 - 2 * pair.n_matched / (pair.n_features + other_size)
    return bool(dissimilarity < asked["tau"] - TOLERANCE)
