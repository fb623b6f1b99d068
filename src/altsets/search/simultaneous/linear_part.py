"""The linear part of a quality alone, which the additive engine maximises fast: a bound, and sometimes the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from altsets.constraints import Forbid
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.result import Status
from altsets.search.additive.engine import AdditiveEngine
from altsets.search.engine import Answer
from altsets.search.run import Run, Stopped
from altsets.search.subset.candidates import form_of

#: Steps of the additive engine.
MAX_STEPS = 400


def relaxed(quality: Quality, problem: Problem, run: Run) -> Answer | None:
    """What the additive engine answers without conflicts and constraints; None if that does not make sense."""
    form = form_of(quality, problem, problem.k_max)
    if not form.is_sum:
        return None
    if problem.counts_shared and form.conflicts is None and problem.rules.only_forbid:
        return None
    return linear_part(quality, problem, run)


def linear_part(quality: Quality, problem: Problem, run: Run) -> Answer | None:
    """What the additive engine answers for the linear part alone; None if it takes no sets of such sizes or shares."""
    form = quality.form(problem.k_max)
    if not (problem.caps_shared and problem.fixed_size):
        return None
    if not problem.counts_shared:
        # What may be shared is the same, and nothing else counts.
        problem = replace(problem, dissimilarity="dice")
    forbidden = set(problem.forbidden)
    if form.allowed is not None:
        forbidden |= set(np.flatnonzero(~form.allowed).tolist())
    rules = (Forbid(sorted(forbidden)),) if forbidden else ()
    engine, scores = AdditiveEngine(), Additive(form.linear)
    try:
        return engine.solve(scores, replace(problem, constraints=rules), run.same_part(MAX_STEPS))
    except Stopped:
        return None


def solves(quality: Quality, problem: Problem, answer: Answer) -> bool:
    """Whether an answer to the relaxed request is one to the request."""
    proven = all(status in (Status.OPTIMAL, Status.INFEASIBLE) for status in answer.statuses)
    return proven and are_valid(quality, problem, answer.sets)


def are_valid(quality: Quality, problem: Problem, sets: Sequence[FeatureSet]) -> bool:
    """Whether no set breaks a constraint or has a conflict, and all differ enough."""
    every = [*problem.existing, *sets]
    if not problem.counts_shared and not all(
        problem.compatible(one, other)
        for number, one in enumerate(every)
        for other in every[max(number + 1, len(problem.existing)) :]
    ):
        return False
    return all(
        quality.evaluate(chosen) > -math.inf and all(rule.holds(chosen) for rule in problem.constraints)
        for chosen in sets
    )
