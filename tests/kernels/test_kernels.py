"""Compiled and interpreted kernels give the same results; without compiled ones everything still works."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import math
import os
import runpy
import shutil
import subprocess
import sys
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest

import altsets
from altsets import _kernels
from altsets._kernels import _stand_in
from altsets.measures.information.columns import sort_columns, sort_incomplete_columns
from altsets.search.subset.kernel_call import (
    CliqueCutTerms,
    ExactBudgets,
    FitTerms,
    KernelRequest,
    KernelRules,
    Objective,
    RatioTerms,
    Terms,
)

FOLDER = Path(_kernels.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
N_CASES = 60


def never(*_):
    return False


# --- Random input for each kernel: functions of a kernel module and a random stream ---------------
def descending(rng, n):
    """Scores of different kinds, best first: distinct, tied, negative, skewed."""
    kinds = [
        lambda: rng.random(n),
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.standard_normal(n),
        lambda: rng.random(n) * (rng.random(n) < 0.4),
        lambda: np.abs(rng.standard_cauchy(n)),
    ]
    return np.sort(kinds[rng.integers(len(kinds))]())[::-1].copy()


def some_sets(rng, n, k, count):
    return [sorted(rng.permutation(n)[:k].tolist()) for _ in range(count)]


def membership(n, sets):
    """Which sets each position belongs to, as flat arrays, and positions of one kind by number."""
    belongs = [[number for number, chosen in enumerate(sets) if j in chosen] for j in range(n)]
    first = np.cumsum([0, *map(len, belongs)]).astype(np.intc)
    kinds = {}
    klass = [kinds.setdefault(tuple(numbers), len(kinds)) for numbers in belongs]
    return first, np.array(list(chain.from_iterable(belongs)), dtype=np.intc), np.array(klass, dtype=np.intc)


def classes(scores):
    changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
    return np.array([0, *changes, len(scores)], dtype=np.intc)


def best_set(kernel, rng):
    n = int(rng.integers(3, 13))
    k = int(rng.integers(1, n + 1))
    sets = some_sets(rng, n, k, int(rng.integers(0, 5)))
    caps = rng.integers(0, k + 1, len(sets)).astype(np.intc)
    scores = descending(rng, n)
    to_beat = -math.inf if rng.random() < 0.7 else float(np.sum(scores[:k])) - rng.random()
    max_nodes = int(rng.choice([3, 10_000]))
    first, member, kind = membership(n, sets)
    weights = None
    if rng.random() < 0.5:
        weights, kind = rng.integers(1, 4, len(member)).astype(np.intc), np.arange(n, dtype=np.intc)
    return kernel.best_set(scores, first, member, kind, caps, k, to_beat, max_nodes, 1e-14, never, weights)


def next_set(kernel, rng):
    n = int(rng.integers(3, 11))
    k = int(rng.integers(1, n))
    cap = int(rng.integers(0, k + 1))
    positions = np.arange(k, dtype=np.int64)
    sets = [np.arange(k).tolist()] if rng.random() < 0.5 else []
    answers = []
    for _ in range(6):
        first, member, _ = membership(n, sets)
        caps = np.full(len(sets), cap, dtype=np.intc)
        answers.append(kernel.next_set(n, first, member, caps, positions, not sets, never))
        if answers[-1] != 1:
            break
        sets.append(positions.tolist())
    return answers[-1], answers, sets


def degree_request(rng):
    n_sets, k = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    scores = descending(rng, int(rng.integers(k, 4 * k + 2)))
    cap = int(rng.integers(0, k + 1))
    return scores, n_sets, n_sets * k, cap * n_sets * (n_sets - 1) // 2, cap


def degree_bound(kernel, rng):
    return kernel.degree_bound(*degree_request(rng), 1e-14)


def degree_vectors(kernel, rng):
    request = degree_request(rng)
    floor = float(np.sum(request[0])) * rng.random()
    return kernel.degree_vectors(*request, 1e-14, floor, 50)


def prefix_bound(kernel, rng):
    n_sets, most = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    scores = descending(rng, int(rng.integers(0, 12)))
    rooms = rng.integers(0, most + 1, n_sets).astype(np.intc)
    slack = rng.integers(0, 3, (n_sets, n_sets))
    return kernel.prefix_bound(scores, rng.random(n_sets), rooms, (slack + slack.T).astype(np.intc))


def arrange(kernel, rng):
    n_sets, size = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    degrees = []
    while sum(degrees) < n_sets * size * rng.random():
        degrees.append(int(rng.integers(2, n_sets + 1)))
    degrees = np.array(sorted(degrees, reverse=True), dtype=np.intc)
    return kernel.arrange(
        degrees, n_sets, size, int(rng.integers(0, size)), int(rng.choice([30, 2000])), never
    )


def dealt(rng):
    """Degrees that add up to the places in all sets, and a given set or two."""
    n_sets, size = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    n = int(rng.integers(size, 3 * size + 2))
    degrees = np.zeros(n, dtype=np.intc)
    for _ in range(n_sets):
        degrees[rng.permutation(n)[:size]] += 1
    n_fixed = int(rng.integers(0, 3))
    fixed = (rng.random((n_fixed, n)) < 0.5).astype(np.uint8)
    fixed_caps = rng.integers(0, size + 1, n_fixed).astype(np.intc)
    return n, degrees, n_sets, size, fixed, fixed_caps


def deal(kernel, rng):
    _, degrees, n_sets, size, fixed, fixed_caps = dealt(rng)
    cap = int(rng.integers(0, size + 1))
    return kernel.deal(degrees, n_sets, size, fixed, fixed_caps, cap, 300, int(rng.integers(0, 9)), never)


def anneal(kernel, rng):
    n, _, n_sets, size, fixed, _ = dealt(rng)
    members = np.zeros((n_sets, n), dtype=np.uint8)
    for row in members:
        row[rng.permutation(n)[:size]] = 1
    overlaps = [int(first @ second) for first, second in combinations(members.astype(int), 2)]
    fixed_caps = np.array([max(int(m @ row) for m in members.astype(int)) for row in fixed], dtype=np.intc)
    scores = descending(rng, n)
    target = float(np.sum(scores[:size])) * 0.9
    cap, seed = max(overlaps, default=0), int(rng.integers(0, 9))
    options = {"temperatures": (0.5 * target, 1e-5 * target)}
    if rng.random() < 0.5:
        pairs = np.triu(rng.random((n, n)), 1) / size
        summing = bool(rng.random() < 0.5)
        options |= {"pairs": pairs + pairs.T, "summing": summing}
        target *= n_sets if summing else 1
    if rng.random() < 0.5:
        cap = int(rng.integers(0, cap + 1))
        options["prices"] = 0.1, 2.0
    return kernel.anneal(scores, members, fixed, fixed_caps, cap, target, 1500, seed, never, **options)


def windows(kernel, rng):
    n = int(rng.integers(2, 12))
    scores = descending(rng, n) if rng.random() < 0.8 else descending(rng, 64)
    k = int(rng.integers(1, min(len(scores), 3 if len(scores) == 64 else 6) + 1))
    first = classes(scores)
    least = np.repeat(rng.integers(0, 3, len(first) - 1), np.diff(first))
    weights = np.array([least, least + rng.integers(0, 2)], dtype=np.intc)
    listing = kernel.Windows(scores, first, k, weights)
    size = int(rng.integers(1, k + 1))
    high = float(np.sum(scores[:size]))
    low = high - rng.random() * (1 + abs(high))
    limits = sorted(int(weight) for weight in rng.integers(0, 2 * size + 2, 2))
    masks, sums = listing.list(size, low, high, 10**6, *limits)
    cut = listing.list(size, low, high, len(masks) - 1, *limits)
    return len(masks) > 1, kernel.list_cost(first, k), cut is None, masks, sums


def listed(rng):
    """Some sets as masks, best first; equal scores make them stand for others as well."""
    n = int(rng.integers(4, 10))
    scores = (
        descending(rng, n)
        if rng.random() < 0.7
        else np.sort(rng.integers(0, 3, n).astype(float))[::-1].copy()
    )
    k = int(rng.integers(1, 4))
    kernel = importlib.import_module("altsets._kernels.windows")
    masks, sums = kernel.Windows(scores, classes(scores), k).list(k, -math.inf, math.inf, 10**6)
    order = np.argsort(-sums, kind="stable")[: int(rng.integers(1, 80))]
    return n, classes(scores), masks[order], sums[order]


def pack(kernel, rng):
    n, first, masks, sums = listed(rng)
    group = rng.integers(0, 2, len(masks)).astype(np.intc)
    wanted = rng.integers(1, 3, 2).astype(np.intc)
    caps = rng.integers(0, 3, (2, 2))
    caps = np.maximum(caps, caps.T).astype(np.intc)
    n_sets = int(wanted.sum())
    must = (rng.random(n) < 0.15).astype(np.intc)
    most = rng.integers(1, n_sets + 1, n).astype(np.intc)
    items = (masks, sums, rng.random(len(masks)), group)
    best, budget, lift = float(sums[-1]) - 1, float(rng.random() * n_sets), bool(rng.random() < 0.5)
    unshared = int(rng.integers(0, 3))
    return kernel.pack(
        items, (wanted, caps), first, (must, most), unshared, best, budget, lift, 1e-14, 2000, never
    )


def pack_sum(kernel, rng):
    _, first, masks, sums = listed(rng)
    n_sets = int(rng.integers(1, 5))
    rest = np.concatenate([[0.0], np.cumsum(np.full(n_sets, sums[0]))])
    best = float(np.sum(sums[-1:])) * n_sets - 1
    return kernel.pack_sum(
        masks,
        sums,
        first,
        n_sets,
        int(rng.integers(0, 3)),
        best,
        rest,
        1e-14,
        int(rng.choice([5, 2000])),
        never,
    )


def flat(lists):
    """Lists one after the other, and where each begins."""
    first = np.cumsum([0, *map(len, lists)]).astype(np.intc)
    return first, np.array(list(chain.from_iterable(lists)), dtype=np.intc)


def symmetric(rng, n, make):
    upper = np.triu(make((n, n)), 1)
    return np.ascontiguousarray(upper + upper.T)


def random_terms(rng, n):
    """Linear terms, with pair terms or not, and with pairs that exclude each other or not."""
    pairs, conflicts = np.zeros((0, 0)), np.zeros((0, 0), dtype=np.uint8)
    if rng.random() < 0.6:
        kinds = [rng.random, rng.standard_normal, lambda shape: rng.integers(0, 3, shape).astype(float)]
        pairs = symmetric(rng, n, kinds[rng.integers(len(kinds))]) * float(rng.choice([0.1, 1.0]))
    if rng.random() < 0.4:
        conflicts = symmetric(rng, n, lambda shape: (rng.random(shape) < 0.2).astype(np.uint8))
    return rng.permutation(descending(rng, n)), pairs, conflicts


def random_rules(rng, n, r):
    """Caps, budgets and needs, of each some or none."""
    caps = some_sets(rng, n, int(rng.integers(1, n + 1)), int(rng.choice([0, 0, 1, 3])))
    first, member, _ = membership(n, caps)
    left = rng.integers(0, r + 1, len(caps)).astype(np.intc)
    costs = rng.random((int(rng.choice([0, 0, 1, 2])), n))
    room = costs[:, :r].sum(axis=1) + rng.random(len(costs))
    needs = [[] for _ in range(n)]
    if rng.random() < 0.3:
        # One that is needed needs nothing itself, so that nothing is missing from the lists.
        for j in range(0, n - 1, 3):
            needs[j] = [n - 1]
    payers = np.zeros((0, 0), dtype=np.intc)
    if len(costs) and rng.random() < 0.5:
        # Groups that are paid once, by their first feature; some features pay for themselves.
        payers = np.full(costs.shape, -1, dtype=np.intc)
        groups = rng.integers(0, 4, n)
        payers[0] = np.where(groups, [int(np.argmax(groups == group)) for group in groups], -1)
        costs[0] = np.where(groups, costs[0][payers[0]], costs[0])
        room[0] *= rng.choice([0.5, 0.7, 1.0])
    return first, member, left, costs, room, *flat(needs), payers


def group_members(kernel, rng):
    n = int(rng.integers(3, 13))
    first, member, left, *_ = random_rules(rng, n, 2)
    return kernel.incidence(len(left), n, first, member)


def sets_in_question(rng):
    n = int(rng.integers(3, 13))
    r = int(rng.integers(1, min(n, 6) + 1))
    linear = np.zeros(0)
    while not linear.any():
        linear, *others = random_terms(rng, n)
    return (linear, *others), random_rules(rng, n, r), r


def odd(positions):
    """A user's own test of a set."""
    return int(positions.sum()) % 2 == 1


