"""Pairs of rows and risk sets of a survival target: concordance, and Cox models."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from altsets._kernels import concordance as kernel
from altsets.arrays import Bools, Floats, Indices, Ints
from altsets.errors import InputError
from altsets.measures.covariates import orthonormal
from altsets.measures.workers import map_in_order
from altsets.tables.survival import Survival, is_survival
from altsets.tables.target import in_one_form
from altsets.wording import parameter

#: Scores of risks by name; a time after a colon, as in "concordance_index_uno:1825", leaves out later events.
HARRELL, UNO = "concordance_index", "concordance_index_uno"
#: Numbers that a thread sorts and compares at a time.
CELLS_AT_A_TIME = 300_000
#: What is left of an information that is nothing but rounding.
NOTHING = 1e-12
#: When steps of a fit are too small to matter, and the most steps.
SMALL_STEP, MOST_STEPS = 1e-9, 100
#: Logarithms of hazards do not lie farther apart: then the likelihood has no maximum, and squares leave the range soon.
MOST_SPREAD = 200.0
#: Of columns whose information was 1: less is left where columns add up to others, or the likelihood has no maximum.
LEAST_INFORMATION = 1e-6
#: Steps of the inner fit with a penalty on absolute coefficients.
INNER_STEPS = 2_000


class RankedPairs(NamedTuple):
    """Concordant pairs less discordant ones, and comparable pairs, by column."""

    difference: Floats
    comparable: Floats

    @property
    def somers_d(self) -> Floats:
        """From -1 to 1: 0 without relation, or without comparable pairs; positive where larger values die earlier."""
        known = self.comparable > 0
        return np.divide(self.difference, self.comparable, out=np.zeros(len(self.difference)), where=known)


def compared_pairs(
    matrix: Floats,
    target: Survival,
    weights: Floats | None = None,
    *,
    earlier: Floats | None = None,
    n_jobs: int | None = None,
) -> RankedPairs:
    """The pairs of rows that have an order in time, by columns of the matrix, which may have missing values.

    ``weights`` count rows, hence pairs by their product; ``earlier`` multiplies those of rows whose event comes first.
    """
    n_rows, n_columns = matrix.shape
    order = np.lexsort((target.event, -target.time))
    moments = np.unique(target.time[order], return_inverse=True)[1].astype(np.intc)
    events = target.event[order].astype(np.uint8)
    later = np.ones(n_rows) if weights is None else np.ascontiguousarray(weights[order], dtype=np.float64)
    first = later if earlier is None else later * earlier[order]
    found = RankedPairs(np.zeros(n_columns), np.zeros(n_columns))
    step = max(CELLS_AT_A_TIME // n_rows, 1)

    def work(chunk: int) -> tuple[slice, RankedPairs]:
        columns = slice(chunk * step, min((chunk + 1) * step, n_columns))
        codes = _codes(np.ascontiguousarray(matrix[order, columns].T))
        part = RankedPairs(np.zeros(len(codes)), np.zeros(len(codes)))
        kernel.concordance(codes, moments, events, first, later, *part)
        return columns, part

    n_chunks = -(-n_columns // step)
    for columns, part in map_in_order(work, n_chunks, n_jobs) if n_chunks > 1 else [work(0)]:
        found.difference[columns], found.comparable[columns] = part
    return found


def _codes(columns: Floats) -> Ints:
    """The rank of each value of a row of this matrix, from 0 on, equal ones for equal values; -1 for missing ones."""
    places = np.argsort(columns, axis=1)
    ordered = np.take_along_axis(columns, places, axis=1)
    steps = np.zeros(columns.shape, dtype=np.intc)
    # Missing values come last, and differ from each other: their codes are not used.
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=steps[:, 1:])
    steps[np.isnan(ordered)] = -1
    codes = np.empty(columns.shape, dtype=np.intc)
    np.put_along_axis(codes, places, steps, axis=1)
    return codes


class RiskSets:
    """A Cox model with given risks: what each row contributes to the score, and the information on columns.

    With tied events the terms are Efron's. The score of a column x is ``residuals @ x``, and its information
    ``x' A x``, where A is made of risk sets and never written out. Without risks it is the null model, of no effects.
    """

    def __init__(
        self, target: Survival, weights: Floats | None = None, log_risk: Floats | None = None
    ) -> None:
        weights = np.ones(len(target.time)) if weights is None else weights
        #: From the longest time on, so that risk sets are sums from the beginning; of equal times the deaths come last.
        self._order = np.lexsort((target.event, -target.time))
        time, event = target.time[self._order], target.event[self._order]
        counts = weights[self._order]
        linear = np.zeros(len(time)) if log_risk is None else log_risk[self._order]
        # Risks are relative to each other.
        highest = float(linear.max())
        self._weights = counts * np.exp(linear - highest)
        died = np.flatnonzero(event)
        #: For each time with an event: which deaths there are, and where its risk set ends.
        moments, self._which = np.unique(-time[died], return_inverse=True)
        self._died, self._ends = died, np.searchsorted(-time, moments, side="right") - 1
        deaths = np.bincount(self._which)
        at_risk = np.cumsum(self._weights)[self._ends]
        counted = np.bincount(self._which, counts[died])
        dying = np.bincount(self._which, self._weights[died])
        # Efron: of d deaths at one time, the l-th meets a risk set in which the deaths count (d - l) / d.
        of = np.repeat(np.arange(len(deaths)), deaths)
        share = (np.arange(len(of)) - np.repeat(np.cumsum(deaths) - deaths, deaths)) / deaths[of]
        total, mean_weight = at_risk[of] - share * dying[of], (counted / deaths)[of]
        hazard, shared = (np.bincount(of, mean_weight * part / total) for part in (np.ones(len(of)), share))
        self._squares = [np.bincount(of, mean_weight * share**power / total**2) for power in (0, 1, 2)]
        # What is expected of a row adds up over the times at which it was at risk.
        later_hazard = np.append(np.cumsum(hazard[::-1])[::-1], 0.0)
        expected = later_hazard[np.searchsorted(self._ends, np.arange(len(time)))]
        expected[died] -= shared[self._which]
        expected *= self._weights
        residuals = counts * event - expected
        self.expected, self.residuals = np.empty(len(time)), np.empty(len(time))
        self.expected[self._order], self.residuals[self._order] = expected, residuals
        reached = counts[died] @ (linear[died] - highest)
        self.log_likelihood = float(reached - mean_weight @ np.log(total))

    def _sums(self, columns: Floats) -> tuple[Floats, Floats]:
        """Weighted sums of columns in the risk set of each time with an event, and of the deaths at that time."""
        weighted = columns[self._order] * self._weights[:, None]
        dying = np.zeros((len(self._ends), columns.shape[1]))
        # Deaths are in the order of the times.
        starts = np.flatnonzero(np.diff(self._which, prepend=-1))
        dying[:] = np.add.reduceat(weighted[self._died], starts, axis=0)
        return np.cumsum(weighted, axis=0)[self._ends], dying

    def centred(self, columns: Floats) -> Floats:
        """Columns less a mean, which changes no score and saves digits."""
        centred: Floats = columns - (self.expected / self.expected.sum()) @ columns
        return centred

    def score_tests(self, columns: Floats, beside: Floats | None = None) -> Floats:
        """The statistic of each (centred) column alone: its squared score over its information.

        ``beside`` has the columns of the model that the risks come from, whose coefficients are estimated as well.
        """
        scores = self.residuals @ columns
        at_risk, dying = self._sums(columns)
        whole = self.expected @ columns**2
        once, crossed, twice = self._squares
        lost = once @ at_risk**2 - 2 * (crossed @ (at_risk * dying)) + twice @ dying**2
        information = whole - lost
        if beside is not None:
            information -= (self._along(columns, beside) ** 2).sum(axis=1)
        known = information > NOTHING * whole
        return np.divide(scores**2, information, out=np.zeros(len(scores)), where=known)

    def information(self, columns: Floats, others: Floats | None = None) -> Floats:
        """The information on columns, or the products of columns and others in it."""
        at_risk, dying = self._sums(columns)
        others, (risk, deaths) = (
            (columns, (at_risk, dying)) if others is None else (others, self._sums(others))
        )
        once, crossed, twice = (part[:, None] for part in self._squares)
        lost = at_risk.T @ (once * risk - crossed * deaths) + dying.T @ (twice * deaths - crossed * risk)
        found: Floats = columns.T @ (self.expected[:, None] * others) - lost
        return found

    def _along(self, columns: Floats, beside: Floats) -> Floats:
        """Return L with L L' = the information on columns that estimating the coefficients of others takes away."""
        values, vectors = np.linalg.eigh(self.information(beside))
        kept = values > NOTHING * max(float(values[-1]), 1e-300) * len(values)
        along: Floats = self.information(columns, beside) @ vectors[:, kept] / np.sqrt(values[kept])
        return along

    def joint_test(self, columns: Floats, beside: Floats | None = None) -> float:
        """The statistic of several (centred) columns together; see :meth:`score_tests`."""
        information = self.information(columns)
        if beside is not None:
            along = self._along(columns, beside)
            information -= along @ along.T
        return quadratic_form(self.residuals @ columns, information)


