"""The parts of the engine for any quality, each against brute force: good sets, and bounds with prices."""

from __future__ import annotations

import functools
import math
from itertools import combinations

import numpy as np
import pytest
from checks import Request
from portions import mostly_slow
from random_requests import random_budget, random_constraints, random_limit, random_numbers

from altsets import quality
from altsets.problem import Problem
from altsets.search.run import Run
from altsets.search.simultaneous.master import RestrictedMaster
from altsets.search.simultaneous.thresholds import LEAST, ThresholdMaster
from altsets.search.subset.prices import CliqueCuts, DualPrices
from altsets.search.subset.pricing import PricingOracle

N_CASES = 80


def some_request(seed, **more):
    """A small request of any quality, with constraints and sets to differ from."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    k = int(rng.integers(1, min(n, 4) + 1))
    fixed = {
        "n_features": k,
        "n_alternatives": int(rng.integers(1, 4)),
        "search": "simultaneous",
        "constraints": random_constraints(rng, n, k, 200) if rng.random() < 0.6 else (),
        "existing": (tuple(range(k)),) if rng.random() < 0.3 else (),
    }
    return Request(**{**random_numbers(rng, n), **random_limit(rng, k), **fixed, **more}), rng


def good_sets(request):
    return PricingOracle(request.quality, request.problem, Run())


def allowed_sets(request):
    """All sets that may be chosen at all, by definition."""
    oracle = request.oracle
    sizes = range(oracle.k_min, oracle.k_max + 1)
    every = (chosen for size in sizes for chosen in combinations(range(oracle.n), size))
    return [chosen for chosen in every if oracle.fits(chosen)]


def in_reach(request, pricing):
    """Those of them that need no feature that was left out because no solution needs it."""
    kept = {
        sets.size: {*sets.base.tolist(), *sets.features.tolist()}
        for sets in pricing.sizes
        if sets.form.pairs is None and sets.form.conflicts is None
    }
    return [chosen for chosen in allowed_sets(request) if set(chosen) <= kept.get(len(chosen), set(chosen))]


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9 * max(1.0, abs(value)))


def random_prices(rng, n, pairs, clique_cuts=0):
    matrix = rng.random((n, n))
    return DualPrices(
        rng.random(n),
        (matrix + matrix.T) * (1 - np.eye(n)) if pairs else None,
        CliqueCuts(
            rng.random((clique_cuts, n)) < 0.6,
            rng.integers(1, 4, clique_cuts, dtype=np.intc),
            rng.random(clique_cuts),
        )
        if clique_cuts
        else None,
    )


def placed(pricing, chosen):
    """Where the prices of a set's features are."""
    return pricing.place[list(chosen)].tolist()


def after_prices(request, pricing, prices, chosen):
    value = request.oracle.value(chosen)
    if prices is None:
        return value
    value -= math.fsum(prices.features[placed(pricing, chosen)])
    if prices.pairs is not None:
        value -= math.fsum(prices.pairs[pair] for pair in combinations(placed(pricing, chosen), 2))
    if prices.clique_cuts is not None:
        clique_cuts = zip(
            prices.clique_cuts.members, prices.clique_cuts.least, prices.clique_cuts.prices, strict=True
        )
        inside = placed(pricing, chosen)
        value -= math.fsum(price for members, least, price in clique_cuts if sum(members[inside]) >= least)
    return value


def prices_for(pricing, rng):
    """Prices where they make sense."""
    if not pricing.can_be_priced or rng.random() < 0.4:
        return None
    return random_prices(rng, len(pricing.features), bool(rng.random() < 0.5), int(rng.choice([0, 3])))


# --- Good sets ------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(N_CASES))
def test_the_best_sets_are_those_of_brute_force(seed):
    request, rng = some_request([1, seed])
    pricing = good_sets(request)
    prices = prices_for(pricing, rng)
    candidates = in_reach(request, pricing)
    others = [chosen for chosen in candidates if rng.random() < 0.02]
    expected = sorted(
        (
            after_prices(request, pricing, prices, chosen)
            for chosen in candidates
            if all(request.oracle.compatible(chosen, other) for other in others)
        ),
        reverse=True,
    )
    count = int(rng.choice([1, 4]))
    found = pricing.k_best(count, others=others, prices=prices)
    assert found.bound == -math.inf
    assert found.values == [close(value) for value in expected[:count]]
    for chosen, value in zip(found.sets, found.values, strict=True):
        assert request.oracle.fits(chosen)
        assert value == close(after_prices(request, pricing, prices, chosen))


