"""Guards before a search: each fires on the mistake that it is about, and not on a table that only looks like it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from altsets import SelectAlternatives, evaluate
from altsets.errors import InputError
from altsets.quality import CFS, FCBF, MRMR, Additive, Wrapper

pd = pytest.importorskip("pandas")


def made(n_rows=80, n_columns=4, seed=0):
    """A table whose first columns say something about the target, and its target."""
    rng = np.random.default_rng(seed)
    y = pd.Series(rng.permutation(np.arange(n_rows) % 2), name="ill")
    values = rng.normal(size=(n_rows, n_columns)) + y.to_numpy()[:, None] * np.linspace(1, 0, n_columns)
    return pd.DataFrame(values, columns=[f"f{index}" for index in range(n_columns)]), y


def fitted(X, y, **parameters):
    return SelectAlternatives(**{"n_features": 2, "n_alternatives": 1, **parameters}).fit(X, y)


# --- Rows in another order --------------------------------------------------------------------------------

ENTRANCES = {
    "fit": fitted,
    "Additive": Additive.from_data,
    "MRMR": MRMR.from_data,
    "FCBF": FCBF.from_data,
    "CFS": CFS.from_data,
    "Wrapper": Wrapper.from_data,
    "evaluate": lambda X, y: evaluate([["f0"]], X, y, cv=3),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_the_same_rows_in_another_order_are_refused(entrance):
    X, y = made()
    shuffled = y.sample(frac=1, random_state=1)
    with pytest.raises(InputError, match=r"same row labels in another order.*y = y\.loc\[X\.index\]"):
        ENTRANCES[entrance](X, shuffled)
    ENTRANCES[entrance](X, shuffled.loc[X.index])
    ENTRANCES[entrance](X, shuffled.to_numpy())


def test_weights_and_groups_in_another_order_are_refused():
    X, y = made()
    other = pd.Series(1.0, index=X.index[::-1])
    with pytest.raises(InputError, match=r"sample_weight = sample_weight\.loc\[X.index\]"):
        SelectAlternatives(n_features=2).fit(X, y, sample_weight=other)
    with pytest.raises(InputError, match="X and groups have the same row labels in another order"):
        SelectAlternatives(n_features=2).fit(X, y, groups=other)
    with pytest.raises(InputError, match="X and groups have the same row labels in another order"):
        evaluate([["f0"]], X, y, groups=other)


def test_labels_that_occur_more_than_once_have_another_remedy():
    X, y = made()
    X.index, y.index = np.repeat(["a", "b"], 40), np.tile(["a", "b"], 40)
    with pytest.raises(InputError, match="same sorting of both"):
        fitted(X, y)


def test_rows_of_another_part_of_the_table_are_refused():
    X, y = made()
    with pytest.raises(InputError, match=r"different row labels .40 of 40 in y are not in X, such as"):
        fitted(
            X.iloc[20:60].sample(frac=1, random_state=0),
            pd.concat([y[:20], y[60:]]).set_axis(range(900, 940)),
        )
    with pytest.raises(InputError, match="take both from the same rows"):
        fitted(X[1:41], y[2:42])


@pytest.mark.parametrize("kind", ["split", "scaled", "reset target", "sorted", "polars", "array"])
def test_rows_that_belong_together_are_taken(kind):
    X, y = made()
    X_train, _, y_train, _ = train_test_split(X, y, random_state=0)
    pairs = {
        "split": lambda: (X_train, y_train),
        # What becomes of a table that went through an array: its labels count from 0 and name nothing.
        "scaled": lambda: (pd.DataFrame(X_train.to_numpy(), columns=X.columns), y_train),
        "reset target": lambda: (X_train, y_train.reset_index(drop=True)),
        "sorted": lambda: (X.sort_values("f0"), y.loc[X.sort_values("f0").index]),
        "polars": lambda: (pytest.importorskip("polars").from_pandas(X), y.sample(frac=1, random_state=0)),
        "array": lambda: (X.to_numpy(), y.sample(frac=1, random_state=0)),
    }
    assert len(fitted(*pairs[kind]()).alternatives_) == 2
