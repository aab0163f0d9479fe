"""A crash between claim and record: stuck, twice, or finished, as the successor does.

Page: review/cases/stuck-or-twice
"""

# --8<-- [start:simulation]
import asyncio

from faultlab import dst
from faultlab.dst.invariants import happened


def withdraw(lease_s, second_key):
    async def attempt(ctx, key="withdrawal-9"):
        claims = ctx.port("document_command", "claims")
        claim = await claims.get("withdrawal-9")
        if claim is None:
            claim = await claims.insert("withdrawal-9", {"since_s": ctx.now_s()})
        elif ctx.now_s() < claim.body["since_s"] + lease_s:
            return  # refused: in progress
        await ctx.port("receiver", "bank").debit(key=key, fingerprint=(1200,))
        await claims.update("withdrawal-9", {"since_s": 1e9}, revision=claim.revision)

    async def next_day(ctx):
        await asyncio.sleep(24 * 3600)
        await attempt(ctx, second_key)

    call, rules = dst.Call(attempt), [not_stuck, dst.no_duplicate_effect(by=())]
    return dst.Simulation(calls=[call], recover=next_day, invariants=rules)


def not_stuck(history):
    finished = happened(op="update")(history) or not history.of("begin")
    return None if finished else "in progress for ever"


# --8<-- [end:simulation]
# --8<-- [start:run]
config = dst.SimulationConfig.quick(crash=dst.CrashPolicy())
for lease_s, key in ((1e6, "withdrawal-9"), (60, "again"), (60, "withdrawal-9")):
    print(withdraw(lease_s, key).run(config).explain())
#> violated: simulation
#>   in progress for ever
#>
#> 1 call:
#>   call 1: attempt(key='withdrawal-9')
#>
#> Seed 1 found it. 1 decision of 6 left, proven 1-minimal:
#>   1. crash at boundary 4
#>
#> What ran, time running down, an event a row:
#>     time  app/call 1  claims      app/app
#>   0.000s  ●                                   attempt(key='withdrawal-9')
#>   0.000s  ●                                   document_query/claims.get(document_id='withdrawal-9')
#>   0.005s  │           ■                       get takes effect
#>   0.010s  ◎           │                       get answered
#>   0.010s  ●           │                       document_command/claims.insert(document_id='withdrawa…
#>   0.015s  │           ■                       committed(tx=0, writes=[['claims', 'withdrawal-9', 1]…
#>   0.015s  ◇           │                       crash strikes
#>   0.015s  ✕           │                       app crashes
#> 86400.015s              │           ●           document_query/claims.get(document_id='withdrawal-9…
#> 86400.020s              ■           │           get takes effect
#> 86400.026s                          ◎           get answered: {'id': 'withdrawal-9', 'body': {'sinc…
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 2 runs, 30 steps, 2 of 64 seeds
#>   crash at */*/*: in 2 of 2 runs
#>
#> violated: simulation
#>   applied took effect 2 times, 1 at most is right: app/call 1 (#10 at 0.025568 s) and app (#19 at 86400.04091 s)
#>
#> 1 call:
#>   call 1: attempt(key='withdrawal-9')
#>
#> Seed 3 found it. 1 decision of 12 left, proven 1-minimal:
#>   1. crash at boundary 6
#>
#> What ran, time running down, an event a row:
#>     time  app/call 1  claims      bank        app/app
#>   0.000s  ●                                               attempt(key='withdrawal-9')
#>   0.000s  ●                                               document_query/claims.get(document_id='wi…
#>   0.005s  │           ■                                   get takes effect
#>   0.010s  ◎           │                                   get answered
#>   0.010s  ●           │                                   document_command/claims.insert(document_i…
#>   0.015s  │           ■                                   committed(tx=0, writes=[['claims', 'withd…
#>   0.020s  ◎           │                                   insert answered: {'id': 'withdrawal-9', '…
#>   0.020s  ●           │                                   receiver/bank.debit(key='withdrawal-9')
#>   0.026s  │           │           ■                       applied(key='withdrawal-9', effect=1)
#>   0.026s  ◇           │           │                       crash strikes
#>   0.026s  ✕           │           │                       app crashes
#> 86400.026s              │           │           ●           document_query/claims.get(document_id='…
#> 86400.031s              ■           │           │           get takes effect
#> 86400.036s              │           │           ◎           get answered: {'id': 'withdrawal-9', 'b…
#> 86400.036s              │           │           ●           receiver/bank.debit(key='again')
#> 86400.041s              │           ■           │           applied(key='again', effect=2)
#> 86400.046s              │                       ◎           debit answered: {'disposition': 'applie…
#> 86400.046s              │                       ●           document_command/claims.update(document…
#> 86400.051s              ■                       │           committed(tx=0, writes=[['claims', 'wit…
#> 86400.056s                                      ◎           update answered: {'id': 'withdrawal-9',…
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 4 runs, 72 steps, 4 of 64 seeds
#>   crash at */*/*: in 4 of 4 runs
#>
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 1,134 steps, 64 of 64 seeds
#>   crash at */*/*: in 56 of 64 runs
#>
# --8<-- [end:run]
