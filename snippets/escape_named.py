"""What the world can't replace is named in the report.

Page: understand/determinism
"""

# --8<-- [start:run]
import time
from textwrap import fill

from faultlab import dst


def expires(now=time.time):
    return now() + 60


async def keeps_an_original():
    return expires()


report = dst.check(keeps_an_original)
print(report.verdict)
for escape in report.escapes:
    print(fill(f"{escape.call}: {escape.why}", 76))
#> clean
#> time.time: it was kept in a closure, a default argument, a class or an
#> object before the world was entered, so it is the real one; call it as an
#> attribute of its module
# --8<-- [end:run]
