"""A leader is cut off from its lease and isn't told; or stops in time.

Page: review/cases/two-leaders
"""

# --8<-- [start:run]
import asyncio

from faultlab import dst
from faultlab.mock import LockError


def leaders(deadline_s):
    async def node(node_id, ctx):
        locks, me = ctx.port("lock", "leases"), f"node {node_id}"
        if lease := await locks.acquire("leader", me, lease_s=15, wait_s=30):
            renewed_s = ctx.now_s()
            while ctx.now_s() < 24:
                asked_s = ctx.now_s()
                try:
                    async with asyncio.timeout_at(renewed_s + deadline_s):
                        await asyncio.sleep(4)
                        await locks.renew(lease, lease_s=15)
                    renewed_s = asked_s
                except dst.Unreachable:
                    continue  # the lease may still be there: ask again
                except (LockError, TimeoutError):
                    break  # it has ended, or may have
            ctx.record("left")

    return dst.Cluster(node=node, invariants=[dst.mutual_exclusion("acquired")])


windows = (dst.Partition(start=5, end=20, isolated={0}),)
nodes = dst.ClusterConfig(nodes=3, partitions=dst.PartitionSchedule(windows=windows))
slow = dst.SimulationConfig.quick(cluster=nodes)
swift = dst.SimulationConfig.quick(cluster=nodes, search=dst.Portfolio(pauses=False))
for deadline_s, config in ((99, swift), (10, swift), (10, slow)):
    print(leaders(deadline_s).run(config).explain())
#> violated: simulation
#>   two are inside: node 2 (#18 at 19.015341 s) entered while node 0 (#4 at 0.005114 s) had not left
#>
#> 2 nodes:
#>   node 0
#>   node 2
#>
#> Seed 1 found it. 1 decision of 23 left, proven 1-minimal:
#>   1. partition of node 0, 5 s to 20 s, but only for 13.125 s
#>
#> What ran, time running down, an event a row:
#> a node 0/node 0   b node 2/node 2   c leases   d network
#>     time  a b c d
#>           … 3 rows
#>   0.010s  ◎ │ │   acquire answered: {'name': 'leader', 'owner': 'node 0', 'token': 1, 'expires_…
#>   4.010s  ● │ │   lock/leases.renew(lease={'name': 'leader', 'owner': 'node 0', 'token': 1, 'expire…
#>   4.015s  │ │ ■   renewed(lock='leader', owner='node 0', token=1)
#>   4.020s  ◎ │ │   renew answered: {'name': 'leader', 'owner': 'node 0', 'token': 1, 'expires_…
#>   5.000s  │ │ │ ■ node 0 cut off
#>   8.020s  ● │ │ │ lock/leases.renew(lease={'name': 'leader', 'owner': 'node 0', 'token': 1, 'expire…
#>   8.026s  ◇ │ │ │ partition (request) strikes
#>  13.026s  ◌ │ │ │ renew: Unreachable, whether it took effect is not known
#>  17.026s  ● │ │ │ lock/leases.renew(lease={'name': 'leader', 'owner': 'node 0', 'token': 1, 'expire…
#>  17.031s  ◇ │ │ │ partition (request) strikes
#>  18.125s  │ │ │ ■ node 0 reachable again
#>  19.015s  │ │ ■   acquired(lock='leader', owner='node 2', token=2)
#>  19.020s  │ ◎ │   acquire answered: {'name': 'leader', 'owner': 'node 2', 'token': 2, 'expires_…
#>  22.031s  ◌ │ │   renew: Unreachable, whether it took effect is not known
#>  23.020s  │ ● │   lock/leases.renew(lease={'name': 'leader', 'owner': 'node 2', 'token': 2, 'expire…
#>  23.026s  │ │ ■   renewed(lock='leader', owner='node 2', token=2)
#>  23.031s  │ ◎ │   renew answered: {'name': 'leader', 'owner': 'node 2', 'token': 2, 'expires_…
#>  26.031s  ● │ │   lock/leases.renew(lease={'name': 'leader', 'owner': 'node 0', 'token': 1, 'expire…
#>  26.036s  ◎ │ │   renew: LockError
#>  26.036s  ■ │ │   left()
#>  27.031s    ● │   lock/leases.renew(lease={'name': 'leader', 'owner': 'node 2', 'token': 2, 'expire…
#>  27.036s    │ ■   renewed(lock='leader', owner='node 2', token=2)
#>  27.041s    ◎     renew answered: {'name': 'leader', 'owner': 'node 2', 'token': 2, 'expires_…
#>  27.041s    ■     left()
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio without pauses, 2 runs, 107 steps, 2 of 64 seeds
#>   partition of node 0, 5 s to 20 s: in 1 of 2 runs
#>
#> clean: simulation
#>
#> Searched: portfolio without pauses, 64 runs, 3,359 steps, 64 of 64 seeds
#>   partition of node 0, 5 s to 20 s: in 23 of 64 runs
#>
#> violated: simulation
#>   two are inside: node 1 (#10 at 19.015341 s) entered while node 0 (#4 at 0.005114 s) had not left
#>
#> 2 nodes:
#>   node 0
#>   node 1
#>
#> Seed 12 found it. 1 decision of 22 left, proven 1-minimal:
#>   1. pause node 0/node 0 (works) at case_two_leaders.py:23 (in sleep) for 60 s
#>      await locks.renew(lease, lease_s=15)
#>
#> What ran, time running down, an event a row:
#> a node 0/node 0   b node 1/node 1   c leases
#>     time  a b c where
#>   0.000s  ●                             lock/leases.acquire(name='leader', owner='node 0', lease_s=…
#>   0.000s  │ ●                           lock/leases.acquire(name='leader', owner='node 1', lease_s=…
#>   0.005s  │ │ ■                         acquired(lock='leader', owner='node 0', token=1)
#>   0.010s  ◎ │ │                         acquire answered: {'name': 'leader', 'owner': 'node 0', 'to…
#>   4.010s  ● │ │                         lock/leases.renew(lease={'name': 'leader', 'owner': 'node 0…
#>   4.015s  │ │ ■                         renewed(lock='leader', owner='node 0', token=1)
#>   4.020s  ◇ │ │ case_two_leaders.py:23  pause node 0/node 0 (works) (in sleep) for 60 s
#>  19.015s  ┊ │ ■                         acquired(lock='leader', owner='node 1', token=2)
#>  19.020s  ┊ ◎ │                         acquire answered: {'name': 'leader', 'owner': 'node 1', 'to…
#>  23.020s  ┊ ● │                         lock/leases.renew(lease={'name': 'leader', 'owner': 'node 1…
#>  23.026s  ┊ │ ■                         renewed(lock='leader', owner='node 1', token=2)
#>  23.031s  ┊ ◎ │                         renew answered: {'name': 'leader', 'owner': 'node 1', 'toke…
#>  27.031s  ┊ ● │                         lock/leases.renew(lease={'name': 'leader', 'owner': 'node 1…
#>  27.036s  ┊ │ ■                         renewed(lock='leader', owner='node 1', token=2)
#>  27.041s  ┊ ◎                           renew answered: {'name': 'leader', 'owner': 'node 1', 'toke…
#>  27.041s  ┊ ■                           left()
#>  64.020s  ◎                             renew: CancelledError
#>  64.020s  ■                             left()
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 13 runs, 640 steps, 13 of 64 seeds
#>   partition of node 0, 5 s to 20 s: in 3 of 13 runs
#>
# --8<-- [end:run]
