"""One point of a frontier: what was asked there, and what was answered."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from altsets import documents
from altsets.result import Result, Status

__all__ = ["FrontierPoint"]


@dataclass(frozen=True)
class FrontierPoint:
    """One search of a frontier; :func:`altsets.find` with the same numbers gives as good an answer.

    Attributes
    ----------
    n_features : int
        Features in each set; the largest number of them where ``constraints.Size`` leaves the size open.
    n_alternatives : int
        Sets besides the first one.
    tau : float
        The least dissimilarity of two sets.
    result : Result
        The sets, with their certificate.
    """

    n_features: int
    n_alternatives: int
    tau: float
    result: Result

    @property
    def status(self) -> Status:
        """What was proven here."""
        return self.result.status

    @property
    def max_overlap(self) -> int | None:
        """How many features two sets may share at most; None where that is not what makes them differ."""
        most: int | None = self.result.parameters.get("max_overlap")
        return most

    @property
    def is_complete(self) -> bool:
        """Whether all sets are there that were asked for."""
        return len(self.result.sets) == len(self.result.statuses)

    @property
    def mean(self) -> float:
        """The mean quality of the sets; nan if sets are missing."""
        values = self.result.qualities
        return math.fsum(values) / len(values) if values and self.is_complete else math.nan

    @property
    def worst(self) -> float:
        """The smallest quality of a set; nan if sets are missing."""
        return min(self.result.qualities) if self.result.sets and self.is_complete else math.nan

    @property
    def kept(self) -> float:
        """The quality that counts: of the worst set if that was maximised, else the mean."""
        asked = self.result.parameters
        by_worst = asked.get("aggregation") == "min" and asked.get("search") != "sequential"
        return self.worst if by_worst else self.mean

    def to_dict(self) -> dict[str, Any]:
        """This point in a JSON document."""
        return {
            "n_features": self.n_features,
            "n_alternatives": self.n_alternatives,
            "tau": self.tau,
            "result": self.result.to_dict(),
        }

    @classmethod
    def from_dict(cls, entry: Any) -> FrontierPoint:
        """Read what :meth:`to_dict` wrote."""
        k, a = documents.whole_numbers([entry["n_features"], entry["n_alternatives"]])
        result = Result.from_json(json.dumps(entry["result"]))
        if len(result.statuses) != a + 1:
            raise ValueError(f"a point for {a + 1} sets has {len(result.statuses)} statuses")
        return cls(k, a, documents.number(entry["tau"]), result)

    def __repr__(self) -> str:
        said = f"tau={self.tau:.4g}, n_features={self.n_features}, n_alternatives={self.n_alternatives}"
        return f"FrontierPoint({said}, objective={self.result.objective:.6g}, {self.status})"
