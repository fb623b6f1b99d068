"""Constraints on which features a set has, and on how many."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
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
from altsets.features import (
    MOST_LISTED,
    Feature,
    FeatureNames,
    cells_in,
    given_feature,
    is_pattern,
    whole_number,
)
from altsets.wording import parameter

#: Names that a sentence of a report spells out.
MOST_NAMED = 12


class OfFields(Constraint):
    """A constraint that its fields say everything about: numbers, features, lists of features."""

    #: Fields that hold a feature or several; those of other fields are numbers.
    _named: ClassVar[tuple[str, ...]] = ()
    #: A few words and a whole sentence, with fields in them.
    _words: ClassVar[str]
    _sentence: ClassVar[str]

    def resolve(self, names: Sequence[str]) -> Self:
        known = FeatureNames.of(names)

        def place(value: Any) -> Any:
            several = isinstance(value, tuple)
            return sorted_indices(self, value, known) if several else known.position(value, self.title)

        given = {name: getattr(self, name) for name in self._named}
        found = {name: place(value) for name, value in given.items()}
        # Made anew, as two names of one feature may leave a group too small.
        return self if found == given else replace(self, **found)  # type: ignore[type-var]

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        return [self._argument(field.name, names) for field in fields(self)]  # type: ignore[arg-type]

    def _argument(self, name: str, names: Sequence[str] | None) -> str:
        value = getattr(self, name)
        if name not in self._named:
            return repr(value)
        return features_literal(value, names) if isinstance(value, tuple) else feature_literal(value, names)

    def describe(self, names: Sequence[str]) -> str:
        return self._fill(self._words, names, MOST_LISTED)

    def sentence(self, names: Sequence[str]) -> str:
        return self._fill(self._sentence, names, MOST_NAMED)

    def _fill(self, template: str, names: Sequence[str], most: int) -> str:
        known = FeatureNames.of(names)
        given = ((name, getattr(self, name)) for name in self._named)
        several = {name: value if isinstance(value, tuple) else [value] for name, value in given}
        return template.format(
            **vars(self) | {name: known.listed(value, most) for name, value in several.items()}
        )


class OfSeveral(OfFields):
    """A condition on several features, which one field holds."""

    def option_text(self, names: Sequence[str]) -> str:
        return features_text(getattr(self, self._named[0]), names)

    @cached_property
    def _members(self) -> frozenset[Any]:
        return frozenset(getattr(self, self._named[0]))


@dataclass(frozen=True, init=False)
class OfFeatures(OfSeveral):
    """A condition on one feature or several, each on its own."""

    _named = ("features",)
    features: tuple[Any, ...]

    def __init__(self, features: Feature | Iterable[Feature]) -> None:
        several = [features] if isinstance(features, str | numbers.Real) else features
        self._set(features=several_features(self, several))

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return cls(read.features(text))


class OfGroup(OfSeveral):
    """A condition on the features of a group together."""

    _named = ("group",)
    group: tuple[Any, ...]

    def __init__(self, group: Iterable[Feature]) -> None:
        self._set(group=several_features(self, group))

    def _count(self, chosen: Sequence[int]) -> int:
        return len(self._members.intersection(chosen))

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return cls(read.group(text))


class OfCount(OfGroup):
    """A condition on how many features of a group a set has; one field holds the number."""

    _number: ClassVar[str]

    def __init__(self, number: int, group: Iterable[Feature]) -> None:
        self._set(**{self._number: whole_number(f"{self.title}: {self._number}", number, least=0)})
        super().__init__(group)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        number, group = split_option(read, text, "N:GROUP")
        return cls(count_in(read, number), read.group(group))

    def option_text(self, names: Sequence[str]) -> str:
        return f"{getattr(self, self._number)}:{super().option_text(names)}"


@dataclass(frozen=True, init=False)
class Require(OfFeatures):
    """Every set has these features.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index, name or pattern (``"S004_*"``).

    See Also
    --------
    altsets.constraints.AtLeast : Require some features of a group, not all of them.

    Examples
    --------
    >>> age = Require("age").resolve(["sex", "age"])
    >>> age.features, age.holds((0, 1)), age.holds((0,))
    ((1,), True, False)
    """

    kind = "require"
    option = Option(
        "--require",
        "COL[,COL]",
        "Features that every set has. Wherever features are listed, 'S4_*' is all whose names match, @NAME a group "
        "of --feature-groups, and @FILE the names in a text file.",
    )
    _words, _sentence = "require {features}", "Every set has: {features}."

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._members <= set(chosen)

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.features, lower=len(self.features)),)


@dataclass(frozen=True, init=False)
class AtMost(OfCount):
    """Each set has at most ``r`` features of a group.

    Parameters
    ----------
    most : int
        The largest number; 0 forbids the whole group.
    group : sequence of int or str
        Features, by index, name or pattern (``"S004_*"``).

    See Also
    --------
    altsets.constraints.Exclusive : The same with ``most=1``.

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
    _number, _words = "most", "at most {most} of {{{group}}}"
    _sentence = "Every set has at most {most} of these: {group}."
    most: int
    group: tuple[Any, ...]

    def __init__(self, most: int, group: Iterable[Feature]) -> None:
        super().__init__(most, group)

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._count(chosen) <= self.most

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.group, upper=self.most),)


