"""A lease that ends while its owner still works: two are inside.

Page: simulate/invariants
"""

# --8<-- [start:run]
import asyncio

from faultlab.dst import Simulation, mutual_exclusion


async def reindex(ctx):
    locks = ctx.port("lock", "indexes")
    lease = await locks.acquire("search", "worker", lease_s=10, wait_s=60)
    if lease is None:
        return
    ctx.record("entered")
    await asyncio.sleep(12)  # the work
    ctx.record("left")
    await locks.release(lease)


simulation = Simulation([reindex], invariants=[mutual_exclusion()], calls=3)
report = simulation.run()
print(report.finding.message)
#> two are inside: app/call 3 (#12 at 10.010227 s) entered while app/call 2 (#8 at 0.010227 s) had not left
# --8<-- [end:run]
