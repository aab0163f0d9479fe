"""A window that met no call proves nothing, and the verdict says so.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
from faultlab.dst import Cluster, ClusterConfig, Partition, PartitionSchedule
from faultlab.dst import SimulationConfig


async def node(node_id, ctx):
    await ctx.port("queue_command", "events").put("an event")


window = Partition(start=0.5, end=1.5, isolated=frozenset({1}))
partitions = PartitionSchedule(windows=(window,), surfaces={"lock"})
config = SimulationConfig.quick(cluster=ClusterConfig(nodes=3, partitions=partitions))
print(Cluster(node=node).run(config).explain())
#> unexercised: simulation
#>
#> Searched: portfolio, 64 runs, 1,488 steps, 64 of 64 seeds
#>   unexercised: partition of node 1, 0.5 s to 1.5 s
#>
# --8<-- [end:run]
