"""Cox models fitted by Newton's method, with penalties or without; no other package is needed."""

from __future__ import annotations

import numpy as np

from altsets.arrays import Floats
from altsets.measures.risk_sets import NOTHING, RiskSets, concordance_index
from altsets.tables.outcomes import Survival

#: When steps of a fit are too small to matter, and the most steps.
SMALL_STEP, MOST_STEPS = 1e-9, 100
#: Logarithms of hazards do not lie farther apart: then the likelihood has no maximum, and squares leave the range soon.
MOST_SPREAD = 200.0
#: Of columns whose information was 1: less is left where columns add up to others, or the likelihood has no maximum.
LEAST_INFORMATION = 1e-6
#: Steps of the inner fit with a penalty on absolute coefficients.
INNER_STEPS = 2_000


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
        else:
            wanted = beta + (np.linalg.solve(curvature, slope) if alpha else _solved(curvature, slope))
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


def _solved(curvature: Floats, slope: Floats) -> Floats:
    """Newton's step where columns may add up to others; none in directions of which nothing is known."""
    return np.asarray(np.linalg.lstsq(curvature, slope, rcond=NOTHING * len(slope))[0], dtype=np.float64)


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
