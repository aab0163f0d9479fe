"""A seat is held for 60 s while its customer pays; who pays late still gets it.

Page: simulate/examples
"""

# --8<-- [start:program]
import asyncio

from faultlab.dst import Operation, Simulation


async def setup(ctx):
    await ctx.port("document_command", "seats").insert("12a", {"sold_to": None})


async def book(ctx, customer, pays_after_s):
    seats = ctx.port("document_command", "seats")
    hold = await ctx.port("lock", "holds").acquire("12a", customer, lease_s=60, wait_s=300)
    seat = await seats.get("12a")
    if hold is None or seat.body["sold_to"]:
        return
    await asyncio.sleep(pays_after_s)
    await seats.update("12a", {"sold_to": customer})
    ctx.record("sold", to=customer)


def sold_once(history):
    buyers = [event.fields["to"] for event in history.of("sold")]
    if len(buyers) > 1:
        return f"seat 12a was sold to {' and to '.join(buyers)}"


booking = Operation(book, customer=["ada", "bo"], pays_after_s=[20, 90])
seats = Simulation([booking], setup=setup, invariants=[sold_once], calls=6)
# --8<-- [end:program]

# --8<-- [start:report]
print(seats.run().explain(), end="")
# --8<-- [end:report]
