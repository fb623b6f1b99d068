"""Numbers in the paper's text beside ours, with what each one counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from altsets_study import tables
from altsets_study.design import SIZES
from altsets_study.figures import numbers_of_methods
from altsets_study.tables import Frame, Tasks

#: A row of the table: what the paper says, what was counted for it here, and both values.
Claim = dict[str, Any]


def _claim(
    claim: str,
    definition: str,
    ours: float,
    unit: str,
    *,
    paper: float = math.nan,
    whole: bool = False,
    in_words: str = "",
    tolerance: float = 0.0,
    detail: str = "",
) -> Claim:
    """A claim with a remark on whether both values agree.

    ``paper`` is NaN where the paper speaks in words; ``tolerance`` is half of the last printed digit. Without the
    ``whole`` of the runs that it cites, nothing is said about agreement.
    """
    if math.isnan(ours):
        remark = tables.NOT_ENOUGH
    elif math.isnan(paper):
        remark = detail
    elif not whole:
        remark = f"{tables.NOT_ENOUGH}; {detail}" if detail else tables.NOT_ENOUGH
    else:
        difference = ours - paper
        # Half a digit is itself rounded.
        agrees = abs(difference) <= tolerance * (1 + 1e-9)
        said = "agrees to the printed digits" if agrees else f"differs by {difference:+.3g}"
        remark = f"{said}; {detail}" if detail else said
    row = {"claim": claim, "definition": definition, "published": paper, "in_words": in_words}
    return {**row, "ours": ours, "unit": unit, "remark": remark}


def claims(frame: Frame) -> Frame:
    """The scalar claims of the paper's text as a table."""
    original, done = tables.original_sets(frame), tables.tasks_in(frame)
    found = [
        *_prediction(original, done),
        *_infeasible(frame, original, done),
        *_open_searches(frame, done),
        _wrapper(original, done),
        *_greedy(frame, done),
        *_sizes(frame),
        *_simultaneous(frame),
        *_correlated(frame),
    ]
    return pd.DataFrame(found)


def _mean(values: Frame) -> float:
    return float(values.mean()) if len(values) else math.nan


def _by_size(
    rows: Frame, column: str, scale: float = 1.0, digits: int = 2, *, thresholds: bool = False
) -> str:
    """The mean for each size and what it rests on.

    With ``thresholds`` also the mean if each threshold counted: there are as many of them as features in a set.
    """
    means = rows.groupby("k")[column].agg(["size", "mean"])
    if not len(means):
        return ""
    design = tables.published()["design"]
    n_tasks = len(rows[["dataset", "fold"]].drop_duplicates())
    said = ", ".join(f"k = {k}: {scale * mean:.{digits}f}" for k, mean in means["mean"].items())
    said += f"; {n_tasks} of {design['datasets'] * design['folds']} data sets and folds"
    if not thresholds or len(means) < 2:
        return said
    weights = means["size"] * means.index
    weighted = scale * float((means["mean"] * weights).sum() / weights.sum())
    return f"{said}; if each threshold counts: {weighted:.{digits}f}"


def _prediction(original: Frame, done: Tasks) -> Iterator[Claim]:
    there = original[original["status"].isin(tables.FOUND)]
    for method in tables.methods_in_order({*tables.METHODS, *original["method"].unique()}):
        rows = there[there["method"] == method]
        yield _claim(
            f"{tables.method_name(method)}: mean test MCC of original sets",
            "set 0 of sequential search, where there is one; each data set, fold and size once",
            _mean(rows["test_mcc"]),
            "MCC",
            paper=tables.published_number("mean_test_mcc", method),
            whole=done.complete([method], SIZES),
            tolerance=0.005,
            detail=_by_size(rows, "test_mcc", thresholds=True),
        )


