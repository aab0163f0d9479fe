"""An outbox row is deleted when produce returns, or when delivery is confirmed.

Page: review/cases/deleted-before-delivery
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst
from faultlab.mock import relay


def node(confirmed):
    async def work(node_id, ctx):
        outbox, broker = ctx.port("outbox", "rows"), ctx.port("queue_command", "events")
        await outbox.add("order-42 placed")
        ctx.record("written")

        async def publish(entry):
            sending = asyncio.create_task(broker.put(entry.message))
            if confirmed:
                return await sending
            sending.add_done_callback(lambda done: done.exception())  # nobody asks

        await relay(outbox, publish, passes=2, every_s=9)

    return work


def nothing_lost(history):
    if len(history.of("put")) < len(history.of("written")):
        return "an event is lost: its row is gone, and no broker has it"


window = dst.Partition(start=0.0, end=8.0, isolated={0})
down = dst.PartitionSchedule(windows=(window,), surfaces={"queue_command"})
nodes = dst.ClusterConfig(nodes=1, partitions=down)
for confirmed in (False, True):
    cluster = dst.Cluster(node=node(confirmed), invariants=[nothing_lost])
    print(cluster.run(dst.SimulationConfig.quick(cluster=nodes)).explain())
#> violated: case_outbox_deleted:cluster
#>   an event is lost: its row is gone, and no broker has it
#>
#> 1 node:
#>   node 0
#>
#> Seed 0 found it. 1 decision of 10 left, proven 1-minimal:
#>   1. partition of node 0, 0 s to 8 s, but only for 1 s
#>
#> What ran, time running down, an event a row:
#> a network   b node 0/node 0   c rows   d node 0/Task-2
#>     time  a b c d
#>   0.000s  ■       node 0 cut off
#>   0.000s  │ ●     outbox/rows.add(message='order-42 placed')
#>   0.005s  │ │ ■   committed(tx=0, writes=[['outbox/rows', 'rows-1', 1]])
#>   0.010s  │ ◎ │   add answered: 'rows-1'
#>   0.010s  │ ■ │   written()
#>   0.010s  │ ● │   outbox/rows.pending()
#>   0.015s  │ │ ■   pending takes effect
#>   0.020s  │ ◎ │   pending answered: [{'id': 'rows-1', 'message': 'order-42 placed'}]
#>   0.020s  │ ● │   outbox/rows.delete(entry_id='rows-1')
#>   0.020s  │ │ │ ● queue_command/events.put(message='order-42 placed')
#>   0.026s  │ │ ■ │ committed(tx=0, writes=[['outbox/rows', 'rows-1', 0]])
#>   0.026s  │ │ │ ◇ partition (request) strikes
#>   0.031s  │ ◎ │ │ delete answered
#>   1.000s  ■ │ │ │ node 0 reachable again
#>   5.026s    │ │ ◌ put: Unreachable, whether it took effect is not known
#>   9.031s    ● │   outbox/rows.pending()
#>   9.036s    │ ■   pending takes effect
#>   9.041s    ◎     pending answered: []
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 1 run, 22 steps, 1 of 64 seeds
#>   partition of node 0, 0 s to 8 s: in 1 of 1 runs
#>
#> clean: case_outbox_deleted:cluster
#>
#> Searched: portfolio, 64 runs, 1,632 steps, 64 of 64 seeds
#>   partition of node 0, 0 s to 8 s: in 56 of 64 runs
#>
# --8<-- [end:run]
