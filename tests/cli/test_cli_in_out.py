"""What goes in and out of the command line: standard input, files of answers, records, and requests repeated."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest
from words import about

import altsets
from altsets import Result, SelectAlternatives
from altsets.cli.options import Given
from altsets.cli.outputs import Outputs
from altsets.files.dataset import read_columns, split_target
from altsets.files.writing import rows_of_result, write_csv
from altsets.provenance import fingerprint
from altsets.report.again import python_lines, shell_line
from altsets.results import Evaluation

# pandas from 3.1 on always reads numbers so.
pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument is deprecated")


pq = pytest.importorskip("pyarrow.parquet")

FIND = ("-t", "y", "-k", 2, "-a", 1, "--quality", "f")


@pytest.fixture
def there(tmp_path, monkeypatch, table):
    """A working directory with the table in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_bytes(table.read_bytes())
    return tmp_path


def refused(outcome, words):
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert words in err
    assert ".." not in err


# --- Standard input --------------------------------------------------------------------------------
def piping(monkeypatch, content):
    stdin = types.SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", stdin)


@pytest.mark.parametrize("form", ["csv", "gz", "parquet"])
def test_a_table_from_standard_input(run, table, monkeypatch, form):
    content = table.read_bytes()
    if form == "gz":
        content = gzip.compress(content)
    elif form == "parquet":
        stream = io.BytesIO()
        pd.read_csv(table, float_precision="round_trip").to_parquet(stream)
        content = stream.getvalue()
    expected = json.loads(run("find", table, *FIND, "--json")[1])
    piping(monkeypatch, content)
    out = run.printed("find", "-", *FIND, "--json")
    assert json.loads(out)["sets"] == expected["sets"]
    assert json.loads(out)["provenance"]["data"]["sha256"] == expected["provenance"]["data"]["sha256"]


def test_standard_input_as_python_opens_it(run, table, monkeypatch):
    with table.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, out, err = run("find", "-", *FIND, "--json")
    assert (code, err) == (0, "")
    assert len(Result.from_json(out).sets) == 2


def test_standard_input_without_a_table(run, monkeypatch):
    piping(monkeypatch, b"")
    refused(run("find", "-", *FIND), "standard input is empty")
    piping(monkeypatch, b"[1, 2]")
    refused(run("find", "-", *FIND), "standard input is a JSON document")
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(isatty=lambda: True))
    refused(run("find", "-", *FIND), "nothing comes in there; send a file to it")


# --- Tables that need an option --------------------------------------------------------------------
def test_decimal_commas_and_rows_without_a_target(run, table, there, snapshot):
    frame = pd.read_csv(table, float_precision="round_trip")
    frame.loc[:4, "y"] = None
    frame.to_csv("german.csv", sep=";", decimal=",", index=False)
    refused(run("find", "german.csv", *FIND), "use --decimal , if commas")
    german = (*FIND, "--decimal", ",")
    refused(run("find", "german.csv", *german), "use --drop-missing-target to leave")
    asked = (*german, "--drop-missing-target", "--json")
    code, out, err = run("find", "german.csv", *asked)
    assert code == 0
    assert err == snapshot
    whole = frame.dropna(subset="y")
    expected = SelectAlternatives("f", n_features=2, n_alternatives=1).fit(
        whole.drop(columns="y"), whole["y"]
    )
    assert Result.from_json(out).named_sets == expected.result_.named_sets
    assert json.loads(out)["provenance"]["data"]["dropped_rows"] == 5
    assert json.loads(out)["provenance"]["data"]["rows"] == 75
    for command in (("near-best",), ("evaluate", "--sets", "sets.txt")):
        (there / "sets.txt").write_text("a,b\n")
        options = FIND if command[0] == "near-best" else ("-t", "y")
        options = [option for option in options if option not in ("-a", 1)]
        code, _, err = run(*command, "german.csv", *options, "--decimal", ",", "--drop-missing-target")
        assert code == 0


def test_options_about_tables_have_no_use_with_scores_alone(run, there):
    run("find", "table.csv", *FIND, "--save-scores", "scores.csv")
    refused(run("find", "--scores", "scores.csv", "--sheet", "a"), "--sheet a has no use with --scores")


