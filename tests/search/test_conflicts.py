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
from altsets.search.diagnosis import CONFLICTS, PRE_FILTER, find_conflict
from altsets.search.run import Run

NAMES = ["age", "sex", "bmi", "bp", "id", "phone"]
SIX = quality.Additive([6, 5, 4, 3, 2, 1], feature_names=NAMES)
#: The first four exclude each other; the last one is not relevant enough.
DEPENDENCY = np.zeros((6, 6))
DEPENDENCY[:4, :4] = 1.0
FILTERED = quality.FCBF([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], DEPENDENCY, min_relevance=0.45, feature_names=NAMES)

CLASHES = {
    "two": ([Require("age"), Forbid(["id", "age"])], "These constraints clash: require age; forbid age, id."),
    "three": (
        [Require("age"), Implies("age", "sex"), Forbid("sex")],
        "These constraints clash: require age; if age then sex; forbid sex.",
    ),
    "four": (
        [AtLeast(2, NAMES[:3]), Implies("age", "phone"), Exclusive(["sex", "bmi"]), Forbid("phone")],
        "These constraints clash: at least 2 of {age, sex, bmi}; if age then phone; exclusive {sex, bmi}; "
        "forbid phone.",
    ),
    "cost": (
        [Require(NAMES[:3]), Budget({"age": 1, "bmi": 1.5}, 2)],
        "These constraints clash: require age, sex, bmi; budget 2.",
    ),
    "groups": (
        [AtLeast(2, NAMES[:3]), AtMost(1, NAMES[:4])],
        "These constraints clash: at least 2 of {age, sex, bmi}; at most 1 of {age, sex, bmi, bp}.",
    ),
    "sizes": ([Size(2, 3), Size(4, 5)], "These constraints clash: size 2 to 3; size 4 to 5."),
    "a size that is a constraint": (
        [Size(2, 3), Require(NAMES[:4])],
        "These constraints clash: size 2 to 3; require age, sex, bmi, bp.",
    ),
    "the size": (
        [AtMost(1, NAMES)],
        "No set of 3 features keeps to this constraint: at most 1 of {age, sex, bmi, bp, id, phone}.",
    ),
    "the size and two": (
        [AtLeast(2, NAMES[:3]), AtLeast(2, NAMES[3:])],
        "No set of 3 features keeps to these constraints: at least 2 of {age, sex, bmi}; "
        "at least 2 of {bp, id, phone}.",
    ),
    "too many": (
        [Require(NAMES[:4])],
        "No set of 3 features keeps to this constraint: require age, sex, bmi, bp.",
    ),
    "too few left": (
        [Forbid(NAMES[:4])],
        "No set of 3 features keeps to this constraint: forbid age, sex, bmi, bp.",
    ),
    "nothing left": (
        [Forbid(NAMES)],
        "No set keeps to this constraint: forbid age, sex, bmi, bp, id, phone.",
    ),
    "too dear": ([Budget([3] * 6, 2)], "No set keeps to this constraint: budget 2."),
}


@pytest.mark.parametrize("name", CLASHES)
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("engine", ["auto", "milp"])
def test_the_sentence(name, search, engine):
    clashing, sentence = CLASHES[name]
    # What is beside the point is not named.
    harmless = [Implies("phone", "phone"), AtLeast(0, ["id"]), Budget([1] * 6, 10)]
    for constraints in (clashing, [*harmless, *clashing]):
        result = altsets.find(
            SIX, n_features=3, n_alternatives=2, constraints=constraints, search=search, engine=engine
        )
        assert result.status is Status.INFEASIBLE
        assert result.reason == sentence
        assert sentence in result.explain()


@pytest.mark.parametrize(
    ("constraints", "n_features", "sentence"),
    [
        (
            [Require(["age", "sex"])],
            3,
            "No set without the quality's own conflicts keeps to this constraint: require age, sex.",
        ),
        (
            [Require("phone")],
            2,
            "No set within the quality's pre-filter keeps to this constraint: require phone.",
        ),
        (
            [Forbid("id")],
            2,
            "No set of 2 features within the quality's pre-filter and without the quality's own conflicts keeps to "
            "this constraint: forbid id.",
        ),
        (
            [],
            4,
            "There is no set of 4 features without the quality's own conflicts.",
        ),
        (
            [],
            3,
            "There is no set of 3 features within the quality's pre-filter and without the quality's own conflicts.",
        ),
    ],
)
def test_what_the_quality_rules_out(constraints, n_features, sentence):
    result = altsets.find(FILTERED, n_features=n_features, n_alternatives=1, constraints=constraints)
    assert result.reason == sentence


def other_first(first, second):
    return float(first[0] != second[0])


@pytest.mark.parametrize(
    ("constraints", "existing", "options", "sentence"),
    [
        (
            [AtMost(2, ["bp", "id"]), Require("age")],
            [(0, 1, 2)],
            {"tau": 1},
            "No set of 3 features that differs enough from the existing set keeps to this constraint: require age.",
        ),
        (
            [Require("sex"), Forbid("id")],
            [(3, 4), (1, 2), (3, 5)],
            {"tau": 1, "n_features": 1},
            "No set of 1 feature that differs enough from existing set 1 keeps to this constraint: require sex.",
        ),
        (
            [Forbid(["age", "bmi", "id"])],
            [(3,), (2,), (1, 5)],
            {"tau": 1, "dissimilarity": "absolute", "n_features": 1},
            "No set of 1 feature that differs enough from existing sets 0 and 2 keeps to this constraint: "
            "forbid age, bmi, id.",
        ),
        (
            [AtLeast(2, NAMES[:3])],
            [(0, 1, 2), (3, 4, 5)],
            {"tau": 1},
            "There is no set of 3 features that differs enough from the existing sets.",
        ),
        (
            [Size(2, 3), Require("age")],
            [(0, 1)],
            {"dissimilarity": other_first},
            "No set of 2 to 3 features that differs enough from the existing set keeps to this constraint: "
            "require age.",
        ),
    ],
)
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_with_existing_sets(constraints, existing, options, sentence, search):
    options = {"n_features": 3, "n_alternatives": 1, "search": search, **options}
    result = altsets.find(SIX, constraints=constraints, existing=existing, **options)
    assert result.status is Status.INFEASIBLE
    assert result.reason == sentence


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


def test_on_the_command_line(run, table, snapshot):
    code, out, err = run("find", table, "--target", "y", "-k", 2, "--require", "a", "--forbid", "a,b")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert err == snapshot
    assert "proven" in err.lower()


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
