"""Declared groups of features: compared, paid for once and lost, against brute force; refused, written and read."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import Request, Session, constraints, quality
from altsets.dissimilarity import Grouped
from altsets.errors import InputError

N = 7
NAMES = ["l__mean", "l__max", "r__mean", "r__max", "r__min", "age", "top"]
BY_FEATURE = {"l__mean": "l", "l__max": "l", "r__mean": "r", "r__max": "r", "r__min": "r"}
#: The same groups in every form.
FORMS = [
    BY_FEATURE,
    {"l": ["l__mean", "l__max"], "r": ["r__*"]},
    [["l__mean", 1], [2, 3, 4]],
    pd.Series(BY_FEATURE),
    Grouped(BY_FEATURE),
    "__",
]
GROUP_OF = [0, 0, 1, 1, 1, 2, 3]
BUDGET = constraints.Budget({"l": 3, "r": 4, "age": 1, "top": 2}, 5)


def scored(seed=0):
    return quality.Additive(np.random.default_rng(seed).integers(1, 20, N), feature_names=NAMES)


def touched(chosen):
    return {GROUP_OF[index] for index in chosen}


def different(first, second, tau):
    one, other = touched(first), touched(second)
    return 1 - 2 * len(one & other) / (len(one) + len(other)) >= tau - 1e-9


def paid(chosen):
    return sum({0: 3, 1: 4, 2: 1, 3: 2}[group] for group in touched(chosen))


def every(k, limit=np.inf):
    return [chosen for chosen in itertools.combinations(range(N), k) if paid(chosen) <= limit]


@pytest.mark.parametrize("groups", FORMS, ids=str)
@pytest.mark.parametrize("tau", [0.3, 0.6, 1])
def test_two_sets_that_differ_in_groups_by_brute_force(groups, tau):
    values = scored()
    best = max(
        (
            values.evaluate(first) + values.evaluate(second)
            for first, second in itertools.combinations(every(2), 2)
            if different(first, second, tau)
        ),
    )
    asked = {"n_features": 2, "n_alternatives": 1, "tau": tau, "feature_groups": groups}
    found = altsets.find(values, **asked, dissimilarity="groups", search="simultaneous")
    assert (found.status, found.objective) == ("optimal", best)
    in_turn = altsets.find(values, **asked, dissimilarity="groups")
    after = [one for one in every(2) if different(one, in_turn.sets[0], tau)]
    assert in_turn.qualities == [max(map(values.evaluate, every(2))), max(map(values.evaluate, after))]


@pytest.mark.parametrize("groups", FORMS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_budget_pays_for_a_group_once_by_brute_force(groups, seed):
    values = scored(seed)
    # Lists have no names that could have a cost.
    by_name = not isinstance(groups, list)
    budget = BUDGET if by_name else constraints.Budget([3, 3, 4, 4, 4, 1, 2], 5)
    found = altsets.find(values, 3, 0, constraints=budget, feature_groups=groups)
    assert found.qualities == [max(map(values.evaluate, every(3, 5)))]
    assert found.costs == [(float(paid(found.sets[0])),)]
    near = altsets.near_best(values, 3, within=0.3, constraints=budget, feature_groups=groups)
    assert near.count == sum(values.evaluate(one) >= 0.7 * found.qualities[0] for one in every(3, 5))


def test_all_sets_together_pay_for_a_group_once():
    values = scored()
    total = constraints.TotalBudget({"l": 3, "r": 4, "age": 1, "top": 2}, 5)
    asked = {"n_features": 2, "n_alternatives": 1, "tau": 0.5, "search": "simultaneous"}
    found = altsets.find(values, **asked, constraints=total, feature_groups="__")
    pairs = [
        (first, second)
        for first, second in itertools.combinations(every(2), 2)
        if len({*first, *second}) >= 3 and paid({*first, *second}) <= 5
    ]
    assert found.objective == max(sum(map(values.evaluate, pair)) for pair in pairs)


def test_groups_of_its_own_come_before_declared_ones():
    own = constraints.Budget([1] * N, 1, groups=[[5, 6]])
    found = altsets.find(scored(), 2, 1, constraints=own, feature_groups="__", dissimilarity="groups", tau=0)
    assert found.sets == [(5, 6), (5, 6)]


@pytest.mark.parametrize("groups", FORMS, ids=str)
@pytest.mark.parametrize("k", [1, 3])
def test_a_frontier_against_costs_of_groups_by_brute_force(groups, k):
    values = scored(1)
    costs = [3, 3, 4, 4, 4, 1, 2] if isinstance(groups, list) else {"l": 3, "r": 4, "age": 1, "top": 2}
    front: dict[float, float] = {}
    for one in sorted(every(k), key=lambda one: (paid(one), -values.evaluate(one))):
        if values.evaluate(one) > max(front.values(), default=0):
            front[paid(one)] = values.evaluate(one)
    curve = altsets.frontier(values, k, against=costs, feature_groups=groups)
    assert curve.complete
    assert {point.against: point.quality for point in curve} == front


def test_a_frontier_over_tau_compares_groups():
    curve = altsets.frontier(scored(), 2, 1, feature_groups="__", dissimilarity="groups")
    for point in curve:
        asked = {"tau": point.tau, "feature_groups": "__", "dissimilarity": "groups"}
        assert altsets.find(scored(), 2, 1, **asked).qualities == point.result.qualities


def test_a_frontier_against_costs_also_compares_groups():
    asked = {"feature_groups": "__", "dissimilarity": "groups"}
    curve = altsets.frontier(scored(), 2, 1, 1, against={"l": 3, "r": 4, "age": 1, "top": 2}, **asked)
    assert all(different(*point.result.sets, 1) for point in curve)
    assert [point.against for point in curve] == [max(map(paid, point.result.sets)) for point in curve]


def test_what_if_loses_the_groups_of_the_search():
    result = altsets.find(scored(), 3, 0, constraints=BUDGET, feature_groups=BY_FEATURE)
    losses = altsets.what_if(scored(), result).losses
    assert {loss.name for loss in losses} == {
        {0: "l", 1: "r", 2: "age", 3: "top"}[group] for group in touched(result.sets[0])
    }
    for loss in losses:
        others = [one for one in every(3, 5) if touched(loss.features).isdisjoint(touched(one))]
        assert loss.quality == pytest.approx(max(map(scored().evaluate, others), default=np.nan), nan_ok=True)
    (named,) = altsets.what_if(scored(), result, feature_groups="r").losses
    assert named.features == (2, 3, 4)


@pytest.mark.parametrize("groups", [{"a": ["l__mean"], "b": "age"}, {"l__mean": "a", "age": "b"}, [[0], [5]]])
def test_what_if_takes_groups_in_every_form(groups):
    result = altsets.find(scored(), 3, 0)
    losses = altsets.what_if(scored(), result, feature_groups=groups).losses
    assert [loss.features for loss in losses] == [(0,), (5,)]


def test_all_entrances_give_the_same_sets():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, N)), columns=NAMES)
    y = (X["l__mean"] + X["age"] + X["r__max"] > 0).astype(int)
    asked = {"n_features": 2, "tau": 1, "feature_groups": BY_FEATURE, "dissimilarity": "groups"}
    result = altsets.find("f", n_alternatives=1, X=X, y=y, **asked)
    assert different(*result.sets, 1)
    selector = altsets.SelectAlternatives("f", n_alternatives=1, **asked).fit(X, y)
    session = Session(X, y, "f", n_alternatives=1, **asked)
    in_turn = altsets.iterate("f", n_alternatives=1, X=X, y=y, **asked)
    expected = result.named_sets
    assert [list(one.names) for one in selector.alternatives_] == [list(one) for one in expected]
    assert selector.dissimilarities_[0, 1] == 1
    assert session.sets == expected
    assert [one.named_sets[0] for one in in_turn] == expected
    session.set(distinct=0.9)
    assert session.request.feature_groups is None
    assert session.set(distinct=None).request.dissimilarity == "groups"
    assert session.sets == expected


@pytest.mark.parametrize("asked", [{}, {"constraints": constraints.Budget([1] * N, 2, groups=[[0, 1]])}])
def test_groups_that_nothing_uses_are_refused(asked):
    with pytest.raises(InputError, match="feature_groups has no use here"):
        altsets.find(scored(), feature_groups="__", **asked)
    with pytest.raises(ValueError, match="feature_groups has no use here"):
        altsets.frontier(scored(), against=scored(1), feature_groups="__", **asked)


@pytest.mark.parametrize(("groups", "message"), [
    (None, "dissimilarity='?groups'? compares groups of features; declare them with feature_groups"),
    ("#", "feature_groups: no name such as 'l__mean' has '#' in it"),
    ("", "feature_groups: the separator is ''"),
    ({"x": "l"}, "feature_groups names 'x', which is not a feature"),
    ({}, "feature_groups has no groups"),
    (["age", "top"], r"feature_groups takes groups of features, not \['age', 'top'\]"),
    ([["age"], ["age"]], "feature_groups: 'age' is in two groups, 0 and 1"),
])  # fmt: skip
def test_groups_that_make_no_sense_are_refused(groups, message):
    with pytest.raises(InputError, match=message):
        altsets.find(scored(), 2, 1, feature_groups=groups, dissimilarity="groups")


@pytest.mark.parametrize("groups", FORMS, ids=str)
def test_they_are_written_and_read(groups):
    budget = constraints.Budget({"l__mean": 3, "r__min": 4, "age": 1, "top": 2}, 5)
    request = Request(quality="f", constraints=budget, feature_groups=groups, dissimilarity="groups")
    again = Request.from_json(request.to_json())
    assert again == request
    assert again.to_json() == request.to_json()
    (budget,) = again.bind(NAMES).constraints
    assert budget.costs == (3, 3, 4, 4, 4, 1, 2)
    assert again.bind(NAMES).dissimilarity((0, 1), (2, 5)) == 1
    space: dict[str, Any] = {}
    exec(request.to_python().replace("selector.fit(X, y)", ""), space)
    assert Request(feature_groups=space["selector"].feature_groups, dissimilarity="groups") == Request(
        feature_groups=groups, dissimilarity="groups"
    )


def test_the_command_has_the_text_that_divides_names():
    request = Request(n_features=2, quality="f", feature_groups="__", dissimilarity="groups")
    command = request.to_command()
    assert "--feature-groups-by=__ --dissimilarity=groups" in command
    with pytest.raises(altsets.errors.NotExpressedError, match="takes a file"):
        Request(feature_groups=BY_FEATURE, dissimilarity="groups", quality="f").to_command()
