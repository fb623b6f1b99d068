"""Three cultivars of wine: which three measurements tell them apart, and which other three do nearly as well?"""

from sklearn.datasets import load_wine

from altsets import SelectAlternatives

X, y = load_wine(return_X_y=True, as_frame=True)
selector = SelectAlternatives("mutual_info", n_features=3, n_alternatives=2, tau=1).fit(X, y)

best = selector.alternatives_[0].quality
for number, found in enumerate(selector.alternatives_):
    print(f"set {number} ({found.quality / best:.0%} of set 0, {found.status}): {', '.join(found.names)}")
print(selector.result_.explain())
