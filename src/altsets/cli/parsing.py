"""The texts of options parsed: names, numbers, constraints, dissimilarities.

A name with a comma (or a colon, where one divides) stands in double quotes, as in a CSV file. Where features are
listed, a word is the first of these that exists: a column of this name; with ``@`` before it, a group of
``--feature-groups`` or ``--feature-groups-by``, then a text file with names; with ``*`` or ``?`` in it, all columns
that match the pattern.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from altsets.cli.options import field_name
from altsets.constraints import KINDS, Constraint, Forbid
from altsets.constraints.base import limit_and_measure
from altsets.errors import InputError, Problems
from altsets.features import FeatureNames, is_pattern, names_in, unknown_features
from altsets.wording import list_some, suggestion

if TYPE_CHECKING:
    from altsets.cli.options import Given
    from altsets.dissimilarity import Grouped, Matched
    from altsets.result import Result

#: Numbers in one range.
MOST_NUMBERS = 10_000
#: What comes before the name of a group or of a file.
REFERENCE = "@"
#: The features of each group by its name.
Groups = Mapping[str, Sequence[str]]
NO_GROUPS: Groups = MappingProxyType({})


# --- Names --------------------------------------------------------------------------------------------


def features_in(
    who: str,
    given: str | Sequence[str],
    names: FeatureNames,
    groups: Groups | None = NO_GROUPS,
    otherwise: str = "",
) -> list[str]:
    """The features that words stand for, each once if some stand for several; unknown ones are refused.

    ``groups`` are those that ``@NAME`` may name; None: a word with ``@`` is no reference.
    """
    listed = names_in([given]) if isinstance(given, str) else list(given)
    found: list[str] = []
    unknown = []
    for word in listed:
        if word in names:
            found.append(word)
        elif groups is not None and word.startswith(REFERENCE):
            found += _referred(who, word.removeprefix(REFERENCE), names, groups)
        elif is_pattern(word):
            found += [names[index] for index in names.positions([word], who)]
        else:
            unknown.append(word)
    if unknown:
        advice = "give column names, separated by commas."
        if os.path.isfile(unknown[0]):
            advice = f"for the names in that file, give {REFERENCE}{unknown[0]}."
        raise unknown_features(who, unknown, names, otherwise or advice)
    return found if found == listed else list(dict.fromkeys(found))


def _referred(who: str, name: str, names: FeatureNames, groups: Groups) -> list[str]:
    """The features of a group or, if there is none of this name, those in a file."""
    if name in groups:
        return list(groups[name])
    if os.path.isfile(name):
        return _names_in_file(name, names)
    if not groups:
        raise InputError(
            f"{who} {REFERENCE}{name}: there is no such file; to name a group, say which there are with "
            "--feature-groups or --feature-groups-by."
        )
    hint = suggestion(name, groups, f"the groups are {list_some(list(groups))}.")
    raise InputError(f"{who} {REFERENCE}{name}: there is neither a group nor a file of this name; {hint}")


def _names_in_file(path: str, names: FeatureNames) -> list[str]:
    lines = ([line] if line in names else names_in([line]) for line in _lines(path))
    return features_in(path, list(itertools.chain.from_iterable(lines)), names, None)


def _lines(path: str) -> list[str]:
    from altsets.files.contents import lines_of, read_text

    return lines_of(read_text(path))


def columns_in(texts: Sequence[str] | None) -> list[str]:
    """The columns that an option lists before there is a table; ``@FILE`` stands for the names in a file."""
    found: list[str] = []
    for name in names_in(texts or []):
        path = name.removeprefix(REFERENCE)
        is_file = path != name and os.path.isfile(path)
        found += names_in(_lines(path)) if is_file else [name]
    return found


def sets_in(path: str, names: FeatureNames) -> Result | list[list[str]]:
    """The sets of a file: a result of ``find --json``, or one set per line."""
    from altsets.files.contents import lines_of, read_text
    from altsets.result import Result

    # Once: a pipe has nothing the second time.
    text = read_text(path)
    if text.lstrip().startswith("{"):
        try:
            return Result.from_json(text)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    return [[line] if line in names else features_in(path, line, names) for line in lines_of(text)]


def existing_from(given: Given, names: FeatureNames, groups: Groups = NO_GROUPS) -> list[list[str]]:
    """The sets that new ones must differ from: lists of features, and the sets of files."""
    found: list[list[str]] = []
    problems = Problems()
    for text in given.existing or ():
        with problems:
            if text not in names and os.path.isfile(text):
                sets = sets_in(text, names)
                listed = sets if isinstance(sets, list) else sets.texts
                found += [features_in(text, one, names, None) for one in listed]
            else:
                found.append(features_in("--existing", text, names, groups))
    problems.raise_all()
    return found


def lost_from(
    texts: Sequence[str] | None, names: FeatureNames, groups: Groups
) -> tuple[list[str] | None, dict[str, Sequence[str]] | None]:
    """The features and the groups that may fail; None for those that are not named."""
    features: list[str] = []
    together: dict[str, Sequence[str]] = {}
    for word in names_in(texts or ()):
        name = word.removeprefix(REFERENCE)
        if word != name and word not in names and name in groups:
            together[name] = groups[name]
        else:
            features += features_in("--lost", [word], names, groups)
    return features or None, together or None


# --- Numbers ------------------------------------------------------------------------------------------


def whole_numbers_in(option: str, text: str) -> list[int]:
    """The numbers that an option lists, ascending: ``5``, ``2:10`` with both ends, ``5,10``."""
    numbers: set[int] = set()
    for part in text.split(","):
        ends = []
        for end in part.split(":", 1):
            try:
                ends.append(int(end))
            except ValueError:
                raise InputError(f"{option}: {end.strip()!r} is not a whole number.") from None
        low, high = ends[0], ends[-1]
        if high < low:
            raise InputError(
                f"{option} {part} is empty; give the smaller number first, such as {high}:{low}."
            )
        if high - low > MOST_NUMBERS:
            raise InputError(
                f"{option} {part} has {high - low + 1:,} numbers; give {MOST_NUMBERS:,} or fewer."
            )
        numbers.update(range(low, high + 1))
    return sorted(numbers)


# --- Constraints --------------------------------------------------------------------------------------


def constraints_from(
    names: FeatureNames | None, given: Given, groups: Groups = NO_GROUPS
) -> list[Constraint]:
    """The constraints that options ask for; proxies go with all --forbid.

    Before there are names, those that need neither a file nor a group: what is wrong with them is said early.
    """
    found: list[Constraint] = []
    problems = Problems()
    for kind in KINDS:
        read = _Reader(kind.option.flag, names, groups)
        texts = getattr(given, field_name(kind))
        # A flag has an empty text.
        for text in [""] if texts is True else texts or ():
            with problems, suppress(_NamesNeededError):
                found.append(kind.parse(text, read))
    with problems:
        found = found if given.proxies is None else _with_proxies(given.proxies, found)
    problems.raise_all()
    return found


class _NamesNeededError(Exception):
    """What an option asks for depends on the names of features."""


@dataclass(frozen=True)
class _Reader:
    """Reads the parts of an option on features: names of columns, groups and files of costs.

    Before a table is read, names are taken as they are, and what depends on others has to wait.
    """

    option: str
    names: FeatureNames | None = None
    groups: Groups = field(default_factory=dict)

    def features(self, text: str, otherwise: str = "") -> list[str]:
        """The features in a list of names with commas between them."""
        listed = names_in([text])
        if self.names is not None:
            return features_in(self.option, listed, self.names, self.groups, otherwise)
        if any(name.startswith(REFERENCE) or is_pattern(name) for name in listed):
            raise _NamesNeededError
        return listed

    def group(self, text: str) -> list[str]:
        """The features that a file lists if there is one, else those that the text lists."""
        if os.path.isfile(text):
            return _names_in_file(text, self._known)
        otherwise = "there is no such file either; list columns with commas between them, or in a file."
        return self.features(text, otherwise if len(names_in([text])) == 1 else "")

    def prices(self, path: str, noun: str = "cost") -> tuple[Mapping[Any, float], Any]:
        """The numbers of features in a file, and which of them are paid for together."""
        from altsets.files.feature_files import read_costs

        return read_costs(path, self._known, noun)

    @property
    def _known(self) -> FeatureNames:
        if self.names is None:
            raise _NamesNeededError
        return self.names


def _with_proxies(text: str, found: Sequence[Constraint]) -> list[Constraint]:
    """The same constraints, with those that forbid features also ruling out their proxies."""
    limit, measure = limit_and_measure(_Reader("--proxies"), text, "0.8", "symmetrical_uncertainty")
    try:
        return [Forbid(one.features, limit, measure) if isinstance(one, Forbid) else one for one in found]
    except InputError as error:
        said = str(error).removeprefix("--forbid: ")
        raise InputError(said if said.startswith("--proxies") else f"--proxies {text}: {said}") from None


# --- Dissimilarities and groups -----------------------------------------------------------------------


def dissimilarity_from(given: Given, has_table: bool) -> str | Matched:
    """What ``--tau`` refers to."""
    from altsets.dissimilarity import matched_in

    if given.distinct is None:
        return given.dissimilarity or "dice"
    found = matched_in("--distinct", given.distinct)
    if not has_table:
        raise InputError(
            "--distinct compares columns with each other, which saved scores do not allow; give the TABLE and its "
            "--target beside --scores."
        )
    return found


def groups_from(given: Given, names: FeatureNames) -> Grouped | str | None:
    """The groups of features that options declare."""
    from altsets.dissimilarity import declared_groups
    from altsets.files.feature_files import read_groups

    if given.feature_groups is None:
        return given.feature_groups_by
    return declared_groups(read_groups(given.feature_groups, names))


def members_of(groups: Grouped | str | None, names: FeatureNames) -> Groups:
    """The features of each group by its name."""
    from altsets.dissimilarity import groups_among

    known = groups_among(groups, names)
    return NO_GROUPS if known is None else known.as_dict()["groups"]


def in_use(groups: Groups, chosen: Sequence[str]) -> tuple[list[str], dict[str, Sequence[str]]]:
    """The features of a set that are in no group, and the groups that it touches."""
    touched = {name: members for name, members in groups.items() if not set(members).isdisjoint(chosen)}
    grouped = set(itertools.chain.from_iterable(touched.values()))
    return [name for name in chosen if name not in grouped], touched


def names_groups(given: Given) -> bool:
    """Whether options other than those of the request are about groups: what may fail, costs of a curve, ``@NAME``."""
    values = given.of("conditions").values()
    texts = itertools.chain.from_iterable(value for value in values if isinstance(value, list))
    return bool(given.what_if or given.lost or given.costs) or any(REFERENCE in text for text in texts)
