"""The state that engines share is written by its own methods, and small parts of the verbs do what they say."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import pytest

import altsets
from altsets.search.run import Known, Run, Stopped

SEARCH = Path(altsets.__file__).parent / "search"
STATE = set(vars(Run()))


def written_names(path):
    """Attributes of runs, as ``run.x`` or ``self._run.x``, that a module assigns."""
    text = path.read_text(encoding="utf-8")
    if not re.search(rf"\b_?(run|part|turn)\.({'|'.join(STATE)})\b", text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in STATE:
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if name.lstrip("_") in ("run", "part", "turn"):
                yield f"{path.name}:{node.lineno}"


def test_runs_are_written_by_their_own_methods():
    others = [path for path in SEARCH.rglob("*.py") if path != SEARCH / "run.py"]
    assert len(others) > 20
    assert [place for path in others for place in written_names(path)] == []


def test_parts_end_with_the_whole_or_before():
    whole = Run()
    part = whole.part(max_steps=2)
    assert not part.tick()
    assert part.tick()
    assert (whole.steps, whole.stopped) == (2, False)
    with pytest.raises(Stopped):
        part.check()
    enough = whole.part(enough=lambda best, bound: best >= 3)
    enough.update_incumbent([(0,)], 2.0)
    assert not enough.stopped
    enough.update_incumbent([(1,)], 3.0)
    assert enough.stopped


def test_units_and_what_is_published():
    heard = []
    run = Run(callback=heard.append)
    run.publish([(0, 1)], 2.0, 5.0)
    assert [(said.best, said.bound, said.sets) for said in heard] == [(2.0, 5.0, [(0, 1)])]
    turn = run.turn(known=Known(bound=8.0))
    turn.begin(2)
    assert turn.known.bound == 2.0
    turn.publish([(0,)], 1.0, 2.0)
    assert turn.in_user_units == (4.0, 8.0)
    assert len(heard) == 1


def test_known_bounds_beyond_the_range_of_numbers_are_weakened():
    known = Known(bound=-1e40, in_turn=[((0,), 1e40), (None, -math.inf)])
    scaled = known.in_units(-942)
    assert -math.inf < scaled.bound < -1e300
    assert scaled.in_turn == [((0,), math.inf), (None, -math.inf)]
