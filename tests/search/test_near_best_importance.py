"""What features are worth to near-best sets: against brute force, in time, in words and as JSON."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import altsets
from altsets import Importance, NearBest, Status, constraints, quality
from altsets.errors import InputError, UnsupportedError

SIX = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))


def best_of(scored, n_features, keep):
    """The best quality of the sets of a size that a test keeps; nan without one."""
    sets = itertools.combinations(range(scored.n_features_in), n_features)
    return max((scored.evaluate(chosen) for chosen in sets if keep(chosen)), default=math.nan)


def random_quality(kind, seed):
    rng = np.random.default_rng(seed)
    relevance, pairs = rng.random(8), rng.random((8, 8))
    if kind == "box":
        scored = quality.Additive(relevance)
        return quality.BlackBox(lambda chosen: scored.evaluate(chosen), n_features_in=8)
    return (
        quality.Additive(relevance) if kind == "additive" else quality.MRMR(relevance, (pairs + pairs.T) / 2)
    )


@pytest.mark.parametrize("within", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("kind", ["additive", "mrmr", "box"])
def test_losses_are_those_of_brute_force(kind, within):
    for seed in range(3):
        scored = random_quality(kind, seed)
        near = altsets.near_best(scored, 3, within)
        worth = near.importance(range(8))
        assert len(worth.features) == 8
        assert not worth.estimated
        for entry in worth.features:
            without = best_of(scored, 3, lambda chosen, index=entry.index: index not in chosen)
            with_it = best_of(scored, 3, lambda chosen, index=entry.index: index in chosen)
            assert entry.best_without == pytest.approx(without)
            assert entry.best_with == pytest.approx(with_it)
            assert entry.loss == pytest.approx(max(near.best - without, 0))
            assert entry.frequency == near.frequencies[entry.index]
            assert entry.proven
            lost = [max(scored.evaluate(one) - without, 0) if entry.index in one else 0 for one in near]
            assert entry.mean_loss == pytest.approx(sum(lost) / len(lost))
        losses = [entry.loss for entry in worth.features]
        assert losses == sorted(losses, reverse=True)


def test_features_of_no_near_best_set_are_left_out_unless_named():
    near = altsets.near_best(SIX, 3, 0.1)
    assert near.importance().names == ["a", "b", "c", "d"][: len(near.ordered())]
    (last,) = near.importance("f").features
    assert (last.frequency, last.best_with, last.loss, last.mean_loss) == (0, 18, 0, 0)
    assert near.importance(["e", "f"]).names == ["e", "f"]
    with pytest.raises(InputError, match="not a feature"):
        near.importance("g")


def test_a_feature_that_every_set_must_have(snapshot):
    near = altsets.near_best(SIX, 2, 0.5, constraints=constraints.Require("d"))
    worth = near.importance()
    assert worth.features[0].feature == "d"
    assert worth.features[0].loss == math.inf
    assert worth.features[0].status_without is Status.INFEASIBLE
    assert worth.verdict.findings[0] == snapshot
    assert Importance.from_json(worth.to_json()) == worth


def test_what_is_not_proven_says_so(clock, snapshot):
    rng = np.random.default_rng(0)
    pairs = rng.random((60, 60))
    hard = quality.MRMR(rng.random(60) * 0.1, (pairs + pairs.T) / 2)
    near = altsets.near_best(hard, 15, 0.05, time_limit=clock.limit(10))
    worth = near.importance([0, 1], time_limit=clock.limit(10))
    assert not all(entry.proven for entry in worth.features)
    assert worth.stop_reason == "time_limit"
    assert worth.verdict.findings == snapshot
    assert list(worth.verdict.cautions) == snapshot


def test_the_answer_in_words_as_a_frame_and_as_json(snapshot):
    pytest.importorskip("pandas")
    worth = altsets.near_best(SIX, 3, 0.25).importance()
    assert worth.verdict.findings[0] == snapshot
    assert repr(worth) == snapshot
    frame = worth.to_frame()
    assert list(frame.index) == worth.names
    assert list(frame["loss"])[:3] == [6, 5, 4]
    assert set(frame["status_without"]) == {"optimal"}
    assert Importance.from_json(worth.to_json()) == worth
    assert Importance.from_json(worth.to_json()).to_json() == worth.to_json()
    for text in ("{}", "[]", '{"schema": 1, "importances": [{}]}'):
        with pytest.raises(InputError):
            Importance.from_json(text)


def test_without_sets_there_is_nothing_to_measure(snapshot):
    nothing = altsets.near_best(
        SIX, 2, constraints=[constraints.Require("a"), constraints.Exclusive(["a", "b"])]
    )
    assert nothing.count
    none = altsets.near_best(SIX, 1, constraints=[constraints.Require(["a", "b"])])
    with pytest.raises(InputError) as refused:
        none.importance()
    assert str(refused.value) == snapshot


def test_what_was_read_cannot_be_searched(snapshot):
    read = NearBest.from_json(altsets.near_best(SIX, 3, 0.25).to_json())
    with pytest.raises(UnsupportedError) as refused:
        read.importance()
    assert str(refused.value) == snapshot