def random_exact_budgets(rng, rules):
    """Budgets that a set may break if it leaves too little of one."""
    return None if rng.random() < 0.5 else ExactBudgets(rng.random(len(rules[4])), odd)


def search_sets(kernel, terms, rules, r, start, threshold, most, *, max_nodes, **options):
    """The search with named records made of plain arrays."""
    given = {name: options.pop(name) for name in ("clique_cuts", "fit", "ratio") if name in options}
    request = KernelRequest(KernelRules(*rules), r, tick=never, **options)
    objective = Objective(Terms(*terms), start, threshold, **given)
    return kernel.subset_search(request, objective, most, max_nodes)


def best_sets(kernel, rng):
    terms, rules, r = sets_in_question(rng)
    cut = -math.inf if rng.random() < 0.7 else float(np.sort(terms[0])[-r:].sum()) - rng.random()
    return search_sets(
        kernel,
        terms,
        rules,
        r,
        float(rng.choice([0.0, 1.5])),
        cut,
        int(rng.integers(1, 6)),
        keeping=True,
        clique_cuts=random_cores(rng, len(terms[0])),
        tolerance=1e-14,
        max_nodes=int(rng.choice([4, 10_000])),
        exact_budgets=random_exact_budgets(rng, rules),
        accept=odd if rng.random() < 0.3 else None,
        fitting=in_other_thirds if rng.random() < 0.3 else None,
    )


