"""Features named by patterns, groups and files, on the command line and in Python."""

import json
import shlex

import numpy as np
import pytest
from words import about

import altsets
from altsets import constraints, quality
from altsets.dissimilarity import Grouped
from altsets.errors import InputError
from altsets.files.writing import write_csv

NAMES = ("S1_mean", "S1_max", "S2_mean", "S2_max", "S3_mean", "x[1]")


@pytest.fixture
def sensors(tmp_path, monkeypatch):
    """A table with features of three sensors, and files that name some of them."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    columns = [rng.normal(size=80) + y * weight for weight in (6, 5, 4, 3, 2, 1)]
    labels = np.array(["no", "yes"], dtype=object)[y]
    write_csv((*NAMES, "Sy"), (*columns, labels), tmp_path / "table.csv")
    texts = {
        "names.txt": "S1_mean\nS2_*\n",
        "groups.csv": "feature,group\nS1_mean,left\nS1_max,left\nS2_mean,right\nS2_max,right\n",
        "left": "S3_mean\n",
        "sets.txt": "S1_mean,S2_mean\nS1_max,S2_max\n",
        "loop.txt": "@loop.txt\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def answer(run, sensors):
    """The answer of a command as JSON."""

    def answer(*options, code=0):
        status, out, err = run(
            "find", "table.csv", "-t", "Sy", "--quality", "f", "-k", 1, "--json", *map(str, options)
        )
        assert status == code, err
        return json.loads(out) if out else err

    return answer


@pytest.mark.parametrize(("options", "expected"), [
    ("--forbid S1_*", [0, 1]), ("--forbid S?_max", [1, 3]), ("--forbid S1_*,S3_mean", [0, 1, 4]),
    ("--forbid x[1]", [5]), ("--forbid x[*", [5]), ("--forbid @names.txt", [0, 2, 3]),
    ("--forbid @left --feature-groups groups.csv", [0, 1]),
    ("--forbid @left", [4]),
    ("--forbid @./left --feature-groups groups.csv", [4]),
    ("--forbid @S2,@S1 --feature-groups-by _", [0, 1, 2, 3]),
    ("--forbid @S2,S2_max --feature-groups-by _", [2, 3]),
])  # fmt: skip
def test_patterns_groups_and_files_in_forbid(answer, options, expected):
    document = answer(*options.split())
    [entry] = document["parameters"]["constraints"]
    assert entry["features"] == expected
    # The request has the names that were meant, so that it can be repeated without the files.
    [asked] = document["request"]["constraints"]
    assert sorted(map(NAMES.index, asked["features"])) == expected


@pytest.mark.parametrize(("options", "expected"), [
    ("--exclusive S1_*", [0, 1]), ("--exclusive @names.txt", [0, 2, 3]), ("--exclusive names.txt", [0, 2, 3]),
    ("--at-most 1:@right --feature-groups groups.csv", [2, 3]),
    ("--at-least 1:S2_*", [2, 3]),
])  # fmt: skip
def test_patterns_groups_and_files_in_conditions_on_groups(answer, options, expected):
    [entry] = answer(*options.split())["parameters"]["constraints"]
    assert entry["group"] == expected


def test_a_column_goes_before_a_pattern():
    names = ["a*", "ab", "ac"]
    assert constraints.Forbid("a*").resolve(names).features == (0,)
    assert constraints.Forbid("?b").resolve(names).features == (1,)


@pytest.mark.parametrize(("options", "message"), [
    ("--forbid T*", "--forbid: the pattern 'T*' matches none of 6 features; check it against the names"),
    ("--forbid S1_men*", "the pattern 'S1_men*' matches none of 6 features; did you mean 'S1_mean'?"),
    ("--forbid @nothing", "--forbid @nothing: there is no such file; to name a group, say which there are"),
    (
        "--forbid @nothing --feature-groups groups.csv",
        "--forbid @nothing: there is neither a group nor a file of this name; the groups are left, right.",
    ),
    ("--forbid names.txt", "names 'names.txt', which is not a feature; for the names in that file, give @nam"),
    ("--forbid @loop.txt", "loop.txt names '@loop.txt', which is not a feature"),
    ("--implies S1_*:S2_mean", "--implies takes one feature on each side; 'S1_*' is 2."),
    ("--drop T*", "table.csv has no column to drop 'T*'"),
])  # fmt: skip
def test_what_names_no_feature_is_one_line(answer, options, message):
    said = answer(*options.split(), code=2)
    assert said.count("\n") == 1
    assert message in said


def test_columns_are_dropped_by_patterns_and_files(answer):
    dropped = answer("--drop", "S*")
    assert dropped["parameters"]["n_features_in"] == 1, "the target matches as well, and stays"
    assert answer("--drop", "@sets.txt")["parameters"]["n_features_in"] == 2


def test_existing_sets_come_from_an_earlier_answer(answer, run, sensors):
    first = answer("-a", 1, "--tau", 1, "--output", "first.json")
    found = [entry["features"] for entry in first["sets"]]
    second = answer("-a", 0, "--tau", 1, "--existing", "first.json")
    assert second["request"]["existing"] == found
    assert second["sets"][0]["features"] not in found
    third = answer("-a", 0, "--tau", 1, "--existing", "sets.txt", "--existing", "x*")
    assert third["request"]["existing"] == [["S1_mean", "S2_mean"], ["S1_max", "S2_max"], ["x[1]"]]


def test_commands_with_patterns_are_repeated(answer, run, sensors, snapshot):
    answer(*shlex.split("--forbid @left --feature-groups groups.csv --output saved.json --report page.html"))
    code, out, err = run("find", "--again", "saved.json", "--feature-groups", "groups.csv")
    assert code == 0, err
    assert about(out, "same sets") == snapshot
    assert "Forbid([" in (sensors / "page.html").read_text(encoding="utf-8")


def test_near_best_knows_groups(run, sensors):
    out = run.output(
        *("near-best", "table.csv", "-t", "Sy", "--quality", "f", "-k", 2, "--json"),
        *("--forbid", "@S1", "--feature-groups-by", "_"),
    )
    assert json.loads(out)["sets"][0]["features"] == ["S2_mean", "S2_max"]


# --- Python -------------------------------------------------------------------------------------------
def scores():
    return quality.Additive([6, 5, 4, 3, 2, 1], feature_names=NAMES)


@pytest.mark.parametrize(("rule", "best"), [
    (constraints.Forbid("S1_*"), (2, 3)),
    (constraints.Forbid(["S1_*", "S2_mean"]), (3, 4)),
    (constraints.Require(["x*"]), (0, 5)),
    (constraints.AtMost(1, ["S1_*"]), (0, 2)),
    (constraints.AtLeast(2, ["S2_*"]), (2, 3)),
    (constraints.Exclusive(["S1_*", "S2_*"]), (0, 4)),
])  # fmt: skip
def test_patterns_in_python(rule, best):
    result = altsets.find(scores(), n_features=2, n_alternatives=0, constraints=[rule])
    assert result.sets == [best]
    assert altsets.Request.from_json(result.request.to_json()) == result.request


def test_a_pattern_for_too_few_features_is_refused(refused):
    with refused(InputError):
        altsets.find(scores(), n_features=3, constraints=[constraints.AtLeast(3, ["S2_*"])])
    with refused(InputError):
        altsets.find(scores(), constraints=[constraints.Forbid("T*")])


def test_patterns_in_groups_and_existing_sets():
    by_sensor = Grouped({"S1_*": "left", "S2_*": "right"})
    result = altsets.find(scores(), n_features=2, n_alternatives=2, tau=1, dissimilarity=by_sensor)
    assert result.sets == [(0, 1), (2, 3), (4, 5)]
    assert by_sensor.members == {"left": ["S1_*"], "right": ["S2_*"]}
    later = altsets.find(scores(), n_features=2, n_alternatives=0, tau=1, existing=[["S1_*"]])
    assert later.sets == [(2, 3)]
    assert constraints.Forbid(Grouped({"a": "one", "b": 2}).members["one"]).features == ("a",)


def test_patterns_with_proxies():
    table = np.array([[0, 0, 5, 1], [0, 1, 3, 2], [1, 10, 4, 3], [1, 11, 4, 5]])
    import pandas as pd

    rule = constraints.Forbid("se*", proxies=0.8, measure="pearson")
    found = rule.computed(pd.DataFrame(table, columns=["sex", "height", "score", "other"]))
    assert found.given == (0,)
    assert 1 in found.features


# --- Declared groups ----------------------------------------------------------------------------------
def test_a_budget_pays_for_a_declared_group_once(run, sensors):
    (sensors / "costs.csv").write_text("feature,cost\nS1_mean,2\nS2_mean,1\nS3_mean,3\n")
    asked = ("find", "table.csv", "-t", "Sy", "--quality", "f", "-k", 3, "-a", 0, "--json")
    _, out, _ = run(*asked, "--budget", "3:costs.csv", "--feature-groups-by", "_")
    document = json.loads(out)
    assert document["request"]["feature_groups"] == "_"
    assert document["sets"][0]["features"] == ["S1_mean", "S1_max", "S2_max"]


def test_costs_of_a_curve_are_paid_once_for_each_group(run, sensors):
    asked = ("frontier", "table.csv", "-t", "Sy", "--quality", "f", "-k", 2, "--json")
    (sensors / "costs.csv").write_text("feature,cost\nS1_mean,4\nS2_mean,2\nS3_mean,1\n")
    (sensors / "own.csv").write_text(
        "feature,cost,group\nS1_mean,4,a\nS1_max,,a\nS2_mean,2,b\nS2_max,,b\nS3_mean,1,\n"
    )
    curves = [
        run(*asked, "--costs", "costs.csv", "--feature-groups-by", "_"),
        run(*asked, "--costs", "own.csv"),
    ]
    first, second = (json.loads(out)["points"] for _, out, _ in curves)
    assert [point["against"] for point in first] == [4, 2, 1]
    assert [(point["against"], point["quality"]) for point in first] == [
        (point["against"], point["quality"]) for point in second
    ]
