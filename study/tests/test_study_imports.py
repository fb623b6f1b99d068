"""The study reaches altsets through public names only."""

import ast
from importlib import import_module
from pathlib import Path

import altsets
import altsets_study


def test_the_study_imports_public_names_only():
    public = {"altsets", *(f"altsets.{name}" for name in altsets.__all__)}
    used = set()
    for path in Path(altsets_study.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for module in names:
                if module.split(".")[0] == "altsets":
                    assert module in public, f"{path.name} imports {module}"
                    used |= {(module, one.name) for one in node.names if isinstance(node, ast.ImportFrom)}
    assert used
    assert [one for one in used if one[1] not in import_module(one[0]).__all__] == []
