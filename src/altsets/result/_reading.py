"""Reading answers: the fields of a result in a JSON document of this version or of an earlier one."""

from __future__ import annotations

import math
from typing import Any

from altsets import documents
from altsets.errors import NotExpressedError
from altsets.quality import FittedSet
from altsets.request import Request
from altsets.result._found import Match, Shortlist
from altsets.result._status import Status, StopReason


def fields_in(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of a result but for the names of its sets; what is damaged raises one of ``documents.DAMAGED``."""
    status = Status(document["status"])
    unknown = -math.inf if status is Status.INFEASIBLE and not document["sets"] else math.inf
    return dict(
        sets=[documents.whole_numbers(entry["indices"]) for entry in document["sets"]],
        qualities=[documents.number(entry["quality"]) for entry in document["sets"]],
        objective=documents.number_or(document["objective"], math.nan),
        bound=documents.number_or(document["bound"], unknown),
        status=status,
        statuses=[Status(entry) for entry in document["statuses"]],
        named_sets=[documents.texts(entry["features"]) for entry in document["sets"]],
        parameters=dict(document["parameters"].items()),
        engine=documents.text(document["engine"]),
        proof=documents.text(document["proof"]),
        reason=documents.text(document["reason"]),
        elapsed=documents.number(document["elapsed"]),
        # Documents of earlier versions do not have these.
        stop_reason=StopReason(document.get("stop_reason", StopReason.FINISHED)),
        steps=documents.whole_numbers([document.get("steps", 0)])[0],
        evaluated=documents.whole_numbers([document.get("evaluated", 0)])[0],
        iterations=documents.whole_numbers([document.get("iterations", 0)])[0],
        matches=[_match(entry) for entry in document.get("matches", [])],
        tau_found=_number_in(document, "tau") if document["parameters"].get("tau") == "max" else None,
        tau_bound=_number_in(document, "tau_bound"),
        n_sets_bound=documents.number_or(document["n_sets_bound"], math.inf)
        if "n_sets_bound" in document
        else None,
        provenance=dict(document.get("provenance", {}).items()),
        scores=[_scores(entry["scores"]) for entry in document["sets"] if "scores" in entry],
        noise_floors=_floors_in(document),
        notes=[documents.text(note) for note in document.get("notes", [])],
        # Documents of earlier versions have these alone; what the answer itself tells comes from its verdict.
        table_cautions=[
            documents.text(caution)
            for caution in document.get("table_cautions", document.get("cautions", []))
        ],
        request=_request_in(document),
        shortlist=_shortlist_in(document.get("shortlist")),
        existing_qualities=[
            documents.number_or(value, math.nan) for value in document.get("existing_qualities", [])
        ],
        models=[
            FittedSet.from_dict(entry["model"], documents.texts(entry["features"]))
            for entry in document["sets"]
            if "model" in entry
        ],
    )


def _number_in(document: Any, name: str) -> float | None:
    value = document.get(name)
    return None if value is None else documents.number(value)


def _floors_in(document: Any) -> list[tuple[float, ...]]:
    """The noise floor of each feature of each set; documents of earlier versions have one for all."""
    if (of_all := document.get("noise_floor")) is not None:
        return [(documents.number(of_all),) * len(entry["indices"]) for entry in document["sets"]]
    return [_scores(entry["noise_floors"]) for entry in document["sets"] if "noise_floors" in entry]


def _shortlist_in(entry: Any) -> Shortlist | None:
    if entry is None:
        return None
    lengths = list(documents.whole_numbers(entry["lengths"]))
    return Shortlist(lengths, documents.whole_numbers([entry["n_features"]])[0])


def _request_in(document: dict[str, Any]) -> Request | None:
    """The request of an answer; documents of earlier versions say it in their parameters, if at all."""
    if "request" in document:
        try:
            return None if document["request"] is None else Request.from_dict(document["request"])
        except NotExpressedError:
            # It names code, which a file must not; the answer itself can be read.
            return None
    return Request.from_parameters(document["parameters"], document.get("provenance", {}))


def _match(entry: Any) -> Match:
    (later, earlier), (feature, other) = map(documents.whole_numbers, (entry["sets"], entry["indices"]))
    return later, earlier, feature, other, documents.number(entry["similarity"])


def _scores(entry: Any) -> tuple[float, ...]:
    return tuple(map(documents.number, entry))
