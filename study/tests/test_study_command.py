"""The command line on the study: what it prints, what it leaves behind, and what is refused."""

import re

import numpy as np
import pytest
from words import about

from altsets_study import datasets
from altsets_study.command import in_words
from altsets_study.store import Store

SMALL = ("--datasets", "spect", "--methods", "model_gain,fcbf", "--folds", "0", "--k", "5", "--jobs", "1")


@pytest.fixture
def folder(tmp_path):
    """A folder with a made-up table that is called like one of the study."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    numbers = (rng.random((120, 14)) < 0.3 + 0.4 * y[:, None] * rng.random(14)).astype(int)
    lines = ["\t".join([*(f"F{j}" for j in range(14)), "target"])]
    lines += ["\t".join(map(str, [*row, label])) for row, label in zip(numbers, y, strict=True)]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "spect.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "data"


@pytest.fixture
def taken(folder, monkeypatch):
    """The same, taken for PMLB's."""
    monkeypatch.setattr(datasets, "checked_content", lambda path, name, record: path.read_bytes())
    return folder


@pytest.mark.slow
def test_a_small_part_of_the_study(run, tmp_path, taken, monkeypatch, snapshot):
    out = tmp_path / "out"
    code, printed, err = run("reproduce", "--data", taken, "--out", out, *SMALL)
    # On a slow machine there is a line every 10 s.
    assert (code, [line for line in err.splitlines() if not line.startswith("[")]) == (0, [])
    said = " ".join(printed.split())
    assert re.search(r": 2; there before: 0; failed: 0; left: 0\.", said)
    page = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert about(page, "Time limits") == snapshot
    assert "Model Gain" in page
    frame = Store(out).frame()
    assert set(frame["method"]) == {"model_gain", "fcbf"}
    # The page would be the same.
    monkeypatch.setattr("altsets_study.command.write_report", lambda frame, folder, notes: folder)
    again = run("reproduce", "--data", taken, "--out", out, *SMALL)
    assert again[0] == 0
    assert re.search(r": 0; there before: 2; failed: 0; left: 0\.", " ".join(again[1].split()))


def test_other_limits_are_refused_for_the_same_folder(run, tmp_path, taken, snapshot):
    out = tmp_path / "out"
    # No time for any task, so that there is a folder and nothing in it.
    code, printed, err = run("reproduce", "--data", taken, "--out", out, *SMALL, "--time-budget", "0.000001")
    assert code == 1
    assert "left: 2." in " ".join(printed.split())
    assert err == snapshot
    err = run.error("reproduce", "--data", taken, "--out", out, *SMALL, "--seconds-per-set", "3")


def test_another_file_is_refused(run, tmp_path, folder, snapshot):
    err = run.error("reproduce", "--data", folder, "--out", tmp_path / "out", *SMALL)
    assert err == snapshot
    assert err.count("\n") == 1
    assert not list((tmp_path / "out").glob("results/*"))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--datasets", "sonra"), "did you mean 'sonar'"),
        (("--methods", "mrmrr"), "method 'mrmrr' is unknown"),
        (("--folds", "7"), "fold 7 is unknown"),
        (("--folds", "one"), "--folds: 'one' is not a whole number"),
        (("--k", "5;10"), "--k: '5;10' is not a whole number"),
        (("--seconds-per-set", "mrmr:10"), "neither SECONDS nor METHOD:K=SECONDS"),
        (("--seconds-per-set", "mrmr=2"), "'mrmr' names no method and size"),
        (("--seconds-per-set", "-1"), "must be a positive number of seconds"),
        (("--information", "guess"), "information 'guess' is unknown"),
        (("--time-budget", "soon"), "not a positive number of seconds"),
        (("--data", "nowhere"), "there is no folder nowhere"),
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, monkeypatch, asked, says):
    monkeypatch.chdir(tmp_path)
    err = run.error("reproduce", "--data", "data", "--out", "out", "--jobs", "1", *asked)
    assert says in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out" / "results").exists() or not any((tmp_path / "out" / "results").iterdir())


@pytest.mark.parametrize("words", [("--data", ".", "--out", "LONG"), ("--data", "LONG", "--out", "made")])
def test_names_that_no_file_can_have(run, tmp_path, monkeypatch, words, snapshot):
    monkeypatch.chdir(tmp_path)
    err = run.error("reproduce", *(word.replace("LONG", 300 * "n") for word in words))
    assert err == snapshot
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [(), ("--jobs", "1", "--out"), ("--out", "made", "--jobs", "x"), ("--sets", "2")]
)
def test_misused_options_lead_to_the_help_of_the_command(run, words):
    err = run.error("reproduce", *words)
    assert "(see altsets reproduce --help)." in err


def test_the_help_names_what_there_is(run):
    out = run.output("reproduce", "--help-all")
    for option in (
        "--data",
        "--out",
        "--datasets",
        "--methods",
        "--folds",
        "--k",
        "--scheduler",
        "--time-budget",
    ):
        assert option in out
    assert len(datasets.DATASETS) == 30


def test_times_are_said_in_units_of_the_right_size():
    assert [in_words(seconds) for seconds in (12.3, 200, 9000)] == ["12 s", "3 min", "2.5 h"]
