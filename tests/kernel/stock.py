"""asyncio's own event loop on a virtual clock: what the kernel is compared with."""

import asyncio
import heapq
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

from faultlab.kernel.handles import Task


class _Jump(selectors.DefaultSelector):
    """A selector that never waits: the time it should wait is added to the clock."""

    clock = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("deadlock")
        self.clock += max(0.0, timeout)
        return super().select(0)


class _Timer(asyncio.TimerHandle):
    """A timer that fires after the earlier made ones of its time.

    asyncio leaves the order of equal times to its heap, which is not stable.
    """

    made = 0

    def __lt__(self, other: Any) -> bool:
        return (self.when(), self.made) < (other.when(), other.made)


class StockLoop(asyncio.SelectorEventLoop):
    """The stock loop; its clock, the order of equal times and of sets of tasks are ours."""

    def __init__(self) -> None:
        self._jump = _Jump()
        self._made = self._tasks = 0
        super().__init__(self._jump)
        self.set_task_factory(self._numbered)

    def _numbered(self, loop: Any, coro: Any, **options: Any) -> Any:
        self._tasks += 1
        return Task(coro, number=self._tasks - 1, loop=loop, **options)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        timer = _Timer(when, callback, args, self, context)
        self._made += 1
        timer.made = self._made
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def time(self) -> float:
        return self._jump.clock


def run_stock(program: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """What asyncio.run does, in virtual time."""
    with asyncio.Runner(loop_factory=StockLoop) as runner:
        runner.get_loop().set_exception_handler(lambda *_: None)
        return runner.run(program())