def random_fit(rng, n):
    """What features of one or two columns explain of one or two targets."""
    widths = rng.choice([1, 1, 1, 2], n)
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.intc)
    n_columns = int(first[-1])
    # Whole numbers and sums that are rounded once: the same on every processor, whatever its linear algebra does.
    X = rng.integers(-99, 100, (n_columns + 3, n_columns)).astype(float)
    X[:, 0] += X[:, -1]
    norms = np.sqrt((X * X).sum(axis=0))
    targets = rng.integers(-99, 100, (n_columns + 3, int(rng.integers(1, 3)))).astype(float)
    gram, cross = X.T @ X / norms[:, None] / norms, X.T @ targets / norms[:, None] / 1000
    inverse = inverted(gram)
    weights = np.array([[math.fsum(row * column) for column in cross.T] for row in inverse])
    explained = math.fsum((weights * cross).ravel())
    in_logs = bool(rng.random() < 0.3 and explained < 0.9)
    return FitTerms(first, gram, cross, inverse, weights, explained, 1e-12, 0.05, 2.0, in_logs)


def inverted(matrix):
    """The inverse of a symmetric matrix by elimination, which every processor does alike."""
    both = np.hstack([matrix, np.eye(len(matrix))])
    for pivot in range(len(matrix)):
        both[pivot] /= both[pivot, pivot]
        for row in range(len(matrix)):
            if row != pivot:
                both[row] -= both[row, pivot] * both[pivot]
    inverse = both[:, len(matrix) :]
    return (inverse + inverse.T) / 2


def sets_by_fit(kernel, rng):
    terms, rules, r = sets_in_question(rng)
    n = len(terms[0])
    if rng.random() < 0.6:
        terms = np.zeros(n), np.zeros((0, 0)), terms[2]
    return search_sets(
        kernel,
        terms,
        rules,
        r,
        0.0,
        -math.inf if rng.random() < 0.7 else float(rng.random()),
        int(rng.integers(1, 6)),
        keeping=bool(rng.random() < 0.7),
        fit=random_fit(rng, n),
        clique_cuts=random_cores(rng, n),
        max_nodes=int(rng.choice([4, 10_000])),
        accept=odd if rng.random() < 0.3 else None,
        fitting=in_other_thirds if rng.random() < 0.3 else None,
    )


