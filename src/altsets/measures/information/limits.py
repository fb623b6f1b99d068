"""What the estimates of mutual information take for few or many, and how their work is cut into pieces."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "InformationLimits"]


@dataclass(frozen=True)
class InformationLimits:
    """Limits of the estimates; the first three decide what is estimated, the others only how fast.

    Examples
    --------
    >>> from dataclasses import replace
    >>> replace(DEFAULT_LIMITS, most_levels=5).rows_per_level
    10
    """

    #: Different values: a column with more of them is not taken for discrete, and a category with more labels is
    #: corrected for what it says by chance.
    most_levels: int = 10
    #: Rows for each different value, on average: a column with fewer is not taken for discrete, and a category with
    #: fewer is corrected for what it says by chance.
    rows_per_level: int = 10
    #: Rows: of two columns with holes that share fewer, nothing is known about the relation of their numbers.
    least_rows: int = 4
    #: Values that are sorted at a time: columns are sorted many at once where they are short, as each call has its
    #: price, but not so many that they leave the cache of a processor.
    values_per_sort: int = 5_000
    #: Rows times pairs in one call of the kernel: some hundredths of a second, so that Ctrl-C is heard soon.
    rows_per_call: int = 200_000


DEFAULT_LIMITS = InformationLimits()
