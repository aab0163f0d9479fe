"""A seat is held for 60 s while its customer pays; who pays late still gets it.

Page: simulate/examples
"""

# --8<-- [start:program]
import asyncio

from faultlab.dst import Operation, Simulation


async def setup(ctx):
    await ctx.port("document_command", "seats").insert("12a", {"sold_to": None})


async def book(ctx, customer, pays_after_s):
    seats = ctx.port("document_command", "seats")
    hold = await ctx.port("lock", "holds").acquire(
        "12a", customer, lease_s=60, wait_s=300
    )
    seat = await seats.get("12a")
    if hold is None or seat.body["sold_to"]:
        return
    await asyncio.sleep(pays_after_s)
    await seats.update("12a", {"sold_to": customer})
    ctx.record("sold", to=customer)


def sold_once(history):
    buyers = [event.fields["to"] for event in history.of("sold")]
    if len(buyers) > 1:
        yield f"seat 12a was sold to {' and to '.join(buyers)}"


booking = Operation(book, customer=["ada", "bo"], pays_after_s=[20, 90])
seats = Simulation([booking], setup=setup, invariants=[sold_once], calls=6)
# --8<-- [end:program]

# --8<-- [start:report]
print(seats.run().explain(), end="")
#> violated: reservation_outlives_hold:seats
#>   seat 12a was sold to ada and to ada
#>
#> 2 calls:
#>   call 3: book(customer='ada', pays_after_s=90)
#>   call 6: book(customer='ada', pays_after_s=20)
#>
#> Seed 0 found it. It takes no decision: it fails although nothing befalls it.
#>
#> What ran, time running down, an event a row:
#>     time  seats       app/call 3  app/call 6  holds
#>           … 3 rows
#>   0.010s  │           ●                                   book(customer='ada', pays_after_s=90)
#>   0.010s  │           ●                                   lock/holds.acquire(name='12a', owner='ada…
#>   0.010s  │           │           ●                       book(customer='ada', pays_after_s=20)
#>   0.010s  │           │           ●                       lock/holds.acquire(name='12a', owner='ada…
#>   0.015s  │           │           │           ■           acquired(lock='12a', owner='ada', token=1)
#>   0.020s  │           ◎           │           │           acquire answered: {'name': '12a', 'owner'…
#>   0.020s  │           ●           │           │           document_query/seats.get(document_id='12a…
#>   0.026s  ■           │           │           │           get takes effect
#>   0.031s  │           ◎           │           │           get answered: {'id': '12a', 'body': {'sol…
#>  60.015s  │           │           │           ■           acquired(lock='12a', owner='ada', token=2)
#>  60.020s  │           │           ◎                       acquire answered: {'name': '12a', 'owner'…
#>  60.020s  │           │           ●                       document_query/seats.get(document_id='12a…
#>  60.026s  ■           │           │                       get takes effect
#>  60.031s  │           │           ◎                       get answered: {'id': '12a', 'body': {'sol…
#>  80.031s  │           │           ●                       document_command/seats.update(document_id…
#>  80.036s  ■           │           │                       committed(tx=0, writes=[['seats', '12a', …
#>  80.041s  │           │           ◎                       update answered: {'id': '12a', 'body': {'…
#>  80.041s  │           │           ■                       sold(to='ada')
#>  80.041s  │           │           ◎                       end
#>  90.031s  │           ●                                   document_command/seats.update(document_id…
#>  90.036s  ■           │                                   committed(tx=0, writes=[['seats', '12a', …
#>  90.041s              ◎                                   update answered: {'id': '12a', 'body': {'…
#>  90.041s              ■                                   sold(to='ada')
#>  90.041s              ◎                                   end
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 1 run, 75 steps, 1 of 256 seeds
# --8<-- [end:report]
