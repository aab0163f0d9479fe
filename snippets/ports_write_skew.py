"""Write skew: permitted under snapshot isolation, prevented under serializable.

Page: simulate/ports
"""

# --8<-- [start:run]
from faultlab.dst import Operation, Simulation, serializable
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


for isolation in ("snapshot", "serializable"):
    report = Simulation(
        [on(isolation)], setup=setup, invariants=[serializable(document_transactions())], calls=6
    ).run()
    print(isolation, "·", report.verdict)
    if report.finding:
        print(report.finding.message)
# --8<-- [end:run]
