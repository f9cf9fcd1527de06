"""Bring a source's AST to the form in which only what bytecode can hold is left, so that two texts can be compared.

Every rule here removes a difference that the compiler removes too: docstring layout, annotations of locals, statements
without effect, code that cannot be reached, folded constants, `if a and b` or nested ifs, `not` pushed through and/or in
conditions, a trailing `return None`, `del (a, b)`, the place of `global`. Nothing else is touched.
"""

from __future__ import annotations

import ast
import inspect
import operator
from typing import Any, Callable, Dict, List, Optional, Type, TypeVar

from tools.folding import (
    BINARY,
    UNARY,
    condition,
    constant,
    fold,
    is_none,
    iterated,
    joined,
    literal,
    membership,
    merged,
    negation,
    percent,
)

Node = TypeVar("Node", bound=ast.AST)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)

class Normaliser(ast.NodeTransformer):
    """Bottom up: expressions first, then each list of statements by `block`."""

    def __init__(self, drops_dead: bool) -> None:
        self.in_function = False
        self.drops_dead = drops_dead

    # expressions

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        known, value = constant(node.operand)
        folded = fold(UNARY[type(node.op)], value) if known else None
        if folded is None and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Compare):
            return negation(node.operand)
        return folded or node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        (left_known, left), (right_known, right) = constant(node.left), constant(node.right)
        if left_known and right_known and type(node.op) in BINARY:
            return fold(BINARY[type(node.op)], left, right) or node
        if isinstance(node.op, ast.Mod) and isinstance(left, str) and isinstance(node.right, ast.Tuple):
            return percent(left, node.right) or node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        (known, value), (key_known, key) = constant(node.value), constant(getattr(node.slice, "value", node.slice))
        if known and not key_known:
            key_known, key = constant(node.slice)
        if known and key_known and isinstance(node.ctx, ast.Load):
            return fold(operator.getitem, value, key) or node
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for index, op in enumerate(node.ops):
            if isinstance(op, (ast.In, ast.NotIn)):
                node.comparators[index] = membership(node.comparators[index])
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return joined(node.op, node.values)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = condition(node.test)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return literal(node.value)  # without the `u` of u'...'

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return merged(node.values)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = iterated(node.iter)
        tests: List[ast.expr] = []
        for test in map(condition, node.ifs):
            tests.extend(test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test])
        node.ifs = tests
        return node

    # statements

    def _function(self, node: Any) -> ast.AST:
        outside, self.in_function = self.in_function, True
        docstring = _take_docstring(node)
        self.generic_visit(node)
        self.in_function = outside
        names = _take_scopes(node)
        body = self.block(_trimmed(node.body, _returns_none))
        node.body = docstring + names + body or [ast.Pass()]
        node.type_comment = None
        return node  # type: ignore[no-any-return]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outside, self.in_function = self.in_function, False
        docstring = _take_docstring(node)
        self.generic_visit(node)
        self.in_function = outside
        node.body = docstring + self.block(node.body) or [ast.Pass()]
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        docstring = _take_docstring(node)
        self.generic_visit(node)
        node.body = docstring + self.block(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if not self.in_function:
            return node
        if node.value is not None:
            return ast.Assign([node.target], node.value, None)
        return None if isinstance(node.target, ast.Name) else ast.Expr(getattr(node.target, "value", node.target))

    def visit_Delete(self, node: ast.Delete) -> Any:
        self.generic_visit(node)
        flat: List[ast.expr] = []
        for target in node.targets:
            flat.extend(target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])
        return ast.Delete(flat)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        return ast.Return(None) if is_none(node.value) else node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = condition(node.test)
        return node

    def _with(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.body = self.block(node.body) or [ast.Pass()]
        node.type_comment = None
        return node  # type: ignore[no-any-return]

    visit_With = _with
    visit_AsyncWith = _with

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        node.test = condition(node.test)
        if not node.body and node.orelse:
            node.test, node.body, node.orelse = negation(node.test), node.orelse, []
        if len(node.body) == 1 and isinstance(node.body[0], ast.If) and not node.orelse and not node.body[0].orelse:
            inner = node.body[0]
            node.test, node.body = joined(ast.And(), [node.test, inner.test]), inner.body
        node.body = node.body or [ast.Pass()]
        return node

    def _loop(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.While):
            node.test = condition(node.test)
        else:
            node.iter = iterated(node.iter)
            node.type_comment = None
        node.body = self.block(node.body) or [ast.Pass()]
        node.orelse = self.block(node.orelse)
        return node  # type: ignore[no-any-return]

    visit_While = _loop
    visit_For = _loop
    visit_AsyncFor = _loop

    def _try(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.body = self.block(node.body) or [ast.Pass()]
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        for handler in node.handlers:
            handler.body = self.block(handler.body) or [ast.Pass()]
        if len(node.body) == 1 and type(node.body[0]) is type(node) and not node.handlers:
            inner = node.body[0]  # try/except inside try/finally is one statement for the compiler
            if inner.handlers and not inner.finalbody and node.finalbody:
                inner.finalbody = node.finalbody
                return inner  # type: ignore[no-any-return]
        return node  # type: ignore[no-any-return]

    visit_Try = _try
    visit_TryStar = _try

    def visit_match_case(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.body = self.block(node.body) or [ast.Pass()]
        if node.guard is not None:
            node.guard = condition(node.guard)
        return node  # type: ignore[no-any-return]

    def block(self, statements: List[ast.stmt]) -> List[ast.stmt]:
        """Statements that run; those after one that leaves dropped."""
        kept: List[ast.stmt] = []
        waiting = list(reversed(statements))
        while waiting:
            statement = waiting.pop()
            if isinstance(statement, ast.Pass):
                continue
            if isinstance(statement, ast.Expr) and constant(statement.value)[0]:
                continue
            runs = _known_to_run(statement) if self.drops_dead else None
            if runs is not None:
                waiting.extend(reversed(runs))
                continue
            kept.append(statement)
            if self.drops_dead and _leaves([statement]):
                break
        return kept


def _known_to_run(statement: ast.stmt) -> Optional[List[ast.stmt]]:
    """What is left of a statement whose test is a constant."""
    test = getattr(statement, "test", None)
    if isinstance(statement, ast.If) and isinstance(test, ast.Constant):
        return statement.body if test.value else statement.orelse
    if isinstance(statement, ast.While) and isinstance(test, ast.Constant) and not test.value:
        return statement.orelse
    return None


def _leaves(statements: List[ast.stmt]) -> bool:
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, LEAVES)


def _returns_none(last: ast.stmt) -> bool:
    return isinstance(last, ast.Return) and last.value is None


def _trimmed(statements: List[ast.stmt], superfluous: Callable[[ast.stmt], bool]) -> List[ast.stmt]:
    """Without a last statement that says what would happen anyway, in the branches of a last `if` or `try` too."""
    while statements and superfluous(statements[-1]):
        statements = statements[:-1]
    if statements and isinstance(statements[-1], ast.If):
        last = statements[-1]
        last.body, last.orelse = _trimmed(last.body, superfluous), _trimmed(last.orelse, superfluous)
        if not last.body and last.orelse:
            last.test, last.body, last.orelse = negation(last.test), last.orelse, []
        last.body = last.body or [ast.Pass()]
    elif statements and isinstance(statements[-1], ast.Try) and not statements[-1].finalbody:
        for handler in statements[-1].handlers:
            handler.body = _trimmed(handler.body, superfluous) or [ast.Pass()]
        statements[-1].orelse = _trimmed(statements[-1].orelse, superfluous)
    return statements


def _take_docstring(node: Any) -> List[ast.stmt]:
    """Remove the docstring and give it back as its own statement, without indentation."""
    if node.body and isinstance(node.body[0], ast.Expr):
        known, value = constant(node.body[0].value)
        if known and isinstance(value, str):
            node.body = node.body[1:]
            return [ast.Expr(ast.Constant(inspect.cleandoc(value)))]
    return []


def _take_scopes(function: Any) -> List[ast.stmt]:
    """Remove `global` and `nonlocal` statements of a function (not of functions in it), and give back one of each."""
    found: Dict[Type[ast.stmt], set] = {ast.Global: set(), ast.Nonlocal: set()}

    class Remover(ast.NodeTransformer):
        def visit_Global(self, node: ast.Global) -> None:
            found[ast.Global].update(node.names)

        def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
            found[ast.Nonlocal].update(node.names)

        def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
            return node

        visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    function.body = [kept for kept in map(Remover().visit, function.body) if kept is not None]
    return [kind(sorted(names)) for kind, names in found.items() if names]  # type: ignore[call-arg]


def normalise(tree: Node, drops_dead: bool = True) -> Node:
    """The normal form; the tree that is given is changed.

    Dead code of a source is not in its bytecode. A decompiled text has no such excuse: without `drops_dead` it stays and counts."""
    return Normaliser(drops_dead).visit(tree)  # type: ignore[no-any-return]
