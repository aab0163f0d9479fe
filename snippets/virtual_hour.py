"""An hour that takes no time: the clock moves only when nothing can run.

Page: understand/determinism
"""

# --8<-- [start:run]
import asyncio
import time
from datetime import datetime

from faultlab.kernel import run, virtual_world


async def program():
    print(datetime.now(), time.monotonic())
    await asyncio.sleep(3600)
    print(datetime.now(), time.monotonic())


with virtual_world():
    run(program)
#> 2026-01-01 00:00:00 0.0
#> 2026-01-01 01:00:00 3600.0
# --8<-- [end:run]


# --8<-- [start:step]
async def busy():
    before = time.monotonic()
    sum(range(100_000))
    return time.monotonic() - before


with virtual_world():
    print(run(busy).result)
#> 0.0
# --8<-- [end:step]
