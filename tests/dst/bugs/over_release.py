"""Over-release: a request cancelled while it waits gives back a slot that it never had."""

import asyncio

SLOTS = 1


class Limiter:
    def __init__(self) -> None:
        self.slots = asyncio.Semaphore(SLOTS)
        self.busy = 0

    async def work(self) -> None:
        try:
            await self.slots.acquire()
            await self.call()
        finally:
            self.slots.release()

    async def work_acquired(self) -> None:
        await self.slots.acquire()
        try:
            await self.call()
        finally:
            self.slots.release()

    async def call(self) -> None:
        self.busy += 1
        assert self.busy <= SLOTS, f"{self.busy} calls at once, {SLOTS} allowed"
        try:
            await asyncio.sleep(1)
        finally:
            self.busy -= 1


async def scenario(name: str) -> None:
    work = getattr(Limiter(), name)
    async with asyncio.TaskGroup() as group:
        group.create_task(work(), name="first")
        second = group.create_task(work(), name="second")
        await asyncio.sleep(0)
        await asyncio.sleep(1)
        for _ in range(3):
            await asyncio.sleep(0)  # by now the second has its slot
        second.cancel()
        group.create_task(work(), name="third")


async def broken() -> None:
    await scenario("work")


async def repaired() -> None:
    await scenario("work_acquired")
