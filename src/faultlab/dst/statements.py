"""Which statement a line belongs to, so that a statement of several lines is told as one.

Python versions differ in which lines of a statement they report, and in which order. They
agree about statements.
"""

import ast
import linecache
from bisect import bisect_right
from functools import lru_cache


def statement_at(path: str, number: int) -> int:
    """The first line of the statement to which this line belongs, or of its header.

    A line of a file that is no Python stands for itself.
    """
    starts = _starts(path)
    place = bisect_right(starts, number)
    return starts[place - 1] if place else number


@lru_cache(maxsize=256)
def _starts(path: str) -> tuple[int, ...]:
    """The first lines of all statements, handlers, cases and decorators, in order."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            found.add(node.lineno)
        if isinstance(node, ast.match_case):
            found.add(node.pattern.lineno)
        for decorator in getattr(node, "decorator_list", ()):
            found.add(decorator.lineno)
    return tuple(sorted(found))
