"""The options of the command line that are about sets and qualities: what they become, and what they refuse."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pytest
from words import about

import altsets
from altsets import measures, quality
from altsets.cli import COMMANDS, parsing
from altsets.cli.options import Given
from altsets.constraints import AtMost, Budget, Exclusive, Implies, Require
from altsets.features import FeatureNames
from altsets.files.dataset import read_columns, split_target
from altsets.files.writing import write_csv

# Constraints


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A working directory with groups and costs in files."""
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "group.txt": "a\n\n  b \nc",
        "quoted.txt": '\ufeff"a", b\r\nc\r\n',
        "wrong.txt": "a\nbeta\n",
        "empty.txt": "\n",
        "costs.csv": "feature,cost\na,5\nb,4\n\nc,3\n",
        "bare.csv": "a;5\nb;4\nc;3\n",
        "weights.csv": "feature,coefficient\na,1\nb,-1.5\nd,2\n",
        "wide.csv": "a,5,x\nb,4,y\n",
        "narrow.csv": "a\nb\n",
        "words.csv": "feature,cost\na,cheap\n",
        "first.csv": "a,cheap\nb,2\n",
        "twice.csv": "a,1\nb,2\na,3\n",
        "negative.csv": "a,-1\nb,2\n",
        "missing.csv": "a,nan\nb,2\n",
        "strangers.csv": "a,1\nz1,2\nz2,2\n",
        "typo.csv": "feature,cost\nlength,1\n",
        "sensors.csv": "feature,cost,group\na,5,left\nb,5,left\nc,3,right\nd,1,\n",
        "turned.csv": "Group;Feature;Cost\nleft;a;5\nleft;b;\nright;c;3\n;d;1\n",
        "unequal.csv": "feature,cost,group\na,5,left\nb,4,left\n",
        "unpaid.csv": "feature,cost,group\na,,left\nb,,left\n",
        "costless.csv": "feature,group\na,left\n",
        "short.csv": "feature,cost,group\na,5\n",
        "blank.csv": "feature,cost,group\na,,\n",
        "again.csv": "feature,cost,group\na,5,left\na,5,left\n",
        "stranger.csv": "feature,cost,group\nz,5,left\n",
    }.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "noise.bin").write_bytes(b"\xff\x00\x81")
    return tmp_path


@pytest.fixture
def asked(run, table, files, monkeypatch):
    """What the options of a command become, without a search."""

    def asked(*options):
        seen = {}

        def stub(request, quality, **_):
            seen.update(request.bind(quality.feature_names).parameters())
            raise altsets.errors.InputError("stop here.")

        monkeypatch.setattr("altsets.search.answering.answer", stub)
        _, _, err = run("find", table, "-t", "y", "--quality", "f", *options)
        assert err == "Error: stop here.\n"
        return seen

    return asked


PRICED = {"kind": "budget", "limit": 6.5, "features": [0, 1, 2], "costs": [5.0, 4.0, 3.0]}
WEIGHTS = {"kind": "linear", "features": [0, 1, 3], "coefficients": [1.0, -1.5, 2.0]}
SENSORS = {
    "kind": "budget",
    "limit": 6.5,
    "features": [0, 1, 2, 3],
    "costs": [5.0, 5.0, 3.0, 1.0],
    "groups": [0, 0, 1, 2],
}


