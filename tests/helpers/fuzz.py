"""Random problems over all engines, compared with brute force and with each other.

Run ``python tests/helpers/fuzz.py --problems 200000 --seed 0``. Each problem has its own random stream, so that
``--first 123 --problems 1`` shows problem 123 of a seed again, however many processes there were. The exit
status is 1 if anything disagrees.

One problem in seven is about another verb than ``find``, some hide their numbers in a black box, and many
searches end after 10 microseconds to 30 milliseconds: what is claimed by then must hold, too. Where that goes wrong,
the same problem may go right the next time; what is printed then is the first thing to read.

Part of the problems have numbers at which double precision is hard (``extreme_requests.py``). Those beyond what is
documented may be refused; how often that happened is printed with the reasons.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from checks import LOCAL, PROVEN, QUALITIES, Request, disagreements
from definitions import definitions_of, random_definition, wrong_about, wrong_balance, wrong_penalties
from extreme_requests import extreme_request, solver_request
from family_truth import InDoubt
from random_requests import random_request
from verb_checks import CHECKS, round_trip

import altsets
from altsets import Result, Status
from altsets.errors import InputError, UnsupportedError
from altsets.search import shortlist

SOLVER = "milp"

#: Constants of ``altsets.search.simultaneous`` with other values than usual.
Limits = dict[str, int]

#: The enumerate engine lists all sets where they are few, which is so wherever brute force can follow. With other
#: limits it has to work as if they were many: with prices, and in branches.
LIMITS: tuple[Limits, ...] = (
    {"search.SHORT_LIST": 2, "search.PRICED_LIST": 20},
    {"search.SHORT_LIST": 2},
    {
        "search.SHORT_LIST": 2,
        "search.PRICED_LIST": 2,
        "branching.FIRST_COLUMNS": 1,
        "branching.SETS_PER_COLUMN": 2,
    },
    {"search.SHORT_LIST": 20},
    {},
)

#: Seconds for a problem beyond brute force, and for a small one.
TIME_LIMIT, LONG = 2.0, 10.0
#: The solver may take long on small ones as well, where numbers are extreme.
SOLVER_LIMIT = 1.0
#: A search that takes so much longer than its limit is ended from outside; not in tests, which read no clock.
HUNG = 0.0 if __name__ == "fuzz" else 4 * LONG

#: The part of the problems whose numbers are extreme.
EXTREME_SHARE = 0.7
#: Numbers that may be refused: a scale beyond these powers of ten, and redundancy of CFS beyond the last.
SMALLEST, LARGEST, LARGEST_IN_RATIO = 1e-100, 1e100, 1e12
#: A penalty that may be refused, relative to the scale; which features can be used may be seen more clearly.
LARGEST_PENALTY = 1e4

#: The part of the problems for other verbs than ``find``, of those with a black box, and of searches that are cut off.
VERB_SHARE, BOXED_SHARE, LIMITED_SHARE = 0.15, 0.04, 0.25
#: The part of those with extreme numbers that is made to mislead solvers.
HARD_FOR_SOLVERS_SHARE = 0.03
#: Powers of ten, in seconds, between which they are cut off.
SHORTEST, LONGEST = -5.0, -1.5
#: The part of the problems with simultaneous definitions that asks for a whole curve.
CURVE_SHARE = 0.15
#: How often the solver is asked: as often as the other engines besides the default.
SOLVER_SHARE = 0.15

#: The kind of problems with definitions beyond good sets that are pairwise different.
DEFINITIONS = "definitions"
#: The kind of problems whose pairs come on demand, and the part of the others that is of this kind.
WIDE_TABLES, WIDE_SHARE = "wide", 0.03
#: Problems that a process checks before it reports.
PORTION = 100


@dataclass
class Report:
    """What a run has seen."""

    n_problems: int = 0
    n_searches: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    n_refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, label: str, request: Request, wrong: list[str], **more: Any) -> None:
        self.fail_with(label, request.snippet(**more), wrong)

    def fail_with(self, label: str, snippet: str, wrong: list[str]) -> None:
        what = "\n".join(f"#   {line}" for line in wrong)
        few = _assignment(_CHANGED) if _CHANGED else ""
        self.failures.append(f"# {label}\n{what}\n{few}{snippet}")

    def refuses(self, request: Request, error: Exception) -> bool:
        """Count an error that double precision excuses; False for all others."""
        documented = isinstance(error, InputError | UnsupportedError) and _may_be_refused(request)
        if documented:
            self.refusals[re.sub(r"[-+.e\d]*\d", "#", str(error))] += 1
        return documented

    def add(self, other: Report) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def run(
    n_problems: int,
    *,
    seed: int = 0,
    first: int = 0,
    jobs: int = 1,
    progress: Callable[[Report], None] | None = None,
    **more: Any,
) -> Report:
    """Check ``n_problems`` problems and report what disagrees; more options are those of ``_run_portion``."""
    report, end = Report(), first + n_problems
    starts = range(first, end, PORTION)
    portions = [(seed, range(start, min(start + PORTION, end)), more) for start in starts]
    for part in _in_parallel(portions, jobs):
        report.add(part)
        if progress is not None:
            progress(report)
    return report


def _in_parallel(portions: list[tuple[int, range, dict[str, Any]]], jobs: int) -> Iterator[Report]:
    if jobs == 1 or len(portions) == 1:
        yield from map(_run_one, portions)
        return
    with multiprocessing.Pool(min(jobs, len(portions))) as pool:
        yield from pool.imap_unordered(_run_one, portions)


def _run_one(portion: tuple[int, range, dict[str, Any]]) -> Report:
    seed, numbers, more = portion
    return _run_portion(seed, numbers, **more)


def _run_portion(
    seed: int,
    numbers: range,
    *,
    solver_share: float = SOLVER_SHARE,
    large_share: float = 0.01,
    extreme_share: float = EXTREME_SHARE,
    kind: str | None = None,
) -> Report:
    report = Report()
    extreme_share = 0.0 if kind is not None else extreme_share
    for index in numbers:
        if kind == DEFINITIONS:
            check_definition(report, index, seed)
            continue
        rng = np.random.default_rng([seed, index])
        if kind == WIDE_TABLES or (kind is None and rng.random() < WIDE_SHARE):
            check_wide(report, index, seed)
            continue
        extreme = rng.random() < extreme_share
        large = not extreme and rng.random() < large_share
        request = extreme_request(rng) if extreme else random_request(rng, large, kind)
        with_solver = rng.random() < solver_share * (4 if large else 1)
        if extreme and rng.random() < HARD_FOR_SOLVERS_SHARE:
            request, with_solver = solver_request(rng), True
        label = f"problem {index} of seed {seed}"
        may_be_boxed = not large and request.exact and request.kind != "fcbf"
        # Digits that a function of a set cannot return are no business of a search.
        if may_be_boxed and rng.random() < BOXED_SHARE and SMALLEST < request.oracle.scale < LARGEST:
            request = replace(request, boxed=True)
        check = _check_large if large else _check_verb if rng.random() < VERB_SHARE else _check_small
        with limited(LIMITS[rng.integers(len(LIMITS))]):
            if _makes_sense(report, label, request):
                check(report, label, request, with_solver, rng)
        report.n_problems += 1
        shown = f"{'extreme ' if extreme else ''}{'boxed ' if request.boxed else ''}{request.kind}"
        report.kinds[f"{shown}{' with constraints' if request.constraints else ''}"] += 1
    return report


def _makes_sense(report: Report, label: str, request: Request) -> bool:
    """Whether there is such a quality; numbers may be too large or too small for one."""
    try:
        return request.quality is not None
    except InputError as error:
        if not report.refuses(request, error):
            report.fail(label, request, [f"{type(error).__name__}: {error}"])
        return False


#: The limits that are not what they usually are.
_CHANGED: Limits = {}


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Let the engine work within other limits than usual."""
    usual = {name: getattr(_module(name), name.partition(".")[2]) for name in limits}
    _set(limits)
    _CHANGED.update(limits)
    try:
        yield
    finally:
        _set(usual)
        _CHANGED.clear()


