"""Progress of diabetes: what to measure if one value is lost, or if the budget is limited?"""

from sklearn.datasets import load_diabetes

import altsets
from altsets import constraints, quality

X, y = load_diabetes(return_X_y=True, as_frame=True)
cfs = quality.CFS.from_data(X, y)


def best_set(*rules):
    """The best four features under these rules, and their quality."""
    result = altsets.find(cfs, n_features=4, n_alternatives=0, constraints=rules)
    return ", ".join(result.named_sets[0]), result.qualities[0]


names, first = best_set()
print(f"{'the best set':<28}{first:.3f}  {names}")

# What each of its measurements is worth: the best set without it, proven.
for lost in names.split(", "):
    others, value = best_set(constraints.Forbid(lost))
    print(f"{'without ' + lost:<28}{value:.3f}  {others}")

# s1 to s6 need a blood sample; body mass and blood pressure do not.
costs = {"s1": 5, "s2": 5, "s3": 5, "s4": 10, "s5": 20, "s6": 5, "bp": 1, "bmi": 1}
for limit in (30, 20, 10):
    others, value = best_set(constraints.Budget(costs, limit))
    print(f"{f'for at most {limit}':<28}{value:.3f}  {others}")
