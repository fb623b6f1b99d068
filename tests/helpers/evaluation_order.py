"""What C leaves open about kernels: in which order the operands of an expression are evaluated.

Python goes from left to right. In C the arguments of a call, the operands of an operator, an index and what it indexes,
and both sides of an assignment are evaluated in any order, which is one thing on ARM and another on x86-64. That is of
no consequence unless one of them changes what another one reads.

:func:`faults` finds such expressions. That answers are the same on both processors is what ``make foreign`` checks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

#: Functions that write nothing and read nothing but their arguments.
PURE = {
    *(
        "abs",
        "bool",
        "enumerate",
        "float",
        "int",
        "len",
        "list",
        "max",
        "min",
        "range",
        "sorted",
        "sum",
        "tuple",
    ),
    *("exp", "log", "log1p", "lowest", "ones", "sqrt"),
}
#: The same of NumPy's arrays, numbers and dictionaries, which plain Python code around the loops uses.
PURE_METHODS = {
    *("any", "astype", "bit_count", "bit_length", "copy", "items", "max", "min", "reshape", "sum", "tolist"),
    "transpose",
}
#: Modules, which are not state.
MODULES = {"cython", "np"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _inner(function: Function) -> Iterator[ast.AST]:
    """What a function is made of, without decorators, annotations and other functions' definitions."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            skipped = node.annotation if isinstance(node, ast.AnnAssign) else None
            todo += [child for child in ast.iter_child_nodes(node) if child is not skipped]


class Kernel:
    """A kernel's source, and which of its functions write state: by themselves, or through others."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.functions = list(_functions(self.tree))
        self.classes = {node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}
        self.names = {function.name for function in self.functions}
        self.local = {id(function): self._local(function) for function in self.functions}
        # Functions and methods by their names alone: of two with the same name, one that writes is enough.
        self.writing: set[str] = set()
        while True:
            writing = {function.name for function in self.functions if self._writes(function)}
            if writing == self.writing:
                break
            self.writing = writing

    @staticmethod
    def _local(function: Function) -> set[str]:
        arguments = (node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg))
        stored = (
            node.id
            for node in _inner(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        return {*arguments, *stored}

    def _writes(self, function: Function) -> bool:
        for node in _inner(function):
            if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
                return True
            if isinstance(node, ast.Call) and self.call_writes(node, self.local[id(function)]):
                return True
        return False

    def is_pure(self, call: ast.Call, local: set[str]) -> bool:
        """Whether a call reads nothing but its arguments; NumPy's functions write where they are told to."""
        match call.func:
            case ast.Name(id=name):
                return name in PURE and name not in local
            case ast.Attribute(value=ast.Name(id=name), attr=_) if name in MODULES and name not in local:
                return all(keyword.arg != "out" for keyword in call.keywords)
            case ast.Attribute(attr=name):
                return name in PURE_METHODS and name not in self.names
        return False

    def call_writes(self, call: ast.Call, local: set[str]) -> bool:
        """Nobody knows what functions do that came as arguments, so they write."""
        if self.is_pure(call, local):
            return False
        match call.func:
            case ast.Name(id=name):
                known = name in self.names and name not in local
            case ast.Attribute(attr=name):
                known = name in self.names
            case _:
                return True
        return not known or name in self.writing


class _Checker:
    """Goes through the expressions of one function."""

    def __init__(self, kernel: Kernel, function: Function) -> None:
        self.kernel = kernel
        self.local = kernel.local[id(function)]
        self.found: list[tuple[int, str]] = []

    def together(self, operands: Iterable[ast.AST | None], where: ast.AST) -> tuple[bool, bool]:
        """Operands of which C may take any first: whether they read state, and whether they write it."""
        effects = [self.effect(operand) for operand in operands if operand is not None]
        for number, (_, writes) in enumerate(effects):
            if writes and any(any(other) for i, other in enumerate(effects) if i != number):
                self.found.append((where.lineno, ast.unparse(where)))
                break
        return any(reads for reads, _ in effects), any(writes for _, writes in effects)

    def in_turn(self, parts: Iterable[ast.AST]) -> tuple[bool, bool]:
        """Parts that C evaluates one after the other."""
        effects = [self.effect(part) for part in parts]
        return any(reads for reads, _ in effects), any(writes for _, writes in effects)

    def effect(self, node: ast.AST) -> tuple[bool, bool]:
        """Whether an expression reads state, and whether it writes it."""
        match node:
            case ast.Constant() | ast.Name() | ast.Lambda():
                return False, False
            case ast.Call():
                return self.call(node)
            case ast.Attribute(value=value):
                reads, writes = self.effect(value)
                module = isinstance(value, ast.Name) and value.id in MODULES
                # Where an attribute of a local object is stored is no question of state.
                return reads or not (module or isinstance(node.ctx, ast.Store)), writes
            case ast.Subscript(value=value, slice=index):
                reads, writes = self.together([value, index], node)
                return reads or not isinstance(node.ctx, ast.Store), writes
            case ast.BoolOp() | ast.IfExp() | ast.UnaryOp() | ast.Starred() | ast.keyword():
                return self.in_turn(ast.iter_child_nodes(node))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp() | ast.comprehension():
                return self.in_turn(ast.iter_child_nodes(node))
            case ast.expr():
                return self.together(ast.iter_child_nodes(node), node)
        return False, False

    def call(self, node: ast.Call) -> tuple[bool, bool]:
        method = isinstance(node.func, ast.Attribute) and (
            node.func.attr in self.kernel.names or self.kernel.is_pure(node, self.local)
        )
        function = node.func.value if method else node.func
        reads, writes = self.together([function, *node.args, *node.keywords], node)
        if self.kernel.is_pure(node, self.local):
            return reads, writes
        return True, writes or self.kernel.call_writes(node, self.local)

    def statement(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.together([value, *targets], node)
            case ast.AugAssign(target=target, value=value):
                self.together([value, *self.read_before(target)], node)
            case ast.AnnAssign(target=target, value=value):
                self.together([value, target], node)
            case ast.NamedExpr() | ast.Global() | ast.Nonlocal():
                self.found.append((node.lineno, ast.unparse(node)))
            case ast.stmt():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.effect(child)
                    elif isinstance(child, ast.withitem):
                        self.effect(child.context_expr)

    @staticmethod
    def read_before(target: ast.expr) -> list[ast.expr]:
        """The target of ``+=`` as something that is read."""
        return [ast.parse(ast.unparse(target), mode="eval").body]


def faults(source: str) -> list[tuple[int, str]]:
    """Where a kernel depends on the order in which C evaluates operands: line numbers and expressions.

    That is where a call that writes state stands beside another call or beside something that reads an attribute or the
    element of an array, be it in order to find the target of an assignment. ``and``, ``or`` and conditional expressions
    are evaluated in order in C, too. Assignments within expressions and to names of other functions have no place in a
    kernel.
    """
    kernel = Kernel(source)
    found = []
    for function in kernel.functions:
        checker = _Checker(kernel, function)
        for node in _inner(function):
            if isinstance(node, ast.stmt | ast.NamedExpr) and not isinstance(node, Function | ast.ClassDef):
                checker.statement(node)
            elif isinstance(node, ast.Lambda):
                checker.effect(node.body)
        found += checker.found
    return sorted(set(found))
