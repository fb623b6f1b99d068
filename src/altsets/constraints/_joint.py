"""Constraints on all sets together: in how many sets a feature may be, and what all sets cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from altsets.amounts import amount, exact_text
from altsets.constraints._amounts import PRICED, Budget
from altsets.constraints._kinds import OfFields, OfGroup
from altsets.constraints.base import (
    Constraint,
    CostRule,
    JointRule,
    Option,
    OptionReader,
    ReserveRule,
    Rule,
    TotalRule,
    UsageRule,
    count_in,
    features_text,
    number_in,
    several_features,
    split_option,
)
from altsets.features import Feature, whole_number


class OfAllSets(Constraint):
    """A condition that says nothing about one set alone."""

    def holds(self, chosen: Sequence[int]) -> bool:
        return True

    def rules(self) -> tuple[Rule, ...]:
        return ()

    def alone(self) -> None:
        """Nothing."""


class OfUsage(OfAllSets, OfFields):
    """A condition on how many sets have a feature; one field holds the number, ``features`` the features."""

    _named = ("features",)
    _number: ClassVar[str]
    features: tuple[Any, ...] | None

    def __init__(self, number: int, features: Iterable[Feature] | Feature | None) -> None:
        several = [features] if isinstance(features, str | int) else features
        self._set(
            **{self._number: whole_number(f"{self.title}: {self._number}", number, least=1)},
            features=None if several is None else several_features(self, several),
        )

    def resolve(self, names: Sequence[str]) -> Self:
        return self if self.features is None else super().resolve(names)

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        named = fields(self)[: 1 if self.features is None else 2]  # type: ignore[arg-type]
        return [self._argument(field.name, names) for field in named]

    def _fill(self, template: str, names: Sequence[str], most: int) -> str:
        if self.features is None:
            return template.format(**vars(self) | {"features": "every feature"})
        return super()._fill(template, names, most)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        number, group = split_option(read, text, "N:GROUP")
        return cls(count_in(read, number), read.group(group))

    def option_text(self, names: Sequence[str]) -> str:
        number = str(getattr(self, self._number))
        return number if self.features is None else f"{number}:{features_text(self.features, names)}"


@dataclass(frozen=True, init=False)
class AtMostSets(OfUsage):
    """Each of these features is in at most ``u`` of the sets.

    Sets that exist already count. A sequential search leaves out what is used up; a simultaneous one chooses all sets
    under this condition.

    Parameters
    ----------
    most : int
        The largest number of sets, at least 1.
    features : int, str or sequence of them, default=None
        Features, by index, name or pattern (``"S004_*"``); None for every feature.

    See Also
    --------
    altsets.constraints.Reserve : Keep a group of features for one set.

    Examples
    --------
    >>> import altsets
    >>> altsets.find([9, 8, 7, 3, 2, 1], 2, 2, tau=0, constraints=AtMostSets(2)).sets
    [(0, 1), (0, 1), (2, 3)]
    """

    kind = "at_most_sets"
    option = Option(
        "--at-most-sets",
        "N[:GROUP]",
        "Each feature, or each of a group given as above, is in at most N of the sets; existing ones count.",
    )
    _number, _words = "most", "each of {{{features}}} in at most {most} sets"
    _sentence = "At most {most} of the sets have each of these: {features}."
    most: int
    features: tuple[Any, ...] | None

    def __init__(self, most: int, features: Iterable[Feature] | Feature | None = None) -> None:
        super().__init__(most, features)

    def joint_rules(self) -> tuple[JointRule, ...]:
        return (UsageRule(self.features, upper=self.most),)

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        uses = Counter(feature for chosen in (*sets, *existing) for feature in chosen)
        new = {feature for chosen in sets for feature in chosen}
        new &= new if self.features is None else {*self.features}
        return all(uses[feature] <= self.most for feature in new)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return super().parse(text, read) if ":" in text else cls(count_in(read, text))


@dataclass(frozen=True, init=False)
class AtLeastSets(OfUsage):
    """Each of these features is in at least so many of the sets.

    Sets that exist already count. In a sequential search a set has such a feature as soon as all sets that are left
    are needed for it.

    Parameters
    ----------
    least : int
        The smallest number of sets, at least 1.
    features : int, str or sequence of them
        Features, by index, name or pattern (``"S004_*"``).

    See Also
    --------
    altsets.constraints.Require : Require features in every set.

    Examples
    --------
    >>> import altsets
    >>> together = {"search": "simultaneous", "constraints": AtLeastSets(1, 5)}
    >>> altsets.find([9, 8, 7, 3, 2, 1], 2, 1, tau=1, **together).sets
    [(0, 1), (2, 5)]
    """

    kind = "at_least_sets"
    option = Option(
        "--at-least-sets",
        "N:GROUP",
        "Each feature of a group, given as above, is in at least N of the sets; existing ones count.",
    )
    _number, _words = "least", "each of {{{features}}} in at least {least} sets"
    _sentence = "At least {least} of the sets have each of these: {features}."
    least: int
    features: tuple[Any, ...]

    def __init__(self, least: int, features: Iterable[Feature] | Feature) -> None:
        super().__init__(least, [] if features is None else features)

    def joint_rules(self) -> tuple[JointRule, ...]:
        return (UsageRule(self.features, lower=self.least),)

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        uses = Counter(feature for chosen in (*sets, *existing) for feature in chosen)
        return all(uses[feature] >= self.least for feature in self.features)


@dataclass(frozen=True, init=False)
class Reserve(OfAllSets, OfGroup):
    """At most one of the sets has features of a group: whichever it is, the group is reserved for it.

    Sets that exist already count.

    Parameters
    ----------
    group : sequence of int or str
        Features, by index, name or pattern (``"S004_*"``).

    See Also
    --------
    altsets.constraints.Exclusive : At most one feature of the group in each set.

    Examples
    --------
    >>> import altsets
    >>> altsets.find([9, 8, 7, 3, 2, 1], 2, 1, tau=1, constraints=Reserve([0, 1, 2])).sets
    [(0, 1), (3, 4)]
    """

    kind = "reserve"
    option = Option(
        "--reserve", "GROUP", "Only one of the sets may have features of a group, given as above."
    )
    _words = "{{{group}}} reserved for one set"
    _sentence = "At most one of the sets has any of these: {group}."
    group: tuple[Any, ...]

    def joint_rules(self) -> tuple[JointRule, ...]:
        return (ReserveRule(self.group),)

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        taken = any(not self._members.isdisjoint(chosen) for chosen in existing)
        return sum(not self._members.isdisjoint(chosen) for chosen in sets) <= (0 if taken else 1)


@dataclass(frozen=True, init=False)
class Spread(OfAllSets, OfFields):
    """The best of simultaneous sets is at most this much better than the worst one.

    Parameters
    ----------
    limit : float
        The largest difference of two qualities, 0 or more.

    See Also
    --------
    altsets.find : ``min_quality`` and ``aggregation="min"`` also keep the worst set good.

    Examples
    --------
    >>> import altsets
    >>> together = {"search": "simultaneous", "constraints": Spread(2)}
    >>> altsets.find([9, 8, 7, 3, 2, 1], 2, 1, tau=1, **together).qualities
    [12.0, 10.0]
    """

    kind = "spread"
    option = Option(
        "--spread", "LIMIT", "The best set is at most LIMIT better than the worst, for --search simultaneous."
    )
    _words, _sentence = "spread {limit:g}", "The best set scores at most {limit:g} above the worst."
    limit: float

    def __init__(self, limit: float) -> None:
        self._set(limit=amount(limit, self.title, "limit", least=0.0))

    def joint_rules(self) -> tuple[JointRule, ...]:
        return ()

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return cls(number_in(read, text, text))

    def option_text(self, names: Sequence[str]) -> str:
        return exact_text(self.limit)


@dataclass(frozen=True, init=False)
class TotalBudget(Budget):
    """The features of all sets together cost no more than a limit; one that several sets have is paid once.

    A sensor that is bought once serves all sets. Sets that exist already count.

    Parameters
    ----------
    costs : sequence of float, or mapping from feature to float
    limit : float
        The most that all sets may cost together.
    groups : mapping from feature to group, sequence of sequences of features, or Grouped, default=None
        As for :class:`altsets.constraints.Budget`, like the costs.

    See Also
    --------
    altsets.constraints.Budget : A limit on what each set costs.

    Examples
    --------
    >>> import altsets
    >>> paid = TotalBudget([5, 4, 4, 1, 1, 1], limit=10)
    >>> altsets.find([9, 8, 7, 3, 2, 1], 2, 1, tau=0.5, constraints=paid).sets
    [(0, 1), (0, 3)]
    """

    kind = "total_budget"
    option = Option(
        "--total-budget",
        PRICED,
        "The features of all sets together cost at most LIMIT, each paid once; the file is that of --budget.",
    )

    def describe(self, names: Sequence[str]) -> str:
        return f"total {super().describe(names)}"

    def sentence(self, names: Sequence[str]) -> str:
        return super().sentence(names).replace("of a set", "of all sets", 1)

    def alone(self) -> Budget:
        """No set costs more than all of them together."""
        single = object.__new__(Budget)
        single._set(costs=self.costs, limit=self.limit, groups=self.groups)
        return single

    def joint_rules(self) -> tuple[JointRule, ...]:
        return (TotalRule(CostRule(self.costs, self.limit, self.groups)),)

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        return self.holds(sorted({feature for chosen in (*sets, *existing) for feature in chosen}))
