"""Places in source code, as reports show them: file, line, function and the line's text."""

import linecache
import os
import sysconfig
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any

from faultlab.kernel.violations import Suspension

_LIBRARY = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
_INSTALLED = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")})
_OURS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a program.

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
    if not path or path.startswith("<"):
        return bool(path) and bool(linecache.getlines(path))  # a notebook's cell has its text
    real = os.path.realpath(path)
    outside = (*_INSTALLED, *_LIBRARY, _OURS)
    return not any(real.startswith(folder + os.sep) for folder in outside)


def line_at(path: str, number: int, function: str) -> Line:
    """The line with this number; its text is read through `linecache`."""
    return Line(
        file=shown(path),
        number=number,
        function=function,
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
