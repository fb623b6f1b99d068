"""The study: what is run, what is kept, and what happens when things go wrong."""

import contextlib
import errno
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shared_data import DATASETS as FOLDER
from shared_data import SHARED, needs_datasets, needs_matrices
from sklearn.feature_selection import mutual_info_regression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from study_tables import DYING, FIRST, RAISING, SMALL, comparable, dying_once, tables

import altsets
from altsets import measures, quality
from altsets.errors import InputError
from altsets_study.datasets import DATASETS, load
from altsets_study.design import Design, Settings, Task, searches
from altsets_study.methods import Information, Method, fold_of, information_of, method_named, rows_of
from altsets_study.run import reproduce
from altsets_study.store import Store

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A complete run in this process."""
    out = tmp_path_factory.mktemp("study") / "out"
    outcome = reproduce(tables(), out, **SMALL, n_jobs=1)
    assert outcome.is_complete
    assert outcome.n_done == 16
    return out


@pytest.fixture(scope="module")
def first(undisturbed):
    """The results of its first fold."""
    return results(undisturbed).query("fold == 0").reset_index(drop=True)


def results(out):
    return comparable(Store(out).frame())


# --- What is run --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "heuristics", "count"), [(5, True, 85), (5, False, 55), (10, True, 170)])
def test_every_search_of_the_paper_is_planned_once(size, heuristics, count):
    planned = list(searches(size, heuristics))
    assert len(planned) == len(set(planned)) == count
    assert {one.tau for one in planned} == {round(step / size, 10) for step in range(1, size + 1)}
    by_kind = Counter((one.search, one.aggregation, one.n_alternatives) for one in planned)
    assert by_kind["sequential", "sum", 10] == by_kind["simultaneous", "min", 5] == size


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"folds": (5,)}, "fold 5 is unknown; there are folds 0 to 4"),
        ({"folds": (-1,)}, "fold -1 is unknown"),
        ({"sizes": (0,)}, "k = 0 is not a set size"),
        ({"datasets": ("tabel0",)}, "did you mean 'table0'"),
        ({"methods": ("mrrm",)}, "method 'mrrm' is unknown; choose from mutual_info"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_is_written(wrong, says, tmp_path):
    with pytest.raises(InputError, match=says):
        reproduce(tables(), tmp_path / "out", **{**SMALL, **wrong})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"information": "guess"}, "information 'guess' is unknown"),
        ({"seconds_per_set": 0}, "seconds_per_set 0 must be a positive"),
        ({"exceptions": {"mrmr:10": -1}}, "mrmr:10 -1 must be a positive"),
        ({"exceptions": {"mrmr": 1.0}}, "'mrmr' names no method and size; write mrmr:10"),
    ],
)
def test_settings_are_checked(wrong, says):
    with pytest.raises(InputError, match=says):
        Settings(**wrong)


def test_methods_have_the_names_of_the_paper():
    names = ("mi", "model_gain", "greedy_wrapper")
    assert [method_named(name).name for name in names] == ["mutual_info", "model_gain", "greedy_wrapper"]


def test_time_limits_may_differ():
    settings = Settings(seconds_per_set=7, exceptions={"mrmr:10": 1.0})
    assert settings.seconds("mrmr", 10) == 1
    assert settings.seconds("mrmr", 5) == settings.seconds("fcbf", 10) == 7


def test_a_fold_is_complete_before_the_next_one_begins():
    design = Design(["a", "b"], ["m", "n"], [0, 1], [5], Settings())
    assert [task.fold for task in design.tasks] == [0] * 4 + [1] * 4
    assert len(set(design.tasks)) == 8


# --- What comes out -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_search_and_set_has_a_row(undisturbed):
    frame = results(undisturbed)
    assert not frame["error"].notna().any()
    counts = frame.groupby(["dataset", "fold", "method"]).size().unstack()
    # Three thresholds: 11 sequential sets and 2 * 20 simultaneous ones; 11 + 20 more for heuristics.
    assert (counts[["fcbf", "mrmr"]] == 3 * 51).all(axis=None)
    assert (counts[["mutual_info", "model_gain"]] == 3 * 82).all(axis=None)
    assert set(frame["status"]) <= {"optimal", "infeasible", "feasible", "not_found"}
    heuristic = frame["search"].str.startswith("greedy-")
    assert set(frame.loc[~heuristic, "status"]) == {"optimal", "infeasible"}
    assert (frame["features"].isna() == frame["status"].isin(["infeasible", "not_found"])).all()
    assert (frame["features"].isna() == frame["train_objective"].isna()).all()


@pytest.mark.slow
def test_rows_say_what_find_says(undisturbed):
    """The mRMR sets of a fold, all found again from numbers that scikit-learn has computed."""
    table, settings = tables()["table0"], Settings()
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=settings.seed).split(table.X, table.y))[
        1
    ]

    def made(rows):
        X, y = table.X[rows], table.y[rows]
        relevance = mutual_info_regression(X, y, random_state=25)
        pairs = np.array([mutual_info_regression(X, column, random_state=25) for column in X.T])
        np.fill_diagonal(pairs, 0.0)
        largest = max(relevance.max(), pairs.max())
        return quality.MRMR(relevance / largest, pairs / largest, feature_names=table.feature_names)

    on_train, on_test = made(train), made(test)
    frame = results(undisturbed).query("dataset == 'table0' and fold == 1 and method == 'mrmr'")
    for (tau, kind, aggregation, a), rows in frame.groupby(
        ["tau", "search", "aggregation", "n_alternatives"]
    ):
        found = altsets.find(on_train, 3, a, tau=tau, search=kind, aggregation=aggregation)
        assert rows["train_objective"].dropna().tolist() == pytest.approx(found.qualities, abs=1e-9)
        assert rows["status"].tolist() == [str(status) for status in found.statuses]
    for row in frame[frame["features"].notna()].itertuples():
        chosen = [table.feature_names.index(name) for name in row.features]
        assert row.test_objective == pytest.approx(on_test.evaluate(tuple(chosen)), abs=1e-9)
        tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
        tree.fit(table.X[train][:, chosen], table.y[train])
        for rows, mcc in ((train, row.train_mcc), (test, row.test_mcc)):
            said = matthews_corrcoef(table.y[rows], tree.predict(table.X[rows][:, chosen]))
            assert mcc == pytest.approx(said, abs=1e-12)


def test_information_is_the_papers_also_of_constants():
    """scikit-learn gives a constant column the information of its noise; altsets says 0, but not in the study."""
    rows = fold_of(tables()["table0"], 0, Settings()).train
    found = information_of(rows, Settings())
    expected = [mutual_info_regression(rows.X, column, random_state=25) for column in rows.X.T]
    off_diagonal = ~np.eye(rows.X.shape[1], dtype=bool)
    np.testing.assert_allclose(found.pairs[off_diagonal], np.array(expected)[off_diagonal], atol=1e-12)
    np.testing.assert_allclose(
        found.relevance, mutual_info_regression(rows.X, rows.y, random_state=25), atol=1e-12
    )
    assert found.pairs[-1, :-1].any()
    own = information_of(rows, Settings(information="altsets"))
    assert not own.pairs[-1, :-1].any()


#: Data sets with more pairs and rows than this are compared in part.
MOST_WORK = 2e7


@needs_matrices
@needs_datasets
@pytest.mark.parametrize(
    "name",
    [
        name if name in ("hepatitis", "horse_colic") else pytest.param(name, marks=pytest.mark.slow)
        for name in DATASETS
    ],
)
def test_information_is_the_papers_to_13_digits(name):
    """Also where the classes are 1 and 2: the noise that the estimator adds depends on the values of the target."""
    frozen = np.load(SHARED / "mi" / f"{name}.npz")
    train, n = fold_of(load(name, FOLDER), 0, Settings()).train, len(frozen["q"])
    if DATASETS[name].n_rows * n**2 <= MOST_WORK:
        found = information_of(train, Settings())
        relevance, pairs, rows = found.relevance, found.pairs, np.arange(n)
    else:
        as_there = {"task": "regression", "discrete": False, "method": "sklearn", "random_state": 25}
        rows = np.array([0, n - 1])
        relevance = measures.mutual_info(train.X, train.y, **as_there)
        pairs = np.array([measures.mutual_info(train.X, train.X[:, row], **as_there) for row in rows])
    np.testing.assert_allclose(relevance, frozen["q"], rtol=0, atol=1e-13)
    others = rows[:, None] != np.arange(n)
    np.testing.assert_allclose(pairs[others], frozen["R"][rows][others], rtol=0, atol=1e-13)


def test_the_values_of_classes_matter_to_the_estimator_only():
    table = tables(1)["table0"]
    coded = [fold_of(replace(table, y=table.y + add), 0, Settings()) for add in (0, 1)]
    zero, one = (information_of(fold.train, Settings()).relevance for fold in coded)
    noisy = mutual_info_regression(coded[1].train.X, coded[1].train.y, random_state=25)
    np.testing.assert_allclose(one, noisy, atol=1e-12)
    assert np.abs(zero - one).max() > 1e-6
    rows = [
        rows_of(Task(0, "model_gain", "table0"), method_named("model_gain"), [2], fold, Settings())
        for fold in coded
    ]
    kept = ["features", "train_objective", "test_objective", "train_mcc", "test_mcc"]
    assert [[row[name] for name in kept] for row in rows[0]] == [
        [row[name] for name in kept] for row in rows[1]
    ]


def test_the_wrapper_searches_as_in_the_paper(tmp_path):
    settings = Settings(max_iters=20)
    reproduce(
        tables(1), tmp_path, methods=("greedy_wrapper",), folds=(0,), sizes=(2,), n_jobs=1, settings=settings
    )
    frame = results(tmp_path)
    fold = fold_of(tables(1)["table0"], 0, settings)
    names = fold.train.feature_names
    judged = quality.Wrapper(None, fold.train.X, fold.train.y, feature_names=names, max_iters=20)
    first = frame.query("search == 'sequential' and number == 0 and tau == 1").iloc[0]
    found = altsets.find(judged, 2, 0, engine="greedy-wrapper")
    assert first["train_objective"] == pytest.approx(found.objective)
    assert list(first["features"]) == list(found.named_sets[0])
    assert first["n_evaluated"] == found.evaluated > 1
    assert first["n_iterations"] == found.iterations > found.evaluated
    # What a search took is in the row of its first set only.
    whole = Store(tmp_path).frame().query("search == 'simultaneous'")
    took = whole[["n_evaluated", "n_iterations", "search_seconds", "processor_seconds"]]
    assert (took[whole["number"] == 0]["search_seconds"] > 0).all()
    assert not took[whole["number"] > 0].any(axis=None)


@pytest.mark.parametrize("name", ["cfs", "pearson"])
def test_any_quality_is_a_method(name, tmp_path):
    reproduce(tables(1), tmp_path, methods=(name,), folds=(0,), sizes=(2,), n_jobs=1)
    frame = results(tmp_path)
    assert set(frame["method"]) == {name}
    assert (frame["search"].str.startswith("greedy-").any()) == (name == "pearson")


# --- Going on -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_is_computed_twice(undisturbed, monkeypatch):
    monkeypatch.setattr("altsets_study.run.rows_of", pytest.fail)
    monkeypatch.setattr("altsets_study.run.information_of", pytest.fail)
    outcome = reproduce(tables(), undisturbed, **SMALL, n_jobs=1)
    assert (outcome.n_done, outcome.n_before, outcome.is_complete) == (0, 16, True)


@pytest.mark.slow
def test_the_number_of_workers_does_not_matter(first, tmp_path):
    assert reproduce(tables(), tmp_path / "out", **FIRST, n_jobs=2).is_complete
    pd.testing.assert_frame_equal(results(tmp_path / "out"), first)


@pytest.mark.slow
def test_other_methods_folds_and_sizes_extend_a_folder(undisturbed, tmp_path):
    out = tmp_path / "out"
    for methods, folds in ((("fcbf",), (0,)), (("fcbf", "mrmr"), (0, 1)), (SMALL["methods"], (0, 1))):
        assert reproduce(tables(), out, methods=methods, folds=folds, sizes=(3,), n_jobs=1).is_complete
    pd.testing.assert_frame_equal(results(out), results(undisturbed))
    outcome = reproduce(tables(), out, methods=("fcbf",), folds=(0,), sizes=(2, 3), n_jobs=1)
    assert (outcome.n_done, outcome.n_before) == (2, 0)
    frame = results(out)
    pd.testing.assert_frame_equal(
        frame.query("k == 3").reset_index(drop=True), results(undisturbed), check_dtype=False
    )
    assert len(frame.query("k == 2")) == 2 * 2 * 51


@pytest.mark.slow
def test_a_time_budget_ends_a_run_that_can_go_on(first, tmp_path):
    ended = reproduce(tables(), tmp_path / "out", **FIRST, n_jobs=1, time_budget=1e-9)
    assert (ended.n_done, ended.n_left, ended.is_complete) == (0, 8, False)
    assert reproduce(tables(), tmp_path / "out", **FIRST, n_jobs=1).is_complete
    pd.testing.assert_frame_equal(results(tmp_path / "out"), first)


@pytest.mark.slow
def test_progress_knows_what_is_left(tmp_path):
    said = []
    reproduce(tables(), tmp_path / "out", **FIRST, n_jobs=1, callback=said.append)
    searching = [one for one in said if one.doing == "searches"]
    assert [one.n_done for one in searching] == list(range(9))
    assert {one.n_tasks for one in searching} == {8}
    assert searching[0].seconds_left is None
    assert searching[-1].seconds_left == 0
    assert all(one.seconds_left > 0 for one in searching[1:-1])


def run_elsewhere(out, n_jobs):
    """A run in a process group of its own, so that all of it can be killed."""
    command = [sys.executable, str(HERE / "study_tables.py"), str(out), str(n_jobs)]
    return subprocess.Popen(command, start_new_session=True)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.slow
def test_a_run_that_is_killed_twice_goes_on(first, tmp_path):
    out = tmp_path / "out"
    draw = random.Random(0)
    finished = set()
    for n_jobs in (2, 1):
        running = run_elsewhere(out, n_jobs)
        # Once something new is done, at any moment: while a file is written, between two, or in the middle of a task.
        while not set(out.glob("results/*.parquet")) - finished and running.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.random() * 0.3)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        finished = set(out.glob("results/*.parquet"))
        assert finished
    (out / "results" / "x.parquet.unfinished").write_bytes(b"half a file")
    before = {path: path.stat().st_mtime_ns for path in finished}
    assert reproduce(tables(), out, **FIRST, n_jobs=1).is_complete
    pd.testing.assert_frame_equal(results(out), first)
    assert before == {path: path.stat().st_mtime_ns for path in finished}
    assert not list(out.rglob("*.unfinished"))


# --- Faults -------------------------------------------------------------------------------------------


def test_a_task_that_raises_is_a_row_and_is_tried_again(tmp_path):
    asked = {"methods": (RAISING, "fcbf"), "folds": (0,), "sizes": (3,), "n_jobs": 1}
    outcome = reproduce(tables(), tmp_path, **asked)
    assert (outcome.n_done, len(outcome.failed), outcome.n_left) == (2, 2, 0)
    failed = Store(tmp_path).frame().query("method == 'raising'")
    assert failed["error"].tolist() == ["ValueError: no such thing"] * 2
    assert failed["k"].isna().all()
    again = reproduce(tables(), tmp_path, **asked)
    assert (again.n_done, again.n_before, len(again.failed)) == (0, 2, 2)


def test_failing_information_fails_the_tasks_that_need_it(tmp_path, monkeypatch):
    def broken(rows, settings):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("altsets_study.run.information_of", broken)
        outcome = reproduce(
            tables(1), tmp_path, methods=("fcbf", "model_gain"), folds=(0,), sizes=(2,), n_jobs=1
        )
    assert outcome.failed == {Task(0, "fcbf", "table0"): "MemoryError: MemoryError"}
    assert reproduce(
        tables(1), tmp_path, methods=("fcbf", "model_gain"), folds=(0,), sizes=(2,), n_jobs=1
    ).is_complete
    assert not Store(tmp_path).frame()["error"].notna().any()


@pytest.mark.slow
def test_a_worker_that_dies_costs_nobody_else_anything(tmp_path, snapshot):
    asked = {"methods": ("fcbf", DYING, "model_gain"), "folds": (0,), "sizes": (2,), "n_jobs": 2}
    outcome = reproduce(tables(1), tmp_path, **asked)
    assert (outcome.n_done, outcome.n_left) == (2, 0)
    assert {task.method for task in outcome.failed} == {"dying"}
    assert list(outcome.failed.values()) == snapshot


@pytest.mark.slow
def test_a_worker_that_dies_by_chance_is_replaced(tmp_path):
    once = Method("dying_once", partial(dying_once, tmp_path / "mark"))
    asked = {"methods": (once, "model_gain"), "folds": (0,), "sizes": (2,), "n_jobs": 2}
    assert reproduce(tables(), tmp_path / "out", **asked).is_complete


@pytest.mark.slow
def test_other_settings_are_refused(undisturbed, refused):
    before = {path: path.read_bytes() for path in undisturbed.rglob("*") if path.is_file()}
    for changes in ({"seed": 1}, {"seconds_per_set": 1.0}, {"information": "altsets"}, {"max_iters": 3}):
        with refused(InputError):
            reproduce(tables(), undisturbed, **SMALL, n_jobs=1, settings=Settings(**changes))
    assert before == {path: path.read_bytes() for path in undisturbed.rglob("*") if path.is_file()}


def test_results_of_another_version_are_refused(tmp_path, monkeypatch, refused):
    with Store(tmp_path / "out").opened(Settings()):
        pass
    monkeypatch.setattr("altsets_study.store.__version__", "9.9")
    with refused(InputError):
        reproduce(tables(), tmp_path / "out", **SMALL, n_jobs=1)


def test_folders_of_others_are_left_alone(tmp_path, refused):
    (tmp_path / "notes.txt").write_text("mine")
    with refused(InputError):
        reproduce(tables(), tmp_path, **SMALL, n_jobs=1)
    with refused(InputError):
        reproduce(tables(), tmp_path / "notes.txt", **SMALL, n_jobs=1)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": "0.1.0"}', '{"settings": 3, "version": "0.1.0"}']
)
def test_a_damaged_description_is_said(content, tmp_path):
    (tmp_path / "study.json").write_text(content)
    with pytest.raises(InputError):
        reproduce(tables(), tmp_path, **SMALL, n_jobs=1)
    assert (tmp_path / "study.json").read_text() == content


@pytest.mark.parametrize("folder", ["results", "information"])
def test_a_damaged_file_is_named(folder, tmp_path, refused):
    asked = {"methods": ("fcbf",), "folds": (0,), "n_jobs": 1}
    reproduce(tables(1), tmp_path, **asked, sizes=(2,))
    path = next((tmp_path / folder).iterdir())
    path.write_bytes(path.read_bytes()[:100])
    with refused(InputError):
        reproduce(tables(1), tmp_path, **asked, sizes=(2, 3))
    path.unlink()
    assert reproduce(tables(1), tmp_path, **asked, sizes=(2, 3)).is_complete


@pytest.mark.parametrize("folder", ["results", "information"])
def test_a_file_of_another_task_is_no_result(folder, tmp_path, refused):
    asked = {"methods": ("fcbf",), "folds": (0,), "n_jobs": 1}
    reproduce(tables(2), tmp_path, **asked, sizes=(2,))
    one, other = sorted((tmp_path / folder).iterdir())
    other.write_bytes(one.read_bytes())
    for sizes in ((2,), (2, 3)) if folder == "results" else ((2, 3),):
        with refused(InputError):
            reproduce(tables(2), tmp_path, **asked, sizes=sizes)
    if folder == "results":
        with refused(InputError):
            Store(tmp_path).frame()
    other.unlink()
    assert reproduce(tables(2), tmp_path, **asked, sizes=(2, 3)).is_complete


def test_a_folder_has_one_writer(tmp_path, snapshot):
    pytest.importorskip("fcntl")
    store = Store(tmp_path)
    with store.opened(Settings()), pytest.raises(InputError) as refused:
        reproduce(tables(), tmp_path, **SMALL, n_jobs=1)
    assert str(refused.value) == snapshot


@pytest.mark.slow
def test_a_full_disk_is_said_and_costs_nothing_that_is_done(first, undisturbed, tmp_path, snapshot):
    """By a limit on the size of files, which is how a full disk looks to whoever writes."""
    sizes = {
        method: [path.stat().st_size for path in (undisturbed / "results").glob(f"*.fold0.{method}.parquet")]
        for method in ("fcbf", "mrmr")
    }
    limit = (max(sizes["fcbf"]) + min(sizes["mrmr"])) // 2
    script = (
        "import resource, sys; sys.path.insert(0, sys.argv[1])\n"
        "from study_tables import *\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))\n"
        "from altsets.errors import InputError\n"
        "try: reproduce(tables(), sys.argv[2], methods=('fcbf', 'mrmr'), folds=(0,), sizes=(3,), n_jobs=1)\n"
        "except InputError as error: print(error)\n"
    )
    out = tmp_path / "out"
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", script, str(HERE), str(out)], capture_output=True, text=True, check=True
    )
    assert done.stdout == snapshot
    assert done.stdout.count("\n") == 1
    assert not list(out.rglob("*.unfinished"))
    # Files of the first method are smaller than the limit, those of the other one are not.
    assert set(results(out)["method"]) == {"fcbf"}
    again = reproduce(tables(), out, methods=("fcbf", "mrmr"), folds=(0,), sizes=(3,), n_jobs=1)
    assert (again.n_before, again.is_complete) == (2, True)
    both = first.query("method in ('fcbf', 'mrmr')").reset_index(drop=True)
    pd.testing.assert_frame_equal(results(out), both, check_dtype=False)


@pytest.mark.slow
def test_a_disk_that_is_full_from_the_start_does_not_spoil_the_folder(tmp_path, monkeypatch, refused):
    """Not even study.json could be written: the folder holds nothing, and the same command resumes."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with refused(InputError):
            reproduce(tables(1), out, **SMALL, n_jobs=1)
    assert not (out / "study.json").exists()
    # A run that was killed between its first bytes leaves this one besides.
    (out / "study.json.unfinished").write_text("{")
    assert reproduce(tables(1), out, **SMALL, n_jobs=1).is_complete


