"""The fields of a request, and their checks."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from altsets.constraints import AboveNoise, Constraint, Spread
from altsets.dissimilarity import Grouped, declared_groups
from altsets.errors import InputError, Problems
from altsets.features import Feature, as_number, given_feature, one_of, whole_number
from altsets.measures.pairs import is_array
from altsets.problem import (
    AGGREGATIONS,
    DIFFERENCES,
    SEARCHES,
    Dissimilarity,
    check_definition,
    counts_features,
    exact_count,
    exact_tau,
    list_constraints,
)
from altsets.quality.spec import NamedQuality, spec_of
from altsets.tables.conversion import UNUSABLE
from altsets.tables.target import TASKS
from altsets.wording import by_interface, parameter

#: Features in each set, unless a user gives another number or a model chooses.
DEFAULT_SIZE = 5
#: The seed of measures, models and folds, unless a user gives another one.
DEFAULT_SEED = 25
#: What sets are made of.
UNITS = ("feature", "group")
#: What ``engine=`` takes; :data:`altsets.search.solving.ENGINES` has them.
ENGINE_NAMES = (
    "auto",
    "greedy",
    "additive",
    "shortlist",
    "enumerate",
    "milp",
    "exhaustive",
    "best-first",
    "local-search",
    "greedy-wrapper",
)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class RequestFields:
    """The fields of a request, checked one by one; see :class:`altsets.Request`."""

    #: None: as many as the model chooses.
    n_features: int | float | None = None
    n_alternatives: int | str = 3
    tau: float | Fraction | str | None = None
    dissimilarity: str | Dissimilarity = "dice"
    search: str = "sequential"
    aggregation: str = "sum"
    constraints: tuple[Constraint, ...] = ()
    existing: tuple[tuple[Feature, ...], ...] = ()
    quality: Any = None
    task: str = "auto"
    engine: str = "auto"
    time_limit: float | None = None
    random_state: int | None = None
    unusable: str = "error"
    difference: str = "each"
    overlap_penalty: float = 0.0
    min_quality: float | None = None
    within: float | None = None
    feature_groups: Grouped | str | None = None
    adjust: tuple[Feature, ...] = ()
    unit: str = "feature"

    def __init__(
        self,
        *,
        n_features: int | float | None = None,
        n_alternatives: int | str = 3,
        tau: Any = None,
        dissimilarity: str | Dissimilarity = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        constraints: Iterable[Constraint] | Constraint = (),
        existing: Iterable[Sequence[Feature]] = (),
        quality: Any = None,
        quality_params: Mapping[str, Any] | None = None,
        task: str = "auto",
        engine: str = "auto",
        time_limit: float | None = None,
        random_state: int | None = None,
        unusable: str = "error",
        difference: str = "each",
        overlap_penalty: float = 0.0,
        min_quality: float | None = None,
        within: float | None = None,
        feature_groups: Any = None,
        adjust: Sequence[Feature] | Feature | None = None,
        unit: str = "feature",
    ) -> None:
        problems = Problems()
        values: dict[str, Any] = {"dissimilarity": dissimilarity, "random_state": random_state}

        def check(name: str, checked: Callable[..., Any], *given: Any) -> Any:
            with problems:
                values[name] = checked(*given)
            return values.get(name)

        check("engine", one_of, "engine", engine, ENGINE_NAMES)
        named = check("quality", _quality_of, quality, quality_params)
        if isinstance(named, NamedQuality) and named.engine != "auto":
            check("engine", _engine_of, named, values.get("engine", "auto"))
            values["quality"] = replace(named)
        check("n_features", _size_of_sets, n_features, values.get("quality"))
        check("n_alternatives", _count_of, n_alternatives)
        check("tau", _plain_tau, tau, dissimilarity)
        check("search", one_of, "search", search, SEARCHES)
        check("aggregation", one_of, "aggregation", aggregation, AGGREGATIONS)
        check("difference", one_of, "difference", difference, DIFFERENCES)
        check("constraints", list_constraints, constraints)
        check("unit", one_of, "unit", unit, UNITS)
        groups = check("feature_groups", declared_groups, feature_groups)
        if (feature_groups is None or groups is not None) and "constraints" in values:
            with problems:
                if unit == "group":
                    _refuse_beside_groups(groups is not None, dissimilarity, overlap_penalty)
                else:
                    _refuse_groups(groups is not None, dissimilarity, values["constraints"])
        check("adjust", _covariates_of, adjust, values.get("quality"))
        check("existing", lambda: tuple(_existing_set(given) for given in existing))
        check("task", one_of, "task", task, TASKS)
        check("time_limit", checked_seconds, time_limit)
        check("unusable", one_of, "unusable", unusable, UNUSABLE)
        if tau == "max" and not problems:
            with problems:
                has_limit = not (within is None and min_quality is None)
                definition = (search, difference, overlap_penalty)
                _refuse_beside_largest_tau(has_limit, values["n_alternatives"], dissimilarity, *definition)
        if {"search", "aggregation", "difference", "constraints"} <= values.keys():
            with problems:
                limits = overlap_penalty, min_quality, within
                checked = check_definition(search, aggregation, difference, *limits, values["constraints"])
                values.update(zip(("overlap_penalty", "min_quality", "within"), checked, strict=False))
        problems.raise_all()
        # A frozen record has no other way, and one by one they would take longer.
        vars(self).update(values)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is asked beyond good sets that are pairwise different."""
        usual = ("difference", "overlap_penalty", "min_quality", "within")
        if any(getattr(self, name) != getattr(RequestFields, name) for name in usual):
            return False
        joint = (
            isinstance(one, Spread) or (not one.is_named and one.joint_rules()) for one in self.constraints
        )
        return self.aggregation != "leximin" and not any(joint)

    @property
    def least_tau(self) -> Any:
        """The tau that two sets have at least; 0 where the largest one is searched for."""
        return 0 if self.tau == "max" else self.tau

    @property
    def quality_params(self) -> dict[str, Any] | None:
        """The options of a quality that has a name; None if there are none."""
        return self.quality.params or None if isinstance(self.quality, NamedQuality) else None

    @property
    def selector_quality(self) -> Any:
        """The quality for what takes no engine: under the name that sets the engine, if there is one."""
        is_named = isinstance(self.quality, NamedQuality)
        return self.quality.searched_by(self.engine) if is_named else self.quality

    @property
    def above_noise(self) -> bool:
        """Whether sets may only have features above the noise floor."""
        return any(isinstance(constraint, AboveNoise) for constraint in self.constraints)

    @property
    def has_size(self) -> bool:
        """Whether a constraint says how large sets are, instead of ``n_features``."""
        return any(constraint.kind == "size" for constraint in self.constraints)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RequestFields):
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


