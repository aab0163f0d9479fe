"""A stale cache: a slow reader puts back what the writer has just thrown out."""

import asyncio


class Prices:
    def __init__(self) -> None:
        self.stored = 10
        self.version = 0
        self.cache: dict[str, int] = {}

    async def read(self, *, checked: bool) -> int:
        if "price" not in self.cache:
            version, price = self.version, self.stored
            await asyncio.sleep(0)  # the database's reply
            if checked and version != self.version:
                return price
            self.cache["price"] = price
        return self.cache["price"]

    async def write(self, price: int) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        self.stored = price
        self.version += 1
        self.cache.clear()


async def scenario(*, checked: bool) -> None:
    prices = Prices()
    await asyncio.gather(prices.read(checked=checked), prices.write(12))
    price = await prices.read(checked=checked)
    assert price == 12, f"the price is {price} for ever"


async def broken() -> None:
    await scenario(checked=False)


async def repaired() -> None:
    await scenario(checked=True)
