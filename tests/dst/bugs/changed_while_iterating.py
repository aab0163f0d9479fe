"""A dict changed meanwhile: a worker signs off while the pings go round."""

import asyncio


class Registry:
    def __init__(self) -> None:
        self.workers = {"w1": 0, "w2": 0}

    async def ping_all(self) -> None:
        for name in self.workers:
            await self.ping(name)

    async def ping_a_copy(self) -> None:
        for name in list(self.workers):
            await self.ping(name)

    async def ping(self, name: str) -> None:
        await asyncio.sleep(0)
        if name in self.workers:
            self.workers[name] += 1

    async def sign_off(self, name: str) -> None:
        for _ in range(4):
            await asyncio.sleep(0)
        del self.workers[name]


async def scenario(name: str) -> None:
    registry = Registry()
    async with asyncio.TaskGroup() as group:
        group.create_task(getattr(registry, name)())
        group.create_task(registry.sign_off("w1"))


async def broken() -> None:
    await scenario("ping_all")


async def repaired() -> None:
    await scenario("ping_a_copy")
