"""A call that would really wait is refused, and says what to do instead.

Page: understand/determinism
"""

# --8<-- [start:run]
import time

from faultlab import dst
from faultlab.kernel import RealWorldCall


def back_off():
    time.sleep(1)


async def retries():
    back_off()


try:
    dst.check(retries)
except RealWorldCall as error:
    cause, _, remedy = str(error).partition("; ")
    print(cause.partition(" at ")[0], "…", remedy)
#> time.sleep() … await asyncio.sleep() instead: it takes virtual time
# --8<-- [end:run]
