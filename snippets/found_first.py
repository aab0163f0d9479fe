"""Two deliveries of one order, and the one decision in which both charge.

Page: index
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def two_deliveries_of_one_order():
    seen, charges = set(), []

    async def handle(order):
        if order not in seen:
            await asyncio.sleep(0)  # the card is charged
            charges.append(order)
            seen.add(order)

    async def deliver_again(order):
        await asyncio.sleep(0)  # a little later
        await asyncio.sleep(0)
        await handle(order)

    await asyncio.gather(handle("order-42"), deliver_again("order-42"))
    assert len(charges) == 1, "charged twice"


asyncio.run(two_deliveries_of_one_order())  # nothing is wrong here
finding = dst.check(two_deliveries_of_one_order).finding
print(finding.message)
print(*finding.decisions, sep="\n")
#> AssertionError: charged twice
#> hold Task-2 (handle) at found_first.py:17 until nothing else can run
# --8<-- [end:run]
