"""Features as users give them, by index or by name, with one number for each; and as indices and arrays."""

from __future__ import annotations

import csv
import fnmatch
import math
import numbers
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast, overload

from altsets.errors import InputError, reason_of
from altsets.wording import by_interface, parameter, quote, suggestion

if TYPE_CHECKING:
    # The command line knows features before it needs NumPy.
    from altsets.arrays import Floats

#: An index or a name.
Feature = int | str

#: Names that a description spells out before it says how many more there are.
MOST_LISTED = 5
#: Characters of a name that an error repeats.
LONGEST_NAME = 200

#: What is not a real number, by the kind of an array and by the type of an object in it.
OTHER_KINDS = {
    "c": "complex numbers",
    "M": "dates",
    "m": "durations",
    "U": "text",
    "S": "text",
    "V": "records",
}
OTHER_TYPES: dict[type, str] = {str: "text", bytes: "text", complex: "complex numbers"}


class Name(str):
    """The text of another label that a frame has for a column, such as an integer; it remembers the label."""

    label: Any

    def __new__(cls, label: Any) -> Name:
        """Return the text of the label; in a pickle the label comes later."""
        made = super().__new__(cls, label)
        made.label = label
        return made


def name_of(label: Any) -> str:
    """A label as text, from which :func:`label_of` gives it back."""
    if isinstance(label, str):
        return label if type(label) in (str, Name) else str(label)
    return Name(label)


def label_of(name: str) -> Hashable:
    """What a frame calls the column of a name."""
    return name.label if isinstance(name, Name) else name


class FeatureNames(Sequence[str]):
    """The names of all features, made up only when they are needed: there may be a million of them.

    ``given`` says whether these are the user's names; else they say nothing about the order of features.
    """

    def __init__(
        self,
        count: int,
        name_of: Callable[[int], str],
        all_names: Callable[[], Sequence[str]],
        given: bool = True,
    ) -> None:
        self._count, self._name_of, self._all_names, self.given = count, name_of, all_names, given

    @classmethod
    def of(cls, names: Sequence[str]) -> FeatureNames:
        """The names in a list; names of this kind stay as they are."""
        return names if isinstance(names, cls) else cls(len(names), names.__getitem__, partial(list, names))

    @classmethod
    def of_quality(cls, quality: Any) -> FeatureNames:
        """The names that a quality knows."""
        return cls(
            quality.n_features_in,
            partial(_name_by, quality),
            partial(getattr, quality, "feature_names"),
            given=bool(getattr(quality, "is_named", True)),
        )

    @classmethod
    def unnamed(cls, count: int) -> FeatureNames:
        """Features that are known by their index alone."""
        return cls(count, lambda index: f"feature {index}", list, given=False)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        return self._name_of(index)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self._all_names())}

    def position(self, feature: Feature, who: str) -> int:
        """The index of a feature that exists; ``who`` names it, for the message if it does not."""
        if isinstance(feature, str):
            if feature not in self._positions:
                otherwise = "give the name of a column or the index of a feature."
                raise unknown_features(who, [feature], self._positions, otherwise)
            return self._positions[feature]
        if feature >= self._count:
            raise InputError(f"{who} names feature {feature}; there are {self._count}, and the first is 0.")
        return feature

    def positions(self, features: Iterable[Feature], who: str) -> list[int]:
        """The indices of features that exist; a name with ``*`` or ``?`` means all that it matches."""
        found: list[int] = []
        for feature in features:
            if not isinstance(feature, str) or feature in self._positions or not is_pattern(feature):
                found.append(self.position(feature, who))
                continue
            matching = self.matching(feature)
            if not matching:
                advice = suggestion(feature, self._positions, "check it against the names of the columns.")
                pattern = quote(feature, LONGEST_NAME)
                raise InputError(
                    f"{who}: the pattern {pattern} matches none of {len(self):,} features; {advice}"
                )
            found += matching
        return found

    def matching(self, pattern: str) -> list[int]:
        """The indices of features whose names match a pattern; only ``*`` and ``?`` are special in it."""
        fits = re.compile(fnmatch.translate(pattern.replace("[", "[[]"))).match
        return [index for name, index in self._positions.items() if fits(name)]

    def listed(self, features: Sequence[Feature], most: int = MOST_LISTED) -> str:
        """The names of some features with commas between them; only the first ones of many."""
        shown = len(features) if len(features) <= most + 1 else most
        names = [feature if isinstance(feature, str) else self[feature] for feature in features[:shown]]
        more = [] if shown == len(features) else [f"{len(features) - shown} more"]
        return ", ".join([*names, *more])


