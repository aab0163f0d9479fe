"""A check that gives up has decided nothing: the verdict is not clean.

Page: simulate/invariants
"""

# --8<-- [start:run]
from faultlab.dst import Simulation, SimulationConfig, linearizable
from faultlab.dst.invariants import Counter


class Stock:
    count = 0

    async def add(self, amount):
        self.count += amount
        return self.count


async def receive(ctx):
    await ctx.port("stock", "shelf").add(amount=1)


report = Simulation(
    [receive],
    deps=lambda state: {("stock", "shelf"): Stock()},
    invariants=[linearizable(Counter(), steps_max=10)],
).run(SimulationConfig(seeds=range(1)))
print(report.verdict)
print(*report.unexercised, sep="\n")
#> unexercised
#> seed 0: linearizable(Counter, calls of any port): gave up after 10 steps of the model at add #4, one of 20 calls on one object. Tell objects apart with by=(…), let fewer calls run at once, or raise steps_max.
# --8<-- [end:run]
