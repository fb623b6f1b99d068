"""The ways to sets that go together, each on its own: lists, branching, thresholds, cuts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import altsets
from altsets import constraints, quality
from altsets.problem import Problem
from altsets.search.run import Run
from altsets.search.simultaneous import branching, search
from altsets.search.simultaneous.clique_search import CliqueSearch, ReducedCostBudget, listing_of
from altsets.search.simultaneous.lists import list_below_bound, list_to_incumbent
from altsets.search.simultaneous.master import RestrictedMaster
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.simultaneous.thresholds import refute
from altsets.search.subset.pricing import PricingOracle


def redundant(n, seed):
    """Relevance and redundancy at random: many sets are nearly as good as the best."""
    rng = np.random.default_rng(seed)
    redundancy = rng.random((n, n))
    return quality.MRMR(rng.random(n), (redundancy + redundancy.T) / 2)


def request_of(n_alternatives, aggregation, n=13, max_overlap=1):
    return Problem.create(
        n,
        n_features=4,
        n_alternatives=n_alternatives,
        tau=4 - max_overlap,
        dissimilarity="absolute",
        search="simultaneous",
        aggregation=aggregation,
    )


@pytest.mark.parametrize(
    ("n_alternatives", "aggregation", "priced"),
    # Of two sets the programme knows the largest sum, so that there is nothing left to list.
    sorted({*itertools.product([1, 2, 3], ["sum", "min"], [False, True])} - {(1, "sum", True)}),
)
def test_the_optimum_is_that_of_whole_lists(n_alternatives, aggregation, priced):
    for seed in range(3):
        searched, problem, run = redundant(13, seed), request_of(n_alternatives, aggregation), Run()
        one = SimultaneousSearch(PricingOracle(searched, problem, run))
        (search.generate_columns if priced else search.root_bound)(one)
        if not one.state.is_proven:
            list_below_bound(one, one.dual_bound, 10**6, 10**12)
        assert one.state.is_proven
        expected = altsets.find(
            searched,
            n_features=4,
            n_alternatives=n_alternatives,
            tau=3,
            dissimilarity="absolute",
            search="simultaneous",
            aggregation=aggregation,
        )
        assert one.state.value == pytest.approx(expected.objective, abs=1e-9)


def test_nothing_is_picked_where_no_set_is_good_enough():
    searched, problem = redundant(13, 0), request_of(2, "min")
    pricing = PricingOracle(searched, problem, Run())
    one = SimultaneousSearch(pricing)
    search.generate_columns(one)
    dual_bound = one.dual_bound
    listing = pricing.all_above(-math.inf, 50, prices=dual_bound.prices)
    cost_budget = ReducedCostBudget(np.zeros(len(listing)), 1.0, dual_bound.slack_costs)
    assert CliqueSearch(pricing).pick(listing, cost_budget, 0.0, 1000, summing=False, least=math.inf) == (
        None,
        True,
    )


def test_what_a_branch_proves_is_not_taken_for_the_whole(monkeypatch):
    # Lists so short that branching gives up, and the linear programme is asked once more afterwards.
    limit_lists(monkeypatch, short=2, priced=4, long=8)
    monkeypatch.setattr(branching, "SETS_PER_COLUMN", 2)
    shape = np.array([0.504, 0.266, 0.4, 0.524, 0.864, 0.501, 0.427, 0.949, 0.777, 0.243])
    searched = quality.MRMR([0.1, 0.5, 0.9, 0.8, 0.5, 0.0, 0.4, 0.3, 0.0, 0.8], np.outer(shape, shape))
    found = altsets.find(
        searched,
        n_features=6,
        n_alternatives=1,
        tau=0.81,
        search="simultaneous",
        constraints=[constraints.Implies(3, 6), constraints.Size(5, 6)],
        engine="enumerate",
    )
    sets = [
        chosen
        for size in (5, 6)
        for chosen in itertools.combinations(range(10), size)
        if 3 not in chosen or 6 in chosen
    ]
    best = max(
        searched.evaluate(first) + searched.evaluate(second)
        for first, second in itertools.combinations(sets, 2)
        if 200 * len(set(first) & set(second)) <= 19 * (len(first) + len(second))
    )
    assert found.status == "optimal"
    assert found.objective == pytest.approx(best)


def limit_lists(monkeypatch, short, priced, long):
    for name, most in (("SHORT_LIST", short), ("PRICED_LIST", priced), ("LONG_LIST", long)):
        monkeypatch.setattr(search, name, most)


@pytest.mark.slow
@pytest.mark.parametrize("aggregation", ["sum", "min"])
def test_phases_are_right_in_any_order(aggregation, monkeypatch):
    """Another order may take longer or give up, but claims nothing wrong."""
    limit_lists(monkeypatch, short=2, priced=4, long=200)
    monkeypatch.setattr(search, "LONG_WALK", 10_000)
    problem = request_of(2, aggregation, 11)
    best = [best_value(redundant(11, seed), problem) for seed in range(3)]
    usual = [*search.PREPARATION, *search.LISTING, search.solver_optimum]
    for order in range(12):
        mixed = [usual[place] for place in np.random.default_rng(order).permutation(len(usual))]
        for seed, expected in enumerate(best):
            one = SimultaneousSearch(PricingOracle(redundant(11, seed), problem, Run()))
            search.go_through(one, mixed)
            assert one.state.bound >= expected - 1e-9
            if one.state.is_proven:
                assert one.state.value == pytest.approx(expected, abs=1e-9)


def test_nothing_is_ruled_out_by_a_search_that_was_cut_off():
    searched, problem, run = redundant(13, 0), request_of(2, "sum"), Run()
    one = SimultaneousSearch(PricingOracle(searched, problem, run))
    one.find_first()
    bound = one.state.bound
    run.interrupted = True
    one.state.rule_out(one.state.value, "all sets listed")
    assert one.state.bound == bound
    assert not one.state.is_proven


@pytest.mark.slow
@pytest.mark.parametrize("effort", [0, 1])
@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize(
    ("max_overlap", "n", "seeds"), [(0, 13, (1, 13, 22)), (1, 10, (0, 16, 17)), (2, 8, (10, 11, 14))]
)
def test_branching_on_columns_proves_the_best_solution(
    max_overlap, n, seeds, aggregation, effort, monkeypatch
):
    # Without lists all sets but the last one are branched on; with short ones, those that no list settles.
    for module, name, value in (
        (branching, "SETS_PER_COLUMN", 4 * effort),
        (branching, "FIRST_COLUMNS", 1 + effort),
        (search, "SHORT_ANNEALING", 0),
    ):
        monkeypatch.setattr(module, name, value)
    depths = []
    explore = branching.ColumnBranching.explore

    def counted(self, given=(), without=frozenset()):
        depths.append(len(given))
        return explore(self, given, without)

    monkeypatch.setattr(branching.ColumnBranching, "explore", counted)
    # With these numbers the linear programme leaves a gap, of sums too.
    for seed in seeds:
        searched = redundant(n, seed)
        problem = request_of(2, aggregation, n, max_overlap)
        pricing = PricingOracle(searched, problem, Run())
        one = SimultaneousSearch(pricing)
        one.find_first()
        search.generate_columns(one)
        assert not one.state.is_proven
        search.branch_on_columns(one)
        assert one.state.is_proven
        assert one.state.value == pytest.approx(best_value(searched, problem), abs=1e-12)
    assert depths.count(1) >= len(seeds), "it has to be branched"


@pytest.mark.parametrize("aggregation", ["sum", "min"])
@pytest.mark.parametrize("part", [1.0, 0.75, 0.5])
def test_one_set_of_a_solution_need_not_be_listed(part, aggregation):
    for seed, (max_overlap, n) in itertools.product(range(4), [(0, 12), (1, 9), (2, 8)]):
        searched, problem = redundant(n, seed), request_of(2, aggregation, n, max_overlap)
        solutions = sorted(all_solutions(searched, problem), reverse=True)
        best = solutions[0][0]
        # Beside good incumbents lists are short.
        worse = [sets for value, sets in solutions if value < best - 1e-9]
        for sets in worse[:60:10]:
            one = SimultaneousSearch(PricingOracle(searched, problem, Run()))
            one.state.update_incumbent(sets)
            one.master.generate_columns(one.state.target, 1_000)
            one.take_dual_bound(one.master.dual_bound)
            if one.state.is_proven:
                continue
            list_to_incumbent(one, 10**6, 10**9, (part,))
            assert one.state.is_proven
            assert one.state.value == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("part", [0.5, 0.0])
def test_the_largest_minimum_refutes_thresholds(part):
    n_open = 0
    for seed in range(12):
        searched, problem = redundant(10, seed), request_of(2, "min", 10)
        one = SimultaneousSearch(PricingOracle(searched, problem, Run()))
        one.find_first()
        search.generate_columns(one)
        if one.state.is_proven:
            continue
        n_open += 1
        expected = best_value(searched, problem)
        refute(one, part, 10**6)
        refute(one, 0.0, 10**6, (0.5,))
        assert one.state.value <= expected + 1e-12 <= one.state.bound + 2e-12
        if one.state.is_proven:
            assert one.state.value == pytest.approx(expected, abs=1e-12)
    assert n_open


@pytest.mark.parametrize(("max_overlap", "n"), [(1, 11), (2, 8)])
def test_clique_cuts_hold_for_all_solutions_and_lower_the_bound(max_overlap, n):
    n_cuts, gaps = 0, []
    for seed in range(6):
        searched, problem = redundant(n, seed), request_of(2, "sum", n, max_overlap)
        master = RestrictedMaster(PricingOracle(searched, problem, Run()), 3, max_overlap)
        master.generate_columns(-math.inf, 1_000)
        before = master.dual_bound.bound
        master.cut_cliques(-math.inf, 0.0)
        prices = master.dual_bound.prices.clique_cuts
        best = best_value(searched, problem)
        assert best - 1e-9 <= master.dual_bound.bound <= before
        gaps.append((before - best, master.dual_bound.bound - best))
        if prices is None:
            continue
        # Two sets with enough features of a group share too many of them, whatever the group.
        assert np.all(prices.members.sum(axis=1) == 2 * prices.least - max_overlap - 1)
        n_cuts += len(prices.least)
    assert n_cuts
    assert sum(after for _, after in gaps) < 0.9 * sum(before for before, _ in gaps)


def best_value(searched, problem):
    """By looking at all sets that go together."""
    return max(value for value, _ in all_solutions(searched, problem))


def all_solutions(searched, problem):
    """The value and the sets of each solution of three sets."""
    sets = list(itertools.combinations(range(problem.n_features_in), problem.k_max))
    qualities = [searched.evaluate(chosen) for chosen in sets]
    later = [
        {j for j in range(i + 1, len(sets)) if len({*sets[i]} & {*sets[j]}) <= problem.max_overlap}
        for i in range(len(sets))
    ]
    for i in range(len(sets)):
        for j in later[i]:
            for h in later[i] & later[j]:
                value = problem.objective([qualities[i], qualities[j], qualities[h]])
                yield value, [sets[i], sets[j], sets[h]]


def test_sets_left_out_are_neither_found_nor_listed():
    searched, problem = redundant(13, 1), request_of(2, "sum")
    pricing = PricingOracle(searched, problem, Run())
    best = pricing.k_best(6)
    without = frozenset(best.sets[:3])
    assert pricing.k_best(3, without=without).sets == best.sets[3:]
    everything, rest = (
        pricing.all_above(-math.inf, 10**6),
        pricing.all_above(-math.inf, 10**6, without=without),
    )
    assert {everything.set_at(i) for i in range(len(everything))} == without | {
        rest.set_at(i) for i in range(len(rest))
    }
    assert len(rest) == len(everything) - 3


def test_secants_know_as_much_as_whole_usage_allows():
    # Three sets of two features out of three share one feature each way: usage 2, 2, 2 and no more than that.
    searched = quality.MRMR([3.0, 2.0, 1.0, 0.0], np.zeros((4, 4)))
    problem = Problem.create(
        4,
        n_features=2,
        n_alternatives=2,
        tau=1,
        dissimilarity="absolute",
        search="simultaneous",
        aggregation="sum",
    )
    master = RestrictedMaster(PricingOracle(searched, problem, Run()), 3, 1)
    assert master.generate_columns(-math.inf, 100)
    best = max(
        sum(map(searched.evaluate, sets))
        for sets in itertools.combinations(itertools.combinations(range(4), 2), 3)
    )
    assert master.dual_bound.bound == pytest.approx(best)


def test_a_programme_that_was_cut_short_can_be_taken_over():
    searched, problem = redundant(13, 3), request_of(3, "sum")
    pricing = PricingOracle(searched, problem, Run())
    bounds = []
    for rounds in range(1, 30, 4):
        first = RestrictedMaster(pricing, 4, 1)
        first.add(pricing.k_best(20).sets)
        # Often it ends with rows that have no price yet.
        first.generate_columns(-math.inf, rounds)
        second = RestrictedMaster(pricing, 4, 1)
        second.inherit(first)
        assert second.generate_columns(-math.inf, 1000)
        bounds.append(second.dual_bound.bound)
    assert bounds == pytest.approx([bounds[0]] * len(bounds), abs=1e-6)


@pytest.mark.parametrize("most", [1, 5, 40, 1000])
def test_the_best_of_known_sets_are_listed_and_ties_go_by_features(most):
    problem = request_of(1, "sum", n=9)
    pricing = PricingOracle(redundant(9, 0), problem, Run())
    rng = np.random.default_rng(0)
    known = {
        chosen: float(rng.choice([-math.inf, 0.0, 0.5, 1.0]))
        for chosen in map(tuple, rng.permutation(list(itertools.combinations(range(9), 4))).tolist())
    }
    listing = listing_of(known, pricing, most)
    best = sorted((one for one in known if known[one] > -math.inf), key=lambda one: (-known[one], one))[:most]
    assert [listing.set_at(number) for number in range(len(listing))] == best
    assert listing.qualities.tolist() == [known[one] for one in best]
