"""Notes attached to a result: what the target was taken for, columns close to forbidden ones, near-copies among sets.

A new kind of note is a function here and one more line in ``LOOKS``. Columns that look like a mistake come from
:mod:`altsets.selector.suspects`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from altsets.dissimilarity import COUNTING, Matched
from altsets.errors import reason_of
from altsets.measures.large.table import LargeTable, LargeTarget
from altsets.measures.pairs import measure_similarity, similar_columns
from altsets.quality.spec import spec_of
from altsets.result import Result
from altsets.selector.batches import followed
from altsets.selector.suspects import suspects
from altsets.tables.feature_matrix import Features
from altsets.tables.survival import Survival
from altsets.tables.target import Outcome, Several, Target, in_one_form, outcome_of, vector_of
from altsets.tables.weights import counted, counted_rows, whole
from altsets.wording import by_interface, list_some, parameter, round_down

#: Measures that take numbers as they are, whether they name classes or not.
TAKE_NUMBERS = ("pearson", "spearman")
#: What is good to know about a result, and what may change a decision.
Notes = tuple[list[str], list[str]]


@dataclass(frozen=True, eq=False)
class Background:
    """What sets were found in: the table, and what is known of the target if a quality was computed from it."""

    features: Any
    y: Any = None
    quality: Any = None
    task: str = "auto"
    sample_weight: Any = None
    #: What was noted when the table was read.
    notes: Sequence[str] = ()
    target_name: str = ""

    @cached_property
    def counting(self) -> Features:
        """The rows that count."""
        return counted(self.features, None, self.sample_weight)[0]

    @cached_property
    def target(self) -> Outcome | LargeTarget | None:
        """The target in the rows that count; None if the quality was not computed from one."""
        if self.y is None or self.quality is None or not spec_of(self.quality).uses_target:
            return None
        if isinstance(self.features, LargeTable):
            return self.features.target(self.task)
        y, kept = in_one_form(self.y, self.task), counted_rows(self.sample_weight, self.features.n_rows)
        y = y if kept is None else vector_of(y, self.features.n_rows)[kept]
        return outcome_of(y, self.features.n_rows if kept is None else len(y), self.task)


def notes_on(result: Result, background: Background) -> dict[str, Any]:
    """Return fields of a result: sentences on what the target was taken for, on the table, and on the sets.

    The sets have been found: a note that cannot be made is left out, with a sentence on what was not checked.
    """
    found: Notes = ([*result.notes], [])
    # Of a table that is read in passes, there are no rows to look at.
    looks = {} if isinstance(background.features, LargeTable) else LOOKS
    found[0].extend(() if looks else background.notes)
    for what, look in looks.items():
        try:
            told = look(result, background)
        except KeyboardInterrupt:
            found[0].append(f"{what} not checked: interrupted.")
        except Exception as error:
            found[0].append(f"{what} not checked: {reason_of(error)}.")
        else:
            for kind, sentences in zip(found, told, strict=True):
                kind.extend(filter(None, sentences))
    return {"notes": found[0], "table_cautions": found[1]}


def _table(result: Result, background: Background) -> Notes:
    covariates = () if result.request is None else result.request.adjust
    adjusted = (
        f"Scores are adjusted for {list_some([*map(str, covariates)], last='and')}." if covariates else ""
    )
    return [_on_target(background), adjusted, *background.notes], []


def _on_target(background: Background) -> str:
    """What the target was taken for; where a rule had to decide, how to overrule it."""
    if background.quality is None or background.y is None:
        return ""
    spec = spec_of(background.quality)
    if spec.scored_by is None and not (spec.is_wrapper or spec.is_linear):
        return ""
    target = background.target
    if isinstance(target, Several):
        return f"{'The target has' if target.are_labels else 'There are'} {target.in_words()}."
    if isinstance(target, Survival):
        scored_by = spec.for_target(target.values).scored_by
        is_concordance = scored_by is not None and scored_by[0] == "concordance"
        index = " Scores are Somers' D; the C index is (1 + D) / 2." if is_concordance else ""
        return f"The target is survival: {target.in_words()}.{index}"
    assert isinstance(target, Target)
    measure = "" if spec.scored_by is None else spec.scored_by[0]
    as_numbers = measure in TAKE_NUMBERS and target.numeric is not None
    if (
        background.task == "auto"
        and target.n_distinct > 2
        and target.numeric is not None
        and whole(target.numeric)
    ):
        return _on_whole_numbers(target, measure if as_numbers else "")
    if target.is_classes and (target.n_distinct == 2 or not as_numbers):
        return f"The target has {target.n_distinct:,} classes."
    return f"The target is numeric ({target.n_distinct:,} different numbers)."


def _suspects(result: Result, background: Background) -> Notes:
    """Columns that look like a mistake: a caution if they are in sets, else a note."""
    chosen, features = set().union(*result.sets), background.counting
    found: Notes = ([], [])
    for suspect in suspects(features, background.target, sorted(chosen), background.target_name):
        found[not chosen.isdisjoint(suspect.columns)].append(suspect.sentence(features))
    return found


def _on_whole_numbers(target: Target, measure: str) -> str:
    """What whole numbers were taken for, by their values or by a measure that takes all numbers as they are."""
    said = f"The {target.n_distinct:,} different whole numbers of the target are treated as"
    if measure:
        return f"{said} numeric, since {measure} uses numbers as they are; use mutual_info or f for classes."
    if target.is_classes:
        return f"{said} classes; {parameter('task', 'regression')} treats them as numeric."
    return f"{said} numeric; {parameter('task', 'classification')} treats them as classes."


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


def _forbidden(result: Result, background: Background) -> Notes:
    """What was ruled out as close to forbidden features, and what is close to them in the sets."""
    features, rules = background.counting, _rules(result)
    ruled_out = [_ruled_out(rule, features) for rule in rules if "proxies" in rule]
    return ruled_out, [
        _close_sentence(measure, alike)
        for measure, alike in _close_to_forbidden(result, rules, features).items()
        if alike
    ]


def _close_to_forbidden(
    result: Result, rules: Sequence[Mapping[str, Any]], features: Features
) -> dict[str, list[tuple[str, str, float]]]:
    """Return features of the sets that are close to a forbidden one by each measure, but for ``proxies``.

    Each feature comes once, by the first measure that finds it close: the uncertainty coefficient sees features that
    have many more values than the forbidden one, and the correlation of ranks sees more where both are numeric.
    """
    found: dict[str, list[tuple[str, str, float]]] = {measure: [] for measure in CLOSE}
    forbidden = sorted({index for rule in rules for index in rule["features"]})
    chosen = sorted(set().union(*result.sets) - set(forbidden))
    if not forbidden or not chosen:
        return found
    both, seen = [*chosen, *forbidden], set()
    table = _some(features, both)
    names = table.feature_names
    for measure, least in CLOSE.items():
        open_to_it = {index for rule in rules if rule.get("measure") != measure for index in _given(rule)}
        places = [place for place, index in enumerate(both) if index in open_to_it]
        alike = similar_columns(table, places, measure, least, "Forbid")[1] if places else ()
        for feature, other, similarity in alike:
            if feature < len(chosen) and feature not in seen:
                seen.add(feature)
                found[measure].append((names[feature], names[other], similarity))
    return found


def _rules(result: Result) -> list[Mapping[str, Any]]:
    return [rule for rule in result.parameters.get("constraints", ()) if rule["kind"] == "forbid"]


def _given(rule: Mapping[str, Any]) -> list[int]:
    """The features that were forbidden by name."""
    out = {one["feature"] for one in rule.get("ruled_out", ())}
    return [index for index in rule["features"] if index not in out]


def _close_sentence(measure: str, close: Sequence[tuple[str, str, float]]) -> str:
    limit = min(USUAL_LIMIT, math.floor(10 * min(similarity for *_, similarity in close) + 1e-6) / 10)
    remedy = parameter("proxies", limit)
    if measure != "symmetrical_uncertainty":
        remedy += by_interface(f", measure={measure!r}", f":{measure}")
    if len(close) == 1:
        ((feature, forbidden, similarity),) = close
        value = f"{WORDS[measure]} {round_down(similarity)}"
        said = f"The feature {feature} is close to the forbidden {forbidden} ({value})"
        return f"{said}; {remedy} rules out such features."
    pairs = _pairs(close)
    return f"Close to forbidden features ({WORDS[measure]}): {pairs}; {remedy} rules out such features."


def _pairs(alike: Iterable[tuple[str, str, float]]) -> str:
    return list_some([f"{one} ~ {other} ({round_down(similarity)})" for one, other, similarity in alike])


def _ruled_out(rule: Mapping[str, Any], features: Features) -> str:
    names = features.feature_names
    given = names.listed(_given(rule))
    how = f"{WORDS[rule['measure']]} of {rule['proxies']:g} or more"
    if not rule["ruled_out"]:
        return f"No other feature is close to the forbidden {given} ({how})."
    pairs = ((names[one["feature"]], names[one["other"]], one["similarity"]) for one in rule["ruled_out"])
    return f"Ruled out, as close to the forbidden {given} ({how}): {_pairs(pairs)}."


# --- Near-copies --------------------------------------------------------------------------------

#: The measure behind the note, and from when on two features count as the same; the advice names both.
MEASURE, THRESHOLD = "spearman", 0.9

#: Columns that are compared with each other: those of the first sets, as far as this goes.
MOST_COLUMNS = 200
#: By how much a dissimilarity may miss tau, as everywhere.
TOLERANCE = 1e-9


def _copies(result: Result, background: Background) -> Notes:
    alike = near_copies(result, background.counting)
    return ([], []) if alike is None else ([alike[1]], [alike[0]])


def near_copies(result: Result, features: Features) -> tuple[str, str] | None:
    """Return what to say about the two plain sets that are most alike, and the features that are.

    Features with a rank correlation of 0.9 count as the same. None if sets were compared by more than their names, or
    if no set has such a match in an earlier set for more than half of its features, more than the request allows.
    """
    asked = {**result.parameters, "tau": result.tau}
    if asked.get("dissimilarity") not in COUNTING or len(result.sets) < 2:
        return None
    n_sets = len(result.sets)
    while n_sets > 2 and len(set().union(*result.sets[:n_sets])) > MOST_COLUMNS:
        n_sets -= 1
    columns = sorted(set().union(*result.sets[:n_sets]))
    place = {column: position for position, column in enumerate(columns)}
    sets = [[place[column] for column in chosen] for chosen in result.sets[:n_sets]]
    names = dict(zip(chain(*sets), chain(*result.texts[:n_sets]), strict=True))
    alike = _similarity(features.columns(columns))
    most, said = 0.0, None
    for later, earlier in ((one, other) for one in range(n_sets) for other in range(one)):
        matches = alike.matches(sets[later], sets[earlier])
        shared = set(sets[later]) & set(sets[earlier]) - {feature for feature, *_ in matches}
        n_features, n_matched = len(sets[later]), len(shared) + len(matches)
        if not matches or n_matched / n_features <= most:
            continue
        if _too_many(n_matched, n_features, len(sets[earlier]), asked):
            most = n_matched / n_features
            least = round_down(min(similarity for *_, similarity in matches))
            common = list_some([names[feature] for feature in sorted(shared)])
            pairs = _pairs((names[feature], names[other], value) for feature, other, value in matches)
            said = (
                f"{n_matched} of {n_features} features of set {later} repeat set {earlier}: they are in both sets or "
                f"have a correlation of {least} or more; try {_matched(features)}.",
                f"Sets {earlier} and {later} {f'share {common}; alike' if common else 'have features that are alike'}: "
                f"{pairs}.",
            )
    return said


def _matched(features: Features) -> str:
    """How to ask for sets whose features are not alike; rank correlation needs columns that have ranks."""
    unranked = any(len(labels) > 2 for labels in features.categories.values())
    if unranked or (features.is_sparse and features.incomplete.any()):
        return by_interface(
            'dissimilarity=Matched("symmetrical_uncertainty", threshold=...)',
            "--distinct with a threshold for symmetrical_uncertainty",
        )
    return by_interface(
        f'dissimilarity=Matched("{MEASURE}", threshold={THRESHOLD})', f"--distinct {THRESHOLD}"
    )


def _similarity(features: Features) -> Matched:
    """How alike columns are; a category of several labels has no ranks, and is like itself alone."""
    ranked = [
        column for column in range(features.n_features) if len(features.categories.get(column, ())) <= 2
    ]
    similarity = np.eye(features.n_features)
    if ranked:
        similarity[np.ix_(ranked, ranked)] = measure_similarity(_some(features, ranked), MEASURE)
    return Matched(similarity, THRESHOLD)


def _too_many(n_matched: int, n_features: int, n_others: int, asked: Mapping[str, Any]) -> bool:
    """Whether most features have a match, and so many that similarity would have ruled the set out."""
    if 2 * n_matched <= n_features:
        return False
    if asked["dissimilarity"] == "absolute":
        return bool(n_matched > min(n_features, n_others) - asked["tau"])
    dissimilarity = 1 - 2 * n_matched / (n_features + n_others)
    return bool(dissimilarity < asked["tau"] - TOLERANCE)


def _batches(result: Result, background: Background) -> Notes:
    chosen = sorted(set().union(*result.sets))
    return [], [] if background.target is None else [followed(background.counting, background.target, chosen)]


#: What is looked at, in the order of the notes, and what a note calls it if that fails.
LOOKS: dict[str, Callable[[Result, Background], Notes]] = {
    "The target was": _table,
    "Columns that look like a mistake were": _suspects,
    "Batches that features follow were": _batches,
    "Near-copies among sets were": _copies,
    "Features close to forbidden ones were": _forbidden,
}
