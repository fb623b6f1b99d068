"""No file names the machine it was written on, or the host of a package registry."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: Folders that a build, a test run or an environment leaves behind.
LEFT_BEHIND = {"build", "dist", "_build", "__pycache__", "env", "node_modules"}
#: Folders with a dot that belong to the project.
OF_THE_PROJECT = {".ci", ".github"}
TEXT = {".cff", ".css", ".csv", ".html", ".in", ".java", ".js", ".json", ".md", ".pxd", ".py", ".pyi", ".rst"}
TEXT |= {".toml", ".txt", ".yml", ".yaml", ""}

#: Homes of users, work folders, and hosts that serve packages; put together here, so that this file passes, too.
REFUSED = re.compile(
    "|".join(
        [
            r"(?<![\w.$)}-])/(?:home|root|Users|work|opt)/[\w.]",
            r"[A-Z]:\\\\?Users\\",
            "py" + r"pi\.org",
            "python" + r"hosted\.org",
            "ana" + r"conda\.(?:org|com)",
            r"registry\.npm" + r"js",
        ]
    )
)


def project_files() -> list[Path]:
    """The text files of the project, without what is made from them."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name not in LEFT_BEHIND
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name in OF_THE_PROJECT)
        ]
        paths = [Path(folder, name) for name in names if name != ".git"]
        found += [path for path in paths if path.suffix in TEXT]
    return sorted(found)


FILES = project_files()


def test_the_files_are_found():
    names = {path.relative_to(ROOT).as_posix() for path in FILES}
    assert {"README.md", "pyproject.toml", ".ci/wheel", ".github/workflows/ci.yml", "tools/oldest"} <= names
    assert len(names) > 100


def test_no_file_names_a_machine_or_a_registry():
    found = []
    for path in FILES:
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in REFUSED.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []


@pytest.mark.parametrize("text", [
    "/ho" + "me/ada/data.csv", "'/wo" + "rk/main'", "C:\\Us" + "ers\\ada",
    "https://py" + "pi.org/project/altsets", "(/ro" + "ot/.cache)",
])  # fmt: skip
def test_such_names_are_found(text):
    assert REFUSED.search(text)


@pytest.mark.parametrize(
    "text", ["$here/ro" + "ot/bin", "xl/workbook.xml", "a/wo" + "rk/b", "/path/to/python3.12", "/tmp/x"]
)
def test_others_are_not(text):
    assert not REFUSED.search(text)