@dataclass(frozen=True, init=False)
class AtLeast(OfCount):
    """Each set has at least ``r`` features of a group.

    Parameters
    ----------
    least : int
        The smallest number.
    group : sequence of int or str
        At least ``least`` features.

    See Also
    --------
    altsets.constraints.Require : Require every feature of the group.

    Examples
    --------
    >>> AtLeast(1, ["age", "sex"]).resolve(["age", "sex", "id"]).holds((2,))
    False
    """

    kind = "at_least"
    option = Option("--at-least", "N:GROUP", "A set has at least N features of a group, given as above.")
    _number, _words = "least", "at least {least} of {{{group}}}"
    _sentence = "Every set has at least {least} of these: {group}."
    least: int
    group: tuple[Any, ...]

    def __init__(self, least: int, group: Iterable[Feature]) -> None:
        super().__init__(least, group)
        there = len(set(self.group))
        # How many a pattern stands for is known with the names of the features.
        if self.least > there and not any(map(is_pattern, self.group)):
            raise InputError(
                f"{self.title}: {parameter('least', self.least)}, but its group has only {there} features; ask for "
                f"at most {there}."
            )

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._count(chosen) >= self.least

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.group, lower=self.least),)


@dataclass(frozen=True, init=False)
class Exclusive(OfGroup):
    """Each set has at most one feature of a group: they exclude each other.

    Parameters
    ----------
    group : sequence of int or str

    See Also
    --------
    altsets.constraints.MaxSimilarity : Exclude features that are alike, as measured on a table.

    Examples
    --------
    >>> Exclusive([0, 1, 2]).holds((0, 2))
    False
    """

    kind = "exclusive"
    option = Option("--exclusive", "GROUP", "A set has at most one feature of a group, given as above.")
    _words, _sentence = "exclusive {{{group}}}", "Every set has at most one of these: {group}."
    group: tuple[Any, ...]

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._count(chosen) <= 1

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.group, upper=1),)


