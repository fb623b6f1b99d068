"""joblib's configuration says who works: the same numbers everywhere, and nothing is left behind."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from altsets import SelectAlternatives, evaluate, quality
from altsets.measures import permutation
from altsets.measures.workers import WarningCapture, is_configured, n_workers

SETS = [(0, 1), (2, 3), (4, 5)]


def everything(n_jobs=None):
    """What is done side by side, on a table of ten columns."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = SelectAlternatives("f", n_features=2, n_alternatives=1, tau=1)
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = evaluate(selector, X, y, estimator=model, n_bootstraps=1, cv=3, n_jobs=n_jobs, n_repeats=1)
    sets = quality.Wrapper(model, X, y, n_jobs=n_jobs).evaluate_many(SETS)
    drops = permutation(X.iloc[:, :4], y, estimator=model, n_repeats=1, n_jobs=n_jobs)
    return found.to_dict() | {"timing": {}, "provenance": {}}, sets, drops.tolist()


@pytest.fixture(scope="module")
def alone():
    return everything()


@pytest.mark.parametrize("backend", [
    "threading", *(pytest.param(name, marks=pytest.mark.slow) for name in ("loky", "multiprocessing")),
])  # fmt: skip
def test_everybody_gives_the_same_numbers(alone, backend):
    before = list(warnings.filters)
    with parallel_config(backend=backend, n_jobs=2):
        assert is_configured()
        assert n_workers(None) == 2
        assert everything() == alone
    assert not is_configured()
    assert warnings.filters == before


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers(alone):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address="127.0.0.1:0", processes=True
    )
    with cluster, distributed.Client(cluster), parallel_config(backend="dask"):
        assert n_workers(None) == 2
        assert everything() == alone


class Where(DecisionTreeClassifier):
    """Remembers the threads that it is fitted in."""

    def fit(self, X, y):
        import threading

        threads.add(threading.current_thread().name)
        return super().fit(X, y)


threads = set()


def test_a_number_of_jobs_is_enough(alone):
    with parallel_config(backend="threading"):
        assert everything(n_jobs=2) == alone
        X, y = load_wine(return_X_y=True)
        threads.clear()
        evaluate([[0]], X, y, estimator=Where(), n_jobs=2, n_repeats=1)
    assert threads
    assert "MainThread" not in threads


class Talking(LinearRegression):
    """Says whether it gets many rows; a filter for warnings is changed meanwhile, as parts of scikit-learn do."""

    def fit(self, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            warnings.warn("many rows" if len(X) > 45 else "few rows", UserWarning, stacklevel=2)
            return super().fit(X, y)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_warnings_of_threads_are_told_once_each(backend):
    X = np.arange(90.0)[:, None]
    y = X[:, 0] ** 2 / 7
    cv = [(np.arange(size), np.arange(size, 90)) for size in (30, 40, 50, 60, 70)]
    before, shown = list(warnings.filters), warnings.showwarning
    with parallel_config(backend=backend, n_jobs=2), pytest.warns(UserWarning, match="rows") as said:
        evaluate([[0]], X, y, estimator=Talking(), cv=cv)
    assert [str(entry.message) for entry in said] == ["few rows", "many rows"]
    assert (warnings.filters, warnings.showwarning) == (before, shown)


def test_inner_captures_keep_their_warnings():
    with WarningCapture() as said:
        warnings.warn("one", stacklevel=1)
        with WarningCapture():
            warnings.warn("two", stacklevel=1)
        warnings.warn("three", stacklevel=1)
    assert [text for _, text in said] == ["one", "three"]
    with pytest.warns(UserWarning, match="four"):
        warnings.warn("four", stacklevel=1)
