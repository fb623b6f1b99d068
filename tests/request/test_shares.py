"""The number of features as a share of those that sets can have."""

import json
from math import floor

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import Request, SelectAlternatives, Session, quality
from altsets.errors import InputError


@pytest.mark.parametrize(("share", "n", "size"), [
    (0.1, 30, 3), (0.5, 7, 3), (0.01, 20, 1), (0.29, 100, 29), (0.999, 10, 9), (1 / 3, 9, 3),
])  # fmt: skip
def test_a_share_is_rounded_down_to_at_least_one(share, n, size):
    assert size in (max(1, floor(share * n)), max(1, round(share * n)))
    scored = quality.Additive(np.arange(n))
    assert len(altsets.find(scored, share, 0).sets[0]) == size
    assert len(next(altsets.iterate(scored, share)).sets[0]) == size
    selector = SelectAlternatives(np.arange(n), n_features=share, n_alternatives=0).fit(np.eye(n))
    assert selector.n_features_ == len(selector.alternatives_[0].names) == size
    session = Session(scored, n_features=np.float64(share), n_alternatives=0)
    assert len(session.sets[0]) == session.state["n_features"] == size


def mixed_table():
    g = np.random.default_rng(0)
    y = g.integers(0, 2, 60)
    columns = {f"x{number}": g.normal(size=60) + y for number in range(6)}
    return pd.DataFrame(columns | {"same": 1.0, "when": pd.date_range("2020-01-01", periods=60)}), y


def test_columns_that_cannot_be_used_do_not_count():
    X, y = mixed_table()
    asked = {"n_features": 0.5, "n_alternatives": 1}
    selector = SelectAlternatives("f", unusable="drop", **asked).fit(X, y)
    assert selector.n_features_ == 3
    assert len(altsets.find("f", **asked, X=X.drop(columns="when"), y=y).sets[0]) == 3
    assert len(Session(X, y, "f", unusable="drop", **asked).sets[0]) == 3


def test_requests_keep_shares(tmp_path):
    request = Request(n_features=0.25, quality="f")
    assert Request.from_json(request.to_json()) == request
    assert "n_features=0.25" in request.to_python()
    assert "--n-features=0.25" in request.to_command()
    assert request.sized(20).n_features == 5
    assert request.bind([f"x{number}" for number in range(8)]).n_features == 2


@pytest.mark.parametrize("text", ["0.5", "50%"])
def test_the_command_line_takes_shares(text, run, tmp_path):
    X, y = mixed_table()
    path = tmp_path / "table.csv"
    X.drop(columns="when").assign(y=y).to_csv(path, index=False)
    code, out, _ = run("find", path, "--target", "y", "--quality", "f", "-k", text, "-a", "1", "--json")
    assert (code, [len(found["features"]) for found in json.loads(out)["sets"]]) == (0, [3, 3])


@pytest.mark.parametrize("text", ["1.0", "100%", "-0.1", "half"])
def test_what_is_no_share_is_refused_by_the_command_line(text, run, table, snapshot):
    assert run.error("find", table, "--target", "y", f"--n-features={text}") == snapshot


@pytest.mark.parametrize("share", [1.0, np.float64(1), -0.5, 1.5, 0.0, float("nan"), True])
def test_what_is_no_share_is_refused(share, refused):
    with refused(InputError):
        altsets.find(quality.Additive([3, 2, 1]), share)
