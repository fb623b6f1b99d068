"""The condition that no set has certain features, nor those that stand in for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from altsets.constraints._kinds import MOST_NAMED, OfFeatures
from altsets.constraints.base import (
    CountRule,
    Option,
    OptionReader,
    Rule,
    features_literal,
    features_text,
    sorted_indices,
)
from altsets.constraints.similarity import PROXY_MEASURES, similarity_limit, similarity_measure
from altsets.errors import InputError
from altsets.features import MOST_LISTED, Feature, FeatureNames
from altsets.wording import round_down

if TYPE_CHECKING:
    from altsets.measures.similarity import Alike

DEFAULT_MEASURE = "symmetrical_uncertainty"


@dataclass(frozen=True, init=False, repr=False)
class Forbid(OfFeatures):
    """No set has any of these features, nor, if asked for, those that predict one of them well.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index or name.
    proxies : float, optional
        Also rule out each feature whose similarity with a forbidden one is at least this, above 0 and at most 1. The
        similarity is measured where the table is known: in :class:`altsets.SelectAlternatives`, on the training rows
        of each fold of :func:`altsets.evaluate`, on the command line; for :func:`altsets.find` see :meth:`computed`.
        Features are compared one by one: several that predict a forbidden one together are not found.
    measure : {"symmetrical_uncertainty", "spearman", "pearson", "uncertainty_coefficient"}
        What the similarity is. Symmetrical uncertainty is for numbers and categories alike; a feature with many more
        values than the forbidden one stays low, even if it decides it. The uncertainty coefficient asks only which
        share of what there is to know about the forbidden one a feature tells. Correlations are absolute values;
        categories of several labels have none, and are compared by symmetrical uncertainty.

    Attributes
    ----------
    ruled_out : tuple of (feature, other, similarity), or None
        Which features, by index, ``proxies`` has ruled out, with the forbidden one that each is most like; None as long
        as no table was seen. They are among ``features``, too.

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
    proxies: float | None
    measure: str
    ruled_out: tuple[Alike, ...] | None
    #: How many columns the table had.
    n_columns: int | None

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
            ruled_out=None,
            n_columns=None,
        )

    @property
    def needs_table(self) -> bool:
        """Whether a table decides what is ruled out."""
        return self.proxies is not None

    @property
    def is_named(self) -> bool:
        """Whether a table is needed to know all features that are ruled out."""
        return self.proxies is not None and self.ruled_out is None

    def computed(self, X: Any, sample_weight: Any = None) -> Self:
        """The same with all features that ``proxies`` rules out on this table, which has the features as columns."""
        if self.proxies is None or not self.is_named:
            return self
        from altsets.measures.similarity import similar_columns

        given, alike, n_columns = similar_columns(
            X, self.features, self.measure, self.proxies, self.title, sample_weight
        )
        found = self._on(sorted([*given, *(one.feature for one in alike)]))
        found._set(ruled_out=alike, n_columns=n_columns)
        return found

    def before_table(self) -> Self:
        """The features that are given, without those that only a table can tell."""
        return type(self)(self.features)

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist, and proxies without a table."""
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
        if indices == self.features:
            return self
        found = self._on(indices)
        found._set(ruled_out=self.ruled_out, n_columns=self.n_columns)
        return found

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has none of them."""
        return self._members.isdisjoint(chosen)

    def rules(self) -> tuple[Rule, ...]:
        """None of them."""
        return (CountRule(self.features, upper=0),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        """``COL,COL``."""
        return cls(read.features(text))

    def option_text(self, names: Sequence[str]) -> str:
        """``COL,COL``; proxies have an option of their own."""
        return features_text(self.given, names)

    def proxies_text(self) -> str:
        """The text of ``--proxies``; empty without proxies."""
        return "" if self.proxies is None else f"{self.proxies!r}:{self.measure}"

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        """The features that were given; those that were ruled out with them are found again."""
        listed = features_literal(self.given, names)
        more = [] if self.proxies is None else [f"proxies={self.proxies!r}", f"measure={self.measure!r}"]
        return [listed, *more]

    @property
    def given(self) -> tuple[Any, ...]:
        """The features that were given, without those that were ruled out with them."""
        proxies = {one.feature for one in self.ruled_out or ()}
        return tuple(feature for feature in self.features if feature not in proxies)

    def sentence(self, names: Sequence[str]) -> str:
        """Such as "No set has any of these: id, phone."."""
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
        """Such as "forbid id, phone" or "forbid sex and 1 feature that predicts it (title 0.93)"."""
        known = FeatureNames.of(names)
        proxies = self.ruled_out or ()
        given = self.given
        words = f"forbid {known.listed(given)}"
        if self.is_named:
            return (
                f"{words} and features that predict {_them(given)} ({self.measure} {self.proxies:g} or more)"
            )
        if not proxies:
            return words
        shown = [f"{known[one.feature]} {round_down(one.similarity)}" for one in proxies[:MOST_LISTED]]
        more = [f"{len(proxies) - MOST_LISTED} more"] if len(proxies) > MOST_LISTED else []
        several = "1 feature that predicts" if len(proxies) == 1 else f"{len(proxies)} features that predict"
        return f"{words} and {several} {_them(given)} ({', '.join([*shown, *more])})"

    def as_dict(self) -> dict[str, Any]:
        """The constraint as plain numbers and strings; ``features`` are all that are ruled out."""
        plain: dict[str, Any] = {"kind": self.kind, "features": list(self.features)}
        if self.proxies is None:
            return plain
        ruled_out = [one._asdict() for one in self.ruled_out or ()]
        return plain | {"proxies": self.proxies, "measure": self.measure, "ruled_out": ruled_out}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The constraint as it was asked for: features that proxies have ruled out are found again on a table."""
        found = {one["feature"] for one in entry.get("ruled_out") or ()}
        given = [feature for feature in entry["features"] if feature not in found]
        return cls(given, entry.get("proxies"), entry.get("measure", DEFAULT_MEASURE))

    def _on(self, features: Sequence[int]) -> Self:
        return type(self)(features, self.proxies, self.measure)

    def __repr__(self) -> str:
        if self.proxies is None:
            return f"Forbid(features={self.features!r})"
        ruled_out = "" if self.ruled_out is None else f", ruled_out={len(self.ruled_out)}"
        return f"Forbid(features={self.features!r}, proxies={self.proxies:g}, measure={self.measure!r}{ruled_out})"


def _them(given: Sequence[Any]) -> str:
    return "it" if len(given) == 1 else "them"
