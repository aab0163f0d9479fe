"""The inbox takes the message down in the transaction of its effect: delivered twice, done once.

Page: simulate/examples
"""

# --8<-- [start:run]
import asyncio

from faultlab.dst import Call, CrashPolicy, Simulation, SimulationConfig, expect


async def setup(ctx):
    await ctx.port("queue_command", "orders").put("order-42")


async def credit_points(ctx):
    orders, points = ctx.port("queue_query", "orders"), ctx.port("document_command", "points")
    delivery = await orders.receive(wait_s=60)
    if delivery is None:
        return
    await asyncio.sleep(40)
    async with points.transaction() as tx:
        if await ctx.port("inbox", "orders").seen(delivery.message_id, tx=tx):
            ctx.reached("delivered again")
        else:
            await tx.insert(f"entry-{delivery.receipt}", {"order": delivery.message})
    await orders.acknowledge(delivery)


async def observe(ctx):
    return len(await ctx.port("document_query", "points").find(order="order-42"))


consumers = Simulation(
    calls=[Call(credit_points), Call(credit_points)],
    setup=setup,
    recover=credit_points,
    observe=observe,
    invariants=[expect(lambda seen: seen.fields["value"] == 1, "not credited once", each="observed")],
    targets=["delivered again"],
)
print(consumers.run(SimulationConfig(crash=CrashPolicy())).explain(), end="")
# --8<-- [end:run]
