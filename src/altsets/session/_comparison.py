"""Two steps of a session, or two of its sets, side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from altsets.result import frame_of
from altsets.session._state import NamedSet, value_in_words
from altsets.wording import counted, join_words, list_some, paragraph, percent, plural, sentence

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
        return [name for name in self._members[0] if name in self._members[1]]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """The features that one side alone has."""
        first, second = self._members
        return [name for name in first if name not in second], [name for name in second if name not in first]

    @property
    def same_sets(self) -> list[NamedSet]:
        """The sets that both sides have."""
        return [chosen for chosen in self.sets[0] if chosen in self.sets[1]]

    @cached_property
    def _members(self) -> tuple[dict[str, None], dict[str, None]]:
        first, second = (dict.fromkeys(chain.from_iterable(sets)) for sets in self.sets)
        return first, second

    @property
    def _of_sets(self) -> bool:
        return not self.changes and all(len(sets) == 1 for sets in self.sets)

    def explain(self) -> str:
        """Say in a few sentences what is the same, what is not, and what that means for quality."""
        first, second = self.labels
        total, n_same, most = (
            len(self._members[0] | self._members[1]),
            len(self.same_sets),
            max(map(len, self.sets)),
        )
        changed = [
            f"{name} from {value_in_words(one)} to {value_in_words(other)}"
            for name, (one, other) in self.changes.items()
        ]
        same = f"{n_same} of {counted(most, 'set')} {plural(n_same, 'is', 'are')} the same."
        listed = f": {_some(self.shared)}" if self.shared else ""
        common = f"{first} and {second} share {len(self.shared)} of {counted(total, 'feature')}{listed}"
        sides = zip(self.labels, self.only, strict=True)
        return paragraph(
            f"Changed: {join_words(changed)}." if changed else "",
            "" if self._of_sets else same,
            sentence(common),
            *(f"Only {label} has {_some(names)}." for label, names in sides if names),
            self._about_quality(),
        )

    def _about_quality(self) -> str:
        if "quality" in self.changes or not all(self.qualities):
            return ""
        before, after = (sum(values) / len(values) for values in self.qualities)
        first, second = self.labels
        what = "quality" if self._of_sets else "mean quality"
        if math.isnan(before) or math.isnan(after):
            return ""
        if before == after:
            return f"The {what} is the same, {before:.6g}."
        if min(before, after) <= 0 or before < after:
            return f"The {what} is {before:.6g} in {first} and {after:.6g} in {second}."
        return sentence(f"{second} keeps {percent(after / before)} of the {what} of {first}")

    @cached_property
    def counts(self) -> dict[str, tuple[int, int]]:
        """In how many sets of each side each feature is."""
        before, after = (Counter(chain.from_iterable(sets)) for sets in self.sets)
        return {name: (before[name], after[name]) for name in self._members[0] | self._members[1]}

    def to_frame(self) -> Any:
        """One row for each feature, as a DataFrame of pandas: in how many sets of each side it is."""
        labels = self.labels if self.labels[0] != self.labels[1] else ("first", "second")
        counts = self.counts.values()
        columns = {label: [count[side] for count in counts] for side, label in enumerate(labels)}
        return frame_of({"feature": list(self.counts), **columns}).set_index("feature")


def _some(names: Sequence[str]) -> str:
    return list_some(names, MOST_NAMED, last="and", hide_one=False)
