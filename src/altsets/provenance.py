"""Where an answer comes from: versions, the data with their hash, what was asked, and when."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from altsets.constraints import Constraint
from altsets.request import DEFAULT_SEED as DEFAULT_SEED
from altsets.tables.feature_matrix import Features
from altsets.tables.fingerprint import fingerprint
from altsets.version import __version__

#: Packages whose version may change numbers.
PACKAGES = ("numpy", "scipy", "scikit-learn")
#: The parts of a record that differ from run to run.
TIMES = ("time", "seconds")


def record(asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What is written down about an answer: versions first, then what was asked, then when.

    Parameters
    ----------
    asked : mapping of str to plain values
        Data, task, options and so on.
    seconds : float
        How long it took, from the table to the answer.

    Examples
    --------
    >>> written = record({"task": "classification"}, 0.5)
    >>> sorted(written)
    ['altsets', 'numpy', 'python', 'scikit-learn', 'scipy', 'seconds', 'task', 'time']
    >>> written["task"], written["seconds"]
    ('classification', 0.5)
    """
    versions = {"altsets": __version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in PACKAGES}
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {**versions, **asked, "time": now, "seconds": round(seconds, 3)}


def data_of(features: Features, y: Any = None) -> dict[str, Any]:
    """The size of a table, and the hash of its content.

    Parameters
    ----------
    features : Features
        The table.
    y : array-like of shape (n_rows,), optional
        The target.
    """
    return {
        "rows": features.n_rows,
        "columns": features.n_features,
        "sha256": fingerprint(features, y),
    }


def constraints_by_name(constraints: Any, names: Sequence[str]) -> list[str]:
    """Constraints in words, with the names of their features.

    Parameters
    ----------
    constraints : constraint, or iterable of constraints
        What was asked for.
    names : sequence of str
        The names of all features.

    Examples
    --------
    >>> from altsets.constraints import Forbid
    >>> constraints_by_name([Forbid("age")], ["age", "height"])
    ['forbid age']
    """
    several: Iterable[Any] = [constraints] if isinstance(constraints, Constraint) else constraints
    return [_in_words(constraint, names) for constraint in several]


def _in_words(constraint: Constraint, names: Sequence[str]) -> str:
    # What is only named cannot be resolved without a table, nor need it be.
    return (constraint if constraint.is_named else constraint.resolve(names)).describe(names)
