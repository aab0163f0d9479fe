"""Seeds to find: four planted orders, four searches.

Page: simulate/exploration-strategies
"""

# --8<-- [start:program]
import asyncio
from statistics import median

from faultlab import dst


def planted(order):
    async def program():
        seen = []

        async def task(name, delay_s):
            for _ in range(order.count(name)):
                await asyncio.sleep(delay_s)
                seen.append(name)

        await asyncio.gather(task("a", 0), task("b", 0), task("c", 1))
        assert "".join(seen) != order

    return program


# --8<-- [end:program]


# --8<-- [start:table]
def seeds_to_find(order, search):
    found = []
    for seeds in (range(128), range(1000, 1128), range(2000, 2128)):
        config = dst.SimulationConfig(seeds=seeds, search=search, minimize_runs_max=0)
        report = dst.check(planted(order), config)
        found.append(report.seeds_run if report.finding else 999)
    return "-" if median(found) == 999 else median(found)


orders = "abbbbba", "abbbbbbbbbba", "aabbab", "ca"
print(" " * 16, *(f"{order:>13}" for order in orders))
for search in (dst.RandomStep(), dst.PCT(), dst.Holds(pauses=True), dst.Portfolio()):
    print(f"{search.label:16}", *(f"{seeds_to_find(o, search):>13}" for o in orders))
#>                        abbbbba  abbbbbbbbbba        aabbab            ca
#> random step                 48             -            17             -
#> PCT, depth 3                 3            22             -             -
#> holds and pauses            26            26             -             2
#> portfolio                    7            11            88            10
# --8<-- [end:table]
