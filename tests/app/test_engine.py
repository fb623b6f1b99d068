import json
import random
import threading
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from clocks import wait_until

import altsets
from altsets import quality
from altsets.app import scoring
from altsets.app.engine import engines_of
from altsets.app.messages import FILES, Ask, Question
from altsets.app.questions import Asked, Questions
from altsets.cli.options import as_option
from altsets.errors import AltsetsError, InputError
from altsets.wording import spelled

RNG = np.random.default_rng(0)
NAMES = [f"f{number}" for number in range(8)]


def never():
    return False


def engine_of(session, **origin):
    return engines_of(session, {}, **origin)()


class Tells(list):
    """What was told."""

    def __call__(self, known):
        # What cannot be sent is a defect.
        json.dumps(known, allow_nan=False)
        self.append(known)


X = pd.DataFrame(RNG.normal(size=(80, 8)), columns=NAMES)
Y = (X["f0"] + X["f1"] + RNG.normal(size=80) > 0).astype(int)


def other_targets():
    """Targets with more than one value per row, each with a quality and how the command names it."""
    rng = np.random.default_rng(1)
    time = rng.exponential(size=80) * np.exp(-X["f0"] - X["f1"])
    survival = altsets.io.survival_target(pd.DataFrame({"days": time, "died": Y}), time="days", event="died")
    labels = pd.DataFrame({"art": (X["f0"] > 0).astype(int), "news": (X["f1"] > 0.2).astype(int)})
    yield pytest.param(survival, "concordance", "--time=days --event=died", id="survival")
    yield pytest.param(labels, "mutual_info", "--target=ill", id="labels")
    yield pytest.param(X[["f0", "f1"]].to_numpy() + 1, "mrmr", "--target=ill", id="amounts")


@pytest.mark.parametrize(("target", "name", "named"), [*other_targets()])
def test_other_targets_are_answered_evaluated_and_downloaded(target, name, named, snapshot):
    session = altsets.Session(X, target, name, n_features=2, n_alternatives=1)
    engine = engine_of(session, file="t.csv", target="ill")
    known = ask(engine)
    assert known["view"]["sets"][0]["features"] == ["f0", "f1"]
    evaluated = ask(engine, "evaluate", known["state"])
    assert "set 0" in json.dumps(evaluated["view"]["blocks"])
    assert "f1" in ask(engine, "download", known["state"], kind="report")["text"]
    assert ask(engine, "download", known["state"], kind="command")["text"] == snapshot


@pytest.mark.parametrize(
    ("spelling", "said"), [(None, "task='regression'"), (as_option, "--task regression")]
)
def test_messages_are_in_the_words_of_those_who_opened_the_page(spelling, said, snapshot):
    mixed = pd.DataFrame({"warm": X.iloc[:, 0], "ill": Y})
    session = altsets.Session(X, mixed, "f", n_features=2, n_alternatives=1)
    with spelled(spelling):
        engine = engine_of(session, file="t.csv", target="warm,ill")
    with pytest.raises(InputError) as refused:
        ask(engine, "evaluate", ask(engine)["state"])
    assert str(refused.value) == snapshot


def test_what_is_good_is_said_for_the_target():
    survival = next(other_targets()).values[0]
    for target, meaning in ((survival, "Somers' D"), (Y, "mutual information")):
        session = altsets.Session(X, target, "mrmr", n_features=2)
        settings = ask(engine_of(session))["view"]["settings"]
        assert meaning in settings["about"]["quality"]


def test_qualities_are_those_for_the_target():
    survival = next(other_targets()).values[0]
    names = altsets.Session(X, survival, "cox", n_features=2).quality_names
    assert names == ["cox", "concordance", "logrank", "mrmr", "fcbf", "cfs", "linear_fit"]
    others = altsets.Session(X, Y, n_features=2).quality_names
    assert not {"cox", "concordance", "logrank"} & {*others}


@pytest.fixture
def session():
    return altsets.Session(X, Y, n_features=3, n_alternatives=1)


@pytest.fixture
def open_engine(session):
    """Opens engines that share a session, as clients have them."""
    return engines_of(session, {"forbid": ["f7"]}, file="table.csv", target="ill")


@pytest.fixture
def engine(open_engine):
    return open_engine()


def ask(engine, verb="answer", state=None, tell=None, stopped=never, **more):
    known = engine(Ask("", 1, verb, state, more), Tells() if tell is None else tell, stopped)
    json.dumps(known, allow_nan=False)
    return known


@pytest.mark.parametrize(
    "changes", [{"tau": "max", "within": 0.6}, {"n_alternatives": "max", "tau": 1.0, "within": 0.9}], ids=str
)
def test_questions_for_the_largest(changes):
    session = altsets.Session(X, Y, "f", n_features=2, n_alternatives=1)
    engine = engine_of(session, file="t.csv", target="ill")
    told = Tells()
    known = ask(engine, state=changes, tell=told)
    assert known["state"] == altsets.Session(X, Y, "f", n_features=2, n_alternatives=1).state | changes
    assert [tuple(one["features"]) for one in known["view"]["sets"]] == session.go_to(changes).sets
    for verb in ("frontier", "evaluate"):
        assert ask(engine, verb, known["state"])["view"]["words"]
    for kind in ("report", "python", "command", "csv", "json"):
        assert ask(engine, "download", known["state"], kind=kind)["text"]


