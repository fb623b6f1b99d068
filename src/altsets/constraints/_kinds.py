"""Constraints on which features a set has, and on how many: Require, AtMost, AtLeast, Exclusive, Implies, Size."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from altsets.constraints.base import (
    Constraint,
    CountRule,
    NeedRule,
    Option,
    OptionReader,
    Rule,
    SizeRule,
    count_in,
    feature_literal,
    features_literal,
    features_text,
    several_features,
    sorted_indices,
    split_option,
)
from altsets.errors import InputError
from altsets.features import MOST_LISTED, Feature, FeatureNames, cells_in, given_feature, whole_number

#: Names that a sentence of a report spells out.
MOST_NAMED = 12


class OfSeveral(Constraint):
    """A condition on several features, which one field holds."""

    _field: ClassVar[str]

    @property
    def _features(self) -> tuple[Any, ...]:
        features: tuple[Any, ...] = getattr(self, self._field)
        return features

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist."""
        indices = sorted_indices(self, self._features, names)
        # Made anew, as two names of one feature may leave a group too small.
        return self if indices == self._features else replace(self, **{self._field: indices})  # type: ignore[type-var]

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """The features, in a list."""
        return [features_literal(self._features, names)]

    def option_text(self, names: Sequence[str]) -> str:
        """``COL,COL``."""
        return features_text(self._features, names)

    def _listed(self, names: Sequence[str], most: int = MOST_LISTED) -> str:
        return FeatureNames.of(names).listed(self._features, most)

    @cached_property
    def _members(self) -> frozenset[Any]:
        return frozenset(self._features)


@dataclass(frozen=True, init=False)
class OfFeatures(OfSeveral):
    """A condition on one feature or several, each on its own."""

    _field = "features"
    features: tuple[Any, ...]

    def __init__(self, features: Feature | Iterable[Feature]) -> None:
        several = [features] if isinstance(features, str | numbers.Real) else features
        self._set(features=several_features(self, several))

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``COL,COL``."""
        return cls(read.features(text))


class OfGroup(OfSeveral):
    """A condition on the features of a group together."""

    _field = "group"
    group: tuple[Any, ...]

    def __init__(self, group: Iterable[Feature]) -> None:
        self._set(group=several_features(self, group))

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``GROUP``."""
        return cls(read.group(text))


class OfCount(OfGroup):
    """A condition on how many features of a group a set has; one field holds the number."""

    _number: ClassVar[str]
    _words: ClassVar[str]

    def __init__(self, number: int, group: Iterable[Feature]) -> None:
        self._set(**{self._number: whole_number(f"{self.title}: {self._number}", number, least=0)})
        super().__init__(group)

    @property
    def _count(self) -> int:
        count: int = getattr(self, self._number)
        return count

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``N:GROUP``."""
        number, group = split_option(read, text, "N:GROUP")
        return cls(count_in(read, number), read.group(group))

    def option_text(self, names: Sequence[str]) -> str:
        """``N:GROUP``."""
        return f"{self._count}:{super().option_text(names)}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """The number and the group."""
        return [str(self._count), *super().arguments(names)]

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "Every set has at most 1 of these: g1, g2."."""
        return f"Every set has {self._words} {self._count} of these: {self._listed(names, MOST_NAMED)}."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "at most 1 of {g1, g2}"."""
        return f"{self._words} {self._count} of {{{self._listed(names)}}}"


@dataclass(frozen=True, init=False)
class Require(OfFeatures):
    """Every set has these features.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index or name.

    Examples
    --------
    >>> from altsets import constraints
    >>> age = constraints.Require("age").resolve(["sex", "age"])
    >>> age.features, age.holds((0, 1)), age.holds((0,))
    ((1,), True, False)
    """

    kind = "require"
    option = Option("--require", "COL[,COL]", "Features that every set has.")

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has all of them."""
        return self._members <= set(chosen)

    def rules(self) -> tuple[Rule, ...]:
        """All of the features."""
        return (CountRule(self.features, lower=len(self.features)),)

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "Every set has: age, sex."."""
        return f"Every set has: {self._listed(names, MOST_NAMED)}."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "require age, sex"."""
        return f"require {self._listed(names)}"


