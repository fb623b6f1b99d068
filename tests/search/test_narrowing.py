"""Sums of scores over very many features: the same answers as on those that matter."""

import itertools

import numpy as np
import pytest

import altsets
from altsets import constraints, quality
from altsets.dissimilarity import Grouped
from altsets.problem import Problem
from altsets.search.narrowing import Narrowed

N, MATTER = 10_000, 40

RNG = np.random.default_rng(0)
#: Where the features that matter are, and what the others are like: worse, and as expensive as any.
PLACES = np.sort(RNG.choice(N, MATTER, replace=False)).tolist()
SCORES = RNG.random(N) / 100
SCORES[PLACES] = 0.5 + RNG.random(MATTER) / 2
COSTS = np.full(N, 9.0)
COSTS[PLACES] = RNG.integers(1, 10, MATTER)


def budgets(costs):
    return [constraints.TotalBudget(costs, 25), constraints.Budget(costs, 10)]


#: What is asked; ``costs`` are those of all features, and ``at`` tells where some of those that matter are.
ASKED = {
    "plain": lambda costs, at: {},
    "sizes": lambda costs, at: {"constraints": constraints.Size(2, 4)},
    "budget": lambda costs, at: {"constraints": constraints.Budget(costs, 8)},
    "budgets": lambda costs, at: {"constraints": budgets(costs)},
    "linear": lambda costs, at: {
        "constraints": [constraints.Linear(costs - 5, upper=-4.5), constraints.Size(2, 4)]
    },
    "groups": lambda costs, at: {
        "constraints": [constraints.AtMost(1, at(range(20))), constraints.AtLeast(1, at(range(30, 40)))]
    },
    "single": lambda costs, at: {
        "constraints": [constraints.Require(at([3])), constraints.Forbid(at(range(10, 15)))]
    },
    "needs": lambda costs, at: {"constraints": constraints.Implies(*at([1]), *at([38]))},
    "uses": lambda costs, at: {
        "constraints": [constraints.AtMostSets(1), constraints.AtLeastSets(1, at([5]))]
    },
    "reserved": lambda costs, at: {"constraints": constraints.Reserve(at(range(12)))},
    "existing": lambda costs, at: {"existing": [at([0, 1, 2])]},
    "penalty": lambda costs, at: {"overlap_penalty": 0.1, "tau": 0},
    "average": lambda costs, at: {"difference": "average"},
    # Each group has a good feature and a bad one.
    "sensors": lambda costs, at: {"dissimilarity": Grouped([at([j, 20 + j]) for j in range(20)])},
    "sensors, existing": lambda costs, at: {
        "dissimilarity": Grouped([at(range(start, start + 4)) for start in range(0, 40, 4)]),
        "existing": [at([0, 4, 8])],
        "constraints": [constraints.Require(at([3])), constraints.Forbid(at([1, 9])), constraints.Size(2, 3)],
    },
}


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("name", ASKED)
def test_answers_are_those_of_the_features_that_matter(name, search):
    if name == "average" and search == "simultaneous":
        pytest.skip("goes with sequential search")
    how = {"n_features": 3, "n_alternatives": 2, "tau": 0.5, "search": search}
    every = how | ASKED[name](COSTS, lambda numbers: [PLACES[j] for j in numbers])
    some = how | ASKED[name](COSTS[PLACES], list)
    found = altsets.find(quality.Additive(SCORES), **every)
    alone = altsets.find(quality.Additive(SCORES[PLACES]), **some)
    assert found.status == alone.status == "optimal"
    assert found.objective == pytest.approx(alone.objective, abs=1e-9)
    assert set(itertools.chain(*found.sets)) <= set(PLACES)


@pytest.mark.parametrize("clash", [
    [constraints.Require(7), constraints.Forbid(7)],
    [constraints.Require(7), constraints.Forbid(9), constraints.Implies(7, 9)],
    [constraints.Require([7, 8]), constraints.AtMost(1, [7, 8])],
])  # fmt: skip
def test_constraints_that_clash_still_do(clash):
    assert altsets.find(quality.Additive(SCORES), 3, 1, constraints=clash).status == "infeasible"


def test_progress_names_features_by_the_numbers_that_users_know():
    shown = []
    found = altsets.find(quality.Additive(SCORES), 3, 2, search="simultaneous", callback=shown.append)
    shown = [progress for progress in shown if progress.sets]
    assert shown
    for progress in shown:
        values = [float(SCORES[list(chosen)].sum()) for chosen in progress.sets]
        assert sum(values) == pytest.approx(progress.best)
    assert shown[-1].sets == found.sets


