"""Sets that differ through similarity: how fast they are proven, and what it costs to be truly different."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets.dissimilarity import Matched
from altsets.quality import MRMR, Additive
from benchmarks.report import Check, Section, duration, share, table
from benchmarks.scores import SEED, read_data
from benchmarks.searches import Scores

#: Few features and many, hardly any that are alike and hardly any that are not.
DATA = (
    "Hill_Valley_with_noise",
    "chess",
    "clean1",
    "clean2",
    "coil2000",
    "ionosphere",
    "mushroom",
    "sonar",
    "spambase",
    "spectf",
    "tokyo1",
    "wdbc",
)
MEASURE, THRESHOLD = "spearman", 0.9
SIZE = 5
TAUS = (0.4, 0.6, 0.8, 1.0)
ALTERNATIVES = (2, 4)
SEARCHES: dict[str, dict[str, Any]] = {
    "sequential": {},
    "simultaneous sum": {"search": "simultaneous"},
    "simultaneous min": {"search": "simultaneous", "aggregation": "min"},
}
MEAN, WORST, SHARE = 0.05, 1.0, 0.95
TIME_LIMIT = 10.0


@dataclass(frozen=True)
class Answered:
    """One search and what came of it."""

    scores: str
    search: str
    tau: float
    a: int
    seconds: float
    result: altsets.Result

    @property
    def proven(self) -> bool:
        """Whether nothing remains to be shown."""
        return self.result.status in ("optimal", "infeasible")


def run(folder: Path, every: Sequence[Scores]) -> Section:
    """All searches on the data sets that are there, then what they cost."""
    section = Section("distinct")
    answered = list(_answers(folder, [scores for scores in every if scores.data in DATA]))
    _searches(section, answered)
    _costs(section, folder)
    return section


def _answers(folder: Path, every: Sequence[Scores]) -> Iterable[Answered]:
    alike: dict[str, Matched] = {}
    for scores in every:
        path = folder / f"{scores.data}.csv.gz"
        if path.exists() and scores.data not in alike:
            alike[scores.data] = Matched.from_data(read_data(path)[0], MEASURE, THRESHOLD)
        if scores.data not in alike:
            continue
        for (name, options), a, tau in product(SEARCHES.items(), ALTERNATIVES, TAUS):
            started = time.perf_counter()
            result = altsets.find(
                scores.quality,
                SIZE,
                a,
                tau,
                dissimilarity=alike[scores.data],
                time_limit=TIME_LIMIT,
                **options,
            )
            yield Answered(scores.name, name, tau, a, time.perf_counter() - started, result)


def _searches(section: Section, answered: Sequence[Answered]) -> None:
    lines = []
    for measure, name in product(dict.fromkeys(one.scores.split()[0] for one in answered), SEARCHES):
        these = [one for one in answered if one.scores.startswith(measure) and one.search == name]
        seconds = [one.seconds for one in these]
        proven = sum(one.proven for one in these)
        mean, worst = statistics.fmean(seconds), max(seconds)
        infeasible = sum(one.result.status == "infeasible" for one in these)
        times = (duration(mean), duration(statistics.median(seconds)), duration(worst))
        lines.append((measure, name, len(these), share(proven, len(these)), infeasible, *times))
        what = f"{measure}, {name} ({len(these)} searches)"
        if name == "sequential":
            target = f"proven, mean {duration(MEAN)}, worst {duration(WORST)}"
            kept = proven == len(these) and mean <= MEAN and worst <= WORST
            said = f"{share(proven, len(these))}, {duration(mean)}, {duration(worst)}"
        else:
            target, said = f"{SHARE:.0%} proven in {TIME_LIMIT:g} s", share(proven, len(these))
            kept = proven >= SHARE * len(these)
        section.checks.append(Check(what, target, said, kept))
    header = ("quality", "search", "searches", "proven", "infeasible", "mean", "median", "worst")
    section.body += [
        f"Features with a {MEASURE} correlation of {THRESHOLD:g} or more count as the same; sets of {SIZE}, tau in "
        f"{', '.join(map(str, TAUS))}, {' and '.join(map(str, ALTERNATIVES))} alternatives, on {len(DATA)} data sets.",
        table(header, lines),
        "### Not proven",
        _exceptions(answered),
    ]


def _exceptions(answered: Sequence[Answered]) -> str:
    lines = [
        (
            one.scores,
            one.search,
            one.tau,
            one.a,
            str(one.result.status),
            one.result.objective,
            one.result.bound,
        )
        for one in answered
        if not one.proven
    ]
    header = ("quality", "search", "tau", "a", "status", "objective", "bound")
    return table(header, lines) if lines else "None."


# --- What it costs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """Set 1 beside set 0, plain and matched, as means over folds."""

    quality: tuple[float, float]
    score: tuple[float, float, float]
    similarity: tuple[float, float]


def _costs(section: Section, folder: Path) -> None:
    lines = []
    for name in DATA:
        path = folder / f"{name}.csv.gz"
        if path.exists():
            X, y = read_data(path)
            for kind in ("MI", "mRMR"):
                lines.append((name, kind, *_written(_cost(kind, X, y))))
    header = (
        "data set",
        "quality",
        "loss of quality, plain",
        "matched",
        "MCC of set 0",
        "of set 1, plain",
        "matched",
        "similarity of set 1 to set 0, plain",
        "matched",
    )
    section.body += [
        "### What truly different costs",
        f"Two sets of {SIZE} with tau = 1, found on the training rows of five folds: plain sets share no feature, "
        f"matched sets have no two with a {MEASURE} correlation of {THRESHOLD:g} or more between them. Loss of "
        "quality: by how much set 1 is worse than set 0. MCC: of a decision tree with these features alone, on "
        "the test rows. "
        "Similarity: of each feature of set 1 to the one of set 0 that is most like it, on average.",
        table(header, lines),
    ]


def _cost(kind: str, X: npt.NDArray[np.float64], y: npt.NDArray[np.int_]) -> Cost | None:
    """None where no two sets are so different."""
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=SEED)
    found = []
    for train, test in folds.split(X, y):
        quality = (Additive if kind == "MI" else MRMR).from_data(X[train], y[train])
        matched = Matched.from_data(X[train], MEASURE, THRESHOLD)
        sets: list[tuple[int, ...]] = []
        values: list[float] = []
        for dissimilarity in ("dice", matched):
            result = altsets.find(quality, SIZE, 1, 1, dissimilarity=dissimilarity, time_limit=TIME_LIMIT)
            if len(result.sets) < 2:
                return None
            sets, values = [*sets, *result.sets], [*values, *result.qualities]
        best, plain, _, apart = sets
        scores = [_mcc(X[train], y[train], X[test], y[test], chosen) for chosen in (best, plain, apart)]
        alike = [
            float(matched.similarity[np.ix_(chosen, best)].max(axis=1).mean()) for chosen in (plain, apart)
        ]
        losses = [(values[0] - values[number]) / abs(values[0]) for number in (1, 3)]
        found.append((*losses, *scores, *alike))
    means = np.mean(found, axis=0).tolist()
    return Cost(tuple(means[:2]), tuple(means[2:5]), tuple(means[5:]))


def _mcc(X: Any, y: Any, X_test: Any, y_test: Any, chosen: tuple[int, ...]) -> float:
    tree = DecisionTreeClassifier(random_state=SEED).fit(X[:, chosen], y)
    return float(matthews_corrcoef(y_test, tree.predict(X_test[:, chosen])))


def _written(cost: Cost | None) -> tuple[str, ...]:
    if cost is None:
        # Plain sets exist; matched ones do not.
        return ("", "no such sets") + ("",) * 5
    losses = [f"{100 * loss:.1f} %" for loss in cost.quality]
    return (
        *losses,
        *(f"{score:.2f}" for score in cost.score),
        *(f"{value:.2f}" for value in cost.similarity),
    )
