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


#: Parts of documents that are something else than they have to be.
DAMAGED = {
    "frontier": [
        *({"schema": 2}, {"kind": "result"}, {"points": [{}]}, {"points": 3}, {"notes": [1]}),
        *({"stop_reason": "bored"}, {"n_asked": -1}),
    ],
    "what_if": [{"schema": 2}, {"losses": None}, {"losses": [{}]}, {"quality": "x"}, {"stop_reason": "?"}],
    "near_best": [
        *(
            {name: None}
            for name in ("count_bounds", "feature_names", "features", "sets", "parameters", "cores")
        ),
        *({"schema": 2}, {"feature_names": ["a"]}, {"feature_names": ["a"] * 4}, {"feature_scores": [1.0]}),
        *({"count_bounds": [3, 2]}, {"best_set": [17]}, {"cores": ["nobody"]}, {"stop_reason": "tired"}),
        {"estimate": {"n_drawn": 1}},
    ],
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_documents_are_refused(kind, refused):
    answer = {**ANSWERS, "near_best": near}[kind]()
    for change in DAMAGED[kind]:
        with refused(InputError):
            type(answer).from_json(json.dumps(answer.to_dict() | change))
    other = altsets.find(SCORES, n_features=2, n_alternatives=0).to_json()
    for text in ("", "[]", "{}", other):
        with pytest.raises(InputError):
            type(answer).from_json(text)


@pytest.mark.parametrize(
    ("kind", "old", "new"), [("costs", '"mean": ', '"mean": 1'), ("penalty", '"penalty":', '"price":')]
)
def test_points_that_are_damaged_are_refused(kind, old, new, refused):
    answer = ANSWERS[kind]()
    with refused(InputError):
        type(answer).from_json(answer.to_json().replace(old, new, 1))


def test_names_that_are_not_those_of_the_set_are_refused(refused):
    document = json.loads(ANSWERS["what_if"]().to_json())
    document["losses"][0]["set"] = [1]
    with refused(InputError):
        altsets.results.WhatIf.from_json(json.dumps(document))


def test_an_interval_has_two_ends(refused):
    quality = altsets.quality.BlackBox(lambda features: float(sum(features)), n_features_in=30)
    found = altsets.near_best(quality, n_features=6)
    document = json.loads(found.to_json())
    assert altsets.results.NearBest.from_json(json.dumps(document)).estimate == found.estimate
    document["estimate"]["interval"].append(7)
    with refused(InputError):
        altsets.results.NearBest.from_json(json.dumps(document))