@pytest.mark.parametrize("budget", [[], [constraints.Budget], [constraints.Budget, constraints.TotalBudget]])
def test_few_features_of_very_many_matter(budget):
    rng = np.random.default_rng(1)
    limited = [kind(rng.integers(1, 100, 100_000), 300) for kind in budget]
    problem = Problem.create(100_000, n_features=5, n_alternatives=9, constraints=limited)
    narrowed = Narrowed.of(quality.Additive(rng.random(100_000)), problem)
    assert 50 <= len(narrowed.features) <= 10_000


EVERY = quality.Additive(SCORES, feature_names=[f"f{j}" for j in range(N)])
FEW = quality.Additive(SCORES[PLACES], feature_names=[f"f{j}" for j in PLACES])


@pytest.mark.parametrize(("kind", "n_alternatives"), [(list, 1), (quality.Additive, 0)])
@pytest.mark.parametrize("name", ["plain", "sizes", "budget", "groups", "single", "existing"])
def test_trade_offs_are_those_of_the_features_that_matter(name, kind, n_alternatives):
    how = {"n_features": 3, "n_alternatives": n_alternatives, "tau": 0.5}
    # More of a second quality is better, and less of a cost.
    numbers = COSTS if kind is list else 10 - COSTS
    every = how | ASKED[name](COSTS, lambda wanted: [PLACES[j] for j in wanted])
    some = how | ASKED[name](COSTS[PLACES], list)
    found = altsets.frontier(EVERY, against=kind(numbers), **every)
    alone = altsets.frontier(FEW, against=kind(numbers[PLACES]), **some)
    assert found.proven
    assert alone.proven
    assert len(found) > 1
    for one, other in zip(found, alone, strict=True):
        assert (one.quality, one.against) == pytest.approx((other.quality, other.against))
        assert one.quality == pytest.approx(sum(map(EVERY.evaluate, one.result.sets)))
        assert one.named_sets == list(map(EVERY.names_of, one.result.sets))
        assert one.result.bound >= one.quality - 1e-9


def test_features_that_trade_off_are_not_all_among_the_best():
    """Each feature is worth a little less than the one before and costs a little less."""
    found = altsets.frontier(quality.Additive(N - np.arange(N)), 1, against=np.arange(N)[::-1] // 100)
    assert [point.against for point in found] == list(range(N // 100 - 1, -1, -1))


@pytest.mark.parametrize("name", ["plain", "sizes", "budget", "groups", "single", "existing", "sensors"])
def test_losses_are_those_of_the_features_that_matter(name):
    how = {"n_features": 3, "n_alternatives": 1, "tau": 0.5}
    every = how | ASKED[name](COSTS, lambda wanted: [PLACES[j] for j in wanted])
    some = how | ASKED[name](COSTS[PLACES], list)
    found, alone = altsets.find(EVERY, **every), altsets.find(FEW, **some)
    groups = {"two": found.named_sets[0][:2], "all": found.named_sets[0] + found.named_sets[1]}
    losses = altsets.what_if(EVERY, found, "all", feature_groups=groups)
    others = altsets.what_if(FEW, alone, "all", feature_groups=groups)
    for one, other in zip(losses.losses, others.losses, strict=True):
        assert (one.name, one.status) == (other.name, other.status)
        if one.set is None:
            continue
        assert one.quality == pytest.approx(other.quality)
        assert one.quality == pytest.approx(EVERY.evaluate(one.set))
        assert one.named_set == EVERY.names_of(one.set)
        assert not set(one.set) & set(one.features)
        assert one.costs == other.costs


def test_where_nothing_is_left_the_reason_names_features():
    rule = constraints.AtLeast(1, PLACES[:2])
    found = altsets.find(EVERY, 3, 0, constraints=rule)
    names = [f"f{j}" for j in PLACES[:2]]
    (loss,) = altsets.what_if(EVERY, found, feature_groups={"both": names}).losses
    assert loss.status == "infeasible"
    assert all(name in loss.reason for name in names)
    alone = altsets.what_if(
        FEW,
        altsets.find(FEW, 3, 0, constraints=constraints.AtLeast(1, [0, 1])),
        feature_groups={"both": names},
    )
    assert loss.reason == alone.losses[0].reason
    clash = [constraints.Require(names[0]), constraints.Forbid(names[0])]
    nothing = altsets.frontier(EVERY, 3, against=COSTS, constraints=clash)
    assert nothing.complete
    assert nothing.reason == altsets.frontier(FEW, 3, against=COSTS[PLACES], constraints=clash).reason
