"""No test of ``make test`` reads a real clock or sets a time limit that a slow machine would reach."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
FILES = sorted([*TESTS.rglob("test_*.py"), *(ROOT / "study" / "tests").glob("test_*.py")])

#: Functions of the module ``time`` that read a clock.
CLOCKS = {
    f"{name}{unit}"
    for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time")
    for unit in ("", "_ns")
}
#: Seconds that no search of a test takes, however slow the machine is; and a limit that is over before any begins.
LONG, OVER = 60, 1e-6
#: The option of the command line, with its value.
OPTION = re.compile(r"--time-limit[ =]([\d.]\S*)")


def test_tests_do_not_depend_on_the_speed_of_the_machine():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in FILES
        if path != Path(__file__)
        for line, what in complaints(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("source", "what"), [
    ("def test_it():\n    began = time.perf_counter()", "reads a clock: time.perf_counter"),
    ("from time import monotonic_ns", "reads a clock: monotonic_ns"),
    ("def test_it():\n    find(scores, time_limit=0.5)", "time_limit=0.5 without the fixture clock"),
    ('asked = {"time_limit": 1}', "time_limit=1 without the fixture clock"),
    ('asked = ["find", "--time-limit", "0.3"]', "time_limit=0.3 without the fixture clock"),
    ('run("find", "--time-limit", 2)', "time_limit=2 without the fixture clock"),
    ('run("find t.csv --time-limit 0.3 -k 2")', "time_limit=0.3 without the fixture clock"),
    ('asked = ["--time-limit", "0", "--time-limit", "soon", "--time-limit", "90"]', None),
    ('run("find t.csv --time-limit 1e-9")', None),
    ("@pytest.mark.timing\ndef test_it():\n    pass", "marked timing, but not slow"),
    ("def test_it():\n    find(scores, time_limit=0)", None),
    ("def test_it(clock):\n    find(scores, time_limit=0.5)", None),
    ('@pytest.mark.usefixtures("clock")\ndef test_it():\n    find(time_limit=0.5)', None),
    ("@pytest.mark.slow\ndef test_it():\n    time.monotonic()", None),
    ("pytestmark = pytest.mark.slow\ndef test_it():\n    time.monotonic()", None),
])  # fmt: skip
def test_what_depends_on_it_is_noticed(source, what):
    assert [said for _, said in complaints(source)] == ([what] if what else [])


def complaints(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a module, with what depends on the speed of the machine there."""
    if not re.search("tim[ei]", source):
        return
    module = ast.parse(source)
    of_all = [node for node in module.body if _targets(node) == ["pytestmark"]]
    if any("mark.slow" in ast.unparse(node) for node in of_all):
        return
    for statement in module.body:
        decorators = [ast.unparse(one) for one in getattr(statement, "decorator_list", ())]
        if "pytest.mark.slow" in decorators:
            continue
        if "pytest.mark.timing" in decorators:
            yield statement.lineno, "marked timing, but not slow"
        parameters = (
            [one.arg for one in statement.args.args] if isinstance(statement, ast.FunctionDef) else []
        )
        has_clock = "clock" in parameters or any(
            "usefixtures('clock')" in said for said in [*decorators, *map(ast.unparse, of_all)]
        )
        for node in ast.walk(statement):
            yield from ((node.lineno, f"reads a clock: {name}") for name in _clocks(node))
            if not has_clock:
                limits = ((node.lineno, limit) for limit in _limits(node) if OVER < limit < LONG)
                yield from (
                    (line, f"time_limit={limit:g} without the fixture clock") for line, limit in limits
                )


def _targets(node: ast.stmt) -> list[str]:
    return [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []


def _clocks(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module == "time":
        return [one.name for one in node.names if one.name in CLOCKS]
    if isinstance(node, ast.Attribute) and node.attr in CLOCKS and ast.unparse(node.value) == "time":
        return [ast.unparse(node)]
    return []


def _limits(node: ast.AST) -> list[float]:
    """The time limits that a call, a dictionary, a list of options or a text names as numbers."""
    options = list(
        getattr(node, "elts", getattr(node, "args", None) if isinstance(node, ast.Call) else None) or []
    )
    named = [(getattr(name, "value", None), value) for name, value in pairwise(options)]
    if isinstance(node, ast.Call):
        named += [(one.arg, one.value) for one in node.keywords]
    elif isinstance(node, ast.Dict):
        named += [
            (getattr(key, "value", None), value) for key, value in zip(node.keys, node.values, strict=True)
        ]
    known = [(name, value.value) for name, value in named if isinstance(value, ast.Constant)]
    values = [value for name, value in known if name == "--time-limit"]
    values += [value for name, value in known if name == "time_limit" and isinstance(value, int | float)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        values += OPTION.findall(node.value)
    return [limit for limit in map(_number, values) if limit is not None]


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
