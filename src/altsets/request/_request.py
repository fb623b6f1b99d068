"""The request: its fields and their checks, and how it is bound to features or to a table."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from altsets.constraints import Constraint
from altsets.dissimilarity import is_named, matched_on_table
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, whole_number
from altsets.measures.custom import is_array
from altsets.problem import Dissimilarity, Problem
from altsets.problem.checks import (
    AGGREGATIONS,
    SEARCHES,
    check_limit,
    exact_tau,
    list_constraints,
    one_of,
)
from altsets.quality import Quality
from altsets.quality.spec import Scoring, spec_of
from altsets.request import _writing as writing
from altsets.tables.feature_matrix import Features

#: Swaps that are tried, or sets that are evaluated, in one search of a black box; as in the paper.
MAX_ITERS = 1000
#: The seed of measures, models and folds, unless a user gives another one.
DEFAULT_SEED = 25
TASKS = ("auto", "classification", "regression")
#: What ``engine=`` takes; :data:`altsets.search.find.ENGINES` has them.
ENGINE_NAMES = (
    "auto",
    "greedy",
    "additive",
    "enumerate",
    "milp",
    "exhaustive",
    "local-search",
    "greedy-wrapper",
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Request:
    """What a user asks: how many sets, how large, how different, under which constraints, by which quality.

    A request needs no table and no numbers; it is checked when it is made, as far as that goes without them. Features
    may be names or indices.

    Parameters
    ----------
    n_features, n_alternatives, tau, min_difference, dissimilarity, search, aggregation, constraints, existing
        As for :func:`altsets.find`.
    quality : optional
        As for :class:`altsets.SelectAlternatives`; None if the quality is given beside the request, as
        :func:`altsets.find` takes it.
    task : {"auto", "classification", "regression"}
        What the target holds.
    engine, max_iters, time_limit
        As for :func:`altsets.find`.
    random_state : int, optional
        Seed for measures that draw at random; None is a fixed one.

    See Also
    --------
    altsets.find : Search for the sets of a request, given as parameters.
    altsets.Result : ``result.request`` is what was asked.

    Examples
    --------
    >>> from altsets import Request, constraints
    >>> request = Request(n_features=3, tau=0.5, quality="mrmr", constraints=[constraints.Forbid("id")])
    >>> print(request.to_python())
    from altsets import SelectAlternatives
    from altsets import constraints
    <BLANKLINE>
    # X and y are your table and target.
    selector = SelectAlternatives(
        'mrmr',
        n_features=3,
        n_alternatives=3,
        tau=0.5,
        constraints=[constraints.Forbid(['id'])],
    )
    selector.fit(X, y)
    >>> Request.from_json(request.to_json()) == request
    True
    """

    n_features: int = 5
    n_alternatives: int | str = 3
    tau: float | Fraction | None = None
    min_difference: int | None = None
    dissimilarity: str | Dissimilarity = "dice"
    search: str = "sequential"
    aggregation: str = "sum"
    constraints: tuple[Constraint, ...] = ()
    existing: tuple[tuple[Feature, ...], ...] = ()
    quality: Any = None
    task: str = "auto"
    engine: str = "auto"
    max_iters: int = MAX_ITERS
    time_limit: float | None = None
    random_state: int | None = None

    def __init__(
        self,
        *,
        n_features: int = 5,
        n_alternatives: int | str = 3,
        tau: Any = None,
        min_difference: int | None = None,
        dissimilarity: str | Dissimilarity = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        constraints: Iterable[Constraint] | Constraint = (),
        existing: Iterable[Sequence[Feature]] = (),
        quality: Any = None,
        task: str = "auto",
        engine: str = "auto",
        max_iters: int = MAX_ITERS,
        time_limit: float | None = None,
        random_state: int | None = None,
    ) -> None:
        check_limit(dissimilarity, tau, min_difference)
        count = (
            n_alternatives
            if n_alternatives == "max"
            else whole_number("n_alternatives", n_alternatives, least=0)
        )
        values = {
            "n_features": whole_number("n_features", n_features, least=1),
            "n_alternatives": count,
            "tau": None if tau is None else _plain_tau(tau),
            "min_difference": None
            if min_difference is None
            else whole_number("min_difference", min_difference, 0),
            "dissimilarity": dissimilarity,
            "search": one_of("search", search, SEARCHES),
            "aggregation": one_of("aggregation", aggregation, AGGREGATIONS),
            "constraints": list_constraints(constraints),
            "existing": tuple(_existing_set(given) for given in existing),
            "quality": spec_of(quality) if isinstance(quality, str) else quality,
            "task": one_of("task", task, TASKS),
            "engine": one_of("engine", engine, ENGINE_NAMES),
            "max_iters": whole_number("max_iters", max_iters, least=1),
            "time_limit": checked_seconds(time_limit),
            "random_state": random_state,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    # --- Bound to features, numbers or a table -----------------------------------------------------------------------

    @property
    def has_size(self) -> bool:
        """Whether a constraint says how large sets are, instead of ``n_features``."""
        return any(constraint.kind == "size" for constraint in self.constraints)

    @property
    def needs_table(self) -> bool:
        """Whether a table has to be measured before the request can be searched: a similarity has only a name."""
        return is_named(self.dissimilarity) or any(constraint.is_named for constraint in self.constraints)

    def check(self, names: Sequence[str]) -> Problem:
        """Refuse what these features make impossible, as far as that can be said before a table is measured.

        Where the similarity of features has only a name, Dice stands for it: it has the same parameters, and asks for
        no more.
        """
        known = [one.before_table() if one.is_named else one for one in self.constraints]
        kind = "dice" if is_named(self.dissimilarity) else self.dissimilarity
        certain = tuple(one for one in known if one is not None)
        return replace(self, dissimilarity=kind, constraints=certain).bind(names)

    def measured(self, X: Any, sample_weight: Any = None) -> Request:
        """The same request with numbers where it only named how alike features are."""
        if not self.needs_table:
            return self
        return replace(
            self,
            dissimilarity=matched_on_table(self.dissimilarity, X, sample_weight),
            constraints=tuple(
                one.computed(X, sample_weight) if one.is_named else one for one in self.constraints
            ),
        )

    def bind(self, names: Sequence[str], X: Any = None, sample_weight: Any = None) -> Problem:
        """The request in exact numbers: names are indices, a similarity is a matrix, tau is a fraction.

        Parameters
        ----------
        names : sequence of str
            The names of all features.
        X : table, optional
            What a similarity is measured on if it has only a name.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row of the table counts.
        """
        asked = self if X is None else self.measured(X, sample_weight)
        known = FeatureNames.of(names)
        return Problem.create(
            len(known),
            n_features=self.n_features,
            n_alternatives=0 if isinstance(self.n_alternatives, str) else self.n_alternatives,
            tau=self.tau,
            min_difference=self.min_difference,
            dissimilarity=asked.dissimilarity,
            search=self.search,
            aggregation=self.aggregation,
            existing=[
                [known.position(one, "an existing set") if isinstance(one, str) else one for one in given]
                for given in self.existing
            ],
            constraints=asked.constraints,
            feature_names=known,
        )

    def quality_on(
        self,
        features: Features,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> Quality:
        """What the quality means on the rows of a table."""
        how = self.scoring(groups, n_jobs, progress)
        return spec_of(self.quality).make(features, y, sample_weight, how)

    def scoring(self, groups: Any = None, n_jobs: int | None = None, progress: Any = None) -> Scoring:
        """How the columns of a table are scored."""
        return Scoring(self.task, n_jobs, self.random_state, groups, progress)

    def without_numbers(self) -> Request:
        """The same request, without the scores or the quality object that were given: those may be large."""
        if isinstance(self.quality, Quality) or is_array(self.quality):
            return replace(self, quality=None)
        return self

    # --- Written and read --------------------------------------------------------------------------------------------

    def to_json(self, indent: int | None = 2) -> str:
        """The request as a JSON document.

        Raises
        ------
        NotExpressedError
            If it holds a function, a matrix or a model of your own.
        """
        return writing.json_text(self, indent)

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        return writing.document_of(self)

    @classmethod
    def from_json(cls, text: str) -> Request:
        """Read what :meth:`to_json` wrote; a document names no code to import, only what altsets knows."""
        return cls.from_dict(writing.document_in(text))

    @classmethod
    def from_dict(cls, document: Any) -> Request:
        """Read what :meth:`to_dict` gave."""
        return cls(**writing.fields_in(document))

    @classmethod
    def from_parameters(cls, parameters: Any, provenance: Any) -> Request | None:
        """The request behind an answer that was saved without it; None if that says too little."""
        found = writing.fields_behind(parameters, provenance)
        return None if found is None else cls(**found)

    def to_python(self, names: Sequence[str] | None = None) -> str:
        """Lines of Python that make the same request of a table, or of numbers if there is no quality in it.

        Parameters
        ----------
        names : sequence of str, optional
            The names of all features, to write instead of indices.
        """
        return writing.python_lines(self, names)

    def to_command(
        self, table: str = "TABLE", target: str = "TARGET", names: Sequence[str] | None = None
    ) -> str:
        """The command that makes the same request of the table in a file, to be copied into a shell.

        Parameters
        ----------
        table, target : str
            The file, and the column to predict.
        names : sequence of str, optional
            The names of all features, where the request has indices.
        """
        return writing.command(self, table, target, names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Request):
            return NotImplemented
        return all(_same(getattr(self, one.name), getattr(other, one.name)) for one in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = [
            f"{one.name}={value!r}"
            for one in fields(self)
            if not _same(value := getattr(self, one.name), one.default)
            or one.name in ("n_features", "n_alternatives")
        ]
        return f"Request({', '.join(said)})"


def checked_seconds(time_limit: Any) -> float | None:
    """A time limit as users give it; refused if it is no positive number."""
    if time_limit is None:
        return None
    seconds = math.nan
    if isinstance(time_limit, numbers.Real) and not isinstance(time_limit, bool):
        seconds = float(time_limit)
    if not seconds > 0:
        raise InputError(f"time_limit={time_limit!r} must be a positive number of seconds, or None.")
    return seconds


def _same(one: Any, other: Any) -> bool:
    """Whether two values say the same; arrays and what holds them only if they are one object."""
    if one is other:
        return True
    if is_array(one) and not isinstance(one, tuple):
        return False
    return type(one) is type(other) and bool(one == other)


def _plain_tau(tau: Any) -> float | Fraction:
    """Tau as asked: a float stays one, everything else is exact."""
    exact = exact_tau(tau)
    inexact = isinstance(tau, numbers.Real) and not isinstance(tau, Fraction)
    return min(max(float(tau), 0.0), 1.0) if inexact else exact


def _existing_set(given: Any) -> tuple[Feature, ...]:
    """An existing set, whose features may be named."""
    if isinstance(given, str):
        raise InputError(f"an existing set must be a list of features, not the single string {given!r}.")
    return tuple(
        feature if isinstance(feature, str) else whole_number("a feature index", feature, least=0)
        for feature in given
    )
