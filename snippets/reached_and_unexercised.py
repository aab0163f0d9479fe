"""A sweep that never gets to the interesting place is not clean.

Page: simulate/invariants
"""

# --8<-- [start:run]
from faultlab.dst import Call, FaultRule, Simulation, SimulationConfig


async def pay(ctx):
    try:
        await ctx.port("receiver", "payments").debit(
            key="order-42", fingerprint=(1200,)
        )
    except TimeoutError:
        ctx.reached("outcome unknown")


simulation = Simulation(calls=[Call(pay)], targets=["outcome unknown"])
never = FaultRule(kind="lost-reply", surface="receiver", at_call=2)
once = FaultRule(kind="lost-reply", surface="receiver", at_call=1)
for rule in (never, once):
    report = simulation.run(SimulationConfig(seeds=range(16), faults=[rule]))
    print(report.explain())
print(report.exit_code)
#> unexercised: reached_and_unexercised:simulation
#>
#> Searched: portfolio, 16 runs, 144 steps, 16 of 16 seeds
#>   unexercised: lost-reply at receiver/*/*, matching call 2
#>   unexercised: reached outcome unknown
#>
#> clean: reached_and_unexercised:simulation
#>
#> Searched: portfolio, 16 runs, 144 steps, 16 of 16 seeds
#>   lost-reply at receiver/*/*, matching call 1: in 16 of 16 runs
#>   reached outcome unknown: in 16 of 16 runs
#>
#> 0
# --8<-- [end:run]
