"""The provenance of an answer: versions, the data with their hash, the request, and the time."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.constraints import Constraint
from altsets.measures.large.table import LargeTable
from altsets.request import DEFAULT_SEED as DEFAULT_SEED
from altsets.tables.conversion import NUMERIC_KINDS, is_missing
from altsets.tables.feature_matrix import Features
from altsets.tables.sparse import as_bytes
from altsets.tables.target import vector_of
from altsets.version import __version__

#: Packages whose version may change numbers.
PACKAGES = ("numpy", "scipy", "scikit-learn")
#: Numbers that are hashed at a time.
AT_A_TIME = 1_000_000


def record(asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The provenance of an answer: versions first, then the request, then the time and the seconds it took."""
    versions = {"altsets": __version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in PACKAGES}
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {**versions, **asked, "time": now, "seconds": round(seconds, 3)}


def data_of(features: Features | LargeTable, y: Any = None) -> dict[str, Any]:
    """The size of a table, and the hash of its content; that of a table read in passes would take one more."""
    if isinstance(features, LargeTable):
        return {"rows": features.n_rows, "columns": features.n_features}
    return {"rows": features.n_rows, "columns": features.n_features, "sha256": fingerprint(features, y)}


def constraints_by_name(constraints: Any, names: Sequence[str]) -> list[str]:
    """One constraint or several in words, with the names of their features."""
    several: Iterable[Any] = [constraints] if isinstance(constraints, Constraint) else constraints
    # What is only named cannot be resolved without a table, nor need it be.
    return [(one if one.is_named else one.resolve(names)).describe(names) for one in several]


def fingerprint(features: Features, y: Any = None) -> str:
    """The SHA-256 hash of what altsets sees of a table: names, numbers, categories and the target, not its name.

    A CSV file, a Parquet file and a frame with the same names and values in the same order have the same one. Of a
    sparse table, it is the hash of what is stored.
    """
    digest = hashlib.sha256()
    named = {str(index): list(labels) for index, labels in sorted(features.categories.items())}
    _add_text(digest, [list(features.feature_names), named])
    if features.is_sparse:
        # Zeros are not worth the time that hashing them takes.
        _add_text(digest, features.cells.shape)
        for part in as_bytes(features.cells):
            digest.update(part)
    else:
        _add_numbers(digest, features.values)
    if features.covariates is not None:
        _add_numbers(digest, features.covariates)
    if y is not None:
        values = vector_of(y, features.n_rows)
        fields = values.dtype.names
        for column in [values] if fields is None else [values[name] for name in fields]:
            numbers = _as_numbers(column)
            if numbers is None:
                _add_text(digest, [str(value) for value in column.tolist()])
            else:
                _add_numbers(digest, numbers[:, None])
    return digest.hexdigest()


def _as_numbers(values: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """A target as floats; None if it is text."""
    if values.dtype.kind in NUMERIC_KINDS:
        return values.astype(np.float64)
    plain = values.tolist()
    if any(isinstance(value, str) for value in plain):
        return None
    return np.array([math.nan if is_missing(value) else float(value) for value in plain])


def _add_text(digest: Any, content: Any) -> None:
    # JSON separates texts unambiguously.
    digest.update(json.dumps(content).encode())


def _add_numbers(digest: Any, values: npt.NDArray[np.float64]) -> None:
    digest.update(json.dumps(values.shape).encode())
    step = max(1, AT_A_TIME // max(1, values.shape[1]))
    for start in range(0, len(values), step):
        # Adding 0 turns -0 into 0; nan has many bit patterns, too.
        block = np.ascontiguousarray(values[start : start + step] + 0.0, dtype="<f8")
        block[np.isnan(block)] = np.nan
        digest.update(block.data)
