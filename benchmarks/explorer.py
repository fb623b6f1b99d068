"""The explorer's server: how soon it answers, ten pages at once for a minute, and large tables."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.report import Check, Section, duration, table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

#: Questions for each percentile, and targets: seconds to the answer, to the best so far, and after the scores.
N_ASKED = 100
ANSWER_SECONDS, SO_FAR_SECONDS, LARGE_SECONDS = 0.15, 0.5, 5.0
#: Pages at once, seconds, and when memory is measured.
N_PAGES, SECONDS, FIRST_SECOND = 10, 60.0, 15.0
#: How much more memory is still flat.
FLAT = 1.1
#: A user looks at an answer before the next move.
PAUSE = 0.1
#: Rows and columns of tables that are made up.
LARGE = ((100_000, 60), (200, 20_000))


def run(datasets: Path, quick: bool = False) -> Section:
    """All of it."""
    section = Section("explorer")
    n_asked, seconds = (20, 10.0) if quick else (N_ASKED, SECONDS)
    _latency(section, datasets, n_asked)
    _pages_at_once(section, datasets / "wdbc.csv.gz", seconds)
    _large_tables(section)
    _in_browser(section, datasets, n_asked)
    if hasattr(os, "getloadavg"):
        load = os.getloadavg()[2]
        section.body.append(f"Processes that wanted to run meanwhile, on average: {load:.1f}.")
    return section


# --- Running one ------------------------------------------------------------------------------------------


class Served:
    """An explorer in a process of its own."""

    def __init__(self, command: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = psutil.Process(command.pid), address
        self.port = int(address.split(":")[2].split("/")[0])

    @property
    def memory(self) -> int:
        """Resident bytes of all its processes; what they share counts in each."""
        return sum(process.memory_info().rss for process in self._family)

    @property
    def own_memory(self) -> int:
        """The same, and what processes share counts once; 0 where the system does not say."""
        return sum(getattr(process.memory_full_info(), "pss", 0) for process in self._family)

    @property
    def _family(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def _served(path: Path, *options: str) -> Iterator[Served]:
    command = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "altsets",
            "explore",
            str(path),
            "--target",
            "target",
            "--no-browser",
            *options,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert command.stdout is not None
    try:
        yield Served(command, command.stdout.readline().strip())
    finally:
        command.terminate()
        command.wait()
        command.stdout.close()


def _page(served: Served, name: str = "page", entry: Any = None) -> Any:
    from explorers import Page

    return Page(served, name, entry)


def _moves(names: list[str], count: int, seed: int) -> list[dict[str, Any]]:
    """Different states, as of a user who moves controls: each makes a search, as none comes twice."""
    rng = random.Random(seed)
    moves: dict[str, dict[str, Any]] = {}
    while len(moves) < count:
        move = {
            "n_alternatives": rng.randint(1, 5),
            "tau": rng.randint(1, 10) / 10,
            "forbid": sorted(rng.sample(names, rng.randint(0, 3)), key=names.index),
        }
        moves.setdefault(str(move), move)
    return list(moves.values())


# --- How soon it answers ----------------------------------------------------------------------------------


#: Data, options and what counts: the whole answer, or the best so far of a search that takes long.
CASES = (
    ("spambase", ("--quality", "mutual_info"), True),
    ("wdbc", ("--quality", "mrmr"), True),
    ("spambase", ("--quality", "mrmr"), False),
    ("spambase", ("--quality", "mrmr", "-k", "10", "--search", "simultaneous"), False),
)


def _latency(section: Section, datasets: Path, count: int) -> None:
    rows = []
    for name, options, whole in CASES:
        path, said = datasets / f"{name}.csv.gz", " ".join(options)
        with _served(path, *options) as served:
            page = _page(served)
            start = page.follow(page.ask())["state"]
            times = [_time_of(page, start | move) for move in _moves(_names(path), count, seed=0)]
        seconds, finished = [each for each, _ in times], sum(done for _, done in times)
        half, most, worst = np.percentile(seconds, [50, 95, 100])
        rows.append([name, f"`{said}`", *map(duration, (half, most, worst)), f"{finished} of {count}"])
        target = ANSWER_SECONDS if whole else SO_FAR_SECONDS
        section.checks.append(
            Check(
                f"explorer, {'answer' if whole else 'sets'} on {name} ({said}), 95th percentile",
                f"under {duration(target)}",
                duration(most),
                most < target and (finished == count or not whole),
            )
        )
    section.body += [
        f"{count} moves of controls (tau, number of sets and forbidden features at random), the time from request to "
        "sets: the answer, or after 300 ms the best so far.",
        table(["data", "options", "median", "95 %", "worst", "finished"], rows),
    ]


def _time_of(page: Any, state: dict[str, Any]) -> tuple[float, bool]:
    """Seconds until a reply has sets, and whether it is the whole answer; a search that goes on is cancelled."""
    began = time.perf_counter()
    reply = page.ask(state=state)
    while not reply["finished"] and not (reply["view"] or {}).get("sets"):
        _, reply = page.post("wait", {"client": page.name, "number": reply["number"]})
    seconds = time.perf_counter() - began
    assert reply["error"] is None, reply["error"]
    if not reply["finished"]:
        page.cancel(reply["number"])
    return seconds, bool(reply["finished"])


def _names(path: Path) -> list[str]:
    import gzip

    with gzip.open(path, "rt") as file:
        return [name for name in file.readline().strip().split(",") if name != "target"]


# --- Many at once -----------------------------------------------------------------------------------------


def _pages_at_once(section: Section, path: Path, seconds: float) -> None:
    wrong: list[str] = []
    early_second = seconds * FIRST_SECOND / SECONDS
    counts, took = [0] * N_PAGES, []
    with _served(path, "--quality", "mrmr") as served:
        first = _page(served)
        start = first.follow(first.ask())["state"]
        ends = time.monotonic() + seconds

        def play(number: int) -> None:
            page = _page(served, f"page-{number}", first.entry)
            moves = _moves(_names(path), 10_000, seed=number)
            while time.monotonic() < ends:
                asked = start | moves[counts[number] % len(moves)]
                began = time.monotonic()
                reply = page.follow(page.ask(state=asked))
                took.append(time.monotonic() - began)
                counts[number] += 1
                chosen = (
                    {name for one in reply["view"]["sets"] for name in one["features"]}
                    if reply["view"]
                    else set()
                )
                if reply["error"] or reply["state"] != asked or chosen & set(asked["forbid"]):
                    wrong.append(str(reply["error"] or reply["state"]))
                time.sleep(PAUSE)

        threads = [threading.Thread(target=play, args=(number,)) for number in range(N_PAGES)]
        for thread in threads:
            thread.start()
        time.sleep(early_second)
        early = served.memory
        time.sleep(max(0.0, ends - time.monotonic() - 0.5))
        late, own = served.memory, served.own_memory
        for thread in threads:
            thread.join()
    section.body += [
        f"{N_PAGES} pages at once for {seconds:g} s, mRMR on wdbc, a move {duration(PAUSE)} after each answer. "
        "Memory is the sum over all processes (RSS), and with what they share counted once (PSS).",
        table(
            [
                "answers",
                "95 % after",
                "wrong or failed",
                f"RSS after {early_second:g} s",
                f"RSS after {seconds:g} s",
                "PSS",
            ],
            [
                [
                    str(sum(counts)),
                    duration(float(np.percentile(took, 95))),
                    str(len(wrong)),
                    *(f"{size / 1e6:.0f} MB" for size in (early, late, own)),
                ]
            ],
        ),
        *wrong[:3],
    ]
    section.checks += [
        Check(
            f"explorer, {N_PAGES} pages for {seconds:g} s: wrong or failed answers",
            "0",
            str(len(wrong)),
            not wrong,
        ),
        Check(
            f"explorer, {N_PAGES} pages: memory after {seconds:g} s of that after {early_second:g} s",
            f"at most {FLAT:g}",
            f"{late / early:.2f}",
            late <= FLAT * early,
        ),
    ]


# --- Large tables -----------------------------------------------------------------------------------------


def _large_tables(section: Section) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows, n_columns in LARGE:
            path = Path(folder) / f"{n_rows}.parquet"
            _write(path, n_rows, n_columns)
            began = time.perf_counter()
            with _served(path, "--quality", "mutual_info") as served:
                page = _page(served)
                entered = time.perf_counter() - began
                reply, scored = page.ask(), time.perf_counter()
                while not reply["finished"] or reply["error"]:
                    assert reply["error"] is None, reply["error"]
                    if reply["view"] is None or "sets" not in reply["view"]:
                        scored = time.perf_counter()
                    _, reply = page.post("wait", {"client": page.name, "number": reply["number"]})
                answered = time.perf_counter()
                memory = served.memory
            after = answered - scored
            name = f"{n_rows:,} x {n_columns:,}"
            rows.append([name, *map(duration, (entered, scored - began, after)), f"{memory / 1e6:.0f} MB"])
            section.checks.append(
                Check(
                    f"explorer, answer on {name} after the scores",
                    f"within {LARGE_SECONDS:g} s",
                    duration(after),
                    after < LARGE_SECONDS,
                )
            )
    section.body += [
        "Tables that are made up (Parquet), mutual information: when the page answers, when there are scores, the "
        "answer after that, and the memory of all processes.",
        table(["rows x columns", "page", "scores", "answer after scores", "memory"], rows),
    ]


# --- In a browser -----------------------------------------------------------------------------------------

#: Milliseconds of the longest task of the page's main thread: what a user would notice as a freeze is longer.
LONGEST_TASK = 200
#: Notes how long tasks of the page take, from its beginning on.
WATCH = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
}).observe({ type: "longtask", buffered: true });
"""
#: Moves a slider, and promises the milliseconds until the sets for it (or the best so far) are on the screen.
MOVE = """([control, setting, value, shift]) => new Promise((resolve) => {
  const host = document.querySelector("altsets-explorer");
  const slider = host.shadowRoot.querySelector(`#${control}-range`);
  const began = performance.now();
  const shown = ({ detail }) => {
    if (Math.abs(detail.state[setting] - value + shift) > 1e-9) return;
    host.removeEventListener("shown", shown);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  };
  host.addEventListener("shown", shown);
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
})"""


