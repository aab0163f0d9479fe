"""A customer pays while the shop collects what is unpaid: one hold, and both charge.

Page: simulate/point-it-at-your-code
"""

# --8<-- [start:program]
import asyncio

from faultlab import dst


class Shop:
    def __init__(self):
        self.unpaid, self.charges = {"order-42"}, []

    async def pay(self, order):
        if order in self.unpaid:
            await asyncio.sleep(0)  # the payment provider
            self.charges.append(order)
            self.unpaid.discard(order)

    async def collect(self):
        await asyncio.sleep(0)  # the orders are read, in two pages
        await asyncio.sleep(0)
        for order in sorted(self.unpaid):
            await self.pay(order)


async def pay_and_collect():
    shop = Shop()
    await asyncio.gather(shop.pay("order-42"), shop.collect())
    assert len(shop.charges) == 1, f"charged {len(shop.charges)} times"


# --8<-- [end:program]


# --8<-- [start:report]
asyncio.run(pay_and_collect())  # nothing is wrong here
report = dst.check(pay_and_collect)
print(report.explain(), end="")
#> violated: pay_and_collect:pay_and_collect
#>   AssertionError: charged 2 times
#>   at pay_and_collect.py:32 in pay_and_collect: assert len(shop.charges) == 1, f"charged {len(shop.charges)} times"
#>
#> Seed 0 found it. 1 decision, proven 1-minimal:
#>   1. hold Task-2 (pay) at pay_and_collect.py:18 until nothing else can run
#>      await asyncio.sleep(0)  # the payment provider
#>
#> What ran, time running down, a line of source a row:
#>     time  main    Task-2  Task-3  where
#>   0.000s  ●                       pay_and_collect.py:30  shop = Shop()
#>   0.000s  ●                       pay_and_collect.py:14  self.unpaid, self.charges = {"order-42"}, …
#>   0.000s  ●                       pay_and_collect.py:31  await asyncio.gather(shop.pay("order-42"),…
#>   0.000s  │       ●               pay_and_collect.py:17  if order in self.unpaid:
#>   0.000s  │       ●               pay_and_collect.py:18  await asyncio.sleep(0)  # the payment prov…
#>   0.000s  │       │       ●       pay_and_collect.py:23  await asyncio.sleep(0)  # the orders are r…
#>   0.000s  │       ◇       │       pay_and_collect.py:18  hold Task-2 (pay) until nothing else can
#>           │       ┊       │                              run
#>   0.000s  │       ┊       ●       pay_and_collect.py:24  await asyncio.sleep(0)
#>   0.000s  │       ┊       ●       pay_and_collect.py:25  for order in sorted(self.unpaid):
#>   0.000s  │       ┊       ●       pay_and_collect.py:26  await self.pay(order)
#>   0.000s  │       ┊       ●       pay_and_collect.py:17  if order in self.unpaid:
#>   0.000s  │       ┊       ●       pay_and_collect.py:18  await asyncio.sleep(0)  # the payment prov…
#>   0.000s  │       ┊       ●       pay_and_collect.py:19  self.charges.append(order)
#>   0.000s  │       ┊       ●       pay_and_collect.py:20  self.unpaid.discard(order)
#>   0.000s  │       ┊       ●       pay_and_collect.py:25  for order in sorted(self.unpaid):
#>   0.000s  │       ●               pay_and_collect.py:19  self.charges.append(order)
#>   0.000s  │       ●               pay_and_collect.py:20  self.unpaid.discard(order)
#>   0.000s  ✕                       pay_and_collect.py:32  assert len(shop.charges) == 1, f"charged
#>                                                          {len(shop.charges)} times"
#> ● ran this line  ◇ decided by the simulator  ✕ raised here
#>
#> Searched: portfolio, 1 run, 10 steps, 1 of 256 seeds
# --8<-- [end:report]
