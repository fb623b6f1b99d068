"""Weights, columns and targets at the end of what floats can hold: the right score, or one refusal by all."""

import warnings

import numpy as np
import pytest

import altsets
from altsets import measures, quality
from altsets.errors import InputError
from altsets.measures import SURVIVAL_MEASURES

RNG = np.random.default_rng(0)
N = 40
X = np.abs(RNG.normal(size=(N, 3)))
CLASSES = (X[:, 0] + 0.3 * RNG.normal(size=N) > 0.7).astype(int)
AMOUNTS = X[:, 0] + RNG.normal(size=N)

BY_MODELS = ("importance", "permutation", "shap")
NAMES = [name for name in measures.MEASURES if name != "shap"]

WEIGHTS = {
    "huge": np.full(N, 1e308),
    "some huge": np.append(np.ones(N - 1), 1e308),
    "large": RNG.random(N) * 1e200,
    "tiny": np.full(N, 1e-320),
    "some tiny": np.append(np.ones(N - 1), 1e-320),
    "infinite": np.append(np.ones(N - 1), np.inf),
    "nan": np.append(np.ones(N - 1), np.nan),
    "negative": np.append(np.ones(N - 1), -1.0),
    "nothing": np.zeros(N),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_extreme_weights_are_refused_by_all(weights):
    selector = altsets.SelectAlternatives("f", n_features=1, n_alternatives=1)
    ways = [
        *(
            lambda name=name: measures.score(X, CLASSES, name, sample_weight=weights)
            for name in measures.MEASURES
        ),
        *(
            lambda name=name: measures.pairwise(X, name, sample_weight=weights)
            for name in measures.PAIR_MEASURES
        ),
        lambda: quality.Wrapper("tree", X, CLASSES, sample_weight=weights),
        lambda: altsets.evaluate([[0]], X, CLASSES, sample_weight=weights, n_repeats=1),
        lambda: selector.fit(X, CLASSES, sample_weight=weights),
    ]
    said = set()
    for way in ways:
        with pytest.raises(InputError, match="sample_weight") as caught:
            way()
        said.add(str(caught.value))
    assert len(said) == 1


def scores_of(name, table, target):
    if name in SURVIVAL_MEASURES:
        target = altsets.io.survival_target(time=np.abs(target), event=np.arange(len(target)) % 3 > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return measures.score(table, target, name)[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000])
@pytest.mark.parametrize("target", [CLASSES, AMOUNTS], ids=["classes", "amounts"])
def test_the_unit_of_a_column(name, unit, target, refused):
    if name == "chi2" and target is AMOUNTS:
        pytest.skip("chi2 is about classes")
    table = X * [1, unit, 1]
    if name in BY_MODELS:
        with refused(InputError):
            scores_of(name, table, target)
        return
    factor = np.array([1, unit if name == "chi2" else 1, 1])
    assert scores_of(name, table, target) == pytest.approx(scores_of(name, X, target) * factor, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "chi2"])
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**500, 2.0**-500, 2.0**-1000])
def test_the_unit_of_the_target(name, unit, refused):
    if name in BY_MODELS:
        with refused(InputError):
            scores_of(name, X, AMOUNTS * unit)
        return
    assert scores_of(name, X, AMOUNTS * unit) == pytest.approx(scores_of(name, X, AMOUNTS), rel=1e-9)


@pytest.mark.parametrize("name", measures.PAIR_MEASURES)
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000])
def test_the_unit_of_a_column_among_pairs(name, unit):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = measures.pairwise(X * [1, unit, 1], name)
    assert found == pytest.approx(measures.pairwise(X, name), rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1.7e308, 1e-320, 5e-324])
def test_columns_at_the_very_end_are_scored_or_refused(name, size):
    table = X.copy()
    table[:, 1] = np.where(X[:, 1] > 0.5, size, 0)
    try:
        scores = scores_of(name, table, CLASSES)
    except InputError:
        assert name in BY_MODELS
    else:
        assert np.isfinite(scores).all()
