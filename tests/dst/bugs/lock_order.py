"""Lock order: two transfers in opposite directions, each holding what the other waits for."""

import asyncio
from contextlib import AsyncExitStack


class Bank:
    def __init__(self) -> None:
        self.balances = {"anna": 100, "ben": 100}
        self.locks = {name: asyncio.Lock() for name in self.balances}

    async def transfer(self, source: str, target: str, *, order: list[str]) -> None:
        async with AsyncExitStack() as stack:
            for name in order:
                await stack.enter_async_context(self.locks[name])
                await asyncio.sleep(0)  # reads the account
            self.balances[source] -= 10
            self.balances[target] += 10


async def scenario(*, sort: bool) -> None:
    bank = Bank()

    async def request(*names: str, delay: int) -> None:
        for _ in range(delay):
            await asyncio.sleep(0)
        await bank.transfer(*names, order=sorted(names) if sort else list(names))

    await asyncio.gather(request("anna", "ben", delay=0), request("ben", "anna", delay=3))
    assert bank.balances == {"anna": 100, "ben": 100}


async def broken() -> None:
    await scenario(sort=False)


async def repaired() -> None:
    await scenario(sort=True)
