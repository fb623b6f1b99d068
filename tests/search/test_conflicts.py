"""Which constraints clash: named in one sentence, proven, and none too many."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from checks import Request
from random_requests import random_constraints, random_existing, random_limit, random_numbers

import altsets
from altsets import Status, quality
from altsets.constraints import AtLeast, AtMost, Budget, Exclusive, Forbid, Implies, Require, Size
from altsets.result.reasons import CONFLICTS, PRE_FILTER
from altsets.search.diagnosis import find_conflict
from altsets.search.run import Run

NAMES = ["age", "sex", "bmi", "bp", "id", "phone"]
SIX = quality.Additive([6, 5, 4, 3, 2, 1], feature_names=NAMES)
#: The first four exclude each other; the last one is not relevant enough.
DEPENDENCY = np.zeros((6, 6))
DEPENDENCY[:4, :4] = 1.0
FILTERED = quality.FCBF([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], DEPENDENCY, min_relevance=0.45, feature_names=NAMES)

#: Constraints, of sets of three features, of which no set keeps all.
CLASHES = {
    "two": [Require("age"), Forbid(["id", "age"])],
    "three": [Require("age"), Implies("age", "sex"), Forbid("sex")],
    "four": [AtLeast(2, NAMES[:3]), Implies("age", "phone"), Exclusive(["sex", "bmi"]), Forbid("phone")],
    "cost": [Require(NAMES[:3]), Budget({"age": 1, "bmi": 1.5}, 2)],
    "groups": [AtLeast(2, NAMES[:3]), AtMost(1, NAMES[:4])],
    "sizes": [Size(2, 3), Size(4, 5)],
    "a size that is a constraint": [Size(2, 3), Require(NAMES[:4])],
    "the size": [AtMost(1, NAMES)],
    "the size and two": [AtLeast(2, NAMES[:3]), AtLeast(2, NAMES[3:])],
    "too many": [Require(NAMES[:4])],
    "too few left": [Forbid(NAMES[:4])],
    "nothing left": [Forbid(NAMES)],
    "too dear": [Budget([3] * 6, 2)],
}
SEARCHES = ("sequential", "simultaneous")


def reasons(given, searches=SEARCHES, engines=("auto",), **options):
    """What all searches say about an impossible request."""
    found = {"n_features": 3, "n_alternatives": 2} | options
    results = [
        altsets.find(SIX, constraints=given, search=search, engine=engine, **found)
        for search, engine in itertools.product(searches, engines)
    ]
    assert {result.status for result in results} == {Status.INFEASIBLE}
    assert all(result.reason in result.explain() for result in results)
    return {result.reason for result in results}


@pytest.mark.parametrize("name", CLASHES)
def test_the_sentence(name, snapshot):
    # What is beside the point is not named.
    harmless = [Implies("phone", "phone"), AtLeast(0, ["id"]), Budget([1] * 6, 10)]
    (said,) = {
        said
        for given in (CLASHES[name], [*harmless, *CLASHES[name]])
        for said in reasons(given, engines=("auto", "milp"))
    }
    assert said == snapshot


@pytest.mark.parametrize(("constraints", "n_features"), [
    ([Require(["age", "sex"])], 3), ([Require("phone")], 2), ([Forbid("id")], 2), ([], 4), ([], 3),
])  # fmt: skip
def test_what_the_quality_rules_out(constraints, n_features, snapshot):
    result = altsets.find(FILTERED, n_features=n_features, n_alternatives=1, constraints=constraints)
    assert result.reason == snapshot


def other_first(first, second):
    return float(first[0] != second[0])


@pytest.mark.parametrize(("constraints", "existing", "options"), [
    ([AtMost(2, ["bp", "id"]), Require("age")], [(0, 1, 2)], {"tau": 1}),
    ([Require("sex"), Forbid("id")], [(3, 4), (1, 2), (3, 5)], {"tau": 1, "n_features": 1}),
    ([Forbid(["age", "bmi", "id"])], [(3,), (2,), (1, 5)], {"tau": 1, "dissimilarity": "absolute", "n_features": 1}),
    ([AtLeast(2, NAMES[:3])], [(0, 1, 2), (3, 4, 5)], {"tau": 1}),
    ([Size(2, 3), Require("age")], [(0, 1)], {"dissimilarity": other_first}),
])  # fmt: skip
def test_with_existing_sets(constraints, existing, options, snapshot):
    (said,) = reasons(constraints, existing=existing, n_alternatives=1, **options)
    assert said == snapshot


def test_too_few_sets_is_no_clash(snapshot):
    result = altsets.find(SIX, n_features=3, tau=1, constraints=Require("age"), search="simultaneous")
    assert result.status is Status.INFEASIBLE
    assert result.reason == snapshot
    in_turn = altsets.find(SIX, n_features=3, tau=1, constraints=Require("age"))
    assert len(in_turn.sets) == 1
    assert in_turn.reason == result.reason


def test_a_heuristic_says_so_too(snapshot):
    result = altsets.find(
        SIX, n_features=3, search="greedy-depth", constraints=[Require("age"), Forbid("age")]
    )
    assert result.status is Status.NOT_FOUND
    assert result.reason == snapshot


# --- Few of many ---------------------------------------------------------------------------------------
def test_three_of_many():
    n = 120
    good = quality.Additive(np.arange(n, 0.0, -1.0))
    harmless = [Implies(j, j + 1) for j in range(0, n - 2, 2)] + [
        AtMost(9, range(j, j + 10)) for j in range(50)
    ]
    clashing = [Require(30), Implies(31, 77), Exclusive([77, 30])]
    order = np.random.default_rng(0).permutation(len(harmless) + len(clashing))
    mixed = [[*harmless, *clashing][j] for j in order]
    result = altsets.find(good, n_features=8, n_alternatives=0, constraints=mixed)
    # From 30 to 31 by an implication that only looked harmless.
    named = result.reason.removeprefix("These constraints clash: ").removesuffix(".").split("; ")
    assert sorted(named) == ["exclusive {x30, x77}", "if x30 then x31", "if x31 then x77", "require x30"]


def test_where_only_counting_helps(snapshot):
    n = 180
    groups = [range(start, n, 9) for start in range(9)]
    for search in ("sequential", "simultaneous"):
        result = altsets.find(
            quality.Additive(np.linspace(1, 2, n)),
            n_features=10,
            n_alternatives=1,
            search=search,
            constraints=[Exclusive(group) for group in groups],
        )
        assert result.status is Status.INFEASIBLE
        assert result.reason == snapshot
        assert result.reason.endswith("; and 4 more.")


def test_out_of_time_nothing_is_claimed():
    request = Request((3.0, 2.0, 1.0), 2, 0, constraints=(("require", (0,)), ("forbid", (0,))))
    with Run(0.0) as run:
        assert find_conflict(request.quality, request.problem, run) is None


def test_cut_short_the_claim_still_holds():
    """A run that stops after some questions leaves conditions in, never out."""
    chain = [("implies", j, j + 1) for j in range(5)]
    clashing = (*chain, ("require", (0,)), ("forbid", (5,)), ("at_most", 1, (1, 3)))
    request = Request(tuple(range(6)), 3, 0, constraints=clashing)
    lengths = set()
    for n_questions in range(1, 40, 3):
        clash = find_conflict(request.quality, request.problem, ShortRun(n_questions))
        if clash is not None:
            lengths.add(len(clash.constraints))
            assert not exists(request, clash.constraints, ["size"], ())
    assert len(lengths) > 1


class ShortRun(Run):
    """A run that is over after so many questions."""

    def __init__(self, n_questions):
        super().__init__()
        self.left = n_questions

    @property
    def stopped(self):
        self.left -= 1
        return self.left < 0


# --- Brute force --------------------------------------------------------------------------------------
def exists(request, constraints, words, existing):
    """Whether some set meets these conditions, by trying all sets."""
    oracle, n = request.oracle, len(request.scores)
    for size in range(1, n + 1):
        if "size" in words and not oracle.k_min <= size <= oracle.k_max:
            continue
        for chosen in itertools.combinations(range(n), size):
            if (
                all(constraint.holds(chosen) for constraint in constraints)
                and not ruled_out(request, words, chosen)
                and all(oracle.compatible(chosen, request.existing[number]) for number in existing)
            ):
                return True
    return False


def ruled_out(request, words, chosen):
    scores, matrix = request.scores, request.matrix
    if PRE_FILTER in words and any(scores[j] < request.min_relevance for j in chosen):
        return True
    return CONFLICTS in words and any(scores[i] <= matrix[i][j] for i in chosen for j in chosen if i != j)


def crowded(rng, *, own):
    """A small request with many constraints, and now and then with a dissimilarity of one's ``own``."""
    n = int(rng.integers(2, 8))
    k = int(rng.integers(1, min(n, 4) + 1))
    own = own and rng.random() < 0.2
    several = [random_constraints(rng, n, k, 99) for _ in range(rng.integers(1, 3))]
    return Request(
        n_features=k,
        n_alternatives=0,
        dissimilarity="another first feature" if own else "dice",
        existing=random_existing(rng, n, k),
        constraints=tuple(itertools.chain(*several)),
        **random_limit(rng, k, own),
        **random_numbers(rng, n),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "n_requests"), [(False, 350), (True, 400)])
