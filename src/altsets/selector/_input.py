"""Tables, targets and groups as users give them, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from altsets.errors import InputError
from altsets.files.cells import cells_of
from altsets.files.dataset import from_anndata
from altsets.provenance import constraints_by_name
from altsets.tables.conversion import features_of, is_anndata
from altsets.wording import list_some


def refuse_numbered(
    constraints: Any, all_names: Sequence[str], kept: Sequence[str], dropped: Mapping[str, str]
) -> None:
    """Refuse constraints on columns by number, which would be about others where some are dropped."""
    if not dropped:
        return
    before, after = (constraints_by_name(constraints, names) for names in (all_names, kept))
    if before != after:
        raise InputError(
            f"unusable='drop' leaves out {list_some(list(dropped))}, and then columns have other numbers; name "
            "the features in constraints."
        )


def table_and_target(X: Any, y: Any) -> tuple[Any, Any]:
    """A table and its target; of an AnnData object its matrix, and a column of obs by name or values of its own."""
    if not is_anndata(X):
        return X, y
    if isinstance(y, str):
        data = from_anndata(X, y)
        return data.X, data.y
    cells = cells_of(X)
    return features_of(cells.matrix, cells.genes), y


def groups_of(groups: Any, n_rows: int) -> Any:
    """One group for each row, in an array that can be kept and compared; None if there are none."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n_rows,):
        raise InputError(
            f"groups must hold one label for each of the {n_rows} rows; got shape {found.shape}."
        )
    return found
