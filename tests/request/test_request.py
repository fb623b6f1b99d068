"""Requests: checked when they are made, bound to features once, written, read again; and those of answers."""

from __future__ import annotations

import json
import pickle
import shlex
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets import Request, Result, SelectAlternatives, constraints, dissimilarity, quality
from altsets.errors import InputError, NotExpressedError
from altsets.problem import Problem
from altsets.quality.spec import NamedQuality
from altsets.request import ENGINE_NAMES
from altsets.search.solving import ENGINES

NAMES = ["a", "b, c", "d:e", "f"]
SCORES = quality.Additive([4, 3, 2, 1], feature_names=NAMES)

REQUESTS = [
    Request(),
    Request(n_features=2, n_alternatives=1, tau=0.25, search="simultaneous", aggregation="min"),
    Request(tau="1/3", n_features=3),
    Request(tau=2, dissimilarity="absolute", time_limit=250.5, engine="milp"),
    Request(dissimilarity="jaccard", existing=[["a", "f"], [1, 2]], n_features=2),
    Request(dissimilarity=dissimilarity.Matched("spearman", threshold=0.9), quality="mrmr"),
    Request(dissimilarity=dissimilarity.Grouped([["a", "d:e"], ["f"]])),
    Request(quality=NamedQuality("fcbf", measure="pearson"), task="regression", random_state=3),
    Request(quality=NamedQuality("wrapper", estimator="forest", scoring="accuracy", max_iters=7)),
    Request(
        quality="f",
        constraints=[
            constraints.Forbid(["d:e"], proxies=0.8),
            constraints.AtMost(1, ["a", "b, c"]),
            constraints.MaxSimilarity("pearson", 0.7),
            constraints.Size(1, 3),
        ],
    ),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=repr)
def test_written_as_json_and_read_again(request_):
    text = request_.to_json()
    again = Request.from_json(text)
    assert again == request_
    assert again.to_json() == text
    assert pickle.loads(pickle.dumps(request_)) == request_


@pytest.mark.parametrize("request_", REQUESTS, ids=repr)
def test_python_lines_ask_the_same(request_):
    if request_.existing and request_.quality is not None:
        return
    code = request_.to_python()
    compile(code, "lines", "exec")
    given = {}

    def record(*arguments, **asked):
        given.update(asked, quality=arguments[0])
        return Recorder()

    class Recorder:
        def fit(self, X, y):
            return self

    lines = [
        line
        for line in code.splitlines()
        if not line.startswith(("import altsets", "from altsets import Sel"))
    ]
    scope = {"SelectAlternatives": record, "X": None, "y": None, "scored": None}
    scope["altsets"] = type("module", (), {"find": staticmethod(record)})
    exec("\n".join(lines), scope)
    asked = given.pop("quality")
    again = Request(**given, quality=asked)
    if isinstance(asked, partial):
        assert isinstance(request_.quality, NamedQuality)
        assert {
            **{"name": request_.quality.name},
            **asked.keywords,
        }.items() >= request_.quality.as_dict().items()
        again = Request(**given, quality=request_.quality)
    assert again == request_


def test_commands_can_be_typed(snapshot):
    request = Request(
        n_features=2,
        tau=0.5,
        quality=NamedQuality("wrapper", estimator="forest", pos_label="yes"),
        constraints=[constraints.Require(["b, c"]), constraints.Forbid("a", proxies=0.8)],
        existing=[["a", "b, c"]],
        dissimilarity=dissimilarity.Matched("spearman", 0.9),
        time_limit=300,
    )
    words = shlex.split(request.to_command("my table.csv", "it's"))
    assert words[:4] == snapshot
    assert set(words[4:]) == {
        "--n-features=2",
        "--n-alternatives=3",
        "--tau=0.5",
        "--distinct=0.9:spearman",
        "--quality=wrapper",
        "--estimator=forest",
        "--positive=yes",
        '--require="b, c"',
        "--forbid=a",
        "--proxies=0.8:symmetrical_uncertainty",
        '--existing=a,"b, c"',
        "--time-limit=300.0",
    }
    assert (
        shlex.split(Request(quality="f", constraints=constraints.Forbid(0)).to_command(names=NAMES))[-1]
        == "--forbid=a"
    )


