"""What is changed in the interpreter as long as any run lasts, in whatever thread."""

import asyncio
import gc
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from faultlab.kernel.loop import VirtualLoop

_lock = threading.Lock()
_runs = 0
_collecting = False
_stock_wait_for: Callable[..., Any] = asyncio.wait_for


def run_begins() -> None:
    """Stops garbage collection, and gives Python 3.11 the later wait_for.

    A collection would run finalisers at moments that depend on what else the
    interpreter has allocated.
    """
    global _runs, _collecting
    with _lock:
        _runs += 1
        if _runs == 1:
            _collecting = gc.isenabled()
            gc.disable()
            if sys.version_info < (3, 12):
                asyncio.wait_for = asyncio.tasks.wait_for = _wait_for  # type: ignore[assignment]


def run_ends() -> None:
    """Puts everything back when the last run ends."""
    global _runs
    with _lock:
        _runs -= 1
        if _runs == 0:
            if _collecting:
                gc.enable()
            if sys.version_info < (3, 12):
                asyncio.wait_for = asyncio.tasks.wait_for = _stock_wait_for


async def _wait_for(fut: Awaitable[Any], timeout: float | None) -> Any:
    """asyncio.wait_for as 3.12 and later define it: 2 steps of the loop, not 5.

    3.11 waits in a second task, so the same program has other steps, other tasks and
    other schedules there.
    """
    if not isinstance(asyncio.get_running_loop(), VirtualLoop):
        return await _stock_wait_for(fut, timeout)
    if timeout is None or timeout > 0:
        async with asyncio.timeout(timeout):
            return await fut
    task = asyncio.ensure_future(fut)
    if task.done():
        return task.result()
    await asyncio.tasks._cancel_and_wait(task, loop=task.get_loop())  # type: ignore[attr-defined]
    try:
        return task.result()
    except asyncio.CancelledError as error:
        raise TimeoutError from error
