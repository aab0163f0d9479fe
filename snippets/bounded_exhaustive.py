"""All runs with few decisions, and what is proven when none of them breaks anything.

Page: simulate/exploration-strategies
"""

# --8<-- [start:program]
import asyncio
from textwrap import fill

from faultlab import dst


async def transfers(lock):
    account = {"balance": 100}

    async def withdraw(amount, wait):
        for _ in range(wait):
            await asyncio.sleep(0)
        async with lock:
            balance = account["balance"]
            await asyncio.sleep(0)
            account["balance"] = balance - amount

    await asyncio.gather(withdraw(30, 0), withdraw(20, 6))
    assert account["balance"] == 50


async def locked():
    await transfers(asyncio.Lock())


async def open_to_two():
    await transfers(asyncio.Semaphore(2))


# --8<-- [end:program]


# --8<-- [start:search]
for program in (locked, open_to_two):
    search = dst.Exhaustive(decisions_max=3)
    report = dst.check(program, dst.SimulationConfig(search=search))
    print(f"{report.verdict}:", fill(report.statement, 68))
#> clean: all 57 runs of this program with at most 3 decisions (holds,
#> releases) were run, and none broke anything
#> violated: run 4 is the first with at most 3 decisions (holds, releases) that
#> breaks something
# --8<-- [end:search]