def _refuse_beside_groups(are_declared: bool, dissimilarity: Any, penalty: Any) -> None:
    """Refuse what has no meaning where groups are chosen as a whole."""
    chosen = parameter("unit", "group")
    if not are_declared:
        raise InputError(
            f"{chosen} chooses groups of features; declare them with {parameter('feature_groups')}."
        )
    if dissimilarity not in ("dice", "groups", "absolute"):
        raise InputError(
            f"{chosen} compares sets by their groups; leave out {parameter('dissimilarity', dissimilarity)}, or use "
            f"{parameter('dissimilarity', 'absolute')} for a number of groups."
        )
    if penalty:
        raise InputError(f"{chosen} does not support {parameter('overlap_penalty')}; leave it out.")


def uses_groups(dissimilarity: Any, constraints: Iterable[Constraint]) -> bool:
    """Whether sets are compared by declared groups, or pay for them."""
    return dissimilarity == "groups" or any(one.takes_groups for one in constraints)


def _refuse_groups(are_declared: bool, dissimilarity: Any, constraints: Iterable[Constraint]) -> None:
    """Refuse groups that nothing uses, and to compare groups that there are not."""
    if not are_declared and dissimilarity == "groups":
        raise InputError(
            f"{parameter('dissimilarity', 'groups')} compares groups of features; declare them with "
            f"{parameter('feature_groups')}."
        )
    if are_declared and not uses_groups(dissimilarity, constraints):
        raise InputError(
            f"{parameter('feature_groups')} has no use here; compare the groups with "
            f"{parameter('dissimilarity', 'groups')}, pay for each once with {parameter('Budget')}, or leave it out."
        )


