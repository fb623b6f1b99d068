"""``altsets reproduce`` without the study, and with another package in its place."""

import pytest


def test_without_the_study_the_command_says_how_to_install_it(run, monkeypatch, snapshot):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    err = run.error("reproduce", "--out", "made", "--folds", "0")
    assert err == snapshot
    assert run("reproduce") == run("reproduce", "--help") == (2, "", err)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that has the entry point and says what it was asked."""
    (tmp_path / "own_study.py").write_text(
        "from altsets.errors import InputError\n"
        "def command(fold: int, out: str = 'here'):\n"
        "    '''Run it.'''\n"
        "    if fold > 4: raise InputError('no such fold')\n"
        "    print(fold, out)\n"
    )
    about = tmp_path / "own_study-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-study\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[altsets.commands]\nreproduce = own_study:command\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("package")
def test_an_installed_package_does_what_was_asked(run):
    assert run("reproduce", "3", "--out", "there") == (0, "3 there\n", "")
    assert run("reproduce", "7") == (2, "", "Error: no such fold\n")
    err = run.error("reproduce", "3", "--in", "there")
    assert err.endswith("(see altsets reproduce --help).\n")
    out = run.output("reproduce", "--help-all")
    assert out.startswith("Usage: altsets reproduce [OPTIONS] ")
    assert "Run it." in out