@pytest.mark.parametrize(("request_", "reason"), [
    (Request(dissimilarity=lambda one, other: 1.0), "a function of your own"),
    (Request(dissimilarity=dissimilarity.Matched(np.eye(3))), "a matrix of your own"),
    (Request(constraints=constraints.MaxSimilarity(np.eye(3), 0.5)), "a matrix of your own"),
    (Request(quality=lambda X, y: X), "only you know what quality"),
    (Request(quality=DecisionTreeClassifier()), "only you have the estimator"),
    (Request(quality=[3, 2, 1]), "only you know what quality"),
])  # fmt: skip
def test_what_cannot_be_written_says_why(request_, reason):
    with pytest.raises(NotExpressedError, match=reason):
        request_.to_json()
    with pytest.raises(NotExpressedError, match=reason):
        request_.to_python()


def test_commands_that_cannot_be_written():
    for request, reason in [
        (Request(), "only you know what quality"),
        (Request(quality="f", constraints=constraints.Forbid(0)), "a command wants their names"),
        (Request(quality="f", dissimilarity=dissimilarity.Grouped([["a"]])), "by groups"),
        (Request(quality="f", random_state=3), "a seed was given"),
    ]:
        with pytest.raises(NotExpressedError, match=reason):
            request.to_command()


@pytest.mark.parametrize("name", ["http.server.test", "os.abort", "sklearn.svm.SVC"])
def test_a_document_names_no_code(name, refused):
    document = json.loads(Request(quality=NamedQuality("importance", estimator="forest")).to_json())
    document["quality"]["estimator"] = name
    with refused(InputError):
        Request.from_dict(document)


@pytest.mark.parametrize("text", [
    "{}", "[]", '{"schema": 2}', '{"schema": 1, "other": 1}', '{"schema": 1, "constraints": [{}]}',
    "nonsense", '{"schema": 1, "constraints": [{"kind": "require"}]}', '{"schema": 1, "existing": 3}',
    '{"schema": 1, "tau": "x"}',
])  # fmt: skip
def test_damaged_documents_are_refused(text):
    with pytest.raises(InputError):
        Request.from_json(text)


@pytest.mark.parametrize(("asked", "message"), [
    ({"n_features": 0}, "n_features=0 is too small"),
    ({"tau": 2}, "tau=2 is outside"),
    ({"tau": "max", "within": 0.1, "dissimilarity": "absolute"}, "can't be combined"),
    ({"dissimilarity": "cosine"}, "choose one of 'dice', 'jaccard'"),
    ({"constraints": ["a"]}, "constraints holds 'a'"),
    ({"existing": ["ab"]}, "not the single string"),
    ({"quality": "nonsense"}, "quality='nonsense' is unknown"),
    ({"task": "guess"}, "task='guess' is unknown"),
    ({"engine": "quantum"}, "engine='quantum' is unknown"),
    ({"quality": "wrapper", "quality_params": {"max_iters": 0}}, "max_iters=0 is too small"),
    ({"time_limit": 0}, "time_limit=0 must be a positive number"),
])  # fmt: skip
def test_checked_when_it_is_made(asked, message):
    with pytest.raises(InputError, match=message):
        Request(**asked)


def test_all_problems_come_in_one_error():
    with pytest.raises(InputError) as caught:
        Request(
            n_features=0, n_alternatives=-1, tau=3, quality="nope", engine="steam", existing=["a"], within=-1
        )
    named = [
        "engine='steam'",
        "quality='nope'",
        "n_features=0",
        "n_alternatives=-1",
        "tau=3",
        "an existing",
        "within=-1",
    ]
    assert [line.startswith(name) for line, name in zip(caught.value.problems, named, strict=True)] == [
        True
    ] * 7
    assert str(pickle.loads(pickle.dumps(caught.value))) == "\n".join(caught.value.problems)


