"""What a good set is, five times as in the paper, and any other quality that altsets knows by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.experiments.design import Settings
from altsets.experiments.folds import Rows
from altsets.quality import FCBF, MRMR, Additive, BlackBox, Quality, Wrapper
from altsets.quality.named import quality_maker

__all__ = [
    "PAPER_METHODS",
    "Method",
    "has_no_time_limit",
    "judge_of",
    "knows_heuristics",
    "method_named",
]

Maker = Callable[[Rows, Settings], Quality]


@dataclass(frozen=True)
class Method:
    """A notion of feature-set quality.

    Attributes
    ----------
    name : str
    make : callable
        ``make(rows, settings) -> quality``; called with training rows for the search, and with test rows
        to judge its sets. It can be sent to another process.
    uses_information : bool
        Whether it needs mutual information, which is computed once for all methods that do.
    engine : str
        Who searches; the paper's Greedy Wrapper is an engine of its own.
    """

    name: str
    make: Maker
    uses_information: bool = False
    engine: str = "auto"


def _mutual_information(rows: Rows, settings: Settings) -> Additive:
    """Relevance, divided by its sum."""
    return Additive(_shares(rows.information.relevance), feature_names=rows.feature_names)


def _fcbf(rows: Rows, settings: Settings) -> FCBF:
    """The same with conflicts, which are decided before scaling."""
    total = math.fsum(rows.information.relevance.tolist())
    return FCBF(
        rows.information.relevance,
        rows.information.pairs,
        scale=1 / total if total > 0 else 1.0,
        feature_names=rows.feature_names,
    )


def _mrmr(rows: Rows, settings: Settings) -> MRMR:
    """Relevance and redundancy without self-information, divided by the largest of all."""
    redundancy = rows.information.pairs.copy()
    np.fill_diagonal(redundancy, 0.0)
    largest = max(float(rows.information.relevance.max()), float(redundancy.max())) or 1.0
    return MRMR(rows.information.relevance / largest, redundancy / largest, feature_names=rows.feature_names)


def _model_gain(rows: Rows, settings: Settings) -> Additive:
    """Importance in a decision tree on all features."""
    return Additive.from_data(
        rows.X,
        rows.y,
        measure="importance",
        task="classification",
        random_state=settings.seed,
        feature_names=rows.feature_names,
    )


def _greedy_wrapper(rows: Rows, settings: Settings) -> Wrapper:
    """Matthews correlation of a decision tree on a part of the rows that is held out."""
    return Wrapper(
        None,
        rows.X,
        rows.y,
        task="classification",
        random_state=settings.seed,
        feature_names=rows.feature_names,
    )


def _by_name(name: str, rows: Rows, settings: Settings) -> Quality:
    return quality_maker(name)(
        rows.X,
        rows.y,
        task="classification",
        random_state=settings.seed,
        n_jobs=1,
        feature_names=rows.feature_names,
    )


#: The paper's, by the names that the command line has for them.
PAPER_METHODS = {
    method.name: method
    for method in (
        Method("mutual_info", _mutual_information, uses_information=True),
        Method("fcbf", _fcbf, uses_information=True),
        Method("mrmr", _mrmr, uses_information=True),
        Method("model_gain", _model_gain),
        Method("greedy_wrapper", _greedy_wrapper, engine="greedy-wrapper"),
    )
}


def method_named(name: str) -> Method:
    """One of the paper's methods, or any quality that ``altsets find`` knows."""
    if name in PAPER_METHODS:
        return PAPER_METHODS[name]
    try:
        quality_maker(name)
    except InputError:
        known = ", ".join(PAPER_METHODS)
        raise InputError(
            f"method {name!r} is unknown; choose from {known}, or any --quality of altsets find, such as cfs."
        ) from None
    return Method(name, partial(_by_name, name))


def judge_of(method: Method, rows: Rows, settings: Settings) -> Callable[..., float]:
    """The quality of given sets on rows that they were not chosen on; conflicts of FCBF rule nothing out there."""
    made = method.make(rows, settings)
    if isinstance(made, FCBF):
        made = _mutual_information(rows, settings)
    return made.evaluate


def knows_heuristics(made: Quality) -> bool:
    """Whether the paper's two heuristics apply: univariate qualities only."""
    return isinstance(made, Additive)


def has_no_time_limit(made: Quality) -> bool:
    """Black boxes end by the number of sets they try, so that their answers do not depend on the clock."""
    return isinstance(made, BlackBox)


def _shares(values: Floats) -> Floats:
    total = math.fsum(values.tolist())
    return values / (total if total > 0 else 1.0)
