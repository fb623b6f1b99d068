"""The numbers behind the figures of the paper's evaluation, one function for each figure.

Each returns one frame with a column ``panel`` ("a", "b", ...): distributions as the numbers of a box, or means by
number of alternative and threshold tau. What the results do not hold has no rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from altsets.experiments.report.boxes import BOX, boxes_by
from altsets.experiments.report.names import FOUND, UNIVARIATE, method_name, methods_in_order
from altsets.experiments.report.runs import RUN, SETTING, Frame, original_sets, pandas, runs_of, sets_in

__all__ = [
    "METRIC_NAMES",
    "OTHER_METHODS",
    "complete_settings",
    "max_normalised",
    "numbers_of_heuristics",
    "numbers_of_means",
    "numbers_of_methods",
    "numbers_of_objectives",
    "numbers_of_qualities",
    "numbers_of_spreads",
    "numbers_of_valid_sets",
]

METRIC_NAMES = {
    "train_objective": "training objective",
    "test_objective": "test objective",
    "train_mcc": "training MCC",
    "test_mcc": "test MCC",
}
#: Figures about one method are about the one that predicts best.
MAIN_METHOD = "model_gain"
#: Objectives that reach from -1 to 1, as MCC does.
SIGNED = ("mrmr", "greedy_wrapper")
#: The methods of figure 7, panel by panel.
OTHER_METHODS = ("mutual_info", "mrmr", "fcbf", "greedy_wrapper")


def numbers_of_methods(frame: Frame) -> Frame:
    """Figure 1: test MCC of original sets by method and size, and what twice the size changes."""
    original = original_sets(frame)
    original = original[original["status"].isin(FOUND)]
    first = boxes_by(original, ["method", "k"], "test_mcc").assign(panel="a", metric="test_mcc")
    wide = original.pivot(index=["dataset", "fold", "method"], columns="k", values=list(METRIC_NAMES))
    parts = [first]
    for metric in METRIC_NAMES:
        if (metric, 5) in wide and (metric, 10) in wide:
            change = (wide[metric, 10] - wide[metric, 5]).astype(float).rename("change").reset_index()
            parts.append(boxes_by(change, ["method"], "change").assign(panel="b", metric=metric))
    both = _together(parts, ["panel", "method", "k", "metric"])
    order = {method: place for place, method in enumerate(methods_in_order(both["method"]))}
    return both.sort_values(
        ["panel", "method"], key=lambda cells: cells.replace(order), kind="stable"
    ).assign(method=lambda rows: rows["method"].map(method_name))


def _together(parts: list[Frame], columns: Sequence[str]) -> Frame:
    pd = pandas()
    filled = [part for part in parts if len(part)]
    if not filled:
        return pd.DataFrame(columns=[*columns, *BOX])
    return pd.concat(filled, ignore_index=True)[[*columns, *BOX]]


def complete_settings(runs: Frame) -> Frame:
    """The runs of those settings where each search found all sets for each number of alternatives.

    A setting is a data set, fold, method, size and threshold; searches are those that the runs of its method hold.
    """
    if not len(runs):
        return runs
    expected = runs.groupby("method")[["how", "a"]].apply(lambda those: len(those.drop_duplicates()))
    settings = runs.groupby(SETTING)["valid"]
    complete = settings.transform("all") & (settings.transform("size") == runs["method"].map(expected))
    return runs[complete]


def numbers_of_spreads(frame: Frame) -> Frame:
    """Figure 2: standard deviation of quality within searches, by search and number of alternatives."""
    return _within_searches(frame, "std")


def numbers_of_means(frame: Frame) -> Frame:
    """Figure 3: mean quality within searches, by search and number of alternatives."""
    return _within_searches(frame, "mean")


def _within_searches(frame: Frame, what: str) -> Frame:
    runs = complete_settings(runs_of(sets_in(frame, k=5, methods=[MAIN_METHOD])))
    metrics = ("train_objective", "test_objective", "test_mcc")
    parts = [
        boxes_by(runs, ["how", "a"], f"{what}_{metric}").assign(panel=panel, metric=metric)
        for panel, metric in zip("abc", metrics, strict=True)
    ]
    return _together(parts, ["panel", "metric", "how", "a"])


def numbers_of_heuristics(frame: Frame) -> Frame:
    """Figure 4: mean training objective of solver-based searches minus that of the heuristics, by a and by tau."""
    runs = complete_settings(runs_of(sets_in(frame, k=5, methods=UNIVARIATE)))
    wide = runs.pivot(index=[*SETTING, "a"], columns="how", values="mean_train_objective")
    parts = []
    for panels, exact, greedy in (("ac", "sim-min", "bal"), ("bd", "seq", "rep")):
        if exact not in wide or greedy not in wide:
            continue
        gaps = (wide[exact] - wide[greedy]).rename("gap").reset_index()
        pair = {"solver": exact, "heuristic": greedy}
        for panel, by in zip(panels, ("a", "tau"), strict=True):
            boxes = boxes_by(gaps, ["method", by], "gap").rename(columns={by: "value"})
            parts.append(boxes.assign(panel=panel, by=by, **pair))
    numbers = _together(parts, ["panel", "solver", "heuristic", "method", "by", "value"])
    return numbers.assign(method=numbers["method"].map(method_name)).sort_values("panel", kind="stable")


def max_normalised(sets: Frame, metric: str, *, signed: bool = False) -> Frame:
    """Each quality over the best one of its search; 0 for sets that are not there (as ``filled``), NaN as ``found``.

    Parameters
    ----------
    sets : DataFrame
        Sets of step-by-step searches.
    metric : str
        A column of qualities.
    signed : bool
        The metric reaches from -1 to 1 and is moved to 0 to 1 first.
    """
    quality = sets[metric].astype(float).where(sets["status"].isin(FOUND))
    if signed:
        quality = (quality + 1) / 2
    best = quality.groupby([sets[name] for name in RUN[:-1]]).transform("max")
    # A search whose best quality is 0 has no scale.
    found = quality / best.where(best > 0)
    missing = quality.isna() & best.gt(0)
    return sets.assign(found=found, filled=found.mask(missing, 0.0))


def numbers_of_qualities(frame: Frame) -> Frame:
    """Figure 5: mean quality by number of alternative and threshold, missing sets left out and counted as 0."""
    sets = sets_in(frame, k=10, methods=[MAIN_METHOD], how=["seq"])
    panels = iter("abcdef")
    parts = []
    for metric in ("train_objective", "test_objective", "test_mcc"):
        scaled = max_normalised(sets, metric, signed=metric == "test_mcc")
        for missing, column in (("left out", "found"), ("count as 0", "filled")):
            means = _means_by_tau(scaled, column)
            parts.append(means.assign(panel=next(panels), metric=metric, missing=missing))
    columns = ["panel", "metric", "missing", "tau", "number", "n", "mean"]
    return pandas().concat(parts, ignore_index=True)[columns]


def _means_by_tau(rows: Frame, column: str) -> Frame:
    groups = rows.groupby(["tau", "number"])[column]
    return groups.agg(n="count", mean="mean").reset_index()


def numbers_of_valid_sets(frame: Frame) -> Frame:
    """Figure 6: share of numbers of alternatives for which there is a set, by threshold and size, in percent."""
    parts = []
    for panel, k in (("a", 5), ("b", 10)):
        sets = sets_in(frame, k=k, methods=[MAIN_METHOD], how=["seq"])
        valid = sets.assign(valid=100.0 * sets["status"].isin(FOUND))
        parts.append(_means_by_tau(valid, "valid").assign(panel=panel, k=k))
    return pandas().concat(parts, ignore_index=True)[["panel", "k", "tau", "number", "n", "mean"]]


def numbers_of_objectives(frame: Frame) -> Frame:
    """Figure 7: mean training objective by number of alternative and threshold, for the other methods."""
    parts = []
    for panel, method in zip("abcd", OTHER_METHODS, strict=True):
        sets = sets_in(frame, k=10, methods=[method], how=["seq"])
        scaled = max_normalised(sets, "train_objective", signed=method in SIGNED)
        parts.append(_means_by_tau(scaled, "found").assign(panel=panel, method=method_name(method)))
    return pandas().concat(parts, ignore_index=True)[["panel", "method", "tau", "number", "n", "mean"]]
