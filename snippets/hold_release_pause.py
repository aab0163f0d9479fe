"""The words of a schedule, spoken by hand.

Page: simulate/exploration-strategies
"""

# --8<-- [start:program]
import asyncio

from faultlab.kernel import Tape, run


async def program():
    ran = []

    async def task(name, steps, delay_s=0):
        for number in range(1, steps + 1):
            await asyncio.sleep(delay_s)
            ran.append(f"{name}{number}")

    a = asyncio.create_task(task("a", 3), name="a")
    await asyncio.gather(a, task("b", 3), task("c", 1, delay_s=0.5))
    return " ".join(ran)


print(run(program).result)
#> a1 b1 a2 b2 a3 b3 c1
# --8<-- [end:program]

# --8<-- [start:hold]
hold = {("hold", "", "a", 2): (1, 8)}
print(run(program, choices=Tape(hold)).result)
#> a1 b1 b2 b3 a2 a3 c1
# --8<-- [end:hold]

# --8<-- [start:release]
release = {("release", "", "", 0): (1, 2)}
print(run(program, choices=Tape(hold | release)).result)
#> a1 b1 b2 a2 b3 a3 c1
# --8<-- [end:release]

# --8<-- [start:pause]
pause = {("hold", "", "a", 2): (5, 8)}
print(run(program, choices=Tape(pause)).result)
#> a1 b1 b2 b3 c1 a2 a3
# --8<-- [end:pause]
