"""A lost reply leaves two possible pasts; linearizable accepts both, and no third one.

Page: simulate/invariants
"""

# --8<-- [start:run]
from faultlab.dst import Call, FaultRule, Simulation, SimulationConfig, linearizable
from faultlab.dst.invariants import Register


class Limit:
    """One value behind a cache that writes do not empty, or without one."""

    def __init__(self, cached):
        self.cached, self.value, self.cache = cached, 1, {}

    async def write(self, value):
        self.value = value

    async def read(self):
        return self.cache.setdefault("limit", self.value) if self.cached else self.value


async def change(ctx):
    await ctx.port("limits", "api").write(value=9)


async def look(ctx):
    ctx.reached(f"read {await ctx.port('limits', 'api').read()}")


faults = [
    FaultRule(kind="unreachable", op="write"),
    FaultRule(kind="lost-reply", op="write"),
]
for cached in (False, True):
    report = Simulation(
        state_factory=lambda cached=cached: {("limits", "api"): Limit(cached)},
        deps=lambda objects: objects,
        calls=[Call(look), Call(change), Call(look)],
        concurrency=2,
        invariants=[linearizable(Register(start=1))],
    ).run(SimulationConfig.quick(faults=faults))
    print("cached:" if cached else "plain:", report.verdict)
    print(report.finding.message if cached else sorted(report.exercised.items()))
#> plain: clean
#> [('lost-reply at */*/write', 9), ('reached read 1', 31), ('reached read 9', 48), ('unreachable at */*/write', 7)]
#> cached: violated
#> no order of the calls explains that #13 read answered 1 at #15 at 0.020454 s: it would have had to answer 9. One order that explains all before it: #2 and #4.
#>   #2–#7  0 s – 0.010227 s  app/call 1  read  → 1
#>   #4–#10  0 s – 0.010227 s  app/call 2  write value=9  → None
#>   #13–#15  0.010227 s – 0.020454 s  app/call 3  read  → 1  ← no order explains this
# --8<-- [end:run]
