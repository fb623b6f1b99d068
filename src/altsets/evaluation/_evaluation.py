"""The result of an evaluation: text, frames, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from altsets import documents
from altsets.display import Shown
from altsets.errors import MissingExtraError
from altsets.evaluation._decision import Decision, decide
from altsets.evaluation._measured import Measured, measurement, summary_of
from altsets.evaluation._verdict import verdict_on
from altsets.evaluation.comparison import mean_of, std_of
from altsets.evaluation.folds import Fold, Resample
from altsets.evaluation.stability import ANY, shares_of
from altsets.features import label_of
from altsets.problem import FeatureSet
from altsets.result import Result, Status, Verdict
from altsets.wording import score


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Measured, Shown, documents.Document):
    """How well feature sets predict, set by set; made by :func:`altsets.evaluate`.

    It stores the measurements; comparisons, stability and substitutions are derived from them.

    Attributes
    ----------
    folds : tuple of Fold
        One for each fold: its sets, scores on test and training rows, qualities on both, and the baseline.
    resamples : tuple of Resample
        One for each bootstrap sample: its sets.
    n_sets : int
        The number of requested sets.
    names : dict of int to str
        The names of all features that are in some set.
    scorers : tuple of str
        The names of the scores; texts are about the first one.
    given : bool
        Whether the sets were given, rather than found in each fold.
    n_rows, n_features_in : int
        The table.
    n_folds, n_bootstraps : int
        The requested numbers; after Ctrl-C there are fewer folds and resamples.
    confidence : float
        The probability of all intervals.
    margin : float or None
        Differences in scores up to this do not matter.
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
    altsets.Result.report : Put it into the report of the sets.

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
        """The decisions about sets that were found, with what they cost.

        Parameters
        ----------
        result : Result
            The search that this evaluates.

        Returns
        -------
        list of Decision
            One for each alternative, the best first.
        """
        return decide(self, result)

    @property
    def verdict(self) -> Verdict:
        """How well the sets predict, in a sentence or two, and what to beware of."""
        return verdict_on(self)

    def verdict_on(self, result: Result) -> Verdict:
        """The verdict on sets that were found, with how well they predict.

        Parameters
        ----------
        result : Result
            The search that this evaluates.

        Returns
        -------
        Verdict
            What was found, what is proven and how well it predicts; with cautions.
        """
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
        """One row for each fold and set: scores, qualities, status and features (a list of dictionaries)."""
        rows: list[dict[str, Any]] = []
        for fold in self.folds:
            for number in range(self.n_sets):
                found = number < len(fold.sets)
                rows.append(
                    {"fold": fold.number, "set": number}
                    | {f"test_{name}": fold.scores[name][number] for name in self.scorers}
                    | {f"train_{name}": fold.train_scores[name][number] for name in self.scorers}
                    | {f"baseline_{name}": fold.baseline.get(name, math.nan) for name in self.scorers}
                    | {
                        "quality": fold.qualities[number],
                        "test_quality": fold.test_qualities[number],
                        "status": str(fold.statuses[number]) if fold.statuses else "given",
                        "features": list(map(label_of, self._named(fold.sets[number]))) if found else [],
                        "n_train": fold.n_train,
                        "n_test": fold.n_test,
                    }
                )
        return rows

    def scores_frame(self) -> Any:
        """The rows of :meth:`score_rows` as a pandas DataFrame, by fold and set."""
        return _frame("scores_frame()", self.score_rows(), ["fold", "set"])

    def sets_frame(self) -> Any:
        """One row for each set: mean and standard deviation over folds, and the baseline (a pandas DataFrame)."""
        rows = []
        baselines = self.baselines()
        for number in range(self.n_sets):
            row: dict[str, Any] = {"set": number}
            for name in self.scorers:
                scores = self.scores(number, name)
                trained = [fold.train_scores[name][number] for fold in self.folds]
                row |= {
                    f"test_{name}": mean_of(scores),
                    f"std_{name}": std_of(scores),
                    f"train_{name}": mean_of(trained),
                    f"baseline_{name}": baselines[name],
                }
            row["quality"] = mean_of([fold.qualities[number] for fold in self.folds])
            row["test_quality"] = mean_of([fold.test_qualities[number] for fold in self.folds])
            row["n_found"] = self.n_found(number)
            rows.append(row)
        return _frame("sets_frame()", rows, ["set"])

    def comparison_frame(self) -> Any:
        """One row for each score and each set but set 0: how it compares with set 0 (a pandas DataFrame)."""
        return _frame("comparison_frame()", _by_set(self.comparisons), ["scorer", "set"])

    def baseline_frame(self) -> Any:
        """One row for each score and each set: how it compares with the baseline (a pandas DataFrame)."""
        return _frame("baseline_frame()", _by_set(self.against_baseline), ["scorer", "set"])

    def decisions_frame(self) -> Any:
        """One row for each alternative, the best first: whether to use it, why, what next (a pandas DataFrame)."""
        return _frame("decisions_frame()", _by_set(self.decisions), ["set"])

    @measurement
    def stability_frame(self, source: str | None = None) -> Any:
        """One row for each feature: how often it is in each set, and in any.

        <by_source>

        Returns
        -------
        DataFrame
            Of pandas, the features that are chosen most often first.

        <unknown_source>
        altsets.errors.MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {"feature": label_of(self.names[key[0]]), **shares} for key, shares in self.shares(source).items()
        ]
        return _frame("stability_frame()", rows, ["feature"]).sort_values(ANY, ascending=False, kind="stable")

    @measurement
    def pairs_frame(self, source: str | None = None) -> Any:
        """One row for each pair of features: how often they are in a set together.

        <by_source>

        Returns
        -------
        DataFrame
            Of pandas, the most frequent pairs first.

        <unknown_source>
        altsets.errors.MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {"feature": label_of(self.names[one]), "with": label_of(self.names[other]), **shares}
            for (one, other), shares in shares_of(self.runs(source), self.n_sets, size=2).items()
        ]
        frame = _frame("pairs_frame()", rows, ["feature", "with"])
        return frame.sort_values(ANY, ascending=False, kind="stable") if rows else frame

    @measurement
    def stability_index_frame(self, source: str | None = None) -> Any:
        """One row for each set number, and one for all sets: the index of stability.

        <by_source>

        Returns
        -------
        DataFrame
            Of pandas; empty for given sets.

        <unknown_source>
        altsets.errors.MissingExtraError
            If pandas is not installed.
        """
        return _frame("stability_index_frame()", _by_set(self.stability(source)), ["set"])

    @measurement
    def substitutions_frame(self, source: str | None = None) -> Any:
        """A matrix of features: how much one takes the place of the other, on average.

        <by_source>

        Returns
        -------
        DataFrame
            Of pandas, with one row and one column for each feature of a set.

        <unknown_source>
        altsets.errors.MissingExtraError
            If pandas is not installed.
        """
        found = self.substitutions(source)
        order = sorted(self.names)
        rows = [
            {"feature": label_of(self.names[one])}
            | {label_of(self.names[other]): found.weights.get((one, other), 0.0) for other in order}
            for one in order
        ]
        return _frame("substitutions_frame()", rows, ["feature"])

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        measured = {"folds": self.fold_entries(), "resamples": self._entries(self.resamples)}
        plain = {name: getattr(self, name) for name in PLAIN_FIELDS}
        plain["kinship"] = [[*pair, value] for pair, value in self.kinship.items()]
        plain["mean_kinship"] = self.mean_kinship
        derived = {
            "complete": self.complete,
            "mean_scores": {name: self.mean_scores(name) for name in self.scorers},
            "baseline": self.baseline,
            "baselines": self.baselines(),
            "against_baseline": [vars(entry) for entry in self.against_baseline],
            "comparisons": [vars(entry) for entry in self.comparisons],
            "decisions": [vars(entry) for entry in self.decisions],
            "stability": [vars(entry) for entry in self.stability()],
            "summary": self.summary(),
        }
        document: dict[str, Any] = jsonable(
            {"schema": documents.SCHEMA, "kind": "evaluation"} | plain | measured | derived
        )
        return documents.timed(document)

    def fold_entries(self) -> list[dict[str, Any]]:
        """The measurements of each fold for a document, with the features of sets by name."""
        return self._entries(self.folds)

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Evaluation:
        document, names = {"provenance": {}, **found}, dict[int, str]()
        folds = tuple(Fold(**restore_fields(entry, names)) for entry in document["folds"])
        resamples = tuple(Resample(**restore_fields(entry, names)) for entry in document["resamples"])
        plain = {name: document[name] for name in PLAIN_FIELDS}
        plain["scorers"] = documents.texts(document["scorers"])
        plain["provenance"] = dict(document["provenance"].items())
        kinship: dict[tuple[int, int], float] = {}
        for *pair, value in document["kinship"]:
            one, other = documents.whole_numbers(pair)
            kinship[one, other] = documents.number(value)
        evaluation = cls(
            folds=folds,
            resamples=resamples,
            names=dict(sorted(names.items())),
            kinship=kinship,
            mean_kinship=documents.number_or(document.get("mean_kinship"), None),
            **plain,
        )
        # Inconsistent fields fail here.
        evaluation.to_dict()
        return evaluation

    def __eq__(self, other: object) -> bool:
        """Whether both have measured the same; when, and how long it took, does not count, and nan is like nan."""
        if not isinstance(other, Evaluation):
            return NotImplemented
        apart: dict[str, Any] = {documents.TIMING: {}, "provenance": {}}
        return self.to_dict() | apart == other.to_dict() | apart

    __hash__ = None  # type: ignore[assignment]

    def _named(self, chosen: FeatureSet) -> list[str]:
        return [self.names[index] for index in chosen]

    def _entries(self, parts: Sequence[Fold | Resample]) -> list[dict[str, Any]]:
        return [
            vars(part)
            | {
                "sets": [
                    {"features": documents.labels(self._named(each)), "indices": list(each)}
                    for each in part.sets
                ]
            }
            for part in parts
        ]


