"""Styles of plots: for documents, or for slides."""

from __future__ import annotations

from typing import Any, Self

from altsets.errors import InputError, MissingExtraError
from altsets.wording import list_some

#: The settings of matplotlib that a style changes; text on slides can be read in the last row.
STYLES: dict[str, dict[str, Any]] = {
    "document": {},
    "slides": {
        "font.size": 20.0,
        "axes.linewidth": 1.4,
        "hatch.linewidth": 1.6,
        "figure.constrained_layout.w_pad": 0.3,
        "figure.constrained_layout.h_pad": 0.25,
        "savefig.dpi": 150,
    },
}
#: The inches of a figure, for 16 to 9; in other styles it is as large as its content needs.
SIZES = {"slides": (40 / 3, 7.5)}

#: The name of the style in use, and the settings that it has changed, as they were without it.
_in_use: tuple[str, dict[str, Any]] = ("document", {})


def _settings() -> Any:
    try:
        from matplotlib import rcParams
    except ImportError as error:
        raise MissingExtraError("a plot", "matplotlib", "plots") from error
    return rcParams


class Style:
    """A style in use; as a context manager it ends with the block. :func:`style` makes it."""

    def __init__(self, name: str) -> None:
        global _in_use
        settings = _settings()
        self._before = _in_use, {setting: settings[setting] for style in STYLES.values() for setting in style}
        settings.update(_in_use[1])
        _in_use = name, {setting: settings[setting] for setting in STYLES[name]}
        settings.update(STYLES[name])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        global _in_use
        _in_use, settings = self._before
        _settings().update(settings)


def style(name: str) -> Style:
    """Draw all plots from now on, or inside a ``with`` block, for documents or for slides.

    Plots for slides are 16 to 9, with text of 20 points on 13.3 inches. Where a plot has more to show than fits, its
    figure is larger in the same shape; show fewer features then (``most=``). Until the style ends, other figures of
    matplotlib have its text and lines as well.

    Parameters
    ----------
    name : {"document", "slides"}
        ``"document"`` is the usual style: figures are as large as their content needs.

    Returns
    -------
    context manager
        After its ``with`` block the style before is in use again; without a block, the style stays.

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
    if name not in STYLES:
        raise InputError(
            f"there is no style {name!r}; the styles are {list_some([*map(repr, STYLES)], last='and')}."
        )
    return Style(name)


def points(size: float) -> float:
    """The size of a mark or the width of a line, which grows with the text; given for text of 10 points."""
    return size * float(_settings()["font.size"]) / 10


def figure_size(width: float, height: float) -> tuple[float, float]:
    """Return the inches of a figure for content of this size, in the style in use."""
    if _in_use[0] not in SIZES:
        return width, height
    wide, high = SIZES[_in_use[0]]
    factor = max(1.0, width / wide, height / high)
    return factor * wide, factor * high
