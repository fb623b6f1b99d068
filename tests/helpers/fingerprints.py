"""What every kernel makes of random input, to the last bit, as a line for each way to call it: input and output.

``make foreign`` compares the lines of two processors. Where they differ in the input, the random numbers or logarithms
that it is made of differ, and nothing follows about the kernel.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path

import numpy as np

import altsets

sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))
from test_kernels import CALLS, N_CASES, plain


def noted(value, into):
    """Add a value to a hash, to the last bit; of a function only that there is one."""
    if isinstance(value, dict):
        value = list(value.items())
    if isinstance(value, list | tuple):
        into.update(b"[")
        for part in value:
            noted(part, into)
        into.update(b"]")
    elif callable(value):
        into.update(b"function ")
    elif hasattr(value, "__dict__"):
        # A record: what it holds, not where it is.
        noted(vars(value), into)
    elif isinstance(value, np.ndarray | np.generic):
        into.update(f"{value.dtype} {value.shape} ".encode())
        into.update(np.ascontiguousarray(value).tobytes())
    else:
        into.update(f"{value.hex() if isinstance(value, float) else value} ".encode())


class Observed:
    """A kernel whose input is noted."""

    def __init__(self, kernel, into):
        self._kernel, self._into = kernel, into

    def __getattr__(self, name):
        function = getattr(self._kernel, name)

        def call(*arguments, **options):
            noted([name, arguments, options], self._into)
            return function(*arguments, **options)

        return call


def kernels():
    """The lines of all kernels."""
    for name, calls in CALLS.items():
        kernel = importlib.import_module(f"altsets._kernels.{name}")
        for call in calls:
            given, made = hashlib.sha256(), hashlib.sha256()
            for seed in range(N_CASES):
                noted(plain(call(Observed(kernel, given), np.random.default_rng([seed]))), made)
            yield f"{name}.{call.__name__}", given, made


def measures():
    """The lines of measures that have a kernel, for a table without a random number in it."""
    rows = np.arange(200)
    X = np.column_stack([(rows * step % 97) / 8 for step in (3, 5, 7, 11, 13)] + [rows % 4.0])
    y = (X[:, 0] + X[:, 1] * 3 + rows % 5).round()
    for name, target in [("mutual_info", y), ("mutual_info", y % 3), ("relief", y % 3), ("relief", y)]:
        given, made = hashlib.sha256(), hashlib.sha256()
        noted([X, target], given)
        noted(np.asarray(getattr(altsets.measures, name)(X, target)), made)
        yield name, given, made
    # Every column has holes of its own, so that each pair has other rows.
    X[rows[:, None] % np.array([11, 13, 17, 19, 23, 29]) == 0] = np.nan
    for name in ("mutual_info", "spearman", "pearson"):
        given, made = hashlib.sha256(), hashlib.sha256()
        noted(X, given)
        noted(altsets.measures.pairwise(X, name, warn=False), made)
        yield f"{name} of pairs with holes", given, made


def main():
    for lines in (kernels(), measures()):
        for name, given, made in lines:
            print(f"{name:32} {given.hexdigest()[:16]} {made.hexdigest()[:16]}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