@pytest.mark.parametrize("seed", range(N_CASES))
def test_a_search_that_is_cut_short_says_what_it_may_have_missed(seed):
    request, _ = some_request([2, seed])
    pricing = good_sets(request)
    found = pricing.k_best(1, max_nodes=2)
    reached = max([found.bound, *found.values], default=-math.inf)
    best = max(map(request.oracle.value, allowed_sets(request)), default=-math.inf)
    assert reached >= best - 1e-9 * max(1.0, abs(best)) or best == -math.inf


@pytest.mark.parametrize("seed", range(N_CASES))
def test_the_sets_above_a_threshold_are_those_of_brute_force(seed):
    request, rng = some_request([3, seed])
    pricing = good_sets(request)
    prices = prices_for(pricing, rng)
    values = {chosen: after_prices(request, pricing, prices, chosen) for chosen in in_reach(request, pricing)}
    # Between two values, not at one.
    steps = np.unique(list(values.values()))
    steps = steps[np.diff(steps, prepend=-math.inf) > 1e-6 * max(1.0, pricing.magnitude)]
    threshold = -math.inf
    if len(steps) > 1 and rng.random() < 0.8:
        place = int(rng.integers(1, len(steps)))
        threshold = float(steps[place]) - 1e-7 * max(1.0, pricing.magnitude)
    costs, limit = (np.array(numbers) for numbers in random_budget(rng, len(request.scores), 2)[1:])
    limit = float(limit) + 1e-7 * (1 + float(limit))
    budget = (costs[pricing.features], limit) if rng.random() < 0.5 else None
    listing = pricing.all_above(threshold, 10_000, prices=prices, budget=budget)
    assert listing.complete
    found = {listing.set_at(number): number for number in range(len(listing))}
    assert len(found) == len(listing)
    assert set(found) == {
        chosen
        for chosen, value in values.items()
        if value > threshold and (budget is None or math.fsum(costs[list(chosen)]) <= limit)
    }
    for chosen, number in found.items():
        assert listing.values[number] == close(values[chosen])
        assert listing.qualities[number] == close(request.oracle.value(chosen))
        assert sum(int(word).bit_count() for word in listing.masks[number]) == len(chosen)


# --- Features that are alike --------------------------------------------------------------------------------
def alike(rng, n, noise):
    """Points of a curve: the nearer they are, the more they have in common, but for noise."""
    places = np.sort(rng.random(n))
    pairs = np.exp(-3 * np.abs(places[:, None] - places)) + noise * rng.standard_normal((n, n))
    pairs = np.triu(pairs, 1)
    return pairs + pairs.T


def curved_request(rng, n, k, noise, **more):
    redundancy = np.maximum(alike(rng, n, noise), 0.0)
    return Request(
        tuple(rng.random(n).tolist()),
        k,
        2,
        tau=0.5,
        kind="mrmr",
        matrix=tuple(map(tuple, redundancy.tolist())),
        search="simultaneous",
        **more,
    )


@pytest.mark.parametrize("seed", range(30))
def test_features_that_are_alike_make_the_sets_of_brute_force(seed):
    rng = np.random.default_rng([22, seed])
    n, k = int(rng.integers(8, 12)), int(rng.integers(5, 7))
    constraints = random_constraints(rng, n, k, 200) if rng.random() < 0.5 else ()
    request = curved_request(rng, n, k, float(rng.choice([0.02, 0.3])), constraints=constraints)
    pricing = good_sets(request)
    prices = prices_for(pricing, rng)
    values = {chosen: after_prices(request, pricing, prices, chosen) for chosen in allowed_sets(request)}
    expected = sorted(values.values(), reverse=True)
    count = int(rng.choice([1, 4]))
    others = [chosen for chosen in values if rng.random() < 0.01]
    found = pricing.k_best(count, prices=prices)
    assert found.bound == -math.inf
    assert found.values == [close(value) for value in expected[:count]]
    differing = [
        value
        for chosen, value in values.items()
        if all(request.oracle.compatible(chosen, other) for other in others)
    ]
    differing.sort(reverse=True)
    assert pricing.k_best(1, others=others, prices=prices).values == [close(value) for value in differing[:1]]
    if values:
        threshold = expected[min(len(expected) - 1, 20)] + 1e-7
        listing = pricing.all_above(threshold, 10_000, prices=prices)
        assert listing.complete
        listed = sorted(listing.values.tolist(), reverse=True)
        assert listed == [close(value) for value in expected if value > threshold]


