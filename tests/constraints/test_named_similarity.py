"""A similarity that is only named is measured where the table is known: selector, folds, command line."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from words import about

import altsets
from altsets import SelectAlternatives, measures, quality
from altsets.constraints import Forbid, MaxSimilarity
from altsets.errors import InputError
from altsets.files.dataset import read_columns

LIMIT = 0.9


@pytest.fixture
def data():
    """Pairs of columns that say nearly the same, three classes."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 150)
    shared = rng.normal(size=(150, 4)) + y[:, None] * np.arange(1, 5)
    X = shared.repeat(2, axis=1) + 0.3 * rng.normal(size=(150, 8))
    return pd.DataFrame(X, columns=[f"s{j // 2}_{j % 2}" for j in range(8)]), y


def most_alike(X, measure, chosen):
    numbers = np.asarray(measures.pairwise(X, measure))
    return max(numbers[i, j] for i, j in itertools.combinations(chosen, 2))


def selector(measure="spearman", limit=LIMIT, **more):
    return SelectAlternatives(
        "f", n_features=3, n_alternatives=1, constraints=MaxSimilarity(measure, limit), **more
    )


@pytest.mark.parametrize("measure", ["spearman", "pearson", "symmetrical_uncertainty"])
def test_the_selector_measures_its_table(data, measure):
    X, y = data
    limit = float(np.quantile(np.asarray(measures.pairwise(X, measure))[np.triu_indices(8, 1)], 0.8))
    fitted = selector(measure, limit).fit(X, y)
    assert all(most_alike(X, measure, chosen) <= limit for chosen in fitted.result_.sets)
    plain = SelectAlternatives("f", n_features=3, n_alternatives=1).fit(X, y)
    assert any(most_alike(X, measure, chosen) > limit for chosen in plain.result_.sets)
    given = MaxSimilarity.from_data(X, measure, limit)
    same = altsets.find(fitted_quality(X, y), 3, 1, constraints=given)
    assert same.sets == fitted.result_.sets
    assert fitted.result_.parameters["constraints"] == [
        {"kind": "max_similarity", "limit": limit, "similarity": measure}
    ]
    again = clone(fitted).fit(X, y)
    assert again.result_.sets == fitted.result_.sets


def fitted_quality(X, y):
    return quality.Additive.from_data(X, y, measure="f")


def test_rows_count_as_much_as_they_weigh(data):
    X, y = data
    weights = np.r_[np.ones(75), np.zeros(75)]
    fitted = selector("pearson").fit(X, y, sample_weight=weights)
    half = selector("pearson").fit(X[:75], y[:75])
    assert fitted.result_.sets == half.result_.sets


def test_what_is_wrong_is_said_before_the_table_is_scored(data, monkeypatch):
    X, y = data
    for late in ("score", "pairwise"):
        monkeypatch.setattr(measures, late, lambda *_, **__: pytest.fail("scored a request that is wrong"))
    wrong = SelectAlternatives("f", constraints=[MaxSimilarity("spearman", 0.9), Forbid("nobody")])
    with pytest.raises(InputError, match="nobody"):
        wrong.fit(X, y)


def test_each_fold_measures_its_own_rows(data):
    X, y = data
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    limits = []
    seen = []
    original = measures.pairwise

    def spy(table, measure, **options):
        seen.append(table.values.shape[0])
        return original(table, measure, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures.pairs, "pairwise", spy)
        evaluation = altsets.evaluate(selector(), X, y, cv=folds)
    # And all rows for what features say about each other, by which nothing is decided.
    assert seen.count(100) == 3
    for (training, _), sets in zip(folds.split(X, y), evaluation.folds, strict=True):
        limits += [most_alike(X.iloc[training], "spearman", chosen) for chosen in sets.sets]
    assert len(limits) == 6
    assert max(limits) <= LIMIT


def test_find_has_no_table(refused):
    with refused(InputError):
        altsets.find(quality.Additive([2, 1]), 1, 0, constraints=MaxSimilarity("spearman", 0.9))


def test_the_command_line_measures_the_table(run, table):
    X = np.column_stack(read_columns(table).columns[:6]).astype(float)
    alike = np.asarray(measures.pairwise(X, "spearman"))
    limit = float(np.median(alike[np.triu_indices(6, 1)]))
    options = ("-k", 2, "-a", 0, "--quality", "f", "--json", "--max-similarity", repr(limit))
    out = run.printed("find", table, "-t", "y", *options)
    scores = quality.Additive.from_data(X, read_columns(table).columns[6], measure="f").scores
    valid = [pair for pair in itertools.combinations(range(6), 2) if alike[pair] <= limit]
    best = max(valid, key=lambda pair: scores[pair[0]] + scores[pair[1]])
    assert json.loads(out)["sets"][0]["indices"] == list(best)
    assert best != (0, 1)


def test_saved_scores_need_the_table_for_that(run, table, tmp_path, snapshot):
    saved = tmp_path / "scores.csv"
    options, scored = ("-k", 2, "-a", 0), ("--quality", "f")
    assert run("find", table, "-t", "y", *options, *scored, "--save-scores", saved)[0] == 0
    err = run.error("find", "--scores", saved, *options, "--max-similarity", "0.5")
    assert err == snapshot
    assert err.count("\n") == 1
    with_table = ("find", table, "-t", "y", *options, "--max-similarity", "0.7", "--json")
    first, second = run(*with_table, *scored), run(*with_table, "--scores", saved)
    assert (first[0], second[0]) == (0, 0)
    assert [one["features"] for one in json.loads(first[1])["sets"]] == [
        one["features"] for one in json.loads(second[1])["sets"]
    ]


def test_the_command_line_asks_for_the_same_in_each_fold(run, table, snapshot):
    options = ("-k", 2, "-a", 1, "--quality", "f", "--max-similarity", "0.9:pearson", "--evaluate")
    out = run.printed("find", table, "-t", "y", *options)
    assert about(" ".join(out.split()), "anew") == snapshot
