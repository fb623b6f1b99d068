"""Cases of which a few are in ``make test`` and all in ``make test-all``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_slow(cases: Iterable[Any], quick: int) -> list[Any]:
    """The first ``quick`` cases as they are, and the others as slow ones."""
    listed = list(cases)
    return [*listed[:quick], *(pytest.param(case, marks=pytest.mark.slow) for case in listed[quick:])]
