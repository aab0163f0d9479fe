"""Look into the journal, then send under the same key: the second worker finishes the first's work.

Page: learn/7-a-durable-journal
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Crash, Journal, OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver, journal = ReceiverPort(), Journal()


async def worker():
    debits = port(receiver, surface="receiver", route="debits")
    results = port(journal, surface="journal", route="results")
    if await results.holds("order-42"):
        return
    answer = await debits.debit(key="tenant-a/order-42", fingerprint=ORDER)
    await results.append("order-42", answer.effect_id)


async def program():
    for attempt in (1, 2, 3):
        print("worker", attempt, await current().start("worker", worker).ended())
        #> worker 1 crashed
        #> worker 2 returned
        #> worker 3 returned


made = run(program, policy=OneFault(Crash(), surface="receiver", op="debit"))
print("effects:", len(receiver.receiver.effects), "results:", len(journal.results))
#> effects: 1 results: 1
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    journal   receiver
#>   0.000s  ●                             look into the journal
#>   0.020s  ◎                             no result is stored
#>   0.020s  ●                             dispatch under tenant-a/order-42
#>   0.030s  │                   ■         effect 1
#>   0.030s  ◇                             fault: crash
#>   0.030s  ✕                             the worker stops
#>   0.030s  ●                             look into the journal
#>   0.050s  ◎                             no result is stored
#>   0.050s  ●                             dispatch under tenant-a/order-42
#>   0.060s  │                   ■         effect 1 found by its key
#>   0.070s  ◎                             answer: effect 1 reused
#>   0.070s  ●                             record the result
#>   0.080s  │         ■                   result recorded
#>   0.090s  ◎                             stored
#>   0.090s  ●                             look into the journal
#>   0.110s  ◎                             a result is stored
# --8<-- [end:trace]
