"""The base class of all constraints, and what one has to offer.

A constraint is one class: its fields, :meth:`~Constraint.resolve` (names to indices), :meth:`~Constraint.holds` (what
the verifier asks), :meth:`~Constraint.rules` (what engines read), words, JSON, Python, and its command-line option. It
becomes known to everything else by one line in ``constraints.KINDS``.
"""

from __future__ import annotations

import csv
import functools
import io
import operator
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from altsets.errors import InputError, NotExpressedError
from altsets.features import Feature, FeatureNames, cells_in, given_feature
from altsets.wording import parameter

if TYPE_CHECKING:
    from altsets.arrays import Bools
    from altsets.measures.redundancy import Conflicts


# --- What engines read: every constraint is made of these ----------------------------------------------------------


@dataclass(frozen=True)
class CountRule:
    """A set has ``lower`` to ``upper`` features of a group."""

    group: tuple[int, ...]
    lower: int = 0
    upper: int | None = None

    @property
    def forbids(self) -> bool:
        return self.upper == 0

    @property
    def requires(self) -> bool:
        return self.lower == len(self.group)


@dataclass(frozen=True)
class NeedRule:
    """A set with ``feature`` has ``needed`` too."""

    feature: int
    needed: int


@dataclass(frozen=True)
class CostRule:
    """The features of a set cost at most ``limit``; features of one group have the same cost and pay it once.

    No cost is below 0. Where coefficients may be, costs count from the least one, and a set may cost ``each`` more for
    every feature that it has; then all numbers are whole.
    """

    costs: tuple[float, ...]
    limit: float
    groups: tuple[int, ...] | None = None
    each: int = 0

    def of_size(self, size: int) -> CostRule:
        """The same for sets of one size, with a limit that does not depend on it."""
        limit = self.limit + self.each * size
        if limit < 0:
            # Nothing can be paid.
            return CostRule((1,) * len(self.costs), 0)
        return replace(self, limit=limit, each=0) if self.each else self


@dataclass(frozen=True, eq=False)
class ConflictRule:
    """Pairs of features that exclude each other: a symmetric matrix with a false diagonal, or what stands in for it."""

    pairs: Bools | Conflicts


@dataclass(frozen=True)
class SizeRule:
    """A set has ``k_min`` to ``k_max`` features."""

    k_min: int
    k_max: int


Rule = CountRule | NeedRule | CostRule | ConflictRule | SizeRule


# --- The same for what is about several sets together, those that exist already included ---------------------------


@dataclass(frozen=True)
class UsageRule:
    """Each of some features is in ``lower`` to ``upper`` of the sets; without ``features``, every one that there is."""

    features: tuple[int, ...] | None
    lower: int = 0
    upper: int | None = None


@dataclass(frozen=True)
class ReserveRule:
    """At most one of the sets has features of a group."""

    group: tuple[int, ...]


@dataclass(frozen=True)
class TotalRule:
    """The features of all sets cost at most this much together."""

    budget: CostRule


JointRule = UsageRule | ReserveRule | TotalRule


