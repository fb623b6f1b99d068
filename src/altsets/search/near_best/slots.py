"""NearBest.slots: a list of sets as "core features, and one of each slot", with as few sets left over as possible.

Features outside the core are put into slots, or left out, by depth-first branch and bound: a set fits if it has one
feature of each slot. Those in the most sets come first, and go where they break the fewest; the bound is the number of
sets that are not broken yet. So the first leaf is a greedy answer, and a search that comes to its end an exact one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from altsets import documents
from altsets.problem import FeatureSet
from altsets.wording import counted, join_words, list_some, paragraph, percent, plural

#: Nodes of the branch and bound: less than a second.
MOST_NODES = 30_000
#: Features that are put into slots; the branch and bound is as deep.
MOST_FEATURES = 400
#: Features of a slot that are named.
MOST_NAMED = 8


@dataclass(frozen=True)
class Slot:
    """Features that replace each other; a part of :class:`altsets.Slots`.

    Attributes
    ----------
    features : tuple of int
        The features, the most frequent first.
    names : tuple of str
        The same by name.
    shares : tuple of float
        The part of the sets that fit which has each of them; together 1.

    See Also
    --------
    altsets.NearBest.slots : Finds them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 5, 5, 4, 1], feature_names=list("abcdef"))
    >>> altsets.near_best(scores, n_features=3, within=0.05).slots().slots[0].names
    ('c', 'd', 'e')
    """

    features: tuple[int, ...]
    names: tuple[str, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Slots:
    """Near-best sets in short: features that all of them have, and slots; :meth:`altsets.NearBest.slots` makes it.

    A set fits if it has the core and one feature of each slot.

    Attributes
    ----------
    core : tuple of str
        The features that all listed sets have.
    slots : list of Slot
        Features that replace each other, those with the fewest first.
    n_listed : int
        How many sets are described: the best ones.
    n_fitting : int
        How many of these fit.
    n_possible : int
        How many sets have the core and one feature of each slot, near-best or not.
    left : list of tuple of str
        The listed sets that do not fit, from the best down.
    all_listed : bool
        Whether these are all near-best sets.
    exact : bool
        Whether it is proven that no other slots fit more sets, and of those that fit as many none has fewer
        possibilities; else they were chosen greedily and improved for a while.

    See Also
    --------
    altsets.NearBest.slots : Makes one.
    altsets.plots.slots : Plot it.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 5, 5, 4, 1], feature_names=list("abcdef"))
    >>> found = altsets.near_best(scores, n_features=3, within=0.05).slots()
    >>> found
    Slots(core: a, b; one of: c, d, e)
    >>> print(found.explain().split(". ")[0])
    'a' and 'b' are in all 3 near-best sets
    """

    core: tuple[str, ...]
    slots: list[Slot]
    n_listed: int
    n_fitting: int
    n_possible: int
    left: list[tuple[str, ...]]
    all_listed: bool
    exact: bool

    def explain(self) -> str:
        """Say which features all sets have, which replace each other, and what is left, in plain words."""
        which = "" if self.all_listed else "best "
        sets = f"{self.n_listed:,} {which}near-best {plural(self.n_listed, 'set')}"
        core = join_words([repr(name) for name in self.core])
        have = f"{core} {plural(len(self.core), 'is', 'are')}" if self.core else "No feature is"
        parts = [
            list_some(
                [f"{name!r} ({percent(share)})" for name, share in zip(slot.names, slot.shares, strict=True)],
                MOST_NAMED,
                last="and",
            )
            for slot in self.slots
            if len(slot.names) > 1
        ]
        alone = join_words([repr(slot.names[0]) for slot in self.slots if len(slot.names) == 1])
        has = f"A set that fits has {'also ' if self.core else ''}"
        rest = f"{has}{'; and '.join(filter(None, [alone, *(f'one of {part}' for part in parts)]))}."
        fit = "All sets fit"
        if self.left:
            fit = f"{self.n_fitting:,} of {self.n_listed:,} sets fit, {len(self.left):,} do not"
        only = "every possible set is one of them"
        if self.n_possible > self.n_fitting:
            only = f"they are {self.n_fitting:,} of {self.n_possible:,} possible ones"
        greedy = "" if self.exact else "Slots were chosen greedily: others may fit more sets."
        if not self.slots:
            return f"There is {sets}: {core}."
        return paragraph(f"{have} in all {sets}.", rest, f"{fit}, and {only}.", greedy)

    def __repr__(self) -> str:
        core = list_some(self.core, MOST_NAMED, hide_one=False) or "none"
        slots = "".join(
            f"; one of: {list_some(slot.names, MOST_NAMED, hide_one=False)}" for slot in self.slots
        )
        left = f"; {counted(len(self.left), 'set')} left" if self.left else ""
        return f"Slots(core: {core}{slots}{left})"

    def to_dict(self) -> dict[str, Any]:
        """The description as plain values, for JSON."""
        return {
            "core": list(self.core),
            "slots": [
                {
                    "features": list(slot.names),
                    "indices": list(slot.features),
                    "shares": list(map(documents.finite, slot.shares)),
                }
                for slot in self.slots
            ],
            "n_listed": self.n_listed,
            "n_fitting": self.n_fitting,
            "n_possible": self.n_possible,
            "left": list(map(list, self.left)),
            "all_listed": self.all_listed,
            "exact": self.exact,
        }


def few_features(sets: Sequence[FeatureSet]) -> list[FeatureSet]:
    """The first sets, as many as have few features together."""
    seen: set[int] = set()
    kept: list[FeatureSet] = []
    for chosen in sets:
        seen.update(chosen)
        if kept and len(seen) > MOST_FEATURES:
            break
        kept.append(chosen)
    return kept


def describe(sets: Sequence[FeatureSet], names: Sequence[str], *, all_listed: bool) -> Slots:
    """The slots of some sets, the best first; those of another size than the first one are left."""
    core = frozenset(sets[0]).intersection(*sets[1:])
    same_size = [chosen for chosen in sets if len(chosen) == len(sets[0])]
    search = _Search([frozenset(chosen) - core for chosen in same_size], len(sets[0]) - len(core))
    fitting = [chosen for number, chosen in enumerate(same_size) if search.fitting >> number & 1]
    counts = Counter(feature for chosen in fitting for feature in chosen)
    slots = []
    for slot in range(search.n_slots):
        inside = [feature for feature, where in search.places.items() if where == slot and counts[feature]]
        inside.sort(key=lambda feature: (-counts[feature], feature))
        shares = tuple(counts[feature] / len(fitting) for feature in inside)
        slots.append(Slot(tuple(inside), tuple(names[feature] for feature in inside), shares))
    slots.sort(key=lambda slot: (len(slot.features), slot.features))
    kept = frozenset(fitting)
    return Slots(
        core=tuple(names[feature] for feature in sorted(core)),
        slots=slots,
        n_listed=len(sets),
        n_fitting=len(fitting),
        n_possible=math.prod(len(slot.features) for slot in slots),
        left=[tuple(names[feature] for feature in chosen) for chosen in sets if chosen not in kept],
        all_listed=all_listed,
        exact=search.exact,
    )


class _Search:
    """Slots that fit as many sets as possible; sets of sets are whole numbers with a bit for each."""

    def __init__(self, sets: Sequence[frozenset[int]], n_slots: int) -> None:
        self.n_slots = n_slots
        self._holders: dict[int, int] = {}
        for number, chosen in enumerate(sets):
            for feature in chosen:
                self._holders[feature] = self._holders.get(feature, 0) | 1 << number
        #: The sets that fit the best slots so far, where their features are, and how many sets are possible.
        self.fitting, self.places, self._possible = 0, {}, math.inf  # type: ignore[var-annotated]
        self._nodes = 0
        self._branch({}, [0] * n_slots, [0] * n_slots, (1 << len(sets)) - 1)
        self.exact = self._nodes <= MOST_NODES

    def _branch(self, places: dict[int, int], taken: list[int], sizes: list[int], alive: int) -> None:
        """Put one more feature into each slot in turn, or leave it out with its sets."""
        self._nodes += 1
        possible = math.prod(size for size in sizes if size)
        n_alive, n_best = alive.bit_count(), self.fitting.bit_count()
        if n_alive < n_best or (n_alive == n_best and possible >= self._possible):
            return
        feature = self._next(places, taken, alive)
        if feature is None:
            self.fitting, self.places, self._possible = alive, dict(places), possible
            return
        holders = self._holders[feature] & alive
        # Slots without a feature are all the same.
        n_used = sum(size > 0 for size in sizes)
        slots = range(min(n_used + 1, self.n_slots))
        order = sorted(slots, key=lambda slot: ((holders & taken[slot]).bit_count(), sizes[slot] == 0, slot))
        for slot in order:
            if self._nodes > MOST_NODES and self.fitting:
                return
            places[feature] = slot
            before = taken[slot]
            taken[slot] |= self._holders[feature]
            sizes[slot] += 1
            self._branch(places, taken, sizes, alive & ~(holders & before))
            taken[slot] = before
            sizes[slot] -= 1
            del places[feature]
        places[feature] = -1
        self._branch(places, taken, sizes, alive & ~holders)
        del places[feature]

    def _next(self, places: dict[int, int], taken: Sequence[int], alive: int) -> int | None:
        """The feature with the fewest slots left for its sets, and of these that in the most sets; None at the end."""
        best, rank = None, (-1, 0)
        for feature, holders in self._holders.items():
            if feature in places or not holders & alive:
                continue
            clashes = sum(1 for slot in taken if slot & holders & alive)
            if (clashes, (holders & alive).bit_count()) > rank:
                best, rank = feature, (clashes, (holders & alive).bit_count())
        return best
