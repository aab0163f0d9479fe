"""One debit on a day on which nothing fails.

Page: learn/1-nothing-fails
"""

# --8<-- [start:run]
from faultlab.kernel import run
from faultlab.mock import OneFault, ReceiverPort, port, trace

ORDER = ("tenant-a", "order-42", 1200)
receiver = ReceiverPort()


async def debit_once():
    debits = port(receiver, surface="receiver", route="debits")
    answer = await debits.debit(key="attempt-1", fingerprint=ORDER)
    print("answer:", answer.disposition)
    #> answer: applied


made = run(debit_once, policy=OneFault(None))
print("effects:", len(receiver.receiver.effects))
#> effects: 1
# --8<-- [end:run]

# --8<-- [start:trace]
print(trace(made.history))
#>     time  worker    receiver
#>   0.000s  ●                   dispatch under attempt-1
#>   0.010s  │         ■         effect 1
#>   0.020s  ◎                   answer: effect 1 applied
# --8<-- [end:trace]
