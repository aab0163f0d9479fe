"""A lock around look and change: no schedule loses a booking any more.

Page: learn/quickstart
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def withdraw_while_the_fee_is_booked():
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
    assert account["balance"] == 65, f"the balance is {account['balance']}"


report = dst.check(withdraw_while_the_fee_is_booked)
print(report.explain(), end="")
#> clean: first_simulation_repaired:withdraw_while_the_fee_is_booked
#>
#> Searched: portfolio, 256 runs, 2,621 steps, 256 of 256 seeds
# --8<-- [end:run]
