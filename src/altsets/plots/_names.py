"""Names in pictures: as users gave them, as far as a picture can show them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from altsets.errors import MissingExtraError

__all__ = ["PLAIN", "Names"]

#: Text is what it is: a dollar sign or an underscore is no formula.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}

#: What stands for characters that the font does not have.
BOX, QUESTION = "\N{WHITE SQUARE}", "?"
#: Characters of a name that are shown.
LONGEST = 32


class Names:
    """Writes names for one picture, and knows whether something was lost.

    Every picture begins with it, so this is where it is said that matplotlib is missing.
    """

    def __init__(self) -> None:
        try:
            import matplotlib.font_manager  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("a picture", "matplotlib", "plots") from error
        self._lost = False

    def short(self, names: Iterable[str], longest: int = LONGEST) -> list[str]:
        """Names on one line each, without what cannot be shown, and long ones without their middle."""
        return [_shortened(self.clean(name), longest) for name in names]

    def clean(self, name: str) -> str:
        """A name in characters that the font has; line breaks are spaces, and marks that show nothing are left out."""
        line = " ".join(name.split())
        visible = "".join(character for character in line if character.isprintable())
        shown = "".join(character if ord(character) in self._known else self._box for character in visible)
        self._lost |= shown != visible
        return shown

    @property
    def note(self) -> str:
        """What to do where characters were lost."""
        if not self._lost:
            return ""
        return f"{self._box} is not in the font: set plt.rcParams['font.family'] to one that has it."

    @cached_property
    def _box(self) -> str:
        return BOX if ord(BOX) in self._known else QUESTION

    @cached_property
    def _known(self) -> frozenset[int]:
        """The characters of the fonts that matplotlib is set to."""
        from matplotlib.font_manager import FontProperties, findfont, get_font

        families = FontProperties().get_family()
        paths = {findfont(FontProperties(family=[family])) for family in families}
        return frozenset().union(*(get_font(path).get_charmap() for path in paths))


def _shortened(name: str, longest: int) -> str:
    """A name without its middle, if it is too long; the end often tells names apart.

    Examples
    --------
    >>> _shortened("interleukin 6 receptor subunit alpha", 20)
    'interleuki…nit alpha'
    """
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[-tail:]}"
