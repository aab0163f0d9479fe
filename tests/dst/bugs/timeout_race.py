"""A timeout race: the caller gives up as the charge goes through, and charges again."""

import asyncio

CHARGE_S = 0.4
TIMEOUT_S = 0.5


class Bank:
    def __init__(self) -> None:
        self.charges: dict[str, int] = {}

    async def charge(self, key: str) -> None:
        await asyncio.sleep(CHARGE_S)
        self.charges[key] = 1200


async def pay(bank: Bank, *, key_per_attempt: bool) -> None:
    for attempt in range(3):
        key = f"order-42/{attempt}" if key_per_attempt else "order-42"
        request = asyncio.create_task(bank.charge(key), name="charge")  # once sent, it is sent
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await asyncio.shield(request)
                return
        except TimeoutError:
            continue


async def scenario(*, key_per_attempt: bool) -> None:
    bank = Bank()
    await pay(bank, key_per_attempt=key_per_attempt)
    await asyncio.sleep(120)  # whatever was sent has arrived
    assert len(bank.charges) < 2, f"charged {len(bank.charges)} times: {sorted(bank.charges)}"


async def broken() -> None:
    await scenario(key_per_attempt=True)


async def repaired() -> None:
    await scenario(key_per_attempt=False)
