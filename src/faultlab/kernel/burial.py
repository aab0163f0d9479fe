"""Closing the frames of tasks that will never run again.

While a run lasts, and until its history is judged, these frames are only kept alive:
dropping a suspended coroutine runs its `finally`, its `except BaseException` and the
`__del__` of what it refers to. Closing them afterwards runs all that too, but with the
loop closed, the gate shut and the history sealed it reaches nothing.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from faultlab.kernel.stage import Generator

ATTEMPTS_MAX = 100
"""How often a frame may answer the request to close by waiting for something else."""

_undying: list[object] = []
# Frames that never close. The interpreter would print a warning whenever it tried.


def bury_tasks(tasks: Iterable["asyncio.Task[Any]"]) -> None:
    """Closes what is left of tasks, and keeps asyncio from complaining about them."""
    for task in tasks:
        if task.done():
            task._log_traceback = False
            continue
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        coro: Any = task.get_coro()
        if coro is not None and not _closed(coro):
            _undying.append(coro)


def bury_generators(generators: list[Generator]) -> None:
    """Closes async generators by hand, as no loop will do it any more.

    Closing one may drop others, which are then appended to the list.
    """
    while generators:
        generator = generators.pop()
        for _ in range(ATTEMPTS_MAX):
            closing = generator.aclose()
            try:
                closing.send(None)
            except (StopIteration, StopAsyncIteration):
                break
            except BaseException:
                continue
            finally:
                _closed(closing)
        else:
            _undying.append(generator)


def _closed(coro: Coroutine[Any, Any, Any]) -> bool:
    """Whether the coroutine could be closed, in a bounded number of attempts."""
    for _ in range(ATTEMPTS_MAX):
        try:
            coro.close()
        except RuntimeError as error:
            if "ignored GeneratorExit" in str(error):
                continue
            return True
        except BaseException:
            return True
        return True
    return False
