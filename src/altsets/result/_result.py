"""The result of a search: the sets, their quality, and what was proven about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any

from altsets import documents
from altsets.display import renderer
from altsets.errors import InputError, MissingExtraError, NotExpressedError
from altsets.result._document import document_of, fields_in
from altsets.result._found import Match, SetsFound
from altsets.result._status import Status, StopReason
from altsets.result._verdict import Verdict, about_largest, open_sizes, verdict_on
from altsets.wording import counted, list_some, round_down, span

#: Sets, and features of each, that are printed.
MOST_PRINTED = 20
#: What marks features that are not above the noise floor.
MARK = "*"


@dataclass(frozen=True, eq=False)
class Result(SetsFound, documents.Document):
    """The sets that were found, their qualities, and the certificate.

    Attributes
    ----------
    sets : list of tuples of int
        The feature sets, as sorted indices; only those that were found.
    qualities : list of float
        The quality of each set, computed independently of the engine that found it.
    objective : float
        Sum or minimum of the qualities, as requested; nan if there is no set.
    bound : float
        No solution has a larger objective; inf if nothing is known, -inf if there is no solution. Equal to the
        objective of a proven optimum, unless rounding hides more than its first ten digits: then it says how much.
    status : Status
        What was proven about the whole answer.
    statuses : list of Status
        One per requested set.
    texts : list of tuples of str
        The sets with the names of their features.
    parameters : dict
        What was asked.
    engine, proof : str
        Who answered, and by which argument the bound holds.
    reason : str
        Why fewer sets than asked, and what is possible; empty if all were found. Of ``n_alternatives="max"`` with sets
        in turn, why there are no more.
    elapsed : float
        Seconds.
    stop_reason : str
        Why the search ended: ``"finished"`` (everything is proven, or a heuristic has done all that it does),
        ``"time_limit"``, ``"interrupted"`` (Ctrl-C) or ``"engine_limit"`` (an internal limit; a gap is left).
    steps : int
        How often the search asked whether to stop: a measure of its work that does not depend on the clock. 0 if it
        was done before it asked at all.
    evaluated : int
        Number of sets that a black box evaluated; 0 for qualities with numbers.
    iterations : int
        Iterations of ``engine="greedy-wrapper"``, as the paper counts them: the first solution, and one for each swap
        that was tried, whether or not there was a valid set with it. 0 for other engines.
    matches : list of tuples (i, j, f, g, similarity)
        Which features stand in for which, where sets were compared with :class:`altsets.dissimilarity.Matched`:
        feature f of set i was matched with feature g of set j, an earlier one (``i > j``), and how alike they are.
        Features that both sets have are matched with themselves as far as that goes, and not listed; nor are matches
        with existing sets.
    scores : list of tuples of float
        What each feature of each set alone is worth: its score or its relevance. Empty if only sets have scores.
    noise_floors : list of tuples of float
        The score that each of these features may reach by chance; one that is not above it says nothing that is sure.
        Features of one kind (numbers, categories of few labels) have one floor. Measured where the table is at hand,
        by :meth:`SelectAlternatives.fit` and on the command line; else empty.
    n_above_noise : int or None
        How many features of the table are above the noise floor, where these are too few for a set; else None.
    notes : list of str
        Sentences about the table and the sets, from there as well: what the target was taken for, columns that were
        left out.
    table_cautions : list of str
        Those of them that need the table, from where that is at hand.
    provenance : dict
        Where the answer comes from: versions, the data with their hash, options, time; empty if there is no table.
    request : Request or None
        The request, without a table: it writes itself as JSON, as Python and as a command. None if an answer was
        read from a file that does not say it.
    shortlist : Shortlist or None
        Of a wide table, whose pairs of features are computed on demand: among how many features each set is proven to
        be the best (``lengths``), and how many there are (``n_features``). ``bound`` is about all features.
    tau_found, tau_bound : float or None
        Of ``tau="max"``, the least dissimilarity of any two sets, and a bound that none of such sets exceeds (of sets
        in turn: given those before each). Equal ones are a proof; None if there is nothing to differ from.
    n_sets_bound : float or None
        Of ``n_alternatives="max"`` with simultaneous search, a number that no such sets exceed, inf if none is known;
        it is proven that there are no more if it is the number of sets.
    set_names : tuple of str
        Names that :meth:`with_names` gave to the sets; empty if they have numbers alone.
    existing_qualities : list of float
        The quality of each existing set that was given, by the same measure; empty if there was none.
    models : list of FittedSet
        The linear model on each set, with coefficients, standard errors and R^2 (of survival a Cox model, with the C
        index), where the quality is a :class:`altsets.quality.LinearFit` of a table with a target; else empty.

    See Also
    --------
    altsets.find : Makes one.
    altsets.SelectAlternatives : Has one as ``result_``.
    altsets.plots.membership, altsets.plots.quality, altsets.plots.overlap : Plot it.

    Notes
    -----
    Two results are equal if they say the same about the same request; what it took to find out (``elapsed``,
    ``steps``, ``evaluated``, ``iterations``) and when (``provenance``) does not count, nor what was said about the
    table (``noise_floors``, ``n_above_noise``, ``notes``, ``table_cautions``), nor ``models`` and names of sets.

    Examples
    --------
    >>> import altsets
    >>> from altsets import quality
    >>> scores = quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> result = altsets.find(scores, n_features=2, n_alternatives=2, tau=0.5)
    >>> result.named_sets
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> print(result)
    3 sets: optimal
    set 0: a, b (quality 17, optimal)
    set 1: a, c (quality 16, optimal)
    set 2: b, c (quality 15, optimal)
    >>> result.status, result.objective, result.bound
    (<Status.OPTIMAL: 'optimal'>, 48.0, 48.0)
    >>> altsets.Result.from_json(result.to_json()) == result
    True
    """

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self._compared == other._compared

    def __str__(self) -> str:
        n_sets, n_asked = len(self.sets), len(self.statuses)
        found = counted(n_sets, "set") if n_sets == n_asked else f"{n_sets} of {counted(n_asked, 'set')}"
        lines = [
            self.line_of(number, list_some(names, MOST_PRINTED, hide_one=False))
            for number, names in enumerate(self.texts[:MOST_PRINTED])
        ]
        more = [f"and {n_sets - MOST_PRINTED} more sets"] if n_sets > MOST_PRINTED else []
        return "\n".join([f"{found}: {self.status}", *lines, *more, *([self.reason] if self.reason else [])])

    @property
    def _compared(self) -> tuple[Any, ...]:
        """What makes two results equal; without sets the objective is nan, which is unlike itself."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.compare}
        if math.isnan(self.objective):
            values["objective"] = None
        return tuple(values.values())

    @property
    def tau(self) -> float | None:
        """The least dissimilarity of any two sets, as requested or as found; None if requested otherwise."""
        asked = self.parameters.get("tau")
        tau: float | None = self.tau_found if asked == "max" else asked
        return tau

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search before it was done."""
        return self.stop_reason is StopReason.INTERRUPTED

    _called = "result"
    _mark = "schema", documents.SCHEMA

    @property
    def verdict(self) -> Verdict:
        """What the answer means, in a few sentences: the best set, what the others cost, what is proven, cautions."""
        return verdict_on(self)

    @property
    def cautions(self) -> list[str]:
        """Sentences that may change a decision, such as on near-copies and leaks, as the verdict prints them."""
        return list(self.verdict.cautions)

    def with_names(self, names: Sequence[str]) -> Result:
        """The same result with a name for each set, for verdicts, tables, plots, reports and JSON.

        Sets keep their numbers; a set is shown as ``set 1 (shape)``.

        Parameters
        ----------
        names : sequence of str
            One for each set that was found, all different; an empty sequence takes the names away.

        Examples
        --------
        >>> import altsets
        >>> scores = altsets.quality.Additive([9, 8, 7, 3], feature_names=["width", "length", "angle", "curve"])
        >>> result = altsets.find(scores, n_features=2, n_alternatives=1, tau=1).with_names(["size", "shape"])
        >>> print(result.verdict)
        The best set of 2 features (size): width, length.
        Set 1 (shape) keeps 59 % of set 0's score, with angle and curve instead of width and length.
        Proven: no set of 2 features scores higher than set 0, and none this different from it higher than set 1.
        >>> result.label(1)
        'set 1 (shape)'
        """
        given = [names] if isinstance(names, str) else list(names)
        wrong = [name for name in given if not isinstance(name, str) or not name.strip()]
        if wrong:
            raise InputError(f"names={given!r} must hold text, not {wrong[0]!r}.")
        if given and len(given) != len(self.sets):
            raise InputError(
                f"names={given!r} must hold one name for each of {counted(len(self.sets), 'set')}, not {len(given)}."
            )
        if len(set(given)) < len(given):
            raise InputError(f"names={given!r} must all be different.")
        return replace(self, set_names=tuple(given))

    def explain(self) -> str:
        """Say in plain words what was proven, by which engine and how fast; if sets are missing, why."""
        asked, found = len(self.statuses), len(self.sets)
        took = f"by the {self.engine} engine in {_duration(self.elapsed)}"
        if found == asked:
            sets = "the set is" if found == 1 else f"all {found} sets are"
            if self.status is Status.OPTIMAL:
                sequential = self.parameters.get("search") == "sequential"
                each = " given the sets before it" if sequential and found > 1 else ""
                sets = "the set is" if found == 1 else (f"each of {found} sets is" if each else sets)
                text = f"{sets} proven optimal{each} ({self.proof}), {took}."
            elif math.isinf(self.bound):
                text = f"{sets} valid, without a proof of quality ({self.proof}), {took}."
            else:
                text = (
                    f"{sets} valid, found {took}; the objective {self.objective:.6g} is at most "
                    f"{self.gap:.3g} below the best possible ({self.proof})."
                )
        elif self.status is Status.INFEASIBLE:
            text = f"{found} of {asked} sets found, proven to leave no other ({self.proof}), {took}."
            if not found:
                text = f"proven that no solution exists ({self.proof}), {took}."
        else:
            text = f"{found} of {asked} sets found; the search ended without a proof ({self.proof}), {took}."
        text = text[0].upper() + text[1:]
        if largest := about_largest(self):
            text = f"{largest} {text}"
        return " ".join(filter(None, [text, open_sizes(self), self.reason]))

    @property
    def is_matched(self) -> bool:
        """Whether sets were compared through the similarity of features."""
        kind = self.parameters.get("dissimilarity")
        return isinstance(kind, dict) and kind.get("kind") == "matched"

    def _names_in_match(self, match: Match) -> tuple[str, str]:
        later, earlier, feature, other, _ = match
        return (
            self.texts[later][self.sets[later].index(feature)],
            self.texts[earlier][self.sets[earlier].index(other)],
        )

    def matches_in_words(self, least: float = 0.0) -> dict[tuple[int, int], list[str]]:
        """Which features stand in for which, by the two sets: ``{(1, 0): ["mean radius ~ worst radius (0.97)"]}``.

        Each later set with an earlier one; features that are less alike than ``least`` are left out.
        """
        found: dict[tuple[int, int], list[str]] = {}
        for match in self.matches:
            if match[4] >= least:
                words = f"{' ~ '.join(self._names_in_match(match))} ({round_down(match[4])})"
                found.setdefault(match[:2], []).append(words)
        return found

    def noise_in_words(self) -> str:
        """What the mark on features below the noise floor means; empty if none has it."""
        if all(map(all, self.above_noise)):
            return ""
        n = self.parameters.get("n_features_in", 0)
        whose = f"about what the best of {n:,} features" if n > 20 else "which one feature in 20"
        floors = span(sorted(chain(*self.noise_floors)), ".3g")
        return f"{MARK} not above the noise floor of {floors}, {whose} reaches by chance."

    def to_frame(self, tidy: bool = False) -> Any:
        """One row for each set (a pandas DataFrame): its features, quality and status.

        Where features have scores of their own, the column ``scores`` holds them; ``above_noise`` says which of them
        are above the noise floor, if that was measured. Where sets were compared through similarity, the column
        ``matches`` says which of its features stand in for features of earlier sets; :meth:`matches_frame` has them
        one by one. ``groups`` are those of the features, where sets were compared by groups; ``cost`` is what a set
        costs, if there was a budget (``cost_0``, ``cost_1`` and so on if there were several). ``r2`` is what the
        linear model on the set explains, if there is one (see :meth:`models_frame`). ``name`` is what
        :meth:`with_names` called it.

        Parameters
        ----------
        tidy : bool, default=False
            One row for each feature of each set instead, with the columns ``set``, ``feature``, ``index``, ``score``
            (nan if only sets have scores), ``above_noise`` (if the noise floor was measured), ``group``, ``quality``,
            ``status`` and ``cost``.

        Examples
        --------
        >>> import altsets
        >>> scores = altsets.quality.Additive([9, 8, 7], feature_names=["age", "height", "weight"])
        >>> print(altsets.find(scores, n_features=1, n_alternatives=1).to_frame(tidy=True).to_string(index=False))
         set feature  index  score  quality  status
           0     age      0    9.0      9.0 optimal
           1  height      1    8.0      8.0 optimal
        """
        if tidy:
            return self._tidy_frame()
        columns: dict[str, list[Any]] = {"name": list(self.set_names)} if self.set_names else {}
        columns |= {
            "features": [list(names) for names in self.named_sets],
            "indices": [list(chosen) for chosen in self.sets],
            "quality": [float(value) for value in self.qualities],
            "status": [str(status) for status in self.statuses[: len(self.sets)]],
        }
        if_any: dict[str, list[Any]] = {
            "scores": [*map(list, self.scores)],
            "r2": [model.r2 for model in self.models],
            "above_noise": [*map(list, self.above_noise)],
            "groups": [*map(list, self.groups)],
        }
        columns |= {name: values for name, values in if_any.items() if values} | self.cost_columns
        if self.is_matched:
            columns["matches"] = [
                [
                    f"{words} in set {earlier}"
                    for (later, earlier), listed in self.matches_in_words().items()
                    for words in listed
                    if later == number
                ]
                for number in range(len(self.sets))
            ]
        return frame_of(columns, index_name="set")

    @property
    def cost_columns(self) -> dict[str, list[float]]:
        """What each set costs, in a column for each budget."""
        columns = list(zip(*self.costs, strict=True))
        names = ["cost"] if len(columns) == 1 else [f"cost_{number}" for number in range(len(columns))]
        return {name: list(values) for name, values in zip(names, columns, strict=True)}

    def _tidy_frame(self) -> Any:
        numbers = [number for number, chosen in enumerate(self.sets) for _ in chosen]
        columns: dict[str, list[Any]] = {"set": numbers}
        if self.set_names:
            columns["name"] = [self.set_names[number] for number in numbers]
        columns |= {
            "feature": list(chain(*self.named_sets)),
            "index": list(chain(*self.sets)),
            "score": list(chain(*self.scores)) or [math.nan] * len(numbers),
        }
        if self.above_noise:
            columns["above_noise"] = list(chain(*self.above_noise))
        if self.groups:
            columns["group"] = list(chain(*self.groups))
        columns["quality"] = [float(self.qualities[number]) for number in numbers]
        columns["status"] = [str(self.statuses[number]) for number in numbers]
        columns |= {name: [of_set[n] for n in numbers] for name, of_set in self.cost_columns.items()}
        return frame_of(columns)

    def report(
        self,
        path: Any,
        *,
        evaluation: Any = None,
        frontier: Any = None,
        near_best: Any = None,
        quality: Any = None,
        title: str | None = None,
        force: bool = False,
    ) -> str:
        """Write one HTML file with the sets and what is known about them, for any browser; return its path.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        evaluation, frontier, near_best : Evaluation, Frontier and NearBest, default=None
            Other answers about these sets, each in a section of its own.
        quality : Quality, default=None
            What was searched with: it knows the scores of all features.
        title : str, default=None
            The heading; by default it says what was found.
        force : bool, default=False
            Whether it may replace another file.
        """
        more = {"evaluation": evaluation, "frontier": frontier, "near_best": near_best}
        return renderer("report")(path, force=force, result=self, quality=quality, title=title, **more)

    def _repr_html_(self) -> str:
        return renderer("notebook")(self)

    def matches_frame(self) -> Any:
        """One row for each match: a feature of a set, and the feature of an earlier set that it stands in for.

        A pandas DataFrame with the columns ``set``, ``feature``, ``earlier_set``, ``earlier_feature`` and
        ``similarity``; empty where sets were not compared through similarity.
        """
        names = [self._names_in_match(match) for match in self.matches]
        return frame_of(
            {
                "set": [later for later, *_ in self.matches],
                "feature": [name for name, _ in names],
                "earlier_set": [earlier for _, earlier, *_ in self.matches],
                "earlier_feature": [name for _, name in names],
                "similarity": [similarity for *_, similarity in self.matches],
            }
        )

    def models_frame(self) -> Any:
        """One row for each coefficient of the linear model on each set, where there are models (a pandas DataFrame).

        The columns are ``set``, ``target``, ``column`` (of a category ``name=label``, of the intercept
        ``(intercept)``), ``coefficient``, ``standard_error`` and ``r2``, which is that of the model for the target.
        Of Cox models the coefficients are logarithms of hazard ratios, and the last column is ``c_index``.

        See Also
        --------
        altsets.quality.LinearFit.fit : The model on any set.

        Notes
        -----
        Standard errors are those of a regression whose columns were fixed in advance. The columns of these sets were
        chosen because they fit, so the true errors are larger.

        Examples
        --------
        >>> import altsets
        >>> quality = altsets.quality.LinearFit.from_data([[0, 1], [1, 0], [2, 1], [3, 1]], [1.0, 3.0, 5.0, 7.0])
        >>> frame = altsets.find(quality, n_features=1, n_alternatives=0).models_frame()
        >>> print(frame[["set", "column", "coefficient", "r2"]].round(6).to_string(index=False))
         set      column  coefficient  r2
           0 (intercept)          1.0 1.0
           0          x0          2.0 1.0
        """
        rows = [(number, *row) for number, model in enumerate(self.models) for row in model.rows()]
        by = "c_index" if any(model.c_index is not None for model in self.models) else "r2"
        names = ("set", "target", "column", "coefficient", "standard_error", by)
        return frame_of({name: [row[place] for row in rows] for place, name in enumerate(names)})

    def to_dict(self) -> dict[str, Any]:
        """The document that :meth:`to_json` writes, as a dictionary."""
        document = document_of(self)
        document["matches"] = [
            {
                "sets": list(match[:2]),
                "features": list(self._names_in_match(match)),
                "indices": list(match[2:4]),
                "similarity": match[4],
            }
            for match in self.matches
        ]
        return documents.timed(document | {"cautions": self.cautions, "request": self._written_request})

    @property
    def _written_request(self) -> dict[str, Any] | None:
        """The request as a part of a document; None if it holds what cannot be written."""
        try:
            return None if self.request is None else self.request.to_dict()
        except NotExpressedError:
            return None

    def __getstate__(self) -> dict[str, Any]:
        # A function in a request may not be one that can be pickled.
        return {**vars(self), "request": self.request if self._written_request else None}

    @classmethod
    def _read(cls, found: dict[str, Any]) -> Result:
        made = cls(**fields_in(found))._whole()
        return made.with_names([entry["name"] for entry in found["sets"] if "name" in entry])

    def _whole(self) -> Result:
        """This result, if its parts fit together."""
        if len(self.statuses) < len(self.sets):
            raise ValueError(f"{len(self.sets)} sets have {len(self.statuses)} statuses")
        for chosen, named in zip(self.sets, self.texts, strict=True):
            if len(chosen) != len(named):
                raise ValueError(f"a set has {len(chosen)} indices and {len(named)} names")
        for scores, chosen in zip(self.scores, self.sets, strict=True) if self.scores else ():
            if len(scores) != len(chosen):
                raise ValueError(f"a set of {len(chosen)} features has {len(scores)} scores")
        if self.models and len(self.models) != len(self.sets):
            raise ValueError(f"{len(self.sets)} sets have {len(self.models)} models")
        for match in self.matches:
            if match[0] <= match[1]:
                raise ValueError(f"set {match[0]} is matched with set {match[1]}, which is no earlier one")
            # Raises if there is no such set, or if it has no such feature.
            self._names_in_match(match)
        # What is derived from the parameters raises if these are damaged.
        self.explain(), self.costs, self.compared
        return self


def frame_of(columns: dict[str, Any], index_name: str | None = None) -> Any:
    """A pandas DataFrame with rows that are numbered from 0."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("to_frame()", "pandas", "tables") from error
    n_rows = len(next(iter(columns.values())))
    return pd.DataFrame(columns, index=pd.RangeIndex(n_rows, name=index_name))


def overlap_table(sets: Sequence[Sequence[Any]]) -> list[list[int]]:
    """How many features or groups each pair of sets shares; the diagonal holds the sizes."""
    return [[len(set(first) & set(second)) for second in sets] for first in sets]


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
