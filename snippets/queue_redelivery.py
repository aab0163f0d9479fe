"""The work takes longer than the visibility timeout: delivered again, credited again.

Page: simulate/examples
"""

# --8<-- [start:program]
import asyncio

from faultlab.dst import Call, Simulation, expect


async def setup(ctx):
    await ctx.port("queue_command", "orders").put("order-42")


async def credit_points(ctx):
    orders, points = ctx.port("queue_query", "orders"), ctx.port(
        "document_command", "points"
    )
    delivery = await orders.receive(wait_s=60)
    if delivery is None:
        return
    await asyncio.sleep(40)  # the points are worked out; the timeout is 30 s
    await points.insert(f"entry-{delivery.receipt}", {"order": delivery.message})
    await orders.acknowledge(delivery)


async def observe(ctx):
    return len(await ctx.port("document_query", "points").find(order="order-42"))


def once(observed):
    return observed.fields["value"] == 1


consumers = Simulation(
    calls=[Call(credit_points), Call(credit_points)],
    setup=setup,
    observe=observe,
    invariants=[expect(once, "not credited once", each="observed")],
)
# --8<-- [end:program]

# --8<-- [start:report]
print(consumers.run().explain(), end="")
#> violated: queue_redelivery:consumers
#>   not credited once: observed of main (#8 at 0.020454 s)
#>
#> Seed 0 found it. It takes no decision: it fails in asyncio's own order.
#>
#> What ran, time running down, an event a row:
#>     time  main    orders  points
#>   0.000s  ●                       queue_command/orders.put(message='order-42')
#>   0.005s  │       ■               put(message=1)
#>   0.010s  ◎                       put answered: 1
#>   0.010s  ●                       document_query/points.find(order='order-42')
#>   0.015s  │               ■       find takes effect
#>   0.020s  ◎                       find answered: []
#>   0.020s  ■                       observed(value=0)
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 1 run, 29 steps, 1 of 256 seeds
# --8<-- [end:report]
