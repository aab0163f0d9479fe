"""The source text of the functions that a report tells of, so that the report stands alone."""

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from faultlab.dst.places import Line

FUNCTION_MAX = 200
"""Lines up to which a function is shown whole, with the functions inside of it."""

AROUND = 5
"""Lines before and after a line that belongs to no function, or to one that is too long."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Source:
    """Some lines of a file that stand together: a function, or what is around a line.

    Attributes:
        file: As `Line.file`.
        function: Name of the function, with its class; empty for other lines.
        first: Number of the first line.
        lines: The text of the lines, with their common indentation taken away.
    """

    file: str
    function: str
    first: int
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "lines": list(self.lines)}


def sources_of(lines: Iterable[Line], paths: dict[str, str]) -> tuple[Source, ...]:
    """The functions around these lines, ordered by file and line; read through `linecache`.

    Args:
        lines: All lines that a report names.
        paths: Where to read each `Line.file`; what is missing here has no source.
    """
    wanted: dict[str, set[int]] = {}
    for line in lines:
        wanted.setdefault(line.file, set()).add(line.number)
    found: list[Source] = []
    for file in sorted(wanted):
        text = linecache.getlines(paths.get(file, ""))
        numbers = [number for number in sorted(wanted[file]) if 1 <= number <= len(text)]
        spans = _merged(
            {_span(number, text, function) for number, function in _within(text, numbers)}
        )
        found += [_source(file, text, *span) for span in spans]
    return tuple(found)


def _within(
    text: list[str], numbers: list[int]
) -> Iterator[tuple[int, tuple[int, int, str] | None]]:
    """Each line with the function to show for it: the outermost that is not too long."""
    functions = sorted(_functions(text))
    for number in numbers:
        around = [known for known in functions if known[0] <= number <= known[1]]
        short = [known for known in around if known[1] - known[0] < FUNCTION_MAX]
        yield number, (short[0] if short else None)


def _functions(text: list[str]) -> list[tuple[int, int, str]]:
    """First line, last line and name of every function; none where the text is no Python."""
    try:
        tree = ast.parse("".join(text))
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[tuple[int, int, str]] = []
    ahead: list[tuple[ast.AST, str]] = [(tree, "")]
    while ahead:
        node, above = ahead.pop()
        name = above
        if isinstance(node, Function | ast.ClassDef):
            name = f"{above}.{node.name}" if above else node.name
        if isinstance(node, Function):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found.append((first, node.end_lineno or node.lineno, name))
        ahead += [(child, name) for child in ast.iter_child_nodes(node)]
    return found


def _span(
    number: int, text: list[str], function: tuple[int, int, str] | None
) -> tuple[int, int, str]:
    if function is not None:
        return function
    return max(1, number - AROUND), min(len(text), number + AROUND), ""


def _merged(spans: set[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans in order, those that overlap made one."""
    merged: list[tuple[int, int, str]] = []
    for first, last, name in sorted(spans):
        if merged and first <= merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], last), before[2])
        else:
            merged.append((first, last, name))
    return merged


def _source(file: str, text: list[str], first: int, last: int, function: str) -> Source:
    lines = [line.rstrip().expandtabs(4) for line in text[first - 1 : last]]
    indents = [len(line) - len(line.lstrip()) for line in lines if line]
    cut = min(indents, default=0)
    return Source(
        file=file, function=function, first=first, lines=tuple(line[cut:] for line in lines)
    )
