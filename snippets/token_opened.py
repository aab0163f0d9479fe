"""What a token carries.

Page: understand/determinism
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def two_writers():
    last = []

    async def write(name):
        await asyncio.sleep(0)
        last.append(name)

    await asyncio.gather(write("first"), write("second"))
    assert last[-1] == "second"


report = dst.check(two_writers)
token = dst.Token.parse(report.finding.token)
print(token.tape)
print(f"{token.steps_max:,} steps at most")
#> Tape({('hold', '', 'Task-2', 1): 1})
#> 100,000 steps at most
# --8<-- [end:run]

# --8<-- [start:again]
again = dst.check(two_writers, dst.SimulationConfig.reproduce(report.finding.token))
print(again.verdict, "·", again.finding.minimality, "·", again.search)
#> violated · as the token has them · one run, from a token
# --8<-- [end:again]
