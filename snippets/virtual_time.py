"""A night passes in no time, and nobody's timeout is forgotten.

Page: simulate/faults-latency-time
"""

# --8<-- [start:run]
import asyncio
import time

from faultlab.dst import Call, Simulation


async def wait_for_morning(ctx):
    before = time.time()
    await asyncio.sleep(8 * 3600)
    ctx.record("morning", by_the_clock=time.time() - before, since_start_s=ctx.now_s())


def show(history):
    for event in history.of("morning"):
        yield f"{event.fields['by_the_clock']:.0f} s have passed by time.time()"


began = time.perf_counter()
report = Simulation(calls=[Call(wait_for_morning)], invariants=[show]).run()
print(report.finding.message)
print("within a minute of yours:", time.perf_counter() - began < 60)
#> 28800 s have passed by time.time()
#> within a minute of yours: True
# --8<-- [end:run]
