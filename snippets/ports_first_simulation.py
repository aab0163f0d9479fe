"""A first simulation over ports: two payments of one order.

Page: simulate/ports
"""

# --8<-- [start:run]
from uuid import uuid4

from faultlab.dst import Operation, Simulation


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx, order):
    orders = ctx.port("document_command", "orders")
    document = await orders.get(order)
    if not document.body["paid"]:
        await ctx.port("receiver", "payments").debit(key=str(uuid4()), fingerprint=(order,))
        await orders.update(order, {"paid": True})


def charged_once(history):
    if (charges := len(history.of("applied"))) > 1:
        return f"order-42 was charged {charges} times"


simulation = Simulation([Operation(pay, order=["order-42"])], setup=setup, invariants=[charged_once])
report = simulation.run()
print(report.verdict, "·", report.finding.message, "·", *report.finding.calls)
# --8<-- [end:run]