class InformationRoot:
    """F with F' F = A, where A is the information of a Cox model on rows: least squares with the same statistics.

    The statistic of columns X is U' I^-1 U, with the score U = X' r and the information I = X' A X. So it is what the
    columns F X explain of a ``target`` t with F' t = r, and t' t is the largest statistic that any column could have.

    Rows of A add up to 0 and have one positive number each. So F is the outcome of an elimination without subtraction,
    from the longest time on. Two rows are linked by the weight of the longer time and a factor of the shorter one;
    therefore sums from both ends say what every step leaves, and no step has to be taken. Events at one time are
    linked by less (Efron), but all alike, so that sums over them say the same.
    """

    def __init__(self, null: RiskSets) -> None:
        # Rows that left before the first event were never compared with any.
        n_rows = int(null._ends[-1]) + 1
        self._rows, weights = null._order[:n_rows], null._weights[:n_rows]
        here, died = np.arange(n_rows), null._died
        once, crossed, twice = (np.asarray(part, dtype=np.float64) for part in null._squares)
        factor, less = _sums_from(once)[np.searchsorted(null._ends, here)], np.zeros(n_rows)
        factor[died] -= crossed[null._which]
        less[died] = (crossed - twice)[null._which]
        # Events at one time are eliminated together, every other row alone.
        first, end = here.copy(), here + 1
        end[died] = null._ends[null._which] + 1
        first[died] = end[died] - np.bincount(null._which)[null._which]
        self._weights, self._links, self._end = weights, weights * factor, end
        before, linked = _sums_before(weights), _sums_from(self._links)
        filled = 1 + factor * before[first] / linked[first]
        among = factor - less / filled
        self._less = factor - among
        left, after = (among * (before[end] - before[start]) + linked[end] for start in (here, here + 1))
        # Nothing comes after the last row, which follows from the others.
        self._after = after[:-1]
        whole = filled * (among * (before[end] - before[first]) + linked[end])
        self._size = np.sqrt((weights * whole / left)[:-1] / self._after)
        residuals = null.residuals[self._rows]
        known = _sums_before(residuals)
        shift = known[first] / linked[first]
        within = known[here] - known[first] + factor * shift * (before[here] - before[first])
        solved = residuals + self._links * shift + among * weights * within / left
        self.target: Floats = solved[:-1] / (self._size * self._after)

    def turned(self, columns: Floats) -> Floats:
        """Columns of a table as those of least squares, F X."""
        some = columns[self._rows]
        some -= some.mean(axis=0)
        later = _sums_from(some * self._links[:, None])[1:-1]
        if self._less.any():
            weighted = _sums_before(some * self._weights[:, None])
            later -= self._less[:-1, None] * (weighted[self._end] - weighted[1:])[:-1]
        return self._size[:, None] * (self._after[:, None] * some[:-1] - later)


