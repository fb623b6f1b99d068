"""The JSON document of a result: fields as they are, and what belongs to each set in an entry of its own."""

from __future__ import annotations

import math
from typing import Any

from altsets import documents
from altsets.errors import NotExpressedError
from altsets.quality import FittedSet
from altsets.request import Request
from altsets.result._found import Match, SetsFound
from altsets.result._status import Status

#: Fields that a document always has, and those that it has if they say something.
ALWAYS = (
    "status",
    "statuses",
    "objective",
    "bound",
    "parameters",
    "engine",
    "proof",
    "reason",
    "elapsed",
    "stop_reason",
    "steps",
    "evaluated",
    "notes",
    "table_cautions",
)
IF_ANY = (
    "iterations",
    "shortlist",
    "existing_qualities",
    "provenance",
    "n_above_noise",
    "tau_bound",
    "n_sets_bound",
)
#: What an entry of a set may hold: a value for each of its features, or for each budget.
OF_SETS = ("scores", "noise_floors")


def document_of(found: SetsFound) -> dict[str, Any]:
    """The document, without what only a whole result knows."""
    beside = {name: getattr(found, name) for name in (*OF_SETS, "groups", "costs")}
    sets = [
        {
            **({"name": found.set_names[number]} if found.set_names else {}),
            "features": documents.labels(names),
            "indices": list(chosen),
            "quality": documents.finite(found.qualities[number]),
            "status": str(found.statuses[number]),
            **{name: list(values[number]) for name, values in beside.items() if values},
            **({"model": found.models[number].to_dict()} if found.models else {}),
        }
        for number, (names, chosen) in enumerate(zip(found.texts, found.sets, strict=True))
    ]
    largest = {"tau": found.tau_found} if found.parameters.get("tau") == "max" else {}
    zero = [*(["tau_bound"] if largest else []), *(["n_above_noise"] if found.n_above_noise == 0 else [])]
    said = [name for name in IF_ANY if getattr(found, name) or name in zero]
    plain = documents.plain_fields(found, (*ALWAYS, *said))
    return {
        "schema": documents.SCHEMA,
        **plain,
        "gap": documents.finite(found.gap),
        "sets": sets,
        **largest,
        "parameters": found.parameters,
    }


def fields_in(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of a result but for the names of its sets; what is damaged raises one of ``documents.DAMAGED``."""
    entries = document["sets"]
    impossible = document["status"] == Status.INFEASIBLE and not entries
    unknown = {
        "objective": math.nan,
        "bound": -math.inf if impossible else math.inf,
        "n_sets_bound": math.inf,
    }
    qualities = document.get("existing_qualities", [])
    known = {**document, "existing_qualities": [math.nan if value is None else value for value in qualities]}
    said = [name for name in IF_ANY if name in known]
    return {
        **documents.fields_in(SetsFound, known, unknown, (*ALWAYS, *said)),
        "sets": [documents.whole_numbers(entry["indices"]) for entry in entries],
        "qualities": [documents.number(entry["quality"]) for entry in entries],
        "texts": [documents.names(entry["features"]) for entry in entries],
        **{
            name: [tuple(map(documents.number, entry[name])) for entry in entries if name in entry]
            for name in OF_SETS
        },
        "models": [
            FittedSet.from_dict(entry["model"], documents.names(entry["features"]))
            for entry in entries
            if "model" in entry
        ],
        "matches": list(map(_match, document["matches"])),
        "tau_found": documents.number_or(document.get("tau"), None),
        "request": _request_in(document["request"]),
    }


def _request_in(entry: Any) -> Request | None:
    try:
        return None if entry is None else Request.from_dict(entry)
    except NotExpressedError:
        # It names code, which a file must not; the answer itself can be read.
        return None


def _match(entry: Any) -> Match:
    (later, earlier), (feature, other) = map(documents.whole_numbers, (entry["sets"], entry["indices"]))
    return later, earlier, feature, other, documents.number(entry["similarity"])
