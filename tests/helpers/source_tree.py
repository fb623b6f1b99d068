"""The modules of a source tree and what they import, each parsed once; also used by ``tools/structure``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: From top to bottom; a room imports from itself and from those below it. The package itself, which hands out the
#: public names, stands above them all.
ROOMS = (
    "results",
    "io",
    "cli",
    "app",
    "report",
    "plots",
    "views",
    "session",
    "evaluation",
    "verbs",
    "selector",
    "provenance",
    "files",
    "search",
    "result",
    "request",
    "problem",
    "dissimilarity",
    "constraints",
    "quality",
    "measures",
    "tables",
    "display",
    "amounts",
    "documents",
    "features",
    "wording",
    "errors",
    "machine",
    "arrays",
    "version",
    "_kernels",
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """One file of the package ``altsets``, by its full name."""

    name: str
    place: str
    text: str

    @classmethod
    def read(cls, path: Path, package: Path) -> Module:
        """Read a file below the folder of the package."""
        inside = path.relative_to(package)
        name = ".".join(("altsets", *inside.with_suffix("").parts)).removesuffix(".__init__")
        return cls(name, inside.as_posix(), path.read_text(encoding="utf-8"))

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the syntax tree."""
        return list(ast.walk(ast.parse(self.text)))

    @property
    def room(self) -> str:
        """The first part of the name below the package; ``altsets`` for the package itself."""
        parts = self.name.split(".")
        if len(parts) == 1:
            return parts[0]
        return "cli" if parts[1] == "__main__" else parts[1]

    @property
    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        return (node for node in self.nodes if isinstance(node, FUNCTIONS))

    @cached_property
    def imports(self) -> list[str]:
        """Full names of everything imported anywhere in the module, also inside functions and for types alone."""
        return [name for node in self.nodes for name in self._imported_by(node)]

    def _imported_by(self, node: ast.AST) -> list[str]:
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            package = (
                self.name.split(".") if self.place.endswith("__init__.py") else self.name.split(".")[:-1]
            )
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            return [f"{source}.{alias.name}" for alias in node.names]
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            return [str(node.args[0].value)] if "import" in ast.unparse(node.func) else []
        return []


def modules_in(package: Path) -> dict[str, Module]:
    """All modules of a package by their names."""
    found = (Module.read(path, package) for path in sorted(package.rglob("*.py")))
    return {module.name: module for module in found}


def module_of(name: str, modules: Mapping[str, object]) -> str | None:
    """The module that an imported name is, or is in: the longest beginning of it that is one."""
    parts = name.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((beginning for beginning in beginnings if beginning in modules), None)


def import_graph(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Which modules of the package each one imports, lazily or not; the package itself counts as importing none.

    It hands out the public names on first use, and so is above all others; a module that imports it for a name would
    depend on everything, and shows up as an upward import.
    """
    graph = {}
    for name, module in modules.items():
        imported = {module_of(each, modules) for each in module.imports if each.split(".")[0] == "altsets"}
        graph[name] = {each for each in imported if each is not None and each != name}
    graph["altsets"] = set()
    return graph


def room_graph(graph: Mapping[str, Iterable[str]], package: str = "altsets") -> dict[str, set[str]]:
    """The same between the modules and packages that are directly inside a package."""
    rooms: dict[str, set[str]] = {}
    for name, imported in graph.items():
        room = child_of(package, name)
        if room is not None:
            others = {child_of(package, other) for other in imported}
            rooms.setdefault(room, set()).update(each for each in others - {None, room} if each is not None)
    return rooms


def child_of(package: str, name: str) -> str | None:
    """The part of a package's contents that a module belongs to; None if it is elsewhere, or the package itself."""
    return name.removeprefix(f"{package}.").split(".")[0] if name.startswith(f"{package}.") else None


def upward_imports(modules: Mapping[str, Module]) -> list[str]:
    """Imports, lazy or not, of modules in a room above the importing one."""
    below = {room: ROOMS[place:] for place, room in enumerate(ROOMS)}
    return [
        f"{name} -> {other}"
        for name, imported in import_graph(modules).items()
        for other in sorted(imported)
        if other == "altsets"
        or (modules[other].room in ROOMS and modules[other].room not in below.get(modules[name].room, ROOMS))
    ]


def unknown_rooms(modules: Mapping[str, Module]) -> list[str]:
    """Rooms that have no place in the order."""
    return sorted({module.room for module in modules.values()} - {*ROOMS, "altsets"})


def rings(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of modules that import each other in a ring: strongly connected components of more than one."""
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        _finish(start, graph, seen, order)
    backward: dict[str, set[str]] = {name: set() for name in graph}
    for name, imported in graph.items():
        for other in imported:
            backward[other].add(name)
    found, done = [], set[str]()
    for start in reversed(order):
        component: list[str] = []
        _finish(start, backward, done, component)
        if len(component) > 1:
            found.append(sorted(component))
    return sorted(found, key=lambda ring: (-len(ring), ring))


def _finish(start: str, graph: Mapping[str, Iterable[str]], seen: set[str], order: list[str]) -> None:
    """Append what can be reached from here and is new, each after all that it reaches."""
    if start in seen:
        return
    seen.add(start)
    waiting = [(start, iter(sorted(graph[start])))]
    while waiting:
        name, others = waiting[-1]
        new = next((other for other in others if other not in seen), None)
        if new is None:
            order.append(name)
            waiting.pop()
        else:
            seen.add(new)
            waiting.append((new, iter(sorted(graph[new]))))
