"""Style sheets of plots: for documents, or for slides."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from typing import Any

from altsets.errors import InputError, MissingExtraError

#: The inches of a slide, 16 to 9.
SLIDE = [40 / 3, 7.5]
#: The style sheet for slides, whose text can be read in the last row.
SLIDES: dict[str, Any] = {
    "font.size": 20.0,
    "axes.linewidth": 1.4,
    "hatch.linewidth": 1.6,
    "figure.figsize": SLIDE,
    "figure.constrained_layout.w_pad": 0.3,
    "figure.constrained_layout.h_pad": 0.25,
    "savefig.dpi": 150,
}
#: The style sheet for documents: the same settings, as they were before slides.
DOCUMENT: dict[str, Any] = {}


def settings() -> Any:
    """The settings of matplotlib, or how to install it."""
    try:
        from matplotlib import rcParams
    except ImportError as error:
        raise MissingExtraError("a plot", "matplotlib", "plots") from error
    return rcParams


def style(name: str) -> AbstractContextManager[object]:
    """Draw all plots from now on, or only inside a ``with`` block, for documents or for slides.

    Plots for slides are 16 to 9, with text of 20 points on 13.3 inches. Where a plot has more to show than fits, its
    figure is larger in the same shape; show fewer features then (``most=``). Until the style ends, other figures of
    matplotlib have its size, text and lines as well.

    Parameters
    ----------
    name : {"document", "slides"}
        ``"document"`` is the usual style: figures are as large as their content needs.

    See Also
    --------
    altsets.plots.membership : Which features are in which sets.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1], feature_names=list("abcdef"))
    >>> result = altsets.find(scores, n_features=2, n_alternatives=2, tau=0.5)
    >>> with altsets.plots.style("slides"):
    ...     ax = altsets.plots.membership(result)
    >>> width, height = ax.figure.get_size_inches()
    >>> round(float(width / height), 2)
    1.78
    """
    if name not in ("document", "slides"):
        raise InputError(f"there is no style {name!r}; the styles are 'document' and 'slides'.")
    in_use = settings()
    before = {setting: in_use[setting] for setting in SLIDES}
    if in_use["figure.figsize"] != SLIDE:
        DOCUMENT.update(before)
    in_use.update(SLIDES if name == "slides" else DOCUMENT)
    ended = ExitStack()
    ended.callback(in_use.update, before)
    return ended


def points(size: float) -> float:
    """The size of a mark or the width of a line, which grows with the text; given for text of 10 points."""
    return size * float(settings()["font.size"]) / 10


def figure_size(width: float, height: float) -> tuple[float, float]:
    """Return the inches of a figure for content of this size, in the style in use."""
    if settings()["figure.figsize"] != SLIDE:
        return width, height
    factor = max(1.0, width / SLIDE[0], height / SLIDE[1])
    return factor * SLIDE[0], factor * SLIDE[1]
