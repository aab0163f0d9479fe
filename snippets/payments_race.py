"""Two payments of one order race: look, charge, write down.

Page: simulate/examples
"""

# --8<-- [start:program]
from faultlab.dst import Operation, Simulation, no_duplicate_effect
from faultlab.dst.invariants import happened
from faultlab.mock import MockState


class Provider:
    """Stands in for the payment provider. Every charge it is sent, it makes."""

    async def charge(self, order, amount):
        return f"charged {amount} for {order}"


def shop():
    state = MockState()
    state.put("payments", "provider", Provider())
    return state


async def setup(ctx):
    await ctx.port("document_command", "orders").insert("order-42", {"paid": False})


async def pay(ctx, order):
    orders = ctx.port("document_command", "orders")
    found = await orders.get(order)
    if not found.body["paid"]:
        await ctx.port("payments", "provider").charge(order, 1200)
        await orders.update(order, {"paid": True}, revision=found.revision)


pay_once = no_duplicate_effect(happened(surface="payments"), by=("order",))
payments = Simulation(
    [Operation(pay, order=["order-42"])], state_factory=shop, setup=setup, invariants=[pay_once]
)
# --8<-- [end:program]

# --8<-- [start:report]
report = payments.run()
print(report.explain(), end="")
# --8<-- [end:report]
