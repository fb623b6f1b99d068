"""The walk-throughs of CONTRIBUTING.md, applied to a copy of the package as they are printed there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import altsets

PACKAGE = Path(altsets.__file__).parent
CONTRIBUTING = PACKAGE.parent.parent / "CONTRIBUTING.md"
#: Files that a walk-through may touch.
MOST_FILES = 3

CONSTRAINT = """
from altsets import find, quality
from altsets.constraints import constraint_from
from altsets.constraints._in_order import InOrder

scores = quality.Additive([1, 8, 9, 3, 2], feature_names=list("abcde"))
for engine in ("enumerate", "milp"):
    result = find(scores, n_features=3, n_alternatives=0, constraints=[InOrder(["a", "c"])], engine=engine)
    assert (result.status, result.objective) == ("optimal", 18.0), (engine, result)
assert constraint_from(InOrder(["a", "c"]).as_dict()) == InOrder(["a", "c"])
"""
MEASURE = """
from altsets import measures, quality
from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True)
scores = quality.Additive.from_data(X, y, measure="kendall").scores
assert scores.shape == (13,) and 0.5 < scores.max() <= 1
assert measures.score(X, y, "kendall")[0].tolist() == scores.tolist()
"""
QUALITY = """
from altsets import SelectAlternatives, find, quality

for engine in ("enumerate", "milp"):
    result = find(quality.Average([9, 8, 1, 3]), n_features=2, n_alternatives=1, tau=1, engine=engine)
    assert result.qualities == [8.5, 2.0], (engine, result)
selector = SelectAlternatives(quality.Average, n_features=1, n_alternatives=1)
assert len(selector.fit([[1, 5], [2, 1], [3, 2], [4, 8]], [1, 2, 3, 4]).alternatives_) == 2
"""
CASES = {
    "Add a constraint": (CONSTRAINT, ["--require", "c", "--in-order", "a,c"], "a"),
    "Add a measure": (MEASURE, ["--quality", "kendall"], None),
    "Add a quality": (QUALITY, None, None),
}


def blocks(section):
    """The files that a walk-through makes or changes, each with its kind and its lines."""
    text = CONTRIBUTING.read_text(encoding="utf-8").partition(f"### {section}\n")[2].partition("\n##")[0]
    for kind, content in re.findall(r"```(python|diff)\n(.*?)```", text, flags=re.DOTALL):
        first, *lines = content.splitlines()
        yield kind, first.removeprefix("# ").removesuffix(" (new file)"), lines


def apply(root, section):
    """Follow a walk-through in a copy of the source tree; returns the files that it touched."""
    touched = []
    for kind, name, lines in blocks(section):
        path = root / name
        touched.append(name)
        if kind == "python":
            assert not path.exists()
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            continue
        old = path.read_text(encoding="utf-8").splitlines()
        place = 0
        for line in lines:
            if line[0] in " -":
                place = old.index(line[1:], place) + (line[0] == " ")
            if line[0] == "-":
                del old[place]
            elif line[0] == "+":
                old.insert(place, line[1:])
                place += 1
        path.write_text("\n".join(old) + "\n", encoding="utf-8")
    return touched


@pytest.mark.skipif(not CONTRIBUTING.exists(), reason="CONTRIBUTING.md is part of the source tree only")
@pytest.mark.slow
@pytest.mark.parametrize("section", CASES)
def test_walk_through(section, tmp_path):
    check, options, expected = CASES[section]
    shutil.copytree(PACKAGE, tmp_path / "src" / "altsets", ignore=shutil.ignore_patterns("*.c"))
    touched = apply(tmp_path, section)
    assert 2 <= len(touched) <= MOST_FILES
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    subprocess.run([sys.executable, "-c", check], check=True, env=environment, timeout=120)
    if options is None:
        return
    table = tmp_path / "table.csv"
    rows = [f"{i},{i * 7 % 11},{i * 5 % 13},{i * 3 % 7},{i * i % 17},{i // 10}" for i in range(40)]
    table.write_text("a,b,c,d,e,target\n" + "\n".join(rows) + "\n")
    command = [sys.executable, "-m", "altsets", "find", str(table), *shlex.split("--target target -k 2 -a 0")]
    printed = subprocess.run(
        [*command, *options], check=True, env=environment, timeout=120, stdout=subprocess.PIPE, text=True
    ).stdout
    assert "Proven: " in printed
    assert expected is None or re.search(rf"\b{expected}\b", printed)
