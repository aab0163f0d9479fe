"""Three faults with one face: the same words after the same delay, three histories.

Page: simulate/faults-latency-time
"""

# --8<-- [start:run]
from faultlab.dst import Call, FaultRule, LatencyProfile, Simulation, SimulationConfig


async def pay(ctx):
    try:
        await ctx.port("receiver", "payments").debit(
            key="order-42", fingerprint=(1200,)
        )
    except TimeoutError as error:
        ctx.record("told", words=str(error))


def tell(history):
    for told in history.of("told"):
        truth = [f"applied at {event.time_s:.2f} s" for event in history.of("applied")]
        yield "\n  ".join(
            [told.fields["words"], f"told at {told.time_s:.2f} s", *truth]
        )


simulation = Simulation(calls=[Call(pay)], invariants=[tell])
for kind in ("unreachable", "timeout", "lost-reply"):
    config = SimulationConfig(
        seeds=[0],
        latency=LatencyProfile.constant(0.01),
        faults=[FaultRule(kind=kind, surface="receiver", at_call=1)],
    )
    print(f"{kind}: {simulation.run(config).finding.message}")
#> unreachable: no reply from receiver/payments/debit in time; whether it took effect is not known
#>   told at 5.01 s
#> timeout: no reply from receiver/payments/debit in time; whether it took effect is not known
#>   told at 5.01 s
#>   applied at 5.01 s
#> lost-reply: no reply from receiver/payments/debit in time; whether it took effect is not known
#>   told at 5.01 s
#>   applied at 0.01 s
# --8<-- [end:run]
