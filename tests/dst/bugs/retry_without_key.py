"""A retry without a key: the reply was lost with the connection, the debit was not."""

import asyncio


class Bank:
    def __init__(self) -> None:
        self.connected = True
        self.debits: dict[str, int] = {}

    async def debit(self, key: str) -> None:
        await asyncio.sleep(0.2)
        self.debits[key] = 1200
        await asyncio.sleep(0)  # the reply
        if not self.connected:
            raise ConnectionResetError("the connection was reset")

    async def reset_idle_connections(self) -> None:
        await asyncio.sleep(0.2)
        for _ in range(4):
            await asyncio.sleep(0)
        self.connected = False


async def scenario(*, one_key: bool) -> None:
    bank = Bank()
    reset = asyncio.create_task(bank.reset_idle_connections())
    try:
        await bank.debit("order-42")
    except ConnectionResetError:
        bank.connected = True
        await bank.debit("order-42" if one_key else "order-42 again")
    await reset
    assert len(bank.debits) == 1, f"debited {len(bank.debits)} times: {list(bank.debits)}"


async def broken() -> None:
    await scenario(one_key=False)


async def repaired() -> None:
    await scenario(one_key=True)
