"""What users give to a verb: fields of a request, and a quality in numbers or one that is computed from a table."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from altsets.constraints import Size
from altsets.errors import InputError
from altsets.features import unknown_features
from altsets.measures.pairs import is_array
from altsets.problem import list_constraints
from altsets.quality import Additive, Quality
from altsets.quality.spec import GivenQuality, fit_to_table, spec_of
from altsets.request import Request
from altsets.result import Result
from altsets.selector import (
    RowData,
    columns_of,
    refuse_in_passes,
    refuse_numbered,
    refuse_too_few,
    refuse_unknown_noise,
    rows_of,
    scored,
    table_and_target,
)
from altsets.tables.conversion import usable_columns
from altsets.tables.feature_matrix import Features
from altsets.wording import list_some, parameter


class BoundRequest(NamedTuple):
    """A request, its quality, and the same request with numbers of the table where it only names a similarity."""

    request: Request
    quality: Quality
    measured: Request


def asked_of(quality: Any, params: Mapping[str, Any] | None, X: Any, y: Any, **fields: Any) -> BoundRequest:
    """Return the request with these fields and its quality, which is computed from ``X`` and ``y`` unless it exists."""
    numbers = _numbers_in(quality, params)
    if numbers is not None:
        return _in_numbers(numbers, X, y, fields)
    if X is None:
        named = repr(quality) if isinstance(quality, str) else "this quality"
        raise InputError(f"{named} is computed from a table; pass the table as X, and the target as y.")
    request = Request(quality=quality, quality_params=params, **fields)
    table, y = columns_of(*table_and_target(X, y), "error", request.adjust)
    features = table.features
    rows = rows_of(features, y, spec_of(request.quality), who="the quality")
    refuse_in_passes(request, features)
    refuse_numbered(table, request.constraints, request.existing)
    refuse_unknown_noise(request)
    request.check(features.feature_names)
    made = scored(request, features, rows)
    refuse_too_few(request, made)
    return BoundRequest(request, made, request.measured(features))


def _scores_by_name(scores: Mapping[Any, Any], features: Features | None) -> Additive:
    """Return scores by name as a quality; if there is a table, one for each of its columns, in their order."""
    given = Additive(list(scores.values()), feature_names=list(scores))
    if features is None:
        return given
    score_of = dict(zip(given.feature_names, given.scores.tolist(), strict=True))
    names = features.feature_names
    known = set(names)
    if unknown := [name for name in score_of if name not in known]:
        raise unknown_features("quality", unknown, names, "use the names of the table's columns.")
    if missing := [name for name in names if name not in score_of]:
        raise InputError(f"quality has no score for {list_some(missing)}; give one for each column of X.")
    return Additive([score_of[name] for name in names], feature_names=list(names))


def _numbers_in(quality: Any, params: Mapping[str, Any] | None) -> Quality | Mapping[Any, Any] | None:
    """Return a quality, or scores by name, that need no table; None if it is yet to be computed from one."""
    if isinstance(quality, Mapping):
        return quality
    needed = (getattr(quality, name, None) for name in ("evaluate", "form"))
    if not params and not isinstance(quality, type) and all(map(callable, needed)):
        return quality  # type: ignore[no-any-return]
    spec = spec_of(quality, params)
    if not isinstance(spec, GivenQuality):
        return None
    return spec.given if isinstance(spec.given, Quality) else Additive(spec.given)


def _in_numbers(quality: Quality | Mapping[Any, Any], X: Any, y: Any, fields: dict[str, Any]) -> BoundRequest:
    """A quality that exists; a table names its features, and similarities are measured on it."""
    if X is None and y is not None:
        raise InputError("y is the target of a table, and there is no table; pass it as X, or leave out y.")
    if fields.get("adjust"):
        raise InputError(
            f"{parameter('adjust')} is for a quality that is computed from a table, not for scores that exist already."
        )
    features = None if X is None else usable_columns(table_and_target(X, y)[0]).features
    made = _scores_by_name(quality, features) if isinstance(quality, Mapping) else quality
    made = made if features is None else fit_to_table(made, features)
    constraints = list_constraints(fields.pop("constraints"))
    has_size = any(isinstance(one, Size) for one in constraints)
    if fields["n_features"] is None and getattr(made, "chooses_size", False) and not has_size:
        constraints = (*constraints, Size(1, made.n_features_in))
    request = Request(**fields, constraints=constraints)
    return BoundRequest(request, made, request if features is None else request.measured(features))


def scored_again(
    request: Request, result: Result, quality: Any, X: Any, y: Any, who: str
) -> tuple[Quality, Request]:
    """Return what an answer was scored by, and its request with the similarities that the table decides."""
    features = None if X is None else columns_of(X, y, request.unusable, request.adjust)[0].features
    given = request.quality if quality is None else quality
    if isinstance(given, Mapping):
        given = _scores_by_name(given, features)
    elif is_array(given):
        given = Additive(given, feature_names=None if features is None else list(features.feature_names))
    if not isinstance(given, Quality):
        if given is None or features is None:
            raise InputError(
                f"{who} needs what the sets were scored by: pass the quality object, the scores, or the table as X "
                "(with its target y) if the result names its quality."
            )
        beside = [name for name in result.provenance.get("beside", ()) if name in ("sample_weight", "groups")]
        if beside:
            raise InputError(
                f"these scores also depend on {' and '.join(beside)}; pass the quality object instead."
            )
        given = scored(replace(request, quality=given), features, RowData(y))
    elif request.above_noise:
        raise InputError(
            "the table decides which features are above the noise floor; pass X and y, not the quality."
        )
    if request.needs_table:
        if features is None:
            raise InputError("the request measures similarities of features; pass the table as X.")
        request = request.measured(features)
    if not given.constant and (constant := result.parameters.get("constant")):
        # A quality in numbers doesn't know the columns that it comes from.
        given = copy(given)
        given.constant = tuple(constant)
    return given, request