@dataclass(frozen=True, init=False)
class Implies(OfFields):
    """A set that has one feature has another one too.

    Parameters
    ----------
    feature : int or str
        The feature that does not come alone.
    needed : int or str
        The feature that comes with it.

    See Also
    --------
    altsets.constraints.Exclusive : Rule out that features come together.

    Examples
    --------
    >>> squared = Implies("age squared", "age").resolve(["age", "age squared"])
    >>> squared.holds((0,)), squared.holds((1,))
    (True, False)
    """

    kind = "implies"
    option = Option("--implies", "COL:COL", "A set with the first feature has the second too.")
    _named = ("feature", "needed")
    _words, _sentence = "if {feature} then {needed}", "A set with {feature} also has {needed}."
    feature: Any
    needed: Any

    def __init__(self, feature: Feature, needed: Feature) -> None:
        self._set(feature=given_feature(feature, self.title), needed=given_feature(needed, self.title))

    def holds(self, chosen: Sequence[int]) -> bool:
        return self.feature not in chosen or self.needed in chosen

    def rules(self) -> tuple[Rule, ...]:
        return () if self.feature == self.needed else (NeedRule(self.feature, self.needed),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        cells = cells_in(text, ":")
        if len(cells) != 2 or not all(cells):
            form = "the form COL:COL; a name with a colon stands in double quotes"
            raise InputError(f"{read.option} {text!r} must have {form}.")
        found = [read.features(features_text([cell], [])) for cell in cells]
        for cell, features in zip(cells, found, strict=True):
            if len(features) != 1:
                count = f"{cell!r} is {len(features)}"
                raise InputError(f"{read.option} takes one feature on each side; {count}.")
        return cls(*(feature for (feature,) in found))

    def option_text(self, names: Sequence[str]) -> str:
        return features_text([self.feature, self.needed], names, ":")


@dataclass(frozen=True, init=False)
class Size(OfFields):
    """Each set has from ``k_min`` to ``k_max`` features; this replaces ``n_features``.

    Sums, such as :class:`altsets.quality.Additive` and :class:`altsets.quality.FCBF`, grow with the size: where scores
    are positive, smaller sets come about only where the difference or another constraint asks for them. Qualities that
    are normalised by the size (mRMR, CFS) compare sets of different sizes fairly.

    Parameters
    ----------
    k_min, k_max : int
        The smallest and the largest size. A ``k_max`` beyond the number of features is no limit.

    See Also
    --------
    altsets.frontier : Compare sets of several sizes, each size on its own.

    Examples
    --------
    >>> Size(2, 4).holds((0, 3, 5)), Size(2, 4).holds((0,))
    (True, False)
    """

    kind = "size"
    option = Option(
        "--size",
        "MIN:MAX",
        "Instead of -k: sets of MIN to MAX features. Where scores are added up, larger sets tend to win.",
    )
    _sentence = "Sets have {k_min} to {k_max} features."
    k_min: int
    k_max: int

    def __init__(self, k_min: int, k_max: int) -> None:
        smallest = whole_number(f"{self.title}: k_min", k_min, least=1)
        largest = whole_number(f"{self.title}: k_max", k_max, least=1)
        if smallest > largest:
            raise InputError(
                f"{self.title}: {parameter('k_min', smallest)} is larger than "
                f"{parameter('k_max', largest)}; exchange the two."
            )
        self._set(k_min=smallest, k_max=largest)

    def resolve(self, names: Sequence[str]) -> Self:
        if self.k_min > len(names):
            raise InputError(
                f"{self.title}: {parameter('k_min', self.k_min)}, but there are only {len(names)} features to choose "
                f"from; ask for at most {len(names)}."
            )
        return self

    def holds(self, chosen: Sequence[int]) -> bool:
        return self.k_min <= len(chosen) <= self.k_max

    def rules(self) -> tuple[Rule, ...]:
        return (SizeRule(self.k_min, self.k_max),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        smallest, largest = split_option(read, text, "MIN:MAX")
        return cls(count_in(read, smallest), count_in(read, largest))

    def option_text(self, names: Sequence[str]) -> str:
        return f"{self.k_min}:{self.k_max}"

    def describe(self, names: Sequence[str]) -> str:
        return f"size {self.k_min}" + (f" to {self.k_max}" if self.k_max > self.k_min else "")


@dataclass(frozen=True, init=False)
class Together(OfFeatures):
    """Each set has all of these features, or none of them.

    Parameters
    ----------
    features : sequence of int or str

    See Also
    --------
    altsets.constraints.Implies : The one needs the other, and not the other way round.

    Examples
    --------
    >>> pair = Together([0, 4])
    >>> pair.holds((0, 1)), pair.holds((0, 4)), pair.holds((1, 2))
    (False, True, True)
    """

    kind = "together"
    option = Option("--together", "COL[,COL]", "Features that a set has all together, or none of them.")
    _words, _sentence = "all or none of {{{features}}}", "Every set has all of these or none: {features}."

    def holds(self, chosen: Sequence[int]) -> bool:
        return len(self._members.intersection(chosen)) in (0, len(self._members))

    def rules(self) -> tuple[Rule, ...]:
        members = sorted(self._members)
        if len(members) < 2:
            return ()
        return tuple(map(NeedRule, members, [*members[1:], members[0]]))


@dataclass(frozen=True, init=False)
class AboveNoise(OfFields):
    """A set has only features that score above the noise floor: what such a column may score by chance.

    For scores that are computed from a table one column at a time, and for ``"mrmr"``, ``"fcbf"`` and ``"cfs"`` with
    these; a search refuses it for others.

    See Also
    --------
    altsets.SelectAlternatives : ``noise_floor_`` is what each column may score by chance.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> noise = X.sample(frac=1, random_state=0, ignore_index=True).add_suffix("_shuffled")
    >>> found = altsets.find("f", 12, 0, X=X.join(noise), y=y, constraints=AboveNoise())
    >>> [name for name in found.named_sets[0] if name.endswith("_shuffled")]
    []
    """

    kind = "above_noise"
    option = Option(
        "--above-noise", "", "Only features that score higher than features do by chance (the noise floor)."
    )
    _words = "only features above the noise floor"
    _sentence = "All features score above the noise floor."
    #: The features at or below the noise floor; None while scores are unknown.
    below: tuple[int, ...] | None

    def __init__(self) -> None:
        self._set(below=None)

    def leaving_out(self, below: Sequence[int]) -> Self:
        """Return the same constraint with the indices of the features at or below the noise floor."""
        return self._changed(below=tuple(below))

    def holds(self, chosen: Sequence[int]) -> bool:
        return not set(self.below or ()).intersection(chosen)

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.below, upper=0),) if self.below else ()

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        return cls()

    def option_text(self, names: Sequence[str]) -> str:
        return ""

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        return []

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}
