"""Rules say where a fault may strike, and how often; the report counts where it did.

Page: simulate/faults-latency-time
"""

# --8<-- [start:run]
from faultlab.dst import FaultRule, Operation, Simulation, SimulationConfig


async def pay(ctx, order):
    for _ in range(3):
        try:
            await ctx.port("receiver", "payments").debit(
                key=order, fingerprint=(order,)
            )
            return
        except TimeoutError:
            ctx.reached("sent again")


rules = [
    FaultRule(kind="error", op="debit", at_call=3),
    FaultRule(kind="lost-reply", surface="receiver", route="payments", probability=0.2),
    FaultRule(kind="delay", surface="receiver", delay_s=30, times_max=1),
    FaultRule(kind="drop", surface="queue_command"),
]
simulation = Simulation(
    [Operation(pay, order=["a", "b"])], targets=["sent again"], calls=6
)
print(simulation.run(SimulationConfig.quick(faults=rules)).explain(), end="")
#> unexercised: fault_rules:simulation
#>
#> Searched: portfolio, 64 runs, 2,091 steps, 64 of 64 seeds
#>   unexercised: drop at queue_command/*/*
#>   delay at receiver/*/*: in 27 of 64 runs
#>   error at */*/debit, matching call 3: in 64 of 64 runs
#>   lost-reply at receiver/payments/*: in 47 of 64 runs
#>   reached sent again: in 47 of 64 runs
# --8<-- [end:run]

# --8<-- [start:typo]
from faultlab.dst import SimulationError

try:
    FaultRule(kind="lostreply")
except SimulationError as error:
    print(error)
#> there is no fault 'lostreply'. Did you mean 'lost-reply'? Allowed: error, unreachable, timeout, lost-reply, drop, duplicate, delay.
# --8<-- [end:typo]
