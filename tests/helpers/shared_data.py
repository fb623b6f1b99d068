"""The data sets of the paper's study, which are no part of this repository: beside it, or not there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"
DATASETS = SHARED / "datasets"

#: For tests that are about these data sets; whatever can be tested without them has tables of its own as well.
needs_datasets = pytest.mark.skipif(
    not DATASETS.is_dir(), reason="the data sets of the paper are not in ../shared/datasets"
)
needs_matrices = pytest.mark.skipif(
    not (SHARED / "mi").is_dir(), reason="the matrices of the paper's study are not in ../shared/mi"
)
