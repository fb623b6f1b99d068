"""Compile the kernels; everything else is in pyproject.toml."""

import os
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/altsets/_kernels").glob("[a-z]*.py"))

# -O3 gains nothing here and takes longer to compile; debug information is most of a file's size. No fused
# multiply-add: it rounds otherwise than plain Python and other processors do, and the same scores are to give the
# same sets everywhere.
FLAGS = [] if os.name == "nt" else ["-O2", "-g0", "-ffp-contract=off"]

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
                extra_compile_args=FLAGS,
            )
            for path in KERNELS
        ],
        language_level=3,
    )

# Without a C compiler the same files run as plain Python, slowly, with one warning. To be said afterwards: cythonize
# makes new extensions and forgets it.
for extension in extensions:
    extension.optional = True

setup(ext_modules=extensions, options={"build_ext": {"parallel": os.cpu_count()}})
