"""What a solution loses because rows are not used up, taken apart so that the clique search can spend it.

Where a row is not used up, a solution falls short of the dual bound by the row's price times the slack. That falls
apart into a part for each feature (or pair), by how often it is used, and a part for each pair of sets, by what they
share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from altsets.arrays import Floats, Ints
from altsets.search.simultaneous.columns import Element
from altsets.search.simultaneous.duals import DualPricing
from altsets.search.simultaneous.joint import JointConditions
from altsets.search.subset.prices import CliqueLevels
from altsets.search.subset.pricing import PricingOracle

#: More than any solution can afford.
IMPOSSIBLE = 1e200


@dataclass(frozen=True)
class SlackCosts:
    """By how much a solution falls short of the bound because rows are not used up.

    ``of_feature`` and ``of_pair`` tell which row of the table is about a feature or pair by its places (-1: none), or
    by those of levels if there are any. A row of ``table`` holds what it costs if 0, 1, 2, ... sets have it;
    ``unshared`` what it costs if two sets share 0, 1, 2, ... features.
    """

    of_feature: Ints
    of_pair: Ints | None
    table: Floats
    unshared: Floats
    levels: CliqueLevels | None = None


def slack_costs(dual: DualPricing) -> SlackCosts:
    """The slack of each row at its price."""
    pool, duals = dual.pool, dual.duals
    uses = np.arange(pool.n_sets + 1, dtype=np.float64)
    tables = _secant_slack(dual, uses)
    for key, row in pool.packing.items():
        if duals[row] > 0:
            tables[key] = np.where(uses == 0, duals[row], 0.0)
    for place, row in pool.usage.items():
        unused = np.maximum(pool.most_used[place] - uses, 0.0)
        tables[(place,)] = tables.get((place,), 0.0) + duals[row] * unused
    if pool.joint is not None:
        limit_usage(tables, pool.joint, pool.place, pool.n_sets)
    if not pool.max_overlap and pool.n_features <= pool.n_sets * pool.k_min:
        # Disjoint sets need every feature that there is: none may be left over.
        for place in range(pool.n_features):
            tables[(place,)] = np.where(uses == 0, IMPOSSIBLE, 0.0)
    return numbered(tables, pool.n_features, pool.n_sets, _unshared(dual), pool.levels)


def _above_secant(uses: Floats, step: int) -> Floats:
    """How far the parabola d (d - 1) / 2 lies above a secant, by how often an element is used."""
    above: Floats = (uses * (uses - 1) - 2 * step * uses + step * (step + 1)) / 2
    return above


def _secant_slack(dual: DualPricing, uses: Floats) -> dict[Element, Floats]:
    tables: dict[Element, Floats] = {}
    sharing = dual.most_charged(1)
    if sharing:
        # Pairs that have no secant are too many to be looked at, features are not.
        tables |= {(place,): sharing * _above_secant(uses, 0) for place in range(dual.pool.n_features)}
    for charge in dual.secant_charges:
        table = charge.rest * _above_secant(uses, 0)
        for step, price in charge.prices.items():
            table += price * _above_secant(uses, step)
        tables[charge.element] = table
    return tables


def _unshared(dual: DualPricing) -> Floats:
    """What it costs if two sets share fewer features, or pairs of them, than they may."""
    pool = dual.pool
    shared = range(pool.k_max + 1)
    unshared = np.zeros(len(shared))
    for size, (row, _) in pool.sharing.items():
        most = math.comb(pool.max_overlap, size)
        unshared += dual.duals[row] * (most - np.array([math.comb(m, size) for m in shared]))
    return np.maximum(unshared, 0.0)


def numbered(
    tables: dict[Element, Floats],
    n: int,
    n_sets: int,
    unshared: Floats,
    levels: CliqueLevels | None = None,
) -> SlackCosts:
    """Tables of elements as arrays, for n places."""
    of_feature = np.full(n, -1, dtype=np.intc)
    of_pair = np.full((n, n), -1, dtype=np.intc) if any(len(key) == 2 for key in tables) else None
    table = np.zeros((len(tables), n_sets + 1))
    for number, (key, costs) in enumerate(tables.items()):
        table[number] = costs
        if len(key) == 1:
            of_feature[key[0]] = number
        elif of_pair is not None:
            of_pair[key] = of_pair[key[::-1]] = number
    return SlackCosts(of_feature, of_pair, table, unshared, levels)


def limit_usage(tables: dict[Element, Floats], joint: JointConditions, place: Ints, n_sets: int) -> None:
    """Make it impossible to use features more or less often than joint conditions allow."""
    uses = np.arange(n_sets + 1)
    for where, most in joint.by_place(joint.usage.upper, place).items():
        table = tables.get((where,), np.zeros(n_sets + 1))
        tables[(where,)] = np.where(uses > most, IMPOSSIBLE, table)
    for where, least in joint.by_place(joint.usage.lower, place).items():
        table = tables.get((where,), np.zeros(n_sets + 1))
        tables[(where,)] = np.where(uses < least, IMPOSSIBLE, table)


def joint_costs(joint: JointConditions, pricing: PricingOracle, n_sets: int) -> SlackCosts:
    """What joint conditions on the use of features cost a solution, where there are no prices."""
    uses = np.arange(n_sets + 1, dtype=np.float64)
    tables: dict[Element, Floats] = {}
    if joint.penalty:
        shared = joint.penalty * uses * (uses - 1) / 2
        tables = {(where,): shared for where in range(len(pricing.features))}
    limit_usage(tables, joint, pricing.place, n_sets)
    return numbered(tables, len(pricing.features), n_sets, np.zeros(pricing.problem.k_max + 1))
