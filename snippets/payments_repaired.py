"""The same order, charged under a key of its own: raced, crashed, replies lost, and clean.

Page: simulate/examples
"""

# --8<-- [start:run]
from faultlab import dst


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx, order):
    orders = ctx.port("document_command", "orders")
    found = await orders.get(order)
    if not found.body["paid"]:
        await ctx.port("receiver", "provider").debit(
            key=order, fingerprint=(order, 1200)
        )
        await orders.update(order, {"paid": True}, revision=found.revision)


async def recover(ctx):
    await pay(ctx, "order-42")


payments = dst.Simulation(
    [dst.Operation(pay, order=["order-42"])],
    setup=setup,
    recover=recover,
    invariants=[dst.no_duplicate_effect("applied", by=())],
)
report = payments.run(
    dst.SimulationConfig(
        faults=[dst.FaultRule(kind="lost-reply", surface="receiver")],
        crash=dst.CrashPolicy(surface="receiver"),
    )
)
print(report.explain(), end="")
#> clean: payments_repaired:payments
#>
#> Searched: portfolio, 256 runs, 11,484 steps, 256 of 256 seeds
#>   crash at receiver/*/*: in 207 of 256 runs
#>   lost-reply at receiver/*/*: in 50 of 256 runs
# --8<-- [end:run]
