"""What all stores share: the clock they run on, notes in the history, waiting for a change."""

import asyncio
from typing import Any

from faultlab.kernel.process import OWNER


def now_s() -> float:
    """Seconds on the running loop's clock: the virtual one inside of a run."""
    return asyncio.get_running_loop().time()


def note(kind: str, /, **fields: Any) -> None:
    """Records what happened in a store; outside of a run there is no history, so nothing."""
    process = OWNER.get(None)
    if process is not None:
        process.world.record(kind, fields)


def caller() -> str:
    """The name of the process that calls; empty for the program itself and outside of a run."""
    process = OWNER.get(None)
    return "" if process is None else process.name


class Bell:
    """Wakes everybody who waits for a store to change. Whoever wakes has to look again."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def ring(self) -> None:
        """Wake all: to wake just one could mean to wake a process that has crashed."""
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    async def wait_until(self, deadline_s: float) -> None:
        """Return when the bell rings, or at the deadline."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout_at(deadline_s):
                await waiter
        except TimeoutError:
            pass
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
