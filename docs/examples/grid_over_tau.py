"""Handwritten digits: how different can a second set of pixels be before it reads worse?"""

from tempfile import TemporaryDirectory

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from altsets import SelectAlternatives

X, y = load_digits(return_X_y=True, as_frame=True)
X = X.loc[:, (X > 0).mean() > 0.1]  # pixels at the edge are nearly always empty

with TemporaryDirectory() as folder:
    # The second set of 12 pixels. The scores of each training fold are computed once, for all tau.
    select = SelectAlternatives("f", n_features=12, n_alternatives=1, alternative=1, memory=folder)
    grid = GridSearchCV(
        Pipeline([("select", select), ("classify", GaussianNB())]),
        {"select__tau": [0, 0.25, 0.5, 0.75, 1]},
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    grid.fit(X, y)

results = grid.cv_results_
for tau, mean, spread in zip(
    results["param_select__tau"], results["mean_test_score"], results["std_test_score"], strict=True
):
    print(f"tau = {tau:.2f}: accuracy {mean:.3f} +- {spread:.3f}")
