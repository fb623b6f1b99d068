"""Three kinds of wine: which measurements tell them apart, and which others do nearly as well?"""

from sklearn.datasets import load_wine

from altsets import SelectAlternatives

X, y = load_wine(return_X_y=True, as_frame=True)
selector = SelectAlternatives("mutual_info", n_features=3, n_alternatives=2, tau=1).fit(X, y)

best = selector.alternatives_[0].quality
for number, found in enumerate(selector.alternatives_):
    share = found.quality / best
    print(f"set {number} ({share:.0%} of set 0, {found.status}): {', '.join(found.names)}")
print(selector.result_.explain())