def _name_by(quality: Any, index: int) -> str:
    name: str = quality.names_of((index,))[0]
    return name


def is_pattern(name: Feature) -> bool:
    """Whether a name, if no feature has it, means several: ``*`` for any characters, ``?`` for one."""
    return isinstance(name, str) and ("*" in name or "?" in name)


def unknown_features(who: str, unknown: Sequence[str], known: Iterable[str], otherwise: str) -> InputError:
    """What to say about names that no feature has: which were meant, if that can be guessed, or what to do."""
    named = ", ".join(quote(name, LONGEST_NAME) for name in unknown[:MOST_LISTED])
    more = f" and {len(unknown) - MOST_LISTED} more" if len(unknown) > MOST_LISTED else ""
    what = "which is not a feature" if len(unknown) == 1 else "which are not features"
    return InputError(f"{who} names {named}{more}, {what}; {suggestion(unknown[0], known, otherwise)}")


def given_feature(feature: Any, who: str) -> Feature:
    """A feature as a user gives it: a name, or an index that can be one."""
    if type(feature) is int and feature >= 0:
        # Nearly always; there may be thousands.
        return feature
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Real) and not isinstance(feature, bool):
        return whole_number(f"{who}: a feature index", feature, least=0)
    raise InputError(f"{who} names {feature!r}; a feature is an index or a name.")


def group_mapping(groups: Any, who: str) -> dict[Feature, Hashable]:
    """The group of each feature that has one, out of a mapping (from feature to group, or to features) or of lists."""
    advice = "give a mapping from feature to group, or a list of lists of features"
    if callable(getattr(groups, "items", None)):
        pairs = list(groups.items())
        if all(holds_features(value) for _, value in pairs):
            pairs = [(feature, group) for group, features in pairs for feature in features]
        pairs = [(given_feature(feature, who), group) for feature, group in pairs]
    else:
        try:
            if isinstance(groups, str) or any(isinstance(group, str) for group in groups):
                raise TypeError
            pairs = [
                (given_feature(feature, who), number)
                for number, group in enumerate(groups)
                for feature in group
            ]
        except TypeError:
            raise InputError(f"{who} takes groups of features, not {groups!r}; {advice}.") from None
    found: dict[Feature, Hashable] = {}
    for feature, group in pairs:
        if group is None or group != group:
            # Holes in a column of groups: features without one.
            continue
        if not isinstance(group, Hashable):
            raise InputError(f"{who}: the group of {feature!r} is {group!r}; give a name or a number.")
        if found.setdefault(feature, group) != group:
            raise InputError(
                f"{who}: {feature!r} is in two groups, {found[feature]!r} and {group!r}; "
                "a feature has one group at most."
            )
    if not found:
        raise InputError(f"{who} has no groups; {advice}.")
    return found


def holds_features(value: Any) -> bool:
    """Return whether a value of a mapping holds the features of a group; a tuple is no name of one."""
    return not isinstance(value, Hashable) or isinstance(value, tuple | frozenset)


def group_numbers(groups: Mapping[Feature, Hashable], names: Sequence[str], who: str) -> list[int]:
    """The number of the group of each of these features; one without a group is a group of its own."""
    known = FeatureNames.of(names)
    group_of = _group_of(groups, known, who)
    first: dict[Hashable, int] = {}
    if len(group_of) == len(known):
        # Of very many features, this is faster.
        return [first.setdefault(group, len(first)) for group in map(group_of.__getitem__, range(len(known)))]
    labels, n_alone = [], 0
    for index in range(len(known)):
        if index in group_of:
            labels.append(first.setdefault(group_of[index], len(first) + n_alone))
        else:
            labels.append(len(first) + n_alone)
            n_alone += 1
    return labels


