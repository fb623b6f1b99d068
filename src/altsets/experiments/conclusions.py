"""Gains and losses of proven searches, and the paper's conclusions checked against them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.experiments import figures, tables
from altsets.experiments.tables import Frame

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
#: Sentences about rows of the tables below.
IN_SUM = (
    "{0[method]}, k = {0[k]}: of {0[settings]:,} settings, {0[compared]:,} are proven for sequential and simultaneous "
    "search and have all sets; the best sum is higher than that of sequential search in {0[gain %]:.1f} % of these. "
    "All together they are {0[total %]:.3g} % higher ({0[mean gain a set]:.3g} a set); one in twenty gains "
    "{0[95th percentile %]:.3g} % or more."
)
NOTHING_PROVEN = (
    "{0[method]}, k = {0[k]}: of {0[settings]:,} settings, 0 are proven for both searches and have all sets, so "
    "nothing can be said."
)
IN_WORST = (
    "{0[method]}, k = {0[k]}: the best minimum lifts the worst set in {0[gain %]:.1f} % of {0[compared]:,} proven "
    "settings, by {0[mean gain]:.3g} in units of the objective on average (median: {0[median %]:.3g} % of the worst "
    "quality), and costs {0[cost in sum %]:.3g} % of the best sum."
)
SHORTFALL = (
    "{0[method]}, k = {0[k]}: {0[heuristic]} loses {0[mean %]:.3g} % of the {0[of]} of {0[against]} on average, "
    "{0[worst %]:.3g} % at worst, and finds no sets in {0[no sets %]:.1f} % of {0[proven]:,} settings that have some."
)


def side_by_side(frame: Frame) -> Frame:
    """All searches of a setting in one row, which is what the other functions here start from."""
    sets = tables.sets_in(frame)
    runs = tables.runs_of(sets[~sets["method"].isin(tables.BLACK_BOX)])
    runs = runs.assign(sum=runs["mean_train_objective"] * (runs["a"] + 1))
    keys = [*tables.SETTING, "a"]
    table = runs[keys].drop_duplicates()
    for how in tables.SEARCHES:
        those = runs.loc[runs["how"] == how, [*keys, "sum", "worst", "proven", "valid"]]
        named = {column: f"{column} {how}" for column in ("sum", "worst", "proven", "valid")}
        those = those.rename(columns=named).assign(**{f"ran {how}": True})
        table = table.merge(those, on=keys, how="left")
        for flag in ("ran", "proven", "valid"):
            table[f"{flag} {how}"] = table[f"{flag} {how}"].eq(True)
    return table


def _differences(table: Frame, first: str, second: str) -> Floats:
    """How much larger one column is than another; what is only rounding is 0."""
    found = table[first].to_numpy(dtype=float) - table[second].to_numpy(dtype=float)
    return np.where(np.abs(found) <= TOLERANCE, 0.0, found)


def _relative(gains: Floats, scale: Frame) -> Floats:
    """Gains over qualities that are not close to 0, in percent."""
    sizes = np.abs(scale.to_numpy(dtype=float))
    fit = sizes >= SMALLEST_SCALE
    relative: Floats = 100 * gains[fit] / sizes[fit]
    return relative


def _of(values: Floats, number: Callable[[Floats], Any]) -> float:
    """A number of some values; NaN if there are none."""
    return float(number(values)) if len(values) else math.nan


def _summary(gains: Floats, scale: Frame) -> dict[str, float]:
    """How many gains are above 0, and how large they are relative to the scale, in percent.

    Single ratios mean little where qualities are close to 0, as those of mRMR may be; the total does not suffer.
    """
    relative = _relative(gains, scale)
    return {
        "gain %": _of(gains, lambda values: 100 * (values > 0).mean()),
        "total %": _of(relative, lambda _: 100 * gains.sum() / np.abs(scale.to_numpy(dtype=float)).sum()),
        "mean %": _of(relative, np.mean),
        "median %": _of(relative, np.median),
        "95th percentile %": _of(relative, lambda values: np.quantile(values, 0.95)),
        "largest %": _of(relative, np.max),
    }


def _rows(table: Frame, by: Sequence[str], cells: Callable[[Frame], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of cells for each group, in the order of methods; ``by`` begins with the method."""
    rows = []
    for method in tables.methods_in_order(table["method"].unique()):
        those = table[table["method"] == method]
        for key, group in those.groupby(list(by)):
            named = dict(zip(by, key, strict=True)) | {"method": tables.method_name(method)}
            rows.append(named | cells(group))
    return rows


