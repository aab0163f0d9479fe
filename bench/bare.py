"""Two floors: a loop with nothing but what asyncio needs, and no asyncio at all."""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Generator
from contextvars import Context, copy_context
from random import Random
from typing import Any

from workload import ROUNDS, TASKS


class BareHandle:
    """A callback that waits."""

    __slots__ = ("args", "callback", "cancelled_", "context")

    def __init__(self, callback: Any, args: Any, context: Context | None) -> None:
        """Takes what to call."""
        self.callback, self.args, self.cancelled_ = callback, args, False
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        """Unschedules it."""
        self.cancelled_ = True


class BareLoop(asyncio.AbstractEventLoop):
    """Virtual time and a random ready step; no tapes, fences, names or violations."""

    def __init__(self, seed: int) -> None:
        """Takes the seed of the schedule."""
        self.now, self.steps = 0.0, 0
        self.ready: list[BareHandle] = []
        self.timers: list[tuple[float, int, BareHandle]] = []
        self.number = itertools.count()
        self.draw = Random(seed).random

    def get_debug(self) -> bool:
        """False."""
        return False

    def time(self) -> float:
        """The virtual time."""
        return self.now

    def create_future(self) -> Any:
        """A future."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **options: Any) -> Any:
        """A task."""
        return asyncio.Task(coro, loop=self, **options)

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> Any:
        """Schedules a step."""
        handle = BareHandle(callback, args, context)
        self.ready.append(handle)
        return handle

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> Any:
        """Schedules a timer."""
        handle = BareHandle(callback, args, context)
        heapq.heappush(self.timers, (self.now + delay, next(self.number), handle))
        return handle

    def run(self, coro: Any) -> None:
        """Runs to the end."""
        asyncio._set_running_loop(self)
        ready, timers, draw, steps = self.ready, self.timers, self.draw, 0
        try:
            task = self.create_task(coro)
            while not task.done():
                if not ready:
                    self.now, _, handle = heapq.heappop(timers)
                    if not handle.cancelled_:
                        ready.append(handle)
                    continue
                handle = ready.pop(int(draw() * len(ready)))
                if not handle.cancelled_:
                    steps += 1
                    handle.context.run(handle.callback, *handle.args)
            task.result()
        finally:
            self.steps = steps
            asyncio._set_running_loop(None)


class _Pause:
    def __init__(self, delay: float | None) -> None:
        self.delay = delay

    def __await__(self) -> Generator[float | None, None, None]:
        yield self.delay


def trampoline(seed: int, draw: Callable[[], float]) -> int:
    """The same work on coroutines driven by hand: the physical limit. Returns the steps."""
    pick = Random(seed).random
    ready: list[Any] = []
    timers: list[tuple[float, int, Any]] = []
    queue: list[Any] = []
    number = itertools.count()
    value, locked, now, steps, running = 0, False, 0.0, 0, TASKS
    current: Any = None

    async def worker() -> None:
        nonlocal value, locked
        for _ in range(ROUNDS):
            await _Pause(draw())
            while locked:
                queue.append(current)
                await _Pause(None)
            locked = True
            read = value
            await _Pause(0.0)
            value = read + 1
            locked = False
            if queue:
                ready.append(queue.pop(0))

    ready += [worker() for _ in range(TASKS)]
    while running:
        if not ready:
            now, _, current = heapq.heappop(timers)
        else:
            current = ready.pop(int(pick() * len(ready)))
        steps += 1
        try:
            delay = current.send(None)
        except StopIteration:
            running -= 1
            continue
        if delay == 0:
            ready.append(current)
        elif delay is not None:
            heapq.heappush(timers, (now + delay, next(number), current))
    if value != TASKS * ROUNDS:
        raise AssertionError(f"lost update: {value}")
    return steps
