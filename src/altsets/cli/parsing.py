"""The texts of options parsed: names, numbers, constraints, dissimilarities, folds.

A name with a comma (or a colon, where one divides) stands in double quotes, as in a CSV file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from altsets import constraints
from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.features import FeatureNames, cells_in, names_in, unknown_features

if TYPE_CHECKING:
    from altsets.cli.options import ConstraintOptions, DissimilarityOptions, ExistingOptions
    from altsets.dissimilarity import Grouped, Matched

DEFAULT_SIZE = 5
DEFAULT_DISSIMILARITY = "dice"

#: Numbers in one range.
MOST_NUMBERS = 10_000


def features_in(option: str, text: str, names: FeatureNames) -> list[int]:
    """The features that an option lists, as indices."""
    return _indices(option, names_in([text]), names)


def size_of_sets(n_features: int | None, sizes: Sequence[str] | None) -> int:
    """How many features sets have, unless --size says it."""
    if sizes and n_features is not None:
        raise InputError("-k and --size were both given; give one of them.")
    return DEFAULT_SIZE if n_features is None else n_features


def whole_numbers_in(option: str, text: str) -> list[int]:
    """The numbers that an option lists, ascending: ``5``, ``2:10`` with both ends, ``5,10``."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, colon, last = (end.strip() for end in part.partition(":"))
        low = _count(option, first)
        high = _count(option, last) if colon else low
        if high < low:
            raise InputError(
                f"{option} {part} is empty; give the smaller number first, such as {high}:{low}."
            )
        if high - low > MOST_NUMBERS:
            raise InputError(
                f"{option} {part} has {high - low + 1:,} numbers; give {MOST_NUMBERS:,} or fewer."
            )
        numbers.update(range(low, high + 1))
    return sorted(numbers)


def constraints_from(names: FeatureNames, given: ConstraintOptions) -> list[Constraint]:
    """The constraints that options ask for; proxies go with all --forbid."""
    asked = {_flag(name): texts for name, texts in vars(given).items() if name != "proxies"}
    found = [PARSERS[option](option, text, names) for option, texts in asked.items() for text in texts or ()]
    return found if given.proxies is None else _without_proxies("--proxies", given.proxies, found)


def existing_from(given: ExistingOptions, names: FeatureNames) -> list[list[int]]:
    """The sets that new ones must differ from, as indices."""
    return [features_in("--existing", text, names) for text in given.existing or []]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _without_proxies(option: str, text: str, found: Sequence[Constraint]) -> list[Constraint]:
    limit, measure = _limit_and_measure(option, text, "0.8", "symmetrical_uncertainty")
    if not any(isinstance(one, constraints.Forbid) for one in found):
        raise InputError(f"{option} {text} goes with --forbid; add it, or leave out {option}.")
    try:
        return [
            constraints.Forbid(one.features, limit, measure) if isinstance(one, constraints.Forbid) else one
            for one in found
        ]
    except InputError as error:
        raise InputError(f"{option} {text}: {str(error).removeprefix('Forbid: ')}") from None