def _complete(table: Frame, *searches: str) -> Frame:
    """Where all these searches are proven and have all sets."""
    flags = [table[f"{flag} {how}"] for how in searches for flag in ("proven", "valid")]
    return table[np.all(flags, axis=0)]


def gains_in_sum(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best sum gains over sequential search."""

    def cells(table: Frame) -> dict[str, Any]:
        both = _complete(table, "seq", "sim-sum")
        gains = _differences(both, "sum sim-sum", "sum seq")
        ends = table["proven seq"] & ~table["valid seq"] & table["proven sim-sum"] & table["valid sim-sum"]
        return {
            "settings": len(table),
            "compared": len(both),
            "sequential runs out": int(ends.sum()),
            **_summary(gains, both["sum seq"]),
            "mean gain a set": _of(gains / (both["a"].to_numpy() + 1), np.mean),
            "below": int((gains < 0).sum()),
        }

    return tables.pandas().DataFrame(_rows(searches, by, cells))


def gains_in_worst(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """What simultaneous search for the best minimum gains in the worst set, and what that costs in the sum."""

    def cells(table: Frame) -> dict[str, Any]:
        these = _complete(table, "seq", "sim-min", "sim-sum")
        gains = _differences(these, "worst sim-min", "worst seq")
        best = np.abs(these["sum sim-sum"].to_numpy(dtype=float)).sum()
        costs = _differences(these, "sum sim-sum", "sum sim-min")
        return {
            "settings": len(table),
            "compared": len(these),
            **_summary(gains, these["worst seq"]),
            "mean gain": _of(gains, np.mean),
            "cost in sum %": _of(costs, lambda values: 100 * (values.sum() / best)),
            "below": int((gains < 0).sum()),
        }

    return tables.pandas().DataFrame(_rows(searches, by, cells))


def shortfalls(searches: Frame, by: Sequence[str] = ("method", "k", "a")) -> Frame:
    """How far the greedy heuristics fall short of proven searches."""
    table = searches[searches["method"].isin(tables.UNIVARIATE)]
    rows = []
    for heuristic, exact, what in COMPARISONS:
        names = {
            "heuristic": tables.SEARCHES[heuristic],
            "against": tables.SEARCHES[exact],
            "of": "sum of qualities" if what == "sum" else "worst quality",
        }
        rows += [
            names | row
            for row in _rows(table, by, partial(_shortfall, heuristic=heuristic, exact=exact, what=what))
        ]
    return tables.pandas().DataFrame(rows)


def _shortfall(group: Frame, heuristic: str, exact: str, what: str) -> dict[str, Any]:
    solved = _complete(group[group[f"ran {heuristic}"]], exact)
    both = solved[solved[f"valid {heuristic}"]]
    lost = _differences(both, f"{what} {exact}", f"{what} {heuristic}")
    relative = _relative(lost, both[f"{what} {exact}"])
    return {
        "proven": len(solved),
        "no sets %": 100 * (1 - len(both) / len(solved)) if len(solved) else math.nan,
        "mean %": _of(relative, np.mean),
        "median %": _of(relative, np.median),
        "worst %": _of(relative, np.max),
        "exact %": _of(relative, lambda _: 100 * (lost <= 0).mean()),
    }


def sentences(searches: Frame) -> list[str]:
    """The findings in words, one sentence for each method and question, computed from the results."""
    sums, worst, short = (
        make(searches, ["method", "k"]) for make in (gains_in_sum, gains_in_worst, shortfalls)
    )
    said = [
        IN_SUM.format(row) if row["compared"] else NOTHING_PROVEN.format(row) for _, row in sums.iterrows()
    ]
    said += [IN_WORST.format(row) for _, row in worst.iterrows() if row["compared"]]
    return said + [SHORTFALL.format(row) for _, row in short.iterrows() if row["proven"]]


def _listed(rows: Frame, words: str, divider: str = "; ") -> str:
    """The sentence about each row of a table."""
    return divider.join(words.format(row) for _, row in rows.iterrows())


def _by_method(values: Frame, digits: str) -> str:
    return ", ".join(f"{tables.method_name(method)} {value:{digits}}" for method, value in values.items())


HOLDS, CHANGES, OPEN = "holds", "changes", "no results"

#: What counts as close to zero: relative gains in percent, and differences in MCC.
SMALL_GAIN, SMALL_MCC = 1.0, 0.02
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


#: The paper's conclusions in the order of the page, with what checks each of them.
_CHECKS: dict[str, Callable[[_Evidence], Seen]] = {}


def _conclusion(text: str) -> Callable[[Callable[[_Evidence], Seen]], object]:
    return lambda check: _CHECKS.setdefault(text, check)


@_conclusion("Model Gain gives the best original sets for prediction.")
def _best_method(evidence: _Evidence) -> Seen:
    means = evidence.original.groupby("method")["test_mcc"].mean().sort_values(ascending=False)
    _need("model_gain" in means and len(means) > 1)
    # The paper prints two digits, and two methods share the first place.
    stands = bool(means["model_gain"] >= means.max() - 0.005)
    return f"Mean test MCC of original sets: {_by_method(means, '.3f')}.", stands


@_conclusion("Ten features instead of five hardly change how well sets predict.")
def _size_matters_little(evidence: _Evidence) -> Seen:
    rows = evidence.original[evidence.original["method"] != "fcbf"]
    wide = rows.pivot(index=["dataset", "fold", "method"], columns="k", values="test_mcc")
    _need({5, 10} <= set(wide.columns))
    medians = (wide[10] - wide[5]).dropna().groupby(level="method").median()
    said = f"Median change of test MCC from k = 5 to k = 10: {_by_method(medians, '+.3f')}."
    return said, bool((medians.abs() <= SMALL_MCC).all()) if len(medians) else False


@_conclusion("Simultaneous search does not reach a higher average quality than sequential search.")
def _no_gain_in_sum(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    words = "{0[method]} k = {0[k]}: {0[total %]:.3g} % in all, higher in {0[gain %]:.1f} % of {0[compared]:,} settings"
    listed = _listed(gains, words)
    said = f"Gain of the proven best sums over sequential search: {listed}. Up to {SMALL_GAIN:g} % is close to zero."
    return said, bool((gains["total %"] <= SMALL_GAIN).all())


@_conclusion("That holds for mRMR too, where the solver ran out of time.")
def _no_gain_for_mrmr(evidence: _Evidence) -> Seen:
    rows = _some(evidence.gains[evidence.gains["method"] == tables.method_name("mrmr")])
    words = (
        "k = {0[k]}: {0[gain %]:.1f} % of {0[compared]:,} proven settings gain, all sums together by "
        "{0[total %]:.3g} % ({0[mean gain a set]:.3g} a set)"
    )
    return f"{_listed(rows, words)}.", bool((rows["total %"] <= SMALL_GAIN).all())


@_conclusion("Sequential search may have the higher average quality as well as simultaneous search.")
def _either_may_win(evidence: _Evidence) -> Seen:
    gains = evidence.gains
    below, compared = int(gains["below"].sum()), int(gains["compared"].sum())
    said = f"The best sum is below that of sequential search in {below:,} of {compared:,} settings with both proven."
    return said, below > 0


@_conclusion("On test rows, too, both have the same mean objective.")
def _same_test_objective(evidence: _Evidence) -> Seen:
    runs = figures.complete_settings(evidence.runs[evidence.runs["method"] == "model_gain"])
    wide = runs.pivot(index=["dataset", "fold", "tau", "a"], columns="how", values="mean_test_objective")
    _need({"seq", "sim-sum"} <= set(wide.columns) and len(wide))
    gap = float((wide["sim-sum"] - wide["seq"]).mean())
    said = (
        f"Mean test objective, simultaneous (sum) minus sequential, over {len(wide):,} settings: {gap:+.4f}."
    )
    return said, abs(gap) <= SMALL_MCC


@_conclusion("Searches differ little in how well their sets predict.")
def _same_on_test_rows(evidence: _Evidence) -> Seen:
    medians = _medians(figures.numbers_of_means(evidence.frame), "c")
    _need(len(medians) > 1)
    low, high = min(medians.values()), max(medians.values())
    said = f"Median of the mean test MCC within searches is between {low:.3f} and {high:.3f} (Model Gain, k = 5)."
    return said, high - low <= SMALL_MCC


@_conclusion("Simultaneous search makes sets more alike in quality, most of all with the best minimum.")
def _minimum_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    _need({"seq", "sim-min", "sim-sum"} <= medians.keys())
    listed = ", ".join(f"{tables.SEARCHES[how]} {value:.3g}" for how, value in medians.items())
    said = (
        f"Median standard deviation of the training objective within searches (Model Gain, k = 5): {listed}."
    )
    return said, medians["sim-min"] < medians["sim-sum"] < medians["seq"]


@_conclusion("Greedy balancing makes sets nearly as alike as the best minimum does.")
def _balancing_evens_out(evidence: _Evidence) -> Seen:
    medians = _medians(evidence.spreads, "a")
    _need({"bal", "sim-min", "seq"} <= medians.keys())
    said = (
        f"Median standard deviation of the training objective: {medians['bal']:.3g} with balancing, "
        f"{medians['sim-min']:.3g} with the best minimum, {medians['seq']:.3g} with sequential search."
    )
    return said, medians["bal"] - medians["sim-min"] < medians["seq"] - medians["bal"]


@_conclusion("Sequential search is the faster one for every method.")
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


@_conclusion("mRMR is too hard to prove: most simultaneous searches end without a proof.")
def _mrmr_is_left_open(evidence: _Evidence) -> Seen:
    runs = _some(evidence.sums[evidence.sums["method"] == "mrmr"])
    left = 100 * float((~runs["status"].isin(tables.PROVEN)).mean())
    said = f"{left:.2f} % of {len(runs):,} simultaneous searches (sum, k = 5) are not proven; published: 67.04 %."
    return said, left > 10


@_conclusion("The more alternatives, the more simultaneous searches end without a proof.")
def _proofs_fail_with_a(evidence: _Evidence) -> Seen:
    runs = evidence.sums
    open_share = 100 * (~runs["status"].isin(tables.PROVEN)).groupby(runs["a"]).mean()
    _need({1, tables.MOST_ALTERNATIVES} <= set(open_share.index))
    first, last = open_share[1], open_share[tables.MOST_ALTERNATIVES]
    ours = f"Not proven: {first:.2f} % for one alternative, {last:.2f} % for five (k = 5, sum)"
    said = f"{ours}; published: 7.60 and 30.17 %."
    return said, bool(last > first + 5)


@_conclusion("Heuristics are exact for one alternative and lose more with each further one.")
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
    return said, bool((means[1] <= 0.01).all() and (means[tables.MOST_ALTERNATIVES] > means[1]).all())


@_conclusion("Heuristics lose nothing if sets must not overlap (tau = 1).")
def _heuristics_are_exact_at_one(evidence: _Evidence) -> Seen:
    table = evidence.shortfalls("tau")
    rows = table[(table["tau"] == 1) & (table["against"] == "sim. (sum)")]
    rows = _some(rows.dropna(subset=["worst %"]))
    worst = float(rows["worst %"].max())
    said = f"Largest loss of either heuristic against the proven best sum at tau = 1: {worst:.2g} %."
    return said, worst <= 1e-6


@_conclusion("Heuristics stop early though there are further alternatives.")
def _heuristics_stop_early(evidence: _Evidence) -> Seen:
    rows = _some(evidence.shortfalls().query("proven > 0"))
    rows = rows[rows["against"] != "sim. (min)"]
    words = "{0[heuristic]} ({0[method]}, where {0[against]} has sets) {0[no sets %]:.1f} %"
    said = f"Settings with sets of which the heuristic finds none: {_listed(rows, words, ', ')}."
    return said, bool((rows["no sets %"] > 0).any())


@_conclusion("Heuristics take next to no time.")
def _heuristics_take_no_time(evidence: _Evidence) -> Seen:
    runs = evidence.runs
    seconds = _some(runs.loc[runs["how"].isin(tables.HEURISTICS), "seconds"])
    said = (
        f"Processor time: mean {1000 * seconds.mean():.1f} ms, longest {1000 * seconds.max():.1f} ms (k = 5)."
    )
    return said, bool(seconds.mean() < 0.01)


@_conclusion("Quality drops most from the original set to the first alternative.")
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


@_conclusion("Alternatives run out with their number and the threshold.")
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


@_conclusion("For mRMR the threshold matters less than for MI.")
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
    """The conclusions of the paper that results can tell about."""
    evidence = _Evidence(frame)
    rows = []
    for text, check in _CHECKS.items():
        try:
            said, stands = check(evidence)
            verdict = HOLDS if stands else CHANGES
        except _NoResultsError:
            said, verdict = "", OPEN
        rows.append({"conclusion": text, "evidence": said, "verdict": verdict})
    return tables.pandas().DataFrame(rows)
