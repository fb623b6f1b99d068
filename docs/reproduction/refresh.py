"""Bring the tables and figures of this page up to date: ``python docs/reproduction/refresh.py [OUT ...]``.

``results.parquet`` beside this file holds the results that the page is made of. Each OUT is a folder of results of
``altsets reproduce``; its tasks replace those of the same data set, fold, method and size. So a later version runs only
what changed. Without an OUT the page is made again from the file. Left out of the file are columns that no table needs;
times have three digits. Numbers on the page are rounded for readers.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from altsets_study import Store
from altsets_study.report import write_report

HERE = Path(__file__).parent
RESULTS = HERE / "results.parquet"
#: What makes a task of one size.
TASK = ["dataset", "fold", "method", "k"]
#: What makes a row, in an order that compresses well.
ROW = [*TASK, "search", "aggregation", "n_alternatives", "number", "tau"]
NOT_NEEDED = ["features", "bound", "n_features_in", "n_evaluated", "search_seconds"]
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


def compact(frame):
    """Results without what no table needs."""
    return frame.drop(columns=NOT_NEEDED).assign(
        processor_seconds=[float(f"{seconds:.3g}") for seconds in frame["processor_seconds"]]
    )


def merged(kept, new):
    """Results with the tasks of others in place of their own."""
    replaced = pd.MultiIndex.from_frame(kept[TASK]).isin(
        pd.MultiIndex.from_frame(new[TASK].drop_duplicates())
    )
    return pd.concat([kept[~replaced], new], ignore_index=True)


def read():
    """The results in the file, and the settings that they share."""
    table = pq.read_table(RESULTS)
    return table.to_pandas(), json.loads(table.schema.metadata[b"settings"])


def write(frame, settings):
    """Write the results, the same bytes for the same results."""
    table = pa.Table.from_pandas(frame.sort_values(ROW, kind="stable"), preserve_index=False)
    table = table.replace_schema_metadata({"settings": json.dumps(settings, sort_keys=True)})
    pq.write_table(table, RESULTS, compression="zstd", compression_level=19)


def main(folders):
    """Merge the folders into the file, and make the page's tables and figures from it."""
    frame, settings = read() if RESULTS.exists() else (None, None)
    for store in map(Store, folders):
        new, found = compact(store.frame()), store.settings.as_dict()
        if settings is not None and found != settings:
            raise SystemExit(f"{store.folder} has results with {found}, not {settings}.")
        frame, settings = new if frame is None else merged(frame, new), found
    if folders:
        write(frame, settings)
        frame, _ = read()
    with tempfile.TemporaryDirectory() as folder:
        report = write_report(frame, folder).parent
        for name in TABLES:
            table = pd.read_csv(report / "tables" / f"{name}.csv")
            shown = table.map(lambda value: "" if pd.isna(value) else rounded(value))
            shown.to_csv(HERE / f"{name}.csv", index=False)
        for path in (report / "figures").glob("*.png"):
            shutil.copy(path, HERE)


if __name__ == "__main__":
    main(sys.argv[1:])
