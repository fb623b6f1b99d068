"""How answers are shown: renderers that are registered from above and looked up by name.

An answer (``Result``, ``Frontier``, ``NearBest``, ``Evaluation``, ...) does not import what draws it.
``altsets/__init__.py`` registers where each renderer lives; it is imported when an answer is shown for the first time.

==============  ======================================================================================
``"report"``    ``render(path, *, force, title, **answers) -> str``: write one HTML file, return its path
``"notebook"``  ``render(answer, *, in_use=None, notes=()) -> str``: HTML for a cell of a notebook
==============  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

Renderer = Callable[..., str]

_HOMES: dict[str, tuple[str, str]] = {}


def register(kind: str, module: str, function: str) -> None:
    """Say which function of which module renders this kind; the module is not imported before it is needed."""
    _HOMES[kind] = module, function


def renderer(kind: str) -> Renderer:
    """The function that renders this kind."""
    module, function = _HOMES[kind]
    found: Renderer = getattr(import_module(module), function)
    return found
