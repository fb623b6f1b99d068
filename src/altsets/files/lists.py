"""Files that say something about features: what each costs, and which group it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from altsets.errors import InputError
from altsets.features import FeatureNames, unknown_features
from altsets.files.csv_tables import read_rows

#: The columns of a file with groups, in any order: the first line names them.
FEATURE, COST, GROUP = "feature", "cost", "group"


@dataclass
class PriceList:
    """What a file says about costs.

    Attributes
    ----------
    path : str
    costs : dict
        The cost of each feature that has one, by name.
    members : dict
        The features of each group, by its name.
    seen : dict
        The line of each feature.
    """

    path: str
    costs: dict[str, float] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str, names: FeatureNames) -> PriceList:
        """Read a file with two columns, or with three that the first line names; unknown features are refused.

        With two columns a first line without a feature is a header.
        """
        prices, rows = cls(path), read_rows(path)
        first = rows[0][1] if rows else []
        header = [cell.lower() for cell in first]
        if GROUP in header and not (len(first) == 2 and first[0] in names):
            prices._take_groups(header, rows)
        else:
            prices._take_features(rows, names)
        unknown = [name for name in prices.seen if name not in names]
        if unknown:
            raise unknown_features(path, unknown, names, "give column names, separated by commas.")
        return prices

    @property
    def groups(self) -> list[list[str]] | None:
        """Features that are paid for together; None if there are none."""
        return list(self.members.values()) or None

    def _take_features(self, rows: list[tuple[int, list[str]]], names: FeatureNames) -> None:
        for position, (line, row) in enumerate(rows):
            if len(row) != 2:
                raise InputError(
                    f"{self.path}, line {line}: give two fields, a feature and its cost, not {len(row)}; a file with "
                    "groups begins with a line that names its columns: feature,cost,group."
                )
            name, cost = row
            try:
                amount = float(cost)
            except ValueError:
                if position or name in names:
                    raise self._no_number(line, cost) from None
                continue
            self._note(line, name)
            self.costs[name] = amount

    def _take_groups(self, header: list[str], rows: list[tuple[int, list[str]]]) -> None:
        if sorted(header) != sorted((FEATURE, COST, GROUP)):
            raise InputError(
                f"{self.path}, line {rows[0][0]}: the columns are {','.join(header)}; name them feature,cost,group."
            )
        price: dict[str, float] = {}
        for line, row in rows[1:]:
            if len(row) != len(header):
                raise InputError(f"{self.path}, line {line}: give {len(header)} fields, not {len(row)}.")
            named = dict(zip(header, row, strict=True))
            self._note(line, named[FEATURE])
            self._take(line, named[FEATURE], named[COST], named[GROUP], price)
        for group, features in self.members.items():
            if group not in price:
                raise InputError(f"{self.path}: group {group!r} has no cost; give it in one of its lines.")
            self.costs |= dict.fromkeys(features, price[group])

    def _take(self, line: int, name: str, cost: str, group: str, price: dict[str, float]) -> None:
        """One line; of those of a group, one has to say what it costs."""
        if group:
            self.members.setdefault(group, []).append(name)
        if group and not cost:
            return
        try:
            amount = float(cost)
        except ValueError:
            raise self._no_number(line, cost) from None
        if not group:
            self.costs[name] = amount
        elif price.setdefault(group, amount) != amount:
            raise InputError(
                f"{self.path}, line {line}: group {group!r} costs {price[group]:g} in a line before and {amount:g} "
                "here; a group is paid once, so give one cost."
            )

    def _note(self, line: int, name: str) -> None:
        if name in self.seen:
            raise InputError(
                f"{self.path}, line {line}: {name!r} has a cost already; keep one of the two lines."
            )
        self.seen[name] = line

    def _no_number(self, line: int, cost: str) -> InputError:
        return InputError(f"{self.path}, line {line}: the cost {cost!r} is not a number.")


def read_groups(path: str, names: FeatureNames) -> dict[str, str]:
    """The group of each feature in a file with the columns feature and group, and perhaps others."""
    (_, header), *rows = read_rows(path) or [(1, [])]
    feature, group = _places(path, header)
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
    unknown = [name for name in groups if name not in names]
    if unknown:
        raise unknown_features(path, unknown, names, "name columns of the table as they are there.")
    groups = {name: label for name, label in groups.items() if label}
    if not groups:
        raise InputError(f"{path} gives no feature a group; write a line such as {names[0]},GROUP.")
    return groups


def _places(path: str, header: Sequence[str]) -> tuple[int, int]:
    missing = [name for name in (FEATURE, GROUP) if name not in header]
    if missing:
        raise InputError(
            f"{path} has no column {' and no column '.join(map(repr, missing))}; its first line must name the columns "
            f"{FEATURE},{GROUP}."
        )
    return header.index(FEATURE), header.index(GROUP)
