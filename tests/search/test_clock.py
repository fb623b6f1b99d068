"""How often searches look at the clock, counted in steps and looks: nothing here reads a clock."""

import numpy as np

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
    PricingOracle(quality.Additive(scores), problem, run).k_best(1, max_nodes=20_000)
    assert run.steps >= 10