def _sums_before(values: Floats) -> Floats:
    """The sum of all before each place, and of all at the end."""
    sums = np.zeros((len(values) + 1, *values.shape[1:]))
    np.cumsum(values, axis=0, out=sums[1:])
    return sums


def _sums_from(values: Floats) -> Floats:
    return _sums_before(values[::-1])[::-1]


def quadratic_form(scores: Floats, information: Floats) -> float:
    """scores' information^-1 scores, without directions of which nothing is known."""
    values, vectors = np.linalg.eigh(information)
    kept = values > NOTHING * max(float(values[-1]), 1e-300) * len(values)
    return float(np.sum((vectors[:, kept].T @ scores) ** 2 / values[kept]))


def concordance_index(
    target: Survival,
    risk: Floats,
    *,
    weights: Floats | None = None,
    uno: bool = False,
    until: float | None = None,
) -> float:
    """The share of comparable pairs in which the row with the larger risk has the event first; ties count half.

    Uno's version weighs pairs by how likely it was not to be censored before the first event, and needs no assumption
    on censoring; ``until`` leaves out events from this time on, where few rows are left to compare with.
    """
    earlier = None
    if uno:
        left = _uncensored(target, weights)
        with np.errstate(divide="ignore"):
            earlier = np.where(target.event & (left > 0), 1 / left**2, 0.0)
    if until is not None:
        known: Bools = target.time < until
        earlier = (np.ones(len(risk)) if earlier is None else earlier) * known
    pairs = compared_pairs(risk[:, None], target, weights, earlier=earlier, n_jobs=1)
    if not pairs.comparable[0] > 0:
        when = "" if until is None else f" before {until:g}"
        raise InputError(
            f"no two of {len(risk)} rows can be compared: none has an event{when} while another one is observed for "
            "longer; test on more rows at a time, as with fewer folds."
        )
    return float((1 + pairs.somers_d[0]) / 2)