@pytest.mark.parametrize("place", ["results/mine.txt", "information/mine.npz", "report/mine.html"])
def test_folders_of_the_same_names_with_other_files_are_refused(place, tmp_path):
    (tmp_path / place).parent.mkdir()
    (tmp_path / place).write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        reproduce(tables(1), tmp_path, **SMALL, n_jobs=1)
    assert (tmp_path / place).read_text() == "mine"


def test_of_two_first_runs_the_second_hears_of_the_first(tmp_path, monkeypatch, snapshot):
    """The first one has the lock and has made folders, but has not described the folder yet."""
    pytest.importorskip("fcntl")
    heard = []

    def describe(path, content):
        with pytest.raises(InputError) as raised:
            reproduce(tables(1), tmp_path / "out", **SMALL, n_jobs=1)
        heard.append(str(raised.value))
        path.write_bytes(content)

    monkeypatch.setattr("altsets_study.store.write_file", describe)
    with Store(tmp_path / "out").opened(Settings()):
        pass
    assert len(heard) == 1
    assert heard[0] == snapshot


def test_settings_are_compared_once_the_folder_is_locked(tmp_path, monkeypatch, snapshot):
    """Another first run, with other settings, came and went between a look at the folder and the lock."""
    fcntl = pytest.importorskip("fcntl")
    store, other = Store(tmp_path / "out"), Store(tmp_path / "out")
    lock = fcntl.flock

    def late(*arguments):
        monkeypatch.setattr(fcntl, "flock", lock)
        with other.opened(Settings(seed=1)):
            pass
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(InputError) as refused, store.opened(Settings()):
        pass
    assert str(refused.value) == snapshot


