"""A crash between charge and order: an orphan, unless one transaction holds both.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:program]
from faultlab.dst import Call, Simulation, SimulationConfig, expect
from faultlab.dst.faults import CrashPolicy


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx, tx=None):
    charges = ctx.port("document_command", "charges")
    await charges.insert("order-42", {"cents": 1200}, tx=tx)
    orders = ctx.port("document_command", "orders")
    await orders.update("order-42", {"paid": True}, tx=tx)


async def orphaned(ctx):
    charge = await ctx.port("document_query", "charges").get("order-42")
    order = await ctx.port("document_query", "orders").get("order-42")
    return charge is not None and not order.body["paid"]


no_orphan = expect(lambda e: not e.fields["value"], "an orphan", each="observed")
told = {"setup": setup, "observe": orphaned, "invariants": [no_orphan]}
simulation = Simulation(calls=[Call(pay)], **told)
# --8<-- [end:program]

# --8<-- [start:run]
report = simulation.run(
    SimulationConfig(
        seeds=range(64),
        crash=CrashPolicy(surface="document_command", route="orders", op="update"),
    )
)
for decision in report.finding.decisions:
    print(f"{report.verdict}: {decision.words}")
print(report.timeline())
#> violated: crash at boundary 1
#>     time  main        orders      app/call 1  charges
#>   0.000s  ●                                               document_command/orders.insert(document_i…
#>   0.005s  │           ■                                   committed(tx=0, writes=[['orders', 'order…
#>   0.010s  ◎           │                                   insert answered: {'id': 'order-42', 'body…
#>   0.010s  │           │           ●                       pay(tx=None)
#>   0.010s  │           │           ●                       document_command/charges.insert(document_…
#>   0.015s  │           │           │           ■           committed(tx=0, writes=[['charges', 'orde…
#>   0.020s  │           │           ◎           │           insert answered: {'id': 'order-42', 'body…
#>   0.020s  │           │           ●           │           document_command/orders.update(document_i…
#>   0.026s  │           │           ◇           │           crash strikes
#>   0.026s  │           │           ✕           │           app crashes
#>   0.026s  ●           │                       │           document_query/charges.get(document_id='o…
#>   0.031s  │           │                       ■           get takes effect
#>   0.036s  ◎           │                                   get answered: {'id': 'order-42', 'body': …
#>   0.036s  ●           │                                   document_query/orders.get(document_id='or…
#>   0.041s  │           ■                                   get takes effect
#>   0.046s  ◎                                               get answered: {'id': 'order-42', 'body': …
#>   0.046s  ■                                               observed(value=True)
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
# --8<-- [end:run]
