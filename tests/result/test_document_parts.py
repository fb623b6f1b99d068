"""Documents of answers: every field is read as what it is, or refused."""

from __future__ import annotations

import copy
import json

import pytest

import altsets
from altsets.errors import InputError

SCORES = altsets.quality.Additive([9, 8, 7, 3], feature_names=["age", "height", "weight", "shoe size"])


def near():
    return altsets.near_best(SCORES, n_features=2, within=0.25)


ANSWERS = {
    "range": lambda: near().range([5, 3, 0, 0]),
    "costs": lambda: altsets.frontier(SCORES, n_features=2, against=[5, 3, 0, 0]),
    "penalty": lambda: altsets.frontier(SCORES, n_features=2, n_alternatives=1, by="penalty"),
    "frontier": lambda: altsets.frontier(SCORES, n_features=2, n_alternatives=1),
    "what_if": lambda: altsets.what_if(SCORES, altsets.find(SCORES, n_features=2, n_alternatives=0)),
}


#: What users said, which may be anything, what is made of the rest, and sentences.
NOT_READ = ("parameters", "request", "suggestion", "timing", "provenance", "result")


def places(part, way=()):
    """The ways to all values of a document that are read."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inside:
        if key not in NOT_READ:
            yield (*way, key)
            yield from places(value, (*way, key))


@pytest.mark.parametrize("kind", ANSWERS)
def test_what_is_read_is_what_was_written(kind):
    answer = ANSWERS[kind]()
    again = type(answer).from_json(answer.to_json())
    assert again == answer
    assert again.to_json(timing=False) == answer.to_json(timing=False)


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_value_of_another_type_is_refused(kind):
    answer = ANSWERS[kind]()
    document = json.loads(answer.to_json())
    for way in places(document):
        damaged = copy.deepcopy(document)
        part = damaged
        for key in way[:-1]:
            part = part[key]
        if isinstance(part[way[-1]], bool):
            continue
        part[way[-1]] = {"no": "value"}
        with pytest.raises(InputError):
            type(answer).from_json(json.dumps(damaged))


def test_an_interval_has_two_ends(refused):
    quality = altsets.quality.BlackBox(lambda features: float(sum(features)), n_features_in=30)
    found = altsets.near_best(quality, n_features=6)
    document = json.loads(found.to_json())
    assert altsets.results.NearBest.from_json(json.dumps(document)).estimate == found.estimate
    document["estimate"]["interval"].append(7)
    with refused(InputError):
        altsets.results.NearBest.from_json(json.dumps(document))
