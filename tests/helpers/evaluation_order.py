"""What C leaves open about kernels: in which order the operands of an expression are evaluated.

Python goes from left to right. In C the arguments of a call, the operands of an operator, an index and what it indexes,
and both sides of an assignment are evaluated in any order, which is one thing on ARM and another on x86-64. That is of
no consequence unless one of them changes what another one reads.

:func:`faults` finds such expressions. :func:`right_to_left` makes plain Python evaluate the other way round.
"""

from __future__ import annotations

import ast
import operator
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


# --- The other way round --------------------------------------------------------------------------

_OPERATORS = {
    **{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv"},
    **{ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_"},
    **{ast.BitOr: "or_", ast.BitXor: "xor", ast.MatMult: "matmul"},
    **{ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"},
    **{ast.Is: "is_", ast.IsNot: "is_not"},
}


def _apply(operands: tuple, names: list[str]) -> object:
    """Call the last of the operands with the others, which are in the wrong order; the first ones have names."""
    *others, function = operands
    others.reverse()
    n_plain = len(others) - len(names)
    return function(*others[:n_plain], **dict(zip(names, others[n_plain:], strict=True)))


def _calls(*nodes: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) for node in nodes for inner in ast.walk(node))


class _Reverser(ast.NodeTransformer):
    """Rewrites what has a call among several operands: without one, nobody could tell the order."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = self.generic_visit(node)
        plain = all(keyword.arg for keyword in node.keywords)
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not plain or any(isinstance(part, ast.Starred) for part in parts) or not _calls(*parts):
            return node
        names = [keyword.arg for keyword in node.keywords]
        return self.reversed([node.func, *parts], names)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node = self.generic_visit(node)
        return self.operation(node, node.op, node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node = self.generic_visit(node)
        if len(node.ops) > 1:
            return node
        return self.operation(node, node.ops[0], node.left, node.comparators[0])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or any(isinstance(n, ast.Slice) for n in ast.walk(node.slice)):
            return node
        if not _calls(node.value, node.slice):
            return node
        return self.reversed([self.name("getitem"), node.value, node.slice], [])

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return self.display(node, "tuple_of")

    def visit_List(self, node: ast.List) -> ast.AST:
        return self.display(node, "list_of")

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Find the place first; Python comes to that last."""
        node = self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript) or not _calls(node.value):
            return node
        if any(isinstance(part, ast.Slice) for part in ast.walk(target.slice)):
            return node
        target.value.ctx = ast.Load()
        call = ast.Call(self.name("setitem"), [target.value, target.slice, node.value], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """Read the target last."""
        node = self.generic_visit(node)
        if not _calls(node.value):
            return node
        added = ast.Name("_added", ast.Load())
        first = ast.Assign([ast.Name("_added", ast.Store())], node.value)
        return ast.copy_location(
            ast.If(ast.Constant(True), [first, ast.AugAssign(node.target, node.op, added)], []), node
        )

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def display(self, node: ast.Tuple | ast.List, maker: str) -> ast.AST:
        node = self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not _calls(node):
            return node
        if any(isinstance(part, ast.Starred | ast.Slice) for part in node.elts):
            return node
        return self.reversed([self.name(maker), *node.elts], [])

    def operation(self, node: ast.AST, kind: ast.AST, left: ast.expr, right: ast.expr) -> ast.AST:
        if type(kind) not in _OPERATORS or not _calls(left, right):
            return node
        return self.reversed([self.name(_OPERATORS[type(kind)]), left, right], [])

    @staticmethod
    def name(operation: str) -> ast.expr:
        return ast.Name(f"_{operation}", ast.Load())

    @staticmethod
    def reversed(parts: list[ast.expr], names: list[str]) -> ast.Call:
        operands = ast.Tuple(parts[::-1], ast.Load())
        listed = ast.List([ast.Constant(name) for name in names], ast.Load())
        return ast.Call(ast.Name("_apply", ast.Load()), [operands, listed], [])


def right_to_left(source: str, path: str, namespace: dict) -> None:
    """Run a module's source in a namespace such that its functions evaluate operands from right to left."""
    tree = ast.fix_missing_locations(_Reverser().visit(ast.parse(source)))
    namespace["_apply"] = _apply
    namespace["_tuple_of"] = lambda *parts: parts
    namespace["_list_of"] = lambda *parts: [*parts]
    for name in {*_OPERATORS.values(), "getitem", "setitem"}:
        namespace[f"_{name}"] = getattr(operator, name)
    exec(compile(tree, path, "exec"), namespace)
