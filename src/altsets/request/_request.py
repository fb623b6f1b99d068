"""The request: bound to features or to a table, written and read."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from altsets.constraints import Size
from altsets.dissimilarity import groups_among, is_named, matched_on_table
from altsets.documents import document_in
from altsets.errors import UnsupportedError
from altsets.features import Feature, FeatureNames
from altsets.measures.large.table import LargeTable
from altsets.measures.pairs import is_array
from altsets.problem import Problem
from altsets.quality import Quality
from altsets.quality.spec import ScoringOptions, spec_of
from altsets.request import _writing as writing
from altsets.request._fields import DEFAULT_SIZE, RequestFields, uses_groups
from altsets.request._groups import in_groups
from altsets.tables.feature_matrix import Features

#: What rounding may take away from a share of features.
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Request(RequestFields):
    """What a user asks: how many sets, how large, how different, under which constraints, by which quality.

    A request needs no table and no numbers; it is checked when it is made, as far as that goes without them. Features
    may be names or indices.

    Parameters
    ----------
    n_features, tau, quality_params, adjust, time_limit, within, min_quality, feature_groups : default=None
        As for :func:`altsets.find`, like all parameters that are not described here.
    n_alternatives : int or "max", default=3
    unit : {"feature", "group"}, default="feature"
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched, Grouped or callable, default="dice"
    search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
            default="sequential"
    aggregation : {"sum", "min", "leximin"}, default="sum"
    constraints, existing : sequence, default=()
    quality : str, estimator, class, callable, quality object or array, default=None
        As for :class:`altsets.SelectAlternatives`; None if the quality is given beside the request, as
        :func:`altsets.find` takes it.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds.
    engine : str, default="auto"
    random_state : int, default=None
        Seed for measures that draw at random; None is a fixed one.
    unusable : {"error", "drop"}, default="error"
        What to do with columns that no measure can use; as for :class:`altsets.SelectAlternatives`.
    difference : {"each", "average"}, default="each"
    overlap_penalty : float, default=0.0

    See Also
    --------
    altsets.find : Search for the sets of a request, given as parameters.
    altsets.Result : ``result.request`` is the request of an answer.

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

    # --- Bound to features, numbers or a table -----------------------------------------------------------------------

    @property
    def needs_table(self) -> bool:
        """Whether a table has to be measured before the request can be searched: a similarity has only a name."""
        return is_named(self.dissimilarity) or any(constraint.is_named for constraint in self.constraints)

    def check(self, names: Sequence[str]) -> Problem:
        """Bind the request as far as that goes before a table is measured; refuse what is impossible with these names.

        Where the similarity of features has only a name, Dice stands for it: it has the same parameters, and asks for
        no more.
        """
        known = [one.before_table() if one.is_named else one for one in self.constraints]
        plain = self.by_dice() if is_named(self.dissimilarity) else self
        certain = tuple(one for one in known if one is not None)
        return replace(plain, constraints=certain).bind(names)

    def measured(self, X: Any, sample_weight: Any = None) -> Request:
        """Compute the similarities that the request only names; the same object if there are none.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            What similarities are measured on.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row of the table counts.
        """
        if not self.needs_table:
            return self
        return replace(
            self,
            dissimilarity=matched_on_table(self.dissimilarity, X, sample_weight),
            constraints=tuple(
                one.computed(X, sample_weight) if one.is_named else one for one in self.constraints
            ),
        )

    def sized(self, n_candidates: int) -> Request:
        """Turn a share of features into a number of them; ``n_candidates`` is how many sets can have."""
        if not isinstance(self.n_features, float) or self.unit == "group":
            return self
        # Rounding must not take a feature away: 0.29 * 100 is less than 29.
        return replace(self, n_features=max(1, math.floor(self.n_features * n_candidates + TOLERANCE)))

    def bind(self, names: Sequence[str], X: Any = None, sample_weight: Any = None) -> Problem:
        """Put the request into exact numbers: names are indices, a similarity is a matrix, tau is a fraction.

        Parameters
        ----------
        names : sequence of str
            The names of all features.
        X, sample_weight : default=None
            As for :meth:`measured`; where a similarity has only a name, a table is needed.
        """
        known = FeatureNames.of(names)
        if isinstance(self.n_features, float) and self.unit == "feature":
            return self.sized(len(known)).bind(names, X, sample_weight)
        asked = self if X is None else self.measured(X, sample_weight)
        kind, constraints = asked.dissimilarity, asked.constraints
        groups = groups_among(self.feature_groups, known)
        n_features, tau = self.n_features, self.least_tau
        if groups is not None:
            kind = groups if kind == "groups" else kind
            constraints = tuple(one.with_groups(groups) for one in constraints)
        if self.unit == "group":
            assert groups is not None
            kind = groups = groups.resolve(known)
            constraints, tau = in_groups(self, groups, constraints)
            n_features = None
        sizes = (
            () if n_features is not None or self.has_size or self.unit == "group" else (Size(1, len(known)),)
        )
        return Problem.create(
            len(known),
            n_features=DEFAULT_SIZE if n_features is None else int(n_features),
            n_alternatives=0 if isinstance(self.n_alternatives, str) else self.n_alternatives,
            tau=tau,
            dissimilarity=kind,
            search=self.search,
            aggregation=self.aggregation,
            existing=[_indices_of(given, known) for given in self.existing],
            constraints=(*constraints, *sizes),
            feature_names=known,
            difference=self.difference,
            overlap_penalty=self.overlap_penalty,
            min_quality=self.min_quality,
            within=self.within,
        )

    def without_tau(self) -> Request:
        """Drop tau for curves over it, which is a share: Dice stands for a number of features."""
        kind = "dice" if self.dissimilarity == "absolute" else self.dissimilarity
        return replace(self, tau=None, dissimilarity=kind)

    def by_dice(self, **changes: Any) -> Request:
        """Change any fields where it does not matter how sets are compared; groups that nothing else uses go."""
        used = self.unit == "group" or uses_groups("dice", self.constraints)
        groups = self.feature_groups if used else None
        return replace(self, dissimilarity="dice", feature_groups=groups, **changes)

    def alone(self) -> Request:
        """Ask for one set, under the same conditions and beside the same existing sets."""
        if self.existing and not replace(self, min_quality=None, within=None, tau=self.least_tau).is_plain:
            raise UnsupportedError(
                "a set alone has no certain place beside existing sets where sets differ on average, pay for what they "
                "share, or meet constraints together."
            )
        single = (constraint.alone() for constraint in self.constraints)
        return replace(
            self,
            n_alternatives=0,
            tau=self.least_tau,
            search="sequential",
            aggregation="sum",
            constraints=tuple(one for one in single if one is not None),
            difference="each",
            overlap_penalty=0.0,
            min_quality=None,
            within=None,
        )

    def quality_on(
        self,
        features: Features | LargeTable,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        n_jobs: int | None = None,
        callback: Any = None,
    ) -> Quality:
        """Compute the quality on the rows of a table.

        Parameters
        ----------
        features : Features or LargeTable
        y : array-like of shape (n_samples,)
        sample_weight, groups, n_jobs, callback : default=None
            As for :meth:`altsets.SelectAlternatives.fit` and its parameters.
        """
        how = replace(self.scoring(groups, n_jobs, callback), sample_weight=sample_weight)
        return spec_of(self.quality).make(features, y, how)

    def scoring(self, groups: Any = None, n_jobs: int | None = None, callback: Any = None) -> ScoringOptions:
        """Options for scoring the columns of a table, with the task and the seed of the request.

        Parameters
        ----------
        groups, n_jobs, callback : default=None
            As for :meth:`quality_on`.
        """
        return ScoringOptions(self.task, n_jobs, self.random_state, groups, callback)

    def without_numbers(self) -> Request:
        """The same request, without the scores or the quality object that were given: those may be large."""
        given = self.quality
        if not (isinstance(given, Quality) or is_array(given)):
            return self
        if self.n_features is None and not self.has_size:
            # What the quality says about sizes has to be said without it.
            return replace(self, quality=None, constraints=(*self.constraints, Size(1, given.n_features_in)))
        return replace(self, quality=None)

    # --- Written and read --------------------------------------------------------------------------------------------

    def to_json(self, indent: int | None = 2) -> str:
        """The request as a JSON document, for :meth:`from_json`; ``indent=None`` writes one line."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        return writing.document_of(self)

    @classmethod
    def from_json(cls, text: str) -> Request:
        """Read what :meth:`to_json` wrote; a document names no code to import, only what altsets knows."""
        return cls.from_dict(document_in(text))

    @classmethod
    def from_dict(cls, document: Any) -> Request:
        """Read what :meth:`to_dict` gave."""
        return cls(**writing.fields_in(document))

    def to_python(self, names: Sequence[str] | None = None) -> str:
        """Lines of Python that make the same request of a table, or of numbers if there is no quality in it.

        ``names`` of all features are written instead of indices.
        """
        return writing.python_lines(self, names)

    def to_command(
        self,
        table: str = "TABLE",
        target: str = "TARGET",
        names: Sequence[str] | None = None,
        *,
        time: str | None = None,
        event: str | None = None,
    ) -> str:
        """The command that makes the same request of the table in a file, on one line, to be copied into a shell.

        Parameters
        ----------
        table : str, default="TABLE"
            The file.
        target : str, default="TARGET"
            The column to predict.
        names : sequence of str, default=None
            The names of all features, where the request has indices.
        time, event : str, default=None
            Of a survival target, the columns of times and events instead of ``target``; the latter perhaps with a
            value, as in ``"status=dead"``. A request that is for survival only has TIME and EVENT where they are None.
        """
        return writing.command(self, table, writing.target_words(self, target, time, event), names)


def _indices_of(existing: Sequence[Feature], known: FeatureNames) -> list[int]:
    """The features of an existing set; indices are checked with the problem."""
    positions = (
        known.positions([one], "an existing set") if isinstance(one, str) else [one] for one in existing
    )
    return list(chain.from_iterable(positions))
