"""Numbers of features, such as costs: one for each or by name, added up exactly as the decimals that are printed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal, Inexact
from itertools import compress
from typing import Any

from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, given_feature
from altsets.wording import parameter

#: Room for the digits of all doubles from the largest to the smallest; what did not fit in would be an error.
EXACT_DECIMALS = Context(prec=1000, traps=[Inexact])

#: Doubles hold every whole number up to this.
LARGEST_EXACT = 2**53

#: One number for each feature, or by feature.
Amounts = tuple[float, ...] | dict[Feature, float]


def amounts_in(
    given: Any, who: str, *, noun: str = "cost", nouns: str = "costs", least: float = -math.inf
) -> Amounts:
    """The numbers of features as a user gives them: in a list or an array, or in a mapping or a Series by feature."""
    # Series make Python's floats of their numbers, which are printed with other digits if they were shorter.
    values = given.to_numpy() if hasattr(given, "to_numpy") else given if hasattr(given, "dtype") else None
    if callable(getattr(given, "items", None)):
        items = given.items() if values is None else zip(given.keys(), values, strict=True)
        return {feature: amount(each, who, f"the {noun} of {feature}", least) for feature, each in items}
    try:
        if isinstance(given, str):
            raise TypeError
        # Of very many features, looking at each number takes seconds; most are plain and valid.
        is_plain = values is not None and (values.dtype == float or values.dtype.kind in "iu")
        plain = given if values is None else values.tolist() if is_plain else ()
        if isinstance(plain, list | tuple) and _all_valid(plain, least):
            return tuple(map(float, plain))
        return tuple(amount(each, who, f"a {noun}", least) for each in (given if values is None else values))
    except TypeError:
        raise InputError(f"{who} takes a list of {nouns} or a mapping to them, not {given!r}.") from None


def _all_valid(numbers: Sequence[Any], least: float) -> bool:
    """Whether these are one or more of Python's floats and integers, all finite and none less than ``least``."""
    if not numbers or not {float, int}.issuperset(map(type, numbers)) or not min(numbers) >= least:
        return False
    try:
        return all(map(math.isfinite, numbers))
    except OverflowError:
        # An integer that is too large for a float.
        return False


def amount(value: Any, who: str, name: str, least: float = -math.inf) -> float:
    """A finite number, with the digits that it is printed with; refused if it is less than ``least``."""
    number = math.nan
    if not isinstance(value, bool | str):
        try:
            # A number of another precision is printed with the digits that it has.
            other = getattr(getattr(value, "dtype", None), "kind", "") == "f" and not isinstance(value, float)
            number = float(str(value) if other else value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
    if not math.isfinite(number) or number < least:
        from_least = "" if least == -math.inf else f" of at least {least:g}"
        raise InputError(
            f"{parameter(who)}: {parameter(name)} is {value!r}; give a finite number{from_least}."
        )
    return number


def for_each(given: Amounts, names: FeatureNames, who: str, nouns: str = "costs") -> tuple[float, ...]:
    """One number for each feature; 0 for those that a mapping does not name."""
    if isinstance(given, tuple):
        if len(given) != len(names):
            noun = nouns.removesuffix("s")
            raise InputError(
                f"{who} has {len(given)} {nouns} for {len(names)} features; give one for each, "
                f"or a mapping from feature to {noun}."
            )
        return given
    return _by_feature(given, names, who)


def _by_feature(given: Mapping[Any, float], names: FeatureNames, who: str) -> tuple[float, ...]:
    listed = [0.0] * len(names)
    for feature, each in given.items():
        position = names.position(given_feature(feature, who), who)
        # A feature may be named twice, by its name and by its index.
        listed[position] = float(exact_sum([listed[position], each])) if listed[position] else each
    return tuple(listed)


def exact_sum(numbers: Iterable[float]) -> Decimal:
    """The exact sum of numbers as they are printed."""
    total = Decimal(0)
    for number in numbers:
        total = EXACT_DECIMALS.add(total, Decimal(repr(number)))
    return total


def whole_numbers(numbers: Sequence[float]) -> list[int]:
    """Numbers as they are printed, times the same power of ten: the one that makes whole numbers of all."""
    if all(map(float.is_integer, map(float, numbers))) and max(map(abs, numbers)) < LARGEST_EXACT:
        return list(map(int, numbers))
    decimals = [Decimal(repr(number)) for number in numbers]
    # The exponent of a decimal that is printed is never "infinity".
    exponent = min(int(decimal.as_tuple().exponent) for decimal in decimals)
    return [int(decimal.scaleb(-exponent, EXACT_DECIMALS)) for decimal in decimals]


def nonzero(given: Amounts) -> tuple[list[Feature], list[float]]:
    """The features whose number is not 0, and these numbers."""
    features: Iterable[Feature] = given if isinstance(given, dict) else range(len(given))
    numbers = given.values() if isinstance(given, dict) else given
    return list(compress(features, numbers)), list(filter(None, numbers))


def exact_text(number: float) -> str:
    """A number with few digits; with all of them if two that differ would read alike."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
