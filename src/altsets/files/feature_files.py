"""CSV files about features: their scores, so that they need not be computed twice; their costs and groups.

A file of scores has one line for each feature: its name, its score and, for qualities of pairs, one number for each
feature in the same order. ``with age`` is the column of the numbers of all features with age. A name that a spreadsheet
would take for a formula (it begins with = + - or @) is written with a single quote before it, which is removed when it
is read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats
from altsets.errors import InputError, TableError
from altsets.features import FeatureNames, unknown_features
from altsets.files.columns import as_number
from altsets.files.contents import csv_text, text_files
from altsets.files.parsing import Lines, check_widths, read_rows
from altsets.files.writing import escape_formula, unescape_formula, write_new
from altsets.quality import CFS, FCBF, MRMR, Additive, Quality
from altsets.quality.spec import PAIRED
from altsets.wording import list_some, parameter, suggestion

HEADER = ("feature", "score")
PAIR = "with "
#: The columns of a file with groups, in any order: the first line names them.
FEATURE, COST, GROUP = "feature", "cost", "group"


def read_scores(
    path: str | os.PathLike[str],
    quality: str = "mutual_info",
    *,
    feature_names: Sequence[str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Quality:
    """Read feature scores that were saved with ``altsets find --save-scores``, as a quality to search with.

    Any CSV file of the same form will do: a header ``feature,score`` and a line for each feature; qualities of pairs
    also need a column ``with NAME`` for each feature, in the order of the lines.

    Parameters
    ----------
    path : path-like
        The file.
    quality : str, default="mutual_info"
        The quality that the scores are for: ``"mrmr"``, ``"fcbf"``, ``"cfs"`` (of pairs), or any other for their sum.
    feature_names : sequence of str, default=None
        Only these features, in this order; by default all.
    encoding : str, default=None
        The encoding of a file that is not UTF-8, such as ``"latin-1"``.
    decimal : {".", ","}, default=None
        The decimal sign; None means a point. A comma needs semicolons or tabs between the fields.

    See Also
    --------
    altsets.read_table : Read a table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = path.write_text("feature,score\\nage,0.5\\nheight,0.25\\nweight,0.75\\n")
    >>> altsets.find(altsets.io.read_scores(path), n_features=1, n_alternatives=1, tau=1).named_sets
    [('weight',), ('age',)]
    """
    with text_files(encoding, decimal):
        scores = Scores.read(path)
    return (scores if feature_names is None else scores.only(feature_names)).quality(quality)


@dataclass(frozen=True, eq=False)
class Scores:
    """The numbers behind a quality, one for each feature and perhaps one for each pair."""

    names: tuple[str, ...]
    values: Floats
    pairs: Floats | None = None

    @classmethod
    def of(cls, quality: Quality) -> Scores:
        """The numbers of a quality; not of a black box, which has none."""
        names = tuple(quality.feature_names)
        if quality.pairs_on_demand:
            raise InputError(
                f"the pairs of {len(names):,} features are computed on demand and cannot be saved; save the scores of "
                "a quality without pairs, or of fewer features."
            )
        if isinstance(quality, Additive):
            return cls(names, quality.scores)
        if isinstance(quality, FCBF):
            return cls(names, quality.relevance, quality.dependency)
        if isinstance(quality, MRMR | CFS) and isinstance(quality.redundancy, np.ndarray):
            return cls(names, quality.relevance, quality.redundancy)
        raise InputError(f"{type(quality).__name__} has no scores that could be saved.")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scores:
        """Read what :meth:`write` has written, or a file of one's own that looks like it."""
        lines = read_rows(path)
        (line, header), *rows = lines.rows or [(1, [])]
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
        check_widths(rows, len(header), os.fspath(path))
        numbers = np.array(
            [[lines.number(cell, f"{path}, line {at}: the score") for cell in row[1:]] for at, row in rows]
        )
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
            drop = parameter("drop", missing)
            otherwise = f"add them to the file, or leave out what has none ({drop})."
            hint = suggestion(missing[0], set(place) - {*names}, otherwise)
            raise InputError(f"there are no scores of {list_some(missing)}; {hint}")
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


