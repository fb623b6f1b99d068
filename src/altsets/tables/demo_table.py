"""The table of ``altsets demo``."""

from __future__ import annotations

import numpy as np

from altsets.tables.table import Table

__all__ = ["DEMO_TARGET", "load_demo"]

DEMO_TARGET = "diagnosis"


def load_demo() -> Table:
    """The table of ``altsets demo``: 569 breast tumours, 30 measurements, malignant or benign.

    It ships with scikit-learn (Wisconsin diagnostic breast cancer data).

    Examples
    --------
    >>> load_demo().names[-1]
    'diagnosis'
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    labels = np.array([str(name) for name in bunch.target_names], dtype=object)[bunch.target]
    names = (*(str(name) for name in bunch.feature_names), DEMO_TARGET)
    return Table(names, (*bunch.data.T, labels), source="the demo table")
