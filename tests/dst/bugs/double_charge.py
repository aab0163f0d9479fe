"""Check, then act: the broker delivers a payment again just when the first one is done."""

import asyncio

CHARGE_S = 0.5
REDELIVERY_S = 0.5


class Payments:
    def __init__(self) -> None:
        self.paid: set[str] = set()
        self.charges: list[str] = []

    async def pay(self, order: str) -> None:
        if order in self.paid:
            return
        await asyncio.sleep(CHARGE_S)
        self.charges.append(order)
        self.paid.add(order)

    async def pay_claimed(self, order: str) -> None:
        if order in self.paid:
            return
        self.paid.add(order)
        await asyncio.sleep(CHARGE_S)
        self.charges.append(order)


async def scenario(name: str) -> None:
    payments = Payments()
    pay = getattr(payments, name)

    async def deliver_again() -> None:
        await asyncio.sleep(REDELIVERY_S)
        await pay("order-42")

    await asyncio.gather(pay("order-42"), deliver_again())
    assert payments.charges == ["order-42"], f"charged: {payments.charges}"


async def broken() -> None:
    await scenario("pay")


async def repaired() -> None:
    await scenario("pay_claimed")
