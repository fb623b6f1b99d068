"""What is possible when a request is not."""

from __future__ import annotations

from altsets.problem import Problem
from altsets.result import Status


def possible_instead(problem: Problem, n_found: int, status: Status) -> str:
    return ""