def test_against_brute_force(solver, n_requests, monkeypatch):
    if solver:
        monkeypatch.setattr("altsets.search.milp.engine.MAX_SIZES", 0)
    rng = np.random.default_rng(2)
    seen = Counter()
    for _ in range(n_requests):
        request = crowded(rng, own=not solver)
        if solver and any(kind == "custom" for kind, *_ in request.constraints):
            # The solver sees no complete sets.
            continue
        with Run() as run:
            clash = find_conflict(request.quality, request.problem, run)
        if clash is None:
            seen["none"] += 1
            assert request.oracle.next_best() is not None
            continue
        words = [*clash.own, *(["size"] if clash.sizes is not None else [])]
        seen[len(clash.constraints), bool(words), bool(clash.existing)] += 1
        assert not exists(request, clash.constraints, words, clash.existing)
        for left in range(len(clash.constraints)):
            others = clash.constraints[:left] + clash.constraints[left + 1 :]
            assert exists(request, others, words, clash.existing)
        for number in clash.existing:
            assert exists(request, clash.constraints, words, set(clash.existing) - {number})
        for word in words:
            # How sets differ depends on their size, so that it stays where existing sets take part.
            if word != "size" or not clash.existing:
                assert exists(request, clash.constraints, set(words) - {word}, clash.existing)
    for kind in (
        "none",
        (2, False, False),
        (3, False, False),
        (1, True, False),
        (2, True, False),
        (1, True, True),
    ):
        assert seen[kind], f"{kind} in {seen}"