def test_encoding_and_decimal_sign_are_those_of_every_text_file(run, table, there):
    frame = pd.read_csv(table, float_precision="round_trip").rename(columns={"a": "größe"})
    frame.to_csv("german.csv", sep=";", decimal=",", index=False, encoding="latin-1")
    for name, text in {
        "costs.csv": "größe;1,5\nb;0,5\nc;2,5\n",
        "groups.csv": "feature;group\ngröße;mäßig\nb;mäßig\n",
        "names.txt": "größe\n",
        "sets.txt": "größe,b\n",
        "scores.csv": "feature;score\ngröße;0,5\nb;2,5\nc;1\n",
    }.items():
        (there / name).write_bytes(text.encode("latin-1"))
    how = ("--encoding", "latin-1", "--decimal", ",")
    german = ("german.csv", *FIND[:6], *how, "--json")
    # altsets itself writes UTF-8 and points.
    out = run.printed("find", *german, "--budget", "2:costs.csv", "--save-scores", "saved.csv")
    limited = json.loads(out)["sets"][0]["features"]
    assert {"größe", "c"} - set(limited)
    for options in (
        ("--require", "@names.txt", "--exclusive", "@mäßig", "--feature-groups", "groups.csv"),
        ("--require", "@names.txt", "--existing", "sets.txt"),
        ("--require", "größe", "--scores", "saved.csv"),
    ):
        out = run.printed("find", *german, *options)
        assert "größe" in json.loads(out)["sets"][0]["features"]
    out = run.printed("find", "--scores", "scores.csv", *FIND[2:6], *how, "--json")
    assert json.loads(out)["sets"][0]["quality"] == 3.5
    made = Result.from_json(out)
    said = python_lines(made, None)
    assert "encoding='latin-1'" in said
    assert "decimal=','" in said
    assert {"--encoding=latin-1", "--decimal=,"} <= set(shell_line(made.provenance).split())
    refused(run("find", *german[:1], *FIND), "give its encoding, such as --encoding latin-1.")
    for option, value in (("--encoding", "no-such"), ("--decimal", ";")):
        refused(run("find", "--scores", "scores.csv", option, value), f"{option} {value} is not a")
    refused(
        run("find", "--scores", "scores.csv", *how[:2]), "the score '0,5' is not a number; use --decimal , if"
    )


# --- Files of answers ------------------------------------------------------------------------------
COLUMNS = ["set", "feature", "score", "quality", "status"]


def test_sets_in_csv_parquet_and_json(run, there):
    document = json.loads(run("find", "table.csv", *FIND, "--json")[1])
    for name in ("out.csv", "out.parquet", "out.JSON"):
        out = run.printed("find", "table.csv", *FIND, "--output", name)
        assert "Proven: " in out
    expected = [
        (number, feature, entry["quality"], entry["status"])
        for number, entry in enumerate(document["sets"])
        for feature in entry["features"]
    ]
    frames = [pd.read_csv("out.csv", float_precision="round_trip"), pd.read_parquet("out.parquet")]
    for frame in frames:
        assert frame.columns.tolist() == COLUMNS
        found = frame[["set", "feature", "quality", "status"]].itertuples(index=False, name=None)
        assert list(found) == expected
    saved = json.loads((there / "out.JSON").read_text())
    assert saved["sets"] == document["sets"]
    assert Result.from_json((there / "out.JSON").read_text()) == Result.from_json(json.dumps(document))
    assert sorted(os.listdir(there)) == ["out.JSON", "out.csv", "out.parquet", "table.csv"]


def test_scores_stand_beside_the_features():
    result = altsets.find(altsets.quality.Additive([3, 2, 1], feature_names=list("abc")), 2, 0)
    rows, columns = rows_of_result(altsets.Result(**vars(result) | {"scores": [(3.0, 2.0)]}))
    assert columns == COLUMNS
    assert [row["score"] for row in rows] == [3.0, 2.0]


def test_evaluations_and_near_best_sets_in_files(run, there):
    (there / "sets.txt").write_text('a,b\n"c"\n')
    asked = ("evaluate", "table.csv", "-t", "y", "--sets", "sets.txt", "--cv", 3, "--n-repeats", 1)
    run(*asked, "--output", "scores.csv")
    run(*asked, "--output", "scores.json")
    evaluation = Evaluation.from_json((there / "scores.json").read_text())
    with open("scores.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["fold"]), int(row["set"])) for row in rows] == [
        (f, s) for f in range(3) for s in range(2)
    ]
    assert [float(row["test_matthews_corrcoef"]) for row in rows[::2]] == evaluation.scores(0)
    assert rows[0]["features"] == "a,b"
    assert rows[0]["quality"] == ""
    code, out, _ = run(
        "near-best", "table.csv", "-t", "y", "-k", 2, "--within", 0.5, "--output", "near.csv", "--json"
    )
    document = json.loads(out)
    assert code == 0
    frame = pd.read_csv("near.csv")
    assert frame.columns.tolist() == ["set", "feature", "frequency", "quality"]
    assert frame["feature"].tolist() == [name for entry in document["sets"] for name in entry["features"]]


