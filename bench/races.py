"""Planted races for the search benchmark, the same coroutines for every contestant.

Each takes `draw`, a source of numbers in [0, 1), and raises AssertionError if its race
was met. In asyncio's own order only `time_window` ever fails.
"""

import asyncio
from collections.abc import Callable

Draw = Callable[[], float]


async def stall(draw: Draw) -> None:
    """a1 < b1..b5 < a2: one task waits for five steps of the other."""
    log: list[str] = []

    async def a() -> None:
        log.append("a1")
        await asyncio.sleep(0)
        log.append("a2")

    async def b() -> None:
        for number in range(1, 6):
            await asyncio.sleep(0)
            log.append(f"b{number}")

    await asyncio.gather(a(), b())
    if log.index("a1") < log.index("b1") and log.index("b5") < log.index("a2"):
        raise AssertionError("stalled")


async def time_window(draw: Draw) -> None:
    """A lost update in a window of at most 0.2 ms; 3 tasks meet 20 times at random times."""
    state = {"value": 0}

    async def worker() -> None:
        for _ in range(20):
            await asyncio.sleep(draw())
            value = state["value"]
            await asyncio.sleep(draw() * 0.0002)
            state["value"] = value + 1

    await asyncio.gather(*(worker() for _ in range(3)))
    if state["value"] != 60:
        raise AssertionError("lost update")


async def order_only(draw: Draw) -> None:
    """A lost update within one instant: task i comes 6 * i steps late."""
    state = {"value": 0}

    async def worker(late: int) -> None:
        for _ in range(6 * late):
            await asyncio.sleep(0)
        value = state["value"]
        await asyncio.sleep(0)
        state["value"] = value + 1

    await asyncio.gather(*(worker(late) for late in range(3)))
    if state["value"] != 3:
        raise AssertionError("lost update")


async def starvation(draw: Draw) -> None:
    """One ready task waits for 20 steps of the other."""
    done: list[int] = []

    async def counts() -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        if not done:
            raise AssertionError("starved")

    async def marks() -> None:
        await asyncio.sleep(0)
        done.append(1)

    await asyncio.gather(counts(), marks())


async def three_windows(draw: Draw) -> None:
    """One task has to look three times, each time in a window of one step of the other."""
    state = {"open": False, "hits": 0}

    async def opens() -> None:
        for _ in range(3):
            for _ in range(4):
                await asyncio.sleep(0)
            state["open"] = True
            await asyncio.sleep(0)
            state["open"] = False

    async def looks() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if state["open"]:
                state["hits"] += 1

    await asyncio.gather(opens(), looks())
    if state["hits"] == 3:
        raise AssertionError("three hits")


RACES = (stall, order_only, starvation, three_windows, time_window)
