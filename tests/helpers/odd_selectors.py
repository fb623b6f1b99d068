"""Fitted selectors and other tables than the one they were fitted to; odd_inputs.py puts them into the page.

The selector has found two sets of two features in a table of 60 rows: ``a, b`` and ``c, d``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from altsets import SelectAlternatives

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 5)), columns=list("abcde"))


def fitted() -> Any:
    return SelectAlternatives([5, 4, 3, 2, 1], n_features=2, n_alternatives=1, tau=1).fit(TABLE)


def second() -> Any:
    return fitted().get_alternative(1)


@dataclass(frozen=True)
class Use:
    """Something that one may try: what, how, and words that the answer must have."""

    what: str
    answer: Callable[[], Any]
    words: str


USES = [
    Use("`set_params(alternative=1)` after `fit`", lambda: fitted().set_params(alternative=1), "a, b"),
    Use("`set_params(alternative=1)` and `fit` again",
        lambda: fitted().set_params(alternative=1).fit(TABLE), "c, d"),
    Use("`get_alternative(1)` on the whole table", lambda: second().transform(TABLE), "2 columns"),
    Use("`get_alternative(1)` on its columns alone", lambda: second().transform(TABLE[["c", "d"]]), "2 columns"),
    Use("the same in another order, with others between",
        lambda: second().transform(TABLE[["d", "a", "c"]]), "2 columns"),
    Use("the same in a polars frame", lambda: second().transform(pl.from_pandas(TABLE[["c", "d"]])), "2 columns"),
    Use("`get_alternative(1)` without one of its columns",
        lambda: second().transform(TABLE[["a", "c"]]), "**Refused**"),
    Use("`get_alternative(1)` on an array of its two columns",
        lambda: second().transform(TABLE[["c", "d"]].to_numpy()), "**Refused**"),
    Use("`get_alternative(2)` where there are two sets", lambda: fitted().get_alternative(2), "**Refused**"),
    Use("the selector itself on the columns of one set",
        lambda: fitted().transform(TABLE[["a", "b"]]), "**Refused**"),
]  # fmt: skip


def said(use: Use) -> str:
    """What comes of it, in one line."""
    try:
        got = use.answer()
    except ValueError as error:
        text = f"**Refused**: {error}"
    else:
        text = (
            f"Keeps {', '.join(got.get_feature_names_out())}"
            if isinstance(got, SelectAlternatives)
            else f"{got.shape[0]} rows, {got.shape[1]} columns"
        )
    return " ".join(text.split()).replace("|", "\\|")
