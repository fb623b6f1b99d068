"""Every constraint of the registry: written and read again, as JSON, as Python, as an option; and its rules."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from altsets import constraints
from altsets.constraints.base import ConflictRule, CostRule, CountRule, NeedRule, SizeRule
from altsets.errors import InputError, NotExpressedError
from altsets.features import names_in

NAMES = ["a", "b, c", "d:e", 'f"g', "h"]
SIMILARITY = np.eye(5) + 0.95 * (np.eye(5, k=1) + np.eye(5, k=-1))

EXAMPLES = [
    constraints.Require(["a", "b, c"]),
    constraints.Forbid("d:e"),
    constraints.Forbid(["a", "h"], proxies=0.8, measure="pearson"),
    constraints.AtMost(1, ["a", "b, c", "h"]),
    constraints.AtLeast(1, ['f"g', "h"]),
    constraints.Exclusive(["a", "d:e"]),
    constraints.Implies("d:e", 'f"g'),
    constraints.Together(["a", "d:e"]),
    constraints.Budget({"a": 0.1, "h": 3}, 2.5),
    constraints.Budget({"left": 5, "h": 3}, 2.5, groups={"a": "left", "b, c": "left"}),
    constraints.Budget({"a": 5, "h": 3}, 6, groups=[["a", "b, c"], ["h"]]),
    constraints.Linear({"a": 0.1, "h": -3}, -2.5),
    constraints.Linear({"a": 0.1, "b, c": -0.25}, -0.15, 0.1),
    constraints.Linear({"d:e": 2.5}, upper=1.5),
    constraints.MaxSimilarity("spearman", 0.9),
    constraints.AboveNoise(),
    constraints.Size(2, 4),
    constraints.AtMostSets(2),
    constraints.AtMostSets(1, ["a", "b, c"]),
    constraints.AtLeastSets(2, "h"),
    constraints.Reserve(["a", "d:e"]),
    constraints.TotalBudget({"a": 0.1, "h": 3}, 2.5),
    constraints.Spread(0.25),
]


#: About all sets together: each set alone keeps to them.
JOINT = (constraints.AtMostSets, constraints.AtLeastSets, constraints.Reserve, constraints.Spread)


class Reader:
    """Reads options as the command line does, without files."""

    def __init__(self, option):
        self.option = option

    def features(self, text):
        listed = names_in([text])
        if unknown := set(listed) - set(NAMES):
            raise InputError(f"{self.option} names {unknown}")
        return listed

    group = features

    def prices(self, path, noun="cost"):
        return {"a": 0.1}, None


def test_every_kind_has_an_example():
    assert {type(example) for example in EXAMPLES} == set(constraints.KINDS)
    assert len({kind.kind for kind in constraints.KINDS}) == len(constraints.KINDS)
    assert len({kind.option.flag for kind in constraints.KINDS}) == len(constraints.KINDS)


@pytest.mark.parametrize("constraint", EXAMPLES, ids=repr)
def test_written_as_json_and_read_again(constraint):
    assert constraints.constraint_from(json.loads(json.dumps(constraint.as_dict()))) == constraint
    if not constraint.is_named:
        resolved = constraint.resolve(NAMES)
        again = constraints.constraint_from(json.loads(json.dumps(resolved.as_dict())))
        assert again.resolve(NAMES) == resolved


@pytest.mark.parametrize("constraint", EXAMPLES, ids=repr)
def test_written_as_python(constraint, refused):
    if getattr(constraint, "groups", None) is not None:
        with refused(NotExpressedError):
            constraint.to_python()
    else:
        assert eval(constraint.to_python(), {"constraints": constraints}) == constraint


@pytest.mark.parametrize("constraint", EXAMPLES, ids=repr)
def test_written_as_an_option(constraint, refused):
    if isinstance(constraint, constraints.Budget | constraints.Linear):
        with refused(NotExpressedError):
            constraint.option_text(NAMES)
        return
    parsed = type(constraint).parse(constraint.option_text(NAMES), Reader(constraint.option.flag))
    if isinstance(constraint, constraints.Forbid):
        assert parsed.features == constraint.features
    else:
        assert parsed == constraint


def by_rules(rules, chosen):
    """Whether a set keeps to rules, from what they say."""
    for rule in rules:
        match rule:
            case CountRule(group, lower, upper):
                inside = len(set(group) & set(chosen))
                fine = lower <= inside and (upper is None or inside <= upper)
            case NeedRule(feature, needed):
                fine = feature not in chosen or needed in chosen
            case CostRule(costs, limit, groups, each):
                payers = (
                    chosen if groups is None else {groups[feature]: feature for feature in chosen}.values()
                )
                fine = round(sum(costs[feature] for feature in payers), 9) <= limit + each * len(chosen)
            case ConflictRule(pairs):
                fine = not any(pairs[i, j] for i, j in itertools.combinations(chosen, 2))
            case SizeRule(k_min, k_max):
                fine = k_min <= len(chosen) <= k_max
        if not fine:
            return False
    return True


@pytest.mark.parametrize("constraint", [one for one in EXAMPLES if not isinstance(one, JOINT)], ids=repr)
def test_rules_say_what_the_verifier_checks(constraint):
    if isinstance(constraint, constraints.MaxSimilarity):
        constraint = constraints.MaxSimilarity(SIMILARITY, 0.9)
    if isinstance(constraint, constraints.AboveNoise):
        constraint = constraint.leaving_out([1, 3])
    if isinstance(constraint, constraints.Forbid):
        constraint = constraints.Forbid(constraint.features)
    resolved = constraint.resolve(NAMES)
    answers = set()
    for size in range(1, 6):
        for chosen in itertools.combinations(range(5), size):
            assert by_rules(resolved.rules(), chosen) == resolved.holds(chosen)
            answers.add(resolved.holds(chosen))
    assert answers == {True, False}


@pytest.mark.parametrize("constraint", EXAMPLES, ids=repr)
def test_words(constraint):
    assert constraint.describe(NAMES)
    assert constraint.sentence(NAMES).endswith(".")


def test_matrices_cannot_be_written(refused):
    constraint = constraints.MaxSimilarity(SIMILARITY, 0.9)
    with refused(NotExpressedError):
        constraint.to_python()
    with refused(NotExpressedError):
        constraints.constraint_from(constraint.as_dict())
    with refused(ValueError):
        constraints.constraint_from({"kind": "other"})
