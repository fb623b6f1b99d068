"""The caution on batches: it fires where chosen features are artefacts of one, and not where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from altsets import SelectAlternatives

pd = pytest.importorskip("pandas")


def table(seed: int, effect: float):
    """Ten features with the target in them, and a batch in the first five and in the target."""
    rng = np.random.default_rng(seed)
    batch = rng.integers(0, 4, 200)
    y = rng.normal(size=200) + 0.8 * effect * batch
    X = pd.DataFrame(rng.normal(size=(200, 10)), columns=[f"g{index}" for index in range(10)])
    X += 0.1 * y[:, None]
    X.iloc[:, :5] += effect * batch[:, None]
    return X.assign(batch=[f"b{one}" for one in batch]), y, batch


def cautions(X, y, **more) -> list[str]:
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1, **more).fit(X, y)
    return [one for one in selector.result_.cautions if "batch" in one and "follow" in one]


@pytest.mark.parametrize("seed", range(5))
def test_artefacts_of_a_batch(seed: int) -> None:
    X, y, batch = table(seed, 1.5)
    forbidden = X.drop(columns="batch")
    (said,) = cautions(X.assign(batch=X.batch.astype("category")), y, constraints=_no_batch())
    assert "4 of 4 chosen features" in said
    assert cautions(forbidden.assign(batch=batch), y, constraints=_no_batch())
    assert not cautions(forbidden.assign(dose=batch), y)
    assert not cautions(X, y, adjust="batch")
    classes = np.where(y > np.median(y), "high", "low")
    assert cautions(X.assign(batch=batch), classes, constraints=_no_batch())


@pytest.mark.parametrize("seed", range(5))
def test_no_effect_of_a_batch(seed: int) -> None:
    X, y, _ = table(seed, 0.0)
    assert not cautions(X, y)


def test_words(snapshot) -> None:
    X, y, _ = table(0, 1.5)
    assert cautions(X, y, constraints=_no_batch()) == snapshot


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_target_as_a_column_of_categories(load) -> None:
    X, y = load(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    assert not cautions(X.assign(batch=rng.integers(0, 3, len(X))), y.map(str))


def _no_batch():
    from altsets.constraints import Forbid

    return [Forbid("batch")]
