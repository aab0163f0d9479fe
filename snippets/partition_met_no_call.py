"""A window that met no call proves nothing, and the verdict says so.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
from faultlab import dst


async def node(node_id, ctx):
    await ctx.port("queue_command", "events").put("an event")


window = dst.Partition(start=0.5, end=1.5, isolated=frozenset({1}))
partitions = dst.PartitionSchedule(windows=(window,), surfaces={"lock"})
nodes = dst.ClusterConfig(nodes=3, partitions=partitions)
config = dst.SimulationConfig.quick(cluster=nodes)
print(dst.Cluster(node=node).run(config).explain())
#> unexercised: simulation
#>
#> Searched: portfolio, 64 runs, 1,488 steps, 64 of 64 seeds
#>   unexercised: partition of node 1, 0.5 s to 1.5 s
#>
# --8<-- [end:run]
