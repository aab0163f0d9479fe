"""What waits to be run: task steps, callbacks and timers.

An *entry* is a plain tuple `(callback, args, context)`. Task steps, by far the most
frequent, are entries and nothing more; only callbacks that a program scheduled itself
get a handle, for only these can be cancelled.
"""

import asyncio
from asyncio.futures import _set_result_unless_cancelled  # type: ignore[attr-defined]
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from faultlab.kernel.agenda import Agenda
    from faultlab.kernel.loop import VirtualLoop

Entry: TypeAlias = tuple[Callable[..., object], tuple[Any, ...], Context]

WAKE_SLEEPER: Callable[..., object] = _set_result_unless_cancelled
"""What asyncio.sleep has its timer call: it only wakes one task."""


class Task(asyncio.Task[Any]):
    """A task whose hash is the number of its creation in the run.

    asyncio keeps tasks in sets (TaskGroup cancels its children in set order), and the
    usual hash is an address: order would differ from one interpreter to the next.
    """

    __slots__ = ("_number",)

    def __init__(
        self, coro: Coroutine[Any, Any, Any], *, number: int, loop: "VirtualLoop", **options: Any
    ) -> None:
        """Takes the number and what asyncio.Task takes."""
        self._number = number  # first: asyncio hashes the task while it makes it
        super().__init__(coro, loop=loop, **options)

    def __hash__(self) -> int:
        """The creation number."""
        return self._number


class Handle:
    """A scheduled callback that can be cancelled; the kernel's light asyncio.Handle."""

    __slots__ = ("_agenda", "_when", "entry", "on_clock")

    def __init__(self, agenda: "Agenda", entry: Entry, when: float | None = None) -> None:
        """Takes where the entry waits, the entry, and for a timer its time."""
        self._agenda = agenda
        self._when = when
        self.entry: Entry | None = entry
        """None once cancelled, or once a sleeper's timer has fired."""
        self.on_clock = when is not None
        """Whether it still waits in the heap of timers."""

    def cancel(self) -> None:
        """Unschedules the callback; does nothing if it has run."""
        entry = self.entry
        if entry is not None:
            self.entry = None
            self._agenda.unschedule(entry, on_clock=self.on_clock)

    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self.entry is None

    def when(self) -> float:
        """The virtual time of a timer."""
        if self._when is None:
            raise TypeError("this callback has no time; only timers have, see loop.call_later")
        return self._when


def _kind_of_first_step() -> type:
    """The type asyncio gives to the callback of a task's first step."""
    seen: list[type] = []

    class Probe(asyncio.AbstractEventLoop):
        def get_debug(self) -> bool:
            return False

        def call_soon(  # type: ignore[override]
            self, callback: Any, *args: Any, context: Any = None
        ) -> Any:
            seen.append(type(callback))

    async def nothing() -> None:
        return None

    coro = nothing()
    task = asyncio.Task(coro, loop=Probe())  # type: ignore[abstract]
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    coro.close()
    return seen[0]


FIRST_STEP: type = _kind_of_first_step()
LATER_STEP: type = type(len)


def task_of(entry: Entry) -> "asyncio.Task[Any] | None":
    """The task whose step this entry is; None for a plain callback."""
    callback = entry[0]
    kind = type(callback)
    if kind is FIRST_STEP or (kind is LATER_STEP and callback.__name__ == "task_wakeup"):
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, asyncio.Task):
            return owner
    return None
