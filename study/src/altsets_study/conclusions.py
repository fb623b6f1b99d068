"""The paper's conclusions, held against results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from altsets_study import figures, tables
from altsets_study.design import SIZES
from altsets_study.gains import gains_in_sum, shortfalls, side_by_side
from altsets_study.tables import Frame


def _listed(rows: Frame, words: str, divider: str = "; ") -> str:
    """The sentence about each row of a table."""
    return divider.join(words.format(row) for _, row in rows.iterrows())


def _by_method(values: Frame, digits: str) -> str:
    return ", ".join(f"{tables.method_name(method)} {value:{digits}}" for method, value in values.items())


HOLDS, CHANGES, OPEN = "holds", "changes", tables.NOT_ENOUGH

#: Thresholds of our own, as the paper says in words what is close to zero: gains in percent, differences in MCC,
#: percentage points of searches, losses of heuristics in percent, seconds.
SMALL_GAIN, SMALL_MCC, SMALL_SHARE, NO_LOSS, NO_TIME = 1.0, 0.02, 5.0, 0.01, 0.01
#: Percentages that differ by less are equal.
TIE = 1e-9

#: What the results say about a conclusion, and whether it holds.
Seen = tuple[str, bool]


class _NoResultsError(Exception):
    """There are no results that a conclusion could be checked against."""


def _need(there: Any) -> None:
    if not there:
        raise _NoResultsError


def _some(rows: Frame) -> Frame:
    """Rows of which there must be some."""
    _need(len(rows))
    return rows


class _Evidence:
    """What conclusions are held against; each part is computed once, when it is first asked for."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    @cached_property
    def runs(self) -> Frame:
        return tables.runs_of(tables.sets_in(self.frame, k=5))

    @cached_property
    def sums(self) -> Frame:
        """Simultaneous searches for the best sum of all methods that proofs are possible for."""
        return self.runs[~self.runs["method"].isin(tables.BLACK_BOX) & (self.runs["how"] == "sim-sum")]

    @cached_property
    def original(self) -> Frame:
        original = tables.original_sets(self.frame)
        return original[original["status"].isin(tables.FOUND)]

    @cached_property
    def searches(self) -> Frame:
        return side_by_side(self.frame)

    @cached_property
    def spreads(self) -> Frame:
        return figures.numbers_of_spreads(self.frame)

    @cached_property
    def gains(self) -> Frame:
        return _some(_some(gains_in_sum(self.searches, ["method", "k"])).query("compared > 0"))

    def shortfalls(self, *by: str) -> Frame:
        """Shortfalls of heuristics by method and these columns."""
        return _some(shortfalls(self.searches, ["method", *by]))


def _medians(numbers: Frame, panel: str) -> dict[str, float]:
    """The medians of the boxes of a panel, averaged over the numbers of alternatives, by search."""
    rows = numbers[numbers["panel"] == panel]
    return {str(how): float(value) for how, value in rows.groupby("how")["median"].mean().items()}


@dataclass(frozen=True)
class _Conclusion:
    """A conclusion of the paper: what checks it, the runs that this cites, and the threshold if that is our own."""

    check: Callable[[_Evidence], Seen]
    methods: Sequence[str]
    sizes: Sequence[int]
    threshold: str


#: The paper's conclusions in the order of the page.
_CONCLUSIONS: dict[str, _Conclusion] = {}


def _conclusion(
    text: str, methods: Sequence[str], sizes: Sequence[int] = (tables.SIZE,), threshold: str = ""
) -> Callable[[Callable[[_Evidence], Seen]], object]:
    return lambda check: _CONCLUSIONS.setdefault(text, _Conclusion(check, methods, sizes, threshold))


@_conclusion(
    "Model Gain gives the best original sets for prediction.",
    list(tables.METHODS),
    SIZES,
    "two printed digits: up to 0.005 below the best",
)
def _best_method(evidence: _Evidence) -> Seen:
    means = evidence.original.groupby("method")["test_mcc"].mean().sort_values(ascending=False)
    _need("model_gain" in means and len(means) > 1)
    # The paper prints two digits, and two methods share the first place.
    stands = bool(means["model_gain"] >= means.max() - 0.005)
    return f"Mean test MCC of original sets: {_by_method(means, '.3f')}.", stands