@dataclass(frozen=True, eq=False)
class ConstraintRules:
    """The rules of several constraints, by what engines do with them."""

    #: Features that every set has, and that no set has.
    required: frozenset[int]
    forbidden: frozenset[int]
    #: Other limits on how many features of a group a set has.
    counts: tuple[CountRule, ...]
    needs: tuple[NeedRule, ...]
    budgets: tuple[CostRule, ...]
    conflicts: Bools | Conflicts | None
    sizes: tuple[SizeRule, ...]
    #: What is about several sets together.
    joint: tuple[JointRule, ...] = ()
    #: Whether rules say less than constraints mean, so that every complete set has to be asked about.
    are_asked: bool = False

    @classmethod
    def of(cls, constraints: Iterable[Constraint]) -> ConstraintRules:
        listed = tuple(constraints)
        rules = [rule for constraint in listed for rule in constraint.rules()]
        joint = tuple(rule for constraint in listed for rule in constraint.joint_rules())
        are_asked = any(constraint.is_asked for constraint in listed)
        if not (rules or joint or are_asked):
            return NO_RULES
        counts = [rule for rule in rules if isinstance(rule, CountRule)]
        excluding = [rule.pairs for rule in rules if isinstance(rule, ConflictRule) and rule.pairs.any()]
        return cls(
            required=frozenset(feature for rule in counts if rule.requires for feature in rule.group),
            forbidden=frozenset(feature for rule in counts if rule.forbids for feature in rule.group),
            counts=tuple(rule for rule in counts if not (rule.requires or rule.forbids)),
            needs=tuple(rule for rule in rules if isinstance(rule, NeedRule)),
            budgets=tuple(rule for rule in rules if isinstance(rule, CostRule)),
            conflicts=functools.reduce(operator.or_, excluding) if excluding else None,
            sizes=tuple(rule for rule in rules if isinstance(rule, SizeRule)),
            joint=joint,
            are_asked=are_asked,
        )

    # Each of these: whether nothing is demanded but the size of sets, and ...

    @property
    def only_exclude(self) -> bool:
        """That some features or pairs are not chosen."""
        return not (self.required or self.counts or self.needs or self.budgets or self.are_asked)

    @property
    def only_single(self) -> bool:
        """Single features that are chosen or not."""
        asked = self.counts or self.needs or self.budgets or self.are_asked
        return not asked and self.conflicts is None

    @property
    def only_forbid(self) -> bool:
        """That some features are not chosen."""
        return self.only_exclude and self.conflicts is None


#: Of most requests.
NO_RULES = ConstraintRules(frozenset(), frozenset(), (), (), (), None, ())


# --- What the command line shows and reads -------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """The command-line option of a constraint: ``--at-most N:GROUP``; an option may be repeated."""

    flag: str
    metavar: str
    help: str


class OptionReader(Protocol):
    """Reads the parts of an option's text; the command line implements it, as it knows the table and the files."""

    @property
    def option(self) -> str:
        """The option that is read, for messages."""

    def features(self, text: str) -> Sequence[Feature]:
        """The features in a list of names with commas between them."""

    def group(self, text: str) -> Sequence[Feature]:
        """The features of a group: a list of names, or a file that has them."""

    def prices(
        self, path: str, noun: str = "cost"
    ) -> tuple[Mapping[Any, float], Mapping[Any, Hashable] | None]:
        """The numbers of features in a file, and which of them are paid for together."""


def split_option(read: OptionReader, text: str, form: str) -> tuple[str, str]:
    first, colon, second = (part.strip() for part in text.partition(":"))
    if not (first and colon and second):
        raise InputError(f"{read.option} {text!r} must have the form {form}.")
    return first, second


