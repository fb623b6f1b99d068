"""Compile the kernels; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/altsets/_kernels").glob("[a-z]*.py"))

try:
    from Cython.Build import cythonize
except ImportError:
    extensions = []
else:
    # Optional: without a C compiler the same files run as plain Python, slowly, with one warning.
    extensions = cythonize(
        [
            Extension(f"altsets._kernels.{path.stem}", [path.as_posix()], optional=True, extra_compile_args=["-O3"])
            for path in KERNELS
        ],
        language_level=3,
    )

setup(ext_modules=extensions)
