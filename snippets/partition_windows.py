"""What a window cuts off: half-open in time, a share of the calls, one way only.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst


async def node(node_id, ctx):
    async def call_at(time_s):
        await asyncio.sleep(time_s)
        try:
            await ctx.port("queue_command", "events").put(time_s)
        except TimeoutError:
            ctx.record("in vain", time_s=time_s)

    await asyncio.gather(*(call_at(nth / 4) for nth in range(6)))


def told(history):
    in_vain = [event.fields["time_s"] for event in history.of("in vain")]
    return f"in vain at {in_vain}, {len(history.of('put'))} of 6 took effect"


def show(start, end, **window):
    windows = (dst.Partition(start=start, end=end, isolated={0}, **window),)
    schedule = dst.PartitionSchedule(windows=windows)
    cluster = dst.ClusterConfig(nodes=1, partitions=schedule)
    at_once = {"latency": dst.LatencyProfile.constant(0), "minimize_runs_max": 0}
    config = dst.SimulationConfig(cluster=cluster, **at_once)
    print(window, dst.Cluster(node=node, invariants=[told]).run(config).finding.message)


show(0.5, 1.0)
show(0.5, 1.0, direction="out")
show(0.5, 1.0, direction="in")
show(0.0, 1.5, loss=0.3)
#> {} in vain at [0.5, 0.75], 4 of 6 took effect
#> {'direction': 'out'} in vain at [0.5, 0.75], 4 of 6 took effect
#> {'direction': 'in'} in vain at [0.5, 0.75], 6 of 6 took effect
#> {'loss': 0.3} in vain at [0.5], 5 of 6 took effect
# --8<-- [end:run]
