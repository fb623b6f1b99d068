"""Running the study: tasks in processes or on a cluster, resumed where it was left, each result kept at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from joblib import Parallel, delayed, parallel_config  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits

from altsets.errors import InputError, MissingExtraError
from altsets_study.datasets import DATASETS, StudyTable, known_names, load
from altsets_study.design import SIZES, Design, Settings, Task
from altsets_study.methods import (
    PAPER_METHODS,
    Information,
    Method,
    StudyFold,
    failure,
    fold_of,
    information_of,
    method_named,
    rows_of,
)
from altsets_study.store import Store

#: A task that was running this often when a worker died is run alone; if that worker dies too, the task failed.
STRIKES = 2
#: Seconds that a Dask scheduler has to answer.
CONNECTED = 10.0


@dataclass(frozen=True)
class StudyProgress:
    """How far a run is.

    Attributes
    ----------
    n_done, n_failed, n_tasks : int
        Tasks of this run; what was there before does not count.
    elapsed : float
        Seconds.
    seconds_left : float or None
        An estimate; None before anything is known.
    doing : str
        What kind of work is going on.

    See Also
    --------
    altsets_study.reproduce : Its ``callback`` gets these.

    Examples
    --------
    >>> import altsets_study
    >>> progress = altsets_study.StudyProgress(
    ...     n_done=3, n_failed=0, n_tasks=12, elapsed=2.5, seconds_left=7.5, doing="searches"
    ... )
    >>> f"{progress.n_done} of {progress.n_tasks} {progress.doing}"
    '3 of 12 searches'
    """

    n_done: int
    n_failed: int
    n_tasks: int
    elapsed: float
    seconds_left: float | None
    doing: str


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes
    ----------
    n_done : int
        Tasks that this run has finished.
    n_before : int
        Tasks that were finished before.
    failed : dict of Task to str
        Those that raised, with what they said; the next run tries them again.
    n_left : int
        Tasks that were not begun, or not finished when it was interrupted.
    interrupted : bool
        Whether Ctrl-C ended it.
    elapsed : float
        Seconds.

    See Also
    --------
    altsets_study.reproduce : Returns one.
    altsets_study.StudyProgress : What is known on the way.

    Examples
    --------
    >>> import altsets_study
    >>> some = altsets_study.Outcome(n_done=3, n_before=0, failed={}, n_left=1, interrupted=False, elapsed=2.5)
    >>> some.is_complete
    False
    """

    n_done: int
    n_before: int
    failed: Mapping[Task, str]
    n_left: int
    interrupted: bool
    elapsed: float

    @property
    def is_complete(self) -> bool:
        """Whether everything that was asked for is there."""
        return not self.failed and not self.n_left


