"""A crash is a power cut: what stays, what is rolled back, and what never runs.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
from faultlab.dst import Call, CrashPolicy, Simulation, SimulationConfig, expect


async def book(ctx):
    shelves = ctx.port("document_command", "shelves")
    await shelves.insert("committed", {})
    try:
        async with shelves.transaction() as tx:
            await shelves.insert("in the transaction", {}, tx=tx)
    except BaseException:
        ctx.record("except")
        raise
    finally:
        ctx.record("finally")


async def observe(ctx):
    found = await ctx.port("document_query", "shelves").find()
    ctx.record("left", documents=[document.id for document in found])


nothing_crashed = expect(lambda history: not history.of("crash"), "it crashed")
simulation = Simulation(
    calls=[Call(book)], observe=observe, invariants=[nothing_crashed]
)
commit = CrashPolicy(surface="document_command", op="commit", when="before")
print(simulation.run(SimulationConfig(crash=commit)).timeline())
#>     time  app/call 1  shelves     main
#>   0.000s  ●                                   book()
#>   0.000s  ●                                   document_command/shelves.insert(document_id='committe…
#>   0.005s  │           ■                       committed(tx=0, writes=[['shelves', 'committed', 1]])
#>   0.010s  ◎           │                       insert answered: {'id': 'committed', 'body': {}, 'rev…
#>   0.010s  ●           │                       document_command/shelves.begin()
#>   0.015s  │           ■                       begin takes effect
#>   0.020s  ◎           │                       begin answered
#>   0.020s  ●           │                       document_command/shelves.insert(document_id='in the t…
#>   0.026s  │           ■                       insert takes effect
#>   0.031s  ◎           │                       insert answered: {'id': 'in the transaction', 'body':…
#>   0.031s  ●           │                       document_command/shelves.commit(tx=1)
#>   0.036s  ◇           │                       crash strikes
#>   0.036s  ✕           │                       app crashes
#>   0.036s              │           ●           document_query/shelves.find()
#>   0.041s              ■           │           find takes effect
#>   0.046s                          ◎           find answered: [{'id': 'committed', 'body': {}, 'revi…
#>   0.046s                          ■           left(documents=['committed'])
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
# --8<-- [end:run]
