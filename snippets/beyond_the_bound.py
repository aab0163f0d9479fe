"""Clean within a bound, and broken one decision further on.

Page: understand/green-run
"""

# --8<-- [start:run]
import asyncio
from textwrap import fill

from faultlab import dst


async def meets_two_windows():
    state = {"open": False, "hits": 0}

    async def opens():
        for _ in range(2):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            state["open"] = True
            await asyncio.sleep(0)
            state["open"] = False

    async def looks():
        for _ in range(2):
            await asyncio.sleep(0)
            state["hits"] += state["open"]

    await asyncio.gather(opens(), looks())
    assert state["hits"] < 2


for bound in (1, 2, 3):
    search = dst.Exhaustive(decisions_max=bound)
    report = dst.check(meets_two_windows, dst.SimulationConfig(search=search))
    print(f"{report.verdict}:", fill(report.statement, 68))
#> clean: all 8 runs of this program with at most 1 decision (holds, releases)
#> were run, and none broke anything
#> clean: all 29 runs of this program with at most 2 decisions (holds,
#> releases) were run, and none broke anything
#> violated: run 42 is the first with at most 3 decisions (holds, releases) that
#> breaks something
# --8<-- [end:run]