def _group_of(groups: Mapping[Feature, Hashable], known: FeatureNames, who: str) -> Mapping[int, Hashable]:
    """The group of each feature that has one, by index."""
    if set(map(type, groups)) == {int}:
        by_index = cast(Mapping[int, Hashable], groups)
        if max(by_index) < len(known):
            return by_index
    group_of: dict[int, Hashable] = {}
    for feature, group in groups.items():
        for position in known.positions([feature], who):
            if group_of.setdefault(position, group) != group:
                raise InputError(
                    f"{who}: {known[position]!r} is in two groups, {group_of[position]!r} and {group!r}; "
                    "a feature has one group at most."
                )
    return group_of


def whole_number(name: str, value: Any, least: int, otherwise: str = "") -> int:
    """A whole number that is large enough, whatever type it comes in; ``otherwise`` says what else there may be."""
    if type(value) is int and least <= value <= sys.maxsize:
        # Nearly always; checks against abstract number types are slow.
        return value
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else math.nan
    except OverflowError:
        raise InputError(
            f"{parameter(name)} is a number of more than 300 digits, which is too large."
        ) from None
    if not number.is_integer():
        raise InputError(f"{parameter(name, value)} is not a whole number{otherwise}.")
    if number < least:
        raise InputError(f"{parameter(name, value)} is too small; it must be at least {least}.")
    return int(value)


def one_of(name: str, value: Any, allowed: Iterable[str], otherwise: str = "") -> str:
    """A word that is among those that are allowed; ``otherwise`` says what else there may be."""
    known = list(allowed)
    if not isinstance(value, str) or value not in known:
        choices = by_interface(", ".join(map(repr, known)), ", ".join(known))
        hint = suggestion(value, known, f"choose {'one of ' * (len(known) > 1)}{choices}{otherwise}.")
        raise InputError(f"{parameter(name, value)} is unknown; {hint}")
    return value


def as_number(value: Any) -> float:
    """A real number as a float, inf if it is too large for one; nan of anything else, booleans included."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def real_numbers(what: str, values: Any) -> Floats:
    """Numbers as users give them, in a float array of its own; text, dates, complex and masked values are refused."""
    import numpy as np

    if np.ma.is_masked(values):
        raise InputError(f"{what} must be numbers, but some are masked; fill them in or drop these features.")
    try:
        found = np.asarray(values)
        kind = OTHER_KINDS.get(found.dtype.kind)
        if found.dtype.kind == "O":
            kind = next((OTHER_TYPES[type(one)] for one in found.flat if type(one) in OTHER_TYPES), None)
        if kind is not None:
            raise InputError(f"{what} must be numbers, not {kind}.")
        return np.array(found, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{what} must be numbers: {reason_of(error)}.") from error


def labels_of(values: Any) -> list[tuple[str, list[str]]]:
    """The labels of a pandas object by their axis; labels that just count were made by the frame and do not matter."""
    found = []
    for axis in ("columns", "index"):
        labels = getattr(values, axis, None)
        # A list has an index, too: a method.
        if labels is not None and not callable(labels):
            found.append((axis, [name_of(label) for label in labels]))
    return found


def first_difference(one: Sequence[str], other: Sequence[str], place: str = "the other") -> str:
    """Where two lists of names differ: ``"'a' where the other has 'b'"``; empty if they do not."""
    differ = ((first, second) for first, second in zip(one, other, strict=False) if first != second)
    return next((f"{first!r} where {place} has {second!r}" for first, second in differ), "")


def are_counted(labels: Sequence[str]) -> bool:
    """Whether labels are 0, 1, 2, ...: made by the frame, not by the user."""
    return list(labels) == [str(number) for number in range(len(labels))]


def names_in(options: Sequence[str]) -> list[str]:
    """The names in options such as ``a,b`` or ``"x, y",z``."""
    return [cell for text in options for cell in cells_in(text, ",") if cell]


def cells_in(text: str, delimiter: str) -> list[str]:
    """The parts of a text; one that has the delimiter in it stands in double quotes."""
    try:
        rows = list(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"cannot read the names in {text[:100]!r}: {reason_of(error)}.") from None
    return [cell.strip() for row in rows for cell in row]