def reproduce(
    data: str | os.PathLike[str] | Mapping[str, StudyTable] | None,
    out: str | os.PathLike[str],
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str | Method] = (),
    folds: Sequence[int] = (),
    sizes: Sequence[int] = SIZES,
    settings: Settings | None = None,
    n_jobs: int | None = -1,
    scheduler: str | None = None,
    time_budget: float | None = None,
    callback: Callable[[StudyProgress], object] | None = None,
) -> Outcome:
    """Run the paper's study, or a part of it; what is in the folder of results already is not computed again.

    Parameters
    ----------
    data : path-like, None or mapping of str to StudyTable
        The folder with the data sets; None for the user's cache folder, into which
        :func:`altsets_study.download.download` puts them; or tables of your own by their names.
    out : path-like
        The folder for results. Other data sets, methods, folds and sizes extend what it has; other settings, or results
        of another version, are refused.
    datasets : sequence of str, default=()
        Names of data sets; all if there are none.
    methods : sequence of str or Method, default=()
        The paper's five if there are none; ``"cfs"`` or any measure of altsets, by name; or a method of your own.
    folds : sequence of int, default=()
        All if there are none.
    sizes : sequence of int, default=(5, 10)
        Features in a set.
    settings : Settings, default=None
        Seeds, limits and estimators; the paper's by default.
    n_jobs : int or None, default=-1
        Tasks at a time, as joblib takes it. Results do not depend on it, but for searches that a time limit ends.
    scheduler : str, default=None
        The address of a Dask scheduler, such as ``tcp://host:8786``, whose workers then do the tasks.
    time_budget : float, default=None
        Seconds after which no task is begun; those that are running end first.
    callback : callable, default=None
        Called with a :class:`StudyProgress` whenever something has ended.

    Returns
    -------
    Outcome
        How much was done; the results are in the folder.

    Raises
    ------
    altsets.errors.InputError
        If a data set, a method or a setting is unknown, or the folder has results of other settings or of another
        version.
    altsets.errors.TableError
        If a data set cannot be read.
    altsets.errors.MissingExtraError
        If there is a ``scheduler`` and Dask is not installed.

    See Also
    --------
    altsets_study.download.download : Fetches the data sets.
    altsets_study.Store : Reads the results.
    altsets_study.report.write_report : Tables and figures of the results.

    References
    ----------
    Bach, J. (2023). Finding optimal diverse feature sets with alternative feature selection. arXiv:2307.11607.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import altsets_study
    >>> y = np.arange(20) % 2
    >>> table = altsets_study.StudyTable("tiny", np.c_[y, 1 - y].astype(float), y, ("a", "b"))
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "study"
    >>> outcome = altsets_study.reproduce({"tiny": table}, out, methods=["f"], folds=[0], sizes=[1], n_jobs=1)
    >>> outcome.n_done, outcome.is_complete
    (1, True)
    """
    settings = settings or Settings()
    if n_jobs == 0:
        raise InputError("n_jobs=0 must be a whole number other than 0, or None.")
    named = [one if isinstance(one, Method) else method_named(one) for one in methods or PAPER_METHODS]
    chosen = {one.name: one for one in named}
    there: Mapping[str, Any] = data if isinstance(data, Mapping) else DATASETS
    names = known_names(datasets or there, records=there)
    design = Design(names, list(chosen), sorted(set(folds)) or range(settings.n_folds), sizes, settings)
    study = _Study(design, chosen, data, Store(out), _Workers(n_jobs, scheduler), time_budget)
    with study.store.opened(settings):
        return study.run(callback or (lambda _: None))


# --- Work that is sent to workers -------------------------------------------------------------------------


def _compute_information(fold: StudyFold, settings: Settings) -> tuple[Information, Information]:
    with threadpool_limits(1):
        return information_of(fold.train, settings), information_of(fold.test, settings)


#: Something to be done elsewhere: a function and its arguments; and the same with its number.
Call = tuple[Callable[..., Any], tuple[Any, ...]]
Job = tuple[int, Callable[..., Any], tuple[Any, ...]]


