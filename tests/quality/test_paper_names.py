"""The names that Bach (2023) has for qualities: accepted wherever a quality is, and kept under ours."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from typer.testing import CliRunner

import altsets
from altsets import SelectAlternatives, Session
from altsets.cli import app
from altsets.errors import InputError
from altsets.request import Request

NAMES = {"mi": "mutual_info", "model_gain": "importance", "greedy_wrapper": "wrapper"}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 6))
    return X, (X[:, 0] + X[:, 3] + rng.normal(size=80) > 0).astype(int)


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "table.csv"
    X, y = table
    lines = ["a,b,c,d,e,f,class"]
    lines += [
        ",".join(f"{value:.4f}" for value in row) + f",{label}" for row, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path


def run(*words):
    answer = CliRunner().invoke(app, [str(word) for word in words])
    return answer.exit_code, answer.stdout if answer.exit_code == 0 else answer.output


@pytest.mark.parametrize(("paper", "ours"), NAMES.items())
def test_a_request_keeps_our_name(paper, ours):
    asked = Request(quality=paper)
    assert asked.quality.name == ours
    assert asked.engine == ("greedy-wrapper" if paper == "greedy_wrapper" else "auto")
    assert asked == Request(quality=ours, engine=asked.engine)
    document = json.loads(asked.to_json())
    assert document["quality"] == {"name": ours}
    assert Request.from_json(asked.to_json()) == asked


def test_the_paper_is_found_again_where_only_its_name_sets_the_engine(table):
    X, y = table
    asked = Request(n_features=2, quality="greedy_wrapper", quality_params={"max_iters": 7})
    lines = asked.to_python()
    assert "greedy_wrapper" in lines
    known = {"X": X, "y": y}
    exec(lines, known)
    assert known["selector"].result_.request == asked
    # Another engine is only known to find(), as before.
    with pytest.raises(InputError, match="local-search"):
        Request(n_features=2, quality="wrapper", engine="local-search").to_python()


@pytest.mark.parametrize("engine", ["local-search", "exhaustive"])
def test_a_contradicting_engine_is_refused(engine, file, refused):
    with refused(InputError):
        Request(quality="greedy_wrapper", engine=engine)
    code, said = run("find", file, "--target", "class", "--quality", "greedy_wrapper", "--engine", engine)
    assert code == 2
    assert "greedy_wrapper" in said


def test_the_engine_that_the_name_sets_may_be_named_as_well():
    assert Request(quality="greedy_wrapper", engine="greedy-wrapper") == Request(quality="greedy_wrapper")


@pytest.mark.parametrize(("paper", "ours"), NAMES.items())
def test_the_estimator_takes_them(paper, ours, table):
    settings = {"n_features": 2, "n_alternatives": 1, "random_state": 25}
    if paper == "greedy_wrapper":
        settings["quality_params"] = {"max_iters": 12}
    found = SelectAlternatives(paper, **settings).fit(*table)
    assert found.get_params()["quality"] == paper
    if paper == "greedy_wrapper":
        assert found.result_.engine == "greedy-wrapper"
        assert 1 < found.result_.iterations <= 2 * 12
    else:
        assert found.result_ == SelectAlternatives(ours, **settings).fit(*table).result_


def test_evaluation_searches_each_fold_by_the_same_engine(table):
    X, y = table
    few = {"max_iters": 3}
    selector = SelectAlternatives("greedy_wrapper", n_features=2, n_alternatives=1, quality_params=few)
    splits = list(StratifiedKFold(3).split(X, y))
    evaluation = altsets.evaluate(selector, X, y, cv=splits)
    for (train, _), fold in zip(splits, evaluation.folds, strict=True):
        alone = clone(selector).fit(X[train], y[train]).result_
        assert alone.engine == "greedy-wrapper"
        assert list(fold.sets) == alone.sets


def test_sessions_take_them_and_the_engine_goes_with_the_quality(table):
    session = Session(*table, "greedy_wrapper", n_features=2, n_alternatives=1, random_state=25)
    assert session.result.engine == "greedy-wrapper"
    X, y = table
    splits = list(StratifiedKFold(2).split(X, y))
    for (train, _), fold in zip(splits, session.evaluate(cv=splits).folds, strict=True):
        alone = Session(X[train], y[train], "greedy_wrapper", n_features=2, n_alternatives=1)
        assert list(fold.sets) == alone.result.sets
    assert session.state["quality"] == "greedy_wrapper"
    session.set(quality="mi")
    assert session.state["quality"] == "mutual_info"
    assert session.result.engine == "additive"
    session.set(quality="wrapper")
    assert session.result.engine == "exhaustive"
    assert "'greedy_wrapper'" in session.to_python().replace('"', "'")


@pytest.mark.parametrize("command", ["find", "frontier", "near-best"])
@pytest.mark.parametrize(("paper", "ours"), NAMES.items())
def test_the_commands_take_them(command, paper, ours, file):
    words = [command, file, "--target", "class", "-k", "2", "--json", "--time-limit", "60"]
    words += ["-a", "1"] if command != "near-best" else []
    words += ["--max-iters", "5"] if paper == "greedy_wrapper" and command != "near-best" else []
    code, said = run(*words, "--quality", paper)
    assert code == 0, said
    if paper != "greedy_wrapper":
        assert json.loads(said)["parameters"]["quality"] == ours