def test_an_answer_is_that_of_the_session(engine, session):
    known = ask(engine)
    assert known["state"] == session.state | {"forbid": ["f7"]}
    expected = session.go_to(known["state"])
    assert [tuple(one["features"]) for one in known["view"]["sets"]] == expected.sets
    other = ask(engine, state={"tau": 1.0, "n_features": 2})
    assert other["state"] == known["state"] | {"tau": 1.0, "n_features": 2}


def test_a_page_may_send_the_state_that_it_got(session):
    for one in (session, altsets.Session(X, X["f0"], "pearson", n_features=2, adjust="f7")):
        state = one.pin(0).reject(1).forbid("f3").set(tau="1/3", n_features=2).state
        assert Ask.of({"client": "page", "number": 1, "verb": "answer", "state": state}).state == state


def test_every_verb_has_a_view(engine):
    state = ask(engine)["state"]
    assert ask(engine, "frontier", state)["view"]["blocks"]
    assert ask(engine, "stand_in", state, feature="f0")["view"]["words"]
    assert ask(engine, "compare", state, other=state | {"tau": 1.0})["view"]["words"]
    # What was asked about stays the state.
    assert ask(engine, "frontier", state)["state"] == state


@pytest.mark.slow
def test_an_evaluation_tells_how_far_it_is_and_can_be_stopped(engine):
    told = Tells()
    assert ask(engine, "evaluate", tell=told)["view"]["words"]
    assert told
    with pytest.raises(AltsetsError, match="stopped"):
        ask(engine, "evaluate", tell=told, stopped=lambda: True)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"require": ["nobody"]}, "nobody"),
        ({"quality": "nonsense"}, "nonsense"),
        ({"quality": "sklearn"}, "sklearn"),
        ({"n_features": 0}, "n_features"),
        ({"n_features": 99}, "99"),
        ({"tau": 7}, "tau"),
        ({"search": "magic"}, "magic"),
        ({"pinned": [["f0"], ["f1"], ["f2"]]}, "pinned"),
        ({"distinct": "2"}, "distinct"),
    ],
)
def test_states_that_cannot_be_are_refused_in_a_sentence(engine, state, said):
    with pytest.raises(InputError, match=said):
        ask(engine, state=state)
    assert ask(engine)["view"]["sets"]


@pytest.fixture
def scoring_by(monkeypatch):
    """Has scores computed by a function of the session, the state, the callback and what computes them otherwise."""
    score = altsets.Session.scored_for

    def replace(function):
        def scored_for(session, state, callback=None):
            if session.has_scores(state):
                return score(session, state)
            return function(partial(score, session, state, callback), callback)

        monkeypatch.setattr(altsets.Session, "scored_for", scored_for)

    return replace


@pytest.fixture
def slow(scoring_by):
    """A session, and what its scores take: they wait until the gate is open; each start is noted."""
    gate, started, ended = threading.Event(), [], []

    def wait_and_score(score, callback):
        started.append(True)
        try:
            while not gate.wait(0.01):
                callback(0.25)
            return score()
        finally:
            ended.append(True)

    scoring_by(wait_and_score)
    return altsets.Session(X, Y, n_features=3, n_alternatives=1), gate, started, ended


def asked_in_thread(engine, state=None):
    """A question that is on its way, after it was told how far scores are."""
    asked = Asked(Ask("", 1, "answer", state, {}))
    asked.thread = threading.Thread(target=asked.run, args=[engine], daemon=True)
    asked.thread.start()
    wait_until(lambda: asked.reply_within(0)["view"])
    return asked


def test_scores_are_computed_once_for_all_who_ask(slow):
    session, gate, started, _ = slow
    open_engine = engines_of(session, {})
    waiting = [asked_in_thread(open_engine()) for _ in range(5)]
    said = ["Scoring 8 features for mutual_info: 25%."]
    wait_until(lambda: waiting[4].reply_within(0)["view"]["words"] == said)
    # A page that moves on does not make them begin anew.
    waiting.pop().finish(superseded=True)
    waiting.append(asked_in_thread(open_engine(), {"tau": 1.0}))
    gate.set()
    for asked in waiting:
        assert len(asked.reply_within(120, for_all=True)["view"]["sets"]) == 2
    assert len(started) == 1
    told = Tells()
    assert ask(open_engine(), tell=told)["view"]["sets"]
    assert not told


