"""After the faults heal every order is shipped: by a relay that looks again, not by one that gives up.

Page: simulate/invariants
"""

# --8<-- [start:run]
from faultlab.dst import Call, FaultRule, Simulation, SimulationConfig, eventually
from faultlab.mock import relay


def ship(passes):
    async def relay_orders(ctx):
        outbox, parcels = ctx.port("outbox", "orders"), ctx.port(
            "queue_command", "parcels"
        )
        await outbox.add("order-42")
        ctx.record("ordered")
        await relay(
            outbox, lambda entry: parcels.put(entry.message), passes=passes, every_s=10
        )

    return relay_orders


config = SimulationConfig.quick(
    faults=[FaultRule(kind="unreachable", surface="queue_command")]
)
shipped = eventually("put", for_each="ordered", within_s=60)
for passes in (1, 5):
    report = Simulation(calls=[Call(ship(passes))], invariants=[shipped]).run(config)
    print(passes, "passes ·", report.verdict, "·", report.exercised)
    if report.finding:
        print(report.finding.message)
#> 1 passes · violated · {'unreachable at queue_command/*/*': 1}
#> put for ordered of app/call 1 (#6 at 0.010227 s) did not come about within 60 s of 0.025568 s: it never came; the last event is at 5.025568 s (the last fault was fault #11 at 0.025568 s)
#> 5 passes · clean · {'unreachable at queue_command/*/*': 5}
# --8<-- [end:run]
