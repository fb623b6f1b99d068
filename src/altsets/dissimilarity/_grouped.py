"""Sets compared by the groups that they touch."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.constraints.base import features_literal
from altsets.constraints.similarity import (
    given_similarity,
    measured_similarity,
    similarity_limit,
    similarity_measure,
)
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, group_mapping, group_numbers, is_pattern


class Grouped:
    """Sets are compared by the groups that they touch: sensors, pathways, pages of a questionnaire.

    The dissimilarity is Dice over groups, 1 - 2 * shared groups / (groups of the one + groups of the other). A feature
    without a group is a group of its own.

    Parameters
    ----------
    groups : mapping from feature to group or from group to features, or sequence of sequences of features
        Features by index, name or pattern (``"S004_*"``); a group is anything that can be told apart from others.

    See Also
    --------
    altsets.dissimilarity.Matched : Compare sets by the similarity of their features.

    Examples
    --------
    >>> sensors = Grouped({0: "left", 1: "left", 2: "right"}).resolve(["a", "b", "c", "d"])
    >>> sensors((0, 3), (1, 3)), sensors((0, 1), (2, 3))
    (0.0, 1.0)
    >>> Grouped.from_names(["temp__mean", "temp__max", "age"], "__").groups
    {0: 'temp', 1: 'temp'}
    """

    #: What messages call it.
    _who = "Grouped"

    def __init__(self, groups: Mapping[Any, Any] | Iterable[Iterable[Feature]]) -> None:
        self.groups: dict[Feature, Hashable] = group_mapping(groups, self._who)
        self._has_names = callable(getattr(groups, "items", None))
        #: The number of the group of each feature, once the features are known.
        self.labels: Indices | None = None

    @classmethod
    def from_names(cls, names: Sequence[str], separator: str) -> Self:
        """Group features by the part of their names before the first ``separator``, such as ``"__"``.

        ``temp__mean`` and ``temp__max`` are both in group ``temp``. A name without the separator is a group of its own.
        """
        return cls(beginnings([str(name) for name in names], separator, "Grouped.from_names"))

    @classmethod
    def from_similarity(cls, similarity: Any, threshold: float = 0.9) -> Self:
        """Group features that are alike: every two in a group are at least as similar as the ``threshold``.

        Clusters by complete linkage, so that no chain of neighbours puts features into one group that are not alike.
        The ``similarity`` is a symmetric matrix of numbers from 0 to 1; labels of a frame are the names of features.
        """
        return cls._of_clusters(*given_similarity(similarity, "Grouped"), threshold)

    @classmethod
    def _of_clusters(cls, matrix: Floats, names: Sequence[str] | None, threshold: float) -> Self:
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        limit = similarity_limit("threshold", threshold, "Grouped", "0.9")
        features: Sequence[Feature] = range(len(matrix)) if names is None else names
        if len(matrix) == 1:
            return cls({features[0]: 1})
        tree = linkage(squareform(1 - matrix, checks=False), method="complete")
        # A little more than the distance, for 1 - 0.9 is more than 0.1.
        labels = fcluster(tree, 1 - limit + 1e-12, criterion="distance")
        first = {label: number for number, label in enumerate(dict.fromkeys(labels.tolist()), 1)}
        found = cls({feature: first[label] for feature, label in zip(features, labels.tolist(), strict=True)})
        found._has_names = False
        return found

    @classmethod
    def from_data(
        cls, X: Any, measure: str = "spearman", threshold: float = 0.9, *, sample_weight: Any = None
    ) -> Self:
        """Group features that are alike in a table, as :meth:`from_similarity` does.

        The ``measure`` of the table ``X`` is "spearman", "pearson" or "symmetrical_uncertainty"; rows may have a
        ``sample_weight``, as for :func:`altsets.measures.pairwise`.

        Examples
        --------
        >>> Grouped.from_data([[1, 10, 3], [2, 20, 1], [3, 35, 4], [4, 40, 1]], "pearson", 0.9).groups
        {0: 1, 1: 1, 2: 2}
        """
        from altsets.tables.conversion import features_of

        features = features_of(X)
        named = similarity_measure(measure, "Grouped")
        similarity = measured_similarity(features, named, "Grouped", sample_weight)
        if not isinstance(similarity, np.ndarray):
            raise InputError(
                f"Grouped.from_data compares all pairs of columns, and the table has {features.n_features:,}; give "
                "groups of your own, or use Matched.from_data."
            )
        return cls._of_clusters(similarity, features.names, threshold)

    def resolve(self, names: Sequence[str]) -> Self:
        """Return the same with a group for each of the named features; refuse features that do not exist."""
        labels = np.array(group_numbers(self.groups, names, self._who), dtype=np.intp)
        labels.setflags(write=False)
        # Of many features, to check the groups once more takes seconds.
        resolved = copy.copy(self)
        resolved.labels = labels
        by_name = set(map(type, self.groups)) != {int}
        if by_name and any(map(is_pattern, self.groups)):
            known = FeatureNames.of(names)
            resolved.groups = {
                known[index]: group
                for feature, group in self.groups.items()
                for index in known.positions([feature], self._who)
            }
        return resolved

    def touched(self, chosen: Sequence[int]) -> set[int]:
        """Return the numbers of the groups that a set of indices touches."""
        if self.labels is None:
            raise InputError("Grouped does not know the features yet; call resolve(feature_names) first.")
        return set(self.labels[list(chosen)].tolist())

    def __call__(self, first: Sequence[int], second: Sequence[int]) -> float:
        one, other = self.touched(first), self.touched(second)
        return 1 - 2 * len(one & other) / (len(one) + len(other))

    def to_python(self, names: Sequence[str] | None = None, table: str = "") -> str:
        """Return the Python call that makes the same groups, with ``names`` of all features instead of indices."""
        return f"Grouped([{', '.join(features_literal(listed, names) for listed in self.members.values())}])"

    @property
    def members(self) -> dict[Hashable, list[Feature]]:
        """The features of each group, as given: ``constraints.Forbid(sensors.members["left"])``."""
        members = defaultdict[Hashable, list[Feature]](list)
        for feature, group in self.groups.items():
            members[group].append(feature)
        return dict(members)

    @property
    def given(self) -> dict[Hashable, list[Feature]] | list[list[Feature]]:
        """The features of each group; in lists where groups have no names but the numbers that they got here."""
        return self.members if self._has_names else list(self.members.values())

    def as_dict(self) -> dict[str, Any]:
        """In words and numbers: each group with the features that it has."""
        members = self.members
        # 1 and "1" are two groups.
        spelled = str if len(set(map(str, members))) == len(members) else repr
        return {"kind": "grouped", "groups": {spelled(group): listed for group, listed in members.items()}}

    def __repr__(self) -> str:
        return f"Grouped(<{len(self.groups)} features in {len(set(self.groups.values()))} groups>)"

    def __eq__(self, other: object) -> bool:
        # Which groups there are matters, and not what they are called.
        return isinstance(other, Grouped) and self._partition == other._partition

    def __hash__(self) -> int:
        return hash(self._partition)

    @property
    def _partition(self) -> frozenset[frozenset[Feature]]:
        return frozenset(map(frozenset, self.members.values()))


def beginnings(names: Sequence[str], separator: str, who: str) -> dict[int, str]:
    """Return what comes before a separator, for each of the names that have it; the first one counts."""
    if not separator or not isinstance(separator, str):
        raise InputError(f"{who}: the separator is {separator!r}; give one such as '__'.")
    groups = {index: name.split(separator, 1)[0] for index, name in enumerate(names) if separator in name}
    if not groups:
        example = f" such as {names[0]!r}" if names else ""
        raise InputError(
            f"{who}: no name{example} has {separator!r} in it; give the separator that names have."
        )
    return groups