@pytest.mark.parametrize(("options", "expected"), [
    ("--require a", [{"kind": "require", "features": [0]}]),
    ("--require a --require c,b", [{"kind": "require", "features": [0]}, {"kind": "require", "features": [1, 2]}]),
    ("--forbid a,f", [{"kind": "forbid", "features": [0, 5]}]),
    ("--at-most 1:a,b", [{"kind": "at_most", "most": 1, "group": [0, 1]}]),
    ("--at-most 0:e", [{"kind": "at_most", "most": 0, "group": [4]}]),
    ("--at-most 2:group.txt", [{"kind": "at_most", "most": 2, "group": [0, 1, 2]}]),
    ("--at-most 2:quoted.txt", [{"kind": "at_most", "most": 2, "group": [0, 1, 2]}]),
    ("--at-most 2:./group.txt", [{"kind": "at_most", "most": 2, "group": [0, 1, 2]}]),
    ("--at-least 1:group.txt", [{"kind": "at_least", "least": 1, "group": [0, 1, 2]}]),
    ("--at-least 1:b,c", [{"kind": "at_least", "least": 1, "group": [1, 2]}]),
    ("--exclusive group.txt", [{"kind": "exclusive", "group": [0, 1, 2]}]),
    ("--exclusive e,d", [{"kind": "exclusive", "group": [3, 4]}]),
    ("--implies a:f", [{"kind": "implies", "feature": 0, "needed": 5}]),
    ("--budget 6.5:costs.csv", [PRICED]), ("--budget 6.5:bare.csv", [PRICED]),
    ("--budget 6.5:sensors.csv", [SENSORS]),
    ("--budget 6.5:turned.csv", [SENSORS]),
    ("--linear -1..2.5:weights.csv", [WEIGHTS | {"lower": -1.0, "upper": 2.5}]),
    ("--linear ..0:weights.csv", [WEIGHTS | {"lower": None, "upper": 0.0}]),
    ("--linear 1e-2..:weights.csv", [WEIGHTS | {"lower": 0.01, "upper": None}]),
    ("--max-similarity 0.9", [{"kind": "max_similarity", "limit": 0.9, "similarity": "spearman"}]),
    (
        "--max-similarity 0.8:pearson --max-similarity 1:symmetrical_uncertainty",
        [
            {"kind": "max_similarity", "limit": 0.8, "similarity": "pearson"},
            {"kind": "max_similarity", "limit": 1.0, "similarity": "symmetrical_uncertainty"},
        ],
    ),
    ("--size 2:4", [{"kind": "size", "k_min": 2, "k_max": 4}]),
    (
        "--require a --forbid b,c --at-most 1:group.txt --budget 6.5:costs.csv",
        [
            {"kind": "require", "features": [0]},
            {"kind": "forbid", "features": [1, 2]},
            {"kind": "at_most", "most": 1, "group": [0, 1, 2]},
            PRICED,
        ],
    ),
])  # fmt: skip
def test_options_become_constraints(asked, options, expected):
    assert asked(*options.split())["constraints"] == expected


def test_sizes_take_the_place_of_k(asked):
    assert asked("--size", "2:3")["sizes"] == [2, 3]
    assert asked()["sizes"] == [5, 5]
    assert asked("-k", 4)["sizes"] == [4, 4]


def test_dropped_columns_do_not_count(asked):
    assert asked("--drop", "a", "--require", "b")["constraints"] == [{"kind": "require", "features": [0]}]


@pytest.fixture
def odd_names(tmp_path):
    """Columns whose names hold what divides names elsewhere."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    names = ("x, cm", "time:of day", "z", 'the "best"')
    columns = [rng.normal(size=60) + y * weight for weight in (4, 3, 2, 1)]
    write_csv((*names, "y"), (*columns, y), tmp_path / "odd.csv")
    (tmp_path / "names.txt").write_text("x, cm\ntime:of day\n", encoding="utf-8")
    (tmp_path / "costs.csv").write_text('"x, cm",1\ntime:of day,2\n', encoding="utf-8")
    return tmp_path / "odd.csv"


def test_names_with_commas_and_colons(odd_names):
    names = FeatureNames.of(split_target(read_columns(odd_names), "y").feature_names)
    group, costs = odd_names.parent / "names.txt", odd_names.parent / "costs.csv"
    found = parsing.constraints_from(
        names,
        Given(
            require=['"x, cm", z', '"the ""best"""'],
            at_most=['1:time:of day,"x, cm"', f"1:{group}"],
            implies=['"time:of day":x, cm'],
            budget=[f"3:{costs}"],
        ),
    )
    assert [constraint.resolve(names) for constraint in found] == [
        Require((0, 2)),
        Require((3,)),
        AtMost(1, (0, 1)),
        AtMost(1, (0, 1)),
        Implies(1, 0),
        Budget((1.0, 2.0, 0.0, 0.0), 3.0),
    ]


