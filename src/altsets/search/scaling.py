"""Scaling: engines see numbers of order one, and their answers are translated back to user units.

All numbers are divided by a power of two, which rounds nothing, such that the largest absolute number among the usable
features (the *scale*) lies between 1/2 and 1. So tolerances are plain constants.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.problem import BOUND_TOLERANCE, Problem
from altsets.quality import Additive, Form, Quality
from altsets.result import Status, optimality_tolerance
from altsets.search.subset.candidates import form_of
from altsets.search.subset.rules import in_units
from altsets.wording import parameter

#: Which features can be used; None if all can, which is checked at every request.
Mask = Bools | None

#: Smaller numbers have fewer digits, and beyond the larger one squares and products soon leave double precision.
SMALLEST, LARGEST = float(np.finfo(np.float64).tiny), 1e100
#: In a ratio, redundancy stands beside the number of features, which it must leave some digits.
LARGEST_IN_RATIO = 1e12
#: A penalty on shared features stands beside scores, which it must leave some digits.
LARGEST_PENALTY = 1e4
#: Beside a larger one, an answer is not proven to all digits of the scores.
EXACT_PENALTY = 32
#: Bound and objective that agree to so many digits are shown as equal, if nothing but rounding is between them.
SHOWN = 1e-10


@dataclass(frozen=True)
class Scaling:
    """One problem in units of its scale."""

    #: What engines see.
    quality: Quality
    #: The largest absolute number among the features that can be used, as the user gave it.
    scale: float
    #: Values of ``quality`` times two to this power are those of the user's quality.
    exponent: int
    #: How much better than its answer the best single set can be, in the user's units, because sums are rounded.
    rounding: float

    @classmethod
    def of(cls, quality: Quality, problem: Problem) -> Scaling:
        """The problem in units of its scale; refused where double precision has no answer to it."""
        if not quality.has_form:
            # It can only be evaluated, and engines compare its values as they are.
            return cls(quality, 1.0, 0, 0.0)
        # Scores are the same for all sizes, and the largest one says most about rounding.
        one_size = isinstance(quality, Additive) or problem.fixed_size or not problem.sizes
        sizes = [problem.k_max] if one_size else [problem.k_min, problem.k_max]
        forms = {size: form_of(quality, problem, size) for size in sizes}
        usable = _usable(problem, forms[problem.k_max])
        scale = _beside_penalty(problem, _checked_scale(quality, forms, usable))
        # What is proven beside a penalty has fewer digits, and engines would look for all of them without end.
        unit = max(scale, problem.overlap_penalty if problem.overlap_penalty > EXACT_PENALTY * scale else 0.0)
        exponent = math.frexp(unit)[1]
        scaled: Quality = _InUnits(quality, exponent, usable)
        if isinstance(quality, Additive):
            # Engines know it by its class.
            plain = copy(quality)
            plain.scores, scaled = scaled.form(problem.k_max).linear, plain
        reach = math.ldexp(unit, -exponent)
        rounding = max(_rounding(scaled.form(size), size, problem.n_sets, reach) for size in sizes)
        # What a set pays for its features, for each set that it shares them with.
        paid = problem.overlap_penalty * problem.k_max * (problem.n_sets + len(problem.existing))
        unseen = 2.0**-50 * paid + (optimality_tolerance(unit) if unit > scale else 0.0)
        return cls(scaled, scale, exponent, math.ldexp(rounding, exponent) + unseen)

    def problem_in_units(self, problem: Problem) -> Problem:
        """What engines solve: the same problem, with its limits on qualities and its penalty in units."""
        return _limits_in_units(problem, self.exponent, BOUND_TOLERANCE * self.scale)

    def quality_in_units(self, least: float) -> tuple[float, float]:
        """The least quality of a set in units, by the slack lower, and what a bound is below if no set reaches it."""
        slack = BOUND_TOLERANCE * self.scale
        lowered, lower = (
            in_range(least - below, self.exponent) for below in (slack, max(slack, self.rounding))
        )
        return lowered, lower

    @property
    def tolerance(self) -> float:
        """How far the bound may lie above a proven optimum."""
        return optimality_tolerance(self.scale)

    def shown_bound(self, problem: Problem, bound: float, objective: float) -> float:
        """An engine's bound in the user's units, with what rounding may hide; the objective if they are equal."""
        bound = math.ldexp(bound, self.exponent)
        if not math.isfinite(bound):
            return bound
        if not self.scale:
            # The quality of every set is exactly zero.
            return min(bound, 0.0)
        hidden = self._hidden(problem)
        if math.isnan(objective) or bound - objective > hidden:
            return bound + hidden
        return objective if hidden <= SHOWN * abs(objective) else objective + hidden

    def shown_statuses(self, problem: Problem, statuses: Sequence[Status]) -> list[Status]:
        """The statuses that still hold after rounding: nothing is optimal if its bound may be too far away."""
        hidden = self.rounding if problem.search == "sequential" else self._hidden(problem)
        if hidden <= self.tolerance / 2:
            return list(statuses)
        return [Status.FEASIBLE if status is Status.OPTIMAL else status for status in statuses]

    def _hidden(self, problem: Problem) -> float:
        """What rounding may hide in an objective."""
        max_min = problem.max_min and problem.search == "simultaneous"
        return self.rounding if max_min else problem.n_sets * self.rounding


class _InUnits(Quality):
    """A quality whose numbers are divided by a power of two; those of features that cannot be used are 0."""

    def __init__(self, quality: Quality, exponent: int, usable: Mask) -> None:
        super().__init__(quality.n_features_in, None)
        self.size_normalised, self.pairs_on_demand = quality.size_normalised, quality.pairs_on_demand
        self._quality, self._exponent, self._usable = quality, exponent, usable
        self._forms: dict[int, Form] = {}

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set, in units."""
        try:
            return math.ldexp(self._quality.evaluate(indices), -self._exponent)
        except OverflowError:
            # Only a set with features that cannot be used has numbers so large, and such sets are only looked at.
            return -math.inf

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in units."""
        if size not in self._forms:
            # Either one size is used again and again, or each of many in turn, which would take too much room.
            self._forms = {size: self._quality.form(size).times(2.0**-self._exponent, self._usable)}
        return self._forms[size]


def _usable(problem: Problem, form: Form) -> Mask:
    """Which features may be in some set, as far as single constraints tell."""
    if form.allowed is None and not problem.constraints and not problem.existing:
        return None
    usable = np.ones(problem.n_features_in, dtype=bool) if form.allowed is None else form.allowed.copy()
    usable[list(problem.forbidden)] = False
    rules = problem.rules
    required = rules.required
    if form.conflicts is not None and required:
        usable[form.conflicts[sorted(required)].any(axis=0)] = False
    for rule in rules.counts:
        if rule.upper is not None and len(required.intersection(rule.group)) >= rule.upper:
            usable[sorted(set(rule.group) - required)] = False
    for budget in rules.budgets:
        usable &= in_units(budget.of_size(problem.k_max)).payable
    if not callable(problem.dissimilarity) and problem.difference == "each":
        for given in problem.existing:
            if all(problem.max_overlap_of(size, len(given)) <= 0 for size in problem.sizes):
                usable[list(given)] = False
    for _ in rules.needs:
        for need in rules.needs:
            usable[need.feature] &= usable[need.needed]
    return None if usable.all() else usable


def _checked_scale(quality: Quality, forms: dict[int, Form], usable: Mask) -> float:
    """The largest absolute number of features that can be used; refused if it is beyond what can be computed with."""
    features = None if usable is None else np.flatnonzero(usable)
    largest_of: list[tuple[float, Any]] = []
    for size, form in forms.items():
        # The form of a mean holds each number's share in it, in which the smallest numbers vanish.
        mean = quality.size_normalised and not form.ratio
        linear = quality.form(1).linear if mean else form.linear
        largest_of.append((_largest(linear if features is None else linear[features]), linear))
        if form.fit is not None:
            explained = form.fit.highest(np.arange(quality.n_features_in) if features is None else features)
            largest_of.append((explained, np.array([explained])))
        if form.matrix is None:
            continue
        of_pairs = max(map(abs, form.matrix_range(features)))
        if form.ratio:
            _refuse_large_redundancy(quality, form, usable, of_pairs)
        else:
            share = form.factor * (size * (size - 1) / 2 if mean else 1.0)
            largest_of.append((share * of_pairs, form.matrix))
    scale, numbers = max(largest_of, key=lambda entry: entry[0])
    if scale == 0.0 or SMALLEST <= scale <= LARGEST:
        return scale
    named = _named(quality, numbers, usable)
    if scale > LARGEST:
        raise InputError(
            f"a number as large as {scale:.6g} ({named}) leaves no digits for the others; divide all numbers "
            f"so that none is beyond {LARGEST:g}, or forbid {named} if no set is to have it."
        )
    raise InputError(
        f"the largest number is {scale:.6g} ({named}), and numbers so small have too few digits; multiply all of "
        f"them so that the largest is at least {SMALLEST:g}."
    )


def _beside_penalty(problem: Problem, scale: float) -> float:
    """The scale, or where that is 0 the penalty; refused where that would leave no digits for qualities."""
    penalty = problem.overlap_penalty
    if scale and penalty > LARGEST_PENALTY * scale:
        nothing_shared = f"{parameter('tau', 1)} for sets that share nothing"
        instead = f"leave it out with {nothing_shared}" if problem.tau == 1 else nothing_shared
        raise InputError(
            f"{parameter('overlap_penalty', penalty)} leaves no digits for qualities, whose largest number is "
            f"{scale:.6g}; give at most {LARGEST_PENALTY * scale:.6g}, or {instead}."
        )
    if penalty and not scale and not SMALLEST <= penalty <= LARGEST:
        raise InputError(
            f"{parameter('overlap_penalty', penalty)} is beyond what can be computed with, and all scores are 0; give "
            f"a number from {SMALLEST:g} to {LARGEST:g}."
        )
    return scale or penalty


def in_range(value: float, exponent: int) -> float:
    """A limit divided by a power of two; the largest number stands for what is beyond it."""
    try:
        return math.ldexp(value, -exponent)
    except OverflowError:
        return math.copysign(sys.float_info.max, value)


def _limits_in_units(problem: Problem, exponent: int, slack: float) -> Problem:
    """The problem with its numbers divided by a power of two, which rounds nothing; limits by the slack wider."""
    if problem.is_plain:
        return problem
    least, spread = problem.min_quality, problem.max_spread

    def in_units(value: float | None) -> float | None:
        return None if value is None else in_range(value, exponent)

    return replace(
        problem,
        overlap_penalty=in_units(problem.overlap_penalty) or 0.0,
        min_quality=in_units(None if least is None else least - slack),
        max_spread=in_units(None if spread is None else spread + slack),
    )


def _refuse_large_redundancy(quality: Quality, form: Form, usable: Mask, largest: float) -> None:
    if largest > LARGEST_IN_RATIO:
        assert form.matrix is not None
        named = _named(quality, form.matrix, usable)
        raise InputError(
            f"a redundancy of {largest:.6g} ({named}) leaves no digits for the number of features that it is "
            f"added to; give numbers up to {LARGEST_IN_RATIO:g}, such as absolute correlations."
        )


def _largest(values: Floats) -> float:
    return float(np.max(np.abs(values), initial=0.0))


def _named(quality: Quality, values: Any, usable: Mask) -> str:
    """The usable features that the largest number belongs to."""
    sizes = np.abs(values)
    if usable is not None:
        for axis in range(sizes.ndim):
            left_out = ~usable.reshape([-1 if axis == other else 1 for other in range(sizes.ndim)])
            sizes[np.broadcast_to(left_out, sizes.shape)] = -1.0
    largest = np.unravel_index(np.argmax(sizes), sizes.shape)
    return " and ".join(quality.names_of([int(place) for place in largest]))


def _rounding(form: Form, size: int, n_sets: int, largest: float) -> float:
    """By how much rounding can make an engine miss a better set."""
    # Each addition rounds to half of the last digit of a sum that is no larger than all terms together. Errors of many
    # additions mostly cancel (their sum grows as a root), of few we take the worst. Where all numbers are multiples of
    # one that is larger than the error, there is none: better is then better by that much.
    n_terms, reach = size, size * (_largest(form.linear) if form.has_pairs else largest)
    if form.has_pairs and not form.ratio:
        n_pairs = size * (size - 1) // 2
        n_terms += n_pairs
        reach += n_pairs * max(map(abs, form.pair_range()))
    elif form.has_pairs:
        n_terms *= size
    error = 2.0**-53 * (32 + min(n_terms, 8 + 4 * math.sqrt(n_terms))) * reach
    if form.fit is not None:
        return error + form.fit.error
    return 0.0 if not form.has_pairs and _multiples(form.linear, n_sets * error) else error


def _multiples(values: Floats, error: float) -> bool:
    """Whether all values are multiples of a power of two that is larger than the error."""
    if not error:
        return True
    multiples = values * 2.0 ** -math.frexp(error)[1]
    return bool((multiples == np.rint(multiples)).all())