def slack_of_fit(kernel, rng):
    terms = random_fit(rng, int(rng.integers(1, 8)))._replace(slack=float(rng.random()))
    return kernel.FitState(terms, 3).slack


def in_other_thirds(chosen, candidates, to_go):
    """A test of candidates that depends on what is chosen."""
    return (candidates % 3 != (chosen.sum() + to_go) % 3).astype(np.uint8)


def random_cores(rng, n):
    """Groups of which sets are not to have too much, if any."""
    if rng.random() < 0.5:
        return None
    first, member, _ = membership(n, some_sets(rng, n, min(n, 3), 4))
    return CliqueCutTerms(first, member, rng.integers(1, 3, 4, dtype=np.intc), rng.random(4))


def sets_to_differ_from(rng, n, most):
    sizes = rng.integers(1, most + 1, int(rng.integers(1, 5)))
    sets = [np.sort(rng.permutation(n)[:size]) for size in sizes.tolist()]
    first = np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.intc)
    return first, np.concatenate(sets).astype(np.intc)


def ask(comparison, rng, n, n_base, n_others, size):
    """Both questions, about a set of some features that grows and about the other sets."""
    every = rng.permutation(n - n_base).astype(np.intc)
    n_chosen = int(rng.integers(0, size - n_base))
    chosen, candidates = every[:n_chosen], np.sort(every[n_chosen:])
    to_go = size - n_base - n_chosen
    return (
        comparison.fitting(chosen, candidates, to_go),
        comparison.going_with(int(rng.integers(n_others)), np.arange(n_others, dtype=np.intc)),
    )


def matched(kernel, rng):
    n, n_base, size = int(rng.integers(6, 14)), int(rng.integers(0, 2)), int(rng.integers(2, 6))
    weighted = bool(rng.random() < 0.5)
    weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4), 1)
    weights = weights + weights.T + np.eye(n)
    weights = weights if weighted else (weights > 0.3).astype(float)
    first, features = sets_to_differ_from(rng, n, 5)
    limits = np.floor(rng.random() * 4) + (0.37 if weighted else 0.0) + np.zeros((7, 7))
    order = rng.permutation(n).astype(np.intc)
    growing = order[n_base:].copy(), order[:n_base].copy(), size
    comparison = kernel.Matching(weights, weighted, limits, (first, features), growing)
    return ask(comparison, rng, n, n_base, len(first) - 1, size)


def grouped(kernel, rng):
    n, n_base, size = int(rng.integers(6, 14)), int(rng.integers(0, 2)), int(rng.integers(2, 6))
    n_groups = int(rng.integers(5, 8))
    first, groups = sets_to_differ_from(rng, n_groups, 5)
    counts = np.arange(7)
    limits = np.floor(rng.random() / 2 * np.add.outer(counts, counts)).astype(np.intc)
    labels = rng.integers(0, n_groups, n).astype(np.intc)
    growing = labels[n_base:].copy(), labels[:n_base].copy()
    comparison = kernel.Grouping(n_groups, limits, (first, groups), growing)
    return ask(comparison, rng, n, n_base, len(first) - 1, size)


def listed_sets(kernel, rng):
    terms, rules, r = sets_in_question(rng)
    cut = -math.inf if rng.random() < 0.3 else float(np.sort(terms[0])[-r:].sum()) - 2 * rng.random()
    return search_sets(
        kernel,
        terms,
        rules,
        r,
        0.0,
        cut,
        int(rng.choice([70, 1000])),
        keeping=False,
        cheaper=len(rules[4]) > 0 and rng.random() < 0.5,
        clique_cuts=random_cores(rng, len(terms[0])),
        tolerance=1e-14,
        max_nodes=int(rng.choice([20, 10_000])),
        accept=odd if rng.random() < 0.3 else None,
    )


def sets_by_ratio(kernel, rng):
    """The upper part is bounded by the cut times the root of the least that the lower part can be."""
    (linear, _, conflicts), rules, r = sets_in_question(rng)
    n, linear = len(linear), np.abs(linear)
    size = r + int(rng.integers(0, 2))
    pairs = symmetric(rng, n, rng.random)
    cut = float(np.sort(linear)[-r:].sum()) / math.sqrt(size) * rng.random() / 2
    window = (-math.inf, math.inf) if rng.random() < 0.5 else (cut, float(linear.sum()) * rng.random())
    ratio = RatioTerms(linear, rng.random(n), pairs, (0.0, float(size)), window, cut)
    terms = (linear, np.zeros((0, 0)), conflicts)
    options = {"keeping": bool(rng.random() < 0.5), "max_nodes": 10_000}
    return search_sets(kernel, terms, rules, r, 0.0, cut * math.sqrt(size), 5, ratio=ratio, **options)


def sets_to_pick_from(rng):
    """Sets of two sizes, in one word of bits or in two, and what is to be shared between them."""
    n_words = int(rng.integers(1, 3))
    sizes = int(rng.integers(1, 4)) + np.arange(2)
    sets = some_sets(rng, 8, int(sizes[0]), 15) + some_sets(rng, 8, int(sizes[1]), 15)
    masks = np.zeros((len(sets), n_words), dtype=np.uint64)
    for number, chosen in enumerate(sets):
        for j in chosen:
            masks[number, j % n_words] |= np.uint64(1 << (63 - j))
    group = np.repeat(np.arange(2), 15).astype(np.intc)
    caps = np.sort(rng.integers(0, sizes[0] + 1, 3))[[[0, 1], [1, 2]]].astype(np.intc)
    return sets, masks, group, caps, int(sizes[1])


