"""Compiled and interpreted kernels give the same results; without compiled ones everything still works."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import runpy
import shutil
import subprocess
import sys
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest

import altsets
from altsets import _kernels
from altsets._kernels import _stand_in

FOLDER = Path(_kernels.__file__).parent
ROOT = Path(__file__).resolve().parent.parent
N_CASES = 60


def never(*_):
    return False


# --- Random input for each kernel: functions of a kernel module and a random stream ---------------


def descending(rng, n):
    """Scores of different kinds, best first: distinct, tied, negative, skewed."""
    kinds = [
        lambda: rng.random(n),
        lambda: rng.integers(0, 4, n).astype(float),
        lambda: rng.standard_normal(n),
        lambda: rng.random(n) * (rng.random(n) < 0.4),
        lambda: np.abs(rng.standard_cauchy(n)),
    ]
    return np.sort(kinds[rng.integers(len(kinds))]())[::-1].copy()


def some_sets(rng, n, k, count):
    return [sorted(rng.permutation(n)[:k].tolist()) for _ in range(count)]


def membership(n, sets):
    """Which sets each position belongs to, as flat arrays, and positions of one kind by number."""
    belongs = [[number for number, chosen in enumerate(sets) if j in chosen] for j in range(n)]
    first = np.cumsum([0, *map(len, belongs)]).astype(np.intc)
    kinds = {}
    klass = [kinds.setdefault(tuple(numbers), len(kinds)) for numbers in belongs]
    return first, np.array(list(chain.from_iterable(belongs)), dtype=np.intc), np.array(klass, dtype=np.intc)


def classes(scores):
    changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
    return np.array([0, *changes, len(scores)], dtype=np.intc)


def best_set(kernel, rng):
    n = int(rng.integers(3, 13))
    k = int(rng.integers(1, n + 1))
    sets = some_sets(rng, n, k, int(rng.integers(0, 5)))
    caps = rng.integers(0, k + 1, len(sets)).astype(np.intc)
    scores = descending(rng, n)
    to_beat = -math.inf if rng.random() < 0.7 else float(np.sum(scores[:k])) - rng.random()
    max_nodes = int(rng.choice([3, 10_000]))
    return kernel.best_set(scores, *membership(n, sets), caps, k, to_beat, max_nodes, 1e-14, never)


def next_set(kernel, rng):
    n = int(rng.integers(3, 11))
    k = int(rng.integers(1, n))
    cap = int(rng.integers(0, k + 1))
    positions = np.arange(k, dtype=np.int64)
    sets = [np.arange(k).tolist()] if rng.random() < 0.5 else []
    answers = []
    for _ in range(6):
        first, member, _ = membership(n, sets)
        caps = np.full(len(sets), cap, dtype=np.intc)
        answers.append(kernel.next_set(n, first, member, caps, positions, not sets, never))
        if answers[-1] != 1:
            break
        sets.append(positions.tolist())
    return answers[-1], answers, sets


def degree_request(rng):
    n_sets, k = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    scores = descending(rng, int(rng.integers(k, 4 * k + 2)))
    cap = int(rng.integers(0, k + 1))
    return scores, n_sets, n_sets * k, cap * n_sets * (n_sets - 1) // 2, cap


def degree_bound(kernel, rng):
    return kernel.degree_bound(*degree_request(rng), 1e-14)


def degree_vectors(kernel, rng):
    request = degree_request(rng)
    floor = float(np.sum(request[0])) * rng.random()
    return kernel.degree_vectors(*request, 1e-14, floor, 50)


def prefix_bound(kernel, rng):
    n_sets, most = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    scores = descending(rng, int(rng.integers(0, 12)))
    rooms = rng.integers(0, most + 1, n_sets).astype(np.intc)
    slack = rng.integers(0, 3, (n_sets, n_sets))
    return kernel.prefix_bound(scores, rng.random(n_sets), rooms, (slack + slack.T).astype(np.intc))


def arrange(kernel, rng):
    n_sets, size = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    degrees = []
    while sum(degrees) < n_sets * size * rng.random():
        degrees.append(int(rng.integers(2, n_sets + 1)))
    degrees = np.array(sorted(degrees, reverse=True), dtype=np.intc)
    return kernel.arrange(
        degrees, n_sets, size, int(rng.integers(0, size)), int(rng.choice([30, 2000])), never
    )


def dealt(rng):
    """Degrees that add up to the places in all sets, and a given set or two."""
    n_sets, size = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    n = int(rng.integers(size, 3 * size + 2))
    degrees = np.zeros(n, dtype=np.intc)
    for _ in range(n_sets):
        degrees[rng.permutation(n)[:size]] += 1
    n_fixed = int(rng.integers(0, 3))
    fixed = (rng.random((n_fixed, n)) < 0.5).astype(np.uint8)
    fixed_caps = rng.integers(0, size + 1, n_fixed).astype(np.intc)
    return n, degrees, n_sets, size, fixed, fixed_caps


def deal(kernel, rng):
    _, degrees, n_sets, size, fixed, fixed_caps = dealt(rng)
    cap = int(rng.integers(0, size + 1))
    return kernel.deal(degrees, n_sets, size, fixed, fixed_caps, cap, 300, int(rng.integers(0, 9)), never)


def balance(kernel, rng):
    n, _, n_sets, size, fixed, _ = dealt(rng)
    members = np.zeros((n_sets, n), dtype=np.uint8)
    for row in members:
        row[rng.permutation(n)[:size]] = 1
    overlaps = [int(first @ second) for first, second in combinations(members.astype(int), 2)]
    fixed_caps = np.array([max(int(m @ row) for m in members.astype(int)) for row in fixed], dtype=np.intc)
    scores = descending(rng, n)
    target = float(np.sum(scores[:size])) * 0.9
    cap, seed = max(overlaps, default=0), int(rng.integers(0, 9))
    return kernel.balance(scores, members, fixed, fixed_caps, cap, target, 1500, seed, never)


def windows(kernel, rng):
    n = int(rng.integers(2, 12))
    scores = descending(rng, n) if rng.random() < 0.8 else descending(rng, 64)
    k = int(rng.integers(1, min(len(scores), 3 if len(scores) == 64 else 6) + 1))
    first = classes(scores)
    listing = kernel.Windows(scores, first, k)
    high = float(np.sum(scores[:k]))
    low = high - rng.random() * (1 + abs(high))
    masks, sums = listing.list(low, high)
    return len(masks) > 1, kernel.list_cost(first, k), listing.count(low, high), masks, sums


def listed(rng):
    """Some sets as masks, best first; equal scores make them stand for others as well."""
    n = int(rng.integers(4, 10))
    scores = (
        descending(rng, n)
        if rng.random() < 0.7
        else np.sort(rng.integers(0, 3, n).astype(float))[::-1].copy()
    )
    k = int(rng.integers(1, 4))
    kernel = importlib.import_module("altsets._kernels.windows")
    masks, sums = kernel.Windows(scores, classes(scores), k).list(-math.inf, math.inf)
    order = np.argsort(-sums, kind="stable")[: int(rng.integers(1, 80))]
    return n, classes(scores), masks[order], sums[order]


def pack(kernel, rng):
    n, first, masks, sums = listed(rng)
    group = rng.integers(0, 2, len(masks)).astype(np.intc)
    wanted = rng.integers(1, 3, 2).astype(np.intc)
    caps = rng.integers(0, 3, (2, 2))
    caps = np.maximum(caps, caps.T).astype(np.intc)
    n_sets = int(wanted.sum())
    must = (rng.random(n) < 0.15).astype(np.intc)
    most = rng.integers(1, n_sets + 1, n).astype(np.intc)
    items = (masks, sums, rng.random(len(masks)), group)
    best, budget, lift = float(sums[-1]) - 1, float(rng.random() * n_sets), bool(rng.random() < 0.5)
    return kernel.pack(items, (wanted, caps), first, must, most, best, budget, lift, 1e-14, 2000, never)


def pack_sum(kernel, rng):
    _, first, masks, sums = listed(rng)
    n_sets = int(rng.integers(1, 5))
    rest = np.concatenate([[0.0], np.cumsum(np.full(n_sets, sums[0]))])
    best = float(np.sum(sums[-1:])) * n_sets - 1
    return kernel.pack_sum(
        masks,
        sums,
        first,
        n_sets,
        int(rng.integers(0, 3)),
        best,
        rest,
        1e-14,
        int(rng.choice([5, 2000])),
        never,
    )


#: The kernel of each function, and how to call it.
CALLS = {
    "best_set": [best_set],
    "lexicographic": [next_set],
    "degrees": [degree_bound, degree_vectors, prefix_bound],
    "arrangement": [arrange],
    "exchanges": [deal, balance],
    "windows": [windows],
    "packing": [pack, pack_sum],
}


# --- The comparison -------------------------------------------------------------------------------


@pytest.fixture(params=["shadow", "stand-in"])
def interpreted(request, monkeypatch):
    """Load a kernel from its source, with Cython's own idea of plain Python or with ours."""
    if request.param == "stand-in":
        monkeypatch.setitem(sys.modules, "cython", _stand_in)
    else:
        pytest.importorskip("cython")

    def load(name):
        spec = importlib.util.spec_from_file_location(f"interpreted_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert not module.cython.compiled
        return module

    return load


def plain(value):
    """An answer as nested lists of Python numbers, which compare exactly."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def test_every_kernel_is_compared():
    assert sorted(CALLS) == _kernels.KERNELS


def test_the_kernels_under_test_are_compiled():
    assert _kernels.INTERPRETED == []
    for name in _kernels.KERNELS:
        module = importlib.import_module(f"altsets._kernels.{name}")
        assert not module.__file__.endswith(".py")


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_interpreted_and_compiled_agree(interpreted, name, call):
    slow, fast = interpreted(name), importlib.import_module(f"altsets._kernels.{name}")
    answers = []
    for seed in range(N_CASES):
        expected, found = (plain(call(kernel, np.random.default_rng([seed]))) for kernel in (fast, slow))
        assert found == expected, f"seed {seed}"
        answers.append(expected)
    # Cases that all end the same way would prove little.
    assert len({json.dumps(answer) for answer in answers}) > N_CASES / 4


# --- An installation without compiled kernels -----------------------------------------------------

DISTINCT = [((7 * i) % 12 + 1) ** 1.5 for i in range(12)]
TIED = [3.0] * 4 + [2.0] * 2 + [1.0] * 2 + [0.0] * 4
TOGETHER = {"n_alternatives": 3, "tau": "2/3", "search": "simultaneous"}
#: Scores and requests that reach every kernel, which the test checks.
REQUESTS = [
    (DISTINCT, {"n_features": 3, "n_alternatives": 3, "tau": "2/3"}),
    (TIED, {"n_features": 3, "n_alternatives": 3, "tau": "2/3"}),
    (DISTINCT, {"n_features": 3, **TOGETHER}),
    (TIED, {"n_features": 3, **TOGETHER}),
    (DISTINCT, {"n_features": 3, **TOGETHER, "existing": [(0, 1, 2)]}),
    (TIED, {"n_features": 3, **TOGETHER, "existing": [(0, 1, 2)]}),
    # Dealing greedily gives 7 and 5; only an exchange gives 6 and 6.
    ([3, 3, 2, 2, 2, 0], {"n_features": 3, **TOGETHER, "n_alternatives": 1, "tau": 1, "aggregation": "min"}),
    (DISTINCT, {"n_features": 3, "n_alternatives": 5, "tau": "2/3", "search": "greedy-depth"}),
]

SCRIPT = """
import importlib, json, sys, warnings

class NoCython:
    def find_spec(self, name, path=None, target=None):
        if name.lower() == "cython":
            raise ModuleNotFoundError(name)

def counted(name, thing):
    def call(*arguments, **options):
        used.add(name)
        return thing(*arguments, **options)
    return call

sys.meta_path.insert(0, NoCython())
used = set()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from altsets import _kernels
    for name in _kernels.KERNELS:
        module = importlib.import_module("altsets._kernels." + name)
        for key, thing in list(vars(module).items()):
            if getattr(thing, "__module__", "") == module.__name__ and not key.startswith("_"):
                setattr(module, key, counted(name, thing))
    import altsets
    results = [
        altsets.find(altsets.quality.Additive(scores), **request).to_dict()
        for scores, request in json.load(sys.stdin)
    ]
print(json.dumps({
    "results": results,
    "warnings": [[warning.category.__name__, str(warning.message)] for warning in caught],
    "interpreted": _kernels.INTERPRETED,
    "used": sorted(used),
    "leaked": "cython" in sys.modules,
}))
"""


def without_kernels(folder):
    """A copy of the package as it is where nothing could be compiled."""
    package = Path(altsets.__file__).parent
    shutil.copytree(
        package, folder / "altsets", ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    )
    return folder


def test_everything_works_without_compiled_kernels_and_cython(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(without_kernels(tmp_path))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(REQUESTS),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    told = json.loads(done.stdout)
    assert told["interpreted"] == told["used"] == _kernels.KERNELS
    assert [category for category, _ in told["warnings"]] == ["RuntimeWarning"]
    assert "compiler" in told["warnings"][0][1]
    assert not told["leaked"], "the stand-in must not pass for Cython elsewhere"
    expected = [
        altsets.find(altsets.quality.Additive(scores), **request).to_dict() for scores, request in REQUESTS
    ]
    for result in [*told["results"], *expected]:
        del result["elapsed"]
    assert told["results"] == json.loads(json.dumps(expected))


def test_a_missing_compiler_does_not_stop_the_installation(monkeypatch):
    setuptools = pytest.importorskip("setuptools")
    building = pytest.importorskip("Cython.Build")
    told = {}
    monkeypatch.setattr(setuptools, "setup", lambda **options: told.update(options))
    # Like the real one it makes new extensions; unlike it, it takes no time.
    monkeypatch.setattr(
        building, "cythonize", lambda given, **_: [setuptools.Extension(e.name, e.sources) for e in given]
    )
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    assert [extension.name for extension in told["ext_modules"]] == [
        f"altsets._kernels.{name}" for name in _kernels.KERNELS
    ]
    assert all(extension.optional for extension in told["ext_modules"])