def _refuse_beside_largest_tau(
    has_limit: bool, n_alternatives: Any, dissimilarity: Any, search: str, difference: str, penalty: Any
) -> None:
    """Refuse the largest tau where it would have no meaning."""
    largest = parameter("tau", "max")
    if not has_limit:
        raise InputError(
            f"{largest} needs to know how good sets must be; add {parameter('within', 0.05)} or "
            f"{parameter('min_quality')}."
        )
    refused = {
        parameter("n_alternatives", n_alternatives): n_alternatives == "max",
        parameter("dissimilarity", dissimilarity): counts_features(dissimilarity),
        parameter("search", search): search.startswith("greedy-"),
        parameter("difference", difference): difference == "average",
        parameter("overlap_penalty"): penalty,
    }
    if given := [name for name, is_given in refused.items() if is_given]:
        raise InputError(
            f"{largest} can't be combined with {given[0]}; give a number for {parameter('tau')}."
        )


def _count_of(n_alternatives: Any) -> int | str:
    """A number of sets, or as many as there are."""
    if n_alternatives == "max":
        return "max"
    return whole_number("n_alternatives", n_alternatives, least=0, otherwise=", or 'max'")


def _quality_of(quality: Any, params: Mapping[str, Any] | None) -> Any:
    """A quality as it was given, or by its own name."""
    return spec_of(quality, params) if params or isinstance(quality, str) else quality


def _engine_of(quality: NamedQuality, engine: str) -> str:
    """The engine that a name of the paper sets."""
    if engine not in ("auto", quality.engine):
        raise InputError(
            f"{parameter('engine', engine)} contradicts {parameter('quality', 'greedy_wrapper')}, which is searched by "
            f"{quality.engine}; leave it out, or use {parameter('quality', quality.name)}."
        )
    return quality.engine


def _size_of_sets(n_features: Any, quality: Any) -> int | float | None:
    """The number of features in each set, or a share of them; None if it was not given and a model chooses."""
    if n_features is not None:
        number = as_number(n_features)
        if number == 1 and not isinstance(n_features, numbers.Integral):
            raise InputError(
                f"{parameter('n_features', n_features)} may be one feature or all of them; give 1, a share below 1, or "
                "the number of all."
            )
        return number if 0 < number < 1 else whole_number("n_features", n_features, least=1)
    return None if quality is not None and spec_of(quality).chooses_size else DEFAULT_SIZE


def _covariates_of(adjust: Any, quality: Any) -> tuple[Feature, ...]:
    """Return the columns to adjust for, in their order; refused if the quality cannot be adjusted."""
    if adjust is None:
        return ()
    listed = [adjust] if isinstance(adjust, str | int) else list(adjust)
    found = tuple(dict.fromkeys(given_feature(one, "adjust") for one in listed))
    if found and quality is not None:
        spec_of(quality).refuse_adjusting()
    return found


def checked_seconds(time_limit: Any) -> float | None:
    """A time limit as users give it; refused if it is no positive number."""
    if time_limit is None:
        return None
    seconds = as_number(time_limit)
    if not seconds > 0:
        raise InputError(
            f"{parameter('time_limit', time_limit)} must be a positive number of "
            f"seconds{by_interface(', or None', '')}."
        )
    return seconds if seconds < math.inf else None


def _same(one: Any, other: Any) -> bool:
    """Whether two values say the same; arrays and what holds them only if they are one object."""
    if one is other:
        return True
    if is_array(one) and not isinstance(one, tuple):
        return False
    return type(one) is type(other) and bool(one == other)


def _plain_tau(tau: Any, dissimilarity: Any) -> float | Fraction | str | None:
    """Tau as given: a float stays one, everything else is exact; a whole number where features are counted."""
    counted = counts_features(dissimilarity)
    if tau == "max":
        return "max"
    if counted:
        return exact_count(tau)
    if tau is None:
        return None
    if type(tau) is float and 0.0 <= tau <= 1.0:
        return tau
    exact = exact_tau(tau)
    if isinstance(tau, Fraction) or not isinstance(tau, float | numbers.Real):
        return exact
    return min(max(float(tau), 0.0), 1.0)


def _existing_set(given: Any) -> tuple[Feature, ...]:
    """An existing set, whose features may be named."""
    if isinstance(given, str):
        raise InputError(f"an existing set must be a list of features, not the single string {given!r}.")
    return tuple(given_feature(feature, "an existing set") for feature in given)
