"""Draw every plot of the documentation again, into docs/images::

    python docs/plots.py DATA_FOLDER

The folder holds ``wdbc.csv.gz`` and ``house_votes_84.csv.gz``, tables of PMLB (https://github.com/EpistasisLab/pmlb)
with a column ``target``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from sklearn.datasets import load_breast_cancer

import altsets
from altsets import dissimilarity, plots, quality

IMAGES = Path(__file__).parent / "images"


@dataclass(frozen=True)
class Example:
    """A table, and what is asked of it."""

    table: str
    n_features: int
    sizes: range
    within: float


EXAMPLES = [
    Example("wdbc", n_features=5, sizes=range(2, 11), within=0.05),
    Example("house_votes_84", n_features=4, sizes=range(1, 7), within=0.2),
]


def draw_all(example: Example, X: pd.DataFrame, y: pd.Series) -> Iterator[tuple[str, Axes]]:
    """All plots of one table, each with its name."""
    k = example.n_features
    selector = altsets.SelectAlternatives("mutual_info", n_features=k, n_alternatives=3, tau=0.5).fit(X, y)
    yield "membership", plots.membership(selector.result_)
    relevance = quality.Additive.from_data(X, y)
    together = altsets.find(relevance, n_features=k, n_alternatives=3, tau=0.5, search="simultaneous")
    yield "quality", plots.quality(together)
    yield "overlap", plots.overlap(together)
    alike = dissimilarity.Matched.from_data(X, "spearman")
    yield "overlap_matched", plots.overlap(altsets.find(relevance, k, 3, tau=0.4, dissimilarity=alike))

    one_size = altsets.frontier(relevance, n_features=k, n_alternatives=3, search="simultaneous")
    yield "frontier", plots.frontier(one_size)
    mrmr = quality.MRMR.from_data(X, y)
    all_sizes = altsets.frontier(mrmr, n_features=example.sizes, n_alternatives=3)
    yield "frontier_curves", plots.frontier(all_sizes)
    yield "frontier_sizes", plots.frontier_sizes(all_sizes)
    yield "frontier_heat", plots.frontier_heat(all_sizes)

    tried = altsets.frontier("mrmr", n_features=[2, k], n_alternatives=3, X=X, y=y)
    yield "frontier_scores", plots.frontier_scores(altsets.evaluate(tried, X, y, estimator="forest"))

    evaluation = altsets.evaluate(selector, X, y, estimator="forest")
    yield "scores", plots.scores(evaluation)
    yield "stand_ins", plots.stand_ins(evaluation)
    yield "stability", plots.stability(evaluation)
    yield "near_best", plots.near_best(altsets.near_best(relevance, n_features=k, within=example.within))
    costs = np.random.default_rng(0).integers(1, 20, X.shape[1])
    yield "costs", plots.frontier(altsets.frontier(relevance, n_features=k, against=costs))


def draw_two_explanations(X: pd.DataFrame, y: pd.Series) -> Figure:
    """The front page: two sets that are different in substance, and how well each predicts."""
    different = dissimilarity.Matched("spearman", threshold=0.7)
    selector = altsets.SelectAlternatives(
        "f", n_features=4, n_alternatives=1, tau=0.75, dissimilarity=different
    )
    evaluation = altsets.evaluate(selector, X, y, estimator="linear", scoring="roc_auc")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.3), layout="constrained")
    plots.membership(selector.fit(X, y).result_, ax=left)
    plots.scores(evaluation, ax=right)
    return figure


def main(arguments: list[str]) -> None:
    """Draw them, or say what is missing."""
    folder = Path(arguments[0]) if len(arguments) == 1 else None
    missing = [
        example.table for example in EXAMPLES if folder and not (folder / f"{example.table}.csv.gz").is_file()
    ]
    if folder is None or missing:
        what = f"{folder} has no {' and no '.join(f'{name}.csv.gz' for name in missing)}" if missing else ""
        sys.exit("\n".join(filter(None, [what, __doc__])))
    mpl.use("Agg")
    IMAGES.mkdir(exist_ok=True)
    for example in EXAMPLES:
        table = pd.read_csv(folder / f"{example.table}.csv.gz")
        for name, ax in draw_all(example, table.drop(columns="target"), table["target"]):
            save(ax.figure, f"{example.table}_{name}.png")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    diagnosis = y.map({0: "malignant", 1: "benign"})
    save(draw_two_explanations(X, diagnosis), "two_explanations.png")


def save(figure: Figure, name: str) -> None:
    """Write a figure as a small PNG file: 256 colours are enough."""
    path = IMAGES / name
    figure.savefig(path, dpi=100)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
