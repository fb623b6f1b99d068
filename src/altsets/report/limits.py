"""How much goes into a report, so that it stays one small file whatever the table is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REPORT_LIMITS", "ReportLimits"]


@dataclass(frozen=True)
class ReportLimits:
    """What a report may hold; none of it changes an answer.

    Attributes
    ----------
    longest_name : int
        Characters of a name, or of any other cell; longer ones lose their middle.
    longest_paragraph : int
        Characters of a paragraph.
    longest_code : int
        Characters of lines to copy: those that are longer are left out, as half a line is a wrong one.
    full_names : int
        Characters of all names that are kept whole in the table of all features.
    table : int
        Characters of the rows of one table; what does not fit is left out, and said.
    sets_drawn : int
        Sets in charts, which are columns there.
    static_rows : int
        Rows of a table that are there without JavaScript.
    """

    longest_name: int = 120
    longest_paragraph: int = 3_000
    longest_code: int = 20_000
    full_names: int = 60_000
    table: int = 300_000
    sets_drawn: int = 20
    static_rows: int = 100


REPORT_LIMITS = ReportLimits()