def test_damaged_information_is_named_whatever_is_damaged(tmp_path, refused):
    store = Store(tmp_path)
    (tmp_path / "information").mkdir()
    known = Information(np.arange(9.0), np.arange(81.0).reshape(9, 9))
    store.write_information("table0", 0, (known, known))
    path = next((tmp_path / "information").iterdir())
    whole = path.read_bytes()
    for at in range(0, len(whole), 31):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with contextlib.suppress(InputError):
            train, _ = store.information("table0", 0)
            assert train.pairs.shape == (9, 9)
    store.write_information("table0", 0, (known, Information(np.arange(9.0), np.arange(9.0))))
    with refused(InputError):
        store.information("table0", 0)


def test_an_unwritable_folder_is_said(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="Permission denied"):
            reproduce(tables(), tmp_path / "out", **SMALL, n_jobs=1)
    finally:
        tmp_path.chmod(0o700)


def test_a_run_says_what_it_is(tmp_path):
    store, settings = Store(tmp_path), Settings(seed=1)
    with store.opened(settings):
        pass
    assert json.loads((tmp_path / "study.json").read_text())["version"] == altsets.__version__
    assert store.settings == settings


# --- On a cluster -------------------------------------------------------------------------------------


@pytest.fixture
def cluster():
    """Two workers on this machine, in processes of their own."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", processes=True
    ) as cluster:
        yield cluster


@pytest.mark.slow
def test_a_cluster_gives_the_same_results_though_a_worker_dies(first, tmp_path, cluster):
    killed = []

    def kill_one(progress):
        if progress.doing == "searches" and progress.n_done == 2 and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    outcome = reproduce(
        tables(), tmp_path / "out", **FIRST, scheduler=cluster.scheduler_address, callback=kill_one
    )
    assert killed
    assert outcome.is_complete
    pd.testing.assert_frame_equal(results(tmp_path / "out"), first)


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_said(tmp_path, monkeypatch, refused):
    pytest.importorskip("distributed")
    monkeypatch.setattr("altsets_study.run.CONNECTED", 0.5)
    with refused(InputError):
        reproduce(tables(), tmp_path / "out", **SMALL, scheduler="tcp://127.0.0.1:9")
    with refused(InputError):
        reproduce(tables(), tmp_path / "out", **SMALL, scheduler="nonsense")
