"""Places in source code, as reports show them: file, line, function and the line's text."""

import linecache
import os
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any

from faultlab.dst.statements import statement_at
from faultlab.kernel.violations import Suspension

_LIBRARY = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
_INSTALLED = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")})
_OURS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


INLINED = re.compile(r"(\.<locals>)?\.<(listcomp|dictcomp|setcomp|genexpr)>")
"""Comprehensions: some are functions of their own, on Python 3.11 more of them than later."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a program; of a statement that has several, the first.

    Attributes:
        file: Path, relative to the working directory if it lies below it.
        number: From 1.
        function: Qualified name of the function.
        source: The line itself, stripped; empty where it cannot be read.
    """

    file: str
    number: int
    function: str
    source: str

    def __str__(self) -> str:
        """`bank.py:12 in transfer`."""
        return f"{self.file}:{self.number} in {self.function}"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


@lru_cache(maxsize=4096)
def is_users(path: str) -> bool:
    """Whether a file is the program's own: not the standard library's, installed, or ours."""
    if path in ("", "<string>", "<stdin>"):  # what dataclasses and command lines are made of
        return False
    if path.startswith("<"):  # a notebook's cell has its text
        return bool(linecache.getlines(path))
    real = os.path.realpath(path)
    outside = (*_INSTALLED, *_LIBRARY, _OURS)
    return not any(real.startswith(folder + os.sep) for folder in outside)


PATHS: dict[str, str] = {}
"""Where each file that a line names was read: lines say it shorter, and the same everywhere."""


def line_at(path: str, number: int, function: str) -> Line:
    """The first line of the statement at this number; its text comes from `linecache`."""
    number = statement_at(path, number)
    file = shown(path)
    PATHS[file] = path
    return Line(
        file=file,
        number=number,
        function=INLINED.sub("", function),
        source=linecache.getline(path, number).strip(),
    )


def shown(path: str) -> str:
    """A path as people read it: relative below the working directory, else the file's name."""
    here = os.getcwd() + os.sep
    return path.removeprefix(here) if path.startswith(here) else os.path.basename(path)


def line_of(suspension: Suspension) -> Line | None:
    """The line where a coroutine waits; None where there is none."""
    if not suspension.file:
        return None
    return line_at(suspension.file, suspension.line, suspension.function)


def lines_of(traceback: TracebackType | None) -> Iterator[Line]:
    """The program's own lines of a traceback, the innermost last."""
    for _ in range(10_000):
        if traceback is None:
            return
        code = traceback.tb_frame.f_code
        if is_users(code.co_filename):
            yield line_at(code.co_filename, traceback.tb_lineno, code.co_qualname)
        traceback = traceback.tb_next


def lane_name(process: str, task: str) -> str:
    """`node 1/Task-2`, or `Task-2` in the program itself."""
    return f"{process}/{task}" if process else task
