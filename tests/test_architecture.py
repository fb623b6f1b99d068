"""Imports point downward only, heavy packages stay in their rooms, the public surface is as agreed."""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import altsets
from altsets import constraints, dissimilarity, plots, quality

PACKAGE = Path(altsets.__file__).parent

#: From the roof down; a room imports from itself and from what stands below it.
ROOMS = [
    "cli",
    "experiments",
    "report",
    "plots",
    "views",
    "evaluation",
    "selector",
    "provenance",
    "scores",
    "search",
    "quality",
    "measures",
    "tables",
    "problem",
    "dissimilarity",
    "constraints",
    "groups",
    "similarity",
    "result",
    "statuses",
    "documents",
    "new_files",
    "commands",
    "features",
    "wording",
    "errors",
    "arrays",
    "_kernels",
]

#: What answers need to show themselves.
REPORTS = ("altsets.report.notebook.in_notebook", "altsets.report.write_report")
#: Conveniences that point upward, from within a method: what room may import what.
UPWARD = {
    "evaluation/_evaluated_frontier.py": REPORTS,
    "evaluation/_evaluation.py": REPORTS,
    "result.py": REPORTS,
    "search/frontier/answer.py": REPORTS,
    "search/near_best/answer.py": REPORTS,
    "selector/_alternatives.py": (
        "altsets.report.sets.ScoredFeatures",
        "altsets.report.notebook.in_notebook",
    ),
    "similarity.py": (
        "altsets.measures.pairwise",
        "altsets.measures.pairs.pairs_of",
        "altsets.tables.conversion.features_of",
    ),
}

#: The same inside ``search/``.
SEARCH_ROOMS = [
    "frontier",
    "most_different",
    "most_sets",
    "families",
    "near_best",
    "find",
    "diagnosis",
    "black_box",
    "packing",
    "additive",
    "heuristics",
    "milp",
    "scaling",
    "degree_bounds",
    "subset",
    "sequential",
    "resources",
    "likeness",
    "compatibility",
    "engine",
    "compatibility",
    "tolerances",
    "run",
    "known",
]

