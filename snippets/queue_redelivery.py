"""The work takes longer than the visibility timeout: delivered again, credited again.

Page: simulate/examples
"""

# --8<-- [start:program]
import asyncio

from faultlab.dst import Call, Simulation, expect


async def setup(ctx):
    await ctx.port("queue_command", "orders").put("order-42")


async def credit_points(ctx):
    orders, points = ctx.port("queue_query", "orders"), ctx.port("document_command", "points")
    delivery = await orders.receive(wait_s=60)
    if delivery is None:
        return
    await asyncio.sleep(40)  # the points are worked out; the timeout is 30 s
    await points.insert(f"entry-{delivery.receipt}", {"order": delivery.message})
    await orders.acknowledge(delivery)


async def observe(ctx):
    return len(await ctx.port("document_query", "points").find(order="order-42"))


consumers = Simulation(
    calls=[Call(credit_points), Call(credit_points)],
    setup=setup,
    observe=observe,
    invariants=[expect(lambda seen: seen.fields["value"] < 2, "credited twice", each="observed")],
)
# --8<-- [end:program]

# --8<-- [start:report]
print(consumers.run().explain(), end="")
# --8<-- [end:report]