# --- Costs and groups ---------------------------------------------------------------------------------


def read_costs(
    path: str, names: FeatureNames, noun: str = "cost"
) -> tuple[dict[str, float], list[list[str]] | None]:
    """What features cost, and the features of each group that is paid for once; None if there are no groups.

    The file has two columns, or three that its first line names; unknown features are refused. With two columns a
    first line without a feature is a header.
    """
    read = read_rows(path)
    first = read.rows[0][1] if read.rows else []
    if GROUP in map(str.lower, first) and not (len(first) == 2 and first[0] in names):
        lines = _fields(path, read, FEATURE, COST, GROUP)
    else:
        lines = [(line, [*row, ""]) for line, row in _pairs(path, read, names, noun)]
    costs: dict[str, float] = {}
    members: dict[str, list[str]] = {}
    prices: dict[str, float] = {}
    seen: set[str] = set()
    for line, (name, cost, group) in lines:
        if name in seen:
            raise InputError(
                f"{path}, line {line}: {name!r} has a {noun} already; keep one of the two lines."
            )
        seen.add(name)
        amount = read.number(cost, f"{path}, line {line}: the {noun}") if cost or not group else np.nan
        if not group:
            costs[name] = amount
            continue
        members.setdefault(group, []).append(name)
        if cost and prices.setdefault(group, amount) != amount:
            raise InputError(
                f"{path}, line {line}: group {group!r} costs {prices[group]:g} in a line before and {amount:g} here; a "
                "group is paid once, so give one cost."
            )
    for group, features in members.items():
        if group not in prices:
            raise InputError(f"{path}: group {group!r} has no cost; give it in one of its lines.")
        costs |= dict.fromkeys(features, prices[group])
    _refuse_unknown(path, costs, names)
    return costs, list(members.values()) or None


def _pairs(path: str, read: Lines, names: FeatureNames, noun: str) -> Iterator[tuple[int, list[str]]]:
    """Lines of two fields, without a header."""
    also = "; a file with groups begins with a line that names its columns: feature,cost,group"
    for position, (line, row) in enumerate(read.rows):
        if len(row) != 2:
            raise InputError(
                f"{path}, line {line}: give two fields, a feature and its {noun}, not {len(row)}"
                f"{also if noun == COST else ''}."
            )
        if position or row[0] in names or as_number(row[1], read.decimal) is not None:
            yield line, row


def _fields(path: str, read: Lines, *wanted: str) -> list[tuple[int, list[str]]]:
    """The fields of these columns in each line; the first line names the columns, and there may be others."""
    (_, first), *rows = read.rows or [(1, [])]
    header = [name.lower() for name in first]
    missing = [name for name in wanted if name not in header]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(map(repr, missing))}; its first line must name the columns "
            f"{','.join(wanted)}."
        )
    check_widths(rows, len(header), path)
    places = [header.index(name) for name in wanted]
    return [(line, [row[place] for place in places]) for line, row in rows]


def _refuse_unknown(path: str, given: Iterable[str], names: FeatureNames) -> None:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise unknown_features(path, unknown, names, "use the column names of the table.")


def read_groups(path: str, names: FeatureNames) -> dict[str, str]:
    """The group of each feature in a file with the columns feature and group, and perhaps others."""
    groups: dict[str, str] = {}
    for line, (feature, group) in _fields(path, read_rows(path), FEATURE, GROUP):
        if groups.setdefault(feature, group) != group:
            raise InputError(
                f"{path}, line {line}: {feature!r} is in group {groups[feature]!r} already; a feature has one group "
                "at most."
            )
    _refuse_unknown(path, groups, names)
    groups = {name: label for name, label in groups.items() if label}
    if not groups:
        raise InputError(f"{path} gives no feature a group; write a line such as {names[0]},GROUP.")
    return groups
