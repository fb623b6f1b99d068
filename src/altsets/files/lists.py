"""Files that say something about features: what each costs, and which group it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from altsets.errors import InputError
from altsets.features import FeatureNames, unknown_features
from altsets.files.csv_tables import read_rows

#: The columns of a file with groups, in any order: the first line names them.
FEATURE, COST, GROUP = "feature", "cost", "group"


Line = tuple[int, list[str]]


def read_costs(path: str, names: FeatureNames) -> tuple[dict[str, float], list[list[str]] | None]:
    """What features cost, and the features of each group that is paid for once; None if there are no groups.

    The file has two columns, or three that its first line names; unknown features are refused. With two columns a
    first line without a feature is a header.
    """
    rows = read_rows(path)
    first = rows[0][1] if rows else []
    is_grouped = GROUP in map(str.lower, first) and not (len(first) == 2 and first[0] in names)
    lines = _lines_with_groups(path, rows) if is_grouped else _plain_lines(path, rows, names)
    costs: dict[str, float] = {}
    members: dict[str, list[str]] = {}
    prices: dict[str, float] = {}
    seen: dict[str, int] = {}
    for line, (name, cost, group) in lines:
        if name in seen:
            raise InputError(f"{path}, line {line}: {name!r} has a cost already; keep one of the two lines.")
        seen[name] = line
        if group:
            members.setdefault(group, []).append(name)
        if cost or not group:
            amount = _cost(path, line, cost)
            if not group:
                costs[name] = amount
            elif prices.setdefault(group, amount) != amount:
                raise InputError(
                    f"{path}, line {line}: group {group!r} costs {prices[group]:g} in a line before and {amount:g} "
                    "here; a group is paid once, so give one cost."
                )
    for group, features in members.items():
        if group not in prices:
            raise InputError(f"{path}: group {group!r} has no cost; give it in one of its lines.")
        costs |= dict.fromkeys(features, prices[group])
    _refuse_unknown(path, seen, names)
    return costs, list(members.values()) or None


def _plain_lines(path: str, rows: Sequence[Line], names: FeatureNames) -> Iterator[Line]:
    """Lines of a feature and its cost, without a group."""
    for position, (line, row) in enumerate(rows):
        if len(row) != 2:
            raise InputError(
                f"{path}, line {line}: give two fields, a feature and its cost, not {len(row)}; a file with groups "
                "begins with a line that names its columns: feature,cost,group."
            )
        if position or row[0] in names or _is_number(row[1]):
            yield line, [*row, ""]


def _lines_with_groups(path: str, rows: Sequence[Line]) -> Iterator[Line]:
    """Lines of a feature, its cost and its group, whatever the order of the columns is."""
    header = [cell.lower() for cell in rows[0][1]]
    if sorted(header) != sorted((FEATURE, COST, GROUP)):
        raise InputError(
            f"{path}, line {rows[0][0]}: the columns are {','.join(header)}; name them feature,cost,group."
        )
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise InputError(f"{path}, line {line}: give {len(header)} fields, not {len(row)}.")
        yield line, [row[header.index(name)] for name in (FEATURE, COST, GROUP)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _cost(path: str, line: int, text: str) -> float:
    if not _is_number(text):
        raise InputError(f"{path}, line {line}: the cost {text!r} is not a number.")
    return float(text)


def _refuse_unknown(path: str, given: Iterable[str], names: FeatureNames) -> None:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise unknown_features(path, unknown, names, "use the column names of the table.")


def read_groups(path: str, names: FeatureNames) -> dict[str, str]:
    """The group of each feature in a file with the columns feature and group, and perhaps others."""
    (_, header), *rows = read_rows(path) or [(1, [])]
    missing = [name for name in (FEATURE, GROUP) if name not in header]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(map(repr, missing))}; its first line must name the columns "
            f"{FEATURE},{GROUP}."
        )
    feature, group = header.index(FEATURE), header.index(GROUP)
    groups: dict[str, str] = {}
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{path}, line {line}: give {len(header)} fields, as in the first line, not {len(row)}."
            )
        if groups.setdefault(row[feature], row[group]) != row[group]:
            raise InputError(
                f"{path}, line {line}: {row[feature]!r} is in group {groups[row[feature]]!r} already; a feature has "
                "one group at most."
            )
    _refuse_unknown(path, groups, names)
    groups = {name: label for name, label in groups.items() if label}
    if not groups:
        raise InputError(f"{path} gives no feature a group; write a line such as {names[0]},GROUP.")
    return groups
