"""Conditions on sets: what they mean, what they say, and what they refuse."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import Status, quality
from altsets.constraints import (
    AtLeast,
    AtMost,
    Budget,
    Constraint,
    Exclusive,
    Forbid,
    Implies,
    Linear,
    MaxSimilarity,
    Require,
    Size,
    Together,
)
from altsets.dissimilarity import Grouped
from altsets.errors import AltsetsError, InputError
from altsets.features import FeatureNames

NAMES = ["age", "sex", "id", "g1", "g2", "g3"]

#: One of each kind, by names and by indices.
EXAMPLES = [
    (Require("age"), Require(0), "require age"),
    (Require(["sex", "age"]), Require([0, 1]), "require age, sex"),
    (Forbid("id"), Forbid(2), "forbid id"),
    (AtMost(1, ["g3", "g1", "g2"]), AtMost(1, (3, 4, 5)), "at most 1 of {g1, g2, g3}"),
    (AtLeast(2, {"g1", "g2", "age"}), AtLeast(2, [4, 0, 3]), "at least 2 of {age, g1, g2}"),
    (Exclusive(["g1", "age"]), Exclusive([0, 3]), "exclusive {age, g1}"),
    (Implies("g2", "g1"), Implies(4, 3), "if g2 then g1"),
    (Together(["g2", "age"]), Together([0, 4]), "all or none of {age, g2}"),
    (Budget({"age": 2, "g1": 20.5}, 20), Budget([2, 0, 0, 20.5, 0, 0], 20), "budget 20"),
    (
        Budget({"gene": 3, "age": 1}, 4, groups={"g1": "gene", "g2": "gene"}),
        Budget([1, 0, 0, 3, 3, 0], 4, groups=[[3, 4]]),
        "budget 4, each group paid once",
    ),
    (
        Linear({"age": -2, "g1": 0.5}, lower=-1),
        Linear([-2, 0, 0, 0.5, 0, 0], -1),
        "sum of coefficients at least -1",
    ),
    (Linear({"sex": 1}, upper=0.25), Linear({1: 1}, None, 0.25), "sum of coefficients at most 0.25"),
    (Linear({"sex": 1}, -1, 2), Linear([0, 1, 0, 0, 0, 0], -1, 2), "sum of coefficients from -1 to 2"),
    (
        MaxSimilarity(np.eye(6), 0.9),
        MaxSimilarity(np.eye(6).tolist(), 0.9),
        "no two features more alike than 0.9",
    ),
    (Size(2, 4), Size(2, 4), "size 2 to 4"),
    (Size(3, 3), Size(3, 3), "size 3"),
]
KINDS = pytest.mark.parametrize(
    ("by_name", "by_index", "words"), EXAMPLES, ids=[words for *_, words in EXAMPLES]
)


@KINDS
def test_names_and_indices_mean_the_same(by_name, by_index, words):
    resolved = by_name.resolve(NAMES)
    assert resolved == by_index.resolve(NAMES)
    assert resolved.resolve(NAMES) == resolved
    assert hash(resolved) == hash(by_index.resolve(NAMES))
    assert resolved.describe(NAMES) == words
    assert isinstance(resolved, Constraint)


@KINDS
def test_plain_values_only(by_name, by_index, words):
    resolved = by_name.resolve(NAMES)
    plain = resolved.as_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["kind"] == resolved.kind
    assert pickle.loads(pickle.dumps(resolved)) == resolved


@KINDS
def test_constraints_cannot_be_changed(by_name, by_index, words):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(by_name, dataclasses.fields(by_name)[0].name, 1)


def test_resolved_fields_are_sorted_indices():
    assert Require(["g1", 0, "age"]).resolve(NAMES).features == (0, 3)
    assert Forbid(np.array([5, 1])).resolve(NAMES).features == (1, 5)
    assert AtMost(np.int64(2), pd.Index(["g2", "g1"])).resolve(NAMES) == AtMost(2, (3, 4))
    implied = Implies("g2", np.int64(3)).resolve(NAMES)
    assert (implied.feature, implied.needed) == (4, 3)
    assert type(implied.needed) is int
    assert Exclusive(f"g{number}" for number in (3, 2)).resolve(NAMES).group == (4, 5)


@pytest.mark.parametrize("costs", [
    [1, 0, 0, 2.5, 0, 0], np.array([1, 0, 0, 2.5, 0, 0]), {"age": 1, "g1": 2.5},
    {0: Fraction(1), 3: np.float32(2.5)}, {"age": 1, 3: 2.5, "sex": 0},
    pd.Series([2.5, 1], index=["g1", "age"]),
    pd.Series([1, 0, 0, 2.5, 0, 0]),
])  # fmt: skip
def test_costs_in_any_form(costs):
    budget = Budget(costs, np.float64(3)).resolve(NAMES)
    assert budget.costs == (1.0, 0.0, 0.0, 2.5, 0.0, 0.0)
    assert {type(cost) for cost in budget.costs} == {float}
    assert budget.as_dict() == {"kind": "budget", "limit": 3.0, "features": [0, 3], "costs": [1.0, 2.5]}


@pytest.mark.parametrize(
    ("costs", "groups"),
    [
        ([1, 0, 0, 3, 3, 2], [["g1", "g2"]]),
        ({"age": 1, "gene": 3, "g3": 2}, {"g1": "gene", "g2": "gene"}),
        ({"age": 1, "g1": 3, "g3": 2}, {3: "gene", 4: "gene", "id": None}),
        ({"age": 1, "g2": 3, 3: 3, "other": 2}, {"g1": "gene", "g2": "gene", "g3": "other"}),
        ({"age": 1, "gene": 3, "g3": 2}, Grouped({"g1": "gene", "g2": "gene"})),
        (pd.Series({"age": 1, "gene": 3, "g3": 2}), pd.Series({"g1": "gene", "g2": "gene"})),
        ({"age": 1, 3: 3, "g3": 2}, [(3, 4), ["age"]]),
        # A group may be called as one of its features.
        ({"age": 1, "g1": 3, "g3": 2}, {"g1": "g1", "g2": "g1"}),
    ],
)
def test_costs_of_groups_in_any_form(costs, groups):
    budget = Budget(costs, 4, groups=groups).resolve(NAMES)
    assert budget.costs == (1.0, 0.0, 0.0, 3.0, 3.0, 2.0)
    assert len(set(budget.groups)) == 5
    assert budget.groups[3] == budget.groups[4]
    assert budget.holds((0, 3, 4))
    assert not budget.holds((3, 4, 5))
    assert budget.resolve(NAMES) is budget


def test_a_budget_of_groups_without_costs_is_read_again():
    budget = Budget([0] * 6, 4, groups=[[3, 4]]).resolve(NAMES)
    assert Budget.from_dict(budget.as_dict()).resolve(NAMES).holds((3, 4, 5))


def test_lists_of_groups_are_not_called_as_features():
    costs = {"0": 5, "1": 7}
    assert Budget(costs, 6, groups=[[0], [1]]).resolve(["1", "0"]).costs == (7.0, 5.0)
    with pytest.raises(InputError, match="'0'"):
        Budget({"0": 5}, 6, groups=[[0]]).resolve(["a", "b"])


def test_similarity_is_read_as_elsewhere(refused, snapshot):
    """The diagonal does not count, numbers that differ by rounding are averaged, and the limit itself is allowed."""
    nearly = MaxSimilarity([[0, 0.9 + 4e-10, 0.2], [0.9, 0, 0.9], [0.2, 0.9, 5]], 0.9)
    assert nearly.conflicts.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    assert [nearly.holds(pair) for pair in ((0, 1), (1, 2), (0, 2))] == [False, True, True]
    assert nearly.holds((0,))
    assert not nearly.conflicts.flags.writeable
    assert repr(nearly) == "MaxSimilarity(<3 features>, 0.9)"
    named = MaxSimilarity("pearson", 0.25)
    assert repr(named) == "MaxSimilarity('pearson', 0.25)"
    assert named == MaxSimilarity("pearson", 0.25) != MaxSimilarity("spearman", 0.25)
    assert named.describe(NAMES) == snapshot
    with refused(InputError):
        named.holds((0, 1))


def test_a_budget_is_kept_to_the_last_digit():
    budget = Budget([0.1, 0.2, 0.3], 0.6).resolve(["a", "b", "c"])
    assert budget.holds((0, 1, 2))
    assert not Budget([0.1, 0.2, 0.3 + 1e-15], 0.6).resolve(["a", "b", "c"]).holds((0, 1, 2))
    assert not Budget([1e9, 1], 1e9).resolve(["a", "b"]).holds((0, 1))
    assert not Budget([1e300, 5e-324], 1e300).resolve(["a", "b"]).holds((0, 1))


def test_sums_of_coefficients_are_exact():
    assert Linear([0.1, 0.2, -0.3], 0, 0).holds((0, 1, 2))
    assert not Linear([0.1, 0.2, -0.3 - 1e-16], 0, 0).holds((0, 1, 2))
    assert Linear([1e300, -1e300, 5e-324], 5e-324, 5e-324).holds((0, 1, 2))


@pytest.mark.parametrize("engine", ["additive", "enumerate", "milp", "exhaustive"])
def test_coefficients_beyond_doubles(engine):
    # Only sets that two engines find in whole numbers: as doubles, the first two coefficients would cancel.
    numbers = [1.0, -1.0, 1e-17, 2e-17, 1e-17, 3e-17]
    rule = Linear(numbers, lower=4e-17, upper=4e-17)
    scores = [5.0, 4.0, 3.0, 2.5, 1.0, 2.0]
    asked = {"n_features": 4, "n_alternatives": 0, "constraints": [rule]}
    box = quality.BlackBox(lambda chosen: math.fsum(scores[j] for j in chosen), n_features_in=6)
    if engine == "additive":
        with pytest.raises(AltsetsError):
            altsets.find(scores, engine=engine, **asked)
        return
    result = altsets.find(box if engine == "exhaustive" else quality.Additive(scores), engine=engine, **asked)
    assert (result.sets, result.status) == ([(0, 1, 2, 5)], Status.OPTIMAL)


# --- Words ---
def test_long_groups_are_cut(snapshot):
    names = [f"g{number}" for number in range(40)]
    assert AtMost(1, names).describe(names) == snapshot
    assert Forbid(names[:6]).describe(names) == "forbid g0, g1, g2, g3, g4, g5"
    assert Forbid("g1").describe(names) == "forbid g1"


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Require([]), "Require names no feature at all; leave it out"),
    (lambda: Require(-1), "Require: a feature index -1 is too small"),
    (lambda: Require(1.5), "Require: a feature index 1.5 is not a whole number"),
    (lambda: Require(None), "Require takes a list of features, not None"),
    (lambda: Require([None]), "Require names None; a feature is an index or a name"),
    (lambda: Require(True), "Require names True; a feature is an index or a name"),
    (lambda: Forbid([[0, 1]]), r"Forbid names \[0, 1\]; a feature is an index or a name"),
    (lambda: AtMost(-1, [0]), "AtMost: most=-1 is too small; it must be at least 0"),
    (lambda: AtMost(1.5, [0]), "AtMost: most=1.5 is not a whole number"),
    (lambda: AtMost([0], 1), r"AtMost: most=\[0\] is not a whole number"),
    (lambda: AtMost(1, "genes"), "AtMost takes a list of features, not 'genes'"),
    (lambda: AtMost(1, 3), "AtMost takes a list of features, not 3"),
    (lambda: AtMost(1, []), "AtMost names no feature at all"),
    (lambda: AtLeast(3, [0, 1]), "least=3, but its group has only 2 features; ask for at most 2"),
    (lambda: AtLeast(2, [0, 0]), "least=2, but its group has only 1 features"),
    (lambda: AtLeast(-2, [0]), "AtLeast: least=-2 is too small"),
    (lambda: Exclusive("ab"), "Exclusive takes a list of features, not 'ab'"),
    (lambda: Implies("a", None), "Implies names None"),
    (lambda: Implies(["a"], "b"), r"Implies names \['a'\]"),
    (lambda: Budget({"a": -1}, 2), "Budget: the cost of a is -1; give a finite number of at least 0"),
    (lambda: Budget([1, math.nan], 2), "Budget: a cost is nan; give a finite number"),
    (lambda: Budget([1, math.inf], 2), "Budget: a cost is inf; give"),
    (lambda: Budget([1, "2"], 2), "Budget: a cost is '2'; give"),
    (lambda: Budget([1], -2), "Budget: limit is -2; give a finite number of at least 0"),
    (lambda: Budget([1], math.nan), "Budget: limit is nan"),
    (lambda: Budget([1], None), "Budget: limit is None"),
    (lambda: Budget(20, [1]), "Budget takes a list of costs or a mapping to them, not 20"),
    (lambda: Budget("costs.csv", 1), "Budget takes a list of costs or a mapping to them, not 'costs.csv'"),
    (lambda: Budget([1], 1, groups="ab"), "Budget takes groups of features, not 'ab'; give a mapping"),
    (lambda: Budget([1], 1, groups={}), "Budget has no groups; give a mapping from feature to group"),
    (lambda: Budget([1], 1, groups=[[0], [0]]), "Budget: 0 is in two groups"),
    (lambda: Budget([1], 1, groups=[[None]]), "Budget names None; a feature is an index or a name"),
    (lambda: Linear({"a": 1}), "Linear has no bound; give lower, upper, or both"),
    (lambda: Linear({"a": 1}, 2, 1), "Linear: lower=2.0 is larger than upper=1.0"),
    (lambda: Linear({"a": math.nan}, 2), "Linear: the coefficient of a is nan; give a finite number"),
    (lambda: Linear([1], lower="2"), "Linear: lower is '2'; give a finite number"),
    (lambda: Linear([1], upper=math.inf), "Linear: upper is inf; give a finite number"),
    (lambda: Linear(3, 1), "Linear takes a list of coefficients or a mapping to them, not 3"),
    (lambda: MaxSimilarity([[1, 0.5]], 0.9), "MaxSimilarity: the similarity is 1 x 2, not square"),
    (lambda: MaxSimilarity([[1, 0.5], [0.4, 1]], 0.9), "MaxSimilarity: .* it must be symmetric"),
    (lambda: MaxSimilarity([[1, -0.5], [-0.5, 1]], 0.9), "it must be between 0 and 1"),
    (lambda: MaxSimilarity([[1, math.nan], [math.nan, 1]], 0.9), "features 0 and 1 is nan"),
    (lambda: MaxSimilarity("kendall", 0.9), "MaxSimilarity: the measure 'kendall' is unknown"),
    (lambda: MaxSimilarity("spearman", 1.1), "MaxSimilarity: limit=1.1 must be a number from 0 to 1"),
    (lambda: MaxSimilarity("spearman", None), "MaxSimilarity: limit=None must be a number"),
    (lambda: MaxSimilarity("spearman", True), "MaxSimilarity: limit=True must be a number"),
    (lambda: Size(0, 3), "Size: k_min=0 is too small; it must be at least 1"),
    (lambda: Size(4, 3), "Size: k_min=4 is larger than k_max=3"),
    (lambda: Size(2, None), "Size: k_max=None is not a whole number"),
    (lambda: Size(2, math.inf), "Size: k_max=inf is not a whole number"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_at_once(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AltsetsError)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("constraint", "message"), [
    (Require("agee"), "Require names 'agee', which is not a feature; did you mean 'age'"),
    (Forbid("weight"), "Forbid names 'weight', which is not a feature; give the name of a column or the index"),
    (AtMost(1, ["g1", "g4"]), "AtMost names 'g4', which is not a feature; give the name"),
    (Exclusive([0, 6]), "Exclusive names feature 6; there are 6, and the first is 0"),
    (Implies("age", "iid"), "Implies names 'iid', .* did you mean 'id'"),
    (Budget({"agee": 1}, 3), "Budget names 'agee', .* did you mean 'age'"),
    (Budget({7: 1}, 3), "Budget names feature 7; there are 6"),
    (Budget({1.5: 1}, 3), "Budget: a feature index 1.5 is not a whole number"),
    (Budget([1, 2], 3), "Budget has 2 costs for 6 features; give one for each"),
    (Linear({"agee": 1}, 3), "Linear names 'agee', .* did you mean 'age'"),
    (Linear([1, 2], 3), "Linear has 2 coefficients for 6 features; give one for each"),
    (Budget([1] * 6, 3, groups={"agee": 1}), "Budget names 'agee', .* did you mean 'age'"),
    (Budget({"agee": 1}, 3, groups={"age": "a"}), "Budget names 'agee', .* did you mean 'age'"),
    (Budget([1] * 5, 3, groups={"age": 1}), "Budget has 5 costs for 6 features"),
    (
        Budget([1, 2, 1, 1, 1, 1], 3, groups={"age": "person", "sex": "person"}),
        "Budget: group 'person' costs 1.0 and 2.0; a group is paid once, so give one cost",
    ),
    (Budget({"g1": 1, "g2": 2}, 3, groups=[["g1", "g2"]]), "costs 1.0 and 2.0; a group is paid once"),
    (Budget({"age": 1, 0: 2}, 3, groups={"g1": "g"}), "Budget: 'age' costs 1.0 and 2.0"),
    (
        Budget({"age": 1}, 3, groups={"g1": "age", "g2": "age"}),
        "the cost of 'age' may be that of a group or of a feature outside it; give groups names that no feature",
    ),
    (Budget([1] * 6, 3, groups={"age": 1, 0: 2}), "Budget: 'age' is in two groups, 1 and 2"),
    (MaxSimilarity(np.eye(2), 0.9), "has the similarities of 2 features, but the quality has 6; give one row"),
    (
        MaxSimilarity("pearson", 0.9),
        r"MaxSimilarity\('pearson'\) has no table .* MaxSimilarity.from_data\(X, 'pearson', ...\)",
    ),
    (AtLeast(2, ["age", 0]), "least=2, but its group has only 1 features"),
    (Size(7, 9), "Size: k_min=7, but there are only 6 features to choose from; ask for at most 6"),
])  # fmt: skip
def test_what_does_not_fit_the_features_is_refused(constraint, message):
    with pytest.raises(InputError, match=message) as caught:
        constraint.resolve(NAMES)
    assert "\n" not in str(caught.value)


def test_harmless_constraints_are_fine():
    for constraint in (AtMost(9, [0, 1]), AtLeast(0, [3]), Exclusive([2]), Implies(1, 1), Size(1, 99)):
        assert constraint.resolve(NAMES).holds((0,))


# --- Names that nobody has made up yet ---
def test_a_million_names_are_not_made_up_for_indices(monkeypatch, refused):
    scores = quality.Additive(np.arange(1_000_000.0))
    monkeypatch.setattr(
        quality.Additive, "feature_names", property(lambda _: pytest.fail("made up all names"))
    )
    names = FeatureNames.of_quality(scores)
    assert len(names) == 1_000_000
    for constraint in (Require(5), AtMost(1, [1, 999_999]), Implies(3, 4), Budget({7: 1.0}, 2), Size(2, 3)):
        assert constraint.resolve(names).describe(names)
    assert Forbid(999_999).resolve(names).describe(names) == "forbid x999999"
    with refused(InputError):
        Require(1_000_000).resolve(names)


# --- Through the door ---
SCORES = [9.0, 8.0, 7.0, 3.0, 2.0, 1.0]


def test_one_constraint_needs_no_list():
    result = altsets.find(quality.Additive(SCORES), n_features=2, n_alternatives=0, constraints=Require(5))
    assert result.sets == [(0, 5)]


def test_sizes_replace_n_features(snapshot):
    scores = quality.Additive([3, 2, -1, -2])
    result = altsets.find(scores, n_alternatives=0, constraints=Size(1, 3))
    assert result.sets == [(0, 1)]
    assert result.parameters["sizes"] == [1, 3]
    assert result.explain() == snapshot
    fixed = altsets.find(scores, n_alternatives=0, constraints=Size(3, 3))
    assert fixed.sets == [(0, 1, 2)]
    assert fixed.explain() == snapshot


def test_a_normalised_quality_needs_no_word_on_sizes(snapshot):
    scores = quality.MRMR([3, 2, 1], np.zeros((3, 3)))
    result = altsets.find(scores, n_alternatives=0, constraints=Size(1, 2))
    assert result.sets == [(0,)]
    assert result.explain() == snapshot
