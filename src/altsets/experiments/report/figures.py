"""The seven figures of the paper's evaluation, drawn from the numbers behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from altsets.experiments.report import figure_numbers as numbers_module
from altsets.experiments.report.drawing import (
    BELOW_PANEL,
    canvas,
    draw_boxes,
    draw_lines,
    legend_of_boxes,
    legend_of_lines,
    title,
)
from altsets.experiments.report.figure_numbers import METRIC_NAMES, OTHER_METHODS
from altsets.experiments.report.names import METHODS, SEARCHES, method_name
from altsets.experiments.report.runs import Frame

__all__ = [
    "FIGURES",
    "StudyFigure",
    "draw_heuristics",
    "draw_means",
    "draw_methods",
    "draw_objectives",
    "draw_qualities",
    "draw_spreads",
    "draw_valid_sets",
]

#: Inches: the width of a page of text.
WIDTH = 7.2


def draw_methods(numbers: Frame) -> Any:
    """Figure 1: see :func:`altsets.experiments.report.figure_numbers.numbers_of_methods`."""
    figure, (left, right) = canvas(WIDTH, 3.3, 1, 2)
    methods = list(dict.fromkeys([*METHODS.values(), *numbers["method"]]))
    names = [name.replace(" ", "\n") for name in methods]
    first, second = _panels(numbers, "ab")
    sizes = sorted(first["k"].unique())
    draw_boxes(left, first, ("method", methods), ("k", sizes), names)
    title(left, "a", "test MCC by size")
    left.set_ylabel("test MCC", fontsize=8)
    draw_boxes(right, second, ("method", methods), ("metric", list(METRIC_NAMES)), names, zero=True)
    title(right, "b", "change, k = 5 to k = 10")
    right.set_ylabel("quality at k = 10 minus at k = 5", fontsize=8)
    # Two legends, as the panels differ in what shades mean.
    for axis, labels in ((left, [f"k = {size:g}" for size in sizes]), (right, list(METRIC_NAMES.values()))):
        if axis.patches:
            legend_of_boxes(axis, "", labels, 2, BELOW_PANEL)
    return figure


def _panels(numbers: Frame, letters: str) -> list[Frame]:
    return [numbers[numbers["panel"] == letter] for letter in letters]


def draw_spreads(numbers: Frame) -> Any:
    """Figure 2: see :func:`altsets.experiments.report.figure_numbers.numbers_of_spreads`."""
    return _draw_within_searches(numbers, "standard deviation of")


def draw_means(numbers: Frame) -> Any:
    """Figure 3: see :func:`altsets.experiments.report.figure_numbers.numbers_of_means`."""
    return _draw_within_searches(numbers, "mean of")


def _draw_within_searches(numbers: Frame, what: str) -> Any:
    figure, axes = canvas(WIDTH, 7.2, 3, 1)
    searches, names = list(SEARCHES), list(SEARCHES.values())
    alternatives = [1, 2, 3, 4, 5]
    metrics = ("train_objective", "test_objective", "test_mcc")
    for axis, letter, metric, panel in zip(axes, "abc", metrics, _panels(numbers, "abc"), strict=True):
        draw_boxes(axis, panel, ("how", searches), ("a", alternatives), names)
        title(axis, letter, METRIC_NAMES[metric])
        axis.set_ylabel(f"{what}\n{METRIC_NAMES[metric]}", fontsize=8)
    legend_of_boxes(figure, "number of alternatives a", [str(a) for a in alternatives])
    return figure


def draw_heuristics(numbers: Frame) -> Any:
    """Figure 4: see :func:`altsets.experiments.report.figure_numbers.numbers_of_heuristics`."""
    figure, axes = canvas(WIDTH, 5.6, 2, 2)
    pairs = ["sim. (min) minus bal.", "seq. minus rep."] * 2
    by = ["a", "a", "tau", "tau"]
    labels = {"a": "number of alternatives a", "tau": "dissimilarity threshold tau"}
    shown = [METHODS["mutual_info"], METHODS["model_gain"]]
    for axis, letter, pair, what, panel in zip(
        axes, "abcd", pairs, by, _panels(numbers, "abcd"), strict=True
    ):
        values = sorted(panel["value"].unique())
        names = [f"{value:.2g}" for value in values]
        draw_boxes(axis, panel, ("value", values), ("method", shown), names, zero=True)
        title(axis, letter, pair)
        axis.set_xlabel(labels[what], fontsize=8)
        axis.set_ylabel("difference in mean\ntraining objective", fontsize=8)
    legend_of_boxes(figure, "", shown)
    return figure


def draw_qualities(numbers: Frame) -> Any:
    """Figure 5: see :func:`altsets.experiments.report.figure_numbers.numbers_of_qualities`."""
    figure, axes = canvas(WIDTH, 8.0, 3, 2)
    taus = sorted(numbers["tau"].unique())
    metrics = [metric for metric in ("train_objective", "test_objective", "test_mcc") for _ in range(2)]
    missing = ["missing sets left out", "missing sets count as 0"] * 3
    for axis, letter, metric, words in zip(axes, "abcdef", metrics, missing, strict=True):
        draw_lines(axis, numbers[numbers["panel"] == letter], taus)
        title(axis, letter, f"{METRIC_NAMES[metric]}, {words}")
        axis.set_ylabel("mean, best of search = 1", fontsize=8)
    legend_of_lines(figure, taus)
    return figure


def draw_valid_sets(numbers: Frame) -> Any:
    """Figure 6: see :func:`altsets.experiments.report.figure_numbers.numbers_of_valid_sets`."""
    figure, axes = canvas(WIDTH, 3.3, 1, 2)
    taus = sorted(numbers["tau"].unique())
    for axis, letter, k in zip(axes, "ab", (5, 10), strict=True):
        draw_lines(axis, numbers[numbers["panel"] == letter], taus)
        title(axis, letter, f"k = {k}")
        axis.set_ylabel("valid sets, %", fontsize=8)
        if axis.lines:
            axis.set_ylim(0, 103)
    legend_of_lines(figure, taus)
    return figure


def draw_objectives(numbers: Frame) -> Any:
    """Figure 7: see :func:`altsets.experiments.report.figure_numbers.numbers_of_objectives`."""
    figure, axes = canvas(WIDTH, 5.6, 2, 2)
    taus = sorted(numbers["tau"].unique())
    for axis, letter, method in zip(axes, "abcd", OTHER_METHODS, strict=True):
        draw_lines(axis, numbers[numbers["panel"] == letter], taus)
        title(axis, letter, method_name(method))
        axis.set_ylabel("mean training objective,\nbest of search = 1", fontsize=8)
    legend_of_lines(figure, taus)
    return figure


@dataclass(frozen=True)
class StudyFigure:
    """A figure: its number in the paper, what it shows, where its numbers come from and how they are drawn."""

    number: int
    heading: str
    caption: str
    numbers: Callable[[Frame], Frame]
    draw: Callable[[Frame], Any]

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"figure-{self.number}"


_COMPLETE = (
    " Only settings (data set, fold, tau) in which every search found all its sets for each number of "
    "alternatives from 1 to 5."
)
_LINES = " A search whose best quality is 0 is left out, as it has no scale. Axes do not start at 0."

FIGURES = (
    StudyFigure(
        1,
        "Methods and sizes",
        "Original sets (number 0 of sequential search) over data sets and folds. (a) Test MCC by method and size; "
        "(b) what changes from k = 5 to k = 10, where both have a set.",
        numbers_module.numbers_of_methods,
        draw_methods,
    ),
    StudyFigure(
        2,
        "Spread of quality within searches",
        "Standard deviation (of a sample) of the quality of the sets of one search, by search and number of "
        "alternatives; Model Gain, k = 5." + _COMPLETE,
        numbers_module.numbers_of_spreads,
        draw_spreads,
    ),
    StudyFigure(
        3,
        "Mean quality within searches",
        "Mean quality of the sets of one search, by search and number of alternatives; Model Gain, k = 5."
        + _COMPLETE,
        numbers_module.numbers_of_means,
        draw_means,
    ),
    StudyFigure(
        4,
        "Solver-based search minus heuristic",
        "Difference in the mean training objective of a search, k = 5, by number of alternatives (a, b) and by "
        "threshold (c, d). Above 0 the solver-based search is better." + _COMPLETE,
        numbers_module.numbers_of_heuristics,
        draw_heuristics,
    ),
    StudyFigure(
        5,
        "Quality by number of alternative and threshold",
        "Mean over data sets and folds, the best set of each search being 1; sequential search, Model Gain, k = 10. "
        "MCC is moved to 0 to 1 first. Left: sets that do not exist are left out; right: they count as 0."
        + _LINES,
        numbers_module.numbers_of_qualities,
        draw_qualities,
    ),
    StudyFigure(
        6,
        "How many alternatives there are",
        "Share of searches that have a set with this number, over data sets and folds; sequential search, Model Gain.",
        numbers_module.numbers_of_valid_sets,
        draw_valid_sets,
    ),
    StudyFigure(
        7,
        "Training objective of the other methods",
        "Mean over data sets and folds, the best set of each search being 1; sequential search, k = 10, sets that do "
        "not exist left out. The objectives of mRMR and Greedy Wrapper are moved to 0 to 1 first." + _LINES,
        numbers_module.numbers_of_objectives,
        draw_objectives,
    ),
)
