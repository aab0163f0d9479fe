"""A recovery pass completes what a crash left half done, and is crashed itself.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
from faultlab.dst import Call, CrashPolicy, Simulation, SimulationConfig, expect


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx):
    await ctx.port("document_command", "charges").insert("order-42", {"cents": 1200})
    await ctx.port("document_command", "orders").update("order-42", {"paid": True})


async def finish(ctx):
    orders = ctx.port("document_command", "orders")
    for charge in await ctx.port("document_query", "charges").find():
        await orders.update(charge.id, {"paid": True})


async def orphaned(ctx):
    charge = await ctx.port("document_query", "charges").get("order-42")
    order = await ctx.port("document_query", "orders").get("order-42")
    return charge is not None and not order.body["paid"]


no_orphan = expect(lambda e: not e.fields["value"], "an orphan", each="observed")
one_crash = expect(lambda history: len(history.of("crash")) < 2, "crashed twice")
twice = CrashPolicy(surface="document_command", times=2)
told = {"setup": setup, "recover": finish, "observe": orphaned}
for invariant in (no_orphan, one_crash):
    simulation = Simulation(calls=[Call(pay)], invariants=[invariant], **told)
    report = simulation.run(SimulationConfig.quick(crash=twice))
    print(f"{report.verdict}:", invariant)
    print(report.timeline())
#> clean: <invariant expect(an orphan)>
#>
#> violated: <invariant expect(crashed twice)>
#> a main   b orders   c app/call 1   d charges   e app/app
#>     time  a b c d e
#>   0.000s  ●         document_command/orders.insert(document_id='order-42', body={'paid': False})
#>   0.005s  │ ■       committed(tx=0, writes=[['orders', 'order-42', 1]])
#>   0.010s  ◎ │       insert answered: {'id': 'order-42', 'body': {'paid': False}, 'revision': 1}
#>   0.010s  │ │ ●     pay()
#>   0.010s  │ │ ●     document_command/charges.insert(document_id='order-42', body={'cents': 1200})
#>   0.015s  │ │ │ ■   committed(tx=0, writes=[['charges', 'order-42', 1]])
#>   0.015s  │ │ ◇ │   crash strikes
#>   0.015s  │ │ ✕ │   app crashes
#>   0.015s  │ │   │ ● document_query/charges.find()
#>   0.020s  │ │   ■ │ find takes effect
#>   0.026s  │ │   │ ◎ find answered: [{'id': 'order-42', 'body': {'cents': 1200}, 'revision': 1}]
#>   0.026s  │ │   │ ● document_command/orders.update(document_id='order-42', body={'paid': True})
#>   0.031s  │ │   │ ◇ crash strikes
#>   0.031s  │ │   │ ✕ app crashes
#>   0.031s  │ │   │ ● document_query/charges.find()
#>   0.036s  │ │   ■ │ find takes effect
#>   0.041s  │ │   │ ◎ find answered: [{'id': 'order-42', 'body': {'cents': 1200}, 'revision': 1}]
#>   0.041s  │ │   │ ● document_command/orders.update(document_id='order-42', body={'paid': True})
#>   0.046s  │ ■   │ │ committed(tx=0, writes=[['orders', 'order-42', 2]])
#>   0.051s  │ │   │ ◎ update answered: {'id': 'order-42', 'body': {'paid': True}, 'revision': 2}
#>   0.051s  ● │   │   document_query/charges.get(document_id='order-42')
#>   0.056s  │ │   ■   get takes effect
#>   0.061s  ◎ │       get answered: {'id': 'order-42', 'body': {'cents': 1200}, 'revision': 1}
#>   0.061s  ● │       document_query/orders.get(document_id='order-42')
#>   0.066s  │ ■       get takes effect
#>   0.072s  ◎         get answered: {'id': 'order-42', 'body': {'paid': True}, 'revision': 2}
#>   0.072s  ■         observed(value=False)
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
# --8<-- [end:run]
