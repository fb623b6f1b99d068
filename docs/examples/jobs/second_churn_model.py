"""Churn: a backup model that shares no column with the first, so that one broken feed does not stop both.

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
    """A telephone company's table: numbers, categories, missing values, several traces of the same behaviour."""
    rng = np.random.default_rng(seed)
    unhappy, price_aware, new = rng.normal(size=(3, n_rows))
    table = pd.DataFrame(
        {
            "calls to support": rng.poisson(np.exp(0.6 * unhappy)),
            "days since complaint": np.round(
                60 * np.exp(-0.7 * unhappy + 0.3 * rng.normal(size=n_rows))
            ),
            "rating": np.round(np.clip(3.5 - unhappy + 0.5 * rng.normal(size=n_rows), 1, 5)),
            "open tickets": rng.poisson(np.exp(0.5 * unhappy - 0.5)),
            "contract": np.where(new + 0.5 * rng.normal(size=n_rows) > 0.3, "monthly", "two years"),
            "months as customer": np.round(np.exp(3 - 0.8 * new + 0.3 * rng.normal(size=n_rows))),
            "payment": np.where(new + rng.normal(size=n_rows) > 0.4, "invoice", "direct debit"),
            "monthly charge": np.round(40 + 12 * price_aware + 4 * rng.normal(size=n_rows), 2),
            "discount asked for": np.where(
                price_aware + 0.7 * rng.normal(size=n_rows) > 0.5, "yes", "no"
            ),
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

# The model in use: it encodes text itself, and takes whatever columns it is given.
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


def tried(selector):
    """How well this model predicts with the sets of a selector, searched inside the folds."""
    return altsets.evaluate(
        selector,
        X,
        y,
        estimator=model,
        scoring=["recall", "balanced_accuracy"],
        pos_label="leaves",
        margin=0.05,  # agreed beforehand: a backup may miss 5 more of 100 customers who leave
        n_repeats=1,
    )


print("=== One set after the other ===\n")
# First attempt: the best five columns, and the best other five.
one_by_one = altsets.SelectAlternatives("mutual_info", n_features=5, n_alternatives=1, tau=1)
evaluation = tried(one_by_one)
print(evaluation.summary())
main, backup = evaluation.mean_scores("recall")
conclusion = evaluation.comparisons[0].conclusion

print("\n=== Both sets together ===\n")
# Second attempt: both sets chosen together, so that the weaker one is as good as possible.
together = altsets.SelectAlternatives(
    "mutual_info", n_features=5, n_alternatives=1, tau=1, search="simultaneous", aggregation="min"
).fit(X, y)
pair = tried(together)
for number, found in enumerate(together.alternatives_):
    print(
        f"set {number}, recall {pair.mean_scores('recall')[number]:.3f}: {', '.join(found.names)}"
    )
print(pair.comparisons[0].sentence)

print("\n=== Decision ===\n")
print(f"Set 1 as a backup: {conclusion} (recall {backup:.3f} against {main:.3f}).")
weaker = min(pair.mean_scores("recall"))
if conclusion in ("better", "equivalent", "non-inferior"):
    print("Deploy set 0, with set 1 as its backup.")
elif weaker > backup:
    print(
        "Do not deploy set 1. "
        f"After a broken feed, the pair still finds {weaker:.0%} of those who leave."
    )
else:
    print("Do not deploy set 1, nor the pair: there is no good backup without shared columns.")

# A backup in production asks for its five columns and no others.
columns = list(together.alternatives_[1].names)
second = make_pipeline(together.get_alternative(1).set_output(transform="pandas"), model).fit(X, y)
print(f"The second model of the pair needs {', '.join(columns)}.")
print(
    f"It expects {np.mean(second.predict(X[columns]) == 'leaves'):.0%} of the customers to leave."
)