@_conclusion(
    "Ten features instead of five hardly change how well sets predict.",
    ["mutual_info", "model_gain", "mrmr", "greedy_wrapper"],
    SIZES,
    f"hardly: medians up to {SMALL_MCC} MCC",
)
def _size_matters_little(evidence: _Evidence) -> Seen:
    rows = evidence.original[evidence.original["method"] != "fcbf"]
    wide = rows.pivot(index=["dataset", "fold", "method"], columns="k", values="test_mcc")
    _need({5, 10} <= set(wide.columns))
    medians = (wide[10] - wide[5]).dropna().groupby(level="method").median()
    said = f"Median change of test MCC from k = 5 to k = 10: {_by_method(medians, '+.3f')}."
    return said, bool((medians.abs() <= SMALL_MCC).all()) if len(medians) else False


@_conclusion(
    "Simultaneous search does not reach a higher average quality than sequential search.",
    tables.WHITE_BOX,
    threshold=f"none higher: up to {SMALL_GAIN:g} % of all sums",
)
def _no_gain_in_sum(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    words = "{0[method]} k = {0[k]}: {0[total %]:.3g} % in all, higher in {0[gain %]:.1f} % of {0[compared]:,} settings"
    listed = _listed(gains, words)
    said = f"Gain of the proven best sums over sequential search: {listed}."
    return said, bool((gains["total %"] <= SMALL_GAIN).all())


@_conclusion(
    "That holds for mRMR too, where the solver ran out of time.",
    ["mrmr"],
    threshold=f"none higher: up to {SMALL_GAIN:g} % of all sums",
)
def _no_gain_for_mrmr(evidence: _Evidence) -> Seen:
    rows = _some(evidence.gains[evidence.gains["method"] == tables.method_name("mrmr")])
    words = (
        "k = {0[k]}: {0[gain %]:.1f} % of {0[compared]:,} proven settings gain, all sums together by "
        "{0[total %]:.3g} % ({0[mean gain a set]:.3g} a set)"
    )
    return f"{_listed(rows, words)}.", bool((rows["total %"] <= SMALL_GAIN).all())


@_conclusion(
    "Sequential search may have the higher average quality as well as simultaneous search.", tables.WHITE_BOX
)
def _either_may_win(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    below, compared = int(gains["below"].sum()), int(gains["compared"].sum())
    said = f"The best sum is below that of sequential search in {below:,} of {compared:,} settings with both proven."
    return said, below > 0


@_conclusion(
    "On test rows, too, both have the same mean objective.",
    ["model_gain"],
    threshold=f"the same: up to {SMALL_MCC}",
)
def _same_test_objective(evidence: _Evidence) -> Seen:
    runs = figures.complete_settings(evidence.runs[evidence.runs["method"] == "model_gain"])
    wide = runs.pivot(index=["dataset", "fold", "tau", "a"], columns="how", values="mean_test_objective")
    _need({"seq", "sim-sum"} <= set(wide.columns) and len(wide))
    gap = float((wide["sim-sum"] - wide["seq"]).mean())
    said = (
        f"Mean test objective, simultaneous (sum) minus sequential, over {len(wide):,} settings: {gap:+.4f}."
    )
    return said, abs(gap) <= SMALL_MCC


@_conclusion(
    "Searches differ little in how well their sets predict.",
    ["model_gain"],
    threshold=f"little: medians within {SMALL_MCC} MCC",
)
def _same_on_test_rows(evidence: _Evidence) -> Seen:
    medians = _medians(figures.numbers_of_means(evidence.frame), "c")
    _need(len(medians) > 1)
    low, high = min(medians.values()), max(medians.values())
    said = f"Median of the mean test MCC within searches is between {low:.3f} and {high:.3f} (Model Gain, k = 5)."
    return said, high - low <= SMALL_MCC


@_conclusion(
    "Simultaneous search makes sets more alike in quality, most of all with the best minimum.", ["model_gain"]
)
def _minimum_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    _need({"seq", "sim-min", "sim-sum"} <= medians.keys())
    listed = ", ".join(f"{tables.SEARCHES[how]} {value:.3g}" for how, value in medians.items())
    said = (
        f"Median standard deviation of the training objective within searches (Model Gain, k = 5): {listed}."
    )
    return said, medians["sim-min"] < medians["sim-sum"] < medians["seq"]


@_conclusion(
    "Greedy balancing makes sets nearly as alike as the best minimum does.",
    ["model_gain"],
    threshold="nearly: closer to the best minimum than to sequential search",
)
def _balancing_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    _need({"bal", "sim-min", "seq"} <= medians.keys())
    said = (
        f"Median standard deviation of the training objective: {medians['bal']:.3g} with balancing, "
        f"{medians['sim-min']:.3g} with the best minimum, {medians['seq']:.3g} with sequential search."
    )
    return said, medians["bal"] - medians["sim-min"] < medians["seq"] - medians["bal"]


@_conclusion("Sequential search is the faster one for every method.", list(tables.METHODS))
def _sequential_is_faster(evidence: _Evidence) -> Seen:
    means = evidence.runs.groupby(["method", "how"], sort=False)["seconds"].mean()
    ratios = {}
    for method in evidence.runs["method"].unique():
        first, second = (means.get((method, how), math.nan) for how in ("seq", "sim-sum"))
        if first > 0 and not math.isnan(second):
            ratios[method] = (first, second)
    _need(ratios)
    listed = ", ".join(
        f"{tables.method_name(method)} {first:.3g} s and {second:.3g} s"
        for method, (first, second) in ratios.items()
    )
    said = f"Mean processor time of sequential and simultaneous search (sum), k = 5: {listed}."
    return said, all(first <= second for first, second in ratios.values())


@_conclusion(
    "mRMR is too hard to prove: most simultaneous searches end without a proof.",
    ["mrmr"],
    threshold=f"most: we only ask for more than {SMALL_SHARE:g} %",
)
def _mrmr_is_left_open(evidence: _Evidence) -> Seen:
    runs = _some(evidence.sums[evidence.sums["method"] == "mrmr"])
    left = 100 * float((~runs["status"].isin(tables.PROVEN)).mean())
    said = f"{left:.2f} % of {len(runs):,} simultaneous searches (sum, k = 5) are not proven; published: 67.04 %."
    return said, left > SMALL_SHARE


@_conclusion(
    "The more alternatives, the more simultaneous searches end without a proof.",
    tables.WHITE_BOX,
    threshold=f"more: by {SMALL_SHARE:g} percentage points from one to five alternatives",
)
def _proofs_fail_with_a(evidence: _Evidence) -> Seen:
    runs = evidence.sums
    open_share = 100 * (~runs["status"].isin(tables.PROVEN)).groupby(runs["a"]).mean()
    _need({1, tables.MOST_ALTERNATIVES} <= set(open_share.index))
    first, last = open_share[1], open_share[tables.MOST_ALTERNATIVES]
    ours = f"Not proven: {first:.2f} % for one alternative, {last:.2f} % for five (k = 5, sum)"
    said = f"{ours}; published: 7.60 and 30.17 %."
    return said, bool(last > first + SMALL_SHARE)


@_conclusion(
    "Heuristics are exact for one alternative and lose more with each further one.",
    tables.UNIVARIATE,
    SIZES,
    f"exact: up to {NO_LOSS} % on average",
)
def _heuristics_lose_with_a(evidence: _Evidence) -> Seen:
    table = evidence.shortfalls("a")
    rows = table[table["against"] == "sim. (sum)"].dropna(subset=["mean %"])
    means = rows.groupby(["heuristic", "a"])["mean %"].mean().unstack()
    _need({1, tables.MOST_ALTERNATIVES} <= set(means.columns))
    listed = "; ".join(
        f"{how} {row[1]:.3g} % with one alternative, {row[tables.MOST_ALTERNATIVES]:.3g} % with five"
        for how, row in means.iterrows()
    )
    said = f"Mean loss against the proven best sum: {listed}."
    return said, bool((means[1] <= NO_LOSS).all() and (means[tables.MOST_ALTERNATIVES] > means[1]).all())


@_conclusion("Heuristics lose nothing if sets must not overlap (tau = 1).", tables.UNIVARIATE, SIZES)
def _heuristics_are_exact_at_one(evidence: _Evidence) -> Seen:
    table = evidence.shortfalls("tau")
    rows = table[(table["tau"] == 1) & (table["against"] == "sim. (sum)")]
    rows = _some(rows.dropna(subset=["worst %"]))
    worst = float(rows["worst %"].max())
    said = f"Largest loss of either heuristic against the proven best sum at tau = 1: {worst:.2g} %."
    return said, worst <= 1e-6


@_conclusion("Heuristics stop early though there are further alternatives.", tables.UNIVARIATE, SIZES)
def _heuristics_stop_early(evidence: _Evidence) -> Seen:
    rows = _some(evidence.shortfalls().query("proven > 0"))
    rows = rows[rows["against"] != "sim. (min)"]
    words = "{0[heuristic]} ({0[method]}, where {0[against]} has sets) {0[no sets %]:.1f} %"
    said = f"Settings with sets of which the heuristic finds none: {_listed(rows, words, ', ')}."
    return said, bool((rows["no sets %"] > 0).any())


@_conclusion(
    "Heuristics take next to no time.",
    tables.UNIVARIATE,
    threshold=f"next to no time: up to {1000 * NO_TIME:g} ms on average",
)
def _heuristics_take_no_time(evidence: _Evidence) -> Seen:
    runs = evidence.runs
    seconds = _some(runs.loc[runs["how"].isin(tables.HEURISTICS), "seconds"])
    said = (
        f"Processor time: mean {1000 * seconds.mean():.1f} ms, longest {1000 * seconds.max():.1f} ms (k = 5)."
    )
    return said, bool(seconds.mean() < NO_TIME)


@_conclusion("Quality drops most from the original set to the first alternative.", ["model_gain"], [10])
def _first_step_costs_most(evidence: _Evidence) -> Seen:
    numbers = figures.numbers_of_qualities(evidence.frame)
    rows = numbers[numbers["panel"] == "a"]
    means = rows.groupby("number")["mean"].mean()
    _need({0, 1, 2} <= set(means.index))
    steps = -means.diff().dropna()
    said = (
        f"Mean drop of the scaled training objective (Model Gain, k = 10, all thresholds): {steps[1]:.3f} from set "
        f"0 to 1, at most {steps[steps.index > 1].max():.3f} from any set to the next."
    )
    return said, bool(steps[1] >= steps.max())


@_conclusion("Alternatives run out with their number and the threshold.", ["model_gain"], SIZES)
def _sets_run_out(evidence: _Evidence) -> Seen:
    numbers = figures.numbers_of_valid_sets(evidence.frame)
    said, stands = [], True
    for k, rows in numbers.groupby("k"):
        shares = rows.pivot(index="tau", columns="number", values="mean")
        first, last = shares.iloc[0, -1], shares.iloc[-1, -1]
        said.append(
            f"k = {k}: {first:.1f} % of the last alternatives exist at the smallest threshold, {last:.1f} % at 1"
        )
        stands &= bool(
            (shares.diff().dropna() <= TIE).all().all() and (shares.T.diff().dropna() <= TIE).all().all()
        )
    _need(said)
    return f"{'; '.join(said)} (Model Gain).", stands


@_conclusion("For mRMR the threshold matters less than for MI.", ["mutual_info", "mrmr"], [10])
def _mrmr_is_flat(evidence: _Evidence) -> Seen:
    numbers = figures.numbers_of_objectives(evidence.frame)
    rows = numbers[(numbers["number"] == tables.MOST_ALTERNATIVES) & (numbers["tau"] == numbers["tau"].max())]
    drops = {row["method"]: 1 - row["mean"] for _, row in rows.iterrows() if not math.isnan(row["mean"])}
    _need({"MI", "mRMR"} <= drops.keys())
    listed = ", ".join(f"{method} {drop:.3f}" for method, drop in drops.items())
    said = (
        f"Drop of the scaled training objective to alternative 5 at the largest threshold (k = 10): {listed}."
    )
    return said, drops["mRMR"] < drops["MI"]


def conclusions(frame: Frame) -> Frame:
    """The conclusions of the paper, with a verdict where there are all the runs of the paper that it cites."""
    done = tables.tasks_in(frame)
    rows = []
    for text, one in _CONCLUSIONS.items():
        cited = frame[frame["method"].isin(one.methods) & frame["k"].isin(one.sizes)]
        try:
            said, stands = one.check(_Evidence(cited))
            verdict = (HOLDS if stands else CHANGES) if done.complete(one.methods, one.sizes) else OPEN
        except _NoResultsError:
            said, verdict = "", OPEN
        runs = done.in_words(one.methods, one.sizes)
        row = {"conclusion": text, "evidence": said, "runs": runs, "our threshold": one.threshold}
        rows.append(row | {"verdict": verdict})
    return pd.DataFrame(rows)
