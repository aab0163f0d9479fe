"""The workload of the kernel's benchmark, the same coroutines for every contestant."""

import asyncio
from collections.abc import Callable

TASKS, ROUNDS = 3, 20


async def clean(draw: Callable[[], float]) -> None:
    """Three tasks, twenty times each: sleep at random, lock, read, yield, write."""
    lock, state = asyncio.Lock(), {"value": 0}

    async def worker() -> None:
        for _ in range(ROUNDS):
            await asyncio.sleep(draw())
            async with lock:
                value = state["value"]
                await asyncio.sleep(0)
                state["value"] = value + 1

    await asyncio.gather(*(worker() for _ in range(TASKS)))
    if state["value"] != TASKS * ROUNDS:
        raise AssertionError(f"lost update: {state['value']}")


async def empty(draw: Callable[[], float]) -> None:
    """Nothing: what a run costs before its first step."""
