"""Two bookings on one account: one hold, and the later one is lost.

Page: learn/quickstart
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def withdraw_while_the_fee_is_booked():
    account = {"balance": 100}

    async def book(amount):
        balance = account["balance"]
        await asyncio.sleep(0)  # the bank is asked
        account["balance"] = balance - amount

    async def book_fee():
        await asyncio.sleep(0)  # the fee is looked up
        await asyncio.sleep(0)
        await book(5)

    await asyncio.gather(book(30), book_fee())
    assert account["balance"] == 65, f"the balance is {account['balance']}"


asyncio.run(withdraw_while_the_fee_is_booked())  # nothing is wrong here
report = dst.check(withdraw_while_the_fee_is_booked)
print(report.explain(), end="")
#> violated: first_simulation:withdraw_while_the_fee_is_booked
#>   AssertionError: the balance is 70
#>   at first_simulation.py:26 in withdraw_while_the_fee_is_booked: assert account["balance"] == 65, f"the balance is {account['balance']}"
#>
#> Seed 0 found it. 1 decision, proven 1-minimal:
#>   1. hold Task-2 (book) at first_simulation.py:17 until nothing else can run
#>      await asyncio.sleep(0)  # the bank is asked
#>
#> What ran, time running down, a line of source a row:
#>     time  main    Task-2  Task-3  where
#>   0.000s  ●                       first_simulation.py:13  account = {"balance": 100}
#>   0.000s  ●                       first_simulation.py:15  async def book(amount):
#>   0.000s  ●                       first_simulation.py:20  async def book_fee():
#>   0.000s  ●                       first_simulation.py:25  await asyncio.gather(book(30), book_fee())
#>   0.000s  │       ●               first_simulation.py:16  balance = account["balance"]
#>   0.000s  │       ●               first_simulation.py:17  await asyncio.sleep(0)  # the bank is ask…
#>   0.000s  │       │       ●       first_simulation.py:21  await asyncio.sleep(0)  # the fee is look…
#>   0.000s  │       ◇       │       first_simulation.py:17  hold Task-2 (book) until nothing else can
#>           │       ┊       │                               run
#>   0.000s  │       ┊       ●       first_simulation.py:22  await asyncio.sleep(0)
#>   0.000s  │       ┊       ●       first_simulation.py:23  await book(5)
#>   0.000s  │       ┊       ●       first_simulation.py:16  balance = account["balance"]
#>   0.000s  │       ┊       ●       first_simulation.py:17  await asyncio.sleep(0)  # the bank is ask…
#>   0.000s  │       ┊       ●       first_simulation.py:18  account["balance"] = balance - amount
#>   0.000s  │       ●               first_simulation.py:18  account["balance"] = balance - amount
#>   0.000s  ✕                       first_simulation.py:26  assert account["balance"] == 65, f"the
#>                                                           balance is {account['balance']}"
#> ● ran this line  ◇ decided by the simulator  ✕ raised here
#>
#> Searched: portfolio, 1 run, 10 steps, 1 of 256 seeds
# --8<-- [end:run]
