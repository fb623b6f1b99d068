"""Which options go together, as far as that is known before a file is read; each kind of clash has one sentence."""

from __future__ import annotations

from altsets.cli.options import Given, as_option
from altsets.errors import InputError, Problems
from altsets.wording import join_words

#: Pairs of options that answer the same question.
EITHER = (
    ("n_features", "size"),
    ("within", "min_quality"),
    ("dissimilarity", "distinct"),
    ("feature_groups", "feature_groups_by"),
    ("target", "no_target"),
    ("time", "no_target"),
)
#: Options that mean nothing without one of others.
NEEDED = {
    "proxies": ("forbid",),
    "force": ("output", "report"),
    **dict.fromkeys(("cv", "cv_groups", "n_repeats", "margin", "bootstraps", "jobs"), ("evaluate",)),
}
#: Options that do not go with --evaluate, and why.
NOT_EVALUATED = {
    "no_target": "there is nothing to predict",
    "scores": "scores that were saved have seen all rows, and the search must not see the test rows",
    "existing": "the search in each fold does not use existing sets",
    "engine": "the search in each fold chooses its engine itself",
}
#: Options about how scores are computed, which --scores has done before.
SCORING = (
    *("measure", "estimator", "scoring", "positive", "class_weight", "criterion", "combine", "adjust"),
    "save_scores",
)
#: Options about a table, which --scores may come without.
READING = ("sheet", "layer", "columns", "categorical")


def check_combinations(given: Given, problems: Problems) -> None:
    """Add options that do not go together to the problems."""

    def is_given(name: str) -> bool:
        value = getattr(given, name)
        return bool(value != [] and value != getattr(Given, name))

    found = [
        f"{as_option(one)} and {as_option(other)} were both given; give one of them."
        for one, other in EITHER
        if is_given(one) and is_given(other)
    ]
    for name, others in NEEDED.items():
        if is_given(name) and not any(map(is_given, others)):
            option, needed = (
                as_option(name, getattr(given, name)),
                join_words(list(map(as_option, others)), "or"),
            )
            found.append(f"{option} goes with {needed}; add it, or leave out {as_option(name)}.")
    if given.evaluate:
        found += [
            f"{as_option(name)} does not go with --evaluate: {why}; leave out one of them."
            for name, why in NOT_EVALUATED.items()
            if is_given(name)
        ]
    if given.scores is not None:
        found += [
            f"{as_option(name, getattr(given, name))} has no use with --scores, which says what was computed before."
            for name in (*SCORING, *(READING if given.table is None else ()))
            if is_given(name)
        ]
    for message in found:
        with problems:
            raise InputError(message)
