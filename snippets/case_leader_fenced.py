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
    await asyncio.sleep(9)
    await ctx.port("register", "config").write(f"by {me}", token=lease.token)


def never_back(history):
    tokens = [event.fields["token"] for event in history.of("written")]
    return None if tokens == sorted(tokens) else f"an old leader wrote: {tokens}"


nodes = dst.ClusterConfig(nodes=2, pauses=[dst.NodePause(node=0, start=6, end=30)])
config = dst.SimulationConfig.quick(cluster=nodes)
for resource in (Plain, FencedRegister):

    def state(resource=resource):
        (made := MockState()).put("register", "config", resource())
        return made

    told = {"state_factory": state, "invariants": [never_back]}
    print(dst.Cluster(node=node, **told).run(config).explain())
#> violated: simulation
#>   an old leader wrote: [2, 1]
#>
#> 2 nodes:
#>   node 0
#>   node 1
#>
#> Seed 1 found it. 1 decision of 11 left, proven 1-minimal:
#>   1. pause of node 0, 6 s to 30 s, 7 eighths of it
#>
#> What ran, time running down, an event a row:
#> a node 0/node 0   b node 1/node 1   c leases   d main   e config
#>     time  a b c d e
#>   0.000s  ●         lock/leases.acquire(name='leader', owner='node 0', lease_s=15, wait_s=30)
#>   0.000s  │ ●       lock/leases.acquire(name='leader', owner='node 1', lease_s=15, wait_s=30)
#>   0.005s  │ │ ■     acquired(lock='leader', owner='node 0', token=1)
#>   0.010s  ◎ │ │     acquire answered: {'name': 'leader', 'owner': 'node 0', 'token': 1, 'expires_…
#>   6.000s  │ │ │ ■   pause(process='node 0', delay_s=21.0)
#>  15.005s  │ │ ■     acquired(lock='leader', owner='node 1', token=2)
#>  15.010s  │ ◎       acquire answered: {'name': 'leader', 'owner': 'node 1', 'token': 2, 'expires_…
#>  24.010s  │ ●       register/config.write(value='by node 1', token=2)
#>  24.015s  │ │     ■ written(token=2)
#>  24.020s  │ ◎     │ write answered
#>  27.000s  ●       │ register/config.write(value='by node 0', token=1)
#>  27.005s  │       ■ written(token=1)
#>  27.010s  ◎         write answered
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 2 runs, 52 steps, 2 of 64 seeds
#>   pause of node 0, 6 s to 30 s: in 2 of 2 runs
#>
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 1,652 steps, 64 of 64 seeds
#>   pause of node 0, 6 s to 30 s: in 62 of 64 runs
#>
# --8<-- [end:run]