def _uncensored(target: Survival, weights: Floats | None) -> Floats:
    """The probability not to be censored until the time of each row, by Kaplan and Meier; events come first."""
    weights = np.ones(len(target.time)) if weights is None else weights
    times, at = np.unique(target.time, return_inverse=True)
    dying, censored = (
        np.bincount(at, weights * which, len(times)) for which in (target.event, ~target.event)
    )
    leaving = dying + censored
    at_risk = np.cumsum(leaving[::-1])[::-1] - dying
    kept = np.divide(at_risk - censored, at_risk, out=np.ones(len(times)), where=at_risk > 0)
    places: Indices = at
    left: Floats = np.cumprod(kept)[places]
    return left


class ConstantRisk:
    """The same risk for every row: what models are compared with."""

    def predict(self, X: Any) -> Floats:
        return np.zeros(len(X))


class ConcordanceScorer:
    """The C index of what a model predicts, a risk: larger for rows that have the event sooner."""

    def __init__(self, uno: bool = False, until: float | None = None) -> None:
        self.uno, self.until = uno, until
        self.__name__ = (UNO if uno else HARRELL) + ("" if until is None else f":{until:g}")

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        form = in_one_form(y)
        if not is_survival(form):
            raise InputError(f"{self.__name__} is for survival; use a scorer for classes or numbers.")
        risk = np.asarray(model.predict(X), dtype=np.float64).ravel()
        last = model.steps[-1][1] if hasattr(model, "steps") else model
        if not getattr(last, "_predict_risk_score", True):
            # Models of scikit-survival declare that they predict times.
            risk = -risk
        event_name, time_name = form.dtype.names
        target = Survival(form[time_name], form[event_name], event_name, time_name)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return concordance_index(target, risk, weights=weights, uno=self.uno, until=self.until)


def concordance_scorer(scoring: Any) -> ConcordanceScorer | None:
    """The C index by its name, with or without a time; None if the name is another one."""
    if not isinstance(scoring, str):
        return scoring if isinstance(scoring, ConcordanceScorer) else None
    name, colon, time = scoring.partition(":")
    if name not in (HARRELL, UNO):
        return None
    try:
        until = float(time) if colon else None
    except ValueError:
        until = np.nan
    if until is not None and not until > 0:
        raise InputError(
            f"{parameter('scoring', scoring)} must end in a time above 0, such as {name}:365, or in nothing."
        )
    return ConcordanceScorer(name == UNO, until)


# --- Fits by Newton's method, with penalties or without -----------------------------------------------


