"""A token makes one run again: it fails before the repair, and not after it.

Page: simulate/find-reproduce-regress
"""

# --8<-- [start:run]
import asyncio
import contextlib

from faultlab import dst


async def book_twice(guard):
    account = {"balance": 100}

    async def book(amount, waits):
        for _ in range(waits):
            await asyncio.sleep(0)
        async with guard:
            balance = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = balance - amount

    await asyncio.gather(book(30, waits=0), book(5, waits=2))
    assert account["balance"] == 65, f"the balance is {account['balance']}"


async def without_a_lock():
    await book_twice(contextlib.nullcontext())


async def with_a_lock():
    await book_twice(asyncio.Lock())


token = dst.check(without_a_lock).finding.token
again = dst.SimulationConfig.reproduce(token)
print("before the repair:", dst.check(without_a_lock, again).finding.message)
print("after it:", dst.check(with_a_lock, again).verdict)
#> before the repair: AssertionError: the balance is 70
#> after it: clean
# --8<-- [end:run]