def _infeasible(frame: Frame, original: Frame, done: Tasks) -> Iterator[Claim]:
    flagged = original.assign(none=original["status"].eq("infeasible"))
    fcbf = flagged[flagged["method"] == "fcbf"]
    yield _claim(
        "FCBF: original sets that do not exist",
        "set 0 of sequential search proven infeasible; each data set, fold and size once",
        100 * _mean(fcbf["none"]),
        "%",
        paper=tables.published_number("fcbf_original_infeasible_percent"),
        whole=done.complete(["fcbf"], SIZES),
        tolerance=0.5,
        detail=_by_size(fcbf, "none", 100, 1, thresholds=True),
    )
    yield _claim(
        "Other methods: original sets that do not exist",
        "the same for all methods but FCBF; the paper says never",
        100 * _mean(flagged.loc[flagged["method"] != "fcbf", "none"]),
        "%",
        paper=0.0,
        whole=done.complete(tables.METHODS.keys() - {"fcbf"}, SIZES),
    )
    for method in ("fcbf", "model_gain"):
        sets = tables.sets_in(frame, methods=[method], how=tables.SOLVER_BASED)
        sets = sets.assign(none=sets["status"].eq("infeasible"))
        yield _claim(
            f"{tables.method_name(method)}: sets that do not exist, all solver-based searches",
            "every set of sequential searches (0 to 10) and simultaneous ones (0 to a, both aggregations), both "
            "sizes; sets of an infeasible simultaneous search all count",
            100 * _mean(sets["none"]),
            "%",
            paper=tables.published_number("solver_sets_infeasible_percent", method),
            whole=done.complete([method], SIZES),
            tolerance=0.5,
            detail=_by_size(sets, "none", 100, 1),
        )


def _open_searches(frame: Frame, done: Tasks) -> Iterator[Claim]:
    sets = tables.sets_in(frame, how=tables.SOLVER_BASED)
    exact = sets[~sets["method"].isin(tables.BLACK_BOX)]
    proven = exact["status"].isin(tables.PROVEN)
    shares = 100 * proven.groupby([exact["method"], exact["k"]]).mean()
    finished = tables.published_number("sets_finished_percent")
    yield _claim(
        "Sets finished before the time limit",
        "sets of solver-based searches that are proven best or proven not to exist; all methods but Greedy "
        "Wrapper, which proves nothing",
        100 * _mean(proven),
        "%",
        paper=finished,
        whole=done.complete(tables.WHITE_BOX, SIZES),
        tolerance=0.5,
        detail=", ".join(
            f"{tables.method_name(name)} k = {k}: {share:.1f}" for (name, k), share in shares.items()
        ),
    )
    yield _claim(
        "Sets not stopped by the time limit, Greedy Wrapper included",
        "sets of solver-based searches that the time limit did not stop, all methods",
        100 * _mean(~sets["timed_out"]),
        "%",
        paper=finished,
        whole=done.complete(tables.METHODS, SIZES),
        tolerance=0.5,
    )


def _wrapper(original: Frame, done: Tasks) -> Claim:
    rows = original[original["method"] == "greedy_wrapper"]
    return _claim(
        "Greedy Wrapper: iterations to find original sets",
        "mean number of solutions asked for (the first one and one for each swap) for set 0 of sequential search",
        _mean(rows["n_iterations"]),
        "iterations",
        paper=tables.published_number("wrapper_iterations"),
        whole=done.complete(["greedy_wrapper"], SIZES),
        tolerance=0.5,
        detail=_by_size(rows, "n_iterations", digits=0, thresholds=True),
    )


def _greedy(frame: Frame, done: Tasks) -> Iterator[Claim]:
    sets = tables.sets_in(frame, methods=tables.UNIVARIATE, how=tables.HEURISTICS)
    runs = tables.runs_of(sets[sets["k"] == 5])
    for how, name in (("rep", "Greedy replacement"), ("bal", "Greedy balancing")):
        yield _claim(
            f"{name}: searches without a valid set",
            "k = 5, 1 to 5 alternatives, MI and Model Gain; replacement: set number a is missing",
            100 * _mean(runs.loc[runs["how"] == how, "status"].eq("not_found")),
            "%",
            paper=tables.published_number("heuristics_not_solved_percent"),
            whole=done.complete(tables.UNIVARIATE, [tables.SIZE]),
            tolerance=0.005,
        )
    longest = sets.groupby([*tables.SETTING, "how", "n_alternatives"])[tables.SECONDS].sum()
    share = 100 * _mean(longest <= 0.001)
    yield _claim(
        "Heuristics: longest search",
        "largest processor time of a search with all its sets, both sizes; published: never longer",
        1000 * float(longest.max()) if len(longest) else math.nan,
        "ms",
        paper=tables.published_number("heuristics_most_milliseconds"),
        whole=done.complete(tables.UNIVARIATE, SIZES),
        tolerance=0.5,
        detail=f"{share:.1f} % of searches take at most 1 ms, 99 % at most {1000 * longest.quantile(0.99):.1f} ms",
    )


