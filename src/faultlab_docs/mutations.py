"""Small changes of a module's source, one at a time: what the mutants session applies.

Every constant, comparison, connective and condition is changed once, every statement of a
function is deleted once. Names of keys, docstrings and annotations are left alone.
"""

import ast
import json
from collections import Counter
from dataclasses import dataclass
from typing import Final

FLIPPED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}

_DELETED: Final = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If, ast.Raise, ast.Return)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One changed version of a module.

    Attributes:
        module: The module's path below src/faultlab.
        id: Where and what, without line numbers, so that it outlives edits elsewhere.
        line: The line that is changed, from 1.
        source: The whole module with the change in it.
    """

    module: str
    id: str
    line: int
    source: str


@dataclass(frozen=True, kw_only=True)
class _Change:
    where: str
    what: str
    span: tuple[int, int]
    text: str


def mutants(source: str, module: str = "module.py") -> list[Mutant]:
    """Every mutant of a module, in the order of its lines; all differ and all compile."""
    finder = _Finder(source)
    finder.visit(finder.tree)
    original = ast.dump(finder.tree)
    seen: Counter[str] = Counter()
    found = []
    for change in sorted(finder.changes, key=lambda change: change.span):
        start, end = change.span
        changed = source[:start] + change.text + source[end:]
        if ast.dump(ast.parse(changed)) == original:
            raise AssertionError(f"{change.where}: {change.what} changes nothing")
        name = f"{module}: {change.where}: {change.what}"
        seen[name] += 1
        suffix = f" ({seen[name]})" if seen[name] > 1 else ""
        line = source.count("\n", 0, start) + 1
        found.append(Mutant(module=module, id=f"{name}{suffix}", line=line, source=changed))
    return found


class _Finder(ast.NodeVisitor):
    """Walks the module and collects changes as replacements of stretches of its text."""

    def __init__(self, source: str) -> None:
        self.changes: list[_Change] = []
        self.tree = ast.parse(source)
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line.encode()))
        self._bytes = source.encode()
        self._where: list[str] = []

    def _offset(self, line: int, column: int) -> int:
        """Columns of the AST count bytes, spans count characters."""
        return len(self._bytes[: self._starts[line - 1] + column].decode())

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self._offset(node.lineno, node.col_offset), self._offset(*end)

    def _text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _add(self, what: str, span: tuple[int, int], text: str) -> None:
        where = ".".join(self._where) or "module"
        self.changes.append(_Change(where=where, what=" ".join(what.split()), span=span, text=text))

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        old = " ".join(self._text(node).split())
        self._add(f"{old} becomes {text}", self._span(node), text)

    # Structure: what is walked, and under which name.

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._where.append(node.name)
        for child in node.body:
            # The fields of a TypedDict or dataclass are annotations, no behaviour.
            if not isinstance(child, ast.AnnAssign) and not _is_docstring(child):
                self.visit(child)
        self._where.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._where.append(node.name)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        for child in node.body:
            if not _is_docstring(child):
                self._statement(child)
        self._where.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and isinstance(node.target, ast.Name):
            self._where.append(node.target.id)
            self.visit(node.value)
            self._where.pop()

    def visit_Module(self, node: ast.Module) -> None:
        for child in node.body:
            if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name):
                self._where.append(child.targets[0].id)
                self.visit(child)
                self._where.pop()
            elif not _is_docstring(child):
                self.visit(child)

    def _statement(self, node: ast.AST) -> None:
        if isinstance(node, _DELETED):
            first = self._text(node).splitlines()[0].rstrip("(")
            self._add(f"{first} is deleted", self._span(node), "pass")
        if isinstance(node, ast.If):
            self._negate(node.test)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler):
                self._statement(child)
            elif not _is_target(child):
                self.visit(child)

    # Changes of expressions.

    def _negate(self, test: ast.expr) -> None:
        # A comparison's operator is flipped below, a `not` is taken away there.
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            self._replace(test, f"not ({self._text(test)})")

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._add("the condition becomes True", self._span(node.body), "True")
        self.visit(node.body)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            old, new = FLIPPED[type(operator)]
            self._between(left, right, old, new, node)
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, old, new, node)
        self.generic_visit(node)

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str, of: ast.expr) -> None:
        """Replace an operator, which stands in the text between its operands."""
        start, end = self._span(left)[1], self._span(right)[0]
        at = self._source.index(old, start, end)
        self._add(f"{old} becomes {new} in {self._text(of)}", (at, at + len(old)), new)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, self._text(node.operand))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "deepcopy":
            inner = self._text(node.args[0])
            self._replace(node, inner)
            self._replace(node, f"dict({inner})")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in ("ValueError", "AssertionError"):
            self._replace(node, "RuntimeError")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if not isinstance(node.slice, ast.Constant):  # a key's name
            self.visit(node.slice)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        constants = (part.value for part in node.values if isinstance(part, ast.Constant))
        words = " … ".join(str(value).strip(" :=,.") for value in constants).removeprefix(" … ")
        start, _ = self._span(node)
        self._add(f'the text "{words}" gains an x', (start, start), '"x" ')

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._replace(node, repr(not value))
        elif isinstance(value, int):
            self._replace(node, repr(value + 1))
        elif isinstance(value, str):
            # As JSON writes it, so that a line break in it stays an escape.
            self._replace(node, json.dumps(f"{value}x", ensure_ascii=False))
        elif value is None:
            self._replace(node, '"x"')


def _is_target(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
