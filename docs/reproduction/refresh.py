"""Bring the tables and figures of this page up to date: ``python docs/reproduction/refresh.py OUT``.

OUT is the folder of results of ``altsets reproduce``. Numbers are rounded for readers; the files in ``OUT/report`` have
all digits.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

from altsets.experiments import Store
from altsets.experiments.report import write_report

HERE = Path(__file__).parent
TABLES = (
    "claims",
    "conclusions",
    "core-hours",
    "coverage",
    "gains-in-sum-by-a",
    "gains-in-worst-by-a",
    "seconds-by-a",
    "seconds-by-search",
    "shortfalls-by-a",
    "status-by-a",
    "status-by-search",
)


def rounded(value):
    """Four digits, and no more zeros than needed."""
    return f"{value:.4g}" if isinstance(value, float) else value


def main(out):
    """Write them all."""
    with tempfile.TemporaryDirectory() as folder:
        report = write_report(Store(out).frame(), folder).parent
        for name in TABLES:
            table = pd.read_csv(report / "tables" / f"{name}.csv")
            shown = table.map(lambda value: "" if pd.isna(value) else rounded(value))
            shown.to_csv(HERE / f"{name}.csv", index=False)
        for figure in sorted((report / "figures").glob("*.png")):
            shutil.copy(figure, HERE / figure.name)


if __name__ == "__main__":
    main(sys.argv[1])
