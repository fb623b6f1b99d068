import gc
import json
import threading
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
import pandas as pd
import pytest

import altsets
from altsets import quality
from altsets.app.engine import SessionEngine, SharedSession
from altsets.app.messages import FILES
from altsets.cli.spelling import option_words
from altsets.errors import AltsetsError, InputError

RNG = np.random.default_rng(0)
NAMES = [f"f{number}" for number in range(8)]


def never():
    return False


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


def test_a_folder_that_disappears_is_an_error_of_its_own(snapshot):
    shared = SharedSession(altsets.Session(X, Y, "f", n_features=2), {})
    engine = shared.open_engine()
    shared.close()
    # Who has the table in memory goes on, also with other scores.
    for quality_named in ("f", "pearson"):
        assert len(ask(engine, state={"quality": quality_named})["view"]["sets"][0]["features"]) == 2
    with pytest.raises(InputError) as refused:
        shared.open_engine()
    assert str(refused.value) == snapshot


@pytest.mark.parametrize(("target", "name", "named"), [*other_targets()])
def test_other_targets_are_answered_evaluated_and_downloaded(target, name, named, snapshot):
    session = altsets.Session(X, target, name, n_features=2, n_alternatives=1)
    engine = SessionEngine(session, session.state, {"file": "t.csv", "target": "ill"})
    known = ask(engine)
    assert known["view"]["sets"][0]["features"] == ["f0", "f1"]
    evaluated = ask(engine, "evaluate", known["state"])
    assert "set 0" in json.dumps(evaluated["view"]["blocks"])
    assert "f1" in ask(engine, "download", known["state"], kind="report")["text"]
    assert ask(engine, "download", known["state"], kind="command")["text"] == snapshot


@pytest.mark.parametrize(
    ("spelling", "said"), [(None, "task='regression'"), (option_words(), "--task regression")]
)
def test_messages_are_in_the_words_of_those_who_opened_the_page(spelling, said, snapshot):
    mixed = pd.DataFrame({"warm": X.iloc[:, 0], "ill": Y})
    session = altsets.Session(X, mixed, "f", n_features=2, n_alternatives=1)
    shared = SharedSession(session, {}, spelling=spelling, file="t.csv", target="warm,ill")
    try:
        engine = shared.open_engine()
        with pytest.raises(InputError) as refused:
            ask(engine, "evaluate", ask(engine)["state"])
        assert str(refused.value) == snapshot
    finally:
        shared.close()


def test_what_is_good_is_said_for_the_target():
    survival = next(other_targets()).values[0]
    for target, meaning in ((survival, "Somers' D"), (Y, "mutual information")):
        session = altsets.Session(X, target, "mrmr", n_features=2)
        settings = ask(SessionEngine(session, session.state, {}))["view"]["settings"]
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
def shared(session):
    shared = SharedSession(session, {"forbid": ["f7"]}, file="table.csv", target="ill")
    yield shared
    shared.close()


def ask(engine, verb="answer", state=None, tell=None, stopped=never, **more):
    job = {"verb": verb, "state": state, "with": more}
    known = engine(job, Tells() if tell is None else tell, stopped)
    json.dumps(known, allow_nan=False)
    return known


@pytest.mark.parametrize(
    "changes", [{"tau": "max", "within": 0.6}, {"n_alternatives": "max", "tau": 1.0, "within": 0.9}], ids=str
)
def test_questions_for_the_largest(changes):
    session = altsets.Session(X, Y, "f", n_features=2, n_alternatives=1)
    engine = SessionEngine(session, session.state, {"file": "t.csv", "target": "ill"})
    told = Tells()
    known = ask(engine, state=changes, tell=told)
    assert known["state"] == altsets.Session(X, Y, "f", n_features=2, n_alternatives=1).state | changes
    assert [tuple(one["features"]) for one in known["view"]["sets"]] == session.sets
    for verb in ("frontier", "evaluate"):
        assert ask(engine, verb, known["state"])["view"]["words"]
    for kind in ("report", "python", "command", "csv", "json"):
        assert ask(engine, "download", known["state"], kind=kind)["text"]


def test_an_answer_is_that_of_the_session(shared, session):
    engine = shared.open_engine()
    known = ask(engine)
    assert known["state"] == session.state | {"forbid": ["f7"]}
    expected = session.go_to(known["state"])
    assert [tuple(one["features"]) for one in known["view"]["sets"]] == expected.sets
    other = ask(engine, state={"tau": 1.0, "n_features": 2})
    assert other["state"] == known["state"] | {"tau": 1.0, "n_features": 2}


def test_every_verb_has_a_view(shared):
    engine = shared.open_engine()
    state = ask(engine)["state"]
    assert ask(engine, "frontier", state)["view"]["blocks"]
    assert ask(engine, "stand_in", state, feature="f0")["view"]["words"]
    assert ask(engine, "compare", state, other=state | {"tau": 1.0})["view"]["words"]
    # What was asked about stays the state.
    assert ask(engine, "frontier", state)["state"] == state


@pytest.mark.slow
def test_an_evaluation_tells_how_far_it_is_and_can_be_stopped(shared):
    engine, told = shared.open_engine(), Tells()
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
def test_states_that_cannot_be_are_refused_in_a_sentence(shared, state, said):
    engine = shared.open_engine()
    with pytest.raises(InputError, match=said):
        ask(engine, state=state)
    assert ask(engine)["view"]["sets"]


def test_scores_are_computed_once_for_all_workers(shared, snapshot):
    first, second, told = shared.open_engine(), shared.open_engine(), Tells()
    ask(first, "prepare", tell=told)
    assert told[0]["view"]["words"] == snapshot
    ask(first, state={"quality": "mrmr"})
    told.clear()
    for name in ("mutual_info", "mrmr"):
        assert ask(second, state={"quality": name}, tell=told)["state"]["quality"] == name
    assert not told


def test_scoring_stops_when_it_is_asked_to(shared):
    engine = shared.open_engine()
    with pytest.raises(AltsetsError, match="stopped"):
        ask(engine, state={"quality": "mrmr"}, stopped=lambda: True)
    assert ask(engine, state={"quality": "mrmr"})["view"]["sets"]


def test_tables_are_mapped_not_copied(shared):
    engine = shared.open_engine()
    folder = Path(url2pathname(urlsplit(shared.entrance("")).path)).parent
    mapped = [one for one in gc.get_objects() if isinstance(one, np.memmap) and one.shape == X.shape]
    assert [one for one in mapped if Path(one.filename).parent == folder]
    assert ask(engine)["view"]["sets"]


@pytest.fixture(scope="module")
def hard():
    """A search that takes minutes."""
    scores, pairs = RNG.random(120), RNG.random((120, 120))
    made = quality.MRMR(scores, (pairs + pairs.T) / 2, feature_names=[f"x{number}" for number in range(120)])
    return altsets.Session(made, n_features=12, n_alternatives=4, search="simultaneous")


def test_a_long_search_tells_the_best_and_keeps_it_when_it_is_stopped(hard):
    shared = SharedSession(hard, {}, file="", target="")
    try:
        engine, told, stop = shared.open_engine(), Tells(), threading.Event()

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
    finally:
        shared.close()


def test_files(shared, snapshot):
    engine = shared.open_engine()
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


def test_the_folder_is_private_and_goes(session, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shared = SharedSession(session, {}, file="table.csv", target="ill")
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert isinstance(shared.open_engine(), SessionEngine)
    shared.close()
    assert not list(tmp_path.iterdir())
