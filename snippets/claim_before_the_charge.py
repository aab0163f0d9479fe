"""The order is claimed in the step that looks: no schedule charges twice.

Page: simulate/point-it-at-your-code
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


class Shop:
    def __init__(self):
        self.unpaid, self.charges = {"order-42"}, []

    async def pay(self, order):
        if order in self.unpaid:
            self.unpaid.discard(order)
            await asyncio.sleep(0)  # the payment provider
            self.charges.append(order)

    async def collect(self):
        await asyncio.sleep(0)  # the orders are read, in two pages
        await asyncio.sleep(0)
        for order in sorted(self.unpaid):
            await self.pay(order)


async def pay_and_collect():
    shop = Shop()
    await asyncio.gather(shop.pay("order-42"), shop.collect())
    assert len(shop.charges) == 1, f"charged {len(shop.charges)} times"


for search in (dst.Portfolio(), dst.Exhaustive(decisions_max=2)):
    report = dst.check(pay_and_collect, dst.SimulationConfig(search=search))
    print(report.explain(), end="")
#> clean: claim_before_the_charge:pay_and_collect
#>
#> Searched: portfolio, 256 runs, 2,304 steps, 256 of 256 seeds
#> clean: claim_before_the_charge:pay_and_collect
#>
#> Searched: exhaustive, at most 2 decisions, 12 runs, 108 steps
#>   all 12 runs of this program with at most 2 decisions (holds, releases) were run, and none broke anything
# --8<-- [end:run]
