"""Sentences stand in tables, one for each module of tests, so that a better wording changes no test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
#: Tests of pages compare with what the pages say.
OTHERS = {"docs", "project"}
FILES = [
    *sorted(path for path in TESTS.rglob("test_*.py") if path.parent.name not in OTHERS),
    *sorted((ROOT / "study" / "tests").glob("test_*.py")),
]
#: From so many words on, a text is a sentence, and no name or number.
SENTENCE = 5
WORD = re.compile(r"[A-Za-z]{2,}[.,;:?]?")
#: Methods that compare with their argument; other arguments are what a test puts in.
COMPARISONS = {"startswith", "endswith", "match", "fullmatch", "search", "count", "index"}
#: Sentences that tests make up themselves, and names of rows in tables of the study.
OWN = {
    "The moon is not in this report.",
    "Mind right to left without an end. The rest.",
    "agrees to the printed digits; ",
    "mRMR is too hard to prove: most simultaneous searches end without a proof.",
    "no thanks, # is too much",
}


def test_tests_assert_no_sentences():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in FILES
        for line, text in sentences(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "assert with the fixture snapshot, and run pytest --snapshot-update"


@pytest.mark.parametrize(("source", "number"), [
    ('assert result.reason == "There is no other set of features."', 1),
    ('assert "no set has both of these" in page or "x" in page', 1),
    ('assert reason.startswith("there is no such set of features")', 1),
    ('with pytest.raises(InputError, match="there are not so many features"): pass', 1),
    ('with pytest.raises(InputError, match="tau"): pass', 0),
    ('assert names == ["mean radius", "worst area"]', 0),
    ('assert table.loc["all of the sets that exist"] == 3', 0),
    ('assert run("find", "all of the sets that exist") == 2', 0),
    ("assert str(refused.value) == snapshot", 0),
])  # fmt: skip
def test_sentences_are_noticed(source, number):
    assert len([*sentences(f"def test_it():\n    {source}")]) == number


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Return lines of a module of tests, with the sentences that are asserted there."""
    for node in ast.walk(ast.parse(source)):
        asserted: list[ast.expr] = []
        if isinstance(node, ast.Assert):
            asserted = [node.test]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("raises", "warns"):
            asserted = [one.value for one in node.keywords if one.arg == "match"]
        for text in (text for tree in asserted for text in compared(tree)):
            if len([*filter(WORD.fullmatch, text.split())]) >= SENTENCE and text not in OWN:
                yield node.lineno, text


def compared(node: ast.AST) -> Iterator[str]:
    """Return the texts of an expression that something is compared with."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Call):
        compares = isinstance(node.func, ast.Attribute) and node.func.attr in COMPARISONS
        for part in [node.func, *(node.args if compares or ast.unparse(node.func) in ("any", "all") else [])]:
            yield from compared(part)
    elif isinstance(node, ast.Subscript):
        yield from compared(node.value)
    else:
        for part in ast.iter_child_nodes(node):
            yield from compared(part)