def priced_elements(rng, sets, n_sets, most):
    """Features with a price for being used too seldom or too often, if any; and what sets pay that share too little."""
    if rng.random() < 0.4:
        return *flat([[] for _ in sets]), np.zeros((0, n_sets + 1)), np.zeros(most + 1)
    n_elements = int(rng.integers(1, 9))
    usual = rng.integers(0, n_sets + 1, n_elements)
    table = rng.random(n_elements)[:, None] * np.abs(np.arange(n_sets + 1) - usual[:, None])
    unshared = np.sort(rng.random(most + 1))[::-1] * (rng.random() < 0.5)
    return *flat([[j for j in chosen if j < n_elements] for chosen in sets]), table, unshared


def pick(kernel, rng):
    sets, masks, group, caps, most = sets_to_pick_from(rng)
    n_sets = int(rng.integers(2, 5))
    qualities = rng.random(len(sets)) if rng.random() < 0.7 else rng.integers(0, 3, len(sets)).astype(float)
    summing = bool(rng.random() < 0.5)
    top = float(qualities.max())
    charges, ceiling = top - qualities, n_sets * top + rng.random()
    best = float(rng.choice([-math.inf, n_sets * top / 3]))
    if not summing:
        charges, ceiling = rng.random(len(sets)), n_sets * rng.random()
        best = float(rng.choice([-math.inf, top / 4]))
    order = np.argsort(charges if summing else -qualities, kind="stable")
    sets = [sets[number] for number in order]
    return kernel.Cliques(
        (masks[order], group[order], qualities[order], charges[order]),
        priced_elements(rng, sets, n_sets, most),
        caps,
        n_sets,
        best,
        ceiling,
        summing=summing,
        tolerance=1e-14,
        max_nodes=int(rng.choice([20, 20_000])),
        compatible=(lambda i, j: (i + j) % 3 > 0) if rng.random() < 0.25 else None,
        together=(lambda i, others: ((i + others) % 3 > 0).astype(np.uint8)) if rng.random() < 0.25 else None,
        accept=(lambda picked: bool(picked.sum() % 2)) if rng.random() < 0.25 else None,
        price=float(rng.choice([0.0, 0.1])) * summing,
        features=masks[order] if rng.random() < 0.5 else None,
        tick=never,
    ).run()


def columns_to_compare(rng):
    """Some continuous and some discrete columns, with ties, and the rows in question."""
    n_rows = int(rng.integers(2, 14))
    amounts = rng.random((n_rows, int(rng.integers(0, 4)))).round(int(rng.integers(1, 9)))
    levels = rng.integers(0, 3, (n_rows, int(rng.integers(amounts.shape[1] == 0, 4)))).astype(float)
    rows = np.sort(rng.permutation(n_rows)[: int(rng.integers(1, n_rows + 1))])
    return amounts, levels, rows


def relief_distances(kernel, rng):
    amounts, levels, rows = columns_to_compare(rng)
    found = np.zeros((len(rows), len(amounts)))
    kernel.distances(kernel.packed(amounts), kernel.packed(levels), float(rng.integers(1, 9)), rows, found)
    return found


def rows_to_compare(rng):
    amounts, levels, rows = columns_to_compare(rng)
    values = np.ascontiguousarray(np.column_stack([amounts, levels]))
    discrete = (np.arange(values.shape[1]) >= amounts.shape[1]).astype(np.uint8)
    steps = np.where(discrete, np.inf, rng.choice([0.3, np.inf]))
    keys = rng.random((len(rows), len(values))).round(1)
    return (values, rng.random(values.shape[1]) + 0.5, steps, discrete), rows, keys


def relief_differences(kernel, rng):
    table, rows, keys = rows_to_compare(rng)
    n_rows, n_columns = table[0].shape
    classes = rng.integers(0, 3, n_rows).astype(np.intc)
    shares = np.bincount(classes) / n_rows * (rng.random() < 0.5)
    target = (classes, np.zeros(0), 0.0, shares if 0 < shares.max() < 1 else np.zeros(0))
    if rng.random() < 0.4:
        target = (np.zeros(0, dtype=np.intc), rng.random(n_rows), 0.3, np.zeros(0))
    totals = np.zeros(n_columns)
    kernel.add_differences(table, target, rows, keys, int(rng.integers(1, 6)), totals)
    return totals


def relief_products(kernel, rng):
    table, rows, keys = rows_to_compare(rng)
    totals = np.zeros((3, table[0].shape[1]))
    kernel.add_products(table, rng.random(len(table[0])), rows, keys, int(rng.integers(1, 6)), totals)
    return totals


def pairs_with_holes(rng):
    """Columns, some of them with ties, and which values are missing."""
    n_rows, n_columns = int(rng.integers(2, 14)), int(rng.integers(2, 5))
    values = rng.normal(size=(n_columns, n_rows)).round(int(rng.integers(0, 4)))
    values[rng.random(values.shape) < 0.2] = np.nan
    start = int(rng.integers(n_columns))
    stop = int(rng.integers(start, n_columns + 1))
    return values, start, stop, np.zeros((2, stop - start, n_columns))


