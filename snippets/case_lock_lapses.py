"""A slow worker's lock lapses; another takes the job, and both complete it.

Page: review/cases/the-lock-lapsed
"""

# --8<-- [start:run]
import asyncio

from faultlab.dst import Operation, Simulation, SimulationConfig, no_duplicate_effect
from faultlab.mock import RevisionConflict


async def setup(ctx):
    await ctx.port("document_command", "jobs").insert("job-1", {"done": False})


def worker(fenced):
    async def work(ctx, takes_s):
        jobs, locks = ctx.port("document_command", "jobs"), ctx.port("lock", "jobs")
        lock = await locks.acquire("job-1", "worker", lease_s=30, wait_s=90)
        job = await jobs.get("job-1")
        if lock is None or job.body["done"]:
            return
        claim = await jobs.update("job-1", {"done": False}, revision=job.revision)
        await asyncio.sleep(takes_s)
        token = claim.revision if fenced else None
        try:
            await jobs.update("job-1", {"done": True}, revision=token)
        except RevisionConflict:
            ctx.reached("refused")
        else:
            ctx.record("completed", job="job-1")

    return Operation(work, takes_s=[10, 50])


once = no_duplicate_effect("completed", by=("job",))
for fenced in (False, True):
    jobs = Simulation([worker(fenced)], setup=setup, invariants=[once], calls=4)
    report = jobs.run(SimulationConfig.quick())
    print(f"token checked: {fenced}:", report.verdict, *report.exercised)
#> token checked: False: violated
#> token checked: True: clean reached refused
# --8<-- [end:run]
