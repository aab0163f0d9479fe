"""Searches that make no sense are refused before the first seed.

Page: look-up/errors
"""

# --8<-- [start:run]
from faultlab import dst


async def transfer(amount):
    pass


for attempt in (
    lambda: dst.check(transfer),
    lambda: dst.SimulationConfig(seeds=[]),
    lambda: dst.PCT(depth=0),
    lambda: dst.SimulationConfig.reproduce("faultlab"),
):
    try:
        attempt()
    except dst.SimulationError as error:
        print(error)
#> transfer takes amount; give a function without arguments, which makes everything it needs itself
#> there are no seeds; give at least one, such as range(256)
#> PCT of depth 0 was asked for; give 1 to 10
#> 'faultlab' is no token: one starts with 'faultlab1.'; copy the whole line
# --8<-- [end:run]
