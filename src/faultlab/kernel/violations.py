"""What a run finds without being asked: deadlock, livelock, lost exceptions, leaked tasks."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

ViolationKind: TypeAlias = Literal["deadlock", "step-limit", "background-exception", "leaked-task"]
"""What the kernel finds by itself."""

_HERE = os.path.dirname(__file__)
_DST = os.path.join(os.path.dirname(_HERE), "dst")
_STDLIB = os.path.dirname(os.path.dirname(asyncio.__file__)) + os.sep
_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True, kw_only=True)
class StuckTask:
    """A task that has not ended: who it is, and where it waits."""

    process: str
    name: str
    position: str
    """`file.py:12 in function, awaiting Lock.acquire`. For people: lines and library
    names differ between versions, so it is in no history and no digest."""


@dataclass(frozen=True, kw_only=True)
class Violation:
    """One thing that no correct program does, found without being asked for."""

    kind: ViolationKind
    message: str
    tasks: tuple[StuckTask, ...] = ()
    error: BaseException | None = None
    """The exception that nobody retrieved, if that is what it is."""

    def __str__(self) -> str:
        """The message and a line for every task."""
        lines = [f"{self.kind}: {self.message}"]
        lines += [f"  {_named(task)} at {task.position}" for task in self.tasks]
        return "\n".join(lines)


def _named(task: StuckTask) -> str:
    return f"{task.process}/{task.name}" if task.process else task.name


def deadlock(stuck: Sequence[StuckTask]) -> Violation:
    """Nothing can run, no timer is left, and the program has not ended."""
    names = ", ".join(_named(task) for task in stuck)
    return Violation(
        kind="deadlock",
        message=f"nothing can run any more and these tasks still wait: {names}",
        tasks=tuple(stuck),
    )


def step_limit(steps_max: int, stuck: Sequence[StuckTask]) -> Violation:
    """The program is still running after `steps_max` steps, the last half of them fair."""
    return Violation(
        kind="step-limit",
        message=(
            f"the program has not ended after {steps_max} steps, the last half of them "
            f"scheduled fairly, so no unfair schedule keeps it going; if it only needs "
            f"longer, raise steps_max"
        ),
        tasks=tuple(stuck),
    )


def leaked(stuck: Sequence[StuckTask]) -> Violation:
    """Tasks outlived the program, their cancellation and a fair drain."""
    names = ", ".join(_named(task) for task in stuck)
    return Violation(
        kind="leaked-task",
        message=f"these tasks outlived the program although they were cancelled: {names}",
        tasks=tuple(stuck),
    )


def background(where: str, error: BaseException | None, detail: str) -> Violation:
    """An exception that was raised where nobody waited for it."""
    return Violation(
        kind="background-exception",
        message=f"{where} raised and nobody retrieved it: {detail}",
        error=error,
    )


@dataclass(frozen=True, kw_only=True)
class Suspension:
    """Where a coroutine waits: the innermost line of no standard library, nor the kernel."""

    file: str
    """The path as the interpreter knows it; empty if there is no such line."""
    line: int
    function: str
    inside: str
    """The library function that is awaited there; empty if it is none."""

    def __str__(self) -> str:
        """`file.py:12 in function, awaiting Lock.acquire`."""
        if not self.file:
            return "not started"
        place = f"{os.path.basename(self.file)}:{self.line} in {self.function}"
        return f"{place}, awaiting {self.inside}" if self.inside else place


def suspended_at(awaitable: Any) -> Suspension:
    """Where a coroutine is suspended, or would begin."""
    file, line, function, inside = "", 0, "", ""
    for _ in range(1000):  # a chain of awaits is finite, but may be long
        frame = _first(awaitable, "cr_frame", "gi_frame", "ag_frame")
        if frame is None:
            break
        code = frame.f_code
        if _is_library(code.co_filename):
            inside = code.co_qualname
        else:
            file, line, function = code.co_filename, frame.f_lineno, code.co_qualname
            inside = ""
        awaitable = _first(awaitable, "cr_await", "gi_yieldfrom", "ag_await")
    return Suspension(file=file, line=line, function=function, inside=inside)


@lru_cache(maxsize=4096)
def _is_library(path: str) -> bool:
    """Whether a file is the simulator's or the standard library's: no line of the program."""
    if os.path.dirname(path) in (_HERE, _DST):
        return True
    return path.startswith(_STDLIB) and not path.startswith(_INSTALLED, len(_STDLIB))


def _first(thing: Any, *names: str) -> Any:
    for name in names:
        found = getattr(thing, name, None)
        if found is not None:
            return found
    return None


def stuck_tasks(tasks: Iterable[tuple[str, "asyncio.Task[Any]"]]) -> list[StuckTask]:
    """Describes (process, task) pairs."""
    return [
        StuckTask(
            process=process, name=task.get_name(), position=str(suspended_at(task.get_coro()))
        )
        for process, task in tasks
    ]
