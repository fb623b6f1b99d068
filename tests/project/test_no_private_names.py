"""Tests reach altsets through public names, so that they hold whatever is behind these."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
#: But for this module and the other one that has private names as examples.
FILES = sorted(
    {*TESTS.rglob("*.py"), *(ROOT / "study" / "tests").glob("*.py")}
    - {Path(__file__), TESTS / "test_architecture.py"}
)

#: Names with an underscore that are not those of altsets, or that tests may use, and why.
ALLOWED = {
    "_kernels": "a package of the first rank, whose functions are compared with plain Python",
    "_asdict": "of named tuples",
    "_replace": "of named tuples",
    "_repr_html_": "what notebooks ask for",
    "_repr_mimebundle_": "what notebooks ask for",
    "_esm": "the module of a widget, by the protocol of anywidget",
    "_meta": "of Dask's tables",
    "_mi_target": "of alfese, which one fixture was made with",
    "_mi_features": "of alfese, which one fixture was made with",
}
#: Functions that take the name of an attribute.
BY_NAME = {"setattr", "delattr", "getattr", "hasattr", "object"}


def test_tests_use_public_names_only():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in FILES
        for line, name in private_names(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(("source", "names"), [
    ("from altsets.quality._form import Form", ["altsets.quality._form"]),
    ("from altsets.views.sets import _near, near", ["altsets.views.sets._near"]),
    ("from altsets.evaluation import _folds as folds", ["altsets.evaluation._folds"]),
    ("import altsets.quality._form", ["altsets.quality._form"]),
    ("import_module('altsets.plots._canvas')", ["altsets.plots._canvas"]),
    ("monkeypatch.setattr('altsets.session._steps.MOST', 3)", ["altsets.session._steps.MOST"]),
    ("monkeypatch.setattr(outputs, '_frontier', None)", ["_frontier"]),
    ("for module in ('altsets.measures._survival',): pass", ["altsets.measures._survival"]),
    ("mock.patch.object(engine, '_phases', [])", ["_phases"]),
    ("assert session._searcher.answers", ["_searcher"]),
    ("altsets.result._status.Status", ["_status"]),
    ("from altsets import _kernels\nfrom altsets._kernels._stand_in import cython", []),
    ("class Own:\n    def __init__(self):\n        self._x = 1\n\nOwn()._x", []),
    ("class Own:\n    def _of(self):\n        return super().__init__()\n\nOwn()._of()", []),
    ("pair._replace(first=1)\ntype(pair).__name__\n_local = 1", []),
])  # fmt: skip
def test_private_names_are_noticed(source, names):
    assert [name for _, name in private_names(source)] == names


def private_names(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a module, with the private names of altsets that are imported, read or replaced there."""
    module = ast.parse(source)
    own = {name for node in ast.walk(module) for name in _given(node)}
    for node in ast.walk(module):
        for name in _used(node):
            # Below the kernels everything is open to tests.
            parts = name.partition("._kernels")[0].split(".")
            if any(_is_private(part) and part not in own for part in parts):
                yield node.lineno, name


def _given(node: ast.AST) -> list[str]:
    """The name that a module gives to something of its own: a function, or an attribute of an object of its class."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    is_own = (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    )
    return [node.attr] if is_own else []


def _used(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name for one in node.names if one.name.startswith("altsets.")]
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "altsets":
        if any(map(_is_private, node.module.split("."))):
            return [node.module]
        return [f"{node.module}.{one.name}" for one in node.names]
    if isinstance(node, ast.Attribute) and _is_private(node.attr):
        return [] if ast.unparse(node.value) in ("self", "cls", "super()") else [node.attr]
    if isinstance(node, ast.Constant) and re.fullmatch(r"altsets(\.\w+)+", str(node.value)):
        return [str(node.value)]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in BY_NAME:
        texts = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
        return [text for text in texts if isinstance(text, str) and text.isidentifier()]
    return []


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in ALLOWED