def count_in(read: OptionReader, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{read.option}: {text!r} is not a whole number.") from None


def number_in(read: OptionReader, text: str, number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise InputError(f"{read.option} {text!r}: {number!r} is not a number.") from None


def limit_and_measure(read: OptionReader, text: str, example: str, default: str) -> tuple[float, str]:
    """``0.9`` or ``0.9:spearman``."""
    limit, colon, measure = (part.strip() for part in text.partition(":"))
    if not limit or (colon and not measure):
        raise InputError(
            f"{read.option} {text!r} must have the form LIMIT or LIMIT:MEASURE, such as {example}:{default}."
        )
    return number_in(read, text, limit), measure or default


# --- Constraints ---------------------------------------------------------------------------------------------------


class Constraint(ABC):
    """A condition on each set; the base of all others.

    A constraint is made of what the user gives, and ``resolve`` turns names into indices. ``holds`` and ``rules`` are
    for resolved constraints.

    See Also
    --------
    altsets.constraints.Require, altsets.constraints.AtMost : Constraints on features, and on groups of them.

    Examples
    --------
    >>> from altsets import constraints
    >>> rule = constraints.Require("age")
    >>> isinstance(rule, constraints.Constraint), rule.needs_table
    (True, False)
    >>> rule.describe(["sex", "age"])
    'require age'
    """

    kind: ClassVar[str]
    option: ClassVar[Option]

    @abstractmethod
    def resolve(self, names: Sequence[str]) -> Self:
        """Return the same constraint on sorted indices, given the names of all features; refuse unknown features."""

    @abstractmethod
    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a set, a sequence of indices, meets the constraint by its definition."""

    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """Return the constraint as rules that all engines know."""

    def joint_rules(self) -> tuple[JointRule, ...]:
        """Return what it demands of several sets together, for engines."""
        return ()

    def holds_together(self, sets: Sequence[Sequence[int]], existing: Sequence[Sequence[int]] = ()) -> bool:
        """Whether several sets, with ``existing`` ones, meet the constraint; True if it is about each on its own."""
        return True

    def alone(self) -> Constraint | None:
        """Return the part that is about each set on its own; None if there is none."""
        return self

    @property
    def takes_groups(self) -> bool:
        """Whether it is about the groups of features that a request declares."""
        return False

    def with_groups(self, groups: Any) -> Constraint:
        """Return the same constraint about the groups that a request declares, where it takes them."""
        return self

    @property
    def is_asked(self) -> bool:
        """Whether ``rules`` say less than ``holds``, so that engines ask about every complete set."""
        return False

    @abstractmethod
    def describe(self, names: Sequence[str]) -> str:
        """Describe it in a few words, given the names of all features."""

    @abstractmethod
    def sentence(self, names: Sequence[str]) -> str:
        """Describe it in a whole sentence, given the names of all features."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """Make the constraint from the text of its command-line option, whose parts ``read`` knows how to read."""

    @abstractmethod
    def option_text(self, names: Sequence[str]) -> str:
        """Return the text of its command-line option, which :meth:`parse` reads."""

    @abstractmethod
    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """Return the arguments of the Python call that makes it, with names instead of indices if they are given."""

    def to_python(self, names: Sequence[str] | None = None, table: str = "") -> str:
        """Return the Python call that makes it.

        It has ``names`` of all features instead of indices; ``table`` is the variable that holds the table, if any.
        """
        measured = f".computed({table})" if table and self.needs_table else ""
        return f"constraints.{type(self).__name__}({', '.join(self.arguments(names))}){measured}"

    @property
    def needs_table(self) -> bool:
        """Whether a table decides what the constraint says."""
        return False

    @property
    def is_named(self) -> bool:
        """Whether the table that it needs has not been seen yet."""
        return False

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        """Return the same constraint with what has to be measured on the table ``X``; itself if it needs none."""
        return self

    def before_table(self) -> Self | None:
        """Return the part that can be checked without a table, if any."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return the constraint as plain numbers and strings."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"kind": self.kind, **plain}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Make the constraint that :meth:`as_dict` wrote."""
        return cls(**{name: value for name, value in entry.items() if name != "kind"})

    @property
    def title(self) -> str:
        """What messages call it: its class, or its option in a shell."""
        return parameter(type(self).__name__)

    def _set(self, **values: Any) -> None:
        # How a frozen dataclass is filled in.
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _changed(self, **values: Any) -> Self:
        """The same constraint with other values; what was derived from the old ones is left behind."""
        changed = object.__new__(type(self))
        changed._set(**{field.name: getattr(self, field.name) for field in fields(self)} | values)  # type: ignore[arg-type]
        return changed


def several_features(constraint: Constraint, features: Any) -> tuple[Feature, ...]:
    try:
        if isinstance(features, str):
            raise TypeError
        listed = tuple(given_feature(feature, constraint.title) for feature in features)
    except TypeError:
        raise InputError(f"{constraint.title} takes a list of features, not {features!r}.") from None
    if not listed:
        raise InputError(f"{constraint.title} names no feature at all; leave it out.")
    return listed


def sorted_indices(
    constraint: Constraint, features: Iterable[Feature], names: Sequence[str]
) -> tuple[int, ...]:
    known = FeatureNames.of(names)
    return tuple(sorted(set(known.positions(features, constraint.title))))


def feature_literal(feature: Feature, names: Sequence[str] | None) -> str:
    return repr(names[feature] if names is not None and isinstance(feature, int) else feature)


def features_literal(features: Iterable[Feature], names: Sequence[str] | None) -> str:
    return f"[{', '.join(feature_literal(feature, names) for feature in features)}]"


def features_text(features: Iterable[Feature], names: Sequence[str], delimiter: str = ",") -> str:
    """Features as an option lists them; a name with the delimiter in it stands in double quotes."""
    listed = [feature if isinstance(feature, str) else names[feature] for feature in features]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow(listed)
    if cells_in(text.getvalue(), delimiter) != listed:
        raise NotExpressedError("a name in it cannot be written in an option")
    return text.getvalue()
