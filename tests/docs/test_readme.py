"""What the documents show is what the program prints, and what they list is what there is."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documents import README, ROOT, comparable

import altsets

PACKAGE = Path(altsets.__file__).parent
COMMAND = (sys.executable, "-c", "from altsets.cli import main; main()")


def blocks(language):
    """The fenced blocks of the README in one language, without the fences."""
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def output(*command, folder, code=0):
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(PACKAGE.parent)},
        timeout=60,
    )
    assert done.returncode == code
    # A search without a result says so where errors go, and prints nothing else.
    assert not (done.stdout and done.stderr)
    return comparable(done.stdout or done.stderr)


def test_times_are_masked_and_nothing_else():
    assert comparable("by the engine in\n1.5 ms.") == comparable("by the engine in 12 s.")
    assert comparable("gap 0.1 in all") != comparable("gap 0.2 in all")


@pytest.mark.slow
@pytest.mark.parametrize(("code", "shown"), [*zip(blocks("python"), blocks("text"), strict=True)])
def test_the_python_examples_print_what_the_readme_shows(code, shown, tmp_path):
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    assert output(sys.executable, "-c", code, folder=tmp_path) == comparable(shown)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks("console"))
def test_commands_print_what_the_readme_shows(block, tmp_path):
    first, _, shown = block.partition("\n")
    prompt, name, *arguments = shlex.split(first)
    assert (prompt, name) == ("$", "altsets")
    if "demo.csv" in arguments:
        output(*COMMAND, "demo", "--save-table", "demo.csv", folder=tmp_path)
    code = 1 if "no solution exists" in shown else 0
    assert output(*COMMAND, *arguments, folder=tmp_path, code=code) == comparable(shown)


def test_the_readme_shows_a_command():
    assert blocks("console")


def test_the_readme_names_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    named = set()
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"):
        named |= set(re.findall(r"\bmake ([a-z-]+)\b(?=`|\n)", (ROOT / name).read_text(encoding="utf-8")))
    assert {"demo", "test"} <= named <= targets


def test_the_tests_of_the_readme_are_what_ci_runs():
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "\nmake test\nmake test-all\n" in run
    assert "run: .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_every_room_is_named_in_the_architecture():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    rooms = {room for room in rooms if not room.startswith("__")}
    assert [room for room in sorted(rooms) if not re.search(rf"\b{room}\b", text)] == []
