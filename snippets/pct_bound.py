"""What PCT guarantees, and how many seeds it takes.

Page: simulate/exploration-strategies
"""

# --8<-- [start:program]
import asyncio
from textwrap import fill

from faultlab import dst


async def handover():
    ready, seen = asyncio.Event(), []

    async def sends():
        await asyncio.sleep(0)
        seen.append("sent")
        ready.set()

    async def takes():
        await ready.wait()
        assert seen == ["sent"]

    await asyncio.gather(sends(), takes())


# --8<-- [end:program]

# --8<-- [start:statement]
pct = dst.PCT(depth=2)
report = dst.check(handover, dst.SimulationConfig(search=pct))
print(report.verdict)
print(fill(report.statement, 76))
#> clean
#> under PCT's own distribution, a bug of depth 2 in runs of at most 4 tasks
#> and 4 contested steps would have been missed by all 256 seeds with
#> probability at most 6.7e-08
# --8<-- [end:statement]

# --8<-- [start:larger]
for seeds in (256, 2_048, 50_000):
    missed = pct.missed_at_most(tasks=10, contested=200, seeds=seeds)
    print(f"{seeds:6,} seeds: missed with probability at most {missed:.2g}")
#>    256 seeds: missed with probability at most 0.88
#>  2,048 seeds: missed with probability at most 0.36
#> 50,000 seeds: missed with probability at most 1.4e-11
# --8<-- [end:larger]
