"""Feature scores in CSV files, so that they need not be computed twice.

One line for each feature: its name, its score and, for qualities of pairs, one number for each feature in the same
order. ``with age`` is the column of the numbers of all features with age. A name that a spreadsheet would take for a
formula (it begins with = + - or @) is written with a single quote before it, which is removed when it is read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError, TableError, reason_of
from altsets.files.csv_tables import read_rows
from altsets.files.writing import csv_text, escape_formula, unescape_formula, write_new
from altsets.quality import CFS, FCBF, MRMR, Additive, Quality
from altsets.quality.spec import PAIRED
from altsets.wording import list_some

HEADER = ("feature", "score")
PAIR = "with "


def read_scores(
    path: str | os.PathLike[str], quality: str = "mutual_info", *, feature_names: Sequence[str] | None = None
) -> Quality:
    """Read feature scores that were saved with ``altsets find --save-scores``, as a quality to search with.

    Any CSV file of the same form will do: a header ``feature,score`` and a line for each feature; qualities of pairs
    also need a column ``with NAME`` for each feature, in the order of the lines.

    Parameters
    ----------
    path : path-like
        The file.
    quality : str, default="mutual_info"
        The quality that the scores are for: ``"mrmr"``, ``"fcbf"`` and ``"cfs"`` need scores of pairs; any other name
        stands for the sum of the scores.
    feature_names : sequence of str, optional
        Only these features, in this order; by default all.

    Returns
    -------
    Quality
        What :func:`altsets.find` and the other searches take.

    Raises
    ------
    altsets.errors.InputError
        If the file cannot be read as scores, has no scores of pairs though they are needed, or lacks a feature.

    See Also
    --------
    altsets.read_table : Read a table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("feature,score\\nage,0.5\\nheight,0.25\\nweight,0.75\\n")
    >>> altsets.find(altsets.read_scores(path), n_features=1, n_alternatives=1, tau=1).named_sets
    [('weight',), ('age',)]
    """
    scores = Scores.read(path)
    return (scores if feature_names is None else scores.only(feature_names)).quality(quality)


@dataclass(frozen=True, eq=False)
class Scores:
    """What a quality is made of.

    Attributes
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (n,)
        One number for each of them.
    pairs : ndarray of shape (n, n) or None
        One number for each pair; None if there are none.

    """

    names: tuple[str, ...]
    values: Floats
    pairs: Floats | None = None

    @classmethod
    def of(cls, quality: Quality) -> Scores:
        """The numbers of a quality; not of a black box, which has none."""
        names = tuple(quality.feature_names)
        if isinstance(quality, Additive):
            return cls(names, quality.scores)
        if isinstance(quality, FCBF):
            return cls(names, quality.relevance, quality.dependency)
        if isinstance(quality, MRMR | CFS):
            return cls(names, quality.relevance, quality.redundancy)
        raise InputError(f"{type(quality).__name__} has no scores that could be saved.")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scores:
        """Read what :meth:`write` has written, or a file of one's own that looks like it."""
        (line, header), *rows = read_rows(path) or [(1, [])]
        if tuple(header[:2]) != HEADER or not rows:
            raise TableError(
                f"{path} must begin with the line feature,score and have a line for each feature."
            )
        names = tuple(unescape_formula(row[0]) for _, row in rows)
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise TableError(f"{path}: these features occur more than once: {list_some(twice)}.")
        if len(header) > 2 and tuple(header[2:]) != tuple(PAIR + name for name in names):
            raise TableError(
                f"{path}, line {line}: the columns for pairs must be the features in the order of the lines, as in "
                f"'{PAIR}{names[0]}'."
            )
        numbers = np.array([_numbers(path, number, row, len(header)) for number, row in rows])
        return cls(names, numbers[:, 0].copy(), numbers[:, 1:].copy() if len(header) > 2 else None)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a new file, whole or not at all; never over another one."""
        header = list(HEADER)
        numbers = self.values[:, None]
        if self.pairs is not None:
            header += [PAIR + name for name in self.names]
            numbers = np.column_stack([numbers, self.pairs])
        # As Python objects: repr() of a Python float is the shortest text that reads back as the same number.
        rows = [[escape_formula(name), *row] for name, row in zip(self.names, numbers.tolist(), strict=True)]
        write_new(path, csv_text([header, *rows]).encode())

    def only(self, names: Sequence[str]) -> Scores:
        """The same for some of the features, in their order."""
        place = {name: number for number, name in enumerate(self.names)}
        missing = [name for name in names if name not in place]
        if missing:
            raise InputError(f"there are no scores of {list_some(missing)}; score the table again.")
        chosen = [place[name] for name in names]
        pairs = None if self.pairs is None else self.pairs[np.ix_(chosen, chosen)]
        return Scores(tuple(names), self.values[chosen], pairs)

    def quality(self, name: str) -> Quality:
        """The quality of this name: one of pairs, or the sum of scores whatever they are."""
        if name not in PAIRED:
            return Additive(self.values, feature_names=self.names)
        if self.pairs is None:
            raise InputError(
                f"{name} needs scores of pairs, and these are of single features; save those of the quality {name}."
            )
        return PAIRED[name](self.values, self.pairs, feature_names=self.names)


def _numbers(path: str | os.PathLike[str], line: int, row: Sequence[str], width: int) -> list[float]:
    if len(row) != width:
        raise TableError(f"{path}, line {line}: there are {len(row)} fields instead of {width}.")
    try:
        return [float(cell) for cell in row[1:]]
    except ValueError as error:
        raise TableError(f"{path}, line {line}: {reason_of(error)}.") from None
