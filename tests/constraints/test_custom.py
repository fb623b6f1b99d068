"""A condition of a user's own: exact where engines can ask about sets, refused where they cannot."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from oracle import OWN_CONDITIONS, Oracle, own_condition

import altsets
from altsets import Result, Status, quality
from altsets.constraints import Custom, Size, constraint_from
from altsets.errors import InputError, NotExpressedError, UnsupportedError

RNG = np.random.default_rng(8)
SCORES = RNG.random(8)
GOOD = {
    "additive": quality.Additive(SCORES),
    "mrmr": quality.MRMR(SCORES, RNG.random((8, 8))),
    "box": quality.BlackBox(lambda chosen: float(SCORES[list(chosen)].sum()), n_features_in=8),
}


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
@pytest.mark.parametrize("name", OWN_CONDITIONS)
def test_sets_are_the_best_that_pass(name, search):
    check = Custom(own_condition(name))
    for n_alternatives in (0, 2):
        result = altsets.find(
            GOOD["additive"], n_features=3, n_alternatives=n_alternatives, search=search, constraints=check
        )
        oracle = Oracle(SCORES, 3, constraints=[("custom", name)])
        if name == "never":
            assert result.status == Status.INFEASIBLE
            continue
        assert result.status == Status.OPTIMAL
        assert all(map(check.holds, result.sets))
        if not n_alternatives:
            assert result.objective == pytest.approx(float(oracle.exact(max_of(oracle))))


def max_of(oracle):
    sets = itertools.combinations(range(oracle.n), oracle.k_max)
    return max((chosen for chosen in sets if oracle.fits(chosen)), key=oracle.exact)


@pytest.mark.parametrize("good", GOOD)
def test_near_best_sets_pass(good):
    check = own_condition("not by three")
    found = altsets.near_best(GOOD[good], n_features=3, within=0.3, constraints=[Custom(check)])
    every = [one for one in itertools.combinations(range(8), 3) if check(one)]
    best = max(map(GOOD[good].evaluate, every))
    near = {one for one in every if GOOD[good].evaluate(one) >= best - 0.3 * abs(best)}
    assert (found.exact, found.count, set(found)) == (True, len(near), near)


@pytest.mark.parametrize("engine", ["additive", "milp", "greedy"])
def test_engines_that_cannot_ask_refuse(engine, refused):
    search = "greedy-depth" if engine == "greedy" else "sequential"
    with refused(UnsupportedError):
        altsets.find(
            SCORES, n_features=3, engine=engine, search=search, constraints=Custom(lambda chosen: True)
        )


@pytest.mark.parametrize("check", [
    lambda chosen: 1 / 0, lambda chosen: 1, lambda chosen: None,
], ids=["raises", "number", "nothing"])  # fmt: skip
@pytest.mark.parametrize("good", ["additive", "box"])
def test_a_check_that_fails_is_an_error_that_names_the_set(good, check, refused):
    named = quality.Additive([5, 3, 2, 1], feature_names=["age", "sex", "bmi", "bp"])
    asked = (
        named if good == "additive" else quality.BlackBox(named.evaluate, feature_names=named.feature_names)
    )
    with refused(InputError):
        altsets.find(asked, n_features=2, n_alternatives=1, constraints=Custom(check))


def test_what_is_no_function_is_refused(refused):
    with refused(InputError):
        Custom("age")


def test_numbers_of_numpy_are_answers():
    assert Custom(lambda chosen: np.bool_(True)).holds((0, 1))


def test_checks_get_sorted_indices():
    seen = []
    rule = [Custom(lambda chosen: seen.append(chosen) or True), Size(2, 3)]
    altsets.find(GOOD["mrmr"], n_features=3, n_alternatives=1, constraints=rule)
    assert all(isinstance(one, tuple) and one == tuple(sorted(one)) for one in seen)
    assert {type(feature) for one in seen for feature in one} == {int}


def far_ends(chosen):
    return chosen[-1] - chosen[0] >= 3


def test_answers_are_written_and_requests_are_not(tmp_path, snapshot):
    result = altsets.find(
        quality.Additive(SCORES), n_features=3, n_alternatives=0, constraints=Custom(far_ends)
    )
    again = Result.from_json(result.to_json())
    assert (again.sets, again.request) == (result.sets, None)
    assert again.parameters["constraints"] == [{"kind": "custom", "check": "far_ends"}]
    messages = []
    for write in (
        result.request.to_json,
        result.request.to_python,
        lambda: constraint_from({"kind": "custom", "check": "far_ends"}),
        lambda: Custom(far_ends).option_text([]),
    ):
        with pytest.raises(NotExpressedError) as refused:
            write()
        messages.append(str(refused.value))
    assert messages == snapshot
    assert Custom(far_ends).sentence([]) == snapshot
    page = result.report(tmp_path / "report.html")
    assert "far_ends" in Path(page).read_text(encoding="utf-8")


def test_an_answer_is_verified():
    result = altsets.find(GOOD["mrmr"], n_features=3, n_alternatives=1, constraints=Custom(far_ends))
    checked = altsets.verify(result, GOOD["mrmr"], second_opinion=True)
    assert (checked.ok, checked.second_opinion) == (True, "agrees")


def test_a_selector_takes_a_check():
    X = RNG.normal(size=(60, 6))
    selector = altsets.SelectAlternatives(n_features=2, n_alternatives=1, constraints=[Custom(far_ends)])
    selector.fit(X, (X[:, 0] > 0).astype(int))
    assert all(chosen[-1] - chosen[0] >= 3 for chosen in selector.result_.sets)