#: Third-party packages, and where they may be imported (also inside functions).
HOMES = {
    "cython": ("_kernels/",),
    "highspy": ("search/milp/highs.py",),
    "jinja2": ("experiments/page.py", "report/render.py"),
    "distributed": ("experiments/run.py",),
    "joblib": (
        "evaluation/_parallel.py",
        "experiments/run.py",
        "measures/workers.py",
        "quality/_black_box.py",
    ),
    "matplotlib": ("experiments/drawing.py", "experiments/page.py", "plots/"),
    "narwhals": ("tables/column_conversion.py", "tables/original.py", "tables/target.py"),
    "pandas": (
        "evaluation/_evaluation.py",
        "experiments/tables.py",
        "experiments/store.py",
        "result.py",
    ),
    "openpyxl": ("tables/excel_tables.py",),
    "pyarrow": ("experiments/store.py", "tables/parquet_tables.py"),
    "rich": ("cli/printing.py",),
    "shap": ("measures/_importance.py",),
    "threadpoolctl": ("search/resources.py",),
    "typer": ("cli/",),
}
#: Those that have more than a few homes.
AT_LARGE = {"numpy", "scipy", "sklearn"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def place(path):
    return path.relative_to(PACKAGE).as_posix()


def room_of(path):
    first = place(path).split("/")[0].removesuffix(".py")
    return "cli" if first == "__main__" else first


def imports_of(path):
    """Full names of everything imported anywhere in a module, lazily or not."""
    package = ["altsets", *path.relative_to(PACKAGE).parent.parts]
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            names += [f"{source}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            names += [str(value.value) for value in node.args[:1] if isinstance(value, ast.Constant)]
    return names


def importers(third_party):
    return [
        place(path) for path in MODULES if any(name.split(".")[0] == third_party for name in imports_of(path))
    ]


def test_the_scan_sees_lazy_and_relative_imports(tmp_path):
    code = (
        "def f():\n    from ..measures import score\n    import pandas\n    import_module('numpy.linalg')\n"
    )
    module = PACKAGE / "search" / "imaginary.py"
    scanned = tmp_path / "imaginary.py"
    scanned.write_text(code, encoding="utf-8")

    class Fake(type(module)):
        def read_text(self, **options):
            return scanned.read_text(**options)

    assert imports_of(Fake(module)) == ["altsets.measures.score", "pandas", "numpy.linalg"]


def test_every_room_has_a_module():
    assert {room_of(path) for path in MODULES} - {"__init__"} == set(ROOMS)


@pytest.mark.parametrize("path", [path for path in MODULES if place(path) != "__init__.py"], ids=place)
def test_imports_point_downward(path):
    room = room_of(path)
    assert room in ROOMS, f"{place(path)} is in no known room; add it to ROOMS and to ARCHITECTURE.md"
    below = ROOMS[ROOMS.index(room) :]
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "altsets":
            # Those who write for users and later versions may say which version they are.
            says_version = room in ("cli", "experiments", "provenance", "report") and parts[1:] == [
                "__version__"
            ]
            upward = name in UPWARD.get(place(path), ())
            allowed = says_version or (len(parts) > 1 and parts[1] in below) or upward
            assert allowed, f"{place(path)} ({room}) imports {name}, which stands above it"


@pytest.mark.parametrize("path", [path for path in MODULES if room_of(path) == "search"], ids=place)
def test_imports_point_downward_inside_search(path):
    inside = place(path).split("/")[1].removesuffix(".py")
    if inside == "__init__":
        return
    assert inside in SEARCH_ROOMS, f"{place(path)} is in no known room; add it to SEARCH_ROOMS"
    below = SEARCH_ROOMS[SEARCH_ROOMS.index(inside) :]
    for name in imports_of(path):
        parts = name.split(".")
        if parts[:2] == ["altsets", "search"]:
            assert parts[2] in below, f"{place(path)} imports {name}, which stands above it"


def test_every_room_of_the_search_has_a_module():
    inside = {place(path).split("/")[1].removesuffix(".py") for path in MODULES if room_of(path) == "search"}
    assert inside - {"__init__"} == set(SEARCH_ROOMS)


def test_search_sees_no_table():
    for third_party in ("sklearn", "pandas", "polars", "pyarrow"):
        assert not [module for module in importers(third_party) if module.startswith("search/")]


def test_scikit_learn_stays_out_of_the_lower_rooms():
    lower = set(ROOMS[ROOMS.index("search") :]) - {"measures", "tables"}
    modules = importers("sklearn")
    assert "quality/_wrapper.py" in modules
    for module in modules:
        assert module == "quality/_wrapper.py" or room_of(PACKAGE / module) not in lower, module


def test_the_solver_is_imported_in_one_engine_module():
    modules = importers("highspy")
    assert len(modules) == 1
    assert modules[0].startswith("search/")


@pytest.mark.parametrize("third_party", HOMES)
def test_packages_stay_in_their_rooms(third_party):
    modules = importers(third_party)
    for home in HOMES[third_party]:
        assert any(module.startswith(home) for module in modules), f"{third_party} is not imported in {home}"
    for module in modules:
        assert module.startswith(HOMES[third_party]), f"{third_party} is imported in {module}"


def test_every_package_has_a_home():
    imported = {name.split(".")[0] for path in MODULES for name in imports_of(path)}
    assert imported - sys.stdlib_module_names - {"altsets"} == HOMES.keys() | AT_LARGE


def test_nothing_prints_outside_the_command_line():
    for path in MODULES:
        if room_of(path) == "cli":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            )
            assert not called, f"{place(path)} line {node.lineno} prints"


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


# --- Names and circles ------------------------------------------------------------------------------------

#: The modules by their full names; a package goes by its own.
BY_NAME = {
    ".".join(("altsets", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in MODULES
}


def module_of(name):
    """The module that an imported name is, or is in: the longest beginning of it that is one."""
    parts = name.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((beginning for beginning in beginnings if beginning in BY_NAME), None)


def private_to(module):
    """The package outside which a module is not to be imported; None if it is no private one."""
    parts = module.split(".")
    # A private package of the first rank, such as _kernels, is a room like others.
    private = [place for place, part in enumerate(parts) if part.startswith("_") and place > 1]
    return ".".join(parts[: private[0]]) if private else None


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_private_modules_are_imported_in_their_own_package_only(path):
    here = next(name for name, its_path in BY_NAME.items() if its_path == path)
    for name in imports_of(path):
        module = module_of(name)
        owner = private_to(module) if module else None
        if owner is not None:
            assert f"{here}.".startswith(f"{owner}."), f"{place(path)} imports {module}, private to {owner}"


def test_what_is_private_is_known():
    assert private_to("altsets.quality._form") == "altsets.quality"
    assert private_to("altsets.search.packing._part") == "altsets.search.packing"
    assert private_to("altsets.quality.given") is None
    assert private_to("altsets._kernels.packing") is None
    assert private_to("altsets._kernels._stand_in") == "altsets._kernels"
    assert module_of("altsets.quality._form.Form") == "altsets.quality._form"


def test_modules_are_short():
    # A kernel is one class, which cannot stand in two files.
    long = {
        place(path): n_lines
        for path in MODULES
        if room_of(path) != "_kernels"
        and (n_lines := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert not long


def test_no_two_classes_share_a_name():
    homes = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(place(path))
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert not shared


def imports_at_module_level(path):
    """The modules of altsets that a module needs before it is there: not those imported inside functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        # Imports for types alone count: they make two modules depend on each other all the same.
        if isinstance(node, ast.Import) and node not in inside:
            found |= {module_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node not in inside:
            assert not node.level, f"{place(path)} has a relative import"
            found |= {module_of(f"{node.module}.{alias.name}") for alias in node.names}
    return found - {None}


def circle_in(graph):
    """Modules that import each other in a circle, the first one again at the end; None if there is none."""
    done = set()

    def visit(module, way):
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return None
        for other in sorted(graph[module]):
            circle = visit(other, [*way, module])
            if circle:
                return circle
        done.add(module)
        return None

    return next(filter(None, (visit(module, []) for module in sorted(graph))), None)


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: imports_at_module_level(path) - {name} for name, path in BY_NAME.items()}
    # The package itself loads its names on first use; of its imports, all but the version are for types.
    graph["altsets"] = set()
    circle = circle_in(graph)
    assert circle is None, " -> ".join(circle)


def test_circles_are_found():
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


# --- The public surface ---------------------------------------------------------------------------


def test_public_surface():
    assert set(altsets.__all__) == {
        "EvaluatedFrontier",
        "EvaluatedPoint",
        "Evaluation",
        "Frontier",
        "FrontierPoint",
        "FrontierProgress",
        "NearBest",
        "Problem",
        "Progress",
        "Result",
        "SelectAlternatives",
        "SelectFeatures",
        "Status",
        "__version__",
        "constraints",
        "dissimilarity",
        "errors",
        "evaluate",
        "evaluate_frontier",
        "find",
        "frontier",
        "frontier_points",
        "iterate",
        "measures",
        "most_different",
        "most_sets",
        "near_best",
        "plots",
        "quality",
    }
    assert dir(altsets) == sorted(altsets.__all__)
    assert quality.__all__ == ["CFS", "FCBF", "MRMR", "Additive", "BlackBox", "Form", "Quality", "Wrapper"]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        altsets.nonsense  # noqa: B018


def public_names():
    for name in altsets.__all__:
        if not name.startswith("_"):
            yield f"altsets.{name}", getattr(altsets, name)
    for room in ("constraints", "dissimilarity", "errors", "quality", "measures", "plots"):
        module = getattr(altsets, room)
        for name in module.__all__:
            yield f"altsets.{room}.{name}", getattr(module, name)


@pytest.mark.parametrize("name", [name for name, _ in public_names()])
def test_public_names_are_documented(name):
    thing = dict(public_names())[name]
    if not (inspect.ismodule(thing) or callable(thing)):
        return
    assert (thing.__doc__ or "").strip(), name
    if inspect.isclass(thing):
        for attribute, member in vars(thing).items():
            described = inspect.isfunction(member) or isinstance(member, property | classmethod)
            if described and not attribute.startswith("_"):
                assert (inspect.getdoc(getattr(thing, attribute)) or "").strip(), f"{name}.{attribute}"


@pytest.mark.parametrize(
    "thing",
    [
        altsets.find,
        altsets.iterate,
        altsets.most_different,
        altsets.most_sets,
        altsets.near_best,
        altsets.evaluate,
        altsets.evaluate_frontier,
        altsets.EvaluatedFrontier,
        altsets.Evaluation,
        altsets.NearBest,
        altsets.Problem,
        altsets.Result,
    ]
    + [getattr(constraints, name) for name in constraints.__all__ if name != "Constraint"]
    + [getattr(dissimilarity, name) for name in dissimilarity.__all__]
    + [getattr(plots, name) for name in plots.__all__]
    + [getattr(quality, name) for name in quality.__all__],
)
def test_the_main_names_have_a_runnable_example(thing):
    assert doctest.DocTestParser().get_examples(thing.__doc__)


@pytest.mark.parametrize("function", [altsets.find, altsets.most_different, altsets.most_sets])
def test_every_parameter_of_a_search_is_described(function):
    described = inspect.getdoc(function)
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in described, name


def test_find_follows_the_contract():
    parameters = inspect.signature(altsets.find).parameters
    expected = {
        "n_features": 5,
        "n_alternatives": 3,
        "min_difference": None,
        "dissimilarity": "dice",
        "search": "sequential",
        "aggregation": "sum",
        "constraints": (),
        "existing": (),
        "time_limit": None,
        "engine": "auto",
        "callback": None,
        "max_iters": 1000,
    }
    for name, default in expected.items():
        assert parameters[name].default == default
    assert parameters["tau"].default in (None, 0.5)