@dataclass(frozen=True, init=False)
class AtMost(OfCount):
    """Each set has at most so many features of a group.

    Parameters
    ----------
    most : int
        The largest number; 0 forbids the whole group.
    group : sequence of int or str
        Features, by index or name.

    Examples
    --------
    >>> genes = AtMost(1, ["g1", "g2"]).resolve(["g1", "age", "g2"])
    >>> genes.holds((0, 1)), genes.holds((0, 2))
    (True, False)
    """

    kind = "at_most"
    option = Option(
        "--at-most",
        "N:GROUP",
        "A set has at most N features of a group: COL[,COL] or a text file with one column per line.",
    )
    _number, _words = "most", "at most"
    most: int
    group: tuple[Any, ...]

    def __init__(self, most: int, group: Iterable[Feature]) -> None:
        super().__init__(most, group)

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has few enough of the group."""
        return len(self._members.intersection(chosen)) <= self.most

    def rules(self) -> tuple[Rule, ...]:
        """Few enough of the group."""
        return (CountRule(self.group, upper=self.most),)


@dataclass(frozen=True, init=False)
class AtLeast(OfCount):
    """Each set has at least so many features of a group.

    Parameters
    ----------
    least : int
        The smallest number.
    group : sequence of int or str
        Features, by index or name; at least ``least`` of them.

    Examples
    --------
    >>> AtLeast(1, ["age", "sex"]).resolve(["age", "sex", "id"]).holds((2,))
    False
    """

    kind = "at_least"
    option = Option("--at-least", "N:GROUP", "A set has at least N features of a group, given as above.")
    _number, _words = "least", "at least"
    least: int
    group: tuple[Any, ...]

    def __init__(self, least: int, group: Iterable[Feature]) -> None:
        super().__init__(least, group)
        there = len(set(self.group))
        if self.least > there:
            raise InputError(
                f"AtLeast: least={self.least}, but its group has only {there} features; ask for at most {there}."
            )

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has enough of the group."""
        return len(self._members.intersection(chosen)) >= self.least

    def rules(self) -> tuple[Rule, ...]:
        """Enough of the group."""
        return (CountRule(self.group, lower=self.least),)


@dataclass(frozen=True, init=False)
class Exclusive(OfGroup):
    """Each set has at most one feature of a group: they exclude each other.

    Parameters
    ----------
    group : sequence of int or str
        Features, by index or name.

    Examples
    --------
    >>> Exclusive([0, 1, 2]).holds((0, 2))
    False
    """

    kind = "exclusive"
    option = Option("--exclusive", "GROUP", "A set has at most one feature of a group, given as above.")
    group: tuple[Any, ...]

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has one of the group or none."""
        return len(self._members.intersection(chosen)) <= 1

    def rules(self) -> tuple[Rule, ...]:
        """At most one of the group."""
        return (CountRule(self.group, upper=1),)

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "Every set has at most one of these: cm, inch."."""
        return f"Every set has at most one of these: {self._listed(names, MOST_NAMED)}."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "exclusive {cm, inch}"."""
        return f"exclusive {{{self._listed(names)}}}"


@dataclass(frozen=True, init=False)
class Implies(Constraint):
    """A set that has one feature has another one too.

    Parameters
    ----------
    feature : int or str
        The feature that does not come alone.
    needed : int or str
        The feature that comes with it.

    Examples
    --------
    >>> squared = Implies("age squared", "age").resolve(["age", "age squared"])
    >>> squared.holds((0,)), squared.holds((1,))
    (True, False)
    """

    kind = "implies"
    option = Option("--implies", "COL:COL", "A set with the first feature has the second too.")
    feature: Any
    needed: Any

    def __init__(self, feature: Feature, needed: Feature) -> None:
        self._set(feature=given_feature(feature, self.title), needed=given_feature(needed, self.title))

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on indices; refuses features that do not exist."""
        known = FeatureNames.of(names)
        feature, needed = (known.position(given, self.title) for given in (self.feature, self.needed))
        return self._changed(feature=feature, needed=needed)

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the second is there if the first is."""
        return self.feature not in chosen or self.needed in chosen

    def rules(self) -> tuple[Rule, ...]:
        """The one needs the other."""
        return () if self.feature == self.needed else (NeedRule(self.feature, self.needed),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``COL:COL``."""
        cells = cells_in(text, ":")
        if len(cells) != 2 or not all(cells):
            raise InputError(
                f"{read.option} {text!r} must have the form COL:COL; a name with a colon stands in double quotes."
            )
        return cls(*(read.features(features_text([cell], []))[0] for cell in cells))

    def option_text(self, names: Sequence[str]) -> str:
        """``COL:COL``."""
        return features_text([self.feature, self.needed], names, ":")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """The two features."""
        return [feature_literal(self.feature, names), feature_literal(self.needed, names)]

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "A set with age squared also has age."."""
        known = FeatureNames.of(names)
        return f"A set with {known.listed([self.feature])} also has {known.listed([self.needed])}."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "if age squared then age"."""
        known = FeatureNames.of(names)
        return f"if {known.listed([self.feature])} then {known.listed([self.needed])}"


