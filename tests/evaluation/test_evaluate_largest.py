"""Searches for the largest tau, and for as many sets as there are: evaluated, and what if a feature is lost."""

from __future__ import annotations

import json

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

import altsets
from altsets import SelectAlternatives, Status, quality

FOLDS = KFold(3, shuffle=True, random_state=0)
LARGEST = [
    {"tau": "max", "within": 0.2},
    {"tau": "max", "within": 0.2, "search": "simultaneous"},
    {"n_alternatives": "max", "tau": 1, "within": 0.3},
    {"n_alternatives": "max", "tau": 1, "within": 0.3, "search": "simultaneous"},
    {"n_alternatives": "max", "tau": 0, "within": 0.1},
    {"n_alternatives": "max", "tau": 1, "search": "greedy-replacement"},
]


@pytest.fixture(scope="module", params=LARGEST, ids=str)
def fitted(wine, request):
    return SelectAlternatives("f", **{"n_features": 2, "n_alternatives": 2, **request.param}).fit(*wine)


def test_each_fold_has_as_many_sets_as_all_rows(fitted, wine):
    found = altsets.evaluate(fitted, *wine, cv=FOLDS)
    assert found.n_sets == len(fitted.alternatives_) > 1
    assert {len(fold.statuses) for fold in found.folds} == {found.n_sets}
    train, _ = next(FOLDS.split(*wine))
    X, y = wine
    alone = SelectAlternatives(**fitted.get_params()).fit(X.iloc[train], y.iloc[train])
    assert list(found.folds[0].sets) == alone.result_.sets[: found.n_sets]


def test_so_does_a_pipeline(fitted, wine):
    found = altsets.evaluate(make_pipeline(fitted, LogisticRegression(max_iter=10_000)), *wine, cv=FOLDS)
    assert found.n_sets == len(fitted.alternatives_)
    expected = altsets.evaluate(fitted, *wine, cv=FOLDS)
    assert [fold.sets for fold in found.folds] == [fold.sets for fold in expected.folds]


def test_the_best_set_without_each_feature(fitted, wine):
    scores = quality.Additive.from_data(*wine, measure="f")
    losses = altsets.what_if(scores, fitted.result_)
    for loss in losses.losses:
        rest = altsets.find(scores, 2, 0, constraints=altsets.constraints.Forbid(loss.name))
        assert loss.quality == pytest.approx(rest.objective)
        assert loss.status is Status.OPTIMAL


def test_beside_existing_sets_a_replacement_differs_by_the_tau_that_was_found():
    scores = quality.Additive([9, 8, 8, 8, 7, 7, 2], feature_names=list("abcdefg"))
    result = altsets.find(scores, 2, 0, tau="max", within=0.2, existing=[["a", "b"]])
    assert (result.named_sets, result.tau) == ([("c", "d")], 1.0)
    losses = altsets.what_if(scores, result)
    assert [loss.named_set for loss in losses.losses] == [("d", "e"), ("c", "e")]
    limited = altsets.find(scores, 2, 0, tau=0.5, within=0.2, existing=[["a", "b"]])
    assert [loss.quality for loss in altsets.what_if(scores, limited).losses] == [16, 17]


def test_reports_and_lines_say_what_was_asked(fitted, wine, tmp_path):
    path = tmp_path / "report.html"
    fitted.result_.report(path, evaluation=altsets.evaluate(fitted.result_, *wine, cv=FOLDS))
    assert path.stat().st_size > 10_000
    assert altsets.verify(fitted.result_, quality.Additive.from_data(*wine, measure="f")).ok
    space = {"X": wine[0], "y": wine[1]}
    exec(fitted.result_.request.to_python(), space)
    assert space["selector"].result_ == fitted.result_
    assert "max" in fitted.result_.request.to_command()


@pytest.mark.parametrize("asked", LARGEST, ids=str)
def test_on_the_command_line(asked, run, wine, tmp_path):
    table = wine[0].assign(kind=wine[1])
    table.to_csv(tmp_path / "wine.csv", index=False)
    given = {"n_features": 2, "n_alternatives": 2, **asked}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    called = ["find", str(tmp_path / "wine.csv"), "--target=kind", "--quality=f", *options]
    more = ["--evaluate", "--cv=2", "--n-repeats=1", f"--report={tmp_path / 'report.html'}", "--json"]
    status, printed, said = run(*called, *more)
    assert status == 0, said
    document = json.loads(printed)
    n_sets = len(document["sets"])
    assert {len(fold["statuses"]) for fold in document["evaluation"]["folds"]} == {n_sets}
    assert run(*called, "--what-if")[0] == 0
