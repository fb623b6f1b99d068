"""Compiled hot loops: arrays in, arrays out.

The kernels are written in Cython's pure Python mode: the same file is compiled at install, or runs as plain Python
where there was no compiler. Plain Python gives the same results, much slower, hence the warning.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
import warnings
from pathlib import Path

__all__ = ["INTERPRETED", "KERNELS"]

#: Every kernel by the name of its module; names that begin with an underscore are not kernels.
KERNELS = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def _is_compiled(name: str) -> bool:
    spec = importlib.util.find_spec(f"{__name__}.{name}")
    return spec is not None and isinstance(spec.loader, importlib.machinery.ExtensionFileLoader)


def _import_as_plain_python(names: list[str]) -> None:
    """Import kernels while the name ``cython`` means the stand-in, which nobody else is to see."""
    from altsets._kernels import _stand_in

    real = sys.modules.get("cython")
    sys.modules["cython"] = _stand_in
    try:
        for name in names:
            importlib.import_module(f"{__name__}.{name}")
    finally:
        if real is None:
            del sys.modules["cython"]
        else:
            sys.modules["cython"] = real
    # Searches recurse once for each feature and set. Compiled code needs no leave for that, and plain Python calls
    # take no C stack.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 100_000))


#: The kernels that this installation has not compiled for this Python.
INTERPRETED = [name for name in KERNELS if not _is_compiled(name)]

if INTERPRETED:
    warnings.warn(
        "altsets was installed without its compiled kernels and will be slow; "
        "install a C compiler and reinstall altsets.",
        RuntimeWarning,
        stacklevel=2,
    )
    _import_as_plain_python(INTERPRETED)
