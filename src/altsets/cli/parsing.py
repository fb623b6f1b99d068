"""The texts of options parsed: names, numbers, constraints, dissimilarities, folds.

A name with a comma (or a colon, where one divides) stands in double quotes, as in a CSV file.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from altsets.cli.options import field_name
from altsets.constraints import KINDS, Constraint, Forbid
from altsets.constraints.base import limit_and_measure
from altsets.errors import InputError
from altsets.features import FeatureNames, names_in, unknown_features

if TYPE_CHECKING:
    from altsets.cli.options import ConstraintOptions, DissimilarityOptions
    from altsets.dissimilarity import Grouped, Matched

DEFAULT_SIZE = 5
DEFAULT_DISSIMILARITY = "dice"

#: Numbers in one range.
MOST_NUMBERS = 10_000


def features_in(option: str, text: str, names: FeatureNames) -> list[str]:
    """The features that an option lists; unknown ones are refused."""
    return _known(option, names_in([text]), names)


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
    found = [
        kind.parse(text, _Reader(kind.option.flag, names))
        for kind in KINDS
        for text in getattr(given, field_name(kind)) or ()
    ]
    return found if given.proxies is None else _with_proxies(given.proxies, found, names)


def existing_from(given: ConstraintOptions, names: FeatureNames) -> list[list[str]]:
    """The sets that new ones must differ from."""
    return [features_in("--existing", text, names) for text in given.existing or []]


@dataclass(frozen=True)
class _Reader:
    """Reads the parts of an option on features: names of columns, groups and files of costs."""

    option: str
    names: FeatureNames

    def features(self, text: str) -> list[str]:
        """The features in a list of names with commas between them."""
        return features_in(self.option, text, self.names)

    def group(self, text: str) -> list[str]:
        """The features that a file lists if there is one, else those that the text lists."""
        if os.path.isfile(text):
            from altsets.files.contents import read_lines

            lines = ([line] if line in self.names else names_in([line]) for line in read_lines(text))
            return _known(text, itertools.chain.from_iterable(lines), self.names)
        listed = names_in([text])
        if len(listed) == 1 and listed[0] not in self.names:
            otherwise = "there is no such file either; list columns with commas between them, or in a file."
            raise unknown_features(self.option, listed, self.names, otherwise)
        return _known(self.option, listed, self.names)

    def prices(self, path: str) -> tuple[Mapping[Any, float], Any]:
        """What features cost, and which of them are paid for together."""
        from altsets.files.feature_files import read_costs

        return read_costs(path, self.names)


def _with_proxies(text: str, found: Sequence[Constraint], names: FeatureNames) -> list[Constraint]:
    """The same constraints, with those that forbid features also ruling out their proxies."""
    read = _Reader("--proxies", names)
    limit, measure = limit_and_measure(read, text, "0.8", "symmetrical_uncertainty")
    if not any(isinstance(one, Forbid) for one in found):
        raise InputError(f"--proxies {text} goes with --forbid; add it, or leave out --proxies.")
    try:
        return [Forbid(one.features, limit, measure) if isinstance(one, Forbid) else one for one in found]
    except InputError as error:
        said = str(error).removeprefix("--forbid: ")
        raise InputError(said if said.startswith("--proxies") else f"--proxies {text}: {said}") from None


def _known(who: str, given: Iterable[str], names: FeatureNames) -> list[str]:
    listed = list(given)
    unknown = [name for name in listed if name not in names]
    if unknown:
        raise unknown_features(who, unknown, names, "give column names, separated by commas.")
    return listed


def _count(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{option}: {text!r} is not a whole number.") from None


# --- Dissimilarities ----------------------------------------------------------------------------------


def dissimilarity_from(
    given: DissimilarityOptions, names: FeatureNames, has_table: bool
) -> str | Matched | Grouped:
    """What ``--tau`` refers to; at most one option may say it."""
    used = [f"--{name.replace('_', '-')}" for name, text in vars(given).items() if text is not None]
    if len(used) > 1:
        raise InputError(
            f"{used[0]} and {used[1]} were both given, and each says how sets differ; give one of them."
        )
    if given.distinct is not None:
        return _distinct("--distinct", given.distinct, has_table)
    if given.groups is not None:
        return _groups_in(given.groups, names)
    if given.groups_by is not None:
        return _groups_by("--groups-by", given.groups_by, names)
    return DEFAULT_DISSIMILARITY if given.dissimilarity is None else given.dissimilarity


def _distinct(option: str, text: str, has_table: bool) -> Matched:
    """``0.9`` or ``0.9:spearman``."""
    from altsets.constraints.similarity import MEASURES
    from altsets.dissimilarity import Matched

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
            f"{option} compares columns with each other, which saved scores do not allow; give the TABLE and its "
            "--target beside --scores."
        )
    return Matched(measure or "spearman", threshold=threshold)


def _groups_in(path: str, names: FeatureNames) -> Grouped:
    from altsets.dissimilarity import Grouped
    from altsets.files.feature_files import read_groups

    return Grouped(read_groups(path, names))


def _groups_by(option: str, separator: str, names: FeatureNames) -> Grouped:
    from altsets.dissimilarity import Grouped

    try:
        found = Grouped.from_names(list(names), separator).groups
    except InputError as error:
        raise InputError(f"{option}: {str(error).removeprefix('Grouped.from_names: ')}") from None
    return Grouped({names[int(index)]: group for index, group in found.items()})
