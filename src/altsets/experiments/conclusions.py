"""Gains and losses of proven searches, and the paper's conclusions checked against them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.experiments.figures import (
    complete_settings,
    numbers_of_means,
    numbers_of_objectives,
    numbers_of_qualities,
    numbers_of_spreads,
    numbers_of_valid_sets,
)
from altsets.experiments.tables import (
    BLACK_BOX,
    FOUND,
    HEURISTICS,
    MOST_ALTERNATIVES,
    SEARCHES,
    SETTING,
    UNIVARIATE,
    Frame,
    method_name,
    methods_in_order,
    original_sets,
    pandas,
    runs_of,
    sets_in,
)

#: Sums that differ by less are equal.
TOLERANCE = 1e-9
#: Relative differences are over qualities that are at least so far from 0.
SMALLEST_SCALE = 1e-6
#: (heuristic, exact search, what is compared)
COMPARISONS = (
    ("rep", "seq", "sum"),
    ("rep", "sim-sum", "sum"),
    ("bal", "sim-sum", "sum"),
    ("bal", "sim-min", "worst"),
)


def side_by_side(frame: Frame) -> Frame:
    """All searches of a setting in one row, which is what the other functions here start from."""
    sets = sets_in(frame)
    runs = runs_of(sets[~sets["method"].isin(BLACK_BOX)])
    runs = runs.assign(sum=runs["mean_train_objective"] * (runs["a"] + 1))
    keys = [*SETTING, "a"]
    table = runs[keys].drop_duplicates()
    for how in SEARCHES:
        those = runs.loc[runs["how"] == how, [*keys, "sum", "worst", "proven", "valid"]]
        named = {column: f"{column} {how}" for column in ("sum", "worst", "proven", "valid")}
        those = those.rename(columns=named).assign(**{f"ran {how}": True})
        table = table.merge(those, on=keys, how="left")
        for flag in ("ran", "proven", "valid"):
            table[f"{flag} {how}"] = table[f"{flag} {how}"].eq(True)
    return table


def _differences(first: Frame, second: Frame) -> Floats:
    """How much more the first are than the second; what is only rounding is 0."""
    found = first.to_numpy(dtype=float) - second.to_numpy(dtype=float)
    return np.where(np.abs(found) <= TOLERANCE, 0.0, found)


def _relative(gains: Floats, scale: Floats) -> Floats:
    fit = np.abs(scale) >= SMALLEST_SCALE
    return 100 * gains[fit] / np.abs(scale[fit])


def _summary(gains: Floats, scale: Floats) -> dict[str, float]:
    """How many gains are above 0, and how large they are relative to the scale, in percent.

    Single ratios mean little where qualities are close to 0, as those of mRMR may be; the total does not suffer.
    """
    relative = _relative(gains, scale)
    empty = not len(relative)
    return {
        "gain %": 100 * float((gains > 0).mean()) if len(gains) else math.nan,
        "total %": math.nan if empty else 100 * float(gains.sum() / np.abs(scale).sum()),
        "mean %": math.nan if empty else float(relative.mean()),
        "median %": math.nan if empty else float(np.median(relative)),
        "95th percentile %": math.nan if empty else float(np.quantile(relative, 0.95)),
        "largest %": math.nan if empty else float(relative.max()),
    }


def _groups(table: Frame, by: Sequence[str]) -> list[tuple[dict[str, Any], Frame]]:
    """Groups of rows in the order of methods, each with the cells that name it."""
    found: list[tuple[dict[str, Any], Frame]] = []
    for method in methods_in_order(table["method"].unique()):
        those = table[table["method"] == method]
        rest = [name for name in by if name != "method"]
        if not rest:
            found.append(({"method": method_name(method)}, those))
            continue
        for key, rows in those.groupby(rest):
            found.append(({"method": method_name(method), **dict(zip(rest, key, strict=True))}, rows))
    return found


def gains_in_sum(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best sum gains over sequential search."""
    rows = []
    for cells, table in _groups(searches, by):
        proven = table["proven seq"] & table["proven sim-sum"]
        both = table[proven & table["valid seq"] & table["valid sim-sum"]]
        gains = _differences(both["sum sim-sum"], both["sum seq"])
        rows.append(
            {
                **cells,
                "settings": len(table),
                "compared": len(both),
                "sequential runs out": int((proven & ~table["valid seq"] & table["valid sim-sum"]).sum()),
                **_summary(gains, both["sum seq"].to_numpy(dtype=float)),
                "mean gain a set": float((gains / (both["a"] + 1)).mean()) if len(both) else math.nan,
                "below": int((gains < 0).sum()),
            }
        )
    return pandas().DataFrame(rows)


