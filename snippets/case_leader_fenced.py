"""What an old leader still writes: taken by a plain resource, refused by a fenced one.

Page: review/cases/two-leaders
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst
from faultlab.kernel import record
from faultlab.mock import FencedRegister, MockState


class Plain:
    async def write(self, value, token):
        record("written", token=token)


async def node(node_id, ctx):
    locks, me = ctx.port("lock", "leases"), f"node {node_id}"
    lease = await locks.acquire("leader", me, lease_s=15, wait_s=30)
    for _ in range(2):
        await asyncio.sleep(4)
        await ctx.port("register", "config").write(f"by {me}", token=lease.token)


def never_back(history):
    tokens = [event.fields["token"] for event in history.of("written")]
    return None if tokens == sorted(tokens) else f"an old leader wrote: {tokens}"


nodes = dst.ClusterConfig(nodes=2, pauses=[dst.NodePause(node=0, start=6, end=30)])
for resource in (Plain, FencedRegister):

    def state(resource=resource):
        (made := MockState()).put("register", "config", resource())
        return made

    cluster = dst.Cluster(node=node, state_factory=state, invariants=[never_back])
    print(cluster.run(dst.SimulationConfig.quick(cluster=nodes)).explain())
#> violated: case_leader_fenced:cluster
#>   an old leader wrote: [1, 2, 1, 2]
#>
#> 2 nodes:
#>   node 0
#>   node 1
#>
#> Seed 1 found it. 1 decision of 15 left, proven 1-minimal:
#>   1. pause of node 0, 6 s to 30 s, 5 eighths of it
#>
#> What ran, time running down, an event a row:
#> a node 0/node 0   b node 1/node 1   c leases   d config   e main
#>     time  a b c d e
#>   0.000s  ●         lock/leases.acquire(name='leader', owner='node 0', lease_s=15, wait_s=30)
#>   0.000s  │ ●       lock/leases.acquire(name='leader', owner='node 1', lease_s=15, wait_s=30)
#>   0.005s  │ │ ■     acquired(lock='leader', owner='node 0', token=1)
#>   0.010s  ◎ │ │     acquire answered: {'name': 'leader', 'owner': 'node 0', 'token': 1, 'expires_…
#>   4.010s  ● │ │     register/config.write(value='by node 0', token=1)
#>   4.015s  │ │ │ ■   written(token=1)
#>   4.020s  ◎ │ │ │   write answered
#>   6.000s  │ │ │ │ ■ pause(process='node 0', delay_s=15.0)
#>  15.005s  │ │ ■ │   acquired(lock='leader', owner='node 1', token=2)
#>  15.010s  │ ◎   │   acquire answered: {'name': 'leader', 'owner': 'node 1', 'token': 2, 'expires_…
#>  19.010s  │ ●   │   register/config.write(value='by node 1', token=2)
#>  19.015s  │ │   ■   written(token=2)
#>  19.020s  │ ◎   │   write answered
#>  21.000s  ● │   │   register/config.write(value='by node 0', token=1)
#>  21.005s  │ │   ■   written(token=1)
#>  21.010s  ◎ │   │   write answered
#>  23.020s    ●   │   register/config.write(value='by node 1', token=2)
#>  23.026s    │   ■   written(token=2)
#>  23.031s    ◎       write answered
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 2 runs, 64 steps, 2 of 64 seeds
#>   pause of node 0, 6 s to 30 s: in 2 of 2 runs
#>
#> clean: case_leader_fenced:cluster
#>
#> Searched: portfolio, 64 runs, 2,030 steps, 64 of 64 seeds
#>   pause of node 0, 6 s to 30 s: in 62 of 64 runs
#>
# --8<-- [end:run]