#: Fields that have another form in a JSON document; all others go into it as they are.
IN_OTHER_FORM = ("folds", "resamples", "names", "kinship", "mean_kinship")
PLAIN_FIELDS = tuple(field.name for field in fields(Measured) if field.name not in IN_OTHER_FORM)


def jsonable(value: Any) -> Any:
    """The same value in JSON types."""
    if isinstance(value, dict):
        return {str(key): jsonable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(entry) for entry in value]
    if isinstance(value, float):
        return documents.finite(value)
    return str(value) if isinstance(value, Status) else value


def restore_fields(entry: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
    """The fields of a fold or a resample; the names of features are noted on the way."""
    sets = []
    for chosen in entry["sets"]:
        indices = documents.whole_numbers(chosen["indices"])
        names.update(zip(indices, documents.names(chosen["features"]), strict=True))
        sets.append(indices)
    known: dict[str, Any] = {name: _nan_for_null(value) for name, value in entry.items() if name != "sets"}
    known["statuses"] = tuple(Status(status) for status in entry["statuses"])
    if "constant" in entry:
        known["constant"] = tuple(
            None if said is None else documents.text(said) for said in entry["constant"]
        )
    if "baseline" in entry:
        known["baseline"] = {
            name: documents.number_or(value, math.nan) for name, value in entry["baseline"].items()
        }
    return known | {"sets": tuple(sets)}


def _nan_for_null(value: Any) -> Any:
    """Lists as tuples, null as nan."""
    if isinstance(value, dict):
        return {name: _nan_for_null(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return tuple(math.nan if entry is None else entry for entry in value)
    return value


def _by_set(entries: Sequence[Any]) -> list[dict[Any, Any]]:
    """Records as rows of a frame, in which the number of a set is called so."""
    return [
        {"set" if name == "number" else name: value for name, value in vars(entry).items()}
        for entry in entries
    ]


def _frame(purpose: str, rows: list[dict[Any, Any]], index: list[str]) -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(purpose, "pandas", "tables") from error
    return pd.DataFrame(rows).set_index(index) if rows else pd.DataFrame()
