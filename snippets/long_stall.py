"""Twenty steps in a row: random order never gets there, one hold does.

Page: simulate/exploration-strategies
"""

# --8<-- [start:program]
import asyncio

from faultlab import dst


async def stall():
    done = []

    async def work():
        for _ in range(20):
            await asyncio.sleep(0)
        assert done, "20 steps, and the other task had none"

    async def mark():
        await asyncio.sleep(0)
        done.append("marked")

    await asyncio.gather(work(), mark())


# --8<-- [end:program]

# --8<-- [start:search]
for search in (dst.RandomStep(), dst.Holds()):
    report = dst.check(stall, dst.SimulationConfig(seeds=range(1000), search=search))
    print(search.label, "·", report.verdict, "·", report.seeds_run, "seeds")
#> random step · clean · 1000 seeds
#> holds · violated · 1 seeds
# --8<-- [end:search]

# --8<-- [start:decision]
(decision,) = report.finding.decisions
print(decision.words.partition(" at ")[0], "at:", decision.where.source)
print(report.finding.minimality)
#> hold Task-3 (mark) at: await asyncio.sleep(0)
#> proven 1-minimal
# --8<-- [end:decision]
