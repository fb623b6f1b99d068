"""Scores in files, and the options that make, save and use them."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

from altsets import quality
from altsets.errors import AltsetsError, InputError
from altsets.files.feature_files import Scores
from altsets.quality.spec import PAIRED

NAMES = ["age", "1", "a, b", "with age"]
PAIRS = np.array([[1, 0.25, 0.5, 0], [0.25, 1, 1 / 3, 0], [0.5, 1 / 3, 1, 0], [0, 0, 0, 1.0]])


@pytest.mark.parametrize(
    "made",
    [
        quality.Additive([0.1, 1 / 3, -2, 0], feature_names=NAMES),
        quality.MRMR([0.1, 1 / 3, 2, 0], PAIRS, feature_names=NAMES),
        quality.FCBF([0.1, 1 / 3, 2, 0], PAIRS, feature_names=NAMES),
        quality.CFS([0.1, 1 / 3, 2, 0], PAIRS, feature_names=NAMES),
    ],
    ids=lambda made: type(made).__name__.lower(),
)
def test_what_is_written_is_read_again(made, tmp_path):
    path = tmp_path / "scores.csv"
    Scores.of(made).write(path)
    again = Scores.read(path).quality(type(made).__name__.lower())
    assert type(again) is type(made)
    assert again.feature_names == NAMES
    for chosen in [(0,), (1, 2), (0, 1, 3)]:
        assert again.evaluate(chosen) == made.evaluate(chosen)
    with pytest.raises(AltsetsError, match="exists already"):
        Scores.of(quality.Additive([1, 2])).write(path)


def test_some_of_the_features(refused):
    scores = Scores(tuple(NAMES), np.arange(4.0), PAIRS).only(["a, b", "age"])
    assert scores.values.tolist() == [2, 0]
    assert scores.pairs.tolist() == [[1, 0.5], [0.5, 1]]
    with refused(InputError):
        scores.only(["age", "height"])


def test_a_black_box_has_no_scores(refused):
    with refused(InputError):
        Scores.of(quality.BlackBox(len, n_features_in=3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no|is empty|must begin"),
        ("feature,score\n", "must begin with the line feature,score and have a line for each feature"),
        ("name,score\na,1\n", "must begin with the line feature,score"),
        ("feature,score\na,1\na,2\n", "more than once: a"),
        ("feature,score\na,x\n", "line 2: the score 'x' is not a number"),
        ("feature,score\na,1,2\n", "line 2: .*3 fields"),
        ("feature,score,with b\na,1,0\n", "columns for pairs"),
    ],
)
def test_files_that_are_no_scores(text, message, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(AltsetsError, match=message):
        Scores.read(path)


# --- On the command line --------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 6)).round(3)
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
    path = tmp_path / "table.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%g")
    return str(path)


ASKED = ("-k", "2", "-a", "1", "--json")


@pytest.mark.parametrize(
    "name", ["mutual_info", "spearman", "relief", "importance", "permutation", "mrmr", "fcbf"]
)
def test_saved_scores_give_the_same_answer(run, table, tmp_path, name):
    saved = str(tmp_path / "scores.csv")
    code, out, _ = run("find", table, "-t", "y", "--quality", name, "--save-scores", saved, *ASKED)
    assert code in (0, 1)
    first = json.loads(out)
    kind = ("--quality", name) if name in PAIRED else ()
    for more in ((), (table, "-t", "y")):
        again_code, out, _ = run("find", *more, "--scores", saved, *kind, *ASKED)
        again = json.loads(out)
        assert again_code == code
        # What features score by chance is measured with the scores.
        for found in (*again["sets"], *first["sets"]):
            found.pop("noise_floors", None)
        assert (again["sets"], again["objective"]) == (first["sets"], first["objective"])
        assert again["parameters"]["scores"] == saved


def test_a_wrapper_on_the_command_line(run, table):
    asked = (
        *shlex.split("--quality wrapper --estimator linear --scoring accuracy --max-iters 9"),
        *ASKED,
    )
    out = run.printed("find", table, "-t", "y", *asked)
    document = json.loads(out)
    assert (
        document["parameters"] | {"estimator": "linear", "scoring": "accuracy", "max_iters": 9}
        == document["parameters"]
    )
    assert document["status"] == "feasible"
    assert all(0 <= one["quality"] <= 1 for one in document["sets"])
    assert json.loads(run("find", table, "-t", "y", "--quality", "wrapper", *ASKED)[1])["status"] == "optimal"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("TABLE -t y --quality wrapper --save-scores x.csv", "wrapper has no scores"),
        (
            "TABLE -t y --estimator tree",
            "--estimator tree is for quality importance, permutation, shap, wrapper",
        ),
        ("TABLE -t y --quality importance --scoring r2", "--scoring r2 is for quality permutation, wrapper"),
        (
            "TABLE -t y --quality importance --estimator oak",
            "--estimator oak is unknown; choose one of tree,",
        ),
        ("TABLE -t y --quality wrapper --scoring luck", "--scoring luck is unknown"),
        ("TABLE -t y --quality wrapper --measure pearson", "wrapper measures nothing"),
        ("TABLE -t y --quality wrapper --max-iters 0", "--max-iters 0"),
        ("--scores SCORES --quality wrapper", "wrapper fits models"),
        ("--scores SCORES --quality mrmr", "mrmr needs scores of pairs"),
        ("--scores SCORES --estimator tree", "--estimator tree has no use with --scores"),
        ("--scores missing.csv", "there is no file missing.csv"),
        ("TABLE -t y --scores SCORES", "there are no scores of c, d, e, f"),
        ("--target y", "give a TABLE"),
    ],
)
def test_what_does_not_go_together(run, table, tmp_path, args, message):
    scores = tmp_path / "few.csv"
    scores.write_text("feature,score\na,1\nb,2\n")
    words = [table if word == "TABLE" else str(scores) if word == "SCORES" else word for word in args.split()]
    err = run.error("find", *words, "-k", "1", "-a", "0")
    assert message in err


def test_own_scores_without_a_table(run, tmp_path):
    scores = tmp_path / "own.csv"
    scores.write_text("feature,score\nage,3\nheight,2.5\nweight,1\n")
    out = run.printed("find", "--scores", str(scores), "-k", "1", "-a", "1", "--tau", "1", "--drop", "height")
    assert "age" in out
    assert "weight" in out
    assert "height" not in out
