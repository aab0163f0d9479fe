"""Write skew: permitted under snapshot isolation, prevented under serializable.

Page: simulate/ports
"""

# --8<-- [start:run]
from faultlab.dst import Operation, Simulation, SimulationConfig, serializable
from faultlab.dst.invariants import document_transactions


async def setup(ctx):
    for doctor in ("ada", "bo"):
        await ctx.port("document_command", "doctors").insert(doctor, {"on_call": True})


def on(isolation):
    async def go_off_call(ctx, doctor):
        doctors = ctx.port("document_command", "doctors")
        async with doctors.transaction(isolation) as tx:
            if len(await tx.find(on_call=True)) == 2:
                await tx.update(doctor, {"on_call": False})

    return Operation(go_off_call, doctor=["ada", "bo"])


ordered = serializable(document_transactions())
for isolation in ("snapshot", "serializable"):
    simulation = Simulation([on(isolation)], setup=setup, invariants=[ordered], calls=6)
    report = simulation.run(SimulationConfig.quick())
    print(isolation, "·", report.verdict)
    if report.finding:
        print(report.finding.message)
#> snapshot · violated
#> G2 (write skew): no order puts transaction 1 → transaction 2 → transaction 1 one after the other
#>   transaction 1 before transaction 2: transaction 1 read version 1 of 'doctors/bo' (#21), not yet version 2, which transaction 2 wrote (#33)
#>   transaction 2 before transaction 1: transaction 2 read version 1 of 'doctors/ada' (#23), not yet version 2, which transaction 1 wrote (#31)
#>   transaction 1 from #21 at 0.040909 s: r('doctors/ada', version 1) #21, r('doctors/bo', version 1) #21, w('doctors/ada', version 2) #31; committed
#>   transaction 2 from #23 at 0.040909 s: r('doctors/ada', version 1) #23, r('doctors/bo', version 1) #23, w('doctors/bo', version 2) #33; committed
#> serializable · clean
# --8<-- [end:run]
