"""Compiled hot loops: arrays in, arrays out.

The kernels are written in Cython's pure Python mode: the same file is compiled at install, or runs as plain Python
where there was no compiler. Plain Python is right but slow, hence the warning.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path

COMPILED = any(Path(__file__).parent.glob("best_set*.so")) or any(Path(__file__).parent.glob("best_set*.pyd"))

if not COMPILED:
    warnings.warn(
        "altsets was installed without its compiled kernels and will be slow; "
        "install a C compiler and reinstall altsets.",
        RuntimeWarning,
        stacklevel=2,
    )
    if importlib.util.find_spec("cython") is None:
        from altsets._kernels import _stand_in

        sys.modules["cython"] = _stand_in  # the real package is needed to compile, not to run