def rank_products(kernel, rng):
    values, start, stop, out = pairs_with_holes(rng)
    order = np.argsort(values, axis=1, kind="stable").astype(np.intc)
    codes = np.where(np.isnan(values), -1, np.round(values * 1000)).astype(np.intc)
    codes[codes < -1] += 1_000_000
    known = (~np.isnan(values)).sum(axis=1)
    codes[(codes == -1) & ~np.isnan(values)] = 999_999
    kernel.rank_products(codes, order, known, start, stop, *out)
    return out


def value_products(kernel, rng):
    values, start, stop, out = pairs_with_holes(rng)
    kernel.value_products(values, rng.random(values.shape[1]) + 0.1, start, stop, *out)
    return out


def concordant_pairs(kernel, rng):
    """Columns with ties and holes, times with ties; rows in the order of time, the longest first."""
    n_rows, n_columns = int(rng.integers(1, 30)), int(rng.integers(1, 4))
    codes = rng.integers(-1, n_rows, (n_columns, n_rows)).astype(np.intc)
    moments = np.sort(rng.integers(0, 8, n_rows))[::-1].astype(np.intc)
    events = (rng.random(n_rows) < 0.6).astype(np.uint8)
    for moment in set(moments.tolist()):
        events[moments == moment] = np.sort(events[moments == moment])
    out = np.zeros((2, n_columns))
    kernel.concordance(codes, moments, events, rng.random(n_rows), rng.random(n_rows), *out)
    return out


def binned_columns(kernel, rng):
    """Two columns cut and counted; cells are of any width, and values may be missing or none of the levels."""
    counted, fits = [], []
    n_rows = int(rng.integers(1, 30))
    for levels in rng.random(2) < 0.4:
        values = rng.integers(-250, 250, n_rows) / 10 ** int(rng.integers(0, 3))
        points = np.unique(values[: int(rng.integers(0, n_rows + 1))])
        if levels and rng.random() < 0.7:
            points = np.unique(values)
        values[rng.random(n_rows) < 0.2] = np.nan
        values.setflags(write=False)
        start, scale = float(points[0]) if len(points) else 0.0, float(rng.choice([0.0, 1.0, 7.3]))
        cells = np.minimum((points - start) * scale, 9).astype(np.intc)
        firsts = np.searchsorted(cells, np.arange(11)).astype(np.intc)
        codes = np.zeros(n_rows, dtype=np.intc)
        fits.append(kernel.cut(values, points, firsts, start, scale, bool(levels), codes))
        counted.append((codes, len(points) + (1 if levels else 2)))
    (one, height), (other, width) = counted
    table = np.ones((height, width), dtype=np.int64)
    kernel.count(one, other, table)
    return fits, one, other, table


def some_columns(rng, n):
    """Columns with and without ties, long tails, jitter and constants, and which of them are discrete."""
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.normal(size=n).round(1),
        lambda: np.where(rng.random(n) < 0.5, 0.0, rng.standard_cauchy(n)),
        lambda: rng.integers(0, n, n) + 1e-10 * rng.normal(size=n),
        lambda: np.zeros(n),
    ]
    return [kinds[rng.integers(len(kinds))]() for _ in range(5)], rng.random(5) < 0.4


def informations(kernel, rng):
    n = int(rng.integers(2, 60))
    columns, discrete = some_columns(rng, n)
    strict = bool(rng.random() < 0.3)
    table = sort_columns(columns, discrete, n, scaled=not strict)
    k = min(int(rng.choice([1, 3, 3, 5])), n - 1)
    numbers = np.arange(1, n + 2)
    digamma = np.append(0.0, np.cumsum(np.append(-0.5772156649015329, 1 / numbers[:-1])))
    stop = np.zeros(1, dtype=np.intc)
    pairs = kernel.Pairs(table[:7], k, strict, digamma, np.append(0.0, np.log(numbers)), stop)
    left, right = (indices.astype(np.intc) for indices in np.indices((5, 5)).reshape(2, 25))
    found = np.zeros(25)
    pairs.run(left, right, found)
    return found


def informations_with_holes(kernel, rng):
    n = int(rng.integers(2, 60))
    columns, discrete = some_columns(rng, n)
    scales = 10.0 ** rng.choice([-310, 0, 0, 0, 290], 5)
    values = np.column_stack(columns) * np.where(discrete, 1.0, scales)
    values[rng.random((n, 5)) < rng.choice([0.0, 0.2, 0.7], 5)] = np.nan
    table = sort_incomplete_columns(values, discrete, np.zeros(5, dtype=bool))
    numbers = np.arange(1, n + 2)
    digamma = np.append(0.0, np.cumsum(np.append(-0.5772156649015329, 1 / numbers[:-1])))
    stop = np.zeros(1, dtype=np.intc)
    logarithm = np.append(0.0, np.log(numbers))
    pairs = kernel.PairsWithHoles(table[:4], int(rng.choice([1, 3, 3, 5])), 4, digamma, logarithm, stop)
    left, right = (indices.astype(np.intc) for indices in np.indices((5, 5)).reshape(2, 25))
    found, shapes = np.zeros(25), np.zeros((25, 3), dtype=np.intc)
    pairs.run(left, right, found, shapes)
    assert (found.reshape(5, 5) == found.reshape(5, 5).T).all()
    return found, shapes


