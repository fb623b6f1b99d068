"""What there is to know about a table and its sets besides the sets: all notes of selectors and commands.

A new kind of note is a function here and one more line in :func:`notes_on`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets.quality.spec import spec_of
from altsets.result import Result
from altsets.selector.forbidden import note_on_forbidden
from altsets.selector.near_copies import near_copies
from altsets.tables.feature_matrix import Features
from altsets.tables.target import target_of
from altsets.tables.weights import counted, counted_rows

__all__ = ["COMMAND_LINE", "PYTHON", "Background", "Wording", "notes_on"]

#: Measures that take numbers as they are, whether they name classes or not.
TAKE_NUMBERS = ("pearson", "spearman")


@dataclass(frozen=True)
class Wording:
    """What to ask for instead, in the words of those who asked.

    Attributes
    ----------
    others_by_rank, others_by_information : str
        Sets whose features are not alike, where all columns have ranks and where not.
    classes, amounts : str
        How to say what the target is.
    """

    others_by_rank: str
    others_by_information: str
    classes: str
    amounts: str


PYTHON = Wording(
    'dissimilarity=Matched("spearman", threshold=0.9)',
    'dissimilarity=Matched("symmetrical_uncertainty", threshold=...)',
    'task="classification"',
    'task="regression"',
)
COMMAND_LINE = Wording(
    "--distinct 0.9",
    "--distinct with a threshold for symmetrical_uncertainty",
    "--task classification",
    "--task regression",
)


@dataclass(frozen=True, eq=False)
class Background:
    """What sets were found in.

    Attributes
    ----------
    features : Features
        The table.
    y : array-like or None
        The target; None if no quality was computed from it.
    quality : Any
        What a good set is, as the user gave it.
    task : str
        What the user said about the target.
    sample_weight : array-like or None
        How much each row counts.
    notes : tuple of str
        What was noted when the table was read.
    """

    features: Features
    y: Any = None
    quality: Any = None
    task: str = "auto"
    sample_weight: Any = None
    notes: tuple[str, ...] = ()


def notes_on(result: Result, background: Background, words: Wording = PYTHON) -> list[str]:
    """Sentences on what the target was taken for, on the table, and on the sets.

    Parameters
    ----------
    result : Result
        The sets.
    background : Background
        What they were found in.
    words : Wording
        The language of those who asked.

    Examples
    --------
    >>> from altsets import find, quality
    >>> X, y = np.eye(30)[:, :2], np.arange(30) % 3
    >>> result = find(quality.Additive([2, 1]), n_features=1, n_alternatives=0)
    >>> notes_on(result, Background(Features(X), y, "f"))
    ['The 3 different whole numbers of the target are taken as classes; task="regression" takes them as amounts.']
    """
    found = [
        _on_target(background, words),
        *background.notes,
        note_on_forbidden(result, _counting(background), as_option=words is COMMAND_LINE),
        _on_near_copies(result, background, words),
    ]
    return [note for note in found if note]


def _on_target(background: Background, words: Wording) -> str:
    """What the target was taken for; where a rule had to decide, how to overrule it."""
    if background.quality is None or background.y is None:
        return ""
    spec, task = spec_of(background.quality), background.task
    measure = spec.scored_by if spec.needs_target else None
    if measure is None and not spec.is_wrapper:
        return ""
    features, y, _ = counted(background.features, background.y, background.sample_weight)
    target = target_of(y, features.n_rows, task)
    count = f"{target.n_distinct:,}"
    whole = target.numeric is not None and bool((target.numeric == np.floor(target.numeric)).all())
    as_numbers = measure is not None and measure[0] in TAKE_NUMBERS and target.numeric is not None
    if task == "auto" and whole and target.n_distinct > 2:
        said = f"The {count} different whole numbers of the target are taken as"
        if measure is not None and as_numbers:
            return f"{said} amounts, since {measure[0]} takes numbers as they are; mutual_info and f know classes."
        if target.is_classes:
            return f"{said} classes; {words.amounts} takes them as amounts."
        return f"{said} amounts; {words.classes} takes them as classes."
    if target.is_classes and (target.n_distinct == 2 or not as_numbers):
        return f"The target has {count} classes."
    return f"The target is an amount ({count} different numbers)."


def _counting(background: Background) -> Features:
    """The rows that count."""
    features = background.features
    kept = counted_rows(background.sample_weight, features.n_rows)
    return features if kept is None else features.rows(kept)


def _on_near_copies(result: Result, background: Background, words: Wording) -> str:
    """What to say about sets whose features have other names and say the same."""
    alike = near_copies(result, _counting(background))
    if alike is None:
        return ""
    remedy = words.others_by_rank if alike.ranked else words.others_by_information
    return f"{alike.sentence(remedy)} {alike.details}"
