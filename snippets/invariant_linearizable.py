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


faults = [FaultRule(kind="unreachable", op="write"), FaultRule(kind="lost-reply", op="write")]
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
# --8<-- [end:run]
