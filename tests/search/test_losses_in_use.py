"""The sets that are left after a loss, put to use: as selectors in pipelines, and cross-validated."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import altsets
from altsets import SelectAlternatives, constraints
from altsets.errors import InputError

X, Y = load_wine(return_X_y=True, as_frame=True)
HOW = {"estimator": GaussianNB(), "cv": 3, "n_repeats": 1, "scoring": ["accuracy", "matthews_corrcoef"]}


@pytest.fixture(scope="module")
def losses():
    result = altsets.find("f", 2, 0, X=X, y=Y)
    return altsets.what_if(None, result, ["flavanoids", "proline", "hue"], X=X, y=Y)


def test_a_selector_keeps_the_set_that_is_left(losses):
    for loss in losses.losses:
        selector = losses.selector(loss)
        assert clone(selector).fit_transform(X).tolist() == X[list(loss.named_set)].to_numpy().tolist()
        assert losses.selector(loss.name).features == list(loss.named_set)
    model = make_pipeline(losses.selector("proline"), GaussianNB()).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    kept = X[sorted(losses.losses[1].named_set, key=X.columns.get_loc)]
    assert (again.predict(kept) == GaussianNB().fit(kept, Y).predict(kept)).all()


def test_columns_without_names():
    result = altsets.find("f", 2, 0, X=X.to_numpy(), y=Y)
    lost = altsets.what_if(None, result, X=X.to_numpy(), y=Y)
    for loss in lost.losses:
        kept = lost.selector(loss).fit_transform(X.to_numpy())
        assert np.array_equal(kept, X.to_numpy()[:, list(loss.set)])


def test_scores_of_the_sets_that_are_left(losses):
    # The loss of a feature that is in no set changes nothing.
    assert losses.losses[2].named_set == losses.named_set
    sets = [losses.named_set, losses.losses[0].named_set, losses.losses[1].named_set]
    found = losses.evaluate(X, Y, **HOW)
    assert found == altsets.evaluate([list(names) for names in sets], X, Y, **HOW)
    frame = losses.to_frame(found)
    assert frame["set"].tolist() == [1, 2, 0]
    for scorer in ("accuracy", "matthews_corrcoef"):
        means = found.mean_scores(scorer)
        assert frame[f"test_{scorer}"].tolist() == [means[1], means[2], means[0]]
    conclusions = [entry.conclusion for entry in found.comparisons if entry.scorer == "accuracy"]
    assert frame["conclusion"].tolist() == [*conclusions, ""]
    assert losses.to_frame().equals(frame[losses.to_frame().columns])


def test_losses_that_no_set_survives(snapshot):
    search = SelectAlternatives(
        "f", n_features=2, n_alternatives=0, constraints=[constraints.Require("proline")]
    )
    lost = search.fit(X, Y).what_if(X, Y)
    assert [loss.named_set is None for loss in lost.losses] == [False, True]
    with pytest.raises(InputError) as refused:
        lost.selector("proline")
    assert str(refused.value) == snapshot
    frame = lost.to_frame(lost.evaluate(X, Y, **HOW))
    assert frame["set"].tolist()[0] == 1
    assert math.isnan(frame["test_accuracy"].tolist()[1])
    assert frame["conclusion"].tolist()[1] == ""


def test_other_losses_and_evaluations_are_refused(losses, snapshot):
    with pytest.raises(InputError) as refused:
        losses.selector("flavanoid")
    assert str(refused.value) == snapshot
    with pytest.raises(InputError) as refused:
        losses.to_frame(altsets.evaluate([["hue"]], X, Y, **HOW))
    assert str(refused.value) == snapshot
