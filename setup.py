"""Compile the kernels; everything else is in pyproject.toml."""

import os
import platform
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/altsets/_kernels").glob("[a-z]*.py"))

# -O3 gains nothing here and takes longer to compile; debug information is most of a file's size. No fused
# multiply-add: it rounds otherwise than plain Python and other processors do, and the same scores are to give the
# same sets everywhere.
FLAGS = [] if os.name == "nt" else ["-O2", "-g0", "-ffp-contract=off"]
# Except for whole rows of matrices, of which compilers take several numbers at a time: the same operations on each.
VECTORISED = {"linear_fit": [] if os.name == "nt" else ["-O3"]}

# A wheel keeps to what all versions of Python from 3.11 on have in common, so one for each platform is enough. That
# costs 1 % of the instructions of the shortest searches, where calls of kernels weigh most. Kernels compiled in place
# are for one version, and those of free-threaded Python have to be.
ONE_FOR_ALL = (
    "bdist_wheel" in sys.argv
    and platform.python_implementation() == "CPython"
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
MACROS = [("Py_LIMITED_API", "0x030B0000")] if ONE_FOR_ALL else []

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    extensions = cythonize(
        [
            Extension(
                f"altsets._kernels.{path.stem}",
                [path.as_posix()],
                depends=["setup.py"],
                extra_compile_args=[*FLAGS, *VECTORISED.get(path.stem, ())],
                define_macros=MACROS,
                py_limited_api=ONE_FOR_ALL,
            )
            for path in KERNELS
        ],
        language_level=3,
    )

# Without a C compiler the same files run as plain Python, slowly, with one warning. To be said afterwards: cythonize
# makes new extensions and forgets it.
for extension in extensions:
    extension.optional = True

options = {"build_ext": {"parallel": os.cpu_count()}}
if extensions and ONE_FOR_ALL:
    options["bdist_wheel"] = {"py_limited_api": "cp311"}
setup(ext_modules=extensions, options=options)
