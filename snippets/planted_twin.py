"""A green run means more when the same search has found the bug you fear.

Page: understand/green-run
"""

# --8<-- [start:program]
import asyncio

from faultlab import dst


async def two_workers(*, twin):
    taken, effects = set(), []

    async def worker(wait):
        for _ in range(wait):
            await asyncio.sleep(0)
        if "order-42" in taken:
            return
        if twin:  # the check and the claim come apart
            await asyncio.sleep(0)
        taken.add("order-42")
        effects.append("order-42")

    await asyncio.gather(worker(wait=0), worker(wait=8))
    assert len(effects) == 1, f"{len(effects)} effects"


async def repaired():
    await two_workers(twin=False)


async def planted():
    await two_workers(twin=True)


# --8<-- [end:program]


# --8<-- [start:search]
for program in (repaired, planted):
    report = dst.check(program)
    print(f"{program.__name__}: {report.verdict}, seeds run: {report.seeds_run}")
#> repaired: clean, seeds run: 256
#> planted: violated, seeds run: 1
# --8<-- [end:search]
