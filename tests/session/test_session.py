"""Sessions: every step is the answer of find, and goes back and forth."""

from __future__ import annotations

import copy
import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import altsets
from altsets import Session, constraints, dissimilarity, quality
from altsets.constraints import AboveNoise
from altsets.errors import InputError, UnsupportedError

NAMES = [f"f{number}" for number in range(8)]
SCORES = quality.Additive([9, 8, 7, 5, 4, 3, 2, 1], feature_names=NAMES)


def table(n_rows=60, n_columns=8, seed=0):
    """Columns that say more or less about two classes, some of them alike."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + y[:, None] * np.linspace(1.5, 0, n_columns)
    X[:, 1] = X[:, 0] + rng.normal(scale=0.1, size=n_rows)
    return X, y


@pytest.fixture
def session():
    return Session(SCORES, n_features=3, n_alternatives=2)


def found_from_scratch(session):
    """What altsets.find says to the request of a session."""
    asked = session.request
    return altsets.find(
        session.quality,
        asked.n_features,
        asked.n_alternatives,
        asked.tau,
        dissimilarity=asked.dissimilarity,
        search=asked.search,
        aggregation=asked.aggregation,
        constraints=asked.constraints,
        existing=asked.existing,
        time_limit=asked.time_limit,
    )


def same_answer(one, other):
    """Whether two results say the same; the request of one knows what the quality is called."""
    return one.to_json(timing=False) == other.to_json(timing=False) or (
        (one.sets, one.qualities, one.statuses, one.bound, one.reason, one.parameters)
        == (other.sets, other.qualities, other.statuses, other.bound, other.reason, other.parameters)
    )


# --- Every step is the answer of find ---------------------------------------------------------------------
features = st.integers(0, 7)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["require", "forbid", "allow"]), features),
    st.tuples(st.sampled_from(["pin", "reject", "unpin"]), st.integers(0, 3)),
    st.tuples(st.sampled_from(["pin", "reject"]), st.sets(features, min_size=1, max_size=4).map(sorted)),
    st.tuples(st.sampled_from(["more", "undo", "redo"])),
    st.tuples(st.just("tau"), st.sampled_from([0, 0.25, "1/3", 0.5, 1])),
    st.tuples(st.just("n_features"), st.integers(1, 4)),
    st.tuples(st.just("n_alternatives"), st.integers(0, 3)),
    st.tuples(st.just("search"), st.sampled_from(["sequential", "simultaneous"])),
    st.tuples(st.just("aggregation"), st.sampled_from(["sum", "min"])),
)


def take(session, step):
    kind, *arguments = step
    if kind in session.state:
        session.set(**{kind: arguments[0]})
    else:
        getattr(session, kind)(*arguments)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["additive", "mrmr"]), st.lists(STEPS, min_size=1, max_size=8))
def test_every_step_is_the_answer_of_find(kind, steps):
    rng = np.random.default_rng(len(steps))
    pairs = rng.random((8, 8))
    scored = SCORES if kind == "additive" else quality.MRMR(rng.random(8), (pairs + pairs.T) / 2)
    session = Session(scored, n_features=2, n_alternatives=2, tau=0.5)
    states, position = [session.state], 0
    for step in steps:
        before = session.state
        try:
            take(session, step)
        except InputError:
            assert session.state == before
            continue
        if step[0] in ("undo", "redo"):
            position += 1 if step[0] == "redo" else -1
        elif session.state != before:
            position += 1
            states[position:] = [session.state]
        assert session.state == states[position]
        assert [one.state for one in session.history] == states
        assert same_answer(session.result, found_from_scratch(session))
        assert session.sets == [tuple(names) for names in session.state["pinned"]] + session.result.named_sets
        chosen = [scored.feature_names.index(name) for name in session.sets[-1]] if session.sets else []
        if chosen:
            assert session.qualities[-1] == scored.evaluate(sorted(chosen))
    # Whatever was asked comes back from the states alone, as JSON has them.
    again = Session(scored, n_features=2, n_alternatives=2, tau=0.5)
    assert again.go_to(json.loads(json.dumps(session.state))).sets == session.sets


@pytest.mark.parametrize("name", ["mutual_info", "mrmr", "fcbf", "cfs", "f", "linear_fit"])
def test_a_table_is_scored_as_the_selector_does(name):
    X, y = table()
    session = Session(X, y, name, n_features=2, n_alternatives=1)
    selector = altsets.SelectAlternatives(name, n_features=2, n_alternatives=1, tau=0.5).fit(X, y)
    assert session.result.sets == selector.result_.sets
    assert session.result.qualities == selector.result_.qualities
    assert same_answer(session.result, found_from_scratch(session))


def test_scores_are_computed_once(monkeypatch):
    X, y = table()
    session = Session(X, y, n_features=2, n_alternatives=1)
    first = session.quality
    session.set(quality="mrmr").set(tau=1).set(quality="mutual_info")
    assert session.quality is first
    assert session.undo().undo().quality is session.redo().quality


def test_distinct_is_measured_once_and_is_what_the_selector_takes(monkeypatch):
    X, y = table()
    session = Session(X, y, n_features=2, n_alternatives=1, tau=1)
    # Columns 0 and 1 are near-copies.
    session.set(distinct="0.9", n_features=1)
    kind = dissimilarity.Matched("spearman", threshold=0.9)
    selector = altsets.SelectAlternatives(n_features=1, n_alternatives=1, tau=1, dissimilarity=kind).fit(X, y)
    assert session.result.sets == selector.result_.sets
    assert {("x0",), ("x1",)} > {*session.sets} & {("x0",), ("x1",)}
    assert session.state["distinct"] == "0.9:spearman"
    calls = []
    monkeypatch.setattr(dissimilarity.Matched, "computed", lambda *_: calls.append(1))
    session.set(n_alternatives=2)
    assert not calls
    assert session.set(distinct=None).request.dissimilarity == "dice"


def test_a_similarity_that_the_session_began_with_is_its_state():
    X, y = table()
    session = Session(X, y, dissimilarity=dissimilarity.Matched("pearson", threshold=0.8))
    assert session.state["distinct"] == "0.8:pearson"
    assert session.request.dissimilarity == dissimilarity.Matched("pearson", threshold=0.8)
    assert session.set(distinct=None).request.dissimilarity == "dice"
    grouped = dissimilarity.Grouped({0: "a", 1: "a"})
    session = Session(X, y, dissimilarity=grouped)
    assert session.state["distinct"] is None
    assert session.request.dissimilarity is grouped


def test_constraints_of_the_session_stay():
    X, y = table()
    proxies = constraints.Forbid("x0", proxies=0.9)
    session = Session(X, y, n_features=2, n_alternatives=1, constraints=[proxies]).forbid("x2").set(tau=1)
    assert not {"x0", "x1", "x2"} & set(sum(session.sets, ()))
    assert session.request.constraints[0] is proxies
    selector = altsets.SelectAlternatives(
        n_features=2, n_alternatives=1, tau=1, constraints=[proxies, constraints.Forbid("x2")]
    ).fit(X, y)
    assert session.result.sets == selector.result_.sets


def test_only_features_above_the_noise():
    X, y = table(200)
    session = Session(X, y, n_features=2, n_alternatives=1, constraints=AboveNoise())
    selector = altsets.SelectAlternatives(n_features=2, n_alternatives=1, constraints=AboveNoise()).fit(X, y)
    assert session.result.sets == selector.result_.sets
    with pytest.raises(InputError, match="AboveNoise"):
        session.set(quality="wrapper")


def test_weights_and_groups_reach_the_scores(refused):
    X, y = table()
    weights = np.arange(60) % 3
    session = Session(X, y, "f", n_features=2, n_alternatives=0, sample_weight=weights)
    selector = altsets.SelectAlternatives("f", n_features=2, n_alternatives=0).fit(
        X, y, sample_weight=weights
    )
    assert session.result.qualities == selector.result_.qualities
    with refused(InputError):
        Session(X, y, groups=[1, 2])


# --- Steps ------------------------------------------------------------------------------------------------
def test_pinned_sets_come_first_and_stay(session):
    first = session.sets[0]
    session.pin(1).set(n_features=2)
    pinned = session.sets[0]
    assert session.state["pinned"] == [list(pinned)]
    assert len(pinned) == 3
    assert {len(chosen) for chosen in session.sets[1:]} == {2}
    assert len(session.sets) == 3
    assert session.qualities[0] == SCORES.evaluate([NAMES.index(name) for name in pinned])
    session.set(n_features=3).unpin(0)
    assert session.sets[0] == first
    assert session.state["pinned"] == []


def test_a_rejected_set_is_in_no_set(session):
    rejected = session.sets[0]
    session.pin(0).reject(0)
    assert session.state["pinned"] == []
    assert session.set(n_features=4).state["rejected"] == [list(rejected)]
    assert not any(set(rejected) <= set(chosen) for chosen in session.sets)
    assert session.pin(rejected).state["rejected"] == []


def test_required_and_forbidden_features_are_not_both(session):
    assert session.require("f5").forbid(["f5", "f6"]).state["require"] == []
    assert session.allow("f?").state["forbid"] == []


def test_impossible_requests_say_why(session):
    session.require(["f0", "f1", "f2"]).reject(["f0", "f1"])
    assert session.sets == []
    assert session.result.status is altsets.Status.INFEASIBLE
    assert "require" in session.result.reason
    assert session.undo().sets


def test_undo_and_redo(session, refused, snapshot):
    session.set(tau=1, name="all different").more().undo()
    assert [step.name for step in session.history] == snapshot
    assert session.position == 1
    session.forbid(0)
    assert [step.name for step in session.history] == ["start", "all different", "forbid f0"]
    with refused(InputError):
        session.redo()
    session.undo().undo()
    with refused(InputError):
        session.undo()
    assert session.state == Session(SCORES, n_features=3, n_alternatives=2).state


def test_going_to_a_state_begins_there(snapshot):
    session = Session(SCORES, n_features=3, n_alternatives=2)
    assert repr(session) == snapshot
    session.go_to({"tau": 1, "n_features": 2})
    assert len(session.history) == 1
    assert session.state["n_alternatives"] == 2
    assert session.sets == [("f0", "f1"), ("f2", "f3"), ("f4", "f5")]


def test_states_are_copies(session):
    session.state["forbid"].append("f0")
    session.pin(0).history[-1].state["pinned"][0].clear()
    assert session.state["forbid"] == []
    assert session.state["pinned"] == [["f0", "f1", "f2"]]


def test_a_state_that_comes_again_is_not_searched_again(session):
    first = session.set(tau=1).result
    assert session.set(tau=0.5).result is not first
    assert session.set(tau=1).result is first
    assert len(session.history) == 4


def test_old_steps_and_answers_go(session):
    # Steps between states that are known take no search.
    taus = [number % 2 for number in range(742)] + [number / 260 for number in range(1, 260)]
    answers = [session.set(tau=tau).result for tau in taus]
    assert [step.state["tau"] for step in session.history] == taus[1:]
    assert session.position == 999
    assert session.set(tau=taus[-2]).result is answers[-2]
    assert session.set(tau=taus[0]).result is not answers[0]


def test_a_session_can_be_pickled():
    X, y = table()
    session = Session(X, y, "mrmr", n_features=2).forbid("x0")
    again = pickle.loads(pickle.dumps(session))
    assert again.undo().sets == session.undo().sets
    assert again.set(tau=1).sets == session.set(tau=1).sets


# --- Cut short --------------------------------------------------------------------------------------------
def slow_quality(n=60, seed=3):
    rng = np.random.default_rng(seed)
    pairs = rng.random((n, n))
    return quality.MRMR(rng.random(n), (pairs + pairs.T) / 2)


def test_a_search_that_is_stopped_keeps_the_best_with_its_bound(clock):
    session = Session(slow_quality(), n_features=12, n_alternatives=3, search="simultaneous")
    session.go_to({}, stop=lambda: clock.looks > 200)
    result = session.result
    assert result.stop_reason == "interrupted"
    assert len(result.sets) == 4
    assert result.objective <= result.bound < float("inf")
    assert clock.looks < 1000
    # It is not kept as the answer to this state.
    before = clock.looks
    session.go_to({}, stop=lambda: clock.looks > before + 100)
    assert clock.looks > before + 100


def test_a_stop_that_fails_is_an_error(session, refused):
    def fail():
        raise OSError("the pipe is gone")

    with refused(OSError):
        session.go_to({"tau": 1, "search": "simultaneous"}, stop=fail)


def test_progress_is_told(clock):
    seen = []
    session = Session(slow_quality(30), n_features=6, n_alternatives=2, time_limit=clock.limit(200))
    session.go_to({}, callback=seen.append)
    assert seen[-1].sets
    assert seen[-1].bound >= seen[-1].best
    assert session.history[0].seconds >= session.result.elapsed


# --- Odd input --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("state", "words"), [
    ({"taus": 1}, "'taus' is no part of a session's state; its parts are quality, n_features"),
    ({0: 1}, "0 is no part of a session's state"),
    ([], "a state is a dictionary"), (None, "a state is a dictionary"), ({"tau": 2}, "tau=2"),
    ({"tau": None}, "tau"),
    ({"n_features": 0}, "n_features=0 is too small"),
    ({"n_features": True}, "n_features=True is not a whole number"),
    ({"tau": "max"}, "tau='max' needs to know how good sets must be"),
    ({"within": -1}, "within=-1 must be a finite number"),
    ({"n_features": 9}, "n_features=9"), ({"search": "fast"}, "search='fast'"),
    ({"aggregation": []}, "aggregation="),
    ({"quality": 3}, "quality=3 must be a name"),
    ({"quality": "mrmr"}, "computed from a table"),
    ({"distinct": "0.9"}, "measured on a table"),
    ({"distinct": []}, "must have the form 0.9 or 0.9:spearman"),
    ({"distinct": "2"}, "above 0 and at most 1"),
    ({"require": ["f9"]}, "require names 'f9', which is not a feature; give the name"),
    ({"forbid": {"f0": 1}}, "forbid takes features"),
    ({"forbid": None}, "forbid takes features"),
    ({"forbid": [None]}, "forbid names None"),
    ({"pinned": ["f0"]}, "a set in pinned must be a list of features, not 'f0'"),
    ({"pinned": [[]]}, "a set in pinned is empty"),
    ({"pinned": 3}, "pinned=3 must be a list of sets"),
    ({"pinned": [["f0"], ["f1"], ["f2"], ["f3"]]}, "4 sets pinned of 3 asked for"),
    ({"rejected": [["f0", 99]]}, "a set in rejected names feature 99"),
])  # fmt: skip
def test_states_that_cannot_be_are_refused(session, state, words):
    before = session.state
    with pytest.raises(InputError) as caught:
        session.go_to(state)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert session.state == before
    assert len(session.history) == 1


@pytest.mark.parametrize(("step", "words"), [
    (lambda session: session.pin(7), "pin: there is no set number 7 among 3 sets"),
    (lambda session: session.pin(True), "pin must be a list of features, not True"),
    (lambda session: session.pin(0).pin(0), "is pinned already"),
    (lambda session: session.unpin(0), "is not pinned"),
    (lambda session: session.reject([0]).reject(["f0"]), "is rejected already"),
    (lambda session: session.more(name=""), "name='' must be text"),
    (lambda session: session.set(k=3), "'k' is no part of a session's state"),
    (lambda session: session.set(n_alternatives="max").more(), "as many sets as there are"),
    (lambda session: Session(table()[0]), "needs a target"),
])  # fmt: skip
def test_steps_that_cannot_be_are_refused(session, step, words):
    with pytest.raises(InputError) as caught:
        step(session)
    assert words in str(caught.value)


def test_what_no_engine_solves_leaves_the_session_where_it_was(session):
    with pytest.raises(UnsupportedError):
        session.reject(0).set(search="greedy-replacement")
    assert session.state["search"] == "sequential"


def test_hostile_names_are_names():
    names = ["*", "?", "<b>", "a,b", "'", "}{"]
    session = Session(quality.Additive(range(6, 0, -1), feature_names=names), n_features=2, n_alternatives=0)
    assert session.forbid("*").state["forbid"] == ["*"]
    assert session.require("}{").sets == [("?", "}{")]


# --- Copies, and scores on their way --------------------------------------------------------------------
def test_a_copy_takes_its_own_steps_on_the_same_scores():
    rng = np.random.default_rng(0)
    session = Session(rng.normal(size=(60, 5)), rng.integers(0, 2, 60), n_features=2)
    state = session.state | {"quality": "mrmr"}
    assert not session.has_scores(state)
    shares = []
    quality = session.scored_for(state, shares.append)
    assert session.has_scores(state)
    assert not session.has_scores(session.state)
    assert shares[-1] == 1
    before = session.set(tau=1).state
    other = copy.copy(session).go_to(state)
    assert other.quality is quality
    assert [step.name for step in other.history[:2]] == [step.name for step in session.history]
    assert (session.state, len(session.history), len(other.history)) == (before, 2, 3)


def test_what_stop_raises_leaves_the_session_where_it_was():
    session = Session(quality.Additive([9, 8, 7, 3]), n_features=2, n_alternatives=1)
    state = session.set(tau=1).state
    for _ in range(2):
        with pytest.raises(KeyError, match="enough"):
            session.set(forbid=["x0"], stop=lambda: {}["enough"])
        assert (session.state, len(session.history)) == (state, 2)


def test_scoring_ends_with_what_progress_raises():
    rng = np.random.default_rng(0)
    session = Session(rng.normal(size=(60, 5)), rng.integers(0, 2, 60), "mrmr", n_features=2)

    def enough(share):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        session.scored_for(session.state, enough)
    assert not session.has_scores(session.state)


def test_a_number_of_features_as_tau():
    X, y = table()
    session = Session(X, y, n_features=3, n_alternatives=2, tau=2, dissimilarity="absolute")
    assert session.state["tau"] == session.result.tau == 2
    assert all(len({*one} & {*other}) <= 1 for one, other in itertools.combinations(session.result.sets, 2))
    session.set(tau=1)
    assert session.result.request.tau == 1
    # Curves are over shares, and have the answer that is known.
    known = {tuple(map(tuple, point.result.sets)) for point in session.frontier()}
    assert tuple(map(tuple, session.result.sets)) in known
    with pytest.raises(InputError, match="tau"):
        session.set(tau=0.5)
    with pytest.raises(InputError, match="tau"):
        Session(X, y, n_features=3, dissimilarity="absolute")
