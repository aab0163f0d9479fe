"""Three nodes tell of their orders and don't look back; one of them is cut off.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:program]
import asyncio

from faultlab.dst import Cluster, SimulationConfig
from faultlab.dst.cluster import ClusterConfig, Partition, PartitionSchedule
from faultlab.mock import MockDepsModule
from faultlab.mock.state import MockState


async def node(node_id: int, ctx) -> None:
    await asyncio.sleep(0.6)
    ctx.record("ordered", order=node_id)
    try:
        await ctx.port("queue_command", "events").put(f"order {node_id}")
    except TimeoutError:
        ctx.record("shrugged")  # fire and forget


def all_told(history):
    told = len(history.of("put")) >= len(history.of("ordered"))
    return None if told else "an order that nobody is told of"


# --8<-- [end:program]
# --8<-- [start:run]
window = Partition(start=0.5, end=1.5, isolated=frozenset({1}))
gated = PartitionSchedule(windows=(window,), surfaces=frozenset({"queue_command"}))
cluster = Cluster(
    deps=lambda state: MockDepsModule(state=state),
    node=node,
    state_factory=MockState,
    invariants=[all_told],
)
config = ClusterConfig(nodes=3, partitions=gated)
report = cluster.run(SimulationConfig(seeds=range(32), cluster=config))
print(report.verdict, report.finding.calls, report.finding.decisions[0].words)
print(report.timeline())
#> violated ('node 1',) partition of node 1, 0.5 s to 1.5 s, but only for 0.125 s
#>     time  network        node 1/node 1
#>   0.500s  ■                             node 1 cut off
#>   0.600s  │              ■              ordered(order=1)
#>   0.600s  │              ●              queue_command/events.put(message='order 1')
#>   0.605s  │              ◇              partition (request) strikes
#>   0.625s  ■              │              node 1 reachable again
#>   5.605s                 ◌              put: Unreachable, whether it took effect is not known
#>   5.605s                 ■              shrugged()
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
# --8<-- [end:run]
