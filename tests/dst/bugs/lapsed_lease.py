"""A lapsed lease: its owner was paused, and writes as if it still owned the job."""

import asyncio

LEASE_S = 0.8


class Store:
    def __init__(self, *, fenced: bool) -> None:
        self.fenced = fenced
        self.token = 0
        self.lapses_at = 0.0
        self.writes: list[int] = []

    async def lease(self) -> int:
        loop = asyncio.get_running_loop()
        while loop.time() < self.lapses_at:
            await asyncio.sleep(self.lapses_at - loop.time())
        self.token += 1
        self.lapses_at = loop.time() + LEASE_S
        return self.token

    def write(self, token: int) -> None:
        if self.fenced and token < self.token:
            return
        self.writes.append(token)


async def scenario(*, fenced: bool) -> None:
    store = Store(fenced=fenced)

    async def owner() -> None:
        token = await store.lease()
        await asyncio.sleep(0.5)  # does the work
        store.write(token)

    await asyncio.gather(owner(), owner())
    assert store.writes == sorted(store.writes), f"the older owner wrote last: {store.writes}"


async def broken() -> None:
    await scenario(fenced=False)


async def repaired() -> None:
    await scenario(fenced=True)
