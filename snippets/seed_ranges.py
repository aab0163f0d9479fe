"""A sweep cut into shards by seed ranges, and other seeds each night.

Page: simulate/scale-out
"""

# --8<-- [start:shards]
from faultlab import dst

SHARDS, SEEDS = 4, 2_048


def shard(number):
    size = SEEDS // SHARDS
    return dst.SimulationConfig(seeds=range(number * size, (number + 1) * size))


for number in range(SHARDS):
    print(f"job {number}: {shard(number).seeds}")
#> job 0: range(0, 512)
#> job 1: range(512, 1024)
#> job 2: range(1024, 1536)
#> job 3: range(1536, 2048)
# --8<-- [end:shards]

# --8<-- [start:nightly]
for night in (0, 1, 365):
    print(f"night {night}: {dst.SimulationConfig.nightly(night).seeds}")
#> night 0: range(0, 50000)
#> night 1: range(50000, 100000)
#> night 365: range(18250000, 18300000)
# --8<-- [end:nightly]
