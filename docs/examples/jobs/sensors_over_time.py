"""Sensors: two sets from different sensors, each within a budget, tested on later hours than they were fitted to.

Run with --small for fewer hours.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

import altsets
from altsets import constraints
from altsets.dissimilarity import Grouped

SENSORS = {"vibration": 40, "current": 15, "oil": 60, "sound": 25, "heat": 10, "pressure": 20}
VALUES = ("mean", "spread", "peak", "trend", "last")


def readings(n_hours, seed=3):
    """Five values of each of six sensors, hour by hour; wear shows in four of them, sooner or later."""
    rng = np.random.default_rng(seed)
    wear = np.cumsum(rng.normal(size=n_hours)) / 12
    wear -= np.convolve(wear, np.ones(200) / 200, mode="same")
    wear /= wear.std()
    seen = {"vibration": 1.3, "current": 0.9, "oil": 1.1, "sound": 1.0}
    columns = {}
    for sensor in SENSORS:
        signal = seen.get(sensor, 0.0) * wear + 0.5 * rng.normal(size=n_hours)
        for value in VALUES:
            columns[f"{sensor}__{value}"] = (signal + 0.7 * rng.normal(size=n_hours)).round(3)
    fails = wear + 0.3 * rng.normal(size=n_hours) > 1.0
    return pd.DataFrame(columns), np.where(fails, "fault within a day", "fine")


X, y = readings(800 if "--small" in sys.argv else 6000)
print(
    f"{len(X):,} hours, {X.shape[1]} values of {len(SENSORS)} sensors; {np.mean(y != 'fine'):.0%} before a fault.\n"
)

print("=== Two sets ===\n")
# The columns of one sensor are lost together, so sets must differ in sensors.
# And a sensor is paid for once, however many of its columns a set has.
sensor_of = {name: name.split("__")[0] for name in X.columns}
prices = {name: SENSORS[sensor] for name, sensor in sensor_of.items()}
selector = altsets.SelectAlternatives(
    "cfs",
    n_features=4,
    n_alternatives=1,
    tau=1,
    dissimilarity=Grouped(sensor_of),
    constraints=[constraints.Budget(prices, limit=70, groups=sensor_of)],
)
selector.fit(X, y)
for number, found in enumerate(selector.alternatives_):
    used = sorted({sensor_of[name] for name in found.names})
    price = sum(SENSORS[sensor] for sensor in used)
    print(
        f"set {number}: {', '.join(found.names)}\n  sensors: {', '.join(used)}, price {price} of 70"
    )
print(selector.result_.explain())

print("\n=== Do they predict? ===\n")
# A model must not be fitted to the future of its test rows, so folds follow time.
evaluation = altsets.evaluate(
    selector, X, y, estimator="linear", class_weight="balanced", cv=TimeSeriesSplit(5), margin=0.05
)
print(evaluation.summary())

print("\n=== Decision ===\n")
first, second = evaluation.mean_scores()
conclusion = evaluation.comparisons[0].conclusion
print(
    f"The second set is {conclusion} "
    f"({second:.3f} against {first:.3f}, baseline {evaluation.baseline:.3f})."
)
if conclusion in ("better", "equivalent", "non-inferior"):
    print("Buy either of the two.")
else:
    print("Buy the first set. Keep the second as an emergency backup, not as a replacement.")