def test_no_set_is_an_answer_in_a_file_too(run, there, snapshot):
    asked = ("-t", "y", "-k", 2, "-a", 0, "--quality", "f", "--require", "a", "--forbid", "a")
    for name in ("none.csv", "none.json", "none.parquet"):
        assert run.error("find", "table.csv", *asked, "--output", name, code=1) == snapshot
    assert (there / "none.csv").read_text() == ",".join(COLUMNS) + "\n"
    assert json.loads((there / "none.json").read_text())["status"] == "infeasible"
    assert pd.read_parquet("none.parquet").columns.tolist() == COLUMNS


def test_names_are_no_formulas_in_csv(run, there):
    names = ("=cmd()", "-log p", "+1d", "@x", "a,b", "plain", "y")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60).astype(float)
    write_csv(names, (*(rng.normal(size=60) + y for _ in names[:-1]), y), "odd.csv")
    asked = ("find", "odd.csv", "-t", "y", "-k", 6, "-a", 0, "--quality", "f")
    for output in ("out.csv", "out.parquet", "out.json"):
        assert run(*asked, "--output", output)[0] == 0
    assert pd.read_csv("out.csv")["feature"].tolist() == ["'=cmd()", "'-log p", "'+1d", "'@x", "a,b", "plain"]
    assert pd.read_parquet("out.parquet")["feature"].tolist() == list(names[:-1])
    assert json.loads((there / "out.json").read_text())["sets"][0]["features"] == list(names[:-1])