# --- Exchanges ------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(N_CASES))
def test_exchanges_end_where_no_other_exchange_is_better(seed):
    rng = np.random.default_rng([23, seed])
    n, k = int(rng.integers(5, 11)), int(rng.integers(2, 5))
    constraints = (("require", (0,)), ("forbid", (1,))) if rng.random() < 0.5 else ()
    request = curved_request(rng, n, k, 0.3, constraints=constraints)
    pricing = good_sets(request)
    prices = random_prices(rng, len(pricing.features), bool(rng.random() < 0.5))
    values = {chosen: after_prices(request, pricing, prices, chosen) for chosen in allowed_sets(request)}
    begin = [chosen for chosen in values if rng.random() < 0.1] or list(values)[:1]
    threshold = float(np.median(list(values.values()))) + 1e-9
    found = pricing.heuristic(begin, prices, threshold)
    assert len(set(found)) == len(found)
    for chosen in found:
        assert values[chosen] > threshold
        neighbours = [other for other in values if len({*other} - {*chosen}) == 1]
        assert all(values[other] <= values[chosen] + 1e-9 for other in neighbours)
    # They begin with these, and never get worse.
    best = max(values[chosen] for chosen in begin)
    assert best <= threshold or max(values[chosen] for chosen in found) >= best - 1e-9


def test_without_a_choice_there_are_no_exchanges():
    rng = np.random.default_rng(1)
    request = curved_request(rng, 6, 3, 0.1, constraints=(("require", (0, 2, 3)),))
    pricing = good_sets(request)
    assert pricing.heuristic([(0, 2, 3)], random_prices(rng, len(pricing.features), True), -math.inf) == []


def test_exchanges_know_no_rules():
    rng = np.random.default_rng(1)
    request = curved_request(rng, 8, 3, 0.1, constraints=(("at_most", 1, (0, 1, 2)),))
    pricing = good_sets(request)
    assert pricing.heuristic(allowed_sets(request)[:3], random_prices(rng, 8, True), -math.inf) == []


def test_a_list_that_ends_one_set_short_is_not_complete():
    request = Request(tuple(np.linspace(1, 2, 12)), 2, 5, tau=0.5, search="simultaneous")
    pricing = good_sets(request)
    assert pricing.all_above(-math.inf, 66).complete
    assert not pricing.all_above(-math.inf, 65).complete


@pytest.mark.parametrize("seed", range(N_CASES))
def test_of_sets_that_get_cheaper_the_cheapest_is_listed(seed):
    request, rng = some_request([4, seed], constraints=())
    pricing = good_sets(request)
    costs = rng.random(len(request.scores))
    listing = pricing.all_above(-math.inf, 10_000, budget=(costs[pricing.features], math.inf), cheaper=True)
    prices = [math.fsum(costs[list(chosen)]) for chosen in in_reach(request, pricing)]
    listed = [math.fsum(costs[list(listing.set_at(number))]) for number in range(len(listing))]
    assert min(listed, default=0.0) == close(min(prices, default=0.0))


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("seed", mostly_slow(range(N_CASES), 12))
def test_features_that_are_left_out_are_never_missed(seed, aggregation):
    """Without pair terms only some features of each kind are kept: caps, a budget, implications or none."""
    rng = np.random.default_rng([5, seed])
    n, k = int(rng.integers(6, 10)), int(rng.integers(1, 3))
    request = Request(
        tuple(rng.integers(0, 5, n).astype(float).tolist() if rng.random() < 0.5 else rng.random(n).tolist()),
        k,
        int(rng.integers(1, 3)),
        search="simultaneous",
        aggregation=aggregation,
        constraints=random_constraints(rng, n, k, 100) if rng.random() < 0.7 else (random_budget(rng, n, k),),
        existing=(tuple(range(k)),) if rng.random() < 0.3 else (),
        **random_limit(rng, k),
    )
    oracle, pricing = request.oracle, good_sets(request)
    n_sets = request.n_alternatives + 1
    best = best_objective(request, allowed_sets(request), n_sets)
    assert best_objective(request, in_reach(request, pricing), n_sets) == (
        best if best == -math.inf else close(best)
    )
    assert best == -math.inf or oracle.fits(pricing.k_best(1).sets[0])


def families(request, candidates, n_sets):
    """All families of compatible sets, by plain enumeration."""
    oracle = request.oracle

    def extend(family, rest):
        if len(family) == n_sets:
            yield family
            return
        for place, chosen in enumerate(rest):
            together = oracle.compatible(chosen, chosen)
            later = [
                other
                for other in rest[place + (not together) :]
                if other == chosen or oracle.compatible(chosen, other)
            ]
            yield from extend([*family, chosen], later)

    return extend([], candidates)


def best_objective(request, candidates, n_sets):
    value = {chosen: request.oracle.value(chosen) for chosen in candidates}
    combine = min if request.aggregation == "min" else math.fsum
    solutions = families(request, candidates, n_sets)
    return max((combine([value[chosen] for chosen in family]) for family in solutions), default=-math.inf)


