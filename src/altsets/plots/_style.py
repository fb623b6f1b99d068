"""Styles of plots: for documents, or for slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from altsets.errors import InputError, MissingExtraError
from altsets.wording import list_some


@dataclass(frozen=True)
class _Kind:
    """The settings of matplotlib that a style changes, and the inches of its figures; None: as the content needs."""

    settings: dict[str, Any]
    size: tuple[float, float] | None = None


KINDS = {
    "document": _Kind({}),
    # A slide of 16 to 9 as the usual programs have it, in text that the last row can read.
    "slides": _Kind(
        {
            "font.size": 20.0,
            "axes.linewidth": 1.4,
            "hatch.linewidth": 1.6,
            "figure.constrained_layout.w_pad": 0.3,
            "figure.constrained_layout.h_pad": 0.25,
            "savefig.dpi": 150,
        },
        (40 / 3, 7.5),
    ),
}


#: All settings that some style changes.
SETTINGS = sorted({name for kind in KINDS.values() for name in kind.settings})


class _State:
    """The style in use, and the settings that it has changed as they were without it."""

    kind: _Kind = KINDS["document"]
    unstyled: ClassVar[dict[str, Any]] = {}


def _settings() -> Any:
    """Those of matplotlib."""
    try:
        from matplotlib import rcParams
    except ImportError as error:
        raise MissingExtraError("a plot", "matplotlib", "plots") from error
    return rcParams


class Style:
    """A style in use; as a context manager it ends with the block. :func:`style` makes it."""

    def __init__(self, kind: _Kind) -> None:
        settings = _settings()
        self._before = _State.kind, _State.unstyled, {name: settings[name] for name in SETTINGS}
        settings.update(_State.unstyled)
        _State.kind, _State.unstyled = kind, {name: settings[name] for name in kind.settings}
        settings.update(kind.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _State.kind, _State.unstyled, settings = self._before
        _settings().update(settings)


def style(name: str) -> Style:
    """Draw all plots from now on, or inside a ``with`` block, for documents or for slides.

    Plots for slides have the shape of a slide, 16 to 9, and text that can be read from afar: 20 points on a slide that
    is 13.3 inches wide. Where a plot has more to show than fits, its figure is larger in the same shape, so that
    nothing overlaps; show fewer features then (``most=``). Until the style ends, other figures of matplotlib have its
    text and lines as well.

    Parameters
    ----------
    name : {"document", "slides"}
        ``"document"`` is the usual style: figures are as large as their content needs.

    Returns
    -------
    context manager
        After its ``with`` block the style before is in use again; without a block, the style stays.

    Raises
    ------
    altsets.errors.InputError
        If there is no such style.
    altsets.errors.MissingExtraError
        If matplotlib is not installed.

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
    if name not in KINDS:
        raise InputError(
            f"there is no style {name!r}; the styles are {list_some([*map(repr, KINDS)], last='and')}."
        )
    return Style(KINDS[name])


def points(size: float) -> float:
    """The size of a mark or the width of a line, which grows with the text; given for text of 10 points."""
    return size * float(_settings()["font.size"]) / 10


def figure_size(width: float, height: float) -> tuple[float, float]:
    """The inches of a figure for content of this size, in the style in use."""
    size = _State.kind.size
    if size is None:
        return width, height
    factor = max(1.0, width / size[0], height / size[1])
    return factor * size[0], factor * size[1]
