"""The command line on how well sets predict: the numbers of the Python call, and what is refused."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import TimeSeriesSplit

from altsets import Result, SelectAlternatives, evaluate
from altsets.files.dataset import read_columns, split_target
from altsets.files.writing import write_csv
from altsets.results import Evaluation, WhatIf

# pandas from 3.1 on always reads numbers so.
pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument is deprecated")

FIND = ("-k", 2, "-a", 1, "--quality", "f")


def data_of(table):
    data = split_target(read_columns(table), "y")
    return data.X, data.y


def same(document, evaluation):
    """Whether a document holds what was measured; how long it took does not count."""
    return Evaluation.from_json(json.dumps(document)).to_dict()["folds"] == evaluation.to_dict()["folds"]


def test_find_and_evaluate_gives_the_numbers_of_the_python_call(run, table):
    asked = ("--evaluate", "--estimator", "linear", "--scoring", "accuracy", "--cv", 3, "--n-repeats", 1)
    out = run.printed("find", table, "-t", "y", *FIND, *asked, "--json")
    document = json.loads(out)
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1)
    expected = evaluate(
        selector, *data_of(table), estimator="linear", scoring=["accuracy"], cv=3, n_repeats=1
    )
    assert same(document["evaluation"], expected)
    assert Result.from_json(out).sets == [(0, 1), (0, 3)]
    out = run.output("find", table, "-t", "y", *FIND, *asked)
    words = " ".join(out.split())
    assert words.index("Prediction score (accuracy)") < words.index("Features")
    assert " ".join(expected.comparisons[0].sentence.split()) in words
    for number, mean in enumerate(expected.mean_scores()):
        assert f"{number} {mean:.3f} ± " in words


def test_the_model_of_a_wrapper_judges_too(run, table):
    asked = shlex.split(
        "-k 2 -a 1 --quality wrapper --estimator neighbors --max-iters 5 --cv 2 --n-repeats 1"
    )
    out = run.output("find", table, "-t", "y", *asked, "--evaluate", "--bootstraps", 2, "--json")
    document = json.loads(out)
    assert document["parameters"]["estimator"] == "neighbors"
    assert document["evaluation"]["parameters"]["estimator"] == "neighbors"
    assert len(document["evaluation"]["resamples"]) == 2


def test_bootstraps_print_how_stable_the_sets_are(run, table, snapshot):
    asked = ("find", table, "-t", "y", *FIND, "--evaluate", "--cv", 2)
    plain, resampled = (run(*asked, *more)[1].splitlines() for more in ((), ("--bootstraps", 4)))
    assert [line for line in resampled if line not in plain] == snapshot


def test_reports_say_what_replaces_what_is_lost(run, table, tmp_path):
    page = tmp_path / "answer.html"
    out = run.output("find", table, "-t", "y", *FIND, "--what-if", "--report", page, "--json")
    losses = WhatIf.from_json(json.dumps(json.loads(out)["what_if"]))
    text = page.read_text(encoding="utf-8")
    assert all(sentence in text for sentence in losses.verdict.findings)
    assert all(f">{loss.name}<" in text for loss in losses.losses)


def test_options_of_the_quality_hold_in_the_folds(run, table):
    asked = ("-k", 2, "-a", 0, "--quality", "mrmr", "--measure", "pearson", "--cv", 2, "--forbid", "a")
    out = run.output("find", table, "-t", "y", *asked, "--evaluate", "--json")
    sets = [fold["sets"][0]["features"] for fold in json.loads(out)["evaluation"]["folds"]]
    assert not any("a" in names for names in sets)


@pytest.mark.parametrize("form", ["json", "text"])
def test_sets_from_a_file(run, table, tmp_path, form):
    path = tmp_path / "sets"
    if form == "json":
        path.write_text(run("find", table, "-t", "y", *FIND, "--json")[1], encoding="utf-8")
    else:
        path.write_text('b, a\n\na,"d"\n', encoding="utf-8")
    expected = evaluate([["a", "b"], ["a", "d"]], *data_of(table), margin=0.3, n_repeats=1)
    out = run.printed("evaluate", table, "-t", "y", "--sets", path, "--n-repeats", 1, "--margin", 0.3)
    assert " ".join(f"{expected.verdict} {expected.summary()}".split()) == " ".join(out.split())
    out = run.printed(
        "evaluate", table, "-t", "y", "--sets", path, "--n-repeats", 1, "--margin", 0.3, "--json"
    )
    assert same(json.loads(out), expected)


def test_a_positive_class_and_weights_of_classes(run, tmp_path, snapshot):
    table, sets = tmp_path / "table.csv", tmp_path / "sets.txt"
    lines = [f"{(i * 7) % 11 + 3 * (i % 4 == 0)},{'no' if i % 4 else 'yes'}" for i in range(80)]
    table.write_text("\n".join(["a,y", *lines, ""]), encoding="utf-8")
    sets.write_text("a\n", encoding="utf-8")
    asked = (
        "evaluate",
        table,
        "-t",
        "y",
        "--sets",
        sets,
        *shlex.split("--estimator linear --scoring recall --n-repeats 1"),
    )
    means = []
    for more in ((), ("--positive", "no"), ("--class-weight", "balanced")):
        out = run.printed(*asked, *more, "--json")
        document = json.loads(out)
        assert document["parameters"]["pos_label"] == ("no" if "no" in more else "yes")
        means.append(Evaluation.from_json(out).mean_scores()[0])
    assert means[1] > means[2] > means[0]
    assert run.error(*asked, "--positive", "maybe") == snapshot
    found = run(
        "find",
        table,
        *shlex.split("-t y -k 1 -a 0 --quality wrapper"),
        *asked[6:10],
        "--positive",
        "no",
        "--json",
    )
    assert (found[0], found[2]) == (0, "")
    assert json.loads(found[1])["sets"][0]["quality"] == 1.0


def test_names_cannot_steer_the_terminal(run, tmp_path):
    table, sets = tmp_path / "table.csv", tmp_path / "sets.txt"
    rows = "\n".join(f"{i},{i % 3},{i % 2}" for i in range(40))
    table.write_text(f"a\x1b[31m,b,y\n{rows}\n", encoding="utf-8")
    sets.write_text("a\x1b[31m\nb\n", encoding="utf-8")
    out = run.output("evaluate", table, "-t", "y", "--sets", sets)
    assert "\x1b" not in out


@pytest.mark.parametrize(("options", "message"), [
    (("--cv", 3), "Error: --cv 3 goes with --evaluate; add it, or leave out --cv.\n"),
    (("--evaluate", "--engine", "milp"), "Error: --engine does not go with --evaluate: "),
    (("--evaluate", "--existing", "a,b"), "Error: --existing does not go with --evaluate: "),
    (("--quality", "mrmr", "--evaluate", "--scores", "s.csv"), "Error: --scores does not go with --evaluate: "),
    (("--evaluate", "--scoring", "praise"), "Error: --scoring praise is unknown; give a scikit-learn scorer, such as "
        "accuracy"),
    (("--evaluate", "--margin", "small"), "Error: Invalid value for '--margin': 'small' is not a number"),
    (("--estimator", "tree"), "Error: --estimator tree "),
])  # fmt: skip
def test_what_find_refuses(run, table, options, message):
    err = run.error("find", table, "-t", "y", *FIND, *options, "--json")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_what_evaluate_refuses(run, table, tmp_path, snapshot):
    path = tmp_path / "sets.txt"
    path.write_text("a,b\na,hello\n", encoding="utf-8")
    for options, message in (
        ((), "Error: give a TABLE, its --target, and the feature sets to evaluate with --sets FILE.\n"),
        (("--sets", tmp_path / "nothing"), "Error: there is no file "),
        (("--sets", path), f"Error: {path} names 'hello', which is not a feature; "),
    ):
        err = run.error("evaluate", table, "-t", "y", *options)
        assert err.startswith(message)
    path.write_text('{"schema": 7}', encoding="utf-8")
    assert run("evaluate", table, "-t", "y", "--sets", path)[2] == snapshot


def test_ctrl_c_before_the_first_fold_still_prints_the_sets(run, table, monkeypatch, snapshot):
    from altsets import evaluation

    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "evaluate", press)
    code, out, err = run("find", table, "-t", "y", *FIND, "--evaluate", "--json")
    assert code == 0
    assert err == snapshot
    assert "evaluation" not in json.loads(out)
    assert len(json.loads(out)["sets"]) == 2


# --- Splits ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Five rows for each of 12 patients, in the order of time; a column with a colon in its name."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    columns = [rng.normal(size=60) + y * weight for weight in (3, 2, 1)]
    patients = np.array([f"p{row % 12}" for row in range(60)], dtype=object)
    names = ("a", "b", "c", "patient", "clinic: id", "y")
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    write_csv(names, (*columns, patients, np.arange(60) % 7 * 1.0, y * 1.0), path)
    return path


def evaluated(run, *args):
    out = run.printed(*args, "--json")
    document = json.loads(out)
    return document.get("evaluation", document)


@pytest.mark.parametrize("command", ["find", "evaluate"])
def test_folds_in_time_order(run, visits, tmp_path, command, snapshot):
    (tmp_path / "sets.txt").write_text("a,b\n")
    asked = (*FIND, "--evaluate") if command == "find" else ("--sets", tmp_path / "sets.txt")
    drop = ("--drop", 'patient,"clinic: id"')
    document = evaluated(run, command, visits, "-t", "y", *asked, *drop, "--cv", "time:3")
    assert document["parameters"]["splits"] == snapshot
    assert [(fold["n_train"], fold["n_test"]) for fold in document["folds"]] == [(15, 15), (30, 15), (45, 15)]
    data = split_target(read_columns(visits), "y", drop=["patient", "clinic: id"])
    what = SelectAlternatives("f", n_features=2, n_alternatives=1) if command == "find" else [["a", "b"]]
    expected = evaluate(what, data.X, data.y, cv=TimeSeriesSplit(3))
    assert same(document, expected)
    assert expected.summary().splitlines()[0] == snapshot


@pytest.mark.parametrize("column", ["patient", "clinic: id"])
def test_folds_that_keep_groups_together(run, visits, column):
    other = "patient" if ":" in column else '"clinic: id"'
    asked = (
        *shlex.split("--evaluate --cv 4 --cv-groups"),
        column,
        "--n-repeats",
        2,
        "--drop",
        other,
        "--scoring",
        "accuracy",
    )
    document = evaluated(run, "find", visits, "-t", "y", *FIND, *asked)
    words = f"4 folds that keep groups of {column!r} together, 2 repeats"
    assert document["parameters"]["splits"] == words
    assert words in document["summary"]
    assert len(document["folds"]) == 8
    assert document["n_features_in"] == 3
    frame = pd.read_csv(visits, float_precision="round_trip")
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1)
    call = dict(cv=4, n_repeats=2, groups=frame[column], scoring=["accuracy"])
    expected = evaluate(selector, frame[["a", "b", "c"]], frame["y"], **call)
    assert same(document, expected)
    assert expected.parameters["splits"] == words


def test_a_column_of_groups_is_no_feature_of_the_search(run, visits, snapshot):
    asked = ("-t", "y", "-k", 1, "-a", 3, "--tau", 1, "--drop", '"clinic: id"', "--evaluate", "--cv", 3)
    code, out, err = run("find", visits, *asked, "--cv-groups", "patient", "--quality", "f", "--json")
    assert code == 0
    assert [entry["features"] for entry in json.loads(out)["sets"]] == [["a"], ["b"], ["c"]]
    assert err == snapshot
    err = run.error("find", visits, *asked, "--cv-groups", "patient", "--require", "patient")


@pytest.mark.parametrize(("options", "words"), [
    (("--cv", "time:3", "--n-repeats", 2), "--n-repeats 2 does not go with --cv time:3: folds in time order are"),
    (("--cv", "1"), "--cv 1: 1 is too few; rows are split into at least 2 folds."),
    (("--cv", "many"), "--cv 'many' must have the form 5 or time:5."),
    (("--cv", "time"), "--cv 'time' must have the form"),
    (("--cv", "time:x"), "--cv 'time:x' must have the form"),
    (("--cv", "month:3"), "--cv 'month:3' must have the form"),
    (("--cv", "time:3", "--cv-groups", "patient"), "--cv-groups patient does not go with --cv time:3: folds in time"),
    (("--cv-groups", "doctor"), "has no column of groups 'doctor'; "),
    (("--cv-groups", "y"), "column 'y' cannot be both the target and the column of groups."),
    (("--cv", "13", "--cv-groups", "patient"), "--cv 13 needs at least 13 groups, and column 'patient' of --cv-groups"),
    (("--n-repeats", 0), "--n-repeats 0 is too small; it must be at least 1."),
])  # fmt: skip
def test_splits_that_are_refused(run, visits, tmp_path, options, words):
    (tmp_path / "sets.txt").write_text("a,b\n")
    for asked in (
        ("evaluate", visits, "--sets", tmp_path / "sets.txt"),
        ("find", visits, *FIND, "--evaluate"),
    ):
        err = run.error(*asked, "-t", "y", *options, "--drop", '"clinic: id"')
        assert words in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("options", [("--cv-groups", "patient"), ("--n-repeats", 2)])
def test_splits_need_an_evaluation(run, visits, options, snapshot):
    assert run.error("find", visits, "-t", "y", *FIND, *options) == snapshot
