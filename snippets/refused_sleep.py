"""A call that would really wait is refused, and says what to do instead.

Page: understand/determinism
"""

# --8<-- [start:run]
import time

from faultlab import dst
from faultlab.kernel import RealWorldCall


async def waits_for_real():
    time.sleep(1)


try:
    dst.check(waits_for_real)
except RealWorldCall as error:
    cause, _, remedy = str(error).partition("; ")
    print(cause.partition(" at ")[0], "…", remedy)
#> time.sleep() … await asyncio.sleep() instead: it takes virtual time
# --8<-- [end:run]