def test_frozen_and_comparable(snapshot):
    request = Request(n_features=2)
    with pytest.raises(AttributeError):
        request.n_features = 3
    assert request != Request(n_features=3)
    assert request != "request"
    scores = [3, 2, 1]
    assert Request(quality=scores) != Request(quality=list(scores))
    assert repr(Request(tau=0.5, quality="mrmr")) == snapshot


def test_engines_are_those_that_there_are():
    assert set(ENGINE_NAMES) == {"auto", *ENGINES}


@pytest.mark.parametrize("tau", ["1e-99999999", "1e-999999999999", "0.5e-400"])
def test_tiny_taus_come_to_an_end(tau):
    assert Problem.create(3, n_features=1, tau=tau).tau < Fraction(1, 10**300)
    for outside in ("1e99999999", "-1e99999999", "1e9999999999999999999"):
        with pytest.raises(InputError):
            Problem.create(3, n_features=1, tau=outside)


def test_find_says_what_was_asked():
    result = altsets.find(SCORES, 2, 1, "1/2", constraints=constraints.Forbid("f"), existing=[["a", "d:e"]])
    asked = result.request
    assert asked == Request(
        n_features=2,
        n_alternatives=1,
        tau=Fraction(1, 2),
        constraints=constraints.Forbid("f"),
        existing=[["a", "d:e"]],
    )
    assert Result.from_json(result.to_json()).request == asked
    assert pickle.loads(pickle.dumps(result)).request == asked


def test_functions_in_requests_do_not_keep_results_from_being_saved():
    result = altsets.find(SCORES, 2, 1, dissimilarity=lambda one, other: float(one != other))
    assert callable(result.request.dissimilarity)
    assert pickle.loads(pickle.dumps(result)) == result
    read = Result.from_json(result.to_json())
    assert read == result
    assert read.request is None


def test_all_verbs_say_what_was_asked():
    for found in altsets.iterate(SCORES, 1, tau=1):
        assert found.request.n_features == 1
    assert found.request.existing == ((0,), (1,), (2,))
    for point in altsets.frontier(SCORES, 2, [1, 2], [0, 0.5]):
        again = altsets.find(SCORES, point.n_features, point.n_alternatives, point.result.request.tau)
        assert again.sets == point.result.sets
        assert point.result.request.n_alternatives == point.n_alternatives
    assert altsets.find(SCORES, 1, 1, "max", within=0.1).request.tau == "max"
    assert altsets.find(SCORES, 1, "max", min_quality=1).request.n_alternatives == "max"


def test_selectors_say_what_was_asked():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SelectAlternatives(
        partial(quality.MRMR.from_data, measure="pearson"),
        n_features=2,
        n_alternatives=1,
        tau=1,
        time_limit=500,
    ).fit(X, y)
    assert selector.result_.request.quality.func == quality.MRMR.from_data
    named = SelectAlternatives(
        "f", n_features=2, n_alternatives=1, constraints=constraints.Forbid("hue")
    ).fit(X, y)
    request = Request.from_json(named.result_.to_json() and named.result_.request.to_json())
    again = SelectAlternatives(
        request.quality,
        n_features=request.n_features,
        n_alternatives=request.n_alternatives,
        tau=request.tau,
        constraints=request.constraints,
    ).fit(X, y)
    assert again.result_ == named.result_
    assert "SelectAlternatives(" in request.to_python()
    scores = SelectAlternatives([3, 2, 1], n_features=1, n_alternatives=1).fit(np.eye(3))
    assert scores.result_.request.quality is None


@pytest.mark.parametrize(("tau", "written"), [
    ("1", "1"), ("0", "0"), ("0.5", "0.5"), ("1/3", "'1/3'"), ("0.9", "'9/10'"), (0.9, "0.9"), (1, "1.0"),
])  # fmt: skip
def test_tau_is_written_as_a_number_where_one_is_exact(tau, written):
    request = Request(tau=tau, quality="f")
    assert f"tau={written})" in request.to_python()
    assert Request(tau=eval(written)).tau == request.tau
