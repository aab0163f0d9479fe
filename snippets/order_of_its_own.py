"""During a run no garbage collection strikes, and sets of tasks have one order.

Page: understand/determinism
"""

# --8<-- [start:run]
import asyncio
import gc

from faultlab.kernel import run


async def program():
    print("collecting:", gc.isenabled())
    tasks = {asyncio.create_task(asyncio.sleep(0), name=f"t{n}") for n in range(5)}
    print(*(task.get_name() for task in tasks))
    await asyncio.wait(tasks)


run(program)
print("collecting:", gc.isenabled())
#> collecting: False
#> t0 t1 t2 t3 t4
#> collecting: True
# --8<-- [end:run]
