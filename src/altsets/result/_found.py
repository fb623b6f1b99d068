"""The fields of a result that sentences about it need."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from altsets.constraints import Budget
from altsets.documents import DocumentPart
from altsets.features import FeatureNames, label_of
from altsets.quality import FittedSet
from altsets.request import Request
from altsets.result._status import Status, StopReason

#: A feature of a set that was matched with another feature of an earlier set: both sets, both features, how alike.
Match = tuple[int, int, int, int, float]


@dataclass(frozen=True)
class Shortlist(DocumentPart):
    """How much of a wide table an exact search has looked through.

    Attributes
    ----------
    lengths : list of int
        For each set, the number of features among which it is proven to be the best; 0 if there is no such proof.
    n_features : int
        The features that sets may have.

    See Also
    --------
    altsets.Result : Its attribute ``shortlist`` is one.

    Examples
    --------
    >>> Shortlist([500, 250], 20_000).lengths
    [500, 250]
    """

    lengths: list[int]
    n_features: int


@dataclass(frozen=True, eq=False)
class SetsFound:
    """Sets, their qualities and the certificate; :class:`altsets.Result` documents them and adds what can be done."""

    sets: list[tuple[int, ...]]
    qualities: list[float]
    objective: float
    bound: float
    status: Status
    statuses: list[Status]
    texts: list[tuple[str, ...]]
    parameters: dict[str, Any]
    engine: str = ""
    proof: str = ""
    reason: str = ""
    elapsed: float = field(default=0.0, compare=False)
    stop_reason: StopReason = StopReason.FINISHED
    steps: int = field(default=0, compare=False)
    evaluated: int = field(default=0, compare=False)
    iterations: int = field(default=0, compare=False)
    matches: list[Match] = field(default_factory=list)
    scores: list[tuple[float, ...]] = field(default_factory=list, repr=False)
    noise_floors: list[tuple[float, ...]] = field(default_factory=list, compare=False, repr=False)
    n_above_noise: int | None = field(default=None, compare=False, repr=False)
    notes: list[str] = field(default_factory=list, compare=False, repr=False)
    table_cautions: list[str] = field(default_factory=list, compare=False, repr=False)
    provenance: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    request: Request | None = field(default=None, compare=False, repr=False)
    shortlist: Shortlist | None = field(default=None, compare=False, repr=False)
    set_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    existing_qualities: list[float] = field(default_factory=list, compare=False, repr=False)
    models: list[FittedSet] = field(default_factory=list, compare=False, repr=False)
    tau_found: float | None = field(default=None, repr=False)
    tau_bound: float | None = field(default=None, repr=False)
    n_sets_bound: float | None = field(default=None, repr=False)

    @property
    def named_sets(self) -> list[tuple[Any, ...]]:
        """The sets with the labels that a frame has for its columns: text, integers or tuples of a MultiIndex."""
        return [tuple(map(label_of, names)) for names in self.texts]

    def label(self, number: int) -> str:
        """A set as texts, tables and charts call it: ``"set 1"``, or ``"set 1 (shape)"`` if it has a name."""
        return f"set {number} ({self.set_names[number]})" if self.set_names else f"set {number}"

    def line_of(self, number: int, features: str) -> str:
        """Return a set in one line: ``"set 1: a, b (quality 17, optimal)"``.

        Parameters
        ----------
        number : int
        features : str
            As they are shown.
        """
        quality, status = self.qualities[number], self.statuses[number]
        return f"{self.label(number)}: {features} (quality {quality:.6g}, {status})"

    @property
    def gap(self) -> float:
        """How far the objective can lie below the best possible one: ``bound - objective``."""
        return self.bound - self.objective

    @property
    def compared_with(self) -> tuple[str, float]:
        """What sets are compared with, and its quality: set 0, or the best set there is.

        The latter if sets were chosen together, and ``within`` needed the best set.
        """
        first = self.qualities[0]
        within, least = self.parameters.get("within"), self.parameters.get("quality_needed")
        if self.parameters.get("search") != "simultaneous" or within is None or least is None or least <= 0:
            return "set 0", first
        best = least / (1 - within)
        # The limit was rounded.
        return "best", first if math.isclose(best, first, rel_tol=1e-9) else best

    @property
    def costs(self) -> list[tuple[float, ...]]:
        """What each set costs: one number for each budget that was given; an empty list if there was none."""
        budgets = [
            entry for entry in self.parameters.get("constraints") or () if entry["kind"] == Budget.kind
        ]
        if not budgets:
            return []
        features = FeatureNames.unnamed(self.parameters["n_features_in"])
        paid = [Budget.from_dict(entry).resolve(features) for entry in budgets]
        return [tuple(budget.cost(chosen) for budget in paid) for chosen in self.sets]

    @property
    def groups(self) -> list[tuple[str | None, ...]]:
        """The group of each feature of each set, None for a feature without one; empty if sets differ otherwise."""
        kind = self.parameters.get("dissimilarity")
        if not isinstance(kind, dict) or kind.get("kind") != "grouped":
            return []
        group_of = {feature: group for group, listed in kind["groups"].items() for feature in listed}
        return [
            tuple(group_of.get(name, group_of.get(index)) for name, index in zip(names, chosen, strict=True))
            for names, chosen in zip(self.texts, self.sets, strict=True)
        ]

    @property
    def compared(self) -> tuple[str, list[tuple[Any, ...]]]:
        """What two sets may share, as a word and for each set: its groups if sets differ by groups, else features."""
        of_sets = self.groups
        if not of_sets:
            return "feature", list(self.sets)
        used = [
            # A feature without a group is one of its own.
            tuple(index if group is None else group for group, index in zip(groups, chosen, strict=True))
            for groups, chosen in zip(of_sets, self.sets, strict=True)
        ]
        return "group", [tuple(dict.fromkeys(one)) for one in used]

    @property
    def above_noise(self) -> list[tuple[bool, ...]]:
        """Which features of each set are above the noise floor; an empty list if there is none."""
        return [
            tuple(score > floor for score, floor in zip(scores, floors, strict=True))
            for scores, floors in zip(self.scores, self.noise_floors, strict=False)
        ]
