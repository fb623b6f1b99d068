"""Qualities by their names, as the command line knows them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from altsets import measures
from altsets.errors import InputError
from altsets.quality._additive import Additive
from altsets.quality._cfs import CFS
from altsets.quality._fcbf import FCBF
from altsets.quality._mrmr import MRMR
from altsets.quality._quality import Quality
from altsets.quality._wrapper import Wrapper

__all__ = ["DEFAULT_MEASURES", "PAIRED", "WRAPPER", "name_of_class", "quality_maker", "takes_option"]

#: Qualities that look at pairs of features.
PAIRED: dict[str, type[MRMR | FCBF | CFS]] = {"mrmr": MRMR, "fcbf": FCBF, "cfs": CFS}
#: What they measure with.
DEFAULT_MEASURES = {"mrmr": "mutual_info", "fcbf": "mutual_info", "cfs": "pearson"}
WRAPPER = "wrapper"
WRAPPER_TAKES = {(WRAPPER, "n_jobs"), (WRAPPER, "random_state"), (WRAPPER, "groups")}


def quality_maker(name: str, *, measure: str | None = None, **model: Any) -> Callable[..., Quality]:
    """What makes the quality of this name from a table and a target; what does not fit is refused at once.

    Parameters
    ----------
    name : str
        A measure, whose scores are added up (see :data:`altsets.measures.MEASURES`); ``"mrmr"``, ``"fcbf"``, ``"cfs"``;
        or ``"wrapper"``.
    measure : str, optional
        What qualities of pairs measure with.
    **model
        For measures that fit a model, and for wrappers: ``estimator``, ``scoring``, ``pos_label``, ``class_weight``;
        None where nothing is said.

    Returns
    -------
    callable
        ``make(X, y, **options)``; the options are those of ``from_data``. Where nobody takes them, ``progress``,
        ``n_jobs``, ``random_state`` and ``groups`` are left out.

    Examples
    --------
    >>> make = quality_maker("pearson")
    >>> make([[1, 4], [2, 3], [3, 2], [4, 4]], [1, 2, 3, 4]).scores.round(4).tolist()
    [1.0, 0.1348]
    """
    options = {option: value for option, value in model.items() if value is not None}
    if name != WRAPPER and name not in PAIRED and name not in measures.MEASURES:
        choices = ", ".join((*measures.MEASURES, *PAIRED, WRAPPER))
        raise InputError(f"quality {name!r} is unknown; choose one of {choices}.")
    if measure is not None and name not in PAIRED:
        whole = "a wrapper measures nothing" if name == WRAPPER else f"{name} is a measure itself"
        raise InputError(f"a measure goes with quality {', '.join(PAIRED)}; {whole}.")
    for option, value in options.items():
        if not takes_option(name, option):
            takers = [taker for taker in (*measures.MEASURES, WRAPPER) if takes_option(taker, option)]
            raise InputError(f"{option} {value!r} goes with quality {', '.join(takers)}, not with {name}.")
    if measure is not None and measure not in measures.PAIR_MEASURES:
        raise InputError(
            f"measure {measure!r} is unknown; choose one of {', '.join(measures.PAIR_MEASURES)}."
        )

    def make(X: Any, y: Any, **more: Any) -> Quality:
        taker = measure or DEFAULT_MEASURES.get(name, name)
        for option in ("progress", "n_jobs", "random_state", "groups"):
            if more.get(option, ...) is None or not (
                _takes(taker, option) or (taker, option) in WRAPPER_TAKES
            ):
                more.pop(option, None)
        if name == WRAPPER:
            return Wrapper.from_data(X, y, **options, **more)
        if name in PAIRED:
            return PAIRED[name].from_data(X, y, measure=measure or DEFAULT_MEASURES[name], **more)
        return Additive.from_data(X, y, measure=name, **options, **more)

    return make


def name_of_class(kind: Any) -> str | None:
    """The name of a class of quality; None if it is none of ours.

    Examples
    --------
    >>> name_of_class(MRMR), name_of_class(Additive)
    ('mrmr', 'mutual_info')
    """
    names: dict[Any, str] = {Additive: "mutual_info", Wrapper: WRAPPER}
    names |= {paired: name for name, paired in PAIRED.items()}
    return names.get(kind) if isinstance(kind, type) else None


def takes_option(name: str, option: str) -> bool:
    """Whether a quality fits a model, or judges its predictions, so that it takes an estimator or a scorer.

    Examples
    --------
    >>> takes_option("wrapper", "scoring"), takes_option("importance", "scoring"), takes_option("f", "estimator")
    (True, False, False)
    """
    return name == WRAPPER or _takes(name, option)


def _takes(measure: str, option: str) -> bool:
    """Whether a measure, if it is one, has such an option."""
    return measure in measures.MEASURES and option in inspect.signature(measures.MEASURES[measure]).parameters
