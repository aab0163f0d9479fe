"""The worker dies between the effect and its record.

Page: learn/6-a-crash-in-the-gap
"""

# --8<-- [start:run]
from faultlab.kernel import current, run
from faultlab.mock import Crash, Journal, OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver, journal = ReceiverPort(), Journal()


async def worker():
    debits = port(receiver, surface="receiver", route="debits")
    results = port(journal, surface="journal", route="results")
    answer = await debits.debit(key="tenant-a/order-42", fingerprint=ORDER)
    await results.append("order-42", answer.effect_id)


async def program():
    print("the worker", await current().start("worker", worker).ended())
    #> the worker crashed


made = run(program, policy=OneFault(Crash(), surface="receiver", op="debit"))
print("effects:", len(receiver.receiver.effects), "results:", len(journal.results))
#> effects: 1 results: 0
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under tenant-a/order-42
#>   0.010s  │         ■         effect 1
#>   0.010s  ◇                   fault: crash
#>   0.010s  ✕                   the worker stops
# --8<-- [end:trace]
