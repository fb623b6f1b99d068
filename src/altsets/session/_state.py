"""The state of a session, all that a step can change, as a frozen record; the changes that steps make; and steps."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from altsets import documents
from altsets.dissimilarity import Matched, matched_in, matched_text
from altsets.errors import InputError, NotExpressedError
from altsets.features import FeatureNames, given_feature, whole_number
from altsets.problem import counts_features, exact_count, exact_tau
from altsets.quality.spec import PAPER_ENGINES, PAPER_NAMES, NamedQuality, spec_of
from altsets.request import Request, uses_groups
from altsets.result import Result
from altsets.wording import join_words, list_some, parameter, shorten

#: Features or sets that the name of a step spells out.
MOST_NAMED = 5
#: A set by the names of its features, in the order of the table.
NamedSet = tuple[str, ...]


#: The fields of the request that steps change. Others are what scores and similarities are computed from, and limits.
SETTINGS = (
    *("n_features", "n_alternatives", "tau", "search", "aggregation"),
    *("difference", "overlap_penalty", "min_quality", "within"),
)


@dataclass(frozen=True)
class SessionState:
    """All that a step of a session can change: a request, and conditions on features and sets by their names."""

    request: Request
    require: NamedSet = ()
    forbid: NamedSet = ()
    pinned: tuple[NamedSet, ...] = ()
    rejected: tuple[NamedSet, ...] = ()

    @classmethod
    def beginning(cls, base: Request) -> SessionState:
        return cls(replace(base, tau=plain_tau(0.5 if base.tau is None else base.tau, base.dissimilarity)))

    @property
    def quality(self) -> str | None:
        """The name of the quality and its engine; None if that does not say all about them."""
        given = self.request.quality
        spec = None if given is None else spec_of(given)
        if not isinstance(spec, NamedQuality):
            return None
        try:
            is_name = spec.as_dict().keys() == {"name"}
        except NotExpressedError:
            return None
        return spec.searched_by(self.request.engine).asked_name if is_name else None

    @property
    def distinct(self) -> str | None:
        """The similarity at which features count as the same, such as "0.9:spearman"; None if it has no text."""
        kind = self.request.dissimilarity
        return matched_text(kind) if isinstance(kind, Matched) and kind.is_named else None

    def as_dict(self) -> dict[str, Any]:
        """The state as plain values that JSON knows, in lists of its own."""
        settings = {name: getattr(self.request, name) for name in SETTINGS}
        named = {name: _listed(getattr(self, name)) for name in NAMED}
        tau = plain_tau(self.request.tau, self.request.dissimilarity)
        return {"quality": self.quality, **settings, "tau": tau, "distinct": self.distinct, **named}

    @property
    def key(self) -> str:
        """The state as text; equal states of a session have equal keys."""
        return json.dumps(self.as_dict())

    def changed(self, changes: Any, names: FeatureNames | None, start: SessionState) -> SessionState:
        """The same with other values for some parts, as users or documents have them; checked.

        Without names of a table, features are taken as they are. A quality or a similarity without a name is that of
        ``start``.
        """
        if not isinstance(changes, Mapping):
            raise InputError(
                f"a state is a dictionary, not {shorten(changes)}; take session.state and change it."
            )
        if unknown := [name for name in changes if name not in PARTS]:
            raise InputError(
                f"{shorten(unknown[0])} is no part of a session's state; its parts are {join_words(PARTS)}."
            )
        asked = {name: value for name, value in changes.items() if name in SETTINGS}
        if asked.get("n_features") is not None:
            asked["n_features"] = whole_number("n_features", asked["n_features"], least=1)
        if "quality" in changes:
            asked |= _quality_asked(changes["quality"], start)
        if "distinct" in changes:
            kind, groups = _dissimilarity_asked(changes["distinct"], start), start.request.feature_groups
            used = uses_groups(kind, start.request.constraints)
            asked |= {"dissimilarity": kind, "feature_groups": groups if used else None}
        if "tau" in asked:
            asked["tau"] = plain_tau(asked["tau"], asked.get("dissimilarity", self.request.dissimilarity))
        named = {name: check(name, changes[name], names) for name, check in NAMED.items() if name in changes}
        return replace(self, request=replace(self.request, **asked), **named)

    # --- What steps do -----------------------------------------------------------------------------------------------

    def after(self, step: str, some: tuple[Any, ...]) -> SessionState:
        """The state after a step about some features or sets."""
        added, removed = STEPS[step]
        parts: dict[str, Any] = {name: _without(getattr(self, name), some) for name in removed}
        if added:
            parts[added] = (*parts.get(added, getattr(self, added)), *some)
        return replace(self, **parts)

    def one_more(self) -> SessionState:
        """The state with one more set; as many as there are stay as many as there are."""
        number = self.request.n_alternatives
        more = number if isinstance(number, str) else number + 1
        return replace(self, request=replace(self.request, n_alternatives=more))


#: Steps about features or sets: the part of a state to which they are added, and those from which they are removed.
STEPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "require": ("require", ("require", "forbid")),
    "forbid": ("forbid", ("require", "forbid")),
    "allow": ("", ("require", "forbid")),
    "pin": ("pinned", ("rejected",)),
    "unpin": ("", ("pinned",)),
    "reject": ("rejected", ("pinned",)),
}


def change_between(before: SessionState, after: SessionState) -> tuple[str, list[str], str]:
    """The simplest way from one state to another: a method of the session, its arguments, and a few words."""
    if before == after:
        return "set", [], "again"
    if after == before.one_more():
        return "more", [], "one more set"
    for step, (added, removed) in STEPS.items():
        changed = [(after, before, added)] if added else [(before, after, name) for name in removed]
        some = tuple(chain(*(_without(getattr(one, name), getattr(two, name)) for one, two, name in changed)))
        if some and before.after(step, some) == after:
            chosen = some if isinstance(some[0], tuple) else (some,)
            if len(chosen) == 1:
                return step, [repr(list(chosen[0]))], f"{step} {list_some(chosen[0], MOST_NAMED)}"
    parts = changed_parts(before, after)
    words = ", ".join(f"{name} = {value_in_words(value)}" for name, value in parts.items())
    return "set", [f"{name}={value!r}" for name, value in parts.items()], words


def changed_parts(before: SessionState, after: SessionState) -> dict[str, Any]:
    known = before.as_dict()
    return {name: value for name, value in after.as_dict().items() if value != known[name]}


def named(features: Any, names: FeatureNames | None, who: str) -> NamedSet:
    """Features as users give them (one or several; by name, index or pattern) by their names, in the table's order.

    Without the names of a table, only a list of names is taken, as it is.
    """
    if names is None:
        return documents.texts(features)
    several = [features] if isinstance(features, str | numbers.Real) else features
    if not isinstance(several, Iterable) or isinstance(several, Mapping):
        raise InputError(f"{who} takes features, by name or index, not {shorten(features)}.")
    found = names.positions([given_feature(feature, who) for feature in several], who)
    return tuple(names[index] for index in sorted(set(found)))


def _quality_asked(value: Any, start: SessionState) -> dict[str, Any]:
    if value is not None and not isinstance(value, str):
        raise InputError(
            f"{parameter('quality', value)} must be a name, such as 'mrmr', to be a step of a session."
        )
    if value is None and start.quality is not None:
        raise InputError("quality=None is the quality that a session was made with, and this one has a name.")
    name = PAPER_NAMES.get(value, value) if value and value not in PAPER_ENGINES else value
    if value is None or name == start.quality:
        return {"quality": start.request.quality, "engine": start.request.engine}
    # The engine is that of the quality, as sessions take no other one.
    return {"quality": spec_of(value), "engine": "auto"}


def _dissimilarity_asked(value: Any, start: SessionState) -> Any:
    """The similarity at which features count as the same; None: that of the start if it has no text, else none."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if value is not None and not is_number and not isinstance(value, str):
        raise InputError(f"{parameter('distinct', value)} must have the form 0.9 or 0.9:spearman.")
    similar = None if value is None else matched_in("distinct", str(value))
    text = None if similar is None else matched_text(similar)
    if text == start.distinct:
        return start.request.dissimilarity
    return similar or "dice"


