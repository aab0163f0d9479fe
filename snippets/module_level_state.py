"""What outlives a run makes the next run another one, and the simulator says so.

Page: simulate/find-reproduce-regress
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst

seen = set()


async def handle(message):
    if message in seen:
        return
    seen.add(message)
    await asyncio.sleep(0.1)


async def one_message():
    await handle("order-42")


try:
    dst.check(one_message)
except dst.NondeterminismError as error:
    print(error)
#> the same decisions gave two different runs, so neither can be trusted.
#> First difference: step 2, first main at module_level_state.py:18 in handle, then the run had ended.
#> Common causes:
#>   - something outside of the program survives a run: a module's list, a cache, a counter
#>   - the order of a set of strings, or of objects by address: sort first
#>   - the real clock or unseeded chance, reached in a way that the simulation cannot see
#>   - a file, an environment variable or another process that changes
#> Make the program set up everything it uses inside of itself, then run it again.
# --8<-- [end:run]


# --8<-- [start:mended]
async def one_message_in_a_world_of_its_own():
    seen.clear()
    await handle("order-42")


print(dst.check(one_message_in_a_world_of_its_own).verdict)
#> clean
# --8<-- [end:mended]
