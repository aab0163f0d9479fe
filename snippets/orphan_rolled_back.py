"""The same payment in one transaction: a crash rolls the charge back with it.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
from faultlab.dst import Call, CrashPolicy, Simulation, SimulationConfig, expect


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx):
    orders = ctx.port("document_command", "orders")
    async with orders.transaction() as tx:
        charges = ctx.port("document_command", "charges")
        await charges.insert("order-42", {"cents": 1200}, tx=tx)
        await orders.update("order-42", {"paid": True}, tx=tx)


async def orphaned(ctx):
    charge = await ctx.port("document_query", "charges").get("order-42")
    order = await ctx.port("document_query", "orders").get("order-42")
    return charge is not None and not order.body["paid"]


no_orphan = expect(lambda e: not e.fields["value"], "an orphan", each="observed")
told = {"setup": setup, "observe": orphaned, "invariants": [no_orphan]}
update = CrashPolicy(surface="document_command", route="orders", op="update")
anywhere = CrashPolicy(surface="document_command")
for crash in (update, anywhere):
    config = SimulationConfig(seeds=range(64), crash=crash)
    print(Simulation(calls=[Call(pay)], **told).run(config).explain())
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 1,215 steps, 64 of 64 seeds
#>   crash at document_command/orders/update: in 43 of 64 runs
#>
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 1,120 steps, 64 of 64 seeds
#>   crash at document_command/*/*: in 56 of 64 runs
#>
# --8<-- [end:run]
