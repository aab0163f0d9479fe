import asyncio

import pytest


@pytest.mark.faultlab(seeds=64)
async def test_a_fee_during_a_withdrawal_is_not_lost():
    account, lock = {"balance": 100}, asyncio.Lock()

    async def book(amount):
        async with lock:
            balance = account["balance"]
            await asyncio.sleep(0)  # the bank is asked
            account["balance"] = balance - amount

    async def book_fee():
        await asyncio.sleep(0)  # the fee is looked up
        await asyncio.sleep(0)
        await book(5)

    await asyncio.gather(book(30), book_fee())
    assert account["balance"] == 65
