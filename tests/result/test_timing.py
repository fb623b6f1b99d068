"""Documents of equal answers: the same bytes, but for the times, which stand apart."""

import json

import pytest
from sklearn.datasets import load_wine

import altsets
from altsets import SelectAlternatives, constraints, documents, evaluate, frontier, quality
from altsets.errors import InputError
from altsets.evaluation import Evaluation, Evaluations
from altsets.result import Frontier

X, Y = load_wine(return_X_y=True, as_frame=True)
X = X.iloc[:, :6]


def selector():
    return SelectAlternatives("f", n_features=2, n_alternatives=1)


def scores():
    # Features with the names that times have in documents.
    names = ["timing", "elapsed", "time", "seconds", "e", "f"]
    return quality.Additive([9, 8, 7, 3, 2, 1], feature_names=names)


def budget():
    return constraints.Budget({"timing": 1.0, "elapsed": 2.0, "time": 1.0, "seconds": 1.0}, 4)


MADE = {
    "result": (lambda: altsets.find(scores(), n_features=2, constraints=[budget()]), altsets.Result),
    "selector": (lambda: selector().fit(X, Y).result_, altsets.Result),
    "frontier": (lambda: altsets.frontier(scores(), n_features=2, n_alternatives=1), Frontier),
    "near_best": (lambda: altsets.near_best(scores(), n_features=2, within=0.2), None),
    "evaluation": (lambda: evaluate(selector(), X, Y, cv=2, n_repeats=1), Evaluation),
    "evaluations": (
        lambda: evaluate(frontier("f", n_features=2, n_alternatives=1, X=X, y=Y), X, Y, cv=2, n_repeats=1),
        Evaluations,
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_equal_answers_are_equal_documents_but_for_the_times(name):
    make, kind = MADE[name]
    one, other = make(), make()
    assert one.to_json() != other.to_json()
    assert one.to_json(timing=False) == other.to_json(timing=False)
    whole = json.loads(one.to_json())
    assert whole["timing"]["elapsed"] == one.elapsed
    assert "elapsed" not in whole
    assert documents.without_timing(whole) == json.loads(one.to_json(timing=False))
    if kind is not None:
        again = kind.from_json(one.to_json())
        assert again == one
        assert again.elapsed == one.elapsed
        assert again.to_json() == one.to_json()
        bare = kind.from_json(one.to_json(timing=False))
        assert bare == one
        assert bare.elapsed == 0
        assert bare.to_json(timing=False) == one.to_json(timing=False)


def test_the_record_of_a_result_gets_its_time_back():
    result = selector().fit(X, Y).result_
    whole = json.loads(result.to_json())
    assert whole["timing"].keys() == {"elapsed", "time", "seconds"}
    assert not {"time", "seconds"} & whole["provenance"].keys()
    assert altsets.Result.from_json(result.to_json()).provenance == result.provenance


def test_features_that_are_called_like_times_stay():
    document = json.loads(MADE["result"][0]().to_json(timing=False))
    assert document["sets"][0]["features"] == ["timing", "elapsed"]
    assert len(json.dumps(document).split('"timing"')) > 2


@pytest.mark.parametrize("timing", [3, "elapsed", {"elapsed": "long"}, {"elapsed": None}])
def test_damaged_times_are_refused(timing, refused):
    document = MADE["result"][0]().to_dict() | {"timing": timing}
    with refused(InputError):
        altsets.Result.from_json(json.dumps(document))