def _attempt(number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[int, Any, float]:
    """The result of a job, or the exception that it raises."""
    started = time.perf_counter()
    try:
        outcome = function(*arguments)
    except Exception as error:
        outcome = error
    return number, outcome, time.perf_counter() - started


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C, which reaches every process, to the parent, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


class _Workers:
    """Processes on this machine, or those of a Dask cluster."""

    def __init__(self, n_jobs: int | None, scheduler: str | None) -> None:
        self._n_jobs, self._scheduler = n_jobs, scheduler

    @contextmanager
    def ready(self) -> Iterator[None]:
        """Connect to the cluster, if there is one."""
        if self._scheduler is None:
            yield
            return
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError("a cluster", "Dask", "cluster") from None
        try:
            client = Client(self._scheduler, timeout=CONNECTED)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"there is no Dask scheduler at {self._scheduler!r} ({' '.join(str(error).split())}); start one with "
                "dask scheduler, or leave out --scheduler."
            ) from error
        with client, parallel_config(backend="dask"):
            yield

    def outcomes(self, jobs: Iterable[Job], alone: bool) -> Generator[tuple[int, Any, float], None, None]:
        """What jobs return, in the order in which they end; one at a time if they are to be ``alone``."""
        calls = (delayed(_attempt)(*job) for job in jobs)
        # Tables are sent as they are: shared memory would be left behind by a run that is killed.
        how: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1, "max_nbytes": None}
        if self._scheduler is not None:
            # Dask's own queue keeps workers busy; a worker that dies is replaced by another one.
            return Parallel(n_jobs=-1, pre_dispatch=1 if alone else "2*n_jobs", **how)(calls)  # type: ignore[no-any-return]
        if self._n_jobs in (None, 1) and not alone:
            return (_attempt(*job) for job in jobs)
        return Parallel(  # type: ignore[no-any-return]
            # Two workers even for one job at a time: a single one would be this process.
            n_jobs=2 if alone else self._n_jobs,
            pre_dispatch=1 if alone else "n_jobs",
            backend="loky",
            initializer=_begin_worker,
            initargs=(os.getpid(),),
            **how,
        )(calls)

    @property
    def death(self) -> tuple[type[Exception], ...]:
        """The exceptions that are raised when a worker dies."""
        if self._scheduler is None:
            return (BrokenExecutor,)
        from distributed import KilledWorker

        return BrokenExecutor, KilledWorker


# --- The run ----------------------------------------------------------------------------------------------


