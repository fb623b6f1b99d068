"""Imports point downward only, heavy packages stay in their rooms, the public surface is as agreed."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from source_tree import (
    ROOMS,
    Module,
    import_graph,
    module_of,
    modules_in,
    rings,
    room_graph,
    unknown_rooms,
    upward_imports,
)

import altsets
from altsets import quality

PACKAGE = Path(altsets.__file__).parent

#: Third-party packages, and the rooms in which they may be imported (also inside functions).
HOMES = {
    "IPython": {"app"},
    "anndata": {"files"},
    "anywidget": {"app"},
    "cython": {"_kernels"},
    "dask": {"measures"},
    "h5py": {"files"},
    "highspy": {"search"},
    "jinja2": {"app", "report"},
    "joblib": {"measures", "quality"},
    "matplotlib": {"plots"},
    "narwhals": {"tables"},
    "openpyxl": {"files"},
    "pandas": {"evaluation", "files", "result"},
    "pyarrow": {"files", "measures"},
    "rich": {"cli"},
    "shap": {"measures"},
    "starlette": {"app"},
    "threadpoolctl": {"measures", "search"},
    "traitlets": {"app"},
    "typer": {"cli"},
    "uvicorn": {"app"},
}
#: Those that have more than a few homes.
AT_LARGE = {"numpy", "scipy", "sklearn"}

MODULES = modules_in(PACKAGE)


def importers(third_party):
    """The places of the modules that import a package."""
    return [
        module.place
        for module in MODULES.values()
        if any(name.split(".")[0] == third_party for name in module.imports)
    ]


# --- Rooms ------------------------------------------------------------------------------------------------
def test_the_scan_sees_lazy_and_relative_imports():
    code = (
        "def f():\n    from ..measures import score\n    import pandas\n    import_module('numpy.linalg')\n"
    )
    module = Module("altsets.search.imaginary", "search/imaginary.py", code)
    assert module.imports == ["altsets.measures.score", "pandas", "numpy.linalg"]


def test_every_room_has_a_place_in_the_order():
    assert unknown_rooms(MODULES) == []
    assert {module.room for module in MODULES.values()} == {"altsets", *ROOMS}


def test_imports_point_downward():
    """Also inside functions, and for types alone; the package itself, with the public names, is above all rooms."""
    assert upward_imports(MODULES) == []


def test_no_modules_import_each_other_in_a_ring():
    assert rings(import_graph(MODULES)) == []


def test_no_packages_import_each_other_in_a_ring():
    """At every level: rooms, and the modules and packages inside each."""
    graph = import_graph(MODULES)
    packages = {name.rpartition(".")[0] for name in MODULES if "." in name}
    found = {package: rings(room_graph(graph, package)) for package in packages}
    assert {package: ring for package, ring in found.items() if ring} == {}


def test_upward_imports_and_rings_are_found():
    made = {
        "altsets": "from altsets.search import find",
        "altsets.search": "",
        "altsets.search.find": "from altsets.result import Result",
        "altsets.result": "def f():\n    from altsets.search.find import find\n    from altsets import __version__",
        "altsets.errors": "",
    }
    modules = {name: Module(name, f"{name}.py", code) for name, code in made.items()}
    assert upward_imports(modules) == ["altsets.result -> altsets", "altsets.result -> altsets.search.find"]
    graph = import_graph(modules)
    assert rings(graph) == [["altsets.result", "altsets.search.find"]]
    assert rings(room_graph(graph)) == [["result", "search"]]
    assert rings({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert unknown_rooms({"altsets.attic": Module("altsets.attic", "attic.py", "")}) == ["attic"]


# --- Packages of others -----------------------------------------------------------------------------------
def test_search_sees_no_table():
    for third_party in ("sklearn", "pandas", "polars", "pyarrow"):
        assert not [module for module in importers(third_party) if module.startswith("search/")]


def test_scikit_learn_stays_out_of_the_lower_rooms():
    lower = set(ROOMS[ROOMS.index("search") :]) - {"measures", "quality", "tables"}
    modules = importers("sklearn")
    assert [place for place in modules if place.startswith("quality/")] == ["quality/_black_box.py"]
    assert not [place for place in modules if place.split("/")[0].removesuffix(".py") in lower]


def test_the_solver_is_imported_in_one_engine_module():
    modules = importers("highspy")
    assert len(modules) == 1
    assert modules[0].startswith("search/")


@pytest.mark.parametrize("third_party", HOMES)
def test_packages_stay_in_their_rooms(third_party):
    rooms = {place.split("/")[0].removesuffix(".py") for place in importers(third_party)}
    assert rooms == HOMES[third_party]


def test_every_package_has_a_home():
    imported = {name.split(".")[0] for module in MODULES.values() for name in module.imports}
    assert imported - sys.stdlib_module_names - {"altsets"} == HOMES.keys() | AT_LARGE


def test_nothing_prints_outside_the_command_line():
    for module in MODULES.values():
        if module.room == "cli":
            continue
        for node in module.nodes:
            called = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            )
            assert not called, f"{module.place} line {node.lineno} prints"


def test_import_is_light():
    heavy = ("numpy", "sklearn", "scipy", "pandas", "highspy", "typer")
    code = f"import sys, altsets; dir(altsets); print([name for name in {heavy} if name in sys.modules])"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *filter(None, sys.path)]),
    }
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    assert run.stdout.strip() == "[]"


# --- Names ------------------------------------------------------------------------------------------------
def private_to(module):
    """The package outside which a module is not to be imported; None if it is no private one."""
    parts = module.split(".")
    # A private package of the first rank, such as _kernels, is a room like others.
    private = [place for place, part in enumerate(parts) if part.startswith("_") and place > 1]
    return ".".join(parts[: private[0]]) if private else None


def test_private_modules_are_imported_in_their_own_package_only():
    for here, imported in import_graph(MODULES).items():
        for module in imported:
            owner = private_to(module)
            assert owner is None or f"{here}.".startswith(f"{owner}."), f"{here} imports {module}"


def test_what_is_private_is_known():
    assert private_to("altsets.quality._form") == "altsets.quality"
    assert private_to("altsets.search.simultaneous._part") == "altsets.search.simultaneous"
    assert private_to("altsets.quality.given") is None
    assert private_to("altsets._kernels.packing") is None
    assert private_to("altsets._kernels._stand_in") == "altsets._kernels"
    assert module_of("altsets.quality._form.Form", ["altsets.quality", "altsets.quality._form"]) == (
        "altsets.quality._form"
    )


def test_modules_are_short():
    # About 500 lines at most. A kernel is one class, which cannot stand in two files.
    long = {
        module.place: n_lines
        for module in MODULES.values()
        if module.room != "_kernels" and (n_lines := len(module.text.splitlines())) > 650
    }
    assert not long


def test_no_two_classes_share_a_name():
    homes = {}
    for module in MODULES.values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module.place)
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert not shared


# --- The public surface ---------------------------------------------------------------------------
def test_public_surface():
    assert set(altsets.__all__) - {"__version__"} == {
        *("find", "frontier", "near_best", "what_if", "evaluate"),
        *("iterate", "verify", "export_model", "reduced", "read_table"),
        *("SelectAlternatives", "SelectFeatures", "FallbackEstimator"),
        *("Session", "Request", "Result", "Status"),
        *("quality", "constraints", "dissimilarity", "measures", "plots", "errors", "io", "results"),
    }
    assert dir(altsets) == sorted(altsets.__all__)
    assert quality.__all__ == [
        "CFS",
        "FCBF",
        "MRMR",
        "Additive",
        "BlackBox",
        "Embedded",
        "FittedSet",
        "Form",
        "LinearFit",
        "Quality",
        "Wrapper",
    ]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        altsets.nonsense  # noqa: B018


REMOVED = [
    "evaluate_frontier",
    "Frontier",
    "Problem",
    "survival_target",
    "Balance",
    "PenaltyFrontier",
    "TradeoffProgress",
    "balance",
    "tradeoff",
    "Importance",
    "frontier_points",
    "most_different",
    "most_sets",
]


@pytest.mark.parametrize("name", REMOVED)
def test_a_removed_name_says_what_to_use(name, refused):
    with refused(AttributeError):
        getattr(altsets, name)


def test_find_follows_the_contract():
    parameters = inspect.signature(altsets.find).parameters
    expected = {
        "n_alternatives": 3,
        "dissimilarity": "dice",
        "search": "sequential",
        "aggregation": "sum",
        "constraints": (),
        "existing": (),
        "time_limit": None,
        "engine": "auto",
        "callback": None,
    }
    for name, default in expected.items():
        assert parameters[name].default == default
    # Where None stands for a number, the request has it.
    assert parameters["tau"].default in (None, 0.5)
    assert parameters["n_features"].default is None
    assert altsets.Request().n_features == 5