@pytest.mark.parametrize(("options", "words"), [
    (("--output", "out.txt"), "the ending of the name says what to write; use .csv, .parquet or .json."),
    (("--output", "out"), "the ending of the name says what to write"),
    (("--output", "nowhere/out.csv"), "there is no folder nowhere; make it first."),
    (("--output", "folder.csv"), "is a folder; name a file."),
    (("--output", "old.csv"), "old.csv exists already; choose another name, or add --force to replace it."),
    (("--output", "table.csv", "--force"), "table.csv is the table itself; choose another name."),
    (("--output", f"{'x' * 300}.csv"), "cannot be written: File name too long."),
    (("--force",), "--force goes with --output or --report"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["find", "near-best", "evaluate"])
def test_files_that_cannot_be_written_are_refused_before_the_search(
    run, there, monkeypatch, command, options, words
):
    monkeypatch.setattr("altsets.files.dataset.read_table", lambda *_, **__: pytest.fail("went to work"))
    (there / "folder.csv").mkdir()
    (there / "old.csv").write_text("mine")
    sets = ("--sets", "sets.txt") if command == "evaluate" else ()
    refused(run(command, "table.csv", "-t", "y", *sets, *options), words)
    assert (there / "old.csv").read_text() == "mine"


def test_parquet_without_pyarrow_is_said_at_once(run, there, monkeypatch, snapshot):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run.error("find", "table.csv", *FIND, "--output", "out.parquet") == snapshot


def test_force_replaces_a_file_whole_or_not_at_all(run, there, monkeypatch, snapshot):
    (there / "real.csv").write_text("mine")
    (there / "link.csv").symlink_to("real.csv")
    run.printed("find", "table.csv", *FIND, "--output", "link.csv", "--force")
    assert (there / "link.csv").is_symlink()
    assert (there / "real.csv").read_text().startswith("set,feature,")
    before = (there / "real.csv").read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    code, out, err = run("find", "table.csv", *FIND, "--output", "real.csv", "--force", "--json")
    assert code == 2
    assert len(json.loads(out)["sets"]) == 2
    assert err == snapshot
    assert (there / "real.csv").read_text() == before
    assert sorted(os.listdir(there)) == ["link.csv", "real.csv", "table.csv"]


def test_a_file_that_appeared_meanwhile_is_kept(there):
    output = Outputs.of(Given(output="new.json"))
    (there / "new.json").write_text("mine")
    with pytest.raises(altsets.errors.InputError, match="exists already"):
        output.write([], [], {})
    assert (there / "new.json").read_text() == "mine"


# --- Records ---------------------------------------------------------------------------------------
def test_the_record_of_a_search(run, there, clock, snapshot):
    asked = (*FIND, "--forbid", "f", "--at-most", "1:a,b", "--max-similarity", "0.9", "--time-limit", "inf")
    one = json.loads(run("find", "table.csv", *asked, "--json")[1])
    clock.step *= 2
    other = json.loads(run("find", "table.csv", *asked, "--json")[1])
    first, timing = one["provenance"], one.pop("timing")
    assert timing != other.pop("timing")
    assert one == other
    assert first["altsets"] == altsets.__version__
    assert first["numpy"] == np.__version__
    assert first["command"] == "find"
    assert first["options"] == {
        "TABLE": "table.csv",
        "--target": "y",
        "--n-features": 2,
        "--n-alternatives": 1,
        "--quality": "f",
        "--forbid": ["f"],
        "--at-most": ["1:a,b"],
        "--max-similarity": ["0.9"],
        "--time-limit": "inf",
        "--json": True,
    }
    assert first["constraints"] == snapshot
    assert (first["task"], first["seed"]) == ("classification", 25)
    assert (first["data"]["rows"], first["data"]["columns"], first["data"]["target"]) == (80, 6, "y")
    assert first["data"]["file_sha256"] == hashlib.sha256((there / "table.csv").read_bytes()).hexdigest()
    assert timing["time"].endswith("Z")
    assert timing["seconds"] > timing["elapsed"] > 0


def test_the_hash_is_that_of_the_content_and_of_nothing_else(run, there, table):
    frame = pd.read_csv(table, float_precision="round_trip")
    frame.to_parquet("same.parquet")
    frame.to_csv("same.csv.gz", sep=";")
    hashes = {
        json.loads(run("find", name, *FIND, "--json")[1])["provenance"]["data"]["sha256"]
        for name in ("table.csv", "same.parquet", "same.csv.gz")
    }
    X, y = frame.drop(columns="y"), frame["y"]
    selector = SelectAlternatives("f", n_features=2).fit(X, y)
    hashes.add(selector.result_.provenance["data"]["sha256"])
    hashes.add(altsets.evaluate([[0]], X, y, cv=2, n_repeats=1).provenance["data"]["sha256"])
    assert len(hashes) == 1
    for change in (X.rename(columns={"a": "b", "b": "a"}), X[["b", "a", "c", "d", "e", "f"]], X + 1e-12):
        hashes.add(SelectAlternatives("f", n_features=2).fit(change, y).result_.provenance["data"]["sha256"])
    hashes.add(
        SelectAlternatives("f", n_features=2).fit(X, y[::-1].to_numpy()).result_.provenance["data"]["sha256"]
    )
    assert len(hashes) == 5


def test_zeros_and_missing_numbers_have_one_form():
    from altsets.tables.conversion import features_of

    other_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    one, other = features_of([[0.0, np.nan]]), features_of([[-0.0, other_nan]])
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(one) != fingerprint(features_of([[0.0, 0.0]]))
    assert fingerprint(features_of([["a"], ["b"]])) != fingerprint(features_of([["a"], ["c"]]))
    assert fingerprint(one, [1]) == fingerprint(one, [1.0]) != fingerprint(one, ["1"])


def test_records_do_not_make_answers_unequal(classes):
    X, y = classes
    first, second = (SelectAlternatives("f", n_features=2).fit(X, y).result_ for _ in range(2))
    assert first == second == Result(**vars(first) | {"provenance": {}})
    assert Result.from_json(first.to_json()).provenance == first.provenance
    one, other = (altsets.evaluate([[0], [1]], X, y, cv=2, n_repeats=1) for _ in range(2))
    assert one == other
    assert Evaluation.from_json(one.to_json()).provenance == one.provenance


def test_the_seed_on_record_is_the_one_that_measures_use():
    import inspect

    from altsets import measures
    from altsets.provenance import DEFAULT_SEED

    defaults = {
        inspect.signature(function).parameters["random_state"].default
        for function in (measures.relief, measures.importance, measures.permutation, altsets.evaluate)
    }
    assert defaults == {DEFAULT_SEED}


def test_weights_of_zero_hide_a_missing_target(classes):
    X, y = classes
    y = y.astype(float)
    y[0] = np.nan
    weights = np.ones(len(y))
    weights[0] = 0
    result = SelectAlternatives("f", n_features=2).fit(X, y, sample_weight=weights).result_
    assert result.provenance["task"] == "classification"


def test_evaluations_and_counts_have_a_record(run, there):
    (there / "sets.txt").write_text("a,b\n")
    evaluated = json.loads(run("evaluate", "table.csv", "-t", "y", "--sets", "sets.txt", "--json")[1])[
        "provenance"
    ]
    counted = json.loads(run("near-best", "table.csv", "-t", "y", "-k", 2, "--json")[1])["provenance"]
    assert (evaluated["command"], counted["command"]) == ("evaluate", "near-best")
    assert evaluated["options"]["--sets"] == "sets.txt"
    assert evaluated["data"] == counted["data"]
    assert evaluated["task"] == counted["task"] == "classification"


# --- Once more -------------------------------------------------------------------------------------


#: What the fixture below has made once.
KEPT = []


@pytest.fixture
def saved(run, there):
    """An answer in a file."""
    if not KEPT:
        run("find", "table.csv", *FIND, "--forbid", "f", "--evaluate", "--cv", 2, "--output", "saved.json")
        KEPT.append((there / "saved.json").read_text())
    (there / "saved.json").write_text(KEPT[0])
    return there / "saved.json"


def test_a_request_repeated_gives_the_same_answer(run, saved, snapshot):
    code, out, err = run("find", "--again", saved.name)
    assert (code, err) == snapshot
    assert "Proven: " in out
    assert about(out, "same sets") == snapshot
    out = run.printed("find", "table.csv", "--again", saved.name, "--json")
    assert json.loads(out)["again"] == {
        "file": "saved.json",
        "same": True,
        "differences": [],
        "circumstances": [],
    }
    assert json.loads(out)["sets"] == json.loads(saved.read_text())["sets"]


def test_another_table_may_give_another_answer(run, saved, there, table, snapshot):
    frame = pd.read_csv(table, float_precision="round_trip")
    frame["a"], frame["e"] = frame["e"], frame["a"]
    frame.to_csv("other.csv", index=False)
    code, out, err = run("find", "other.csv", "--again", saved.name)
    assert (code, err) == (1, "")
    words = " ".join(out.split())
    assert about(words, "The answer") == snapshot
    assert about(words, "data") == snapshot
    (there / "table.csv").unlink()
    err = run.error("find", "--again", saved.name)
    assert err.splitlines()[-1] == snapshot
    frame["a"], frame["e"] = frame["e"], frame["a"]
    frame.to_parquet("moved.parquet")
    assert run("find", "moved.parquet", "--again", saved.name)[0] == 0


@pytest.mark.parametrize(("change", "code", "words"), [
    (lambda d: d["sets"][0].update(quality=1.0), 1, "the quality of set 0 was 1.0 and is "),
    (lambda d: d["sets"].pop(), 1, "there were 1 sets and are 2"),
    (lambda d: d["statuses"].__setitem__(1, "feasible"), 1, "the statuses were optimal, feasible and are optimal, opt"),
    (lambda d: d["evaluation"]["mean_scores"].update(matthews_corrcoef=[0.5, 0.25]), 1,
     "the mean matthews_corrcoef was 0.5, 0.25 and is "),
    (lambda d: d["provenance"].update(altsets="0.0.1"), 0,
     f"same sets, same qualities (altsets 0.0.1 then, {altsets.__version__} now)."),
    (lambda d: d["sets"][0].update(quality=d["sets"][0]["quality"] * (1 + 1e-12)), 0, "same sets, same qualities."),
])  # fmt: skip
def test_what_differs_is_said(run, saved, change, code, words):
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    found, out, err = run("find", "table.csv", "--again", saved.name)
    assert (found, err) == (code, "")
    assert words in " ".join(out.split())


def test_no_set_can_be_the_same_answer(run, there, snapshot):
    asked = ("-t", "y", "-k", 2, "-a", 0, "--quality", "f", "--require", "a", "--forbid", "a")
    assert run("find", "table.csv", *asked, "--output", "none.json")[0] == 1
    code, out, err = run("find", "--again", "none.json")
    assert code == 0
    assert err == snapshot
    assert out == snapshot


def test_scores_that_were_saved_are_compared_too(run, there, snapshot):
    run("find", "table.csv", *FIND, "--save-scores", "scores.csv")
    run("find", "--scores", "scores.csv", "-k", 2, "-a", 1, "--output", "saved.json")
    assert run("find", "--again", "saved.json", "--scores", "scores.csv")[0] == 0
    content = (there / "scores.csv").read_text()
    (there / "scores.csv").write_text(content + "\n")
    out = run.output("find", "--again", "saved.json", "--scores", "scores.csv")
    # Scores differ in their last digits between processors, and so do hashes of them.
    assert re.sub(r"\b[0-9a-f]{12}\b", "...", " ".join(out.split())) == snapshot


@pytest.mark.parametrize(("change", "words"), [
    (lambda d: d.pop("provenance"), "saved.json does not say how it was asked for"),
    (lambda d: d["provenance"].pop("options"), "saved.json does not say how it was asked for"),
    (lambda d: d["provenance"].update(command="evaluate"), "an answer of altsets evaluate; --again repeats those of"),
    (lambda d: d["provenance"]["options"].update({"--colour": "red"}), "has an option '--colour' with the value 'red'"),
    (lambda d: d["provenance"]["options"].update({"--tau": {"a": 1}}), "has an option '--tau' with the value"),
    (lambda d: d["provenance"]["options"].update({"--n-features": "many"}), "cannot be repeated: Invalid value for"),
    (lambda d: d["provenance"]["options"].update({"--target": "z"}), "has no target column 'z'"),
    (lambda d: d["provenance"]["options"].update({"TABLE": "-"}), "about a table from standard input; give the TABLE"),
    (lambda d: d.pop("status"), "saved.json: this altsets result is incomplete or damaged"),
])  # fmt: skip
def test_saved_answers_that_cannot_be_repeated(run, saved, change, words):
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    code, out, err = run("find", "--again", saved.name)
    refused((code, out, err.removeprefix("Reading table.csv, the table that saved.json names.\n")), words)


@pytest.mark.parametrize("options", [
    {"--report=pwned.html": True},
    {"--output=pwned.json": True},
    {"--save-scores=pwned.csv": True},
    {"--outp": "pwned.json"},
    {"--rep=pwned.html": True},
    {"--forc": True},
    {"--again": "saved.json"},
    {"-t": "y"},
    {"--evaluate": "--report=pwned.html"},
    {"--evaluate": False},
    {"--target": True},
    # Without a value, the last option would take the "--" before the table, and the table would be an option.
    {"TABLE": "--report=pwned.html", "--forbid": True},
    {"TABLE": ["table.csv", "--report=pwned.html"]},
    {"TABLE": {"a": 1}},
    {"--estimator": ["os.abort"]},
    {"--estimator": {"os.abort": 1}},
])  # fmt: skip
def test_a_saved_answer_cannot_write_files_or_bring_options_of_its_own(run, saved, there, options):
    document = json.loads(saved.read_text())
    document["provenance"]["options"] |= options
    saved.write_text(json.dumps(document))
    before = sorted(os.listdir(there))
    refused(run("find", "--again", saved.name), "saved.json")
    assert sorted(os.listdir(there)) == before


EVALUATING = ("--evaluate", "--cv")
#: Options that read a file, whose lines would be in an error.
READING = [
    {"--forbid": "@secret.txt"},
    {"--require": ["a", "@secret.txt"]},
    {"--columns": ["@secret.txt"]},
    {"--drop": ["@secret.txt"]},
    {"--drop": ["@./secret.txt"]},
    {"--categorical": ["@" + os.path.join("..", "secret.txt")]},
    {"--at-most": ["1:secret.txt"]},
    {"--existing": ["secret.txt"]},
    {"--feature-groups": "secret.txt"},
    {"--budget": ["1:secret.txt"]},
    {"--scores": "secret.txt", "--quality": "mrmr"},
    {"--lost": ["@secret.txt"]},
]


@pytest.mark.parametrize("options", READING, ids=[next(iter(options)) for options in READING])
def test_a_saved_answer_names_no_file_but_the_table(run, saved, there, options, snapshot):
    for folder in (there, there.parent):
        (folder / "secret.txt").write_text("root:secret words\nfeature,secret\n")
    document = json.loads(saved.read_text())
    search = {
        name: value for name, value in document["provenance"]["options"].items() if name not in EVALUATING
    }
    document["provenance"]["options"] = search | options
    saved.write_text(json.dumps(document))
    err = run.error("find", "table.csv", "--again", saved.name)
    assert "secret words" not in err
    assert " ".join(err.split()) == snapshot


def test_a_file_is_read_if_the_user_names_it_as_well(run, there):
    (there / "names.txt").write_text("e\nf\n")
    assert run("find", "table.csv", *FIND, "--forbid", "@names.txt", "--output", "saved.json")[0] == 0
    refused(
        run("find", "table.csv", "--again", "saved.json"),
        "saved.json names the file names.txt, and a file that only an answer names is not read; if you trust it, add "
        "--forbid @names.txt beside --again.",
    )
    assert run("find", "table.csv", "--again", "saved.json", "--forbid", "@names.txt")[0] == 0
    refused(run("find", "--again", "saved.json", "--forbid", "@other.txt"), "--forbid has no place beside it")


def test_where_a_saved_answer_went_is_not_repeated(run, saved, there):
    document = json.loads(saved.read_text())
    document["provenance"]["options"] |= {
        "--output": "o.json",
        "--report": "r.html",
        "--save-scores": "s.csv",
    }
    document["provenance"]["options"] |= {"--force": True, "--json": True}
    saved.write_text(json.dumps(document))
    assert run("find", "--again", saved.name)[0] == 0
    assert sorted(os.listdir(there)) == ["saved.json", "table.csv"]


#: Nothing in these may ever be called: each would end this process, wait for it, or leave a file.
CODE = ["os.abort", "code.interact", "http.server.test", "builtins.input", "trap.Trap", "subprocess.Popen"]


@pytest.mark.parametrize("name", CODE)
@pytest.mark.parametrize("quality", ["importance", "f"])
def test_a_saved_answer_names_no_code(run, saved, there, monkeypatch, name, quality):
    (there / "trap.py").write_text("open('pwned', 'w').close()\nclass Trap:\n    fit = print\n")
    monkeypatch.syspath_prepend(there)
    document = json.loads(saved.read_text())
    document["provenance"]["options"] |= {"--estimator": name, "--quality": quality}
    saved.write_text(json.dumps(document))
    refused(
        run("find", "--again", saved.name), f"names the model '{name}', and code that a file names is not run"
    )
    assert not (there / "pwned").exists()
    assert "trap" not in sys.modules


@pytest.mark.parametrize(
    "name", ["os.abort", "code.interact", "http.server.test", "os.getcwd", "pathlib.Path"]
)
def test_what_is_no_estimator_is_not_called(run, there, name):
    refused(
        run("find", "table.csv", "-t", "y", "--quality", "importance", "--estimator", name),
        "is not an estimator class",
    )


def test_a_class_is_repeated_if_the_user_names_it_as_well(run, there):
    name = "sklearn.ensemble.ExtraTreesClassifier"
    found = ("find", "table.csv", "-t", "y", "-k", 2, "-a", 0, "--quality", "importance", "--estimator", name)
    assert run(*found, "--output", "saved.json")[0] == 0
    refused(run("find", "--again", "saved.json"), f"if you trust it, add --estimator {name} beside --again")
    assert run("find", "--again", "saved.json", "--estimator", name)[0] == 0
    refused(
        run("find", "--again", "saved.json", "--estimator", "forest"),
        f"saved.json has --estimator {name}; leave out --estimator forest",
    )


def test_a_model_by_name_is_repeated_without_a_word(run, there):
    found = shlex.split("find table.csv -t y -k 2 -a 0 --quality importance --estimator forest")
    assert run(*found, "--output", "saved.json")[0] == 0
    assert run("find", "--again", "saved.json")[0] == 0


def test_what_else_again_refuses(run, saved, there):
    refused(
        run("find", "--again", "saved.json", "-k", 3),
        "--again repeats a request as it was, so --n-features has",
    )
    refused(run("find", "--again", "nothing.json"), "there is no file nothing.json")
    (there / "text.json").write_text("hello")
    refused(run("find", "--again", "text.json"), "text.json: this is not a JSON document")
    (there / "list.json").write_text("[1]")
    refused(run("find", "--again", "list.json"), "list.json does not say how it was asked for")


def test_the_table_as_read_says_which_file_it_was(table):
    data = split_target(read_columns(table), "y")
    assert len(data.sha256) == 64
    assert read_columns(table).sha256 == data.sha256


# --- No room ---------------------------------------------------------------------------------------


#: Runs each command that it is given in a process of its own, to its very end; modules are loaded once for all.
FORKED = """
import json, os, sys
import altsets.cli.printing, altsets.evaluation, altsets.search
# On a busy machine, too, no lines about how long it takes.
altsets.cli.printing.SECONDS_PER_LINE = 1e6
for words in json.loads(sys.argv[1]):
    if not os.fork():
        sys.argv = ["altsets", *words]
        altsets.cli.main()
    print(os.waitstatus_to_exitcode(os.wait()[1]), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_standard_output_on_a_full_device_is_said_in_one_line(there):
    (there / "sets.txt").write_text("a,b\n")
    asked = ("table.csv", "-t", "y", "-k", "2", "--quality", "f")
    commands = [(name, *asked) for name in ("find", "near-best", "frontier")]
    commands.append(("find", *asked, "--json"))
    commands.append(("evaluate", "table.csv", "-t", "y", "--sets", "sets.txt", "--cv", "2"))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", FORKED, json.dumps(commands)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    said = ["Error: cannot write to standard output: No space left on device.", "1"]
    assert done.stderr.splitlines() == said * len(commands)


@pytest.mark.parametrize("words", [
    ("find", "LONG.csv", "-t", "y"),
    ("explore", "LONG.csv", "-t", "y", "--no-browser"),
])  # fmt: skip
def test_names_that_no_file_can_have(run, there, words, snapshot):
    err = run.error(*(word.replace("LONG", 300 * "n") for word in words))
    assert err == snapshot
    assert err.count("\n") == 1


CLOSED = """
import os, sys
import altsets.cli
os.closerange(0, 2)
sys.stdin = sys.stdout = None
sys.argv = ["altsets", "find", "table.csv", "-t", "y", "-k", "2", "--quality", "f", "--output", "made.json"]
altsets.cli.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="streams are closed in other ways there")
def test_a_closed_standard_output_costs_no_file(run, there):
    done = subprocess.run([sys.executable, "-c", CLOSED], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert run("find", "table.csv", "-t", "y", "-k", 2, "--quality", "f", "--output", "other.json")[0] == 0
    made, other = (json.loads((there / f"{name}.json").read_text()) for name in ("made", "other"))
    assert made["sets"] == other["sets"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes end in other ways there")
def test_a_reader_that_has_seen_enough_is_no_error(there):
    command = f"{sys.executable} -m altsets frontier table.csv -t y -k 1:3 --quality f | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    # On a busy machine there may be lines about how long it takes.
    assert [line for line in done.stderr.splitlines() if not re.match(r"\[\d+ s\] ", line)] == []


#: As the command itself, with a line on what is going on whenever one is possible.
TALKATIVE = """
import sys
import altsets.cli.printing
altsets.cli.printing.SECONDS_PER_LINE = 1e-3
sys.argv[0] = "altsets"
altsets.cli.main()
"""


def run_unread(*words):
    """Run the command where nobody reads standard error; the exit status and the answer."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-c", TALKATIVE, *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, check=False)
    finally:
        os.close(writing)
    return done.returncode, done.stdout.decode()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes end in other ways there")
def test_messages_that_nobody_reads_cost_no_answer(saved):
    # It begins with a line about the table, and has others while it evaluates.
    code, out = run_unread("find", "--again", saved.name)
    assert code == 0
    assert "that of saved.json" in " ".join(out.split())
    assert run_unread("find", "nothing.csv", "-t", "y") == (2, "")
    assert run_unread("find", "--no-such-option") == (2, "")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes end in other ways there")
def test_progress_that_nobody_reads_costs_no_answer(there):
    code, out = run_unread(
        "find", "table.csv", "-t", "y", "-k", "2", "--quality", "f", "--evaluate", "--cv", "2"
    )
    assert code == 0
    assert "Prediction" in out


def test_scores_without_room_cost_the_file_alone(run, there, monkeypatch, snapshot):
    def no_room(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("altsets.files.writing.os.replace", no_room)
    for command in ("find", "near-best", "frontier"):
        code, out, err = run(
            command, "table.csv", "-t", "y", "-k", 2, "--quality", "f", "--save-scores", "s.csv"
        )
        assert code == 2
        assert err == snapshot
        assert len(out.splitlines()) > 5
        assert os.listdir(there) == ["table.csv"]


# --- Names with braces -----------------------------------------------------------------------------
def test_braces_in_names_are_no_templates(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    names = ("x_{1}", "{}", "{0}", "{y.__class__}", "%s", "y")
    columns = [rng.normal(size=60) + y * weight for weight in (4, 3, 2, 1, 1)]
    write_csv(names, (*columns, y), "t.csv")
    (tmp_path / "sets.txt").write_text("x_{1}\n{}\n")
    for command, more in [
        ("find", ("-k", 2, "-a", 1)),
        ("near-best", ("-k", 2, "--within", 0.5)),
        ("frontier", ("-k", 2)),
        ("evaluate", ("--sets", "sets.txt", "--cv", 2)),
    ]:
        code, out, err = run(command, "t.csv", "-t", "y", *more, "--report", f"{command}.html")
        assert code == 0, err
        assert (tmp_path / f"{command}.html").exists()
        assert command == "frontier" or "x_{1}" in out
