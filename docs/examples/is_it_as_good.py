"""Tumours: does a second set predict unseen rows as well as the first?"""

from sklearn.datasets import load_breast_cancer

import altsets

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = altsets.SelectAlternatives("f", n_features=4, n_alternatives=1, tau=0.75)
evaluation = altsets.evaluate(
    selector,
    X,
    y,
    estimator="linear",
    scoring="roc_auc",  # probabilities differ less from fold to fold than yes and no do
)

for number, score in enumerate(evaluation.mean_scores()):
    print(f"set {number}: ROC AUC {score:.3f}")
(comparison,) = evaluation.comparisons
print(comparison.sentence)

chosen = 1 if comparison.conclusion in ("better", "equivalent", "non-inferior") else 0
print(f"Use set {chosen}: {', '.join(selector.fit(X, y).alternatives_[chosen].names)}")
