"""Survival and several targets on the command line: named, said back, repeated."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner
from words import about

import altsets
from altsets.cli import app
from altsets.errors import InputError
from altsets.quality.spec import NamedQuality
from altsets.report.again import python_lines


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 4)).round(3), columns=list("abcd"))
    days = rng.exponential(size=100) * np.exp(-frame["a"] - frame["b"])
    frame["status"] = np.where(rng.random(100) < 0.7, "dead", "alive")
    frame["days"] = (100 * days).round(2)
    frame["warm"], frame["loud"] = 2 * frame["a"] + 0.1, (frame["b"] > 0).astype(int)
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def run(*words):
    return CliRunner().invoke(app, [*map(str, words)])


SURVIVAL = ("--time", "days", "--event", "status=dead", "--drop", "warm,loud")


def test_survival_is_found_evaluated_and_repeated(table, tmp_path, snapshot):
    saved = tmp_path / "answer.json"
    done = run("find", table, *SURVIVAL, "-k", 2, "-a", 1, "--evaluate", "--output", saved)
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert about(said, "best set") == snapshot
    assert about(said, "survival") == snapshot
    assert about(said, "concordance_index") == snapshot
    document = json.loads(saved.read_text())
    assert document["provenance"]["task"] == "survival"
    assert document["request"]["quality"] == {"name": "concordance"}
    again = run("find", "--again", saved)
    assert again.exit_code == 0, again.output
    assert about(" ".join(again.output.split()), "same sets") == snapshot
    lines = altsets.Result.from_json(json.dumps({**document})).request.to_python()
    assert "'concordance'" in lines


def test_several_targets_with_weights(table, tmp_path, snapshot):
    saved = tmp_path / "answer.json"
    words = ("find", table, *shlex.split("--target warm,loud --drop status,days -k 1 -a 0 --quality f"))
    done = run(*words, "--combine", "0,1", "--output", saved)
    assert done.exit_code == 0, done.output
    assert done.output == snapshot
    assert " ".join(done.output.split()) == snapshot
    request = altsets.Request.from_dict(json.loads(saved.read_text())["request"])
    assert request.quality == NamedQuality("f", combine=(0, 1))
    assert altsets.Request.from_json(request.to_json()) == request
    assert "--combine=0,1" in request.to_command()
    assert "'combine': (0.0, 1.0)" in request.to_python()


@pytest.mark.parametrize(("words", "message"), [
    (("--time", "days"), "name the column of --event, too"),
    (("--event", "status"), "name the column of --time, too"),
    (("--time", "days", "--event", "status"), "(--event status=dead)"),
    (("--time", "days", "--event", "status=gone"), "never is 'gone'"),
    (("--time", "dayz", "--event", "status=dead"), "no column of times 'dayz'; did you mean 'days'?"),
    (("--time", "days", "--event", "status=dead", "--target", "a"), "--time days contradict each other"),
    (("--time", "days", "--event", "status=dead", "--no-target"), "--time and --no-target were both given"),
    (
        (*SURVIVAL, "-k", "2", "--quality", "mutual_info"),
        "--quality mutual_info is for classes and numbers, but the target is survival; use concordance, cox, "
        "logrank, importance, permutation, shap, mrmr, fcbf, cfs, linear_fit, wrapper or embedded.",
    ),
    (
        (*SURVIVAL, "-k", "2", "--quality", "mrmr", "--measure", "pearson"),
        "--measure pearson is for classes and numbers, but the target is survival; use concordance.",
    ),
    (("--no-target", "--quality", "mutual_info"), "--quality mutual_info needs a --target"),
    (("--target", "warm,quiet"), "no target column 'quiet'"),
    (("--target", "warm,warm"), "'warm' is named twice"),
    (("--target", "warm", "--combine", "max"), "is for several targets, but there is one"),
    (("--target", "warm,loud", "--combine", "median"), "--combine median must be one of mean, max, sets"),
])  # fmt: skip
def test_what_is_refused(table, words, message):
    done = run("find", table, *words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_commands_name_the_columns_of_survival(snapshot):
    request = altsets.Request(quality="concordance", n_features=2)
    assert request.to_command() == snapshot
    named = request.to_command("patients.csv", time="days", event="status=dead")
    assert named == snapshot
    either = altsets.Request(quality="mrmr", n_features=2)
    assert either.to_command() == snapshot
    assert either.to_command(time="days") == snapshot
    survival = altsets.Request(quality="mrmr", task="survival").to_command()
    assert survival == snapshot
    assert "--task" not in survival


@pytest.mark.parametrize("name", ["mrmr", "linear_fit", "importance"])
def test_answers_know_that_their_target_is_survival(name, snapshot):
    rng = np.random.default_rng(0)
    y = altsets.io.survival_target(time=rng.random(60), event=np.arange(60) % 2)
    asked = altsets.SelectAlternatives(name, n_features=2, n_alternatives=1).fit(rng.random((60, 4)), y)
    assert asked.result_.request.to_command() == snapshot
    assert "task='survival'" in asked.result_.request.to_python()


def test_survival_without_a_table_is_not_explored():
    done = run("explore", "--no-browser", "--time", "days", "--event", "status=dead")
    assert done.exit_code == 2
    assert "give a TABLE" in done.output


def test_tables_are_read_with_their_targets(table):
    data = altsets.read_table(table, time="days", event="status=dead", drop=["warm"])
    assert data.feature_names == ("a", "b", "c", "d", "loud")
    assert data.target_name == "status, days"
    assert data.y.dtype.names == ("status", "days")
    both = altsets.read_table(table, ["warm", "loud"])
    assert both.y.dtype.names == ("warm", "loud")
    assert both.feature_names == ("a", "b", "c", "d", "status", "days")


def test_rows_without_a_target_are_left_out_if_asked(tmp_path, refused):
    path = tmp_path / "gaps.csv"
    path.write_text("x,t,e\n1,5,1\n2,,0\n3,2,1\n4,7,0\n5,1,\n")
    with refused(InputError):
        altsets.read_table(path, None, time="t", event="e")
    data = altsets.read_table(path, None, time="t", event="e", drop_missing_target=True)
    assert (len(data.y), data.n_dropped) == (3, 2)


@pytest.mark.parametrize("name", ["mrmr", "fcbf", "cfs", "linear_fit"])
def test_a_report_on_survival_is_right_about_its_measure(table, tmp_path, name):
    saved, page = tmp_path / "answer.json", tmp_path / "page.html"
    options = ("--quality", name, "-k", 2, "-a", 0, "--output", saved, "--report", page)
    done = run("find", table, *SURVIVAL, *options)
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "mutual information" not in text
    assert ("Cox model" if name == "linear_fit" else "Somers' D: how much") in text
    result = altsets.Result.from_json(saved.read_text())
    known = {}
    exec(python_lines(result, list("abcd")).replace("print", "str"), known)
    assert known["result"].named_sets == result.named_sets
    assert known["result"].qualities == pytest.approx(result.qualities)


def test_events_as_files_have_them(table, tmp_path, refused):
    frame = pd.read_csv(table).drop(columns=["warm", "loud"])
    frame["st=us"] = frame.pop("status") == "dead"
    path = tmp_path / "flags.csv"
    frame.to_csv(path, index=False)
    plain, said = (altsets.read_table(path, time="days", event=event).y for event in ("st=us", "st=us=TRUE"))
    assert plain.tolist() == said.tolist()
    assert 0 < plain["st=us"].sum() < len(plain)
    other = altsets.read_table(path, time="days", event="st=us=False").y
    assert (other["st=us"] == ~plain["st=us"]).all()
    with refused(InputError):
        altsets.read_table(path, time="days", event="st=as=dead")


@pytest.mark.parametrize(("events", "is_hinted"), [((0, 1), True), ((1, 2), False), ((0.5, 1), False)])
def test_two_targets_that_look_like_survival_get_a_hint(tmp_path, events, is_hinted, snapshot):
    rows = [f"{number % 5},{number + 1},{events[number % 2]}" for number in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["a,months,died", *rows]), encoding="utf-8")
    done = run("find", tmp_path / "t.csv", "-t", "months,died", "-k", 1, "-a", 0, "--json")
    assert done.exit_code == 0, done.output
    notes = [note for note in json.loads(done.stdout)["notes"] if note.startswith("months and died")]
    assert notes == snapshot
    assert bool(notes) == is_hinted
