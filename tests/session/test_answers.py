"""What can be done with the answers of a session: compared, evaluated, saved and read, written as code, shown."""

from __future__ import annotations

import json
import math
import shlex

import numpy as np
import pandas as pd
import pytest
from words import about

import altsets
from altsets import SelectAlternatives, Session, constraints, dissimilarity, quality
from altsets.errors import InputError, NotExpressedError

NAMES = ["age", "height", "weight", "shoe size", "it's", "a,b"]
SCORES = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=NAMES)


@pytest.fixture
def session():
    return Session(SCORES, n_features=2, n_alternatives=1)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 6)) + y[:, None] * np.linspace(1.5, 0, 6)
    return pd.DataFrame(X, columns=NAMES), y


# --- Compared ---------------------------------------------------------------------------------------------
def test_two_sets_are_compared(session, snapshot):
    found = session.compare(0, 1)
    assert found.labels == ("set 0", "set 1")
    assert found.shared == ["age"]
    assert found.only == (["height"], ["weight"])
    assert found.qualities == ([17.0], [16.0])
    assert found.explain() == snapshot
    assert found.to_frame().to_dict() == {
        "set 0": {"age": 1, "height": 1, "weight": 0},
        "set 1": {"age": 1, "height": 0, "weight": 1},
    }
    own = session.compare(["shoe size", "age"], (1,))
    assert own.labels == snapshot
    assert own.qualities == ([12.0], [8.0])
    assert own.explain() == snapshot
    assert session.compare(0, 0).explain() == snapshot


def test_two_steps_are_compared(session, snapshot):
    session.set(tau=1, quality=None).pin(0)
    start, apart, pinned = session.history
    found = session.compare(start, apart)
    assert found.changes == {"tau": (0.5, 1.0)}
    assert found.same_sets == [("age", "height")]
    assert found.explain() == snapshot
    assert session.compare(apart, pinned).changes == {"pinned": ([], [["age", "height"]])}
    assert session.compare(apart, pinned).explain() == snapshot
    assert found.only == ([], ["shoe size"])
    assert found.counts == {"age": (2, 1), "height": (1, 1), "weight": (1, 1), "shoe size": (0, 1)}


def test_states_are_compared_without_a_step(session, snapshot):
    found = session.compare({}, {"forbid": ["age"]})
    assert found.changes == {"forbid": ([], ["age"])}
    assert found.labels == snapshot
    assert len(session.history) == 1


def test_a_set_is_not_compared_with_a_step(session, refused):
    with refused(InputError):
        session.compare(0, session.history[0])
    with refused(InputError):
        session.compare(0, 5)


def test_qualities_of_other_kinds_are_not_compared(frame, snapshot):
    X, y = frame
    session = Session(X, y, n_features=2).set(quality="f")
    assert "mean quality" not in session.compare(*session.history).explain()
    none = session.set(quality="mutual_info", require=["age"], forbid=["age"])
    assert none.sets == []
    assert none.compare(none.history[0], none.history[-1]).explain() == snapshot


# --- Evaluated --------------------------------------------------------------------------------------------
def test_sets_are_searched_in_each_fold_unless_some_are_pinned(frame):
    X, y = frame
    session = Session(X, y, n_features=2, n_alternatives=1).forbid("age")
    selector = altsets.SelectAlternatives(
        n_features=2, n_alternatives=1, tau=0.5, constraints=[constraints.Forbid("age")]
    )
    shares = []
    found = session.evaluate(cv=3, callback=shares.append)
    assert found.to_json(timing=False) == altsets.evaluate(selector, X, y, cv=3).to_json(timing=False)
    assert shares[-1] == 1
    assert not found.given
    pinned = session.pin(0).evaluate(cv=3)
    assert pinned.given
    assert pinned.n_sets == 2


def test_without_a_target_nothing_is_evaluated(session, frame, refused):
    with refused(InputError):
        session.evaluate()
    with refused(InputError):
        Session(frame[0], quality="linear_fit").evaluate()


# --- Saved and read ---------------------------------------------------------------------------------------
def same_steps(one, other):
    assert [step.name for step in one.history] == [step.name for step in other.history]
    assert [step.state for step in one.history] == [step.state for step in other.history]
    assert [step.result for step in one.history] == [step.result for step in other.history]
    assert one.position == other.position
    return True


LARGEST = [
    {"tau": "max", "within": 0.4},
    {"tau": "max", "within": 0.4, "search": "simultaneous"},
    {"n_alternatives": "max", "within": 0.5},
    {"n_alternatives": "max", "min_quality": 0, "search": "simultaneous", "tau": 1},
    {"within": 0.9, "n_alternatives": 2},
]


