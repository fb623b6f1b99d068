"""Public API: a request as a model for any integer-programming solver."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from altsets.constraints import Constraint
from altsets.errors import InputError
from altsets.files.writing import write_new
from altsets.problem import Dissimilarity
from altsets.search.milp.export import checked_suffix, exported
from altsets.search.solving import problem_of
from altsets.verbs.asking import asked_of


def export_model(
    quality: Any,
    n_features: int | float | None = None,
    n_alternatives: int = 0,
    tau: Any = None,
    *,
    path: str | os.PathLike[str] = "model.mps",
    X: Any = None,
    y: Any = None,
    quality_params: Mapping[str, Any] | None = None,
    adjust: Any = None,
    feature_groups: Any = None,
    unit: str = "feature",
    dissimilarity: str | Dissimilarity = "dice",
    overlap_penalty: float = 0.0,
    aggregation: str = "sum",
    constraints: Sequence[Constraint] | Constraint = (),
    existing: Sequence[Sequence[int | str]] = (),
) -> dict[str, tuple[int, str]]:
    """Write the integer programme of a request to a file, for any solver.

    All sets are chosen together, as in simultaneous search. The optimum of the model is that of :func:`altsets.find`,
    up to the tolerances of the solver; features that no best set needs are left out.

    Parameters
    ----------
    quality : quality object, array, str, class, estimator or callable
        What "good" means, as for :func:`altsets.find`. It must be linear, as sums of scores and FCBF, or a sum over
        pairs of features, as mRMR with sets of one size.
    n_features, tau, X, y, quality_params, adjust, feature_groups : default=None
        As for :func:`altsets.find`, like all parameters that are not described here.
    n_alternatives : int, default=0
        Sets besides the first one.
    path : path-like, default="model.mps"
        The new file, which ends in ``.mps`` or ``.lp``.
    dissimilarity : {"dice", "jaccard", "absolute", "groups"}, Matched or Grouped, default="dice"
    unit : {"feature", "group"}, default="feature"
    overlap_penalty : float, default=0.0
    aggregation : {"sum", "min"}, default="sum"
    constraints, existing : sequence, default=()

    Returns
    -------
    dict from str to (int, str)
        The binary variables by their names in the file: the number of the set, and the name of the feature. Characters
        other than letters, digits and underscores are replaced.

    See Also
    --------
    altsets.find : Searches for the sets.
    altsets.verify : Asks a second engine about an answer.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import altsets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.lp"
    >>> scores = altsets.quality.Additive([9, 8, 7], feature_names=["age", "body height", "weight"])
    >>> altsets.export_model(scores, n_features=2, path=path)
    {'s0_age': (0, 'age'), 's0_body_height': (0, 'body height')}
    """
    if "max" in (tau, n_alternatives):
        raise InputError("a model has one tau and one number of sets; give numbers in place of 'max'.")
    suffix = checked_suffix(path)
    asked = asked_of(
        quality,
        quality_params,
        X,
        y,
        n_features=n_features,
        n_alternatives=n_alternatives,
        tau=tau,
        adjust=adjust,
        feature_groups=feature_groups,
        unit=unit,
        dissimilarity=dissimilarity,
        search="simultaneous",
        aggregation=aggregation,
        overlap_penalty=overlap_penalty,
        constraints=constraints,
        existing=existing,
    )
    content, variables = exported(asked.quality, problem_of(asked.measured, asked.quality), suffix)
    write_new(path, content)
    return variables
