"""Chance is drawn from the seed, and the tape brings it back.

Page: understand/determinism
"""

# --8<-- [start:run]
import random
import uuid

from faultlab.kernel import run, virtual_world


async def program():
    return random.randrange(1000), uuid.uuid4()


with virtual_world():
    seven = run(program, seed=7)
    again = run(program, choices=seven.choices)
    eight = run(program, seed=8)

print(seven.result == again.result, seven.result == eight.result)
#> True False
# --8<-- [end:run]

# --8<-- [start:tape]
print(seven.choices)
print(len(run(program).choices), "decisions where nothing was asked for")
#> Tape({('random', '', '', 0): 2349761228})
#> 0 decisions where nothing was asked for
# --8<-- [end:tape]
