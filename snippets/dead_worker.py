"""A worker that dies is named, and no verdict hides it.

Page: simulate/scale-out
"""

# --8<-- [start:executor]
import asyncio
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool

from faultlab import dst


class OneDies(Executor):
    """Runs everything at once, right here; the third chunk takes its worker down."""

    handed_in = 0

    def submit(self, function, *arguments):
        self.handed_in += 1
        future = Future()
        if self.handed_in == 3:
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(function(*arguments))
        return future


# --8<-- [end:executor]


# --8<-- [start:run]
async def quiet():
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(1))


report = dst.check(quiet, dst.SimulationConfig(executor=OneDies()))
print(report.verdict, "· exit code", report.exit_code, "·", report.seeds_run, "seeds")
print(*report.lost, sep="\n")
#> unexercised · exit code 3 · 240 seeds
#> seeds 32 to 47: the worker died (BrokenProcessPool)
# --8<-- [end:run]
