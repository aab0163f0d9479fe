"""Who pays after the hold has ended is told so: the seat is written only as it was read.

Page: simulate/examples
"""

# --8<-- [start:run]
import asyncio

from faultlab.dst import Operation, Simulation, SimulationConfig
from faultlab.mock import RevisionConflict


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
    try:
        await seats.update("12a", {"sold_to": customer}, revision=seat.revision)
    except RevisionConflict:
        ctx.reached("paid too late")  # refund
    else:
        ctx.record("sold", to=customer)


def sold_once(history):
    buyers = [event.fields["to"] for event in history.of("sold")]
    if len(buyers) > 1:
        yield f"seat 12a was sold to {' and to '.join(buyers)}"


booking = Operation(book, customer=["ada", "bo"], pays_after_s=[20, 90])
seats = Simulation(
    [booking], setup=setup, invariants=[sold_once], calls=6, targets=["paid too late"]
)
print(seats.run(SimulationConfig.quick()).explain(), end="")
#> clean: reservation_repaired:seats
#>
#> Searched: portfolio, 64 runs, 4,783 steps, 64 of 64 seeds
#>   reached paid too late: in 38 of 64 runs
# --8<-- [end:run]
