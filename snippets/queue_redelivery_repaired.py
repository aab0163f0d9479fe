"""The inbox takes the message down in the transaction of its effect: delivered twice, done once.

Page: simulate/examples
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def setup(ctx):
    await ctx.port("queue_command", "orders").put("order-42")


async def credit_points(ctx):
    orders, points = ctx.port("queue_query", "orders"), ctx.port(
        "document_command", "points"
    )
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


def once(observed):
    return observed.fields["value"] == 1


consumers = dst.Simulation(
    calls=[dst.Call(credit_points), dst.Call(credit_points)],
    setup=setup,
    recover=credit_points,
    observe=observe,
    invariants=[dst.expect(once, "not credited once", each="observed")],
    targets=["delivered again"],
)
config = dst.SimulationConfig.quick(crash=dst.CrashPolicy())
print(consumers.run(config).explain(), end="")
#> clean: queue_redelivery_repaired:consumers
#>
#> Searched: portfolio, 64 runs, 2,545 steps, 64 of 64 seeds
#>   crash at */*/*: in 58 of 64 runs
#>   reached delivered again: in 36 of 64 runs
# --8<-- [end:run]
