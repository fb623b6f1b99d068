"""Credit: sets of attributes for a committee, without protected ones or their proxies, with a record for the audit.

Run with --small for fewer applicants.
"""

import json
import sys

import numpy as np
import pandas as pd

import altsets
from altsets import constraints


def applicants(n_rows, seed=5):
    """Applicants for a credit; some attributes tell the sex or the origin though they are called otherwise."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n_rows)
    origin = rng.choice(["here", "elsewhere"], n_rows, p=[0.8, 0.2])
    means = rng.normal(size=n_rows) - 0.35 * (origin == "elsewhere")
    order = rng.normal(size=n_rows) - 0.25 * (sex == "m")
    title = np.where(sex == "f", "Ms", "Mr")
    title[rng.random(n_rows) < 0.02] = "Dr"
    table = pd.DataFrame(
        {
            "sex": sex,
            "origin": origin,
            "title": title,
            "passport": np.where(rng.random(n_rows) < 0.97, origin, "here"),
            "income": np.round(np.exp(7.8 + 0.35 * means + 0.1 * rng.normal(size=n_rows)), -1),
            "savings": np.round(np.exp(8 + 0.9 * means + 0.7 * rng.normal(size=n_rows)), -2),
            "rent share": np.round(0.35 - 0.08 * means + 0.05 * rng.normal(size=n_rows), 2),
            "late payments": rng.poisson(np.exp(-0.8 * order - 0.3)),
            "years in job": np.round(np.exp(1.2 + 0.5 * order + 0.4 * rng.normal(size=n_rows)), 1),
            "overdrafts": rng.poisson(np.exp(-0.6 * order - 0.4 * means)),
            "cards": rng.poisson(2, n_rows),
            "moves": rng.poisson(1, n_rows),
            "purpose": rng.choice(["car", "house", "other"], n_rows),
        }
    )
    # What was decided in the past was not fair.
    favoured = 0.9 * (sex == "m") + 1.2 * (origin == "here")
    repays = 1.2 * means + 1.0 * order + favoured + rng.logistic(size=n_rows) > 0
    return table, pd.Series(np.where(repays, "repays", "defaults"), name="credit")


X, y = applicants(600 if "--small" in sys.argv else 5000)
print(f"{len(X):,} applicants, {X.shape[1]} attributes; {np.mean(y == 'repays'):.0%} repay.\n")

print("=== Forbidden by name alone ===\n")
forbidden = ["sex", "origin"]
by_name = altsets.SelectAlternatives(
    "mutual_info", n_features=3, constraints=[constraints.Forbid(forbidden)]
)
print(by_name.fit(X, y).result_.verdict)

print("\n=== Forbidden with proxies ===\n")
selector = altsets.SelectAlternatives(
    "mutual_info",
    n_features=3,
    n_alternatives=2,
    tau=0.6,
    constraints=[constraints.Forbid(forbidden, proxies=0.5)],
)
selector.fit(X, y)
for number, found in enumerate(selector.alternatives_):
    print(f"set {number}: {', '.join(found.names)}  (quality {found.quality:.4f}, {found.status})")

print("\n=== Do they predict? ===\n")
evaluation = altsets.evaluate(
    selector,
    X,
    y,
    estimator="linear",
    class_weight="balanced",
    scoring="balanced_accuracy",
    cv=5,
    n_repeats=2,
    margin=0.03,  # a loss that the committee accepts, agreed on beforehand
)
print(evaluation.summary())

print("\n=== What do they give away? ===\n")
# Can the protected attributes still be told from a set? Several attributes together may be a proxy.
for attribute in forbidden:
    sets = [found.names for found in selector.alternatives_]
    told = altsets.evaluate(
        sets,
        X,
        X[attribute],
        estimator="linear",
        class_weight="balanced",
        scoring="balanced_accuracy",
        n_repeats=1,
    )
    scores = ", ".join(f"{score:.2f}" for score in told.mean_scores())
    print(
        f"Predicting {attribute} from sets 0 to {len(sets) - 1}: {scores}; "
        f"a guess has {told.baseline:.2f}."
    )

print("\n=== Decision ===\n")
for comparison in evaluation.comparisons:
    print(f"Set {comparison.number} instead of set 0: {comparison.conclusion}.")

print("\n=== For the file ===\n")
# The record: the request, the data, the version, and what was proven.
record = json.loads(selector.result_.to_json())
print("constraints:", "; ".join(record["provenance"]["constraints"]))
print("status:", record["status"], "- proof:", record["proof"])
data = record["provenance"]["data"]
print("data:", f"{data['rows']:,} rows, {data['columns']} columns, sha256 {data['sha256'][:16]}...")
