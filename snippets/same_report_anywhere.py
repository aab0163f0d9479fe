"""The same report, whoever ran the seeds.

Page: simulate/scale-out
"""

# --8<-- [start:run]
import asyncio
from concurrent.futures import ThreadPoolExecutor

from faultlab import dst


async def lost_update():
    account = {"balance": 100}

    async def withdraw(amount, wait):
        for _ in range(wait):
            await asyncio.sleep(0)
        balance = account["balance"]
        await asyncio.sleep(0)
        account["balance"] = balance - amount

    await asyncio.gather(withdraw(30, wait=0), withdraw(20, wait=6))
    assert account["balance"] == 50


search = dst.PCT(depth=2)
here = dst.check(lost_update, dst.SimulationConfig(search=search))
with ThreadPoolExecutor(max_workers=2) as executor:
    config = dst.SimulationConfig(search=search, executor=executor)
    there = dst.check(lost_update, config)

print(here.verdict, "· seed", here.finding.seed, "· seeds run:", here.seeds_run)
print(there.format() == here.format())
#> violated · seed 7 · seeds run: 8
#> True
# --8<-- [end:run]
