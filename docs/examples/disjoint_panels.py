"""Three panels of measurements that share nothing: one after the other, or all together?"""

from sklearn.datasets import load_breast_cancer

import altsets
from altsets import quality

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
relevance = quality.Additive.from_data(X, y)

for search in ("sequential", "simultaneous"):
    result = altsets.find(
        relevance, n_features=3, n_alternatives=2, tau=1, search=search, aggregation="min"
    )
    print(f"{search}: {result.status}, worst panel {min(result.qualities):.3f}")
    for names, value in zip(result.named_sets, result.qualities, strict=True):
        print(f"  {value:.3f}  {', '.join(names)}")
