"""A torn read: the address is the new one, the key still the old one."""

import asyncio

OLD, NEW = ("https://old", "key-old"), ("https://new", "key-new")


class Settings:
    def __init__(self) -> None:
        self.address, self.key = OLD

    async def rotate(self) -> None:
        self.address = NEW[0]
        await asyncio.sleep(0)  # fetches the key from the vault
        self.key = NEW[1]

    async def rotate_at_once(self) -> None:
        await asyncio.sleep(0)
        self.address, self.key = NEW


async def scenario(name: str) -> None:
    settings = Settings()

    async def request() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        used = (settings.address, settings.key)
        assert used in (OLD, NEW), f"used {used}"

    async with asyncio.TaskGroup() as group:
        group.create_task(getattr(settings, name)(), name="rotate")
        group.create_task(request(), name="request")


async def broken() -> None:
    await scenario("rotate")


async def repaired() -> None:
    await scenario("rotate_at_once")
