"""``altsets near-best`` as a user meets it: what is printed where, and the exit status."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest

import altsets
from altsets import measures
from altsets.files.dataset import read_columns, split_target
from altsets.files.writing import write_csv
from altsets.quality import Additive


@pytest.fixture
def scores(table):
    data = split_target(read_columns(table), "y")
    return Additive(measures.pearson(data.X, data.y), feature_names=data.feature_names)


def asking(table, *more):
    return ("near-best", table, "--target", "y", "--quality", "pearson", *more)


def test_a_table_that_people_understand(run, table, scores, snapshot):
    out = run.printed(*asking(table, "-k", 2, "--within", "0.2"))
    near = altsets.near_best(scores, 2, within=0.2)
    text = " ".join(out.split())
    assert text.startswith(" ".join(str(near.verdict).split()))
    assert text == snapshot
    assert "--show N" in text
    assert "--show N" not in run(*asking(table, "-k", 2, "--within", "0.2", "--show", near.count))[1]
    shares = re.findall(r"^ +([<>]?\d+ %)   ([a-f])  ", out, re.MULTILINE)
    assert [name for _, name in shares] == list(scores.names_of(near.ordered()))
    assert re.search(r"\d %   a +yes", out)
    best = re.findall(r"^ +(\d)   (\w, \w) +[\d.]+ *$", out, re.MULTILINE)
    assert best == [(str(number), ", ".join(scores.names_of(one))) for number, one in enumerate(near.top(5))]


def test_json_is_one_document_and_matches_the_library(run, table, scores):
    out = run.printed(*asking(table, "-k", 3, "--within", "0.3", "--show", 2, "--json"))
    document, near = json.loads(out), altsets.near_best(scores, 3, within=0.3)
    assert document["count"] == near.count > 2
    assert document["count_bounds"] == [near.count, near.count]
    assert [tuple(entry["indices"]) for entry in document["sets"]] == near.top(2)
    assert {entry["feature"] for entry in document["features"]} == {*near.cores, *near.free}
    assert document["parameters"]["quality"] == "pearson"
    assert document["parameters"]["within"] == 0.3


def test_constraints_sizes_and_thresholds(run, table, scores, snapshot):
    rules = ("--forbid", "b", "--size", "1:3", "--min-quality", "1")
    document = json.loads(run(*asking(table, *rules, "--json"))[1])
    asked = [altsets.constraints.Forbid("b"), altsets.constraints.Size(1, 3)]
    assert document["count"] == altsets.near_best(scores, min_quality=1, constraints=asked).count
    assert "b" not in document["free"]
    out = run.output(*asking(table, "-k", 2, "--within", "1", "--require", "c", "--show", 0))
    assert " ".join(out.split()) == snapshot
    assert " Set   " not in out


def test_scores_that_were_saved(run, table, tmp_path):
    path = tmp_path / "scores.csv"
    first = run(*asking(table, "-k", 2, "--save-scores", path))
    again = run("near-best", "--scores", path, "-k", 2)
    assert first[0] == again[0] == 0
    assert first[1] == again[1]


def test_no_set_is_that_good(run, table, snapshot):
    assert run.error(*asking(table, "-k", 2, "--min-quality", "50"), code=1) == snapshot


def test_no_set_at_all(run, table, snapshot):
    rules = ("--require", "a,b", "--exclusive", "a,b")
    assert run.error(*asking(table, "-k", 2, *rules), code=1) == snapshot
    code, out, _ = run(*asking(table, "-k", 2, *rules, "--json"))
    assert code == 1
    assert json.loads(out)["count"] == 0


@pytest.mark.parametrize(("more", "words"), [
    (("--within", "0.1", "--min-quality", "1"), "--within and --min-quality were both given"),
    (("--within", "-1"), "--within -1 is negative"),
    (("--within", "nan"), "--within nan is not a finite number"),
    (("--within", "ten"), "'ten' is not a share"),
    (("--min-quality", "inf"), "--min-quality inf is not a finite number"),
    (("-k", "2", "--size", "1:2"), "--n-features and --size were both given"), (("-k", "9"), "only 6 features"),
    (("--show", "-1"), "--show -1 is too small"),
    (("--time-limit", "0"), "--time-limit 0 must be a positive number of seconds"),
])  # fmt: skip
def test_bad_input_is_one_line(run, table, more, words):
    err = run.error(*asking(table, *more))
    assert words in err
    assert len(err.splitlines()) == 1


def test_a_wrapper_with_few_sets(run, table):
    out = run.output("near-best", table, "--target", "y", "-k", 1, "--quality", "wrapper", "--within", "0.2")
    assert re.match(r"\d+ sets? of 1 feature ", out)


def test_features_of_no_set_are_named(run, table, snapshot):
    out = run.output(*asking(table, "-k", 1, "--within", "0"))
    assert out == snapshot


@pytest.mark.slow
def test_a_wrapper_with_many_sets_is_estimated(run, tmp_path, clock):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    columns = [rng.normal(size=40) + y * (number < 3) for number in range(24)]
    names = tuple(f"v{number}" for number in range(24))
    labels = np.array(["no", "yes"], dtype=object)[y]
    write_csv((*names, "y"), (*columns, labels), tmp_path / "wide.csv")
    asked = (
        "near-best",
        tmp_path / "wide.csv",
        *shlex.split("--target y -k 4 --quality wrapper --time-limit"),
        clock.limit(200),
    )
    out = run.output(*asked, "--within", "0.3")
    assert out.startswith("An estimated ")
    assert "95 % confidence" in " ".join(out.split())
    out = run.output(*asked, "--within", "0.3", "--json")
    assert json.loads(out)["estimate"]["confidence"] == 0.95
