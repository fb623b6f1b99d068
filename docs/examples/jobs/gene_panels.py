"""Genes: three panels from different pathways, out of thousands of candidates with missing values.

Run with --small for fewer genes.
"""

import sys

import numpy as np
import pandas as pd

import altsets
from altsets.dissimilarity import Matched


def expression(n_genes, n_patients=180, seed=11):
    """Genes in pathways of ten that rise and fall together; six pathways differ between the groups of patients."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n_patients) < 0.4
    n_pathways = n_genes // 10
    activity = rng.normal(size=(n_patients, n_pathways))
    activity[:, :6] += np.linspace(1.6, 0.8, 6) * ill[:, None]
    loadings = rng.uniform(0.75, 0.98, size=n_genes)
    noise = rng.normal(size=(n_patients, n_genes))
    values = loadings * np.repeat(activity, 10, axis=1) + np.sqrt(1 - loadings**2) * noise
    values[rng.random(values.shape) < 0.04] = np.nan
    names = [f"P{gene // 10:03d}.g{gene % 10}" for gene in range(n_genes)]
    return pd.DataFrame(values.round(3), columns=names), np.where(ill, "ill", "well")


X, y = expression(300 if "--small" in sys.argv else 3000)
print(
    f"{len(X)} patients, {X.shape[1]:,} genes, {X.isna().to_numpy().mean():.0%} of the values missing.\n"
)

print("=== Three panels ===\n")
# Genes of one pathway replace each other, so another name alone does not make another panel.
# Genes with a rank correlation of 0.6 or more count as the same.
selector = altsets.SelectAlternatives(
    "mutual_info",
    n_features=4,
    n_alternatives=2,
    tau=1,
    dissimilarity=Matched("spearman", threshold=0.6),
)
selector.fit(X, y)
for number, panel in enumerate(selector.alternatives_):
    print(
        f"panel {number}: {', '.join(panel.names)}  (quality {panel.quality:.3f}, {panel.status})"
    )
print(selector.result_.explain())

print("\n=== Do they predict? ===\n")
# The margin was agreed beforehand: about 5 more patients in 100 may be told wrong by another panel.
evaluation = altsets.evaluate(selector, X, y, estimator="linear", margin=0.1, n_jobs=2)
print(evaluation.summary())

print("\n=== Decision ===\n")
useful = [one.number for one in evaluation.against_baseline if one.beats_baseline]
print(f"Panels that predict better than the baseline: {', '.join(map(str, useful)) or 'none'}.")
for comparison in evaluation.comparisons:
    print(f"Panel {comparison.number} instead of panel 0: {comparison.conclusion}.")
names = evaluation.stability_index_frame()
for number in range(3):
    index, similar = names.loc[number, "index"], names.loc[number, "similar"]
    print(f"Panel {number}: stability of its genes {index:.2f}, of genes like them {similar:.2f}.")
