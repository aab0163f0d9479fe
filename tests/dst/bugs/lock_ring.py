"""A ring of locks: three transfers, each holding the account that another waits for."""

import asyncio

RING = [("anna", "ben"), ("ben", "cleo"), ("cleo", "anna")]


class Bank:
    def __init__(self) -> None:
        self.locks = {name: asyncio.Lock() for name, _ in RING}
        self.moved = 0

    async def transfer(self, first: str, second: str) -> None:
        async with self.locks[first]:
            await asyncio.sleep(0)  # reads the first account
            async with self.locks[second]:
                self.moved += 10


async def scenario(*, sort: bool) -> None:
    bank = Bank()

    async def request(names: tuple[str, str], delay: int) -> None:
        for _ in range(delay):
            await asyncio.sleep(0)
        await bank.transfer(*(sorted(names) if sort else names))

    async with asyncio.TaskGroup() as group:
        for place, names in enumerate(RING):
            group.create_task(request(names, 4 * place), name=f"request {place + 1}")
    assert bank.moved == 30


async def broken() -> None:
    await scenario(sort=False)


async def repaired() -> None:
    await scenario(sort=True)
