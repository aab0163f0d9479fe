"""The wrong tenant: who is asking stands in a variable that all requests share."""

import asyncio
from contextvars import ContextVar


class Shared:
    """Looks like a ContextVar, and is one value for everybody."""

    def set(self, value: str) -> None:
        self.value = value

    def get(self) -> str:
        return self.value


async def scenario(tenant: "Shared | ContextVar[str] | None") -> None:
    tenant = tenant or Shared()

    async def authorise(name: str) -> None:
        tenant.set(name)
        await asyncio.sleep(0)  # loads the session

    async def request(name: str, delay: int) -> None:
        for _ in range(delay):
            await asyncio.sleep(0)
        await authorise(name)
        assert tenant.get() == name, f"{name} sees the data of {tenant.get()}"

    async with asyncio.TaskGroup() as group:
        group.create_task(request("tenant-a", 0))
        group.create_task(request("tenant-b", 4))


async def broken() -> None:
    await scenario(None)


async def repaired() -> None:
    await scenario(ContextVar("tenant"))
