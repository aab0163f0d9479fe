"""Ctrl-C ends a sweep with what there is.

Page: simulate/scale-out
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def quiet():
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(1))


def progress(now):
    if now.seeds_run % 50 == 0:
        print(f"{now.seeds_run} of {now.seeds}")
    if now.seeds_run == 120:
        raise KeyboardInterrupt  # as if somebody had pressed Ctrl-C


report = dst.check(quiet, dst.SimulationConfig(progress=progress))
print(report.verdict, "·", report.seeds_run, "seeds · interrupted:", report.interrupted)
#> 50 of 256
#> 100 of 256
#> clean · 120 seeds · interrupted: True
# --8<-- [end:run]

# --8<-- [start:fails]
try:
    report.assert_clean()
except dst.SimulationFailed as error:
    print(str(error).splitlines()[-1])
#> Searched: portfolio, 120 runs, 960 steps, 120 of 256 seeds, then stopped by hand
# --8<-- [end:fails]
