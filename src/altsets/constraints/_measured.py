"""Constraints that a table may have to be measured for: Forbid with proxies, MaxSimilarity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from altsets.constraints._kinds import MOST_NAMED, OfFeatures
from altsets.constraints.base import (
    ConflictRule,
    Constraint,
    CountRule,
    Option,
    OptionReader,
    Rule,
    features_literal,
    features_text,
    limit_and_measure,
    sorted_indices,
)
from altsets.constraints.similarity import (
    PROXY_MEASURES,
    OfSimilarity,
    similarity_limit,
    similarity_measure,
    taken,
)
from altsets.errors import InputError, NotExpressedError
from altsets.features import MOST_LISTED, Feature, FeatureNames
from altsets.wording import plural, round_down

if TYPE_CHECKING:
    # Constraints are known to the command line, which must not wait for NumPy.
    from altsets.arrays import Bools, Floats
    from altsets.measures.pairs import Alike
    from altsets.measures.redundancy import Conflicts

DEFAULT_MEASURE = "symmetrical_uncertainty"


@dataclass(frozen=True, init=False, repr=False)
class Forbid(OfFeatures):
    """No set has any of these features, nor, if asked for, those that predict one of them well.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index, name or pattern (``"S004_*"``).
    proxies : float, default=None
        Also rule out each feature whose similarity with a forbidden one is at least this, above 0 and at most 1,
        measured on the table, and on the training rows of each fold of :func:`altsets.evaluate`; see :meth:`computed`
        where there is no table. Several features that predict a forbidden one only together are not found.
    measure : {"symmetrical_uncertainty", "spearman", "pearson", "uncertainty_coefficient"}, \
            default="symmetrical_uncertainty"
        Symmetrical uncertainty is for numbers and categories alike; a feature with many more values than the forbidden
        one stays low, even if it decides it. The uncertainty coefficient asks only which share of what there is to
        know about the forbidden one a feature tells. Correlations are absolute values; categories of several labels
        are compared by symmetrical uncertainty instead.

    Attributes
    ----------
    ruled_out : tuple of (feature, other, similarity), or None
        Which features, by index, ``proxies`` has ruled out, with the forbidden one that each is most like; None as long
        as no table was seen. They are among ``features``, too.

    See Also
    --------
    altsets.constraints.AtMost : Allow some features of a group.

    Examples
    --------
    >>> Forbid(["id", "phone"]).resolve(["id", "age", "phone"]).holds((1,))
    True
    >>> table = [[0, 10, 3], [0, 20, 1], [1, 35, 4], [1, 40, 1]]
    >>> rule = Forbid(0, proxies=0.8, measure="pearson").computed(table)
    >>> rule.describe(["sex", "height", "score"])
    'forbid sex and 1 feature that predicts it (height 0.94)'
    """

    kind = "forbid"
    option = Option("--forbid", "COL[,COL]", "Features that no set has.")
    proxies: float | None = None
    measure: str = DEFAULT_MEASURE
    ruled_out: tuple[Alike, ...] | None = None
    #: How many columns the table had.
    n_columns: int | None = None

    def __init__(
        self,
        features: Feature | Iterable[Feature],
        proxies: float | None = None,
        measure: str = DEFAULT_MEASURE,
    ) -> None:
        super().__init__(features)
        self._set(
            proxies=None if proxies is None else similarity_limit("proxies", proxies, self.title, "0.8"),
            measure=similarity_measure(measure, self.title, PROXY_MEASURES),
        )

    @property
    def needs_table(self) -> bool:
        return self.proxies is not None

    @property
    def is_named(self) -> bool:
        return self.proxies is not None and self.ruled_out is None

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        if self.proxies is None or not self.is_named:
            return self
        from altsets.measures.pairs import similar_columns

        how = (self.measure, self.proxies, self.title, sample_weight)
        given, alike, n_columns = similar_columns(X, self.features, *how)
        features = tuple(sorted([*given, *(one.feature for one in alike)]))
        return self._changed(features=features, ruled_out=alike, n_columns=n_columns)

    def before_table(self) -> Self:
        return type(self)(self.features)

    def resolve(self, names: Sequence[str]) -> Self:
        if self.is_named:
            raise InputError(
                f"Forbid(..., proxies={self.proxies:g}) has no table to look for such features in; "
                f"give Forbid(..., proxies={self.proxies:g}).computed(X), or use SelectAlternatives."
            )
        if self.n_columns is not None and self.n_columns != len(names):
            raise InputError(
                f"Forbid: proxies were looked for in a table of {self.n_columns} columns, but the quality has "
                f"{len(names)} features; give computed(X) the table that the quality comes from, without the target."
            )
        indices = sorted_indices(self, self.features, names)
        return self if indices == self.features else self._changed(features=indices)

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._members.isdisjoint(chosen)

    def rules(self) -> tuple[Rule, ...]:
        return (CountRule(self.features, upper=0),)

    def option_text(self, names: Sequence[str]) -> str:
        return features_text(self.given, names)

    def proxies_text(self) -> str:
        """Return the text of ``--proxies``; empty without proxies."""
        return "" if self.proxies is None else f"{self.proxies!r}:{self.measure}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        more = [] if self.proxies is None else [f"proxies={self.proxies!r}", f"measure={self.measure!r}"]
        return [features_literal(self.given, names), *more]

    @property
    def given(self) -> tuple[Any, ...]:
        """The features that were given, without those that were ruled out with them."""
        proxies = {one.feature for one in self.ruled_out or ()}
        return tuple(feature for feature in self.features if feature not in proxies)

    def sentence(self, names: Sequence[str]) -> str:
        listed = FeatureNames.of(names).listed(self.given, MOST_NAMED)
        if self.proxies is None:
            return f"No set has any of these: {listed}."
        n_found = len(self.ruled_out or ())
        found = f"{n_found} such features were found" if n_found else "no such feature was found"
        return (
            f"No set has any of these: {listed}; nor features that give them away ({self.measure.replace('_', ' ')} of "
            f"{self.proxies:g} or more; {found})."
        )

    def describe(self, names: Sequence[str]) -> str:
        known = FeatureNames.of(names)
        proxies = self.ruled_out or ()
        words, them = f"forbid {known.listed(self.given)}", plural(len(self.given), "it", "them")
        if self.is_named:
            return f"{words} and features that predict {them} ({self.measure} {self.proxies:g} or more)"
        if not proxies:
            return words
        shown = [f"{known[one.feature]} {round_down(one.similarity)}" for one in proxies[:MOST_LISTED]]
        more = [f"{len(proxies) - MOST_LISTED} more"] if len(proxies) > MOST_LISTED else []
        several = plural(len(proxies), "1 feature that predicts", f"{len(proxies)} features that predict")
        return f"{words} and {several} {them} ({', '.join([*shown, *more])})"

    def as_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"kind": self.kind, "features": list(self.features)}
        if self.proxies is None:
            return plain
        ruled_out = [one._asdict() for one in self.ruled_out or ()]
        return plain | {"proxies": self.proxies, "measure": self.measure, "ruled_out": ruled_out}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        found = {one["feature"] for one in entry.get("ruled_out") or ()}
        given = [feature for feature in entry["features"] if feature not in found]
        return cls(given, entry.get("proxies"), entry.get("measure", DEFAULT_MEASURE))

    def __repr__(self) -> str:
        if self.proxies is None:
            return f"Forbid(features={self.features!r})"
        ruled_out = "" if self.ruled_out is None else f", ruled_out={len(self.ruled_out)}"
        return f"Forbid(features={self.features!r}, proxies={self.proxies:g}, measure={self.measure!r}{ruled_out})"


class ForbidConstant(Forbid):
    """No set has a column that holds one value only; a condition of the table, which nobody has to ask for."""

    kind = "forbid_constant"

    def describe(self, names: Sequence[str]) -> str:
        return f"no constant column ({FeatureNames.of(names).listed(self.features)})"


@dataclass(frozen=True, init=False, eq=False)
class MaxSimilarity(OfSimilarity, Constraint):
    """No two features of a set are more alike than a limit: those that are exclude each other.

    Parameters
    ----------
    similarity : array-like of shape (n_features, n_features), or str
        How alike features are, from 0 to 1, symmetric; the diagonal does not count. Or the name of a measure
        (``"spearman"``, ``"pearson"``: absolute correlations; ``"symmetrical_uncertainty"``), which is computed on the
        table, and in each fold of :func:`altsets.evaluate`; see :meth:`from_data` where there is no table.
    limit : float
        The largest similarity of two features that a set may have, from 0 to 1; two that are as similar as that may
        still be in one set.

    See Also
    --------
    altsets.dissimilarity.Matched : Compare *different* sets through the same similarities.

    Examples
    --------
    >>> alike = MaxSimilarity([[1, 0.95, 0.1], [0.95, 1, 0.9], [0.1, 0.9, 1]], limit=0.9)
    >>> alike.holds((0, 1)), alike.holds((0, 2)), alike.holds((1, 2))
    (False, True, True)
    """

    kind = "max_similarity"
    option = Option(
        "--max-similarity",
        "LIMIT[:MEASURE]",
        "No two features of a set are more alike than LIMIT, such as 0.9, by spearman (the default), pearson or "
        "symmetrical_uncertainty.",
    )
    similarity: Any
    limit: float
    measure: str | None = None
    labels: tuple[str, ...] | None = None

    def __init__(self, similarity: Any, limit: float) -> None:
        self._set(limit=similarity_limit("limit", limit, self.title, "0.9", zero=True))
        self._set(**taken(similarity, self.title))

    @classmethod
    def from_data(
        cls, X: Any, measure: str = "spearman", limit: float = 0.9, *, sample_weight: Any = None
    ) -> Self:
        """Make the constraint with similarities that are measured on the table ``X``.

        The ``measure`` is "spearman", "pearson" or "symmetrical_uncertainty"; rows may have a ``sample_weight``, as for
        :func:`altsets.measures.pairwise`.
        """
        return cls(measure, limit).computed(X, sample_weight)

    @property
    def needs_table(self) -> bool:
        return self.measure is not None

    def before_table(self) -> Self | None:
        return None if self.is_named else self

    @cached_property
    def conflicts(self) -> Bools | Conflicts:
        """Which features exclude each other."""
        import numpy as np

        from altsets.measures.redundancy import Conflicts

        if self.on_demand:
            return Conflicts(self.similarity, np.full(len(self.similarity), np.nextafter(self.limit, 2.0)))
        above: Bools = np.asarray(self._numbers > self.limit)
        np.fill_diagonal(above, False)
        above.setflags(write=False)
        return above

    def holds(self, chosen: Sequence[int]) -> bool:
        import numpy as np

        places = list(chosen)
        among = self._numbers[np.ix_(places, places)]
        return not np.any(among[np.triu_indices(len(places), 1)] > self.limit)

    def rules(self) -> tuple[Rule, ...]:
        return (ConflictRule(self.conflicts),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        limit, measure = limit_and_measure(read, text, "0.9", "spearman")
        return cls(measure, limit)

    def option_text(self, names: Sequence[str]) -> str:
        return f"{self.limit!r}:{self._measure_or_refuse()}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        return [repr(self._measure_or_refuse()), repr(self.limit)]

    def _measure_or_refuse(self) -> str:
        if self.measure is None:
            raise NotExpressedError("features were compared by a matrix of your own")
        return self.measure

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        if entry["similarity"] == "matrix":
            raise NotExpressedError("features were compared by a matrix of your own")
        return cls(entry["similarity"], entry["limit"])

    def sentence(self, names: Sequence[str]) -> str:
        return f"No two features of a set have a similarity above {self.limit:g}{self._source}."

    def describe(self, names: Sequence[str]) -> str:
        return f"no two features more alike than {self.limit:g}{self._source}"

    @property
    def _source(self) -> str:
        return "" if self.measure is None else f" ({self.measure})"

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "limit": self.limit, "similarity": self.measure or "matrix"}

    @property
    def _numbers(self) -> Floats:
        if self.is_named:
            raise InputError(f"MaxSimilarity({self.measure!r}, {self.limit:g}) has no numbers yet.")
        numbers: Floats = self.similarity
        return numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MaxSimilarity) or (self.limit, self.measure) != (other.limit, other.measure):
            return False
        return self._has_similarity_of(other)

    def __hash__(self) -> int:
        return hash((self.limit, self.measure, self.is_named))

    def __repr__(self) -> str:
        what = repr(self.measure) if self.is_named else f"<{len(self.similarity)} features>"
        return f"MaxSimilarity({what}, {self.limit:g})"
