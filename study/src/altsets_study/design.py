"""The paper's study as data: which searches are made for which method, on which folds, under which limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from altsets.errors import InputError

#: Features in a set.
SIZES = (5, 10)
#: Alternatives of a sequential search, which has every smaller number of them in it, and of simultaneous ones.
MOST_SEQUENTIAL = 10
SIMULTANEOUS = (1, 2, 3, 4, 5)
#: Where mutual information comes from: as the paper's study computed it, or as altsets does by default.
INFORMATION = ("paper", "altsets")


@dataclass(frozen=True)
class Settings:
    """What results depend on besides the data; all results of a folder share them.

    Attributes
    ----------
    information : {"paper", "altsets"}
        How mutual information is estimated.
    seed : int
        For folds, trees, the wrapper's split, and the noise that the paper's estimator adds.
    n_folds : int
        Of the stratified cross-validation.
    seconds_per_set : float
        The time limit of a search, for each set that it is asked for; the paper's is a minute.
    exceptions : dict
        Other limits, by method and size: ``{"mrmr:10": 1.0}``.
    max_iters : int
        Swaps that the Greedy Wrapper tries for one search; it has no time limit.

    See Also
    --------
    altsets_study.reproduce : Takes them.
    altsets_study.Store : Keeps them with the results.

    Examples
    --------
    >>> import altsets_study
    >>> settings = altsets_study.Settings(seconds_per_set=10, exceptions={"mrmr:10": 1.0})
    >>> settings.seconds("mrmr", 5), settings.seconds("mrmr", 10)
    (10, 1.0)
    """

    information: str = "paper"
    seed: int = 25
    n_folds: int = 5
    seconds_per_set: float = 60.0
    exceptions: Mapping[str, float] = field(default_factory=dict)
    max_iters: int = 1000

    def __post_init__(self) -> None:
        if self.information not in INFORMATION:
            raise InputError(f"information {self.information!r} is unknown; choose 'paper' or 'altsets'.")
        for name, value in [("seconds_per_set", self.seconds_per_set), *self.exceptions.items()]:
            if not value > 0:
                raise InputError(f"{name} {value} must be a positive number of seconds.")
        for name in self.exceptions:
            if not re.fullmatch(r"\w+:[1-9]\d*", name):
                raise InputError(f"{name!r} names no method and size; write mrmr:10 for mRMR with k = 10.")

    def seconds(self, method: str, size: int) -> float:
        """The time limit for each set.

        Parameters
        ----------
        method : str
            The name of a method.
        size : int
            Features in a set.

        Returns
        -------
        float
            Seconds.
        """
        return self.exceptions.get(f"{method}:{size}", self.seconds_per_set)

    def as_dict(self) -> dict[str, Any]:
        """For a file."""
        return asdict(self)


@dataclass(frozen=True)
class PlannedSearch:
    """The parameters of one search."""

    k: int
    min_difference: int
    search: str
    aggregation: str
    n_alternatives: int

    @property
    def tau(self) -> float:
        """The dissimilarity threshold, as the paper writes it."""
        return round(self.min_difference / self.k, 10)


def searches(size: int, heuristics: bool) -> Iterator[PlannedSearch]:
    """Every search for sets of one size: all thresholds, all numbers of alternatives."""
    for difference in range(1, size + 1):
        yield PlannedSearch(size, difference, "sequential", "sum", MOST_SEQUENTIAL)
        for n_alternatives in SIMULTANEOUS:
            for aggregation in ("sum", "min"):
                yield PlannedSearch(size, difference, "simultaneous", aggregation, n_alternatives)
        if heuristics:
            yield PlannedSearch(size, difference, "greedy-replacement", "sum", MOST_SEQUENTIAL)
            for n_alternatives in SIMULTANEOUS:
                yield PlannedSearch(size, difference, "greedy-balancing", "sum", n_alternatives)


@dataclass(frozen=True, order=True)
class Task:
    """A unit of work: all searches of a method on one fold of a data set."""

    fold: int
    method: str
    dataset: str

    def __str__(self) -> str:
        return f"{self.dataset}, fold {self.fold}, {self.method}"


@dataclass(frozen=True)
class Design:
    """The tasks to run."""

    datasets: Sequence[str]
    methods: Sequence[str]
    folds: Sequence[int]
    sizes: Sequence[int]
    settings: Settings

    def __post_init__(self) -> None:
        for fold in self.folds:
            if not 0 <= fold < self.settings.n_folds:
                raise InputError(f"fold {fold} is unknown; there are folds 0 to {self.settings.n_folds - 1}.")
        for size in self.sizes:
            if size < 1:
                raise InputError(f"k = {size} is not a set size; the paper has {SIZES[0]} and {SIZES[1]}.")

    @property
    def tasks(self) -> list[Task]:
        """All of them: a fold is complete before the next one begins."""
        return [
            Task(fold, method, dataset)
            for fold in self.folds
            for method in self.methods
            for dataset in self.datasets
        ]
