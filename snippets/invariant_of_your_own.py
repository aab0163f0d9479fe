"""An invariant is a function: five lines over the history.

Page: simulate/invariants
"""


# --8<-- [start:invariant]
def nothing_is_sold_twice(history):
    sold = [event.fields["seat"] for event in history.of("sold")]
    for seat in set(sold):
        if sold.count(seat) > 1:
            yield f"seat {seat} was sold {sold.count(seat)} times"


# --8<-- [end:invariant]


# --8<-- [start:run]
from faultlab.dst import Operation, Simulation


async def buy(ctx, seat):
    seats = ctx.port("document_command", "seats")
    if await seats.get(seat) is None:
        ctx.record("sold", seat=seat)
        await seats.insert(seat, {})


simulation = Simulation(
    [Operation(buy, seat=["12a", "12b"])], invariants=[nothing_is_sold_twice]
)
report = simulation.run()
print(report.finding.message, report.finding.rule.name)
print(*report.finding.calls, sep="\n")
#> seat 12a was sold 2 times nothing_is_sold_twice
#> call 7: buy(seat='12a')
#> call 9: buy(seat='12a')
# --8<-- [end:run]
