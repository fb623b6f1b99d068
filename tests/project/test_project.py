"""What says which version this is, who made it and what it needs: the files agree with each other."""

from __future__ import annotations

import datetime
import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml

import altsets

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))

#: Versions of Python, as classifiers name them.
PYTHONS = [
    line.rpartition(" :: ")[2] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)
]


def latest_release() -> tuple[str, str]:
    """The version and the date (or "unreleased") of the first section of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(r"^## (\S+), (.+)$", text, re.MULTILINE)
    assert match is not None
    return match[1], match[2]


def test_the_version_is_the_same_everywhere():
    study = tomllib.loads((ROOT / "study" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITATION["version"] == study["version"] == latest_release()[0] == altsets.__version__


def test_the_date_of_the_release_is_the_same_everywhere():
    date = latest_release()[1]
    if date == "unreleased":
        assert "date-released" not in CITATION
    else:
        assert CITATION["date-released"] == datetime.date.fromisoformat(date)


def test_the_citation_names_the_software_and_the_paper():
    assert CITATION["cff-version"] == "1.2.0"
    assert (CITATION["type"], CITATION["title"]) == ("software", PROJECT["name"])
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"]
    (paper,) = CITATION["references"]
    assert paper["title"] == "Finding Optimal Diverse Feature Sets with Alternative Feature Selection"
    assert [(author["given-names"], author["family-names"]) for author in paper["authors"]] == [
        ("Jakob", "Bach")
    ]
    assert paper["url"] == PROJECT["urls"]["Paper"]
    assert paper["doi"].removeprefix("10.48550/arXiv.") == paper["url"].rpartition("/")[2]


def test_the_repository_is_named_in_both_places_or_in_none():
    assert CITATION.get("repository-code") == PROJECT["urls"].get("Repository")


def test_the_metadata_say_what_the_package_is():
    assert {"Typing :: Typed", "Intended Audience :: Science/Research"} <= set(PROJECT["classifiers"])
    assert PROJECT["classifiers"] == sorted(PROJECT["classifiers"])
    # PEP 639: a licence is an expression, and no classifier beside it.
    assert not [line for line in PROJECT["classifiers"] if line.startswith("License")]
    assert "feature selection" in PROJECT["keywords"]
    assert all(address.startswith("https://") for address in PROJECT["urls"].values())


def test_every_supported_python_is_tested():
    assert f">={PYTHONS[0]}" == PROJECT["requires-python"]
    assert [int(python.removeprefix("3.")) for python in PYTHONS] == list(range(11, 11 + len(PYTHONS)))
    assert set(PYTHONS) <= set(WORKFLOW["jobs"]["ci"]["strategy"]["matrix"]["python"])


OLDEST = runpy.run_path(str(ROOT / "tools" / "oldest"))


def test_the_oldest_versions_are_the_lower_bounds():
    oldest = OLDEST["oldest"]()
    for line in PROJECT["dependencies"]:
        name, _, version = line.partition(">=")
        assert oldest[name] == version
    assert {"pandas", "pyarrow", "polars", "matplotlib", "jinja2", "distributed", "Cython"} <= oldest.keys()
    assert not oldest.keys() & OLDEST["INDIRECT"].keys()


@pytest.mark.parametrize("package", ["scikit-learn", "numpy", "highspy"])
def test_contributing_states_the_lower_bounds(package):
    name = {"numpy": "NumPy", "highspy": "HiGHS (highspy)"}.get(package, package)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"| {name} | {OLDEST['oldest']()[package]} |" in text


@pytest.mark.parametrize("lines", [["numpy"], ["numpy>=2.0,<3"], ["numpy>=2.0", "numpy>=2.1"]])
def test_bounds_of_another_form_are_refused(lines, tmp_path, monkeypatch):
    listed = ", ".join(f'"{line}"' for line in lines)
    project = tmp_path / "pyproject.toml"
    project.write_text(f"[project]\ndependencies = [{listed}]\noptional-dependencies = {{}}\n")
    monkeypatch.setitem(OLDEST["oldest"].__globals__, "PROJECT", project)
    with pytest.raises(SystemExit, match=r"pyproject\.toml: "):
        OLDEST["oldest"]()


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_can_be_filled_in(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert any(field.get("validations", {}).get("required") for field in fields)
    names = [field["id"] for field in fields]
    assert len(set(names)) == len(names)
    assert all(field["attributes"]["label"] for field in fields)


def test_there_are_forms():
    assert [path.stem for path in FORMS] == ["bug", "idea", "wrong-answer"]


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md"])
def test_links_between_the_files_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (ROOT / target).exists(), target
