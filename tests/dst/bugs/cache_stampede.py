"""Initialised twice: both requests see that there is no client yet, and both connect."""

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext


class Gateway:
    def __init__(self, lock: AbstractAsyncContextManager[None]) -> None:
        self.lock = lock
        self.client: str | None = None
        self.connections = 0

    async def connect(self) -> str:
        self.connections += 1
        name = f"client {self.connections}"
        await asyncio.sleep(0)
        return name

    async def get(self) -> str:
        async with self.lock:
            if self.client is None:
                self.client = await self.connect()
            return self.client


async def scenario(lock: AbstractAsyncContextManager[None] | None) -> None:
    gateway = Gateway(lock or nullcontext())

    async def request(delay: int) -> str:
        for _ in range(delay):
            await asyncio.sleep(0)
        return await gateway.get()

    clients = await asyncio.gather(request(0), request(4))
    assert len(set(clients)) == 1, f"two clients: {clients}"


async def broken() -> None:
    await scenario(None)


async def repaired() -> None:
    await scenario(asyncio.Lock())
