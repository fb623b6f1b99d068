"""``altsets frontier --costs`` as a user meets it: what is printed where, and the exit status."""

from __future__ import annotations

import json

import numpy as np
import pytest

import altsets


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A table whose columns say less and less about the target, and what each costs."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    columns = {f"c{j}": y + (j + 1) * rng.normal(size=60) for j in range(6)} | {"y": y}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    (tmp_path / "costs.csv").write_text("feature,cost\nc0,5\nc1,3.5\nc2,2\nc3,2\n")
    return "table.csv"


def ask(table, *more):
    return ("frontier", table, "-t", "y", "--quality", "pearson", "-k", 2, *more)


def test_points_are_those_of_the_library(run, table):
    code, out, _ = run(*ask(table, "--costs", "costs.csv", "--json"))
    found = altsets.results.Frontier.from_json(out)
    data = altsets.read_table(table, "y")
    scores = altsets.quality.Additive.from_data(data.X, data.y, measure="pearson")
    front = altsets.frontier(scores, 2, against={"c0": 5, "c1": 3.5, "c2": 2, "c3": 2})
    assert code == 0
    assert [(point.quality, point.against, point.result.sets, point.status) for point in found] == [
        (point.quality, point.against, point.result.sets, point.status) for point in front
    ]
    assert json.loads(out)["complete"]


def test_lines_and_report(run, table, tmp_path, snapshot):
    code, out, err = run(*ask(table, "--costs", "costs.csv", "--report", "report.html"))
    assert code == 0
    assert out == snapshot
    assert "c0, c" in out
    assert "report.html" in err
    assert "curve-points" in (tmp_path / "report.html").read_text("utf-8")


def test_sets_that_are_not_good_enough_are_left_out(run, table):
    code, out, _ = run(*ask(table, "--costs", "costs.csv", "--within", "5%", "--json"))
    best, *others = [point.quality for point in altsets.results.Frontier.from_json(out)]
    assert code == 0
    assert min(others, default=best) >= 0.95 * best


def test_points_are_evaluated(run, table):
    code, out, _ = run(*ask(table, "--costs", "costs.csv", "--evaluate", "--json"))
    found = altsets.results.Evaluations.from_json(out)
    assert code == 0
    assert len(found) == len(found.frontier) > 1
    assert "Score" in run(*ask(table, "--costs", "costs.csv", "--evaluate"))[1]


@pytest.mark.parametrize(("more", "said"), [
    (("--costs", "costs.csv", "--by", "penalty"), "--by penalty and --costs were both given"),
    (("--costs", "none.csv"), "none.csv"),
])  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(run, table, more, said):
    err = run.error(*ask(table, *more))
    assert said in err


def test_no_point(run, table):
    err = run.error(*ask(table, "--costs", "costs.csv", "--require", "c0", "--forbid", "c0"), code=1)
    assert "c0" in err
