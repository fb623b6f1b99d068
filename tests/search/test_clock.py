"""How often searches look at the clock, counted in steps and looks: nothing here reads a clock."""

import numpy as np
import pytest

import altsets
from altsets import constraints, quality
from altsets.problem import Problem
from altsets.search.run import Run
from altsets.search.subset.pricing import PricingOracle


def test_a_search_whose_nodes_have_few_children_looks_at_the_clock():
    """Costs follow the scores, so each of thousands of children is left soon, and finding that out is the work."""
    scores = np.random.default_rng(0).random(2000)
    budget = constraints.Budget(np.round(scores * 1000), 3000)
    run = Run()
    problem = Problem.create(2000, n_features=4, n_alternatives=5, constraints=budget)
    PricingOracle(quality.Additive(scores), problem, run).k_best(1, max_nodes=10_000)
    assert run.steps >= 5


@pytest.mark.parametrize("looks", [5, 10, 30])
def test_a_wide_table_has_its_greedy_set_however_early_time_is_up(looks, clock):
    rng = np.random.default_rng(0)
    # So slow a machine that a search is long over by the second look.
    clock.step = 1.0
    table = rng.normal(size=(30, 6000))
    linear = quality.LinearFit.from_data(table, table[:, :3].sum(axis=1) + rng.normal(size=30))
    required = constraints.Require([5, 6, 7])
    found = altsets.find(linear, 13, 3, 0.5, constraints=required, time_limit=clock.limit(looks))
    assert found.engine == "shortlist"
    assert len(found.sets) >= 1
    assert {5, 6, 7} <= set(found.sets[0])
