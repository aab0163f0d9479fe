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
    [Operation(pay, order=["order-42"])],
    state_factory=shop,
    setup=setup,
    invariants=[pay_once],
)
# --8<-- [end:program]

# --8<-- [start:report]
report = payments.run()
print(report.explain(), end="")
#> violated: payments_race:payments
#>   order 'order-42' took effect 2 times, 1 at most is right: app/call 7 (#15 at 0.025568 s) and app/call 8 (#16 at 0.025568 s)
#>
#> 2 calls:
#>   call 7: pay(order='order-42')
#>   call 8: pay(order='order-42')
#>
#> Seed 0 found it. It takes no decision: it fails although nothing befalls it.
#>
#> What ran, time running down, an event a row:
#> a main   b orders   c app/call 7   d app/call 8   e provider
#>     time  a b c d e
#>   0.000s  ●         document_command/orders.insert(document_id='order-42', body={'paid': False})
#>   0.005s  │ ■       committed(tx=0, writes=[['orders', 'order-42', 1]])
#>   0.010s  ◎ │       insert answered: {'id': 'order-42', 'body': {'paid': False}, 'revision': 1}
#>   0.010s    │ ●     pay(order='order-42')
#>   0.010s    │ ●     document_query/orders.get(document_id='order-42')
#>   0.010s    │ │ ●   pay(order='order-42')
#>   0.010s    │ │ ●   document_query/orders.get(document_id='order-42')
#>   0.015s    ■ │ │   get takes effect
#>   0.015s    ■ │ │   get takes effect
#>   0.020s    │ ◎ │   get answered: {'id': 'order-42', 'body': {'paid': False}, 'revision': 1}
#>   0.020s    │ ● │   payments/provider.charge(order='order-42', amount=1200)
#>   0.020s    │ │ ◎   get answered: {'id': 'order-42', 'body': {'paid': False}, 'revision': 1}
#>   0.020s    │ │ ●   payments/provider.charge(order='order-42', amount=1200)
#>   0.026s    │ │ │ ■ charge takes effect
#>   0.026s    │ │ │ ■ charge takes effect
#>   0.031s    │ ◎ │   charge answered: 'charged 1200 for order-42'
#>   0.031s    │ ● │   document_command/orders.update(document_id='order-42', body={'paid': True}, rev…
#>   0.031s    │ │ ◎   charge answered: 'charged 1200 for order-42'
#>   0.031s    │ │ ●   document_command/orders.update(document_id='order-42', body={'paid': True}, rev…
#>   0.036s    ■ │ │   committed(tx=0, writes=[['orders', 'order-42', 2]])
#>   0.041s      ◎ │   update answered: {'id': 'order-42', 'body': {'paid': True}, 'revision': 2}
#>   0.041s      ◎ │   end
#>   0.041s        ◎   update: RevisionConflict
#>   0.041s        ◎   failed: RevisionConflict
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 1 run, 119 steps, 1 of 256 seeds
# --8<-- [end:report]
