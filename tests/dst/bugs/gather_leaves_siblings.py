"""gather fails with the first error, and what it had started goes on after the refund."""

import asyncio
from collections.abc import Awaitable, Callable


class Order:
    def __init__(self) -> None:
        self.log: list[str] = []

    async def ship(self) -> None:
        await asyncio.sleep(0)  # packs
        self.log.append("shipped")

    async def charge(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        raise PermissionError("the card was declined")


async def gathered(order: Order) -> None:
    await asyncio.gather(order.ship(), order.charge())


async def grouped(order: Order) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(order.ship(), name="ship")
        group.create_task(order.charge(), name="charge")


async def scenario(steps: Callable[[Order], Awaitable[None]]) -> None:
    order = Order()
    try:
        await steps(order)
    except* PermissionError:
        order.log.append("called off")
    await asyncio.sleep(1)
    assert order.log[-1] == "called off", f"{order.log}"


async def broken() -> None:
    await scenario(gathered)


async def repaired() -> None:
    await scenario(grouped)
