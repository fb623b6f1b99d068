"""A frontier with cross-validated scores, for people and for programs: text, frames, JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from altsets import documents
from altsets.display import renderer
from altsets.errors import InputError
from altsets.evaluation._along_summary import scores_in_words, summary_along
from altsets.evaluation._comparison import shown
from altsets.evaluation._evaluation import PLAIN_FIELDS, Evaluation, jsonable, restored
from altsets.evaluation._folds import Fold
from altsets.evaluation._scores_along import EvaluatedPoint, ScoresAlong
from altsets.search.frontier import Frontier

__all__ = ["EvaluatedFrontier"]

SCHEMA, KIND = 1, "evaluated frontier"
#: What differs from point to point, is said elsewhere, or plays no role here.
NOT_SHARED = ("n_sets", "given", "n_bootstraps", "elapsed", "provenance")
SHARED_FIELDS = tuple(name for name in PLAIN_FIELDS if name not in NOT_SHARED)


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedFrontier(ScoresAlong):
    """A frontier with the cross-validated score of each point; made by :func:`altsets.evaluate_frontier`.

    Attributes
    ----------
    frontier : Frontier
        The sets of all points, found on all rows: what to use.
    evaluations : tuple of Evaluation
        One for each point: its sets, found on the training rows of each fold, and their scores on the test rows. They
        are what :func:`altsets.evaluate` measures, but for the likeness of features.
    elapsed : float
        Seconds.
    provenance : dict
        Where the numbers come from: versions, the data with their hash, task, seed, time.

    Examples
    --------
    >>> import altsets
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = altsets.evaluate_frontier("f", X, y, n_features=[2, 4], n_alternatives=1, taus=[0, 1])
    >>> found
    EvaluatedFrontier(4 points, 5 folds; matthews_corrcoef: 0.796 to 0.849; baseline 0.000)
    >>> [(point.n_features, point.tau, round(point.score, 3)) for point in found]
    [(2, 0.0, 0.797), (2, 1.0, 0.796), (4, 0.0, 0.849), (4, 1.0, 0.835)]
    >>> altsets.EvaluatedFrontier.from_json(found.to_json()) == found
    True
    """

    provenance: dict[str, Any] = field(default_factory=dict)

    def explain(self) -> str:
        """What was searched and proven, which points predict better than the baseline, and how far one can go."""
        return summary_along(self)

    def scores_in_words(self) -> str:
        """Which points predict better than the baseline, and how far one can go."""
        return " ".join(scores_in_words(self))

    def report(self, path: Any, *, quality: Any = None, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with charts and all points, for any browser; returns its path.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        quality : Quality, optional
            What was searched with: it knows the scores of all features.
        title : str, optional
            The heading; by default it says what was searched.
        force : bool
            Whether it may replace another file.
        """
        return renderer("report")(path, force=force, frontier=self, quality=quality, title=title)

    def _repr_html_(self) -> str:
        return renderer("notebook")(self)

    def __repr__(self) -> str:
        shared = self.any_evaluation
        scores = sorted(point.score for point in self if point.score == point.score)
        span = f"{shown(scores[0])} to {shown(scores[-1])}" if scores else "no scores"
        done = "" if self.complete else f" of {self.n_folds}, interrupted"
        folds = f"{len(self)} points, {len(shared.folds)} folds{done}"
        return f"EvaluatedFrontier({folds}; {shared.scorers[0]}: {span}; baseline {shown(self.baseline)})"

    def to_frame(self) -> Any:
        """The frame of the frontier with scores beside it, one row for each point (a pandas DataFrame).

        For each scorer: ``test_`` is the mean test score of all sets, ``low_`` and ``high_`` its confidence interval,
        ``baseline_`` that of a model that knows no features. ``n_found`` is the number of folds that have all sets.
        """
        frame = self.frontier.to_frame()
        baselines = self.any_evaluation.baselines()
        for name in self.any_evaluation.scorers:
            measured = [point.measured(name) for point in self]
            frame[f"test_{name}"] = [found.difference for found in measured]
            frame[f"low_{name}"] = [found.low for found in measured]
            frame[f"high_{name}"] = [found.high for found in measured]
            frame[f"baseline_{name}"] = baselines[name]
        frame["n_found"] = [point.n_found for point in self]
        return frame

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes: that of the frontier, with scores."""
        document = self.frontier.to_dict()
        for entry, point in zip(document["points"], self.points, strict=True):
            entry |= jsonable(_measured_at(point))
        shared = self.any_evaluation
        scores = {name: getattr(shared, name) for name in SHARED_FIELDS} | {
            "complete": self.complete,
            "baseline": self.baseline,
            "baselines": shared.baselines(),
            "elapsed": self.elapsed,
            "provenance": self.provenance,
            "summary": self.explain(),
        }
        return document | {"schema": SCHEMA, "kind": KIND, "evaluation": jsonable(scores)}

    def to_json(self, indent: int | None = 2) -> str:
        """The whole frontier with its scores as one JSON document; numbers that are not finite become null.

        Parameters
        ----------
        indent : int or None
            As for :func:`json.dumps`.
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> EvaluatedFrontier:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            The document.
        """
        document = documents.document_in(text)
        found = document if isinstance(document, dict) else {}
        if (found.get("schema"), found.get("kind")) != (SCHEMA, KIND):
            raise InputError(
                f"this is not an altsets evaluated frontier of schema {SCHEMA} (found kind {found.get('kind')!r})."
            )
        try:
            frontier = Frontier.from_json(json.dumps(found | {"kind": "frontier"}))
            scores = found["evaluation"]
            evaluated = cls(
                frontier,
                tuple(_evaluation_in(entry, scores) for entry in found["points"]),
                documents.number(scores["elapsed"]),
                dict(scores["provenance"].items()),
            )
            # What does not fit together cannot be told either.
            evaluated.to_dict()
            return evaluated
        except documents.DAMAGED as error:
            raise InputError(f"this altsets frontier is incomplete or damaged: {error!r}.") from error

    def __eq__(self, other: object) -> bool:
        """Whether both have measured the same; when, and how long it took, does not count, and nan is like nan."""
        if not isinstance(other, EvaluatedFrontier):
            return NotImplemented
        return self.frontier == other.frontier and self.evaluations == other.evaluations

    __hash__ = None  # type: ignore[assignment]


def _measured_at(point: EvaluatedPoint) -> dict[str, Any]:
    """What a document says about the scores of one point."""
    low, high = point.interval
    return {
        "score": point.score,
        "low": low,
        "high": high,
        "worst_score": point.worst_score,
        "n_found": point.n_found,
        "folds": point.evaluation.fold_entries(),
    }


def _evaluation_in(entry: dict[str, Any], scores: dict[str, Any]) -> Evaluation:
    """The evaluation of one point in a document."""
    names: dict[int, str] = {}
    folds = tuple(Fold(**restored(fold, names)) for fold in entry["folds"])
    plain = {name: scores[name] for name in SHARED_FIELDS} | {"scorers": documents.texts(scores["scorers"])}
    return Evaluation(
        folds=folds,
        resamples=(),
        n_sets=documents.whole_numbers([entry["n_alternatives"]])[0] + 1,
        names=dict(sorted(names.items())),
        given=False,
        **plain,
    )
