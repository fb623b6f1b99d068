"""How answers are shown: renderers that are registered from above and looked up by name; and lines on what is going on.

An answer (``Result``, ``Frontier``, ``NearBest``, ``Evaluation``, ...) does not import what draws it.
``altsets/__init__.py`` registers where each renderer lives; it is imported when an answer is shown for the first time.

==============  ======================================================================================
``"report"``    ``render(path, *, force, title, **answers) -> str``: write one HTML file, return its path
``"notebook"``  ``render(answer, *, in_use=None, notes=()) -> str``: HTML for a cell of a notebook
``"explorer"``  ``render(session) -> widget``: a page of controls for a cell of a notebook
``"columns"``   ``make(names) -> SelectFeatures``: a selector of these columns
``"evaluate"``  ``evaluate(sets, X, y, **options) -> Evaluation``: how well sets predict
==============  ======================================================================================
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, Self

_HOMES: dict[str, tuple[str, str]] = {}


def register(kind: str, module: str, function: str) -> None:
    """Say which function of which module renders this kind; the module is not imported before it is needed."""
    _HOMES[kind] = module, function


def renderer(kind: str) -> Callable[..., str]:
    """The function that renders this kind as text."""
    return maker(kind)


def maker(kind: str) -> Callable[..., Any]:
    """The function that is registered for this kind."""
    module, function = _HOMES[kind]
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


class Shown:
    """An answer that has a page of its own, and is shown in notebooks."""

    def report(self, path: Any, *, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with all that is known, for any browser, and return its path.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        force : bool, default=False
            Whether it may replace another file.
        title : str, default=None
            The heading; by default it describes the request.
        """
        return renderer("report")(path, force=force, title=title, **self._on_page())

    def _on_page(self) -> dict[str, Any]:
        """What the page is about, by the names that the renderer knows."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return renderer("notebook")(self)


class ShownCurve(Shown):
    """A curve, which can be drawn; its page has more where the quality is known."""

    #: The kind of renderer that draws it.
    _drawn_by: ClassVar[str]

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the curve, and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : any
            Further parameters of :func:`altsets.plots.frontier`, or of :func:`altsets.plots.frontier_scores` for
            evaluations.
        """
        return maker(self._drawn_by)(self, ax=ax, **options)

    def report(self, path: Any, *, quality: Any = None, title: str | None = None, force: bool = False) -> str:
        """Write one HTML file with charts and all points, for any browser, and return its path.

        Parameters
        ----------
        path : path-like
            A new file whose name ends in .html.
        quality : Quality, default=None
            What was searched with: it knows the scores of all features.
        title : str, default=None
            The heading; by default it says what was searched.
        force : bool, default=False
            Whether it may replace another file.
        """
        return renderer("report")(path, force=force, frontier=self, quality=quality, title=title)


# --- Progress -----------------------------------------------------------------------------------------

#: Seconds between two lines on what is going on.
SECONDS_PER_LINE = 10.0


class ProgressLines:
    """Lines on what is going on, one every few seconds, written by a thread of its own.

    ``eager`` lines come at once, at the beginning of each step.
    """

    def __init__(
        self, write: Callable[[str], object], every: float = SECONDS_PER_LINE, *, eager: bool = False
    ) -> None:
        self._write, self._every, self._eager = write, every, eager
        self._text, self._started = "", time.perf_counter()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        # A line that is being written must not end up behind what comes next.
        self._thread.join()

    def begin(self, text: str) -> None:
        """Tell what is going on from now on."""
        self._text = text
        if self._eager:
            self._write_line()

    def say(self, text: str) -> None:
        """Tell how far it is."""
        self._text = text

    def report(self, progress: Any) -> None:
        """Tell how far a search is."""
        self.say(search_text(progress))

    def _repeat(self) -> None:
        while not self._over.wait(self._every):
            if self._text:
                self._write_line()

    def _write_line(self) -> None:
        self._write(f"[{time.perf_counter() - self._started:.0f} s] {self._text}")


#: What a search looks for, by the goal of its progress.
GOALS = {"quality": "best", "tau": "largest tau", "n_sets": "number of sets"}


def search_text(progress: Any) -> str:
    """How far a search is: the best objective and the bound."""
    best = "none yet" if math.isnan(progress.best) else f"{progress.best:.6g}"
    bound = "none yet" if math.isinf(progress.bound) else f"{progress.bound:.6g}"
    return f"Searching: {GOALS[progress.goal]} {best}, bound {bound}"
