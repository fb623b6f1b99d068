"""How different two sets are, for those who do not want to be fooled by names.

``"dice"``, ``"jaccard"`` and ``"absolute"`` count the features that two sets share. The classes here look further:
:class:`Matched` through similarity (a feature that says the same as another one does not make a set different),
:class:`Grouped` at groups (sensors, pathways, pages of a questionnaire). Both are given as ``dissimilarity``;
``"groups"`` compares those that ``feature_groups`` declares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from altsets.constraints.similarity import MEASURES
from altsets.dissimilarity._grouped import Grouped, beginnings
from altsets.dissimilarity._matched import Matched
from altsets.errors import InputError, NotExpressedError
from altsets.wording import by_interface, parameter, suggestion

__all__ = ["Grouped", "Matched"]

#: Dissimilarities by name, which count the features that two sets share.
COUNTING = ("dice", "jaccard", "absolute")
#: The same, and the one that compares the groups that a request declares.
DISSIMILARITIES = (*COUNTING, "groups")


def is_named(kind: Any) -> bool:
    return isinstance(kind, Matched) and kind.is_named


def matched_on_table(kind: Any, X: Any, sample_weight: Any = None) -> Any:
    return kind.computed(X, sample_weight) if isinstance(kind, Matched) else kind


def declared_groups(given: Any) -> Grouped | str | None:
    """Return the groups of ``feature_groups``; a text that divides names waits for the names."""
    if given is None or isinstance(given, Grouped | str):
        return given
    found = Grouped.__new__(Grouped)
    found._who = parameter("feature_groups")
    Grouped.__init__(found, given)
    return found


def groups_among(declared: Grouped | str | None, names: Sequence[str]) -> Grouped | None:
    """Return the declared groups of the features with these names."""
    if not isinstance(declared, str):
        return declared
    groups = beginnings(names, declared, by_interface("feature_groups", "--feature-groups-by"))
    return Grouped({names[index]: group for index, group in groups.items()})


def matched_in(who: str, text: str) -> Matched:
    """Read ``0.9`` or ``0.9:spearman``: the similarity from which features count as the same, and its measure."""
    least, colon, measure = (part.strip() for part in text.partition(":"))
    try:
        threshold = float(least)
    except ValueError:
        threshold = None
    if threshold is None or (colon and not measure):
        raise InputError(f"{who} {text!r} must have the form 0.9 or 0.9:spearman.")
    if not 0 < threshold <= 1:
        raise InputError(
            f"{who} {text}: features count as the same from a similarity on that is above 0 and at most 1; give one "
            "such as 0.9."
        )
    if measure and measure not in MEASURES:
        hint = suggestion(measure, MEASURES, f"choose {' or '.join(MEASURES)}.")
        raise InputError(f"{who} {text}: the measure {measure!r} is unknown; {hint}")
    return Matched(measure or "spearman", threshold=threshold)


def matched_text(kind: Matched) -> str | None:
    """The text that :func:`matched_in` reads; None if there is none for this one."""
    if kind.measure is None or kind.threshold is None:
        return None
    return f"{kind.threshold!r}:{kind.measure}"


def dissimilarity_dict(kind: Any) -> Any:
    """A dissimilarity as plain values, if it can be read again."""
    if isinstance(kind, Matched) and kind.measure is None:
        raise NotExpressedError("sets were compared by a matrix of your own")
    if isinstance(kind, Matched | Grouped):
        return kind.as_dict()
    if callable(kind):
        raise NotExpressedError("sets were compared by a function of your own")
    return kind


def dissimilarity_from(entry: Any) -> Any:
    if not isinstance(entry, dict):
        if entry not in DISSIMILARITIES:
            raise NotExpressedError("sets were compared by a function of your own")
        return entry
    if entry["kind"] == "grouped":
        return Grouped({feature: name for name, listed in entry["groups"].items() for feature in listed})
    if entry["kind"] != "matched":
        raise ValueError(f"a dissimilarity of kind {entry['kind']!r} is unknown")
    if entry["similarity"] == "matrix":
        raise NotExpressedError("sets were compared by a matrix of your own")
    return Matched(entry["similarity"], entry["threshold"])


def dissimilarity_python(kind: Any, names: Sequence[str] | None = None, table: str = "") -> str:
    """A dissimilarity as Python; ``table`` is what the table is called there, if it is at hand."""
    if isinstance(kind, Matched | Grouped):
        return f"dissimilarity.{kind.to_python(names, table)}"
    if callable(kind):
        raise NotExpressedError("sets were compared by a function of your own")
    return repr(kind)