def _in_browser(section: Section, datasets: Path, count: int) -> None:
    from browsers import reason_without, started

    reason = reason_without()
    if reason is not None:
        section.body.append(f"No page was opened: {reason}.")
        return
    with started() as browser:
        _redrawn(section, browser, datasets, count)
        _main_thread(section, browser)


@contextmanager
def _opened(browser: Any, served: Served) -> Iterator[Any]:
    """The page in a browser, with its first answer."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(served.address)
        page.locator(".sets > li").first.wait_for(timeout=600_000)
        yield page
    finally:
        context.close()


def _redrawn(section: Section, browser: Any, datasets: Path, count: int) -> None:
    # No state comes twice.
    moves = [
        move
        for n_sets in range(2, 8)
        for move in [
            ("n_sets", "n_alternatives", n_sets, 1),
            *(("tau", "tau", step / 20, 0) for step in range(21)),
        ]
    ][:count]
    rows = []
    for name, options, whole in CASES:
        path, said = datasets / f"{name}.csv.gz", " ".join(options)
        with _served(path, *options) as served, _opened(browser, served) as page:
            milliseconds = []
            for move in moves:
                milliseconds.append(page.evaluate(MOVE, list(move)))
                page.wait_for_timeout(1000 * PAUSE)
            longest = page.evaluate("window.longest")
        half, most, worst = np.percentile(milliseconds, [50, 95, 100]) / 1000
        rows.append([name, f"`{said}`", *map(duration, (half, most, worst, longest / 1000))])
        target = ANSWER_SECONDS if whole else SO_FAR_SECONDS
        section.checks.append(
            Check(
                f"explorer in a browser, {'redrawn' if whole else 'sets'} on {name} ({said}), 95th percentile",
                f"under {duration(target)}",
                duration(most),
                bool(most < target),
            )
        )
    section.body += [
        f"In Chromium: {count} moves of sliders (tau, number of sets), the time from the move until the sets for it, "
        "or the best so far, are on the screen; and the longest task of the page's main thread.",
        table(["data", "options", "median", "95 %", "worst", "longest task"], rows),
    ]


def _main_thread(section: Section, browser: Any) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows, n_columns in LARGE:
            path = Path(folder) / f"{n_rows}.parquet"
            _write(path, n_rows, n_columns)
            with _served(path, "--quality", "mutual_info") as served, _opened(browser, served) as page:
                page.get_by_text("All features").click()
                page.get_by_role("searchbox", name="Search features").type("x19")
                for step in range(21):
                    page.evaluate(MOVE, ["tau", "tau", step / 20, 0])
                longest = page.evaluate("window.longest")
            name = f"{n_rows:,} x {n_columns:,}"
            rows.append([name, duration(longest / 1000)])
            section.checks.append(
                Check(
                    f"explorer in a browser, longest task on {name}",
                    f"under {duration(LONGEST_TASK / 1000)}",
                    duration(longest / 1000),
                    longest < LONGEST_TASK,
                )
            )
    section.body += [
        "The longest task of the page's main thread (0 if none took 50 ms): the page is opened, features are searched, "
        "and tau goes from 0 to 1.",
        table(["rows x columns", "longest task"], rows),
    ]


def _write(path: Path, n_rows: int, n_columns: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    columns = rng.normal(size=(n_rows, n_columns))
    label = columns[:, 0] + 0.5 * columns[:, 1] + rng.normal(size=n_rows) > 0
    made = {f"x{number}": columns[:, number] for number in range(n_columns)}
    pq.write_table(pa.table({**made, "target": label.astype(int)}), path)