def gains_in_worst(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best minimum gains in the worst set, and what that costs in the sum."""
    rows = []
    exact = ("seq", "sim-min", "sim-sum")
    for cells, table in _groups(searches, by):
        keep = np.all([table[f"{flag} {how}"] for how in exact for flag in ("proven", "valid")], axis=0)
        these = table[keep]
        worst = these["worst seq"].to_numpy(dtype=float)
        best = these["sum sim-sum"].to_numpy(dtype=float)
        gains = _differences(these["worst sim-min"], these["worst seq"])
        costs = _differences(these["sum sim-sum"], these["sum sim-min"])
        rows.append(
            {
                **cells,
                "settings": len(table),
                "compared": len(these),
                **_summary(gains, worst),
                "mean gain": float(gains.mean()) if len(gains) else math.nan,
                "cost in sum %": 100 * float(costs.sum() / np.abs(best).sum()) if len(costs) else math.nan,
                "below": int((gains < 0).sum()),
            }
        )
    return pandas().DataFrame(rows)


def shortfalls(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """How far the greedy heuristics fall short of proven searches."""
    table = searches[searches["method"].isin(UNIVARIATE)]
    rows = []
    for heuristic, exact, what in COMPARISONS:
        for cells, group in _groups(table, by):
            solved = group[group[f"ran {heuristic}"] & group[f"proven {exact}"] & group[f"valid {exact}"]]
            both = solved[solved[f"valid {heuristic}"]]
            scale = both[f"{what} {exact}"].to_numpy(dtype=float)
            lost = _differences(both[f"{what} {exact}"], both[f"{what} {heuristic}"])
            relative = _relative(lost, scale)
            there = len(relative) > 0
            rows.append(
                {
                    "heuristic": SEARCHES[heuristic],
                    "against": SEARCHES[exact],
                    "of": "sum of qualities" if what == "sum" else "worst quality",
                    **cells,
                    "proven": len(solved),
                    "no sets %": 100 * (1 - len(both) / len(solved)) if len(solved) else math.nan,
                    "mean %": float(relative.mean()) if there else math.nan,
                    "median %": float(np.median(relative)) if there else math.nan,
                    "worst %": float(relative.max()) if there else math.nan,
                    "exact %": 100 * float((lost <= 0).mean()) if there else math.nan,
                }
            )
    return pandas().DataFrame(rows)


def sentences(searches: Frame) -> list[str]:
    """The findings in words, one sentence for each method and question, computed from the results."""
    said = []
    for _, row in gains_in_sum(searches, ["method", "k"]).iterrows():
        of = f"{row['method']}, k = {row['k']}: of {row['settings']:,} settings, {row['compared']:,} are proven for"
        if not row["compared"]:
            said.append(f"{of} both searches and have all sets, so nothing can be said.")
            continue
        said.append(
            f"{of} sequential and simultaneous search and have all sets; the best sum is higher than that of "
            f"sequential search in {row['gain %']:.1f} % of these. All together they are {row['total %']:.3g} % higher "
            f"({row['mean gain a set']:.3g} a set); one in twenty gains {row['95th percentile %']:.3g} % or more."
        )
    for _, row in gains_in_worst(searches, ["method", "k"]).iterrows():
        if row["compared"]:
            said.append(
                f"{row['method']}, k = {row['k']}: the best minimum lifts the worst set in {row['gain %']:.1f} % of "
                f"{row['compared']:,} proven settings, by {row['mean gain']:.3g} in units of the objective on average "
                f"(median: {row['median %']:.3g} % of the worst quality), and costs {row['cost in sum %']:.3g} % of "
                "the best sum."
            )
    for _, row in shortfalls(searches, ["method", "k"]).iterrows():
        if row["proven"]:
            said.append(
                f"{row['method']}, k = {row['k']}: {row['heuristic']} loses {row['mean %']:.3g} % of the {row['of']} "
                f"of {row['against']} on average, {row['worst %']:.3g} % at worst, and finds no sets in "
                f"{row['no sets %']:.1f} % of {row['proven']:,} settings that have some."
            )
    return said


HOLDS, CHANGES, OPEN = "holds", "changes", "no results"

#: What counts as close to zero: relative gains in percent, and differences in MCC.
SMALL_GAIN, SMALL_MCC = 1.0, 0.02
#: Percentages that differ by less are equal.
TIE = 1e-9


#: What the results say about a conclusion, and whether it holds; None without results.
Seen = tuple[str, bool] | None


class _Evidence:
    """What conclusions are held against; each part is computed once, when it is first asked for."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    @cached_property
    def runs(self) -> Frame:
        return runs_of(sets_in(self.frame, k=5))

    @cached_property
    def white_box(self) -> Frame:
        return self.runs[~self.runs["method"].isin(BLACK_BOX)]

    @cached_property
    def original(self) -> Frame:
        original = original_sets(self.frame)
        return original[original["status"].isin(FOUND)]

    @cached_property
    def searches(self) -> Frame:
        return side_by_side(self.frame)

    @cached_property
    def spreads(self) -> Frame:
        return numbers_of_spreads(self.frame)

    @cached_property
    def gains(self) -> Frame:
        gains = gains_in_sum(self.searches, ["method", "k"])
        return gains[gains["compared"] > 0] if len(gains) else gains

    def seconds(self, method: str, how: str) -> float:
        """Mean time of a kind of search."""
        runs = self.runs
        return float(runs.loc[(runs["method"] == method) & (runs["how"] == how), "seconds"].mean())


def _best_method(evidence: _Evidence) -> Seen:
    means = evidence.original.groupby("method")["test_mcc"].mean().sort_values(ascending=False)
    if "model_gain" not in means or len(means) < 2:
        return None
    listed = ", ".join(f"{method_name(method)} {value:.3f}" for method, value in means.items())
    # The paper prints two digits, and two methods share the first place.
    return f"Mean test MCC of original sets: {listed}.", bool(means["model_gain"] >= means.max() - 0.005)


def _size_matters_little(evidence: _Evidence) -> Seen:
    rows = evidence.original[evidence.original["method"] != "fcbf"]
    wide = rows.pivot(index=["dataset", "fold", "method"], columns="k", values="test_mcc")
    if not {5, 10} <= set(wide.columns):
        return None
    medians = (wide[10] - wide[5]).dropna().groupby(level="method").median()
    listed = ", ".join(f"{method_name(method)} {value:+.3f}" for method, value in medians.items())
    said = f"Median change of test MCC from k = 5 to k = 10: {listed}."
    return said, bool((medians.abs() <= SMALL_MCC).all()) if len(medians) else False


def _no_gain_in_sum(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    if not len(gains):
        return None
    listed = "; ".join(
        f"{row['method']} k = {row['k']}: {row['total %']:.3g} % in all, higher in {row['gain %']:.1f} % of "
        f"{row['compared']:,} settings"
        for _, row in gains.iterrows()
    )
    said = f"Gain of the proven best sums over sequential search: {listed}. Up to {SMALL_GAIN:g} % is close to zero."
    return said, bool((gains["total %"] <= SMALL_GAIN).all())


def _no_gain_for_mrmr(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    rows = gains[gains["method"] == method_name("mrmr")] if len(gains) else gains
    if not len(rows):
        return None
    listed = "; ".join(
        f"k = {row['k']}: {row['gain %']:.1f} % of {row['compared']:,} proven settings gain, all sums together by "
        f"{row['total %']:.3g} % ({row['mean gain a set']:.3g} a set)"
        for _, row in rows.iterrows()
    )
    return f"{listed}.", bool((rows["total %"] <= SMALL_GAIN).all())


def _either_may_win(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    if not len(gains):
        return None
    below, compared = int(gains["below"].sum()), int(gains["compared"].sum())
    said = f"The best sum is below that of sequential search in {below:,} of {compared:,} settings with both proven."
    return said, below > 0


def _sequential_is_faster(evidence: _Evidence) -> Seen:
    ratios = {}
    for method in evidence.runs["method"].unique():
        first, second = (evidence.seconds(method, how) for how in ("seq", "sim-sum"))
        if first > 0 and not math.isnan(second):
            ratios[method] = (first, second)
    if not ratios:
        return None
    listed = ", ".join(
        f"{method_name(method)} {first:.3g} s and {second:.3g} s"
        for method, (first, second) in ratios.items()
    )
    said = f"Mean time of sequential and simultaneous search (sum), k = 5: {listed}."
    return said, all(first <= second for first, second in ratios.values())


def _mrmr_is_left_open(evidence: _Evidence) -> Seen:
    runs = evidence.white_box
    runs = runs[(runs["method"] == "mrmr") & (runs["how"] == "sim-sum")]
    if not len(runs):
        return None
    left = 100 * float((~runs["status"].isin(["optimal", "infeasible"])).mean())
    said = f"{left:.2f} % of {len(runs):,} simultaneous searches (sum, k = 5) are not proven; published: 67.04 %."
    return said, left > 10


def _proofs_fail_with_a(evidence: _Evidence) -> Seen:
    runs = evidence.white_box
    runs = runs[runs["how"] == "sim-sum"]
    open_share = 100 * (~runs["status"].isin(["optimal", "infeasible"])).groupby(runs["a"]).mean()
    if not {1, MOST_ALTERNATIVES} <= set(open_share.index):
        return None
    first, last = open_share[1], open_share[MOST_ALTERNATIVES]
    ours = f"Not proven: {first:.2f} % for one alternative, {last:.2f} % for five (k = 5, sum)"
    said = f"{ours}; published: 7.60 and 30.17 %."
    return said, bool(last > first + 5)


def _minimum_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    if not {"seq", "sim-min", "sim-sum"} <= medians.keys():
        return None
    listed = ", ".join(f"{SEARCHES[how]} {value:.3g}" for how, value in medians.items())
    said = (
        f"Median standard deviation of the training objective within searches (Model Gain, k = 5): {listed}."
    )
    return said, medians["sim-min"] < medians["sim-sum"] < medians["seq"]


def _balancing_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    if not {"bal", "sim-min", "seq"} <= medians.keys():
        return None
    said = (
        f"Median standard deviation of the training objective: {medians['bal']:.3g} with balancing, "
        f"{medians['sim-min']:.3g} with the best minimum, {medians['seq']:.3g} with sequential search."
    )
    return said, medians["bal"] - medians["sim-min"] < medians["seq"] - medians["bal"]


def _same_on_test_rows(evidence: _Evidence) -> Seen:
    medians = _medians(numbers_of_means(evidence.frame), "c")
    if len(medians) < 2:
        return None
    low, high = min(medians.values()), max(medians.values())
    said = f"Median of the mean test MCC within searches is between {low:.3f} and {high:.3f} (Model Gain, k = 5)."
    return said, high - low <= SMALL_MCC


def _medians(numbers: Frame, panel: str) -> dict[str, float]:
    """The medians of the boxes of a panel, averaged over the numbers of alternatives, by search."""
    rows = numbers[numbers["panel"] == panel]
    return {str(how): float(value) for how, value in rows.groupby("how")["median"].mean().items()}


def _heuristics_lose_with_a(evidence: _Evidence) -> Seen:
    table = shortfalls(evidence.searches, ["method", "a"])
    if not len(table):
        return None
    rows = table[table["against"] == "sim. (sum)"].dropna(subset=["mean %"])
    means = rows.groupby(["heuristic", "a"])["mean %"].mean().unstack()
    if not {1, MOST_ALTERNATIVES} <= set(means.columns):
        return None
    listed = "; ".join(
        f"{how} {row[1]:.3g} % with one alternative, {row[MOST_ALTERNATIVES]:.3g} % with five"
        for how, row in means.iterrows()
    )
    said = f"Mean loss against the proven best sum: {listed}."
    return said, bool((means[1] <= 0.01).all() and (means[MOST_ALTERNATIVES] > means[1]).all())


def _heuristics_are_exact_at_one(evidence: _Evidence) -> Seen:
    table = shortfalls(evidence.searches, ["method", "tau"])
    rows = table[(table["tau"] == 1) & (table["against"] == "sim. (sum)")] if len(table) else table
    rows = rows.dropna(subset=["worst %"]) if len(rows) else rows
    if not len(rows):
        return None
    worst = float(rows["worst %"].max())
    said = f"Largest loss of either heuristic against the proven best sum at tau = 1: {worst:.2g} %."
    return said, worst <= 1e-6


def _heuristics_stop_early(evidence: _Evidence) -> Seen:
    table = shortfalls(evidence.searches, ["method"])
    rows = table[table["proven"] > 0] if len(table) else table
    if not len(rows):
        return None
    rows = rows[rows["against"] != "sim. (min)"]
    listed = ", ".join(
        f"{row['heuristic']} ({row['method']}, where {row['against']} has sets) {row['no sets %']:.1f} %"
        for _, row in rows.iterrows()
    )
    return f"Settings with sets of which the heuristic finds none: {listed}.", bool(
        (rows["no sets %"] > 0).any()
    )


def _heuristics_take_no_time(evidence: _Evidence) -> Seen:
    runs = evidence.runs
    seconds = runs.loc[runs["how"].isin(HEURISTICS), "seconds"]
    if not len(seconds):
        return None
    said = f"Mean {1000 * seconds.mean():.1f} ms, longest {1000 * seconds.max():.1f} ms (k = 5)."
    return said, bool(seconds.mean() < 0.01)


def _first_step_costs_most(evidence: _Evidence) -> Seen:
    numbers = numbers_of_qualities(evidence.frame)
    rows = numbers[numbers["panel"] == "a"]
    means = rows.groupby("number")["mean"].mean()
    if not {0, 1, 2} <= set(means.index):
        return None
    steps = -means.diff().dropna()
    said = (
        f"Mean drop of the scaled training objective (Model Gain, k = 10, all thresholds): {steps[1]:.3f} from set "
        f"0 to 1, at most {steps[steps.index > 1].max():.3f} from any set to the next."
    )
    return said, bool(steps[1] >= steps.max())


def _sets_run_out(evidence: _Evidence) -> Seen:
    numbers = numbers_of_valid_sets(evidence.frame)
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
    return (f"{'; '.join(said)} (Model Gain).", stands) if said else None


def _mrmr_is_flat(evidence: _Evidence) -> Seen:
    numbers = numbers_of_objectives(evidence.frame)
    rows = numbers[(numbers["number"] == MOST_ALTERNATIVES) & (numbers["tau"] == numbers["tau"].max())]
    drops = {row["method"]: 1 - row["mean"] for _, row in rows.iterrows() if not math.isnan(row["mean"])}
    if not {"MI", "mRMR"} <= drops.keys():
        return None
    listed = ", ".join(f"{method} {drop:.3f}" for method, drop in drops.items())
    said = (
        f"Drop of the scaled training objective to alternative 5 at the largest threshold (k = 10): {listed}."
    )
    return said, drops["mRMR"] < drops["MI"]


def _same_test_objective(evidence: _Evidence) -> Seen:
    runs = complete_settings(evidence.runs[evidence.runs["method"] == "model_gain"])
    wide = runs.pivot(index=["dataset", "fold", "tau", "a"], columns="how", values="mean_test_objective")
    if not {"seq", "sim-sum"} <= set(wide.columns) or not len(wide):
        return None
    gap = float((wide["sim-sum"] - wide["seq"]).mean())
    said = (
        f"Mean test objective, simultaneous (sum) minus sequential, over {len(wide):,} settings: {gap:+.4f}."
    )
    return said, abs(gap) <= SMALL_MCC


_CHECKS: tuple[tuple[str, Callable[[_Evidence], Seen]], ...] = (
    ("Model Gain gives the best original sets for prediction.", _best_method),
    ("Ten features instead of five hardly change how well sets predict.", _size_matters_little),
    ("Simultaneous search does not reach a higher average quality than sequential search.", _no_gain_in_sum),
    ("That holds for mRMR too, where the solver ran out of time.", _no_gain_for_mrmr),
    (
        "Sequential search may have the higher average quality as well as simultaneous search.",
        _either_may_win,
    ),
    ("On test rows, too, both have the same mean objective.", _same_test_objective),
    ("Searches differ little in how well their sets predict.", _same_on_test_rows),
    (
        "Simultaneous search makes sets more alike in quality, most of all with the best minimum.",
        _minimum_evens_out,
    ),
    ("Greedy balancing makes sets nearly as alike as the best minimum does.", _balancing_evens_out),
    ("Sequential search is the faster one for every method.", _sequential_is_faster),
    ("mRMR is too hard to prove: most simultaneous searches end without a proof.", _mrmr_is_left_open),
    ("The more alternatives, the more simultaneous searches end without a proof.", _proofs_fail_with_a),
    (
        "Heuristics are exact for one alternative and lose more with each further one.",
        _heuristics_lose_with_a,
    ),
    ("Heuristics lose nothing if sets must not overlap (tau = 1).", _heuristics_are_exact_at_one),
    ("Heuristics stop early though there are further alternatives.", _heuristics_stop_early),
    ("Heuristics take next to no time.", _heuristics_take_no_time),
    ("Quality drops most from the original set to the first alternative.", _first_step_costs_most),
    ("Alternatives run out with their number and the threshold.", _sets_run_out),
    ("For mRMR the threshold matters less than for MI.", _mrmr_is_flat),
)


def conclusions(frame: Frame) -> Frame:
    """The conclusions of the paper that results can tell about."""
    evidence = _Evidence(frame)
    rows = []
    for text, check in _CHECKS:
        said, stands = check(evidence) or ("", None)
        verdict = OPEN if stands is None else HOLDS if stands else CHANGES
        rows.append({"conclusion": text, "evidence": said, "verdict": verdict})
    return pandas().DataFrame(rows)