@dataclass
class _Study:
    """The tasks to do, those that are done, and how long they took."""

    design: Design
    methods: Mapping[str, Method]
    data: str | os.PathLike[str] | Mapping[str, StudyTable] | None
    store: Store
    workers: _Workers
    time_budget: float | None
    failed: dict[Task, str] = field(default_factory=dict)
    n_done: int = 0
    interrupted: bool = False

    def run(self, progress: Callable[[StudyProgress], object]) -> Outcome:
        """Mutual information first, which tasks share; then the tasks."""
        self._started, self._progress = time.perf_counter(), progress
        missing = self._lacking = self._missing()
        n_before = len(self.design.tasks) - len(missing)
        # A changed or missing file is found before anything is computed.
        wanted = {task.dataset for task in missing}
        self._tables = {name: self._table(name) for name in self.design.datasets if name in wanted}
        try:
            with self.workers.ready():
                first = self._without_information(missing)
                self._carry_out(first, self._information_call, self._keep_information, "mutual information")
                tasks = [task for task in missing if task not in self.failed]
                self._carry_out(tasks, self._task_call, self._keep_rows, "searches")
        except KeyboardInterrupt:
            self.interrupted = True
        elapsed = time.perf_counter() - self._started
        failed = {task: said for task, said in self.failed.items() if task in missing}
        n_left = len(missing) - self.n_done - len(failed)
        return Outcome(self.n_done, n_before, failed, n_left, self.interrupted, elapsed)

    def _table(self, name: str) -> StudyTable:
        return self.data[name] if isinstance(self.data, Mapping) else load(name, self.data)

    def _missing(self) -> dict[Task, list[int]]:
        """Tasks that are not finished, with the sizes that they lack."""
        lacking = {}
        for task in self.design.tasks:
            there = self.store.state(task).sizes
            sizes = [size for size in self.design.sizes if size not in there]
            if sizes:
                lacking[task] = sizes
        return lacking

    def _fold(self, task: Task) -> StudyFold:
        return fold_of(self._tables[task.dataset], task.fold, self.design.settings)

    # --- Jobs -------------------------------------------------------------------------------------------

    def _without_information(self, missing: Iterable[Task]) -> list[Task]:
        """One task for each data set and fold whose mutual information is needed and not there."""
        needed = {
            (task.dataset, task.fold): task
            for task in missing
            if self.methods[task.method].uses_information
            and not self.store.has_information(task.dataset, task.fold)
        }

        def turn(task: Task) -> tuple[int, int]:
            """Large ones first within a fold, so that no worker is left alone with one in the end."""
            n_rows, n_features = self._tables[task.dataset].X.shape
            return task.fold, -n_rows * n_features**2

        return sorted(needed.values(), key=turn)

    def _information_call(self, task: Task) -> Call:
        return _compute_information, (self._fold(task), self.design.settings)

    def _task_call(self, task: Task) -> Call:
        method, fold = self.methods[task.method], self._fold(task)
        if method.uses_information:
            fold = fold.knowing(*self.store.information(task.dataset, task.fold))
        return rows_of, (task, method, self._lacking[task], fold, self.design.settings)

    # --- Results ----------------------------------------------------------------------------------------

    def _keep_information(self, task: Task, outcome: Any) -> None:
        if isinstance(outcome, Exception):
            for method in self.methods.values():
                if method.uses_information:
                    self._fail(Task(task.fold, method.name, task.dataset), outcome)
        else:
            self.store.write_information(task.dataset, task.fold, outcome)

    def _keep_rows(self, task: Task, outcome: Any) -> None:
        if isinstance(outcome, Exception):
            self._fail(task, outcome)
        else:
            self.store.write(task, outcome, self._lacking[task])
            self.n_done += 1

    def _fail(self, task: Task, error: Exception) -> None:
        row = failure(task, error)
        self.failed[task] = row["error"]
        self.store.write(task, [row], (), row["error"])

    # --- Workers ----------------------------------------------------------------------------------------

    def _carry_out(
        self,
        tasks: Sequence[Task],
        call: Callable[[Task], Call],
        keep: Callable[[Task, Any], None],
        doing: str,
    ) -> None:
        """Do the work of all tasks, whatever happens to workers, until time is up."""
        waiting, strikes = dict(enumerate(tasks)), Counter[int]()
        clock = _TimeLeft(tasks)
        self._tell(clock, doing)
        while waiting and not self._time_is_up():
            alone = [number for number in waiting if strikes[number] >= STRIKES]
            begun: set[int] = set()

            def wanted(in_turn: Sequence[int], begun: set[int] = begun) -> Iterator[Job]:
                """What workers ask for; nothing once time is up."""
                for number in in_turn:
                    if self._time_is_up():
                        return
                    begun.add(number)
                    yield number, *call(waiting[number])

            jobs = wanted(alone[:1] or list(waiting))
            try:
                with closing(self.workers.outcomes(jobs, alone=bool(alone))) as outcomes:
                    for number, outcome, seconds in outcomes:
                        task = waiting.pop(number)
                        begun.discard(number)
                        keep(task, outcome)
                        clock.ended(task, seconds)
                        self._tell(clock, doing)
            except self.workers.death:
                strikes.update(begun)
                if alone:
                    died = InputError("its worker process died, alone as well; it may need more memory.")
                    keep(waiting.pop(alone[0]), died)

    def _time_is_up(self) -> bool:
        return self.time_budget is not None and time.perf_counter() - self._started > self.time_budget

    def _tell(self, clock: _TimeLeft, doing: str) -> None:
        elapsed = time.perf_counter() - self._started
        self._progress(
            StudyProgress(clock.n_ended, len(self.failed), clock.n_jobs, elapsed, clock.seconds_left, doing)
        )


class _TimeLeft:
    """How long the jobs that are left will take: as long as those of the same method did."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._left = Counter(task.method for task in tasks)
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._started = time.perf_counter()
        self.n_jobs, self.n_ended = len(tasks), 0

    def ended(self, task: Task, seconds: float) -> None:
        """One of them took so long."""
        self._left[task.method] -= 1
        self._seconds[task.method].append(seconds)
        self.n_ended += 1

    @property
    def seconds_left(self) -> float | None:
        """By the clock, as several run at a time."""
        every = [seconds for some in self._seconds.values() for seconds in some]
        if not sum(every):
            return None
        left = sum(count * fmean(self._seconds.get(method, every)) for method, count in self._left.items())
        # So many seconds of work were done in the time since the start.
        return left * (time.perf_counter() - self._started) / sum(every)