def _sizes(frame: Frame) -> Iterator[Claim]:
    numbers = numbers_of_methods(frame)
    for _, row in numbers[(numbers["panel"] == "b") & (numbers["metric"] == "test_mcc")].iterrows():
        yield _claim(
            f"{row['method']}: change of test MCC from k = 5 to k = 10",
            "median over data sets and folds of the difference between original sets, where both exist",
            row["median"],
            "MCC",
            in_words=tables.published()["in_words"]["k_difference_test_mcc"],
            detail=f"pairs: {row['n']:.0f}, mean: {row['mean']:+.3f}",
        )


def _simultaneous(frame: Frame) -> Iterator[Claim]:
    runs = tables.runs_of(tables.sets_in(frame, k=5, how=["seq", "sim-sum"]))
    metrics = {"mean_train_objective": "training objective", "mean_test_mcc": "test MCC"}
    wide = runs[runs["valid"]].pivot(index=[*tables.SETTING, "a"], columns="how", values=list(metrics))
    if not {("mean_train_objective", "seq"), ("mean_train_objective", "sim-sum")} <= set(wide.columns):
        return
    for metric, name in metrics.items():
        gaps = (wide[metric, "sim-sum"] - wide[metric, "seq"]).dropna()
        for method in tables.methods_in_order(gaps.index.unique("method")):
            those = gaps.xs(method, level="method")
            up, down = 100 * _mean(those > 1e-9), 100 * _mean(those < -1e-9)
            yield _claim(
                f"{tables.method_name(method)}: mean {name}, simultaneous (sum) minus sequential",
                "mean over settings (k = 5, 1 to 5 alternatives, all thresholds) of the difference of means "
                "within searches, where both have all sets",
                _mean(those),
                "quality",
                in_words=tables.published()["in_words"]["simultaneous_minus_sequential"],
                detail=f"{len(those)} settings, higher in {up:.1f} %, lower in {down:.1f} %",
            )


#: Pairs of columns whose correlation is shown.
PAIRS = (
    ("train_objective", "test_mcc"),
    ("test_objective", "test_mcc"),
    ("train_objective", "train_mcc"),
)
#: Absolute correlations below these are called weak and moderate.
WEAK, MODERATE = 0.4, 0.7


def correlations(frame: Frame, pairs: Sequence[tuple[str, str]] = PAIRS) -> Frame:
    """How objectives and MCC go together over all found sets of all searches, by method."""
    sets = tables.sets_in(frame)
    sets = sets[sets["status"].isin(tables.FOUND)]
    needed = sorted({column for pair in pairs for column in pair})
    rows = []
    for method in tables.methods_in_order(sets["method"].unique()):
        those = sets[sets["method"] == method]
        values = those[needed].astype(float)
        ranks = values.rank()
        tasks = those.groupby(["dataset", "fold"], sort=False).ngroup()
        within = values.groupby(tasks).rank()
        for objective, mcc in pairs:
            pair = [objective, mcc]
            rows.append(
                {
                    "method": tables.method_name(method),
                    "objective": objective.replace("_", " "),
                    "mcc": mcc.replace("_mcc", " MCC"),
                    "sets": len(values),
                    "Pearson": _pearson(values[pair]),
                    "Spearman": _pearson(ranks[pair]),
                    "Spearman within": _mean_within(within[pair], tasks),
                }
            )
    columns = ["method", "objective", "mcc", "sets", "Pearson", "Spearman", "Spearman within"]
    return pd.DataFrame(rows, columns=columns)


def _pearson(pair: Frame) -> float:
    first, second = pair.to_numpy(dtype=float).T
    constant = len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0
    return math.nan if constant else float(np.corrcoef(first, second)[0, 1])


def _mean_within(ranks: Frame, tasks: Frame) -> float:
    each = [_pearson(group) for _, group in ranks.groupby(tasks)]
    there = [value for value in each if not math.isnan(value)]
    return float(np.mean(there)) if there else math.nan


def _correlated(frame: Frame) -> Iterator[Claim]:
    for _, row in correlations(frame, PAIRS[:1]).iterrows():
        strength = abs(row["Spearman"])
        word = "weak" if strength < WEAK else "moderate" if strength < MODERATE else "strong"
        yield _claim(
            f"{row['method']}: correlation of training objective and test MCC",
            "Spearman, over all found sets of all searches; below 0.4 is called weak, below 0.7 moderate",
            row["Spearman"],
            "",
            in_words=tables.published()["in_words"]["objective_and_mcc"],
            detail=f"{word}; Pearson {row['Pearson']:.2f}, within data sets {row['Spearman within']:.2f}",
        )
