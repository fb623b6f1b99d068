"""How different sets must be, as options say: by names, by similarity or by groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from altsets.errors import InputError
from altsets.features import FeatureNames

if TYPE_CHECKING:
    from altsets.dissimilarity import Grouped, Matched

__all__ = ["dissimilarity_from"]

#: What two sets are compared by unless an option says otherwise.
DEFAULT = "dice"


def dissimilarity_from(
    given: Mapping[str, str | None], names: FeatureNames, has_table: bool
) -> str | Matched | Grouped:
    """What ``--tau`` refers to: the texts of the options that say so by their names, of which one may be given."""
    used = {option: text for option, text in given.items() if text is not None}
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
        return text
    return DEFAULT


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