#: The kernel of each function, and how to call it.
CALLS = {
    "best_set": [best_set],
    "binning": [binned_columns],
    "concordance": [concordant_pairs],
    "correlations": [rank_products, value_products],
    "lexicographic": [next_set],
    "degrees": [degree_bound, degree_vectors, prefix_bound],
    "arrangement": [arrange],
    "exchanges": [deal, anneal],
    "windows": [windows],
    "packing": [pack, pack_sum],
    "linear_fit": [slack_of_fit],
    "set_rules": [group_members],
    "subset_search": [best_sets, listed_sets, sets_by_ratio, sets_by_fit],
    "clique_search": [pick],
    "set_comparison": [matched, grouped],
    "relief": [relief_distances, relief_differences, relief_products],
    "neighbours": [informations, informations_with_holes],
}


# --- The comparison -------------------------------------------------------------------------------
@pytest.fixture(params=["stand-in", pytest.param("shadow", marks=pytest.mark.slow)])
def interpreted(request, monkeypatch):
    """Load a kernel from its source, with Cython's own idea of plain Python or with ours."""
    if request.param == "shadow":
        pytest.importorskip("cython")
    else:
        monkeypatch.setitem(sys.modules, "cython", _stand_in)

    def load(name):
        spec = importlib.util.spec_from_file_location(f"interpreted_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert not module.cython.compiled
        return module

    def load_with_parts(name):
        if name == "subset_search":
            # It calls these.
            for part in ("linear_fit", "set_rules"):
                monkeypatch.setitem(sys.modules, f"altsets._kernels.{part}", load(part))
        return load(name)

    return load_with_parts


def plain(value):
    """An answer as nested lists of Python numbers, which compare exactly."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def test_every_kernel_is_compared():
    assert sorted(CALLS) == _kernels.KERNELS


def test_the_kernels_under_test_are_compiled():
    assert _kernels.INTERPRETED == []
    for name in _kernels.KERNELS:
        module = importlib.import_module(f"altsets._kernels.{name}")
        assert not module.__file__.endswith(".py")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_interpreted_and_compiled_agree(interpreted, name, call):
    slow, fast = interpreted(name), importlib.import_module(f"altsets._kernels.{name}")
    answers = []
    for seed in range(N_CASES):
        expected, found = (plain(call(kernel, np.random.default_rng([seed]))) for kernel in (fast, slow))
        assert found == expected, f"seed {seed}"
        answers.append(expected)
    # Cases that all end the same way would prove little.
    assert len({json.dumps(answer) for answer in answers}) > N_CASES / 4


def signatures(path):
    """Public functions of a module, and methods of its public classes, each with the names of its parameters."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in inside:
            if not isinstance(function, ast.FunctionDef):
                continue
            decorated = {ast.unparse(decorator) for decorator in function.decorator_list}
            private = function.name.startswith("_") and function.name != "__init__"
            if not private and "cython.cfunc" not in decorated:
                name = function.name if function is node else f"{node.name}.{function.name}"
                given = function.args
                found[name] = [argument.arg for argument in (*given.args, *given.kwonlyargs)]
    return found


@pytest.mark.parametrize("name", _kernels.KERNELS)
def test_stubs_declare_what_the_kernels_have(name):
    """Type checkers see the stub alone. Classes that only the kernel itself uses are not in it."""
    declared, there = (signatures(FOLDER / f"{name}.{suffix}") for suffix in ("pyi", "py"))
    assert declared
    assert declared == {key: there.get(key) for key in declared}
    assert [key for key in there if "." not in key and key not in declared] == []


# --- An installation without compiled kernels -----------------------------------------------------
DISTINCT = [((7 * i) % 12 + 1) ** 1.5 for i in range(12)]
TIED = [3.0] * 4 + [2.0] * 2 + [1.0] * 2 + [0.0] * 4
TOGETHER = {"n_alternatives": 3, "tau": "2/3", "search": "simultaneous"}
#: Scores and requests that reach every kernel, which the test checks.
REQUESTS = [
    (DISTINCT, {"n_features": 3, "n_alternatives": 3, "tau": "2/3"}),
    (TIED, {"n_features": 3, "n_alternatives": 3, "tau": "2/3"}),
    (DISTINCT, {"n_features": 3, **TOGETHER}),
    (TIED, {"n_features": 3, **TOGETHER}),
    (DISTINCT, {"n_features": 3, **TOGETHER, "existing": [(0, 1, 2)]}),
    (TIED, {"n_features": 3, **TOGETHER, "existing": [(0, 1, 2)]}),
    # Dealing greedily gives 7 and 5; only an exchange gives 6 and 6.
    ([3, 3, 2, 2, 2, 0], {"n_features": 3, **TOGETHER, "n_alternatives": 1, "tau": 1, "aggregation": "min"}),
    (DISTINCT, {"n_features": 3, "n_alternatives": 5, "tau": "2/3", "search": "greedy-depth"}),
    (DISTINCT, {"n_features": 3, **TOGETHER, "engine": "enumerate"}),
    (TIED, {"n_features": 2, **TOGETHER, "aggregation": "min", "engine": "enumerate"}),
]

SCRIPT = """
import importlib, json, sys, warnings
import numpy

class NoCython:
    def find_spec(self, name, path=None, target=None):
        if name.lower() == "cython":
            raise ModuleNotFoundError(name)

def counted(name, thing):
    def call(*arguments, **options):
        used.add(name)
        return thing(*arguments, **options)
    return call

sys.meta_path.insert(0, NoCython())
used = set()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from altsets import _kernels
    for name in _kernels.KERNELS:
        module = importlib.import_module("altsets._kernels." + name)
        for key, thing in list(vars(module).items()):
            if getattr(thing, "__module__", "") == module.__name__ and not key.startswith("_"):
                setattr(module, key, counted(name, thing))
    import altsets
    results = [
        altsets.find(altsets.quality.Additive(scores), **request).to_dict()
        for scores, request in json.load(sys.stdin)
    ]
    alike = altsets.dissimilarity.Matched([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]], threshold=0.9)
    apart = altsets.find(altsets.quality.Additive([4, 3, 2, 1]), 1, 1, 1, dissimilarity=alike)
    assert apart.sets == [(0,), (2,)], apart
    fits = altsets.quality.LinearFit([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], [0.6, 0.5, 0.4])
    # They were imported before their calls are counted.
    kernels = {name: sys.modules["altsets._kernels." + name] for name in ("subset_search", "linear_fit", "set_rules")}
    kernels["subset_search"].FitState = kernels["linear_fit"].FitState
    kernels["subset_search"].SetRules = kernels["set_rules"].SetRules
    assert altsets.find(fits, 2, 1, 0.5).sets == [(0, 2), (0, 1)]
    altsets.measures.pairwise([[0.0, 1.0], [1.0, None], [3.0, 2.0], [1.0, 1.0]], "spearman", warn=False)
    altsets.measures.relief([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]], [0, 1, 0, 1])
    altsets.measures.concordance([[0.5], [1.5]], altsets.io.survival_target(time=[1, 2], event=[1, 0]))
    altsets.measures.mutual_info([[0.5], [1.5], [3.0], [2.0]], [1.0, 2.5, 3.5, 7.0])
    # Only tables that are read in passes get to this.
    from altsets.measures.large.accumulators import Cuts
    assert Cuts.of_codes(3).codes(numpy.array([2.0, 0.0, 1.0])).tolist() == [2, 0, 1]
    # Only searches that take long get to this.
    from altsets.search.simultaneous.master import RestrictedMaster
    from altsets.search.subset.pricing import PricingOracle
    from altsets.search.run import Run
    problem = altsets.problem.Problem.create(8, n_features=3, n_alternatives=2, tau=2,
        dissimilarity="absolute", search="simultaneous")
    columns = RestrictedMaster(PricingOracle(altsets.quality.Additive(range(8)), problem, Run()), 3, 1)
    columns.generate_columns(-100.0, 100)
print(json.dumps({
    "results": results,
    "warnings": [[warning.category.__name__, str(warning.message)] for warning in caught],
    "interpreted": _kernels.INTERPRETED,
    "used": sorted(used),
    "leaked": "cython" in sys.modules,
}))
"""


def without_kernels(folder):
    """A copy of the package as it is where nothing could be compiled."""
    package = Path(altsets.__file__).parent
    shutil.copytree(
        package, folder / "altsets", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    )
    return folder


@pytest.mark.slow
def test_everything_works_without_compiled_kernels_and_cython(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(without_kernels(tmp_path))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(REQUESTS),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=900,
    )
    told = json.loads(done.stdout)
    assert told["interpreted"] == told["used"] == _kernels.KERNELS
    assert [category for category, _ in told["warnings"]] == ["RuntimeWarning"]
    assert "compiler" in told["warnings"][0][1]
    assert not told["leaked"], "the stand-in must not pass for Cython elsewhere"
    expected = [
        altsets.find(altsets.quality.Additive(scores), **request).to_dict() for scores, request in REQUESTS
    ]
    for result in [*told["results"], *expected]:
        del result["timing"]
    assert told["results"] == json.loads(json.dumps(expected))


def test_a_missing_compiler_does_not_stop_the_installation(monkeypatch):
    setuptools = pytest.importorskip("setuptools")
    building = pytest.importorskip("Cython.Build")
    if not (ROOT / "src").exists():
        pytest.skip("a wheel is tested without the source tree")
    told = {}
    monkeypatch.setattr(setuptools, "setup", lambda **options: told.update(options))
    # Like the real one it makes new extensions; unlike it, it takes no time.
    monkeypatch.setattr(
        building, "cythonize", lambda given, **_: [setuptools.Extension(e.name, e.sources) for e in given]
    )
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    assert [extension.name for extension in told["ext_modules"]] == [
        f"altsets._kernels.{name}" for name in _kernels.KERNELS
    ]
    assert all(extension.optional for extension in told["ext_modules"])


# --- Numbers that have to fit ---------------------------------------------------------------------
def test_picking_from_ties_for_more_sets_than_a_number_has_bits():
    """All pairs of nine equal features. Were members told apart by a bit for each set, the sanitizer would complain."""
    kernel = importlib.import_module("altsets._kernels.packing")
    masks, sums, first = np.array([3], dtype=np.uint64), np.array([2.0]), np.array([0, 9], dtype=np.intc)
    rest = 2.0 * np.arange(37)
    sets, _, finished, _ = kernel.pack_sum(masks, sums, first, 36, 1, 71.0, rest, 1e-9, 10_000, never)
    assert finished
    assert len({int(mask) for mask in sets}) == 36
    assert all(int(mask).bit_count() == 2 for mask in sets)


def test_more_shared_features_than_two_billion():
    """What three pairs of sets may share does not fit into 32 bits."""
    kernel = importlib.import_module("altsets._kernels.degrees")
    rooms, slack = np.full(3, 2, dtype=np.intc), np.full((3, 3), 1 << 30, dtype=np.intc)
    bound, _ = kernel.prefix_bound(np.array([2.0, 1.0, 0.5]), np.zeros(3), rooms, slack)
    assert bound == 3.0
