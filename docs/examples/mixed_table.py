"""Diabetes with text, an ordered scale and missing values: does a second set still predict?"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeRegressor

import altsets

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
# The source does not say which sex is 1 and which is 2, so the labels do not either.
X["sex"] = X["sex"].map({1.0: "first", 2.0: "second"})
X["bmi"] = pd.cut(X["bmi"], [0, 18.5, 25, 30, np.inf], labels=["under", "normal", "over", "obese"])
X.loc[X.index % 4 == 0, "bp"] = np.nan
print(X[["age", "sex", "bmi", "bp", "s5"]].head(3))

# Text is a category, an ordered category its rank, and a missing value is a value of its own.
# Nothing is imputed.
selector = altsets.SelectAlternatives("mutual_info", n_features=3, n_alternatives=1, tau=1).fit(
    X, y
)
for number, found in enumerate(selector.alternatives_):
    print(f"set {number}: {found.quality:.3f}  {', '.join(found.names)}")

# A model that accepts missing values; text and categories are encoded first.
encode = make_column_transformer(
    (OrdinalEncoder(), make_column_selector(dtype_exclude="number")), remainder="passthrough"
)
model = make_pipeline(encode, DecisionTreeRegressor(min_samples_leaf=20, random_state=25))
evaluation = altsets.evaluate(selector, X, y, estimator=model)
print(evaluation.comparisons[0].sentence)
