"""Models for other solvers have the optimum that find has."""

from __future__ import annotations

import json

import highspy
import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import constraints, quality
from altsets.errors import InputError, UnsupportedError

NAMES = ["age", "body height", "body_height", "1st", "w[0]", "ü", "g", "h"]
SCORES = quality.Additive([9, 8, 7.5, 3, 2.25, 6, -1, 4], feature_names=NAMES)
rng = np.random.default_rng(3)
PAIRS = rng.uniform(0, 1, (8, 8))
MRMR = quality.MRMR(rng.uniform(1, 2, 8), (PAIRS + PAIRS.T) / 2, feature_names=NAMES)


def optimum(path, variables):
    """The optimum of a model, and its sets by name."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.readModel(str(path))
    solver.run()
    names, values = solver.getLp().col_names_, solver.getSolution().col_value
    chosen = [
        variables[name]
        for name, value in zip(names, values, strict=True)
        if name in variables and value > 0.5
    ]
    sets = [
        tuple(sorted(name for number, name in chosen if number == one))
        for one in sorted({one for one, _ in chosen})
    ]
    return solver.getInfo().objective_function_value, sets


@pytest.mark.parametrize("ending", [".mps", ".lp"])
@pytest.mark.parametrize(("good", "asked"), [
    (SCORES, {"n_features": 3}),
    (SCORES, {"n_features": 3, "constraints": constraints.Exclusive(["age", "body height"])}),
    (SCORES, {"n_features": 2, "n_alternatives": 2, "tau": 0.5}),
    (SCORES, {"n_features": 2, "n_alternatives": 1, "tau": 1, "aggregation": "min"}),
    (SCORES, {"n_features": 3, "n_alternatives": 1, "tau": 0, "overlap_penalty": 2.5}),
    (SCORES, {"n_features": 3, "tau": 1, "existing": [["age", "g", "h"]]}),
    (MRMR, {"n_features": 3, "n_alternatives": 1, "tau": 0.6}),
])  # fmt: skip
def test_models_have_the_optimum_of_find(good, asked, ending, tmp_path):
    path = tmp_path / f"model{ending}"
    variables = altsets.export_model(good, **asked, path=path)
    value, sets = optimum(path, variables)
    found = altsets.find(good, search="simultaneous", **{"n_alternatives": 0} | asked)
    assert value == pytest.approx(found.objective, abs=1e-5)
    assert len(sets) == len(found.sets)
    assert {name for _, name in variables.values()} <= set(NAMES)


def test_a_name_with_a_table_or_scores_will_do(tmp_path):
    X = rng.normal(size=(40, 4))
    y = X[:, 0] > 0
    variables = altsets.export_model("f", 2, X=X, y=y, path=tmp_path / "one.lp")
    assert optimum(tmp_path / "one.lp", variables)[0] == pytest.approx(
        altsets.find("f", 2, 0, X=X, y=y).objective, rel=1e-6
    )
    assert altsets.export_model([3, 2, 1], 1, path=tmp_path / "two.mps") == {"s0_x0": (0, "x0")}


@pytest.mark.parametrize("asked", [
    {"path": "model.txt"}, {"tau": "max"}, {"n_alternatives": "max"},
    {"constraints": constraints.Forbid(NAMES[1:])},
])  # fmt: skip
def test_what_is_no_model(asked, refused, tmp_path):
    asked = {"path": tmp_path / "model.lp"} | asked
    with refused(InputError):
        altsets.export_model(SCORES, 2, **asked)


@pytest.mark.parametrize(("good", "asked"), [
    (quality.CFS(np.ones(8), np.eye(8)), {}), (SCORES, {"aggregation": "leximin"}),
    (SCORES, {"constraints": constraints.Custom(lambda chosen: True)}),
    (SCORES, {"dissimilarity": lambda first, second: 1.0, "n_alternatives": 1}),
])  # fmt: skip
def test_what_is_not_linear(good, asked, refused, tmp_path):
    with refused(UnsupportedError):
        altsets.export_model(good, 2, **asked, path=tmp_path / "model.lp")


def test_files_are_not_replaced(tmp_path):
    path = tmp_path / "model.lp"
    path.write_text("mine")
    with pytest.raises(InputError):
        altsets.export_model(SCORES, 2, path=path)
    assert path.read_text() == "mine"


def test_the_command_line_writes_the_same_file(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    X = rng.integers(0, 9, (30, 3)).astype(float)
    y = np.arange(30) % 2
    table = [["a b", "c", "d", "y"], *np.column_stack([X, y]).astype(int).tolist()]
    (tmp_path / "table.csv").write_text("\n".join(",".join(map(str, row)) for row in table), encoding="utf-8")
    asked = ("-k", 1, "-a", 1, "--tau", 1, "--quality", "f", "--model-file", "one.lp", "--json")
    out = run.output("export-model", "table.csv", "-t", "y", *asked)
    named = pd.DataFrame(X, columns=table[0][:3])
    variables = altsets.export_model("f", 1, 1, 1, X=named, y=y, path="two.lp")
    assert (tmp_path / "one.lp").read_bytes() == (tmp_path / "two.lp").read_bytes()
    assert {name: (one["set"], one["feature"]) for name, one in json.loads(out).items()} == variables
    assert run("export-model", "table.csv", "-k", 1, "--no-target")[0] == 2
