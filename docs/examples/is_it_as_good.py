"""Tumours: does a second set predict unseen rows as well as the first?"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold

import altsets

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = altsets.SelectAlternatives("f", n_features=4, n_alternatives=1, tau=0.75)
evaluation = altsets.evaluate(
    selector,
    X,
    y,
    estimator="linear",
    cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0),
    margin=0.05,  # a loss that would not matter, chosen before looking
)

for number, score in enumerate(evaluation.mean_scores()):
    print(f"set {number}: Matthews correlation {score:.3f}")
(comparison,) = evaluation.comparisons
print(comparison.sentence)

chosen = 1 if comparison.conclusion in ("better", "equivalent", "non-inferior") else 0
print(f"Use set {chosen}: {', '.join(selector.fit(X, y).alternatives_[chosen].names)}")
