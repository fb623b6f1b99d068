"""Churn: a second model that shares no column with the first, so that both do not fail on the same broken feed.

Run with --small for a smaller table.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import altsets


def customers(n_rows, seed=7):
    """A table as a telephone company has it: numbers, categories, holes, and several traces of the same behaviour."""
    rng = np.random.default_rng(seed)
    unhappy, price_aware, new = rng.normal(size=(3, n_rows))
    table = pd.DataFrame(
        {
            "calls to support": rng.poisson(np.exp(0.6 * unhappy)),
            "days since complaint": np.round(60 * np.exp(-0.7 * unhappy + 0.3 * rng.normal(size=n_rows))),
            "rating": np.round(np.clip(3.5 - unhappy + 0.5 * rng.normal(size=n_rows), 1, 5)),
            "open tickets": rng.poisson(np.exp(0.5 * unhappy - 0.5)),
            "contract": np.where(new + 0.5 * rng.normal(size=n_rows) > 0.3, "monthly", "two years"),
            "months as customer": np.round(np.exp(3 - 0.8 * new + 0.3 * rng.normal(size=n_rows))),
            "payment": np.where(new + rng.normal(size=n_rows) > 0.4, "invoice", "direct debit"),
            "monthly charge": np.round(40 + 12 * price_aware + 4 * rng.normal(size=n_rows), 2),
            "discount asked for": np.where(price_aware + 0.7 * rng.normal(size=n_rows) > 0.5, "yes", "no"),
            "visits to price page": rng.poisson(np.exp(0.7 * price_aware)),
            "data used": np.round(np.exp(rng.normal(2, 1, n_rows)), 2),
            "minutes abroad": rng.poisson(5, n_rows),
            "region": rng.choice(["north", "east", "south", "west"], n_rows),
            "phone": rng.choice(["basic", "middle", "high"], n_rows),
        }
    )
    for column, share in {"rating": 0.3, "days since complaint": 0.2, "data used": 0.05}.items():
        table.loc[rng.random(n_rows) < share, column] = np.nan
    texts = table.select_dtypes(include=["object", "string"]).columns
    table[texts] = table[texts].astype("category")
    leaves = 1.1 * unhappy + 0.9 * price_aware + 1.0 * new + rng.logistic(size=n_rows) > 2.2
    return table, pd.Series(np.where(leaves, "leaves", "stays"), name="churn")


X, y = customers(600 if "--small" in sys.argv else 4000)
print(f"{len(X):,} customers, {X.shape[1]} columns; {np.mean(y == 'leaves'):.0%} leave.\n")

# The model of the house: it encodes text itself, and takes whatever columns it is given.
model = make_pipeline(
    make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        remainder="passthrough",
    ),
    HistGradientBoostingClassifier(max_iter=50, random_state=0),
)

# Two sets that share nothing, found anew in each fold, and judged by this very model.
selector = altsets.SelectAlternatives("mutual_info", n_features=5, n_alternatives=1, tau=1)
evaluation = altsets.evaluate(
    selector, X, y, estimator=model, scoring=["balanced_accuracy", "recall"], pos_label="leaves", margin=0.05
)
print(evaluation.summary())

# What goes into production: the second model asks for its five columns and no others.
selector.fit(X, y)
second = make_pipeline(selector.get_alternative(1).set_output(transform="pandas"), model).fit(X, y)
columns = list(selector.alternatives_[1].names)
print(f"\nThe second model needs {', '.join(columns)}.")
print(f"First five customers: {', '.join(second.predict(X[columns].head()))}.")
