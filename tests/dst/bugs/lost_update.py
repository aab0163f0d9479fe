"""Lost update: two requests read one balance, and the later write forgets the earlier one."""

import asyncio
from collections.abc import Awaitable, Callable

Account = dict[str, int]


async def withdraw(account: Account, amount: int) -> None:
    balance = account["balance"]
    await asyncio.sleep(0)  # the audit log
    account["balance"] = balance - amount


async def withdraw_at_once(account: Account, amount: int) -> None:
    await asyncio.sleep(0)
    balance = account["balance"]
    account["balance"] = balance - amount


async def two_requests(take: Callable[[Account, int], Awaitable[None]]) -> None:
    account = {"balance": 100}

    async def signs_in_first() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        await take(account, 20)

    await asyncio.gather(take(account, 30), signs_in_first())
    assert account["balance"] == 50, f"the balance is {account['balance']} instead of 50"


async def broken() -> None:
    await two_requests(withdraw)


async def repaired() -> None:
    await two_requests(withdraw_at_once)
