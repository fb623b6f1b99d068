"""Two steps of a session, or two of its sets, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from altsets import documents
from altsets.result import frame_of
from altsets.session._state import NamedSet, SessionStep
from altsets.wording import counted, join_words, list_some, paragraph, percent, plural

#: Features that a sentence names.
MOST_NAMED = 8


@dataclass(frozen=True)
class SessionComparison:
    """What two steps of a session, or two sets, have in common, and what each has alone.

    :meth:`altsets.Session.compare` makes it.

    Attributes
    ----------
    labels : tuple of str
        What the two sides are called.
    sets : tuple of list of tuples of str
        The sets of each side, by the names of their features; one set each if sets are compared.
    qualities : tuple of list of float
        Their qualities.
    changes : dict from str to tuple
        The settings that differ between two steps, with both values; empty if sets are compared.

    See Also
    --------
    altsets.Session.compare : Makes one.

    Examples
    --------
    >>> import altsets
    >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=3, n_alternatives=1)
    >>> print(session.compare(0, 1).explain())
    Set 0 and set 1 share 1 of 5 features: x0. Only set 0 has x1 and x2. Only set 1 has x3 and x4. Set 1 keeps 58 % of
    the quality of set 0.
    """

    labels: tuple[str, str]
    sets: tuple[list[NamedSet], list[NamedSet]]
    qualities: tuple[list[float], list[float]]
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def shared(self) -> list[str]:
        """The features that both sides have, in any of their sets."""
        first, second = self._members
        return [name for name in first if name in second]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """The features that one side alone has."""
        first, second = self._members
        return [name for name in first if name not in second], [name for name in second if name not in first]

    @property
    def same_sets(self) -> list[NamedSet]:
        """The sets that both sides have."""
        return [chosen for chosen in self.sets[0] if chosen in self.sets[1]]

    @property
    def _members(self) -> tuple[dict[str, None], dict[str, None]]:
        first, second = (dict.fromkeys(chain.from_iterable(sets)) for sets in self.sets)
        return first, second

    @property
    def _of_sets(self) -> bool:
        return not self.changes and all(len(sets) == 1 for sets in self.sets)

    def explain(self) -> str:
        """Say in a few sentences what is the same, what is not, and what that means for quality."""
        first, second = self.labels
        alone = [
            f"Only {label} has {_some(names)}."
            for label, names in zip(self.labels, self.only, strict=True)
            if names
        ]
        total = len(self.shared) + sum(map(len, self.only))
        of_all = f"share {len(self.shared)} of {counted(total, 'feature')}"
        listed = f": {_some(self.shared)}" if self.shared else ""
        start = f"{first} and {second}"
        common = f"{start[:1].upper()}{start[1:]} {of_all}{listed}."
        return paragraph(
            self._changes_in_words(), self._same_in_words(), common, *alone, self._quality_in_words()
        )

    def _changes_in_words(self) -> str:
        if not self.changes:
            return ""
        said = [
            f"{name} from {_plain(one)} to {_plain(other)}" for name, (one, other) in self.changes.items()
        ]
        return f"Changed: {join_words(said)}."

    def _same_in_words(self) -> str:
        if self._of_sets:
            return ""
        same, most = len(self.same_sets), max(map(len, self.sets))
        return f"{same} of {counted(most, 'set')} {plural(same, 'is', 'are')} the same."

    def _quality_in_words(self) -> str:
        if "quality" in self.changes or not all(self.qualities):
            return ""
        before, after = (sum(values) / len(values) for values in self.qualities)
        if math.isnan(before) or math.isnan(after):
            return ""
        first, second = self.labels
        what = "quality" if self._of_sets else "mean quality"
        if before == after:
            return f"The {what} is the same, {before:.6g}."
        if min(before, after) <= 0 or before < after:
            return f"The {what} is {before:.6g} in {first} and {after:.6g} in {second}."
        kept = f"{second[:1].upper()}{second[1:]} keeps {percent(after / before)} of the"
        return f"{kept} {what} of {first}."

    def to_frame(self) -> Any:
        """One row for each feature: in how many sets of each side it is.

        Returns
        -------
        DataFrame
            Of pandas, indexed by ``feature``, with one column for each side.

        Raises
        ------
        altsets.errors.MissingExtraError
            If pandas is not installed.
        """
        names = list(self._members[0] | self._members[1])
        first, second = self.labels if self.labels[0] != self.labels[1] else ("first", "second")
        columns = {
            label: [sum(name in chosen for chosen in sets) for name in names]
            for label, sets in zip((first, second), self.sets, strict=True)
        }
        return frame_of({"feature": names, **columns}).set_index("feature")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values that JSON knows."""
        return {
            "labels": list(self.labels),
            "sets": [[list(chosen) for chosen in sets] for sets in self.sets],
            "qualities": [list(map(documents.finite, values)) for values in self.qualities],
            "changes": {name: list(values) for name, values in self.changes.items()},
            "shared": self.shared,
            "only": list(self.only),
            "same_sets": [list(chosen) for chosen in self.same_sets],
            "words": self.explain(),
        }


def steps_compared(first: SessionStep, second: SessionStep) -> SessionComparison:
    """Two steps side by side."""
    before, after = first.state, second.state
    return SessionComparison(
        labels=(f"step {first.name!r}", f"step {second.name!r}"),
        sets=(first.sets, second.sets),
        qualities=(first.qualities, second.qualities),
        changes={name: (before[name], after[name]) for name in before if before[name] != after[name]},
    )


def _some(names: Sequence[str]) -> str:
    return list_some(names, MOST_NAMED, last="and", hide_one=False)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        several = [f"{{{', '.join(one)}}}" if isinstance(one, list) else str(one) for one in value]
        return list_some(several, MOST_NAMED) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