@pytest.mark.parametrize("changes", LARGEST, ids=str)
def test_questions_for_the_largest_are_steps(changes, frame, tmp_path):
    X, y = frame
    session = Session(X, y, "f", n_features=2, n_alternatives=1)
    start = session.state
    session.set(**changes)
    asked = {"n_features": 2, "n_alternatives": 1, "tau": 0.5, **changes}
    expected = SelectAlternatives("f", **asked).fit(X, y).result_
    assert session.result == expected
    assert {name: session.state[name] for name in changes} == changes
    assert session.undo().state == start
    assert session.redo().result == expected
    again = Session.load(session.save(tmp_path / "steps.json"), X, y)
    assert same_steps(again, session)
    assert same_steps(Session.load(tmp_path / "steps.json"), session)
    space = {"X": X, "y": y}
    exec(session.to_python(), space)
    assert space["session"].result == expected
    assert session.evaluate(cv=2, n_repeats=1).n_sets == len(session.sets)
    assert session.what_if().losses
    assert len(session.frontier())
    assert session.pin(0).sets[0] == expected.named_sets[0]


def test_a_session_begins_with_the_largest():
    session = Session(SCORES, n_features=2, n_alternatives="max", tau=1, within=0.7)
    assert (session.sets, session.state["n_alternatives"]) == (
        [("age", "height"), ("weight", "shoe size")],
        "max",
    )
    assert Session(SCORES, n_features=2, n_alternatives=1, tau="max", within=0.7).result.tau == 1


def test_a_session_is_saved_and_read(frame, tmp_path):
    X, y = frame
    session = Session(X, y, "mrmr", n_features=2, n_alternatives=1, constraints=[constraints.Forbid("a,b")])
    session.pin(1).set(tau="1/3", distinct=0.9, name="near").reject(["it's"]).undo()
    path = session.save(tmp_path / "steps.json")
    again = Session.load(path, X, y)
    assert same_steps(again, session)
    assert again.redo().set(tau=1).sets == session.redo().set(tau=1).sets
    with pytest.raises(InputError, match="exists"):
        session.save(path)
    session.save(path, force=True)
    # CSV or frame, the numbers count.
    assert same_steps(Session.load(path, X.copy(), y.tolist()), session)


def test_a_session_is_read_without_its_table(frame, tmp_path, refused, snapshot):
    session = Session(*frame, n_features=2).forbid("age")
    path = session.save(tmp_path / "steps.json")
    again = Session.load(path)
    assert same_steps(again, session)
    assert again.sets == session.sets
    assert again.undo().compare(*again.history).only == session.compare(*session.history).only
    assert again.redo().to_python() == session.to_python()
    assert repr(again) == snapshot
    for step in (
        lambda: again.forbid("age"),
        lambda: again.more(),
        lambda: again.go_to({}),
        lambda: again.quality,
    ):
        with refused(InputError):
            step()
    with pytest.raises(InputError, match="needs a table"):
        again.evaluate()
    other = again.save(tmp_path / "again.json")
    assert same_steps(Session.load(other, *frame), again)


@pytest.mark.parametrize(("change", "words"), [
    (lambda X, y: (X.iloc[:-1], y[:-1]), "80 rows, not 79"),
    (lambda X, y: (X.iloc[:, :-1], y), "6 columns, not 5"),
    (lambda X, y: (X + 1, y), "names, values or the target differ"),
    (lambda X, y: (X, 1 - y), "names, values or the target differ"),
    (lambda X, y: (X.rename(columns={"age": "old"}), y), "names, values or the target differ"),
])  # fmt: skip
def test_other_data_are_refused(frame, tmp_path, change, words, snapshot):
    path = Session(*frame, n_features=2).save(tmp_path / "steps.json")
    with pytest.raises(InputError) as caught:
        Session.load(path, *change(*frame))
    assert words in str(caught.value)
    assert str(caught.value) == snapshot


def test_weights_belong_to_the_data(frame, tmp_path, refused):
    weights = np.arange(80) % 3
    path = Session(*frame, "f", n_features=2, sample_weight=weights).save(tmp_path / "steps.json")
    assert "sample_weight=sample_weight" in Session.load(path).to_python()
    Session.load(path, *frame, sample_weight=weights)
    with refused(InputError):
        Session.load(path, *frame)
    with refused(InputError):
        Session.load(path, *frame, sample_weight=weights + 1)


def test_a_quality_in_numbers_is_known_by_its_sets(session, tmp_path, refused):
    path = session.pin(0).save(tmp_path / "steps.json")
    assert same_steps(Session.load(path, SCORES), session)
    assert Session.load(path, SCORES).more().sets == session.more().sets
    with refused(InputError):
        Session.load(path, quality.Additive([1, 2, 3, 4, 5, 6], feature_names=NAMES))
    with pytest.raises(InputError, match="6 columns, not 2"):
        Session.load(path, quality.Additive([1, 2]))


def test_a_quality_without_a_name_is_given_again(frame, tmp_path, refused):
    X, y = frame
    scores = [6, 5, 4, 3, 2, 1]
    session = Session(X, y, scores, n_features=2)
    assert session.state["quality"] is None
    path = session.set(quality="f").save(tmp_path / "steps.json")
    assert same_steps(Session.load(path, X, y, quality=scores), session)
    with refused(InputError):
        Session.load(path, X, y)
    named = Session(X, y, n_features=2).save(tmp_path / "named.json")
    with refused(InputError):
        Session.load(named, X, y, quality=scores)