def _set(limits: Limits) -> None:
    for name, value in limits.items():
        setattr(_module(name), name.partition(".")[2], value)


def _module(name: str) -> ModuleType:
    return import_module(f"altsets.search.simultaneous.{name.partition('.')[0]}")


def _assignment(limits: Limits) -> str:
    """Python code that lets the engine work within these limits."""
    return "from altsets.search.simultaneous import branching, search\n" + "".join(
        f"{name} = {value}\n" for name, value in limits.items()
    )


def _engines(request: Request, with_solver: bool, rng: np.random.Generator) -> list[str]:
    """The default, then the other engines that claim the problem; sometimes the default again by its name."""
    names = [name for name in request.engines() if name != SOLVER or with_solver]
    if request.boxed and rng.random() < 0.8:
        # Those that only try some sets take the longest and claim the least.
        names = [name for name in names if name not in LOCAL]
    return ["auto", *(names if rng.random() < 0.1 else names[1:])]


@contextmanager
def _ended_from_outside() -> Iterator[None]:
    """One search that does not end must not end all others with it; where the system has such an alarm."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def alarm(*_: Any) -> None:
        raise TimeoutError(f"not done after {HUNG:g} s, whatever its time limit")

    previous = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, HUNG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def search(report: Report, label: str, request: Request, engine: str, **more: Any) -> Result | None:
    try:
        with _ended_from_outside():
            result = request.find(engine=engine, **more)
    except Exception as error:  # Whatever goes wrong is a finding.
        if not report.refuses(request, error):
            report.fail(label, request, [f"{type(error).__name__}: {error}"], engine=engine, **more)
        return None
    report.n_searches[engine] += 1
    report.statuses[f"{request.search} {result.status}"] += 1
    return result


def _check_small(
    report: Report, label: str, request: Request, with_solver: bool, rng: np.random.Generator
) -> None:
    if not request.engines():
        _check_refusal(report, label, request)
        return
    oracle = request.oracle
    for engine in _engines(request, with_solver, rng):
        seconds = SOLVER_LIMIT if engine == SOLVER else LONG
        result = search(report, label, request, engine, time_limit=seconds)
        if result is None:
            continue
        wrong = disagreements(request, result, oracle)
        hurried = result.stop_reason == "time_limit"
        # With its hands tied an engine may take long, as long as it says so.
        if hurried and result.engine != SOLVER and not _CHANGED:
            wrong.append(f"no proof in {LONG} s on a small problem (gap {result.gap})")
        if rng.random() < 0.1:
            wrong += round_trip(result)
        if rng.random() < 0.02:
            again = search(report, label, request, engine, time_limit=seconds)
            if again is not None and again.sets != result.sets and not hurried:
                wrong.append(f"not deterministic: {result.sets}, then {again.sets}")
        if wrong:
            report.fail(label, request, wrong, engine=engine, time_limit=seconds)
    if rng.random() < LIMITED_SHARE:
        _check_limited(report, label, request, rng)


def check_definition(report: Report, index: int, seed: int) -> None:
    """One problem with a definition beyond good sets that are pairwise different, by all engines that claim it."""
    rng = np.random.default_rng([seed, index])
    request = random_definition(rng)
    label = f"definition {index} of seed {seed}"
    report.n_problems += 1
    if request.search == "simultaneous" and rng.random() < CURVE_SHARE:
        _check_curve(report, label, request, rng)
        return
    # The solver is slow.
    engines = [name for name in request.engines() if name != SOLVER or rng.random() < 0.3]
    for engine in ["auto", *engines[1:]] if engines else []:
        limit = _time_limit(rng) if rng.random() < LIMITED_SHARE else LONG
        with limited(LIMITS[rng.integers(len(LIMITS))]):
            result = search(report, label, request, engine, time_limit=limit)
            wrong = [] if result is None else wrong_about(request, result)
            if wrong:
                report.fail(label, request, wrong, engine=engine, time_limit=limit)
    for name in definitions_of(request) if engines else ["refused"]:
        report.kinds[name] += 1


def check_wide(report: Report, index: int, seed: int) -> None:
    """One problem with pairs on demand, whose shortlists are so short that most features are in the bound only."""
    rng = np.random.default_rng([seed, index, 1])
    request = random_request(rng, kind=str(rng.choice(["cfs", "cfs", "mrmr"])))
    while not request.exact or request.own or request.kind == "additive":
        request = random_request(rng, kind=request.kind)
    request, label = replace(request, wide=True), f"wide problem {index} of seed {seed}"
    first = int(rng.integers(2, 8))
    limits = {
        "FIRST": first,
        "LONGEST": int(rng.integers(first, 16)),
        "FIRST_NODES": int(rng.choice([1, 5, 50, 20_000])),
        "MOST_NODES": int(rng.choice([10, 1_000, 100_000])),
    }
    usual = {name: getattr(shortlist, name) for name in limits}
    limit = _time_limit(rng) if rng.random() < LIMITED_SHARE else None
    vars(shortlist).update(limits)
    try:
        result = search(report, label, request, "auto", time_limit=limit) if request.engines() else None
    finally:
        vars(shortlist).update(usual)
    wrong = [] if result is None else disagreements(request, result, request.oracle)
    if wrong:
        report.fail(label, request, [*wrong, f"shortlists: {limits}"], time_limit=limit)
    report.n_problems += 1
    report.kinds[f"wide {request.kind}{' with constraints' if request.constraints else ''}"] += 1


def _check_curve(report: Report, label: str, request: Request, rng: np.random.Generator) -> None:
    """A curve by balance or by penalty."""
    request = replace(
        request, aggregation="sum", overlap_penalty=0.0, min_quality=None, max_spread=None, boxed=False
    )
    by = "penalty" if rng.random() < 0.5 else "balance"
    request = replace(request, min_difference=None, tau=0 if rng.random() < 0.5 else request.tau or 0)
    options, limit = request.options, _time_limit(rng) if rng.random() < LIMITED_SHARE else LONG
    wrong: list[str] = []
    try:
        with limited(LIMITS[rng.integers(len(LIMITS))]), _ended_from_outside():
            found = altsets.frontier(request.quality, by=by, time_limit=limit, **options)
            wrong = (wrong_penalties if by == "penalty" else wrong_balance)(request, found)
    except Exception as error:  # Whatever goes wrong is a finding.
        wrong = [f"{type(error).__name__}: {error}"]
        known = "takes no existing sets" in str(error) and request.kind == "cfs" and bool(request.existing)
        if known or report.refuses(request, error):
            return
    report.kinds[f"frontier by {by}"] += 1
    if wrong:
        report.fail(label, request, [f"frontier by {by}, limit {limit}", *wrong])


def _time_limit(rng: np.random.Generator) -> float:
    """Seconds after which nothing may be claimed that was not proven; of every order of magnitude."""
    return float(10 ** rng.uniform(SHORTEST, LONGEST))


def _check_limited(report: Report, label: str, request: Request, rng: np.random.Generator) -> None:
    """The same search, cut off: by the default or any other engine."""
    engine = str(rng.choice(["auto", *request.engines()]))
    limit = _time_limit(rng)
    result = search(report, label, request, engine, time_limit=limit)
    if result is None:
        return
    report.verbs["find, limited"] += 1
    wrong = disagreements(request, result, request.oracle) + round_trip(result)
    if wrong:
        report.fail(label, request, [*wrong, f"{result!r}"], engine=engine, time_limit=limit)


def _check_verb(
    report: Report, label: str, request: Request, with_solver: bool, rng: np.random.Generator
) -> None:
    """Another verb than ``find``, cut off or not."""
    verb = str(rng.choice(list(CHECKS)))
    engine = SOLVER if with_solver else "auto"
    limited = rng.random() < 0.6
    limit = _time_limit(rng) if limited else LONG
    if not request.exact:
        request = replace(request, search="sequential")
    if verb == "near_best":
        request = replace(request, boxed=False)
    if with_solver and SOLVER not in request.engines():
        engine = "auto"
    name = f"{verb}{', limited' if limited else ''}"
    try:
        with _ended_from_outside():
            snippet, wrong = CHECKS[verb](request, limit, engine, rng)
    except InDoubt:
        report.verbs[f"{verb}, left out"] += 1
        return
    except (InputError, UnsupportedError) as error:
        if not report.refuses(request, error) and isinstance(error, InputError):
            report.fail(label, request, [f"{verb}: {type(error).__name__}: {error}"])
        return
    except Exception as error:  # Whatever goes wrong is a finding.
        snippet, wrong = (
            request.snippet(time_limit=limit, engine=engine),
            [f"{type(error).__name__}: {error}"],
        )
    report.verbs[name] += 1
    if wrong:
        report.fail_with(f"{label}: {name}", snippet, wrong)


def _may_be_refused(request: Request) -> bool:
    """Whether there are numbers that double precision cannot answer for, as documented."""
    redundancy = max(map(max, request.matrix)) if request.kind == "cfs" else 0.0
    # Which features can be used, and so which number is the largest, may be seen more clearly than the oracle does.
    numbers = [*request.scores, *(number for row in request.matrix for number in row)]
    smallest = min((abs(number) for number in numbers if number), default=1.0) * request.scale
    if request.overlap_penalty > LARGEST_PENALTY * smallest:
        return True
    return redundancy > LARGEST_IN_RATIO or smallest < SMALLEST or request.oracle.scale > LARGEST


def _check_refusal(report: Report, label: str, request: Request) -> None:
    """No engine claims it: then it is refused in plain words, and only where the contract says so."""
    try:
        request.find()
    except UnsupportedError:
        report.n_refused += 1
        unknown = (
            request.kind != "additive"
            or request.constraints
            or request.own
            or request.likeness
            or request.existing
        )
        if unknown and not request.exact:
            return
    report.fail(label, request, ["no engine claims this"])


def _check_large(
    report: Report, label: str, request: Request, with_solver: bool, rng: np.random.Generator
) -> None:
    """Too large for brute force: the engines must not contradict each other."""
    answers: dict[str, Result] = {}
    for engine in _engines(request, with_solver, rng):
        result = search(report, label, request, engine, time_limit=TIME_LIMIT)
        if result is None:
            continue
        wrong = disagreements(request, result)
        if request.search == "simultaneous":
            for other, answer in answers.items():
                wrong += _contradictions(request, engine, result, other, answer)
        elif engine != "auto" and "auto" in answers:
            wrong += _contradicts_sets(report, label, request, engine, answers["auto"])
        answers[engine] = result
        if wrong:
            report.fail(label, request, wrong, engine=engine, time_limit=TIME_LIMIT)


def _contradictions(request: Request, engine: str, result: Result, other: str, answer: Result) -> list[str]:
    wrong, tolerated = [], float(PROVEN * request.oracle.scale)
    for name, found, by, bound in ((engine, result, other, answer), (other, answer, engine, result)):
        if found.sets and found.objective > bound.bound + tolerated:
            wrong.append(
                f"{name} found {found.objective}, {by} proved at most {bound.bound} ({bound.status})"
            )
    return wrong


def _contradicts_sets(report: Report, label: str, request: Request, engine: str, answer: Result) -> list[str]:
    """Each set of a sequential answer against another engine's next set after the same sets."""
    wrong, tolerated = [], float(PROVEN * request.oracle.scale)
    for position in range(min(len(answer.sets) + 1, len(answer.statuses))):
        given = request.existing + tuple(answer.sets[:position])
        step = replace(request, existing=given, n_alternatives=0)
        result = search(report, label, step, engine, time_limit=TIME_LIMIT)
        if result is None:
            continue
        if position == len(answer.sets):
            if result.sets and answer.status is Status.INFEASIBLE:
                wrong.append(f"default: no set after {position}; {engine}: {result.sets[0]}")
            continue
        found = answer.qualities[position]
        if found > result.bound + tolerated:
            wrong.append(f"set {position}: default found {found}, {engine} proved at most {result.bound}")
        proven = answer.statuses[position] is Status.OPTIMAL
        if proven and result.sets and result.objective > found + tolerated:
            wrong.append(
                f"set {position}: default said {found} is optimal, {engine} found {result.objective}"
            )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare all engines with brute force on random problems.")
    parser.add_argument("--problems", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first problem")
    parser.add_argument(
        "--solver-share", type=float, default=SOLVER_SHARE, help=f"share of problems given to {SOLVER}"
    )
    parser.add_argument(
        "--large-share", type=float, default=0.01, help="share of problems beyond brute force"
    )
    parser.add_argument(
        "--extreme-share", type=float, default=EXTREME_SHARE, help="share of problems with extreme numbers"
    )
    parser.add_argument(
        "--kind",
        choices=[*QUALITIES, DEFINITIONS, WIDE_TABLES],
        help=f"only problems with a quality of this kind, none with extreme numbers; with {DEFINITIONS} other than "
        f"pairwise different sets; or {WIDE_TABLES} tables, whose pairs come on demand",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    start, shown = time.perf_counter(), 0

    def progress(report: Report) -> None:
        nonlocal shown
        for failure in report.failures[shown:]:
            print(f"\n{failure}\n", flush=True)
        shown = len(report.failures)
        seconds = time.perf_counter() - start
        print(
            f"\r{report.n_problems} of {options.problems} problems, "
            f"{report.n_searches.total()} searches, {shown} disagreements, {seconds:.0f} s",
            end="",
            flush=True,
        )

    report = run(
        options.problems,
        seed=options.seed,
        first=options.first,
        solver_share=options.solver_share,
        large_share=options.large_share,
        extreme_share=options.extreme_share,
        kind=options.kind,
        jobs=options.jobs,
        progress=progress,
    )
    progress(report)
    print()
    print(f"{report.n_problems / (time.perf_counter() - start):.0f} problems per second")
    for title, counts in (
        ("problems", report.kinds),
        ("searches", report.n_searches),
        ("verbs", report.verbs),
        ("answers", report.statuses),
        ("refusals", report.refusals),
    ):
        print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
