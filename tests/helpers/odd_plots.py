"""Plots that one may wonder about, each with what becomes of it; odd_inputs.py puts them into the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import altsets
from altsets import plots, quality
from altsets.errors import AltsetsError

SCORES = (6.0, 5.0, 4.0, 3.0, 2.0, 1.0)


def found(
    names: Sequence[str] | None = None, n_features: int = 1, n_alternatives: int = 1, **options: Any
) -> Any:
    """Sets of six features, or of as many as there are names."""
    scores = SCORES if names is None else np.arange(len(names), 0.0, -1)
    return altsets.find(quality.Additive(scores, feature_names=names), n_features, n_alternatives, **options)


def judged() -> altsets.results.Evaluation:
    X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    return altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15)


@dataclass(frozen=True)
class Plot:
    """One plot: what is odd about it, how it is drawn, and words that must come of it."""

    what: str
    words: str
    draw: Callable[[], Any]


CASES = [
    Plot("names that look like formulas", "$x_1$, b_2", lambda: plots.membership(found(["$x_1$", "b_2"]))),
    Plot("a name of 60 characters", "…", lambda: plots.membership(found(["gene " * 12, "b"]))),
    Plot("a name in characters that the font lacks", "is not in the font",
            lambda: plots.membership(found(["\N{DNA DOUBLE HELIX}\N{DNA DOUBLE HELIX}", "b"]))),
    Plot("200 features in sets, most=3", "3 of 200 features are shown",
            lambda: plots.membership(found([f"x{i}" for i in range(200)], 100, tau=1), most=3)),
    Plot("an evaluation instead of sets", "**Refused**", lambda: plots.membership(judged())),
    Plot("a selector instead of its result", "selector.result_",
            lambda: plots.quality(altsets.SelectAlternatives())),
    Plot("no sets", "**Refused**",
            lambda: plots.membership(found(n_features=4, tau=1, search="simultaneous"))),
    Plot("the overlap of one set", "**Refused**", lambda: plots.overlap(found(n_alternatives=0))),
    Plot("one size, over sizes", "**Refused**",
            lambda: plots.frontier_sizes(altsets.frontier(quality.Additive(SCORES), 2, 1))),
    Plot("the stability of sets that were given", "**Refused**", lambda: plots.stability(judged())),
    Plot("a figure instead of its axes", "**Refused**",
            lambda: plots.quality(found(), ax=plt.figure())),
]  # fmt: skip


def said(case: Plot) -> str:
    """The names that are drawn and the note below them, or why there is no plot; in one line."""
    try:
        ax = case.draw()
        ax.figure.canvas.draw()
    except AltsetsError as error:
        return f"**Refused**: {error}"
    finally:
        plt.close("all")
    names = ", ".join(label.get_text() for label in ax.get_yticklabels())
    notes = [f"**Note**: {text.get_text()}" for text in ax.texts if text.get_gid() == "note"]
    return " ".join(" ".join([f"**Plot** of {names}", *notes]).split()).replace("|", "\\|")
