"""An outbox and a relay heal through a partition, at the price of duplicates.

Page: simulate/crashes-and-partitions
"""

# --8<-- [start:program]
import asyncio

from faultlab import dst
from faultlab.mock import relay


async def node(node_id, ctx):
    await asyncio.sleep(0.47)
    outbox = ctx.port("outbox", f"node {node_id}")
    await outbox.add(f"order {node_id}")
    ctx.record("ordered")
    events = ctx.port("queue_command", "events")
    await relay(outbox, lambda entry: events.put(entry.message), passes=2)


async def consume(ctx):
    seen = ctx.port("inbox", "events").seen
    while delivery := await ctx.port("queue_query", "events").receive():
        order = delivery.message
        ctx.record("dropped" if await seen(order) else "handled", order=order)


def all_told(history):
    told = len(history.of("handled")) >= len(history.of("ordered"))
    return None if told else "an order that nobody is told of"


# --8<-- [end:program]
# --8<-- [start:run]
window = dst.Partition(start=0.5, end=1.5, isolated={1})
gated = dst.PartitionSchedule(windows=[window], surfaces={"queue_command"})
config = dst.SimulationConfig.quick(cluster=dst.ClusterConfig(partitions=gated))
once = dst.no_duplicate_effect(("handled", "dropped"), by=("order",))
for rule in (all_told, dst.no_duplicate_effect("handled", by=("order",)), once):
    told = {"observe": consume, "invariants": [rule]}
    print(dst.Cluster(node=node, **told).run(config).explain())
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 4,525 steps, 64 of 64 seeds
#>   partition of node 1, 0.5 s to 1.5 s: in 39 of 64 runs
#>
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 4,525 steps, 64 of 64 seeds
#>   partition of node 1, 0.5 s to 1.5 s: in 39 of 64 runs
#>
#> violated: simulation
#>   order 'order 1' took effect 2 times, 1 at most is right: main (#35 at 6.551818 s) and main (#43 at 6.572272 s)
#>
#> 1 node:
#>   node 1
#>
#> Seed 7 found it. 1 decision of 53 left, proven 1-minimal:
#>   1. partition of node 1, 0.5 s to 1.5 s, but only for 0.125 s
#>
#> What ran, time running down, an event a row:
#> a node 1/node 1   b node 1   c events   d network   e main
#>     time  a b c d e
#>           … 4 rows
#>   0.480s  ● │       outbox/node 1.pending()
#>   0.485s  │ ■       pending takes effect
#>   0.490s  ◎ │       pending answered: [{'id': 'node 1-1', 'message': 'order 1'}]
#>   0.490s  ● │       queue_command/events.put(message='order 1')
#>   0.496s  │ │ ■     put(message=1)
#>   0.500s  │ │ │ ■   node 1 cut off
#>   0.501s  ◇ │ │ │   partition (reply) strikes
#>   0.625s  │ │ │ ■   node 1 reachable again
#>   5.501s  ◌ │ │     put: Unreachable, whether it took effect is not known
#>   6.501s  ● │ │     outbox/node 1.pending()
#>   6.506s  │ ■ │     pending takes effect
#>   6.511s  ◎ │ │     pending answered: [{'id': 'node 1-1', 'message': 'order 1'}]
#>   6.511s  ● │ │     queue_command/events.put(message='order 1')
#>   6.516s  │ │ ■     put(message=2)
#>   6.521s  ◎ │ │     put answered: 2
#>   6.521s  ● │ │     outbox/node 1.delete(entry_id='node 1-1')
#>   6.526s  │ ■ │     committed(tx=0, writes=[['outbox/node 1', 'node 1-1', 0]])
#>   6.531s  ◎   │     delete answered
#>   6.531s      │   ● queue_query/events.receive()
#>   6.536s      ■   │ delivered(delivery=1, message=1, count=1)
#>   6.542s      │   ◎ receive answered: {'message_id': 1, 'message': 'order 1', 'receipt': 1, 'coun…
#>   6.542s      │   ● inbox/events.seen(message_id='order 1')
#>   6.547s      ■   │ committed(tx=0, writes=[['inbox/events', 'order 1', 1]])
#>   6.552s      │   ◎ seen answered: False
#>   6.552s      │   ■ handled(order='order 1')
#>   6.552s      │   ● queue_query/events.receive()
#>   6.557s      ■   │ delivered(delivery=2, message=2, count=1)
#>   6.562s      │   ◎ receive answered: {'message_id': 2, 'message': 'order 1', 'receipt': 2, 'coun…
#>   6.562s      │   ● inbox/events.seen(message_id='order 1')
#>   6.567s      ■   │ seen takes effect
#>   6.572s      │   ◎ seen answered: True
#>   6.572s      │   ■ dropped(order='order 1')
#>   6.572s      │   ● queue_query/events.receive()
#>   6.577s      ■   │ receive takes effect
#>   6.582s          ◎ receive answered
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 8 runs, 565 steps, 8 of 64 seeds
#>   partition of node 1, 0.5 s to 1.5 s: in 4 of 8 runs
#>
# --8<-- [end:run]
