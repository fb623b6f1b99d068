"""``altsets explore``: a page on this machine that searches while its user moves controls."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from altsets.cli.commands import with_options
from altsets.cli.options import Given
from altsets.cli.printing import say_error
from altsets.cli.searching import (
    Source,
    check_options,
    named_quality,
    request_from,
    say_missing,
    source_from,
)
from altsets.errors import InputError, Problems

if TYPE_CHECKING:
    from altsets.app.server import Explorer
    from altsets.session import Session

#: What the table of the demo is called in the commands that the page shows.
DEMO_TABLE = "demo.csv"

#: What the session takes over from a request.
FIELDS_OF_SESSION = (
    *("n_features", "n_alternatives", "within", "min_quality", "feature_groups", "dissimilarity", "search"),
    *("aggregation", "task", "unusable", "adjust"),
)


@with_options(
    "table sets differing quality model scoring definition nearness columns conditions limits explore",
    without="save_scores scores existing engine difference overlap_penalty unit",
    described={
        "table": {
            "help": "CSV (also gzipped), Parquet file or folder, Excel workbook, .gct or .h5ad (AnnData) file; - for "
            "standard input. [default: the table of altsets demo]",
        },
        "time_limit": {
            "help": "Time limit for each search, after which the page has the best so far. [default: 10 s]"
        },
    },
)
def explore_command(context: typer.Context, given: Given) -> None:
    """Open a page in the browser that finds sets while you move its controls.

    Prints the address of the page, which opens once and on this machine only. The other options are what the page
    begins with. Ctrl-C ends it.
    """
    from altsets.app.engine import engines_of
    from altsets.app.questions import PATIENCE, background_ends
    from altsets.app.server import Explorer, require_packages

    require_packages()
    source = _source(given)
    session, begin = _session(source)
    say_missing(source.data)
    named = source.given
    survival = {
        name: value for name, value in (("time", named.time), ("event", named.event)) if value is not None
    }
    target = source.table_read.target_name
    engines = engines_of(session, begin, file=str(named.table), target=target, **survival)
    # From here on, the table is in the session only.
    source.data = None
    explorer = Explorer(engines, given.port, on_failure=say_error)
    typer.echo(explorer.address)
    sys.stdout.flush()
    # What is asked on the page is answered there.
    warnings.showwarning = lambda *_, **__: None
    _serve(explorer, browser=not given.no_browser)
    if not background_ends(PATIENCE):
        # Python would end a thread in the midst of compiled code, which aborts the process.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _source(given: Given) -> Source:
    """The table that was named, or that of the demo."""
    from altsets.files.dataset import DEMO_TARGET, load_demo, split_target

    if any(given.of("table").values()):
        check_options(given, Problems(), **given.of("sets"))
        source = source_from(given)
        if source.table_read.is_large:
            raise InputError(
                f"the explorer needs the table in memory, and {source.table_read.X.source} is read in passes; read "
                "fewer columns (--columns), or give more --max-memory."
            )
        return source
    demo = replace(given, table=DEMO_TABLE, target=DEMO_TARGET)
    return Source(demo, named_quality(demo), split_target(load_demo(), DEMO_TARGET))


def _session(source: Source) -> tuple[Session, dict[str, Any]]:
    """A session with what the options ask for, and the part of it that the page can take back."""
    from altsets.constraints import Forbid, Require
    from altsets.session import Session

    data = source.table_read
    request = request_from(source, **source.given.of("sets"))
    request.check(source.names)
    begin: dict[str, list[str]] = {"require": [], "forbid": []}
    kept = []
    for rule in request.constraints:
        if isinstance(rule, Require) or (isinstance(rule, Forbid) and rule.proxies is None):
            begin[rule.kind] += map(str, rule.features)
        else:
            kept.append(rule)
    limit: dict[str, Any] = {} if request.time_limit is None else {"time_limit": request.time_limit}
    taken = {name: getattr(request, name) for name in FIELDS_OF_SESSION}
    tau = 0.5 if request.tau is None else request.tau
    return Session(data.X, data.y, request.quality, tau=tau, constraints=kept, **taken, **limit), begin


def _serve(explorer: Explorer, *, browser: bool) -> None:
    """Answer requests until Ctrl-C, or until the terminal is closed; either way everything is tidied up."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # After nohup, it is ignored.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda *_: explorer.stop())
    # A browser in the terminal would be in the way.
    windows = sys.platform in ("win32", "darwin")
    if browser and (windows or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        import webbrowser

        from altsets.app.server import entrance_to

        with entrance_to(explorer.address) as entrance:
            # It may wait for the browser; the page waits for nobody.
            threading.Thread(target=webbrowser.open, args=[entrance], daemon=True).start()
            say_error(
                "The page opens in your browser; if not, open this address in it. Ctrl-C ends the explorer."
            )
            explorer.run()
    else:
        say_error("Open this address in a browser on this machine; it works once. Ctrl-C ends the explorer.")
        explorer.run()
