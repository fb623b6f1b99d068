"""Budgets at the edge of rounding: every engine and the verifier compare the same decimals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas
import pytest

import altsets
from altsets import Status, constraints, quality
from altsets.constraints import Budget
from altsets.search.subset.rules import LARGEST_EXACT, Spending, in_units, rounded

EXACT = ["auto", "enumerate", "milp"]
#: For a function of a set.
BLACK_BOX = ["exhaustive", "local-search", "greedy-wrapper"]

#: Costs, a limit, how many of the features it pays for when they come first, and groups that are paid once.
AT_THE_EDGE = {
    "six times 0.1": ([0.1] * 6, 0.6, 6),
    "a little less": ([0.1] * 6, 0.599999999, 5),
    "one ulp less": ([0.1] * 6, math.nextafter(0.6, 0), 5),
    "tiny": ([5e-13, 1e-13, 5e-13], 6e-13, 2),
    "tinier": ([5e-324, 5e-324, 1e-323], 1e-323, 2),
    "huge": ([1e308, 1.0, 1e308], 1.5e308, 2),
    "mixed": ([1e16, 1e-16], 1e16, 1),
    "mixed and paid": ([1e-16, 1e16], 10000000000000002.0, 2),
    "beyond 2**53": ([9007199254740993.0, 2.0, 1.0], 9007199254740994.0, 2),
    "seventeen digits": ([0.10000000000000002, 0.20000000000000004, 1.0], 0.30000000000000004, 1),
    "seventeen digits, paid": ([0.10000000000000002, 0.20000000000000004], 0.3000000000000001, 2),
    "nothing": ([0.0, -0.0, 1e-300], 0.0, 2),
    "one sensor": ([0.1] * 3, 0.1, 3, [0, 0, 0]),
    "two sensors": ([0.1, 0.1, 0.2, 0.2], 0.3, 4, [0, 0, 1, 1]),
    "two sensors, one ulp less": ([0.1, 0.1, 0.2, 0.2], math.nextafter(0.3, 0), 2, [0, 0, 1, 1]),
    "the second one free": ([5.0, 5.0, 0.0, 0.0, 1.0], 5.0, 4, [0, 0, 1, 1, 2]),
    "sensors, seventeen digits": ([0.10000000000000002] * 2 + [0.20000000000000004], 0.30000000000000004, 2, [0, 0, 1]),
    "a huge sensor": ([1e308, 1e308, 1.0], 1e308, 2, [0, 0, 1]),
    "mixed sensors": ([1e-16, 1e-16, 1e16, 1e16], 10000000000000002.0, 4, [0, 0, 1, 1]),
}  # fmt: skip


@pytest.mark.parametrize("case", AT_THE_EDGE)
@pytest.mark.parametrize("engine", [*EXACT, *BLACK_BOX])
def test_every_engine_keeps_to_the_decimals(case, engine):
    costs, limit, n_paid, *group_of = AT_THE_EDGE[case]
    n = len(costs)
    budget = Budget(costs, limit, groups=dict(enumerate(*group_of)) if group_of else None)
    box = quality.BlackBox(lambda chosen: -float(sum(chosen)), n_features_in=n)
    good = box if engine in BLACK_BOX else quality.Additive(-np.arange(float(n)))
    for k in {1, n_paid, min(n_paid + 1, n)}:
        result = altsets.find(good, n_features=k, n_alternatives=0, constraints=budget, engine=engine)
        assert result.sets == ([tuple(range(k))] if k <= n_paid else [])
        nothing = (Status.INFEASIBLE,) if engine in EXACT else (Status.INFEASIBLE, Status.NOT_FOUND)
        assert result.sets or result.status in nothing
        assert not result.sets or engine not in EXACT or result.status is Status.OPTIMAL


def pays_for(costs, limit, chosen):
    return sum(Fraction(repr(float(costs[j]))) for j in chosen) <= Fraction(repr(float(limit)))


def hard_costs(rng, n):
    """Costs whose sums doubles cannot hold, many of them close to each other."""
    kinds = [
        lambda: rng.random(n),
        lambda: rng.random(n) * 10.0 ** rng.integers(-12, 13, n),
        lambda: 0.1 + 1e-16 * rng.integers(0, 4, n),
        lambda: 2.0**53 + 2.0 * rng.integers(0, 3, n),
    ]
    return kinds[rng.integers(len(kinds))]()


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_what_the_kernel_sees_loses_no_set_and_says_where_it_is_in_doubt(seed, grouped):
    rng = np.random.default_rng(seed)
    n, r = 7, int(rng.integers(1, 5))
    # Without groups, each feature is one of its own.
    groups, base = rng.integers(0, 4, n) if grouped else np.arange(n), [0] if rng.random() < 0.3 else []
    costs = hard_costs(rng, n)[groups]
    some = rng.permutation(np.unique(groups, return_index=True)[1])[: int(rng.integers(1, r + 2))]
    limit = float(costs[some].sum())
    budget = Budget(costs, limit, groups=dict(enumerate(groups.tolist())) if grouped else None)
    budget = budget.resolve([f"x{j}" for j in range(n)])
    features = [j for j in range(n) if j not in base]
    seen = rounded([in_units(budget)], np.array(features), base, r)

    def once(chosen):
        return [
            min(set(chosen) & set(np.flatnonzero(groups == group).tolist())) for group in {*groups[chosen]}
        ]

    if seen is None:
        assert not pays_for(costs, limit, base)
        return
    assert grouped or (r + 1) * max(seen.room[0] + 1, *seen.costs[0]) <= LARGEST_EXACT
    payers = seen.payers[0] if len(seen.payers) else np.full(len(features), -1)
    for positions in itertools.combinations(range(len(features)), r):
        chosen = [*base, *(features[p] for p in positions)]
        paying = {int(payers[p]) if payers[p] >= 0 else -1 - p: seen.costs[0, p] for p in positions}
        left = seen.room[0] - sum(paying.values())
        paid = pays_for(costs, limit, once(chosen))
        if left < 0:
            assert not paid
        elif left >= seen.doubt[0]:
            assert paid
        assert seen.pays(np.array(positions, dtype=np.intc)) == paid == budget.holds(chosen)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_while_features_are_taken_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n, k = 8, 3
    groups = rng.integers(0, 4, n)
    costs = rng.integers(0, 5, 4).astype(float)[groups]
    limit = float(rng.integers(2, 9))
    budget = Budget(costs, limit, groups=dict(enumerate(groups.tolist()))).resolve(
        [f"x{j}" for j in range(n)]
    )
    seen = rounded([in_units(budget), in_units(Budget(np.ones(n), k))], np.arange(n), [], k)
    spending, taken = Spending(seen), []
    for _ in range(30):
        fitting = np.ones(n, dtype=bool)
        fitting[taken] = False
        spending.leave(fitting, k - len(taken) - 1)
        for position in set(range(n)) - set(taken):
            assert spending.pays_for(position) == budget.holds([*taken, position])
            rest = itertools.combinations(set(range(n)) - {*taken, position}, k - len(taken) - 1)
            # Nothing is lost that can be completed.
            assert fitting[position] or not any(budget.holds([*taken, position, *more]) for more in rest)
        if taken and (len(taken) == k - 1 or rng.random() < 0.4 or not fitting.any()):
            spending.take(taken.pop(int(rng.integers(len(taken)))), -1)
        elif fitting.any():
            taken.append(int(rng.choice(np.flatnonzero(fitting))))
            spending.take(taken[-1], 1)


def test_the_solver_need_not_strike_off_one_set_after_the_other():
    """Any six of 40 features are too dear by less than its tolerance."""
    scores = quality.Additive(np.arange(40.0))
    result = altsets.find(
        scores, n_features=6, n_alternatives=0, constraints=[Budget([0.1] * 40, 0.599999999)], engine="milp"
    )
    assert result.status is Status.INFEASIBLE


def test_a_feature_that_is_too_dear_is_in_no_set_and_neither_is_one_that_needs_it():
    rules = [Budget([1, 1, 5, 1], 4.5), constraints.Implies(0, 2)]
    result = altsets.find(
        quality.Additive([9.0, 1.0, 8.0, 2.0]), n_features=2, n_alternatives=0, constraints=rules
    )
    assert result.sets == [(1, 3)]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "longdouble"])
def test_numbers_of_any_precision_are_taken_as_they_are_printed(kind):
    costs = np.array([0.1, 0.2], dtype=kind)
    for given in (costs, list(costs), dict(enumerate(costs)), pandas.Series(costs)):
        budget = Budget(given, costs.dtype.type("0.3")).resolve(["a", "b"])
        assert budget.costs == (0.1, 0.2)
        assert budget.limit == 0.3
        assert {type(cost) for cost in (*budget.costs, budget.limit)} == {float}


def test_costs_of_one_feature_add_up_as_decimals():
    assert Budget({"a": 0.1, 0: 0.2}, 1).resolve(["a"]).costs == (0.3,)


def test_limits_that_differ_do_not_read_alike():
    limits = [0.6, 0.599999999, 20, 1e6, 1234567, 1e-13]
    words = [Budget([1], limit).describe(["a"]) for limit in limits]
    assert words == [f"budget {text}" for text in ("0.6", "0.599999999", "20", "1e+06", "1234567.0", "1e-13")]
