"""A first simulation over ports: payments payments of one order.

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
        await ctx.port("receiver", "payments").debit(
            key=str(uuid4()), fingerprint=(order,)
        )
        await orders.update(order, {"paid": True})


def charged_once(history):
    if (charges := len(history.of("applied"))) > 1:
        yield f"order-42 was charged {charges} times"


pays = [Operation(pay, order=["order-42"])]
payments = Simulation(pays, setup=setup, invariants=[charged_once])
print(payments.run().explain(), end="")
#> violated: ports_first_simulation:payments
#>   order-42 was charged 2 times
#>
#> 2 calls:
#>   call 7: pay(order='order-42')
#>   call 8: pay(order='order-42')
#>
#> Seed 0 found it. It takes no decision: it fails although nothing befalls it.
#>
#> What ran, time running down, an event a row:
#> a main   b orders   c app/call 7   d app/call 8   e payments
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
#>   0.020s    │ ● │   receiver/payments.debit(key='e7e20d8c-44ca-4250-936e-b967bf6f1905')
#>   0.020s    │ │ ◎   get answered: {'id': 'order-42', 'body': {'paid': False}, 'revision': 1}
#>   0.020s    │ │ ●   receiver/payments.debit(key='c6705b69-fba6-4fee-ac16-d0ded8f769f2')
#>   0.026s    │ │ │ ■ applied(key='e7e20d8c-44ca-4250-936e-b967bf6f1905', effect=1)
#>   0.026s    │ │ │ ■ applied(key='c6705b69-fba6-4fee-ac16-d0ded8f769f2', effect=2)
#>   0.031s    │ ◎ │   debit answered: {'disposition': 'applied', 'effect_id': 1, 'still_there': T…
#>   0.031s    │ ● │   document_command/orders.update(document_id='order-42', body={'paid': True})
#>   0.031s    │ │ ◎   debit answered: {'disposition': 'applied', 'effect_id': 2, 'still_there': T…
#>   0.031s    │ │ ●   document_command/orders.update(document_id='order-42', body={'paid': True})
#>   0.036s    ■ │ │   committed(tx=0, writes=[['orders', 'order-42', 2]])
#>   0.036s    ■ │ │   committed(tx=0, writes=[['orders', 'order-42', 3]])
#>   0.041s      ◎ │   update answered: {'id': 'order-42', 'body': {'paid': True}, 'revision': 2}
#>   0.041s      ◎ │   end
#>   0.041s        ◎   update answered: {'id': 'order-42', 'body': {'paid': True}, 'revision': 3}
#>   0.041s        ◎   end
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 1 run, 115 steps, 1 of 256 seeds
# --8<-- [end:run]
