"""Near-best sets in a document: what it says about them in place of a quality, a problem and a family of sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets import documents
from altsets.arrays import Floats
from altsets.problem import FeatureSet
from altsets.result import StopReason
from altsets.search.good_sets import Nearness
from altsets.search.near_best.families import Counted, Estimate, SavedFamily

#: The parameters of a search that say which sets are counted.
ASKED = ("n_features_in", "n_features", "sizes", "constraints")


@dataclass(frozen=True)
class Saved:
    """What a document says about the request and the features, in place of a quality and a problem."""

    feature_names: list[str]
    feature_scores: Floats | None
    sizes: range
    asked: dict[str, Any]
    qualities: dict[FeatureSet, float]
    #: Not saved.
    noise_floor: None = None

    @property
    def n_features_in(self) -> int:
        """The number of features."""
        return len(self.feature_names)

    def names_of(self, indices: Sequence[int]) -> tuple[str, ...]:
        """Features by name."""
        return tuple(self.feature_names[index] for index in indices)

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of a set of the document."""
        return self.qualities[tuple(indices)]

    def parameters(self) -> dict[str, Any]:
        """The request."""
        return self.asked


def arguments_in(document: dict[str, Any]) -> dict[str, Any]:
    """What a document says, as arguments of NearBest; what is wrong with it raises one of ``documents.DAMAGED``."""
    names = list(documents.texts(document["feature_names"]))
    scores, asked = document["feature_scores"], document["parameters"]
    sets = [documents.whole_numbers(entry["indices"]) for entry in document["sets"]]
    qualities = [documents.number(entry["quality"]) for entry in document["sets"]]
    smallest, largest = documents.whole_numbers(asked["sizes"])
    low, high = documents.whole_numbers(document["count_bounds"])
    best_set = None if document["best_set"] is None else documents.whole_numbers(document["best_set"])
    if asked["n_features_in"] != len(names) or low > high or len(set(names)) < len(names):
        raise ValueError("numbers that belong together differ")
    for chosen in [*sets, *([] if best_set is None else [best_set])]:
        if any(index >= len(names) for index in chosen):
            raise ValueError("a set has a feature that does not exist")
    saved = Saved(
        feature_names=names,
        feature_scores=None if scores is None else _numbers(scores, len(names)),
        sizes=range(smallest, largest + 1),
        asked={name: asked[name] for name in ASKED},
        qualities=dict(zip(sets, qualities, strict=True)),
    )
    shares = np.zeros(len(names))
    for entry in document["features"]:
        shares[documents.whole_numbers([entry["index"]])] = documents.number(entry["frequency"])
    place = {name: index for index, name in enumerate(names)}

    def mask(listed: Iterable[str]) -> np.ndarray:
        found = np.zeros(len(names), dtype=bool)
        found[[place[name] for name in listed]] = True
        return found

    occurring = mask(entry["feature"] for entry in document["features"])
    proven = mask(document["always"]), mask(document["never"])
    known = document["n_known"]
    family = SavedFamily(
        bounds=(low, high),
        n_known=None if known is None else documents.whole_numbers([known])[0],
        estimated=bool(document["estimated"]),
        shares=shares,
        masks=(mask(document["cores"]), occurring, proven),
        sets=sets,
    )
    best = documents.number_or(document["best"], math.nan)
    drawn = document["estimate"]
    estimate = None if drawn is None else Estimate.from_dict(drawn)
    counted = Counted(family, best_set, best, bool(document["best_proven"]), estimate)
    within, least = (documents.number_or(asked[name], None) for name in ("within", "min_quality"))
    return {
        "quality": saved,
        "problem": saved,
        "nearness": Nearness.of(within, least),
        "counted": counted,
        "reason": documents.text(document["reason"]),
        "stop_reason": StopReason(document["stop_reason"]),
        "elapsed": documents.number(document["elapsed"]),
    }


def _numbers(listed: Any, count: int) -> Floats:
    found = np.array([documents.number_or(value, math.nan) for value in listed], dtype=np.float64)
    if len(found) != count:
        raise ValueError("there must be one score for each feature")
    return found