def _require(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Require(features_in(option, text, names))


def _forbid(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Forbid(features_in(option, text, names))


def _at_most(option: str, text: str, names: FeatureNames) -> Constraint:
    most, group = _divided(option, text, "N:GROUP")
    return constraints.AtMost(_count(option, most), _group(option, group, names))


def _at_least(option: str, text: str, names: FeatureNames) -> Constraint:
    least, group = _divided(option, text, "N:GROUP")
    return constraints.AtLeast(_count(option, least), _group(option, group, names))


def _exclusive(option: str, text: str, names: FeatureNames) -> Constraint:
    return constraints.Exclusive(_group(option, text, names))


def _implies(option: str, text: str, names: FeatureNames) -> Constraint:
    cells = cells_in(text, ":")
    if len(cells) != 2 or not all(cells):
        raise InputError(
            f"{option} {text!r} must have the form COL:COL; a name with a colon stands in double quotes."
        )
    return constraints.Implies(*_indices(option, cells, names))


def _budget(option: str, text: str, names: FeatureNames) -> Constraint:
    from altsets.files.lists import PriceList

    limit, path = _divided(option, text, "LIMIT:FILE.csv")
    prices = PriceList.read(path, names)
    return constraints.Budget(prices.costs, _amount(option, text, limit), groups=prices.groups)


def _max_similarity(option: str, text: str, names: FeatureNames) -> Constraint:
    limit, measure = _limit_and_measure(option, text, "0.9", "spearman")
    return constraints.MaxSimilarity(measure, limit)


def _size(option: str, text: str, names: FeatureNames) -> Constraint:
    smallest, largest = _divided(option, text, "MIN:MAX")
    return constraints.Size(_count(option, smallest), _count(option, largest))


#: What each option on sets makes of a text.
PARSERS: dict[str, Callable[[str, str, FeatureNames], Constraint]] = {
    "--require": _require,
    "--forbid": _forbid,
    "--at-most": _at_most,
    "--at-least": _at_least,
    "--exclusive": _exclusive,
    "--implies": _implies,
    "--budget": _budget,
    "--max-similarity": _max_similarity,
    "--size": _size,
}


def _indices(who: str, given: Iterable[str], names: FeatureNames) -> list[int]:
    listed = list(given)
    unknown = [name for name in listed if name not in names]
    if unknown:
        raise unknown_features(who, unknown, names, "give column names, separated by commas.")
    return [names.position(name, who) for name in listed]


def _divided(option: str, text: str, form: str) -> tuple[str, str]:
    first, colon, second = (part.strip() for part in text.partition(":"))
    if not (first and colon and second):
        raise InputError(f"{option} {text!r} must have the form {form}.")
    return first, second


def _limit_and_measure(option: str, text: str, example: str, default: str) -> tuple[float, str]:
    limit, colon, measure = (part.strip() for part in text.partition(":"))
    if not limit or (colon and not measure):
        raise InputError(
            f"{option} {text!r} must have the form LIMIT or LIMIT:MEASURE, such as {example}:{default}."
        )
    return _amount(option, text, limit), measure or default


def _count(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{option}: {text!r} is not a whole number.") from None


def _amount(option: str, text: str, number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise InputError(f"{option} {text!r}: {number!r} is not a number.") from None


def _group(option: str, text: str, names: FeatureNames) -> list[int]:
    """The features of a group: those that a file lists if there is one, else those that the option lists."""
    if os.path.isfile(text):
        from altsets.files.contents import read_lines

        lines = ([line] if line in names else names_in([line]) for line in read_lines(text))
        return _indices(text, itertools.chain.from_iterable(lines), names)
    listed = names_in([text])
    if len(listed) == 1 and listed[0] not in names:
        otherwise = (
            "there is no such file either; give columns with commas between them, or a file that lists them."
        )
        raise unknown_features(option, listed, names, otherwise)
    return _indices(option, listed, names)


# --- Dissimilarities ----------------------------------------------------------------------------------


def dissimilarity_from(
    given: DissimilarityOptions, names: FeatureNames, has_table: bool
) -> str | Matched | Grouped:
    """What ``--tau`` refers to; at most one option may say it."""
    used = {_flag(name): text for name, text in vars(given).items() if text is not None}
    if len(used) > 1:
        first, second, *_ = used
        raise InputError(
            f"{first} and {second} were both given, and each says how sets differ; give one of them."
        )
    for option, text in used.items():
        if option == "--distinct":
            return _distinct(option, text, has_table)
        if option == "--groups":
            return _groups_in(text, names)
        if option == "--groups-by":
            return _groups_by(option, text, names)
        return str(text)
    return DEFAULT_DISSIMILARITY


def _distinct(option: str, text: str, has_table: bool) -> Matched:
    """``0.9`` or ``0.9:spearman``."""
    from altsets.dissimilarity import Matched
    from altsets.dissimilarity.named import MEASURES

    least, colon, measure = (part.strip() for part in text.partition(":"))
    try:
        threshold = float(least)
    except ValueError:
        threshold = None
    if threshold is None or (colon and not measure):
        raise InputError(f"{option} {text!r} must have the form 0.9 or 0.9:spearman.")
    if not 0 < threshold <= 1:
        raise InputError(
            f"{option} {text}: features count as the same from a similarity on that is above 0 and at most 1; give one "
            "such as 0.9."
        )
    if measure and measure not in MEASURES:
        raise InputError(
            f"{option} {text}: the measure {measure!r} is unknown; choose {' or '.join(MEASURES)}."
        )
    if not has_table:
        raise InputError(
            f"{option} compares columns with each other, and scores say nothing about that; give the TABLE and its "
            "--target beside --scores."
        )
    return Matched(measure or "spearman", threshold=threshold)


def _groups_in(path: str, names: FeatureNames) -> Grouped:
    from altsets.dissimilarity import Grouped
    from altsets.files.lists import read_groups

    return Grouped(read_groups(path, names))


def _groups_by(option: str, separator: str, names: FeatureNames) -> Grouped:
    from altsets.dissimilarity import Grouped

    try:
        found = Grouped.from_names(list(names), separator).groups
    except InputError as error:
        raise InputError(f"{option}: {str(error).removeprefix('Grouped.from_names: ')}") from None
    return Grouped({names[int(index)]: group for index, group in found.items()})
