"""A crash between a mutation and its receipt, and what the next one makes of 'pending'.

Page: review/cases/stuck-or-twice
"""

# --8<-- [start:run]
from faultlab import dst
from faultlab.dst.invariants import happened


def remember(holds_lock):
    async def attempt(ctx):
        locks, notes = ctx.port("lock", "owners"), ctx.port("document_command", "notes")
        receipts = ctx.port("document_command", "receipts")
        await locks.acquire("note-7", "me", lease_s=60, wait_s=600)
        receipt = await receipts.get("note-7")
        if receipt is None:
            receipt = await receipts.insert("note-7", {"is": "pending"})
        elif receipt.body["is"] == "done" or not holds_lock:
            return  # somebody is at it
        if await notes.get("note-7") is None:
            await notes.insert("note-7", {})
        await receipts.update("note-7", {"is": "done"}, revision=receipt.revision)

    def not_pending(history):
        finished = happened(op="update")(history) or not history.of("begin")
        return None if finished else "pending for ever"

    call = dst.Call(attempt)
    return dst.Simulation(calls=[call], recover=attempt, invariants=[not_pending])


crash = dst.CrashPolicy(times=2)
for holds_lock in (False, True):
    report = remember(holds_lock).run(dst.SimulationConfig.quick(crash=crash))
    print(report.explain())
#> violated: simulation
#>   pending for ever
#>
#> 1 call:
#>   call 1: attempt()
#>
#> Seed 2 found it. 1 decision of 15 left, proven 1-minimal:
#>   1. crash at boundary 6
#>
#> What ran, time running down, an event a row:
#>     time  app/call 1  owners      receipts    app/app
#>   0.000s  ●                                               attempt()
#>   0.000s  ●                                               lock/owners.acquire(name='note-7', owner=…
#>   0.005s  │           ■                                   acquired(lock='note-7', owner='me', token…
#>   0.010s  ◎           │                                   acquire answered: {'name': 'note-7', 'own…
#>   0.010s  ●           │                                   document_query/receipts.get(document_id='…
#>   0.015s  │           │           ■                       get takes effect
#>   0.020s  ◎           │           │                       get answered
#>   0.020s  ●           │           │                       document_command/receipts.insert(document…
#>   0.026s  │           │           ■                       committed(tx=0, writes=[['receipts', 'not…
#>   0.026s  ◇           │           │                       crash strikes
#>   0.026s  ✕           │           │                       app crashes
#>   0.026s              │           │           ●           lock/owners.acquire(name='note-7', owner=…
#>  60.005s              ■           │           │           acquired(lock='note-7', owner='me', token…
#>  60.010s                          │           ◎           acquire answered: {'name': 'note-7', 'own…
#>  60.010s                          │           ●           document_query/receipts.get(document_id='…
#>  60.015s                          ■           │           get takes effect
#>  60.020s                                      ◎           get answered: {'id': 'note-7', 'body': {'…
#> ● reached  ■ happened  ◎ known  ◌ unknown  ◇ decided by the simulator  ✕ crashed
#>
#> Searched: portfolio, 3 runs, 77 steps, 3 of 64 seeds
#>   crash at */*/*: in 3 of 3 runs
#>
#> clean: simulation
#>
#> Searched: portfolio, 64 runs, 1,900 steps, 64 of 64 seeds
#>   crash at */*/*: in 57 of 64 runs
#>
# --8<-- [end:run]
