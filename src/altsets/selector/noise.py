"""The noise floor: what the best feature may score by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from altsets.arrays import Floats
from altsets.errors import InputError, reason_of
from altsets.measures import UNIVARIATE
from altsets.quality import Quality
from altsets.quality.spec import spec_of
from altsets.request import Request
from altsets.result import Result
from altsets.search.solving import n_candidates, without_required
from altsets.wording import counted, join_words, parameter, plural, span


def with_floors(
    result: Result, quality: Quality, measure: Callable[[], Floats | None]
) -> tuple[Result, Floats | None]:
    """Add what the features of the sets score by chance, and return it for all features as well.

    The sets have been found: if it cannot be measured, a note tells why.
    """
    try:
        floor = measure()
    except Exception as error:
        note = f"What features score by chance was not measured: {reason_of(error)}."
        return replace(result, notes=[*result.notes, note]), None
    floors = [] if floor is None else [tuple(floor[list(chosen)].tolist()) for chosen in result.sets]
    scores, n_above = quality.feature_scores, None
    if floor is not None and scores is not None:
        n_above = int((scores > floor).sum())
        n_above = n_above if n_above < result.parameters["sizes"][0] else None
    return replace(result, noise_floors=floors, n_above_noise=n_above), floor


def refuse_unknown_noise(request: Request) -> None:
    """Refuse to leave out noise where it is not known what features score by chance."""
    scored_by = None if request.quality is None else spec_of(request.quality).scored_by
    if request.above_noise and (scored_by is None or scored_by[0] not in UNIVARIATE):
        raise InputError(
            f"{parameter('AboveNoise')} compares features with what they score by chance, which is known for "
            f"{join_words(UNIVARIATE)} only, and for mrmr, fcbf and cfs with these; choose one of them."
        )


def refuse_too_few(request: Request, quality: Quality) -> None:
    """Refuse sets that need constant columns that nobody requires, or more features than are above the noise floor."""
    request = request.sized(n_candidates(quality))
    problem = request.check(quality.feature_names) if quality.constant or request.above_noise else None
    if problem is None:
        return
    n_constant = len(without_required(problem, quality.constant))
    n_varied = quality.n_features_in - n_constant
    if quality.constant and n_varied < problem.k_min:
        less = f"; ask for {parameter('n_features', n_varied)}" if n_varied and not request.has_size else ""
        raise InputError(
            f"{n_constant} of {counted(quality.n_features_in, 'column')} {plural(n_constant, 'is', 'are')} constant, "
            f"which leaves too few for a set of {problem.k_min}{less}."
        )
    scores, floor = quality.feature_scores, quality.noise_floor
    if not request.above_noise or scores is None or floor is None:
        return
    # Constant columns have no floor, and a floor may be 0.
    floors = span(sorted(floor[floor > 0]) or [0.0], ".3g")
    size, n_above = problem.k_min, int((scores > floor).sum())
    if n_above < size:
        less = f"ask for {parameter('n_features', n_above)}, or " if n_above and not request.has_size else ""
        raise InputError(
            f"{n_above} of {counted(len(scores), 'feature')} {plural(n_above, 'is', 'are')} above the noise floor of "
            f"{floors}, too few for a set of {size}; {less}leave out {parameter('AboveNoise')}."
        )
