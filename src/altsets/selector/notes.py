"""Notes attached to a result: what the target was taken for, columns close to forbidden ones, near-copies among sets.

A new kind of note is a function here and one more line in ``LOOKS``. Columns that look like a mistake come from
:mod:`altsets.selector.suspects`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from altsets.dissimilarity import COUNTING, Matched
from altsets.errors import reason_of
from altsets.measures.pairs import measure_similarity, similar_columns
from altsets.quality.spec import spec_of
from altsets.result import Result
from altsets.selector.suspects import suspects
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Several, Target, outcome_of
from altsets.tables.weights import counted, counted_rows, whole
from altsets.wording import by_interface, list_some, parameter, round_down

#: Measures that take numbers as they are, whether they name classes or not.
TAKE_NUMBERS = ("pearson", "spearman")


@dataclass(frozen=True, eq=False)
class Background:
    """What sets were found in: the table, and what is known of the target if a quality was computed from it."""

    features: Features
    y: Any = None
    quality: Any = None
    task: str = "auto"
    sample_weight: Any = None
    #: What was noted when the table was read.
    notes: tuple[str, ...] = ()
    target_name: str = ""


class Notes(NamedTuple):
    """Sentences about a result, named as its fields: what is good to know, and what may change a decision."""

    notes: list[str]
    table_cautions: list[str]


def notes_on(result: Result, background: Background) -> Notes:
    """Sentences on what the target was taken for, on the table, and on the sets.

    The sets have been found: a note that cannot be made is left out, with a sentence on what was not checked.
    """
    found = Notes([*result.notes], [])
    for what, look in LOOKS.items():
        try:
            notes, cautions = look(result, background)
        except KeyboardInterrupt:
            found.notes.append(f"{what} not checked: interrupted.")
        except Exception as error:
            found.notes.append(f"{what} not checked: {reason_of(error)}.")
        else:
            found.notes.extend(filter(None, notes))
            found.table_cautions.extend(filter(None, cautions))
    return found


def _table(result: Result, background: Background) -> Notes:
    """What the target was taken for, and what was noted when the table was read."""
    return Notes([_on_target(background), *background.notes], [])


def _on_target(background: Background) -> str:
    """What the target was taken for; where a rule had to decide, how to overrule it."""
    if background.quality is None or background.y is None:
        return ""
    spec, task = spec_of(background.quality), background.task
    if spec.scored_by is None and not (spec.is_wrapper or spec.is_linear):
        return ""
    features, y, _ = counted(background.features, background.y, background.sample_weight, task)
    target = outcome_of(y, features.n_rows, task)
    if isinstance(target, Several):
        return f"{'The target has' if target.are_labels else 'There are'} {target.in_words()}."
    if isinstance(target, Survival):
        scored_by = spec.for_target(y).scored_by
        is_concordance = scored_by is not None and scored_by[0] == "concordance"
        index = " Scores are Somers' D; the C index is (1 + D) / 2." if is_concordance else ""
        return f"The target is survival: {target.in_words()}.{index}"
    measure = "" if spec.scored_by is None else spec.scored_by[0]
    as_numbers = measure in TAKE_NUMBERS and target.numeric is not None
    if task == "auto" and target.n_distinct > 2 and target.numeric is not None and whole(target.numeric):
        return _on_whole_numbers(target, measure if as_numbers else "")
    if target.is_classes and (target.n_distinct == 2 or not as_numbers):
        return f"The target has {target.n_distinct:,} classes."
    return f"The target is numeric ({target.n_distinct:,} different numbers)."


def _suspects(result: Result, background: Background) -> Notes:
    """Columns that look like a mistake: a caution if they are in sets, else a note."""
    chosen = set().union(*result.sets)
    features, y = _counting(background), None
    if background.quality is not None and spec_of(background.quality).uses_target:
        features, y, _ = counted(background.features, background.y, background.sample_weight, background.task)
    found = Notes([], [])
    for suspect in suspects(features, y, background.task, sorted(chosen), background.target_name):
        kind = found.notes if chosen.isdisjoint(suspect.columns) else found.table_cautions
        kind.append(suspect.sentence(features))
    return found


def _on_whole_numbers(target: Target, measure: str) -> str:
    """What whole numbers were taken for, by their values or by a measure that takes all numbers as they are."""
    said = f"The {target.n_distinct:,} different whole numbers of the target are treated as"
    if measure:
        return f"{said} numeric, since {measure} uses numbers as they are; use mutual_info or f for classes."
    if target.is_classes:
        return f"{said} classes; {parameter('task', 'regression')} treats them as numeric."
    return f"{said} numeric; {parameter('task', 'classification')} treats them as classes."


def _counting(background: Background) -> Features:
    """The rows that count."""
    features = background.features
    kept = counted_rows(background.sample_weight, features.n_rows)
    return features if kept is None else features.rows(kept)


def _some(features: Features, columns: Sequence[int]) -> Features:
    """A few columns with not more rows than it takes for a note.

    They are dense, as measures take more tables then: ranks of sparse columns cannot have missing values.
    """
    step = max(1, features.n_rows * len(columns) // MOST_NUMBERS)
    some = features.columns(columns).rows(np.arange(0, features.n_rows, step))
    return Features(some.dense(), some.names, some.categories)


# --- Features close to forbidden ones ------------------------------------------------------------

#: From when on a chosen feature is close to a forbidden one, by what, and what that is called.
CLOSE = {"symmetrical_uncertainty": 0.5, "uncertainty_coefficient": 0.5, "spearman": 0.8}
WORDS = {
    "symmetrical_uncertainty": "symmetrical uncertainty",
    "uncertainty_coefficient": "uncertainty coefficient",
    "spearman": "rank correlation",
    "pearson": "correlation",
}
#: The limit to ask for, if it rules out what is close.
USUAL_LIMIT = 0.8
#: Numbers that are looked at; of longer tables, every second or every tenth row will do for a note.
MOST_NUMBERS = 4_000_000


class Close(NamedTuple):
    """A chosen feature that is close to a forbidden one, and by which measure."""

    feature: str
    forbidden: str
    similarity: float
    measure: str


def _forbidden(result: Result, background: Background) -> Notes:
    """What was ruled out as close to forbidden features, and what is close to them in the sets."""
    features = _counting(background)
    ruled_out = [_ruled_out(rule, features) for rule in _rules(result) if "proxies" in rule]
    close = _close_to_forbidden(result, features)
    by_measure = [[one for one in close if one.measure == measure] for measure in CLOSE]
    return Notes(ruled_out, [_close_sentence(alike) for alike in by_measure if alike])


def _close_to_forbidden(result: Result, features: Features) -> list[Close]:
    """Features of the sets that are close to a forbidden one, but for what ``proxies`` has looked after.

    Each feature comes once, by the first measure that finds it close: the uncertainty coefficient sees features that
    have many more values than the forbidden one, and the correlation of ranks sees more where both are numeric.
    """
    forbidden = sorted({index for rule in _rules(result) for index in rule["features"]})
    chosen = sorted(set().union(*result.sets) - set(forbidden))
    if not forbidden or not chosen:
        return []
    both = [*chosen, *forbidden]
    table = _some(features, both)
    names = table.feature_names
    found: dict[int, Close] = {}
    for measure, least in CLOSE.items():
        open_to_it = {
            index for rule in _rules(result) if rule.get("measure") != measure for index in _given(rule)
        }
        places = [place for place, index in enumerate(both) if index in open_to_it]
        alike = similar_columns(table, places, measure, least, "Forbid")[1] if places else ()
        for feature, other, similarity in alike:
            if feature < len(chosen):
                found.setdefault(feature, Close(names[feature], names[other], similarity, measure))
    return list(found.values())


def _rules(result: Result) -> list[Mapping[str, Any]]:
    return [rule for rule in result.parameters.get("constraints", ()) if rule["kind"] == "forbid"]


def _given(rule: Mapping[str, Any]) -> list[int]:
    """The features that were forbidden by name."""
    out = {one["feature"] for one in rule.get("ruled_out", ())}
    return [index for index in rule["features"] if index not in out]


def _close_sentence(close: Sequence[Close]) -> str:
    """The features that one measure found close to forbidden ones, and how to rule them out."""
    measure = close[0].measure
    least = min(one.similarity for one in close)
    limit = min(USUAL_LIMIT, math.floor(10 * least + 1e-6) / 10)
    remedy = parameter("proxies", limit)
    if measure != "symmetrical_uncertainty":
        remedy += by_interface(f", measure={measure!r}", f":{measure}")
    if len(close) == 1:
        one = close[0]
        value = f"{WORDS[measure]} {round_down(one.similarity)}"
        return (
            f"The feature {one.feature} is close to the forbidden {one.forbidden} ({value}); {remedy} rules out such "
            "features."
        )
    pairs = [f"{one.feature} ~ {one.forbidden} ({round_down(one.similarity)})" for one in close]
    return f"Close to forbidden features ({WORDS[measure]}): {list_some(pairs)}; {remedy} rules out such features."


def _ruled_out(rule: Mapping[str, Any], features: Features) -> str:
    names = features.feature_names
    given = names.listed(_given(rule))
    how = f"{WORDS[rule['measure']]} of {rule['proxies']:g} or more"
    if not rule["ruled_out"]:
        return f"No other feature is close to the forbidden {given} ({how})."
    pairs = [
        f"{names[one['feature']]} ~ {names[one['other']]} ({round_down(one['similarity'])})"
        for one in rule["ruled_out"]
    ]
    return f"Ruled out, as close to the forbidden {given} ({how}): {list_some(pairs)}."


# --- Near-copies --------------------------------------------------------------------------------

#: The measure behind the note, and from when on two features count as the same; the advice names both.
MEASURE, THRESHOLD = "spearman", 0.9

#: Columns that are compared with each other: those of the first sets, as far as this goes.
MOST_COLUMNS = 200
#: By how much a dissimilarity may miss tau, as everywhere.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class NearCopies:
    """A set most of whose features have a match of their own in an earlier set, or are in both."""

    later: int
    earlier: int
    n_features: int
    shared: tuple[str, ...]
    #: Features of the later one, each with the feature of the earlier one that it is like, and how much so.
    matches: tuple[tuple[str, str, float], ...]
    #: Whether the whole table has ranks: categories of several labels and sparse columns with missing values have none.
    ranked: bool = True

    @property
    def n_matched(self) -> int:
        """How many features of the later set have a match."""
        return len(self.shared) + len(self.matches)

    @property
    def sentence(self) -> str:
        """How much of the later set repeats the earlier one, and what to ask for instead."""
        least = round_down(min(alike for *_, alike in self.matches))
        return (
            f"{self.n_matched} of {self.n_features} features of set {self.later} repeat set {self.earlier}: they are "
            f"in both sets or have a correlation of {least} or more; try {_matched(self.ranked)}."
        )

    @property
    def details(self) -> str:
        """Which features these are."""
        pairs = [f"{name} ~ {other} ({round_down(alike)})" for name, other, alike in self.matches]
        shared = f"share {list_some(self.shared)}; alike" if self.shared else "have features that are alike"
        return f"Sets {self.earlier} and {self.later} {shared}: {list_some(pairs)}."


def _matched(ranked: bool) -> str:
    """How to ask for sets whose features are not alike; rank correlation needs columns that have ranks."""
    if ranked:
        return by_interface(
            f'dissimilarity=Matched("{MEASURE}", threshold={THRESHOLD})', f"--distinct {THRESHOLD}"
        )
    return by_interface(
        'dissimilarity=Matched("symmetrical_uncertainty", threshold=...)',
        "--distinct with a threshold for symmetrical_uncertainty",
    )


def _copies(result: Result, background: Background) -> Notes:
    """Sets that are near-copies of each other."""
    alike = near_copies(result, _counting(background))
    return Notes([], []) if alike is None else Notes([alike.details], [alike.sentence])


def near_copies(result: Result, features: Features) -> NearCopies | None:
    """The two plain sets that are most alike if features with a rank correlation of 0.9 count as the same.

    None if sets were compared by more than their names; or if no set has such a match in an earlier set for more than
    half of its features, more than the request would allow it to share.
    """
    if result.parameters.get("dissimilarity") not in COUNTING or len(result.sets) < 2:
        return None
    n_sets = len(result.sets)
    while n_sets > 2 and len(set().union(*result.sets[:n_sets])) > MOST_COLUMNS:
        n_sets -= 1
    columns = sorted(set().union(*result.sets[:n_sets]))
    place = {column: position for position, column in enumerate(columns)}
    sets = [[place[column] for column in chosen] for chosen in result.sets[:n_sets]]
    names = dict(zip(chain(*sets), chain(*result.texts[:n_sets]), strict=True))
    alike = _similarity(features.columns(columns))
    pairs = (
        _compared(alike, sets, later, earlier, names) for later in range(n_sets) for earlier in range(later)
    )
    asked = {**result.parameters, "tau": result.tau}
    found = [pair for pair in pairs if pair.matches and _too_many(pair, len(sets[pair.earlier]), asked)]
    worst = max(found, key=lambda pair: pair.n_matched / pair.n_features, default=None)
    if worst is None:
        return None
    unranked = any(len(labels) > 2 for labels in features.categories.values())
    holed = features.is_sparse and bool(features.incomplete.any())
    return replace(worst, ranked=not (unranked or holed))


def _similarity(features: Features) -> Matched:
    """How alike columns are; a category of several labels has no ranks, and is like itself alone."""
    ranked = [
        column for column in range(features.n_features) if len(features.categories.get(column, ())) <= 2
    ]
    similarity = np.eye(features.n_features)
    if ranked:
        similarity[np.ix_(ranked, ranked)] = measure_similarity(_some(features, ranked), MEASURE)
    return Matched(similarity, THRESHOLD)


def _compared(
    alike: Matched, sets: list[list[int]], later: int, earlier: int, names: dict[int, str]
) -> NearCopies:
    matches = alike.matches(sets[later], sets[earlier])
    shared = set(sets[later]) & set(sets[earlier]) - {feature for feature, *_ in matches}
    return NearCopies(
        later,
        earlier,
        len(sets[later]),
        tuple(names[feature] for feature in sorted(shared)),
        tuple((names[feature], names[other], similarity) for feature, other, similarity in matches),
    )


def _too_many(pair: NearCopies, other_size: int, asked: dict[str, Any]) -> bool:
    """Whether most features have a match, and so many that similarity would have ruled the set out."""
    if 2 * pair.n_matched <= pair.n_features:
        return False
    if asked["dissimilarity"] == "absolute":
        return bool(pair.n_matched > min(pair.n_features, other_size) - asked["tau"])
    dissimilarity = 1 - 2 * pair.n_matched / (pair.n_features + other_size)
    return bool(dissimilarity < asked["tau"] - TOLERANCE)


#: What is looked at, in the order of the notes, and what a note calls it if that fails.
LOOKS: dict[str, Callable[[Result, Background], Notes]] = {
    "The target was": _table,
    "Columns that look like a mistake were": _suspects,
    "Near-copies among sets were": _copies,
    "Features close to forbidden ones were": _forbidden,
}