# --- Bounds with prices ---------------------------------------------------------------------------
def priced_request(seed):
    """A request to which prices apply, with a limit on what two sets may share that is below their size."""
    rng = np.random.default_rng(seed)
    while True:
        n, k = int(rng.integers(5, 8)), int(rng.integers(2, 4))
        numbers = random_numbers(rng, n)
        request = Request(
            **numbers,
            n_features=k,
            n_alternatives=int(rng.integers(1, 3)),
            min_difference=int(rng.integers(1, k + 1)),
            search="simultaneous",
            constraints=random_constraints(rng, n, k, 30) if rng.random() < 0.3 else (),
        )
        pricing = good_sets(request)
        if not pricing.sizes or not pricing.can_be_priced:
            continue
        sizes = [sets.size for sets in pricing.sizes]
        most = max(request.problem.max_overlap_of(s, t) for s in sizes for t in sizes)
        if most < min(sizes):
            return request, pricing, most


def fallen_short(pricing, slack_costs, sets):
    """What a solution pays for rows that it does not use up."""
    total = 0.0
    for number, row in enumerate(slack_costs.table):
        users = 0
        for chosen in sets:
            places = placed(pricing, chosen)
            users += sum(int(slack_costs.of_feature[j] == number) for j in places)
            if slack_costs.of_pair is not None:
                users += sum(int(slack_costs.of_pair[pair] == number) for pair in combinations(places, 2))
        total += float(row[users])
    return total + math.fsum(
        float(slack_costs.unshared[len(set(first) & set(second))]) for first, second in combinations(sets, 2)
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_CASES))
def test_the_bound_by_columns_holds_for_every_solution(seed):
    request, pricing, most = priced_request([6, seed])
    n_sets = request.n_alternatives + 1
    columns = RestrictedMaster(pricing, n_sets, most)
    columns.add(pricing.k_best(1).sets)
    columns.generate_columns(-math.inf, 200)
    dual_bound = columns.dual_bound
    slack = 1e-7 * max(1.0, pricing.magnitude)
    for family in families(request, in_reach(request, pricing), n_sets):
        total = math.fsum(map(request.oracle.value, family))
        assert total <= dual_bound.bound + slack
        paid = [after_prices(request, pricing, dual_bound.prices, chosen) for chosen in family]
        assert max(paid) <= dual_bound.best + slack
        # Sum, charges of the sets and penalties for unused rows add up to no more than the bound.
        charges = math.fsum(dual_bound.best - value for value in paid)
        assert (
            total + charges + fallen_short(pricing, dual_bound.slack_costs, family)
            <= dual_bound.bound + slack
        )


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, N_CASES, 40))
def test_a_floor_holds_for_every_solution_above_it(first):
    # In some cases no floor has prices, or no solution is above one.
    assert sum(check_floors(seed) for seed in range(first, first + 10)) > 20


def check_floors(seed):
    """Every solution of one request above each of some floors; how many that are."""
    request, pricing, most = priced_request([7, seed])
    n_checked = 0
    n_sets = request.n_alternatives + 1
    solutions = list(families(request, in_reach(request, pricing), n_sets))
    # Sets are in many solutions.
    value = functools.cache(request.oracle.value)
    values = sorted({value(chosen) for chosen in in_reach(request, pricing)})
    floors = ThresholdMaster(pricing, n_sets, most)
    floors.add(pricing.k_best(3).sets)
    for floor in values[:: max(1, len(values) // 4)]:
        floor -= 1e-9 * max(1.0, pricing.magnitude)
        prices = floors.at(floor)
        if prices is None:
            continue
        cost = functools.cache(
            lambda chosen, prices=prices.prices: math.fsum(prices[placed(pricing, chosen)])
        )
        for family in solutions:
            if min(map(value, family)) <= floor + 1e-9 * max(1.0, pricing.magnitude):
                continue
            paid = [cost(chosen) for chosen in family]
            assert min(paid) >= LEAST - 1e-7
            spent = math.fsum(paid) - n_sets * LEAST + fallen_short(pricing, prices.slack_costs, family)
            assert spent <= prices.surplus(n_sets) + 1e-6
            n_checked += 1
    return n_checked


def test_searches_among_many_features_ask_often_whether_to_stop():
    # The more features there are, the longer a step takes; a few hundred are too many to wait for.
    asked = []

    class Asked(Run):
        def tick(self):
            asked.append(1)
            return super().tick()

    rng = np.random.default_rng(0)
    loadings = rng.random((400, 4))
    searched = quality.MRMR(1 + 0.01 * rng.random(400), loadings @ loadings.T / 4)
    problem = Problem.create(
        400, n_features=10, n_alternatives=1, tau=5, dissimilarity="absolute", search="simultaneous"
    )
    PricingOracle(searched, problem, Asked()).k_best(1, max_nodes=200)
    assert asked