@dataclass(frozen=True, init=False)
class Size(Constraint):
    """Each set has from ``k_min`` to ``k_max`` features; this replaces ``n_features``.

    Mind what the quality does with the size. Sums, as :class:`altsets.quality.Additive` and
    :class:`altsets.quality.FCBF` make them, grow with it: where scores are positive, a larger set is always better,
    and smaller ones come about only where the difference or another constraint asks for them. Qualities that are
    normalised by the size (mRMR, CFS) compare sets of different sizes fairly. Dice and Jaccard dissimilarity are
    meant for sets of any size.

    Parameters
    ----------
    k_min, k_max : int
        The smallest and the largest size. A ``k_max`` beyond the number of features is no limit.

    Examples
    --------
    >>> from altsets import constraints
    >>> sizes = constraints.Size(2, 4)
    >>> sizes.holds((0, 3, 5)), sizes.holds((0,))
    (True, False)
    """

    kind = "size"
    option = Option(
        "--size",
        "MIN:MAX",
        "Instead of -k: sets of MIN to MAX features. Where scores are added up, larger sets tend to win.",
    )
    k_min: int
    k_max: int

    def __init__(self, k_min: int, k_max: int) -> None:
        smallest = whole_number("Size: k_min", k_min, least=1)
        largest = whole_number("Size: k_max", k_max, least=1)
        if smallest > largest:
            raise InputError(f"Size: k_min={smallest} is larger than k_max={largest}; exchange the two.")
        self._set(k_min=smallest, k_max=largest)

    def resolve(self, names: Sequence[str]) -> Self:
        """The constraint itself; refuses sizes that no set can have."""
        if self.k_min > len(names):
            raise InputError(
                f"Size: k_min={self.k_min}, but there are only {len(names)} features to choose from; "
                f"ask for at most {len(names)}."
            )
        return self

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set is neither too small nor too large."""
        return self.k_min <= len(chosen) <= self.k_max

    def rules(self) -> tuple[Rule, ...]:
        """The range of sizes."""
        return (SizeRule(self.k_min, self.k_max),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``MIN:MAX``."""
        smallest, largest = split_option(read, text, "MIN:MAX")
        return cls(count_in(read, smallest), count_in(read, largest))

    def option_text(self, names: Sequence[str]) -> str:
        """``MIN:MAX``."""
        return f"{self.k_min}:{self.k_max}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """Both sizes."""
        return [str(self.k_min), str(self.k_max)]

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "Sets have 3 to 5 features."."""
        return f"Sets have {self.k_min} to {self.k_max} features."

    def describe(self, names: Sequence[str]) -> str:
        """Such as "size 3 to 5"."""
        return f"size {self.k_min}" + (f" to {self.k_max}" if self.k_max > self.k_min else "")
