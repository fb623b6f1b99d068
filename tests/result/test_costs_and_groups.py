"""What sets cost and which groups they use: in results, frames, documents, tables and words."""

import json
import shlex

import numpy as np
import pytest
from words import about

import altsets
from altsets import constraints, quality
from altsets.dissimilarity import Grouped
from altsets.files.writing import write_csv
from altsets.report import summarise
from altsets.views import sets as set_views

NAMES = ["S1_mean", "S1_max", "S2_mean", "S2_max", "S3_mean", "age"]
SENSORS = Grouped({"S1_*": "left", "S2_*": "right", "S3_mean": "top"})
PRICES = constraints.Budget({"S1_mean": 5, "S2_mean": 0.1, "S2_max": 0.1, "age": 0.2}, 8)
ONCE = constraints.Budget({"left": 5, "right": 3}, 8, groups=SENSORS.resolve(NAMES))


def found(**options):
    scores = quality.Additive([6, 5, 4, 3, 2, 1], feature_names=NAMES)
    return altsets.find(scores, **{"n_features": 2, "n_alternatives": 2, "tau": 1} | options)


def test_costs_of_sets():
    result = found(constraints=[PRICES])
    assert result.costs == [(5.0,), (0.2,), (0.2,)]
    assert list(result.to_frame()["cost"]) == [5.0, 0.2, 0.2]
    tidy = result.to_frame(tidy=True)
    assert list(tidy["cost"]) == [5.0, 5.0, 0.2, 0.2, 0.2, 0.2]
    assert [entry["costs"] for entry in json.loads(result.to_json())["sets"]] == [[5.0], [0.2], [0.2]]
    again = altsets.Result.from_json(result.to_json())
    assert again == result
    assert again.costs == result.costs


def test_a_group_is_paid_once_and_several_budgets_are_told_apart():
    result = found(constraints=[ONCE, PRICES])
    assert result.costs == [(5.0, 5.0), (3.0, 0.2), (0.0, 0.2)]
    assert list(result.to_frame()["cost_0"]) == [5.0, 3.0, 0.0]
    assert altsets.Result.from_json(result.to_json()).costs == result.costs


def test_without_groups_and_budget_there_is_neither():
    result = found()
    assert result.costs == []
    assert result.groups == []
    assert result.compared == ("feature", result.sets)
    assert not {"cost", "groups"} & set(result.to_frame().columns)
    assert not {"costs", "groups"} & json.loads(result.to_json())["sets"][0].keys()


@pytest.mark.parametrize("sensors", [
    SENSORS,
    Grouped({0: "left", 1: "left", 2: "right", "S2_max": "right", 4: "top"}),
], ids=["patterns", "indices"])  # fmt: skip
def test_groups_of_sets(sensors, snapshot):
    result = found(dissimilarity=sensors)
    assert result.groups == [("left", "left"), ("right", "right"), ("top", None)]
    assert result.compared == ("group", [("left",), ("right",), ("top", 5)])
    assert list(result.to_frame()["groups"]) == [["left", "left"], ["right", "right"], ["top", None]]
    assert list(result.to_frame(tidy=True)["group"])[:5] == ["left", "left", "right", "right", "top"]
    assert [entry["groups"] for entry in json.loads(result.to_json())["sets"]][2] == ["top", None]
    assert altsets.Result.from_json(result.to_json()).groups == result.groups
    assert result.verdict.findings == snapshot


def test_overlaps_are_counted_in_groups(snapshot):
    # S1_mean and S3_mean; S1_max and S2_mean: no feature twice, and yet one sensor.
    result = found(
        n_alternatives=1, tau=0.5, dissimilarity=SENSORS, constraints=constraints.Exclusive([0, 1])
    )
    assert result.groups == [("left", "right"), ("left", "top")]
    assert result.verdict.findings == snapshot
    seen = set_views.overlaps(result)
    assert seen.values == ((2, 1), (1, 2))
    assert seen.value_name == snapshot
    assert "group" not in str(found().verdict)


def test_a_feature_without_a_group_does_not_share_with_a_group_of_its_name(snapshot):
    scores = quality.Additive([3, 2], feature_names=["left", "S1_mean"])
    sensors = Grouped({"S1_mean": "left"})
    result = altsets.find(scores, n_features=1, n_alternatives=1, tau=1, dissimilarity=sensors)
    assert result.groups == [(None,), ("left",)]
    assert result.verdict.findings[2] == snapshot


def test_damaged_costs_and_groups_are_refused():
    document = found(constraints=[PRICES], dissimilarity=SENSORS).to_dict()
    for damaged in ({"costs": [1]}, {"features": [77, 2, 3, 5]}, {"features": None}):
        parameters = json.loads(json.dumps(document["parameters"]))
        parameters["constraints"][0] |= damaged
        with pytest.raises(altsets.errors.InputError):
            altsets.Result.from_json(json.dumps(document | {"parameters": parameters}))
    parameters = document["parameters"] | {"dissimilarity": {"kind": "grouped", "groups": [1]}}
    with pytest.raises(altsets.errors.InputError):
        altsets.Result.from_json(json.dumps(document | {"parameters": parameters}))


def test_the_report_has_costs_and_groups(snapshot):
    result = found(constraints=[PRICES], dissimilarity=SENSORS)
    blocks = [block for part in summarise(result=result)["sections"] for block in part["blocks"]]
    table = next(block for block in blocks if block.get("id") == "sets")
    columns = [column["name"] for column in table["columns"]]
    groups, cost = columns.index("Groups"), columns.index("Cost")
    assert [row[groups] for row in table["rows"]] == [["left"], ["right"], ["top", "-"]]
    assert [row[cost] for row in table["rows"]] == [5.0, 0.2, 0.2]
    assert any(block.get("id") == "overlap" for block in blocks)
    two = found(n_alternatives=1, dissimilarity=SENSORS)
    said = str([part["blocks"] for part in summarise(result=two)["sections"]])
    assert about(said, "share") == snapshot


def test_commands_show_costs_and_groups(run, tmp_path, snapshot):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    columns = [rng.normal(size=80) + y * weight for weight in (6, 5, 4, 3, 2, 1)]
    labels = np.array(["no", "yes"], dtype=object)[y]
    write_csv((*NAMES, "y"), (*columns, labels), tmp_path / "table.csv")
    (tmp_path / "costs.csv").write_text("S1_mean,5\nS2_mean,2.5\n", encoding="utf-8")
    arguments = [
        *("find", tmp_path / "table.csv", "-t", "y", "-k", 2, "-a", 2, "--tau", 1, "--quality", "f"),
        *(
            *shlex.split("--feature-groups-by _ --dissimilarity groups --budget"),
            f"8:{tmp_path / 'costs.csv'}",
            "--output",
            tmp_path / "sets.csv",
        ),
    ]
    out = run.output(*arguments)
    header = next(line for line in out.splitlines() if "Features" in line)
    assert "Group" in header
    assert "Cost" in header
    assert about(out, "No group") == snapshot
    assert about(out, "Groups") == snapshot
    lines = (tmp_path / "sets.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "set,feature,score,group,quality,status,cost"
    assert any(line.startswith("0,S1_mean,") and line.endswith(",5.0") for line in lines)


def test_a_set_below_zero_keeps_no_share(snapshot):
    scores = quality.Additive([5, -1, -2, -3, -4], feature_names=list("abcde"))
    result = altsets.find(scores, n_features=1, n_alternatives=1, tau=1)
    assert str(result.verdict) == snapshot
    many = altsets.find(scores, n_features=1, n_alternatives=4, tau=1)
    assert str(many.verdict) == snapshot
