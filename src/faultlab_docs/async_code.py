"""The code of the runtimes beside their traces: what is shown of it, and which line calls what."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Final

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from faultlab.mock import LaneEvent
from faultlab_docs.places import ROOT

FOLDER: Final = "src/faultlab/async_lab"


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """The body of a runtime's handler, as it stands in its file.

    Attributes:
        file: The file's name.
        first: The number of the body's first line, behind the docstring.
        lines: The lines of the body, without the indentation that all of them have.
        calls: The line of each port call, by its name: `receiver.debit`.
        returns: The line that returns early because a port call said so, by that call's name.
    """

    file: str
    first: int
    lines: tuple[str, ...]
    calls: dict[str, int]
    returns: dict[str, int]


@cache
def runtime(mode: str) -> Runtime:
    """The runtime of a mode, read from its source."""
    path = ROOT / FOLDER / f"{mode}.py"
    source = path.read_text(encoding="utf-8")
    handler = next(n for n in ast.parse(source).body if isinstance(n, ast.AsyncFunctionDef))
    body = handler.body[1:]  # the first statement is the docstring
    first, last = body[0].lineno, body[-1].end_lineno
    indent = body[0].col_offset
    return Runtime(
        file=path.name,
        first=first,
        lines=tuple(line[indent:] for line in source.splitlines()[first - 1 : last]),
        calls={name: call.lineno for name, call in _port_calls(handler)},
        returns=_returns(handler),
    )


def _port_calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a method of a name, which is how a runtime calls a port."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            port = node.func.value
            if isinstance(port, ast.Name):
                yield f"{port.id}.{node.func.attr}", node


def _returns(handler: ast.AsyncFunctionDef) -> dict[str, int]:
    found = {}
    for node in ast.walk(handler):
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Return):
            for name, _ in _port_calls(node.test):
                found[name] = node.body[0].lineno
    return found


def line(mode: str, event: LaneEvent) -> int | None:
    """The line of the runtime at which an event stands; None if it isn't the runtime's doing."""
    code, call = runtime(mode), event["call"]
    if call is None or call not in code.calls:
        return None
    if call in code.returns and event["text"] == "a result is stored":
        return code.returns[call]
    return code.calls[call]


def html(mode: str) -> str:
    """The body as HTML, an element with `data-line` for each line."""
    code = runtime(mode)
    coloured = highlight("\n".join(code.lines), PythonLexer(), HtmlFormatter(nowrap=True))
    lines = "".join(
        f'<span class="fl-line" data-line="{number}"><i aria-hidden="true">{number}</i>'
        f"<span>{text}</span></span>"
        for number, text in enumerate(coloured.rstrip("\n").split("\n"), start=code.first)
    )
    last = code.first + len(code.lines) - 1
    file = escape(code.file)
    return (
        f'<p class="fl-async-file"><code>{file}</code> <span class="fl-what">lines {code.first} '
        f'to {last}; <a href="#the-two-runtimes">all of it</a></span></p>'
        f'<pre class="highlight" aria-label="The handler in {file}"><code>{lines}</code></pre>'
    )
