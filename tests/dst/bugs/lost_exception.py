"""An exception that nobody retrieves: the receipt is sent in the background, too early."""

import asyncio


class Shop:
    def __init__(self) -> None:
        self.orders: dict[str, int] = {}
        self.receipts: list[int] = []

    async def store(self, order: str) -> None:
        for _ in range(2):
            await asyncio.sleep(0)
        self.orders[order] = 1200

    async def send_receipt(self, order: str) -> None:
        for _ in range(4):
            await asyncio.sleep(0)
        self.receipts.append(self.orders[order])

    async def buy(self, order: str) -> None:
        receipt = asyncio.create_task(self.send_receipt(order))
        await self.store(order)
        await asyncio.wait([receipt])

    async def buy_in_order(self, order: str) -> None:
        await self.store(order)
        receipt = asyncio.create_task(self.send_receipt(order))
        await asyncio.wait([receipt])


async def broken() -> None:
    await Shop().buy("order-42")


async def repaired() -> None:
    await Shop().buy_in_order("order-42")
