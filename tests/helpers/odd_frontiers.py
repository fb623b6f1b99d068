"""Unusual frontiers, each with what ``altsets frontier`` says of it; odd_inputs.py puts them into the page.

The table is that of odd_files.py: two features ``a`` and ``b``, and 40 rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from odd_files import TABLE, FileCase, outcome

ASKED = ("--target", "y", "--quality", "f", "--drop", "patient")
HOSTILE = "<b>a</b>,\x1b[31mb,patient,y"
NOISE = "a,b,patient,y\n" + "".join(
    f"{row * 7 % 11},{row * 5 % 13},p{row % 4},{'yes' if row % 3 else 'no'}\n" for row in range(40)
)


@dataclass(frozen=True)
class OddFrontier:
    """One call: what is odd about it, its options, words that the answer must have, and the table."""

    what: str
    options: tuple[str, ...]
    words: str
    content: str = TABLE


CASES = [
    OddFrontier("an empty range of sizes", ("-k", "5:2"), "**Refused**"),
    OddFrontier("sizes that are all too large", ("-k", "3:4"), "**Refused**"),
    OddFrontier("sizes that are partly too large", ("-k", "1:4", "-a", "0"), "sets of 3 to 4 were left out"),
    OddFrontier("a tau above 1", ("-k", "1", "--tau", "0.5,1.5"), "**Refused**"),
    OddFrontier("a tau below 0", ("-k", "1", "--tau", "-0.5"), "**Refused**"),
    OddFrontier("a tau that is no number", ("-k", "1", "--tau", "much"), "**Refused**"),
    OddFrontier("too many points", ("-k", "1:2", "-a", "0:9999"), "**Refused**"),
    OddFrontier("more sets than there are", ("-k", "2", "-a", "2", "--tau", "1"), "proven impossible"),
    OddFrontier("names like code", ("-k", "1", "-a", "1"), "2 proven optimal", TABLE.replace(TABLE[:13], HOSTILE)),
    OddFrontier("classes like code", ("-k", "1", "-a", "1", "--evaluate"), "always saying",
                TABLE.replace(",no\n", ",\x1b[31m<b>no\n")),
    OddFrontier("folds without an evaluation", ("-k", "1", "--cv", "4"), "**Refused**"),
    OddFrontier("existing sets, evaluated", ("-k", "1", "--existing", "a", "--evaluate"), "**Refused**"),
    OddFrontier("more folds than rows of a class", ("-k", "1", "--evaluate", "--cv", "30"), "**Refused**"),
    OddFrontier("noise, evaluated", ("-k", "1", "-a", "1", "--evaluate", "--estimator", "linear"),
                "No point was shown to predict better than the baseline", NOISE),
]  # fmt: skip


@cache
def answer(case: OddFrontier) -> tuple[int, str, str]:
    """The exit status, and both outputs."""
    return outcome(FileCase(case.what, case.content, options=case.options), "frontier", ASKED)


def said(case: OddFrontier) -> str:
    """What the case gets, in one line: the summary, which is the last paragraph."""
    code, out, err = answer(case)
    text = f"**Refused**: {err.removeprefix('Error: ')}" if code == 2 else out.rstrip().split("\n\n")[-1]
    if code == 1:
        text = f"**No set**: {err}"
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