def maximum(
    matrix: Floats, target: Survival, weights: Floats | None, alpha: float, sparsity: float
) -> Floats:
    """The coefficients with the largest penalised likelihood."""
    beta = np.zeros(matrix.shape[1])
    terms = RiskSets(target, weights)
    threshold = sparsity * float(np.abs(matrix.T @ terms.residuals).max(initial=0.0))

    def penalised(at: Floats, of: RiskSets) -> float:
        return of.log_likelihood - alpha / 2 * float(at @ at) - threshold * float(np.abs(at).sum())

    value = penalised(beta, terms)
    for _ in range(MOST_STEPS):
        slope = matrix.T @ terms.residuals - alpha * beta
        curvature = terms.information(matrix) + alpha * np.eye(len(beta))
        if threshold:
            wanted = _soft_newton(beta, slope, curvature, threshold)
        elif alpha:
            wanted = beta + np.linalg.solve(curvature, slope)
        else:
            # Columns may add up to others: no step in directions of which nothing is known.
            wanted = beta + np.linalg.lstsq(curvature, slope, rcond=NOTHING * len(slope))[0]
        step, share = wanted - beta, 1.0
        while share > SMALL_STEP:
            trial = beta + share * step
            risk = matrix @ trial
            if np.ptp(risk) < MOST_SPREAD:
                tried = RiskSets(target, weights, risk)
                better = penalised(trial, tried)
                if better >= value - 1e-12 * abs(value):
                    break
            share /= 2
        else:
            break
        beta, terms, value = trial, tried, better
        if np.abs(share * step).max(initial=0.0) < SMALL_STEP * max(
            1.0, float(np.abs(beta).max(initial=0.0))
        ):
            break
    return beta


def fit_cox(
    matrix: Floats, target: Survival, weights: Floats | None, ridge: float = 0.0
) -> tuple[Floats, Floats, float]:
    """Return logarithms of hazard ratios, their standard errors, and Harrell's C index.

    Columns have an information of 1 without any effect; the coefficients of those without information are 0.
    Standard errors are nan with a ridge, for columns that add up to others, and where the likelihood grows with a
    coefficient for ever.
    """
    matrix = matrix - matrix.mean(axis=0)
    beta = maximum(matrix, target, weights, ridge, 0.0)
    risk = matrix @ beta
    information = RiskSets(target, weights, risk).information(matrix)
    values, vectors = np.linalg.eigh(information)
    known = values > LEAST_INFORMATION
    errors = np.sqrt(np.sum(vectors[:, known] ** 2 / values[known], axis=1))
    unknown = bool(ridge) or np.ptp(risk) > MOST_SPREAD / 2
    errors[unknown | (np.sum(vectors[:, ~known] ** 2, axis=1) > LEAST_INFORMATION)] = np.nan
    return beta, errors, concordance_index(target, risk, weights=weights)


def cox_model(
    target: Survival, weights: Floats | None, covariates: Floats | None
) -> tuple[RiskSets, Floats | None]:
    """Return the Cox model of covariates, to which columns are added, and its columns; without any the null model."""
    if covariates is None:
        return RiskSets(target, weights), None
    null = RiskSets(target, weights)
    columns = null.centred(covariates)
    # As rows are compared within risk sets, the intercept does not matter.
    columns = orthonormal(columns / np.maximum(np.abs(columns).max(axis=0), 1e-300)) * math.sqrt(len(columns))
    beta = maximum(columns, target, weights, 0.0, 0.0)
    fitted = RiskSets(target, weights, columns @ beta)
    return fitted, fitted.centred(columns)


def _soft_newton(beta: Floats, slope: Floats, curvature: Floats, threshold: float) -> Floats:
    """The maximum of the quadratic model at ``beta`` with a penalty on absolute coefficients, by proximal steps."""
    rate = 1 / float(np.linalg.eigvalsh(curvature)[-1])
    found, ahead, pace = beta, beta, 1.0
    for _ in range(INNER_STEPS):
        moved = ahead + rate * (slope - curvature @ (ahead - beta))
        new = np.sign(moved) * np.maximum(np.abs(moved) - rate * threshold, 0.0)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = new + (pace - 1) / faster * (new - found)
        done = np.abs(new - found).max(initial=0.0) < SMALL_STEP / 10
        found, pace = new, faster
        if done:
            break
    return found