def test_a_file_goes_before_a_column_of_the_same_name(files):
    (files / "b").write_text("a\n", encoding="utf-8")
    names = FeatureNames.of("abc")
    assert parsing.constraints_from(names, Given(exclusive=["b"])) == [Exclusive(("a",))]
    (files / "c").mkdir()
    assert parsing.constraints_from(names, Given(exclusive=["c"])) == [Exclusive(("c",))]


def test_a_long_list_of_columns_is_no_file_name():
    names = FeatureNames.of([f"column number {number}" for number in range(2000)])
    [found] = parsing.constraints_from(names, Given(exclusive=[",".join(names)]))
    assert len(found.group) == 2000


@pytest.mark.parametrize(("args", "message"), [
    ("--require q", "--require names 'q', which is not a feature; give column names"),
    ("--require y", "--require names 'y', which is not a feature"),
    ("--require ,", "--require names no feature at all"),
    ("--forbid a,bb,cc", "--forbid names 'bb', 'cc', which are not features"),
    ("--drop a --forbid a", "--forbid names 'a', which is not a feature"),
    ("--at-most a,b", "--at-most 'a,b' must have the form N:GROUP"),
    ("--at-most 1:", "--at-most '1:' must have the form N:GROUP"),
    ("--at-most :a", "--at-most ':a' must have the form N:GROUP"),
    ("--at-most one:a", "--at-most: 'one' is not a whole number"),
    ("--at-most -1:a", "--at-most: N = -1 is too small"),
    ("--at-most 1:genes.txt", "--at-most names 'genes.txt', which is not a feature; there is no such file either"),
    ("--at-most 1:a,q", "--at-most names 'q', which is not a feature"),
    ("--at-most 1:,", "--at-most names no feature at all"),
    ("--at-most 1:wrong.txt", "wrong.txt names 'beta', which is not a feature"),
    ("--at-most 1:empty.txt", "empty.txt is empty"),
    ("--at-most 1:noise.bin", "noise.bin is not text in UTF-8"),
    ("--at-least 1.5:a", "--at-least: '1.5' is not a whole number"),
    ("--at-least 3:a,b", "--at-least: N = 3, but its group has only 2 features"),
    ("--at-least a", "--at-least 'a' must have the form N:GROUP"),
    ("--exclusive genes.txt", "--exclusive names 'genes.txt', which is not a feature; there is no such file"),
    ("--implies a", "--implies 'a' must have the form COL:COL"),
    ("--implies a:b:c", "--implies 'a:b:c' must have the form COL:COL"),
    ("--implies a:", "--implies 'a:' must have the form COL:COL"),
    ("--implies a:q", "--implies names 'q', which is not a feature"),
    ("--budget 20", "--budget '20' must have the form LIMIT:FILE.csv"),
    ("--budget much:costs.csv", "'much' is not a number"),
    ("--budget -1:costs.csv", "--budget: LIMIT is -1.0; give a finite number of at least 0"),
    ("--budget nan:costs.csv", "--budget: LIMIT is nan"),
    ("--budget 20:nowhere.csv", "there is no file nowhere.csv"),
    ("--budget 20:.", ". is a directory"),
    ("--budget 20:wide.csv", "wide.csv, line 1: give two fields, a feature and its cost, not 3"),
    ("--budget 20:narrow.csv", "narrow.csv, line 1: give two fields, a feature and its cost, not 1"),
    ("--budget 20:words.csv", "words.csv, line 2: the cost 'cheap' is not a number"),
    ("--budget 20:first.csv", "first.csv, line 1: the cost 'cheap' is not a number"),
    ("--budget 20:twice.csv", "twice.csv, line 3: 'a' has a cost already"),
    ("--budget 20:negative.csv", "--budget: the cost of a is -1.0; give a finite number"),
    ("--budget 20:missing.csv", "the cost of a is nan; give a finite number"),
    ("--budget 20:unequal.csv", "unequal.csv, line 3: group 'left' costs 5 in a line before and 4 here"),
    ("--budget 20:unpaid.csv", "unpaid.csv: group 'left' has no cost; give it in one of its lines"),
    ("--budget 20:costless.csv", "has no column 'cost'; its first line must name the columns feature,cost,group"),
    ("--budget 20:short.csv", "short.csv, line 2: 2 fields, but the header has 3"),
    ("--budget 20:blank.csv", "blank.csv, line 2: the cost '' is not a number"),
    ("--budget 20:again.csv", "again.csv, line 3: 'a' has a cost already"),
    ("--budget 20:stranger.csv", "stranger.csv names 'z', which is not a feature"),
    ("--max-similarity high", "--max-similarity 'high': 'high' is not a number"),
    ("--max-similarity 0.9:", "must have the form LIMIT or LIMIT:MEASURE, such as 0.9:spearman"),
    ("--max-similarity 1.5", "--max-similarity: LIMIT = 1.5 must be a number from 0 to 1"),
    ("--max-similarity 0.9:kendall", "--max-similarity: the measure 'kendall' is unknown; choose one of 'spearman'"),
    ("--budget 20:strangers.csv", "strangers.csv names 'z1', 'z2', which are not features"),
    ("--size 3", "--size '3' must have the form MIN:MAX"),
    ("--size 3:many", "--size: 'many' is not a whole number"),
    ("--linear 2:weights.csv", "--linear '2:weights.csv' must have the form [LOWER]..[UPPER]:FILE.csv"),
    ("--linear 1..2", "--linear '1..2' must have the form [LOWER]..[UPPER]:FILE.csv"),
    ("--linear ..:weights.csv", "--linear has no bound; give LOWER, UPPER, or both"),
    ("--linear 3..2:weights.csv", "--linear: LOWER = 3 is larger than UPPER = 2"),
    ("--linear a..2:weights.csv", "--linear 'a..2:weights.csv': 'a' is not a number"),
    ("--linear 1..2:sensors.csv", "sensors.csv has groups, which only costs have"),
    ("--linear 1..2:words.csv", "words.csv, line 2: the coefficient 'cheap' is not a number"),
    ("--linear 1..2:narrow.csv", "narrow.csv, line 1: give two fields, a feature and its coefficient, not 1."),
    ("--size 4:2", "--size: MIN = 4 is larger than MAX = 2"),
    ("--size 0:2", "--size: MIN = 0 is too small"),
    ("--size 7:8", "--size: MIN = 7, but there are only 6 features"),
    ("--size 2:3 -k 2", "--n-features and --size were both given; give one of them"),
    ("--size 2:3 --dissimilarity absolute --tau 4", "--tau 4"),
    ("--quality mrmr --measure f", "--measure f is unknown; choose one of mutual_info, pearson"),
    ("--quality f --measure pearson", "--measure pearson is for quality mrmr, fcbf, cfs; f is a measure itself"),
    ("--measure luck", "--measure luck is for quality mrmr, fcbf, cfs; mutual_info is a measure itself"),
])  # fmt: skip
def test_bad_options_on_sets_are_one_line_and_said_before_scoring(
    run, table, files, monkeypatch, args, message
):
    for late in ("score", "pairwise"):
        monkeypatch.setattr(measures, late, lambda *_, **__: pytest.fail("scored a request that is wrong"))
    err = run.error("find", table, "-t", "y", *args.split())
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("line", [
    "find -t y -k 0 -a -1 --tau 3 --quality nope",
    "find --cv 3 --size 4:2 --at-most -1:a --decimal x --report r.csv --spread 1",
    "find -t y --require @a --forbid b* --proxies 0.8 --distinct 2 --dissimilarity dice",
    "frontier -t y --time a -k 0 --by luck --scoring r2",
    "near-best --time a --show -1 --within 1% --min-quality 1",
    "evaluate --cv 1 --output x.txt --encoding none",
    "export-model -a -1 --tau 2 --model-file m.txt",
])  # fmt: skip
def test_all_problems_are_said_before_a_file_is_read(run, files, monkeypatch, snapshot, line):
    monkeypatch.setattr("altsets.files.dataset.read_table", lambda *_, **__: pytest.fail("read the table"))
    assert run.error(line.split()[0], "table.csv", *line.split()[1:]) == snapshot


