"""The result of an evaluation: text, frames, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from altsets import documents
from altsets.display import Shown
from altsets.errors import MissingExtraError
from altsets.evaluation._decision import Decision, decide
from altsets.evaluation._measured import Measured, means_over_folds
from altsets.evaluation._summary import summary_of, verdict_on
from altsets.evaluation.comparison import std_of
from altsets.evaluation.folds import Fold, Resample
from altsets.evaluation.stability import ANY
from altsets.features import label_of
from altsets.result import Result, Status, Verdict
from altsets.wording import score


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Measured, Shown, documents.Document):
    """How well feature sets predict, set by set; made by :func:`altsets.evaluate`.

    It stores the measurements; comparisons, stability and substitutions are derived from them. Methods are about the
    first score unless ``scorer`` names another one, and about the bootstrap samples, if any, unless ``source`` is
    "folds".

    Attributes
    ----------
    folds : tuple of Fold
        One for each fold: its sets, scores on test and training rows, qualities on both, and the baseline.
    resamples : tuple of Resample
        One for each bootstrap sample: its sets.
    n_sets : int
    names : dict of int to str
        The names of all features that are in some set.
    scorers : tuple of str
        The names of the scores; texts are about the first one.
    given : bool
        Whether the sets were given, rather than found in each fold.
    n_rows, n_features_in : int
    n_folds, n_bootstraps : int
        The requested numbers; after Ctrl-C there are fewer folds and resamples.
    confidence : float
    margin : float or None
    kinship : dict of (int, int) to float
        The similarity of each two features of ``names``, from 0 to 1: symmetrical uncertainty, or the absolute rank
        correlation where it is larger. Substitutions are based on it; empty for more than 200 features.
    parameters : dict
        The other settings.
    elapsed : float
        Seconds.
    mean_kinship : float or None
        The mean similarity of two features of the table (of 50 features of a wide one); None if it was not
        measured.
    provenance : dict
        Where the numbers come from: versions, the data with their hash, task, seed, time.

    See Also
    --------
    altsets.evaluate : Makes one.
    altsets.plots.scores, altsets.plots.stability, altsets.plots.stand_ins : Plot it.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> evaluation = altsets.evaluate([[0], [2]], X, ["no", "yes"] * 15, n_repeats=1)
    >>> evaluation.mean_scores()
    [1.0, 0.38697346110395936]
    >>> evaluation.comparisons[0].conclusion, evaluation.decisions[0].answer
    ('inferior', 'no')
    >>> altsets.results.Evaluation.from_json(evaluation.to_json()) == evaluation
    True
    """

    _called = "evaluation"
    _mark = "kind", "evaluation"

    @property
    def decisions(self) -> list[Decision]:
        """Whether to use each alternative instead of set 0, by the first scorer; the best first."""
        return decide(self)

    def decisions_on(self, result: Result) -> list[Decision]:
        """Return a decision on each alternative that was found, the best first, with what it costs."""
        return decide(self, result)

    @property
    def verdict(self) -> Verdict:
        """How well the sets predict, in a sentence or two, and what to beware of."""
        return verdict_on(self)

    def verdict_on(self, result: Result) -> Verdict:
        """Return what was found, what is proven and how well it predicts, with cautions."""
        return verdict_on(self, result)

    def summary(self) -> str:
        """The whole evaluation in plain text."""
        return summary_of(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        means = ", ".join(f"{value:.3f}" for value in self.mean_scores())
        done = "" if self.complete else f" of {self.n_folds}, interrupted"
        known = f"{self.scorers[0]}: {means}; baseline {score(self.baseline)}"
        return f"Evaluation({self.n_sets} sets, {len(self.folds)} folds{done}; {known})"

    def _on_page(self) -> dict[str, Any]:
        return {"evaluation": self}

    def score_rows(self) -> list[dict[str, Any]]:
        """Return one row (a dictionary) for each fold and set: scores, qualities, status and features."""
        return [
            {"fold": fold.number, "set": number}
            | {f"test_{name}": fold.scores[name][number] for name in self.scorers}
            | {f"train_{name}": fold.train_scores[name][number] for name in self.scorers}
            | {f"baseline_{name}": fold.baseline.get(name, math.nan) for name in self.scorers}
            | {
                "quality": fold.qualities[number],
                "test_quality": fold.test_qualities[number],
                "status": str(fold.statuses[number]) if fold.statuses else "given",
                "features": [
                    label_of(self.names[index]) for each in fold.sets[number:][:1] for index in each
                ],
                "n_train": fold.n_train,
                "n_test": fold.n_test,
            }
            for fold in self.folds
            for number in range(self.n_sets)
        ]

    def scores_frame(self) -> Any:
        """Return the rows of :meth:`score_rows` as a pandas DataFrame, by fold and set."""
        return _frame("scores_frame()", self.score_rows(), "fold", "set")

    def sets_frame(self) -> Any:
        """Return a pandas DataFrame with mean, standard deviation and baseline: one row for each set."""
        numbers = range(self.n_sets)
        columns: dict[str, Any] = {"set": numbers}
        for name, baseline in self.baselines().items():
            columns |= {
                f"test_{name}": self.mean_scores(name),
                f"std_{name}": [std_of(self.scores(number, name)) for number in numbers],
                f"train_{name}": means_over_folds(self, "train_scores", name),
                f"baseline_{name}": baseline,
            }
        columns["quality"] = means_over_folds(self, "qualities")
        columns["test_quality"] = means_over_folds(self, "test_qualities")
        return _frame("sets_frame()", columns | {"n_found": list(map(self.n_found, numbers))}, "set")

    def comparison_frame(self) -> Any:
        """Return a pandas DataFrame: one row for each score and set but set 0, compared with set 0."""
        return _frame("comparison_frame()", _by_set(self.comparisons), "scorer", "set")

    def stability_frame(self, source: str | None = None) -> Any:
        """Return a pandas DataFrame: how often each feature is in each set and in any, the most frequent first."""
        rows: list[dict[Any, Any]] = [
            {"feature": label_of(self.names[index]), **by_set}
            for (index,), by_set in self.shares(source).items()
        ]
        return _frame("stability_frame()", sorted(rows, key=lambda row: -row[ANY]), "feature")

    def stability_index_frame(self, source: str | None = None) -> Any:
        """Return a pandas DataFrame: the stability of each set and of all sets; empty for given sets."""
        return _frame("stability_index_frame()", _by_set(self.stability(source)), "set")

    def to_dict(self) -> dict[str, Any]:
        """Return the document that :meth:`to_json` writes, as a dictionary."""
        document: dict[str, Any] = {"schema": documents.SCHEMA, "kind": "evaluation"}
        document |= {name: getattr(self, name) for name in PLAIN_FIELDS}
        document |= {
            "kinship": [[*pair, value] for pair, value in self.kinship.items()],
            "mean_kinship": self.mean_kinship,
            "folds": [self._entry(fold) for fold in self.folds],
            "resamples": [self._entry(resample) for resample in self.resamples],
            "complete": self.complete,
            "mean_scores": {name: self.mean_scores(name) for name in self.scorers},
            "baseline": self.baseline,
            "baselines": self.baselines(),
        }
        for name in ("against_baseline", "comparisons", "decisions"):
            document[name] = list(map(vars, getattr(self, name)))
        document |= {"stability": list(map(vars, self.stability())), "summary": self.summary()}
        return documents.timed(documents.plain(document))

    def _entry(self, part: Fold | Resample) -> dict[str, Any]:
        """Return a fold or a resample for a document, with the features of sets by name."""
        named = [documents.labels([self.names[index] for index in chosen]) for chosen in part.sets]
        sets = zip(named, part.sets, strict=True)
        return vars(part) | {"sets": [{"features": names, "indices": chosen} for names, chosen in sets]}

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Evaluation:
        names: dict[int, str] = {}
        similar = [
            (documents.whole_numbers([one, other]), documents.number(value))
            for one, other, value in found["kinship"]
        ]
        evaluation = cls(
            **{name: found[name] for name in PLAIN_FIELDS if name not in ("scorers", "provenance")},
            scorers=documents.texts(found["scorers"]),
            provenance=dict(found["provenance"].items()),
            folds=tuple(Fold(**_read_part(entry, names)) for entry in found["folds"]),
            resamples=tuple(Resample(**_read_part(entry, names)) for entry in found["resamples"]),
            names=names,
            kinship={(one, other): value for (one, other), value in similar},
            mean_kinship=documents.number_or(found["mean_kinship"], None),
        )
        # Inconsistent fields fail here.
        evaluation.to_dict()
        return replace(evaluation, names=dict(sorted(names.items())))

    def __eq__(self, other: object) -> bool:
        """Whether both have measured the same; when, and how long it took, does not count, and nan is like nan."""
        if not isinstance(other, Evaluation):
            return NotImplemented
        apart: dict[str, Any] = {documents.TIMING: {}, "provenance": {}}
        return self.to_dict() | apart == other.to_dict() | apart

    __hash__ = None  # type: ignore[assignment]


#: Fields that have another form in a JSON document; all others go into it as they are.
IN_OTHER_FORM = ("folds", "resamples", "names", "kinship", "mean_kinship")
PLAIN_FIELDS = tuple(field.name for field in fields(Evaluation) if field.name not in IN_OTHER_FORM)
#: What folds measure; null is nan there.
NUMBERS = ("scores", "train_scores", "qualities", "test_qualities", "baseline")


def _read_part(entry: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    """Return the fields of a fold or a resample; the names of features are noted on the way."""
    sets = []
    for chosen in entry["sets"]:
        indices = documents.whole_numbers(chosen["indices"])
        names.update(zip(indices, documents.names(chosen["features"]), strict=True))
        sets.append(indices)
    known = {name: _read_numbers(value) if name in NUMBERS else value for name, value in entry.items()}
    if "constant" in entry:
        said = entry["constant"]
        known["constant"] = tuple(None if one is None else documents.text(one) for one in said)
    return known | {"sets": tuple(sets), "statuses": tuple(map(Status, entry["statuses"]))}


def _read_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _read_numbers(entry) for name, entry in value.items()}
    return (
        tuple(map(_read_numbers, value)) if isinstance(value, list) else documents.number_or(value, math.nan)
    )


def _frame(purpose: str, found: Any, *index: str) -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(purpose, "pandas", "tables") from error
    return pd.DataFrame(found).set_index(list(index)) if found else pd.DataFrame()


def _by_set(entries: Sequence[Any]) -> list[dict[str, Any]]:
    """Return records as rows of a frame, in which the number of a set is called so."""
    return [
        {"set" if name == "number" else name: each for name, each in vars(one).items()} for one in entries
    ]
