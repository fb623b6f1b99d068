"""Small tables for tests of the study, and methods that misbehave; importable by the workers of a run."""

import os
import signal
import sys

import numpy as np

from altsets.quality import Additive
from altsets_study.datasets import StudyTable
from altsets_study.design import Settings
from altsets_study.methods import Method
from altsets_study.run import reproduce

#: Four methods whose answers do not depend on the clock, and one size: a few seconds for all of it.
SMALL = {"methods": ("mutual_info", "fcbf", "mrmr", "model_gain"), "folds": (0, 1), "sizes": (3,)}
#: Half of it, for runs that are compared with the whole.
FIRST = SMALL | {"folds": (0,)}


def tables(n_tables=2, n_rows=60, n_features=9):
    """Tables with two classes, of which some features tell something."""
    made = {}
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, n_features))
        y = (X[:, 0] + X[:, 1] + rng.normal(size=n_rows) > 0).astype(np.intp)
        # Some are codes, so that there are ties; and the last one is constant.
        X[:, 2:5] = np.round(X[:, 2:5])
        X[:, -1] = 1.0
        names = tuple(f"f{number}" for number in range(n_features))
        made[f"table{seed}"] = StudyTable(f"table{seed}", X, y, names)
    return made


def raising(rows, settings):
    raise ValueError("no such\nthing")


def dying(rows, settings):
    os.kill(os.getpid(), signal.SIGKILL)


def dying_once(mark, rows, settings):
    """Ends its process the first time it is called at all, and works after that."""
    if not mark.exists():
        mark.touch()
        dying(rows, settings)
    return Additive(np.arange(rows.X.shape[1], dtype=float), feature_names=rows.feature_names)


RAISING, DYING, DYING_ONCE = (
    Method("raising", raising),
    Method("dying", dying),
    Method("dying_once", dying_once),
)


def comparable(frame):
    """Results without what may differ between two runs, in one order."""
    kept = [name for name in frame.columns if "time" not in name and "seconds" not in name]
    order = ["dataset", "fold", "method", "k", "tau", "search", "aggregation", "n_alternatives", "number"]
    shown = frame[kept].assign(
        features=frame["features"].map(lambda one: None if one is None else tuple(one))
    )
    return shown.sort_values(order).reset_index(drop=True)


if __name__ == "__main__":
    reproduce(tables(), sys.argv[1], **FIRST, n_jobs=int(sys.argv[2]), settings=Settings())
