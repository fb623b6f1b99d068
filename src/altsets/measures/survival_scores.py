"""Scores of predicted risks: Harrell's and Uno's C index, also averaged over several classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.measures.risk_sets import concordance_index
from altsets.tables.survival import Survival, is_survival
from altsets.tables.target import in_one_form
from altsets.wording import parameter

#: Scores of risks by name; a time after a colon, as in "concordance_index_uno:1825", leaves out later events.
HARRELL, UNO = "concordance_index", "concordance_index_uno"


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


def mean_matthews(true: npt.NDArray[Any], predicted: npt.NDArray[Any], sample_weight: Any = None) -> float:
    from sklearn.metrics import matthews_corrcoef

    if np.ndim(true) != 2:
        raise InputError("matthews_mean is for several targets; use matthews_corrcoef.")
    columns = zip(np.asarray(true).T.tolist(), np.asarray(predicted).T.tolist(), strict=True)
    return float(np.mean([matthews_corrcoef(*both, sample_weight=sample_weight) for both in columns]))