def test_what_cannot_be_written_is_said(frame, tmp_path, refused):
    own = Session(*frame, dissimilarity=lambda F, G: float(F[0] != G[0]))
    for write in (lambda: own.save(tmp_path / "steps.json"), own.to_python, own.to_command):
        with refused(NotExpressedError):
            write()


def damaged(change):
    def edit(document):
        change(document)
        return document

    return edit


@pytest.mark.parametrize(("edit", "words"), [
    (lambda _: [], "not an altsets session"),
    (lambda _: {"schema": 1}, "not an altsets session"),
    (damaged(lambda found: found.pop("steps")), "incomplete or damaged"),
    (damaged(lambda found: found.update(position=9)), "incomplete or damaged"),
    (damaged(lambda found: found.update(position=True)), "incomplete or damaged"),
    (damaged(lambda found: found["steps"][0]["state"].pop("tau")), "incomplete or damaged"),
    (damaged(lambda found: found["steps"][0]["state"].update(forbid="age")), "incomplete or damaged"),
    (damaged(lambda found: found["steps"][0]["state"].update(tau=7)), "tau=7"),
    (damaged(lambda found: found["steps"][0]["result"].pop("sets")), "incomplete or damaged"),
    (damaged(lambda found: found["request"].update(quality={"name": "wrapper", "estimator": "os.x"})), "os.x"),
])  # fmt: skip
def test_damaged_files_are_refused(frame, tmp_path, edit, words):
    path = tmp_path / "steps.json"
    Session(*frame, n_features=2).save(path)
    path.write_text(json.dumps(edit(json.loads(path.read_text()))))
    with pytest.raises(InputError) as caught:
        Session.load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


# --- As code ----------------------------------------------------------------------------------------------
def run_lines(text, **known):
    exec(text, known)
    return known["session"]


def test_the_python_lines_take_the_same_steps(frame):
    X, y = frame
    session = Session(
        X,
        y,
        "mrmr",
        n_features=2,
        n_alternatives=1,
        constraints=[constraints.Exclusive(["age", "it's"])],
        dissimilarity=dissimilarity.Matched("spearman", threshold=0.9),
        task="classification",
        time_limit=None,
    )
    session.set(tau=1, n_alternatives=2).require("it's").forbid(["a,b", "age"]).allow("it's").more().pin(0)
    session.reject(["height", "weight"]).unpin(0).set(
        pinned=[["age"]], forbid=[], name="by hand"
    ).undo().redo().undo()
    text = session.to_python()
    again = run_lines(text, X=X, y=y)
    assert [step.state for step in again.history] == [step.state for step in session.history[:-1]]
    assert [step.name for step in again.history] == [step.name for step in session.history[:-1]]
    assert again.sets == session.sets
    assert "session.more()" in text
    assert "session.set(" in session.redo().to_python()
    assert run_lines(session.to_python(), X=X, y=y).history[-1].name == "by hand"


def test_lines_of_a_session_that_began_elsewhere():
    session = Session(SCORES, n_features=2).go_to({"tau": 1, "forbid": ["it's"]}, name="elsewhere").more()
    again = run_lines(session.to_python(), scored=SCORES)
    assert [step.state for step in again.history] == [step.state for step in session.history]
    assert again.history[0].name == "elsewhere"


def test_the_command_finds_the_other_sets(frame, tmp_path, run):
    X, y = frame
    table = tmp_path / "table.csv"
    X.assign(target=y).to_csv(table, index=False)
    session = (
        Session(X, y, "mrmr", n_features=2, n_alternatives=2).forbid("it's").pin(1).reject(["age", "a,b"])
    )
    command = shlex.split(session.to_command(str(table), "target"))
    assert command[:2] == ["altsets", "find"]
    out = run.output(*command[1:], "--json")
    found = json.loads(out)
    assert [tuple(entry["features"]) for entry in found["sets"]] == session.result.named_sets
    assert [entry["quality"] for entry in found["sets"]] == pytest.approx(session.result.qualities)


# --- Shown ------------------------------------------------------------------------------------------------
def test_a_notebook_shows_the_sets(session, snapshot):
    shown = session.pin(0)._repr_mimebundle_()
    assert shown["text/plain"] == repr(session)
    assert repr(session).splitlines()[:3] == snapshot
    assert "weight" in shown["text/html"]
    assert about(shown["text/html"], "Pinned") == snapshot


def test_pinned_sets_without_a_quality_are_nan():
    boxed = quality.BlackBox(
        lambda chosen: 1 / 0 if len(chosen) == 1 else float(sum(chosen)), n_features_in=5
    )
    session = Session(boxed, n_features=2, n_alternatives=1)
    session.set(pinned=[[0, 1]])
    assert session.qualities[0] == 1.0
    assert not math.isnan(session.qualities[1])
