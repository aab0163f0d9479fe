"""Cancelled in a critical section: the debit is made, the credit never comes."""

import asyncio

LEDGER_S = 1.0


class Bank:
    def __init__(self) -> None:
        self.balances = {"anna": 100, "ben": 0}

    async def transfer(self) -> None:
        self.balances["anna"] -= 10
        await asyncio.sleep(LEDGER_S)
        self.balances["ben"] += 10

    async def transfer_at_once(self) -> None:
        await asyncio.sleep(LEDGER_S)
        self.balances["anna"] -= 10
        self.balances["ben"] += 10


async def scenario(name: str) -> None:
    bank = Bank()
    transfer = asyncio.create_task(getattr(bank, name)(), name="transfer")

    async def hang_up() -> None:
        await asyncio.sleep(LEDGER_S)
        transfer.cancel()

    await asyncio.gather(transfer, hang_up(), return_exceptions=True)
    assert sum(bank.balances.values()) == 100, f"money is lost: {bank.balances}"


async def broken() -> None:
    await scenario("transfer")


async def repaired() -> None:
    await scenario("transfer_at_once")
