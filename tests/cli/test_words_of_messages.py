"""Messages speak the language of their interface: options on the command line, parameters in Python."""

from __future__ import annotations

import re
import shlex
import threading
from pathlib import Path

import numpy as np
import pytest
from portions import mostly_slow

import altsets
from altsets.cli.options import as_option
from altsets.errors import AltsetsError
from altsets.files.writing import write_csv
from altsets.measures.workers import map_in_order
from altsets.wording import parameter, spelled

#: Parameters of Python with a value, and what is only called so there.
PYTHON = re.compile(
    r"\b[a-z][a-z_]*=|\b(AtMost|AtLeast|Forbid|Require|Exclusive|Implies|Budget|MaxSimilarity|Size|Matched|Grouped)\b"
    r"|\b(SelectAlternatives|iterate|computed|from_data|pos_label|class_weight|None)\b|\b(n|min|max)_\w+"
)

FIND = """
-k 7
-k 0
-a -1
--tau 2
--tau half
--tau 0.5 --dissimilarity absolute
--tau 9 --dissimilarity absolute
--feature-groups-by _ --feature-groups groups.csv
--feature-groups-by _
--dissimilarity groups
--quality luck
--search wild
--aggregation max
--dissimilarity cosine
--engine steam
--engine greedy
--engine additive --require a
--engine local-search
--search greedy-replacement --require a
--search greedy-replacement --existing a,b
--search greedy-depth --implies a:b
--search greedy-balancing -k 2 -a 5 --tau 1
--search greedy-depth -k 3 -a 5 --tau 1
--task ranking
--task regression
--require ,
--at-most -1:a
--at-least 3:a,b
--size 4:2
--size 7:8
--budget 1:costs.csv
--max-similarity 1.5
--max-similarity 0.9:kendall
--forbid a --proxies 2
--forbid a --proxies 0.8:kendall
--distinct 2
--existing a,a
--measure luck
--quality mrmr --measure f
--quality f --estimator tree
--quality importance --estimator luck
--quality wrapper --scoring praise
--quality wrapper --class-weight heavy
--quality wrapper --class-weight balanced --estimator neighbors
--quality wrapper --search greedy-depth
--quality chi2
--max-iters 0
-k 2 -a 5 --tau 1
-k 2 -a 5 --tau 1 --search simultaneous
-k 2 -a 2 --tau 1 --require a
-k 2 --require a --forbid a
-k 1 --require a,b
-k 2 -a 20000 --search greedy-replacement
-k 2 -a 100000000
-k 3 -a 100000 --search simultaneous
-k 2 -a 1 --evaluate --cv 60
-k 2 -a 1 --evaluate --margin -1
-k 2 -a 1 --evaluate --scoring roc_auc,roc_auc
-k 2 -a 1 --evaluate --jobs 0
-k 2 -a 1 --evaluate --bootstraps -1
-k 2 -a 1 --evaluate --positive maybe --scoring recall
--decimal x
--sheet one
--time-limit 1e-9
"""
OTHERS = """
find classes.csv -t y -k 2 -a 1
find classes.csv -t y -k 2 -a 1 --evaluate --scoring f1
find numbers.csv -t y -k 2 -a 1 --quality chi2
find numbers.csv -t y -k 2 -a 1 --evaluate --scoring f1
find numbers.csv -t y --task classification
find copies.csv -t y -k 1 -a 1 --tau 1
find copies.csv -t y -k 2 -a 1 --forbid a
find copies.csv -t y --size 1:3 -a 1 --quality mrmr --details
frontier table.csv -t y -k 7:9
frontier table.csv -t y -a -1
frontier table.csv -t y --tau 2
frontier table.csv -t y --search fast
frontier table.csv -t y -k 2 --require a --forbid a
frontier table.csv -t y -k 2 -a 5
frontier table.csv -t y -k 2 -a 1 --search greedy-replacement --require a
near-best table.csv -t y --within -1
near-best table.csv -t y --min-quality inf
near-best table.csv -t y --within 0.1 --min-quality 1
near-best table.csv -t y -k 9
near-best table.csv -t y -k 2 --min-quality 50
near-best table.csv -t y -k 2 --within 0.2
evaluate table.csv -t y --sets sets.txt --cv 60
evaluate table.csv -t y --sets sets.txt --scoring acuracy
evaluate table.csv -t y --sets sets.txt --margin -1
evaluate table.csv -t y --sets sets.txt --estimator luck
evaluate classes.csv -t y --sets sets.txt --scoring f1
evaluate numbers.csv -t y --sets sets.txt --class-weight balanced
evaluate table.csv -t y --sets sets.txt --task ranking
"""
LINES = [f"find table.csv -t y {more}" for more in FIND.split("\n") if more] + OTHERS.split("\n")[1:-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables with two classes, seven classes, numbers and near-copies; sets, costs and groups."""
    path = tmp_path_factory.mktemp("words")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    columns = [rng.normal(size=80) + y * weight for weight in (6, 5, 4, 3, 2, 1)]
    labels = np.array(["no", "yes"], dtype=object)[y]
    copied = [columns[0], columns[0] + 1e-3 * rng.normal(size=80), *columns[1:5]]
    write_csv((*"abcdef", "y"), (*columns, labels), path / "table.csv")
    write_csv((*"abcdef", "y"), (*columns, np.arange(80.0) % 7), path / "classes.csv")
    write_csv((*"abcdef", "y"), (*columns, columns[0] * 2), path / "numbers.csv")
    write_csv(("a", "copy", *"bcde", "y"), (*copied, labels), path / "copies.csv")
    for name, text in {
        "sets.txt": "a,b\nc,d\n",
        "costs.csv": "a,-1\n",
        "groups.csv": "feature,group\na,g\nb,g\n",
    }.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("line", mostly_slow(LINES, 40))
def test_commands_speak_of_options(run, folder, monkeypatch, line):
    monkeypatch.chdir(folder)
    _, out, err = run(*shlex.split(line))
    assert out + err
    # What sets and features are called is the user's own.
    assert PYTHON.search(out + err) is None


@pytest.mark.parametrize(("line", "words"), [
    ("-k 7", "--n-features 7, but there are only 6 features"),
    ("-a 5 -k 2 --tau 1 --search simultaneous", "--n-alternatives 2 is the largest possible"),
    ("--search greedy-balancing -k 2 -a 5 --tau 1", "try --search simultaneous or fewer alternatives"),
    ("-k 2 -a 1 --evaluate --positive maybe --scoring recall", "--positive maybe is not a class of the target"),
    ("-k 2 -a 1 --evaluate --jobs 0", "--jobs 0 must be a whole number other than 0."),
    ("--size 4:2", "--size: MIN = 4 is larger than MAX = 2; exchange the two."),
    ("--engine additive --require a", "it takes no constraints but --forbid, and not --require"),
])  # fmt: skip
def test_advice_can_be_typed(run, folder, line, words):
    _, _, err = run("find", folder / "table.csv", "-t", "y", *line.split())
    assert words in err


def test_cautions_on_the_command_line(run, folder):
    _, out, _ = run("find", folder / "copies.csv", "-t", "y", "-k", 1, "-a", 1, "--tau", 1)
    assert "try --distinct 0.9" in " ".join(out.split())
    _, out, _ = run("find", folder / "classes.csv", "-t", "y", "-k", 2, "-a", 1)
    assert "--task regression" in " ".join(out.split())


@pytest.mark.parametrize("asked", [
    {"n_features": 9},
    {"tau": 2},
    {"dissimilarity": "absolute"},
    {"tau": 9, "dissimilarity": "absolute"},
    {"search": "wild"},
    {"engine": "greedy"},
    {"n_alternatives": -1},
    {"n_alternatives": 5, "tau": 1},
    {"n_alternatives": 5, "tau": 1, "search": "simultaneous"},
    {"n_alternatives": 5, "tau": 1, "search": "greedy-balancing"},
    {"constraints": [altsets.constraints.AtLeast(3, [0, 1, 2])], "engine": "additive"},
    {"time_limit": 0},
])  # fmt: skip
def test_python_speaks_of_parameters(asked):
    scores = altsets.quality.Additive([6.0, 5, 4, 3, 2, 1])
    try:
        said = altsets.find(scores, **{"n_features": 2, **asked}).explain()
    except AltsetsError as error:
        said = str(error)
    assert "--" not in said


def test_every_message_of_the_library_is_free_of_options():
    # Outside the command line, only the writers of commands and the registry of options name options.
    source = Path(altsets.__file__).parent
    allowed = (
        "cli/",
        "request/_writing.py",
        "report/again.py",
        "constraints/",
        "provenance.py",
    )
    for path in source.rglob("*.py"):
        name = path.relative_to(source).as_posix()
        if not name.startswith(allowed):
            text = path.read_text(encoding="utf-8")
            found = [line for line in text.splitlines() if re.search(r"Error\(.*[ (]--[a-z]", line)]
            assert not found, name


def test_the_spelling_ends_with_the_command(run, folder):
    run("find", folder / "table.csv", "-t", "y", "-k", 7)
    assert parameter("n_features", 7) == "n_features=7"


@pytest.mark.parametrize(("given", "python", "typed"), [
    (("tau",), "tau", "--tau"),
    (("tau", 0.5), "tau=0.5", "--tau 0.5"),
    (("within", 1.0), "within=1.0", "--within 1"),
    (("pos_label", "yes"), "pos_label='yes'", "--positive yes"),
    (("n_jobs", -1), "n_jobs=-1", "--jobs -1"),
    (("drop", ["the date", "id"]), "drop=['the date', 'id']", '--drop "the date",id'),
    (("drop_missing_target", True), "drop_missing_target=True", "--drop-missing-target"),
    (("AtMost: most", -1), "AtMost: most=-1", "AtMost: N = -1"),
    (("a feature index", 1.5), "a feature index 1.5", "a feature index 1.5"),
    (("n_features", None), "n_features=None", "--n-features"),
])  # fmt: skip
def test_parameters_in_both_spellings(given, python, typed):
    assert parameter(*given) == python
    with spelled(as_option):
        assert parameter(*given) == typed


def test_a_command_spells_parameters_in_its_own_threads_only():
    spelled_elsewhere = []
    with spelled(as_option):
        other = threading.Thread(target=lambda: spelled_elsewhere.append(parameter("tau", 0.5)))
        other.start()
        other.join()
        own = list(map_in_order(lambda chunk: parameter("tau", chunk), 3, n_jobs=2))
    assert spelled_elsewhere == ["tau=0.5"]
    assert own == ["--tau 0", "--tau 1", "--tau 2"]
