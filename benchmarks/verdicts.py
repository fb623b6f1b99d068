"""Decisions on simulated tables: how often "yes" and "no" are wrong, and how often the answer is "undecided"."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold

import altsets
from altsets.evaluation import Fold
from benchmarks.report import Check, Section, share, table

#: Tables of each kind; fewer if quick.
TABLES, FEWER = 250, 50
#: Tables on which the scores are compared with those of altsets.evaluate.
COMPARED = 3
ROWS = (100, 300, 1_000, 3_000)
#: The default margin of these scores, and what set 1 loses in truth.
MARGIN = 0.02
LOSSES = {"equal sets": 0.0, "loss of the margin (0.02)": MARGIN, "loss of 0.1": 0.1}
#: The score of set 0, and how much of the noise both sets share.
SCORE, SHARED = 0.7, 0.8
#: One end of a 95 % interval is wrong in 2.5 % of tables; the target leaves room for chance.
NOMINAL, MOST = 0.025, 0.04
NORMAL = NormalDist()


def run(quick: bool) -> Section:
    """Return how often decisions are wrong, by the true loss, the kind of target and the number of rows."""
    section = Section("verdicts")
    kinds = [(kind, n_rows) for kind in ("R²", "Matthews correlation") for n_rows in ROWS]
    each = FEWER if quick else TABLES
    lines = []
    apart = max(_apart(kind == "R²", n_rows, seed) for kind, n_rows in kinds for seed in range(COMPARED))
    section.checks.append(
        Check("scores: largest difference to altsets.evaluate", "< 1e-12", f"{apart:.2g}", apart < 1e-12)
    )
    for title, loss in LOSSES.items():
        total: Counter[str] = Counter()
        for kind, n_rows in kinds:
            answers = Counter(_answers(kind, n_rows, loss, each))
            total += answers
            lines.append((title, kind, f"{n_rows:,}", *_shares(answers)))
        lines.append((f"**{title}**", "all", "", *_shares(total)))
        wrong = "no" if loss == 0 else "yes"
        rate = total[wrong] / total.total()
        section.checks.append(
            Check(f'{title}: "{wrong}", which is wrong', f"<= {MOST:.0%}", f"{rate:.1%}", rate <= MOST)
        )
    section.body = [
        f"Tables with two sets of one column each, whose true scores are known: set 0 reaches {SCORE:g}, set 1 as much "
        f"or less by a known loss; they share {SHARED:.0%} of their noise. Models are linear (least squares; for "
        "classes linear discriminant analysis), fitted in five times five folds as `altsets.evaluate` does, with the "
        f'default margin of {MARGIN:g}. With equal sets, "no" is wrong; with a loss of the margin or more, "yes" is '
        "wrong. "
        f"Nominal is at most {NOMINAL:.1%} for either; a loss of exactly the margin is the hardest.",
        table(("truth", "score", "rows", "tables", "yes", "undecided", "no"), lines),
    ]
    return section


def _shares(answers: Counter[str]) -> tuple[object, ...]:
    count = answers.total()
    return count, *(share(answers[answer], count) for answer in ("yes", "undecided", "no"))


def _answers(kind: str, n_rows: int, loss: float, count: int) -> Iterator[str]:
    for seed in range(count):
        yield _evaluated(*_table(kind == "R²", n_rows, loss, seed), kind == "R²").decisions[0].answer


def _apart(numeric: bool, n_rows: int, seed: int) -> float:
    """How far the scores are from those of altsets.evaluate."""
    X, y = _table(numeric, n_rows, MARGIN, seed)
    model = LinearRegression() if numeric else LinearDiscriminantAnalysis()
    slow, fast = altsets.evaluate([[0], [1]], X, y, estimator=model, n_repeats=5), _evaluated(X, y, numeric)
    return max(float(np.abs(np.subtract(slow.scores(n), fast.scores(n))).max()) for n in (0, 1))


def _evaluated(X: Any, y: Any, numeric: bool) -> altsets.results.Evaluation:
    """What altsets.evaluate measures, by formulas: models of one column need no library."""
    scorer = "r2" if numeric else "matthews_corrcoef"
    splitter = KFold if numeric else StratifiedKFold
    splits = [
        rows
        for repeat in range(5)
        for rows in splitter(5, shuffle=True, random_state=25 + repeat).split(X, y)
    ]
    folds = []
    for number, (train, test) in enumerate(splits):
        score = _r_squared if numeric else _matthews
        scores = tuple(score(X[train, n], y[train], X[test, n], y[test]) for n in (0, 1))
        # The mean of the training rows, or one class for all rows.
        guess = {scorer: _r_squared_of(np.full(len(test), y[train].mean()), y[test]) if numeric else 0.0}
        known = {scorer: scores}
        nothing = (math.nan, math.nan)
        folds.append(
            Fold(
                number,
                len(train),
                len(test),
                ((0,), (1,)),
                (),
                known,
                known,
                nothing,
                nothing,
                baseline=guess,
            )
        )
    return altsets.results.Evaluation(
        *(tuple(folds), (), 2, {0: "x0", 1: "x1"}, (scorer,), True, len(y), 2, len(folds)),
        parameters={"cv": 5, "n_repeats": 5},
    )


def _r_squared(x: Any, y: Any, new: Any, truth: Any) -> float:
    slope = np.cov(x, y, bias=True)[0, 1] / x.var()
    return _r_squared_of(y.mean() + slope * (new - x.mean()), truth)


def _r_squared_of(predicted: Any, truth: Any) -> float:
    return float(1 - ((truth - predicted) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


def _matthews(x: Any, y: Any, new: Any, truth: Any) -> float:
    """Two classes, equally frequent: the threshold lies halfway between their means."""
    low, high = x[y == 0].mean(), x[y == 1].mean()
    predicted = (new > (low + high) / 2) == (high > low)
    constant = predicted.all() or not predicted.any()
    return 0.0 if constant else float(np.corrcoef(predicted, truth)[0, 1])


def _table(numeric: bool, n_rows: int, loss: float, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([seed, n_rows, round(1000 * loss), numeric])
    return (_numbers if numeric else _classes)(rng, n_rows, (SCORE, SCORE - loss))


def _noise(rng: np.random.Generator, n_rows: int) -> Any:
    """Two columns of noise with a common part."""
    return math.sqrt(SHARED) * rng.normal(size=(n_rows, 1)) + math.sqrt(1 - SHARED) * rng.normal(
        size=(n_rows, 2)
    )


def _numbers(rng: np.random.Generator, n_rows: int, scores: Sequence[float]) -> tuple[Any, Any]:
    """Columns whose best linear predictions of the target have these R²."""
    y = rng.normal(size=n_rows)
    r = np.sqrt(scores)
    return r * y[:, None] + np.sqrt(1 - r**2) * _noise(rng, n_rows), y


def _classes(rng: np.random.Generator, n_rows: int, scores: Sequence[float]) -> tuple[Any, Any]:
    """Columns whose best thresholds tell two equally frequent classes apart with these Matthews correlations."""
    y = rng.permutation(n_rows) % 2
    apart = np.array([2 * NORMAL.inv_cdf((1 + score) / 2) for score in scores])
    return apart * y[:, None] + _noise(rng, n_rows), y
