"""The same order, charged under a key of its own: raced, crashed, replies lost, and clean.

Page: simulate/examples
"""

# --8<-- [start:run]
from faultlab.dst import CrashPolicy, FaultRule, Operation, Simulation, SimulationConfig
from faultlab.dst import no_duplicate_effect


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx, order):
    orders = ctx.port("document_command", "orders")
    found = await orders.get(order)
    if not found.body["paid"]:
        await ctx.port("receiver", "provider").debit(key=order, fingerprint=(order, 1200))
        await orders.update(order, {"paid": True}, revision=found.revision)


async def recover(ctx):
    await pay(ctx, "order-42")


payments = Simulation(
    [Operation(pay, order=["order-42"])],
    setup=setup,
    recover=recover,
    invariants=[no_duplicate_effect("applied", by=())],
)
report = payments.run(
    SimulationConfig(
        faults=[FaultRule(kind="lost-reply", surface="receiver")],
        crash=CrashPolicy(surface="receiver"),
    )
)
print(report.explain(), end="")
# --8<-- [end:run]
