"""The map of the paper: everything it names exists, and nothing of the paper is missing."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from documents import DOCS, ROOT
from shared_data import SHARED

TEXT = (DOCS / "explain" / "paper.md").read_text(encoding="utf-8")
MAP = TEXT.partition("## The map")[2].partition("## The paper's mutual information")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in MAP.splitlines()
    if line.startswith("| ")
]
ITEMS = [row for row in ROWS if row[0] != "Paper"]
#: How many items of each kind the paper has.
COUNTS = {
    "Definition": 5, "Equation": 22, "Proposition": 14, "Algorithm": 4, "Example": 8, "Table": 6, "Figure": 7
}  # fmt: skip


def found(path):
    """The object of a dotted name: its module is imported, the rest are attributes."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            one = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            one = getattr(one, name)
        return one
    raise AssertionError(f"{path} cannot be imported")


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(altsets(?:\.\w+)+)`", MAP))))
def test_what_implements_an_item_exists(path):
    assert found(path) is not None


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`(tests/[^`]+::[^`]+)`", MAP))))
def test_what_checks_an_item_exists(named):
    file, _, test = named.partition("::")
    assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_item_of_the_paper_is_there():
    for kind, count in COUNTS.items():
        numbers = []
        for item, *_ in ITEMS:
            if several := re.match(rf"{kind}s (\d+) to (\d+)", item):
                numbers += range(int(several[1]), int(several[2]) + 1)
            elif one := re.match(rf"{kind} (\d+)", item):
                numbers.append(int(one[1]))
        assert numbers == list(range(1, count + 1)), kind


def test_an_item_has_code_and_test_or_a_reason():
    assert len(ITEMS) > 60
    for item, code, test, otherwise in ITEMS:
        assert bool(code) == bool(test), item
        assert code or otherwise, item


@pytest.mark.skipif(not (SHARED / "paper.tex").exists(), reason="the paper is not in ../shared")
def test_the_paper_has_so_many_items():
    source = (SHARED / "paper.tex").read_text(encoding="utf-8")
    assert {kind: source.count(f"\\begin{{{kind.lower()}}}") for kind in COUNTS} == COUNTS