def test_all_names_that_are_unknown_come_in_one_message(run, table):
    err = run.error("find", table, "-t", "y", "--require", "aa", "--forbid", "bb", "--existing", "cc")
    assert [line.split()[1] for line in err.splitlines()] == ["--existing", "--require", "--forbid"]


def test_a_close_match_is_suggested_everywhere(run, tmp_path, files, monkeypatch, snapshot):
    rng = np.random.default_rng(5)
    columns = [rng.normal(size=30) for _ in range(3)]
    write_csv(("lengths", "age", "y"), tuple(columns), tmp_path / "t.csv")
    for option in (
        "--require length", "--at-most 1:length", "--exclusive age,length", "--implies age:length",
        "--budget 5:typo.csv", "--existing length",
    ):  # fmt: skip
        assert run.error("find", tmp_path / "t.csv", "-t", "y", "-k", 1, *option.split()) == snapshot


@pytest.mark.parametrize(("options", "meant"), [
    ("-t Y", "y"), ("-t y --drop aa", "a"), ("-t y --columns aa", "a"),
    ("-t y --require @one --feature-groups groups.csv", "ones"),
    ("-t y --quality mutual_inf", "mutual_info"),
    ("-t y --quality mrmr --measure pearsn", "pearson"),
    ("-t y --quality linear_fit --criterion bci", "bic"),
    ("-t y --quality importance --estimator forrest", "forest"),
    ("-t y --engine mlip", "milp"),
    ("-t y --search simultanous", "simultaneous"),
    ("-t y --aggregation leximim", "leximin"),
    ("-t y --dissimilarity jacard", "jaccard"),
    ("-t y --distinct 0.9:spearmen", "spearman"),
    ("-t y --max-similarity 0.9:spearmen", "spearman"),
    ("-t y --task Regression", "regression"),
    ("-t y --quality f --evaluate --scoring acuracy", "accuracy"),
])  # fmt: skip
def test_a_name_that_is_nearly_right_is_recognised(run, table, tmp_path, monkeypatch, options, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groups.csv").write_text("feature,group\na,ones\nb,ones\n", encoding="utf-8")
    err = run.error("find", table, "-k", 1, "-a", 1, *options.split())
    assert err.rstrip().endswith(f"did you mean {meant!r}?")


@pytest.mark.parametrize("option", ["--require", "--exclusive", "--implies", "--drop"])
def test_a_line_break_in_an_option_is_no_traceback(run, table, option, snapshot):
    err = run.error("find", table, "-t", "y", option, "a\nb:c")
    assert err == snapshot
    assert err.count("\n") == 1


@pytest.mark.parametrize(("options", "features"), [
    ("--require f", "af"),
    ("--forbid a --at-most 1:group.txt --forbid d", "be"),
    ("--at-least 1:e,f", "ae"),
    ("--exclusive group.txt --implies d:f", "ae"),
    ("--forbid d --budget 8:costs.csv", "ac"),
    ("--budget 5:sensors.csv", "ab"), ("--linear ..-0.5:weights.csv", "ab"),
    ("--linear 0..0:weights.csv", "ce"),
    ("--forbid b --budget 5:sensors.csv", "ae"),
    ("--max-similarity 1", "ab"),
    ("--require a --forbid b,c --at-most 1:group.txt --budget 6:costs.csv", "ad"),
])  # fmt: skip
def test_constraints_reach_the_search(run, table, files, options, features):
    args = ("find", table, "-t", "y", "-k", 2, "-a", 0, "--quality", "f", "--json", *options.split())
    out = run.printed(*args)
    document = json.loads(out)
    assert document["status"] == "optimal"
    assert document["sets"][0]["features"] == [*features]


def test_sizes_reach_the_search(run, table, snapshot):
    out = run.printed("find", table, "-t", "y", "--size", "2:3", "-a", 0, "--quality", "f")
    assert re.findall(r"^ *0? +([a-z]) +\d+\.\d", out, flags=re.MULTILINE)[:2] == ["a", "b"]
    assert " ".join(out.split()) == snapshot


def test_constraints_that_clash_are_exit_status_1(run, table, snapshot):
    err = run.error("find", table, "-t", "y", "-k", 2, "--require", "a", "--forbid", "a", code=1)
    assert err == snapshot
    assert err.count("\n") == 1


# --- Qualities of several features ---
@pytest.mark.parametrize("name", ["mrmr", "fcbf", "cfs"])
@pytest.mark.parametrize("measure", [None, "mutual_info", "pearson"])
def test_qualities_of_several_features(run, table, monkeypatch, name, measure, snapshot):
    data = split_target(read_columns(table), "y")
    kind = {"mrmr": quality.MRMR, "fcbf": quality.FCBF, "cfs": quality.CFS}[name]
    expected = kind.from_data(data.X, data.y, **({"measure": measure} if measure else {}))
    seen = []

    def stub(request, quality, **_):
        seen.append(quality)
        raise altsets.errors.InputError("stop here.")

    monkeypatch.setattr("altsets.search.answering.answer", stub)
    option = ("--measure", measure) if measure else ()
    assert run("find", table, "-t", "y", "--quality", name, *option)[2] == snapshot
    [made] = seen
    assert type(made) is kind
    assert made.feature_names == list("abcdef")
    for chosen in [(0,), (0, 5), (1, 2, 3)]:
        assert made.evaluate(chosen) == expected.evaluate(chosen)


def test_help_names_the_default_measures(run, snapshot):
    text = " ".join(run("find", "--help-all")[1].split())
    assert about(text, "default: pearson") == snapshot
    for kind, default in (
        (quality.CFS, "pearson"),
        (quality.MRMR, "mutual_info"),
        (quality.FCBF, "mutual_info"),
    ):
        assert inspect.signature(kind.from_data).parameters["measure"].default == default


@pytest.mark.parametrize("command", ["find", "frontier", "near-best", "evaluate"])
def test_an_option_without_its_value_leads_to_the_help_of_its_command(run, command):
    option = "--sets" if command == "evaluate" else "--distinct"
    err = run.error(command, "table.csv", option)
    assert f"(see altsets {command} --help)." in err


def test_evaluations_need_a_target_and_offer_nothing_else(run, table, tmp_path, snapshot):
    (tmp_path / "sets.txt").write_text("a\n")
    asked = ("evaluate", table, "--sets", tmp_path / "sets.txt")
    err = run.error(*asked)
    assert err.endswith("to predict.\n")
    assert run.error(*asked, "--no-target") == snapshot
    assert "--no-target" not in run("evaluate", "--help-all")[1]


# --- Help ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_on_a_screen(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    _, short, _ = run(command, "--help")
    _, full, _ = run(command, "--help-all")
    assert len(short.splitlines()) <= 40
    assert f"altsets {command} --help-all" in short or short == full
    options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", short, flags=re.MULTILINE)
    assert set(options) <= set(re.findall(r"--[a-z-]+", full))
    assert len(options) <= 13


def test_the_short_help_of_find_has_what_most_people_need(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("find", "--help")
    for option in ("--target", "--n-features", "--tau", "--within", "--quality", "--evaluate", "--report"):
        assert option in out
    assert out.count("  altsets find ") == 3


def test_evaluate_shows_that_sets_are_required(run):
    for how in ("--help", "--help-all"):
        assert "[required]" in run("evaluate", how)[1]