def _checked_sets(name: str, value: Any, names: FeatureNames | None) -> tuple[NamedSet, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{parameter(name, value)} must be a list of sets of features.")
    return tuple(dict.fromkeys(checked_set(chosen, names, f"a set in {name}") for chosen in value))


#: Features and sets by their names: each part of a state with its check.
NAMED: dict[str, Callable[[str, Any, FeatureNames | None], Any]] = {
    "require": lambda name, value, names: named(value, names, name),
    "forbid": lambda name, value, names: named(value, names, name),
    "pinned": _checked_sets,
    "rejected": _checked_sets,
}
#: The parts of a state.
PARTS = ("quality", *SETTINGS, "distinct", *NAMED)


def checked_set(chosen: Any, names: FeatureNames | None, who: str) -> NamedSet:
    """A set by the names of its features; refused if it has none, or is no list."""
    if isinstance(chosen, str | numbers.Real):
        raise InputError(f"{who} must be a list of features, not {shorten(chosen)}.")
    found = named(chosen, names, who)
    if not found:
        raise InputError(f"{who} is empty; give it at least one feature.")
    return found


def plain_tau(tau: Any, dissimilarity: Any) -> float | str:
    """Tau as JSON has it: a number, a fraction as text where no float is the same, or "max"."""
    if tau == "max":
        return "max"
    if counts_features(dissimilarity):
        return exact_count(tau)
    exact = exact_tau(tau)
    return float(exact) if Fraction(float(exact)) == exact else str(exact)


def _listed(value: Any) -> Any:
    return [_listed(entry) for entry in value] if isinstance(value, tuple) else value


def _without(some: tuple[Any, ...], others: Iterable[Any]) -> tuple[Any, ...]:
    known = set(others)
    return tuple(entry for entry in some if entry not in known)


def value_in_words(value: Any) -> str:
    if isinstance(value, list):
        several = [f"{{{', '.join(one)}}}" if isinstance(one, list) else one for one in value]
        return list_some(several, MOST_NAMED) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class SessionStep:
    """A step of a session; an entry of :attr:`altsets.Session.history`.

    Attributes
    ----------
    name : str
        What the step was called, or what it changed.
    asked : SessionState
        All settings; ``state`` has them as a dictionary.
    result : Result
        The answer: the sets that were searched for, without those that are pinned.
    seconds : float
        How long the step took.

    See Also
    --------
    altsets.Session : Takes steps.
    altsets.Session.compare : What is different after another step.

    Examples
    --------
    >>> import altsets
    >>> session = altsets.Session(altsets.quality.Additive([9, 8, 7, 3, 2, 1]), n_features=2, n_alternatives=1)
    >>> session.forbid(0).history[-1]
    SessionStep('forbid x0', 2 sets, optimal)
    """

    name: str
    asked: SessionState = field(repr=False)
    result: Result
    seconds: float = field(default=0.0, compare=False)

    @property
    def state(self) -> dict[str, Any]:
        """All settings, as :attr:`altsets.Session.state` had them; a copy."""
        return self.asked.as_dict()

    @property
    def sets(self) -> list[NamedSet]:
        """The names of the features of each set; pinned sets come first."""
        return [*self.asked.pinned, *self.result.texts]

    @property
    def qualities(self) -> list[float]:
        """The quality of each set; nan for a pinned set that there was no time to score."""
        pinned = self.result.existing_qualities or [math.nan] * len(self.asked.pinned)
        return [*pinned, *self.result.qualities]

    def __repr__(self) -> str:
        n_sets = len(self.sets)
        return f"SessionStep({self.name!r}, {n_sets} set{'' if n_sets == 1 else 's'}, {self.result.status})"