class Hours:
    """A clock on which an hour passes when it is told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(scoring, "time", self)

    def monotonic(self):
        return self.now

    def pass_by(self):
        self.now += 3600
        time.sleep(0.01)


def test_scores_that_nobody_waits_for_are_given_up(slow, monkeypatch):
    session, gate, started, ended = slow
    open_engine, hours = engines_of(session, {}), Hours(monkeypatch)
    asked_in_thread(open_engine()).finish()
    wait_until(lambda: ended, hours.pass_by)
    again = asked_in_thread(open_engine())
    gate.set()
    assert again.reply_within(120, for_all=True)["view"]["sets"]
    assert len(started) == 2


def test_scores_that_hang_are_begun_anew(session, scoring_by, monkeypatch):
    open_engine, hours = engines_of(session, {}), Hours(monkeypatch)
    released = threading.Event()
    scoring_by(lambda score, _: (released.wait(), score()))
    asked = asked_in_thread(open_engine())
    asked.finish()
    asked.thread.join()
    hours.pass_by()
    scoring_by(lambda score, _: score())
    assert ask(open_engine())["view"]["sets"]
    released.set()


def test_what_goes_wrong_with_scores_is_told_and_tried_again(session, scoring_by):
    failures = [InputError("the scale broke."), MemoryError()]

    def fail_first(score, callback):
        if failures:
            raise failures.pop(0)
        return score()

    scoring_by(fail_first)
    engine = engine_of(session)
    with pytest.raises(InputError, match="the scale broke"):
        ask(engine)
    with pytest.raises(MemoryError):
        ask(engine)
    assert ask(engine)["view"]["sets"]


def test_scoring_stops_when_it_is_asked_to(engine):
    with pytest.raises(AltsetsError, match="stopped"):
        ask(engine, state={"quality": "mrmr"}, stopped=lambda: True)
    assert ask(engine, state={"quality": "mrmr"})["view"]["sets"]


def test_clients_in_threads_have_the_answers_of_one(session):
    """Each takes its own steps on the same table and scores."""
    open_engine, answers = engines_of(session, {}), []

    def play(number):
        rng, engine = random.Random(number), open_engine()
        for _ in range(12):
            state = {
                "quality": rng.choice(["mutual_info", "mrmr", "fcbf", "linear_fit"]),
                "tau": rng.randint(0, 5) / 5,
                "n_alternatives": rng.randint(0, 3),
                "distinct": rng.choice([None, "0.8:spearman", "0.9:pearson"]),
                "forbid": sorted(rng.sample(NAMES, rng.randint(0, 3))),
            }
            known = ask(engine, state=state)
            answers.append((state, known["state"], [tuple(one["features"]) for one in known["view"]["sets"]]))

    threads = [threading.Thread(target=play, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 * 12
    alone = altsets.Session(X, Y, n_features=3, n_alternatives=1)
    for asked, state, sets in answers:
        alone.go_to(asked)
        assert (state, sets) == (alone.state, alone.sets)


@pytest.fixture(scope="module")
def hard():
    """A search that takes minutes."""
    scores, pairs = RNG.random(120), RNG.random((120, 120))
    made = quality.MRMR(scores, (pairs + pairs.T) / 2, feature_names=[f"x{number}" for number in range(120)])
    return altsets.Session(made, n_features=12, n_alternatives=4, search="simultaneous")


def test_a_long_search_tells_the_best_and_keeps_it_when_it_is_stopped(hard):
    engine, told, stop = engine_of(hard, file="", target=""), Tells(), threading.Event()

    def tell(known):
        told(known)
        if known["view"].get("sets"):
            stop.set()

    known = ask(engine, tell=tell, stopped=stop.is_set)
    assert told[-1]["view"]["sets"]
    assert not known["view"]["certain"]
    assert known["view"]["sets"]
    # A file has the answer that the page shows, without another search: that would take minutes.
    assert ask(engine, "download", known["state"], kind="csv")["text"].startswith("set,feature")


def test_files(engine, snapshot):
    state = {"pinned": [["f0", "f5"]], "n_alternatives": 2}
    texts = {kind: ask(engine, "download", state, kind=kind)["text"] for kind in FILES}
    rows = [line.split(",") for line in texts["csv"].splitlines()]
    assert rows[0][:3] == ["set", "feature", "score"]
    assert [row[1] for row in rows if row[0] == "pinned 1"] == ["f0", "f5"]
    assert {row[0] for row in rows[1:]} == {"pinned 1", "0", "1"}
    assert json.loads(texts["json"])["statuses"] == ["optimal", "optimal"]
    assert texts["report"].startswith("<!doctype html>")
    assert texts["command"] == snapshot
    compile(texts["python"], "altsets.py", "exec")


def test_an_engine_that_cannot_be_opened_is_told_and_opened_for_the_next_question(open_engine):
    """The error does not end the thread that answers."""
    openings = iter([InputError("no table"), open_engine()])

    def opening():
        opened = next(openings)
        if isinstance(opened, Exception):
            raise opened
        return opened

    questions = Questions(opening)

    def answer(number):
        reply = questions.reply_to(Ask("page", number, "answer", None, {}), "ask")()
        while not reply["finished"]:
            reply = questions.reply_to(Question("page", number), "wait")()
        return reply

    assert answer(0)["error"] == "no table"
    assert len(answer(1)["view"]["sets"]) == 2
    questions.close()
